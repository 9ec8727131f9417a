package main

import (
	"github.com/spf13/cobra"

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
		Long: `Test the best model of each run on --split of the corpus of each (Zuccon et al.
2014, Table 6), and on those of other experiments, which need not be trained. Where
the type sets differ, --map says what types become, of the gold standard as well as
of what a model finds; types that it leaves out are listed with their numbers.

A map is one of Lethe's own, such as i2b2-2006, mimic, meddocan, i2b2-2014, anonym
or category, or a YAML file:

  to: i2b2-2006      # type set of what comes out (default any)
  types:
    CITY: LOCATION   # so a LOCATION stays one
    USERNAME: ""     # left out

A strict score wants the same boundaries. Where one corpus marks "Springfield, IL"
as one place and another as two, token scores compare better.`,
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
			var err error
			if typeMap != "" {
				if opt.Map, err = experiments.LoadTypeMap(typeMap); err != nil {
					return err
				}
			}
			var runs []*experiments.Run
			for _, dir := range args {
				r, err := experiments.OpenRun(dir)
				if err != nil {
					return err
				}
				runs = append(runs, r)
			}
			for _, path := range on {
				c, err := experiments.Load(path, nil)
				if err != nil {
					return err
				}
				opt.On = append(opt.On, c)
			}
			if opt.Dir != "" {
				if err := paths.MustBeNew(opt.Dir); err != nil {
					return err
				}
			}
			p := newProgress()
			opt.Progress = p.show
			crossing, err := studies.Cross(cmd.Context(), runs, opt)
			p.clear()
			if err != nil {
				return err
			}
			return printReport(crossing, asJSON)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&typeMap, "map", "", "`MAP` of types, by name or as a file (default none: all must have one type set)")
	flags.StringArrayVar(&on, "on", nil, "test on the corpus of this `CONFIG.yaml`, too; repeatable (default none)")
	flags.StringVar(&opt.Split, "split", experiments.TestSplit, "`SPLIT` of each corpus")
	flags.StringArrayVar(&opt.Metrics, "metric", nil, metricHelp)
	flags.StringVar(&opt.Dir, "out", "", "`DIR`, new or empty, to keep the tables in as text, Markdown and JSON (default nowhere)")
	flags.BoolVar(&asJSON, "json", false, "print JSON (default tables)")
	workersFlag(cmd, &opt.Workers)
	return cmd
}
