package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lethe-deid/lethe/experiments"
	"github.com/lethe-deid/lethe/experiments/studies"
)

func newSearch() *cobra.Command {
	var (
		f      studyFlags
		space  []string
		method string
		search studies.SearchOptions
	)
	cmd := &cobra.Command{
		Use:   "search CONFIG.yaml --space FILE|KEY=VALUES",
		Short: "Search for better settings of a system",
		Long: `Train an experiment with many different settings, and print which of them have the best
scores on dev. No other split is used. --space names the keys and their possible values,
in a file or one by one:

  system.ann.optimizer.learning_rate: {log_uniform: [0.001, 0.1]}
  system.ann.network.dropout: {uniform: [0.2, 0.7]}
  system.ann.network.token_lstm: {integer: [50, 300]}    # or log_integer
  system.ann.network.crf: [true, false]                  # a choice

Values are drawn at random or, with --method grid, all combinations are tried; then a
range requires the number of its values, as in {uniform: [0.2, 0.7], steps: 6}.

Trials of a network are first trained for a few epochs (--first). Of the trials that have
reached this number, the best third (--factor 3) is trained three times as long, and so
on (asynchronous successive halving, Li et al. 2020). The first trial is the experiment
as it is; it is always trained to its end, and so is the best trial.

The study folder contains a run folder for each trial, the table of trials, a chart for
each key, and best.yaml, the experiment with the best settings. An interrupted search
continues with --resume and makes the same decisions.`,
		Example: `  lethe search ann.yaml --space space.yaml --runs 40 --out search
  lethe search ann.yaml --space space.yaml --time 8h --out search
  lethe search ann.yaml --space 'system.ann.network.dropout={uniform: [0.2, 0.7]}' \
      --space 'system.ann.training.batch=[1, 8, 32]' --out search --resume
  lethe compare ann.yaml search/best.yaml --seeds 1,2,3 --split test`,
		Args: wants("CONFIG.yaml"),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(space) == 0:
				return usageError(cmd, errors.New("--space must be given"))
			case method != "random" && method != "grid":
				return usageError(cmd, fmt.Errorf("--method %s is not random or grid", method))
			case search.Runs < 0 || cmd.Flags().Changed("runs") && search.Runs < 1:
				return usageError(cmd, fmt.Errorf("--runs %d is not positive", search.Runs))
			case search.Time < 0 || cmd.Flags().Changed("time") && search.Time == 0:
				return usageError(cmd, fmt.Errorf("--time %v is not positive", search.Time))
			case search.Factor < 1:
				return usageError(cmd, fmt.Errorf("--factor %d is not positive", search.Factor))
			case method == "grid" && cmd.Flags().Changed("search-seed"):
				return usageError(cmd, errors.New("--search-seed is for --method random: a grid tries all combinations"))
			case search.Factor == 1 && cmd.Flags().Changed("first"):
				return usageError(cmd, errors.New("--first cannot be combined with --factor 1, which trains all trials to their end"))
			case search.First < 0 || cmd.Flags().Changed("first") && search.First < 1:
				return usageError(cmd, fmt.Errorf("--first %d is not positive", search.First))
			}
			search.Grid = method == "grid"
			for _, s := range space {
				read := studies.LoadSpace
				if strings.Contains(s, "=") {
					read = studies.ParseDimension
				}
				dimensions, err := read(s)
				if err != nil {
					return err
				}
				search.Space = append(search.Space, dimensions...)
			}
			return runStudy(&f, cmd, "search", args, ofOne(func(ctx context.Context, c *experiments.Config, opt studies.Options) (*studies.SearchResult, error) {
				return studies.Search(ctx, c, search, opt)
			}))
		},
	}
	f.add(cmd, "search")
	flags := cmd.Flags()
	flags.StringArrayVar(&space, "space", nil, "`FILE` of keys and values, or one key in the form KEY=VALUES; repeatable (required)")
	flags.StringVar(&method, "method", "random", "`METHOD`: random or grid")
	flags.IntVar(&search.Runs, "runs", 0, "maximum `NUMBER` of trials (default 30; for a grid all)")
	flags.DurationVar(&search.Time, "time", 0, "stop when all trainings together have taken this `TIME`, as in 30m or 8h (default no limit)")
	flags.Uint64Var(&search.Seed, "search-seed", 1, "seed `N` of the random values")
	flags.IntVar(&search.Factor, "factor", 3, "train the best 1/`N` of the trials further; 1: train all to their end")
	flags.IntVar(&search.First, "first", 0, "compare the trials first after this `NUMBER` of epochs (default a ninth of all)")
	return cmd
}
