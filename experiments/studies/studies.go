// Package studies trains variants of an experiment, each with several seeds, and
// puts their scores side by side: [Ablate] drops parts of the network, [Curve]
// training documents, and [CrossValidate] tests on each part of a corpus in turn.
//
// A study leaves a folder, in which it can be gone on with after it was stopped:
//
//	study.yaml                  which study it is, and with how many workers
//	runs/VARIANT/seed-SEED/     a run folder for each: see package experiments
//	table.json, .md, .txt       what came out
//	*.svg, *.png                the same as charts
//
// The table follows from the run folders alone: with other metrics or another
// split it is made anew without training.
package studies

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/goccy/go-yaml"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/evaluation"
	"github.com/lethe-deid/lethe/evaluation/metrics"
	"github.com/lethe-deid/lethe/experiments"
	"github.com/lethe-deid/lethe/internal/bounded"
	"github.com/lethe-deid/lethe/internal/strictyaml"
	"github.com/lethe-deid/lethe/internal/wholefile"
	"github.com/lethe-deid/lethe/models"
	"github.com/lethe-deid/lethe/taggers"
)

// Options say how to carry out a study.
type Options struct {
	Dir      string   // the study's folder: new or empty, unless Resume
	Resume   bool     // go on with the study in Dir: whole runs are kept
	Workers  int      // cores to use; the bits depend on their number; 0: those of the study to resume, or else all
	Seeds    []uint64 // of the trainings, none twice; none: the experiment's own
	Split    string   // what is scored; "": dev, or for CrossValidate its folds
	Metrics  []string // by name: see evaluation/metrics; none: those of metrics.LookupAll
	Shuffles int      // of a test of significance; 0: 9,999
	// ByPatient swaps the documents of one patient together in such a test.
	ByPatient bool
	Version   string // of the program, which each run remembers: see experiments.Version

	Begin    func(run string, number, of int) // is told of each run that is to be trained, or gone on with; may be nil
	Epoch    func(taggers.Epoch)              // may be nil
	Failed   func(error)                      // is told of each note that could not be written; may be nil
	Progress models.Progress
}

// variant is one experiment among those that a study compares.
type variant struct {
	name    string   // of its folder
	changes []string // the settings of an ablation, for its table
	config  *experiments.Config
}

// trained is a variant with one of its seeds, when it has been trained.
type trained struct {
	seed   uint64
	found  []*data.Document // by its best model
	report *evaluation.Report
}

// study is one under way.
type study struct {
	kind    string
	config  *experiments.Config // what the variants are of
	opt     Options
	metrics []evaluation.Metric
	seed    func(*experiments.Config, uint64) // makes a variant that of a seed
}

// Names in the folder of a study.
const (
	studyFile  = "study.yaml"
	runsFolder = "runs"
	tableFile  = "table"
)

// newStudy fills in the options.
func newStudy(kind string, c *experiments.Config, opt Options) (*study, error) {
	if len(opt.Seeds) == 0 {
		opt.Seeds = []uint64{c.Seed}
	}
	for i, seed := range opt.Seeds {
		if slices.Contains(opt.Seeds[:i], seed) {
			return nil, fmt.Errorf("seed %d is given twice", seed)
		}
	}
	if opt.Split == "" {
		opt.Split = experiments.DevSplit
	}
	if opt.Split == experiments.TrainSplit {
		return nil, errors.New("the split train is what the networks have seen: score another")
	}
	s := &study{kind: kind, config: c, opt: opt, seed: func(c *experiments.Config, seed uint64) { c.Seed = seed }}
	var err error
	s.metrics, err = metrics.LookupAll(opt.Metrics, c.Corpus.TypeSet())
	return s, err
}

// record is study.yaml.
type record struct {
	Study   string `yaml:"study"`
	Workers int    `yaml:"workers"`
}

// begin makes the study's folder, or checks that it is one of the same study.
func (s *study) begin() error {
	path := filepath.Join(s.opt.Dir, studyFile)
	now := record{s.kind, s.opt.Workers}
	if s.opt.Resume {
		raw, err := bounded.ReadFile(path, bounded.MaxConfig)
		if errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s: holds no %s, so there is no study to resume", s.opt.Dir, studyFile)
		} else if err != nil {
			return err
		}
		var was record
		if err := strictyaml.Decode(path, raw, &was); err != nil {
			return err
		}
		if now.Workers == 0 {
			now.Workers = was.Workers
		}
		if key, from, to := strictyaml.Difference(&was, &now); key != "" {
			return fmt.Errorf("%s: %s was %v when the study began, and is %v now: it cannot be resumed", s.opt.Dir, key, from, to)
		}
		s.opt.Workers = was.Workers
		return nil
	}
	if entries, err := os.ReadDir(s.opt.Dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	} else if len(entries) > 0 {
		return fmt.Errorf("%s: the folder is not empty; go on with the study in it by --resume, or choose another by --out", s.opt.Dir)
	}
	if s.opt.Workers == 0 {
		s.opt.Workers = runtime.NumCPU()
		now.Workers = s.opt.Workers
	}
	encoded, err := yaml.Marshal(now)
	if err != nil {
		return err
	}
	return wholefile.WriteFile(path, encoded, 0o666)
}

