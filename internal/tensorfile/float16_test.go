package tensorfile

import (
	"math"
	"testing"
)

// TestHalfOfEveryNumber converts every finite float16 number to float32 and back. Halfway
// between two of them, the even one must be chosen, and beside that point the nearer one.
func TestHalfOfEveryNumber(t *testing.T) {
	for bits := uint16(0); bits < 0x7c00; bits++ {
		x := FromHalf(bits)
		if got := ToHalf(x); got != bits {
			t.Fatalf("%#04x is %v, which becomes %#04x", bits, x, got)
		}
		if got := ToHalf(-x); got != bits|0x8000 {
			t.Fatalf("-%v becomes %#04x, want %#04x", x, got, bits|0x8000)
		}
		if bits == 0 || x == MaxHalf {
			continue
		}
		below := FromHalf(bits - 1)
		middle := (below + x) / 2
		even := bits
		if bits%2 == 1 {
			even--
		}
		if got := ToHalf(middle); got != even {
			t.Fatalf("%v, between %v and %v, becomes %#04x, want %#04x", middle, below, x, got, even)
		}
		if got := ToHalf(math.Nextafter32(middle, below)); got != bits-1 {
			t.Fatalf("a number just below %v becomes %#04x, want %#04x", middle, got, bits-1)
		}
		if got := ToHalf(math.Nextafter32(middle, x)); got != bits {
			t.Fatalf("a number just above %v becomes %#04x, want %#04x", middle, got, bits)
		}
	}
	for x, want := range map[float32]uint16{1: 0x3c00, -2: 0xc000, MaxHalf: 0x7bff, 0x1p-14: 0x0400, 0x1p-24: 1, 1.0 / 3: 0x3555} {
		if got := ToHalf(x); got != want {
			t.Errorf("%v becomes %#04x, want %#04x", x, got, want)
		}
	}
}
