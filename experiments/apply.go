package experiments

import (
	"context"
	"errors"
	"fmt"
	"syscall"

	"github.com/lethe-deid/lethe/data"
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
// many bytes of text. One patient's documents that come in a row are tagged
// together, since a tagger may learn of one from the others, unless they are
// more than patientChunks times as much.
const (
	chunkDocuments = 256
	chunkBytes     = 8 << 20
	patientChunks  = 8
)

// Stream is how Apply tells what happens to notes.
type Stream struct {
	// Use is given each note as it was read and once more with the spans that were
	// found in the place of its own, in the order of the notes.
	Use func(note, found *data.Document) error
	// Untagged is given each note that the tagger failed on, or that it was given
	// together with such a note of the same patient. It may be nil.
	Untagged func(note *data.Document)
	// Failed is told of each note that could not be read or tagged, or that Use
	// refused: but for the first with the number of the note, since its ID may be of
	// no use, or be the reason. It may be nil.
	Failed   func(error)
	Stage    string // for Progress
	Total    int    // of the notes, 0 when unknown
	Progress Progress
}

// Apply tags notes as they are read. A note that fails costs only itself: when
// all others are done the error is an *Unexamined. A full disk and the like ends
// all at once.
func Apply(ctx context.Context, tagger data.Tagger, docs data.Documents, s Stream) error {
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
		if len(bare) == 0 {
			return nil
		}
		found, errs := TagEach(ctx, tagger, bare)
		if err := ctx.Err(); err != nil {
			return err
		}
		for i, doc := range bare {
			err := errs[i]
			if err == nil {
				doc.Spans = found[i]
				err = s.Use(chunk[i], doc)
			} else if s.Untagged != nil {
				s.Untagged(chunk[i])
			}
			if err != nil {
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
	full := func(times int) bool { return len(chunk) >= times*chunkDocuments || size >= times*chunkBytes }
	for doc, err := range docs {
		if e := ctx.Err(); e != nil {
			return e
		}
		if err == nil && full(1) && doc.Patient != bare[len(bare)-1].Patient {
			if err := flush(); err != nil {
				return err
			}
		}
		notes++
		if err != nil {
			lose(err)
			continue
		}
		chunk, numbers = append(chunk, doc), append(numbers, notes)
		bare = append(bare, &data.Document{ID: doc.ID, Patient: doc.Patient, Text: doc.Text})
		size += len(doc.Text)
		if full(patientChunks) || full(1) && doc.Patient == "" {
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

// TagEach tags documents together or, where the tagger fails, those of each patient by
// themselves, and says of each with which error it failed.
func TagEach(ctx context.Context, tagger data.Tagger, docs []*data.Document) ([][]data.Span, []error) {
	errs := make([]error, len(docs))
	found, err := tagger.Tag(ctx, docs)
	if err == nil {
		return found, errs
	}
	found = make([][]data.Span, len(docs))
	for from := 0; from < len(docs); {
		to := from + 1
		for to < len(docs) && docs[to].Patient != "" && docs[to].Patient == docs[from].Patient {
			to++
		}
		some, err := tagger.Tag(ctx, docs[from:to])
		for i := from; i < to; i++ {
			if errs[i] = err; err == nil {
				found[i] = some[i-from]
			}
		}
		from = to
	}
	return found, errs
}

// outputFailed says whether an error comes from the system, so that the next
// note would fare no better.
func outputFailed(err error) bool {
	errno := syscall.Errno(0)
	return errors.As(err, &errno)
}
