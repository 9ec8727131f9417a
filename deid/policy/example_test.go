package policy_test

import (
	"fmt"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid/policy"
	"github.com/lethe-deid/lethe/deid/replace"
)

func Example() {
	p, err := policy.Open(policy.SafeHarbor)
	if err != nil {
		panic(err)
	}
	plan, err := p.Plan(replace.Tag, data.I2B2)
	if err != nil {
		panic(err)
	}
	replacer, err := replace.New(plan, replace.Options{Types: data.I2B2})
	if err != nil {
		panic(err)
	}
	note := &data.Document{ID: "1", Text: "Oda Lund, 93, seen 03/04/2019", Spans: []data.Span{
		{Start: 0, End: 8, Type: "PATIENT"}, {Start: 10, End: 12, Type: "AGE"}, {Start: 19, End: 29, Type: "DATE"},
	}}
	clean, _, err := replacer.Patient("1", []*data.Document{note}).Replace(note, note.Spans)
	if err != nil {
		panic(err)
	}
	fmt.Println(clean.Text)
	// Output: [PATIENT], 90+, seen 2019
}
