package experiments

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/check"
	"github.com/lethe-deid/lethe/evaluation"
	"github.com/lethe-deid/lethe/internal/bounded"
	"github.com/lethe-deid/lethe/internal/wholefile"
	"github.com/lethe-deid/lethe/models"
	"github.com/lethe-deid/lethe/taggers"
	"github.com/lethe-deid/lethe/taggers/system"
)

// TrainOptions are the options of Train.
type TrainOptions struct {
	Dir      string              // the run folder: new or empty, unless Resume
	Resume   bool                // continue the run in Dir, to the same bits as without the interruption
	Version  string              // of the program, recorded in run.json: see the function Version
	Workers  int                 // cores to use, which decide the bits of the model; 0: as many as the resumed run had, else all
	Corpus   func(*check.Report) // called with what a check found in the corpus before training; may be nil
	Epoch    func(taggers.Epoch) // called after each epoch; may be nil
	Failed   func(error)         // called for each note of dev that could not be written; may be nil
	Progress models.Progress
	Silver   *Silver // notes to learn from besides train; nil: none
}

// Train trains the system, writes everything that belongs to the run into its folder, and returns
// the scores of the best model on dev (see Run.Predict), or nil if there is no dev. A run that ends before its first epoch is
// complete leaves nothing, unless its silver notes are complete; one that ends later can be resumed.
func Train(ctx context.Context, c *Config, opt TrainOptions) (report *evaluation.Report, err error) {
	if len(c.Seeds) > 0 {
		return nil, errSeeds
	}
	types := c.Corpus.TypeSet()
	if opt.Silver != nil {
		if err := opt.Silver.check(&c.Corpus); err != nil {
			return nil, err
		}
	}
	run := &Run{Dir: opt.Dir, Config: c}
	unlock, err := run.lock(opt.Resume)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if err := run.check(opt.Resume); err != nil {
		if !opt.Resume {
			os.Remove(opt.Dir) // if it is empty
		}
		return nil, err
	}
	log := &epochLog{path: filepath.Join(opt.Dir, LogFile)}
	defer func() {
		if err != nil && !opt.Resume && log.err == nil && log.lines.Len() == 0 && !bounded.Exists(filepath.Join(opt.Dir, SilverFile)) {
			run.discard()
		}
	}()
	// The configuration comes second: a killed run that has one can be resumed, and would be resumed as
	// an ordinary training if it had no settings of its distillation.
	if err := opt.Silver.begin(run, opt.Resume); err != nil {
		return nil, err
	}
	if err := run.writeConfig(); err != nil {
		return nil, err
	}
	if opt.Workers == 0 {
		if opt.Workers, err = run.defaultWorkers(opt.Resume); err != nil {
			return nil, err
		}
	}
	train, dev, found, err := c.Corpus.load(c.System.NeedsDev(), c.wanted(opt.Progress), opt.Progress)
	if err != nil {
		return nil, err
	}
	if opt.Corpus != nil {
		opt.Corpus(found)
	}
	if err := run.note(opt, train); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	copies, err := run.copies(ctx, train, opt)
	if err != nil {
		return nil, err
	}
	model := &models.Model{Dir: filepath.Join(opt.Dir, models.Folder)}
	before, _ := model.Digest()  // "" if there is none
	earlier, err := run.Epochs() // members that are complete are only loaded, and not all of them report their epochs again
	if err != nil {
		return nil, err
	}
	parameters := map[string]int{} // by member
	for _, e := range earlier {
		parameters[e.Member] = e.Parameters
	}
	tagger, err := system.Fit(ctx, c.System, taggers.Task{
		Name: c.Name, Types: types, Train: train, Dev: dev, Copies: copies, Seed: c.Seed,
		Workers: opt.Workers, Dir: filepath.Join(opt.Dir, models.Folder), Resume: opt.Resume,
		Report: taggers.Report{
			Step: func(epoch, done, total int) { opt.Progress.Tell(fmt.Sprintf("epoch %d", epoch), done, total) },
			Epoch: func(e taggers.Epoch) {
				parameters[e.Member] = e.Parameters
				if log.add(e); log.err != nil {
					cancel()
				}
				if opt.Epoch != nil {
					opt.Epoch(e)
				}
			},
		},
	})
	if after, _ := model.Digest(); after != before {
		run.forget()
	}
	if log.err != nil {
		return nil, log.err
	}
	if err == nil {
		err = run.noteParameters(parameters)
	}
	if err != nil || dev == nil {
		return nil, err
	}
	return run.predict(ctx, tagger, DevSplit, data.Each(dev), PredictOptions{Failed: opt.Failed, Progress: opt.Progress})
}

// copies returns taggers.Task.Copies, with the silver notes.
func (r *Run) copies(ctx context.Context, train []*data.Document, opt TrainOptions) (func(epoch int) ([]*data.Document, error), error) {
	c := r.Config
	copies, err := c.Corpus.copies(train)
	if err != nil || opt.Silver == nil {
		return copies, err
	}
	silver, err := opt.Silver.notes(ctx, r, train, opt.Progress)
	if err != nil {
		return nil, err
	}
	augmenter, err := c.Corpus.augmenter(train)
	if err != nil {
		return nil, err
	}
	return func(epoch int) ([]*data.Document, error) {
		var all []*data.Document
		if copies != nil {
			var err error
			if all, err = copies(epoch); err != nil {
				return nil, err
			}
		}
		more, err := opt.Silver.epoch(silver, augmenter, c.Seed, epoch)
		return slices.Concat(all, more), err
	}, nil
}

// defaultWorkers returns the number of workers of the run to resume, because another number would
// lead to other bits, or else the number of cores.
func (r *Run) defaultWorkers(resume bool) (int, error) {
	if !resume {
		return runtime.NumCPU(), nil
	}
	machine, err := r.Machine()
	if err == nil && machine != nil {
		return machine.Workers, nil
	}
	if n, err := system.StateWorkers(filepath.Join(r.Dir, models.Folder)); n > 0 || err != nil {
		return n, err
	}
	return runtime.NumCPU(), err
}

// discard removes the files that begin and an incomplete first epoch wrote.
func (r *Run) discard() {
	for _, name := range []string{ConfigFile, pathsFile, distillFile, machineFile, models.Folder} {
		os.RemoveAll(filepath.Join(r.Dir, name))
	}
	os.Remove(r.Dir) // fails, as it should, if the user put something there
}

// epochLog writes log.jsonl. The whole file is written after each epoch, because the learner of a
// resumed run reports the earlier epochs again.
type epochLog struct {
	path  string
	lines bytes.Buffer
	err   error // the first error
}

func (l *epochLog) add(epoch any) {
	line, err := json.Marshal(epoch)
	if err == nil {
		l.lines.Write(append(line, '\n'))
		err = wholefile.WriteFile(l.path, l.lines.Bytes(), 0o666)
	}
	if l.err == nil {
		l.err = err
	}
}
