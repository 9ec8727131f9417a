package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"github.com/lethe-deid/lethe/experiments"
	"github.com/lethe-deid/lethe/taggers"
)

func newTrain() *cobra.Command {
	var (
		settings []string
		dryRun   bool
		opt      experiments.TrainOptions
	)
	cmd := &cobra.Command{
		Use:   "train CONFIG.yaml",
		Short: "Train what an experiment describes, and score it on dev",
		Long: `Train the system that an experiment describes on its split train, keep the epoch
that is best on dev, and print its scores there. Everything goes into a run
folder: config.yaml, run.json, log.jsonl, model/best, model/last, predictions, evaluation.

A system can be a tree: taggers below an ensemble, a second pass, or corrections.
Each learns by itself. --dry-run draws the tree, reads the notes of all splits and
the files that the system names, reports what is missing or wrong with them, and
trains nothing.

A split without annotations, or with annotated notes that stand in train as well, is
an error: no score would mean anything.`,
		Example: `  lethe train experiments/configs/demo.yaml --out demo
  lethe train meddocan.yaml --set seed=2 --set system.ann.training.epochs=30
  lethe train meddocan.yaml --out runs/meddocan --resume
  lethe train experiments/configs/meddocan/best.yaml --dry-run`,
		Args: wants("CONFIG.yaml"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if opt.Resume && opt.Dir == "" {
				return usageError(cmd, errors.New("--resume requires the run folder: --out DIR"))
			}
			if !cmd.Flags().Changed("workers") {
				opt.Workers = 0 // to resume takes as many as before
			}
			config, err := experiments.Load(args[0], settings)
			if err != nil {
				return err
			}
			if dryRun {
				return check(config)
			}
			p := newProgress()
			defer p.clear()
			if opt.Dir == "" {
				opt.Dir = filepath.Join("runs", config.Name+"-"+time.Now().Format("20060102-150405"))
				p.line("run folder: %s", opt.Dir)
			}
			opt.Corpus = func(facts []experiments.Facts) {
				for _, f := range facts {
					p.line("%s", f)
				}
			}
			epochs := 0
			opt.Progress, opt.Failed, opt.Version = p.show, p.failed, version
			opt.Epoch = func(e taggers.Epoch) {
				epochs++
				p.line("%s", epochLine(e))
			}
			scores, err := experiments.Train(cmd.Context(), config, opt)
			p.clear()
			if errors.Is(err, context.Canceled) && epochs > 0 {
				return fmt.Errorf("interrupted; the same command with --out %s --resume goes on", opt.Dir)
			}
			if scores == nil {
				return err
			}
			return errors.Join(scores.WriteText(os.Stdout), err)
		},
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&settings, "set", nil, "put `path=value` over the config, e.g. seed=2; repeatable (default none)")
	flags.StringVar(&opt.Dir, "out", "", "run folder `DIR`, new or empty (default runs/NAME-TIME)")
	flags.BoolVar(&opt.Resume, "resume", false, "go on with the interrupted run in --out (default no)")
	flags.BoolVar(&dryRun, "dry-run", false, "draw the system, read its notes and files, and end (default no)")
	workersFlag(cmd, &opt.Workers)
	flags.Lookup("workers").Usage += ", which the last bits of the weights depend on; as many as before with --resume"
	return cmd
}

// check prints what would be trained, and on what, and reads it.
func check(config *experiments.Config) error {
	if _, err := fmt.Print(config.Outline()); err != nil {
		return err
	}
	p := newProgress()
	facts, err := config.Check(p.show)
	p.clear()
	if len(facts) > 0 {
		fmt.Println()
	}
	for _, f := range facts {
		fmt.Println(f)
	}
	return err
}

// epochLine is an epoch as people read it. Times are in seconds; tokens/s is
// that of the training steps alone. A learner that looks at dev only when it is
// done has iterations.
func epochLine(e taggers.Epoch) string {
	name := ""
	if e.Member != "" {
		name = e.Member + "  "
	}
	if e.Tokens == 0 {
		return fmt.Sprintf("%siteration %3d  loss %12.4f  %6.1f s", name, e.Epoch, e.Loss, e.Total.Seconds())
	}
	dev := "not scored"
	if e.Scored {
		dev = fmt.Sprintf("P %.4f R %.4f F1 %.4f", e.Dev.Precision(), e.Dev.Recall(), e.Dev.F1())
	}
	line := fmt.Sprintf("%sepoch %3d  loss %8.4f  dev %s  %6.0f tokens/s  %6.1f s", name, e.Epoch, e.Loss, dev,
		float64(e.Tokens)/max(e.Train.Seconds(), 1e-9), e.Total.Seconds())
	if e.Best {
		line += "  best"
	}
	if e.Resumed {
		line += "  (before)"
	}
	return line
}

// maxWorkers is more than can be of use: the same bits as on a larger computer may be wanted, but each
// worker takes some megabytes.
var maxWorkers = max(32, 4*runtime.NumCPU())

func workersFlag(cmd *cobra.Command, workers *int) {
	cmd.Flags().IntVar(workers, "workers", runtime.NumCPU(), "`N` cores to use")
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error {
		switch {
		case *workers < 1:
			return usageError(cmd, fmt.Errorf("--workers %d is not positive", *workers))
		case *workers > maxWorkers:
			return usageError(cmd, fmt.Errorf("--workers %d is more than %d: one for each core is enough", *workers, maxWorkers))
		}
		return nil
	}
}
