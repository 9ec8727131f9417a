package experiments

import (
	"context"
	"errors"
	"fmt"
	"syscall"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/taggers"
)

// Progress is told how far a stage, such as "reading train", has come. Total is
// 0 where nobody knows. It may be nil, and is called from one goroutine.
type Progress func(stage string, done, total int)

func (p Progress) tell(stage string, done, total int) {
	if p != nil {
		p(stage, done, total)
	}
}

// Unexamined is the error of a command that did all it could, but not for
// every note.
type Unexamined struct {
	Failed, Notes int // how many could not be examined, of how many
}

func (e *Unexamined) Error() string {
	return fmt.Sprintf("%d of %d notes could not be examined", e.Failed, e.Notes)
}

// What is tagged at a time, and so held in memory: so many documents, or so
// many bytes of text.
const (
	chunkDocuments = 256
	chunkBytes     = 8 << 20
)

// Stream is how Apply tells what happens to notes.
type Stream struct {
	// Use is given each note as it was read and once more with the spans that were
	// found in the place of its own, in the order of the notes.
	Use func(note, found *data.Document) error
	// Failed is told of each note that could not be read, or that Use refused: then
	// with the number of the note, since its ID may be of no use, or be the reason.
	// It may be nil.
	Failed   func(error)
	Stage    string // for Progress
	Total    int    // of the notes, 0 when unknown
	Progress Progress
}

// Apply tags notes as they are read. A note that fails costs only itself: when
// all others are done the error is an *Unexamined. A full disk and the like ends
// all at once.
func Apply(ctx context.Context, tagger taggers.Tagger, docs data.Documents, s Stream) error {
	var (
		chunk, bare   []*data.Document // as they were read, and without their spans
		numbers       []int            // of the notes in the chunk, from 1
		size          int
		notes, failed int
	)
	lose := func(err error) {
		failed++
		if s.Failed != nil {
			s.Failed(err)
		}
	}
	flush := func() error {
		if len(chunk) == 0 {
			return nil
		}
		found, err := tagger.Tag(ctx, bare)
		if err != nil {
			return err
		}
		for i, doc := range bare {
			doc.Spans = found[i]
			if err := s.Use(chunk[i], doc); err != nil {
				if outputFailed(err) {
					return err
				}
				lose(fmt.Errorf("note %d: %w", numbers[i], err))
			}
			s.Progress.tell(s.Stage, notes-len(bare)+i+1, s.Total)
		}
		chunk, bare, numbers, size = chunk[:0], bare[:0], numbers[:0], 0
		return nil
	}
	for doc, err := range docs {
		if e := ctx.Err(); e != nil {
			return e
		}
		notes++
		if err != nil {
			lose(err)
			continue
		}
		chunk, numbers = append(chunk, doc), append(numbers, notes)
		bare = append(bare, &data.Document{ID: doc.ID, Patient: doc.Patient, Text: doc.Text})
		if size += len(doc.Text); len(chunk) == chunkDocuments || size >= chunkBytes {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	if err := flush(); err != nil {
		return err
	}
	switch {
	case notes == 0:
		return errors.New("there is no note to examine")
	case failed > 0:
		return &Unexamined{failed, notes}
	}
	return nil
}

// outputFailed says whether an error comes from the system, so that the next
// note would fare no better.
func outputFailed(err error) bool {
	errno := syscall.Errno(0)
	return errors.As(err, &errno)
}
