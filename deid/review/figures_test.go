package review

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/lethe-deid/lethe/data"
)

// TestKappa compares with a worked example that many textbooks have: 50 proposals, of which both readers accept 20 and reject
// 15, the first alone accepts 5, and the second alone 10.
func TestKappa(t *testing.T) {
	got := table{{"A", "A"}: 20, {"A", ""}: 5, {"", "A"}: 10, {"", ""}: 15}.kappa()
	if got == nil || math.Abs(*got-0.4) > 1e-12 {
		t.Errorf("%v, want 0.4", got)
	}
	for name, c := range map[string]struct {
		table
		want *float64
	}{
		"no tokens": {nil, nil}, "no PHI": {table{{"", ""}: 9}, nil}, "complete": {table{{"", ""}: 9, {"A", "A"}: 1}, new(1.0)},
		"opposite": {table{{"", "A"}: 5, {"A", ""}: 5}, new(-1.0)}, "types": {table{{"A", "B"}: 1, {"B", "A"}: 1, {"", ""}: 2}, new(0.2)},
	} {
		if got := c.kappa(); (got == nil) != (c.want == nil) || got != nil && math.Abs(*got-*c.want) > 1e-12 {
			t.Errorf("%s: %v", name, coefficient(got))
		}
	}
}

// reviewed is a review of two readers who differ in a type, in borders, and in what they marked.
func reviewed(t *testing.T) *Review {
	r := sampled(t, all("anna", "ben"), "ANNA saw Ben Lund and Cleo.")
	doctor := func(start, end int) data.Span { return data.Span{Start: start, End: end, Type: "DOCTOR", Score: 1} }
	put(t, r, 1, "anna", 0, true, span(0, 4), doctor(9, 12))
	put(t, r, 1, "ben", 0, true, doctor(0, 4), doctor(9, 17), span(22, 26))
	return r
}

func TestAgreement(t *testing.T) {
	r := reviewed(t)
	a, differences, err := r.Agreement()
	if err != nil {
		t.Fatal(err)
	}
	// Tokens: ANNA saw Ben Lund and Cleo. anna has P - D - - -, ben has D - D D - P: 3 of 6 agree, and by chance
	// (3*2)[-] ... 4*2 + 1*1 + 1*3 = 12 of 36.
	if want := (3.0/6 - 12.0/36) / (1 - 12.0/36); a.Kappa == nil || math.Abs(*a.Kappa-want) > 1e-12 {
		t.Errorf("kappa %v, want %v", coefficient(a.Kappa), want)
	}
	if a.Both != 1 || a.Decided != 0 || a.F1 != 0 || math.Abs(a.TokenF1-2*2.0/(2+4)) > 1e-12 {
		t.Errorf("%+v", a)
	}
	if d := a.ByType["DOCTOR"]; d.First != 1 || d.Second != 2 || d.Both != 0 || math.Abs(d.TokenF1-2*1.0/(1+3)) > 1e-12 {
		t.Errorf("%+v", d)
	}
	var what []string
	for _, d := range differences {
		what = append(what, d.What(r.Readers))
	}
	if got := strings.Join(what, ", "); got != "type, borders, only ben" {
		t.Error(got)
	}
	var text bytes.Buffer
	raw, err := json.Marshal(differences)
	if err := errors.Join(err, a.WriteText(&text)); err != nil || strings.Contains(text.String()+string(raw), "Lund") {
		t.Errorf("%s %s %v", text.String(), raw, err)
	}
}

func TestAgreementOnNothing(t *testing.T) {
	r := sampled(t, all("anna", "ben"), "nobody", "here")
	put(t, r, 1, "anna", 0, true)
	put(t, r, 1, "ben", 0, true)
	a, differences, err := r.Agreement()
	if err != nil || a.Both != 1 || a.Decided != 1 || a.F1 != 1 || a.Kappa != nil || len(differences) != 0 {
		t.Errorf("%+v, %v, %v", a, differences, err)
	}
	if raw, err := json.Marshal(a); err != nil || !strings.Contains(string(raw), `"kappa":null`) {
		t.Errorf("%s, %v", raw, err)
	}
	one := sampled(t, all("anna"), "nobody")
	if _, _, err := one.Agreement(); !errors.Is(err, ErrOneReader) {
		t.Error(err)
	}
}

