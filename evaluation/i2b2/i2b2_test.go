package i2b2

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/evaluation"
)

// doc returns a document of tags such as "NAME 0 4 PATIENT".
func doc(t testing.TB, id, text string, tags ...string) *Document {
	t.Helper()
	d := &Document{ID: id, Text: text}
	for _, written := range tags {
		f := strings.Split(written, " ")
		tag, err := NewTag(f[0], strings.Join(f[3:], " "), f[1], f[2])
		if err != nil {
			t.Fatalf("%s: %v", written, err)
		}
		d.Tags = append(d.Tags, tag)
	}
	return d
}

// score returns the counts of documents, gold and system in turn, by evaluation.
func score(t testing.TB, o Options, docs ...*Document) map[string]evaluation.Counts {
	t.Helper()
	s, err := NewScorer(o)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(docs); i += 2 {
		if err := s.Add(docs[i], docs[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	counts := map[string]evaluation.Counts{}
	for _, e := range s.Report().Evaluations {
		counts[e.Name] = e.Counts
	}
	return counts
}

const note = "Dr. José Peña saw Al on 5/6. 😀 MR 12-34"

// The script's oddities one by one, and the corrected results.
func TestOddities(t *testing.T) {
	type want map[string]evaluation.Counts
	for name, tc := range map[string]struct {
		gold, system      []string
		script, corrected want
	}{
		"IDNUM is not HIPAA's": {
			[]string{"ID 34 39 IDNUM"}, []string{"ID 34 39 IDNUM"},
			want{"HIPAA Strict": {}, "HIPPA Token": {}, "Strict": {TP: 1}, "Token": {TP: 2}},
			want{"HIPAA Strict": {TP: 1}, "HIPAA Token": {TP: 2}, "ID HIPAA Strict": {TP: 1}},
		},
		"but something after a blank makes it so": {
			[]string{"ID 34 39 IDNUM 2"}, nil,
			want{"HIPAA Strict": {FN: 1}, "ID Binary HIPAA Strict": {FN: 1}},
			want{"HIPAA Strict": {}, "Strict": {FN: 1}},
		},
		"a TYPE that starts as HIPAA's is HIPAA's": {
			[]string{"LOCATION 4 8 CITYHALL", "CONTACT 4 8 URL"}, nil,
			want{"HIPAA Strict": {FN: 1}, "LOCATION Binary HIPAA Strict": {FN: 1}},
			want{"HIPAA Strict": {}},
		},
		"DATE and AGE are HIPAA's whatever their TYPE": {
			[]string{"DATE 24 27 whatever", "AGE 34 36 "}, nil,
			want{"HIPAA Strict": {FN: 2}},
			want{"HIPAA Strict": {}},
		},
		"lower case is not HIPAA's, and no case counts in strict": {
			[]string{"NAME 18 20 PATIENT"}, []string{"NAME 18 20 patient"},
			want{"Strict": {TP: 1}, "Relaxed": {TP: 1}, "Token": {FP: 1, FN: 1}, "Binary Token": {TP: 1}, "HIPAA Strict": {FN: 1}, "HIPAA Relaxed": {FN: 1}},
			want{"Strict": {TP: 1}, "Token": {TP: 1}, "HIPAA Strict": {TP: 1}},
		},
		"the TYPE of another element is HIPAA's no more": {
			[]string{"OTHER 18 20 PATIENT"}, nil,
			want{"HIPAA Strict": {}},
			want{"HIPAA Strict": {FN: 1}, "OTHER HIPAA Strict": {FN: 1}},
		},
		"offsets are strings": {
			[]string{"NAME 18 20 PATIENT"}, []string{"NAME 018 20 PATIENT"},
			want{"Strict": {FP: 1, FN: 1}, "Relaxed": {FP: 1, FN: 1}, "Binary Strict": {FP: 1, FN: 1}, "Token": {TP: 1}, "Binary Token": {TP: 1}},
			want{"Strict": {TP: 1}, "Relaxed": {TP: 1}, "Binary Strict": {TP: 1}},
		},
		"but not the end of relaxed ones": {
			[]string{"NAME 18 20 PATIENT"}, []string{"NAME 18 022 PATIENT"},
			want{"Strict": {FP: 1, FN: 1}, "Relaxed": {TP: 1}, "HIPAA Relaxed": {TP: 1}},
			want{"Relaxed": {TP: 1}},
		},
		"nor is the start relaxed": {
			[]string{"NAME 18 20 PATIENT"}, []string{"NAME 17 20 PATIENT"},
			want{"Relaxed": {FP: 1, FN: 1}},
			want{"Relaxed": {FP: 1, FN: 1}},
		},
		"nor an end three off": {
			[]string{"NAME 18 20 PATIENT"}, []string{"NAME 18 23 PATIENT"},
			want{"Relaxed": {FP: 1, FN: 1}},
			want{"Relaxed": {FP: 1, FN: 1}},
		},
		"relaxed tags that are equal to an earlier one are dropped": {
			[]string{"NAME 18 20 PATIENT", "NAME 18 22 PATIENT", "NAME 18 24 PATIENT"}, []string{"NAME 18 21 PATIENT"},
			want{"Relaxed": {TP: 1, FN: 1}},
			want{"Relaxed": {TP: 1, FN: 2}},
		},
		"relaxed true positives are those of the smaller side": {
			[]string{"NAME 18 20 PATIENT", "NAME 18 23 PATIENT", "DATE 24 27 DATE"}, []string{"NAME 18 22 PATIENT", "AGE 0 1 AGE"},
			want{"Relaxed": {TP: 1, FP: 1, FN: 1}}, // of the three gold tags only two are counted
			want{"Relaxed": {TP: 1, FP: 1, FN: 2}},
		},
		"accents split words": {
			[]string{"NAME 4 13 DOCTOR"}, []string{"NAME 4 12 DOCTOR"},
			want{"Token": {TP: 2, FN: 1}}, // Jos Pe a
			want{"Token": {TP: 1, FP: 1, FN: 1}},
		},
		"no letter at all is one token at the end": {
			[]string{"OTHER 29 30 OTHER"}, []string{"OTHER 28 30 OTHER"},
			want{"Token": {TP: 1}, "Strict": {FP: 1, FN: 1}},
			want{"Token": {TP: 1}},
		},
		"reversed, beyond the text, and before it": {
			[]string{"NAME 20 18 PATIENT", "NAME 37 99 PATIENT", "NAME 99 100 PATIENT", "NAME -2 39 PATIENT"},
			[]string{"NAME 20 20 PATIENT", "NAME 37 39 PATIENT", "NAME 99 99 PATIENT", "NAME -2 -0 PATIENT"},
			// Python: text[20:18] is empty, at 20; text[37:99] is text[37:39];
			// text[99:100] is empty, at 99; text[-2:39] is text[37:39], at -2;
			// text[-2:0] is empty, at -2.
			want{"Token": {TP: 3, FP: 1, FN: 1}},
			want{"Token": {TP: 3, FP: 1, FN: 1}},
		},
		"binary tags of one span are one, but for PHI": {
			[]string{"NAME 18 20 PATIENT", "NAME 18 20 DOCTOR", "PHI 24 27 DATE"}, []string{"OTHER 18 20 OTHER", "DATE 24 27 DATE"},
			want{"Binary Strict": {TP: 1, FP: 1, FN: 1}, "Binary Token": {TP: 3}, "Strict": {FP: 2, FN: 3}},
			want{"Binary Strict": {TP: 2}},
		},
		"PHI is no element of HIPAA's": {
			[]string{"PHI 24 27 DATE"}, []string{"PHI 24 27 DATE"},
			want{"Strict": {TP: 1}, "HIPAA Strict": {}, "Binary HIPPA Token": {}},
			want{"Strict": {TP: 1}, "HIPAA Strict": {TP: 1}, "Binary HIPAA Token": {TP: 2}},
		},
		"given twice is given once": {
			[]string{"NAME 18 20 PATIENT", "NAME 18 20 PATIENT"}, []string{"NAME 18 20 PATIENT", "NAME 18 20 PATIENT"},
			want{"Strict": {TP: 1}, "Relaxed": {TP: 1}, "Token": {TP: 1}},
			want{"Strict": {TP: 1}, "Relaxed": {TP: 1}, "Token": {TP: 1}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			gold, system := doc(t, "a", note, tc.gold...), doc(t, "a", note, tc.system...)
			for _, corrected := range []bool{false, true} {
				expected := tc.script
				if corrected {
					expected = tc.corrected
				}
				got := score(t, Options{Corrected: corrected}, gold, system)
				for evaluation, want := range expected {
					if c, ok := got[evaluation]; !ok || c != want {
						t.Errorf("corrected %v, %s: %+v, want %+v", corrected, evaluation, c, want)
					}
				}
			}
		})
	}
}

func TestFilter(t *testing.T) {
	gold := doc(t, "a", note, "NAME 18 20 PATIENT", "NAME 4 8 DOCTOR", "DATE 24 27 DATE", "CONTACT 34 39 URL")
	none := doc(t, "a", note)
	for name, tc := range map[string]struct {
		o        Options
		missed   map[string]int
		warnings int
	}{
		"none":                     {Options{}, map[string]int{"Strict": 4, "HIPAA Strict": 2, "NAME Strict": 2}, 0},
		"invert alone":             {Options{Invert: true}, map[string]int{"Strict": 4, "HIPAA Strict": 2, "NAME Strict": 2}, 1},
		"conjunctive alone":        {Options{Conjunctive: true}, map[string]int{"Strict": 4}, 1},
		"one":                      {Options{Filter: []string{"NAME"}}, map[string]int{"Strict": 2, "Relaxed": 2, "Token": 2, "HIPAA Strict": 2, "Binary Strict": 4, "DATE Strict": 1}, 0},
		"one, invert":              {Options{Filter: []string{"NAME"}, Invert: true}, map[string]int{"Strict": 2, "HIPAA Strict": 2, "NAME Strict": 2, "DATE Strict": 3, "DATE Binary HIPAA Strict": 3, "Binary Strict": 4, "Binary HIPAA Strict": 2}, 0},
		"both":                     {Options{Filter: []string{"NAME", "DATE"}}, map[string]int{"Strict": 3}, 0},
		"both, conjunctive":        {Options{Filter: []string{"NAME", "DATE"}, Conjunctive: true}, map[string]int{"Strict": 0, "NAME Strict": 2, "HIPAA Strict": 2}, 0},
		"both, conjunctive invert": {Options{Filter: []string{"NAME", "DATE"}, Conjunctive: true, Invert: true}, map[string]int{"Strict": 4, "HIPAA Strict": 2, "NAME Binary HIPAA Strict": 3}, 0},
		"a type":                   {Options{Filter: []string{"PATIENT"}}, map[string]int{"Strict": 4}, 1},
		"a type, invert":           {Options{Filter: []string{"PATIENT"}, Invert: true}, map[string]int{"Strict": 0}, 1},
		"lower case":               {Options{Filter: []string{"name", "NAME"}}, map[string]int{"Strict": 4}, 1},
		"cardiac risk":             {Options{Filter: []string{"mention", "NAME"}}, map[string]int{"Strict": 2}, 1},
		"nothing after a comma":    {Options{Filter: []string{"NAME", ""}, Conjunctive: true}, map[string]int{"Strict": 0}, 1},

		"corrected: one, invert": {Options{Filter: []string{"NAME"}, Invert: true, Corrected: true}, map[string]int{"Strict": 2, "HIPAA Strict": 2, "DATE Strict": 1, "DATE HIPAA Strict": 1}, 0},
		"corrected: a type":      {Options{Filter: []string{"doctor", "DATE"}, Corrected: true}, map[string]int{"Strict": 2}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			got := score(t, tc.o, gold, none)
			for evaluation, want := range tc.missed {
				if c, ok := got[evaluation]; !ok || c.FN != want || c.TP+c.FP > 0 {
					t.Errorf("%s: %+v, want %d missed", evaluation, c, want)
				}
			}
			s, err := NewScorer(tc.o)
			if err != nil {
				t.Fatal(err)
			}
			if w := s.Report().Warnings(); len(w) != tc.warnings {
				t.Errorf("warnings %q, want %d", w, tc.warnings)
			}
		})
	}
	for want, o := range map[string]Options{
		`filter "PERSON" is neither an element nor a type`: {Filter: []string{"NAME", "PERSON"}, Corrected: true},
		"invert and conjunctive require a filter":          {Invert: true, Corrected: true},
	} {
		if _, err := NewScorer(o); err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

// Counting all evaluations at once with bits gives the same as counting each by
// itself with sets of printed keys.
func TestBruteForce(t *testing.T) {
	const text = "Ana 12 é\U0001F600 x-y 7"
	pick := func(of ...string) *rapid.Generator[string] { return rapid.SampledFrom(of) }
	tags := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) string {
		return pick("PHI", "NAME", "ID", "DATE").Draw(t, "element") + " " + pick("0", "00", "1", "4", "7").Draw(t, "start") + " " +
			pick("3", "6", "7", "8", "9", "10", "010").Draw(t, "end") + " " + pick("PATIENT", "patient", "IDNUM", "SSN", "DATE").Draw(t, "type")
	}), 0, 7)
	rapid.Check(t, func(rt *rapid.T) {
		gold, system := doc(t, "a", text, tags.Draw(rt, "gold")...), doc(t, "a", text, tags.Draw(rt, "system")...)
		o := Options{
			Filter:      rapid.SliceOfN(pick("NAME", "PHI", "ID", "PATIENT"), 0, 2).Draw(rt, "filter"),
			Conjunctive: rapid.Bool().Draw(rt, "conjunctive"), Invert: rapid.Bool().Draw(rt, "invert"),
		}
		got := score(t, o, gold, system)
		for _, r := range rules() {
			if want := bruteForce(r, o, gold, system); got[r.script] != want {
				rt.Errorf("%s: %+v, want %+v", r.script, got[r.script], want)
			}
		}
	})
}

func bruteForce(r rule, o Options, gold, system *Document) evaluation.Counts {
	passes := func(tag *Tag) bool {
		name := elements[tag.element].name
		var filters []bool
		switch {
		case r.user:
			for _, f := range o.Filter {
				filters = append(filters, f == name || f == "PATIENT")
			}
		case r.element > 0:
			filters = append(filters, tag.element == r.element)
		}
		if r.hipaa {
			filters = append(filters, name == "DATE" || name == "NAME" && tag.typ == "PATIENT" || name == "ID" && tag.typ == "SSN")
		}
		if len(filters) == 0 {
			return true
		}
		kept := slices.Contains(filters, true)
		if o.Conjunctive && len(o.Filter) > 0 || r.element > 0 {
			kept = !slices.Contains(filters, false)
		}
		return kept != (o.Invert && len(o.Filter) > 0)
	}
	text := []rune(gold.Text)
	set := func(d *Document) (keys []string) {
		add := func(key string) {
			if !slices.Contains(keys, key) {
				keys = append(keys, key)
			}
		}
		for i := range d.Tags {
			tag := &d.Tags[i]
			full := strings.ToUpper(fmt.Sprint(tag.element, " ", tag.start, " ", tag.end, " ", tag.typ))
			switch {
			case !passes(tag):
			case r.kind == strict || r.kind == binaryStrict && tag.element == phi:
				add(full)
			case r.kind == binaryStrict:
				add(fmt.Sprint(tag.start, " ", tag.end))
			case r.kind == relaxed: // TYPE first, the end last
				key := strings.ToUpper(fmt.Sprint(tag.element, tag.typ, " ", tag.start, " ")) + "|" + fmt.Sprintf("%02d", tag.to)
				if !slices.ContainsFunc(keys, func(k string) bool { return near(k, key) }) {
					keys = append(keys, key)
				}
			default:
				end := max(tag.from, tag.to)
				segment := text[tag.from:end]
				found := false
				for i := 0; i < len(segment); i++ {
					j := i
					for j < len(segment) && strings.ContainsRune("Anaxy127", segment[j]) {
						j++
					}
					if j > i {
						found = true
						add(tokenName(r, tag, tag.from+i, tag.from+j))
						i = j
					}
				}
				if !found {
					add(tokenName(r, tag, end, end))
				}
			}
		}
		return keys
	}
	equal := func(a, b string) bool { return a == b }
	if r.kind == relaxed {
		equal = near
	}
	matched := func(of, in []string) (n int) {
		for _, a := range of {
			if slices.ContainsFunc(in, func(b string) bool { return equal(a, b) }) {
				n++
			}
		}
		return n
	}
	g, s := set(gold), set(system)
	tp := matched(s, g)
	if len(g) < len(s) {
		tp = matched(g, s)
	}
	return evaluation.Counts{TP: tp, FP: len(s) - matched(s, g), FN: len(g) - matched(g, s)}
}

func tokenName(r rule, tag *Tag, start, end int) string {
	if r.kind == binaryToken {
		return fmt.Sprint(start, " ", end)
	}
	return fmt.Sprint(tag.element, tag.typ, start, " ", end)
}

// near compares relaxed keys, which end in two digits.
func near(a, b string) bool {
	x, xEnd, _ := strings.Cut(a, "|")
	y, yEnd, _ := strings.Cut(b, "|")
	m, errA := strconv.Atoi(xEnd)
	n, errB := strconv.Atoi(yEnd)
	return errA == nil && errB == nil && x == y && m-n <= 2 && n-m <= 2
}

// testdata/sets.json is the output of Python's own sets; see sets.py there.
func TestRelaxedAsPythonsSets(t *testing.T) {
	raw, err := os.ReadFile("testdata/sets.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases [][]json.RawMessage
	if err := json.Unmarshal(raw, &cases); err != nil {
		t.Fatal(err)
	}
	if len(cases) < 500 {
		t.Fatalf("%d cases", len(cases))
	}
	for i, c := range cases {
		var gold, system [][2]int
		var want [3]int
		for k, into := range []any{&gold, &system, &want} {
			if err := json.Unmarshal(c[k], into); err != nil {
				t.Fatal(err)
			}
		}
		side := func(tags [][2]int) (all []relaxedTag) {
			for _, tag := range tags {
				all = append(all, relaxedTag{group{element: tag[0]}, tag[1]})
			}
			return all
		}
		if got := compareRelaxed(side(gold), side(system)); got != (evaluation.Counts{TP: want[0], FP: want[1], FN: want[2]}) {
			t.Errorf("case %d, %v against %v: %+v, Python says %v", i, gold, system, got, want)
		}
	}
}

// No other one-to-one matching has more pairs.
func TestCorrectedRelaxedIsTheLargestMatching(t *testing.T) {
	side := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) relaxedTag {
		return relaxedTag{group{element: rapid.IntRange(1, 2).Draw(t, "element")}, rapid.IntRange(0, 12).Draw(t, "end")}
	}), 0, 6)
	var most func(gold, system []relaxedTag) int
	most = func(gold, system []relaxedTag) int {
		if len(gold) == 0 {
			return 0
		}
		best := most(gold[1:], system) // the first has no match
		for i, s := range system {
			if s.group == gold[0].group && s.end-gold[0].end <= 2 && gold[0].end-s.end <= 2 {
				rest := slices.Delete(slices.Clone(system), i, i+1)
				best = max(best, 1+most(gold[1:], rest))
			}
		}
		return best
	}
	distinct := func(tags []relaxedTag) (kept []relaxedTag) {
		for _, t := range tags {
			if !slices.Contains(kept, t) {
				kept = append(kept, t)
			}
		}
		return kept
	}
	rapid.Check(t, func(t *rapid.T) {
		gold, system := side.Draw(t, "gold"), side.Draw(t, "system")
		got := matchRelaxed(gold, system)
		gold, system = distinct(gold), distinct(system)
		tp := most(gold, system)
		if want := (evaluation.Counts{TP: tp, FP: len(system) - tp, FN: len(gold) - tp}); got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
	})
}

