package hf

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/subword"
	"github.com/lethe-deid/lethe/nn"
	"github.com/lethe-deid/lethe/nn/kernel"
	"github.com/lethe-deid/lethe/taggers"
	"github.com/lethe-deid/lethe/taggers/internal/reader"
)

// network computes the scores of labels: see encoder.Encoder.
type network interface {
	Limit() int
	Logits(sequences [][]int32) ([]kernel.Matrix, error)
}

// tokenizer splits text into subwords: see subword.Tokenizer.
type tokenizer interface {
	Encode(text string) ([]subword.Token, error)
	Frame() (before, after []int32)
}

// Tagger is a token-classification model. Several goroutines may use it at once.
type Tagger struct {
	dir         string // of the model's files
	types       *data.TypeSet
	labels      *labels
	transitions *nn.Param // of the CRF over the labels of the model; nil: none
	reader      reader.Reader
	tokenizer   tokenizer
	room        int // subwords in a window besides the special ones
	stride      int
	network     network
	contents    taggers.Contents
}

var (
	_ taggers.Model     = (*Tagger)(nil)
	_ taggers.Scorer    = (*Tagger)(nil)
	_ taggers.Inventory = (*Tagger)(nil)
	_ data.Prober       = (*Tagger)(nil)
	_ data.Estimator    = (*Tagger)(nil)
)

// batch is the number of subwords that the network is given at a time, besides those of the last window. It bounds the memory, and
// how long the tagger takes to notice that it is cancelled.
const batch = 4096

// newTagger makes a tagger of its parts.
func newTagger(c Config, types *data.TypeSet, l *labels, transitions *nn.Param, tok tokenizer, net network) (*Tagger, error) {
	t := &Tagger{types: types, labels: l, transitions: transitions, tokenizer: tok, network: net}
	var err error
	if t.reader, err = reader.New(c.Tokenizer, "rules", 0); err != nil {
		return nil, err
	}
	before, after := tok.Frame()
	t.room = min(c.Window, net.Limit()) - len(before) - len(after)
	if t.room < 2 {
		return nil, fmt.Errorf("window: %d leaves no room beside the %d special subwords of the model", min(c.Window, net.Limit()), len(before)+len(after))
	}
	t.stride = min(c.Stride, t.room/2)
	return t, nil
}

// Types returns the type set of the spans.
func (t *Tagger) Types() *data.TypeSet { return t.types }

// Tag implements data.Tagger. The score of a span is the probability of its labels: the marginal of the CRF or, without a
// CRF, the product of the probabilities of its words.
func (t *Tagger) Tag(ctx context.Context, docs []*data.Document) ([][]data.Span, error) {
	all, err := t.tag(ctx, docs, reader.Wanted{})
	return reader.Spans(all), err
}

// Probe implements data.Prober.
func (t *Tagger) Probe(ctx context.Context, docs []*data.Document, from float64) (found, doubts [][]data.Span, err error) {
	all, err := t.tag(ctx, docs, reader.Wanted{Doubts: from})
	return reader.Spans(all), reader.AllDoubts(all), err
}

// Estimate implements data.Estimator.
func (t *Tagger) Estimate(ctx context.Context, docs []*data.Document) ([][]data.Estimate, error) {
	all, err := t.tag(ctx, docs, reader.Wanted{Estimates: true})
	return reader.AllEstimates(all), err
}

// Chains implements taggers.Scorer.
func (t *Tagger) Chains() []taggers.Chain { return []taggers.Chain{{Labels: t.labels.names}} }

// Scores implements taggers.Scorer. Words without a subword have none.
func (t *Tagger) Scores(ctx context.Context, docs []*data.Document) ([][][]taggers.TokenScores, error) {
	all, err := t.tag(ctx, docs, reader.Wanted{Scores: true})
	return reader.AllScores(all), err
}

// passage is a note, or a stretch of a huge one, that is labelled as a whole.
type passage struct {
	note      int
	text      string // of the note
	words     []word
	sentence  []int // of the note, by word
	pieces    []piece
	windows   []window
	subwords  []subword.Token
	sums      []float64 // by piece and label of the model: what the windows say, weighted
	weights   []float64 // by piece
	remaining int       // windows that the network has not read
}

// reading is a window that the network reads.
type reading struct {
	*passage
	window
}

