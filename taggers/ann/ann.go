package ann

import (
	"context"
	"fmt"
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
	predictors chan *tagger.Predictor // idle ones; there is one per worker
}

var (
	_ data.Prober    = (*Tagger)(nil)
	_ data.Estimator = (*Tagger)(nil)
)

// newTagger makes a tagger and the parts that follow from its arguments.
func newTagger(cfg Config, types *data.TypeSet, labels []string, v *vocabulary, f *features, net *tagger.Network, workers int) (*Tagger, error) {
	t := &Tagger{config: cfg, types: types, labels: labels, vocabulary: v, features: f, network: net}
	var err error
	if t.reader, err = cfg.reader(); err != nil {
		return nil, err
	}
	t.predictors = make(chan *tagger.Predictor, max(1, workers))
	for range cap(t.predictors) {
		p, err := net.NewPredictor(t.legal())
		if err != nil {
			return nil, err
		}
		t.predictors <- p
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

// encode turns tokens into ids.
func (t *Tagger) encode(doc *data.Document, tokens []data.Token) tagger.Sentence {
	s := tagger.Sentence{Tokens: make([]int32, len(tokens)), Characters: make([][]int32, len(tokens))}
	spelling := make([]int32, 0, 6*len(tokens))
	for i, tok := range tokens {
		form := doc.Text[tok.Start:tok.End]
		s.Tokens[i] = t.vocabulary.token(form)
		from := len(spelling)
		spelling = t.vocabulary.spelling(spelling, form)
		s.Characters[i] = spelling[from:len(spelling):len(spelling)]
	}
	return s
}

// batchTokens bounds the number of tokens in a prediction batch, and thereby its
// memory.
const batchTokens = 1024

// piece is a run of consecutive sentences of one document, the unit of work.
type piece struct {
	reader.Text
	features func() drawn // of the text
	number   int          // index among all pieces
	from, to int          // sentences [from, to)
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
		found = map[int]reader.Result{} // by piece
		work  = make(chan []piece)
	)
	for range cap(t.predictors) {
		wg.Go(func() {
			p := <-t.predictors
			defer func() { t.predictors <- p }()
			for batch := range work {
				results, err := t.predict(p, batch, want)
				mu.Lock()
				if err != nil && first == nil {
					first = err
				}
				for i := range results {
					found[batch[i].number] = results[i]
				}
				mu.Unlock()
			}
		})
	}
	last, err := t.deal(ctx, docs, work)
	close(work)
	wg.Wait()
	if err == nil {
		err = first
	}
	if err != nil {
		return nil, err
	}
	all := make([]reader.Result, len(docs))
	number := 0
	for i := range all {
		for ; number < last[i]; number++ {
			all[i].Add(found[number])
		}
	}
	return all, nil
}

// deal splits the documents and sends batches of their sentences. For each document, it
// returns the number of pieces up to its end.
func (t *Tagger) deal(ctx context.Context, docs []*data.Document, work chan<- []piece) (last []int, err error) {
	var batch []piece
	size, number := 0, 0
	send := func() error {
		if len(batch) == 0 {
			return nil
		}
		select {
		case work <- batch:
			batch, size = nil, 0
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	foreign, err := t.features.foreign(ctx, docs)
	if err != nil {
		return nil, err
	}
	for i, doc := range docs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for x := range t.reader.Cut(doc) {
			features := sync.OnceValue(func() drawn { return t.features.draw(x, foreign[i]) }) // by the first worker that needs it
			for from := 0; from < len(x.Sentences); {
				to := from
				for to < len(x.Sentences) && (to == from || size < batchTokens) {
					size += x.Sentences[to].End - x.Sentences[to].Start
					to++
				}
				batch = append(batch, piece{x, features, number, from, to})
				number++
				from = to
				if size >= batchTokens {
					if err := send(); err != nil {
						return nil, err
					}
				}
			}
		}
		last = append(last, number)
	}
	return last, send()
}

func (t *Tagger) predict(p *tagger.Predictor, batch []piece, want reader.Wanted) ([]reader.Result, error) {
	var sentences []tagger.Sentence
	for _, pc := range batch {
		for i := pc.from; i < pc.to; i++ {
			r := pc.Sentences[i]
			s := t.encode(pc.Doc, pc.Tokens[r.Start:r.End])
			s.Features = t.features.sentence(pc.features(), i)
			sentences = append(sentences, s)
		}
	}
	found, err := p.Predict(sentences)
	if err != nil {
		return nil, fmt.Errorf("tagging: %w", err)
	}
	results := make([]reader.Result, len(batch))
	for i, pc := range batch {
		for _, s := range pc.Sentences[pc.from:pc.to] {
			results[i].Add(t.read(pc.Tokens[s.Start:s.End], found[0], want))
			found = found[1:]
		}
	}
	return results, nil
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
