// Package data defines what all parts of Lethe share: documents, their spans of
// protected health information (PHI), tokens, type sets and label schemes.
//
//	doc := &data.Document{ID: "1", Text: "Seen by Dr. Amundsen."}
//	doc.Spans = []data.Span{{Start: 12, End: 20, Type: "DOCTOR", Score: 1}}
//	if err := doc.Check(); err != nil {
//		return err
//	}
//
// The package depends on no other package of Lethe; file formats are in the packages
// below it (data/i2b2, data/brat, ..., and data/format for all of them).
//
// All offsets are byte offsets into the unmodified UTF-8 text, and all ranges are
// half-open. Readers and writers convert to and from code points or UTF-16 units.
package data

import (
	"fmt"
	"iter"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Document is one clinical note. Text is valid UTF-8 and is never modified.
type Document struct {
	ID      string // the path of the file within the folder that was read, with slashes and without extension, or the ID in the file
	Patient string // ID of the patient; empty if unknown
	Text    string
	// Language is the language of the text, as an ISO 639-1 code, if something outside of the text tells it. It is empty in most documents.
	// A tagger for several languages uses it where the text itself does not tell.
	Language string
	Spans    []Span // sorted by SortSpans
	// Fragmented is how many discontinuous spans the file of the note has; Spans contains what
	// Fragments made of them.
	Fragmented int
	// Columns are values of ranges of the text that came with it, such as parts of speech, by the name of
	// their column. They are features of taggers, not PHI to find. A document can have a column without values.
	Columns map[string][]Label
}

// Span is one PHI phrase, Text[Start:End], of the given Type. Score is the
// tagger's confidence in [0, 1]; gold spans have 1.
type Span struct {
	Start, End int
	Type       string
	Score      float64
}

// Token is one token of a document, Text[Start:End]. It is never empty.
type Token struct {
	Start, End int
}

// Group returns the patient or, if that is unknown, the ID of the note. Splits and
// folds at patient level keep the documents of one group together.
func (d *Document) Group() string {
	if d.Patient != "" {
		return d.Patient
	}
	return d.ID
}

// Check returns an error if the text is not UTF-8, or if a span is empty,
// reversed, beyond the text, or starts or ends inside a code point, and likewise
// for the labels of columns. The error contains no text of the note.
func (d *Document) Check() error {
	if !utf8.ValidString(d.Text) {
		return fmt.Errorf("document %s: invalid UTF-8 at byte %d", d.ID, invalidAt(d.Text))
	}
	for i, s := range d.Spans {
		switch {
		case s.Start < 0 || s.End > len(d.Text):
			return fmt.Errorf("document %s: span %d [%d,%d) lies beyond the text of %d bytes", d.ID, i, s.Start, s.End, len(d.Text))
		case s.Start >= s.End:
			return fmt.Errorf("document %s: span %d [%d,%d) is empty or reversed", d.ID, i, s.Start, s.End)
		case !onRune(d.Text, s.Start) || !onRune(d.Text, s.End):
			return fmt.Errorf("document %s: span %d [%d,%d) cuts a code point", d.ID, i, s.Start, s.End)
		}
	}
	return d.checkColumns()
}

func onRune(s string, i int) bool { return i == len(s) || utf8.RuneStart(s[i]) }

func invalidAt(s string) int {
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n <= 1 {
			return i
		}
		i += n
	}
	return -1
}

// Documents is a sequence of notes that are read one at a time, in a fixed order.
// An error concerns one note, and the sequence continues with the next one. If the
// source cannot be read at all, the error is the last item. Errors name the file
// and the line or offset, and never quote the note.
type Documents = iter.Seq2[*Document, error]

// Each yields documents that are in memory.
func Each(docs []*Document) Documents {
	return func(yield func(*Document, error) bool) {
		for _, d := range docs {
			if !yield(d, nil) {
				return
			}
		}
	}
}

// Collect returns all documents. It stops at the first error and returns it.
func Collect(docs Documents) ([]*Document, error) {
	var all []*Document
	for d, err := range docs {
		if err != nil {
			return nil, err
		}
		all = append(all, d)
	}
	return all, nil
}

// Error reports a problem with a file of notes. It never contains text of a note.
type Error struct {
	Path   string
	Line   int // 1-based; 0: unknown
	Offset int // in bytes, or in code points if Reason says so; -1: unknown
	Reason string
	Err    error // the cause, may be nil
}

func (e *Error) Error() string {
	s := e.Path
	if strings.ContainsFunc(s, unicode.IsControl) { // a line end would split the message
		s = strconv.Quote(s)
	}
	if e.Line > 0 {
		s = fmt.Sprintf("%s:%d", s, e.Line)
	}
	s += ": " + e.Reason
	if e.Offset >= 0 {
		s += fmt.Sprintf(" (offset %d)", e.Offset)
	}
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

func (e *Error) Unwrap() error { return e.Err }
