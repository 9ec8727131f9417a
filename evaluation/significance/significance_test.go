package significance

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/evaluation"
)

// Three documents, worked out by hand. What is shuffled are TP, FP, FN of
//
//	       A        B       swapping it adds to A
//	1   2, 1, 0  1, 0, 1    -1, -1, +1
//	2   1, 0, 1  1, 1, 1     0, +1,  0
//	3   3, 0, 0  2, 0, 1    -1,  0, +1
//	    6, 1, 1  4, 1, 3
//
// A swap of the others has the same absolute differences, so that there are four,
// twice each:
//
//	swapped      A        B         P      R      F1
//	none      6, 1, 1  4, 1, 3    2/35    2/7    4/21    (the observed ones)
//	1         5, 0, 2  5, 2, 2    2/7     0      5/42
//	2         6, 2, 1  4, 0, 3    1/4     2/7    4/55
//	3         5, 1, 2  5, 1, 2    0       0      0
func TestByHand(t *testing.T) {
	a := [][]float64{{2, 1, 0}, {1, 0, 1}, {3, 0, 0}}
	b := [][]float64{{1, 0, 1}, {1, 1, 1}, {2, 0, 1}}
	got, err := Test(t.Context(), a, b, evaluation.Micro, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !got.Exact || got.Shuffles != 7 || got.Differing != 3 {
		t.Errorf("%d shuffles, exact %v, %d units differ, want 7, true, 3", got.Shuffles, got.Exact, got.Differing)
	}
	for name, tc := range map[string]struct {
		got                 Difference
		a, b, difference, p float64
	}{
		"precision": {got.Precision, 6. / 7, 4. / 5, -2. / 35, 6. / 8},
		"recall":    {got.Recall, 6. / 7, 4. / 7, -2. / 7, 4. / 8},
		"F1":        {got.F1, 6. / 7, 2. / 3, -4. / 21, 2. / 8},
	} {
		if tc.got.P != tc.p || tc.got.A != tc.a || tc.got.B != tc.b || math.Abs(tc.got.Difference-tc.difference) > 1e-15 {
			t.Errorf("%s: %+v, want %+v", name, tc.got, tc)
		}
	}
}

// Enumerating all assignments in rational numbers, which do not round, gives
// exactly the p-values of Test. Half of the units may be equal.
func TestExactEnumeration(t *testing.T) {
	count := rapid.Custom(func(t *rapid.T) []float64 {
		var c []float64
		for range 3 {
			c = append(c, float64(rapid.IntRange(0, 3).Draw(t, "count")))
		}
		return c
	})
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 7).Draw(t, "units")
		a := rapid.SliceOfN(count, n, n).Draw(t, "A")
		b := rapid.SliceOfN(count, n, n).Draw(t, "B")
		p, shuffles, exact, err := newShuffler(a, b, evaluation.Micro).pValues(t.Context(), 9999, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if !exact || shuffles >= 1<<n {
			t.Fatalf("%d shuffles, exact %v", shuffles, exact)
		}
		if want := enumerate(a, b); p != want {
			t.Fatalf("p %v, by enumeration %v", p, want)
		}
	})
}

// enumerate implements the definition: the share of all 2^n assignments with a
// difference at least as large as the observed one.
func enumerate(a, b [][]float64) [3]float64 {
	differences := func(assignment int) (d [3]*big.Rat) {
		var total [2][3]int64
		for i := range a {
			mine := assignment >> i & 1
			for at := range 3 {
				total[mine][at] += int64(a[i][at])
				total[1-mine][at] += int64(b[i][at])
			}
		}
		ratio := func(a, b int64) *big.Rat {
			if b == 0 {
				return new(big.Rat)
			}
			return big.NewRat(a, b)
		}
		for k := range d {
			var side [2]*big.Rat
			for i, c := range total {
				tp, fp, fn := c[0], c[1], c[2]
				side[i] = []*big.Rat{ratio(tp, tp+fp), ratio(tp, tp+fn), ratio(2*tp, 2*tp+fp+fn)}[k]
			}
			d[k] = new(big.Rat)
			d[k].Abs(d[k].Sub(side[1], side[0]))
		}
		return d
	}
	observed := differences(0)
	var large [3]int
	for assignment := range 1 << len(a) {
		for k, d := range differences(assignment) {
			if d.Cmp(observed[k]) >= 0 {
				large[k]++
			}
		}
	}
	var p [3]float64
	for k := range p {
		p[k] = float64(large[k]) / float64(int(1)<<len(a))
	}
	return p
}

