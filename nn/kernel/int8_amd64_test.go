package kernel

import (
	"slices"
	"testing"

	"golang.org/x/sys/cpu"
)

// Processors with AVX-512 but without VNNI multiply integers with AVX2, to the same bits.
func TestInt8WithoutVNNI(t *testing.T) {
	if Name() != "avx512" || !cpu.X86.HasAVX512VNNI {
		t.Skip("this processor has no VNNI, or it is not in use")
	}
	defer func() { cpu.X86.HasAVX512VNNI = true }()
	int8Cases(func(c, a, b Matrix) {
		want, got := clone(c), clone(c)
		cpu.X86.HasAVX512VNNI = true
		Quantize(b).AddMul(want, a)
		cpu.X86.HasAVX512VNNI = false
		q := Quantize(b)
		if q.AddMul(got, a); !slices.Equal(got.Data, want.Data) {
			t.Fatalf("%dx%d times %dx%d: other bits than with VNNI", a.Rows, a.Cols, b.Rows, b.Cols)
		}
		for _, start := range q.start {
			if start != 0 {
				t.Fatal("VNNI is still in use")
			}
		}
	})
}
