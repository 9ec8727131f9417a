package experiments

import (
	"context"
	"errors"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/models"
	"github.com/lethe-deid/lethe/taggers"
	"github.com/lethe-deid/lethe/taggers/system"
)

// Notes loads the notes of train and dev as Train does, with the same checks. Without a split dev, dev is nil.
func (c *Config) Notes(progress models.Progress) (train, dev []*data.Document, err error) {
	train, dev, _, err = c.Corpus.load(c.System.NeedsDev(), c.wanted(progress), progress)
	return train, dev, err
}

// Fit trains the system on these notes instead of those of the corpus. It writes nothing.
func (c *Config) Fit(ctx context.Context, train, dev []*data.Document, workers int, report taggers.Report) (data.Tagger, error) {
	if len(c.Seeds) > 0 {
		return nil, errSeeds
	}
	copies, err := c.Corpus.copies(train)
	if err != nil {
		return nil, err
	}
	return system.Fit(ctx, c.System, taggers.Task{
		Name: c.Name, Types: c.Corpus.TypeSet(), Train: train, Dev: dev, Copies: copies, Seed: c.Seed, Workers: workers, Report: report,
	})
}

var errSeeds = errors.New("seeds: a single training has one seed: choose it with --set seeds=null --set seed=N")
