package learn

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lethe-deid/lethe/nn/kernel"
)

// newTestModel returns a model of random vectors that are large enough for scores
// of all sizes.
func newTestModel(m Method, words int) *word2vec {
	c := small(m)
	voc := &vocabulary{words: make([]string, words)}
	for i := range words {
		voc.counts = append(voc.counts, 100-i)
		voc.total += 100 - i
	}
	model := newWord2vec(voc, c)
	rng := rand.New(rand.NewPCG(3, 4))
	for _, table := range []kernel.Matrix{model.in, model.out} {
		for i := range table.Data {
			table.Data[i] = float32(rng.NormFloat64()) / 2
		}
	}
	return model
}

// objective returns the objective of the stretch, computed pair by pair as
// Mikolov et al. define it.
func objective(m *word2vec, s *stretch) float64 {
	dot := func(x, y []float64) (sum float64) {
		for i := range x {
			sum += x[i] * y[i]
		}
		return sum
	}
	row := func(table kernel.Matrix, id int32) (x []float64) {
		for _, v := range table.Row(int(id)) {
			x = append(x, float64(v))
		}
		return x
	}
	logS := func(v float64) float64 { return -math.Log1p(math.Exp(-v)) }
	pair := func(x []float64, word int32) float64 {
		sum := logS(dot(x, row(m.out, word)))
		for _, z := range s.drawn {
			if z != word {
				sum += logS(-dot(x, row(m.out, z))) / drawnFor
			}
		}
		return sum
	}
	total := 0.0
	for _, w := range s.windows {
		mean, n := make([]float64, m.cfg.Dim), 0
		for j := w.from; j < w.to; j++ {
			if j == w.at {
				continue
			}
			n++
			if m.cfg.Method == SkipGram {
				total += pair(row(m.in, s.words[w.at]), s.words[j])
			}
			for k, v := range row(m.in, s.words[j]) {
				mean[k] += v
			}
		}
		if m.cfg.Method == CBOW {
			for k := range mean {
				mean[k] /= float64(n)
			}
			total += pair(mean, s.words[w.at])
		}
	}
	return total
}

// With rate 1, learn adds the gradient to the tables. It is compared with finite
// differences of the objective for every parameter.
func TestWord2vecGradient(t *testing.T) {
	for _, method := range []Method{SkipGram, CBOW} {
		m := newTestModel(method, 9)
		s := &stretch{ // two sentences; words that repeat, and that are drawn against themselves, once or twice
			words:   []int32{0, 1, 2, 3, 1, 4, 5, 0, 6},
			windows: []window{{1, 0, 3}, {2, 0, 5}, {3, 2, 4}, {6, 5, 9}, {8, 7, 9}},
			drawn:   []int32{1, 7, 0, 1, 3, 8, 8, 2, 5},
			rate:    1,
		}
		const h = 1e-2
		var want []float64
		tables := []kernel.Matrix{m.in, m.out}
		for _, table := range tables {
			for i, v := range table.Data {
				table.Data[i] = v + h
				up := objective(m, s)
				table.Data[i] = v - h
				down := objective(m, s)
				table.Data[i] = v
				want = append(want, (up-down)/(float64(v+h)-float64(v-h)))
			}
		}
		before := slices.Concat(m.in.Data, m.out.Data)
		m.learn(s)
		after := slices.Concat(m.in.Data, m.out.Data)
		moved := 0
		for i := range want {
			got := float64(after[i]) - float64(before[i])
			if math.Abs(got-want[i]) > 1e-3*(1+math.Abs(want[i])) {
				t.Fatalf("%s: parameter %d moves by %v, the objective's slope is %v", method, i, got, want[i])
			}
			if got != 0 {
				moved++
			}
		}
		if moved < len(want)/3 {
			t.Errorf("%s: only %d of %d parameters moved", method, moved, len(want))
		}
	}
}

// The stretches contain each word of the corpus once per epoch, in order, with a
// window of neighbours in its sentence. Where the text is cut, the neighbours are
// in both stretches.
func TestDeal(t *testing.T) {
	sentences := []string{"a b c d e f g h i j k l m n o p q r s t u v w x y z a b c d", "k l", "m", "n o p", "q r s t u v w x y z"}
	text := ""
	for range 9 {
		for _, s := range sentences {
			text += s + "\n"
		}
	}
	c := small(SkipGram)
	c.Epochs = 2
	r, err := newReader(c.Words)
	if err != nil {
		t.Fatal(err)
	}
	r.corpus = corpus(text)
	voc, _, err := r.count(t.Context(), c, func(string, int, int) {})
	if err != nil {
		t.Fatal(err)
	}
	m := newWord2vec(voc, c)
	for _, length := range []int{1, 3, 16} {
		m.length = length
		ready, empty := make(chan *stretch, 2000), make(chan *stretch, 2000)
		for range cap(empty) {
			empty <- &stretch{}
		}
		if err := m.deal(t.Context(), r, ready, empty); err != nil {
			t.Fatal(err)
		}
		close(ready)
		type place struct{ sentence, word int }
		var places []place // what the windows should be of
		var all [][]int32
		for range c.Epochs {
			if err := r.sentences(t.Context(), voc, func(ids []int32) error {
				for i := range ids {
					if len(ids) > 1 {
						places = append(places, place{len(all), i})
					}
				}
				all = append(all, slices.Clone(ids))
				return nil
			}); err != nil {
				t.Fatal(err)
			}
		}
		reaches := map[int]int{}
		n, rate := 0, float32(1)
		for s := range ready {
			if len(s.windows) > length || len(s.drawn) != drawnFor*c.Negatives || s.rate > rate {
				t.Fatalf("length %d: %d windows, %d drawn, rate %v after %v", length, len(s.windows), len(s.drawn), s.rate, rate)
			}
			rate = s.rate
			for _, w := range s.windows {
				p := places[n]
				sentence := all[p.sentence]
				before, after := w.at-w.from, w.to-1-w.at
				if !slices.Equal(s.words[w.from:w.to], sentence[p.word-before:p.word+after+1]) {
					t.Fatalf("length %d: window %d holds other words", length, n)
				}
				reach := max(before, after)
				if reach < 1 || reach > c.Window || before < min(reach, p.word) || after < min(reach, len(sentence)-1-p.word) {
					t.Fatalf("length %d: word %d of %d sees %d before and %d after", length, p.word, len(sentence), before, after)
				}
				if p.word >= c.Window && p.word < len(sentence)-c.Window {
					reaches[reach]++
				}
				n++
			}
		}
		if n != len(places) || rate > 1e-3 {
			t.Errorf("length %d: %d windows for %d words; last rate %v", length, n, len(places), rate)
		}
		for reach := 1; reach <= c.Window; reach++ { // of 2 x 9 x 28 or so
			if reaches[reach] < 100 {
				t.Errorf("length %d: %d windows reach %d", length, reaches[reach], reach)
			}
		}
	}
}

// A word that is a share f of the text is kept with probability sqrt(t/f) + t/f,
// as in word2vec.
func TestThinning(t *testing.T) {
	voc := &vocabulary{words: make([]string, 3), counts: []int{9000, 990, 10}, total: 10_000}
	c := small(SkipGram)
	c.Sample = 1e-3
	m := newWord2vec(voc, c)
	for i, want := range []float64{0.0344444, 0.1106048, 1} {
		if math.Abs(float64(m.keep[i])-want) > 1e-6 {
			t.Errorf("word %d is kept with %v, want %v", i, m.keep[i], want)
		}
	}
	if m.length != 1 { // the first word is 71 % of what stays
		t.Errorf("stretches of %d words", m.length)
	}
}
