package main

import (
	"context"
	"errors"
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
	nearest               []string
	neighbours            int
	json                  bool
}

// vectorsInfo is what the command prints.
type vectorsInfo struct {
	File       string                `json:"file"`
	Bytes      int64                 `json:"bytes"`
	Format     embeddings.Format     `json:"format"`
	Gzipped    bool                  `json:"gzipped"`
	Words      int                   `json:"words"`
	Dim        int                   `json:"dim"`
	Duplicates int                   `json:"duplicates"`   // left out, as when a system reads the file
	Invalid    int                   `json:"invalid_utf8"` // left out
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
	cmd := &cobra.Command{
		Use:   "info FILE",
		Short: "Say what a file of word vectors holds, and what it covers of a corpus",
		Long: `Say how many vectors of which dimension a file holds, GloVe's or word2vec's, text or
binary, plain or gzipped.

With --corpus, also how many of the corpus's tokens have a vector: of each type of
PHI and outside of PHI, with each token counted as often as it occurs, and once. A
token is looked for as a system looks for it: as it stands, in lower case, with
digits as 0, and both.

With --nearest, also the words whose vectors have the greatest cosine with that of
a word. These are words of the text that the vectors were trained on: if that held
PHI, they may be names.`,
		Example: `  lethe vectors info glove.6B.100d.txt
  lethe vectors info es.bin --corpus train/xml --format meddocan --config meddocan.yaml
  lethe vectors info es.bin --nearest doctora --nearest Sevilla`,
		Args: wants("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch changed := cmd.Flags().Changed; {
			case opt.corpus == "" && (changed("format") || changed("types") || changed("tokenizer") || changed("config")):
				return usageError(cmd, errors.New("--format, --types, --tokenizer and --config go with --corpus"))
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
	flags.StringVar(&opt.corpus, "corpus", "", "file or folder of notes (default none)")
	flags.StringVar(&opt.format, "format", "i2b2", "`FORMAT` of --corpus: "+allFormats)
	flags.StringVar(&opt.types, "types", "", "type `SET` of --corpus (default that of --format; any for brat, jsonl and text)")
	flags.StringVar(&opt.tokenizer, "tokenizer", "ptb", "what cuts the corpus's tokens: "+strings.Join(tokenize.Names(), ", "))
	flags.StringVar(&opt.config, "config", "", "`EXPERIMENT` whose tokenizer to take (default none)")
	flags.StringArrayVar(&opt.nearest, "nearest", nil, "`WORD` whose nearest words to show; repeatable (default none)")
	flags.IntVar(&opt.neighbours, "neighbours", 10, "`N` words to show for each --nearest")
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
		docs, _, err := openInput(o.corpus, o.format, types)
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

// untilDone ends documents when the context does.
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
		fmt.Printf("left out: %d words that occur before, %d that are not UTF-8\n", i.Duplicates, i.Invalid)
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