func TestRulesAreInOrder(t *testing.T) {
	var names, honest []string
	for _, r := range rules() {
		names, honest = append(names, r.script), append(honest, r.name)
	}
	if len(names) != 42 {
		t.Errorf("%d evaluations", len(names))
	}
	want := strings.Split("Token,Strict,Relaxed,HIPPA Token,HIPAA Strict,HIPAA Relaxed,Binary Token,Binary Strict,Binary HIPPA Token,Binary HIPAA Strict,"+
		"NAME Token,NAME Strict,NAME HIPPA Token,NAME Binary HIPAA Strict,PROFESSION Token", ",")
	if diff := cmp.Diff(want, names[:15]); diff != "" {
		t.Error(diff)
	}
	if got := strings.Join(honest[3:14], ","); got != "HIPAA Token,HIPAA Strict,HIPAA Relaxed,Binary Token,Binary Strict,Binary HIPAA Token,Binary HIPAA Strict,"+
		"NAME Token,NAME Strict,NAME HIPAA Token,NAME HIPAA Strict" {
		t.Error(got)
	}
	if last := names[38:]; !slices.Equal(last, []string{"OTHER Token", "OTHER Strict", "OTHER HIPPA Token", "OTHER Binary HIPAA Strict"}) {
		t.Error(last)
	}
}

