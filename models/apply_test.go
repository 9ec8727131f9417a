package models

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/lethe-deid/lethe/data"
)

// years is a tagger that finds the first "2087" in a note, and fails if a note has spans. It records the sizes of its
// batches.
type years struct{ chunks []int }

func (y *years) Tag(_ context.Context, docs []*data.Document) ([][]data.Span, error) {
	y.chunks = append(y.chunks, len(docs))
	found := make([][]data.Span, len(docs))
	for i, d := range docs {
		if len(d.Spans) > 0 {
			return nil, errors.New("the tagger was shown the gold standard")
		}
		if at := strings.Index(d.Text, "2087"); at >= 0 {
			found[i] = []data.Span{{Start: at, End: at + 4, Type: "DATE", Score: 0.9}}
		}
	}
	return found, nil
}

// numbered returns n notes with gold spans. Those for which bad reports true are errors instead.
func numbered(n int, text string, bad func(i int) bool) data.Documents {
	return func(yield func(*data.Document, error) bool) {
		for i := range n {
			doc, err := &data.Document{ID: fmt.Sprint(i), Text: text, Spans: []data.Span{{Start: 0, End: 1, Type: "AGE", Score: 1}}}, error(nil)
			if bad(i) {
				doc, err = nil, fmt.Errorf("note %d is bad", i)
			}
			if !yield(doc, err) {
				return
			}
		}
	}
}

func none(int) bool { return false }

func TestApply(t *testing.T) {
	var used, failed []string
	var told [][2]int
	tagger := &years{}
	err := Apply(t.Context(), tagger, numbered(600, "In 2087.", func(i int) bool { return i == 5 }), Stream{
		Use: func(note, found *data.Document) error {
			if want := []data.Span{{Start: 3, End: 7, Type: "DATE", Score: 0.9}}; !slices.Equal(found.Spans, want) || found.ID != note.ID || found.Text != note.Text {
				t.Errorf("note %s: found %v in %s", note.ID, found.Spans, found.ID)
			}
			if own := []data.Span{{Start: 0, End: 1, Type: "AGE", Score: 1}}; !slices.Equal(note.Spans, own) {
				t.Errorf("note %s: own spans %v", note.ID, note.Spans)
			}
			if note.ID == "300" {
				return errors.New("note 300 cannot be written")
			}
			used = append(used, note.ID)
			return nil
		},
		Failed: func(err error) { failed = append(failed, err.Error()) },
		Stage:  "x", Total: 600,
		Progress: func(stage string, done, total int) { told = append(told, [2]int{done, total}) },
	})
	var unexamined *Unexamined
	if !errors.As(err, &unexamined) || *unexamined != (Unexamined{Failed: 2, Notes: 600}) {
		t.Errorf("error %v", err)
	}
	if want := []string{"note 5 is bad", "note 301: note 300 cannot be written"}; !slices.Equal(failed, want) {
		t.Errorf("failed %q, want %q", failed, want)
	}
	if len(used) != 598 || used[0] != "0" || used[5] != "6" || used[597] != "599" {
		t.Errorf("%d notes used, not the 598 others in order", len(used))
	}
	if want := []int{256, 256, 87}; !slices.Equal(tagger.chunks, want) {
		t.Errorf("chunks of %v notes, want %v", tagger.chunks, want)
	}
	if last := told[len(told)-1]; last != [2]int{600, 600} {
		t.Errorf("the last progress is %v", last)
	}
}

// stumbles is a tagger that fails on the note with the ID on.
type stumbles struct {
	years
	on string
}

func (s *stumbles) Tag(ctx context.Context, docs []*data.Document) ([][]data.Span, error) {
	for _, d := range docs {
		if d.ID == s.on {
			return nil, errors.New("member crf: no")
		}
	}
	return s.years.Tag(ctx, docs)
}

// TestATaggerThatFailsOnOneNote checks that a note on which the tagger fails is named in an error and never passed to Use.
// The same holds for other notes of the patient, because the failed note may affect what is found in them. All other
// notes are done.
func TestATaggerThatFailsOnOneNote(t *testing.T) {
	docs := data.Each([]*data.Document{
		{ID: "a", Text: "In 2087."}, {ID: "b", Patient: "1", Text: "In 2087."}, {ID: "c", Patient: "1", Text: "In 2087."}, {ID: "d", Patient: "2", Text: "In 2087."},
	})
	var used, untagged, failed []string
	err := Apply(t.Context(), &stumbles{on: "c"}, docs, Stream{
		Use: func(_, found *data.Document) error {
			if len(found.Spans) != 1 {
				t.Errorf("note %s: %v", found.ID, found.Spans)
			}
			used = append(used, found.ID)
			return nil
		},
		Untagged: func(d *data.Document) { untagged = append(untagged, d.ID) },
		Failed:   func(err error) { failed = append(failed, err.Error()) },
	})
	var unexamined *Unexamined
	if !errors.As(err, &unexamined) || *unexamined != (Unexamined{Failed: 2, Notes: 4}) {
		t.Errorf("error %v", err)
	}
	if !slices.Equal(used, []string{"a", "d"}) || !slices.Equal(untagged, []string{"b", "c"}) ||
		!slices.Equal(failed, []string{"note 2: member crf: no", "note 3: member crf: no"}) {
		t.Errorf("used %q, untagged %q, failed %q", used, untagged, failed)
	}
}

func TestApplyEnds(t *testing.T) {
	full := &data.Error{Path: "x", Offset: -1, Reason: "cannot be written", Err: syscall.ENOSPC}
	uses := 0
	err := Apply(t.Context(), &years{}, numbered(3, "x", none), Stream{
		Use:    func(_, _ *data.Document) error { uses++; return full },
		Failed: func(error) { t.Error("a full disk is blamed on a note") },
	})
	if !errors.Is(err, syscall.ENOSPC) || uses != 1 {
		t.Errorf("full disk: error %v after %d notes, want it after the first", err, uses)
	}

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Apply(ctx, &years{}, numbered(3, "x", none), Stream{}); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: error %v", err)
	}
	if err := Apply(t.Context(), &years{}, numbered(0, "x", none), Stream{}); err == nil {
		t.Error("no error without a note")
	}
}
