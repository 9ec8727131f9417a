package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/evaluation"
	"github.com/lethe-deid/lethe/evaluation/analysis"
	"github.com/lethe-deid/lethe/experiments"
)

type errorsOptions struct {
	systemsOptions
	train          string // files
	split          string // of runs
	settings       []string
	json, showText bool
}

func newErrors() *cobra.Command {
	var opt errorsOptions
	cmd := &cobra.Command{
		Use:   "errors RUN [RUN_B] | --gold DIR --a DIR [--b DIR]",
		Short: "Show which errors a system makes, or what only one of two systems finds",
		Long: `Show which errors a run made on a split:

  - by type, the spans that it missed, made up, cut wrongly or gave another type
  - likely causes of missed tokens: not in the training notes, mostly not PHI there,
    an abbreviation
  - precision and recall if only spans with a high score are kept

For two runs, show what only one of them finds, and what both miss.

--gold, --a and --b do the same for files of any system. Only files of the formats
jsonl and labelstudio contain scores.

The output is counts. With --show-text, it also quotes errors of each kind with the
text around them. If the notes are real, this is PHI.`,
		Example: `  lethe errors runs/meddocan
  lethe errors runs/meddocan runs/other --split dev --json
  lethe errors --gold test/xml --a found --train train/xml --format i2b2`,
		Args: wants("[RUN]", "[RUN_B]"),
		RunE: func(cmd *cobra.Command, args []string) error {
			misplaced := given(cmd.Flags(), append([]string{"train"}, opt.flagNames()...))
			switch files := misplaced != ""; {
			case files && len(args) > 0:
				return usageError(cmd, fmt.Errorf("--%s cannot be combined with a RUN, which has its own configuration", misplaced))
			case files && (opt.gold == "" || opt.a == ""):
				return usageError(cmd, errors.New("--gold and --a must be given"))
			case files && opt.split != "":
				return usageError(cmd, errors.New("--split requires a RUN"))
			case files && len(opt.settings) > 0:
				return usageError(cmd, errors.New("--set requires a RUN"))
			case files:
				return opt.ofFiles()
			case len(args) == 0:
				return usageError(cmd, errors.New("RUN must be given, or --gold and --a"))
			}
			return opt.ofRuns(cmd.Context(), args)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&opt.split, "split", "", "`SPLIT` of the runs' corpus (default test if there are predictions for it, otherwise dev)")
	relocateFlag(cmd, &opt.settings)
	opt.add(flags, " (default none)", " and --train")
	flags.StringVar(&opt.train, "train", "", "`PATH`, a file or folder, of the notes that the systems were trained on (default none: causes are not shown)")
	flags.BoolVar(&opt.json, "json", false, "print JSON, with --show-text including all errors (default tables, with --show-text including five errors of each kind and type)")
	flags.BoolVar(&opt.showText, "show-text", false, "quote errors with the text around them (default no)")
	return cmd
}

// findings is the JSON output.
type findings struct {
	A      string           `json:"a"`
	Split  string           `json:"split,omitempty"`
	Errors *analysis.Report `json:"errors,omitempty"`
	Curve  *analysis.Curve  `json:"curve,omitempty"` // missing when the spans have no scores

	B          string               `json:"b,omitempty"`
	Comparison *analysis.Comparison `json:"comparison,omitempty"`
}

func (o *errorsOptions) ofRuns(ctx context.Context, dirs []string) error {
	run, err := openRun(dirs[0], o.settings, o.split)
	if err != nil {
		return err
	}
	f := findings{A: dirs[0], Split: o.split}
	if f.Split == "" {
		if f.Split, err = run.PredictedSplit(); err != nil {
			return err
		}
	}
	var gold []*data.Document
	var other *experiments.Run
	if len(dirs) == 1 {
		gold, err = run.Gold(f.Split, nil)
	} else if other, err = openRun(dirs[1], o.settings, o.split); err == nil {
		gold, err = experiments.SharedGold(ctx, run, other, f.Split, nil)
	}
	if err != nil {
		return err
	}
	found, scored, err := run.Found(f.Split)
	if err != nil {
		return err
	}
	train, err := run.Gold(experiments.TrainSplit, nil)
	if err != nil {
		complain(fmt.Errorf("causes of missed tokens are unknown, because the training notes cannot be read: %w", err))
	}
	if other == nil {
		return o.one(f, gold, found, train, scored)
	}
	foundB, _, err := other.Found(f.Split)
	if err != nil {
		return err
	}
	f.B = dirs[1]
	return o.two(f, gold, found, foundB, train)
}

func (o *errorsOptions) ofFiles() error {
	types, err := typeSet(o.types, o.format)
	if err != nil {
		return err
	}
	sources, err := o.sources(types, o.gold, o.a, o.b)
	if err != nil {
		return err
	}
	train := sources[0]
	train.path = o.train
	var docs [4][]*data.Document
	for i, s := range append(sources, train) {
		if s.path == "" {
			continue
		}
		notes := s.marked()
		if i == 0 {
			notes = s.gold()
		}
		if docs[i], err = data.Collect(notes); err != nil {
			return err
		}
	}
	if o.b == "" {
		return o.one(findings{A: o.a}, docs[0], docs[1], docs[3], slices.Contains([]string{"jsonl", "labelstudio"}, o.formatOfSystems())) // the formats with scores
	}
	return o.two(findings{A: o.a, B: o.b}, docs[0], docs[1], docs[2], docs[3])
}

func (o *errorsOptions) options(train []*data.Document) analysis.Options {
	opt := analysis.Options{}
	if train != nil {
		opt.Training = analysis.NewTraining(train)
	}
	switch {
	case o.showText && o.json:
		opt.Examples = -1
	case o.showText:
		opt.Examples = 5
	}
	return opt
}

// tellUnpredicted warns about notes that the output of a system lacks.
func tellUnpredicted(system string, gold, found []*data.Document) {
	if err := evaluation.Unpredicted(system, gold, found); err != nil {
		complain(err)
	}
}

func (o *errorsOptions) one(f findings, gold, found, train []*data.Document, scored bool) (err error) {
	if f.Errors, err = analysis.Analyze(gold, found, o.options(train)); err != nil {
		return err
	}
	tellUnpredicted(f.A, gold, found)
	if scored {
		if f.Curve, err = analysis.NewCurve(gold, found); err != nil {
			return err
		}
	}
	if o.json {
		return printJSON(f)
	}
	if err := f.Errors.WriteText(os.Stdout); err != nil {
		return err
	}
	if f.Curve != nil {
		if err := f.Curve.WriteText(os.Stdout); err != nil {
			return err
		}
	}
	return analysis.WriteExamples(os.Stdout, f.Errors.Examples)
}

func (o *errorsOptions) two(f findings, gold, a, b, train []*data.Document) (err error) {
	if f.Comparison, err = analysis.Compare(gold, a, b, o.options(train)); err != nil {
		return err
	}
	tellUnpredicted(f.A, gold, a)
	tellUnpredicted(f.B, gold, b)
	if o.json {
		return printJSON(f)
	}
	fmt.Printf("A: %s\nB: %s\n", f.A, f.B)
	if err := f.Comparison.WriteText(os.Stdout); err != nil {
		return err
	}
	return analysis.WriteExamples(os.Stdout, f.Comparison.Examples)
}
