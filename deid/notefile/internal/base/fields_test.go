package base

import (
	"strconv"
	"testing"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid/field"
	"github.com/lethe-deid/lethe/deid/safetynet"
)

// A record whose fields contain the same values again and again has each of them as a known value once.
func TestLearnedValuesAreKnownOnce(t *testing.T) {
	const n = 10_000
	if known := learn(n).Known; len(known) != n {
		t.Errorf("%d known values", len(known))
	}
}

// The time grew with the square of the number of values.
func BenchmarkShareValues(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			for b.Loop() {
				learn(n)
			}
		})
	}
}

// learn returns the note of a record with n values that go, each of which is in two fields.
func learn(n int) *Note {
	note := &Note{Document: &data.Document{Text: "Seen."}}
	r := &Record{Notes: []*Note{note}}
	for i := range n {
		r.Learn(field.Hash, "A-"+strconv.Itoa(n+i))
		r.Learn(field.Hash, "A-"+strconv.Itoa(n+i))
	}
	r.ShareValues(data.I2B2)
	return note
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
