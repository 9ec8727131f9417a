package operating

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/evaluation"
)

// The isotonic fit is the slope of the greatest convex minorant. The formula max over i
// <= k of min over j >= k of mean(i..j) gives it as well (Barlow et al. 1972). The half
// cases are added afterwards.
func TestFitAgainstMaxMin(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 200 {
		var all []outcome
		for i := range 1 + rng.IntN(12) {
			all = append(all, outcome{float64(i) + rng.Float64()/2, rng.IntN(2) == 0})
		}
		c := fit(all)
		mean := func(i, j int) float64 {
			sum := 0.0
			for _, o := range all[i : j+1] {
				if o.right {
					sum++
				}
			}
			return sum / float64(j-i+1)
		}
		var want []float64
		for k := range all {
			best := 0.0
			for i := 0; i <= k; i++ {
				least := 1.0
				for j := k; j < len(all); j++ {
					least = min(least, mean(i, j))
				}
				best = max(best, least)
			}
			want = append(want, best)
		}
		pools := slices.Compact(slices.Clone(want))
		if len(c.Probabilities) != len(pools) {
			t.Fatalf("%d pools, want %d: %v", len(c.Probabilities), len(pools), want)
		}
		for i, p := range pools {
			n, first := 0, 0.0
			for k, w := range want {
				if w == p {
					n++
					first += all[k].score
				}
			}
			half := (p*float64(n) + 0.5) / float64(n+1)
			switch {
			case len(pools) == 1:
				p = half
			case i == 0:
				p = min(half, pools[1])
			case i == len(pools)-1:
				p = max(half, pools[i-1])
			}
			if math.Abs(c.Probabilities[i]-p) > 1e-12 {
				t.Fatalf("probability %v, want %v", c.Probabilities[i], p)
			}
			if math.Abs(c.Scores[i]-first/float64(n)) > 1e-12 {
				t.Fatalf("pool %d lies at %v, want %v", i, c.Scores[i], first/float64(n))
			}
		}
		if !slices.IsSorted(c.Probabilities) {
			t.Fatal("a calibration decreases")
		}
	}
}

// The half cases of a small first pool once raised all probabilities that were lower, so that a low threshold took far too much.
func TestSmallFirstPoolRaisedOthers(t *testing.T) {
	all := []outcome{{0.001, false}}
	for i := range 1000 {
		all = append(all, outcome{0.002 + float64(i)/1e6, i%100 == 0})
	}
	if p := fit(all).At(0.0025); math.Abs(p-0.01) > 0.005 {
		t.Errorf("one of a hundred has the probability %v", p)
	}
}

func TestAt(t *testing.T) {
	c := Calibration{[]float64{0.2, 0.6}, []float64{0.1, 0.5}}
	for score, want := range map[float64]float64{0: 0, 0.1: 0.05, 0.2: 0.1, 0.4: 0.3, 0.6: 0.5, 1: 0.5} {
		if got := c.At(score); math.Abs(got-want) > 1e-12 {
			t.Errorf("At(%v) is %v, want %v", score, got, want)
		}
	}
	if got := (Calibration{}).At(0.3); got != 0.3 {
		t.Errorf("without cases: %v", got)
	}
}

func TestReliability(t *testing.T) {
	var all []outcome
	for i := range 100 { // 0.05 said of the first ten, and so on; all right from the half on
		all = append(all, outcome{float64(i/10)/10 + 0.05, i >= 50})
	}
	r := reliability(all)
	if len(r.Bins) != bins || r.Bins[3].Cases != 10 || r.Bins[3].Right != 0 || math.Abs(r.Bins[3].Said-0.35) > 1e-12 || r.Bins[7].Observed() != 1 {
		t.Errorf("%v", r.Bins)
	}
	// the differences: 0.05, 0.15, 0.25, 0.35, 0.45, then the same backwards
	if math.Abs(r.Error-0.25) > 1e-12 {
		t.Errorf("error %v, want 0.25", r.Error)
	}
	if r := reliability(all[:3]); len(r.Bins) != 3 {
		t.Errorf("of three cases: %v", r.Bins)
	}
	if r := reliability(nil); len(r.Bins) != 0 || r.Error != 0 {
		t.Errorf("of none: %v", r)
	}
}

