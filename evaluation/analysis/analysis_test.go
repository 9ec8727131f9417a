package analysis

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/evaluation"
)

// marked returns a document of text in which [TYPE phrase] marks a span, and
// documents with the spans of systems in the same text, which are marked as
// [A:TYPE phrase].
func marked(t *testing.T, id, text string) (gold *data.Document, systems map[string]*data.Document) {
	t.Helper()
	type open struct {
		side, typ string
		start     int
	}
	var plain strings.Builder
	var stack []open
	spans := map[string][]data.Span{"": nil, "A": nil, "B": nil}
	for text != "" {
		switch text[0] {
		case '[':
			label, rest, ok := strings.Cut(text[1:], " ")
			if !ok {
				t.Fatalf("document %s: a mark without its phrase", id)
			}
			side, typ, ok := strings.Cut(label, ":")
			if !ok {
				side, typ = "", label
			}
			stack = append(stack, open{side, typ, plain.Len()})
			text = rest
		case ']':
			o := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			spans[o.side] = append(spans[o.side], data.Span{Start: o.start, End: plain.Len(), Type: o.typ, Score: 1})
			text = text[1:]
		default:
			plain.WriteByte(text[0])
			text = text[1:]
		}
	}
	systems = map[string]*data.Document{}
	for side, s := range spans {
		data.SortSpans(s)
		systems[side] = &data.Document{ID: id, Text: plain.String(), Spans: s}
	}
	return systems[""], systems
}

// Each line has one outcome of the gold span in it, worked out by hand.
func TestOutcomes(t *testing.T) {
	for _, tc := range []struct {
		text, kind, found string
		spurious          int
	}{
		{"Seen by [DOCTOR [A:DOCTOR Oda Lund]] today", kindRight, "DOCTOR", 0},
		{"Seen by [DOCTOR [A:PATIENT Oda Lund]] today", KindType, "PATIENT", 0},
		{"Seen by [DOCTOR [A:PATIENT [A:DOCTOR Oda Lund]]] today", kindRight, "DOCTOR", 0},
		{"Seen [A:DOCTOR by [DOCTOR Oda Lund]] today", KindTooLong, "DOCTOR", 0},
		{"Seen by [DOCTOR Oda [A:DOCTOR Lund]] today", KindTooShort, "DOCTOR", 0},
		{"Seen by [A:DOCTOR [DOCTOR Oda] Lund today]", KindTooLong, "DOCTOR", 0},
		{"Seen by [DOCTOR Oda Lund] today", KindMissed, "", 0},
		{"Seen by [DOCTOR Oda Lund] [A:DATE today]", KindMissed, "", 1},
		{"Seen by [DOCTOR Oda [A:PATIENT Lund]] today", KindBothWrong, "PATIENT", 0},
		// One of the right type is preferred to a longer one of another.
		{"Seen [A:PATIENT by [DOCTOR Oda [A:DOCTOR Lund]]] today", KindTooShort, "DOCTOR", 0},
		// The same extent is preferred to the same type.
		{"Seen [A:DOCTOR by [DOCTOR [A:PATIENT Oda Lund]]] today", KindType, "PATIENT", 0},
		// The larger share of two; spans that only touch have none.
		{"[A:AGE Seen by ][DOCTOR [A:DOCTOR Oda] [A:DOCTOR Lund]][A:AGE  today]", KindTooShort, "DOCTOR", 2},
	} {
		gold, systems := marked(t, "a", tc.text)
		r, err := Analyze([]*data.Document{gold}, []*data.Document{systems["A"]}, Options{Examples: -1})
		if err != nil {
			t.Fatal(err)
		}
		want := Outcomes{Gold: 1, Spurious: tc.spurious}
		want.count(tc.kind)
		want.Found = len(systems["A"].Spans)
		if r.All != want {
			t.Errorf("%s:\n got %+v\nwant %+v", tc.text, r.All, want)
		}
		if !slices.Contains(r.Confusion, Confused{"DOCTOR", tc.found, 1}) {
			t.Errorf("%s: confusion %v, want DOCTOR found as %q", tc.text, r.Confusion, tc.found)
		}
		if n := len(r.Examples); n != tc.spurious+min(1, 1-want.Right) {
			t.Errorf("%s: %d examples", tc.text, n)
		}
	}
	// Shifted: the notation of marks cannot express it.
	gold := &data.Document{ID: "a", Text: "Oda Lund Holm", Spans: []data.Span{{Start: 0, End: 8, Type: "DOCTOR"}}}
	system := &data.Document{ID: "a", Text: gold.Text, Spans: []data.Span{{Start: 4, End: 13, Type: "DOCTOR"}}}
	r, err := Analyze([]*data.Document{gold}, []*data.Document{system}, Options{})
	if err != nil || r.All != (Outcomes{Gold: 1, Shifted: 1, Found: 1}) {
		t.Errorf("shifted: %+v, error %v", r.All, err)
	}
}

