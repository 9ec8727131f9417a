package kernel

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// The sizes are those of an encoder of base size, for 128 to 4,096 tokens.
func BenchmarkEncoder(b *testing.B) {
	rng := rand.New(rand.NewPCG(5, 4))
	random := func(rows, cols int) Matrix {
		m := NewMatrix(rows, cols, make([]float32, rows*cols))
		for i := range m.Data {
			m.Data[i] = float32(rng.NormFloat64())
		}
		return m
	}
	for _, s := range [][3]int{{128, 768, 768}, {512, 768, 768}, {2048, 768, 768}, {4096, 768, 768},
		{128, 768, 3072}, {512, 768, 3072}, {2048, 768, 3072}, {4096, 768, 3072},
		{128, 3072, 768}, {512, 3072, 768}, {2048, 3072, 768}, {4096, 3072, 768}} {
		m, k, n := s[0], s[1], s[2]
		x, y, z := random(m, k), random(k, n), random(m, n)
		packed, quantized := Pack(y), Quantize(y)
		for _, f := range []struct {
			name string
			f    func()
		}{{"AddMul", func() { AddMul(z, x, y) }}, {"Packed", func() { packed.AddMul(z, x) }}, {"Int8", func() { quantized.AddMul(z, x) }}} {
			b.Run(fmt.Sprintf("%dx%dx%d/%s", m, k, n, f.name), func(b *testing.B) { measure(b, 2*m*k*n, "GFLOP/s", f.f) })
		}
	}
	// The heads of attention: the scores, also with the keys transposed before, and the values.
	const heads = 12
	for _, rows := range []int{128, 512} {
		q, keys, values, scores, out := random(rows, 64), random(rows, 64), random(rows, 64), random(rows, rows), random(rows, 64)
		transposed := random(64, rows)
		for _, f := range []struct {
			name string
			f    func()
		}{
			{"NT", func() { AddMulNT(scores, q, keys) }},
			{"TransposeNN", func() { Transpose(transposed, keys); AddMul(scores, q, transposed) }},
			{"NN", func() { AddMul(out, scores, values) }},
		} {
			b.Run(fmt.Sprintf("attention%d/%s", rows, f.name), func(b *testing.B) {
				measure(b, heads*2*rows*rows*64, "GFLOP/s", func() {
					for range heads {
						f.f()
					}
				})
			})
		}
	}
}
