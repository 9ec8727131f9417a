package metrics

import (
	"slices"
	"testing"

	"github.com/lethe-deid/lethe/data"
)

// Every name is found, under its own name and no other's, and tallies of one
// length come of documents with and without spans.
func TestEveryName(t *testing.T) {
	types := set(t, "i2b2-2014")
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
		for _, pair := range [][2]*data.Document{{bare, full}, {full, bare}, {full, full}, {full, {}}} {
			if got := len(m.Tally(pair[0], pair[1])); got != n {
				t.Errorf("%s: tallies of length %d and %d", name, n, got)
			}
		}
	}
}

func TestLookupErrors(t *testing.T) {
	for _, tc := range []struct{ name, types, want string }{
		{"hipaa/strict", "conll", "metric hipaa/strict: type set conll does not say which types HIPAA names"},
		{"Strict", "i2b2-2014", `no metric "Strict" (have `},
		{"hipaa/", "i2b2-2014", `no metric "hipaa/" (have `},
	} {
		_, err := Lookup(tc.name, set(t, tc.types))
		if err == nil || len(err.Error()) < len(tc.want) || err.Error()[:len(tc.want)] != tc.want {
			t.Errorf("%s with %s: error %v, want %s", tc.name, tc.types, err, tc.want)
		}
	}
}

func set(t *testing.T, name string) *data.TypeSet {
	t.Helper()
	s, err := data.LookupTypeSet(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