// On random spans, the outcomes agree with the strict measure and add up, and the
// overlapping spans equal those of a linear search.
func TestAgainstStrict(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	text := strings.Repeat("x", 60)
	random := func(id string) *data.Document {
		d := &data.Document{ID: id, Text: text}
		for range rng.IntN(12) {
			start := rng.IntN(50)
			d.Spans = append(d.Spans, data.Span{Start: start, End: start + 1 + rng.IntN(9), Type: string("ABC"[rng.IntN(3)]), Score: float64(rng.IntN(4)) / 3})
		}
		return d
	}
	for range 30 {
		var gold, system []*data.Document
		for i := range 4 {
			gold, system = append(gold, random(fmt.Sprint(i))), append(system, random(fmt.Sprint(i)))
		}
		r, err := Analyze(gold, system, Options{})
		if err != nil {
			t.Fatal(err)
		}
		scores, err := evaluation.Compare(data.Each(gold), data.Each(system))
		if err != nil {
			t.Fatal(err)
		}
		for typ, o := range r.Types {
			want := scores.Strict.Types[typ]
			if o.Right != want.TP || o.Gold != want.TP+want.FN || o.Found != want.TP+want.FP {
				t.Fatalf("%s: %+v, strict %+v", typ, o, want)
			}
			if sum := o.Right + o.Type + o.TooLong + o.TooShort + o.Shifted + o.BothWrong + o.Missed; sum != o.Gold {
				t.Fatalf("%s: %+v sums up to %d", typ, o, sum)
			}
		}
		if r.All.Right != scores.Strict.TP || r.All.Gold-r.All.Right != scores.Strict.FN || r.All.Found-r.All.Right != scores.Strict.FP {
			t.Fatalf("all: %+v, strict %+v", r.All, scores.Strict.Counts)
		}
		n := 0
		for _, c := range r.Confusion {
			n += c.Spans
		}
		if n != r.All.Gold+r.All.Spurious {
			t.Fatalf("%d spans in the confusion, want %d", n, r.All.Gold+r.All.Spurious)
		}
		missed, spurious := 0, 0
		for i := range gold {
			for _, pair := range []struct {
				of, others []data.Span
				alone      *int
			}{{distinct(gold[i].Spans), system[i].Spans, &missed}, {distinct(system[i].Spans), gold[i].Spans, &spurious}} {
				for _, s := range pair.of {
					if !slices.ContainsFunc(pair.others, func(o data.Span) bool { return o.Start < s.End && s.Start < o.End }) {
						*pair.alone++
					}
				}
			}
		}
		if missed != r.All.Missed || spurious != r.All.Spurious {
			t.Fatalf("missed %d, spurious %d, want %d and %d", r.All.Missed, r.All.Spurious, missed, spurious)
		}
		checkCurve(t, gold, system)
	}
}

