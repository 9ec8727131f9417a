package models

import (
	"context"
	"errors"
	"fmt"
	"syscall"

	"github.com/lethe-deid/lethe/data"
)

// Progress is a callback for the progress of a stage, such as "reading train": done of total items are done. total is 0
// if it is unknown. All calls come from the same goroutine. A Progress may be nil: see Tell.
type Progress func(stage string, done, total int)

// Tell calls p unless it is nil.
func (p Progress) Tell(stage string, done, total int) {
	if p != nil {
		p(stage, done, total)
	}
}

// Unexamined is the error for notes that could not be read, tagged or written. All other notes were handled.
type Unexamined struct {
	Failed int // number of notes that could not be examined
	Notes  int // total number of notes
	// Others says that records without notes, such as rows of a table whose note is null, were done, also if no note was.
	Others bool
}

// Partly reports whether something was done.
func (e *Unexamined) Partly() bool { return e.Failed < e.Notes || e.Others }

func (e *Unexamined) Error() string {
	return fmt.Sprintf("%d of %d notes could not be examined", e.Failed, e.Notes)
}

// Stream contains the callbacks of Apply. All calls come from the goroutine that called Apply.
type Stream struct {
	// Use receives each note that was tagged, in the order of the notes. Its parameter note is the note as it was read;
	// its parameter found is a copy with the tagger's spans instead of the note's own. If Use returns an error, the note
	// counts as failed. Use is required.
	Use func(note, found *data.Document) error
	// Untagged receives each note that the tagger failed on, and the adjacent notes of the same patient in the same
	// batch. It may be nil.
	Untagged func(note *data.Document)
	// Failed receives the error of each note that could not be read or tagged, or for which Use returned an error.
	// All errors except those of reading start with the number of the note, from 1. It may be nil.
	Failed   func(error)
	Stage    string   // stage for Progress
	Total    int      // number of notes for Progress; 0 if it is unknown
	Progress Progress // may be nil
}

// Apply tags notes while it reads them, in batches (see data.Batches), and passes the results to the callbacks of s.
//
// If notes fail, it continues with the others and finally returns an [*Unexamined]. It stops at once if ctx is cancelled,
// with the error of ctx, or if Use or the tagger returns an error of the operating system, such as a full disk. It is also
// an error if there are no notes.
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
		bare := make([]*data.Document, len(batch)) // the notes without their own spans
		for i, n := range batch {
			bare[i] = &data.Document{ID: n.ID, Patient: n.Patient, Text: n.Text, Language: n.Language, Columns: n.Columns}
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
		return errors.New("there are no notes to examine")
	case failed > 0:
		return &Unexamined{Failed: failed, Notes: notes}
	}
	return nil
}

// outputFailed reports whether an error comes from the operating system, so that writing the next note would fail, too.
func outputFailed(err error) bool {
	errno := syscall.Errno(0)
	return errors.As(err, &errno)
}
