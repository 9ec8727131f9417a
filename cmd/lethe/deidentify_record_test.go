package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"

	"github.com/lethe-deid/lethe/deid/job"
	"github.com/lethe-deid/lethe/internal/lockfile"
)

// TestEveryFlagIsRecorded checks that each flag that changes the output is an option of job.Config, so that the record
// contains it.
func TestEveryFlagIsRecorded(t *testing.T) {
	withoutEffect := []string{"help", "model", "output", "workers", "map", "map-recipient", "notes-nlp", "nlp-date", "audit", "resume", "quiet", "skip-others", "max-unlike", "config", "print-config", "summary", "progress"} // model is recorded by its digest
	var options, flags []string
	for _, field := range reflect.VisibleFields(reflect.TypeFor[job.Config]()) {
		if name, _, _ := strings.Cut(field.Tag.Get("option"), ","); name != "" {
			options = append(options, name)
		}
	}
	newDeidentify().Flags().VisitAll(func(f *pflag.Flag) {
		if !slices.Contains(withoutEffect, f.Name) {
			flags = append(flags, f.Name)
		}
	})
	slices.Sort(options)
	slices.Sort(flags)
	if diff := cmp.Diff(flags, options); diff != "" {
		t.Errorf("flags that change the output are not the options of a job: -flags +options\n%s", diff)
	}
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
