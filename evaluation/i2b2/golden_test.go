package i2b2

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lethe-deid/lethe/internal/shared"
)

// goldenTag is [element, start, end, TYPE]; in the MEDDOCAN inputs the offsets are
// numbers.
type goldenTag struct{ element, start, end, typ string }

func (g *goldenTag) UnmarshalJSON(raw []byte) error {
	var start, end json.RawMessage
	err := json.Unmarshal(raw, &[]any{&g.element, &start, &end, &g.typ})
	g.start, g.end = strings.Trim(string(start), `"`), strings.Trim(string(end), `"`)
	return err
}

// goldenInputs contains the documents and the output of each system.
type goldenInputs struct {
	Docs map[string]struct {
		Text string
		Gold []goldenTag
	}
	ExtraDocs map[string]string `json:"extra_docs"`
	Systems   map[string]map[string][]goldenTag
}

// source returns documents of tags, sorted by ID.
func (in *goldenInputs) source(t testing.TB, tags map[string][]goldenTag, rename func(goldenTag) goldenTag) Source {
	t.Helper()
	var docs []*Document
	for id, written := range tags {
		d := &Document{ID: id, Text: in.ExtraDocs[id]}
		if doc, ok := in.Docs[id]; ok {
			d.Text = doc.Text
		}
		for _, g := range written {
			g = rename(g)
			tag, err := NewTag(g.element, g.typ, g.start, g.end)
			if elementIndex(g.element) < 0 {
				continue // the script ignores it
			}
			if err != nil {
				t.Fatal(err)
			}
			d.Tags = append(d.Tags, tag)
		}
		docs = append(docs, d)
	}
	slices.SortFunc(docs, func(a, b *Document) int { return strings.Compare(a.ID, b.ID) })
	return each(docs)
}

func each(docs []*Document) Source {
	return func(yield func(*Document, error) bool) {
		for _, d := range docs {
			if !yield(d, nil) {
				return
			}
		}
	}
}

func (in *goldenInputs) gold() map[string][]goldenTag {
	gold := map[string][]goldenTag{}
	for id, d := range in.Docs {
		gold[id] = d.Gold
	}
	return gold
}

// parseVariant parses a key of the expected scores, such as "filter=NAME,DATE
// conjunctive invert".
func parseVariant(t testing.TB, variant string) Options {
	t.Helper()
	var o Options
	for _, word := range strings.Fields(variant) {
		switch {
		case strings.HasPrefix(word, "filter="):
			o.Filter = strings.Split(word[len("filter="):], ",")
		case word == "conjunctive":
			o.Conjunctive = true
		case word == "invert":
			o.Invert = true
		case word == "default":
			o.Documents = true
		default:
			t.Fatalf("unknown variant %q", variant)
		}
	}
	return o
}

// compare compares the JSON form of a report with the script's numbers, and
// returns the number of values compared.
func compare(t *testing.T, r *Report, want any) int {
	t.Helper()
	raw, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var got struct{ Evaluations any }
	if err := json.Unmarshal(raw, &got); err != nil {
		t.Fatal(err)
	}
	return shared.Numbers(t, "", got.Evaluations, want)
}

// TestGolden compares with the complete output of the official script for 11
// systems with 7 combinations of flags.
func TestGolden(t *testing.T) {
	dir := shared.Path(t, "golden/i2b2")
	var in goldenInputs
	var expected map[string]map[string]any
	shared.ReadJSON(t, filepath.Join(dir, "inputs.json"), &in)
	shared.ReadJSON(t, filepath.Join(dir, "expected.json"), &expected)
	asIs := func(g goldenTag) goldenTag { return g }
	n := 0
	for system, variants := range expected {
		for variant, want := range variants {
			t.Run(system+"/"+variant, func(t *testing.T) {
				r, err := Compare(in.source(t, in.gold(), asIs), in.source(t, in.Systems[system], asIs), parseVariant(t, variant))
				if err != nil {
					t.Fatal(err)
				}
				n += compare(t, r, want)
			})
		}
	}
	t.Logf("%d numbers compared", n)
	if n != 57246 {
		t.Errorf("%d numbers compared, want 57246", n)
	}
}

// TestGoldenMEDDOCAN compares with the script's output for Spanish documents with
// renamed types.
func TestGoldenMEDDOCAN(t *testing.T) {
	dir := shared.Path(t, "golden/meddocan")
	var in goldenInputs
	var expected map[string]any
	var names struct {
		TypeMap map[string]string `json:"type_map"`
	}
	shared.ReadJSON(t, filepath.Join(dir, "inputs.json"), &in)
	shared.ReadJSON(t, filepath.Join(dir, "expected_as_i2b2.json"), &expected)
	shared.ReadJSON(t, filepath.Join(dir, "as_i2b2_map.json"), &names)
	rename := func(g goldenTag) goldenTag {
		g.typ = names.TypeMap[g.typ]
		return g
	}
	n := 0
	for system, want := range expected {
		t.Run(system, func(t *testing.T) {
			r, err := Compare(in.source(t, in.gold(), rename), in.source(t, in.Systems[system], rename), Options{})
			if err != nil {
				t.Fatal(err)
			}
			n += compare(t, r, want)
		})
	}
	t.Logf("%d numbers compared", n)
	if n != 5040 {
		t.Errorf("%d numbers compared, want 5040", n)
	}
}
