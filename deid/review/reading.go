package review

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/internal/bounded"
	"github.com/lethe-deid/lethe/internal/lockfile"
)

// Reading is what a reader says about a note.
type Reading struct {
	Version int // counts the changes; 0 if the reader has not begun
	Done    bool
	Spans   []data.Span // sorted and disjoint; before the reader has begun, those to begin with
}

// reading is the file of a Reading.
type reading struct {
	Version int    `json:"version"`
	Done    bool   `json:"done"`
	Spans   []Span `json:"spans"`
}

// The errors for readings that cannot be read or written now. They are no failures.
var (
	ErrNoReader = errors.New("the review has no reader with this name")
	ErrVersion  = errors.New("somebody else has changed this note in the meantime: load it again")
	ErrClosed   = errors.New("both readers are done with this note: only final can change it")
	ErrNotDone  = errors.New("a reader is not done with this note yet")
)

// ErrSpans is the error for spans that do not fit a note.
type ErrSpans struct{ reason string }

func (e *ErrSpans) Error() string { return e.reason }

// Reading returns what a reader says about a note. A reader who has not begun gets the spans of the model, or none if the
// review is Unaided; Final gets those on which the readers agree. The error for Final is ErrNotDone until both readers are
// done.
func (r *Review) Reading(number int, reader string) (*Reading, error) {
	n, err := r.Note(number)
	if err != nil {
		return nil, err
	}
	return r.reading(n, reader)
}

func (r *Review) reading(n *Note, reader string) (*Reading, error) {
	if !r.has(reader) {
		return nil, ErrNoReader
	}
	if reader == Final {
		if closed, err := r.Closed(n.Number); err != nil {
			return nil, err
		} else if !closed {
			return nil, ErrNotDone
		}
	}
	found, err := r.load(n.Number, reader)
	if err != nil || found.Version > 0 {
		return found, err
	}
	switch {
	case reader == Final:
		_, found.Spans, err = r.both(n.Number)
	case !r.Unaided:
		found.Spans = n.Found()
	}
	return found, err
}

