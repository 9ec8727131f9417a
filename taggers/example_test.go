package taggers_test

import (
	"context"
	"fmt"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/synth"
	"github.com/lethe-deid/lethe/taggers"
	"github.com/lethe-deid/lethe/taggers/crf"
)

// A program that trains a CRF on invented annotated notes, and tags a text.
func Example() {
	ctx := context.Background()
	train, err := data.Collect(synth.Notes(20, 1, synth.Train))
	if err != nil {
		fmt.Println(err)
		return
	}
	types, err := data.LookupTypeSet(synth.TypeSet)
	if err != nil {
		fmt.Println(err)
		return
	}
	config := crf.DefaultConfig()
	config.Preset = "meddocan"
	tagger, err := config.Fit(ctx, taggers.Task{Types: types, Train: train, Seed: 1, Workers: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	note := &data.Document{ID: "1", Text: "Seen by Dr. Amundsen on 03/04/2071."}
	found, err := tagger.Tag(ctx, []*data.Document{note})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, span := range found[0] {
		fmt.Println(span.Type, note.Text[span.Start:span.End])
	}
	// Output:
	// DOCTOR Amundsen
	// DATE 03/04/2071
}
