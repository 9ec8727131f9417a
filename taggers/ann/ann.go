package ann

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/lethe-deid/lethe/checkpoints"
	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/nn"
	"github.com/lethe-deid/lethe/nn/tagger"
	"github.com/lethe-deid/lethe/taggers"
	"github.com/lethe-deid/lethe/taggers/internal/reader"
)

// Tagger is a fitted network with its tokenizer, vocabulary and labels. Several
// goroutines may use it at once.
type Tagger struct {
	config     Config
	types      *data.TypeSet
	labels     []string // by id
	vocabulary *vocabulary
	features   *features // nil: none
	network    *tagger.Network
	card       checkpoints.Card
	readme     []byte // the card as it was loaded; nil: render card
	reader     reader.Reader
	predictors chan predictor // idle ones; there is one per worker
}

var (
	_ data.Prober       = (*Tagger)(nil)
	_ data.Estimator    = (*Tagger)(nil)
	_ taggers.Scorer    = (*Tagger)(nil)
	_ taggers.Inventory = (*Tagger)(nil)
)

// predictor is what a worker needs to tag sentences.
type predictor struct {
	*tagger.Predictor
	*encoder
}

// newTagger makes a tagger and the parts that follow from its arguments.
func newTagger(cfg Config, types *data.TypeSet, labels []string, v *vocabulary, f *features, net *tagger.Network, workers int) (*Tagger, error) {
	t := &Tagger{config: cfg, types: types, labels: labels, vocabulary: v, features: f, network: net}
	var err error
	if t.reader, err = cfg.reader(); err != nil {
		return nil, err
	}
	t.predictors = make(chan predictor, max(1, workers))
	for range cap(t.predictors) {
		p, err := net.NewPredictor(t.legal())
		if err != nil {
			return nil, err
		}
		encoder := newEncoder(v)
		encoder.memory = &memory{}
		t.predictors <- predictor{p, encoder}
	}
	return t, nil
}

// legal returns the scheme's rule on label ids, or nil if there is none.
func (t *Tagger) legal() func(a, b int) bool {
	if !t.config.Constrain {
		return nil
	}
	name := func(id int) string {
		if id >= len(t.labels) { // START and END
			return ""
		}
		return t.labels[id]
	}
	return func(a, b int) bool { return t.config.Scheme.Legal(name(a), name(b)) }
}

// Config returns the settings that the tagger was trained with.
func (t *Tagger) Config() Config { return t.config }

// Knows reports whether the network has a vector for a token, as it is written or in lower case.
func (t *Tagger) Knows(token string) bool { return t.vocabulary.token(token) != unknown }

// Types returns the type set of the spans.
func (t *Tagger) Types() *data.TypeSet { return t.types }

// Embedding is a table of vectors.
type Embedding struct {
	Names   []string  // of the rows; row 0 stands for all others
	Width   int       // numbers per row; 0: the network has no such table
	Vectors []float32 // row after row
}

// Embeddings returns the vectors of the tokens and of the characters. The names are words of the training notes and
// characters in them.
func (t *Tagger) Embeddings() (tokens, characters Embedding) {
	if p := t.network.TokenEmbedding(); p != nil {
		tokens = Embedding{t.vocabulary.tokens, p.Cols, p.Data}
	}
	if p := t.network.Get("character_embedding"); p != nil {
		characters = Embedding{t.vocabulary.characterNames(), p.Cols, p.Data}
	}
	return tokens, characters
}

const (
	// batchTokens bounds the number of tokens in a prediction batch of several sentences, and thereby its memory.
	batchTokens = 1536
	// poolTokens is the number of tokens whose sentences are sorted by length before they are
	// divided into batches. A batch of equal sentences takes fewer and wider steps.
	poolTokens = 1 << 15
)

// text is a document, or a stretch of one, whose sentences are tagged.
type text struct {
	reader.Text
	foreign  []data.Span
	found    []reader.Result // by sentence
	group    *group
	again    *data.Document // the document with its case restored, or nil: see Config.RestoreCase
	cased    reader.Text    // the reading of which the features are drawn
	features drawn          // valid as soon as the group is ready
}

