// Package memory measures what a trained model gives away about the notes that it was trained on,
// to somebody who has its files.
//
//   - Vocabulary: which words of few patients the files contain as they are. This is certain knowledge.
//   - Membership: whether the model's confidence tells notes and PHI that it was trained on from others (Shokri et al.
//     2017; Yeom et al. 2018; Seyedi et al. 2021 for de-identification).
//   - Canaries: whether invented values that were planted in the training notes can be told from other
//     values of the same form (exposure: Carlini et al. 2019, "The Secret Sharer").
package memory

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/evaluation"
	"github.com/lethe-deid/lethe/models"
	"github.com/lethe-deid/lethe/taggers"
	"github.com/lethe-deid/lethe/taggers/system"
)

// Options are the options of Measure.
type Options struct {
	Patients   int      // a word of fewer patients is rare; at least 2; default 5
	Canaries   []Canary // planted in the training notes: see Plant; default none
	Candidates int      // values that each canary is compared with, at least 1; default 1023, so that the exposure is at most 10 bits
	Seed       uint64   // of all random choices
	Progress   models.Progress
}

// DefaultOptions returns the default options.
func DefaultOptions() Options { return Options{Patients: 5, Candidates: 1023, Seed: 1} }

// Report says what a model gives away.
type Report struct {
	Train      int               `json:"train"` // notes
	Held       int               `json:"held_out"`
	F1         evaluation.Counts `json:"scores"`     // strict, on the notes that were held out
	Vocabulary Vocabulary        `json:"vocabulary"` // of all parts
	Parts      []Part            `json:"parts"`      // parts that learn from notes
}

// Part is a leaf of the tree of taggers that has learnt from notes.
type Part struct {
	Name     string   `json:"name"` // position in the tree; "" for the model itself
	Kind     string   `json:"kind"`
	Notes    Test     `json:"notes"`             // membership of notes
	Spans    Test     `json:"spans"`             // membership of PHI
	Exposure Exposure `json:"exposure,omitzero"` // none without canaries
}

// Measure measures a model with the notes that it was trained on and others that it was not trained
// on, all with their gold annotations. Both should be from one source: otherwise, their difference is
// mistaken for memory.
func Measure(ctx context.Context, model data.Tagger, train, held []*data.Document, opt Options) (*Report, error) {
	switch {
	case len(train) == 0 || len(held) == 0:
		return nil, errors.New("requires notes that the model was trained on, and others")
	case opt.Patients < 2:
		return nil, fmt.Errorf("%d patients: at least 2 are required", opt.Patients)
	case opt.Candidates < 1:
		return nil, fmt.Errorf("%d candidates: at least 1 is required", opt.Candidates)
	}
	r := &Report{Train: len(train), Held: len(held)}
	found, err := model.Tag(ctx, held)
	if err != nil {
		return nil, err
	}
	gold := make([][]data.Span, len(held))
	for i, d := range held {
		gold[i] = d.Spans
	}
	r.F1 = evaluation.Strict(gold, found)
	r.Vocabulary = vocabulary(model, train, held, opt.Patients)
	sample := train // as many notes as were held out, because more would take time and tell nothing
	if len(sample) > len(held) {
		sample = slices.Clone(train)
		rng := rand.New(rand.NewPCG(opt.Seed, 1))
		rng.Shuffle(len(sample), func(i, j int) { sample[i], sample[j] = sample[j], sample[i] })
		sample = sample[:len(held)]
	}
	for place, leaf := range system.Leaves(model) {
		var contents taggers.Contents
		if t, ok := leaf.(taggers.Inventory); ok {
			contents = t.Contents()
		}
		if contents.Unlearned {
			continue
		}
		p := Part{Name: place, Kind: contents.Kind}
		if p.Notes, p.Spans, err = membership(ctx, leaf, sample, held, opt); err != nil {
			return nil, err
		}
		if p.Exposure, err = expose(ctx, leaf, opt); err != nil {
			return nil, err
		}
		r.Parts = append(r.Parts, p)
	}
	return r, nil
}
