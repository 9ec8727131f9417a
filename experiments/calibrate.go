package experiments

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/lethe-deid/lethe/taggers"
	"github.com/lethe-deid/lethe/taggers/operating"
)

// Calibrate measures how far the best model's doubts are right on a split of its
// run, dev for "", and keeps what it finds in the model's folder: see package
// operating.
func (r *Run) Calibrate(ctx context.Context, split string, workers int, progress Progress) (*operating.Curve, error) {
	if split == "" {
		split = devSplit
	}
	if split == trainSplit {
		return nil, errors.New("on the split it was trained on, a model has too few doubts: calibrate on another")
	}
	docs, err := r.Gold(split, progress)
	if err != nil {
		return nil, err
	}
	m, err := Open(r.Dir, workers)
	if err != nil {
		return nil, err
	}
	prober, ok := m.Tagger.(taggers.Prober)
	if !ok {
		return nil, fmt.Errorf("%s: a system of this kind tells no doubts", r.Dir)
	}
	curve, err := operating.Fit(ctx, prober, docs)
	if err != nil {
		return nil, err
	}
	if curve.Model, err = measured(m.dir); err != nil {
		return nil, err
	}
	curve.Split = split
	return curve, curve.Write(m.dir)
}

// OperatingPoints are those of the run's best model. The error is fs.ErrNotExist
// if it was not calibrated, and operating.ErrOutdated if that was another model.
func (r *Run) OperatingPoints() (*operating.Curve, error) { return operatingPoints(bestModel(r.Dir)) }

func operatingPoints(model string) (*operating.Curve, error) {
	if path := filepath.Join(model, operating.File); !exists(path) {
		return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
	}
	digest, err := measured(model)
	if err != nil {
		return nil, err
	}
	return operating.Read(model, digest)
}

// At sets the model to the operating point for a recall of PHI tokens, as
// Calibrate has measured it; 0 is the best path, without doubts. The point says
// what is to be expected of it; of recall 0 it is nil where nothing is known.
func (m *Model) At(recall float64) (taggers.Tagger, *operating.Point, error) {
	curve, err := operatingPoints(m.dir)
	switch unknown := errors.Is(err, fs.ErrNotExist); {
	case recall == 0 && (unknown || errors.Is(err, operating.ErrOutdated)):
		return m.Tagger, nil, nil
	case unknown:
		return nil, nil, fmt.Errorf("%s: holds no operating points: lethe calibrate RUN measures them", m.dir)
	case err != nil:
		return nil, nil, err
	}
	point, err := curve.At(recall)
	if err != nil {
		return nil, nil, err
	}
	prober, ok := m.Tagger.(taggers.Prober)
	if !ok || recall == 0 {
		return m.Tagger, &point, nil
	}
	return operating.New(prober, curve, point), &point, nil
}

// Biased adds log-odds, in (0, operating.MaxBias], to each token's of being PHI: see
// operating.Bias.
func (m *Model) Biased(logOdds float64) (taggers.Tagger, error) {
	prober, ok := m.Tagger.(taggers.Prober)
	if !ok {
		return nil, fmt.Errorf("%s: a system of this kind tells no doubts", m.dir)
	}
	return operating.Bias(prober, logOdds), nil
}
