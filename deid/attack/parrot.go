package attack

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/taggers"
	"github.com/lethe-deid/lethe/taggers/crf"
	"github.com/lethe-deid/lethe/taggers/crf/feature"
	"github.com/lethe-deid/lethe/taggers/system"
)

// ImpossibleError says why there cannot be a Parrot attack on some notes.
type ImpossibleError struct{ Reason string }

func (e *ImpossibleError) Error() string { return e.Reason }

// Training says how [Parrot] trains.
type Training struct {
	System   taggers.System // default a CRF over words, their forms and their parts
	Folds    int            // at least 2; default 2
	Seed     uint64
	Workers  int                // default all cores
	Progress func(fold, of int) // called before each training; may be nil
}

// Parrot is the attack of Carrell et al. 2019. The attacker trains a tagger on what the reader marked in some of the notes, and applies it to the
// others. It repeats what the program that removed the PHI could do, so a value that it does not find was probably missed by that
// program, too, and is real. Every note is attacked by a tagger that was trained on the other folds; a patient's notes are in one fold.
//
// A marked span of which the tagger finds less than half is a suspect. The confidence is 1 less the highest probability of being PHI that the tagger gives to
// a part of it.
//
// The error is an *ImpossibleError if the notes have too few patients, or no marks to learn from.
func Parrot(ctx context.Context, seen []*data.Document, types *data.TypeSet, o Training) ([]Suspect, error) {
	if o.Folds == 0 {
		o.Folds = 2
	}
	if o.System == nil {
		o.System = taggers.System{"crf": defaultParrot()}
	}
	patients := map[string]bool{}
	for _, doc := range seen {
		patients[doc.Group()] = true
	}
	if len(patients) < o.Folds {
		return nil, &ImpossibleError{fmt.Sprintf("the notes of at least %d patients are required", o.Folds)}
	}
	folds, err := data.Folds(seen, o.Folds, true, o.Seed)
	if err != nil {
		return nil, err
	}
	var suspects []Suspect
	for i, fold := range folds {
		if o.Progress != nil {
			o.Progress(i+1, len(folds))
		}
		var train []*data.Document
		for j, other := range folds {
			if j != i {
				train = append(train, other...)
			}
		}
		if !slices.ContainsFunc(train, func(doc *data.Document) bool { return len(doc.Spans) > 0 }) {
			return nil, &ImpossibleError{"too little is marked in the notes to learn from"}
		}
		tagger, err := system.Fit(ctx, o.System, taggers.Task{Name: "parrot", Types: types, Train: train, Seed: o.Seed, Workers: o.Workers})
		if err != nil {
			return nil, err
		}
		prober, ok := tagger.(data.Prober)
		if !ok {
			return nil, errors.New("the system of the attack gives no probabilities")
		}
		found, doubts, err := prober.Probe(ctx, fold, 0.001)
		if err != nil {
			return nil, err
		}
		for j, doc := range fold {
			for _, s := range doc.Spans {
				left := 0
				for _, part := range data.Subtract(s, data.Merge(found[j])) {
					left += part.End - part.Start
				}
				if 2*left <= s.End-s.Start {
					continue
				}
				confidence := 1.
				for _, part := range slices.Concat(found[j], doubts[j]) {
					if part.Start < s.End && s.Start < part.End {
						confidence = min(confidence, 1-part.Score)
					}
				}
				suspects = append(suspects, Suspect{doc.ID, s, confidence})
			}
		}
	}
	sortSuspects(suspects)
	return suspects, nil
}

// defaultParrot is a CRF that learns from the notes alone.
func defaultParrot() *crf.Config {
	c := crf.DefaultConfig()
	c.Features = []feature.Spec{
		{Family: "word", Window: 2}, {Family: "shape", Window: 2}, {Family: "morphology", Window: 1},
		{Family: "prefix", Window: 1, Size: 4}, {Family: "suffix", Window: 1, Size: 4},
	}
	c.MinCount = 2
	c.Training.Iterations = 100
	return &c
}
