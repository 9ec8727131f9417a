package evaluation

import (
	"encoding/json"
	"math"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/internal/shared"
)

// goldenInputs contains the documents with their gold tags, and the output of
// each system.
type goldenInputs struct {
	Docs map[string]struct {
		Text string
		Gold []goldenTag
	}
	Systems map[string]map[string][]goldenTag // by system and document
}

// goldenTag is [element, start, end, type] with offsets in code points, as
// numbers or as the strings in a file.
type goldenTag struct {
	element, typ string
	start, end   int
	plain        bool // the offsets are written without leading zeros
}

func (g *goldenTag) UnmarshalJSON(raw []byte) error {
	var start, end json.RawMessage
	if err := json.Unmarshal(raw, &[]any{&g.element, &start, &end, &g.typ}); err != nil {
		return err
	}
	g.plain = true
	for _, f := range []struct {
		raw  json.RawMessage
		into *int
	}{{start, &g.start}, {end, &g.end}} {
		digits := string(f.raw)
		if s, err := strconv.Unquote(digits); err == nil {
			digits = s
		}
		n, err := strconv.Atoi(digits)
		if err != nil {
			return err
		}
		*f.into = n
		g.plain = g.plain && strconv.Itoa(n) == digits
	}
	return nil
}

// toDocument converts code points to bytes. Offsets beyond the text remain beyond
// it.
func toDocument(id, text string, tags []goldenTag) *data.Document {
	at := make([]int, 0, len(text)+1)
	for i := range text {
		at = append(at, i)
	}
	at = append(at, len(text))
	byteOf := func(cp int) int {
		if cp < len(at) {
			return at[cp]
		}
		return len(text) + cp - len(at) + 1
	}
	d := &data.Document{ID: id, Text: text}
	for _, g := range tags {
		d.Spans = append(d.Spans, data.Span{Start: byteOf(g.start), End: byteOf(g.end), Type: g.typ, Score: 1})
	}
	return d
}

// TestMeddocan compares the strict measures with the output of the official
// MEDDOCAN scorer on brat files: its subtask 1 is our strict, and its strict
// subtask 2 is our spans. (On XML files, its rule differs for one of the
// systems.)
func TestMeddocan(t *testing.T) {
	dir := shared.Path(t, "golden/meddocan")
	var inputs goldenInputs
	type score struct {
		Counts
		Precision, Recall, F1 float64
		Docs                  map[string][3]int
	}
	var expected map[string]struct {
		Brat struct {
			NER   score `json:"subtask1_ner"`
			Spans score `json:"subtask2_strict"`
		}
	}
	shared.ReadJSON(t, filepath.Join(dir, "inputs.json"), &inputs)
	shared.ReadJSON(t, filepath.Join(dir, "expected.json"), &expected)
	if len(expected) != 10 || len(inputs.Systems) != 10 {
		t.Fatalf("%d systems with expected scores, %d with output, want 10", len(expected), len(inputs.Systems))
	}

	same := func(t *testing.T, what string, got Counts, want score) {
		t.Helper()
		if got != want.Counts {
			t.Errorf("%s: %+v, official %+v", what, got, want.Counts)
		}
		for _, v := range [][2]float64{{got.Precision(), want.Precision}, {got.Recall(), want.Recall}, {got.F1(), want.F1}} {
			if math.Abs(v[0]-v[1]) > 1e-12 {
				t.Errorf("%s: %v, official %v", what, v[0], v[1])
			}
		}
	}
	for name, system := range inputs.Systems {
		t.Run(name, func(t *testing.T) {
			want := expected[name].Brat
			var gold, found, goldBare, foundBare [][]data.Span // bare: without type
			var comparable []string
			for id, in := range inputs.Docs {
				g, s := toDocument(id, in.Text, in.Gold), toDocument(id, in.Text, system[id])
				gold, found = append(gold, g.Spans), append(found, s.Spans)
				goldBare, foundBare = append(goldBare, bare(g.Spans)), append(foundBare, bare(s.Spans))

				// Compare rejects the zero-width spans, and those beyond the
				// text, that some systems have on purpose. The rest is compared
				// with the official counts of the document.
				if s.Check() != nil {
					continue
				}
				comparable = append(comparable, id)
				r, err := compare([]*data.Document{g}, []*data.Document{s})
				if err != nil {
					t.Fatal(err)
				}
				for _, tc := range []struct {
					what string
					got  Counts
					want [3]int
				}{
					{"strict", r.Strict.Counts, want.NER.Docs[id]},
					{"spans", r.Spans.Counts, want.Spans.Docs[id]},
				} {
					if got := [3]int{tc.got.TP, tc.got.FP, tc.got.FN}; got != tc.want {
						t.Errorf("document %s, %s: TP, FP, FN %v, official %v", id, tc.what, got, tc.want)
					}
				}
			}
			if len(comparable) < 30 {
				t.Errorf("only %d of %d documents comparable", len(comparable), len(inputs.Docs))
			}
			same(t, "strict", Strict(gold, found), want.NER)
			same(t, "spans", Strict(goldBare, foundBare), want.Spans)
		})
	}
}

func bare(spans []data.Span) []data.Span {
	out := make([]data.Span, len(spans))
	for i, s := range spans {
		out[i] = data.Span{Start: s.Start, End: s.End}
	}
	return out
}

// TestI2b2Tokens compares the token measures with the output of the official i2b2
// 2014 scorer on documents where its rules and ours coincide: legal spans over
// ASCII text on both sides, with types as the annotation schema writes them.
func TestI2b2Tokens(t *testing.T) {
	dir := shared.Path(t, "golden/i2b2")
	types := data.I2B2
	var inputs goldenInputs
	type score struct{ Docs map[string][3]int }
	var expected map[string]map[string]map[string]score // system, variant, evaluation
	shared.ReadJSON(t, filepath.Join(dir, "inputs.json"), &inputs)
	shared.ReadJSON(t, filepath.Join(dir, "expected.json"), &expected)

	coincide := func(d *data.Document, tags []goldenTag) bool {
		if d.Check() != nil {
			return false
		}
		for i, s := range d.Spans {
			typ, known := types.Lookup(s.Type)
			if !known || tags[i].element != typ.Category || !tags[i].plain {
				return false
			}
			for _, c := range []byte(d.Text[s.Start:s.End]) {
				if c >= 0x80 {
					return false
				}
			}
		}
		return true
	}
	compared := 0
	for name, system := range inputs.Systems {
		for id, in := range inputs.Docs {
			tags, ok := system[id]
			if !ok {
				continue
			}
			g, s := toDocument(id, in.Text, in.Gold), toDocument(id, in.Text, tags)
			if !coincide(g, in.Gold) || !coincide(s, tags) {
				continue
			}
			r, err := compare([]*data.Document{g}, []*data.Document{s})
			if err != nil {
				t.Fatal(err)
			}
			for evaluation, c := range map[string]Counts{
				"Token": r.Token.Counts, "Binary Token": r.BinaryToken.Counts,
				"Strict": r.Strict.Counts, "Binary Strict": r.Spans.Counts,
			} {
				want, ok := expected[name]["default"][evaluation].Docs[id]
				if !ok {
					t.Fatalf("no official counts: system %s, document %s, %s", name, id, evaluation)
				}
				if got := [3]int{c.TP, c.FP, c.FN}; got != want {
					t.Errorf("system %s, document %s, %s: TP, FP, FN %v, official %v", name, id, evaluation, got, want)
				}
				compared++
			}
		}
	}
	if compared < 1000 {
		t.Errorf("only %d counts compared", compared)
	}
	t.Logf("%d counts compared", compared)
}
