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
		Short: "Compute Brown clusters of the words of a text",
		Long: `Cluster the words of a text by their neighbours (Brown et al. 1992, Liang 2005), as
features for a CRF. The file has the format of the paths file of Liang's program: one
line per word, with path, word and count.

INPUTs and tokenization are the same as for "lethe vectors train".

The file contains words of the text. If the text contains PHI, so does the file: every
name that occurs at least --min-count times. Protect the file like the text, or use
--min-documents to leave out words that only few notes contain.

The same text and settings always give the same file.`,
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
	flags.StringVar(&opt.output, "output", "", "`FILE` to write; gzipped if it ends in .gz (required)")
	flags.BoolVar(&opt.json, "json", false, "print a summary as JSON (default a line on stderr)")
	return cmd
}

func (o *vectorsClustersOptions) run(ctx context.Context, inputs []string) error {
	corpus, err := openTexts(inputs, o.text.format, &o.text.reading)
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
	defer func() { _ = file.Abort() }() // after Save this does nothing
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
		p.line("%d words that contain white space are in no cluster", summary.Unwritable)
	}
	return nil
}
