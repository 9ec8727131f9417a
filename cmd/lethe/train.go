package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/lethe-deid/lethe/data/check"
	"github.com/lethe-deid/lethe/experiments"
	"github.com/lethe-deid/lethe/experiments/studies"
	"github.com/lethe-deid/lethe/taggers"
)

func newTrain() *cobra.Command {
	var (
		settings []string
		dry      bool
		opt      experiments.TrainOptions
	)
	cmd := &cobra.Command{
		Use:   "train CONFIG.yaml",
		Short: "Train the system of an experiment, and score it on dev",
		Long: `Train the system that an experiment describes on its split train, or on several splits
(corpus.merge), keep the epoch with the best scores on dev, and print these scores.
Everything is written to a run folder: config.yaml, run.json, log.jsonl, model/best,
model/last, predictions, evaluation. A system that does not use dev for its training,
such as a CRF, does not require it.

A system can be a tree: an ensemble, a second pass or corrections with other taggers
below. Each tagger is trained separately. --dry-run prints the tree, reads the notes of
all splits and the files that the system names, reports what is missing or wrong with
them, counts notes, annotations and tokens, and trains nothing.

If the experiment lists several seeds, each is trained in a run folder of its own below
--out, and the table contains the mean and the standard deviation of their scores.

It is an error if a split has no annotations, or shares annotated notes with train,
because its scores would mean nothing.`,
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
				opt.Workers = 0 // all cores or, with --resume, as many as before
			}
			config, err := experiments.Load(args[0], settings)
			if err != nil {
				return err
			}
			if dry {
				return dryRun(config)
			}
			if len(config.Seeds) > 0 {
				return trainSeeds(cmd.Context(), args[0], config, opt)
			}
			return runTraining(cmd.Context(), config, opt)
		},
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&settings, "set", nil, "override a setting of the config with `path=value`, as in seed=2; repeatable (default none)")
	flags.BoolVar(&dry, "dry-run", false, "print the system, check its notes and files, and train nothing (default no)")
	runFlags(cmd, &opt)
	return cmd
}

// trainSeeds trains an experiment with each of its seeds, as a study of this experiment alone.
func trainSeeds(ctx context.Context, path string, config *experiments.Config, opt experiments.TrainOptions) error {
	f := studyFlags{opt: studies.Options{Dir: opt.Dir, Resume: opt.Resume, Workers: opt.Workers}}
	names := config.Corpus.SplitNames()
	if !slices.Contains(names, experiments.DevSplit) {
		f.opt.Split = experiments.TestSplit
		if !slices.Contains(names, experiments.TestSplit) {
			return errors.New("seeds: the corpus has neither dev nor test, so the seeds cannot be compared: train each with --set seeds=null --set seed=N")
		}
	}
	return carryOut(&f, ctx, "seeds", []*experiments.Config{config}, func(ctx context.Context, c []*experiments.Config, opt studies.Options) (*studies.Comparison, error) {
		return studies.Compare(ctx, studies.NewSystems([]string{path}, c, nil), opt)
	})
}

// runFlags adds the flags of commands that train a run.
func runFlags(cmd *cobra.Command, opt *experiments.TrainOptions) {
	flags := cmd.Flags()
	flags.StringVar(&opt.Dir, "out", "", "run folder `DIR`, new or empty (default runs/NAME-TIME)")
	flags.BoolVar(&opt.Resume, "resume", false, "resume the interrupted run in --out (default no)")
	workersFlag(cmd, &opt.Workers)
	flags.Lookup("workers").Usage += ", which affects the last bits of the weights; with --resume, the default is that of the interrupted run"
}

// newFolder returns the default folder of a run or a study, runs/NAME-TIME, or with -2 and so on behind it if there is such a folder.
func newFolder(name string) string {
	first := filepath.Join("runs", name+"-"+time.Now().Format("20060102-150405"))
	dir := first
	for n := 2; exists(dir); n++ {
		dir = fmt.Sprintf("%s-%d", first, n)
	}
	return dir
}

