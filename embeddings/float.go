package embeddings

import (
	"math"
	"strconv"
)

// pow10 lists the powers of ten that a float64 represents exactly.
var pow10 = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10,
	1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// parseFloat parses a decimal number with exactly the same result as
// strconv.ParseFloat with 32 bits. ok is false for anything else, and for numbers
// beyond float32.
//
// The fast path (Clinger 1990, section 4) computes m / 10^k with m and 10^k exact
// in float64, so it rounds once. Rounding the result to float32 gives the same as
// rounding the number itself, unless the float64 lies exactly half way between
// two float32s. Only then is it unknown on which side the number was.
func parseFloat(s []byte) (x float32, ok bool) {
	i := 0
	negative := len(s) > 0 && s[0] == '-'
	if negative {
		i = 1
	}
	var m uint64
	digits, point := 0, -1
	for ; i < len(s); i++ {
		if d := s[i] - '0'; d <= 9 {
			m = m*10 + uint64(d)
			digits++
		} else if s[i] == '.' && point < 0 {
			point = digits
		} else {
			return parseFloatSlow(s)
		}
	}
	k := 0
	if point >= 0 {
		k = digits - point
	}
	if digits == 0 || digits > 19 || m > 1<<53 || k >= len(pow10) {
		return parseFloatSlow(s)
	}
	f := float64(m) / pow10[k]
	const dropped = 1<<29 - 1 // the bits that float32 does not have
	if math.Float64bits(f)&dropped == 1<<28 || f < 0x1p-126 && m != 0 {
		return parseFloatSlow(s)
	}
	if negative {
		f = -f
	}
	return float32(f), true
}

func parseFloatSlow(s []byte) (float32, bool) {
	for _, c := range s { // strconv also accepts "inf", "nan" and hexadecimal
		if c-'0' > 9 && c != '.' && c != '-' && c != '+' && c != 'e' && c != 'E' {
			return 0, false
		}
	}
	x, err := strconv.ParseFloat(string(s), 32)
	return float32(x), err == nil
}
