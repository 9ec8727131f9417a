package feature

import (
	"fmt"

	"github.com/lethe-deid/lethe/embeddings"
)

// binarized turns word vectors into binary features.
type binarized struct {
	vectors *embeddings.Vectors
	high    []float32 // by dimension: the mean of its positive values
	low     []float32 // by dimension: the mean of its negative values
	names   [][2]string
}

func binarize(v *embeddings.Vectors) *binarized {
	dim := v.Dim()
	b := &binarized{vectors: v, high: make([]float32, dim), low: make([]float32, dim)}
	above, below := make([]float64, dim), make([]float64, dim)
	up, down := make([]float64, dim), make([]float64, dim)
	for i := range v.Len() {
		for d, x := range v.Row(i) {
			if x > 0 {
				above[d] += float64(x)
				up[d]++
			} else if x < 0 {
				below[d] += float64(x)
				down[d]++
			}
		}
	}
	for d := range dim {
		b.high[d], b.low[d] = float32(above[d]/max(1, up[d])), float32(below[d]/max(1, down[d]))
		b.names = append(b.names, [2]string{fmt.Sprintf("%d+", d), fmt.Sprintf("%d-", d)})
	}
	return b
}

func vectorSigns(x *Text, r *Resources, put func(int, string)) {
	b := r.vectors
	for t, w := range x.words {
		row, ok := b.vectors.Lookup(w, embeddings.Cascade{Lowercase: true, ZeroDigits: true})
		if !ok {
			put(t, "none")
			continue
		}
		for d, v := range b.vectors.Row(row) {
			if v >= b.high[d] {
				put(t, b.names[d][0])
			} else if v <= b.low[d] {
				put(t, b.names[d][1])
			}
		}
	}
}
