package main

import (
	"cmp"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"github.com/lethe-deid/lethe/data/format"
	"github.com/lethe-deid/lethe/experiments"
	"github.com/lethe-deid/lethe/taggers/ann"
)

func newBench() *cobra.Command {
	var (
		config  string
		reading readingFlags
		opt     experiments.BenchOptions
		seconds float64
		asJSON  bool
	)
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Measure how fast this machine trains and predicts",
		Long: `Train and predict for a limited time, and print:

  - tokens and notes per second
  - arithmetic operations per second, and the most that the matrix kernel reaches
    on the same number of cores
  - the time from the start of the program to the first note
  - the peak memory

By default, the network is that of Dernoncourt et al. 2016, and the corpus is
generated. Of a --model other than the recurrent network, such as an ensemble, only
the prediction and the peak memory are measured.

The environment variable LETHE_KERNEL forces a kernel: generic, avx2 or avx512.`,
		Example: `  lethe bench
  lethe bench --config experiments/configs/meddocan/ann.yaml --batch 1 --workers 1
  lethe bench --model runs/meddocan --corpus dev/xml --format meddocan --json`,
		Args: wants(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if config != "" && opt.Model != "" {
				return usageError(cmd, errors.New("--config and --model cannot be combined"))
			}
			if !(seconds > 0 && seconds <= 3600) {
				return usageError(cmd, fmt.Errorf("--seconds %v is not in (0, 3600]", seconds))
			}
			if opt.Workers < 1 || opt.Batch < 0 {
				return usageError(cmd, errors.New("--workers must be positive, and --batch not negative"))
			}
			if opt.Workers > maxWorkers || opt.Batch > ann.MaxBatch {
				return usageError(cmd, fmt.Errorf("--workers must be at most %d, and --batch at most %d", maxWorkers, ann.MaxBatch))
			}
			opt.Limit = time.Duration(seconds * float64(time.Second))
			if name := given(cmd.Flags(), append([]string{"format", "types"}, readingNames...)); opt.Corpus == "" && name != "" {
				return usageError(cmd, fmt.Errorf("--%s requires --corpus", name))
			}
			if f, err := format.Lookup(opt.Format); err != nil {
				return err
			} else if opt.Reading, err = reading.options(nil, f); err != nil {
				return usageError(cmd, err)
			}
			opt.Types = cmp.Or(opt.Types, experiments.DefaultTypes(opt.Format), "any")
			if config != "" {
				var err error
				if opt.Config, err = experiments.Load(config, nil); err != nil {
					return err
				}
			}
			b, err := experiments.RunBench(cmd.Context(), opt)
			if err != nil {
				return err
			}
			return printReport(b, asJSON)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&config, "config", "", "`EXPERIMENT` whose network to use, and whose corpus unless --corpus is given (default none)")
	flags.StringVar(&opt.Model, "model", "", "run or model folder `DIR`: train with its settings and predict with its weights (default none)")
	flags.StringVar(&opt.Corpus, "corpus", "", "`PATH`, a file or folder, of annotated notes (default the corpus of --config, or generated notes)")
	flags.StringVar(&opt.Format, "format", "i2b2", "`FORMAT` of --corpus: "+annotatedFormats)
	reading.add(flags)
	flags.StringVar(&opt.Types, "types", "", "type `SET` of --corpus (default that of --format)")
	flags.IntVar(&opt.Batch, "batch", 0, "update the weights after each `N` sentences (default as configured)")
	flags.IntVar(&opt.Workers, "workers", runtime.NumCPU(), "use `N` cores")
	flags.Float64Var(&seconds, "seconds", 10, "train for this number of `SECONDS`, and predict as long")
	flags.BoolVar(&asJSON, "json", false, "print JSON (default a table)")
	return cmd
}
