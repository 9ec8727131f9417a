package crf

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/taggers"
	"github.com/lethe-deid/lethe/taggers/crf/chain"
	"github.com/lethe-deid/lethe/taggers/crf/feature"
	"github.com/lethe-deid/lethe/taggers/internal/reader"
)

// Tagger is a fitted CRF. Several goroutines may use it at once.
type Tagger struct {
	config    Config
	types     string // name of the type set
	resources *feature.Resources
	extractor *feature.Extractor
	models    []model // one, or one per type
	reader    reader.Reader
	workers   int
}

var (
	_ taggers.Model     = (*Tagger)(nil)
	_ data.Prober       = (*Tagger)(nil)
	_ data.Estimator    = (*Tagger)(nil)
	_ taggers.Scorer    = (*Tagger)(nil)
	_ taggers.Inventory = (*Tagger)(nil)
)

// model is a chain with the meaning of its labels.
type model struct {
	labels []string
	chain  *chain.Model
}

// Fit implements taggers.Node and returns a *Tagger. It does not use Dev: training ends
// when the loss no longer falls. An interrupted training cannot be resumed. Each
// reported epoch is an iteration, without tokens or scores; with Config.PerType, its
// member is the type.
func (cfg Config) Fit(ctx context.Context, task taggers.Task, _ ...taggers.Model) (data.Tagger, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	groups, err := cfg.groups(task.Types.Used(task.Train))
	if err != nil {
		return nil, err
	}
	r, err := cfg.reader()
	if err != nil {
		return nil, err
	}
	t := &Tagger{config: cfg, types: task.Types.Name, reader: r, workers: max(1, task.Workers)}
	if t.resources, err = feature.Open(cfg.Resources, t.workers); err != nil {
		return nil, err
	}
	copies, err := task.CopiesOf(1)
	if err != nil {
		return nil, err
	}
	docs := slices.Concat(task.Train, copies)
	foreign, err := t.foreign(ctx, docs)
	if err != nil {
		return nil, err
	}
	var texts []*feature.Text
	tokens, counted := 0, 0 // counted: number of texts of Train
	for i, d := range docs {
		for x := range r.Cut(d) {
			texts = append(texts, feature.NewText(x, foreign[i]))
			tokens += len(x.Tokens)
		}
		if i == len(task.Train)-1 {
			counted = len(texts)
		}
	}
	if tokens == 0 {
		return nil, fmt.Errorf("the training documents contain no tokens")
	}
	extractor, drawn, err := feature.Fit(ctx, cfg.specs(), t.resources, texts, feature.Options{Counted: counted, MinDocuments: cfg.MinDocuments, MinPatients: cfg.MinPatients, Workers: t.workers})
	if err != nil {
		return nil, err
	}
	t.extractor = extractor
	if !informative(extractor) {
		return nil, fmt.Errorf("no value of a feature occurs in enough training documents or patients (min_documents: %d, min_patients: %d), so there is nothing to learn from", cfg.MinDocuments, cfg.MinPatients)
	}
	sequences := slices.Concat(drawn...)
	for _, types := range groups {
		m, err := t.train(ctx, task, types, texts, sequences)
		if err != nil {
			return nil, err
		}
		t.models = append(t.models, m)
	}
	if cfg.Training.L1 > 0 {
		if err := t.prune(); err != nil {
			return nil, err
		}
		if !informative(t.extractor) {
			return nil, fmt.Errorf("training.l1: %v, which sets the weights of all values of features to 0, so that nothing is learned", cfg.Training.L1)
		}
	}
	return t, nil
}

// informative reports whether an extractor has an attribute that says anything of tokens, other than that they are at the edge of a sentence.
func informative(e *feature.Extractor) bool {
	return slices.ContainsFunc(e.Attributes(), func(a feature.Attribute) bool { return a.Value != "" })
}

// Contents implements taggers.Inventory.
func (t *Tagger) Contents() taggers.Contents {
	c := taggers.Contents{Kind: "crf", Vocabulary: len(t.extractor.Attributes()), Entries: "values of features",
		Privacy: "Its features hold words of the training notes, names among them."}
	for _, m := range t.models {
		c.Parameters += m.chain.Weights()
	}
	if n := t.config.MinDocuments; n > 1 {
		c.Privacy = fmt.Sprintf("Its features hold words that occur in at least %d training notes; names of people seen in fewer are not among them.", n)
	}
	if n := t.config.MinPatients; n > 0 {
		c.MinPatients = n
		c.Privacy = fmt.Sprintf("Its features hold words, and parts of words, of the training notes that occur in the notes of at least %d patients, and no others.", n)
		if len(t.config.Resources.Paths()) > 0 {
			c.Privacy += " Its folder also holds copies of the resources that its features require."
		}
	}
	return c
}

// Texts implements taggers.Verbatim. It yields the values of features, some of which, such as shapes, are no text of notes.
func (t *Tagger) Texts(yield func(string) bool) {
	for _, a := range t.extractor.Attributes() {
		if a.Value != "" && !a.Closed && !yield(a.Value) {
			return
		}
	}
}

