package experiments

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/taggers/operating"
	"github.com/lethe-deid/lethe/taggers/system"
)

// CalibrateOptions say on what to calibrate.
type CalibrateOptions struct {
	Split    string         // of the run's corpus, not train; default dev
	Notes    data.Documents // with their PHI, of Model.Types, in place of a split; nil for none
	Progress Progress
}

// Calibrate measures how far the model's doubts are right on notes whose PHI is
// known, and keeps what it finds in the model's folder: see package operating.
func (m *Model) Calibrate(ctx context.Context, opt CalibrateOptions) (*operating.Curve, error) {
	docs, split, err := m.known(opt)
	if err != nil {
		return nil, err
	}
	prober, ok := m.Tagger.(data.Prober)
	if !ok {
		return nil, fmt.Errorf("%s: a system of this kind tells no doubts", m.dir)
	}
	digest, err := measured(m.dir) // before it is probed: of a model that changes meanwhile nothing was measured
	if err != nil {
		return nil, err
	}
	curve, err := operating.Fit(ctx, prober, docs)
	if err != nil {
		return nil, err
	}
	curve.Model, curve.Split = digest, split
	return curve, curve.Write(m.dir)
}

// known loads what to calibrate on, and the name of the split, "" if it is none.
func (m *Model) known(opt CalibrateOptions) (docs []*data.Document, split string, err error) {
	switch split = cmp.Or(opt.Split, devSplit); {
	case opt.Notes != nil:
		docs, err = data.Collect(opt.Notes)
		return docs, "", err
	case m.Run == nil:
		return nil, "", fmt.Errorf("%s: a model folder has no splits: give notes whose PHI is marked", m.dir)
	case split == trainSplit:
		return nil, "", errors.New("on the split it was trained on, a model has too few doubts: calibrate on another")
	}
	docs, err = m.Run.Gold(split, opt.Progress)
	return docs, split, err
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
func (m *Model) At(recall float64) (data.Tagger, *operating.Point, error) {
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
	prober, ok := m.Tagger.(data.Prober)
	if !ok || recall == 0 {
		return m.Tagger, &point, nil
	}
	return operating.New(prober, curve, point), &point, nil
}

// Biased adds log-odds, in (0, operating.MaxBias], to each token's of being PHI: see
// operating.Bias.
func (m *Model) Biased(logOdds float64) (data.Tagger, error) {
	prober, ok := m.Tagger.(data.Prober)
	if !ok || !system.TellsDoubts(m.Tagger) {
		return nil, fmt.Errorf("%s: rules and lists have no doubts that a bias could raise", m.dir)
	}
	return operating.Bias(prober, logOdds), nil
}