// With random shuffles, p is close to that of all 2^n assignments: within four
// standard errors of the share of r in s draws.
func TestDrawnIsNearExact(t *testing.T) {
	const shuffles = 1000
	random := rand.New(rand.NewPCG(1, 2))
	for round := range 20 {
		a, b := simulate(random, 14, round%4, nil)
		s := newShuffler(a, b, evaluation.Micro)
		want, all, exact, err := s.pValues(t.Context(), 1<<14, Options{})
		if err != nil || !exact || all <= shuffles {
			t.Fatalf("%d shuffles, exact %v, error %v", all, exact, err)
		}
		got, drawn, exact, err := s.pValues(t.Context(), shuffles, Options{Seed: uint64(round)})
		if err != nil || exact || drawn != shuffles {
			t.Fatalf("%d shuffles, exact %v, error %v", drawn, exact, err)
		}
		for i, p := range want {
			if math.Abs(got[i]-p)*shuffles > 4*math.Sqrt(shuffles*p*(1-p))+1 {
				t.Errorf("round %d: p %v, of all assignments %v", round, got, want)
			}
		}
	}
}

// simulate draws the tallies of two systems over documents of 5 to 25 entities,
// whose difficulty is the same for both. The larger worse is, the fewer B finds;
// with 0 both have the same distribution. If weight is given, it multiplies the
// numbers of each tally.
func simulate(random *rand.Rand, documents, worse int, weight func() float64) (a, b [][]float64) {
	binomial := func(n int, p float64) (k float64) {
		for range n {
			if random.Float64() < p {
				k++
			}
		}
		return k
	}
	for range documents {
		entities, hard := 5+random.IntN(21), random.Float64()/5
		draw := func(worse int) []float64 {
			w := 1.0
			if weight != nil {
				w = weight()
			}
			tp := binomial(entities, 0.95-0.03*float64(worse)-hard)
			return []float64{w * tp, w * binomial(6, 0.2), w * (float64(entities) - tp)}
		}
		a, b = append(a, draw(0)), append(b, draw(worse))
	}
	return a, b
}

// The p-values of two equally good systems are uniform: chi-square tests over
// 2,000 pairs. With weights that are not whole numbers, no two differences are
// equal, so all values (r+1)/(s+1) are equally likely or, if all assignments are
// used, all 2k/2^n, because swapping the other units instead has the same
// absolute difference.
func TestUniform(t *testing.T) {
	const pairs, bins, critical = 2000, 16, 37.70 // the 0.999 quantile of chi-square with 15 degrees of freedom
	for _, tc := range []struct {
		name                string
		documents, shuffles int
		grid                float64 // what all p-values are multiples of
	}{
		{"drawn", 50, 159, 1. / 160},
		{"exact", 9, 9999, 2. / 512},
	} {
		t.Run(tc.name, func(t *testing.T) {
			random := rand.New(rand.NewPCG(3, 4))
			var histogram [3][bins]int
			for pair := range pairs {
				a, b := simulate(random, tc.documents, 0, func() float64 { return 1 + random.Float64() })
				p, _, exact, err := newShuffler(a, b, evaluation.Micro).pValues(t.Context(), tc.shuffles, Options{Seed: uint64(pair)})
				if err != nil || exact != (tc.name == "exact") {
					t.Fatal(exact, err)
				}
				for i, p := range p {
					step := math.Round(p / tc.grid) // 1, 2, ...
					if math.Abs(step*tc.grid-p) > 1e-9 {
						t.Fatalf("p %v is no multiple of %v", p, tc.grid)
					}
					histogram[i][int((step-1)*tc.grid*bins)]++
				}
			}
			for i, counts := range histogram {
				chi2 := 0.0
				for _, n := range counts {
					chi2 += math.Pow(float64(n)-pairs/bins, 2) / (pairs / bins)
				}
				t.Logf("%s: chi-square %.1f, %v", []string{"precision", "recall", "F1"}[i], chi2, counts)
				if chi2 > critical {
					t.Errorf("%s: chi-square %.1f above %v: %v", []string{"precision", "recall", "F1"}[i], chi2, critical, counts)
				}
			}
		})
	}
}

