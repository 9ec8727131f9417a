package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"filippo.io/age"

	"github.com/lethe-deid/lethe/deid/mapping"
)

// TestMapBringsNotesBack restores the original notes from the output and the map.
func TestMapBringsNotesBack(t *testing.T) {
	dir := t.TempDir()
	me, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	var in strings.Builder
	var texts []string
	for i := range 600 { // more than one batch
		patient := fmt.Sprintf(`,"patient":"p%d"`, i/3)
		if i%10 == 9 {
			patient = ""
		}
		text := fmt.Sprintf("Seen on 02/%02d/2087 & again on 03/%02d/2087 by Dr. Amundsen.\nCall (555) 123-%04d <now>.", 1+i%28, 1+i%17, 7000+i)
		raw, _ := json.Marshal(text)
		fmt.Fprintf(&in, `{"id":"n%d","text":%s%s}`+"\n", i, raw, patient)
		texts = append(texts, text)
	}
	notes := write(t, filepath.Join(dir, "notes.jsonl"), in.String())
	file, clean := filepath.Join(dir, "map.age"), filepath.Join(dir, "clean.jsonl")
	keys := write(t, filepath.Join(dir, "keys.txt"), "# data protection officer\n"+me.Recipient().String()+"\n")
	out, err := exec.Command("lethe", "deidentify", "--model", rulesModel(t), "--format", "jsonl", "--keep-patient", "--policy", "all", "--replace", "numbered", "--quiet",
		"--map", file, "--map-recipient", keys, "--output", clean, notes).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	entries, err := mapping.Read(file, me)
	if err != nil {
		t.Fatal(err)
	}
	of := map[string][]string{} // of a patient or note: replacement, original, ...
	for _, e := range entries {
		whose := e.Patient
		if whose == "" {
			if e.File != "notes.jsonl" {
				t.Fatalf("a note without patient is in the file %q", e.File)
			}
			whose = e.ID
		}
		of[whose] = append(of[whose], e.Replacement, e.Original)
	}
	lines := slices.Collect(strings.Lines(string(read(t, clean))))
	if len(lines) != len(texts) {
		t.Fatalf("%d notes came out", len(lines))
	}
	for i, line := range lines {
		var note struct{ ID, Text, Patient string }
		if err := json.Unmarshal([]byte(line), &note); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(note.Text, "2087") || strings.Contains(note.Text, "Amundsen") {
			t.Fatalf("note %s holds PHI", note.ID)
		}
		whose := note.Patient
		if whose == "" {
			whose = note.ID
		}
		if got := strings.NewReplacer(of[whose]...).Replace(note.Text); got != texts[i] {
			t.Fatalf("note %s comes back as %q, want %q", note.ID, got, texts[i])
		}
	}
	raw := read(t, file)
	for _, open := range []string{"Amundsen", "DATE", "2087"} {
		if strings.Contains(string(raw), open) {
			t.Errorf("%q stands open in the map", open)
		}
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the map has mode %v, error %v", info.Mode(), err)
	}
}
