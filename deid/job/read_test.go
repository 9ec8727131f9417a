package job

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/lethe-deid/lethe/deid/engine"
)

// TestReadYieldsTheNotesThatRunExamines compares what Read yields with the audit of a run over the same files.
func TestReadYieldsTheNotesThatRunExamines(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in")
	if err := os.MkdirAll(filepath.Join(in, "p1"), 0o777); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(in, "p1", "a.txt"), "Seen on 3/4/2019.")
	write(t, filepath.Join(in, "b.jsonl"), "{\"id\":\"1\",\"patient\":\"p2\",\"note\":\"one\"}\n{\"note\":\n{\"id\":\"2\",\"note\":\"two\"}\n")
	write(t, filepath.Join(in, "c.csv"), "note,n\nthree,1\n")
	write(t, filepath.Join(in, "d.pdf"), "")
	out := filepath.Join(dir, "out")
	config := Config{Inputs: []string{in}, Output: out, Columns: []string{"note"}, PatientFolders: true}
	warned := 0
	notes, err := Read(t.Context(), config, Events{Warn: func(error) { warned++ }})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	failed := 0
	for n, err := range notes {
		if err != nil {
			failed++
			continue
		}
		got = append(got, n.Patient+":"+n.Text)
	}
	if want := []string{":three", "p1:Seen on 3/4/2019.", "p2:one", ":two"}; !slices.Equal(sorted(got), sorted(want)) {
		t.Errorf("%q, want %q", got, want)
	}
	if failed != 2 || warned == 0 { // a broken line, and a file that is left out
		t.Errorf("%d failed, %d warnings", failed, warned)
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("the output was created")
	}
	for name, bad := range map[string]Config{
		"no such file": {Inputs: []string{"nothing"}, Output: out}, "no column": {Inputs: []string{in}, Output: out},
		"inside the input": {Inputs: []string{in}, Output: filepath.Join(in, "out"), Columns: []string{"note"}},
		"no such option":   {Inputs: []string{in}, Output: out, Options: engine.Options{Bias: -1}},
	} {
		if _, err := Read(t.Context(), bad, Events{}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// Read said of a folder that is not empty that --resume resumes the run in it, and refused the one of an interrupted lethe review sample, which can be drawn again.
func TestReadLeavesTheOutputToItsCaller(t *testing.T) {
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in"), filepath.Join(dir, "out")
	for _, folder := range []string{in, out} {
		if err := os.Mkdir(folder, 0o777); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(folder, "a.txt"), "Seen on 3/4/2019.")
	}
	if _, err := Read(t.Context(), Config{Inputs: []string{in}, Output: out}, Events{}); err != nil {
		t.Error(err)
	}
}

// The message about a subfolder that may not be listed was that it is a folder and a file is required.
func TestASubfolderThatMayNotBeListedSaysSo(t *testing.T) {
	dir := t.TempDir()
	sub := filepath.Join(dir, "sub")
	write(t, filepath.Join(dir, "a.txt"), "Seen on 3/4/2019.")
	if err := os.Mkdir(sub, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := os.ReadDir(sub); err == nil {
		t.Skip("whoever runs the test may list every folder")
	}
	notes, err := Read(t.Context(), Config{Inputs: []string{dir}, Output: t.TempDir()}, Events{})
	if err != nil {
		t.Fatal(err)
	}
	var failed []string
	for _, err := range notes {
		if err != nil {
			failed = append(failed, err.Error())
		}
	}
	if want := []string{sub + ": cannot be read: permission denied"}; !slices.Equal(failed, want) {
		t.Errorf("%q, want %q", failed, want)
	}
}

func sorted(all []string) []string {
	all = slices.Clone(all)
	slices.Sort(all)
	return all
}
