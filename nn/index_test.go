package nn_test

import (
	"strings"
	"testing"

	"github.com/lethe-deid/lethe/nn"
)

// Numbers beyond a table or the classes were reported as slice bounds, and an index that was not
// filled for a batch silently used the numbers of the batch before.
func TestNumbersThatDoNotFit(t *testing.T) {
	for _, test := range []struct {
		name string
		edit func(*finder)
		line line
		want string
	}{
		{"a row", nil, line{[]int32{99}, []int32{0}}, "forward of words: the number 99 for a row of the axis tokens is not in [0, 9)"},
		{"a negative row", nil, line{[]int32{-1}, []int32{0}}, "forward of words: the number -1 for a row of the axis tokens is not in [0, 9)"},
		{"a class", nil, line{[]int32{1}, []int32{2}}, "forward of softmax_loss: the number 2 for a row of the axis tokens is not in [0, 2)"},
		{"an index that is not filled", func(f *finder) { f.labels = f.tokens.Index() }, line{[]int32{1, 2}, []int32{0, 0}},
			"forward of softmax_loss: an index or bags of the axis tokens were not filled for this batch"},
	} {
		m, err := nn.NewMachine[line](nn.NewParams(1), findNames, true)
		if err != nil {
			t.Fatal(err)
		}
		if err := m.Run([]line{{[]int32{1}, []int32{0}}}); err != nil {
			t.Fatal(err)
		}
		if test.edit != nil {
			test.edit(m.Model)
		}
		if err := m.Run([]line{test.line}); err == nil || !strings.HasSuffix(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %s", test.name, err, test.want)
		}
	}
}
