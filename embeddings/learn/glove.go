package learn

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/lethe-deid/lethe/nn/kernel"
)

// Parameters of the weighting function of counts, Pennington et al. 2014,
// equation 9. For billions of words the authors use the maximum 100 (section
// 4.2); for millions, as here, the demonstration of their program uses 10.
const (
	gloveMax   = 10
	gloveAlpha = 0.75
)

// glove is a model under training: the parameters of each word as a word, and as
// the context of others.
type glove struct {
	rate         float32
	word, around side
}

// side contains a row and a bias per word. Next to each parameter it stores the
// AdaGrad state: 1 plus the sum of the squares of its unscaled steps, with the
// initial value of the authors.
type side struct {
	rows, rowSquares    kernel.Matrix
	biases, biasSquares []float32
}

// trainGloVe counts the pairs of words that occur near each other, and learns
// vectors from the counts. It also returns the number of distinct pairs.
func trainGloVe(ctx context.Context, r *reader, voc *vocabulary, cfg Config, progress Progress) ([]float32, int, error) {
	counts, err := countPairs(ctx, r, voc, cfg.Window, progress)
	if err != nil {
		return nil, 0, err
	}
	rng := rand.New(rand.NewPCG(cfg.Seed, 0))
	g := &glove{float32(cfg.Rate), newSide(len(voc.words), cfg.Dim, rng), newSide(len(voc.words), cfg.Dim, rng)}
	n := 0
	for _, part := range counts {
		rng.Shuffle(len(part), func(i, j int) { part[i], part[j] = part[j], part[i] })
		n += len(part)
	}
	done := 0
	for range cfg.Epochs {
		for _, p := range rng.Perm(len(counts)) {
			for some := range slices.Chunk(counts[p], 1<<16) {
				if err := ctx.Err(); err != nil {
					return nil, 0, err
				}
				for _, c := range some {
					g.learn(c.a, c.b, c.x)
					if c.a != c.b {
						g.learn(c.b, c.a, c.x)
					}
				}
				done += len(some)
				progress("learning", done, n*cfg.Epochs)
			}
		}
	}
	kernel.Add(g.word.rows.Data, g.around.rows.Data) // section 4.2: W + W~
	return g.word.rows.Data, n, nil
}

func newSide(words, d int, rng *rand.Rand) side {
	random := func(n int) []float32 {
		v := make([]float32, n)
		for i := range v {
			v[i] = (rng.Float32() - 0.5) / float32(d+1)
		}
		return v
	}
	ones := func(n int) []float32 { return slices.Repeat([]float32{1}, n) }
	return side{
		kernel.NewMatrix(words, d, random(words*d)), kernel.NewMatrix(words, d, ones(words*d)),
		random(words), ones(words),
	}
}

// learn takes a gradient step that reduces half of
//
//	f(x) (w·c + b + b' - log x)²,
//
// which is a summand of Pennington et al. 2014, equation 8: word i was counted x
// times near word j.
func (g *glove) learn(i, j int32, x float32) {
	w, w2 := g.word.rows.Row(int(i)), g.word.rowSquares.Row(int(i))
	c, c2 := g.around.rows.Row(int(j)), g.around.rowSquares.Row(int(j))
	b, b2 := &g.word.biases[i], &g.word.biasSquares[i]
	e, e2 := &g.around.biases[j], &g.around.biasSquares[j]

	step := g.rate * (kernel.Dot(w, c) + *b + *e - float32(math.Log(float64(x))))
	if x < gloveMax {
		step *= float32(math.Pow(float64(x)/gloveMax, gloveAlpha))
	}
	w2, c, c2 = w2[:len(w)], c[:len(w)], c2[:len(w)]
	for k := range w {
		dw, dc := step*c[k], step*w[k]
		w[k] -= dw / sqrt(w2[k])
		c[k] -= dc / sqrt(c2[k])
		w2[k] += dw * dw
		c2[k] += dc * dc
	}
	*b -= step / sqrt(*b2)
	*e -= step / sqrt(*e2)
	*b2 += step * step
	*e2 += step * step
}

func sqrt(x float32) float32 { return float32(math.Sqrt(float64(x))) }

// pair counts how often word a was near word b, and b near a. a <= b.
type pair struct {
	a, b int32
	x    float32
}

func (p pair) compare(q pair) int { return cmp.Or(cmp.Compare(p.a, q.a), cmp.Compare(p.b, q.b)) }

// parts is the number of sorted lists that the counts are divided into, because
// merging new counts into a list requires memory for a second list.
const parts = 64

// countPairs reads the corpus once. Words at distance k count 1/k (section 4.2).
func countPairs(ctx context.Context, r *reader, voc *vocabulary, window int, progress Progress) ([][]pair, error) {
	counts, fresh := make([][]pair, parts), make([][]pair, parts)
	read, sentences := 0, 0
	err := r.sentences(ctx, voc, func(ids []int32) error {
		for i, id := range ids {
			for j := max(0, i-window); j < i; j++ {
				a, b := min(id, ids[j]), max(id, ids[j])
				x := 1 / float32(i-j)
				if a == b {
					x *= 2 // each word is near the other
				}
				p := b % parts
				fresh[p] = append(fresh[p], pair{a, b, x})
				if len(fresh[p]) >= max(1<<16, len(counts[p])/4) {
					counts[p] = merge(counts[p], fresh[p])
					fresh[p] = fresh[p][:0]
				}
			}
		}
		read += len(ids)
		if sentences++; sentences%4096 == 1 {
			progress("counting pairs", read, voc.total)
		}
		return nil
	})
	for p := range counts {
		counts[p] = merge(counts[p], fresh[p])
		fresh[p] = nil
	}
	return counts, err
}

// merge adds new counts, in any order, to sorted ones.
func merge(counts, fresh []pair) []pair {
	slices.SortFunc(fresh, pair.compare)
	distinct := fresh[:0]
	for _, p := range fresh {
		if n := len(distinct); n > 0 && distinct[n-1].compare(p) == 0 {
			distinct[n-1].x += p.x
		} else {
			distinct = append(distinct, p)
		}
	}
	merged := make([]pair, 0, len(counts)+len(distinct))
	for len(counts) > 0 && len(distinct) > 0 {
		switch c := counts[0].compare(distinct[0]); {
		case c < 0:
			merged, counts = append(merged, counts[0]), counts[1:]
		case c > 0:
			merged, distinct = append(merged, distinct[0]), distinct[1:]
		default:
			p := counts[0]
			p.x += distinct[0].x
			merged, counts, distinct = append(merged, p), counts[1:], distinct[1:]
		}
	}
	return append(append(merged, counts...), distinct...)
}
