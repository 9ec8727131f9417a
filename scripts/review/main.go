// Command review plays a reader of a review (docs/review.md): it corrects what a model found in generated notes by their gold
// standard, but makes mistakes.
//
//	review --gold notes.jsonl --mistakes 0.02 --seed 1 <suggested.jsonl >anna.jsonl
//
// The input is what "lethe review export --of model" writes, the output is for "lethe review import". With the probability
// --mistakes, the reader overlooks a span that the model did not suggest, leaves a wrong suggestion as it is, or gives a span the type of another one.
package main

import (
	"flag"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"slices"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/jsonl"
)

func main() {
	log.SetFlags(0)
	gold := flag.String("gold", "", "file of notes with their PHI")
	mistakes := flag.Float64("mistakes", 0.02, "probability of a mistake")
	seed := flag.Uint64("seed", 1, "seed of the mistakes")
	flag.Parse()
	if err := run(*gold, *mistakes, *seed); err != nil {
		log.Fatal("review: ", err)
	}
}

func run(path string, mistakes float64, seed uint64) error {
	right := map[string][]data.Span{} // by text
	for doc, err := range jsonl.Read(path, data.ReadOptions{Types: data.Any}) {
		if err != nil {
			return err
		}
		right[doc.Text] = doc.Spans
	}
	rng := rand.New(rand.NewPCG(seed, 0))
	for doc, err := range jsonl.Decode(os.Stdin, "stdin", data.ReadOptions{Types: data.Any}) {
		if err != nil {
			return err
		}
		spans, ok := right[doc.Text]
		if !ok {
			return fmt.Errorf("note %s is not in %s", doc.ID, path)
		}
		doc.Spans = read(doc.Spans, spans, func() bool { return rng.Float64() < mistakes })
		line, err := jsonl.Encode(doc)
		if err == nil {
			_, err = os.Stdout.Write(line)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// read returns what the reader marks, given what was suggested and what is right.
func read(suggested, right []data.Span, mistaken func() bool) []data.Span {
	same := func(list []data.Span, s data.Span) bool {
		return slices.ContainsFunc(list, func(o data.Span) bool { return o.Start == s.Start && o.End == s.End && o.Type == s.Type })
	}
	var marked []data.Span
	for i, s := range right {
		if !same(suggested, s) && mistaken() {
			continue
		}
		if mistaken() {
			s.Type = right[(i+1)%len(right)].Type
		}
		s.Score = 1
		marked = append(marked, s)
	}
	data.SortSpans(marked)
	for _, s := range suggested {
		if from, to := data.Overlapping(marked, s); from == to && !same(right, s) && mistaken() {
			s.Score = 1
			marked = slices.Insert(marked, from, s)
		}
	}
	return marked
}
