package main

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/models"
)

// lund finds "Dr. Lund" and nothing else.
type lund struct{}

func (lund) Tag(_ context.Context, docs []*data.Document) ([][]data.Span, error) {
	found := make([][]data.Span, len(docs))
	for i, d := range docs {
		if at := strings.Index(d.Text, "Dr. Lund"); at >= 0 {
			found[i] = []data.Span{{Start: at + 4, End: at + 8, Type: "DOCTOR", Score: 0.7}}
		}
	}
	return found, nil
}

func TestNetted(t *testing.T) {
	types := data.I2B2
	docs := []*data.Document{
		{ID: "1", Patient: "7", Text: "Seen by Dr. Lund. LUND called from (555) 123-4567."},
		{ID: "2", Patient: "7", Text: "Lund again."}, // the same patient's
		{ID: "3", Patient: "8", Text: "Lund again."}, // another's
		{ID: "4", Text: "Lund again."},               // and nobody knows whose
	}
	for name, want := range map[string]string{
		"auto": "Seen by Dr. [DOCTOR Lund]. [DOCTOR LUND] called from [PHONE (555) 123-4567]. [DOCTOR Lund] again. Lund again. Lund again.",
		"none": "Seen by Dr. [DOCTOR Lund]. [DOCTOR LUND] called from (555) 123-4567. [DOCTOR Lund] again. Lund again. Lund again.",
		"off":  "Seen by Dr. [DOCTOR Lund]. LUND called from (555) 123-4567. Lund again. Lund again. Lund again.",
	} {
		tagger, err := newNetted(lund{}, name, &models.Model{Types: types}, 2)
		if err != nil {
			t.Fatal(err)
		}
		found, err := tagger.Tag(t.Context(), docs)
		if err != nil {
			t.Fatal(err)
		}
		var shown []string
		for i, d := range docs {
			var b strings.Builder
			at := 0
			for _, s := range found[i] {
				b.WriteString(d.Text[at:s.Start] + "[" + s.Type + " " + d.Text[s.Start:s.End] + "]")
				at = s.End
			}
			shown = append(shown, b.String()+d.Text[at:])
		}
		if diff := cmp.Diff(want, strings.Join(shown, " ")); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if found[0][0].Score != 0.7 || docs[0].Spans != nil {
			t.Errorf("%s: score %v, and the note has %v", name, found[0][0].Score, docs[0].Spans)
		}
	}
	if _, err := newNetted(lund{}, "no-such-file", &models.Model{Types: types}, 1); err == nil || !strings.Contains(err.Error(), "--safety-net") {
		t.Errorf("error %v", err)
	}
}
