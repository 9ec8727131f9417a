package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/lethe-deid/lethe/data"
)

// An interrupted synth or predict left a folder with some of the notes under the name of the whole.
func TestAFolderOfSomeOfTheNotesStayed(t *testing.T) {
	dir := t.TempDir()
	out, err := openOutput(filepath.Join(dir, "notes"), "brat", of(data.Any), false)
	if err != nil {
		t.Fatal(err)
	}
	if err := out.Write(&data.Document{ID: "1", Text: "Seen."}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "notes")); err == nil {
		t.Error("the folder is there before the last note")
	}
	if err := out.Abort(); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}
