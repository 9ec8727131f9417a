package main

import (
	"github.com/spf13/cobra"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/experiments"
	"github.com/lethe-deid/lethe/experiments/studies"
	"github.com/lethe-deid/lethe/internal/paths"
)

func newCross() *cobra.Command {
	var (
		opt     studies.CrossOptions
		typeMap string
		on      []string
		asJSON  bool
	)
	cmd := &cobra.Command{
		Use:   "cross RUN...",
		Short: "Test models on each other's corpora",
		Long: `Test the best model of each run on the split --split of each run's corpus (Zuccon et
al. 2014, Table 6), and with --on also on the corpora of other experiments, which
need not be trained.

Runs that differ only in their seed are one system, with the mean and the standard
deviation of their scores. Systems of the same name are distinguished by the names of
their files or folders.

A score is marked with * if the model was trained on notes that it is tested on.

If the type sets differ, --map is required. It translates the types of the gold
standard and those that a model finds. Types that it leaves out are listed with
their numbers. A map is one of Lethe's own, such as i2b2-2006, mimic, meddocan,
i2b2-2014, mist, anonym or category, or a YAML file:

  to: i2b2-2006      # type set of the result (default any)
  types:
    CITY: LOCATION   # a LOCATION stays a LOCATION
    USERNAME: ""     # left out

Strict scores require the same boundaries. If one corpus marks "Springfield, IL" as
one place and another as two places, compare token scores.`,
		Example: `  lethe cross runs/i2b2-2014 runs/mimic --map mimic
  lethe cross runs/i2b2-2014 --on i2b2-2006.yaml --map i2b2-2006 --metric hipaa/binary_token
  lethe cross runs/demo runs/meddocan --map category --split dev --out crossed`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return wants("RUN")(cmd, args)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if typeMap != "" {
				m, err := data.OpenTypeMap(typeMap, data.DropOthers)
				if err != nil {
					return err
				}
				opt.Map = m
			}
			runs, err := openRuns(args, nil, "")
			if err != nil {
				return err
			}
			var corpora []*experiments.Config
			for _, path := range on {
				c, err := experiments.Load(path, nil)
				if err != nil {
					return err
				}
				corpora = append(corpora, c)
			}
			if opt.Dir != "" {
				if err := paths.MustBeNew(opt.Dir); err != nil {
					return err
				}
			}
			p := newProgress()
			opt.Progress = p.show
			crossing, err := studies.Cross(cmd.Context(), studies.NewSystems(on, corpora, runs), opt)
			p.clear()
			if err != nil {
				return err
			}
			return printReport(crossing, asJSON)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&typeMap, "map", "", "`MAP` of types, a name or a file (default none: all corpora must have the same type set)")
	flags.StringArrayVar(&on, "on", nil, "test also on the corpus of this `CONFIG.yaml`; repeatable (default none)")
	flags.StringVar(&opt.Split, "split", experiments.TestSplit, "`SPLIT` of each corpus to test on")
	flags.StringArrayVar(&opt.Metrics, "metric", nil, metricHelp)
	flags.StringVar(&opt.Dir, "out", "", "`DIR`, new or empty, to write the tables to as text, Markdown, JSON, CSV and LaTeX (default none)")
	flags.BoolVar(&asJSON, "json", false, "print JSON (default tables)")
	workersFlag(cmd, &opt.Workers)
	return cmd
}