// TestBound counts by hand: the model finds words in capitals, and a token is left unless all of it is covered.
func TestBound(t *testing.T) {
	draw := Draw{By: ByNote, Notes: 2, Readers: []string{"anna"}}
	r := sampled(t, draw, "ANNA saw Ben-Lund. !!", "ANNA saw Ben-Lund. !!", "ANNA saw Ben-Lund. !!")
	if _, err := r.Bound(); err == nil || !strings.Contains(err.Error(), "2 of 2 notes are not reviewed") {
		t.Errorf("before the review: %v", err)
	}
	put(t, r, 1, "anna", 0, true, span(0, 4), span(9, 17), span(19, 21)) // ANNA, and Ben, Lund and !!, which are left
	put(t, r, 2, "anna", 0, false, span(0, 4))
	if _, err := r.Bound(); err == nil || !strings.Contains(err.Error(), "1 of 2 notes are not reviewed") {
		t.Errorf("half of the review: %v", err)
	}
	put(t, r, 2, "anna", 1, true, span(0, 4))
	b, err := r.Bound()
	if err != nil {
		t.Fatal(err)
	}
	if b.Notes != 2 || b.Tokens != 5 || b.Missed != 3 || b.UnitsLeft != 1 || b.Share != 0.6 || b.Whole || b.Hidden != nil {
		t.Errorf("%+v", b)
	}
	// Of the three notes, one of those drawn has nothing left, so at most two have something.
	if b.Upper <= b.UpperIndependent || b.UpperIndependent != upperBinomial(3, 5) || b.UpperUnits != 2.0/3 {
		t.Errorf("%+v", b)
	}
	// All tokens are of one type, so its bound is that of all.
	if m := b.Types["PATIENT"]; m != (Missed{5, 3, b.Upper}) {
		t.Errorf("%+v", b.Types)
	}
}

func TestTheBoundOfAWholePopulationIsTheShare(t *testing.T) {
	r := sampled(t, all("anna"), "ANNA saw Ben")
	put(t, r, 1, "anna", 0, true, span(0, 4), span(9, 12))
	b, err := r.Bound()
	if err != nil || !b.Whole || b.Upper != 0.5 || b.Types["PATIENT"].Upper != 0.5 || b.Statement != "All 1 notes were reviewed: 50.00 % of the PHI tokens are left." {
		t.Errorf("%+v, %v", b, err)
	}
}

func TestDifferingReadersCountEverythingThatEitherMarked(t *testing.T) {
	r := sampled(t, all("anna", "ben"), "ANNA saw Ben and Cleo")
	put(t, r, 1, "anna", 0, true, span(0, 4), span(9, 12))
	put(t, r, 1, "ben", 0, true, span(0, 4), span(17, 21))
	b, err := r.Bound()
	if err != nil || b.Tokens != 3 || b.Missed != 2 || b.Differing != 1 {
		t.Fatalf("%+v, %v", b, err)
	}
	// Each found one that the other did not, and none was found by both: (1+1)(1+1)/(0+1)-1 = 3 in all, of which 1 is hidden.
	if b.Hidden == nil || *b.Hidden != 1 || *b.UpperHidden != 0.75 {
		t.Errorf("%+v", b)
	}
	put(t, r, 1, Final, 0, true, span(0, 4))
	if b, err = r.Bound(); err != nil || b.Missed != 0 || b.Differing != 0 || *b.Hidden != 0 {
		t.Errorf("%+v, %v", b, err)
	}
}

func TestNoBoundWithoutPHI(t *testing.T) {
	r := sampled(t, all("anna"), "nobody")
	put(t, r, 1, "anna", 0, true)
	if _, err := r.Bound(); err == nil || !strings.Contains(err.Error(), "the readers marked no PHI") {
		t.Error(err)
	}
}

func TestPatientsAreTheUnits(t *testing.T) {
	r := sampled(t, Draw{By: ByPatient, Notes: 2, Readers: []string{"anna"}}, "ANNA", "Ben", "Cleo", "DAN", "EVA", "FRED", "GIL", "HAL", "IDA")
	for i, e := range r.Notes {
		n, err := r.Note(i + 1)
		if err != nil {
			t.Fatal(err)
		}
		put(t, r, i+1, "anna", 0, true, span(0, len(n.Text)))
		if e.Unit != 1+i/3 {
			t.Errorf("note %d is of unit %d", i+1, e.Unit)
		}
	}
	b, err := r.Bound()
	if err != nil || b.Notes != 6 || b.Units != 2 || b.Population.Units != 3 || b.Tokens != 6 {
		t.Errorf("%+v, %v", b, err)
	}
}

