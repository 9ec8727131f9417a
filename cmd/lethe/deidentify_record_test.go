package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/lethe-deid/lethe/deid/replace"
	"github.com/lethe-deid/lethe/internal/lockfile"
)

// Every flag changes the settings of a run, or is known to have no effect: the next one
// cannot be forgotten.
func TestTheRecordHasEveryFlag(t *testing.T) {
	file := write(t, filepath.Join(t.TempDir(), "a"), "one")
	settings := func(name, value string) runSettings {
		cmd := newDeidentify()
		if name != "" {
			if err := cmd.Flags().Set(name, value); err != nil {
				t.Fatal(err)
			}
		}
		var opt deidentifyOptions
		s, err := opt.settings(cmd, stdio, "model", replace.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	plain := settings("", "")
	newDeidentify().Flags().VisitAll(func(f *pflag.Flag) {
		if slices.Contains(withoutEffect, f.Name) {
			return
		}
		value := file
		switch f.Value.Type() {
		case "bool":
			value = "true"
		case "int", "float64":
			value = "0.5"
		}
		one := settings(f.Name, value)
		if got := one.different(plain); got != "another --"+f.Name {
			t.Errorf("--%s: the settings differ in %q", f.Name, got)
		}
		if kind, _ := pflag.UnquoteUsage(f); kind == "FILE" {
			write(t, file, "two")
			if got := settings(f.Name, value).different(one); got == "" {
				t.Errorf("--%s: another content makes no difference", f.Name)
			}
			write(t, file, "one")
		}
	})
}

// Two runs that share an audit lost the lines of one of them.
func TestTwoRunsOneAudit(t *testing.T) {
	dir := t.TempDir()
	in := write(t, filepath.Join(dir, "note.txt"), "Seen on 02/20/2087.\n")
	audit, out := filepath.Join(dir, "audit.jsonl"), filepath.Join(dir, "out")
	args := []string{"deidentify", "--model", rulesModel(t), "--output", out, "--audit", audit, "--quiet", "--resume", in}
	if out, err := exec.Command("lethe", args...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	f, err := lockfile.Open(audit, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	before := string(read(t, audit))
	if err := os.Remove(filepath.Join(out, "note.txt")); err != nil {
		t.Fatal(err)
	}
	said, err := exec.Command("lethe", args...).CombinedOutput()
	if err == nil || !strings.HasSuffix(string(said), "audit.jsonl: another run is writing to it\n") {
		t.Errorf("%v\n%s", err, said)
	}
	if string(read(t, audit)) != before {
		t.Error("the audit was changed")
	}
}
