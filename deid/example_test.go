package deid_test

import (
	"context"
	"fmt"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid"
	"github.com/lethe-deid/lethe/deid/replace"
	"github.com/lethe-deid/lethe/models"
)

// This program opens a model and replaces the PHI in a note with surrogates.
func Example() {
	model, err := models.Open("testdata/model", 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	replacer, err := replace.New(replace.Plan{Default: replace.Surrogate}, replace.Options{Key: []byte("a secret of yours"), Types: model.Types})
	if err != nil {
		fmt.Println(err)
		return
	}
	d := &deid.Deidentifier{Tagger: model, Replacer: replacer}
	note := &data.Document{ID: "1", Text: "Mrs. Oda Lund was seen by Dr. Amundsen on 03/04/2071."}
	for _, r := range d.Notes(context.Background(), []deid.Note{{Document: note}}) {
		if r.Err != nil {
			fmt.Println(r.Err)
			return
		}
		fmt.Println(r.Clean.Text)
	}
	// Output: Mrs. Sara Dibbert was seen by Dr. Delaney on 09/18/2068.
}
