package main

import (
	"testing"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/synth"
	"github.com/lethe-deid/lethe/deid"
	"github.com/lethe-deid/lethe/deid/replace"
)

// BenchmarkEngine measures rules, safety net and replacement on tagged notes.
func BenchmarkEngine(b *testing.B) {
	types, err := data.LookupTypeSet("i2b2-2014")
	if err != nil {
		b.Fatal(err)
	}
	docs, err := data.Collect(synth.Notes(200, 3, synth.Train))
	if err != nil {
		b.Fatal(err)
	}
	replacement, err := replace.New(replace.Plan{Default: replace.Tag}, replace.Options{Types: types})
	if err != nil {
		b.Fatal(err)
	}
	d := &deid.Deidentifier{Replacer: replacement}
	if d.Net, err = newNet("auto", types); err != nil {
		b.Fatal(err)
	}
	size := 0
	for _, doc := range docs {
		size += len(doc.Text)
	}
	b.SetBytes(int64(size))
	for b.Loop() {
		for _, doc := range docs {
			d.Notes(b.Context(), []deid.Note{{Document: doc}})
		}
	}
}
