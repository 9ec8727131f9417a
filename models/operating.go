package models

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/internal/bounded"
	"github.com/lethe-deid/lethe/taggers/operating"
	"github.com/lethe-deid/lethe/taggers/system"
)

// Calibrate measures, on notes with gold Spans, how often the model's doubts (see data.Prober) are in fact PHI, and writes
// the result to the model's folder (see package operating). split is a name for the notes in the result; it may be empty.
// It is an error if the model's tagger is not a data.Prober. A model that has no doubts, such as one of rules alone, can
// be calibrated, but no threshold increases its recall.
//
// byDefault, in [0, 1), is the probability from which a doubt counts as PHI if At is asked for no recall; 0 means that no doubt
// does.
func (m *Model) Calibrate(ctx context.Context, docs []*data.Document, split string, byDefault float64) (*operating.Curve, error) {
	if m.Builtin() {
		return nil, errors.New("a model that comes with the program cannot be changed: calibrate a copy of it (lethe models pack)")
	}
	prober, ok := m.Tagger.(data.Prober)
	if !ok {
		return nil, fmt.Errorf("%s: a system of this kind reports no doubts to calibrate", m.Dir)
	}
	digest, err := measured(m.Dir) // computed first, so that the result is outdated if the model changes in the meantime
	if err != nil {
		return nil, err
	}
	curve, err := operating.Fit(ctx, prober, docs)
	if err != nil {
		return nil, err
	}
	tagger := m.Tagger
	if byDefault > 0 {
		tagger = operating.AtProbability(prober, curve, byDefault)
	}
	found, err := tagger.Tag(ctx, docs)
	if err != nil {
		return nil, err
	}
	curve.Model, curve.Split, curve.Usual, curve.Default = digest, split, m.usualOf(docs, found), byDefault
	return curve, curve.Write(m.Dir)
}

// OperatingPoints reads the operating points that Calibrate has written to a model folder. The error is fs.ErrNotExist if
// the model was not calibrated, and operating.ErrOutdated if it has changed since.
func OperatingPoints(dir string) (*operating.Curve, error) {
	if path := filepath.Join(dir, operating.File); !bounded.Exists(path) {
		return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
	}
	if bounded.IsBuiltin(dir) { // neither can have changed, and computing the digest would delay the first note
		return operating.Read(dir, "")
	}
	digest, err := measured(dir)
	if err != nil {
		return nil, err
	}
	return operating.Read(dir, digest)
}

// At returns a tagger that uses the model with the threshold that Calibrate has found for the given recall of PHI
// tokens. Recall 0 means the default of Calibrate or, if there is none, that the model itself is used, without a threshold. The point contains the recall and
// precision to expect. It is nil for recall 0 if the model was not calibrated, has changed since, or has a default.
//
// The error is [*OutOfReach] if the model cannot reach the recall, and operating.ErrOutdated if the model has changed
// since it was calibrated. A recall other than 0 requires that the model was calibrated. A recall above the highest target
// of the curve is an error, too.
func (m *Model) At(recall float64) (data.Tagger, *operating.Point, error) {
	if m.members != nil {
		if recall > 0 { // otherwise opening them can wait until there is a note
			if err := m.reach(recall); err != nil {
				return nil, nil, err
			}
		}
		return m.each(func(member *Model) (data.Tagger, error) {
			tagger, _, err := member.At(recall)
			return tagger, err
		}), nil, nil
	}
	curve, err := OperatingPoints(m.Dir)
	switch unknown := errors.Is(err, fs.ErrNotExist); {
	case recall == 0 && (unknown || errors.Is(err, operating.ErrOutdated)):
		return m.Tagger, nil, nil
	case unknown:
		return nil, nil, fmt.Errorf("%s: contains no operating points: run lethe calibrate RUN to measure them", m.Dir)
	case err != nil:
		return nil, nil, err
	}
	if prober, ok := m.Tagger.(data.Prober); ok && recall == 0 && curve.Default > 0 {
		return operating.AtProbability(prober, curve, curve.Default), nil, nil
	}
	point, err := curve.At(recall)
	if err != nil {
		return nil, nil, err
	}
	if recall > 0 && point.OutOfReach() {
		return nil, nil, &OutOfReach{recall, point.Recall, slices.Max(append(reached(curve), 0))}
	}
	prober, ok := m.Tagger.(data.Prober)
	if !ok || recall == 0 {
		return m.Tagger, &point, nil
	}
	return operating.New(prober, curve, point), &point, nil
}

// reached lists the recalls of a curve that the model reached.
func reached(curve *operating.Curve) (recalls []float64) {
	for _, p := range curve.Points {
		if p.Target > 0 && !p.OutOfReach() {
			recalls = append(recalls, p.Target)
		}
	}
	return recalls
}

// reach returns an error if one of several models cannot reach a recall. If several cannot, it is that of the model with the lowest, so that all of
// them reach what the error says.
func (m *Model) reach(recall float64) error {
	var lowest *OutOfReach
	var failed error
	for name, open := range m.members {
		member, err := open()
		if err != nil {
			return err
		}
		if _, _, err = member.At(recall); err == nil {
			continue
		}
		out, ok := errors.AsType[*OutOfReach](err)
		if err = fmt.Errorf("%s: %w", name, err); !ok {
			return err
		}
		if lowest == nil || out.Highest < lowest.Highest {
			lowest, failed = out, err
		}
	}
	return failed
}

// MostProbable returns a tagger that takes the model's most probable labels, even if its calibration has a default, and the
// recall and precision to expect of it, or nil if the model was not calibrated or has changed since.
func (m *Model) MostProbable() (data.Tagger, *operating.Point) {
	curve, err := OperatingPoints(m.Dir)
	if err != nil {
		return m.Tagger, nil
	}
	point, err := curve.At(0)
	if err != nil {
		return m.Tagger, nil
	}
	return m.Tagger, &point
}

// OutOfReach is the error of [Model.At] for a recall that the model cannot reach. All recalls are in [0, 1].
type OutOfReach struct {
	Recall  float64 // requested recall
	Most    float64 // recall measured by Calibrate with all doubts counted as PHI
	Highest float64 // highest recall that can be requested; 0 if there is none
}

func (e *OutOfReach) Error() string {
	text := fmt.Sprintf("the model cannot reach a recall of %v: when it was calibrated, it found %.4f of the PHI tokens with all doubts counted as PHI", e.Recall, e.Most)
	if e.Highest > 0 {
		text += fmt.Sprintf("; the highest recall that it can be asked for is %v", e.Highest)
	}
	return text
}

// Biased returns a tagger that uses the model and finds more PHI: it adds logOdds, in (0, operating.MaxBias], to each
// token's log-odds of being PHI (see operating.Bias). It is an error if the model reports no doubts, as when it consists
// of rules and lists.
func (m *Model) Biased(logOdds float64) (data.Tagger, error) {
	if m.members != nil {
		return m.each(func(member *Model) (data.Tagger, error) { return member.Biased(logOdds) }), nil
	}
	prober, ok := m.Tagger.(data.Prober)
	if !ok || !system.TellsDoubts(m.Tagger) {
		return nil, fmt.Errorf("%s: a bias has no effect on rules and lists, which report no doubts", m.Dir)
	}
	return operating.Bias(prober, logOdds), nil
}