// group is the texts whose features a worker draws together, because that is faster than each on its own.
type group struct {
	texts []*text
	taken atomic.Bool   // a worker draws the features
	ready chan struct{} // closed when they are drawn
}

// divide divides texts into as many groups as there are workers, of about the same number of tokens.
func divide(texts []*text, workers int) {
	total := 0
	for _, x := range texts {
		total += len(x.Tokens)
	}
	var g *group
	size := 0
	for _, x := range texts {
		if g == nil || size >= total/workers {
			g, size = &group{ready: make(chan struct{})}, 0
		}
		g.texts, x.group = append(g.texts, x), g
		size += len(x.Tokens)
	}
}

// sentence is the unit of work: the sentence of a text with this number.
type sentence struct {
	*text
	number int
}

// tokens returns the tokens of the sentence.
func (s sentence) tokens() []data.Token {
	r := s.Sentences[s.number]
	return s.Tokens[r.Start:r.End]
}

// Tag implements data.Tagger. The spans of a sentence do not depend on other sentences,
// and no span crosses the end of a sentence. The score of a span is the CRF's marginal
// probability of its labels.
func (t *Tagger) Tag(ctx context.Context, docs []*data.Document) ([][]data.Span, error) {
	all, err := t.tag(ctx, docs, reader.Wanted{})
	return reader.Spans(all), err
}

// Probe implements data.Prober, with the CRF's marginals.
func (t *Tagger) Probe(ctx context.Context, docs []*data.Document, from float64) (found, doubts [][]data.Span, err error) {
	all, err := t.tag(ctx, docs, reader.Wanted{Doubts: from})
	return reader.Spans(all), reader.AllDoubts(all), err
}

// Estimate implements data.Estimator, with the CRF's marginals.
func (t *Tagger) Estimate(ctx context.Context, docs []*data.Document) ([][]data.Estimate, error) {
	all, err := t.tag(ctx, docs, reader.Wanted{Estimates: true})
	return reader.AllEstimates(all), err
}

// Chains implements taggers.Scorer.
func (t *Tagger) Chains() []taggers.Chain { return []taggers.Chain{{Labels: t.labels}} }

// Scores implements taggers.Scorer.
func (t *Tagger) Scores(ctx context.Context, docs []*data.Document) ([][][]taggers.TokenScores, error) {
	all, err := t.tag(ctx, docs, reader.Wanted{Scores: true})
	return reader.AllScores(all), err
}

// tag returns the results by document.
func (t *Tagger) tag(ctx context.Context, docs []*data.Document, want reader.Wanted) ([]reader.Result, error) {
	var (
		wg    sync.WaitGroup
		mu    sync.Mutex
		first error
		work  = make(chan []sentence)
	)
	for range cap(t.predictors) {
		wg.Go(func() {
			p := <-t.predictors
			defer func() { t.predictors <- p }()
			for batch := range work {
				drawFeatures(t.features, batch)
				if err := t.predict(p, batch, want); err != nil {
					mu.Lock()
					if first == nil {
						first = err
					}
					mu.Unlock()
				}
			}
		})
	}
	found, err := t.deal(ctx, docs, work)
	close(work)
	wg.Wait()
	if err == nil {
		err = first
	}
	if err != nil {
		return nil, err
	}
	all := make([]reader.Result, len(docs))
	for i, texts := range found {
		before := 0 // sentences of the texts before
		for _, sentences := range texts {
			for _, r := range sentences {
				for _, scores := range r.Scores {
					for k := range scores {
						scores[k].Sentence += before
					}
				}
				all[i].Add(r)
			}
			before += len(sentences)
		}
	}
	return all, nil
}

