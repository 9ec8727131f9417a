// Package studies trains variants of an experiment, each with several seeds, and compares their
// scores: [Ablate] removes parts of the network, [Curve] removes training documents,
// [CrossValidate] tests on each part of a corpus in turn, [Compare] compares several experiments, and
// [Search] looks for better settings.
//
// A study leaves a folder, and can be resumed in it:
//
//	study.yaml                  the kind of study and the number of workers
//	runs/VARIANT/seed-SEED/     a run folder for each: see package experiments
//	table.json, .md, .tex, .txt the results
//	tables/NAME.csv             each of the tables
//	*.svg, *.png                the results as charts
//
// The results are computed from the run folders alone: other metrics or another split require no
// training.
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

// Options are the options of Ablate, Curve and CrossValidate.
type Options struct {
	Dir      string   // the study's folder: new or empty, unless Resume
	Resume   bool     // continue the study in Dir, keeping complete runs
	Workers  int      // cores to use, which decide the bits of the models; 0: as many as the resumed study had, else all
	Seeds    []uint64 // of the training runs, without duplicates; empty: the experiment's Seeds, or else its Seed
	Split    string   // the split to score; "": dev, or for CrossValidate its folds
	Metrics  []string // names: see evaluation/metrics; empty: the default of metrics.LookupAll
	Shuffles int      // maximum number of shuffles per test of significance; 0: 9,999
	// ByPatient makes a test of significance swap all documents of a patient together.
	ByPatient bool
	Version   string // of the program, recorded in each run: see experiments.Version

	Begin    func(run string, number, of int) // called before each run is trained or resumed; may be nil
	Epoch    func(taggers.Epoch)              // called after each epoch; may be nil
	Failed   func(error)                      // called for each note that could not be written; may be nil
	Warn     func(error)                      // called for runs that lack predictions for notes, which count as missed; may be nil
	Progress models.Progress
}

// variant is one of the experiments that a study compares.
type variant struct {
	name    string   // of its folder
	changes []string // the settings of an ablation, for its table
	config  *experiments.Config
	seeds   []uint64 // of its runs; nil: those of the study
}

// trained is a variant with one of its seeds, after training.
type trained struct {
	seed   uint64
	found  []*data.Document // by its best model
	report *evaluation.Report
}

// study is a study in progress.
type study struct {
	kind    string
	config  *experiments.Config // the experiment that the variants change
	opt     Options
	own     []uint64 // the seeds that the options give; nil: the seeds are those of the experiment
	metrics []evaluation.Metric
	search  []string                          // see record
	seed    func(*experiments.Config, uint64) // sets the seed of a variant
	digests map[string]string                 // of the notes to train on, by corpus
}

// Names in the folder of a study.
const (
	studyFile  = "study.yaml"
	runsFolder = "runs"
	tableFile  = "table"
	// tablesFolder contains the tables as CSV.
	tablesFolder = "tables"
)

// newStudy checks the options and sets their defaults.
func newStudy(kind string, c *experiments.Config, opt Options) (*study, error) {
	own := opt.Seeds
	if len(opt.Seeds) == 0 {
		opt.Seeds = c.Seeds
	}
	if len(opt.Seeds) == 0 {
		opt.Seeds = []uint64{c.Seed}
	}
	for i, seed := range opt.Seeds {
		if slices.Contains(opt.Seeds[:i], seed) {
			return nil, fmt.Errorf("duplicate seed %d", seed)
		}
	}
	if opt.Split == "" {
		opt.Split = experiments.DevSplit
	}
	if opt.Split == experiments.TrainSplit {
		return nil, errors.New("the networks were trained on the split train: score another split")
	}
	s := &study{kind: kind, config: c, opt: opt, own: own, seed: func(c *experiments.Config, seed uint64) { c.Seed = seed }, digests: map[string]string{}}
	types, err := c.Corpus.MetricTypes(opt.Metrics, opt.Progress)
	if err != nil {
		return nil, err
	}
	s.metrics, err = metrics.LookupAll(opt.Metrics, types)
	return s, err
}

// record is the content of study.yaml.
type record struct {
	Study   string   `yaml:"study"`
	Workers int      `yaml:"workers"`
	Search  []string `yaml:"search,omitempty"` // what decides which trials there are
}

