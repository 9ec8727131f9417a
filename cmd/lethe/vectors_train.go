package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/lethe-deid/lethe/embeddings"
	"github.com/lethe-deid/lethe/embeddings/learn"
	"github.com/lethe-deid/lethe/internal/paths"
)

type vectorsTrainOptions struct {
	learn.Config
	text       textOptions
	output, as string
	json       bool
}

func newVectorsTrain() *cobra.Command {
	opt := vectorsTrainOptions{Config: learn.DefaultConfig()}
	opt.text.words = &opt.Words
	cmd := &cobra.Command{
		Use:   "train --output FILE INPUT...",
		Short: "Train word vectors on text",
		Long: `Train word vectors on text: skip-gram or CBOW with negative sampling, or GloVe. The
default settings are those of Dernoncourt et al. 2016. A system reads the file as its
vectors.file.

An INPUT is a file or a folder, and the text may have any size. Text files, and files
with all notes in one file, may be gzipped. The text should be tokenized in the same
way as the system does it: give the system's experiment as --config, or set each
option.

The file contains words of the text. If the text contains PHI, so does the file: every
name that occurs at least --min-count times. Protect the file like the text, or use
--min-documents to leave out words that only few notes contain.

The same text, settings and seed always give the same file.`,
		Example: `  lethe vectors train --output es.txt spanish/*.txt more.txt.gz
  lethe vectors train --config meddocan.yaml --output es.bin text/ --epochs 5
  lethe vectors train --method glove --format i2b2 --min-documents 10 --output i2b2.txt train/xml`,
		Args: wantsInputs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if opt.output == "" {
				return usageError(cmd, errors.New("--output must be given"))
			}
			network, err := opt.text.likeTagger(cmd.Flags())
			if err != nil {
				return err
			}
			if network != nil && network.Network.TokenEmbedding > 0 && !cmd.Flags().Changed("dim") {
				opt.Dim = network.Network.TokenEmbedding
			}
			if err := opt.Validate(); err != nil {
				return usageError(cmd, err)
			}
			if ignored := given(cmd.Flags(), []string{"negatives", "sample"}); ignored != "" && opt.Method == learn.GloVe {
				return usageError(cmd, fmt.Errorf("--%s and --method %s cannot be combined", ignored, learn.GloVe))
			}
			return opt.run(cmd.Context(), args)
		},
	}
	flags := cmd.Flags()
	opt.text.flags(flags)
	flags.StringVar((*string)(&opt.Method), "method", string(opt.Method), "training `METHOD`: skip-gram, cbow or glove")
	flags.IntVar(&opt.Dim, "dim", opt.Dim, "dimension `N` of the vectors")
	flags.IntVar(&opt.Window, "window", opt.Window, "maximum `NUMBER` of neighbours of a word on each side")
	flags.IntVar(&opt.Epochs, "epochs", opt.Epochs, "`NUMBER` of passes over the text or, for glove, over its counts")
	flags.IntVar(&opt.Negatives, "negatives", opt.Negatives, "`NUMBER` of negative samples per pair; not for glove")
	flags.Float64Var(&opt.Sample, "sample", opt.Sample, "subsample words whose share of the text is above `SHARE`; 0 for none; not for glove")
	flags.Float64Var(&opt.Rate, "rate", 0, "learning `RATE` at the start (default 0.025 for skip-gram, 0.25 for cbow, 0.05 for glove)")
	flags.Uint64Var(&opt.Seed, "seed", opt.Seed, "seed `N` of the random numbers")
	flags.StringVar(&opt.output, "output", "", "`FILE` to write; gzipped if it ends in .gz (required)")
	flags.StringVar(&opt.as, "as", "", "`FORMAT` of FILE: word2vec-text, word2vec-binary or glove (default word2vec-binary if FILE ends in .bin or .bin.gz, otherwise word2vec-text)")
	flags.BoolVar(&opt.json, "json", false, "print a summary as JSON (default a line on stderr)")
	return cmd
}

func (o *vectorsTrainOptions) run(ctx context.Context, inputs []string) error {
	corpus, err := openTexts(inputs, o.text.format, &o.text.reading)
	if err != nil {
		return err
	}
	if err := paths.MustBeNew(o.output); err != nil {
		return err
	}
	as := embeddings.Format(o.as)
	if as == "" {
		as = embeddings.FormatOf(o.output)
	}
	file, err := embeddings.Create(o.output, as)
	if err != nil {
		return err
	}
	defer func() { _ = file.Abort() }() // after Save this does nothing
	p := newProgress()
	defer p.clear()
	vectors, summary, err := learn.Vectors(ctx, corpus, o.Config, p.show)
	if err != nil {
		return err
	}
	if err := file.Save(vectors); err != nil {
		return err
	}
	if o.json {
		return printJSON(summary)
	}
	p.line("%s: %d words of %d, for %.2f %% of %d tokens", o.output, vectors.Len(), summary.Words,
		100*float64(summary.Kept)/float64(summary.Tokens), summary.Tokens)
	if summary.Unwritable > 0 {
		p.line("%d words that contain white space have no vector", summary.Unwritable)
	}
	return nil
}