// checkCurve recomputes the scores at each threshold.
func checkCurve(t *testing.T, gold, system []*data.Document) {
	t.Helper()
	c, err := NewCurve(gold, system)
	if err != nil {
		t.Fatal(err)
	}
	for _, threshold := range []float64{0, 0.2, 1.0 / 3, 0.5, 2.0 / 3, 1} {
		var kept []*data.Document
		for _, d := range system {
			k := *d
			k.Spans = slices.DeleteFunc(slices.Clone(d.Spans), func(s data.Span) bool { return s.Score < threshold })
			kept = append(kept, &k)
		}
		want, err := evaluation.Compare(data.Each(gold), data.Each(kept))
		if err != nil {
			t.Fatal(err)
		}
		if got := c.At(threshold).Counts; got != want.Strict.Counts {
			t.Fatalf("threshold %v: %+v, want %+v", threshold, got, want.Strict.Counts)
		}
		if best := c.Best(); best.Counts.F1() < want.Strict.F1() {
			t.Fatalf("the best F1 is %v, less than at %v", best.Counts.F1(), threshold)
		}
	}
	spans, right := 0, 0
	for _, s := range c.Sure {
		spans, right = spans+s.Spans, right+s.Right
	}
	if all := c.At(0).Counts; spans != all.TP+all.FP || right != all.TP {
		t.Fatalf("sureness of %d spans, %d right, want %+v", spans, right, all)
	}
}

