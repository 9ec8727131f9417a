package review

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// TestClopperPearson compares one-sided bounds with published ones: 95 % upper bounds are the upper ends of two-sided 90 %
// intervals. 59, 93, 124 and 153 are the sample sizes for 0 to 3 failures that tables of quality control list for 95 % confidence
// in 95 % reliability.
func TestClopperPearson(t *testing.T) {
	for _, c := range []struct{ events, trials, want float64 }{
		{0, 10, 0.2589}, {1, 10, 0.3942}, {2, 10, 0.5069}, {5, 10, 0.7776}, {9, 10, 0.9949},
		{0, 20, 0.1391}, {1, 20, 0.2161}, {0, 59, 0.0495}, {1, 93, 0.0500}, {2, 124, 0.0499}, {3, 153, 0.0499}, {0, 100, 0.0295}, {5, 100, 0.1023}, {0, 300, 0.0099},
		{10, 10, 1}, {0, 0, 1},
	} {
		if got := upperBinomial(c.events, c.trials); math.Abs(got-c.want) > 0.0001 {
			t.Errorf("%v of %v: %.4f, want %.4f", c.events, c.trials, got, c.want)
		}
	}
}

// TestClopperPearsonByItsDefinition checks that at the bound so few events have a probability of exactly 5 %.
func TestClopperPearsonByItsDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		trials := rapid.IntRange(1, 400).Draw(t, "trials")
		events := rapid.IntRange(0, trials-1).Draw(t, "events")
		p := upperBinomial(float64(events), float64(trials))
		sum := 0.0
		for k := range events + 1 {
			sum += math.Exp(logChoose(trials, k) + float64(k)*math.Log(p) + float64(trials-k)*math.Log1p(-p))
		}
		if math.Abs(sum-0.05) > 1e-7 {
			t.Errorf("%d of %d: at %v the probability is %v", events, trials, p, sum)
		}
	})
}

// TestFiniteByBruteForce compares the bound with the largest number for which so few events are at least as probable as 5 %,
// by counting all samples of small populations.
func TestFiniteByBruteForce(t *testing.T) {
	for all := 1; all <= 12; all++ {
		for sample := 1; sample <= all; sample++ {
			for events := 0; events <= sample; events++ {
				want := events
				for marked := events; marked <= all-(sample-events); marked++ {
					few, total := 0, 0
					for set := range 1 << all { // the marked units are the first
						drawn, hits := 0, 0
						for i := range all {
							if set&(1<<i) != 0 {
								drawn++
								if i < marked {
									hits++
								}
							}
						}
						if drawn == sample {
							total++
							if hits <= events {
								few++
							}
						}
					}
					if float64(few)/float64(total) >= 0.05-1e-12 {
						want = marked
					}
				}
				if got := upperFinite(events, sample, all); got != want {
					t.Errorf("%d in %d of %d: %d, want %d", events, sample, all, got, want)
				}
			}
		}
	}
	// In a large population it is that of Clopper and Pearson.
	if got, want := float64(upperFinite(3, 100, 1e7))/1e7, upperBinomial(3, 100); math.Abs(got-want) > 1e-4 {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestBoundsHold draws samples of notes, and counts how often the bounds are below the true share. That may happen in 5 % of
// all samples.
func TestBoundsHold(t *testing.T) {
	for _, c := range []struct {
		name             string
		missed, odd      float64 // share of tokens missed, and of notes of which everything is missed
		longer           int     // factor of the length of these notes
		independentHolds bool
	}{
		{"few misses", 0.003, 0, 1, true},
		{"misses", 0.013, 0, 1, true},
		{"many misses", 0.05, 0, 1, true},
		{"odd notes", 0, 0.01, 1, false},
		{"misses and odd notes", 0.013, 0.03, 1, false},
		{"misses and rare odd notes", 0.013, 0.005, 2, false},
		{"long odd notes", 0, 0.03, 2, false},
	} {
		for _, size := range []int{50, 300} {
			rng := rand.New(rand.NewPCG(1, uint64(size)))
			draw := func() (u cluster, probability float64) {
				u.tokens, probability = 5+int(rng.ExpFloat64()*40), c.missed
				if rng.Float64() < c.odd {
					u.tokens, probability = u.tokens*c.longer, 1
				}
				return u, probability
			}
			var tokens, left float64
			for range 200_000 {
				u, p := draw()
				tokens, left = tokens+float64(u.tokens), left+p*float64(u.tokens)
			}
			share := left / tokens
			const samples = 400
			clustered, independent := 0, 0
			for range samples {
				units := make([]cluster, size)
				var all, missed float64
				for i := range units {
					u, p := draw()
					for range u.tokens {
						if rng.Float64() < p {
							u.left++
						}
					}
					units[i], all, missed = u, all+float64(u.tokens), missed+float64(u.left)
				}
				if upper, _ := upperClustered(units); upper >= share {
					clustered++
				}
				if upperBinomial(missed, all) >= share {
					independent++
				}
			}
			// Three standard deviations of a share of 0.95 in 400 samples are 0.033.
			if got := float64(clustered) / samples; got < 0.917 {
				t.Errorf("%s, %d notes: the bound holds in %v of the samples", c.name, size, got)
			}
			if got := float64(independent) / samples; c.independentHolds != (got >= 0.917) {
				t.Errorf("%s, %d notes: the bound for independent tokens holds in %v of the samples", c.name, size, got)
			}
		}
	}
}

func TestUnitsWithoutMisses(t *testing.T) {
	units := make([]cluster, 60)
	for i := range 50 { // ten notes have no PHI, and say nothing
		units[i].tokens = 1_000_000
	}
	upper, effect := upperClustered(units)
	if want := 1 - math.Pow(0.05, 1.0/50); math.Abs(upper-want) > 1e-5 || effect != 1 {
		t.Errorf("%v (%v), want the rule of three, %v", upper, effect, want)
	}
	for name, units := range map[string][]cluster{"none": nil, "without PHI": {{}}, "all is left": {{5, 5}, {7, 7}}, "one": {{5, 5}}} {
		if upper, _ := upperClustered(units); upper != 1 {
			t.Errorf("%s: %v", name, upper)
		}
	}
}

// TestBoundsAreMonotone checks that more misses never lower a bound, and that more trials never raise it.
func TestBoundsAreMonotone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		trials := rapid.Float64Range(1, 1e5).Draw(t, "trials")
		events := rapid.Float64Range(0, 1).Draw(t, "events") * (trials - 1)
		u := upperBinomial(events, trials)
		if u < events/trials || u > 1 || upperBinomial(events+0.5, trials) < u || upperBinomial(events, trials+1) > u {
			t.Errorf("%v of %v: %v", events, trials, u)
		}
	})
}

