package deid_test

import (
	"fmt"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid"
)

func ExampleReplace() {
	note := &data.Document{ID: "110-01", Text: "Oda Lund was seen on 01/02/2087."}
	found := []data.Span{
		{Start: 0, End: 8, Type: "PATIENT", Score: 0.99},
		{Start: 21, End: 31, Type: "DATE", Score: 0.97},
	}
	clean, err := deid.Replace(note, found, deid.Tag)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(clean.Text)
	// Output: [PATIENT] was seen on [DATE].
}
