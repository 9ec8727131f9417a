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
	types := a.Config.Corpus.TypeSet()
	if other := b.Config.Corpus.TypeSet(); types.Difference(other) != "" {
		return nil, fmt.Errorf("%s and %s have different type sets: %s", a.Dir, b.Dir, types.Difference(other))
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
	goldA, err := a.Gold(split, progress)
	if err != nil {
		return nil, err
	}
	goldB := goldA
	if key, _, _ := strictyaml.Difference(&a.Config.Corpus, &b.Config.Corpus); key != "" {
		if goldB, err = b.Gold(split, progress); err != nil {
			return nil, err
		}
	} else if err := b.SameNotes(split, progress); err != nil {
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