// The ends of the interval are the shares for which so few or so many right cases have
// a probability of 2.5 %. The test sums the binomial distribution itself.
func TestBinInterval(t *testing.T) {
	binomial := func(n, k int, p float64) float64 {
		logChoose := 0.0
		for i := range k {
			logChoose += math.Log(float64(n-i)) - math.Log(float64(i+1))
		}
		return math.Exp(logChoose) * math.Pow(p, float64(k)) * math.Pow(1-p, float64(n-k))
	}
	for _, b := range []Bin{{Cases: 10, Right: 3}, {Cases: 412, Right: 2}, {Cases: 7, Right: 0}, {Cases: 7, Right: 7}} {
		low, high := b.Interval()
		atLeast, atMost := 0.0, 0.0
		for k := range b.Cases + 1 {
			if k >= b.Right {
				atLeast += binomial(b.Cases, k, low)
			}
			if k <= b.Right {
				atMost += binomial(b.Cases, k, high)
			}
		}
		if (b.Right == 0) != (low == 0) || low > 0 && math.Abs(atLeast-0.025) > 1e-9 {
			t.Errorf("%v: from %v, above which the probability is %v", b, low, atLeast)
		}
		if (b.Right == b.Cases) != (high == 1) || high < 1 && math.Abs(atMost-0.025) > 1e-9 {
			t.Errorf("%v: to %v, below which the probability is %v", b, high, atMost)
		}
	}
}

// oracle is a tagger that finds the words in capitals, and doubts the words that begin
// with a capital.
type oracle struct{}

func (o oracle) Tag(ctx context.Context, docs []*data.Document) ([][]data.Span, error) {
	found, _, err := o.Probe(ctx, docs, 0)
	return found, err
}

func (oracle) Probe(_ context.Context, docs []*data.Document, from float64) (found, doubts [][]data.Span, err error) {
	for _, d := range docs {
		var f, u []data.Span
		for tok := range evaluation.Tokens(d.Text) {
			w := d.Text[tok.Start:tok.End]
			switch {
			case w == strings.ToUpper(w):
				f = append(f, data.Span{Start: tok.Start, End: tok.End, Type: "NAME", Score: 0.9})
			case w[:1] == strings.ToUpper(w[:1]) && 0.3 >= from:
				u = append(u, data.Span{Start: tok.Start, End: tok.End, Type: "NAME", Score: 0.3})
			case w[:1] == "x" && 0.01 >= from:
				u = append(u, data.Span{Start: tok.Start, End: tok.End, Type: "NAME", Score: 0.01})
			}
		}
		found, doubts = append(found, f), append(doubts, u)
	}
	return found, doubts, nil
}

// corpus has names in capitals, which are found; with one capital, which are doubts; in
// lower case with an initial x, which are slight doubts; and others, which are never
// found.
func corpus(n int) []*data.Document {
	rng := rand.New(rand.NewPCG(2, 2))
	var docs []*data.Document
	for range n {
		d := &data.Document{}
		for range 20 {
			word, phi := "seen", false
			switch k := rng.IntN(100); {
			case k < 40:
				word, phi = "AMUNDSEN", true
			case k < 50:
				word, phi = "Falk", rng.IntN(2) == 0
			case k < 70:
				word, phi = "xoda", rng.IntN(20) == 0
			case k == 99:
				word, phi = "åse", true
			}
			if d.Text != "" {
				d.Text += " "
			}
			if phi {
				d.Spans = append(d.Spans, data.Span{Start: len(d.Text), End: len(d.Text) + len(word), Type: "NAME", Score: 1})
			}
			d.Text += word
		}
		docs = append(docs, d)
	}
	return docs
}