func TestCurve(t *testing.T) {
	text := "0123456789"
	span := func(start int, score float64) data.Span {
		return data.Span{Start: start, End: start + 1, Type: "A", Score: score}
	}
	gold := []*data.Document{{ID: "a", Text: text, Spans: []data.Span{span(0, 1), span(1, 1), span(2, 1), span(3, 1)}}}
	system := []*data.Document{{ID: "a", Text: text, Spans: []data.Span{span(0, 1), span(1, 0.95), span(5, 0.5), span(2, 0.5), span(6, 0.1)}}}
	got, err := NewCurve(gold, system)
	if err != nil {
		t.Fatal(err)
	}
	want := &Curve{
		Points: []Operating{
			{0.1, evaluation.Counts{TP: 3, FP: 2, FN: 1}},
			{0.5, evaluation.Counts{TP: 3, FP: 1, FN: 1}},
			{0.95, evaluation.Counts{TP: 2, FP: 0, FN: 2}},
			{1, evaluation.Counts{TP: 1, FP: 0, FN: 3}},
		},
		Sure: []Sureness{{0, 0.5, 1, 0}, {0.5, 0.8, 2, 1}, {0.8, 0.9, 0, 0}, {0.9, 0.95, 0, 0}, {0.95, 0.99, 1, 1}, {0.99, 1, 1, 1}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if best := got.Best(); best != want.Points[1] {
		t.Errorf("best %+v", best)
	}
	encoded, err := json.Marshal(got.Points[0])
	if want := `{"threshold":0.1,"counts":{"precision":0.6,"recall":0.75,"f1":0.6666666666666666,"tp":3,"fp":2,"fn":1}}`; err != nil || string(encoded) != want {
		t.Errorf("JSON %s, error %v", encoded, err)
	}
	// Nothing found: no points, and everything is missed at any threshold.
	system[0].Spans = nil
	if got, err = NewCurve(gold, system); err != nil || len(got.Points) != 0 || got.Best() != (Operating{}) {
		t.Errorf("nothing found: %+v, error %v", got, err)
	}
}

// The sorts of tokens, worked out by hand. In training, "lund" is PHI twice, as
// DOCTOR and PATIENT, and once not PHI; "may" is a month once and a verb twice;
// "00" is PHI once and a dose once.
func TestCauses(t *testing.T) {
	var training []*data.Document
	for i, text := range []string{
		"[DOCTOR Lund] saw [PATIENT Lund] in [DATE May], who may or may not come.",
		"Aged [AGE 71], took 20 mg for [DATE --].",
	} {
		d, _ := marked(t, fmt.Sprint(i), text)
		training = append(training, d)
	}
	text := "Dr. [DOCTOR [A:DOCTOR LUND]] of [HOSPITAL WPH] and [DOCTOR Holm] saw [PATIENT May Lund], [AGE [A:DATE 82]], on [DATE 12], [DATE --].\n" +
		"[HOSPITAL [A:HOSPITAL LUND GENERAL]]"
	gold, systems := marked(t, "g", text)
	r, err := Analyze([]*data.Document{gold}, []*data.Document{systems["A"]}, Options{Training: NewTraining(training)})
	if err != nil {
		t.Fatal(err)
	}
	want := &Causes{
		Types: map[string]Sorts{
			// LUND is four capitals next to lower-case letters: it looks like an abbreviation but is not.
			"DOCTOR":   {Unseen: Tokens{1, 1}, Familiar: Tokens{1, 0}, Abbreviation: Tokens{1, 0}},
			"HOSPITAL": {Unseen: Tokens{2, 1}, NewAsType: Tokens{1, 0}, Abbreviation: Tokens{1, 1}},
			"PATIENT":  {Ambiguous: Tokens{1, 1}, Familiar: Tokens{1, 1}},
			"AGE":      {Familiar: Tokens{1, 0}},
			"DATE":     {NewAsType: Tokens{1, 1}, Familiar: Tokens{1, 1}},
		},
		All: Sorts{Unseen: Tokens{3, 2}, NewAsType: Tokens{2, 1}, Ambiguous: Tokens{1, 1}, Familiar: Tokens{4, 2}, Abbreviation: Tokens{2, 1}},
	}
	if diff := cmp.Diff(want, r.Causes); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if total := r.Causes.All.Total(); total != (Tokens{10, 6}) {
		t.Errorf("total %+v", total)
	}
	scores, err := evaluation.Compare(data.Each([]*data.Document{gold}), data.Each([]*data.Document{systems["A"]}))
	if err != nil || scores.BinaryToken.FN != 6 || scores.BinaryToken.TP != 4 {
		t.Errorf("the binary token measure has %+v, error %v", scores.BinaryToken, err)
	}
}

func TestAbbreviation(t *testing.T) {
	for text, want := range map[string]bool{
		"seen at <WPH> today": true, "<WPH>": true, "<WPH> today": true, "WPH <TCH> today": true,
		"NOTE FROM <WPH> CLINIC": false, "seen at <Wph>": false, "at <W> today": false, "at <WPHXYZ>": false,
		"at <W2>": false, "12 <AC> 12": true, "FROM\n<WPH> of": true, "FROM\n<ÑÚ>\nOF": true,
	} {
		start := strings.IndexByte(text, '<')
		end := strings.IndexByte(text, '>') - 1
		plain := strings.NewReplacer("<", "", ">", "").Replace(text)
		if got := abbreviation(plain, data.Token{Start: start, End: end}); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}

func TestCompare(t *testing.T) {
	goldA, a := marked(t, "a", "[DOCTOR [A:DOCTOR [B:DOCTOR Oda]]] [DOCTOR [A:DOCTOR Lund]] [PATIENT [B:PATIENT Holm]] [AGE 82] [A:DATE May] [A:DATE [B:DATE June]] [B:AGE 7]")
	goldB, b := marked(t, "b", "[DOCTOR [A:DOCTOR Oda] [B:PATIENT Lund]]")
	gold := []*data.Document{goldA, goldB}
	training := NewTraining([]*data.Document{{ID: "t", Text: "Lund 82 82 Holm"}})
	got, err := Compare(gold, []*data.Document{a["A"], b["A"]}, []*data.Document{b["B"], a["B"]}, Options{Training: training, Examples: -1})
	if err != nil {
		t.Fatal(err)
	}
	want := &Comparison{
		Documents: 2,
		All: Agreement{
			Spans:  Shared{Both: 1, OnlyA: 1, OnlyB: 1, Neither: 2},
			Tokens: Shared{Both: 1, OnlyA: 2, OnlyB: 2, Neither: 1},
			Wrong:  Shared{Both: 1, OnlyA: 2, OnlyB: 2},
		},
		Types: map[string]Agreement{
			"DOCTOR":  {Spans: Shared{Both: 1, OnlyA: 1, Neither: 1}, Tokens: Shared{Both: 1, OnlyA: 2, OnlyB: 1}, Wrong: Shared{OnlyA: 1}},
			"PATIENT": {Spans: Shared{OnlyB: 1}, Tokens: Shared{OnlyB: 1}, Wrong: Shared{OnlyB: 1}},
			"AGE":     {Spans: Shared{Neither: 1}, Tokens: Shared{Neither: 1}, Wrong: Shared{OnlyB: 1}},
			"DATE":    {Wrong: Shared{Both: 1, OnlyA: 1}},
		},
		Causes: &Causes{
			All: Sorts{Unseen: Tokens{2, 0}, Ambiguous: Tokens{4, 1}},
			Types: map[string]Sorts{
				"DOCTOR": {Unseen: Tokens{2, 0}, Ambiguous: Tokens{2, 0}}, "PATIENT": {Ambiguous: Tokens{1, 0}}, "AGE": {Ambiguous: Tokens{1, 1}},
			},
		},
	}
	if diff := cmp.Diff(want, got, cmp.FilterPath(func(p cmp.Path) bool { return p.String() == "Examples" }, cmp.Ignore())); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	var kinds []string
	for _, e := range got.Examples {
		kinds = append(kinds, e.Kind+" "+e.Text)
	}
	if want := []string{"only_a Lund", "only_b Holm", "neither 82", "neither Oda Lund"}; !slices.Equal(kinds, want) {
		t.Errorf("examples %q, want %q", kinds, want)
	}
}

// Examples are included on request, up to the requested number, and never cut a
// code point.
func TestExamples(t *testing.T) {
	gold, systems := marked(t, "a", strings.Repeat("é", 30)+"[AGE 71]"+strings.Repeat("ñ", 30)+"[AGE 72][AGE 73]")
	for limit, want := range map[int]int{0: 0, 1: 1, 2: 2, -1: 3} {
		r, err := Analyze([]*data.Document{gold}, []*data.Document{systems["A"]}, Options{Examples: limit})
		if err != nil || len(r.Examples) != want {
			t.Fatalf("limit %d: %d examples, error %v", limit, len(r.Examples), err)
		}
		if want > 0 {
			first := Example{Document: "a", Start: 60, End: 62, Kind: KindMissed, Gold: "AGE", Before: strings.Repeat("é", 20), Text: "71", After: strings.Repeat("ñ", 20)}
			if diff := cmp.Diff(first, r.Examples[0]); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		}
	}
}

func TestErrors(t *testing.T) {
	d := func(id, text string, spans ...data.Span) *data.Document {
		return &data.Document{ID: id, Text: text, Spans: spans}
	}
	for want, sides := range map[string][2][]*data.Document{
		"no gold documents to compare with":                                               {{}, {}},
		"none of the 1 gold documents is among the 1 of the system: their IDs differ":     {{d("a", "x")}, {d("b", "x")}},
		"document a: gold text (7 bytes) and system text (7 bytes) differ from byte 0 on": {{d("a", "Zebulon")}, {d("a", "zebulon")}},
		"system document a: span 0 [3,9) lies beyond the text of 7 bytes":                 {{d("a", "Zebulon")}, {d("a", "Zebulon", data.Span{Start: 3, End: 9})}},
		"system document a: duplicate id":                                                 {{d("a", "x")}, {d("a", "x"), d("a", "x")}},
	} {
		_, err := Analyze(sides[0], sides[1], Options{Examples: -1})
		if err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
		if _, err := Compare(sides[0], sides[1], sides[1], Options{}); err == nil || err.Error() != want {
			t.Errorf("Compare: error %v, want %s", err, want)
		}
		if _, err := NewCurve(sides[0], sides[1]); err == nil || err.Error() != want {
			t.Errorf("NewCurve: error %v, want %s", err, want)
		}
	}
	if _, err := Compare([]*data.Document{d("a", "x")}, []*data.Document{d("a", "x")}, []*data.Document{d("b", "x"), d("a", "x")}, Options{}); err == nil ||
		err.Error() != "different test sets: only the second system has document b" {
		t.Errorf("different test sets: error %v", err)
	}
	// The spans of a document that the system lacks are missed.
	r, err := Analyze([]*data.Document{d("a", "x", data.Span{End: 1, Type: "A"}), d("b", "x", data.Span{End: 1, Type: "A"})}, []*data.Document{d("b", "x")}, Options{})
	if err != nil || r.Documents != 2 || r.All.Missed != 2 {
		t.Errorf("%+v, error %v", r, err)
	}
}
