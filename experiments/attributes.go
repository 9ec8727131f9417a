package experiments

import (
	"errors"
	"fmt"

	"github.com/lethe-deid/lethe/models"
	"github.com/lethe-deid/lethe/taggers"
	"github.com/lethe-deid/lethe/taggers/trees"
	"github.com/lethe-deid/lethe/taggers/trees/c45"
)

// Attributes returns the attributes of the tokens of a split for the node trees of the
// experiment's system (see trees.Config.Dataset). What they take from the training
// notes is learnt from the split train, without copies.
func (c *Config) Attributes(split, triggers string, workers int, progress models.Progress) (*c45.Data, error) {
	nodes := trees.Of(c.System)
	switch {
	case len(nodes) == 0:
		return nil, errors.New("system: contains no node trees, so there are no attributes")
	case len(nodes) > 1:
		return nil, fmt.Errorf("system: contains %d nodes trees; only one is supported", len(nodes))
	}
	train, err := c.Corpus.Load(TrainSplit, progress)
	if err != nil {
		return nil, err
	}
	docs := train
	if split != TrainSplit {
		if docs, err = c.Corpus.Load(split, progress); err != nil {
			return nil, err
		}
	}
	return nodes[0].Dataset(taggers.Task{Name: c.Name, Types: c.Corpus.TypeSet(), Train: train, Workers: workers}, docs, triggers)
}