func TestFitAndApply(t *testing.T) {
	docs := corpus(300)
	curve, err := Fit(context.Background(), oracle{}, docs)
	if err != nil {
		t.Fatal(err)
	}
	leak := func(point Point) float64 {
		found, err := New(oracle{}, curve, point).Tag(context.Background(), docs)
		if err != nil {
			t.Fatal(err)
		}
		l := evaluation.NewLeak(&data.TypeSet{})
		for i, d := range docs {
			l.Add(d, &data.Document{Text: d.Text, Spans: found[i]})
		}
		r := l.Report(1)
		return 1 - float64(r.Tokens.Left)/float64(r.Tokens.Total)
	}
	recalls := map[float64]float64{}
	for _, p := range curve.Points {
		recalls[p.Target] = p.Recall
		// Cross-fitted counts differ a little from those of all documents at once.
		if got := leak(p); math.Abs(got-p.Recall) > 0.003 {
			t.Errorf("target %v: recall %v by the scorer, %v by the curve", p.Target, got, p.Recall)
		}
		if !(p.Low <= p.Recall && p.Recall <= p.High) {
			t.Errorf("target %v: recall %v outside [%v, %v]", p.Target, p.Recall, p.Low, p.High)
		}
	}
	if recalls[0.98] < 0.98 || recalls[0] > 0.95 {
		t.Errorf("recalls %v", recalls)
	}
	if got := curve.Doubts.At(0.3); math.Abs(got-0.5) > 0.06 {
		t.Errorf("a doubt of 0.3 is PHI with probability %v, want about 0.5", got)
	}
	if curve.Error > 0.02 {
		t.Errorf("calibration error %v", curve.Error)
	}
	if _, err := curve.At(0.9999); err == nil {
		t.Error("a recall beyond the curve was accepted")
	}
	if p, err := curve.At(0.991); err != nil || p.Target != 0.9925 {
		t.Errorf("for 0.991: %v, %v", p, err)
	}

	// The raw scores of doubts are 0.3 and 0.01, and those of spans 0.9. Half and a
	// twentieth of these doubts are PHI, and all spans are.
	if raw := curve.DoubtsWorth.Raw; math.Abs(raw.Error-(0.2*1+0.04*2)/3) > 0.02 || math.Abs(raw.Bins[0].Said-0.01) > 1e-12 || math.Abs(raw.Bins[9].Said-0.3) > 1e-12 {
		t.Errorf("raw doubts: %+v", raw)
	}
	if raw := curve.SpansWorth.Raw; math.Abs(raw.Error-0.1) > 1e-9 || curve.SpansWorth.Calibrated.Error > 0.002 {
		t.Errorf("spans: %+v", curve.SpansWorth)
	}
}

func TestWriteAndRead(t *testing.T) {
	curve, err := Fit(context.Background(), oracle{}, corpus(50))
	if err != nil {
		t.Fatal(err)
	}
	curve.Model, curve.Split = "sha256:07", "dev"
	dir := t.TempDir()
	if _, err := Read(dir, curve.Model); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without a curve: %v", err)
	}
	card := filepath.Join(dir, "README.md")
	if err := os.WriteFile(card, []byte("# Model\n\n## Limits\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := curve.Write(dir); err != nil {
		t.Fatal(err)
	}
	again, err := Read(dir, curve.Model)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(curve, again); diff != "" {
		t.Error(diff)
	}
	text, err := os.ReadFile(card)
	if err != nil {
		t.Fatal(err)
	}
	best, all := curve.Points[0], curve.Points[7] // in so small a corpus 0.999 is out of reach
	for _, want := range []string{
		"## Operating points\n", "dev split: 50 notes", "What this does not promise", "\n## Limits\n",
		fmt.Sprintf("\n| best path | - | %.4f | [%.4f, %.4f] | %.4f |\n", best.Recall, best.Low, best.High, best.Precision),
		fmt.Sprintf("\n| 0.999 | all | %.4f | [%.4f, %.4f] | %.4f |\n", all.Recall, all.Low, all.High, all.Precision),
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the card has no %q:\n%s", want, text)
		}
	}

	if _, err := Read(dir, "sha256:08"); !errors.Is(err, ErrOutdated) || !strings.Contains(err.Error(), "another model, or the model has changed since: run lethe calibrate RUN") {
		t.Errorf("of another model: %v", err)
	}
	const header = `{"version": 3, "model": "m", `
	for raw, want := range map[string]string{
		"":   "unexpected end",
		"{}": "an earlier version of lethe: run lethe calibrate RUN to measure them again",
		`{"span_bins": [{"cases": 572, "said": 0.84, "observed": 0.85}], "points": [{}], "doubts": {"": {}}}`: "an earlier version",
		`{"version": 4, "model": "m"}`: "a later version",
		header + `"points": []}`:       "no operating points",
		header + `"points": [{}], "documents": 1, "doubts": {"scores": [1, 0], "probabilities": [0, 1]}}`: "a calibration decreases",
	} {
		if err := os.WriteFile(filepath.Join(dir, File), []byte(raw), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(dir, "m"); err == nil || !strings.Contains(err.Error(), File) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %s", raw, err, want)
		}
	}
}