// tag returns the results by document.
func (t *Tagger) tag(ctx context.Context, docs []*data.Document, want reader.Wanted) ([]reader.Result, error) {
	all := make([]reader.Result, len(docs))
	var pool []reading
	size := 0
	flush := func() error {
		if err := t.read(ctx, pool); err != nil {
			return err
		}
		for _, r := range pool {
			if r.remaining--; r.remaining == 0 {
				t.decode(r.passage, want, &all[r.note])
			}
		}
		pool, size = pool[:0], 0
		return nil
	}
	for i, doc := range docs {
		sentences := 0
		for x := range t.reader.Cut(doc) {
			p, err := t.prepare(x)
			if err != nil {
				return nil, fmt.Errorf("document %s: %w", doc.ID, err)
			}
			p.note = i
			for k := range p.sentence {
				p.sentence[k] += sentences
			}
			sentences += len(x.Sentences)
			for _, w := range p.windows {
				pool = append(pool, reading{p, w})
				if size += p.pieces[w.to-1].to - p.pieces[w.from].from; size >= batch {
					if err := flush(); err != nil {
						return nil, err
					}
				}
			}
		}
	}
	return all, flush()
}

// prepare cuts a text into windows.
func (t *Tagger) prepare(x reader.Text) (*passage, error) {
	p := &passage{text: x.Doc.Text}
	if len(x.Tokens) == 0 {
		return p, nil
	}
	start, end := x.Tokens[0].Start, x.Tokens[len(x.Tokens)-1].End
	var err error
	if p.subwords, err = t.tokenizer.Encode(x.Doc.Text[start:end]); err != nil {
		return nil, err
	}
	for i := range p.subwords {
		p.subwords[i].Start += start
		p.subwords[i].End += start
	}
	p.words = align(p.text, x.Tokens, p.subwords)
	p.sentence = make([]int, len(p.words))
	opens := make([]bool, len(p.words))
	at := 0
	for i, w := range p.words {
		for x.Tokens[x.Sentences[at].End-1].End <= w.Start {
			at++
		}
		p.sentence[i] = at
		opens[i] = i == 0 || p.sentence[i-1] != at || newLines(p.text[p.words[i-1].End:w.Start]) > 0
	}
	p.pieces = divide(p.words, opens, t.room/2)
	p.windows = cut(p.pieces, t.room, t.stride)
	p.weights, p.remaining = make([]float64, len(p.pieces)), len(p.windows)
	return p, nil
}

// newLines returns the number of line ends in white space.
func newLines(space string) int {
	n := strings.Count(space, "\n")
	if n == 0 {
		n = strings.Count(space, "\r")
	}
	return n
}

// read lets the network read windows, and adds what it says about each piece.
func (t *Tagger) read(ctx context.Context, pool []reading) error {
	if err := ctx.Err(); err != nil || len(pool) == 0 {
		return err
	}
	before, after := t.tokenizer.Frame()
	sequences := make([][]int32, len(pool))
	for i, r := range pool {
		ids := slices.Clone(before)
		for _, s := range r.subwords[r.pieces[r.from].from:r.pieces[r.to-1].to] {
			ids = append(ids, s.ID)
		}
		sequences[i] = append(ids, after...)
	}
	logits, err := t.network.Logits(sequences)
	if err != nil {
		return fmt.Errorf("tagging: %w", err)
	}
	labels := len(t.labels.of)
	scores := make([]float64, labels)
	for i, r := range pool {
		if r.sums == nil {
			r.sums = make([]float64, len(r.pieces)*labels)
		}
		first := r.pieces[r.from].from - len(before)
		for k := r.from; k < r.to; k++ {
			for l, v := range logits[i].Row(r.pieces[k].first - first) {
				scores[l] = float64(v)
			}
			if t.transitions == nil {
				softmax(scores)
			}
			weight := r.weight(r.pieces, k)
			r.weights[k] += weight
			for l, v := range scores {
				r.sums[k*labels+l] += weight * v
			}
		}
	}
	return nil
}

// softmax turns scores into probabilities.
func softmax(x []float64) {
	top, sum := slices.Max(x), 0.0
	for i, v := range x {
		x[i] = math.Exp(v - top)
		sum += x[i]
	}
	for i := range x {
		x[i] /= sum
	}
}

