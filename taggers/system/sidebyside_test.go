package system

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/synth"
)

// Networks and CRFs that are trained side by side share the notes and their copies, and become the
// same as one after another. Under the race detector, this test also shows that they share nothing
// that they change.
func TestSideBySideBits(t *testing.T) {
	config := decode(t, `{ensemble: {members: [{name: a, system: `+network+`}, {name: b, system: `+network+`}, {name: c, system: `+features+`}]}}`)
	docs := notes(t, 4, synth.Test)
	var found [][][]data.Span
	for _, workers := range []int{1, 3} { // each member has one in both
		job := task(t, t.TempDir())
		job.Workers = workers
		train := job.Train
		job.Copies = func(int) ([]*data.Document, error) { return train, nil }
		tagger, err := Fit(t.Context(), config, job)
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, tag(t, tagger, docs))
	}
	if diff := cmp.Diff(found[0], found[1]); diff != "" {
		t.Errorf("-one after another +side by side\n%s", diff)
	}
}
