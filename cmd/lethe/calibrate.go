package main

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/experiments"
	"github.com/lethe-deid/lethe/models"
)

func newCalibrate() *cobra.Command {
	var (
		split         string
		settings      []string
		input, format string
		reading       readingFlags
		workers       int
		byDefault     float64
		asJSON        bool
	)
	cmd := &cobra.Command{
		Use:   "calibrate RUN|MODEL",
		Short: "Calibrate a model, so that you can choose its recall",
		Long: `Measure how reliable a model's probabilities are, and how much precision a higher
recall costs. For each of several recalls of PHI tokens, Lethe determines a threshold:
tokens with at least this probability count as PHI, even if they are not on the
model's best path. The printed precision and recall are cross-validated: the notes
are divided into five parts, and each part is scored with the threshold of the others.

The notes are a split of the run's corpus or, with --input, any other notes whose PHI
is marked. The results hold for similar notes only, so a sample of your own notes is
better than any corpus.

The result is written to operating.json in the model's folder, and to the model card.
"lethe deidentify --min-recall 0.995" uses the threshold, and "lethe report" draws the
curve. If the model changes, calibrate it again.`,
		Example: `  lethe calibrate runs/meddocan
  lethe calibrate model/best --input marked --format brat
  lethe deidentify --model runs/meddocan --min-recall 0.995 note.txt`,
		Args: wants("RUN|MODEL"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := cmp.Or(together(cmd, "split", "input"), together(cmd, "set", "input")); err != nil {
				return usageError(cmd, err)
			}
			if name := given(cmd.Flags(), append([]string{"format"}, readingNames...)); input == "" && name != "" {
				return usageError(cmd, fmt.Errorf("--%s requires --input", name))
			}
			model, err := models.Open(args[0], workers)
			if err != nil {
				return err
			}
			p := newProgress()
			defer p.clear()
			var docs []*data.Document
			if input == "" {
				docs, err = calibrationNotes(args[0], split, settings, p)
			} else {
				split = ""
				docs, err = markedNotes(&reading, input, format, model.Types)
			}
			if err != nil {
				return err
			}
			if err := neverTrained(args[0], docs, p); err != nil {
				return err
			}
			if !(byDefault >= 0 && byDefault < 1) {
				return usageError(cmd, fmt.Errorf("--default %v is not a probability below 1", byDefault))
			}
			curve, err := model.Calibrate(cmd.Context(), docs, split, byDefault)
			if err != nil {
				return err
			}
			p.clear()
			if warning := curve.Warning(); warning != "" {
				complain(errors.New("warning: " + warning))
			}
			return printReport(curve, asJSON)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&split, "split", "dev", "`SPLIT` of the run's corpus to measure on; it cannot be train or merged into train")
	flags.StringVar(&input, "input", "", "`PATH`: a file, a folder or - (stdin) with other annotated notes (default none)")
	flags.StringVar(&format, "format", "i2b2", "`FORMAT` of --input: "+annotatedFormats)
	reading.addWithPatients(flags)
	relocateFlag(cmd, &settings)
	flags.Float64Var(&byDefault, "default", 0, "`PROBABILITY` from which a token counts as PHI if lethe deidentify is given neither --min-recall nor --strict (default none: the most probable labels count)")
	flags.BoolVar(&asJSON, "json", false, "print everything, including the calibration curves, as JSON (default a table)")
	workersFlag(cmd, &workers)
	return cmd
}

// neverTrained returns an error if a model, which may be a run or in one, was trained on some of the notes.
func neverTrained(dir string, docs []*data.Document, p *progress) error {
	run := experiments.RunAround(dir)
	if models.IsRun(dir) {
		var err error
		if run, err = experiments.OpenRun(dir); err != nil {
			return err
		}
	}
	if run == nil || run.Config.Corpus.AllowOverlap {
		return nil
	}
	if err := learnedFrom(run, docs, p); err != nil {
		return fmt.Errorf("cannot calibrate, because a model has too few doubts on notes that it knows: %w", err)
	}
	return nil
}

func calibrationNotes(dir, split string, settings []string, p *progress) ([]*data.Document, error) {
	run, err := runOf(dir, settings, split, "give annotated notes with --input")
	if err != nil {
		return nil, err
	}
	return run.CalibrationNotes(split, p.show)
}

func markedNotes(reading *readingFlags, path, format string, types *data.TypeSet) ([]*data.Document, error) {
	docs, _, err := reading.open(path, format, types)
	if err != nil {
		return nil, err
	}
	return data.Collect(docs)
}
