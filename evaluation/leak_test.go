package evaluation

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lethe-deid/lethe/data"
)

// What counts as left, worked out by hand.
func TestLeft(t *testing.T) {
	const note = "Ana Gómez-Ruiz saw Dr. Lund (--)"
	patient, doctor, signs := span(0, 15, "PATIENT"), span(24, 28, "DOCTOR"), span(30, 32, "OTHER")
	for _, tc := range []struct {
		name                    string
		gold, system            []data.Span
		tokens, instances, left [2]int // left and total; of notes the left only
	}{
		{"all found", []data.Span{patient, doctor}, []data.Span{patient, doctor}, [2]int{0, 4}, [2]int{0, 2}, [2]int{0, 1}},
		{"nothing found", []data.Span{patient, doctor}, nil, [2]int{4, 4}, [2]int{2, 2}, [2]int{1, 1}},
		{"another type takes it out, too", []data.Span{patient}, []data.Span{span(0, 15, "DATE")}, [2]int{0, 3}, [2]int{0, 1}, [2]int{0, 1}},
		{"more than the name", []data.Span{patient}, []data.Span{span(0, 20, "PATIENT")}, [2]int{0, 3}, [2]int{0, 1}, [2]int{0, 1}},
		{"the first name only", []data.Span{patient}, []data.Span{span(0, 3, "PATIENT")}, [2]int{2, 3}, [2]int{1, 1}, [2]int{1, 1}},
		{"half a token", []data.Span{patient}, []data.Span{span(0, 14, "PATIENT")}, [2]int{1, 3}, [2]int{1, 1}, [2]int{1, 1}},
		{"all but the hyphen", []data.Span{patient}, []data.Span{span(0, 3, "X"), span(4, 10, "X"), span(11, 15, "X")}, [2]int{0, 3}, [2]int{0, 1}, [2]int{0, 1}},
		{"two halves of a token", []data.Span{doctor}, []data.Span{span(26, 28, "A"), span(23, 26, "B")}, [2]int{0, 1}, [2]int{0, 1}, [2]int{0, 1}},
		{"a gap in a token", []data.Span{doctor}, []data.Span{span(24, 25, "A"), span(26, 28, "B")}, [2]int{1, 1}, [2]int{1, 1}, [2]int{1, 1}},
		{"nested and unsorted spans", []data.Span{doctor}, []data.Span{span(26, 27, "A"), span(23, 28, "B"), span(24, 25, "A")}, [2]int{0, 1}, [2]int{0, 1}, [2]int{0, 1}},
		{"without letters, found", []data.Span{signs}, []data.Span{signs}, [2]int{0, 1}, [2]int{0, 1}, [2]int{0, 1}},
		{"without letters, half found", []data.Span{signs}, []data.Span{span(30, 31, "OTHER")}, [2]int{1, 1}, [2]int{1, 1}, [2]int{1, 1}},
		{"what two gold spans share", []data.Span{patient, patient, span(0, 3, "DOCTOR")}, []data.Span{span(0, 10, "X")}, [2]int{1, 3}, [2]int{1, 2}, [2]int{1, 1}},
		{"no PHI", nil, []data.Span{patient}, [2]int{0, 0}, [2]int{0, 0}, [2]int{0, 1}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			l := NewLeak(&data.TypeSet{})
			l.Add(doc("a", note, tc.gold...), doc("a", note, tc.system...))
			r := l.Report(1)
			for what, got := range map[string]struct {
				LeakShare
				want [2]int
			}{"tokens": {r.Tokens, tc.tokens}, "instances": {r.Instances, tc.instances}, "notes": {r.Notes, tc.left}} {
				if got.Left != got.want[0] || got.Total != got.want[1] {
					t.Errorf("%s: %d of %d, want %v", what, got.Left, got.Total, got.want)
				}
				// With one note, all resamples are the same.
				if got.Low != got.Share || got.High != got.Share {
					t.Errorf("%s: %+v: an interval of its own", what, got.LeakShare)
				}
			}
		})
	}
}