// exists reports whether there is something at a path.
func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// runTraining trains the system of an experiment while it reports the progress, and prints the scores on dev.
func runTraining(ctx context.Context, config *experiments.Config, opt experiments.TrainOptions) error {
	p := newProgress()
	defer p.clear()
	byDefault := opt.Dir == ""
	if byDefault {
		opt.Dir = newFolder(config.Name)
	}
	opt.Corpus = func(found *check.Report) {
		if byDefault {
			p.line("run folder: %s", opt.Dir)
		}
		for _, split := range found.Splits {
			p.line("%s", split)
		}
		for _, warning := range found.Warnings {
			p.line("warning: %s", warning)
		}
		if lines, err := config.Corpus.MapLines(); err == nil { // an error has been reported by now
			for _, line := range lines {
				p.line("%s", line)
			}
		}
	}
	epochs := 0
	opt.Progress, opt.Failed, opt.Version = p.show, p.failed, version
	opt.Epoch = func(e taggers.Epoch) {
		epochs++
		tellEpoch(p, e)
	}
	scores, err := experiments.Train(ctx, config, opt)
	p.clear()
	if errors.Is(err, context.Canceled) && (epochs > 0 || opt.Resume || resumable(opt.Dir)) {
		return fmt.Errorf("interrupted; to resume, give the same command with --out %s --resume", opt.Dir)
	}
	if scores == nil {
		if err == nil {
			p.line("not scored, because there is no split dev: score another with lethe predict %s --split SPLIT", opt.Dir)
		}
		return err
	}
	return errors.Join(scores.WriteText(os.Stdout), err)
}

// resumable reports whether an interrupted run without a complete epoch can be resumed, because it has its silver notes.
func resumable(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, experiments.SilverFile))
	return err == nil
}

// dryRun prints the system that would be trained and the report about its corpus. It returns an error if notes or files
// are missing or wrong.
func dryRun(config *experiments.Config) error {
	if _, err := fmt.Print(config.Outline()); err != nil {
		return err
	}
	p := newProgress()
	report, err := config.Check(p.show)
	p.clear()
	if report == nil {
		return err
	}
	fmt.Println()
	lines, wrong := config.Corpus.MapLines()
	for _, line := range lines {
		fmt.Println(line)
	}
	return errors.Join(report.WriteText(os.Stdout), report.Err(), cmp.Or(err, wrong))
}

// tellEpoch prints an epoch, and its warning if it is not one of an earlier run.
func tellEpoch(p *progress, e taggers.Epoch) {
	p.line("%s", epochLine(e))
	if e.Warning != "" && !e.Resumed {
		p.line("warning: %s", e.Warning)
	}
}

// epochLine formats an epoch for people, with times in seconds. The tokens per second are those of the training steps
// alone. A learner without epochs, which is scored on dev only at the end, has iterations.
func epochLine(e taggers.Epoch) string {
	name := ""
	if e.Member != "" {
		name = e.Member + "  "
	}
	if e.Tokens == 0 {
		line := fmt.Sprintf("%siteration %3d  loss %12.4f  %6.1f s", name, e.Epoch, e.Loss, e.Total.Seconds())
		switch {
		case e.NonZero > 0:
			line += fmt.Sprintf("  %d of %d weights", e.NonZero, e.Parameters)
		case e.Epoch == 1 && e.Parameters > 0:
			line += fmt.Sprintf("  %d weights", e.Parameters)
		}
		return line
	}
	dev := "not scored"
	if e.Scored {
		dev = fmt.Sprintf("P %.4f R %.4f F1 %.4f", e.Dev.Precision(), e.Dev.Recall(), e.Dev.F1())
		if e.Metric != "" {
			dev += fmt.Sprintf(" %s %.4f", e.Metric, e.Score)
		}
	}
	line := fmt.Sprintf("%sepoch %3d  loss %8.4f  dev %s  %6.0f tokens/s  %6.1f s", name, e.Epoch, e.Loss, dev,
		float64(e.Tokens)/max(e.Train.Seconds(), 1e-9), e.Total.Seconds())
	if e.Epoch == 1 && e.Parameters > 0 {
		line += fmt.Sprintf("  %d parameters", e.Parameters)
	}
	if e.Rate > 0 {
		line += fmt.Sprintf("  rate %.3g", e.Rate)
	}
	if e.Best {
		line += "  best"
	}
	if e.Resumed {
		line += "  (before)"
	}
	return line
}

// maxWorkers is the maximum of --workers, because each worker takes some megabytes. It is larger than the number of
// cores, so that the results of a larger computer can be reproduced to the bit.
var maxWorkers = max(32, 4*runtime.NumCPU())

func workersFlag(cmd *cobra.Command, workers *int) {
	cmd.Flags().IntVar(workers, "workers", runtime.NumCPU(), "use `N` cores")
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
