package tagger

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/lethe-deid/lethe/nn"
	"github.com/lethe-deid/lethe/nn/gradcheck"
)

// randomSentences makes sentences of the given lengths, with repeated tokens
// and characters, and with up to two values of each family.
func randomSentences(rng *rand.Rand, s Sizes, lengths ...int) []Sentence {
	var out []Sentence
	for _, n := range lengths {
		var sent Sentence
		for range n {
			chars := make([]int32, 1+rng.IntN(4))
			for i := range chars {
				chars[i] = rng.Int32N(int32(s.Characters))
			}
			sent.Tokens = append(sent.Tokens, rng.Int32N(int32(s.Tokens)))
			sent.Characters = append(sent.Characters, chars)
			sent.Labels = append(sent.Labels, rng.Int32N(int32(s.Labels)))
		}
		for _, values := range s.Features.Values {
			family := make([][]int32, n)
			for t := range family {
				for range rng.IntN(3) {
					family[t] = append(family[t], rng.Int32N(int32(values)))
				}
			}
			sent.Features = append(sent.Features, family)
		}
		out = append(out, sent)
	}
	return out
}

// small returns a network with every part and few enough parameters to check all of them.
func small(cell nn.Cell) Config {
	return Config{Characters: CharacterLSTM, CharacterEmbedding: 3, CharacterLSTM: 2, CharacterFilters: 3, CharacterWidth: 3,
		TokenEmbedding: 4, TokenLSTM: Units{3}, Hidden: 4, Dropout: 0.3, CRF: true, Cell: cell}
}

var smallSizes = Sizes{Characters: 5, Tokens: 7, Labels: 4}

// variants returns networks with each kind of cell, without each part, and with each that the paper's
// network lacks.
func variants() map[string]Config {
	v := map[string]Config{}
	for _, cell := range []nn.Cell{nn.Coupled, nn.Peephole, nn.FullPeephole, nn.Standard} {
		v[string(cell)] = small(cell)
	}
	edit := func(name string, f func(*Config)) {
		c := small("coupled")
		f(&c)
		v[name] = c
	}
	edit("no characters", func(c *Config) { c.CharacterLSTM = 0 })
	edit("characters: none", func(c *Config) { c.Characters = NoCharacters })
	edit("no token vectors", func(c *Config) { c.TokenEmbedding = 0 })
	edit("no token LSTM", func(c *Config) { c.TokenLSTM = Units{0} })
	edit("int8", func(c *Config) { c.Int8 = true })
	edit("no hidden layer", func(c *Config) { c.Hidden = 0 })
	edit("word dropout", func(c *Config) { c.WordDropout = 0.3 })
	edit("no CRF", func(c *Config) { c.CRF = false })
	edit("character CNN", func(c *Config) { c.Characters = CharacterCNN })
	edit("character CNN of even width", func(c *Config) { c.Characters, c.CharacterWidth, c.CharacterFilters = CharacterCNN, 2, 3 })
	edit("layer norm", func(c *Config) { c.TokenLSTM, c.LayerNorm = Units{6}, true })
	edit("three token LSTMs", func(c *Config) { c.TokenLSTM = Units{3, 3, 2} })
	edit("two token LSTMs with layer norm", func(c *Config) { c.TokenLSTM, c.LayerNorm = Units{6, 6}, true })
	return v
}

