package predicted

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/taggers"
)

// found has what a pipeline of transformers and Presidio's analyzer return.
const found = `{"id":"a","text":"Zoë Roe, 03/04/2071, Dr. Poe","entities":[{"entity_group":"PER","score":0.75,"word":"zoe roe","start":0,"end":7}]}
{"id":"b","text":"Dr. Poe on 03/04/2071","entities":[{"entity_type":"DATE_TIME","start":11,"end":21,"score":0.5},{"entity_type":"PHONE","start":11,"end":16,"score":0.9},{"entity_type":"PER","start":4,"end":7,"score":1.0},{"entity_type":"PER","start":4,"end":7,"score":0.25}]}
{"id":"c","text":"No PHI.","entities":[]}
`

func write(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "found.jsonl")
	if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestTagger(t *testing.T) {
	c := Config{Path: write(t, found), Format: "jsonl", Types: map[string]string{"PER": "PATIENT", "DATE_TIME": "DATE"}}
	if err := c.Validate(); err != nil {
		t.Fatal(err)
	}
	tagger, err := c.Fit(t.Context(), taggers.Task{Types: data.I2B2})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := tagger.(taggers.Model).Save(dir); err != nil {
		t.Fatal(err)
	}
	saved, err := os.ReadFile(filepath.Join(dir, file))
	if err != nil || strings.Contains(string(saved), "Roe") || strings.Contains(string(saved), "roe") {
		t.Errorf("the saved model has words of notes: %v", err)
	}
	loaded, err := c.Load(dir, data.I2B2, 1)
	if err != nil {
		t.Fatal(err)
	}
	docs := []*data.Document{{ID: "c", Text: "No PHI."}, {ID: "b", Text: "Dr. Poe on 03/04/2071"}, {ID: "a", Text: "Zoë Roe, 03/04/2071, Dr. Poe"}}
	want := [][]data.Span{
		nil,
		{{Start: 4, End: 7, Type: "PATIENT", Score: 1}, {Start: 11, End: 21, Type: "DATE", Score: 0.5}}, // the longer and the surer one
		{{Start: 0, End: 8, Type: "PATIENT", Score: 0.75}},
	}
	for name, tagger := range map[string]data.Tagger{"fitted": tagger, "loaded": loaded} {
		got, err := tagger.Tag(t.Context(), docs)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: -want +got\n%s", name, diff)
		}
		for text, d := range map[string]*data.Document{
			`contains no note with the id "d"`:          {ID: "d", Text: "No PHI."},
			`the note with the id "c" has another text`: {ID: "c", Text: "No PHI!"},
		} {
			if _, err := tagger.Tag(t.Context(), []*data.Document{d}); err == nil || !strings.Contains(err.Error(), text) {
				t.Errorf("%s: error %v, want %q", name, err, text)
			}
		}
	}
}

func TestBadFiles(t *testing.T) {
	for content, want := range map[string]string{
		"": "contains no notes",
		`{"id":"a","text":"Roe","entities":[{"entity_group":"PER","start":0,"end":3}]}`:           "PER",
		`{"id":"a","text":"Roe","entities":[{"entity":"B-PATIENT","start":0,"end":3}]}`:           `aggregation_strategy="first"`,
		`{"id":"a","text":"Roe","spans":[]}` + "\n" + `{"id":"a","text":"Roe","spans":[]}` + "\n": "duplicate id",
	} {
		c := Config{Path: write(t, content), Format: "jsonl"}
		if err := c.Check(data.I2B2, 1); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", content, err, want)
		}
	}
	for want, c := range map[string]Config{"path: is required": {Format: "jsonl"}, "format: text contains no spans": {Path: "x", Format: "text"}, `format: no format "docx"`: {Path: "x", Format: "docx"}} {
		if err := c.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	for _, line := range []string{"{", `{"id":"a","sha256":"","spans":[{"start":3,"end":3,"type":"DATE","score":1}]}`, `{"id":"a","other":1}`} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, file), []byte(line), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := (Config{}).Load(dir, data.I2B2, 1); err == nil || !strings.Contains(err.Error(), "damaged") {
			t.Errorf("%s: error %v", line, err)
		}
	}
}
