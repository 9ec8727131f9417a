package main

import (
	"github.com/spf13/cobra"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/models"
)

func newCalibrate() *cobra.Command {
	var (
		split         string
		input, format string
		workers       int
		asJSON        bool
	)
	cmd := &cobra.Command{
		Use:   "calibrate RUN|MODEL",
		Short: "Measure how sure a model is, for recall that one can choose",
		Long: `Measure what a model's scores are worth, and what recall costs: for each of some
recalls of PHI tokens, the probability from which on a token is taken for PHI though
the best path leaves it. The precision and recall printed are those of notes that
did not choose the threshold (of five parts, each by the other four).

The notes are a split of the run's corpus, or with --input any others whose PHI is
marked. What is measured holds for notes like them: a sample of your own says more
of your own than any corpus.

The result is kept in the model's folder, as operating.json, and in its card:
"lethe deidentify --min-recall 0.995" takes its threshold from there, and "lethe
report" draws it. A model that has changed has to be calibrated again.`,
		Example: `  lethe calibrate runs/meddocan
  lethe calibrate model/best --input marked --format brat
  lethe deidentify --model runs/meddocan --min-recall 0.995 note.txt`,
		Args: wants("RUN|MODEL"),
		RunE: func(cmd *cobra.Command, args []string) error {
			model, err := models.Open(args[0], workers)
			if err != nil {
				return err
			}
			p := newProgress()
			defer p.clear()
			var docs []*data.Document
			if input == "" {
				docs, err = calibrationNotes(args[0], split, p)
			} else {
				split = ""
				docs, err = markedNotes(input, format, model.Types)
			}
			if err != nil {
				return err
			}
			curve, err := model.Calibrate(cmd.Context(), docs, split)
			if err != nil {
				return err
			}
			p.clear()
			return printReport(curve, asJSON)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&split, "split", "dev", "`SPLIT` of the run's corpus to measure on, not train")
	flags.StringVar(&input, "input", "", "file, folder or - (stdin) with other notes (default none)")
	flags.StringVar(&format, "format", "i2b2", "`FORMAT` of --input: "+annotatedFormats)
	cmd.MarkFlagsMutuallyExclusive("split", "input")
	flags.BoolVar(&asJSON, "json", false, "print everything, the calibrations too, as JSON (default a table)")
	workersFlag(cmd, &workers)
	return cmd
}

func calibrationNotes(dir, split string, p *progress) ([]*data.Document, error) {
	run, err := runOf(dir, "give notes whose PHI is marked as --input")
	if err != nil {
		return nil, err
	}
	return run.CalibrationNotes(split, p.show)
}

func markedNotes(path, format string, types *data.TypeSet) ([]*data.Document, error) {
	docs, _, err := openInput(path, format, types)
	if err != nil {
		return nil, err
	}
	return data.Collect(docs)
}