func TestHidden(t *testing.T) {
	for _, c := range []struct {
		captures
		want float64
	}{
		{captures{}, 0}, {captures{both: 10}, 0}, {captures{first: 2, second: 3, both: 5}, 8.0*9/6 - 1 - 10}, {captures{first: 4, second: 4}, 25 - 1 - 8},
	} {
		if got := c.hidden(); math.Abs(got-math.Max(0, wantHidden(c.captures))) > 1e-9 || math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%+v: %v, want %v", c.captures, got, c.want)
		}
	}
	// The estimator is nearly unbiased if the readers miss tokens independently.
	rng := rand.New(rand.NewPCG(1, 1))
	var estimated, truth float64
	for range 2000 {
		var seen captures
		for range 60 {
			switch a, b := rng.Float64() < 0.8, rng.Float64() < 0.7; {
			case a && b:
				seen.both++
			case a:
				seen.first++
			case b:
				seen.second++
			default:
				truth++
			}
		}
		estimated += seen.hidden()
	}
	if math.Abs(estimated/truth-1) > 0.1 {
		t.Errorf("estimated %v of %v hidden tokens", estimated, truth)
	}
}

// wantHidden is Chapman's estimator, written as for animals: marked, caught, and recaptured.
func wantHidden(c captures) float64 {
	marked, caught, recaptured := c.first+c.both, c.second+c.both, c.both
	return float64((marked+1)*(caught+1))/float64(recaptured+1) - 1 - float64(marked+caught-recaptured)
}

func ExampleBound() {
	b := &Bound{Notes: 300, Population: Population{Notes: 40_000, Units: 40_000}, By: ByNote}
	units := make([]cluster, 300)
	for i := range units {
		units[i] = cluster{tokens: 24}
	}
	units[7].left, units[80].left = 1, 2
	if err := b.compute(units); err != nil {
		fmt.Println(err)
	}
	fmt.Println(b.statement())
	// Output: With 95 % confidence, at most 1.14 % of the PHI tokens are left in the 40000 notes that the sample was drawn from.
}