// Without weights, equal differences make p-values discrete. They may then be too
// large but not too small: p <= alpha for a share of at most alpha of the pairs,
// within four standard errors, and not far fewer.
func TestHoldsLevelWithTies(t *testing.T) {
	const pairs = 2000
	random := rand.New(rand.NewPCG(5, 6))
	below := map[float64]*[3]int{0.01: {}, 0.05: {}, 0.1: {}, 0.5: {}}
	for pair := range pairs {
		a, b := simulate(random, 50, 0, nil)
		p, _, _, err := newShuffler(a, b, evaluation.Micro).pValues(t.Context(), 199, Options{Seed: uint64(pair)})
		if err != nil {
			t.Fatal(err)
		}
		for alpha, counts := range below {
			for i := range p {
				if p[i] <= alpha {
					counts[i]++
				}
			}
		}
	}
	for alpha, counts := range below {
		t.Logf("p <= %v in %v of %d", alpha, *counts, pairs)
		margin := 4 * math.Sqrt(pairs*alpha*(1-alpha))
		for _, n := range counts {
			if got := float64(n); got > alpha*pairs+margin || got < 0.8*alpha*pairs-margin {
				t.Errorf("p <= %v for %v of %d pairs", alpha, *counts, pairs)
			}
		}
	}
}

// If the notes of each patient suit one of the systems, which may be either,
// swapping single documents mistakes this for differences between the systems.
// p-values by patient do not.
func TestPatients(t *testing.T) {
	const pairs, patients, notes = 500, 20, 10
	random := rand.New(rand.NewPCG(7, 8))
	var wrong [2]int // p of recall at most 0.05: by document, by patient
	for pair := range pairs {
		var ofDocuments, ofPatients [2][][]float64
		for range patients {
			suits := random.IntN(2)
			var sum [2][]float64
			for i := range sum {
				sum[i] = make([]float64, 3)
			}
			for range notes {
				for system := range 2 {
					tp := float64(6 + random.IntN(3))
					if system == suits {
						tp += 2
					}
					tally := []float64{tp, 0, 10 - tp}
					ofDocuments[system] = append(ofDocuments[system], tally)
					for at, v := range tally {
						sum[system][at] += v
					}
				}
			}
			for system := range 2 {
				ofPatients[system] = append(ofPatients[system], sum[system])
			}
		}
		for by, tallies := range [][2][][]float64{ofDocuments, ofPatients} {
			p, _, _, err := newShuffler(tallies[0], tallies[1], evaluation.Micro).pValues(t.Context(), 199, Options{Seed: uint64(pair)})
			if err != nil {
				t.Fatal(err)
			}
			if p[1] <= 0.05 {
				wrong[by]++
			}
		}
	}
	t.Logf("of %d pairs alike, p <= 0.05: by document %d, by patient %d", pairs, wrong[0], wrong[1])
	if wrong[0] < pairs/5 {
		t.Errorf("by document only %d of %d: the notes of a patient are not alike enough for this test", wrong[0], pairs)
	}
	if wrong[1] > 25+4*5 { // expected 25, standard deviation 4.9
		t.Errorf("by patient %d of %d pairs have p <= 0.05", wrong[1], pairs)
	}
}

// The interval contains the true difference in about 95 of 100 corpora. The truth
// follows from the means of simulate: 15 entities per document, of which a share
// of 0.95 - 0.03 worse - 0.1 is found, and 1.2 false ones.
func TestCoverage(t *testing.T) {
	const corpora, documents, worse = 200, 50, 1
	truth := func(worse float64) [3]float64 {
		tp := 15 * (0.85 - 0.03*worse)
		return values(evaluation.Micro([]float64{tp, 1.2, 15 - tp}))
	}
	better, poorer := truth(0), truth(worse)
	random := rand.New(rand.NewPCG(9, 10))
	var inside [3]int
	for corpus := range corpora {
		a, b := simulate(random, documents, worse, nil)
		r, err := Test(t.Context(), a, b, evaluation.Micro, Options{Shuffles: 1, Seed: uint64(corpus)})
		if err != nil {
			t.Fatal(err)
		}
		for i, d := range r.differences() {
			if want := poorer[i] - better[i]; d.Low <= want && want <= d.High {
				inside[i]++
			}
		}
	}
	t.Logf("inside: %v of %d", inside, corpora)
	for _, n := range inside {
		if share := float64(n) / corpora; share < 0.90 || share > 0.985 { // the standard error is 0.015
			t.Errorf("the intervals of P, R and F1 hold the truth in %v of %d corpora", inside, corpora)
		}
	}
}