// begin creates the study's folder, or checks that the folder belongs to the same study.
func (s *study) begin() error {
	path := filepath.Join(s.opt.Dir, studyFile)
	now := record{s.kind, s.opt.Workers, s.search}
	if s.opt.Resume {
		raw, err := bounded.ReadFile(path, bounded.MaxConfig)
		if errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s: contains no %s, so there is no study to resume", s.opt.Dir, studyFile)
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
		return fmt.Errorf("%s: the folder is not empty: continue its study with --resume, or choose another folder with --out", s.opt.Dir)
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
	return run{v.name, filepath.Join(s.opt.Dir, runsFolder, v.name, seedFolder(seed)), config}, nil
}

// seedFolder returns the name of the folder of a run.
func seedFolder(seed uint64) string { return fmt.Sprintf("seed-%d", seed) }

// RunFolders returns the run folders in the folder of a study, or in that of one of its systems, in the order of systems and seeds. It
// returns nothing if dir is a run folder itself, or another one.
func RunFolders(dir string) []string {
	entries, err := os.ReadDir(dir)
	if err != nil || slices.ContainsFunc(entries, func(e os.DirEntry) bool { return e.Name() == experiments.ConfigFile }) {
		return nil
	}
	var seeds []uint64
	var folders []string
	for _, e := range entries {
		var seed uint64
		if _, err := fmt.Sscanf(e.Name(), "seed-%d", &seed); err == nil && e.Name() == seedFolder(seed) {
			seeds = append(seeds, seed)
		}
		if e.Name() == runsFolder {
			systems, _ := os.ReadDir(filepath.Join(dir, runsFolder))
			for _, system := range systems {
				folders = append(folders, RunFolders(filepath.Join(dir, runsFolder, system.Name()))...)
			}
		}
	}
	slices.Sort(seeds)
	for _, seed := range seeds {
		folders = append(folders, filepath.Join(dir, seedFolder(seed)))
	}
	return folders
}

// train trains the runs that are not complete and returns the runs of each variant in the order of
// the seeds. It first checks for errors that would otherwise stop it later: a run with another
// configuration, or a split that cannot be read.
func (s *study) train(ctx context.Context, variants []variant, gold func(variant) []*data.Document) ([][]trained, error) {
	if err := s.begin(); err != nil {
		return nil, err
	}
	var runs []run
	missing := 0
	for _, v := range variants {
		for _, seed := range s.seeds(v) {
			r, err := s.run(v, seed)
			if err != nil {
				return nil, err
			}
			if err := r.config.Corpus.CheckSplit(s.opt.Split); err != nil {
				return nil, fmt.Errorf("%s: the corpus has %w", v.name, err)
			}
			if err := s.same(r); err != nil {
				return nil, err
			}
			if !r.scored(s.opt.Split) {
				missing++
			}
			runs = append(runs, r)
		}
	}
	var unexamined error // notes without output; the others are compared nevertheless
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
		for _, seed := range s.seeds(v) {
			t, err := s.read(runs[0].open(), documents)
			if err != nil {
				return nil, fmt.Errorf("%s, seed %d: %w", v.name, seed, err)
			}
			found[i], runs = append(found[i], t), runs[1:]
		}
	}
	return found, unexamined
}

// seeds returns the seeds of the runs of a variant.
func (s *study) seeds(v variant) []uint64 {
	if v.seeds != nil {
		return v.seeds
	}
	return s.opt.Seeds
}

// open returns a run that is complete.
func (r run) open() *experiments.Run { return &experiments.Run{Dir: r.dir, Config: r.config} }

// same returns an error if the folder contains a run with another configuration, or one that was trained on other notes than those to train
// on now: its folds or its part of the notes would be others, and scores of models of different notes would be averaged. Notes are compared by their
// ids and their order, not by their texts and annotations.
func (s *study) same(r run) error {
	earlier, err := experiments.OpenRun(r.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	if key, from, to := strictyaml.Difference(earlier.Config, r.config); key != "" {
		return fmt.Errorf("%s: %s was %v when the run began, and is %v now: choose another folder by --out", r.dir, key, from, to)
	}
	if !r.begun() && !r.scored(experiments.DevSplit) && !r.scored(s.opt.Split) {
		return nil // it is trained anew
	}
	m, err := earlier.Machine()
	if err != nil || m == nil || m.Notes == "" {
		return err
	}
	encoded, err := yaml.Marshal(r.config.Corpus)
	if err != nil {
		return err
	}
	corpus := string(encoded)
	if s.digests[corpus] == "" {
		if s.digests[corpus], err = r.config.Corpus.NotesDigest(s.opt.Progress); err != nil {
			s.digests[corpus] = m.Notes // no run needs them, or its training tells; runs of the same notes still have the same digest
		}
	}
	if s.digests[corpus] != m.Notes {
		return fmt.Errorf("%s: the notes given as train have changed since the training of this run, or their order has: choose another folder by --out, or restore the notes", r.dir)
	}
	return nil
}

// begun reports whether the run has a complete epoch, so that it is resumed.
func (r run) begun() bool {
	_, err := os.Stat(filepath.Join(r.dir, experiments.LogFile))
	return err == nil
}

// scored reports whether the run is complete.
func (r run) scored(split string) bool { return (&experiments.Run{Dir: r.dir}).Scored(split) }

// finish trains or resumes a run, and scores it.
func (s *study) finish(ctx context.Context, r run) error {
	if !r.scored(experiments.DevSplit) {
		begun := r.begun()
		if !begun { // a killed program may have left an incomplete first epoch
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

// read reads the predictions of a run for the gold documents.
func (s *study) read(r *experiments.Run, gold []*data.Document) (trained, error) {
	found, _, err := r.Found(s.opt.Split)
	if err != nil {
		return trained{}, err
	}
	if err := evaluation.Unpredicted(r.Dir, gold, found); err != nil && s.opt.Warn != nil {
		s.opt.Warn(err)
	}
	report, err := evaluation.Compare(data.Each(gold), data.Each(found))
	if err != nil {
		return trained{}, err
	}
	return trained{r.Config.Seed, found, report}, nil
}
