package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// TestEvidencePage runs all commands of docs/evidence.md in their order, and checks that the page describes all flags.
func TestEvidencePage(t *testing.T) {
	page := string(read(t, "../../docs/evidence.md"))
	dir := t.TempDir()
	write(t, filepath.Join(dir, "key"), "a secret of these tests alone 0123456789")
	n := 0
	for _, m := range regexp.MustCompile(`(?m)^    (lethe .*)$`).FindAllStringSubmatch(page, -1) {
		command, output, _ := strings.Cut(m[1], " >")
		words := strings.Fields(command)
		run := exec.Command(words[0], words[1:]...)
		run.Dir = dir
		out, err := run.Output()
		if err != nil {
			t.Fatalf("%s: %v", m[1], err)
		}
		if output != "" {
			write(t, filepath.Join(dir, output), string(out))
		}
		n++
	}
	if n != 8 {
		t.Errorf("the page has %d commands", n)
	}
	for _, name := range []string{"evidence.html", "evidence.pdf"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Size() < 10_000 {
			t.Errorf("%s: %v", name, err)
		}
	}
	newEvidence().Flags().VisitAll(func(f *pflag.Flag) {
		if !strings.Contains(page, "--"+f.Name) {
			t.Errorf("the page does not describe --%s", f.Name)
		}
	})
}
