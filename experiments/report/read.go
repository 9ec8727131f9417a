package report

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/evaluation"
	"github.com/lethe-deid/lethe/experiments"
	"github.com/lethe-deid/lethe/internal/bounded"
	"github.com/lethe-deid/lethe/taggers"
	"github.com/lethe-deid/lethe/taggers/operating"
)

// material is everything that the report is made from.
type material struct {
	Options
	types *data.TypeSet
	gold  []*data.Document
	train []*data.Document // nil if it cannot be read
	runs  []*runMaterial
}

// runMaterial is everything that is read from one run.
type runMaterial struct {
	*experiments.Run
	letter string // A, B, ...; "" for a single run
	Name   string
	found  []*data.Document
	scored bool
	log    []taggers.Epoch // nil if there is none
	config string
	on     *experiments.Machine // nil if unknown

	operating *operating.Curve // nil if it was not calibrated
}

// most is the maximum number of runs of a report: one per letter.
const most = 26

func read(runs []*experiments.Run, opt Options) (*material, error) {
	if len(runs) == 0 || len(runs) > most {
		return nil, fmt.Errorf("a report covers 1 to %d runs, not %d", most, len(runs))
	}
	if opt.Warn == nil {
		opt.Warn = func(error) {}
	}
	var err error
	if opt.Split == "" {
		if opt.Split, err = runs[0].PredictedSplit(); err != nil {
			return nil, err
		}
	}
	m := &material{Options: opt}
	m.types = runs[0].Config.Corpus.TypeSet()
	var dirs []string
	for _, r := range runs {
		dirs = append(dirs, r.Dir)
	}
	names := experiments.ShortNames(dirs)
	for i, r := range runs {
		material := &runMaterial{Run: r, Name: names[i]}
		if len(runs) > 1 {
			material.letter = string(rune('A' + i))
		}
		if err := m.readRun(material); err != nil {
			return nil, err
		}
		m.runs = append(m.runs, material)
	}
	if m.gold, err = runs[0].Gold(opt.Split, opt.Progress); err != nil {
		return nil, err
	}
	for _, r := range m.runs {
		if err := evaluation.Unpredicted(r.Dir, m.gold, r.found); err != nil {
			opt.Warn(err)
		}
	}
	if m.train, err = runs[0].Gold(experiments.TrainSplit, opt.Progress); err != nil {
		opt.Warn(fmt.Errorf("no causes of errors, since the training notes cannot be read: %w", err))
	}
	return m, nil
}

func (m *material) readRun(r *runMaterial) (err error) {
	if r.found, r.scored, err = r.Found(m.Split); err != nil {
		return err
	}
	if r.log, err = readLog(filepath.Join(r.Dir, experiments.LogFile)); errors.Is(err, fs.ErrNotExist) {
		m.Warn(fmt.Errorf("the report shows no training of %s, because there is no %s: systems that are not trained in steps write none", r.Name, experiments.LogFile))
	} else if err != nil {
		return err
	}
	config, err := r.Config.YAML()
	if err != nil {
		return err
	}
	r.config = string(config)
	if r.on, err = r.Machine(); err != nil {
		return err
	}
	return m.readOperatingPoints(r)
}

// readLog reads the epochs of a run.
func readLog(path string) ([]taggers.Epoch, error) {
	raw, err := bounded.ReadFile(path, bounded.MaxModel)
	if err != nil {
		return nil, err
	}
	log := []taggers.Epoch{}
	lines := bufio.NewScanner(bytes.NewReader(raw))
	for n := 1; lines.Scan(); n++ {
		var e taggers.Epoch
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil || e.Epoch < 1 {
			return nil, fmt.Errorf("%s:%d: not an epoch of a training", path, n)
		}
		log = append(log, e)
	}
	return log, lines.Err()
}

// heading returns the heading of a run's columns if there are several runs.
func (r *runMaterial) heading() string {
	if r.letter == "" {
		return ""
	}
	return r.Label()
}
