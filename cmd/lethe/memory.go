package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/experiments"
	"github.com/lethe-deid/lethe/experiments/memory"
	"github.com/lethe-deid/lethe/models"
	"github.com/lethe-deid/lethe/taggers"
)

type memoryOptions struct {
	memory.Options
	settings []string
	split    string
	canaries int
	workers  int
	json     bool
}

func newMemory() *cobra.Command {
	o := memoryOptions{Options: memory.DefaultOptions()}
	cmd := &cobra.Command{
		Use:   "memory RUN|CONFIG.yaml",
		Short: "Measure what a model gives away about the notes that it was trained on",
		Long: `Measure what somebody who has the files of a model can learn from them about the notes
that it was trained on. docs/privacy.md explains the measures, and what to do about them.

  vocabulary  counts the words of few patients that the files contain as they are, and
              how many of them are PHI
  membership  tries to tell notes, and PHI, of the training from others by the
              confidence of the model (Seyedi et al. 2021)
  canaries    plants invented values in the training notes, trains, and tries to tell
              them from other values of the same form (Carlini et al. 2019)

For a run, the notes are those of its corpus, and there are no canaries. For an
experiment, the command plants the canaries, trains the system in memory and measures
it; neither the model nor a note is written. The output has no text of notes.`,
		Example: `  lethe memory runs/ward
  lethe memory ward.yaml
  lethe memory ward.yaml --set clean=true --json >clean.json`,
		Args: wants("RUN|CONFIG.yaml"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.check(); err != nil {
				return usageError(cmd, err)
			}
			report, err := o.measure(cmd, args[0])
			if err != nil {
				return err
			}
			if o.json {
				return printJSON(report)
			}
			return printMemory(report, o.Patients)
		},
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&o.settings, "set", nil, "override a setting of the experiment, or read a split of the run's corpus elsewhere, with `path=value`; repeatable (default none)")
	flags.StringVar(&o.split, "split", "", "compare with the notes of this split `NAME` (default dev or, without it, test)")
	flags.IntVar(&o.canaries, "canaries", 100, "plant `N` values; only for an experiment; 0: none")
	flags.IntVar(&o.Candidates, "candidates", o.Candidates, "compare each canary with `N` other values")
	flags.IntVar(&o.Patients, "patients", o.Patients, "a word of fewer than `N` patients is rare")
	flags.Uint64Var(&o.Seed, "seed", o.Seed, "seed `N` of the canaries, of the other values and of the intervals")
	flags.BoolVar(&o.json, "json", false, "print JSON (default tables)")
	workersFlag(cmd, &o.workers)
	return cmd
}

func (o *memoryOptions) check() error {
	switch {
	case o.Patients < 2:
		return fmt.Errorf("--patients %d is less than 2", o.Patients)
	case o.Candidates < 1 || o.Candidates > maxCandidates:
		return fmt.Errorf("--candidates %d is not in [1, %d]", o.Candidates, maxCandidates)
	case o.canaries < 0:
		return fmt.Errorf("--canaries %d is negative", o.canaries)
	case o.split == experiments.TrainSplit:
		return errors.New("--split train: choose notes that the model was not trained on")
	}
	return nil
}

const maxCandidates = 1 << 20

// measure measures a run or an experiment.
func (o *memoryOptions) measure(cmd *cobra.Command, name string) (*memory.Report, error) {
	p := newProgress()
	defer p.clear()
	o.Progress = p.show
	if models.IsRun(name) {
		if o.canaries > 0 && cmd.Flags().Changed("canaries") {
			return nil, usageError(cmd, errors.New("--canaries are planted before a training: give the experiment instead of the run"))
		}
		return o.measureRun(cmd.Context(), name)
	}
	switch info, err := os.Stat(name); {
	case err != nil:
		return nil, fmt.Errorf("%s: is neither an experiment nor a run folder: %w", name, err)
	case info.IsDir():
		return nil, fmt.Errorf("%s: is neither an experiment nor a run folder, which says where the training notes are", name)
	}
	return o.measureExperiment(cmd.Context(), p, name)
}

func (o *memoryOptions) measureRun(ctx context.Context, dir string) (*memory.Report, error) {
	run, err := openRun(dir, o.settings, o.split)
	if err != nil {
		return nil, err
	}
	model, err := models.Open(dir, o.workers)
	if err != nil {
		return nil, err
	}
	train, _, err := run.Config.Notes(o.Progress)
	if err != nil {
		return nil, err
	}
	held, err := o.held(run.Config)
	if err != nil {
		return nil, err
	}
	return memory.Measure(ctx, model.Tagger, train, held, o.Options)
}

