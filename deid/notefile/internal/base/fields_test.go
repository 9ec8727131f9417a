package base

import (
	"strconv"
	"testing"
	"time"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid/field"
	"github.com/lethe-deid/lethe/deid/safetynet"
)

// The time for a record with many values that go grew with their square.
func TestManyLearnedValuesTookQuadraticTime(t *testing.T) {
	const n = 100_000
	start := time.Now()
	note := &Note{Document: &data.Document{Text: "Seen."}}
	r := &Record{Notes: []*Note{note}}
	for i := range n {
		r.Learn(field.Hash, "A-"+strconv.Itoa(n+i))
		r.Learn(field.Hash, "A-"+strconv.Itoa(n+i))
	}
	r.ShareValues(data.I2B2)
	if len(note.Known) != n {
		t.Errorf("%d known values", len(note.Known))
	}
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("it takes %v", took)
	}
}

// A value that is known with a type is not known again as an identifier, and that of another patient is not known.
func TestSharedValuesAreKnownOnce(t *testing.T) {
	value, ok := Options{Types: data.I2B2}.ValueNote("phone", "a", "p", "phone: ", "555-0142")
	if !ok {
		t.Fatal("no note for the value")
	}
	of := func(patient string) *Note { return &Note{Document: &data.Document{Patient: patient, Text: "Seen."}} }
	r := &Record{Notes: []*Note{value, value, of("p"), of("q")}}
	r.Learn(field.Hash, "555-0142")
	r.ShareValues(data.I2B2)
	if known := r.Notes[2].Known; len(known) != 1 || known[0].Type == "" {
		t.Errorf("%+v", known)
	}
	if known := r.Notes[3].Known; len(known) != 1 || known[0].Kind != safetynet.ID || known[0].Type != "" {
		t.Errorf("%+v", known)
	}
}
