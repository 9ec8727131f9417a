package tensorfile

import "math"

// MaxHalf is the largest number that float16 can represent.
const MaxHalf = 65504

// ToHalf returns the bits of the float16 number (IEEE 754 binary16) nearest to x, of two
// equally near ones the even one. The magnitude of x must not exceed MaxHalf.
func ToHalf(x float32) uint16 {
	bits := math.Float32bits(x)
	sign := uint16(bits >> 16 & 0x8000)
	magnitude := bits & 0x7fffffff
	if magnitude < 0x38800000 { // below 2^-14, the numbers are multiples of 2^-24
		return sign | uint16(math.RoundToEven(math.Ldexp(float64(math.Float32frombits(magnitude)), 24)))
	}
	rounded := magnitude + 0xfff + magnitude>>13&1 // may carry into the exponent
	return sign | uint16((rounded-0x38000000)>>13)
}

// FromHalf returns the number with these bits, which may be an infinity or not a number.
func FromHalf(bits uint16) float32 {
	sign := uint32(bits&0x8000) << 16
	magnitude := uint32(bits&0x7fff) << 13
	if magnitude >= 0x7c00<<13 { // infinities and NaNs
		return math.Float32frombits(sign | 0x7f800000 | magnitude)
	}
	return math.Float32frombits(sign | math.Float32bits(math.Float32frombits(magnitude)*0x1p112)) // the exponents' biases differ by 112
}