// Four documents: one perfect, one missed, one with nothing to score, and one
// that only the gold standard has.
func TestAverages(t *testing.T) {
	name := "NAME 18 20 PATIENT"
	gold := []*Document{doc(t, "a", note, name), doc(t, "b", note, name), doc(t, "c", note), doc(t, "d", note, name, "NAME 4 8 DOCTOR")}
	system := []*Document{doc(t, "a", note, name), doc(t, "b", note), doc(t, "c", note), doc(t, "z", note, name)}
	for _, corrected := range []bool{false, true} {
		r, err := Compare(each(gold), each(system), Options{Corrected: corrected})
		if err != nil {
			t.Fatal(err)
		}
		e := r.Evaluations[1]
		// P and R of the documents: 1, 0, 0; corrected, c is ignored and d is missed.
		want := Evaluation{
			Name: "Strict", Counts: evaluation.Counts{TP: 1, FN: 1}, Micro: evaluation.PRF{Precision: 1, Recall: 0.5, F1: 2.0 / 3},
			Macro: evaluation.PRF{Precision: 1.0 / 3, Recall: 1.0 / 3, F1: 1.0 / 3}, PrecisionSD: math.Sqrt(2) / 3, RecallSD: math.Sqrt(2) / 3, documents: 3,
		}
		if corrected {
			want.Counts, want.Micro = evaluation.Counts{TP: 1, FN: 3}, evaluation.PRF{Precision: 1, Recall: 0.25, F1: 0.4}
		}
		near := cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-15 })
		if diff := cmp.Diff(want, e, cmp.AllowUnexported(Evaluation{}), near); diff != "" {
			t.Errorf("corrected %v (-want +got):\n%s", corrected, diff)
		}
		if !slices.Equal(r.Missing, []string{"d"}) || !slices.Equal(r.Extra, []string{"z"}) {
			t.Errorf("missing %v, extra %v", r.Missing, r.Extra)
		}
		if scored := map[bool]int{false: 3, true: 4}[corrected]; r.Documents != scored {
			t.Errorf("%d documents, want %d", r.Documents, scored)
		}
		if other := r.Evaluations[len(r.Evaluations)-1].Macro; math.IsNaN(other.F1) == corrected || other.Precision != 0 {
			t.Errorf("corrected %v: nothing to score: %+v", corrected, other)
		}
	}
	// No common documents: the script divides by zero.
	r, err := Compare(each(gold[:1]), each(system[3:]), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if e := r.Evaluations[1]; !math.IsNaN(e.Macro.Precision) || !math.IsNaN(e.RecallSD) || e.Micro.F1 != 0 {
		t.Errorf("no document: %+v", e)
	}
	if _, err := Compare(each(gold[:1]), each([]*Document{doc(t, "a", "other text")}), Options{}); err == nil ||
		!strings.Contains(err.Error(), "document a: gold text (44 bytes) and system text (10 bytes) differ from byte 0 on") {
		t.Errorf("two texts: %v", err)
	}
}

