package kernel

import "math"

// Gelu sets dst[i] = x Φ(x) for x = src[i], where Φ is the standard normal distribution function
// (Hendrycks and Gimpel 2016, section 2; the form with erf, not its approximation by tanh). The
// error is below 1.3e-7 for |x| <= 2, and below 6.5e-8 |x| elsewhere, which is half a unit in the
// last place. The slices may be the same.
func Gelu(dst, src []float32) { vectorGelu(dst, src[:len(dst)]) }

// GeluTanh sets dst[i] = x/2 (1 + tanh(√(2/π) (x + 0.044715 x³))) for x = src[i], the approximation
// of Gelu by the same paper. The error is as Gelu's. The slices may be the same.
func GeluTanh(dst, src []float32) { vectorGeluTanh(dst, src[:len(dst)]) }

// Silu sets dst[i] = x/(1 + e^-x) for x = src[i]. The error is as Gelu's. The slices may be
// the same.
func Silu(dst, src []float32) { vectorSilu(dst, src[:len(dst)]) }

// Normalize is layer normalization of one row (Ba, Kiros and Hinton 2016, section 3): it sets dst[i]
// = (src[i] - mean)/√(variance + epsilon)·scale[i] + shift[i], where the variance is the mean of the
// squared distances from the mean. The slices have the same length; dst and src may be the same.
func Normalize(dst, src, scale, shift []float32, epsilon float32) {
	n := len(dst)
	normalize(dst, src[:n], scale[:n], shift[:n], epsilon)
}

// Softmax sets dst to e^src, divided by the sum of these. It cannot overflow. The slices may be the
// same.
func Softmax(dst, src []float32) {
	if len(dst) > 0 {
		softmax(dst, src[:len(dst)], Max(src[:len(dst)]))
	}
}

func geluGeneric(dst, src []float32) {
	for i := range dst {
		x := float64(src[i])
		dst[i] = float32(x / 2 * math.Erfc(-x/math.Sqrt2))
	}
}

func geluTanhGeneric(dst, src []float32) {
	for i := range dst {
		x := float64(src[i])
		dst[i] = float32(x / (1 + math.Exp(-2*math.Sqrt(2/math.Pi)*(x+0.044715*x*x*x)))) // (1 + tanh u)/2 = 1/(1 + e^-2u)
	}
}

func siluGeneric(dst, src []float32) {
	for i := range dst {
		x := float64(src[i])
		dst[i] = float32(x / (1 + math.Exp(-x)))
	}
}

func normalizeGeneric(dst, src, scale, shift []float32, epsilon float32) {
	var mean, variance float64
	for _, x := range src {
		mean += float64(x)
	}
	mean /= float64(len(src))
	for _, x := range src {
		d := float64(x) - mean
		variance += d * d
	}
	variance /= float64(len(src))
	inverse := 1 / math.Sqrt(variance+float64(epsilon))
	for i, x := range src {
		dst[i] = float32((float64(x)-mean)*inverse)*scale[i] + shift[i]
	}
}

func softmaxGeneric(dst, src []float32, top float32) {
	expLessGeneric(dst, top, src)
	var sum float32
	for _, x := range dst {
		sum += x
	}
	for i := range dst {
		dst[i] /= sum
	}
}
