package crf

import (
	"context"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/taggers/crf/chain"
	"github.com/lethe-deid/lethe/taggers/crf/feature"
)

// Instances is documents as a chain sees them: numbers, and their meanings.
type Instances struct {
	Sequences  []chain.Sequence // with their labels
	Labels     []string
	Attributes []feature.Attribute // can contain words of the training notes
}

// Instances turns documents into the sequences of the tagger's attributes and labels,
// from which other programs can learn. A label that did not occur in training becomes
// O. If the tagger has one model per type, the labels are those of the first model.
func (t *Tagger) Instances(ctx context.Context, docs []*data.Document) (Instances, error) {
	in := Instances{Labels: t.models[0].labels, Attributes: t.extractor.Attributes()}
	foreign, err := t.foreign(ctx, docs)
	if err != nil {
		return Instances{}, err
	}
	ids := labelIDs(in.Labels)
	for i, d := range docs {
		for r := range t.reader.Cut(d) {
			x := feature.NewText(r, foreign[i])
			sequences := t.extractor.Sequences(x)
			for k, labels := range x.Labels(t.config.Scheme) {
				sequences[k].Labels = toIDs(labels, ids)
			}
			in.Sequences = append(in.Sequences, sequences...)
		}
	}
	return in, nil
}

// labelIDs returns the number of each label, from 0.
func labelIDs(labels []string) map[string]int32 {
	ids := map[string]int32{}
	for i, l := range labels {
		ids[l] = int32(i)
	}
	return ids
}

// toIDs maps labels to their ids. Labels that the model does not have become 0, which
// is O.
func toIDs(labels []string, ids map[string]int32) []int32 {
	all := make([]int32, len(labels))
	for i, l := range labels {
		all[i] = ids[l]
	}
	return all
}
