package models

import (
	"context"
	"fmt"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/taggers/system"
)

// Doubts returns a tagger whose spans are the doubts of the model (see data.Prober): tokens outside of the spans that the model
// finds by itself, with a probability of being PHI of at least the parameter from, in (0, 1), as their score. It is an error if the model reports no
// doubts, as when it consists of rules and lists.
func (m *Model) Doubts(from float64) (data.Tagger, error) {
	if m.members != nil {
		return m.each(func(member *Model) (data.Tagger, error) { return member.Doubts(from) }), nil
	}
	prober, ok := m.Tagger.(data.Prober)
	if !ok || !system.TellsDoubts(m.Tagger) {
		return nil, fmt.Errorf("%s: rules and lists report no doubts", m.Dir)
	}
	return doubts{prober, from}, nil
}

// doubts is a tagger that finds what another one doubts.
type doubts struct {
	data.Prober
	from float64
}

// Tag implements data.Tagger.
func (d doubts) Tag(ctx context.Context, docs []*data.Document) ([][]data.Span, error) {
	_, found, err := d.Probe(ctx, docs, d.from)
	if err != nil {
		return nil, err
	}
	for i := range found {
		found[i] = disjoint(found[i])
	}
	return found, nil
}
