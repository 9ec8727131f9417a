package models

import (
	"context"
	"errors"
	"fmt"
	"syscall"

	"github.com/lethe-deid/lethe/data"
)

// Progress is told how far a stage, such as "reading train", has come. Total is 0 if it is
// unknown. It may be nil, and is called from one goroutine.
type Progress func(stage string, done, total int)

// Tell calls p unless it is nil.
func (p Progress) Tell(stage string, done, total int) {
	if p != nil {
		p(stage, done, total)
	}
}

// Unexamined is returned when all notes but some were handled: the others could not be read,
// tagged or written.
type Unexamined struct {
	Failed, Notes int // how many could not be examined, of how many
}

func (e *Unexamined) Error() string {
	return fmt.Sprintf("%d of %d notes could not be examined", e.Failed, e.Notes)
}

// Stream says what Apply does with notes.
type Stream struct {
	// Use is given each note as it was read, and a copy with the spans that were found
	// instead of its own, in the order of the notes.
	Use func(note, found *data.Document) error
	// Untagged is given each note that the tagger failed on, and the notes of the same
	// patient that were given to it together with such a note. It may be nil.
	Untagged func(note *data.Document)
	// Failed is given the error of each note that could not be read or tagged, or that Use
	// refused. All but reading errors carry the number of the note, since its ID may be of no use, or
	// be the reason. It may be nil.
	Failed   func(error)
	Stage    string // for Progress
	Total    int    // number of notes, 0 if it is unknown
	Progress Progress
}

// Apply tags notes as they are read, in batches: see data.Batches. A note that fails costs only
// itself: when all others are done the error is an *Unexamined. A full disk and the like end
// everything at once.
func Apply(ctx context.Context, tagger data.Tagger, docs data.Documents, s Stream) error {
	notes, failed := 0, 0
	lose := func(err error) {
		failed++
		if s.Failed != nil {
			s.Failed(err)
		}
	}
	type numbered struct {
		*data.Document
		number int // from 1
	}
	readable := func(yield func(numbered) bool) {
		for doc, err := range docs {
			if ctx.Err() != nil {
				return
			}
			notes++
			if err != nil {
				lose(err)
			} else if !yield(numbered{doc, notes}) {
				return
			}
		}
	}
	size := func(n numbered) data.BatchSize {
		return data.BatchSize{First: n.Patient, Last: n.Patient, Notes: 1, Bytes: len(n.Text)}
	}
	for batch := range data.Batches(readable, size) {
		bare := make([]*data.Document, len(batch)) // without the spans that they have
		for i, n := range batch {
			bare[i] = &data.Document{ID: n.ID, Patient: n.Patient, Text: n.Text}
		}
		found, errs := data.TagEach(ctx, tagger, bare)
		if err := ctx.Err(); err != nil {
			return err
		}
		for i, n := range batch {
			err := errs[i]
			if err == nil {
				bare[i].Spans = found[i]
				err = s.Use(n.Document, bare[i])
			} else if s.Untagged != nil {
				s.Untagged(n.Document)
			}
			if err != nil {
				if outputFailed(err) {
					return err
				}
				lose(fmt.Errorf("note %d: %w", n.number, err))
			}
			s.Progress.Tell(s.Stage, n.number, s.Total)
		}
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case notes == 0:
		return errors.New("there is no note to examine")
	case failed > 0:
		return &Unexamined{failed, notes}
	}
	return nil
}

// outputFailed reports whether an error comes from the system, so that the next
// note would fare no better.
func outputFailed(err error) bool {
	errno := syscall.Errno(0)
	return errors.As(err, &errno)
}