// The gradient of every parameter agrees with finite differences, for sentences of several lengths
// alone and in one batch, with dropout on. The seed is one with which no network is too curved for
// the differences, and no maximum is close to another value.
func TestGradients(t *testing.T) {
	for name, cfg := range variants() {
		t.Run(name, func(t *testing.T) {
			net := newNetwork(t, cfg, smallSizes, 3)
			rng := rand.New(rand.NewPCG(5, 15))
			for _, p := range net.All() { // larger than Glorot's, so that no layer is nearly linear
				nn.Normal(0.6)(rng, p)
			}
			all := randomSentences(rng, smallSizes, 1, 2, 22)
			if cfg.Characters == CharacterCNN { // few spellings have few maxima
				for _, s := range all {
					for t := range s.Characters {
						s.Characters[t] = [][]int32{{0, 1}, {2}, {3, 1, 4}}[t%3]
					}
				}
			}
			for _, batch := range [][]Sentence{all[:1], all[1:2], all} {
				if err := gradcheck.Check(net.Params, net.assemble, batch, []uint64{1, 2, 3}[:len(batch)]); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

func newNetwork(t testing.TB, cfg Config, sizes Sizes, seed uint64) *Network {
	t.Helper()
	net, err := New(cfg, sizes, seed)
	if err != nil {
		t.Fatal(err)
	}
	return net
}

func newPredictor(t testing.TB, net *Network, legal func(a, b int) bool) *Predictor {
	t.Helper()
	p, err := net.NewPredictor(legal)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func newTrainer(t testing.TB, net *Network, opt nn.Optimizer, workers int, rate func(string) float64) *nn.Trainer[Sentence] {
	t.Helper()
	tr, err := net.NewTrainer(opt, workers, rate)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(tr.Close)
	return tr
}

// trained computes the loss and the gradients of a batch by the names of the parameters.
func trained(t *testing.T, net *Network, m *nn.Machine[Sentence, *model], batch []Sentence, seeds []uint64) (loss float64, gradients map[string][]float32) {
	t.Helper()
	if err := m.RunSeeded(batch, seeds, 1); err != nil {
		t.Fatal(err)
	}
	gradients = map[string][]float32{}
	for _, p := range net.All() {
		gradients[p.Name] = m.Gradient(p)
	}
	return m.Loss(), gradients
}

func newMachine(t *testing.T, net *Network) *nn.Machine[Sentence, *model] {
	t.Helper()
	m, err := nn.NewMachine[Sentence](net.Params, net.assemble, true)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// The loss and gradient of a sentence do not depend on the rest of its batch.
func TestBatchIsSumOfItsSentences(t *testing.T) {
	for name, cfg := range variants() {
		net := newNetwork(t, cfg, smallSizes, 3)
		m := newMachine(t, net)
		batch := randomSentences(rand.New(rand.NewPCG(8, 8)), smallSizes, 3, 1, 9, 4, 9)
		seeds := []uint64{10, 11, 12, 13, 14}
		var sum float64
		sums := map[string][]float64{}
		for _, p := range net.All() {
			sums[p.Name] = make([]float64, len(p.Data))
		}
		for i := range batch {
			loss, gradients := trained(t, net, m, batch[i:i+1], seeds[i:i+1])
			sum += loss
			for name, g := range gradients {
				for k, v := range g {
					sums[name][k] += float64(v)
				}
			}
		}
		loss, gradients := trained(t, net, m, batch, seeds)
		if !(math.Abs(loss-sum) <= 1e-4) {
			t.Errorf("%s: loss of the batch is %v, of its sentences %v", name, loss, sum)
		}
		for _, p := range net.All() {
			if len(gradients[p.Name]) != len(p.Data) {
				t.Fatalf("%s: %d values in the gradient of %s, want %d", name, len(gradients[p.Name]), p.Name, len(p.Data))
			}
			for k, v := range gradients[p.Name] {
				if !(math.Abs(float64(v)-sums[p.Name][k]) <= 1e-4) {
					t.Fatalf("%s: gradient %s[%d] of the batch is %v, of its sentences %v", name, p.Name, k, v, sums[p.Name][k])
				}
			}
		}
	}
}

// Prediction, which caches the vectors of spellings and multiplies each distinct token and feature once, has
// the same logits as training without dropout, except for how sums are rounded.
func TestPredictionIsTrainingWithoutDropout(t *testing.T) {
	variants := variants()
	for name, cfg := range variants {
		variants[name+", features"] = cfg
	}
	for name, cfg := range variants {
		if cfg.Int8 {
			continue // its predictions are only close: see TestInt8IsClose
		}
		sizes := smallSizes
		if strings.HasSuffix(name, ", features") {
			sizes.Features = Features{Values: []int{3, 5}, Dimension: 2, Output: len(name)%2 == 0}
		}
		net := newNetwork(t, cfg, sizes, 3)
		m, p := newMachine(t, net), newPredictor(t, net, nil)
		rng := rand.New(rand.NewPCG(8, 8))
		for range 3 {
			batch := randomSentences(rng, sizes, 3, 1, 9, 4, 9)
			if err := m.Run(batch); err != nil {
				t.Fatal(err)
			}
			if _, err := p.Predict(batch); err != nil {
				t.Fatal(err)
			}
			got, want := logitsOf(p), m.Value(m.Model.logits).Data
			for i, v := range want {
				if !(math.Abs(float64(got[i]-v)) <= 1e-5) {
					t.Errorf("%s: logit %d is %v in prediction, and %v in training", name, i, got[i], v)
				}
			}
		}
	}
}

// Tokens count as the same by their characters, not by where these are: a copy has the same loss and gradients, and the
// same logits.
func TestCopiedCharactersChangeNothing(t *testing.T) {
	cfg := small("coupled")
	net := newNetwork(t, cfg, smallSizes, 3)
	m, p := newMachine(t, net), newPredictor(t, net, nil)
	rng := rand.New(rand.NewPCG(5, 5))
	batch := randomSentences(rng, smallSizes, 6, 3, 9, 4)
	for i := range batch { // half of the tokens share their characters
		for k := range batch[i].Characters {
			if from := batch[rng.IntN(i+1)]; rng.IntN(2) == 0 {
				batch[i].Characters[k] = from.Characters[rng.IntN(len(from.Characters))]
			}
		}
	}
	var want, wantLogits []float32
	for copied := range 2 {
		if copied == 1 {
			for i := range batch {
				for k, c := range batch[i].Characters {
					batch[i].Characters[k] = slices.Clone(c)
				}
			}
		}
		if err := m.RunSeeded(batch, make([]uint64, len(batch)), 1); err != nil {
			t.Fatal(err)
		}
		if _, err := p.Predict(batch); err != nil {
			t.Fatal(err)
		}
		var got []float32
		for _, p := range net.All() {
			got = append(got, m.Gradient(p)...)
		}
		if copied == 0 {
			want, wantLogits = got, slices.Clone(logitsOf(p))
		} else if !slices.Equal(got, want) || !slices.Equal(logitsOf(p), wantLogits) {
			t.Error("a copy of the characters changes the gradients or the logits")
		}
	}
}

// Too many characters once were no error.
func TestCharactersThatDoNotFitTheTokens(t *testing.T) {
	net := newNetwork(t, small("coupled"), smallSizes, 3)
	p := newPredictor(t, net, nil)
	for _, n := range []int{1, 3} {
		s := Sentence{Tokens: []int32{1, 2}, Characters: [][]int32{{1}, {2}, {1}}[:n]}
		if _, err := p.Predict([]Sentence{s}); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("the characters of %d tokens for the 2 tokens of sentence 0", n)) {
			t.Errorf("%d: error %v", n, err)
		}
	}
}

// The names of the parameters and their shapes are part of the format of model folders.
func TestParametersOfStackedLayers(t *testing.T) {
	cfg := small("coupled")
	cfg.Characters, cfg.TokenLSTM, cfg.LayerNorm = CharacterCNN, Units{3, 3, 2}, true
	net := newNetwork(t, cfg, smallSizes, 1)
	for name, want := range map[string][2]int{
		"character_embedding": {5, 3}, "character_cnn.W": {9, 3}, "character_cnn.b": {1, 3},
		"token_lstm.forward.W": {10, 9}, "token_lstm2.backward.W": {9, 9}, "token_lstm3.forward.W": {8, 6},
		"token_norm.g": {1, 6}, "token_norm2.b": {1, 6}, "token_norm3.g": {1, 4}, "hidden.W": {4, 4},
	} {
		if p := net.Get(name); p == nil || p.Rows != want[0] || p.Cols != want[1] {
			t.Errorf("%s is %v, want %v", name, p, want)
		}
	}
}

// Liu et al. 2017 draw characters and features from U(-1, 1), and nothing else.
func TestEmbeddingRange(t *testing.T) {
	cfg := small("coupled")
	sizes := smallSizes
	sizes.Characters, sizes.Features = 200, Features{Values: []int{200}, Dimension: 3}
	glorot := newNetwork(t, cfg, sizes, 1)
	cfg.EmbeddingRange = 1
	for _, p := range newNetwork(t, cfg, sizes, 1).All() {
		largest := 0.0
		for _, x := range p.Data {
			largest = max(largest, math.Abs(float64(x)))
		}
		switch {
		case p.Name != "character_embedding" && p.Name != "features.0":
			if !slices.Equal(p.Data, glorot.Get(p.Name).Data) {
				t.Errorf("%s is not what it is without the range", p.Name)
			}
		case largest > 1 || largest < 0.95: // of 600 values
			t.Errorf("%s is in [-%.3f, %.3f], want [-1, 1]", p.Name, largest, largest)
		}
	}
	cfg.EmbeddingRange = -1
	if err := cfg.Validate(); err == nil || !strings.HasPrefix(err.Error(), "embedding_range: ") {
		t.Errorf("error %v", err)
	}
}

// A second BiLSTM whose states are all 0 changes nothing, because its input is added to them.
func TestResidual(t *testing.T) {
	cfg := small("coupled")
	one := newNetwork(t, cfg, smallSizes, 1)
	cfg.TokenLSTM = Units{3, 3}
	two := newNetwork(t, cfg, smallSizes, 1)
	for _, p := range two.All() {
		if from := one.Get(p.Name); from != nil {
			copy(p.Data, from.Data)
		} else {
			clear(p.Data)
		}
	}
	batch := randomSentences(rand.New(rand.NewPCG(8, 8)), smallSizes, 3, 1, 9)
	var logits [][]float32
	for _, net := range []*Network{one, two} {
		p := newPredictor(t, net, nil)
		if _, err := p.Predict(batch); err != nil {
			t.Fatal(err)
		}
		logits = append(logits, logitsOf(p))
	}
	if !slices.Equal(logits[0], logits[1]) {
		t.Error("the logits are not the same")
	}
}

// A panic inside a layer must not end the process. An id outside of the table causes one.
func TestPanicInsideAnOpIsAnError(t *testing.T) {
	net := newNetwork(t, small("coupled"), smallSizes, 1)
	p := newPredictor(t, net, nil)
	bad := Sentence{Tokens: []int32{99}, Characters: [][]int32{{1}}}
	if _, err := p.Predict([]Sentence{bad}); err == nil {
		t.Error("no error for an id beyond the table")
	}
	good := Sentence{Tokens: []int32{1}, Characters: [][]int32{{1}}}
	if _, err := p.Predict([]Sentence{good}); err != nil {
		t.Errorf("the machine cannot be used after an error: %v", err)
	}
}

// No state of one batch may affect the next.
func TestMachineIsReusable(t *testing.T) {
	net := newNetwork(t, small("coupled"), smallSizes, 1)
	p := newPredictor(t, net, nil)
	rng := rand.New(rand.NewPCG(1, 1))
	long, short := randomSentences(rng, smallSizes, 20, 7, 13), randomSentences(rng, smallSizes, 2)
	logits := func(batch []Sentence) []float32 {
		if _, err := p.Predict(batch); err != nil {
			t.Fatal(err)
		}
		return logitsOf(p)
	}
	first := logits(short)
	logits(long)
	if again := logits(short); !slices.Equal(first, again) {
		t.Error("the same batch has other logits after a longer one")
	}
}

// Gorgonia once kept machines that nothing else could reach.
func TestMachinesAreFreed(t *testing.T) {
	cfg := small("coupled")
	cfg.TokenEmbedding = 1000 // 4 MB of activations per machine
	net := newNetwork(t, cfg, smallSizes, 1)
	batch := randomSentences(rand.New(rand.NewPCG(1, 1)), smallSizes, 1000)
	heap := func() uint64 {
		runtime.GC()
		runtime.GC()
		var s runtime.MemStats
		runtime.ReadMemStats(&s)
		return s.HeapAlloc
	}
	use := func() {
		p := newPredictor(t, net, nil)
		if _, err := p.Predict(batch); err != nil {
			t.Fatal(err)
		}
	}
	use()
	before := heap()
	for range 30 {
		use()
	}
	if after := heap(); after > before+40<<20 {
		t.Errorf("30 unreachable machines keep %d MB", (after-before)>>20)
	}
}

// Two trainers with one seed reach the same bits, and so does one that takes over the other's state
// halfway.
func TestTrainingIsReproducibleAndResumable(t *testing.T) {
	for _, method := range []string{"sgd", "adam", "adadelta", "rmsprop"} {
		for _, workers := range []int{1, 2} {
			opt := nn.DefaultOptimizer()
			opt.Method = method
			if workers == 2 {
				opt.Average = 0.9
			}
			if method != "sgd" {
				opt.ClipNorm = 1
			}
			batch := randomSentences(rand.New(rand.NewPCG(1, 1)), smallSizes, 5, 3, 8, 1)
			start := func() (*Network, *nn.Trainer[Sentence]) {
				net := newNetwork(t, small("coupled"), smallSizes, 7)
				return net, newTrainer(t, net, opt, workers, nil)
			}
			steps := func(tr *nn.Trainer[Sentence], from, to int) {
				for i := from; i < to; i++ {
					if _, err := tr.Step(batch, uint64(i), 0); err != nil {
						t.Fatal(err)
					}
				}
			}
			a, ta := start()
			steps(ta, 0, 10)
			b, tb := start()
			steps(tb, 0, 5)
			c, tc := start() // takes over from b
			for i, p := range c.All() {
				copy(p.Data, b.All()[i].Data)
			}
			stepB, memoryB := tb.State()
			stepC, memoryC := tc.State()
			*stepC = *stepB
			for i, m := range memoryC {
				copy(m.Data, memoryB[i].Data)
			}
			steps(tc, 5, 10)
			for i, p := range a.All() {
				if !slices.Equal(p.Data, c.All()[i].Data) {
					t.Errorf("%s, %d workers: %s is not the same", method, workers, p.Name)
				}
			}
		}
	}
}

// The average is computed over the weights after each step, and swapping twice changes nothing.
// With two workers it once included rows of the token embedding that the other worker had not yet
// updated.
func TestAverage(t *testing.T) {
	sizes := smallSizes
	sizes.Tokens = 3000
	opt := nn.DefaultOptimizer()
	opt.Average, opt.LearningRate = 0.8, 0.1
	for _, workers := range []int{1, 2} {
		net := newNetwork(t, small("coupled"), sizes, 7)
		tr := newTrainer(t, net, opt, workers, nil)
		want := map[*nn.Param][]float64{}
		for _, p := range net.All() {
			for _, v := range p.Data {
				want[p] = append(want[p], float64(v))
			}
		}
		for step := 1; step <= 20; step++ {
			batch := randomSentences(rand.New(rand.NewPCG(1, uint64(step))), sizes, 200, 300, 150)
			if _, err := tr.Step(batch, uint64(step), 0); err != nil {
				t.Fatal(err)
			}
			d := min(0.8, float64(1+step)/float64(10+step))
			for _, p := range net.All() {
				for i, v := range p.Data {
					want[p][i] = d*want[p][i] + (1-d)*float64(v)
				}
			}
		}
		before := slices.Clone(net.Get("logits.W").Data)
		tr.SwapAverage()
		for _, p := range net.All() {
			for i, v := range p.Data {
				if math.Abs(float64(v)-want[p][i]) > 1e-5 {
					t.Fatalf("%d workers: the average of %s[%d] is %v, want %v", workers, p.Name, i, v, want[p][i])
				}
			}
		}
		if slices.Equal(before, net.Get("logits.W").Data) {
			t.Error("the average is the weights themselves")
		}
		tr.SwapAverage()
		if !slices.Equal(before, net.Get("logits.W").Data) {
			t.Error("swapping twice changes the weights")
		}
	}
}

// A frozen token embedding does not change, and everything else does.
func TestFreeze(t *testing.T) {
	net := newNetwork(t, small("coupled"), smallSizes, 7)
	tr := newTrainer(t, net, nn.DefaultOptimizer(), 1, func(param string) float64 {
		if param == "token_embedding" {
			return 0
		}
		return 1
	})
	before := map[string][]float32{}
	for _, p := range net.All() {
		before[p.Name] = slices.Clone(p.Data)
	}
	for i := range 3 {
		if _, err := tr.Step(randomSentences(rand.New(rand.NewPCG(1, 1)), smallSizes, 30), uint64(i), 0); err != nil {
			t.Fatal(err)
		}
	}
	for _, p := range net.All() {
		if same := slices.Equal(before[p.Name], p.Data); same != (p.Name == "token_embedding") {
			t.Errorf("%s unchanged: %v", p.Name, same)
		}
	}
}

func TestTrainingLearns(t *testing.T) {
	for name, cfg := range variants() {
		net := newNetwork(t, cfg, smallSizes, 7)
		opt := nn.DefaultOptimizer()
		opt.Method, opt.LearningRate = "adam", 0.02
		tr := newTrainer(t, net, opt, 2, nil)
		batch := randomSentences(rand.New(rand.NewPCG(1, 1)), smallSizes, 6, 6, 6, 6, 6, 6)
		for _, s := range batch { // the label depends on the token and on its last character
			for i := range s.Labels {
				s.Labels[i] = s.Tokens[i] % 4
				s.Characters[i] = []int32{s.Tokens[i] % 5, s.Tokens[i] / 5}
			}
		}
		var first, last float64
		for i := range 300 {
			loss, err := tr.Step(batch, uint64(i), 0)
			if err != nil {
				t.Fatal(err)
			}
			if i == 0 {
				first = loss
			}
			last = loss
		}
		if last > first/3 {
			t.Errorf("%s: the loss fell from %.3f only to %.3f", name, first, last)
		}
	}
}

func TestValidate(t *testing.T) {
	for i, c := range []func(*nn.Optimizer){
		func(o *nn.Optimizer) { o.Method = "" }, func(o *nn.Optimizer) { o.LearningRate = 0 }, func(o *nn.Optimizer) { o.Decay = 1.1 },
		func(o *nn.Optimizer) { o.ClipNorm = math.Inf(1) }, func(o *nn.Optimizer) { o.ClipValue = -1 },
	} {
		opt := nn.DefaultOptimizer()
		c(&opt)
		if opt.Validate() == nil {
			t.Errorf("optimizer %d is accepted", i)
		}
	}
}

func BenchmarkTrain(b *testing.B) {
	for _, size := range []int{1, 16} {
		b.Run(fmt.Sprintf("batch%d", size), func(b *testing.B) {
			net := newNetwork(b, DefaultConfig(), Sizes{Characters: 100, Tokens: 20000, Labels: 89}, 1)
			tr := newTrainer(b, net, nn.DefaultOptimizer(), 1, nil)
			batch := randomSentences(rand.New(rand.NewPCG(1, 1)), net.Sizes, slices.Repeat([]int{30}, size)...)
			for b.Loop() {
				if _, err := tr.Step(batch, 1, 0); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(30*size*b.N)/b.Elapsed().Seconds(), "tokens/s")
		})
	}
}
