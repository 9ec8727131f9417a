package learn

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/lethe-deid/lethe/nn/kernel"
)

// The model learns from stretches of text: a fixed number of words with their
// windows, across sentence borders. All pairs of a stretch share their negative
// samples, as the pairs of a window do in Ji et al. 2016 (arXiv:1604.04661,
// section III); there are more samples than in word2vec, each with a smaller
// weight. In expectation this is word2vec's objective, and its gradient is three
// matrix products. Both numbers were chosen by the quality of the vectors: longer
// stretches or fewer samples make the steps too long to be stable.
const (
	stretchWords = 16
	drawnFor     = 8 // negative samples of a stretch, as a multiple of Config.Negatives
)

// crowd is the greatest expected number of occurrences of a word in a stretch. In
// a text with few distinct words, stretches are therefore shorter.
const crowd = 0.25

// ahead is the number of stretches that are prepared in advance.
const ahead = 256

// word2vec is a skip-gram or CBOW model under training.
type word2vec struct {
	cfg     Config
	voc     *vocabulary
	in, out kernel.Matrix // one row per word; in contains the vectors
	length  int           // number of words in a stretch
	keep    []float32     // by word: probability that subsampling keeps an occurrence
	noise   *alias
	g       gradient
}

// stretch is a sequence of words with their windows.
type stretch struct {
	words   []int32  // the words with a window and, around them, their neighbours
	windows []window // positions in words
	drawn   []int32
	rate    float32
	read    int // words of the corpus read so far, in all epochs
}

// window is the range of positions [from, to) without the position at.
type window struct{ at, from, to int }

func (w window) size() int {
	if w.from <= w.at && w.at < w.to {
		return w.to - w.from - 1
	}
	return w.to - w.from
}

func trainWord2vec(ctx context.Context, r *reader, voc *vocabulary, cfg Config, progress Progress) ([]float32, error) {
	m := newWord2vec(voc, cfg)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ready, empty := make(chan *stretch, ahead), make(chan *stretch, ahead)
	for range ahead {
		empty <- &stretch{}
	}
	dealt := make(chan error, 1)
	go func() {
		dealt <- m.deal(ctx, r, ready, empty)
		close(ready)
	}()
	all, n := cfg.Epochs*voc.total, 0
	for s := range ready {
		m.learn(s)
		if n++; n%ahead == 0 {
			progress("learning", s.read, all)
		}
		empty <- s
	}
	return m.in.Data, <-dealt
}

func newWord2vec(voc *vocabulary, cfg Config) *word2vec {
	n, d := len(voc.words), cfg.Dim
	m := &word2vec{
		cfg: cfg, voc: voc, keep: make([]float32, n),
		in:  kernel.NewMatrix(n, d, make([]float32, n*d)),
		out: kernel.NewMatrix(n, d, make([]float32, n*d)),
	}
	rng := rand.New(rand.NewPCG(cfg.Seed, 0))
	for i := range m.in.Data {
		m.in.Data[i] = (rng.Float32() - 0.5) / float32(d)
	}
	weights := make([]float64, n)
	most, all := 0.0, 0.0
	for i, c := range voc.counts {
		weights[i] = math.Pow(float64(c), 0.75) // Mikolov et al. 2013, arXiv:1310.4546, section 2.2
		k := 1.0
		if cfg.Sample > 0 { // as in the authors' program, which differs from section 2.3 of the paper
			t := cfg.Sample * float64(voc.total) / float64(c)
			k = min(1, math.Sqrt(t)+t)
		}
		m.keep[i] = float32(k)
		most = max(most, k*float64(c))
		all += k * float64(c)
	}
	m.noise = newAlias(weights)
	m.length = min(max(1, int(crowd*all/most)), stretchWords)
	return m
}

