package evaluation_test

import (
	"fmt"
	"os"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/evaluation"
)

func ExampleCompare() {
	const note = "Seen by Dr. Oda Lund on 01/02/2087 in Ward 7."
	gold := []*data.Document{{ID: "110-01", Text: note, Spans: []data.Span{
		{Start: 12, End: 20, Type: "DOCTOR", Score: 1},
		{Start: 24, End: 34, Type: "DATE", Score: 1},
	}}}
	system := []*data.Document{{ID: "110-01", Text: note, Spans: []data.Span{
		{Start: 16, End: 20, Type: "DOCTOR", Score: 0.8},
		{Start: 24, End: 34, Type: "DATE", Score: 0.9},
	}}}
	report, err := evaluation.Compare(data.Each(gold), data.Each(system))
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := report.WriteText(os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// documents: 1
	//
	// left in the text  tokens       %  95 % interval   instances       %  95 % interval     notes        %  95 % interval
	// all PHI           1 of 5   20.00  [20.00, 20.00]  1 of 2      50.00  [50.00, 50.00]    1 of 1  100.00  [100.00, 100.00]
	// DATE              0 of 3    0.00  [0.00, 0.00]    0 of 1       0.00  [0.00, 0.00]      0 of 1    0.00  [0.00, 0.00]
	// DOCTOR            1 of 2   50.00  [50.00, 50.00]  1 of 1     100.00  [100.00, 100.00]  1 of 1  100.00  [100.00, 100.00]
	//
	//                     P        R       F1       TP       FP       FN
	// strict         0.5000   0.5000   0.5000        1        1        1
	//   DATE         1.0000   1.0000   1.0000        1        0        0
	//   DOCTOR       0.0000   0.0000   0.0000        0        1        1
	//   macro        0.5000   0.5000   0.5000
	// spans          0.5000   0.5000   0.5000        1        1        1
	// token          1.0000   0.8000   0.8889        4        0        1
	//   DATE         1.0000   1.0000   1.0000        3        0        0
	//   DOCTOR       1.0000   0.5000   0.6667        1        0        1
	//   macro        1.0000   0.7500   0.8333
	// binary token   1.0000   0.8000   0.8889        4        0        1
}

func ExampleStrict() {
	gold := [][]data.Span{{{Start: 0, End: 4, Type: "DATE"}, {Start: 8, End: 10, Type: "AGE"}}}
	system := [][]data.Span{{{Start: 0, End: 4, Type: "DATE"}}}
	c := evaluation.Strict(gold, system)
	fmt.Printf("P %.2f R %.2f F1 %.2f\n", c.Precision(), c.Recall(), c.F1())
	// Output: P 1.00 R 0.50 F1 0.67
}
