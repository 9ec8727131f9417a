package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/lethe-deid/lethe/embeddings/brown"
	"github.com/lethe-deid/lethe/internal/paths"
)

type vectorsClustersOptions struct {
	brown.Config
	text   textOptions
	output string
	json   bool
}

func newVectorsClusters() *cobra.Command {
	opt := vectorsClustersOptions{Config: brown.DefaultConfig()}
	opt.text.words = &opt.Words
	cmd := &cobra.Command{
		Use:   "clusters --output FILE INPUT...",
		Short: "Put the words of text into Brown clusters",
		Long: `Put the words of text into clusters by their neighbours, as Brown et al. 1992 and Liang
2005 do: features for a CRF. The file is the paths file of the latter's program, a
line of path, word and count for each word.

An INPUT is read, and cut into tokens, as for vectors train.

The file holds words of the text. Of text with PHI it holds names: all that occur
--min-count times. Treat it as you treat the text, or keep out with
--min-documents what only few notes contain.

The same text and settings give the same file.`,
		Example: `  lethe vectors clusters --output es.paths.gz spanish/*.txt more.txt.gz
  lethe vectors clusters --tokenizer letters-digits --zero-digits --clusters 500 --output es.paths text/`,
		Args: wantsInputs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if opt.output == "" {
				return usageError(cmd, errors.New("--output must be given"))
			}
			if _, err := opt.text.likeTagger(cmd.Flags()); err != nil {
				return err
			}
			if err := opt.Validate(); err != nil {
				return usageError(cmd, err)
			}
			return opt.run(cmd.Context(), args)
		},
	}
	flags := cmd.Flags()
	opt.text.flags(flags)
	flags.IntVar(&opt.Clusters, "clusters", opt.Clusters, "`NUMBER` of clusters")
	flags.StringVar(&opt.output, "output", "", "`FILE` to write; one that ends in .gz is gzipped (needed)")
	flags.BoolVar(&opt.json, "json", false, "print what was read as JSON (default a line on stderr)")
	return cmd
}

func (o *vectorsClustersOptions) run(ctx context.Context, inputs []string) error {
	corpus, err := openTexts(inputs, o.text.format)
	if err != nil {
		return err
	}
	if err := paths.MustBeNew(o.output); err != nil {
		return err
	}
	file, err := brown.Create(o.output)
	if err != nil {
		return err
	}
	defer func() { _ = file.Abort() }() // after Save it does nothing
	p := newProgress()
	defer p.clear()
	clusters, summary, err := brown.Train(ctx, corpus, o.Config, p.show)
	if err != nil {
		return err
	}
	if err := file.Save(clusters); err != nil {
		return err
	}
	if o.json {
		return printJSON(summary)
	}
	p.line("%s: %d words of %d in %d clusters, for %.2f %% of %d tokens", o.output, len(clusters.Entries()), summary.Words, summary.Clusters,
		100*float64(summary.Kept)/float64(summary.Tokens), summary.Tokens)
	if summary.Unwritable > 0 {
		p.line("%d words that hold white space are in none", summary.Unwritable)
	}
	return nil
}
