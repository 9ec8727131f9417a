// Command presidio converts the half of the sentences of presidio-research whose templates may be used for training to
// JSON Lines, with the types of that corpus:
//
//	go run ./scripts/presidio synth_dataset_v2.json > sentences.jsonl
//
// The other half is for tests: see unseen.TestTemplate and scripts/box.
package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/jsonl"
	"github.com/lethe-deid/lethe/evaluation/unseen"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "presidio:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 1 {
		return errors.New("usage: presidio DATASET")
	}
	sentences, err := unseen.Sentences(args[0], false)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(os.Stdout)
	for _, s := range sentences {
		s.Spans = append(s.Spans, s.Neutral...)
		data.SortSpans(s.Spans)
		line, err := jsonl.Encode(s.Document)
		if err != nil {
			return fmt.Errorf("%s: item %s: %w", args[0], s.ID, err)
		}
		if _, err := out.Write(line); err != nil {
			return err
		}
	}
	return out.Flush()
}
