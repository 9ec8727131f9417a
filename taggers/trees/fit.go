package trees

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/taggers"
	"github.com/lethe-deid/lethe/taggers/internal/reader"
	"github.com/lethe-deid/lethe/taggers/trees/c45"
)

// Fit implements taggers.Node and returns a *Tagger. It uses neither Dev nor the seed:
// nothing about the training is random. An interrupted training cannot be resumed. Each
// reported epoch is the training of one model; its member is the iteration and the set of
// triggers.
func (c Config) Fit(ctx context.Context, task taggers.Task, _ ...taggers.Model) (data.Tagger, error) {
	f, err := newFitting(c, task)
	if err != nil {
		return nil, err
	}
	for i := range c.trainings() {
		if i == 1 {
			if err := f.trust(ctx); err != nil {
				return nil, err
			}
		}
		var models []model
		for _, set := range c.sets() {
			m, err := f.train(ctx, set, i)
			if err != nil {
				return nil, err
			}
			models = append(models, m)
		}
		f.tagger.iterations = append(f.tagger.iterations, models)
	}
	return f.tagger, nil
}

// fitting is a training.
type fitting struct {
	task      taggers.Task
	tagger    *Tagger
	docs      []*data.Document // notes and their copies
	stretches [][]*stretch     // by note
	epoch     int              // number of models that have been trained
}

// newFitting reads the notes of a task and learns everything but the trees.
func newFitting(c Config, task taggers.Task) (*fitting, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	types := task.Types.Used(task.Train)
	if len(types) == 0 {
		return nil, errors.New("the training documents contain no spans")
	}
	r, err := openResources(c.Resources, task.Workers)
	if err != nil {
		return nil, err
	}
	cut, err := reader.New(c.Tokenizer, c.Sentences, c.MaxTokens)
	if err != nil {
		return nil, err
	}
	copies, err := task.CopiesOf(1)
	if err != nil {
		return nil, err
	}
	f := &fitting{task: task, docs: slices.Concat(task.Train, copies)}
	classes := append([]string{"O"}, types...)
	labels := labelsOf(f.docs, cut, c.Scheme, types)
	f.stretches = annotated(f.docs, cut, c.Scheme, classes, labels)
	var examples []example
	for i, unit := range data.NumberPatients(task.Train) {
		for _, x := range f.stretches[i] {
			examples = append(examples, example{x, unit})
		}
	}
	slices.SortStableFunc(examples, func(a, b example) int { return a.unit - b.unit })
	l := learn(c, task.Types, classes, labels, examples)
	if len(l.words) >= maxWords {
		return nil, fmt.Errorf("min_documents: %d words occur in %d notes, which is too many; a higher value leaves out more", len(l.words), c.least())
	}
	for _, all := range f.stretches[len(task.Train):] {
		for _, x := range all {
			x.know(l)
		}
	}
	f.tagger, err = newTagger(c, r, l, task.Workers)
	return f, err
}

// labelsOf returns O and the labels of some types that occur in notes.
func labelsOf(docs []*data.Document, cut reader.Reader, scheme data.Scheme, types []string) []string {
	seen := map[string]bool{"O": true}
	for _, d := range docs {
		for r := range cut.Cut(d) {
			for _, labels := range r.Labels(scheme) {
				for _, l := range labels {
					seen[l] = true
				}
			}
		}
	}
	return slices.DeleteFunc(scheme.Labels(types), func(l string) bool { return !seen[l] })
}

// annotated splits notes into stretches with their gold labels. A label or class that is
// not among those given is O.
func annotated(docs []*data.Document, cut reader.Reader, scheme data.Scheme, classes, labels []string) [][]*stretch {
	ofClass, ofLabel := numbersOf(classes), numbersOf(labels)
	all := make([][]*stretch, len(docs))
	for i, d := range docs {
		for r := range cut.Cut(d) {
			x := newStretch(r, nil)
			x.gold = &gold{labels: make([]int32, len(x.words)), classes: make([]int32, len(x.words))}
			for s, names := range r.Labels(scheme) {
				start := r.Sentences[s].Start
				for k, name := range names {
					x.gold.labels[start+k] = ofLabel[name]
				}
				for _, p := range scheme.Decode(names) {
					x.gold.add(goldPhrase{start + p.Start, start + p.End, ofClass[p.Type]})
				}
			}
			all[i] = append(all[i], x)
		}
	}
	return all
}