func TestMoments(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		xs := rapid.SliceOfN(rapid.Float64Range(0, 1), 1, 50).Draw(t, "numbers")
		var m moments
		sum := 0.0
		for _, x := range xs {
			m.add(x)
			sum += x
		}
		mean, squares := sum/float64(len(xs)), 0.0
		for _, x := range xs {
			squares += (x - mean) * (x - mean)
		}
		if sd := math.Sqrt(squares / float64(len(xs))); math.Abs(m.mean()-mean) > 1e-14 || math.Abs(m.sd()-sd) > 1e-13 {
			t.Errorf("mean %v, deviation %v, want %v, %v", m.mean(), m.sd(), mean, sd)
		}
	})
	var m moments
	for range 1000 {
		m.add(1.0 / 3)
	}
	if m.sd() != 0 {
		t.Errorf("equal numbers deviate by %v", m.sd())
	}
}

// The digits equal those that Python prints.
func TestDigits(t *testing.T) {
	for x, want := range map[float64][2]string{
		0: {"0.0", "0.0"}, 1: {"1.0", "1.0"}, 0.5: {"0.5", "0.5"}, 2.0 / 3: {"0.6667", "0.67"}, 0.99996: {"1.0", "1.0"},
		0.00012345: {"0.0001234", "0.00012"}, 0.000012345: {"1.234e-05", "1.2e-05"}, 0.1: {"0.1", "0.1"}, 0.12344: {"0.1234", "0.12"},
	} {
		if got := [2]string{digits(x, 4), digits(x, 2)}; got != want {
			t.Errorf("%v: %q, want %q", x, got, want)
		}
	}
	if got := digits(math.NaN(), 4); got != "nan" {
		t.Errorf("NaN: %q", got)
	}
}

