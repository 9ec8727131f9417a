package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/tokenize"
	"github.com/lethe-deid/lethe/embeddings"
)

type vectorsInfoOptions struct {
	corpus, format, types string
	tokenizer, config     string
	reading               readingFlags
	nearest               []string
	neighbours            int
	json                  bool
}

// vectorsInfo is the output of the command.
type vectorsInfo struct {
	File       string                `json:"file"`
	Bytes      int64                 `json:"bytes"`
	Format     embeddings.Format     `json:"format"`
	Gzipped    bool                  `json:"gzipped"`
	Words      int                   `json:"words"`
	Dim        int                   `json:"dim"`
	Duplicates int                   `json:"duplicates"`   // words that occur again in the file; like a system, the command ignores them
	Invalid    int                   `json:"invalid_utf8"` // words that are not UTF-8, which are ignored, too
	Coverage   []embeddings.Coverage `json:"coverage,omitempty"`
	Nearest    []nearest             `json:"nearest,omitempty"`
}

type nearest struct {
	Word       string                 `json:"word"`
	Found      string                 `json:"found"` // the spelling that has a vector
	Neighbours []embeddings.Neighbour `json:"neighbours"`
}

func newVectorsInfo() *cobra.Command {
	var opt vectorsInfoOptions
	ofCorpus := append([]string{"format", "types", "tokenizer", "config"}, readingNames...)
	cmd := &cobra.Command{
		Use:   "info FILE",
		Short: "Describe a file of word vectors, and its coverage of a corpus",
		Long: `Print the number of vectors in a file and their dimension. The file is GloVe's or
word2vec's, text or binary, plain or gzipped, or embeddings.txt of SENNA, with its
words.lst in the same folder.

With --corpus, also print how many tokens of the corpus have a vector, for each type
of PHI and outside of PHI, with each token counted as often as it occurs, and counted
once. Tokens are looked up as a system does it: unchanged, then in lower case, then
with digits replaced by 0, then both.

With --nearest, also print the words whose vectors have the largest cosine similarity
with that of a word. These are words of the text that the vectors were trained on. If
it contained PHI, they may be names.`,
		Example: `  lethe vectors info glove.6B.100d.txt
  lethe vectors info es.bin --corpus train/xml --format meddocan --config meddocan.yaml
  lethe vectors info es.bin --nearest doctora --nearest Sevilla`,
		Args: wants("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch changed := cmd.Flags().Changed; {
			case opt.corpus == "" && given(cmd.Flags(), ofCorpus) != "":
				return usageError(cmd, fmt.Errorf("--%s requires --corpus", given(cmd.Flags(), ofCorpus)))
			case opt.neighbours < 1:
				return usageError(cmd, fmt.Errorf("--neighbours %d is not positive", opt.neighbours))
			case opt.config != "" && !changed("tokenizer"):
				ann, err := loadANN(opt.config)
				if err != nil {
					return err
				}
				opt.tokenizer = ann.Tokenizer
			}
			return opt.run(cmd.Context(), args[0])
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&opt.corpus, "corpus", "", "`PATH`, a file or folder, of notes (default none)")
	flags.StringVar(&opt.format, "format", "i2b2", "`FORMAT` of --corpus: "+allFormats)
	opt.reading.add(flags)
	flags.StringVar(&opt.types, "types", "", "type `SET` of --corpus (default the set of --format, or any for brat, jsonl, labelstudio and text)")
	flags.StringVar(&opt.tokenizer, "tokenizer", "ptb", "`TOKENIZER` for the corpus: "+strings.Join(tokenize.Names(), ", "))
	flags.StringVar(&opt.config, "config", "", "`EXPERIMENT` whose tokenizer to use (default none)")
	flags.StringArrayVar(&opt.nearest, "nearest", nil, "show the nearest words of this `WORD`; repeatable (default none)")
	flags.IntVar(&opt.neighbours, "neighbours", 10, "show `N` words for each --nearest")
	flags.BoolVar(&opt.json, "json", false, "print JSON (default a table)")
	return cmd
}

func (o *vectorsInfoOptions) run(ctx context.Context, path string) error {
	tokenizer, err := tokenize.Lookup(o.tokenizer)
	if err != nil {
		return err
	}
	v, err := embeddings.Load(path, embeddings.Options{})
	if err != nil {
		return err
	}
	stat, err := os.Stat(path)
	if err != nil {
		return err
	}
	s := v.Stats()
	info := vectorsInfo{
		File: path, Bytes: stat.Size(), Format: s.Format, Gzipped: s.Gzipped, Words: v.Len(), Dim: v.Dim(),
		Duplicates: s.Duplicates, Invalid: s.Invalid,
	}
	for _, word := range o.nearest {
		row, ok := v.Lookup(word, embeddings.Cascade{Lowercase: true, ZeroDigits: true})
		if !ok {
			return fmt.Errorf("%s: no vector for %q in any spelling", path, word)
		}
		info.Nearest = append(info.Nearest, nearest{word, v.Word(row), v.Nearest(row, o.neighbours)})
	}
	if o.corpus != "" {
		types, err := typeSet(o.types, o.format)
		if err != nil {
			return err
		}
		docs, _, err := o.reading.open(o.corpus, o.format, types)
		if err != nil {
			return err
		}
		if info.Coverage, err = v.Cover(untilDone(ctx, docs), tokenizer); err != nil {
			return err
		}
	}
	if o.json {
		return printJSON(info)
	}
	return info.print()
}

// untilDone ends documents with an error when the context is cancelled.
func untilDone(ctx context.Context, docs data.Documents) data.Documents {
	return func(yield func(*data.Document, error) bool) {
		for doc, err := range docs {
			if err == nil {
				err = ctx.Err()
			}
			if !yield(doc, err) {
				return
			}
		}
	}
}

func (i *vectorsInfo) print() error {
	zip := ""
	if i.Gzipped {
		zip = ", gzipped"
	}
	if _, err := fmt.Printf("%s: %d vectors of %d dimensions, %s%s, %d bytes\n", i.File, i.Words, i.Dim, i.Format, zip, i.Bytes); err != nil {
		return err
	}
	if i.Duplicates+i.Invalid > 0 {
		fmt.Printf("ignored: %d duplicate words, %d words that are not UTF-8\n", i.Duplicates, i.Invalid)
	}
	if i.Coverage != nil {
		fmt.Println()
		w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
		fmt.Fprintln(w, "type\ttokens\tcovered %\texact %\tlower case %\tdigits 0 %\tboth %\tdistinct\tcovered %\t")
		for _, c := range i.Coverage {
			t, percent := c.Tokens, func(n int) float64 { return 100 * float64(n) / float64(max(1, c.Tokens.Total)) }
			fmt.Fprintf(w, "%s\t%d\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\t%d\t%.2f\t\n", c.Type, t.Total, percent(t.Any()),
				percent(t.Exact), percent(t.Lower), percent(t.Zeroed), percent(t.LowerZeros), c.Distinct.Total, 100*c.Distinct.Share())
		}
		if err := w.Flush(); err != nil {
			return err
		}
	}
	for _, n := range i.Nearest {
		found := n.Found
		if found != n.Word {
			found = fmt.Sprintf("%s (as %s)", n.Word, n.Found)
		}
		fmt.Printf("\n%s\n", found)
		for _, w := range n.Neighbours {
			fmt.Printf("  %.4f  %s\n", w.Cosine, w.Word)
		}
	}
	return nil
}