func TestLeakByType(t *testing.T) {
	types := data.I2B2
	l := NewLeak(types)
	l.Add(doc("a", text, span(0, 10, "PATIENT"), span(19, 25, "DOCTOR")), doc("a", text, span(0, 10, "PATIENT")))
	l.Add(doc("b", text, span(29, 34, "DATE")), doc("b", text, span(29, 34, "DATE")))
	l.Add(doc("c", text, span(0, 10, "PATIENT"), span(0, 3, "odd")), &data.Document{})
	r := l.Report(1)
	type counts struct{ tokens, instances, notes [2]int }
	got := map[string]counts{}
	take := func(name string, row LeakRow) {
		of := func(s LeakShare) [2]int { return [2]int{s.Left, s.Total} }
		got[name] = counts{of(row.Tokens), of(row.Instances), of(row.Notes)}
	}
	take("all", r.LeakRow)
	for name, row := range r.Categories {
		take("category "+name, row)
	}
	for name, row := range r.Types {
		take(row.Category+"/"+name, row.LeakRow)
	}
	want := map[string]counts{
		"all":           {[2]int{4, 8}, [2]int{3, 5}, [2]int{2, 3}},
		"category NAME": {[2]int{4, 6}, [2]int{2, 3}, [2]int{2, 3}},
		"category DATE": {[2]int{0, 2}, [2]int{0, 1}, [2]int{0, 3}},
		"category odd":  {[2]int{1, 1}, [2]int{1, 1}, [2]int{1, 3}},
		"NAME/PATIENT":  {[2]int{2, 4}, [2]int{1, 2}, [2]int{1, 3}},
		"NAME/DOCTOR":   {[2]int{2, 2}, [2]int{1, 1}, [2]int{1, 3}},
		"DATE/DATE":     {[2]int{0, 2}, [2]int{0, 1}, [2]int{0, 3}},
		"odd/odd":       {[2]int{1, 1}, [2]int{1, 1}, [2]int{1, 3}},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(counts{})); diff != "" {
		t.Errorf("left, all (-want +got):\n%s", diff)
	}
}

// leakOf returns notes of one-letter words that are all PHI; the first ones are
// left.
func leakOf(notes [][2]int) *Leak {
	l := NewLeak(&data.TypeSet{})
	for _, n := range notes {
		gold := &data.Document{Text: strings.Repeat("x ", n[1])}
		for i := range n[1] {
			gold.Spans = append(gold.Spans, span(2*i, 2*i+1, "X"))
		}
		l.Add(gold, &data.Document{Spans: gold.Spans[n[0]:]})
	}
	return l
}

// Six notes have 6^6 equally likely resamples. Both ends of the interval must be
// where the distribution of these has 2.5 %, within four standard errors of 1,999
// draws.
func TestIntervalAgainstAllResamples(t *testing.T) {
	notes := [][2]int{{0, 4}, {1, 7}, {0, 2}, {3, 9}, {2, 3}, {0, 11}}
	share := leakOf(notes).Report(5).Tokens
	n := len(notes)
	all := int(math.Pow(float64(n), float64(n)))
	below := map[string]int{}
	for code := range all {
		left, total := 0, 0
		for c, i := code, 0; i < n; c, i = c/n, i+1 {
			left, total = left+notes[c%n][0], total+notes[c%n][1]
		}
		s := float64(left) / float64(total)
		for name, is := range map[string]bool{"<low": s < share.Low, "<=low": s <= share.Low, "<high": s < share.High, "<=high": s <= share.High} {
			if is {
				below[name]++
			}
		}
	}
	p := func(name string) float64 { return float64(below[name]) / float64(all) }
	margin := 4 * math.Sqrt(0.025*0.975/leakResamples)
	if p("<low") > 0.025+margin || p("<=low") < 0.025-margin || p("<high") > 0.975+margin || p("<=high") < 0.975-margin {
		t.Errorf("interval [%v, %v]: exact shares of resamples below: %v of %d", share.Low, share.High, below, all)
	}
	if share.Left != 6 || share.Total != 36 || share.Low >= share.Share || share.High <= share.Share {
		t.Errorf("%+v", share)
	}
}

// If k of n notes contain PHI, the number of notes with PHI in a resample is
// binomial.
func TestIntervalAgainstBinomial(t *testing.T) {
	const n, k = 400, 30
	notes := make([][2]int, n)
	for i := range notes {
		notes[i] = [2]int{0, 1}
		if i < k {
			notes[i][0] = 1
		}
	}
	share := leakOf(notes).Report(1).Notes
	cdf := func(x int) float64 { // P(X <= x), term by term
		p, sum := math.Pow(1-float64(k)/n, n), 0.0
		for i := range x + 1 {
			sum += p
			p *= float64(n-i) / float64(i+1) * k / (n - k)
		}
		return sum
	}
	low, high := int(math.Round(share.Low*n)), int(math.Round(share.High*n))
	margin := 4 * math.Sqrt(0.025*0.975/leakResamples)
	if cdf(low-1) > 0.025+margin || cdf(low) < 0.025-margin || cdf(high-1) > 0.975+margin || cdf(high) < 0.975-margin {
		t.Errorf("interval [%d, %d] of %d notes: P(<=) = %.4f, %.4f", low, high, n, cdf(low), cdf(high))
	}
}

