package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/format"
	"github.com/lethe-deid/lethe/data/tokenize"
	"github.com/lethe-deid/lethe/embeddings/learn"
	"github.com/lethe-deid/lethe/experiments"
	"github.com/lethe-deid/lethe/internal/bounded"
	"github.com/lethe-deid/lethe/taggers/ann"
)

func newVectors() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "vectors",
		Short: "Train word vectors or clusters, or inspect vectors",
		Args:  unknownCommand,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },

		SuggestionsMinimumDistance: 2,
	}
	cmd.AddCommand(newVectorsTrain(), newVectorsInfo(), newVectorsClusters())
	return cmd
}

// loadANN returns the configuration of an experiment's network, or nil if path is "".
func loadANN(path string) (*ann.Config, error) {
	if path == "" {
		return nil, nil
	}
	config, err := experiments.Load(path, nil)
	if err != nil {
		return nil, err
	}
	network := ann.Of(config.System)
	if network == nil {
		return nil, fmt.Errorf("%s: has no system.ann, which is required for vectors", path)
	}
	return network, nil
}

// textOptions say which text to read for vectors or clusters, and how to get words from it.
type textOptions struct {
	words          *learn.Words
	format, config string
	reading        readingFlags
}

func (o *textOptions) flags(flags *pflag.FlagSet) {
	w := o.words
	flags.StringVar(&o.format, "format", "text", "`FORMAT` of the INPUTs: "+allFormats)
	o.reading.add(flags)
	flags.StringVar(&o.config, "config", "", "`EXPERIMENT` whose settings of tokenizer, sentences and digits, and for vectors the dimension, are the defaults (default none)")
	flags.StringVar(&w.Tokenizer, "tokenizer", w.Tokenizer, "`TOKENIZER`: "+strings.Join(tokenize.Names(), ", "))
	flags.StringVar(&w.Sentences, "sentences", w.Sentences, "sentence `SPLITTER`, because only words of the same sentence are neighbours: "+strings.Join(tokenize.SplitterNames(), ", "))
	flags.BoolVar(&w.Lowercase, "lowercase", false, "convert words to lower case; a system falls back to this form (default no)")
	flags.BoolVar(&w.ZeroDigits, "zero-digits", false, "replace all digits by 0; a system falls back to this form (default no)")
	flags.IntVar(&w.MinCount, "min-count", w.MinCount, "leave out words that occur less often than `N` times")
	flags.IntVar(&w.MinDocuments, "min-documents", w.MinDocuments, "leave out words that occur in fewer than `N` notes; a text file counts as one note")
}

// likeTagger copies the settings of --config for which no flag is set, and returns the configuration of its network, or
// nil if there is no --config.
func (o *textOptions) likeTagger(flags *pflag.FlagSet) (*ann.Config, error) {
	network, err := loadANN(o.config)
	if network == nil || err != nil {
		return nil, err
	}
	if !flags.Changed("tokenizer") {
		o.words.Tokenizer = network.Tokenizer
	}
	if !flags.Changed("sentences") {
		o.words.Sentences = network.Sentences
	}
	if !flags.Changed("zero-digits") {
		o.words.ZeroDigits = network.Vocabulary.DigitsAsZero
	}
	return network, nil
}

// wantsInputs checks that there is at least one INPUT.
func wantsInputs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return usageError(cmd, errors.New("an INPUT must be given"))
	}
	return nil
}

// openTexts returns several inputs as one corpus, which can be read several times. Annotations may have any types.
func openTexts(paths []string, formatName string, reading *readingFlags) (data.Documents, error) {
	f, err := format.Lookup(formatName)
	if err != nil {
		return nil, err
	}
	opt, err := reading.options(anyTypes(), f)
	if err != nil {
		return nil, err
	}
	var all []data.Documents
	for _, path := range paths {
		if path == stdio {
			return nil, errors.New("stdin can be read only once, and training takes several passes: give files or folders")
		}
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		if err := cmp.Or(checkNoSyntax(path, f), tellLeftOut(path, f, opt)); err != nil {
			return nil, err
		}
		switch {
		case f.Pieces != nil:
			all = append(all, f.Pieces(path))
		case info.IsDir() || f.Decode == nil:
			all = append(all, f.Read(path, opt))
		default:
			all = append(all, decodeFile(f, path, opt))
		}
	}
	return func(yield func(*data.Document, error) bool) {
		for _, docs := range all {
			for doc, err := range docs {
				if !yield(doc, err) {
					return
				}
			}
		}
	}, nil
}

// decodeFile reads a plain or gzipped file.
func decodeFile(f *format.Format, path string, opt format.Options) data.Documents {
	return func(yield func(*data.Document, error) bool) {
		file, err := bounded.OpenInput(path)
		if err != nil {
			yield(nil, err)
			return
		}
		defer file.Close()
		in, err := bounded.Gunzip(file)
		if err != nil {
			yield(nil, fmt.Errorf("%s: %w", path, err))
			return
		}
		f.Decode(in, path, opt)(yield)
	}
}
