package evaluation

import (
	"math"
	"slices"
	"testing"

	"github.com/lethe-deid/lethe/data"
)

// The line Avg. of Zuccon et al. 2014, Table 4, computed from the counts above
// it.
func TestMeanOfTypesAsPublished(t *testing.T) {
	got := meanOfTypes([]float64{
		2122, 7, 41, // DATE
		2259, 32, 53, // DOCTOR
		1483, 18, 148, // HOSPITAL
		1195, 2, 5, // ID
		162, 6, 78, // LOCATION
		497, 2, 16, // PATIENT
		59, 0, 26, // PHONE
		0, 0, 0, // AGE: not in the test set
	})
	for name, v := range map[string][2]float64{"P": {got.Precision, 0.9899}, "R": {got.Recall, 0.8859}, "F": {got.F1, 0.9300}} {
		if math.Abs(v[0]-v[1]) > 0.0001 {
			t.Errorf("%s: %.5f, published %.4f", name, v[0], v[1])
		}
	}
}

func TestMacro(t *testing.T) {
	types := data.I2B22006
	metrics, err := Macro(types)
	if err != nil {
		t.Fatal(err)
	}
	gold := doc("a", text, span(0, 10, "PATIENT"), span(19, 25, "DOCTOR"), span(29, 34, "DATE"))
	system := doc("a", text, span(0, 3, "PATIENT"), span(29, 34, "DATE"), span(19, 25, "PHONE"), span(11, 14, "CITY"))
	// PATIENT, DOCTOR and DATE count. Found by strict: none, none, all. Found tokens: one of two, none of two, both.
	for i, want := range []PRF{{1.0 / 3, 1.0 / 3, 1.0 / 3}, {2.0 / 3, 0.5, (2.0/3 + 0 + 1) / 3}} {
		m := metrics[i]
		twice := slices.Clone(m.Tally(gold, system))
		for k, v := range m.Tally(gold, system) {
			twice[k] += v
		}
		got := m.Score(twice)
		if math.Abs(got.Precision-want.Precision)+math.Abs(got.Recall-want.Recall)+math.Abs(got.F1-want.F1) > 1e-12 {
			t.Errorf("%s: %+v, want %+v", m.Name, got, want)
		}
		if got := m.Score(m.Tally(doc("a", text), system)); got != (PRF{}) {
			t.Errorf("%s: %+v of no gold span", m.Name, got)
		}
	}
	any := data.Any
	if _, err := Macro(any); err == nil {
		t.Error("no error for a set without types")
	}
}