// With a bias of b a token is PHI when p exp(b) is at least 1-p.
func TestBias(t *testing.T) {
	docs := []*data.Document{{Text: "AMUNDSEN Falk xoda"}}
	for bias, want := range map[float64]int{0.84: 1, 0.85: 2, 4.59: 2, 4.60: 3, MaxBias: 3} { // log(0.7/0.3) is 0.847, log(0.99/0.01) 4.595
		found, err := Bias(oracle{}, bias).Tag(context.Background(), docs)
		if err != nil {
			t.Fatal(err)
		}
		covered := 0
		for _, s := range found[0] {
			covered += len(strings.Fields(docs[0].Text[s.Start:s.End]))
		}
		if covered != want {
			t.Errorf("bias %v: %d words found, want %d", bias, covered, want)
		}
		if found[0][0].Score != 0.9 {
			t.Errorf("the tagger's own score is %v", found[0][0].Score)
		}
	}
}

func TestNeighbouringDoubtsAreOneSpan(t *testing.T) {
	docs := []*data.Document{{Text: "Oda Falk AMUNDSEN, Falk"}}
	curve := new(Curve)
	found, err := New(oracle{}, curve, Point{Target: 0.99, Threshold: 0.2}).Tag(context.Background(), docs)
	if err != nil {
		t.Fatal(err)
	}
	want := []data.Span{{Start: 0, End: 8, Type: "NAME", Score: 0.3}, {Start: 9, End: 17, Type: "NAME", Score: 0.9}, {Start: 19, End: 23, Type: "NAME", Score: 0.3}}
	if diff := cmp.Diff(want, found[0]); diff != "" {
		t.Error(diff)
	}
}

// The doubt "the" before a date was replaced by a tag of its own.
func TestArticleBesideADateWasTaken(t *testing.T) {
	const text = "Fever since the 5th, at the Mill"
	all := told{
		found:  []data.Span{{Start: 16, End: 19, Type: "DATE", Score: 0.9}},
		doubts: []data.Span{{Start: 12, End: 15, Type: "DATE", Score: 0.4}, {Start: 24, End: 27, Type: "PLACE", Score: 0.4}, {Start: 28, End: 32, Type: "PLACE", Score: 0.4}},
	}
	found, err := New(all, new(Curve), Point{Target: 0.99, Threshold: 0.2}).Tag(context.Background(), []*data.Document{{Text: text}})
	if err != nil {
		t.Fatal(err)
	}
	want := []data.Span{{Start: 16, End: 19, Type: "DATE", Score: 0.9}, {Start: 24, End: 32, Type: "PLACE", Score: 0.4}}
	if diff := cmp.Diff(want, found[0]); diff != "" {
		t.Error(diff)
	}
}

// told is a tagger with predetermined spans and doubts.
type told struct{ found, doubts []data.Span }

func (t told) Tag(context.Context, []*data.Document) ([][]data.Span, error) {
	return [][]data.Span{t.found}, nil
}

func (t told) Probe(context.Context, []*data.Document, float64) (found, doubts [][]data.Span, err error) {
	return [][]data.Span{slices.Clone(t.found)}, [][]data.Span{slices.Clone(t.doubts)}, nil
}

// If a doubt overlapped two others that did not overlap each other, the last was left
// in the text.
func TestOverlappingDoubtsAreAllTaken(t *testing.T) {
	docs := []*data.Document{{Text: "Oda Falk Lund"}}
	span := func(start, end int, score float64) data.Span {
		return data.Span{Start: start, End: end, Type: "NAME", Score: score}
	}
	for _, doubts := range [][]data.Span{
		{span(0, 3, 0.3), span(0, 8, 0.2), span(4, 8, 0.1)},
		{span(0, 3, 0.3), span(0, 8, 0.2)},
		{span(0, 8, 0.3), span(4, 8, 0.2)},
	} {
		found, err := Bias(told{doubts: doubts}, MaxBias).Tag(context.Background(), docs)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]data.Span{span(0, 8, 0.3)}, found[0]); diff != "" {
			t.Error(diff)
		}
	}
}