// scores returns what the decoder reads, a row for each word: with a CRF, the means of the logits; without one, the
// logarithms of the mean probabilities of the labels that the model's labels mean. Of a word in several
// pieces, it is that of the piece which is PHI with the highest probability, because missed PHI is worse than PHI found wrongly.
func (t *Tagger) scores(p *passage) kernel.Matrix {
	of, names := len(t.labels.of), len(t.labels.names)
	width := names
	if t.transitions != nil {
		width = of
	}
	m := kernel.NewMatrix(len(p.words), width, make([]float32, len(p.words)*width))
	least := make([]float64, len(p.words)) // probability of no PHI, by word
	for i := range least {
		least[i] = math.Inf(1)
	}
	merged, chances := make([]float64, names), make([]float64, of)
	for k, piece := range p.pieces {
		if piece.word < 0 {
			continue
		}
		mean := p.sums[k*of : (k+1)*of]
		for l := range mean {
			mean[l] /= p.weights[k]
		}
		copy(chances, mean)
		if t.transitions != nil {
			softmax(chances)
		}
		t.labels.merge(merged, chances)
		if merged[0] >= least[piece.word] {
			continue
		}
		least[piece.word] = merged[0]
		row := m.Row(piece.word)
		for l := range row {
			if t.transitions != nil {
				row[l] = float32(mean[l])
			} else {
				row[l] = float32(math.Log(max(merged[l], improbable)))
			}
		}
	}
	return m
}

// improbable is the least probability of a label, so that it has a logarithm.
const improbable = 1e-30

// decode adds the results for a passage.
func (t *Tagger) decode(p *passage, want reader.Wanted, to *reader.Result) {
	scores := t.scores(p)
	p.sums = nil
	axis := &nn.Axis{}
	axis.Pack(1, func(int) int { return len(p.words) })
	found := nn.NewDecoder(scores.Cols, nil).Decode(axis, scores, t.transitions)[0]
	marginals := func(word int, into []float64) {
		for l := range into {
			into[l] = found.Marginal(word, int32(l))
		}
	}
	logits := func(word int, into []float64) {
		for l, v := range scores.Row(word) {
			into[l] = float64(v)
		}
	}
	chosen := found.Labels
	if t.transitions != nil { // the labels are those of the model
		chosen = make([]int32, len(p.words))
		own := make([]float64, len(t.labels.of))
		for i, l := range found.Labels {
			chosen[i] = t.labels.of[l]
		}
		all, raw := marginals, logits
		marginals = func(word int, into []float64) {
			all(word, own)
			for l := range into {
				into[l] = 0
			}
			for k, v := range own {
				if l := int(t.labels.of[k]); l < len(into) {
					into[l] += v
				}
			}
		}
		logits = func(word int, into []float64) {
			raw(word, own)
			for l := range into {
				into[l] = math.Inf(-1)
			}
			for k, v := range own {
				l := t.labels.of[k]
				into[l] = addLogs(into[l], v)
			}
		}
	}
	tokens := make([]data.Token, len(p.words))
	for i, w := range p.words {
		tokens[i] = w.Token
	}
	for from, end := 0, 0; from < len(tokens); from = end {
		for end = from + 1; end < len(tokens) && newLines(p.text[tokens[end-1].End:tokens[end].Start]) < 2; end++ {
		}
		shift := func(f func(int, []float64)) func(int, []float64) {
			return func(word int, into []float64) { f(from+word, into) }
		}
		probability := func(a, b int) float64 { return found.Probability(from+a, from+b) }
		r := want.Read(t.spans(tokens[from:end], chosen[from:end], probability), tokens[from:end], chosen[from:end], t.labels.names, t.labels.scheme, shift(marginals))
		if want.Scores {
			all := reader.Score(0, tokens[from:end], chosen[from:end], len(t.labels.names), shift(marginals), shift(logits))
			for i := range all {
				all[i].Sentence = p.sentence[from+i]
			}
			r.Scores = [][]taggers.TokenScores{all}
		}
		to.Add(r)
	}
}

// spans turns labels into spans.
func (t *Tagger) spans(tokens []data.Token, chosen []int32, probability func(from, to int) float64) []data.Span {
	names := make([]string, len(chosen))
	for i, l := range chosen {
		names[i] = t.labels.names[l]
	}
	var spans []data.Span
	for _, s := range t.labels.scheme.Decode(names) {
		spans = append(spans, data.Span{Start: tokens[s.Start].Start, End: tokens[s.End-1].End, Type: s.Type, Score: probability(s.Start, s.End)})
	}
	return spans
}

// addLogs returns log(exp(a) + exp(b)). b must be finite.
func addLogs(a, b float64) float64 {
	if a < b {
		a, b = b, a
	}
	return a + math.Log1p(math.Exp(b-a))
}
