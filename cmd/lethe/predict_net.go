package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid"
)

// netted is a tagger with the safety net of deidentify under it: it finds all that
// deidentify would replace.
type netted struct {
	data.Tagger
	engine  *deid.Deidentifier
	workers int
}

// newNetted makes it; name is that of --safety-net.
func newNetted(tagger data.Tagger, name string, types *data.TypeSet, workers int) (data.Tagger, error) {
	net, err := deid.NewNet(name, types)
	if err != nil {
		return nil, fmt.Errorf("--safety-net: %w", err)
	}
	if net == nil {
		return tagger, nil
	}
	return netted{tagger, &deid.Deidentifier{Net: net}, max(workers, 1)}, nil
}

// Tag implements data.Tagger.
func (n netted) Tag(ctx context.Context, docs []*data.Document) ([][]data.Span, error) {
	found, err := n.Tagger.Tag(ctx, docs)
	if err != nil {
		return nil, err
	}
	where := map[string]int{}
	var patients [][]int // which notes are those of each
	for i, doc := range docs {
		key := cmp.Or(doc.Patient, fmt.Sprint("\x00", i))
		if _, ok := where[key]; !ok {
			where[key] = len(patients)
			patients = append(patients, nil)
		}
		patients[where[key]] = append(patients[where[key]], i)
	}
	errs := make([]error, len(patients))
	inParallel(n.workers, len(patients), func(p int) { errs[p] = n.patient(docs, patients[p], found) })
	return found, errors.Join(errs...)
}

// patient puts what is found in the notes of one patient in the place of what the tagger has found.
func (n netted) patient(docs []*data.Document, which []int, found [][]data.Span) error {
	var notes []deid.Note
	for _, i := range which {
		notes = append(notes, deid.Note{Document: &data.Document{ID: docs[i].ID, Patient: docs[i].Patient, Text: docs[i].Text, Spans: found[i]}})
	}
	spans, err := n.engine.Find(notes)
	for k, i := range which {
		if err == nil {
			found[i] = spans[k]
		}
	}
	return err
}
