package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/lethe-deid/lethe/data/conllu"
	"github.com/lethe-deid/lethe/internal/paths"
	"github.com/lethe-deid/lethe/taggers/crf/pos"
)

func newPOS() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "pos",
		Short: "Train or test a part-of-speech tagger for a CRF",
		Args:  unknownCommand,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },

		SuggestionsMinimumDistance: 2,
	}
	cmd.AddCommand(newPOSTrain(), newPOSTest())
	return cmd
}

type posTrainOptions struct {
	pos.Options
	output string
	json   bool
}

// posTrained is the JSON output of pos train.
type posTrained struct {
	File      string `json:"file"`
	Sentences int    `json:"sentences"`
	Words     int    `json:"words"`
	XPOS      bool   `json:"xpos"` // the tagger has learnt the treebanks' own tags
	Bytes     int64  `json:"bytes"`
	Digest    string `json:"digest"`
}

func newPOSTrain() *cobra.Command {
	var opt posTrainOptions
	cmd := &cobra.Command{
		Use:   "train --output FILE CONLLU...",
		Short: "Train a tagger on treebanks",
		Long: `Train a tagger of part of speech, tense, lemma and chunk on treebanks in CoNLL-U,
plain or gzipped. The treebanks of Universal Dependencies are free to download.

The tagger learns the treebanks' own tags (XPOS) if every word has one, so all
treebanks must use the same tag set.

The file contains words of the treebanks. If those are notes with PHI, protect the
file like the notes.

The same treebanks, settings and seed always give the same file.`,
		Example: `  lethe pos train --output en.pos en_ewt-ud-train.conllu
  lethe pos train --output es.pos es_gsd-ud-train.conllu.gz es_ancora-ud-train.conllu.gz`,
		Args: wantsTreebanks,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case opt.output == "":
				return usageError(cmd, errors.New("--output must be given"))
			case opt.Epochs < 1:
				return usageError(cmd, fmt.Errorf("--epochs %d is not positive", opt.Epochs))
			}
			return opt.run(cmd.Context(), args)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&opt.output, "output", "", "`FILE` to write (required)")
	flags.IntVar(&opt.Epochs, "epochs", pos.DefaultEpochs, "`NUMBER` of passes over the treebanks")
	flags.Uint64Var(&opt.Seed, "seed", 1, "seed `N` of the random numbers")
	flags.BoolVar(&opt.json, "json", false, "print a summary as JSON (default a line on stderr)")
	return cmd
}

// wantsTreebanks checks that there is at least one argument.
func wantsTreebanks(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return usageError(cmd, errors.New("a CONLLU must be given"))
	}
	return nil
}

func (o *posTrainOptions) run(ctx context.Context, treebanks []string) error {
	sentences, err := conllu.ReadAll(treebanks)
	if err != nil {
		return err
	}
	if err := paths.MustBeNew(o.output); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(o.output), 0o777); err != nil { // before training, so that an error costs no time
		return err
	}
	p := newProgress()
	defer p.clear()
	o.Report = func(epoch, epochs, _, _ int) { p.show("epoch", epoch, epochs) }
	tagger, err := pos.Train(ctx, sentences, o.Options)
	if err != nil {
		return err
	}
	if err := tagger.Save(o.output); err != nil {
		return err
	}
	info, err := os.Stat(o.output)
	if err != nil {
		return err
	}
	t := posTrained{File: o.output, Sentences: len(sentences), XPOS: tagger.XPOS(), Bytes: info.Size(), Digest: tagger.Digest()}
	for _, s := range sentences {
		t.Words += len(s.Words)
	}
	if o.json {
		return printJSON(t)
	}
	tags := "UPOS and XPOS"
	if !t.XPOS {
		tags = "UPOS"
	}
	p.line("%s: %s of %d words in %d sentences, %d bytes", t.File, tags, t.Words, t.Sentences, t.Bytes)
	return nil
}

type posTestOptions struct {
	surface, json bool
}

func newPOSTest() *cobra.Command {
	var opt posTestOptions
	cmd := &cobra.Command{
		Use:   "test MODEL CONLLU...",
		Short: "Measure how often a tagger agrees with treebanks",
		Long: `Measure how often a tagger agrees with treebanks on part of speech, the treebanks' own
tags, tense and lemma. The row "all" counts all words, the row "unknown" only those
that are not in the tagger's dictionary, because they occurred less than three times
in training.

By default the words are those of the treebanks, as usual. With --surface a contraction
is a single word, as in the text: Spanish del instead of de and el.`,
		Example: `  lethe pos test en.pos en_ewt-ud-test.conllu
  lethe pos test es.pos es_gsd-ud-test.conllu --surface --json`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usageError(cmd, errors.New("MODEL must be given"))
			}
			return wantsTreebanks(cmd, args[1:])
		},
		RunE: func(_ *cobra.Command, args []string) error { return opt.run(args[0], args[1:]) },
	}
	flags := cmd.Flags()
	flags.BoolVar(&opt.surface, "surface", false, "treat a contraction as one word, as in the text (default as the words it consists of)")
	flags.BoolVar(&opt.json, "json", false, "print counts as JSON (default a table of percentages)")
	return cmd
}

func (o *posTestOptions) run(model string, paths []string) error {
	tagger, err := pos.Load(model)
	if err != nil {
		return err
	}
	sentences, err := conllu.ReadAll(paths)
	if err != nil {
		return err
	}
	if o.surface {
		for i, s := range sentences {
			sentences[i] = s.Surface()
		}
	}
	a := tagger.Test(sentences)
	if !o.json && !tagger.XPOS() {
		a.All.WithXPOS, a.Unknown.WithXPOS = 0, 0
	}
	return printReport(&a, o.json)
}