// Both ways to draw have the same distribution: their corpora agree in mean,
// deviation, and both ends of the interval.
func TestDrawNotesAndClasses(t *testing.T) {
	classes := []class{{tally{0, 9}, 700}, {tally{0, 0}, 150}, {tally{1, 3}, 100}, {tally{4, 7}, 40}, {tally{2, 2}, 10}}
	ways := map[string]func([]class, int, rand.Source, func(tally)){"notes": drawNotes, "classes": drawClasses}
	got := map[string][4]float64{}
	for name, draw := range ways {
		var shares []float64
		draw(classes, 1000, rand.NewPCG(1, 2), func(s tally) { shares = append(shares, ratio(s.left, s.total)) })
		if len(shares) != leakResamples {
			t.Fatalf("%s: %d resamples", name, len(shares))
		}
		slices.Sort(shares)
		mean, deviation := 0.0, 0.0
		for _, s := range shares {
			mean += s / leakResamples
		}
		for _, s := range shares {
			deviation += (s - mean) * (s - mean) / leakResamples
		}
		got[name] = [4]float64{mean, math.Sqrt(deviation), shares[leakTail-1], shares[leakResamples-leakTail]}
	}
	a, b := got["notes"], got["classes"]
	for i, margin := range []float64{0.14, 0.1, 0.35, 0.35} { // in deviations: four standard errors of 1,999 draws, and more
		if math.Abs(a[i]-b[i]) > margin*a[1] {
			t.Errorf("mean, deviation, low, high: %v by notes, %v by classes", a, b)
		}
	}
	// The deviation of a ratio of sums over 1,000 notes is close to that of the linearised ratio.
	share, total, variance := 280.0/6900, 6.9, 0.0
	for _, c := range classes {
		e := float64(c.left) - share*float64(c.total)
		variance += float64(c.notes) / 1000 * e * e
	}
	if want := math.Sqrt(variance/1000) / total; math.Abs(a[1]/want-1) > 0.1 {
		t.Errorf("deviation %v, by the delta method %v", a[1], want)
	}
}

// For corpora in which a note misses much or little as a whole, about 95 % of the
// intervals contain the true share. Intervals over spans, as if these were
// independent, would contain it far less often.
func TestCoverage(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 7))
	const corpora, size = 120, 80
	hit, naive := 0, 0
	for range corpora {
		notes := make([][2]int, size)
		for i := range notes {
			miss := 0.05 // of a note like most
			if random.IntN(10) == 0 {
				miss = 0.5
			}
			notes[i][1] = 1 + random.IntN(12)
			for range notes[i][1] {
				if random.Float64() < miss {
					notes[i][0]++
				}
			}
		}
		const truth = 0.9*0.05 + 0.1*0.5
		s := leakOf(notes).Report(random.Uint64()).Instances
		if s.Low <= truth && truth <= s.High {
			hit++
		}
		if half := 1.96 * math.Sqrt(s.Share*(1-s.Share)/float64(s.Total)); math.Abs(s.Share-truth) <= half {
			naive++
		}
	}
	// With a true coverage of 95 %, 114 of 120 intervals contain it, with a standard deviation of 2.4.
	if hit < 105 || hit > 119 {
		t.Errorf("%d of %d intervals hold the true share", hit, corpora)
	}
	t.Logf("over notes %d of %d, over spans %d", hit, corpora, naive)
	if naive > hit-12 {
		t.Errorf("intervals over spans hold it %d times, those over notes %d times", naive, hit)
	}
}

func TestLeakIsDeterministic(t *testing.T) {
	notes := [][2]int{{0, 4}, {1, 7}, {0, 2}, {3, 9}, {2, 3}, {0, 11}, {0, 0}}
	one := leakOf(notes).Report(3)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(3))
	if diff := cmp.Diff(one, leakOf(notes).Report(3)); diff != "" {
		t.Errorf("another number of cores (-first +second):\n%s", diff)
	}
	if cmp.Equal(one, leakOf(notes).Report(4)) {
		t.Error("another seed gives the same intervals")
	}
}

func TestLeakText(t *testing.T) {
	for _, tc := range []struct {
		notes [][2]int
		want  string
	}{
		{nil, "all PHI           0 of 0    0.00  [0.00, 0.00]"},
		{[][2]int{{0, 2}, {0, 1}}, "\nNothing was left. Of more notes like these up to 84.19 % may still hold PHI (95 %, exact binomial).\n"},
		{[][2]int{{1, 2}}, "all PHI           1 of 2   50.00  [50.00, 50.00]  1 of 2      50.00  [50.00, 50.00]  1 of 1  100.00  [100.00, 100.00]\n"},
	} {
		var b strings.Builder
		if err := leakOf(tc.notes).Report(1).WriteText(&b); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), tc.want) {
			t.Errorf("no %q in\n%s", tc.want, b.String())
		}
		if strings.Contains(b.String(), "Nothing was left") != strings.Contains(tc.want, "Nothing was left") {
			t.Errorf("text\n%s", b.String())
		}
	}
	if err := leakOf([][2]int{{0, 1}}).Report(1).WriteText(failing{}); err == nil {
		t.Error("no error from a writer that fails")
	}
}
