package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lethe-deid/lethe/experiments"
	"github.com/lethe-deid/lethe/experiments/report"
	"github.com/lethe-deid/lethe/experiments/studies"
	"github.com/lethe-deid/lethe/internal/paths"
)

type reportOptions struct {
	split, output string
	plots         []string
	settings      []string
	showText      bool
}

func newReport() *cobra.Command {
	var opt reportOptions
	cmd := &cobra.Command{
		Use:   "report RUN [RUN...]",
		Short: "Write a report on one or more runs as a single HTML page",
		Long: `Write a report on a run as a single HTML file: its scores and their meaning, by type
and category; the PHI that would stay in the text; how reliable the system's
probabilities are; which errors it makes; and its training, configuration and machine.
For several runs, the report compares the others with the first, and tests whether
the differences are more than chance. Of runs that differ in their seed only, it gives
mean and standard deviation. The folder of a study stands for its runs. Charts show F1
by category, with one bar per run.

The file loads nothing from the network, and can be printed. It contains counts and no
text, unless you ask for examples of errors with --show-text. If the notes are real,
these are PHI.`,
		Example: `  lethe report runs/meddocan
  lethe report runs/meddocan runs/no-crf --split dev --output compared.html
  lethe report runs/meddocan --plots pdf,png`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usageError(cmd, errors.New("RUN must be given"))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, format := range opt.plots {
				if !slices.Contains([]string{"svg", "png", "pdf"}, format) {
					return usageError(cmd, fmt.Errorf("--plots %s is not svg, png or pdf", format))
				}
			}
			return opt.run(cmd, args)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&opt.split, "split", "", "`SPLIT` of the runs' corpus (default test if there are predictions for it, otherwise dev)")
	relocateFlag(cmd, &opt.settings)
	flags.StringVar(&opt.output, "output", "", "new `FILE` to write; - is stdout (default report.html in the first run's folder, which is overwritten)")
	flags.StringSliceVar(&opt.plots, "plots", nil, "also write the charts, in this `FORMAT`: svg, png or pdf; repeatable. They are in plots in the first run's folder, or with --output FILE.html in FILE-plots, and replace those that are there (default none)")
	flags.BoolVar(&opt.showText, "show-text", false, "quote errors with the text around them (default no)")
	return cmd
}

func (o *reportOptions) run(cmd *cobra.Command, dirs []string) error {
	var folders []string
	for _, dir := range dirs {
		runs := studies.RunFolders(dir)
		if runs == nil {
			runs = []string{filepath.Clean(dir)}
		}
		for _, run := range runs {
			if slices.Contains(folders, run) {
				return usageError(cmd, fmt.Errorf("%s is given twice", run))
			}
			folders = append(folders, run)
		}
	}
	runs, err := openRuns(folders, o.settings, o.split)
	if err != nil {
		return err
	}
	output, plots := o.output, filepath.Join(dirs[0], "plots")
	switch output {
	case "":
		output = filepath.Join(dirs[0], "report.html")
	case stdio:
	default:
		plots = strings.TrimSuffix(output, filepath.Ext(output)) + "-plots"
		if strings.EqualFold(filepath.Ext(output), ".pdf") {
			return fmt.Errorf("--output %s: the report is HTML, and only its charts can be PDF: see --plots", output)
		}
		if err := paths.MustBeNew(output); err != nil {
			return err
		}
	}
	p := newProgress()
	defer p.clear()
	r, err := report.New(cmd.Context(), runs, report.Options{
		Split: o.split, ShowText: o.showText, Version: experiments.Version(version), Warn: p.failed, Progress: p.show,
	})
	if err != nil {
		return err
	}
	if output == stdio {
		_, err = os.Stdout.Write(r.HTML())
	} else if err = r.Save(output); err == nil {
		p.line("%s", output)
	}
	for _, format := range o.plots {
		if err != nil {
			break
		}
		var paths []string
		paths, err = r.SavePlots(plots, format)
		for _, path := range paths {
			p.line("%s", path)
		}
	}
	return err
}