// deal splits the documents and sends batches of their sentences. It returns where their
// results will be: by document, text and sentence.
func (t *Tagger) deal(ctx context.Context, docs []*data.Document, work chan<- []sentence) (found [][][]reader.Result, err error) {
	foreign, err := t.features.foreign(ctx, docs)
	if err != nil {
		return nil, err
	}
	found = make([][][]reader.Result, len(docs))
	var texts []*text
	var pool []sentence
	size := 0
	flush := func() error {
		divide(texts, cap(t.predictors))
		err := send(ctx, pool, work)
		texts, pool, size = nil, pool[:0], 0
		return err
	}
	for i, doc := range docs {
		for x := range t.reader.Cut(doc) {
			next := &text{Text: x, foreign: foreign[i], cased: x, found: make([]reader.Result, len(x.Sentences))}
			texts, found[i] = append(texts, next), append(found[i], next.found)
			if t.config.RestoreCase {
				next.again, next.cased = t.restored(x)
			}
			for k, s := range x.Sentences {
				pool = append(pool, sentence{next, k})
				if size += s.End - s.Start; size >= poolTokens {
					if err := flush(); err != nil {
						return nil, err
					}
				}
			}
		}
	}
	return found, flush()
}

// send divides sentences into batches of similar length, and sends these.
func send(ctx context.Context, pool []sentence, work chan<- []sentence) error {
	slices.SortStableFunc(pool, func(a, b sentence) int { return len(b.tokens()) - len(a.tokens()) })
	for len(pool) > 0 {
		n, size := 0, 0
		for n < len(pool) && (n == 0 || size+len(pool[n].tokens()) <= batchTokens) {
			size += len(pool[n].tokens())
			n++
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		select {
		case work <- slices.Clone(pool[:n]):
		case <-ctx.Done():
			return ctx.Err()
		}
		pool = pool[n:]
	}
	return nil
}

// drawFeatures draws the features of the texts of a batch, except those that another worker draws, for which it waits.
func drawFeatures(f *features, batch []sentence) {
	for _, s := range batch {
		if g := s.group; g.taken.CompareAndSwap(false, true) {
			f.drawEach(g.texts)
			close(g.ready)
		}
	}
	for _, s := range batch {
		<-s.group.ready
	}
}

// predict sets the results of the sentences of a batch.
func (t *Tagger) predict(p predictor, batch []sentence, want reader.Wanted) error {
	p.memory.clear()
	encoded, again := make([]tagger.Sentence, len(batch)), map[int]tagger.Sentence{}
	for i, s := range batch {
		encoded[i] = p.encode(s.Doc, s.tokens())
		encoded[i].Features = t.features.sentence(s.features, s.number, p.memory)
		if s.again != nil {
			other := p.encode(s.again, s.tokens())
			other.Features = encoded[i].Features
			again[i] = other
		}
	}
	found, err := p.PredictMean(encoded, again)
	if err != nil {
		return fmt.Errorf("tagging: %w", err)
	}
	for i, s := range batch {
		s.found[s.number] = t.read(s.tokens(), found[i], want)
		if want.Scores {
			logits := func(token int, into []float64) {
				for label, v := range p.Logits(i, token) {
					into[label] = float64(v)
				}
			}
			s.found[s.number].Scores = [][]taggers.TokenScores{
				reader.Score(s.number, s.tokens(), found[i].Labels, len(t.labels), marginals(found[i]), logits)}
		}
	}
	return nil
}

// read returns the result of a sentence.
func (t *Tagger) read(tokens []data.Token, found nn.Labeling, want reader.Wanted) reader.Result {
	return want.Read(t.decode(tokens, found), tokens, found.Labels, t.labels, t.config.Scheme, marginals(found))
}

// marginals returns the function that writes the probabilities of a token's first labels.
func marginals(found nn.Labeling) func(token int, into []float64) {
	return func(token int, into []float64) {
		for label := range into {
			into[label] = found.Marginal(token, int32(label))
		}
	}
}

// decode turns a sentence's labels into spans.
func (t *Tagger) decode(tokens []data.Token, found nn.Labeling) []data.Span {
	labels := make([]string, len(found.Labels))
	for i, id := range found.Labels {
		labels[i] = t.labels[id]
	}
	var spans []data.Span
	for _, s := range t.config.Scheme.Decode(labels) {
		spans = append(spans, data.Span{Start: tokens[s.Start].Start, End: tokens[s.End-1].End, Type: s.Type,
			Score: found.Probability(s.Start, s.End)})
	}
	return spans
}
