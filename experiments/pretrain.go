package experiments

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/models"
	"github.com/lethe-deid/lethe/taggers"
	"github.com/lethe-deid/lethe/taggers/ann"
	"github.com/lethe-deid/lethe/taggers/system"
)

// PretrainOptions are the options of Pretrain.
type PretrainOptions struct {
	Dir      string // the run folder: new or empty, unless Resume
	Resume   bool   // continue the run in Dir, to the same bits as without the interruption
	Version  string // of the program, recorded in run.json: see the function Version
	Workers  int    // cores to use, which decide the bits of the model; 0: as many as the resumed run had, else all
	Settings ann.Pretraining
	Corpus   func(tokens, held, words int) // see ann.PretrainTask; may be nil
	Epoch    func(ann.PretrainEpoch)       // called after each epoch; may be nil
	Progress models.Progress
}

// Pretrain trains the network of the system as language models of unlabelled text. The run folder is
// like that of Train, without predictions and scores; its model can only be used as the start of a
// training.
func Pretrain(ctx context.Context, c *Config, text data.Documents, opt PretrainOptions) (err error) {
	if len(c.Seeds) > 0 {
		return errSeeds
	}
	if c.Clean.Patients > 0 {
		return errors.New("clean: a pretraining cannot keep words of few patients out, because it does not know whose its texts are: take it away with --set clean=null, and leave rare words out with --min-count")
	}
	network, err := c.network()
	if err != nil {
		return err
	}
	run := &Run{Dir: opt.Dir, Config: c}
	unlock, err := run.lock(opt.Resume)
	if err != nil {
		return err
	}
	defer unlock()
	if err := run.begin(opt.Resume); err != nil {
		if !opt.Resume {
			os.Remove(opt.Dir) // if it is empty
		}
		return err
	}
	state := filepath.Join(opt.Dir, models.Folder)
	defer func() {
		if saved, e := system.StateWorkers(state); err != nil && !opt.Resume && saved == 0 && e == nil {
			run.discard()
		}
	}()
	if opt.Workers == 0 {
		opt.Workers = runtime.NumCPU()
		if opt.Resume {
			if opt.Workers, err = run.defaultWorkers(true); err != nil {
				return err
			}
		}
	}
	if err := run.note(TrainOptions{Resume: opt.Resume, Version: opt.Version, Workers: opt.Workers}, nil); err != nil {
		return err
	}
	log := &epochLog{path: filepath.Join(opt.Dir, LogFile)}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	err = network.Pretrain(ctx, ann.PretrainTask{
		Name: c.Name, Types: c.Corpus.TypeSet(), Text: text, Settings: opt.Settings, Seed: c.Seed, Workers: opt.Workers, Dir: state, Resume: opt.Resume,
		Reading: func(tokens int) { opt.Progress.Tell("reading tokens", tokens, 0) },
		Step:    func(epoch, done, total int) { opt.Progress.Tell(fmt.Sprintf("epoch %d", epoch), done, total) },
		Corpus:  opt.Corpus,
		Epoch: func(e ann.PretrainEpoch) {
			if log.add(e); log.err != nil {
				cancel()
			}
			if opt.Epoch != nil {
				opt.Epoch(e)
			}
		},
	})
	if log.err != nil {
		return log.err
	}
	return err
}

// network returns the settings of the only network in the system.
func (c *Config) network() (*ann.Config, error) {
	switch found := networks(c.System); len(found) {
	case 0:
		return nil, errors.New("the system contains no ann, which is required for a pretraining")
	case 1:
		return found[0], nil
	default:
		return nil, fmt.Errorf("the system contains %d networks (ann): a pretraining requires a system with only one", len(found))
	}
}

func networks(s taggers.System) (found []*ann.Config) {
	if n := ann.Of(s); n != nil {
		return []*ann.Config{n}
	}
	_, root := s.Root()
	for _, child := range taggers.Children(root) {
		found = append(found, networks(child.System)...)
	}
	return found
}
