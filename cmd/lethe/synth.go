package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/synth"
)

type synthOptions struct {
	notes          int
	seed           uint64
	split          string
	output, format string
}

func newSynth() *cobra.Command {
	var opt synthOptions
	cmd := &cobra.Command{
		Use:   "synth --notes N --output DIR",
		Short: "Generate invented clinical notes with their PHI marked",
		Long: `Generate invented English clinical notes with their PHI marked, with the types of
i2b2 2014. The same seed gives the same notes. No person, place or hospital of the
split test occurs in train or dev.`,
		Example: `  lethe synth --notes 400 --output corpus/train
  lethe synth --notes 100 --split test --seed 7 --output test.jsonl --format jsonl`,
		Args: wants(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case opt.output == "":
				return usageError(cmd, errors.New("--output must be given"))
			case opt.notes < 1:
				return usageError(cmd, errors.New("--notes must be given, and positive"))
			}
			split, err := synth.ParseSplit(opt.split)
			if err != nil {
				return usageError(cmd, err)
			}
			return opt.run(cmd.Context(), split)
		},
	}
	flags := cmd.Flags()
	flags.IntVar(&opt.notes, "notes", 0, "how many notes (needed)")
	flags.Uint64Var(&opt.seed, "seed", 1, "`N`umber that all chance follows from")
	flags.StringVar(&opt.split, "split", "train", "train, dev or test")
	flags.StringVar(&opt.output, "output", "", "where to write the notes: "+outputHelp+"; - is stdout (needed)")
	flags.StringVar(&opt.format, "format", "i2b2", "`FORMAT` of the notes: i2b2, meddocan, brat, conll, jsonl or text")
	return cmd
}

func (o *synthOptions) run(ctx context.Context, split synth.Split) error {
	types, err := data.LookupTypeSet(synth.TypeSet)
	if err != nil {
		return err
	}
	out, err := openOutput(o.output, o.format, types, o.notes == 1)
	if err != nil {
		return err
	}
	defer func() { _ = out.Abort() }() // after Close it does nothing
	p := newProgress()
	defer p.clear()
	done := 0
	for doc, err := range synth.Notes(o.notes, o.seed, split) {
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
