package models

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/taggers/operating"
	"github.com/lethe-deid/lethe/taggers/system"
)

// Calibrate measures how often the model's doubts are right on notes whose PHI is marked, and
// keeps the result in the model's folder: see package operating. The split names the notes in the result; it
// may be empty.
func (m *Model) Calibrate(ctx context.Context, docs []*data.Document, split string) (*operating.Curve, error) {
	prober, ok := m.Tagger.(data.Prober)
	if !ok {
		return nil, fmt.Errorf("%s: a system of this kind has no doubts to calibrate", m.Dir)
	}
	digest, err := measured(m.Dir) // before it is used, so that a model that changes meanwhile is noticed
	if err != nil {
		return nil, err
	}
	curve, err := operating.Fit(ctx, prober, docs)
	if err != nil {
		return nil, err
	}
	curve.Model, curve.Split = digest, split
	return curve, curve.Write(m.Dir)
}

// OperatingPoints reads what Calibrate has measured of the model in a folder. The error is
// fs.ErrNotExist if it was not calibrated, and operating.ErrOutdated if the model has changed since.
func OperatingPoints(dir string) (*operating.Curve, error) {
	if path := filepath.Join(dir, operating.File); !exists(path) {
		return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
	}
	digest, err := measured(dir)
	if err != nil {
		return nil, err
	}
	return operating.Read(dir, digest)
}

// At returns the model as a tagger that reaches a recall of PHI tokens, by what Calibrate has
// measured. Recall 0 means the best path, without doubts. The point says what to expect; it is
// nil for recall 0 if the model was not calibrated.
func (m *Model) At(recall float64) (data.Tagger, *operating.Point, error) {
	curve, err := OperatingPoints(m.Dir)
	switch unknown := errors.Is(err, fs.ErrNotExist); {
	case recall == 0 && (unknown || errors.Is(err, operating.ErrOutdated)):
		return m.Tagger, nil, nil
	case unknown:
		return nil, nil, fmt.Errorf("%s: holds no operating points: lethe calibrate RUN measures them", m.Dir)
	case err != nil:
		return nil, nil, err
	}
	point, err := curve.At(recall)
	if err != nil {
		return nil, nil, err
	}
	if recall > 0 && point.OutOfReach() {
		return nil, nil, &OutOfReach{recall, point.Recall}
	}
	prober, ok := m.Tagger.(data.Prober)
	if !ok || recall == 0 {
		return m.Tagger, &point, nil
	}
	return operating.New(prober, curve, point), &point, nil
}

// OutOfReach is the error of Model.At for a recall that the model cannot reach.
type OutOfReach struct {
	Recall float64 // that was asked for
	Most   float64 // that was reached with all doubts taken for PHI, when the model was calibrated
}

func (e *OutOfReach) Error() string {
	return fmt.Sprintf("a recall of %v is out of the model's reach, and nothing is written: with all of its doubts taken for PHI, %.4f of the PHI tokens were found when it was calibrated", e.Recall, e.Most)
}

// Biased returns the model as a tagger that takes more tokens for PHI: it adds logOdds, in
// (0, operating.MaxBias], to the log-odds of each token. See operating.Bias.
func (m *Model) Biased(logOdds float64) (data.Tagger, error) {
	prober, ok := m.Tagger.(data.Prober)
	if !ok || !system.TellsDoubts(m.Tagger) {
		return nil, fmt.Errorf("%s: rules and lists have no doubts that a bias could raise", m.Dir)
	}
	return operating.Bias(prober, logOdds), nil
}
