// Package trees is the system of Szarvas et al. 2006, "An Iterative Method for the
// De-identification of Structured Medical Text". Boosted decision trees (package c45)
// classify each token by itself, from more than 100 attributes of the token and of those
// around it. Up to three models, which differ in their trigger words, vote. The phrases
// that they find in the structured parts of a patient's notes are attributes of a second
// training, and finally all occurrences of a phrase get the same class.
package trees

import (
	"context"
	"fmt"
	"sync"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/taggers"
	"github.com/lethe-deid/lethe/taggers/internal/reader"
	"github.com/lethe-deid/lethe/taggers/secondpass"
	"github.com/lethe-deid/lethe/taggers/trees/c45"
)

// Tagger is a fitted system. Several goroutines may use it at once.
type Tagger struct {
	config     Config
	reader     reader.Reader
	resources  *resources
	learned    *learned
	classes    map[string]int32 // by type
	iterations [][]model        // by training and set of triggers
	workers    int
	last       data.Tagger // with the third iteration, if there is one
}

var (
	_ taggers.Model     = (*Tagger)(nil)
	_ taggers.Inventory = (*Tagger)(nil)
)

// Contents implements taggers.Inventory.
func (t *Tagger) Contents() taggers.Contents {
	return taggers.Contents{Kind: "trees", Vocabulary: len(t.learned.words), Entries: "words",
		Privacy:     fmt.Sprintf("It holds words that occur in the notes of at least %d patients, outside of names, numbers and addresses of persons.", t.config.least()),
		MinPatients: t.config.MinPatients}
}

// Texts implements taggers.Verbatim.
func (t *Tagger) Texts(yield func(string) bool) {
	for _, w := range t.learned.words {
		if !yield(w) {
			return
		}
	}
}

// model is the trees for one set of triggers.
type model struct {
	schema *schema
	trees  *c45.Boosted
}

// newTagger returns a tagger without models.
func newTagger(c Config, r *resources, l *learned, workers int) (*Tagger, error) {
	cut, err := reader.New(c.Tokenizer, c.Sentences, c.MaxTokens)
	if err != nil {
		return nil, err
	}
	t := &Tagger{config: c, reader: cut, resources: r, learned: l, classes: numbersOf(l.classes), workers: max(1, workers)}
	t.last = tagFunc(t.vote)
	if c.Iterations == 3 {
		t.last = secondpass.New(secondpass.Config{By: c.By, MinLength: 1, Standardize: true}, t.last)
	}
	return t, nil
}

func numbersOf(classes []string) map[string]int32 {
	all := map[string]int32{}
	for i, c := range classes {
		all[c] = int32(i)
	}
	return all
}

// tagFunc is a data.Tagger.
type tagFunc func(ctx context.Context, docs []*data.Document) ([][]data.Span, error)

func (f tagFunc) Tag(ctx context.Context, docs []*data.Document) ([][]data.Span, error) {
	return f(ctx, docs)
}

// Tag implements data.Tagger. The score of a span is the mean over its tokens of the
// share of the votes that its class has from the trees of all models. With
// Config.By patient, the notes of a patient must be given in one call to share phrases.
func (t *Tagger) Tag(ctx context.Context, docs []*data.Document) ([][]data.Span, error) {
	return t.last.Tag(ctx, docs)
}

// vote runs the models of the first two iterations.
func (t *Tagger) vote(ctx context.Context, docs []*data.Document) ([][]data.Span, error) {
	spans, phrases, err := t.iterate(ctx, docs, nil, t.iterations[0])
	if err != nil || len(t.iterations) == 1 {
		return spans, err
	}
	spans, _, err = t.iterate(ctx, docs, t.share(docs, phrases), t.iterations[1])
	return spans, err
}

// share makes the lists of trusted phrases for each note: those of all notes of its
// patient, or its own.
func (t *Tagger) share(docs []*data.Document, phrases [][]finding) []*trusted {
	byPatient := map[string][]finding{}
	key := func(d *data.Document) string {
		if t.config.By == data.ByPatient {
			return d.Patient
		}
		return ""
	}
	for i, d := range docs {
		if k := key(d); k != "" {
			byPatient[k] = append(byPatient[k], phrases[i]...)
		}
	}
	lists := map[string]*trusted{}
	all := make([]*trusted, len(docs))
	for i, d := range docs {
		k := key(d)
		switch {
		case k == "":
			all[i] = newTrusted(phrases[i])
		case lists[k] == nil:
			lists[k] = newTrusted(byPatient[k])
			fallthrough
		default:
			all[i] = lists[k]
		}
	}
	return all
}

// iterate tags notes with the models of one iteration. It also returns the phrases under
// unambiguous headings. lists has the trusted phrases for each note; nil: none.
func (t *Tagger) iterate(ctx context.Context, docs []*data.Document, lists []*trusted, models []model) ([][]data.Span, [][]finding, error) {
	spans, phrases := make([][]data.Span, len(docs)), make([][]finding, len(docs))
	err := each(ctx, len(docs), t.workers, func() func(i int) {
		w := newVoter(t, models)
		return func(i int) {
			var list *trusted
			if lists != nil {
				list = lists[i]
			}
			spans[i], phrases[i] = w.tag(docs[i], list)
		}
	})
	return spans, phrases, err
}

// each calls the functions that worker returns, each from one goroutine, with the numbers
// from 0 to n.
func each(ctx context.Context, n, workers int, worker func() func(i int)) error {
	work := make(chan int)
	var wg sync.WaitGroup
	for range min(workers, n) {
		wg.Go(func() {
			do := worker()
			for i := range work {
				do(i)
			}
		})
	}
	var err error
	for i := range n {
		if err = ctx.Err(); err != nil {
			break
		}
		work <- i
	}
	close(work)
	wg.Wait()
	return err
}
