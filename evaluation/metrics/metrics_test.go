package metrics

import (
	"math"
	"slices"
	"testing"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/evaluation"
)

// Every name finds the metric with exactly this name, whose tallies have the same
// length for documents with and without spans.
func TestEveryName(t *testing.T) {
	types := data.I2B2
	names := Names()
	if len(names) < 8 || len(slices.Compact(slices.Clone(names))) != len(names) {
		t.Fatalf("names too few or not distinct: %q", names)
	}
	bare := &data.Document{ID: "a", Text: "Seen by Dr. Oda Lund."}
	full := &data.Document{ID: "a", Text: bare.Text, Spans: []data.Span{{Start: 12, End: 20, Type: "DOCTOR", Score: 1}}}
	for _, name := range names {
		m, err := Lookup(name, types)
		if err != nil {
			t.Fatal(err)
		}
		if m.Name != name {
			t.Errorf("%s has the name %s", name, m.Name)
		}
		n := len(m.Tally(bare, bare))
		if none := m.Score(make([]float64, n)); !proper(none) {
			t.Errorf("%s: nothing at all scores %v", name, none)
		}
		for _, pair := range [][2]*data.Document{{bare, full}, {full, bare}, {full, full}, {full, {}}} {
			tally := m.Tally(pair[0], pair[1])
			if len(tally) != n {
				t.Errorf("%s: tallies of length %d and %d", name, n, len(tally))
			}
			if score := m.Score(tally); !proper(score) {
				t.Errorf("%s scores %v", name, score)
			}
		}
	}
}

// proper reports whether all three are numbers in [0, 1].
func proper(s evaluation.PRF) bool {
	for _, v := range []float64{s.Precision, s.Recall, s.F1} {
		if !(v >= 0 && v <= 1) {
			return false
		}
	}
	return true
}

func TestLookupAll(t *testing.T) {
	for _, tc := range []struct {
		types       *data.TypeSet
		names, want []string
		err         string
	}{
		{data.I2B2, nil, []string{"strict", "hipaa/binary_token"}, ""},
		{data.CoNLL, nil, []string{"strict", "binary_token"}, ""},
		{data.CoNLL, []string{"token", "conll"}, []string{"token", "conll"}, ""},
		{data.CoNLL, []string{"token", "hipaa/token"}, nil, "metric hipaa/token: type set conll does not say which types HIPAA names: give one that does, see lethe types"},
		{data.CoNLL, []string{"token", "spans", "token"}, nil, "duplicate metric token"},
	} {
		found, err := LookupAll(tc.names, tc.types)
		var got []string
		for _, m := range found {
			got = append(got, m.Name)
		}
		if !slices.Equal(got, tc.want) || tc.err == "" && err != nil || tc.err != "" && (err == nil || err.Error() != tc.err) {
			t.Errorf("%s, %q: %q, error %v", tc.types.Name, tc.names, got, err)
		}
	}
}

func TestLookupErrors(t *testing.T) {
	for _, tc := range []struct {
		name  string
		types *data.TypeSet
		want  string
	}{
		{"hipaa/strict", data.CoNLL, "metric hipaa/strict: type set conll does not say which types HIPAA names: give one that does, see lethe types"},
		{"Strict", data.I2B2, `no metric "Strict" (have `},
		{"hipaa/", data.I2B2, `no metric "hipaa/" (have hipaa/binary_token, hipaa/spans, hipaa/strict, hipaa/token)`},
		{"i2b2/NA", data.I2B2, `no metric "i2b2/NA" (have i2b2/NAME HIPAA Strict, i2b2/NAME HIPAA Token, i2b2/NAME Strict, i2b2/NAME Token)`},
		{"i2b2/strict", data.I2B2, `no metric "i2b2/strict" (have binary_token, conll, hipaa/binary_token, hipaa/spans, hipaa/strict, hipaa/token, i2b2/... (84), `},
		{"strict/NOBODY", data.I2B2, "metric strict/NOBODY: no such type in type set i2b2-2014"},
		{"i2b2/", data.I2B2, `no metric "i2b2/" (have i2b2/`},
	} {
		_, err := Lookup(tc.name, tc.types)
		if err == nil || len(err.Error()) < len(tc.want) || err.Error()[:len(tc.want)] != tc.want {
			t.Errorf("%s with %s: error %v, want %s", tc.name, tc.types.Name, err, tc.want)
		}
	}
}

// Two of three doctors are found, one of them as a patient, and one found doctor
// is wrong.
func TestOfOneType(t *testing.T) {
	gold := &data.Document{ID: "a", Text: "Lund, Oda, Moe, Rossi", Spans: []data.Span{{Start: 0, End: 4, Type: "DOCTOR"}, {Start: 6, End: 9, Type: "DOCTOR"}, {Start: 11, End: 14, Type: "DOCTOR"}}}
	system := &data.Document{ID: "a", Text: gold.Text, Spans: []data.Span{{Start: 0, End: 4, Type: "DOCTOR"}, {Start: 6, End: 9, Type: "PATIENT"}, {Start: 16, End: 21, Type: "DOCTOR"}}}
	for name, want := range map[string]evaluation.PRF{
		"strict/DOCTOR":  {Precision: 1. / 2, Recall: 1. / 3, F1: 2. / 5},
		"strict/PATIENT": {Precision: 0, Recall: 0, F1: 0},
		"strict/CITY":    {},
	} {
		m, err := Lookup(name, data.I2B2)
		if err != nil {
			t.Fatal(err)
		}
		got := m.Score(m.Tally(gold, system))
		if m.Name != name || math.Abs(got.Precision-want.Precision)+math.Abs(got.Recall-want.Recall)+math.Abs(got.F1-want.F1) > 1e-12 {
			t.Errorf("%s: %s scores %v, want %v", name, m.Name, got, want)
		}
	}
}
