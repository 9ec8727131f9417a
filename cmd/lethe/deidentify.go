package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid"
	"github.com/lethe-deid/lethe/experiments"
)

type deidentifyOptions struct {
	model, replace, format, output string
	workers                        int
}

func newDeidentify() *cobra.Command {
	var opt deidentifyOptions
	cmd := &cobra.Command{
		Use:   "deidentify --model DIR [FILE|DIR|-]",
		Short: "Take the PHI out of notes",
		Long: `Find PHI with a trained model and put something else in its place: the same note
comes out, with [PATIENT] where the patient's name was. One note, from a file or
stdin, goes to stdout or to a file; those of a folder go to another folder. A note
that cannot be examined is named, never passed through; the others are done, and
the exit code is 3. What is left out of a folder, since it has not the format's
extension or is a folder itself, is named as well.

Only text is changed. The names of files, and the id of a note in conll and jsonl,
stay, so that a note can be found again: often they are record numbers or names,
and you must see to them yourself. The patient of jsonl is left out.

No model finds everything: check a sample of what comes out.`,
		Example: `  lethe deidentify --model runs/demo <note.txt
  lethe deidentify --model model/best --output clean.txt note.txt
  lethe deidentify --model model/best --output clean notes
  lethe deidentify --model model/best --format jsonl - <notes.jsonl >clean.jsonl`,
		Args: wants("[FILE|DIR|-]"),
		RunE: func(cmd *cobra.Command, args []string) error {
			input := stdio
			if len(args) == 1 {
				input = args[0]
			}
			if input == stdio && isTerminal(os.Stdin) {
				return usageError(cmd, errors.New("give a FILE or DIR, or a note on stdin"))
			}
			if opt.model == "" {
				return usageError(cmd, errors.New("--model must be given"))
			}
			return opt.run(cmd, input)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&opt.model, "model", "", "model or run folder `DIR` (needed)")
	flags.StringVar(&opt.replace, "replace", "tag", "what to put in the place of PHI: tag, its type in brackets")
	flags.StringVar(&opt.format, "format", "text", "`FORMAT` of the notes: i2b2, meddocan, brat, conll, jsonl or text")
	flags.StringVar(&opt.output, "output", "", "where to write the notes: "+outputHelp+"; needed for those of a folder (default stdout)")
	workersFlag(cmd, &opt.workers)
	return cmd
}

func (o *deidentifyOptions) run(cmd *cobra.Command, input string) error {
	if o.replace != "tag" {
		return usageError(cmd, fmt.Errorf("--replace %q is not tag", o.replace))
	}
	in, oneNote, err := openInput(input, o.format, anyTypes())
	if err != nil {
		return err
	}
	output := o.output
	if output == "" {
		output = stdio
		if info, err := os.Stat(input); err == nil && info.IsDir() {
			return usageError(cmd, errors.New("the notes of a folder want an --output folder"))
		}
	}
	model, err := experiments.Open(o.model, o.workers)
	if err != nil {
		return err
	}
	out, err := openOutput(output, o.format, model.Types, oneNote)
	if err != nil {
		return err
	}
	return apply(cmd.Context(), model, in, out, func(found *data.Document) (*data.Document, error) {
		clean, err := deid.Replace(found, found.Spans, deid.Tag)
		if err == nil {
			clean.Patient = "" // names one, in formats that have a place for it
		}
		return clean, err
	})
}
