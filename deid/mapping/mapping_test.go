package mapping

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"filippo.io/age"
)

func TestRoundTrip(t *testing.T) {
	me, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	to, err := Recipients(me.Recipient().String())
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "map.age")
	w, err := Create(path, to...)
	if err != nil {
		t.Fatal(err)
	}
	entries := []Entry{
		{Patient: "110", Type: "PATIENT", Original: "Íñigo Vega", Replacement: "Oda \"O\" Lund\n"},
		{Patient: "110", Type: "PATIENT", Original: "Íñigo", Replacement: "Oda"},
		{Patient: "111", Type: "PATIENT", Original: "Íñigo", Replacement: "Per"},
		{File: "a.txt", ID: "a", Type: "PATIENT", Original: "Íñigo", Replacement: "<&>"},
		{File: "b.txt", ID: "a", Type: "PATIENT", Original: "Íñigo", Replacement: "<&>"},
	}
	for _, e := range append([]Entry{entries[0]}, entries...) { // the first twice
		if err := w.Add(e); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("the file exists before it is complete")
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	got, err := Read(path, me)
	if err != nil || !slices.Equal(got, entries) {
		t.Errorf("read %v, %v", got, err)
	}
	raw, _ := os.ReadFile(path)
	if bytes.Contains(raw, []byte("Vega")) || bytes.Contains(raw, []byte("PATIENT")) {
		t.Error("the file is not encrypted")
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	stranger, _ := age.GenerateX25519Identity()
	if _, err := Read(path, stranger); err == nil {
		t.Error("another identity can decrypt it")
	}
	if err := os.WriteFile(path, raw[:len(raw)-1], 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(path, me); err == nil || strings.Contains(err.Error(), "Vega") {
		t.Errorf("a file that is cut off: %v", err)
	}
}

func TestNoRecipient(t *testing.T) {
	path := filepath.Join(t.TempDir(), "map.age")
	if _, err := Create(path); err == nil {
		t.Error("no error without a recipient")
	}
	for _, bad := range []string{"oda", "age1oda", "AGE-SECRET-KEY-1ODA", "age-secret-key-1oda", " AGE-SECRET-KEY-1ODA", "key:AGE-SECRET-KEY-1ODA"} {
		to, err := Recipients(bad)
		if err == nil || strings.Contains(strings.ToLower(strings.ReplaceAll(err.Error(), "open oda", "")), "oda") {
			t.Errorf("%q: recipients %v, error %v", bad, to, err)
		}
	}
}

// TestMapTookTheAuditsPlace: a file that appeared under the map's name during the run was lost.
func TestMapTookTheAuditsPlace(t *testing.T) {
	me, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "map.age")
	w, err := Create(path, me.Recipient())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("mine"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); !errors.Is(err, fs.ErrExist) {
		t.Errorf("error %v", err)
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != "mine" {
		t.Errorf("the file contains %q, error %v", got, err)
	}
	if entries, err := os.ReadDir(filepath.Dir(path)); err != nil || len(entries) != 1 {
		t.Errorf("there are %d files, error %v", len(entries), err)
	}
}
