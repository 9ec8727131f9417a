package learn

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCountPairs(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	var text strings.Builder
	for range 3000 { // some 70,000 pairs in each of a few parts: more than are held back before a merge
		for range rng.IntN(60) {
			text.WriteByte("abcdefgh"[min(rng.IntN(8), rng.IntN(8))])
			text.WriteByte(' ')
		}
		text.WriteByte('\n')
	}
	c := small(GloVe)
	r, err := newReader(c.Words)
	if err != nil {
		t.Fatal(err)
	}
	r.corpus = corpus(text.String())
	voc, _, err := r.count(t.Context(), c, func(string, int, int) {})
	if err != nil {
		t.Fatal(err)
	}
	counts, err := countPairs(t.Context(), r, voc, 5, func(string, int, int) {})
	if err != nil {
		t.Fatal(err)
	}
	want := map[[2]string]float64{} // in both orders
	for line := range strings.Lines(text.String()) {
		words := strings.Fields(line)
		for i := range words {
			for j := range words {
				if d := max(i-j, j-i); d > 0 && d <= 5 {
					want[[2]string{words[i], words[j]}] += 1 / float64(d)
				}
			}
		}
	}
	n := 0
	for _, part := range counts {
		for i, p := range part {
			if p.a > p.b || i > 0 && part[i-1].compare(p) >= 0 {
				t.Fatalf("pair %d of a part is out of order", i)
			}
			x := want[[2]string{voc.words[p.a], voc.words[p.b]}]
			if n++; p.a != p.b {
				n++ // for both orders
			}
			if math.Abs(float64(p.x)-x) > 1e-4*x {
				t.Errorf("%s and %s: %v, want %v", voc.words[p.a], voc.words[p.b], p.x, x)
			}
		}
	}
	if n != len(want) {
		t.Errorf("%d pairs, want %d", n, len(want))
	}
}

func TestMerge(t *testing.T) {
	old := []pair{{0, 1, 1}, {0, 7, 2}, {3, 3, 3}}
	fresh := []pair{{3, 3, 1}, {0, 0, 0.5}, {9, 9, 4}, {0, 7, 1}, {0, 0, 0.25}}
	want := []pair{{0, 0, 0.75}, {0, 1, 1}, {0, 7, 3}, {3, 3, 4}, {9, 9, 4}}
	if diff := cmp.Diff(want, merge(old, fresh), cmp.AllowUnexported(pair{})); diff != "" {
		t.Error(diff)
	}
	if got := merge(nil, nil); len(got) != 0 {
		t.Error(got)
	}
}

// AdaGrad's first step is the gradient times the rate. The second one is also
// divided by the square root of 1 plus the square of the first gradient.
func TestGloVeGradient(t *testing.T) {
	const d, h = 5, 1e-3
	for _, x := range []float32{0.2, 1, 4, 10, 5000} {
		rng := rand.New(rand.NewPCG(7, 8))
		g := &glove{rate: 0.5, word: newSide(3, d, rng), around: newSide(3, d, rng)}
		params := [][]float32{g.word.rows.Data, g.around.rows.Data, g.word.biases, g.around.biases}
		squares := [][]float32{g.word.rowSquares.Data, g.around.rowSquares.Data, g.word.biasSquares, g.around.biasSquares}
		for _, p := range params {
			for i := range p {
				p[i] = float32(rng.NormFloat64())
			}
		}
		loss := func() float64 { // of word 2 near word 1
			sum := float64(g.word.biases[2]) + float64(g.around.biases[1]) - math.Log(float64(x))
			for k := range d {
				sum += float64(g.word.rows.Row(2)[k]) * float64(g.around.rows.Row(1)[k])
			}
			return min(1, math.Pow(float64(x)/10, 0.75)) * sum * sum / 2
		}
		for step := range 2 {
			var slopes, before []float64
			var roots []float64
			for k, p := range params {
				for i, v := range p {
					p[i] = v + h
					up := loss()
					p[i] = v - h
					down := loss()
					p[i] = v
					slopes = append(slopes, (up-down)/(float64(v+h)-float64(v-h)))
					before = append(before, float64(v))
					roots = append(roots, math.Sqrt(float64(squares[k][i])))
				}
			}
			if step == 1 {
				moved := 0
				for _, r := range roots {
					if r > 1 {
						moved++
					}
				}
				if moved != 2*d+2 {
					t.Errorf("%d parameters have sums of squares", moved)
				}
			}
			g.learn(2, 1, x)
			n := 0
			for k, p := range params {
				for i, v := range p {
					want := -0.5 * slopes[n] / roots[n]
					if got := float64(v) - before[n]; math.Abs(got-want) > 1e-3*(1+math.Abs(want)) {
						t.Fatalf("x %v, step %d: a parameter moves by %v, want %v", x, step, got, want)
					}
					if s := roots[n]*roots[n] + 0.25*slopes[n]*slopes[n]; math.Abs(float64(squares[k][i])-s) > 1e-2*s {
						t.Fatalf("x %v, step %d: sum of squares %v, want %v", x, step, squares[k][i], s)
					}
					n++
				}
			}
		}
	}
}
