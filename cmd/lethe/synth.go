package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lethe-deid/lethe/data/synth"
)

type synthOptions struct {
	notes          int
	config         synth.Config
	split          string
	output, format string
}

// maxSynthetic is the maximum number of notes to generate, which take some gigabytes.
const maxSynthetic = 1_000_000

func newSynth() *cobra.Command {
	var opt synthOptions
	cmd := &cobra.Command{
		Use:   "synth --notes N --output DIR",
		Short: "Generate invented clinical notes with their PHI marked",
		Long: `Generate invented clinical notes with their PHI marked. The same seed always gives the
same notes. The names of persons, places and hospitals of the split test are drawn from
other lists than those of train and dev.

--corpus selects the notes: demo (English, for demonstrations and tests), en (English
notes of many kinds, styles and countries, for training), both with the types of i2b2
2014, or es (the same in Spanish, with the types of MEDDOCAN).

With --notes-per-patient, some names and numbers occur without a local cue, as in
"Amundsen agrees with the plan." With --uncued-only, the text is the same, but only
these are marked, as a gold standard for their recall.`,
		Example: `  lethe synth --notes 400 --output corpus/train
  lethe synth --corpus en --notes 4000 --output en.jsonl --format jsonl
  lethe synth --notes 100 --split test --seed 7 --output test.jsonl --format jsonl
  lethe synth --notes 200 --split test --notes-per-patient 5 --output corpus/test`,
		Args: wants(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case opt.output == "":
				return usageError(cmd, errors.New("--output must be given"))
			case opt.notes < 1:
				return usageError(cmd, errors.New("--notes must be given, and must be positive"))
			case opt.notes > maxSynthetic:
				return usageError(cmd, fmt.Errorf("--notes %d is more than %d", opt.notes, maxSynthetic))
			}
			opt.config.Split = synth.Split(opt.split)
			if err := opt.config.Validate(); err != nil {
				return usageError(cmd, err)
			}
			return opt.run(cmd.Context())
		},
	}
	flags := cmd.Flags()
	flags.IntVar(&opt.notes, "notes", 0, "`NUMBER` of notes (required)")
	flags.Uint64Var(&opt.config.Seed, "seed", 1, "seed `N` of the random numbers")
	flags.StringVar(&opt.config.Corpus, "corpus", synth.DefaultCorpus, "`NAME` of the notes to generate: "+strings.Join(synth.Corpora(), ", "))
	flags.StringVar(&opt.split, "split", "train", "`SPLIT` to generate: train, dev or test")
	flags.IntVar(&opt.config.NotesPerPatient, "notes-per-patient", 0, "number `N` of notes per patient, with --corpus demo, some of them with names without a local cue; 0 for one to five notes without such names")
	flags.BoolVar(&opt.config.UncuedOnly, "uncued-only", false, "mark only PHI without a local cue; requires --notes-per-patient (default no)")
	flags.StringVar(&opt.output, "output", "", outputHelp+"; - is stdout (required)")
	flags.StringVar(&opt.format, "format", "i2b2", "`FORMAT` of the notes: "+allFormats)
	return cmd
}

func (o *synthOptions) run(ctx context.Context) error {
	out, err := openOutput(o.output, o.format, of(o.config.Types()), o.notes == 1)
	if err != nil {
		return err
	}
	defer func() { _ = out.Abort() }() // after Close it does nothing
	p := newProgress()
	defer p.clear()
	done := 0
	for doc, err := range o.config.Notes(o.notes) {
		if err == nil {
			err = ctx.Err()
		}
		if err == nil {
			err = out.Write(doc)
		}
		if err != nil {
			return err
		}
		done++
		p.show("writing notes", done, o.notes)
	}
	return out.Close()
}