// add enters a phrase. Phrases of unknown types do not count.
func (g *gold) add(p goldPhrase) {
	if p.class == 0 {
		return
	}
	g.phrases = append(g.phrases, p)
	for t := p.from; t < p.to; t++ {
		g.classes[t] = p.class
	}
}

// trust gives the training notes the phrases that the models of the first iteration find
// in them under unambiguous headings. Each round of copies is tagged separately from the
// notes and from other rounds, because values in them can differ.
func (f *fitting) trust(ctx context.Context) error {
	for from := 0; from < len(f.docs); {
		to := min(from+len(f.task.Train), len(f.docs))
		docs := f.docs[from:to]
		_, phrases, err := f.tagger.iterate(ctx, docs, nil, f.tagger.iterations[0])
		if err != nil {
			return err
		}
		for i, list := range f.tagger.share(docs, phrases) {
			for _, x := range f.stretches[from+i] {
				x.trusted = list
			}
		}
		from = to
	}
	return nil
}

// train trains the model for a set of triggers.
func (f *fitting) train(ctx context.Context, set string, iteration int) (model, error) {
	began := time.Now()
	t := f.tagger
	m := model{schema: newSchema(t.config, set, iteration == 1, t.learned, t.resources)}
	d := m.schema.dataset(slices.Concat(f.stretches...), t.learned.labels)
	if d.Len() == 0 {
		return m, errors.New("the training documents contain no tokens")
	}
	var err error
	if m.trees, err = c45.Boost(ctx, d, t.config.Rounds, t.config.options(), t.workers); err != nil {
		return m, fmt.Errorf("triggers %s: %w", set, err)
	}
	f.epoch++
	if tell := f.task.Report.Epoch; tell != nil {
		took := time.Since(began)
		tell(taggers.Epoch{Member: fmt.Sprintf("iteration-%d-%s", iteration+1, set), Epoch: f.epoch, Tokens: d.Len(), Train: took, Total: took})
	}
	return m, nil
}

// Dataset returns the attributes and labels of the tokens of docs, from which the model
// for a set of triggers is trained in the first iteration if docs is task.Train. Labels
// that do not occur in task.Train are O.
func (c Config) Dataset(task taggers.Task, docs []*data.Document, set string) (*c45.Data, error) {
	if !slices.Contains(Sets(), set) {
		return nil, fmt.Errorf("no set of triggers %q (have %s)", set, strings.Join(Sets(), ", "))
	}
	c.Triggers = []string{set}
	f, err := newFitting(c, task)
	if err != nil {
		return nil, err
	}
	t := f.tagger
	stretches := slices.Concat(annotated(docs, t.reader, c.Scheme, t.learned.classes, t.learned.labels)...)
	for _, x := range stretches {
		x.know(t.learned)
	}
	d := newSchema(c, set, false, t.learned, t.resources).dataset(stretches, t.learned.labels)
	d.Relation = fmt.Sprintf("%s, triggers %s", task.Name, set)
	return d, nil
}

// dataset returns the attributes and classes of all tokens.
func (s *schema) dataset(all []*stretch, labels []string) *c45.Data {
	n := 0
	for _, x := range all {
		n += len(x.words)
	}
	d := &c45.Data{Relation: "tokens", Attributes: s.attributes(), Classes: labels, Class: make([]int32, 0, n)}
	d.Columns = make([][]float32, len(s.columns))
	for i := range d.Columns {
		d.Columns[i] = make([]float32, 0, n)
	}
	for _, x := range all {
		v := s.view(x)
		for i, c := range v.columns {
			d.Columns[i] = append(d.Columns[i], c...)
		}
		d.Class = append(d.Class, x.gold.labels...)
	}
	return d
}
