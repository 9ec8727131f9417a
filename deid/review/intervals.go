package review

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// confidence is that of all bounds. They are one-sided: only the upper end is of interest.
const confidence = 0.95

// upperBinomial returns the exact upper bound of Clopper and Pearson (1934, "The use of confidence or fiducial limits illustrated
// in the case of the binomial") for a proportion of which events were seen in trials. Neither has to be a whole number. For no
// events it is 1-0.05^(1/trials), about 3/trials, the rule of three (Hanley and Lippman-Hand 1983, "If nothing goes wrong, is
// everything all right?").
func upperBinomial(events, trials float64) float64 {
	if trials <= 0 || events >= trials {
		return 1
	}
	return distuv.Beta{Alpha: events + 1, Beta: trials - events}.Quantile(confidence)
}

// upperFinite returns the exact upper bound for the number of marked units among all units, if events of them are among a
// random sample without replacement: the largest number for which so few events are not less probable than 5 %
// (Buonaccorsi 1987, "A note on confidence intervals for proportions in finite populations"). sample must be at most all.
func upperFinite(events, sample, all int) int {
	low, high := events, all-(sample-events) // so many can be marked
	for low < high {
		middle := (low + high + 1) / 2
		if atMost(events, sample, middle, all) >= 1-confidence-1e-9 { // 1e-9 is for rounding
			low = middle
		} else {
			high = middle - 1
		}
	}
	return low
}

// atMost returns the probability that a sample has at most so many events, if marked of all units are marked: the distribution
// function of the hypergeometric distribution.
func atMost(events, sample, marked, all int) float64 {
	total := 0.0
	for k := max(0, sample-(all-marked)); k <= min(events, marked); k++ {
		total += math.Exp(logChoose(marked, k) + logChoose(all-marked, sample-k) - logChoose(all, sample))
	}
	return total
}

func logChoose(n, k int) float64 {
	a, _ := math.Lgamma(float64(n + 1))
	b, _ := math.Lgamma(float64(k + 1))
	c, _ := math.Lgamma(float64(n - k + 1))
	return a - b - c
}

// cluster is a unit of the sample with its PHI tokens.
type cluster struct{ tokens, left int }

func (c cluster) plus(tokens, left int) cluster { return cluster{c.tokens + tokens, c.left + left} }

// upperClustered returns the upper bound for the share of tokens left, if whole units were drawn and the tokens of a unit may be
// alike. It has two parts.
//
// The first is what the sample shows: the interval of Korn and Graubard (1998, "Confidence intervals for proportions with small
// expected number of positive counts estimated from survey data", section 2), which is that of Clopper and Pearson for as many
// tokens as an independent sample with the same variance would have. That is the number of tokens divided by the design effect
// (Kish 1965, "Survey sampling", section 8.2), which is returned, too. An effect below 1 counts as 1, and so does that of a
// sample without misses, which has none.
//
// The second is what the sample cannot show: a kind of note, such as one in another layout, of which everything is missed and
// none was drawn. By the rule of three over units, the share of such units is at most 1-0.05^(1/units). Without this part, the
// bound is too low far more often than in 5 % of all samples if there are such notes: see TestBoundsHold.
func upperClustered(units []cluster) (upper, effect float64) {
	var n, tokens, left, squares float64
	for _, u := range units {
		if u.tokens > 0 { // others add nothing to either total
			n++
			tokens += float64(u.tokens)
			left += float64(u.left)
		}
	}
	if n == 0 {
		return 1, 1
	}
	share := left / tokens
	for _, u := range units {
		squares += square(float64(u.left) - share*float64(u.tokens))
	}
	effect = 1
	if left > 0 && left < tokens && n > 1 {
		// The variance of a ratio by linearisation (Cochran 1977, "Sampling techniques", equation 2.46), without the correction for
		// finite populations.
		variance := n / (n - 1) * squares / square(tokens)
		effect = math.Max(1, variance/(share*(1-share)/tokens))
	}
	seen, unseen := upperBinomial(left/effect, tokens/effect), upperBinomial(0, n)
	return seen + (1-seen)*unseen, effect
}

func square(x float64) float64 { return x * x }