func TestBootstrap(t *testing.T) {
	// A draw of two units has the sums 0, 1, 2 with probabilities 1/4, 1/2, 1/4.
	sum := func(total []float64) []float64 { return []float64{total[0], -total[0]} }
	got, err := bootstrap(t.Context(), [][]float64{{0}, {1}}, sum, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if want := []interval{{0, 2}, {-2, 0}}; !slices.Equal(got, want) {
		t.Errorf("intervals %v, want %v", got, want)
	}

	// The mean of many units is nearly normal: 1.96 standard errors to either side.
	random := rand.New(rand.NewPCG(11, 12))
	const n = 400
	var (
		units         [][]float64
		mean, squares float64
	)
	for range n {
		v := random.NormFloat64()
		units, mean, squares = append(units, []float64{v}), mean+v/n, squares+v*v/n
	}
	error := math.Sqrt((squares - mean*mean) / n)
	got, err = bootstrap(t.Context(), units, func(total []float64) []float64 { return []float64{total[0] / n} }, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, end := range [][2]float64{{got[0].low, mean - 1.96*error}, {got[0].high, mean + 1.96*error}} {
		if math.Abs(end[0]-end[1]) > 0.1*error { // the quantile of 9,999 draws has a standard error of 0.027
			t.Errorf("an end of the interval at %v, in theory %v", end[0], end[1])
		}
	}
}

// The numbers depend on the seed but not on the number of workers.
func TestWorkers(t *testing.T) {
	a, b := simulate(rand.New(rand.NewPCG(13, 14)), 200, 0, nil)
	test := func(seed uint64, workers int) *Result {
		r, err := Test(t.Context(), a, b, evaluation.Micro, Options{Seed: seed, Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	want := test(1, 1)
	for _, workers := range []int{0, 2, 7} {
		if diff := cmp.Diff(want, test(1, workers)); diff != "" {
			t.Errorf("%d workers (-1 worker, +%d):\n%s", workers, workers, diff)
		}
	}
	other := test(2, 1)
	if other.F1.P == want.F1.P || other.F1.Low == want.F1.Low {
		t.Error("another seed gives the same p or interval")
	}
	if math.Abs(other.F1.P-want.F1.P) > 0.03 || math.Abs(other.F1.Low-want.F1.Low) > 0.1*(want.F1.High-want.F1.Low) {
		t.Errorf("two seeds: %+v and %+v", want.F1, other.F1)
	}
}

// Swapping the two systems changes only signs.
func TestSymmetric(t *testing.T) {
	a, b := simulate(rand.New(rand.NewPCG(15, 16)), 100, 1, nil)
	r, err := Test(t.Context(), a, b, evaluation.Micro, Options{})
	if err != nil {
		t.Fatal(err)
	}
	back, err := Test(t.Context(), b, a, evaluation.Micro, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i, d := range back.differences() {
		d.A, d.B, d.Difference, d.Low, d.High = d.B, d.A, -d.Difference, -d.High, -d.Low
		d.ALow, d.AHigh, d.BLow, d.BHigh = d.BLow, d.BHigh, d.ALow, d.AHigh
		if got := r.differences()[i]; *got != *d {
			t.Errorf("A, B: %+v; B, A turned round: %+v", *got, *d)
		}
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	a, b := simulate(rand.New(rand.NewPCG(1, 1)), 50, 0, nil)
	if r, err := Test(ctx, a, b, evaluation.Micro, Options{}); err != context.Canceled || r != nil {
		t.Errorf("error %v", err)
	}
}

func TestTestErrors(t *testing.T) {
	one := [][]float64{{1, 2, 3}}
	for _, tc := range []struct {
		a, b [][]float64
		opt  Options
		want string
	}{
		{nil, nil, Options{}, "tallies of 0 and 0 units"},
		{one, [][]float64{{1, 2, 3}, {1, 2, 3}}, Options{}, "tallies of 1 and 2 units"},
		{one, [][]float64{{1, 2}}, Options{}, "tallies of different lengths: 3, 3 and 2 numbers"},
		{one, one, Options{Shuffles: -1}, "-1 shuffles"},
	} {
		if _, err := Test(t.Context(), tc.a, tc.b, evaluation.Micro, tc.opt); err == nil || err.Error() != tc.want {
			t.Errorf("error %v, want %s", err, tc.want)
		}
	}
}

// Worked out by hand: in order 0.01, 0.02, 0.03, 0.5, times 4, 3, 2, 1, with each
// at least as large as the previous one.
func TestHolm(t *testing.T) {
	got := Holm([]float64{0.5, 0.01, 0.03, 0.02})
	want := []float64{0.5, 0.04, 0.06, 0.06}
	for i := range want {
		if math.Abs(got[i]-want[i]) > 1e-15 {
			t.Fatalf("%v, want %v", got, want)
		}
	}
	if got := Holm([]float64{0.9, 0.8}); got[0] != 1 || got[1] != 1 {
		t.Errorf("%v, want 1 and 1", got)
	}
}

const text = "Seen by Dr. Oda Lund on 01/02/2087."

func doc(id, patient string, spans ...data.Span) *data.Document {
	return &data.Document{ID: id, Patient: patient, Text: text, Spans: spans}
}

var (
	doctor = data.Span{Start: 12, End: 20, Type: "DOCTOR", Score: 1}
	date   = data.Span{Start: 24, End: 34, Type: "DATE", Score: 1}
)

// corpus is four notes of three patients, and what two systems found.
type corpus struct{ goldA, goldB, a, b []*data.Document }

func newCorpus() *corpus {
	gold := func() []*data.Document {
		return []*data.Document{
			doc("p-1", "p", doctor, date), doc("p-2", "p", doctor), doc("q-1", "q", date), doc("x", "x", doctor, date),
		}
	}
	return &corpus{
		gold(), gold(),
		[]*data.Document{doc("q-1", "", date), doc("p-1", "", doctor, date), doc("p-2", "", doctor), doc("x", "", doctor)},
		[]*data.Document{doc("p-1", "", doctor), doc("p-2", "", date), doc("q-1", "", date), doc("x", "", doctor)},
	}
}

func (c *corpus) compare(t *testing.T, metrics []evaluation.Metric, opt Options) (*Report, error) {
	t.Helper()
	return Compare(t.Context(),
		System{"first", data.Each(c.goldA), data.Each(c.a)},
		System{"second", data.Each(c.goldB), data.Each(c.b)}, metrics, opt)
}

func TestCompare(t *testing.T) {
	for _, tc := range []struct {
		by                         string
		units, differing, shuffles int
		p                          float64 // of F1
	}{
		// A finds 1 TP more in p-1, and 1 TP more, 1 FP and 1 FN fewer in p-2.
		{"document", 4, 2, 3, 0.5},
		{"patient", 3, 1, 1, 1}, // p-1 and p-2 are swapped together: the two ways differ in sign only
	} {
		r, err := newCorpus().compare(t, evaluation.Metrics()[:1], Options{ByPatient: tc.by == "patient"})
		if err != nil {
			t.Fatal(err)
		}
		m := r.Metrics[0]
		if r.Documents != 4 || r.By != tc.by || r.Units != tc.units || m.Differing != tc.differing || m.Shuffles != tc.shuffles || m.F1.P != tc.p {
			t.Errorf("by %s: %+v", tc.by, r)
		}
		if m.Precision.A != 1 || m.Recall.A != 5./6 || m.Precision.B != 3./4 || m.Recall.B != 3./6 {
			t.Errorf("scores: %+v", m)
		}
		if want := min(1, 3*m.F1.P); m.F1.Holm != want {
			t.Errorf("Holm %v, want %v", m.F1.Holm, want)
		}
	}
}

// The order in which documents are read has no effect, even if swaps are random.
func TestOrder(t *testing.T) {
	random := rand.New(rand.NewPCG(17, 18))
	c := &corpus{}
	for i := range 40 {
		c.goldA = append(c.goldA, doc(fmt.Sprint(i), "", doctor, date))
		for _, found := range []*[]*data.Document{&c.a, &c.b} {
			d := doc(fmt.Sprint(i), "")
			for _, s := range []data.Span{doctor, date} {
				if random.IntN(3) > 0 {
					d.Spans = append(d.Spans, s)
				}
			}
			*found = append(*found, d)
		}
	}
	c.goldB = c.goldA
	want, err := c.compare(t, evaluation.Metrics(), Options{Shuffles: 999})
	if err != nil {
		t.Fatal(err)
	}
	if want.Metrics[0].Exact {
		t.Fatal("too few documents to draw swaps")
	}
	shuffled := &corpus{goldB: c.goldB}
	for into, from := range map[*[]*data.Document][]*data.Document{&shuffled.goldA: c.goldA, &shuffled.a: c.a, &shuffled.b: c.b} {
		for _, i := range random.Perm(len(from)) {
			*into = append(*into, from[i])
		}
	}
	got, err := shuffled.compare(t, evaluation.Metrics(), Options{Shuffles: 999})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("in another order (-want +got):\n%s", diff)
	}
}

func TestIdentical(t *testing.T) {
	c := newCorpus()
	c.b = c.a
	r, err := c.compare(t, evaluation.Metrics(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Metrics) != 4 {
		t.Fatalf("%d metrics", len(r.Metrics))
	}
	for _, m := range r.Metrics {
		for _, d := range m.differences() {
			if d.P != 1 || d.Holm != 1 || d.Difference != 0 || d.Low != 0 || d.High != 0 {
				t.Errorf("%s: %+v", m.Metric, d)
			}
		}
	}
}

func TestCompareErrors(t *testing.T) {
	for _, tc := range []struct {
		name, want string
		change     func(c *corpus)
		opt        Options
	}{
		{"no gold", "no gold documents to compare with",
			func(c *corpus) { *c = corpus{} }, Options{}},
		{"other test sets", "different test sets: only in first: 1 of 4 (y); only in second: 1 of 4 (p-1)",
			func(c *corpus) { c.goldA[0], c.a[1] = doc("y", ""), doc("y", "") }, Options{}},
		{"a part of the test set", "different test sets: only in first: 1 of 4 (p-1)",
			func(c *corpus) { c.goldB, c.b = c.goldB[1:], c.b[1:] }, Options{}},
		{"other texts", "document p-2: the gold standards of first and second have different texts",
			func(c *corpus) { c.goldA[1].Text += "\n"; c.a[2].Text += "\n" }, Options{}},
		{"other gold spans", "document x: the gold standards of first and second have different spans",
			func(c *corpus) { c.goldB[3].Spans[0].Type = "PATIENT" }, Options{}},
		{"one lacks a document", "first: not the documents of its gold standard: only in the gold standard: 1 of 4 (q-1)",
			func(c *corpus) { c.a = c.a[1:] }, Options{}},
		{"one has others", "second: not the documents of its gold standard: only in the gold standard: 1 of 4 (p-1); only in what was found: 6 of 9 (a, b, c, d, e, ...)",
			func(c *corpus) {
				c.b = c.b[1:]
				for _, id := range strings.Split("abcdef", "") {
					c.b = append(c.b, doc(id, ""))
				}
			}, Options{}},
		{"text unlike gold", "second: document p-1: gold text (35 bytes) and system text (35 bytes) differ from byte 34 on",
			func(c *corpus) { c.b[0].Text = text[:34] + "!" }, Options{}},
		{"twice", "first: system document p-1: duplicate id",
			func(c *corpus) { c.a[0] = c.a[1] }, Options{}},
		{"a broken span", "second: system document p-1: span 0 [12,99) lies beyond the text of 35 bytes",
			func(c *corpus) { c.b[0].Spans[0].End = 99 }, Options{}},
		{"no patients", "cannot group by patient: the patients of 4 of 4 documents are not known (give corpus.patient, or --patients for files)",
			func(c *corpus) {
				for _, d := range c.goldA {
					d.Patient = ""
				}
			}, Options{ByPatient: true}},
		{"shuffles", "metric strict: -5 shuffles", func(*corpus) {}, Options{Shuffles: -5}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := newCorpus()
			tc.change(c)
			r, err := c.compare(t, evaluation.Metrics(), tc.opt)
			if err == nil || r != nil {
				t.Fatal("no error")
			}
			if err.Error() != tc.want {
				t.Errorf("error\n %q, want\n %q", err, tc.want)
			}
		})
	}
}

func TestFormatP(t *testing.T) {
	for p, want := range map[float64]string{1: "1.0000", 0.0421: "0.0421", 0.001: "0.0010", 0.0001: "0.0001", 0.00002347: "2.3e-05"} {
		if got := FormatP(p); got != want {
			t.Errorf("%v: %q, want %q", p, got, want)
		}
	}
}

func TestTable(t *testing.T) {
	r := &Report{A: "runs/a", B: "runs/b", Split: "dev", Documents: 90, By: "patient", Units: 40, Metrics: []Result{
		{Metric: "strict", Differing: 31, Shuffles: 9999,
			Precision: Difference{A: 0.9, B: 0.95, Difference: 0.05, Low: 0.01, High: 0.09, P: 0.0001, Holm: 0.0006},
			Recall:    Difference{A: 0.9, B: 0.85, Difference: -0.05, Low: -0.11, High: 0.02, P: 0.2, Holm: 0.6}},
		{Metric: "hipaa/binary_token", Differing: 3, Shuffles: 7, Exact: true, F1: Difference{A: 1, B: 1, P: 1, Holm: 1}},
		{Metric: "none", Exact: true},
	}}
	var b bytes.Buffer
	if err := r.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	want := `A: runs/a
B: runs/b
documents: 90 (split dev), of 40 patients, whose documents go together

                              A        B    B - A  95 % interval            p    Holm
strict              P    0.9000   0.9500  +0.0500  [+0.0100, +0.0900]  0.0001  0.0006
                    R    0.9000   0.8500  -0.0500  [-0.1100, +0.0200]  0.2000  0.6000
                    F1   0.0000   0.0000  +0.0000  [+0.0000, +0.0000]       0       0
hipaa/binary_token  P    0.0000   0.0000  +0.0000  [+0.0000, +0.0000]       0       0
                    R    0.0000   0.0000  +0.0000  [+0.0000, +0.0000]       0       0
                    F1   1.0000   1.0000  +0.0000  [+0.0000, +0.0000]  1.0000  1.0000
none                P    0.0000   0.0000  +0.0000  [+0.0000, +0.0000]       0       0
                    R    0.0000   0.0000  +0.0000  [+0.0000, +0.0000]       0       0
                    F1   0.0000   0.0000  +0.0000  [+0.0000, +0.0000]       0       0

strict: A and B differ in 31 of 40 patients; 9999 shuffles
hipaa/binary_token: A and B differ in 3 of 40 patients; all 8 ways to shuffle
none: A and B differ in 0 of 40 patients; nothing to shuffle
p is of each row by itself, two-sided; Holm is p corrected for all 9 rows.
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("table (-want +got):\n%s", diff)
	}
}

// Other programs read the keys: a change here is a breaking change.
func TestJSON(t *testing.T) {
	r, err := newCorpus().compare(t, evaluation.Metrics()[:1], Options{Seed: 5})
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"a":"first","b":"second","documents":4,"by":"document","units":4,"seed":5,"metrics":[` +
		`{"metric":"strict","differing":2,"shuffles":3,"exact":true,` +
		`"precision":{"a":1,"b":0.75,"a_low":1,"a_high":1,"b_low":0.25,"b_high":1,"difference":-0.25,"low":-0.75,"high":0,"p":0.5,"p_holm":1},"recall":{"a":`
	if !strings.HasPrefix(string(got), want) {
		t.Errorf("JSON %s, want %s...", got, want)
	}
	back := new(Report)
	if err := json.Unmarshal(got, back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(r, back); diff != "" {
		t.Errorf("read back (-want +got):\n%s", diff)
	}
}

func BenchmarkTest(b *testing.B) {
	ofA, ofB := simulate(rand.New(rand.NewPCG(1, 1)), 250, 1, nil)
	for b.Loop() {
		if _, err := Test(b.Context(), ofA, ofB, evaluation.Micro, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

// The interval of one system equals that of its difference from a system that
// finds nothing, whose score is always 0.
func TestInterval(t *testing.T) {
	a, b := make([][]float64, 30), make([][]float64, 30)
	for i := range a {
		a[i], b[i] = []float64{float64(i % 4), float64(i % 3), float64(i % 2)}, []float64{0, 0, 0}
	}
	want, err := Test(t.Context(), b, a, evaluation.Micro, Options{Seed: 7, Shuffles: 1})
	if err != nil {
		t.Fatal(err)
	}
	low, high, err := Interval(t.Context(), a, func(total []float64) float64 { return evaluation.Micro(total).F1 }, Options{Seed: 7})
	if err != nil || low != want.F1.Low || high != want.F1.High || low != want.F1.BLow || high != want.F1.BHigh || !(low < want.F1.Difference && want.F1.Difference < high) {
		t.Errorf("[%v, %v], want [%v, %v]; error %v", low, high, want.F1.Low, want.F1.High, err)
	}
	if _, _, err := Interval(t.Context(), nil, nil, Options{}); err == nil {
		t.Error("no units, and no error")
	}
}