// prune removes the features of weight 0, and the attributes without features, from the tagger. They
// change nothing.
func (t *Tagger) prune() error {
	attributes := t.extractor.Attributes()
	used := make([]bool, len(attributes))
	for _, m := range t.models {
		m.chain.Prune()
		for a := range used {
			used[a] = used[a] || m.chain.First[a] < m.chain.First[a+1]
		}
	}
	var kept []feature.Attribute
	for a, k := range used {
		if k {
			kept = append(kept, attributes[a])
		}
	}
	for _, m := range t.models {
		m.chain.Drop(used)
	}
	var err error
	t.extractor, err = feature.New(t.config.specs(), t.resources, kept)
	return err
}

// groups returns the types that each model learns, limited to those that occur in the
// training notes.
func (c Config) groups(used []string) ([][]string, error) {
	if len(c.Types) > 0 {
		used = slices.DeleteFunc(used, func(t string) bool { return !slices.Contains(c.Types, t) })
	}
	if len(used) == 0 {
		return nil, fmt.Errorf("types: the training documents contain no spans of %s", cmp.Or(strings.Join(c.Types, ", "), "any type"))
	}
	if !c.PerType {
		return [][]string{used}, nil
	}
	var groups [][]string
	for _, typ := range used {
		groups = append(groups, []string{typ})
	}
	return groups, nil
}

// train fits the chain for some of the types.
func (t *Tagger) train(ctx context.Context, task taggers.Task, types []string, texts []*feature.Text, sequences []chain.Sequence) (model, error) {
	scheme := t.config.Scheme
	var all [][]string
	seen := map[string]bool{"O": true}
	for _, x := range texts {
		for _, labels := range x.Labels(scheme) {
			all = append(all, labels)
			for _, l := range labels {
				seen[l] = true
			}
		}
	}
	var m model
	for _, l := range scheme.Labels(types) {
		if seen[l] { // a label that never occurs has no feature
			m.labels = append(m.labels, l)
		}
	}
	ids := labelIDs(m.labels)
	for i, labels := range all {
		sequences[i].Labels = toIDs(labels, ids)
	}
	member := ""
	kept := sequences
	if t.config.PerType {
		member = types[0]
		if families, ok := t.config.Subsets[member]; ok {
			kept = t.only(families, sequences)
		}
	}
	var err error
	if m.chain, err = chain.New(len(m.labels), t.extractor.Len(), kept, t.config.MinCount); err != nil {
		return m, err
	}
	if len(m.chain.Weight) == 0 {
		return m, fmt.Errorf("no feature occurs often enough (min_count: %d), so there is nothing to learn from", t.config.MinCount)
	}
	last := time.Now()
	err = t.config.Training.trainer(task.Seed, t.workers).Train(ctx, m.chain, sequences, func(i chain.Iteration) {
		if task.Report.Epoch != nil {
			took := time.Since(last)
			task.Report.Epoch(taggers.Epoch{Member: member, Epoch: i.Number, Loss: i.Loss, Parameters: m.chain.Weights(), NonZero: i.NonZero, Train: took, Total: took})
			last = time.Now()
		}
	})
	for _, weights := range [][]float64{m.chain.Weight, m.chain.Transition} {
		for i, w := range weights {
			weights[i] = float64(float32(w)) // rounded as in the model file, so that a loaded model gives the same results
		}
	}
	return m, err
}

// only returns the sequences with nothing but the attributes of some families. A chain
// made from them has no features for other attributes, so it can be trained and used
// with the full sequences.
func (t *Tagger) only(families []string, sequences []chain.Sequence) []chain.Sequence {
	kept := make([]bool, t.extractor.Len())
	for i, a := range t.extractor.Attributes() {
		kept[i] = slices.Contains(families, a.Family)
	}
	all := slices.Clone(sequences)
	for i := range all {
		all[i].Attributes = slices.Clone(all[i].Attributes)
		for k, a := range all[i].Attributes {
			if !kept[a] {
				all[i].Attributes[k] = -1
			}
		}
	}
	return all
}

// Tag implements data.Tagger. The score of a span is the probability of its labels.
func (t *Tagger) Tag(ctx context.Context, docs []*data.Document) ([][]data.Span, error) {
	all, err := t.tag(ctx, docs, reader.Wanted{})
	return reader.Spans(all), err
}

// Probe implements data.Prober, with the CRF's marginals.
func (t *Tagger) Probe(ctx context.Context, docs []*data.Document, from float64) (found, doubts [][]data.Span, err error) {
	all, err := t.tag(ctx, docs, reader.Wanted{Doubts: from})
	return reader.Spans(all), reader.AllDoubts(all), err
}

// Estimate implements data.Estimator, with the CRF's marginals. The probabilities of
// several models, one per type, are scaled down where they add up to more than 1.
func (t *Tagger) Estimate(ctx context.Context, docs []*data.Document) ([][]data.Estimate, error) {
	all, err := t.tag(ctx, docs, reader.Wanted{Estimates: true})
	return reader.AllEstimates(all), err
}