// deal divides the corpus into stretches, once per epoch.
func (m *word2vec) deal(ctx context.Context, r *reader, ready chan<- *stretch, empty <-chan *stretch) error {
	rng := rand.New(rand.NewPCG(m.cfg.Seed, 1))
	all, read := float64(m.cfg.Epochs*m.voc.total), 0
	s := <-empty
	send := func() error {
		for range drawnFor * m.cfg.Negatives {
			s.drawn = append(s.drawn, m.noise.draw(rng))
		}
		s.read = read
		s.rate = float32(m.cfg.Rate * max(1e-4, 1-float64(read)/all))
		ready <- s // never blocks, because the channel has room for all stretches
		select {
		case s = <-empty:
			s.words, s.windows, s.drawn = s.words[:0], s.windows[:0], s.drawn[:0]
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	for range m.cfg.Epochs {
		err := r.sentences(ctx, m.voc, func(ids []int32) error {
			read += len(ids)
			kept := ids[:0]
			for _, id := range ids {
				if k := m.keep[id]; k == 1 || rng.Float32() < k {
					kept = append(kept, id)
				}
			}
			if len(kept) < 2 {
				return nil // no pairs
			}
			for at := 0; at < len(kept); {
				end := min(len(kept), at+m.length-len(s.windows))
				from, to := max(0, at-m.cfg.Window), min(len(kept), end+m.cfg.Window)
				shift := len(s.words) - from
				s.words = append(s.words, kept[from:to]...)
				for ; at < end; at++ {
					reach := 1 + rng.IntN(m.cfg.Window)
					s.windows = append(s.windows, window{shift + at, shift + max(0, at-reach), shift + min(len(kept), at+reach+1)})
				}
				if len(s.windows) == m.length {
					if err := send(); err != nil {
						return err
					}
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	if len(s.windows) == 0 {
		return nil
	}
	return send()
}

// learn takes a step along the gradient of a stretch.
func (m *word2vec) learn(s *stretch) {
	g := &m.g
	g.compute(m, s)
	for i, id := range g.inWords {
		kernel.Axpy(m.in.Row(int(id)), s.rate, g.dIn.Row(i))
	}
	for i, id := range g.columns {
		kernel.Axpy(m.out.Row(int(id)), s.rate, g.dz.Row(i))
	}
}

// gradient is the gradient of the objective of a stretch, which is the sum over
// all pairs (x, z) of
//
//	log s(x·z) + 1/drawnFor · sum over the words z' drawn, other than z, of log s(-x·z'),
//
// (Mikolov et al. 2013, arXiv:1310.4546, equation 4), where s is the logistic
// function. Skip-gram pairs x, the word's row of the table in, with z, each
// neighbour's row of out. CBOW pairs x, the mean of the neighbours' rows of in,
// with z, the word's row of out.
type gradient struct {
	inWords []int32       // the word of each row of dIn
	dIn     kernel.Matrix // gradient of rows of in: dx or, with CBOW, dNear
	columns []int32       // the word of each row of z: first those of pairs, then those drawn
	pairs   []window      // by row of x: the rows of z that it is paired with
	centers []int32       // the word of each window
	x, dx   matrix        // one row per window
	z, dz   matrix
	scores  matrix // one row per row of x, one column per row of z
	near    matrix // CBOW: the rows of in of the stretch's words
	mean    matrix // CBOW: x = mean · near
	dNear   matrix
}

func (g *gradient) compute(m *word2vec, s *stretch) {
	d := m.cfg.Dim
	g.centers = g.centers[:0]
	for _, w := range s.windows {
		g.centers = append(g.centers, s.words[w.at])
	}
	var paired []int32 // the first part of columns
	g.pairs = g.pairs[:0]
	if m.cfg.Method == SkipGram {
		paired, g.inWords = s.words, g.centers
		g.pairs = append(g.pairs, s.windows...)
		g.x.gather(m.in, g.centers)
	} else {
		paired, g.inWords = g.centers, s.words
		g.near.gather(m.in, s.words)
		g.mean.zero(len(s.windows), len(s.words))
		for i, w := range s.windows {
			g.pairs = append(g.pairs, window{-1, i, i + 1})
			row := g.mean.Row(i)
			for j := w.from; j < w.to; j++ {
				row[j] = 1 / float32(w.size())
			}
			row[w.at] = 0
		}
		kernel.AddMul(g.x.zero(len(s.windows), d), g.mean.Matrix, g.near.Matrix)
	}
	g.columns = append(append(g.columns[:0], paired...), s.drawn...)
	g.z.gather(m.out, g.columns)

	// Replace the scores x·z by the derivatives with respect to them.
	scores := g.scores.zero(g.x.Rows, g.z.Rows)
	kernel.AddMulNT(scores, g.x.Matrix, g.z.Matrix)
	for i := range scores.Data {
		scores.Data[i] *= 0.5
	}
	kernel.Tanh(scores.Data, scores.Data) // s(v) = 0.5 + 0.5 tanh v/2
	for i, p := range g.pairs {
		row, drawn := scores.Row(i)[:len(paired)], scores.Row(i)[len(paired):]
		clear(row[:p.from])
		for j := p.from; j < p.to; j++ {
			row[j] = 0.5 - 0.5*row[j]
		}
		if p.at >= 0 {
			row[p.at] = 0
		}
		clear(row[p.to:])
		weight := 0.5 * float32(p.size()) / drawnFor
		for k, v := range drawn {
			drawn[k] = -weight - weight*v
		}
	}
	g.spare(paired, s.drawn)

	kernel.AddMul(g.dx.zero(g.x.Rows, d), scores, g.z.Matrix)
	kernel.AddMulTN(g.dz.zero(g.z.Rows, d), scores, g.x.Matrix)
	g.dIn = g.dx.Matrix
	if m.cfg.Method == CBOW {
		g.dIn = g.dNear.zero(len(s.words), d)
		kernel.AddMulTN(g.dIn, g.mean.Matrix, g.dx.Matrix)
	}
}

// spare removes the effect of a drawn word on pairs with the same word.
func (g *gradient) spare(paired, drawn []int32) {
	for k, id := range drawn {
		if !slices.Contains(paired, id) {
			continue
		}
		for i, p := range g.pairs {
			same := 0
			for j := p.from; j < p.to; j++ {
				if paired[j] == id && j != p.at {
					same++
				}
			}
			g.scores.Row(i)[len(paired)+k] *= 1 - float32(same)/float32(p.size())
		}
	}
}

// matrix is a matrix whose memory is reused.
type matrix struct{ kernel.Matrix }

// zero resizes the matrix and sets it to zero.
func (m *matrix) zero(rows, cols int) kernel.Matrix {
	values := slices.Grow(m.Data[:0], rows*cols)[:rows*cols]
	clear(values)
	m.Matrix = kernel.NewMatrix(rows, cols, values)
	return m.Matrix
}

// gather copies rows of a table into the matrix.
func (m *matrix) gather(table kernel.Matrix, rows []int32) {
	m.Data = m.Data[:0]
	for _, r := range rows {
		m.Data = append(m.Data, table.Row(int(r))...)
	}
	m.Matrix = kernel.NewMatrix(len(rows), table.Cols, m.Data)
}
