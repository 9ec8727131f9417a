package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/experiments"
	"github.com/lethe-deid/lethe/experiments/studies"
	"github.com/lethe-deid/lethe/internal/paths"
)

func newCompare() *cobra.Command {
	var (
		f  studyFlags
		by string
	)
	cmd := &cobra.Command{
		Use:   "compare CONFIG.yaml|RUN...",
		Short: "Compare several systems, each with several seeds, in one table",
		Long: `Train each experiment with each seed, score all runs on --split, and compare the systems
with the first one. Existing run folders are compared as they are: they must contain
predictions for the split (see lethe predict), and runs that differ only in their seed
are one system.

The tables contain the mean and the standard deviation over the seeds, the 95 % bootstrap
interval of F1, the difference from the first system with its interval, and p-values by
approximate randomization, in which each note is swapped with all seeds at once. For the
metrics strict and token, and for their averages macro/strict and macro/token, further
tables contain the F1 of each type.

All systems must have the same notes and annotations in the split. Systems of the same
name are distinguished by the names of their files or folders.`,
		Example: `  lethe compare crf.yaml ann.yaml ensemble.yaml --seeds 1,2,3 --out compared
  lethe compare crf.yaml ann.yaml ensemble.yaml --seeds 1,2,3 --out compared --resume --split test
  lethe compare runs/a-1 runs/a-2 runs/b-1 runs/b-2 --split test --out tables`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usageError(cmd, errors.New("CONFIG.yaml or RUN must be given"))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.opt.Shuffles < 1 {
				return usageError(cmd, fmt.Errorf("--shuffles %d is not positive", f.opt.Shuffles))
			}
			var err error
			if f.opt.ByPatient, err = byPatient(by); err != nil {
				return usageError(cmd, err)
			}
			configs, runs, err := systemsOf(cmd, args)
			if err != nil {
				return err
			}
			if len(configs) == 0 {
				return compareRuns(&f, cmd, runs)
			}
			return runStudy(&f, cmd, "compare", configs, func(ctx context.Context, c []*experiments.Config, opt studies.Options) (*studies.Comparison, error) {
				return studies.Compare(ctx, studies.NewSystems(configs, c, runs), opt)
			})
		},
	}
	f.add(cmd, "compare")
	flags := cmd.Flags()
	flags.Lookup("out").Usage = "study folder `DIR`, new or empty (default runs/NAME-compare-TIME; none if only runs are compared)"
	flags.StringVar(&f.opt.Split, "split", experiments.DevSplit, "`SPLIT` to score; the best epoch is always that on dev")
	flags.IntVar(&f.opt.Shuffles, "shuffles", 9999, "maximum `NUMBER` of shuffles per test")
	flags.StringVar(&by, "by", data.ByDocument, "`UNIT` of shuffling and of the bootstrap: document or patient")
	return cmd
}

// systemsOf separates files of experiments from run folders, which must come after them: all are compared with the first.
func systemsOf(cmd *cobra.Command, args []string) (configs []string, runs []*experiments.Run, err error) {
	seen := map[string]bool{}
	for _, arg := range args {
		if seen[filepath.Clean(arg)] {
			return nil, nil, usageError(cmd, fmt.Errorf("%s is given twice", arg))
		}
		seen[filepath.Clean(arg)] = true
		info, err := os.Stat(arg)
		switch {
		case err != nil:
			return nil, nil, err
		case !info.IsDir() && len(runs) > 0:
			return nil, nil, usageError(cmd, fmt.Errorf("give the experiment %s before the run folders: all systems are compared with the first, and those that are trained come first", arg))
		case !info.IsDir():
			configs = append(configs, arg)
			continue
		}
		run, err := openRuns([]string{arg}, nil, "")
		if err != nil {
			return nil, nil, err
		}
		runs = append(runs, run...)
	}
	return configs, runs, nil
}

// compareRuns compares existing runs, without training any.
func compareRuns(f *studyFlags, cmd *cobra.Command, runs []*experiments.Run) error {
	if name := given(cmd.Flags(), []string{"seeds", "set", "resume"}); name != "" {
		return usageError(cmd, fmt.Errorf("--%s requires an experiment to train", name))
	}
	if f.opt.Dir != "" {
		if err := paths.MustBeNew(f.opt.Dir); err != nil {
			return err
		}
	}
	p := newProgress()
	f.opt.Progress, f.opt.Warn = p.show, p.failed
	comparison, err := studies.Compare(cmd.Context(), studies.NewSystems(nil, nil, runs), f.opt)
	p.clear()
	if err != nil {
		return err
	}
	return printReport(comparison, f.json)
}