// Chains implements taggers.Scorer.
func (t *Tagger) Chains() []taggers.Chain {
	var all []taggers.Chain
	for _, m := range t.models {
		c := taggers.Chain{Labels: m.labels}
		if len(t.models) > 1 {
			_, c.Name = data.SplitLabel(m.labels[len(m.labels)-1])
		}
		all = append(all, c)
	}
	return all
}

// Scores implements taggers.Scorer. The logits are sums of weights of attributes.
func (t *Tagger) Scores(ctx context.Context, docs []*data.Document) ([][][]taggers.TokenScores, error) {
	all, err := t.tag(ctx, docs, reader.Wanted{Scores: true})
	return reader.AllScores(all), err
}

// tag returns the results by document.
func (t *Tagger) tag(ctx context.Context, docs []*data.Document, want reader.Wanted) ([]reader.Result, error) {
	foreign, err := t.foreign(ctx, docs)
	if err != nil {
		return nil, err
	}
	all := make([]reader.Result, len(docs))
	work := make(chan int)
	var wg sync.WaitGroup
	for range t.workers {
		wg.Go(func() {
			w := t.newWorker()
			for i := range work {
				all[i] = w.tag(docs[i], foreign[i], want)
			}
		})
	}
	for i := range docs {
		if err = ctx.Err(); err != nil {
			break
		}
		work <- i
	}
	close(work)
	wg.Wait()
	if err != nil {
		return nil, err
	}
	return all, nil
}

// foreign returns the general named entities of documents, which must have the columns that the features read.
func (t *Tagger) foreign(ctx context.Context, docs []*data.Document) ([][]data.Span, error) {
	if err := feature.CheckColumns(t.config.Features, docs); err != nil {
		return nil, err
	}
	return t.resources.Foreign(ctx, docs)
}

type worker struct {
	*Tagger
	predictors []*chain.Predictor
}

func (t *Tagger) newWorker() *worker {
	w := &worker{Tagger: t}
	for _, m := range t.models {
		name := func(id int) string {
			if id < 0 {
				return ""
			}
			return m.labels[id]
		}
		w.predictors = append(w.predictors, chain.NewPredictor(m.chain, func(a, b int) bool { return t.config.Scheme.Legal(name(a), name(b)) }))
	}
	return w
}

func (w *worker) tag(doc *data.Document, foreign []data.Span, want reader.Wanted) reader.Result {
	var all reader.Result
	sentence := 0
	for r := range w.reader.Cut(doc) {
		x := feature.NewText(r, foreign)
		for i, s := range w.extractor.Sequences(x) {
			all.Add(w.read(sentence, x.Tokens[x.Sentences[i].Start:x.Sentences[i].End], &s, want))
			sentence++
		}
	}
	all.Doubts = reader.MergeDoubts(all.Spans, all.Doubts)
	return all
}

// read returns the result of all models for the sentence with this number.
func (w *worker) read(sentence int, tokens []data.Token, s *chain.Sequence, want reader.Wanted) reader.Result {
	var all reader.Result
	var estimates [][]data.Estimate
	for k, p := range w.predictors {
		labels := w.models[k].labels
		found := p.Predict(s)
		one := want.Read(w.decode(tokens, labels, found, p), tokens, found, labels, w.config.Scheme, p.Marginal)
		estimates = append(estimates, one.Estimates)
		one.Estimates = nil
		all.Add(one)
		if want.Scores {
			all.Scores = append(all.Scores, reader.Score(sentence, tokens, found, len(labels), p.Marginal, p.Logits))
		}
	}
	if len(w.predictors) > 1 {
		all.Spans = w.config.settle(all.Spans)
	}
	all.Estimates = reader.MergeEstimates(estimates...)
	return all
}

// decode turns a sentence's labels into spans.
func (w *worker) decode(tokens []data.Token, names []string, found []int32, p *chain.Predictor) []data.Span {
	labels := make([]string, len(found))
	for i, y := range found {
		labels[i] = names[y]
	}
	var spans []data.Span
	for _, span := range w.config.Scheme.Decode(labels) {
		spans = append(spans, data.Span{Start: tokens[span.Start].Start, End: tokens[span.End-1].End, Type: span.Type,
			Score: p.Probability(span.Start, span.End)})
	}
	return spans
}

// settle keeps, of spans that overlap, the one whose type has priority, then the one
// with the highest score.
func (c Config) settle(spans []data.Span) []data.Span {
	rank := func(typ string) int {
		if i := slices.Index(c.Priority, typ); i >= 0 {
			return i
		}
		return len(c.Priority)
	}
	slices.SortStableFunc(spans, func(a, b data.Span) int {
		return cmp.Or(cmp.Compare(rank(a.Type), rank(b.Type)), cmp.Compare(b.Score, a.Score))
	})
	return data.Disjoint(spans)
}
