package memory

import (
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/synth"
	"github.com/lethe-deid/lethe/taggers"
	"github.com/lethe-deid/lethe/taggers/ann"
	"github.com/lethe-deid/lethe/taggers/crf"
	"github.com/lethe-deid/lethe/taggers/crf/feature"
)

func notes(t testing.TB, n int, split synth.Split) []*data.Document {
	t.Helper()
	docs, err := data.Collect(synth.Notes(n, 1, split))
	if err != nil {
		t.Fatal(err)
	}
	return docs
}

func types(t testing.TB) *data.TypeSet {
	t.Helper()
	s, err := data.LookupTypeSet(synth.TypeSet)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// near reports whether two numbers are equal but for rounding.
func near(a, b float64) bool { return math.Abs(a-b) < 1e-9 }

// The area and the advantage of scores, calculated by hand.
func TestSeparate(t *testing.T) {
	for name, c := range map[string]struct {
		train, held     []float64
		area, advantage float64
	}{
		"nothing in common": {[]float64{3, 4}, []float64{1, 2}, 1, 1},
		"the wrong way":     {[]float64{1, 2}, []float64{3, 4}, 0, 0},
		"all equal":         {[]float64{1, 1, 1}, []float64{1, 1}, 0.5, 0},
		// Of six pairs, 3>1, 3>2, 2>1 are right, 2=2 counts half, and 0<1, 0<2 are wrong. Above 2.5 are 1/3 and 0, above 1.5 2/3 and 1/2.
		"mixed":    {[]float64{3, 2, 0}, []float64{2, 1}, 3.5 / 6, 1.0 / 3},
		"one side": {[]float64{1}, nil, 0.5, 0},
		"none":     {nil, nil, 0.5, 0},
	} {
		all := flatten([]unit{{true, c.train}, {false, c.held}})
		if area, advantage := separate(all, []float64{1, 1}); !near(area, c.area) || !near(advantage, c.advantage) {
			t.Errorf("%s: area %v, advantage %v; want %v and %v", name, area, advantage, c.area, c.advantage)
		}
	}
}

// The area and the advantage agree with their definitions, for weighted patients with several notes.
func TestSeparateByBruteForce(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 50 {
		var units []unit
		var weights []float64
		for i := range 8 {
			u := unit{trained: i < 4}
			for range rng.IntN(4) {
				u.scores = append(u.scores, float64(rng.IntN(6)))
			}
			units, weights = append(units, u), append(weights, float64(1+rng.IntN(3)))
		}
		area, pairs, sides := 0.0, 0.0, [2]float64{}
		for i, u := range units {
			sides[side(u)] += weights[i] * float64(len(u.scores))
			for k, v := range units {
				if !u.trained || v.trained {
					continue
				}
				for _, a := range u.scores {
					for _, b := range v.scores {
						w := weights[i] * weights[k]
						pairs += w
						if a > b {
							area += w
						} else if a == b {
							area += w / 2
						}
					}
				}
			}
		}
		if pairs == 0 {
			continue
		}
		most := 0.0
		for threshold := -0.5; threshold < 7; threshold++ {
			var above [2]float64
			for i, u := range units {
				for _, s := range u.scores {
					if s > threshold {
						above[side(u)] += weights[i]
					}
				}
			}
			most = max(most, above[1]/sides[1]-above[0]/sides[0])
		}
		if a, b := separate(flatten(units), weights); !near(a, area/pairs) || !near(b, most) {
			t.Errorf("area %v and advantage %v, want %v and %v", a, b, area/pairs, most)
		}
	}
}

// A test of scores that mean nothing is within its own bounds, and one of scores that tell all is not.
func TestIntervals(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	units := func(shift float64) (all []unit) {
		for i := range 120 {
			u := unit{trained: i%2 == 0, scores: []float64{rng.Float64(), rng.Float64()}}
			if u.trained {
				u.scores[0] += shift
			}
			all = append(all, u)
		}
		return all
	}
	if r := test(units(0), 1); r.AUC.Low > 0.5 || r.AUC.High < 0.5 || r.Advantage.Value > r.Chance || r.Train != 120 || r.Held != 120 {
		t.Errorf("scores that mean nothing: %+v", r)
	}
	r := test(units(1), 1)
	if r.AUC.Low <= 0.5 || r.Advantage.Value <= r.Chance || r.AUC.Low > r.AUC.Value || r.AUC.High < r.AUC.Value {
		t.Errorf("scores that tell all: %+v", r)
	}
}

// Exposure follows from the rank, which brute force finds in the sorted list of all scores.
func TestExposure(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	for range 200 {
		scores := make([]float64, 1+rng.IntN(40))
		for i := range scores {
			scores[i] = float64(rng.IntN(10))
		}
		sorted := slices.Clone(scores)
		slices.SortFunc(sorted, func(a, b float64) int { return int(b - a) })
		first, last := slices.Index(sorted, scores[0])+1, 0
		for i, s := range sorted {
			if s == scores[0] {
				last = i + 1
			}
		}
		rank := float64(first+last) / 2
		if want := math.Log2(float64(len(scores)) / rank); !near(exposure(scores), want) {
			t.Errorf("%v: exposure %v, want %v", scores, exposure(scores), want)
		}
	}
	if got := exposure([]float64{9, 1, 2, 3}); got != 2 {
		t.Errorf("the best of four: %v bits, want 2", got)
	}
	if got := exposure([]float64{0, 1, 2, 3}); got != 0 {
		t.Errorf("the worst of four: %v bits, want 0", got)
	}
	if got, want := chance(4), (2+1+(2-math.Log2(3))+0)/4; !near(got, want) {
		t.Errorf("by chance: %v bits, want %v", got, want)
	}
	if got := chance(1 << 20); math.Abs(got-math.Log2E) > 1e-3 {
		t.Errorf("by chance among many: %v bits, want log2 e", got)
	}
}

// A tagger that is surer of words that it has seen.
type parrot struct{ seen map[string]bool }

func (p parrot) Tag(context.Context, []*data.Document) ([][]data.Span, error) { panic("has scores") }

func (p parrot) Chains() []taggers.Chain {
	return []taggers.Chain{{Labels: []string{"O", "B-PATIENT"}}}
}

func (p parrot) Scores(_ context.Context, docs []*data.Document) ([][][]taggers.TokenScores, error) {
	var all [][][]taggers.TokenScores
	for _, d := range docs {
		var tokens []taggers.TokenScores
		at := 0
		for _, w := range strings.Fields(d.Text) {
			at += strings.Index(d.Text[at:], w)
			s := taggers.TokenScores{Token: data.Token{Start: at, End: at + len(w)}, Marginals: []float64{0.5, 0.5}}
			if p.seen[w] {
				s.Marginals = []float64{1e-30, 1} // the probability itself is not above that of a candidate with 1e-20
			} else if strings.ContainsAny(w, "aeiou") {
				s.Marginals = []float64{1e-20, 1}
			}
			tokens = append(tokens, s)
			at += len(w)
		}
		all = append(all, [][]taggers.TokenScores{tokens})
	}
	return all, nil
}

// A toy that knows its canaries exposes each of them completely, even where probabilities are 1 in floating point; one that knows none has the exposure of chance.
func TestExpose(t *testing.T) {
	for _, knows := range []bool{true, false} {
		p := parrot{map[string]bool{}}
		opt := Options{Candidates: 63, Seed: 1}
		for i := range 20 {
			value := fmt.Sprintf("Zz%dyx Zz%dyy", i, i)
			for _, w := range strings.Fields(value) {
				p.seen[w] = knows
			}
			d := &data.Document{Text: "seen by " + value + " today", Spans: []data.Span{{Start: 8, End: 8 + len(value), Type: "PATIENT"}}}
			opt.Canaries = append(opt.Canaries, Canary{Form: nameForm, Times: 1 + i%2, Patients: 1, note: d, place: d.Spans[0]})
		}
		x, err := expose(t.Context(), p, opt)
		if err != nil {
			t.Fatal(err)
		}
		want, first := 6.0, 20
		if !knows {
			want, first = 0, 0 // its words have no vowels, so all candidates are above
		}
		if x.Most != 6 || len(x.Groups) != 4 || x.Groups[0].Canaries != 20 || x.Groups[0].First != first || !near(x.Groups[0].Exposure.Value, want) ||
			x.Groups[3].Name != "names in 2 notes" || x.Groups[3].Canaries != 10 {
			t.Errorf("knows %v: %+v", knows, x)
		}
	}
}

// Canaries replace PHI of the same form, in as many notes as they should, of as few patients as possible, and nothing else changes.
func TestPlant(t *testing.T) {
	docs := notes(t, 80, synth.Train)
	before := fmt.Sprint(texts(docs))
	planted, canaries, err := Plant(docs, types(t), 24, 1)
	if err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(texts(docs)) != before {
		t.Error("the notes themselves changed")
	}
	for i, d := range planted {
		if d.ID != docs[i].ID || d.Patient != docs[i].Patient || len(d.Spans) != len(docs[i].Spans) {
			t.Fatalf("note %d is another one", i)
		}
		rest := func(d *data.Document) (parts []string) { // outside of the spans
			at := 0
			for _, s := range d.Spans {
				if s.Start >= at {
					parts = append(parts, d.Text[at:s.Start])
					at = s.End
				}
			}
			return append(parts, d.Text[at:])
		}
		if diff := cmp.Diff(rest(docs[i]), rest(d)); diff != "" {
			t.Fatalf("note %d: text outside of PHI changed:\n%s", i, diff)
		}
		for k, s := range d.Spans {
			if s.Type != docs[i].Spans[k].Type {
				t.Errorf("note %d: a type changed", i)
			}
		}
	}
	byTimes := map[int]int{}
	for i, c := range canaries {
		byTimes[c.Times]++
		value := c.note.Text[c.place.Start:c.place.End]
		var with []*data.Document
		patients := map[string]bool{}
		for _, d := range planted {
			if n := strings.Count(d.Text, value); n == 1 {
				with = append(with, d)
				patients[d.Patient] = true
			} else if n > 1 {
				t.Errorf("canary %d is %d times in a note", i, n)
			}
			for _, s := range d.Spans {
				if d.Text[s.Start:s.End] == value && s.Type != c.Type {
					t.Errorf("canary %d has the types %s and %s", i, c.Type, s.Type)
				}
			}
		}
		sort := types(t).Describe(c.Type).Sort
		if len(with) != c.Times || len(patients) != c.Patients || c.Patients > c.Times {
			t.Errorf("canary %d is in %d notes of %d patients, want %d of %d", i, len(with), len(patients), c.Times, c.Patients)
		}
		if c.Form == nameForm && sort != data.Person || c.Form == numberForm && sort != data.Number && sort != data.Phone {
			t.Errorf("a canary that is a %s stands instead of %s", c.Form, c.Type)
		}
		if strings.Contains(c.note.Text, "\n") || len(c.note.Text) > 2*around+40 {
			t.Errorf("canary %d is read in a text of %d bytes", i, len(c.note.Text))
		}
	}
	if !maps.Equal(byTimes, map[int]int{1: 6, 2: 6, 4: 6, 8: 6}) {
		t.Errorf("repeats %v", byTimes)
	}
	again, same, err := Plant(docs, types(t), 24, 1)
	if err != nil || fmt.Sprint(texts(again)) != fmt.Sprint(texts(planted)) || same[3].Type != canaries[3].Type {
		t.Errorf("the same seed plants others (%v)", err)
	}
	if other, _, err := Plant(docs, types(t), 24, 2); err != nil || fmt.Sprint(texts(other)) == fmt.Sprint(texts(planted)) {
		t.Errorf("another seed plants the same (%v)", err)
	}
	if _, _, err := Plant(docs[:6], types(t), 100, 1); err == nil || !strings.Contains(err.Error(), "plant fewer") {
		t.Errorf("too many canaries: error %v", err)
	}
	if _, _, err := Plant(docs, types(t), 0, 1); err == nil {
		t.Error("no canaries: no error")
	}
}

// All notes of one patient, and with unknown patients: canaries are in the notes of one patient if it has enough, and of few otherwise.
func TestCanariesOfAPatient(t *testing.T) {
	for _, patients := range []int{1, 8} {
		var docs []*data.Document
		for i := range 8 {
			d := &data.Document{ID: fmt.Sprint(i), Text: "Name: Éva Novák-Ünal, aged 40.", Spans: []data.Span{{Start: 6, End: 23, Type: "PATIENT"}, {Start: 30, End: 32, Type: "AGE"}}}
			if patients == 1 {
				d.Patient = "p"
			}
			docs = append(docs, d)
		}
		out, _, err := Plant(docs, types(t), 1, 1)
		if err != nil {
			t.Fatal(err)
		}
		p := newPlanter(docs, types(t), rand.New(rand.NewPCG(1, 1)))
		spots := p.spots(key{nameForm, "PATIENT"}, 8)
		of := map[int]bool{}
		for _, s := range spots {
			of[p.patientOf[s.doc]] = true
		}
		if len(spots) != 8 || len(of) != patients {
			t.Errorf("%d spots of %d patients, want 8 of %d", len(spots), len(of), patients)
		}
		i := slices.IndexFunc(out, func(d *data.Document) bool { return d.Text != docs[0].Text })
		if s := out[i].Spans[1]; out[i].Text[s.Start:s.End] != "40" {
			t.Errorf("the span after the canary moved to %q", out[i].Text[s.Start:s.End])
		}
	}
}

func texts(docs []*data.Document) (all []string) {
	for _, d := range docs {
		all = append(all, d.Text)
	}
	return all
}

// The probabilities of a type are those of its labels, of several chains their product, and of a tagger
// without labels those of its estimates.
func TestBeliefs(t *testing.T) {
	b := belief{log: logOf(1-1e-20, 1e-20)}
	b.setOdds()
	if want := 20 * math.Ln10; math.Abs(b.odds-want) > 1e-6 {
		t.Errorf("odds of a probability near 1: %v, want %v", b.odds, want)
	}
	b = belief{log: logOf(1e-20, 1)}
	b.setOdds()
	if want := -20 * math.Ln10; math.Abs(b.odds-want) > 1e-6 {
		t.Errorf("odds of a probability near 0: %v, want %v", b.odds, want)
	}
	for right, wrong := range map[float64]float64{0: 1, 1: 0} {
		b = belief{log: logOf(right, wrong)}
		b.setOdds()
		if math.IsNaN(b.odds) || math.Abs(b.odds) > limit {
			t.Errorf("odds of %v: %v", right, b.odds)
		}
	}
	d := &data.Document{Text: "Ann is 40", Spans: []data.Span{{Start: 0, End: 3, Type: "PATIENT"}}}
	all := ofSpans([]*data.Document{d}, [][]data.Span{{{Start: 0, End: 3, Type: "PATIENT", Score: 0.8}, {Start: 7, End: 9, Type: "AGE", Score: 0.25}}})
	for k, want := range []float64{0.8, 1, 0.75} {
		if got := math.Exp(all[0][k].log); !near(got, want) {
			t.Errorf("token %d: probability %v, want %v", k, got, want)
		}
	}
	if c, ok := confidence(all[0], d.Spans[0]); !ok || !near(c, math.Log(4)) {
		t.Errorf("confidence %v, want log 4", c)
	}
	if got, want := loss(all[0]), -(math.Log(0.8)+math.Log(0.75))/3; !near(got, want) {
		t.Errorf("loss %v, want %v", got, want)
	}
	two := chained{}
	scores, err := ofScorer(t.Context(), two, []*data.Document{d})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := math.Exp(scores[0][0].log), (0.5+0.2)*0.9; !near(got, want) {
		t.Errorf("two chains: probability %v, want %v", got, want)
	}
}

// chained has a chain for each of two types, and one token.
type chained struct{ parrot }

func (chained) Chains() []taggers.Chain {
	return []taggers.Chain{{Name: "PATIENT", Labels: []string{"O", "B-PATIENT", "I-PATIENT"}}, {Name: "AGE", Labels: []string{"O", "B-AGE"}}}
}

func (chained) Scores(context.Context, []*data.Document) ([][][]taggers.TokenScores, error) {
	tok := data.Token{Start: 0, End: 3}
	return [][][]taggers.TokenScores{{{{Token: tok, Marginals: []float64{0.3, 0.5, 0.2}}}, {{Token: tok, Marginals: []float64{0.9, 0.1}}}}}, nil
}

// A whole measurement of a network and a CRF that learn their notes by heart: it finds their words, tells members from others, and is the same each time. A clean model has
// none of the words.
func TestMeasure(t *testing.T) {
	all := notes(t, 90, synth.Train)
	train, held := all[:60], all[60:]
	planted, canaries, err := Plant(train, types(t), 8, 1)
	if err != nil {
		t.Fatal(err)
	}
	small := crf.DefaultConfig()
	small.Features = []feature.Spec{{Family: "word", Window: 1}, {Family: "suffix", Size: 3}}
	small.Training.Iterations, small.Training.L2 = 30, 0.01
	clean := small
	clean.MinPatients = 5
	opt := DefaultOptions()
	opt.Canaries, opt.Candidates = canaries, 31
	var reports []*Report
	for _, cfg := range []crf.Config{small, small, clean} {
		model, err := cfg.Fit(t.Context(), taggers.Task{Name: "x", Types: types(t), Train: planted, Seed: 1, Workers: 2})
		if err != nil {
			t.Fatal(err)
		}
		r, err := Measure(t.Context(), model, planted, held, opt)
		if err != nil {
			t.Fatal(err)
		}
		reports = append(reports, r)
	}
	if diff := cmp.Diff(reports[0], reports[1]); diff != "" {
		t.Errorf("two measurements differ:\n%s", diff)
	}
	as, is := reports[0], reports[2]
	p := as.Parts[0]
	switch {
	case len(as.Parts) != 1 || p.Kind != "crf" || p.Name != "" || p.Notes.Train != 30 || p.Notes.Held != 30:
		t.Errorf("parts %+v", as.Parts)
	case as.Vocabulary.One.Stored != as.Vocabulary.One.All || as.Vocabulary.One.StoredPHI != as.Vocabulary.One.PHI || as.Vocabulary.One.PHI == 0 || as.Vocabulary.Unseen.All == 0:
		t.Errorf("a CRF of words: vocabulary %+v", as.Vocabulary)
	case p.Notes.AUC.Low <= 0.5 || p.Notes.Advantage.Value <= p.Notes.Chance:
		t.Errorf("a model that knows its notes by heart: %+v", p.Notes)
	case p.Exposure.Groups[0].Exposure.Low <= p.Exposure.Chance || p.Exposure.Most != 5:
		t.Errorf("exposure %+v", p.Exposure)
	case is.Vocabulary.One.Stored+is.Vocabulary.Few.Stored > 0 || is.Vocabulary.One.All == 0:
		t.Errorf("a clean model: vocabulary %+v", is.Vocabulary)
	case is.F1.F1() == 0:
		t.Error("a clean model finds nothing")
	}

	network := ann.DefaultConfig()
	network.Tokenizer, network.Sentences = "letters-digits", "line"
	network.Network.TokenLSTM, network.Training.Epochs, network.Training.Patience = []int{8}, 1, 0
	model, err := network.Fit(t.Context(), taggers.Task{Name: "x", Types: types(t), Train: planted, Seed: 1, Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	r, err := Measure(t.Context(), model, planted, held, opt)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Parts) != 1 || r.Parts[0].Kind != "ann" || r.Vocabulary.One.Stored != r.Vocabulary.One.All || r.Parts[0].Exposure.Canaries != 8 {
		t.Errorf("network: %+v", r)
	}
	for name, bad := range map[string]Options{"patients": {Patients: 1, Candidates: 1}, "candidates": {Patients: 2}} {
		if _, err := Measure(t.Context(), model, planted, held, bad); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	if _, err := Measure(t.Context(), model, nil, held, opt); err == nil {
		t.Error("no training notes: no error")
	}
}
