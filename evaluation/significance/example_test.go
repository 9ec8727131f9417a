package significance_test

import (
	"context"
	"fmt"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/evaluation"
	"github.com/lethe-deid/lethe/evaluation/significance"
)

func ExampleCompare() {
	const text = "Seen by Dr. Oda Lund on 01/02/2087."
	doctor := data.Span{Start: 12, End: 20, Type: "DOCTOR", Score: 1}
	date := data.Span{Start: 24, End: 34, Type: "DATE", Score: 1}
	var gold, careful, hasty []*data.Document
	for i := range 8 {
		note := func(spans ...data.Span) *data.Document {
			return &data.Document{ID: fmt.Sprint("note-", i), Text: text, Spans: spans}
		}
		gold = append(gold, note(doctor, date))
		careful = append(careful, note(doctor, date))
		if i < 6 {
			hasty = append(hasty, note(date)) // misses the doctor in six of eight notes
		} else {
			hasty = append(hasty, note(doctor, date))
		}
	}
	report, err := significance.Compare(context.Background(),
		significance.System{Name: "hasty", Gold: data.Each(gold), Found: data.Each(hasty)},
		significance.System{Name: "careful", Gold: data.Each(gold), Found: data.Each(careful)},
		evaluation.Metrics()[:1], significance.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	strict := report.Metrics[0]
	fmt.Printf("recall %.3f and %.3f, p = %.5f = 2/%d\n", strict.Recall.A, strict.Recall.B, strict.Recall.P, strict.Shuffles+1)
	// Output: recall 0.625 and 1.000, p = 0.03125 = 2/64
}
