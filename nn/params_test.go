package nn

import (
	"slices"
	"strings"
	"testing"

	"github.com/lethe-deid/lethe/checkpoints"
)

// Parameters use the memory of given tensors, keep their values, and Fill tells of tensors that do not fit.
func TestGivenParams(t *testing.T) {
	given := func() []checkpoints.Tensor {
		return []checkpoints.Tensor{{Name: "a", Shape: []int{2, 2}, Data: []float32{1, 2, 3, 4}}, {Name: "b", Shape: []int{1, 3}, Data: []float32{5, 6, 7}}}
	}
	with := func(tensors []checkpoints.Tensor) *Params {
		p := NewGivenParams(tensors)
		for name, shape := range map[string][2]int{"a": {2, 2}, "b": {1, 3}} {
			if _, err := p.get(name, shape[0], shape[1], false, Ones); err != nil {
				t.Fatal(err)
			}
		}
		p.initialise()
		return p
	}
	tensors := given()
	p := with(tensors)
	if err := p.Fill(tensors); err != nil {
		t.Fatal(err)
	}
	for _, want := range given() {
		if got := p.Get(want.Name).Data; !slices.Equal(got, want.Data) {
			t.Errorf("%s: %v, want %v", want.Name, got, want.Data)
		}
	}
	if &p.Get("a").Data[0] != &tensors[0].Data[0] {
		t.Error("the values were copied")
	}
	for want, change := range map[string]func([]checkpoints.Tensor) []checkpoints.Tensor{
		"has shape [4 1], not [2 2]":  func(all []checkpoints.Tensor) []checkpoints.Tensor { all[0].Shape = []int{4, 1}; return all },
		"b is missing":                func(all []checkpoints.Tensor) []checkpoints.Tensor { return all[:1] },
		"is not part of this network": func(all []checkpoints.Tensor) []checkpoints.Tensor { return append(all, checkpoints.Tensor{Name: "c"}) },
	} {
		tensors := change(given())
		if err := with(tensors).Fill(tensors); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
