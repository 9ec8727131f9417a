// Command peers prints the training notes of an experiment, in the form in which a network of
// package ann reads them, for programs that read columns: one line per token with a space and
// its label, and an empty line after each sentence.
//
//	go run ./scripts/peers scripts/peers/meddocan-lines.yaml > train.conll
package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/tokenize"
	"github.com/lethe-deid/lethe/experiments"
	"github.com/lethe-deid/lethe/taggers/ann"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 1 {
		return errors.New("usage: peers CONFIG")
	}
	c, err := experiments.Load(args[0], nil)
	if err != nil {
		return err
	}
	network := ann.Of(c.System)
	tokenizer, err := tokenize.Lookup(network.Tokenizer)
	if err != nil {
		return err
	}
	splitter, err := tokenize.LookupSplitter(network.Sentences)
	if err != nil {
		return err
	}
	splitter = tokenize.Limit(splitter, network.MaxTokens)
	docs, err := c.Corpus.Load("train", nil)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(os.Stdout)
	for _, doc := range docs {
		tokens := tokenizer.Tokens(doc.Text, nil)
		labels := network.Scheme.Encode(len(tokens), data.AlignSpans(tokens, doc.Spans))
		for _, s := range splitter.Sentences(doc.Text, tokens, nil) {
			for i := s.Start; i < s.End; i++ {
				fmt.Fprintln(out, doc.Text[tokens[i].Start:tokens[i].End], labels[i])
			}
			fmt.Fprintln(out)
		}
	}
	return out.Flush()
}
