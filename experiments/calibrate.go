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
	return curve, curve.Write(filepath.Join(r.Dir, modelFolder, bestFolder))
}

// At sets the model to the operating point for a recall of PHI tokens, as
// Calibrate has measured it; 0 is the best path, without doubts. The point says
// what is to be expected of it. Without a curve, and recall 0, point is nil.
func (m *Model) At(recall float64) (taggers.Tagger, *operating.Point, error) {
	curve, err := operating.Read(m.dir)
	if errors.Is(err, fs.ErrNotExist) {
		if recall == 0 {
			return m.Tagger, nil, nil
		}
		return nil, nil, fmt.Errorf("%s: holds no operating points: lethe calibrate RUN measures them", m.dir)
	}
	if err != nil {
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
