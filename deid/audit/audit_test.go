package audit

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lethe-deid/lethe/deid/safetynet"
	"github.com/lethe-deid/lethe/internal/lockfile"
)

func TestSummary(t *testing.T) {
	s := Summary{Skipped: 2, Patients: 3, Without: 1, Restarted: 2, Unchanged: "names of files"}
	s.Add(&Line{Replaced: map[string]int{"DATE": 1, "CITY": 1, "DOCTOR": 3}, Net: map[safetynet.Source]map[string]int{safetynet.Formulaic: {"DATE": 1}}})
	s.Add(&Line{Error: "a.txt:1: invalid UTF-8"})
	s.Add(&Line{Replaced: map[string]int{"DATE": 1}, Kept: map[string]int{"AGE": 2}, Net: map[safetynet.Source]map[string]int{safetynet.Original: {"DATE": 1}, safetynet.Formulaic: {"DATE": 1}}})
	s.Expected = "0.4 % of instances"
	var b strings.Builder
	if err := s.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	want := `notes         2 examined, 1 NOT examined and not written; 2 files already complete
patients      3; 1 note without a known patient
numbering     restarted for 2 patients whose notes are not adjacent: sort the notes by patient
PHI replaced  6 (DOCTOR 3, DATE 2, CITY 1)
kept          2 (AGE 2)
safety net    original 1 (DATE 1); formulaic 2 (DATE 2)
unchanged     names of files
expected leak 0.4 % of instances
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Error(diff)
	}
}

// A net that is off has not searched, so it must not report that it found nothing.
func TestSummaryWithoutNet(t *testing.T) {
	var b strings.Builder
	if err := (&Summary{NoNet: true}).WriteText(&b); err != nil || !strings.Contains(b.String(), "safety net    off\n") {
		t.Errorf("error %v, summary\n%s", err, b.String())
	}
}

func TestResume(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	f, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	line := func(file, reason string) *Line { return &Line{File: file, Error: reason, Model: "m", Config: "c"} }
	if err := f.Write([]*Line{line("a", ""), line("a", ""), line("b", ""), line("c", ""), line("c", "c:2: broken")}); err != nil {
		t.Fatal(err)
	}
	if _, err := f.f.WriteString(`{"file":"a"`); err != nil { // an incomplete line
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := Create(path); err == nil || !strings.Contains(err.Error(), "already exists") {
		t.Errorf("created again: %v", err)
	}
	redo := func(file string) bool { return file == "b" }
	all := func(string) bool { return false }
	lines := map[string]int{"a": 2, "c": 2}
	for _, other := range [][2]string{{"m2", "c"}, {"m", "c2"}} {
		if _, _, err := Resume(path, other[0], other[1], redo, lines); err == nil || !strings.Contains(err.Error(), "audit.jsonl:1: the earlier run had another") {
			t.Errorf("another model or config: %v", err)
		}
	}
	if _, _, err := Resume(path, "m", "c", redo, map[string]int{"a": 3, "c": 2}); err == nil || !strings.Contains(err.Error(), "are missing") {
		t.Errorf("an audit that has lost a line: %v", err)
	}
	f, earlier, err := Resume(path, "m", "c", redo, lines)
	if err != nil {
		t.Fatal(err)
	}
	if earlier.Notes != 4 || earlier.Failed != 1 {
		t.Errorf("%d notes were done, and %d not, want 4 and 1", earlier.Notes, earlier.Failed)
	}
	if _, _, err := Resume(path, "m", "c", all, nil); !errors.Is(err, lockfile.ErrLocked) {
		t.Errorf("a second run: %v", err)
	}
	if err := f.Write([]*Line{line("b", "")}); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	want := strings.Repeat(`{"file":"a","model":"m","config":"c"}`+"\n", 2) + `{"file":"c","model":"m","config":"c"}
{"file":"c","error":"c:2: broken","model":"m","config":"c"}
`
	want += `{"file":"b","model":"m","config":"c"}
`
	if diff := cmp.Diff(want, read(t, path)); diff != "" {
		t.Error(diff)
	}
	if err := os.WriteFile(path, []byte("Zebulon\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Resume(path, "m", "c", redo, lines); err == nil || !strings.HasSuffix(err.Error(), "audit.jsonl:1: not a line of an audit") {
		t.Errorf("no audit: %v", err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Resume(path, "m", "c", redo, lines); err == nil || !strings.Contains(err.Error(), "are missing") {
		t.Errorf("a missing audit: %v", err)
	}
}

func TestAFileThatBreaksOffIsTakenBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	f, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	var s Summary
	note := &Line{File: "a", Replaced: map[string]int{"DATE": 1}}
	s.Add(note)
	err = f.Write([]*Line{note})
	size, before := f.Size(), s.Clone()
	s.Add(note)
	lost := &Line{File: "b", Error: "b: broken", Lost: 1}
	if err := errors.Join(err, f.Write([]*Line{note}), f.Truncate(size), f.Write([]*Line{lost}), f.Close()); err != nil {
		t.Fatal(err)
	}
	before.Add(lost)
	if before.Notes != 3 || before.Failed != 2 || before.replaced["DATE"] != 1 || s.replaced["DATE"] != 2 {
		t.Errorf("%+v", before)
	}
	if got := read(t, path); got != `{"file":"a","replaced":{"DATE":1}}`+"\n"+`{"file":"b","error":"b: broken","lost":1}`+"\n" {
		t.Error(got)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}
