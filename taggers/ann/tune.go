package ann

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/lethe-deid/lethe/checkpoints"
	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/nn"
	"github.com/lethe-deid/lethe/nn/tagger"
	"github.com/lethe-deid/lethe/taggers"
	"github.com/lethe-deid/lethe/taggers/internal/reader"
)

// Tuning says how Tune trains a network further. All of its fields must be positive.
type Tuning struct {
	Epochs int     // number of times that all notes are read
	Rate   float64 // factor of the learning rate with which the network was trained
}

// Tune trains the network in the model folder from further on the notes of a task, and saves the result in the folder to. The
// new network has the settings, vocabulary, features and resources of the old one, so that no word of the notes gets into its
// files; if the network was trained clean, the vectors of words of few patients stay as they are. Labels are added if the notes have types that the old one does not know. Copies with other types are left out. Tune reads Types, Train, Copies, Seed,
// Workers and Report of the task.
func Tune(ctx context.Context, from, to string, how Tuning, task taggers.Task) error {
	if how.Epochs < 1 || !(how.Rate > 0) {
		return fmt.Errorf("%d epochs with %v times the learning rate: both must be positive", how.Epochs, how.Rate)
	}
	old, err := Load(from, task.Workers)
	if err != nil {
		return err
	}
	if differs := old.types.Difference(task.Types); differs != "" {
		return fmt.Errorf("%s: the network has other types than the notes: %s", from, differs)
	}
	c, err := newTuning(ctx, old, how, task)
	if err != nil {
		return err
	}
	defer c.trainer.Close()
	for !c.done() {
		if err := c.epoch(ctx); err != nil {
			return err
		}
	}
	c.restoreBest()
	c.tagger.config = old.config // of a whole training, which is what the settings describe
	c.tagger.readme = old.readme
	return c.tagger.Save(to)
}

// newTuning makes the course of a tuning.
func newTuning(ctx context.Context, old *Tagger, how Tuning, task taggers.Task) (*course, error) {
	if len(task.Train) == 0 {
		return nil, errors.New("training requires documents to train on")
	}
	task.Dir, task.Dev, task.Resume = "", nil, false
	cfg := old.config
	cfg.Training.Epochs, cfg.Training.Patience = how.Epochs, 0
	cfg.Optimizer.LearningRate *= how.Rate
	cfg.Optimizer.Schedule = nn.Schedule{} // which was chosen for more epochs, and may need scores on dev
	labels, net, err := old.relabelled(cfg, task)
	if err != nil {
		return nil, err
	}
	c := &course{label: map[string]int32{}, singleton: make([]bool, len(old.vocabulary.tokens))}
	if c.tagger, err = newTagger(cfg, task.Types, labels, old.vocabulary, old.features, net, task.Workers); err != nil {
		return nil, err
	}
	types := map[string]bool{}
	for i, label := range labels {
		c.label[label] = int32(i)
		_, name := data.SplitLabel(label)
		types[name] = true
	}
	task.Copies = only(types, task.Copies)
	c.task = task
	texts, drawn, err := c.tagger.draw(ctx, task.Train)
	if err != nil {
		return nil, err
	}
	for i, x := range texts {
		c.add(x, drawn[i])
	}
	c.notes = len(c.sentences)
	if c.notes == 0 {
		return nil, errors.New("the training documents contain no tokens")
	}
	if c.trainer, err = net.NewTrainer(cfg.Optimizer, task.Workers, cfg.rate); err != nil {
		return nil, err
	}
	c.freezeRare(texts)
	return c, nil
}

// only leaves out the copies with a span of another type, which the network has no label for.
func only(types map[string]bool, copies func(epoch int) ([]*data.Document, error)) func(epoch int) ([]*data.Document, error) {
	if copies == nil {
		return nil
	}
	return func(epoch int) ([]*data.Document, error) {
		all, err := copies(epoch)
		other := func(s data.Span) bool { return !types[s.Type] }
		return slices.DeleteFunc(slices.Clone(all), func(d *data.Document) bool { return slices.ContainsFunc(d.Spans, other) }), err
	}
}

// relabelled returns the labels of the notes and of the network, and a network for them with the parameters of this one.
func (t *Tagger) relabelled(cfg Config, task taggers.Task) ([]string, *tagger.Network, error) {
	known := &data.Document{}
	for _, label := range t.labels {
		if _, name := data.SplitLabel(label); name != "" {
			known.Spans = append(known.Spans, data.Span{Type: name})
		}
	}
	labels := cfg.Scheme.Labels(task.Types.Used(append(slices.Clone(task.Train), known)))
	if slices.Equal(labels, t.labels) {
		return labels, t.network, nil
	}
	net, err := cfg.network(t.vocabulary, labels, t.features, task.Seed)
	if err != nil {
		return nil, nil, err
	}
	o := &origin{
		config: t.config, tensors: map[string]checkpoints.Tensor{},
		model: &checkpoints.Model{Tokens: t.vocabulary.tokens, Characters: t.vocabulary.characterNames(), Labels: t.labels, Tensors: t.network.Tensors()},
	}
	if t.features != nil {
		o.features = t.features.values
	}
	for _, tensor := range o.model.Tensors {
		o.tensors[tensor.Name] = tensor
	}
	return labels, net, o.fill(net, t.vocabulary, labels, t.features)
}

// draw cuts documents into texts, and draws their features.
func (t *Tagger) draw(ctx context.Context, docs []*data.Document) (texts []reader.Text, all []drawn, err error) {
	foreign, err := t.features.foreign(ctx, docs)
	if err != nil {
		return nil, nil, err
	}
	for i, doc := range docs {
		for x := range t.reader.Cut(doc) {
			texts, all = append(texts, x), append(all, t.features.draw(x, foreign[i]))
		}
	}
	return texts, all, nil
}