func TestWriteText(t *testing.T) {
	s, err := NewScorer(Options{Documents: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Add(doc(t, "1-2", note, "NAME 18 20 PATIENT", "DATE 24 27 DATE"), doc(t, "1-2", note, "NAME 18 20 PATIENT", "NAME 4 8 DOCTOR", "AGE 24 27 AGE")); err != nil {
		t.Fatal(err)
	}
	r := s.Report()
	r.Evaluations = r.Evaluations[1:2]
	var summary, verbose bytes.Buffer
	if err := r.WriteText(&summary, Summary); err != nil {
		t.Fatal(err)
	}
	r.System = "run1"
	if err := r.WriteText(&verbose, Verbose); err != nil {
		t.Fatal(err)
	}
	const wantSummary = `Strict (1)               Measure        Macro (SD)     Micro (Primary)     
---------------------------------------------------------------------------
Total                    Precision      0.3333 (0.0)   0.3333              
                         Recall         0.5 (0.0)      0.5                 
                         F1             0.4            0.4                 


`
	const wantDocuments = `Report for run1 Strict:
                         Measure                       Micro (Primary)     
---------------------------------------------------------------------------
1-2                      Precision                     0.3333              
[2(1)3]                  Recall                        0.5                 
                         F1                            0.4                 
---------------------------------------------------------------------------
`
	if diff := cmp.Diff(wantSummary, summary.String()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(wantDocuments+"run1 Strict (1)          Measure"+strings.SplitN(wantSummary, "Measure", 2)[1], verbose.String()); diff != "" {
		t.Error(diff)
	}
	if err := r.WriteText(failing{}, Summary); err == nil {
		t.Error("no error from a writer that fails")
	}
}

// failing is a writer with a full disk.
type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, fmt.Errorf("no space left") }

func TestDecode(t *testing.T) {
	const tag = `<NAME id="P0" start="4" end="6" text="not looked at" TYPE="PATIENT" comment="" />`
	note := func(text, tags string) string {
		return `<?xml version="1.0" encoding="UTF-8" ?><deIdi2b2><TEXT>` + text + "</TEXT>\n<TAGS>\n" + tags + "\n</TAGS></deIdi2b2>"
	}
	for what, tc := range map[string]struct {
		file, text string
		tags       []string
		ignored    int
	}{
		"CDATA":                     {note("<![CDATA[Mr. <Al>]]>", tag), "Mr. <Al>", []string{"NAME 4 6 PATIENT"}, 0},
		"CR LF, CR":                 {note("Mr. Al\r\nx\ry&#13;", tag), "Mr. Al\nx\ny\r", []string{"NAME 4 6 PATIENT"}, 0},
		"as written":                {note("Mr. Al", `<NAME start=" 04" end="0_6" TYPE="patient "/>`), "Mr. Al", []string{"NAME  04 0_6 patient "}, 0},
		"no TYPE":                   {note("Mr. Al", `<DATE start="4" end="6"/>`), "Mr. Al", []string{"DATE 4 6 "}, 0},
		"other elements":            {note("Mr. Al", `<name start="x"/>`+tag+`<MEDICATION><NAME start="1" end="2" TYPE="x"/></MEDICATION>`), "Mr. Al", []string{"NAME 4 6 PATIENT"}, 2},
		"the first TEXT and TAGS":   {"<x><TEXT>Mr. Al</TEXT><TEXT>no</TEXT><TAGS>" + tag + "</TAGS><TAGS><NAME/></TAGS></x>", "Mr. Al", []string{"NAME 4 6 PATIENT"}, 0},
		"text up to a comment":      {note("Mr. Al<!-- x --> left", tag), "Mr. Al", []string{"NAME 4 6 PATIENT"}, 0},
		"text up to an element":     {note("Mr. Al<b>bold</b> left", tag), "Mr. Al", []string{"NAME 4 6 PATIENT"}, 0},
		"text elsewhere":            {"<x>a<TEXT>Mr. Al</TEXT>b<TAGS>c" + tag + "d</TAGS>e</x>", "Mr. Al", []string{"NAME 4 6 PATIENT"}, 0},
		"TAGS before TEXT":          {"<x><TAGS>" + tag + "</TAGS><TEXT>Mr. Al</TEXT></x>", "Mr. Al", []string{"NAME 4 6 PATIENT"}, 0},
		"no TEXT, no tags":          {"<x><TAGS/></x>", "", nil, 0},
		"deeper down is not looked": {"<x><y><TEXT>no</TEXT><TAGS>" + tag + "</TAGS></y><TEXT>Mr. Al</TEXT><TAGS/></x>", "Mr. Al", nil, 0},
		"U+FEFF":                    {"\uFEFF" + note("\uFEFFMr. Al", tag), "\uFEFFMr. Al", []string{"NAME 4 6 PATIENT"}, 0},
		"declared ISO-8859-1":       {strings.Replace(note("Mr. é", tag), "UTF-8", "ISO-8859-1", 1), "Mr. Ã©", []string{"NAME 4 6 PATIENT"}, 0},
		"declared US-ASCII":         {strings.Replace(note("Mr. Al", tag), "UTF-8", "us-ascii", 1), "Mr. Al", []string{"NAME 4 6 PATIENT"}, 0},
	} {
		t.Run(what, func(t *testing.T) {
			d, err := decode([]byte(tc.file), "dir/1-2.xml", "1-2")
			if err != nil {
				t.Fatal(err)
			}
			var tags []string
			for _, tag := range d.Tags {
				tags = append(tags, fmt.Sprintf("%s %s %s %s", elements[tag.element].name, tag.start, tag.end, tag.typ))
			}
			if d.ID != "1-2" || d.Text != tc.text || !slices.Equal(tags, tc.tags) || d.Ignored != tc.ignored {
				t.Errorf("%q, tags %q, %d ignored", d.Text, tags, d.Ignored)
			}
		})
	}
}

// Each error names the file and a line, and contains no text of the note.
func TestDecodeErrors(t *testing.T) {
	note := func(tags string) string { return "<x>\n<TEXT>Zebulon</TEXT>\n<TAGS>\n" + tags + "</TAGS></x>" }
	for what, tc := range map[string]struct{ file, want string }{
		"empty":             {"", "d/1-2.xml:1: no XML element"},
		"cut off":           {"<x>\n<TEXT>Zebulon", "d/1-2.xml:2: not well-formed XML"},
		"not closed":        {note(`<NAME start="0" Zebulon`), "d/1-2.xml:4: not well-formed XML"},
		"an entity":         {"<x><TEXT>&Zebulon;</TEXT></x>", "d/1-2.xml:1: not well-formed XML"},
		"no TAGS":           {"<x>\n<TEXT>Zebulon</TEXT>\n</x>", "d/1-2.xml:3: no TAGS element"},
		"tags without text": {`<x><TEXT/><TAGS><NAME start="0" end="0" TYPE="x"/></TAGS></x>`, "d/1-2.xml: tags, but no text"},
		"a second root":     {"<x><TAGS/></x>\n<y/>", "d/1-2.xml:2: not well-formed XML: second root element"},
		"text after it":     {"<x><TAGS/></x>\nZebulon", "d/1-2.xml:2: not well-formed XML: text outside of the root element"},
		"no start":          {note(`<NAME end="7" TYPE="PATIENT"/>`), "d/1-2.xml:4: start: not a whole number"},
		"end is a word":     {note("\n" + `<NAME start="0" end="Zebulon" TYPE="PATIENT"/>`), "d/1-2.xml:5: end: not a whole number"},
		"an attribute, two": {note(`<NAME start="0" start="1" end="7" TYPE="PATIENT"/>`), "d/1-2.xml:4: not well-formed XML: duplicate attribute of a tag"},
		"invalid UTF-8":     {"<x>\n\n\xff</x>", "d/1-2.xml:3: invalid UTF-8"},
		"UTF-16":            {`<?xml version="1.0" encoding="UTF-16"?><x/>`, "d/1-2.xml:1: the declared encoding is not UTF-8, US-ASCII or ISO-8859-1"},
	} {
		t.Run(what, func(t *testing.T) {
			_, err := decode([]byte(tc.file), "d/1-2.xml", "1-2")
			if err == nil || err.Error() != tc.want {
				t.Errorf("error %v, want %s", err, tc.want)
			}
			if _, ok := errors.AsType[*data.Error](err); !ok {
				t.Errorf("a %T", err)
			}
		})
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`<?xml version="1.0" encoding="ISO-8859-1"?><x><TEXT><![CDATA[Mr. Al]]></TEXT><TAGS><NAME start="-1" end="1_0" TYPE="x"/></TAGS></x>`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		d, err := decode(raw, "f.xml", "f-")
		if err != nil {
			return
		}
		score(t, Options{}, d, d)
		score(t, Options{Corrected: true}, d, d)
	})
}

func write(t *testing.T, path string) {
	t.Helper()
	if err := os.WriteFile(path, []byte("<x><TEXT>Mr. Al</TEXT><TAGS/></x>"), 0o666); err != nil {
		t.Fatal(err)
	}
}

func TestFileNames(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"110-04.xml", "110-04run2.xml", "9-1.b.xml", "note.v1.xml", "x1-2.xml", "110-05.XML", "110-06.txt"} {
		write(t, filepath.Join(dir, name))
	}
	systems, err := Systems(dir)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string][]string{}
	for _, s := range systems {
		for d, err := range s.Documents {
			if err != nil {
				t.Fatal(err)
			}
			got[s.ID] = append(got[s.ID], d.ID)
		}
	}
	want := map[string][]string{"": {"110-04", "note.v1-", "x1-2-"}, "run2": {"110-04"}, ".b": {"9-1"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if _, err := Read(dir); err == nil || !strings.Contains(err.Error(), "110-04.xml and ") ||
		!strings.HasSuffix(err.Error(), "110-04run2.xml: two documents of the gold standard have the id 110-04") {
		t.Errorf("two files with one id: %v", err)
	}
	if _, err := Read(t.TempDir()); err == nil || !strings.Contains(err.Error(), "the folder holds no .xml file") {
		t.Errorf("an empty folder: %v", err)
	}
	if _, err := Systems(filepath.Join(dir, "none")); err == nil {
		t.Error("no error without a folder")
	}
	if gold, err := Read(filepath.Join(dir, "110-05.XML")); err != nil {
		t.Error(err)
	} else {
		for d, err := range gold {
			if err != nil || d.ID != "110-05-" {
				t.Errorf("a file named outright: %v, %v", d, err)
			}
		}
	}
}

func TestFromDocuments(t *testing.T) {
	documents := []*data.Document{
		{ID: "a", Text: "José 😀 12 Rue", Spans: []data.Span{
			{Start: 0, End: 5, Type: "PATIENT"}, {Start: 11, End: 13, Type: "NUMERO_FAX"}, {Start: 11, End: 17, Type: "STREET"}, {Start: 6, End: 10, Type: "PER"},
		}},
		{ID: "b", Text: "x", Spans: []data.Span{{Start: 0, End: 2, Type: "AGE"}}},
		{ID: "c", Text: "x"},
	}
	var got []string
	for d, err := range FromDocuments(data.Each(documents)) {
		if err != nil {
			got = append(got, err.Error())
			continue
		}
		for _, tag := range d.Tags {
			got = append(got, fmt.Sprintf("%s %s %s %s %d %d", elements[tag.element].name, tag.start, tag.end, tag.typ, tag.from, tag.to))
		}
	}
	want := []string{
		"NAME 0 4 PATIENT 0 4", "CONTACT 7 9 NUMERO_FAX 7 9", "LOCATION 7 13 STREET 7 13", "PHI 5 6 PER 5 6",
		"document b: span 0 [0,2) lies beyond the text of 1 bytes",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	// The property that the comment of elementsOfTypes states.
	for _, types := range data.TypeSets() {
		for _, typ := range types.Types {
			if e := elementIndex(typ.Category); e > phi && elementsOfTypes[typ.Name] != e {
				t.Errorf("%s has two categories", typ.Name)
			}
		}
	}
}

// The summed tallies of documents give the scores of Compare.
func TestMetrics(t *testing.T) {
	const text = "Seen by Dr. Oda Lund, 44, on 01/02/2087 -- MR 12."
	spans := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) data.Span {
		i := rapid.IntRange(0, len(text)-1).Draw(t, "start")
		return data.Span{
			Start: i, End: rapid.IntRange(i+1, len(text)).Draw(t, "end"),
			Type: rapid.SampledFrom([]string{"DATE", "DOCTOR", "IDNUM", "SSN", "CALLE", "THING"}).Draw(t, "type"),
		}
	}), 0, 5)
	metrics := map[string]evaluation.Metric{}
	for _, m := range Metrics() {
		metrics[m.Name] = m
	}
	if len(metrics) != 84 {
		t.Errorf("%d metrics", len(metrics))
	}
	rapid.Check(t, func(t *rapid.T) {
		var gold, system []*data.Document
		for _, id := range []string{"a", "b", "c"} {
			gold = append(gold, &data.Document{ID: id, Text: text, Spans: spans.Draw(t, "gold")})
			system = append(system, &data.Document{ID: id, Text: text, Spans: spans.Draw(t, "system")})
		}
		r, err := Compare(FromDocuments(data.Each(gold)), FromDocuments(data.Each(system)), Options{})
		if err != nil {
			t.Fatal(err)
		}
		total := func(m evaluation.Metric) evaluation.PRF {
			sum := make([]float64, 3)
			for i := range gold {
				for k, x := range m.Tally(gold[i], system[i]) {
					sum[k] += x
				}
			}
			return m.Score(sum)
		}
		for i, rule := range rules() {
			e := r.Evaluations[i]
			if math.IsNaN(e.Macro.F1) {
				e.Macro.F1 = 0
			}
			micro, ok := metrics["i2b2/"+rule.name]
			macro, okMacro := metrics["i2b2/macro/"+rule.name]
			if !ok || !okMacro {
				t.Fatalf("no metric %s", rule.name)
			}
			near := cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-14 })
			if diff := cmp.Diff([]evaluation.PRF{e.Micro, e.Macro}, []evaluation.PRF{total(micro), total(macro)}, near); diff != "" {
				t.Errorf("%s: %s", rule.name, diff)
			}
		}
	})
}

func BenchmarkCompare(b *testing.B) {
	var tags []string
	text := strings.Repeat("word 12 ", 400)
	for i := range 25 {
		tags = append(tags, fmt.Sprintf("NAME %d %d DOCTOR", 100*i, 100*i+7))
	}
	d := doc(b, "a", text, tags...)
	s, err := NewScorer(Options{})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if err := s.Add(d, d); err != nil {
			b.Fatal(err)
		}
	}
}