// The full stop in "62704. MR 7" became a span along with the doubts around it, with
// another type.
func TestSignsBesideDoubtsWereTaken(t *testing.T) {
	docs := []*data.Document{{Text: "62704. 7 (7)"}}
	doubt := func(start, end int, typ string) data.Span {
		return data.Span{Start: start, End: end, Type: typ, Score: 0.4}
	}
	found, err := Bias(told{doubts: []data.Span{
		doubt(0, 5, "ZIP"), doubt(5, 6, "IDNUM"), doubt(7, 8, "AGE"), doubt(9, 10, "AGE"), doubt(10, 11, "AGE"), doubt(11, 12, "ZIP"),
	}}, MaxBias).Tag(context.Background(), docs)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]data.Span{doubt(0, 5, "ZIP"), doubt(7, 11, "AGE")}, found[0]); diff != "" {
		t.Error(diff)
	}
}

// The counts of the curve at a threshold are those of the tagger at this threshold,
// whatever spans and doubts overlap.
func TestCountsAreThoseOfTheTagger(t *testing.T) {
	const text = "Oda Falk-Lund sah am 3.4. Zdeněk x7 Ørsted"
	rng := rand.New(rand.NewPCG(3, 3))
	random := func(from, to int) data.Span {
		start := from + rng.IntN(to-from)
		end := start + 1 + rng.IntN(min(9, to-start))
		for !utf8.RuneStart(text[start]) {
			start--
		}
		for end < len(text) && !utf8.RuneStart(text[end]) {
			end++
		}
		return data.Span{Start: start, End: end, Type: string(rune('A' + rng.IntN(2))), Score: float64(1+rng.IntN(9)) / 10}
	}
	for range 1000 {
		doc := &data.Document{Text: text}
		var all told
		for range rng.IntN(4) {
			doc.Spans = append(doc.Spans, random(0, len(text)))
		}
		doc.Spans = data.Flatten(doc.Spans)
		for range rng.IntN(3) {
			all.found = append(all.found, random(0, len(text)))
		}
		all.found = data.Flatten(all.found)
		for range rng.IntN(8) {
			if d := random(0, len(text)); !overlaps(all.found, d.Start, d.End) {
				all.doubts = append(all.doubts, d)
			}
		}
		slices.SortFunc(all.doubts, func(a, b data.Span) int { return a.Start - b.Start })
		curve := &Curve{Doubts: Calibration{[]float64{0.1, 1}, []float64{0.2, 0.7}}}
		n := examine(doc, all.found, all.doubts)
		for _, threshold := range []float64{0.05, 0.3, 0.5, 0.65} {
			found, err := New(all, curve, Point{Target: 0.9, Threshold: threshold}).Tag(context.Background(), []*data.Document{doc})
			if err != nil {
				t.Fatal(err)
			}
			for i := 1; i < len(found[0]); i++ {
				if found[0][i].Start < found[0][i-1].End {
					t.Fatalf("spans overlap: %v of %+v", found[0], all)
				}
			}
			leak := evaluation.NewLeak(&data.TypeSet{})
			leak.Add(doc, &data.Document{Text: text, Spans: found[0]})
			want := leak.Report(1).Tokens
			right, _, total := curve.count(n, threshold)
			if total != want.Total || total-right != want.Left {
				t.Fatalf("at %v the curve counts %d of %d PHI tokens left, the scorer %d of %d: %+v, gold %v", threshold, total-right, total, want.Left, want.Total, all, doc.Spans)
			}
		}
	}
}

// The report failed on a run with rules, because the mean of 30 scores of 1 was 1.000000000000001.
func TestAMeanOfOnesExceededOne(t *testing.T) {
	all := make([]outcome, 300)
	for i := range all {
		all[i] = outcome{score: 1, right: true}
	}
	for _, b := range reliability(all).Bins {
		if b.Said > 1 {
			t.Errorf("a bin says %v", b.Said)
		}
	}
}
