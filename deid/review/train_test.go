package review

import (
	"fmt"
	"testing"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/models"
)

func TestEveryFifthPatientIsKeptForTheCalibration(t *testing.T) {
	notesOf := func(n int, patient func(i int) string) []*data.Document {
		var docs []*data.Document
		for i := range n {
			docs = append(docs, &data.Document{ID: ID(i%90 + 1), Patient: patient(i)}) // two reviews have the same IDs
		}
		return docs
	}
	none := func(int) string { return "" }
	for _, c := range []struct {
		name        string
		docs        []*data.Document
		train, held int
	}{
		{"too few", notesOf(99, none), 99, 0},
		{"enough", notesOf(100, none), 80, 20},
		{"of ten patients", notesOf(100, func(i int) string { return fmt.Sprint(i / 10) }), 80, 20},
		{"of one patient", notesOf(100, func(int) string { return "1" }), 100, 0},
	} {
		train, held := divide(c.docs)
		if len(train) != c.train || len(held) != c.held {
			t.Errorf("%s: %d and %d", c.name, len(train), len(held))
		}
		of := map[string]bool{}
		for _, d := range held {
			of[d.Patient] = d.Patient != ""
		}
		for _, d := range train {
			if of[d.Patient] {
				t.Errorf("%s: patient %s is on both sides", c.name, d.Patient)
			}
		}
	}
}

func TestGeneratedNotesHaveTheTypesOfTheModel(t *testing.T) {
	for name, want := range map[string]string{"i2b2-2014": "en", "meddocan": "es", "mimic": "", "any": ""} {
		types, err := data.LookupTypeSet(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := generatedFor(types); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

func TestTrainingWithoutNotes(t *testing.T) {
	if _, err := Train(t.Context(), &models.Model{Types: data.I2B2}, t.TempDir(), nil, DefaultTraining()); err == nil {
		t.Error("no error")
	}
}