// run is a variant with one of its seeds.
type run struct {
	variant string
	dir     string
	config  *experiments.Config
}

func (s *study) run(v variant, seed uint64) (run, error) {
	config, err := v.config.Changed(func(c *experiments.Config) { s.seed(c, seed) })
	if err != nil {
		return run{}, err
	}
	return run{v.name, filepath.Join(s.opt.Dir, runsFolder, v.name, fmt.Sprintf("seed-%d", seed)), config}, nil
}

// train trains what is not trained yet, and returns the runs of each variant in
// the order of the seeds. What could be known to go wrong does so first: a run
// of another configuration, a split that cannot be read.
func (s *study) train(ctx context.Context, variants []variant, gold func(variant) []*data.Document) ([][]trained, error) {
	if err := s.begin(); err != nil {
		return nil, err
	}
	var runs []run
	missing := 0
	for _, v := range variants {
		for _, seed := range s.opt.Seeds {
			r, err := s.run(v, seed)
			if err != nil {
				return nil, err
			}
			if err := r.same(); err != nil {
				return nil, err
			}
			if !r.scored(s.opt.Split) {
				missing++
			}
			runs = append(runs, r)
		}
	}
	var unexamined error // notes that no model's output has; the others are compared all the same
	number := 0
	for _, r := range runs {
		if r.scored(s.opt.Split) {
			continue
		}
		number++
		if s.opt.Begin != nil {
			s.opt.Begin(fmt.Sprintf("%s, seed %d", r.variant, r.config.Seed), number, missing)
		}
		err := s.finish(ctx, r)
		if u, ok := errors.AsType[*models.Unexamined](err); ok && u.Failed < u.Notes {
			unexamined = err
		} else if err != nil {
			return nil, fmt.Errorf("%s, seed %d: %w", r.variant, r.config.Seed, err)
		}
	}
	found := make([][]trained, len(variants))
	for i, v := range variants {
		documents := gold(v)
		for k, seed := range s.opt.Seeds {
			t, err := s.read(runs[i*len(s.opt.Seeds)+k], documents)
			if err != nil {
				return nil, fmt.Errorf("%s, seed %d: %w", v.name, seed, err)
			}
			found[i] = append(found[i], t)
		}
	}
	return found, unexamined
}

// same refuses a folder that holds a run of another configuration.
func (r run) same() error {
	earlier, err := experiments.OpenRun(r.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	if key, from, to := strictyaml.Difference(earlier.Config, r.config); key != "" {
		return fmt.Errorf("%s: %s was %v when the run began, and is %v now: choose another folder by --out", r.dir, key, from, to)
	}
	return nil
}

// scored reports whether the run is complete.
func (r run) scored(split string) bool { return (&experiments.Run{Dir: r.dir}).Scored(split) }

// finish trains a run, or goes on with its training, and scores it.
func (s *study) finish(ctx context.Context, r run) error {
	if !r.scored(experiments.DevSplit) {
		_, err := os.Stat(filepath.Join(r.dir, experiments.LogFile))
		begun := err == nil
		if !begun { // there may be what a killed program left of a first epoch
			if err := os.RemoveAll(r.dir); err != nil {
				return err
			}
		}
		if _, err := experiments.Train(ctx, r.config, experiments.TrainOptions{
			Dir: r.dir, Resume: begun, Version: s.opt.Version, Workers: s.opt.Workers, Epoch: s.opt.Epoch, Failed: s.opt.Failed, Progress: s.opt.Progress,
		}); err != nil || s.opt.Split == experiments.DevSplit {
			return err
		}
	}
	model, err := models.Open(r.dir, s.opt.Workers)
	if err != nil {
		return err
	}
	trained, err := experiments.OpenRun(r.dir)
	if err != nil {
		return err
	}
	_, err = trained.Predict(ctx, model, s.opt.Split, experiments.PredictOptions{Failed: s.opt.Failed, Progress: s.opt.Progress})
	return err
}

// read reads what a run found in the gold documents.
func (s *study) read(r run, gold []*data.Document) (trained, error) {
	found, _, err := (&experiments.Run{Dir: r.dir, Config: r.config}).Found(s.opt.Split)
	if err != nil {
		return trained{}, err
	}
	report, err := evaluation.Compare(data.Each(gold), data.Each(found))
	if err != nil {
		return trained{}, err
	}
	return trained{r.config.Seed, found, report}, nil
}
