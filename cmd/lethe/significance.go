package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/evaluation/metrics"
	"github.com/lethe-deid/lethe/evaluation/significance"
	"github.com/lethe-deid/lethe/experiments"
	"github.com/lethe-deid/lethe/experiments/studies"
	"github.com/lethe-deid/lethe/internal/paths"
)

type significanceOptions struct {
	systemsOptions
	split   string // of runs
	set     []string
	metrics []string
	by      string
	test    significance.Options
	out     string
	json    bool
}

func newSignificance() *cobra.Command {
	var opt significanceOptions
	cmd := &cobra.Command{
		Use:   "significance RUN_A RUN_B | --gold DIR --a DIR --b DIR",
		Short: "Test whether the difference between two systems is significant",
		Long: `Test whether two systems differ by more than chance on the same notes. The systems are
two runs with predictions for the same split (see lethe predict), or any two folders.

The output is precision, recall and F1 of both, the difference with its 95 % bootstrap
interval, and the two-sided p-value by approximate randomization. This is the share of
shuffles with a difference at least as large; a shuffle swaps the two results of each
note with probability 1/2.

The p-value of a row is for that row alone. If you look at several rows, read the
column Holm, which is corrected for the number of rows.

Metrics: ` + metrics.Overview() + `.
An incomplete name, such as i2b2/, prints a list of the names that start with it.`,
		Example: `  lethe significance runs/full runs/no-crf --split dev
  lethe significance runs/full runs/no-crf --metric strict --metric conll --by patient --json
  lethe significance --gold test/xml --a found-a --b found-b --format i2b2
  lethe significance --gold brat --a found-a --b found-b --format brat --by patient --patients '<patient>_*'`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 && given(cmd.Flags(), opt.flagNames()) != "" {
				return nil
			}
			return wants("RUN_A", "RUN_B")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := opt.check(cmd.Flags(), len(args) > 0); err != nil {
				return usageError(cmd, err)
			}
			if opt.out != "" {
				if err := paths.MustBeNew(opt.out); err != nil {
					return err
				}
			}
			var (
				report *significance.Report
				err    error
			)
			if len(args) > 0 {
				report, err = opt.ofRuns(cmd.Context(), args[0], args[1])
			} else {
				report, err = opt.ofFiles(cmd.Context())
			}
			if err != nil {
				return err
			}
			if opt.out != "" {
				if err := studies.WriteSignificance(opt.out, report); err != nil {
					return err
				}
			}
			return printReport(report, opt.json)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&opt.split, "split", "", "`SPLIT` of the runs' corpus (default test if both have predictions for it, otherwise dev)")
	relocateFlag(cmd, &opt.set)
	opt.add(flags, "", "")
	flags.StringArrayVar(&opt.metrics, "metric", nil, "`NAME` of a metric; repeatable "+metricDefault)
	flags.IntVar(&opt.test.Shuffles, "shuffles", 9999, "maximum number `N` of shuffles; if there are no more than N possible shuffles, each is used once, and p is exact")
	flags.StringVar(&opt.by, "by", data.ByDocument, "`UNIT` of shuffling and of the bootstrap: document or patient")
	flags.StringVar(&opt.reading.patient, "patients", "", patientsHelp)
	flags.StringVar(&opt.out, "out", "", "`DIR`, new or empty, to write the table to as text, Markdown, JSON, CSV and LaTeX (default none)")
	flags.Uint64Var(&opt.test.Seed, "seed", 1, "seed `N` of the random numbers")
	flags.BoolVar(&opt.json, "json", false, "print JSON (default a table)")
	workersFlag(cmd, &opt.test.Workers)
	return cmd
}

func (o *significanceOptions) check(flags *pflag.FlagSet, runs bool) error {
	switch misplaced := given(flags, o.flagNames()); {
	case runs && misplaced != "":
		return fmt.Errorf("--%s cannot be combined with runs, which have their own configuration", misplaced)
	case !runs && o.split != "":
		return errors.New("--split requires runs, and cannot be combined with --gold, --a and --b")
	case !runs && len(o.set) > 0:
		return errors.New("--set requires runs")
	case !runs && (o.gold == "" || o.a == "" || o.b == ""):
		return errors.New("--gold, --a and --b must be given")
	case o.reading.patient != "" && (runs || o.by != data.ByPatient):
		return errors.New("--patients requires --by patient and --gold; a run has corpus.patient")
	case o.test.Shuffles < 1:
		return fmt.Errorf("--shuffles %d is not positive", o.test.Shuffles)
	}
	var err error
	o.test.ByPatient, err = byPatient(o.by)
	return err
}

func (o *significanceOptions) ofRuns(ctx context.Context, dirA, dirB string) (*significance.Report, error) {
	runs, err := openRuns([]string{dirA, dirB}, o.set, o.split)
	if err != nil {
		return nil, err
	}
	a, b := runs[0], runs[1]
	split := o.split
	if split == "" {
		if split, err = predictedSplit(a, b); err != nil {
			return nil, err
		}
	}
	p := newProgress()
	defer p.clear()
	return experiments.Significance(ctx, a, b, split, o.metrics, o.test, p.show)
}

func (o *significanceOptions) ofFiles(ctx context.Context) (*significance.Report, error) {
	types, err := typeSet(o.types, o.format)
	if err != nil {
		return nil, err
	}
	sources, err := o.sources(types, o.gold, o.a, o.b)
	if err != nil {
		return nil, err
	}
	gold, a, b := sources[0], sources[1], sources[2]
	named := types
	if slices.ContainsFunc(o.metrics, metrics.OverTypes) {
		docs, err := data.Collect(gold.again())
		if err != nil {
			return nil, err
		}
		named = types.WithTypes(docs)
	}
	chosen, err := metrics.LookupAll(o.metrics, named)
	if err != nil {
		return nil, err
	}
	return significance.Compare(ctx,
		significance.System{Name: o.a, Gold: gold.gold(), Found: a.marked()},
		significance.System{Name: o.b, Gold: gold.again(), Found: b.marked()}, chosen, o.test)
}

// predictedSplit returns the split that both runs have predictions for: test, or otherwise dev.
func predictedSplit(a, b *experiments.Run) (string, error) {
	ofA, err := a.PredictedSplit()
	if err != nil {
		return "", err
	}
	ofB, err := b.PredictedSplit()
	if err != nil {
		return "", err
	}
	if ofA != ofB { // test and dev; a run with a split dev has predictions for it from its training
		return experiments.DevSplit, nil
	}
	return ofA, nil
}