func TestDocumentsAndImport(t *testing.T) {
	r := sampled(t, all("anna", "ben"), "ANNA saw Ben")
	suggested, err := r.Documents(WhoseModel)
	if err != nil || len(suggested) != 1 || suggested[0].ID != "0001" || len(suggested[0].Spans) != 1 {
		t.Fatalf("%+v, %v", suggested, err)
	}
	left, ok := errors.AsType[*Unfinished](second(r.Documents(WhoseGold)))
	if !ok || *left != (Unfinished{Undecided: 1, Notes: 1}) {
		t.Errorf("%+v", left)
	}
	for _, reader := range r.Readers {
		if n, err := r.Import(reader, suggested); n != 1 || err != nil {
			t.Errorf("%s: %d, %v", reader, n, err)
		}
	}
	if n, err := r.Import("anna", suggested); n != 0 || err != nil {
		t.Errorf("the same again: %d, %v", n, err)
	}
	if docs, err := r.Documents(WhoseGold); err != nil || len(docs) != 1 || docs[0].Spans[0].Score != 1 {
		t.Errorf("%+v, %v", docs, err)
	}
	doc := func(id, text string, spans ...data.Span) *data.Document {
		return &data.Document{ID: id, Text: text, Spans: spans}
	}
	for name, docs := range map[string][]*data.Document{
		"another ID": {doc("1", "ANNA saw Ben")}, "no such note": {doc("0002", "ANNA saw Ben")}, "another text": {doc("0001", "ANNA saw Ben!")},
		"twice": {suggested[0], suggested[0]}, "closed": {doc("0001", "ANNA saw Ben")}, "overlapping": {doc("0001", "ANNA saw Ben", span(0, 4), span(2, 5))},
		"one of two": {suggested[0], doc("0002", "")},
	} {
		if n, err := r.Import("anna", docs); err == nil || n != 0 || strings.Contains(err.Error(), "ANNA") {
			t.Errorf("%s: %d, %v", name, n, err)
		}
	}
	if _, err := r.Import("cleo", nil); !errors.Is(err, ErrNoReader) {
		t.Error(err)
	}
}

// Notes in formats of tokens, which do not keep white space, could not be imported.
func TestImportWithOtherWhiteSpace(t *testing.T) {
	const text = "Seen\tby  Ana\u00a0Gil.\n\n– D.R. Öz, 5°"
	for name, c := range map[string]struct {
		text  string
		spans []string
		want  []string // nil: refused
	}{
		"tokens":           {"Seen by Ana Gil .\n– D.R. Öz , 5 °\n", []string{"Ana Gil", "Öz"}, []string{"Ana\u00a0Gil", "Öz"}},
		"blanks around":    {"Seen by Ana Gil .\n– D.R. Öz , 5 °\n", []string{" Ana Gil "}, []string{"Ana\u00a0Gil"}},
		"the same":         {text, []string{"Ana\u00a0Gil"}, []string{"Ana\u00a0Gil"}},
		"no blanks":        {"SeenbyAnaGil.–D.R.Öz,5°", []string{"AnaGil"}, []string{"Ana\u00a0Gil"}},
		"a letter more":    {"Seen by Anna Gil . – D.R. Öz , 5 °", nil, nil},
		"a letter less":    {"Seen by Ana Gil . – D.R. Öz , 5", nil, nil},
		"the end is there": {"Öz , 5 °", nil, nil},
	} {
		var spans []data.Span
		for _, s := range c.spans {
			at := strings.Index(c.text, s)
			spans = append(spans, data.Span{Start: at, End: at + len(s), Type: "NAME"})
		}
		got, ok := moved(spans, c.text, text)
		if ok != (c.want != nil) {
			t.Errorf("%s: %v", name, ok)
			continue
		}
		for i, s := range got {
			if text[s.Start:s.End] != c.want[i] {
				t.Errorf("%s: %q, want %q", name, text[s.Start:s.End], c.want[i])
			}
		}
	}
	if got, ok := moved([]data.Span{{Start: 4, End: 5}}, "Seen by", "Seen  by"); !ok || got[0].End > got[0].Start {
		t.Errorf("a span of white space became %v, %v", got, ok)
	}
	if _, ok := moved([]data.Span{{Start: 4, End: 50}}, "Seen by", "Seen  by"); ok {
		t.Error("a span beyond the text")
	}
}

func second[A, B any](_ A, b B) B { return b }
