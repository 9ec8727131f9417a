package chart

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// scale is the range of an axis and its ticks.
type scale struct {
	min, max float64
	ticks    []tick
	warp     func(float64) float64 // maps values to a linear scale; nil: they are linear
}

// tick is a value with a label.
type tick struct {
	value float64
	label string
}

// share returns where a value is: 0 at the start of the axis, 1 at its end.
func (s scale) share(v float64) float64 {
	if s.warp != nil {
		return (s.warp(v) - s.warp(s.min)) / (s.warp(s.max) - s.warp(s.min))
	}
	return (v - s.min) / (s.max - s.min)
}

func logit(p float64) float64 { return math.Log(p / (1 - p)) }

// scaled returns the range of an axis for data in [low, high], with about five
// ticks. round extends the range to the next tick.
func (a Axis) scaled(low, high float64, round bool) scale {
	if a.Min != 0 || a.Max != 0 {
		low, high, round = a.Min, a.Max, false
	}
	switch {
	case a.Log:
		return logarithmic(low, high)
	case a.Logit:
		return logOdds(low, high)
	}
	if low == high {
		margin := math.Abs(low) / 10
		if margin == 0 {
			margin = 1
		}
		low, high = low-margin, high+margin
	}
	step := niceStep((high - low) / 5)
	if a.Whole {
		step = wholeStep((high - low) / 5)
	}
	if round {
		low, high = math.Floor(low/step+1e-9)*step, math.Ceil(high/step-1e-9)*step
	}
	s := scale{min: low, max: high}
	decimals := max(0, -int(math.Floor(math.Log10(step)+1e-9)))
	if f := step * math.Pow10(decimals); math.Abs(f-math.Round(f)) > 1e-9 { // 2.5
		decimals++
	}
	for i := math.Ceil(low/step - 1e-9); i*step <= high+step*1e-9; i++ {
		v := i * step
		s.ticks = append(s.ticks, tick{s.within(v), number(v, decimals)})
	}
	return s
}

// niceStep returns the smallest of 1, 2, 2.5 and 5 times a power of ten that is
// at least step.
func niceStep(step float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(step)))
	for _, m := range []float64{1, 2, 2.5, 5} {
		if m*power >= step*(1-1e-9) {
			return m * power
		}
	}
	return 10 * power
}

// wholeStep is niceStep without steps that are not whole numbers.
func wholeStep(step float64) float64 {
	nice := niceStep(max(step, 1))
	if nice != math.Round(nice) { // 2.5
		nice = 5
	}
	return nice
}

// logarithmic returns a scale with ticks at 1, 2 and 5 times the powers of ten
// or, for two decades and more, at the powers only. If there is only one such tick,
// it has ticks at all multiples of the powers.
func logarithmic(low, high float64) scale {
	if low == 0 {
		low = high / 1000
	}
	if low == high {
		low, high = low/2, high*2
	}
	s := scale{min: low, max: high, warp: math.Log}
	factors := [][]float64{{1, 2, 5}, {1, 2, 3, 4, 5, 6, 7, 8, 9}}
	if high/low > 100 {
		factors = [][]float64{{1}}
	}
	for _, multiples := range factors {
		s.ticks = nil
		for e := math.Floor(math.Log10(low)); e <= math.Ceil(math.Log10(high)); e++ {
			for _, f := range multiples {
				if v := f * math.Pow(10, e); v >= low*(1-1e-9) && v <= high*(1+1e-9) {
					s.ticks = append(s.ticks, tick{s.within(v), number(v, max(0, -int(e)))})
				}
			}
		}
		if len(s.ticks) > 1 {
			break
		}
	}
	return s
}

// logOdds returns a scale with ticks at one half, at the powers of ten below it,
// and at 1 minus these. If these are few, it also has ticks at 2 and 5 times the
// powers.
func logOdds(low, high float64) scale {
	const edge = 0.001         // bound of the scale, which cannot contain 0 and 1
	if low >= 1 || high <= 0 { // all values are at the same edge
		low, high = low/2, (1+high)/2
	}
	if low <= 0 {
		low = min(edge, high/2)
	}
	if high >= 1 {
		high = max(1-edge, (1+low)/2)
	}
	if low == high {
		low, high = low/2, (1+high)/2
	}
	s := scale{min: low, max: high, warp: logit}
	for _, factors := range [][]float64{{1}, {1, 2, 5}} {
		values := []float64{0.5}
		for e := -1; e >= -9; e-- {
			for _, f := range factors {
				v := f * math.Pow10(e)
				values = append(values, v, 1-v)
			}
		}
		slices.Sort(values)
		s.ticks = nil
		for _, v := range slices.Compact(values) {
			if v >= low*(1-1e-9) && v <= high*(1+1e-12) {
				s.ticks = append(s.ticks, tick{s.within(v), strconv.FormatFloat(v, 'g', 12, 64)})
			}
		}
		if len(s.ticks) > 3 {
			break
		}
	}
	return s
}

// within returns the value in view that is nearest to v.
func (s scale) within(v float64) float64 { return min(max(v, s.min), s.max) }

// number formats a number with commas between groups of thousands.
func number(v float64, decimals int) string {
	s := strconv.FormatFloat(v, 'f', decimals, 64)
	if strings.Trim(s, "-0.") == "" {
		s = strings.TrimPrefix(s, "-")
	}
	whole, fraction, dot := strings.Cut(strings.TrimPrefix(s, "-"), ".")
	var b strings.Builder
	if s[0] == '-' {
		b.WriteByte('-')
	}
	for i, digit := range whole {
		if i > 0 && (len(whole)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(digit)
	}
	if dot {
		b.WriteString("." + fraction)
	}
	return b.String()
}
