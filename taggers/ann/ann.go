package ann

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/lethe-deid/lethe/checkpoints"
	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/nn"
	"github.com/lethe-deid/lethe/nn/tagger"
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
	_ data.Prober    = (*Tagger)(nil)
	_ data.Estimator = (*Tagger)(nil)
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
		t.predictors <- predictor{p, newEncoder(v)}
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

const (
	// batchTokens bounds the number of tokens in a prediction batch, and thereby its memory.
	batchTokens = 1024
	// poolTokens is the number of tokens whose sentences are sorted by length before they are
	// divided into batches. A batch of equal sentences takes fewer and wider steps.
	poolTokens = 1 << 15
)

// text is a document, or a stretch of one, whose sentences are tagged.
type text struct {
	reader.Text
	features func() drawn    // drawn by the first worker that needs them
	found    []reader.Result // by sentence
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
		for _, sentences := range texts {
			for _, r := range sentences {
				all[i].Add(r)
			}
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
	var pool []sentence
	size := 0
	for i, doc := range docs {
		for x := range t.reader.Cut(doc) {
			next := &text{x, sync.OnceValue(func() drawn { return t.features.draw(x, foreign[i]) }), make([]reader.Result, len(x.Sentences))}
			found[i] = append(found[i], next.found)
			for k, s := range x.Sentences {
				pool = append(pool, sentence{next, k})
				if size += s.End - s.Start; size >= poolTokens {
					if err := send(ctx, pool, work); err != nil {
						return nil, err
					}
					pool, size = pool[:0], 0
				}
			}
		}
	}
	return found, send(ctx, pool, work)
}

// send divides sentences into batches of similar length, and sends these.
func send(ctx context.Context, pool []sentence, work chan<- []sentence) error {
	slices.SortStableFunc(pool, func(a, b sentence) int { return len(b.tokens()) - len(a.tokens()) })
	for len(pool) > 0 {
		n, size := 0, 0
		for n < len(pool) && size < batchTokens {
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

// predict sets the results of the sentences of a batch.
func (t *Tagger) predict(p predictor, batch []sentence, want reader.Wanted) error {
	encoded := make([]tagger.Sentence, len(batch))
	for i, s := range batch {
		encoded[i] = p.encode(s.Doc, s.tokens())
		encoded[i].Features = t.features.sentence(s.features(), s.number)
	}
	found, err := p.Predict(encoded)
	if err != nil {
		return fmt.Errorf("tagging: %w", err)
	}
	for i, s := range batch {
		s.found[s.number] = t.read(s.tokens(), found[i], want)
	}
	return nil
}

// read returns the result of a sentence.
func (t *Tagger) read(tokens []data.Token, found nn.Labeling, want reader.Wanted) reader.Result {
	marginal := func(token int, into []float64) {
		for label := range into {
			into[label] = found.Marginal(token, int32(label))
		}
	}
	return want.Read(t.decode(tokens, found), tokens, found.Labels, t.labels, t.config.Scheme, marginal)
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