// load reads the file of a reading. If there is none, the reading has version 0 and no spans.
func (r *Review) load(number int, reader string) (*Reading, error) {
	path := r.readingPath(number, reader)
	raw, err := bounded.ReadFile(path, bounded.MaxModel)
	if errors.Is(err, fs.ErrNotExist) {
		return &Reading{}, nil
	}
	if err != nil {
		return nil, err
	}
	var f reading
	err = unmarshal(raw, &f)
	for i, s := range f.Spans {
		if s.Start >= s.End || s.Start < 0 || s.End > r.Notes[number-1].Bytes || i > 0 && s.Start < f.Spans[i-1].End {
			err = errors.New("has spans that overlap or are not in the note")
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &Reading{f.Version, f.Done, fromJSON(f.Spans)}, nil
}

func (r *Review) readingPath(number int, reader string) string {
	return filepath.Join(r.dir, readersFolder, reader, fileName(number))
}

// Closed reports whether there are two readers, and both are done with a note. Then each may see what the other has marked,
// so that neither can change it any more.
func (r *Review) Closed(number int) (bool, error) {
	for _, reader := range r.Readers {
		if found, err := r.load(number, reader); err != nil || !found.Done {
			return false, err
		}
	}
	return len(r.Readers) == 2, nil
}

// Put stores what a reader says about a note, and returns the new version. Its Version must be that of the newest reading, and
// its spans must be disjoint, in any order. Their scores become 1.
//
// The error is ErrVersion if there is a newer version, ErrClosed if both readers are done with the note and reader is one of
// them, ErrNotDone if reader is Final and they are not, and *ErrSpans if the spans are invalid.
func (r *Review) Put(number int, reader string, next Reading) (version int, err error) {
	if !r.has(reader) {
		return 0, ErrNoReader
	}
	n, err := r.Note(number)
	if err != nil {
		return 0, err
	}
	spans, err := r.check(n, next.Spans)
	if err != nil {
		return 0, err
	}
	release, err := r.lock()
	if err != nil {
		return 0, err
	}
	defer release()
	closed, err := r.Closed(number)
	if err != nil {
		return 0, err
	}
	now, err := r.load(number, reader)
	switch {
	case err != nil:
		return 0, err
	case closed && reader != Final:
		return 0, ErrClosed
	case !closed && reader == Final:
		return 0, ErrNotDone
	case next.Version != now.Version:
		return 0, ErrVersion
	}
	_, err = write(r.readingPath(number, reader), reading{now.Version + 1, next.Done, toJSON(spans)})
	return now.Version + 1, err
}

// check returns the spans sorted and with the score 1.
func (r *Review) check(n *Note, spans []data.Span) ([]data.Span, error) {
	spans = slices.Clone(spans)
	data.SortSpans(spans)
	for i := range spans {
		spans[i].Score = 1
		s := spans[i]
		switch {
		case !slices.Contains(r.TypeNames, s.Type):
			return nil, &ErrSpans{fmt.Sprintf("the span at byte %d does not have a type of the review", s.Start)}
		case i > 0 && s.Start < spans[i-1].End:
			return nil, &ErrSpans{fmt.Sprintf("the spans at the bytes %d and %d overlap", spans[i-1].Start, s.Start)}
		}
	}
	if err := n.Document(spans).Check(); err != nil {
		return nil, &ErrSpans{"a span is empty, is beyond the text or cuts a character"}
	}
	return spans, nil
}

// How long lock waits for another process, which writes one small file.
const (
	lockFile  = ".lock"
	lockPause = 5 * time.Millisecond
	lockTries = 2000
)

// lock prevents others, also other processes, from writing to the review until the result is called.
func (r *Review) lock() (release func(), err error) {
	r.writing.Lock()
	for range lockTries {
		f, err := lockfile.Open(filepath.Join(r.dir, lockFile), os.O_RDWR|os.O_CREATE, 0o600)
		if err == nil {
			return func() {
				_ = f.Close()
				r.writing.Unlock()
			}, nil
		}
		if !errors.Is(err, lockfile.ErrLocked) {
			r.writing.Unlock()
			return nil, err
		}
		time.Sleep(lockPause)
	}
	r.writing.Unlock()
	return nil, fmt.Errorf("%s: another process has been writing to the review for more than %v", r.dir, lockPause*lockTries)
}

// both returns the spans of the two readers who are done with a note, and those on which they agree.
func (r *Review) both(number int) (of [2][]data.Span, agreed []data.Span, err error) {
	for i, reader := range r.Readers {
		found, err := r.load(number, reader)
		if err != nil {
			return of, nil, err
		}
		of[i] = found.Spans
	}
	for _, s := range of[0] {
		if slices.Contains(of[1], s) {
			agreed = append(agreed, s)
		}
	}
	return of, agreed, nil
}

// Differences returns the spans of two readers, in the order of Readers, and those on which they agree. The error is ErrNotDone
// unless there are two readers who are done with the note.
func (r *Review) Differences(number int) (of [2][]data.Span, agreed []data.Span, err error) {
	if number < 1 || number > len(r.Notes) {
		return of, nil, ErrNoNote
	}
	closed, err := r.Closed(number)
	if err == nil && !closed {
		err = ErrNotDone
	}
	if err != nil {
		return of, nil, err
	}
	return r.both(number)
}

// State is how far a reader is with a note.
type State string

// The states of a note.
const (
	ToDo  State = "open" // not begun
	Begun State = "begun"
	Done  State = "done"
)

// States returns the state of each reader for a note and, if there are two, of Final; and who has decided it.
func (r *Review) States(number int) (map[string]State, Verdict, error) {
	all := map[string]State{}
	readers := slices.Clone(r.Readers)
	if len(readers) == 2 {
		readers = append(readers, Final)
	}
	for _, reader := range readers {
		found, err := r.load(number, reader)
		if err != nil {
			return nil, Undecided, err
		}
		all[reader] = found.State()
	}
	_, verdict, err := r.Gold(number)
	return all, verdict, err
}

// State returns how far the reader is.
func (r *Reading) State() State {
	switch {
	case r.Done:
		return Done
	case r.Version > 0:
		return Begun
	}
	return ToDo
}

// Verdict says who decided what is PHI in a note.
type Verdict string

// The verdicts.
const (
	Undecided Verdict = ""          // a reader is not done
	Single    Verdict = "single"    // the only reader
	Agreed    Verdict = "agreed"    // both readers have the same spans
	Differing Verdict = "differing" // both readers are done, with different spans, and Final is not
	Decided   Verdict = "final"     // Final
)

// Gold returns what is PHI in a note according to the readers, and who decided it. If they differ, the result is all that
// either of them marked, with overlapping spans joined. It is empty if the note is Undecided.
func (r *Review) Gold(number int) ([]data.Span, Verdict, error) {
	if len(r.Readers) == 1 {
		only, err := r.load(number, r.Readers[0])
		if err != nil || !only.Done {
			return nil, Undecided, err
		}
		return only.Spans, Single, nil
	}
	closed, err := r.Closed(number)
	if err != nil || !closed {
		return nil, Undecided, err
	}
	if final, err := r.load(number, Final); err != nil || final.Done {
		return final.spans(), Decided, err
	}
	of, agreed, err := r.both(number)
	if len(agreed) == len(of[0]) && len(agreed) == len(of[1]) {
		return agreed, Agreed, err
	}
	return data.Merge(slices.Concat(of[0], of[1])), Differing, err
}

func (r *Reading) spans() []data.Span {
	if r == nil {
		return nil
	}
	return r.Spans
}
