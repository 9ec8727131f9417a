package deid

import (
	"context"
	"slices"
	"testing"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid/replace"
	"github.com/lethe-deid/lethe/deid/safetynet"
)

// allTagger takes the first three bytes of every text for a name, and remembers the texts.
type allTagger struct{ seen []string }

func (a *allTagger) Tag(_ context.Context, docs []*data.Document) ([][]data.Span, error) {
	spans := make([][]data.Span, len(docs))
	for i, d := range docs {
		a.seen = append(a.seen, d.Text)
		spans[i] = []data.Span{{Start: 0, End: 3, Type: "PATIENT", Score: 1}}
	}
	return spans, nil
}

// searched de-identifies notes of one patient.
func searched(t *testing.T, d *Deidentifier, notes ...Note) (texts []string) {
	t.Helper()
	for i := range notes {
		notes[i].ID, notes[i].Group = string(rune('a'+i)), "p"
	}
	for _, r := range d.Notes(t.Context(), notes) {
		if r.Err != nil {
			t.Fatal(r.Err)
		}
		texts = append(texts, r.Clean.Text)
	}
	return texts
}

func TestHowNotesAreSearched(t *testing.T) {
	tagger := &allTagger{}
	d := engine(t, replace.Plan{})
	d.Tagger = tagger
	span := data.Span{Start: 6, End: 13, Type: "PATIENT", Score: 1}
	got := searched(t, d,
		Note{Document: &data.Document{Text: "Bob is well."}},
		Note{Document: &data.Document{Text: "Foley catheter, Zorniak"}, Search: Untagged},
		Note{Document: &data.Document{Text: "name: Zorniak", Spans: []data.Span{span}}, Search: Marked},
		Note{Document: &data.Document{Text: "Foley of Mercy", Spans: []data.Span{{Start: 0, End: 5, Type: "PATIENT"}}}, Search: Untagged, Known: []safetynet.Value{{Kind: safetynet.Hospital, Text: "Mercy"}}},
	)
	want := []string{"[PATIENT] is well.", "Foley catheter, [PATIENT]", "name: [PATIENT]", "Foley of [HOSPITAL]"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if !slices.Equal(tagger.seen, []string{"Bob is well."}) {
		t.Errorf("the tagger has seen %q", tagger.seen)
	}
}

// A shifted field moves by the days by which the dates of the patient's notes move, whatever the plan does with dates.
func TestShiftedFieldsMoveWithTheNotes(t *testing.T) {
	field := func(as replace.Kind) Note {
		return Note{Document: &data.Document{Text: "seen: 2071-04-03", Spans: []data.Span{{Start: 6, End: 16, Type: "DATE", Score: 1}}}, Search: Marked, As: as}
	}
	shifted := searched(t, engine(t, replace.Plan{ByType: map[string]replace.Kind{"DATE": replace.Shift}}), field(""))[0]
	d := engine(t, replace.Plan{ByType: map[string]replace.Kind{"DATE": replace.Tag}, Also: []replace.Kind{replace.Shift}})
	if got, want := searched(t, d, field(replace.Shift), field("")), []string{shifted, "seen: [DATE]"}; !slices.Equal(got, want) || shifted == "seen: 2071-04-03" {
		t.Errorf("%q, want %q", got, want)
	}
}

// The border between the cells of a known or repeated name went with it, so that the row had a cell less.
func TestNamesInTwoCellsTookTheBorderWithThem(t *testing.T) {
	d := engine(t, replace.Plan{})
	d.Tagger = &allTagger{}
	known := []safetynet.Value{{Kind: safetynet.Name, Text: "Oda Zquill"}}
	got := searched(t, d,
		Note{Document: &data.Document{Text: "Bob is well.\nOda\tZquill\t12 mg\nOda    Zquill\nOda Zquill"}, Known: known},
		Note{Document: &data.Document{Text: "name: Arlo Vint", Spans: []data.Span{{Start: 6, End: 15, Type: "PATIENT", Score: 1}}}, Search: Marked},
		Note{Document: &data.Document{Text: "Vint\tArlo\tF"}, Search: Untagged},
	)
	want := []string{"[PATIENT] is well.\n[PATIENT]\t[PATIENT]\t12 mg\n[PATIENT]    [PATIENT]\n[PATIENT]", "name: [PATIENT]", "[PATIENT]\t[PATIENT]\tF"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
