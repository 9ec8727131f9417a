package main

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/format"
	"github.com/lethe-deid/lethe/evaluation"
	"github.com/lethe-deid/lethe/experiments"
)

type evaluateOptions struct {
	gold, system         string
	format, systemFormat string
	types                string
	hipaa, json          bool
	minF1                float64
}

func newEvaluate() *cobra.Command {
	var opt evaluateOptions
	cmd := &cobra.Command{
		Use:   "evaluate --gold DIR --system DIR",
		Short: "Score what a system found against the gold standard",
		Long: `Score what a system found against the gold standard: spans with and without their
type, tokens with and without it; precision, recall and F1, micro-averaged.
Notes are matched by their ID. A note that cannot be read is an error: a score
over the rest would be that of another corpus.`,
		Example: `  lethe evaluate --gold test/xml --system found --format i2b2
  lethe evaluate --gold gold/brat --format brat --system found.jsonl --system-format jsonl --types meddocan
  lethe evaluate --gold test/xml --system found --hipaa --min-f1 0.95 --json`,
		Args: wants(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if opt.gold == "" || opt.system == "" {
				return usageError(cmd, errors.New("--gold and --system must be given"))
			}
			if !(opt.minF1 >= 0 && opt.minF1 <= 1) {
				return usageError(cmd, fmt.Errorf("--min-f1 %v is not in [0, 1]", opt.minF1))
			}
			return opt.run()
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&opt.gold, "gold", "", "file or folder of the gold standard (needed)")
	flags.StringVar(&opt.system, "system", "", "file or folder of what the system found (needed)")
	flags.StringVar(&opt.format, "format", "i2b2", "`FORMAT` of --gold: i2b2, meddocan, brat, conll or jsonl")
	flags.StringVar(&opt.systemFormat, "system-format", "", "`FORMAT` of --system (default that of --gold)")
	flags.StringVar(&opt.types, "types", "", "type `SET`: i2b2-2014, i2b2-2006, mimic, meddocan, conll or any (default that of --format; any for brat and jsonl)")
	flags.BoolVar(&opt.hipaa, "hipaa", false, "score the types that HIPAA names only (default all)")
	flags.Float64Var(&opt.minF1, "min-f1", 0, "exit with 1 when strict F1 is below `X`, in [0, 1]")
	flags.BoolVar(&opt.json, "json", false, "print JSON (default a table)")
	return cmd
}

func (o *evaluateOptions) run() error {
	types, err := data.LookupTypeSet(cmp.Or(o.types, experiments.DefaultTypes(o.format), "any"))
	if err != nil {
		return fmt.Errorf("--types: %w", err)
	}
	gold, err := o.load(o.gold, o.format, types)
	if err != nil {
		return err
	}
	system, err := o.load(o.system, cmp.Or(o.systemFormat, o.format), types)
	if err != nil {
		return err
	}
	scores, err := evaluation.Compare(gold, system)
	if err != nil {
		return err
	}
	if err := printScores(scores, o.json); err != nil {
		return err
	}
	if f1 := scores.Strict.F1(); f1 < o.minF1 {
		return no(fmt.Sprintf("strict F1 is %.4f, below %v", f1, o.minF1))
	}
	return nil
}

func (o *evaluateOptions) load(path, formatName string, types *data.TypeSet) ([]*data.Document, error) {
	if formatName == "text" {
		return nil, errors.New("format text holds no spans to score")
	}
	docs, err := data.Collect(format.Read(formatName, path, types))
	if err == nil && o.hipaa {
		docs, err = evaluation.HIPAA(docs, types)
	}
	return docs, err
}
