package main

import (
	"testing"

	"github.com/lethe-deid/lethe/checkpoints"
	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/evaluation/unseen"
	"github.com/lethe-deid/lethe/models"
)

// TestModelsOfTheProgram measures the models that come with the program on the hand-written notes and phrases. The bars are a
// little below what they reached when they were made (docs/results/box.md), so that a worse model is noticed.
func TestModelsOfTheProgram(t *testing.T) {
	for _, c := range []struct {
		name              string
		types             *data.TypeSet
		recall, precision float64 // of characters, in notes
		touched           float64 // share of phrases
	}{
		{"en", data.I2B2, enRecall, enPrecision, enTouched},
		{"es", data.MEDDOCAN, esRecall, esPrecision, esTouched},
	} {
		o := options{models: []string{c.name}, lang: c.name, testdata: "../../checkpoints/testdata", workers: 2}
		m, err := models.Open(c.name, 2)
		if err != nil {
			t.Fatal(err)
		}
		if points, err := models.OperatingPoints(m.Dir); err != nil || points.Default == 0 || points.Usual == nil {
			t.Errorf("%s: the operating points are not those of the model, or there is no default: %v", c.name, err)
		}
		systems, err := o.systems(c.types)
		if err != nil {
			t.Fatal(err)
		}
		sets, err := o.sets(c.types)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range sets {
			tagger, err := systems[0].tagger(s)
			if err != nil {
				t.Fatal(err)
			}
			m, err := unseen.Measure(t.Context(), tagger, s.texts, unseen.Options{Types: s.types(c.types), Stays: s.stays})
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%s, %s: character recall %.4f, precision %.4f, %d of %d texts without PHI touched", c.name, s.name, m.CharacterRecall(), m.CharacterPrecision(), m.Touched, m.Clean)
			switch {
			case m.Clean > 0 && float64(m.Touched) > c.touched*float64(m.Clean):
				t.Errorf("%s, %s: %d of %d texts without PHI touched, more than %v", c.name, s.name, m.Touched, m.Clean, c.touched)
			case m.Items > 0 && (m.CharacterRecall() < c.recall || m.CharacterPrecision() < c.precision):
				t.Errorf("%s, %s: character recall %.4f and precision %.4f, below %v or %v", c.name, s.name, m.CharacterRecall(), m.CharacterPrecision(), c.recall, c.precision)
			}
		}
	}
	if got := checkpoints.Builtin(); len(got) != 2 {
		t.Errorf("the models that come with the program are %q", got)
	}
}

const (
	enRecall, enPrecision, enTouched = 0.95, 0.94, 0.03
	esRecall, esPrecision, esTouched = 0.96, 0.95, 0.02
)
