package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// TestManPages makes the manual pages of all commands, in the folder that LETHE_MAN names when a release is built. It is
// a test, so that the program contains no code for it.
func TestManPages(t *testing.T) {
	dir := os.Getenv("LETHE_MAN")
	if dir == "" {
		dir = t.TempDir()
	}
	root := newRoot()
	root.InitDefaultCompletionCmd()
	root.DisableAutoGenTag = true // the only date is that in SOURCE_DATE_EPOCH, so that two builds are equal
	if err := doc.GenManTree(root, &doc.GenManHeader{Section: "1", Source: "Lethe", Manual: "Lethe"}, dir); err != nil {
		t.Fatal(err)
	}
	var check func(*cobra.Command)
	check = func(cmd *cobra.Command) {
		if !cmd.IsAvailableCommand() && cmd.HasParent() {
			return
		}
		name := strings.ReplaceAll(cmd.CommandPath(), " ", "-") + ".1"
		page, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(page), cmd.Short) && !strings.Contains(string(page), strings.ReplaceAll(cmd.Short, "-", `\-`)) {
			t.Errorf("%s lacks the description of the command", name)
		}
		for _, sub := range cmd.Commands() {
			check(sub)
		}
	}
	check(root)
}
