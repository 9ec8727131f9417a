package deid

import (
	"testing"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/synth"
	"github.com/lethe-deid/lethe/deid/replace"
)

// BenchmarkEngine measures rules, safety net and replacement on tagged notes.
func BenchmarkEngine(b *testing.B) {
	types := data.I2B2
	docs, err := data.Collect(synth.Notes(200, 3, synth.Train))
	if err != nil {
		b.Fatal(err)
	}
	replacement, err := replace.New(replace.Plan{Default: replace.Tag}, replace.Options{Types: types})
	if err != nil {
		b.Fatal(err)
	}
	d := &Deidentifier{Replacer: replacement}
	if d.Net, err = NewNet("auto", types); err != nil {
		b.Fatal(err)
	}
	size := 0
	for _, doc := range docs {
		size += len(doc.Text)
	}
	b.SetBytes(int64(size))
	for b.Loop() {
		for _, doc := range docs {
			d.Notes(b.Context(), []Note{{Document: doc}})
		}
	}
}
