package evidence

import (
	"fmt"
	"math"
	"strconv"
)

// These make cells of numbers.

// count is a number of things.
//
//go:noinline
func count(n int, source string) *cell {
	return &cell{text: thousands(n), source: source, value: n}
}

// percent is a share.
//
//go:noinline
func percent(share float64, source string) *cell {
	return &cell{text: fmt.Sprintf("%.2f %%", 100*share), source: source, value: share}
}

// atMost is a share that is rounded up, as a bound must be.
//
//go:noinline
func atMost(share float64, source string) *cell {
	return &cell{text: fmt.Sprintf("%.2f %%", math.Max(0, math.Ceil(1e4*share-1e-9))/100), source: source, value: share}
}

// decimal is a number that is not a share.
//
//go:noinline
func decimal(x float64, source string) *cell {
	return &cell{text: fmt.Sprintf("%.4f", x), source: source, value: x}
}

// ratio is the share of two numbers, or nothing if there is none.
//
//go:noinline
func ratio(part, all int, source string) *cell {
	if all == 0 {
		return text("none")
	}
	return percent(float64(part)/float64(all), source)
}

// thousands returns a number with commas.
func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

//go:noinline
func sum(counts map[string]int) int {
	total := 0
	for _, n := range counts {
		total += n
	}
	return total
}
