package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/format"
	"github.com/lethe-deid/lethe/evaluation/metrics"
	"github.com/lethe-deid/lethe/evaluation/significance"
	"github.com/lethe-deid/lethe/experiments"
)

type significanceOptions struct {
	systemsOptions
	split   string // of runs
	metrics []string
	by      string
	test    significance.Options
	json    bool
}

func newSignificance() *cobra.Command {
	var opt significanceOptions
	cmd := &cobra.Command{
		Use:   "significance RUN_A RUN_B | --gold DIR --a DIR --b DIR",
		Short: "Test whether two systems really differ",
		Long: `Test whether two systems differ by more than chance in what they found in the
same notes: two runs, each with its predictions for a split (see lethe predict),
or any two folders. Prints precision, recall and F1 of both, the difference with
its 95 % bootstrap interval, and its two-sided p-value by approximate
randomization: the share of shuffles, in which each note's two results change
places or not, that have a difference at least as large.

The p-value of a row is of that row by itself. Whoever looks at several should
read the column Holm, which is corrected for the number of all rows.

Metrics: ` + metrics.Overview() + `.
An unfinished name, such as i2b2/, has those that begin with it listed.`,
		Example: `  lethe significance runs/full runs/no-crf --split dev
  lethe significance runs/full runs/no-crf --metric strict --metric conll --by patient --json
  lethe significance --gold test/xml --a found-a --b found-b --format i2b2`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 && given(cmd.Flags(), systemsFlags) != "" {
				return nil
			}
			return wants("RUN_A", "RUN_B")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := opt.check(cmd.Flags(), len(args) > 0); err != nil {
				return usageError(cmd, err)
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
			return printReport(report, opt.json)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&opt.split, "split", "", "`SPLIT` of the runs' corpus (default test if both have predicted it, else dev)")
	opt.add(flags, "", "")
	flags.StringArrayVar(&opt.metrics, "metric", nil, "`NAME` of a metric; repeatable "+metricDefault)
	flags.IntVar(&opt.test.Shuffles, "shuffles", 9999, "`N` shuffles at most: where there are no more in all, each is taken once, and p is exact")
	flags.StringVar(&opt.by, "by", data.ByDocument, "what is swapped and drawn as a whole: document or patient")
	flags.Uint64Var(&opt.test.Seed, "seed", 1, "all chance follows from `N`")
	flags.BoolVar(&opt.json, "json", false, "print JSON (default a table)")
	workersFlag(cmd, &opt.test.Workers)
	return cmd
}

func (o *significanceOptions) check(flags *pflag.FlagSet, runs bool) error {
	switch misplaced := given(flags, systemsFlags); {
	case runs && misplaced != "":
		return fmt.Errorf("--%s does not go with runs, whose configuration says where all is", misplaced)
	case !runs && o.split != "":
		return errors.New("--split goes with runs, not with --gold, --a and --b")
	case !runs && (o.gold == "" || o.a == "" || o.b == ""):
		return errors.New("--gold, --a and --b must be given")
	case o.test.Shuffles < 1:
		return fmt.Errorf("--shuffles %d is not positive", o.test.Shuffles)
	}
	var err error
	o.test.ByPatient, err = byPatient(o.by)
	return err
}

func (o *significanceOptions) ofRuns(ctx context.Context, dirA, dirB string) (*significance.Report, error) {
	a, err := openRun(dirA)
	if err != nil {
		return nil, err
	}
	b, err := openRun(dirB)
	if err != nil {
		return nil, err
	}
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
	systemFormat := o.formatOfSystems()
	for _, name := range []string{o.format, systemFormat} {
		if _, err := format.Lookup(name); err != nil {
			return nil, err
		}
	}
	types, err := typeSet(o.types, o.format)
	if err != nil {
		return nil, err
	}
	chosen, err := metrics.LookupAll(o.metrics, types)
	if err != nil {
		return nil, err
	}
	goldAgain := format.Read(o.format, o.gold, types) // what is left out of the folder has been told by then
	return significance.Compare(ctx,
		significance.System{Name: o.a, Gold: readMarked(o.gold, o.format, types), Found: readMarked(o.a, systemFormat, types)},
		significance.System{Name: o.b, Gold: goldAgain, Found: readMarked(o.b, systemFormat, types)}, chosen, o.test)
}

// predictedSplit is the one that both have predicted.
func predictedSplit(a, b *experiments.Run) (string, error) {
	ofA, err := a.PredictedSplit()
	if err != nil {
		return "", err
	}
	ofB, err := b.PredictedSplit()
	if err != nil {
		return "", err
	}
	if ofA != ofB { // test and dev, which a run predicts when it is trained
		return experiments.DevSplit, nil
	}
	return ofA, nil
}

func openRun(dir string) (*experiments.Run, error) {
	r, err := experiments.OpenRun(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: is no run folder (folders of notes are compared by --gold, --a and --b): %w", dir, err)
	}
	return r, err
}
