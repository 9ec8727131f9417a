package main

import (
	"cmp"
	"context"
	"fmt"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid"
	"github.com/lethe-deid/lethe/deid/audit"
	"github.com/lethe-deid/lethe/taggers"
)

// netted is a tagger with the safety net of deidentify under it: it finds all that
// deidentify would replace.
type netted struct {
	taggers.Tagger
	*deidentification
}

// newNetted makes it; name is that of --safety-net.
func newNetted(tagger taggers.Tagger, name string, types *data.TypeSet, workers int) (taggers.Tagger, error) {
	d := &deidentification{plan: deid.Plan{Default: deid.KindTag}, workers: workers}
	var err error
	if d.net, err = newNet(name, types); err != nil || d.net == nil {
		return tagger, err
	}
	d.replacement, err = deid.NewReplacement(d.plan, deid.Options{Types: types})
	return netted{tagger, d}, err
}

// Tag implements taggers.Tagger.
func (n netted) Tag(ctx context.Context, docs []*data.Document) ([][]data.Span, error) {
	found, err := n.Tagger.Tag(ctx, docs)
	if err != nil {
		return nil, err
	}
	all := make([]*result, len(docs))
	for i, doc := range docs {
		doc := &data.Document{ID: doc.ID, Patient: doc.Patient, Text: doc.Text, Spans: found[i]}
		all[i] = &result{group: cmp.Or(doc.Patient, fmt.Sprint("\x00", i)), doc: doc, line: &audit.Line{}}
	}
	n.replaceAll(all)
	for i, r := range all {
		if r.err != nil {
			return nil, r.err
		}
		found[i] = nil
		for _, e := range r.edits {
			found[i] = append(found[i], data.Span{Start: e.Start, End: e.End, Type: e.Type, Score: e.Score})
		}
	}
	return found, nil
}