func (o *memoryOptions) measureExperiment(ctx context.Context, p *progress, path string) (*memory.Report, error) {
	config, err := experiments.Load(path, o.settings)
	if err != nil {
		return nil, err
	}
	if o.canaries > 0 && len(config.System.Columns()) > 0 {
		return nil, errors.New("the system reads columns of the notes, which canaries do not have: give --canaries 0")
	}
	train, dev, err := config.Notes(o.Progress)
	if err != nil {
		return nil, err
	}
	held, err := o.held(config)
	if err != nil {
		return nil, err
	}
	if o.canaries > 0 {
		if train, o.Canaries, err = memory.Plant(train, config.Corpus.TypeSet(), o.canaries, o.Seed); err != nil {
			return nil, err
		}
	}
	model, err := config.Fit(ctx, train, dev, o.workers, taggers.Report{
		Step:  func(epoch, done, total int) { p.show(fmt.Sprintf("epoch %d", epoch), done, total) },
		Epoch: func(e taggers.Epoch) { tellEpoch(p, e) },
	})
	if err != nil {
		return nil, err
	}
	return memory.Measure(ctx, model, train, held, o.Options)
}

// held loads the notes that the model was not trained on.
func (o *memoryOptions) held(config *experiments.Config) ([]*data.Document, error) {
	split := o.split
	if split == "" {
		have := config.Corpus.SplitNames()
		split = experiments.DevSplit
		if !slices.Contains(have, split) {
			split = experiments.TestSplit
		}
		if !slices.Contains(have, split) {
			return nil, errors.New("the corpus has neither dev nor test: --split names the notes that the model was not trained on")
		}
	}
	if err := config.Corpus.CheckSplit(split); err != nil {
		return nil, fmt.Errorf("the corpus has %w", err)
	}
	return config.Corpus.Load(split, o.Progress)
}

func printMemory(r *memory.Report, few int) error {
	var out bytes.Buffer
	fmt.Fprintf(&out, "%d training notes, %d others; strict F1 of the others %.4f\n\n", r.Train, r.Held, r.F1.F1())
	w := tabwriter.NewWriter(&out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "vocabulary\twords\tstored\tof PHI\tstored\t")
	for _, row := range []struct {
		name string
		memory.Words
	}{{"one patient", r.Vocabulary.One}, {fmt.Sprintf("2 to %d patients", few-1), r.Vocabulary.Few}, {"of other notes", r.Vocabulary.Unseen}} {
		if few == 2 && row.name == "2 to 1 patients" {
			continue
		}
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t\n", row.name, row.All, row.Stored, row.PHI, row.StoredPHI)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, p := range r.Parts {
		name := p.Kind
		if p.Name != "" {
			name = p.Name + " (" + p.Kind + ")"
		}
		fmt.Fprintf(&out, "\n%s\n\n", name)
		fmt.Fprintln(w, "membership\ttraining\tothers\tAUC\t95 %\tadvantage\t95 %\tby chance\t")
		for _, t := range []struct {
			name string
			memory.Test
		}{{"notes", p.Notes}, {"PHI", p.Spans}} {
			fmt.Fprintf(w, "%s\t%d\t%d\t%.3f\t%s\t%.3f\t%s\t<%.3f\t\n", t.name, t.Train, t.Held, t.AUC.Value, interval(t.AUC, 3), t.Advantage.Value, interval(t.Advantage, 3), t.Chance)
		}
		if err := w.Flush(); err != nil {
			return err
		}
		if p.Exposure.Canaries == 0 {
			continue
		}
		fmt.Fprintln(&out)
		fmt.Fprintln(w, "canaries\tnumber\tpatients\texposure\t95 %\tfirst\t")
		for _, g := range p.Exposure.Groups {
			fmt.Fprintf(w, "%s\t%d\t%.1f\t%.2f\t%s\t%d\t\n", g.Name, g.Canaries, g.Patients, g.Exposure.Value, interval(g.Exposure, 2), g.First)
		}
		if err := w.Flush(); err != nil {
			return err
		}
		fmt.Fprintf(&out, "exposure in bits: %.2f by chance, at most %.2f\n", p.Exposure.Chance, p.Exposure.Most)
	}
	_, err := os.Stdout.Write(out.Bytes())
	return err
}

// interval formats an interval.
func interval(e memory.Estimate, digits int) string {
	return fmt.Sprintf("%.*f-%.*f", digits, e.Low, digits, e.High)
}
