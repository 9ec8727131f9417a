package kernel

import "math"

// Exp sets dst[i] = e^src[i], within 2 ulp. The slices may be the same.
func Exp(dst, src []float32) { vectorExp(dst, src[:len(dst)]) }

// Tanh sets dst[i] = tanh src[i], within 5 ulp. The slices may be the same.
func Tanh(dst, src []float32) { vectorTanh(dst, src[:len(dst)]) }

func expGeneric(dst, src []float32) {
	for i := range dst {
		dst[i] = exp(src[i])
	}
}

func tanhGeneric(dst, src []float32) {
	for i := range dst {
		dst[i] = tanh(src[i])
	}
}

const (
	log2e  = 1.44269504088896341
	ln2Hi  = 0.693359375 // exact in 10 bits, so that n*ln2Hi is exact
	ln2Lo  = -2.12194440e-4
	expMax = 88.3762626647949 // for greater x, the reduced form of e^x below is +Inf
	expMin = -87.3365478515625
)

// exp computes e^x by reduction to |r| <= ln2/2 and a polynomial of degree 6 (the minimax
// coefficients of the Cephes library's expf). It is accurate to 2 ulp. Below expMin it is 0, and
// above expMax +Inf.
func exp(x float32) float32 {
	switch {
	case x > expMax:
		return float32(math.Inf(1))
	case x < expMin:
		return 0
	case x != x:
		return x
	}
	n := int32(x*log2e + 1024.5) // the offset makes truncation a floor
	n -= 1024
	f := float32(n)
	r := x - f*ln2Hi - f*ln2Lo
	p := float32(1.9875691500e-4)
	p = p*r + 1.3981999507e-3
	p = p*r + 8.3334519073e-3
	p = p*r + 4.1665795894e-2
	p = p*r + 1.6666665459e-1
	p = p*r + 5.0000001201e-1
	p = p*(r*r) + r + 1
	return p * math.Float32frombits(uint32(n+127)<<23)
}

// tanh uses a polynomial (Cephes tanhf) near 0, where the difference of
// exponentials would lose all digits, and 1 - 2/(e^2x + 1) elsewhere.
func tanh(x float32) float32 {
	a := math.Float32frombits(math.Float32bits(x) &^ (1 << 31))
	if a < 0.625 {
		s := x * x
		p := float32(-5.70498872745e-3)
		p = p*s + 2.06390887954e-2
		p = p*s - 5.37397155531e-2
		p = p*s + 1.33314422036e-1
		p = p*s - 3.33332819422e-1
		return p*s*x + x
	}
	if a > 9.1 {
		return math.Float32frombits(math.Float32bits(x)&(1<<31) | math.Float32bits(1))
	}
	t := 1 - 2/(exp(2*a)+1) // exp keeps a NaN
	return math.Float32frombits(math.Float32bits(x)&(1<<31) | math.Float32bits(t))
}

func sigmoid(x float32) float32 { return 1 / (1 + exp(-x)) }

// sigmoids replaces each x by sigmoid(x).
func sigmoids(x []float32) {
	for i, v := range x {
		x[i] = -v
	}
	Exp(x, x)
	for i, v := range x {
		x[i] = 1 / (1 + v)
	}
}
