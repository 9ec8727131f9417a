package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/format"
	"github.com/lethe-deid/lethe/data/text"
	"github.com/lethe-deid/lethe/experiments"
	"github.com/lethe-deid/lethe/taggers/ann"
)

func newVectors() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "vectors",
		Short: "Train word vectors or clusters, and look at vectors",
		Args:  unknownCommand,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },

		SuggestionsMinimumDistance: 2,
	}
	cmd.AddCommand(newVectorsTrain(), newVectorsInfo(), newVectorsClusters())
	return cmd
}

// loadANN is the network of an experiment; of "" it is nil.
func loadANN(path string) (*ann.Config, error) {
	if path == "" {
		return nil, nil
	}
	config, err := experiments.Load(path, nil)
	if err != nil {
		return nil, err
	}
	if config.System.ANN == nil {
		return nil, fmt.Errorf("%s: has no system.ann, which vectors are for", path)
	}
	return config.System.ANN, nil
}

// openTexts reads several inputs as one corpus, as often as wanted, with whatever
// types their marks have.
func openTexts(paths []string, formatName string) (data.Documents, error) {
	f, err := format.Lookup(formatName)
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
		if err := tellLeftOut(path, f); err != nil {
			return nil, err
		}
		switch {
		case f.Name == "text":
			all = append(all, text.Pieces(path))
		case info.IsDir() || f.Decode == nil:
			all = append(all, f.Read(path, anyTypes()))
		default:
			all = append(all, decodeFile(f, path))
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

// decodeFile reads a file that may be gzipped.
func decodeFile(f *format.Format, path string) data.Documents {
	return func(yield func(*data.Document, error) bool) {
		file, err := os.Open(path)
		if err != nil {
			yield(nil, err)
			return
		}
		defer file.Close()
		in, err := text.Gunzip(file)
		if err != nil {
			yield(nil, fmt.Errorf("%s: %w", path, err))
			return
		}
		f.Decode(in, path, anyTypes())(yield)
	}
}
