package kernel

import (
	"math"
	"testing"
)

// Exp and Tanh against math, in units in the last place, over their range.
func TestExpTanhAccuracy(t *testing.T) {
	ulps := func(got float32, want float64) float64 {
		w := float32(want)
		return math.Abs(float64(got)-want) / float64(math.Nextafter32(float32(math.Abs(float64(w))), float32(math.Inf(1)))-float32(math.Abs(float64(w))))
	}
	var worstExp, worstTanh float64
	for x := float32(-87); x < 88; x += 0.00137 {
		worstExp = max(worstExp, ulps(exp(x), math.Exp(float64(x))))
	}
	for x := float32(-12); x < 12; x += 0.00017 {
		if x != 0 {
			worstTanh = max(worstTanh, ulps(tanh(x), math.Tanh(float64(x))))
		}
	}
	t.Logf("exp %.2f ulp, tanh %.2f ulp", worstExp, worstTanh)
	if worstExp > 2 || worstTanh > 3 {
		t.Errorf("exp is off by %.2f ulp (want at most 2), tanh by %.2f (want at most 3)", worstExp, worstTanh)
	}
}

func TestExpTanhSpecialValues(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	for _, c := range []struct{ x, exp, tanh float32 }{{0, 1, 0}, {inf, inf, 1}, {-inf, 0, -1}, {200, inf, 1}, {-200, 0, -1}} {
		if e, h := exp(c.x), tanh(c.x); e != c.exp || h != c.tanh {
			t.Errorf("exp(%v) = %v, tanh = %v; want %v, %v", c.x, e, h, c.exp, c.tanh)
		}
	}
	if e, h := exp(nan), tanh(nan); e == e || h == h {
		t.Errorf("of NaN: exp %v, tanh %v", e, h)
	}
}
