package ann

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/checkpoints"
	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/tokenize"
	"github.com/lethe-deid/lethe/nn"
	"github.com/lethe-deid/lethe/taggers"
)

// Tagger is a fitted network with what it needs to read documents. It may be
// used by several goroutines at once.
type Tagger struct {
	config     Config
	types      *data.TypeSet
	labels     []string // by id
	vocabulary *vocabulary
	network    *nn.Network
	card       checkpoints.Card
	readme     []byte // the card as it was loaded; nil: render card
	reader     reader
	predictors chan *nn.Predictor // idle ones; their number is that of the workers
}

var _ taggers.Tagger = (*Tagger)(nil)

// newTagger makes the parts that follow from the others.
func newTagger(cfg Config, types *data.TypeSet, labels []string, v *vocabulary, net *nn.Network, workers int) (*Tagger, error) {
	t := &Tagger{config: cfg, types: types, labels: labels, vocabulary: v, network: net}
	var err error
	if t.reader, err = newReader(cfg); err != nil {
		return nil, err
	}
	t.predictors = make(chan *nn.Predictor, max(1, workers))
	for range cap(t.predictors) {
		p, err := nn.NewPredictor(net, t.legal())
		if err != nil {
			return nil, err
		}
		t.predictors <- p
	}
	return t, nil
}

// legal is the scheme's rule on label ids, or nil.
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

// Config is what the tagger was trained with.
func (t *Tagger) Config() Config { return t.config }

// Types is the type set that the spans are drawn from.
func (t *Tagger) Types() *data.TypeSet { return t.types }

// reader cuts documents into tokens and sentences.
type reader struct {
	tokenizer tokenize.Tokenizer
	splitter  tokenize.Splitter
}

func newReader(cfg Config) (r reader, err error) {
	if r.tokenizer, err = tokenize.Lookup(cfg.Tokenizer); err != nil {
		return r, err
	}
	splitter, err := tokenize.LookupSplitter(cfg.Sentences)
	r.splitter = tokenize.Limit(splitter, cfg.MaxTokens)
	return r, err
}

// text is a document, or a stretch of one, cut into tokens and sentences.
type text struct {
	doc       *data.Document
	tokens    []data.Token
	sentences []tokenize.Range
}

// maxStretch bounds the text that is cut into tokens at a time, in bytes, and so
// the memory that a note takes besides its own text.
const maxStretch = 1 << 20

// cut yields a document in stretches, of which all but huge ones have one. A
// sentence of a huge document ends where a stretch does.
func (r reader) cut(doc *data.Document) iter.Seq[text] {
	return func(yield func(text) bool) {
		for from := 0; from < len(doc.Text); {
			to := from + stretch(doc.Text[from:])
			part := doc.Text[from:to]
			tokens := r.tokenizer.Tokens(part, nil)
			x := text{doc, tokens, r.splitter.Sentences(part, tokens, nil)}
			for i := range tokens {
				tokens[i].Start += from
				tokens[i].End += from
			}
			if !yield(x) {
				return
			}
			from = to
		}
	}
}

// stretch is how much of the text to cut next: up to the last line end that
// fits, else the last space, else as many code points as fit.
func stretch(s string) int {
	if len(s) <= maxStretch {
		return len(s)
	}
	s = s[:maxStretch]
	for _, at := range []string{"\n", " "} {
		if i := strings.LastIndex(s, at); i > 0 {
			return i + 1
		}
	}
	end := len(s)
	for end > len(s)-utf8.UTFMax && !utf8.RuneStart(s[end-1]) {
		end--
	}
	if utf8.RuneStart(s[end-1]) && end > 1 {
		end-- // the code point that begins here may go on
	}
	return end
}

// encode turns tokens into ids.
func (t *Tagger) encode(doc *data.Document, tokens []data.Token) nn.Sentence {
	s := nn.Sentence{Tokens: make([]int32, len(tokens)), Characters: make([][]int32, len(tokens))}
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

// batchTokens bounds the tokens of one prediction batch, and so its memory.
const batchTokens = 1024

// piece is some consecutive sentences of one document: the unit of work.
type piece struct {
	text
	number   int // among all pieces
	from, to int // sentences
}

// Tag implements taggers.Tagger. A sentence's spans do not depend on the other
// sentences. A span never crosses the end of a sentence. Its score is the
// CRF's marginal probability of the span's labels.
func (t *Tagger) Tag(ctx context.Context, docs []*data.Document) ([][]data.Span, error) {
	var (
		wg    sync.WaitGroup
		mu    sync.Mutex
		first error
		found = map[int][]data.Span{} // by piece
		work  = make(chan []piece)
	)
	for range cap(t.predictors) {
		wg.Go(func() {
			p := <-t.predictors
			defer func() { t.predictors <- p }()
			for batch := range work {
				spans, err := t.predict(p, batch)
				mu.Lock()
				if err != nil && first == nil {
					first = err
				}
				for i := range spans {
					found[batch[i].number] = spans[i]
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
	all := make([][]data.Span, len(docs))
	number := 0
	for i := range docs {
		for ; number < last[i]; number++ {
			all[i] = append(all[i], found[number]...)
		}
	}
	return all, nil
}

// deal cuts the documents, sends batches of their sentences, and returns for
// each document the number of pieces up to its end.
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
	for _, doc := range docs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for x := range t.reader.cut(doc) {
			for from := 0; from < len(x.sentences); {
				to := from
				for to < len(x.sentences) && (to == from || size < batchTokens) {
					size += x.sentences[to].End - x.sentences[to].Start
					to++
				}
				batch = append(batch, piece{x, number, from, to})
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

func (t *Tagger) predict(p *nn.Predictor, batch []piece) ([][]data.Span, error) {
	var sentences []nn.Sentence
	for _, pc := range batch {
		for _, s := range pc.sentences[pc.from:pc.to] {
			sentences = append(sentences, t.encode(pc.doc, pc.tokens[s.Start:s.End]))
		}
	}
	found, err := p.Predict(sentences)
	if err != nil {
		return nil, fmt.Errorf("tagging: %w", err)
	}
	spans := make([][]data.Span, len(batch))
	for i, pc := range batch {
		for _, s := range pc.sentences[pc.from:pc.to] {
			spans[i] = append(spans[i], t.decode(pc.tokens[s.Start:s.End], found[0])...)
			found = found[1:]
		}
	}
	return spans, nil
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
