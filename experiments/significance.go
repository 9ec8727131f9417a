package experiments

import (
	"context"
	"fmt"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/evaluation/metrics"
	"github.com/lethe-deid/lethe/evaluation/significance"
	"github.com/lethe-deid/lethe/internal/strictyaml"
	"github.com/lethe-deid/lethe/models"
)

// Significance tests whether the predictions of two runs for a split differ significantly, for each
// of the named metrics (see metrics.Lookup), or metrics.Defaults if names is empty. Both runs must
// have predicted the split, which must contain the same documents in both.
func Significance(ctx context.Context, a, b *Run, split string, names []string, opt significance.Options, progress models.Progress) (*significance.Report, error) {
	if err := sameTypes(a, b); err != nil {
		return nil, err
	}
	types, err := a.Config.Corpus.MetricTypes(names, progress)
	if err != nil {
		return nil, err
	}
	chosen, err := metrics.LookupAll(names, types)
	if err != nil {
		return nil, err
	}
	foundA, _, err := a.Found(split)
	if err != nil {
		return nil, err
	}
	foundB, _, err := b.Found(split)
	if err != nil {
		return nil, err
	}
	goldA, goldB, err := golds(a, b, split, progress)
	if err != nil {
		return nil, err
	}
	report, err := significance.Compare(ctx,
		significance.System{Name: a.Dir, Gold: data.Each(goldA), Found: data.Each(foundA)},
		significance.System{Name: b.Dir, Gold: data.Each(goldB), Found: data.Each(foundB)}, chosen, opt)
	if err != nil {
		return nil, err
	}
	report.Split = split
	return report, nil
}

// SharedGold reads a split of two runs. It returns an error unless both have the same documents in it, with the same annotations, and the same types.
func SharedGold(ctx context.Context, a, b *Run, split string, progress models.Progress) ([]*data.Document, error) {
	if err := sameTypes(a, b); err != nil {
		return nil, err
	}
	goldA, goldB, err := golds(a, b, split, progress)
	if err != nil {
		return nil, err
	}
	return goldA, significance.SameGold(ctx, a.Dir, data.Each(goldA), b.Dir, data.Each(goldB))
}

func sameTypes(a, b *Run) error {
	if difference := a.Config.Corpus.TypeSet().Difference(b.Config.Corpus.TypeSet()); difference != "" {
		return fmt.Errorf("%s and %s have different type sets: %s", a.Dir, b.Dir, difference)
	}
	return nil
}

// golds reads a split of two runs, once if their corpus is the same.
func golds(a, b *Run, split string, progress models.Progress) (goldA, goldB []*data.Document, err error) {
	if goldA, err = a.Gold(split, progress); err != nil {
		return nil, nil, err
	}
	if key, _, _ := strictyaml.Difference(&a.Config.Corpus, &b.Config.Corpus); key != "" {
		goldB, err = b.Gold(split, progress)
		return goldA, goldB, err
	}
	return goldA, goldA, b.SameNotes(split, progress)
}
