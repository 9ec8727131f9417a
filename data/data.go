// Package data holds what every part of Lethe speaks of: a document, the
// spans of protected health information (PHI) in it, its tokens, type sets and
// label schemes. It is the lowest floor: it knows no file format (those are
// data/i2b2, data/brat, ... and data/format) and no tagger.
//
// All offsets are byte offsets into the untouched UTF-8 text, half-open.
// Readers and writers convert from and to code points or UTF-16 units.
package data

import (
	"fmt"
	"iter"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Document is one clinical note. Text is valid UTF-8 and is never changed.
type Document struct {
	ID      string // file name without extension, or the id the file gives
	Patient string // whose note it is; empty when unknown
	Text    string
	Spans   []Span // sorted by SortSpans
}

// Span is one PHI phrase: Text[Start:End], of the type Type. Score is the
// confidence in [0,1]; a gold span has 1.
type Span struct {
	Start, End int
	Type       string
	Score      float64
}

// Token is one token of a document: Text[Start:End], never empty.
type Token struct {
	Start, End int
}

// Group is the patient whose note this is or, when unknown, the note itself:
// the unit that splits and folds at patient level keep together.
func (d *Document) Group() string {
	if d.Patient != "" {
		return d.Patient
	}
	return d.ID
}

// Check returns an error, free of note content, when the text is not UTF-8 or
// a span is empty, reversed, beyond the text or inside a code point.
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
	return nil
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

// Documents is how notes are read: one at a time, in a fixed order. An error
// is about one note (or, when the source as a whole cannot be read, the last
// item), names file and line or offset, and never quotes the note.
type Documents = iter.Seq2[*Document, error]

// Each reads documents that are in memory.
func Each(docs []*Document) Documents {
	return func(yield func(*Document, error) bool) {
		for _, d := range docs {
			if !yield(d, nil) {
				return
			}
		}
	}
}

// Collect reads all documents, stopping at the first error.
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

// Error is a defect of an input file. It never holds a note's content.
type Error struct {
	Path   string
	Line   int // 1-based, 0 when unknown
	Offset int // byte offset, or code point where Reason says so; -1 when unknown
	Reason string
	Err    error // cause, or nil
}

func (e *Error) Error() string {
	s := e.Path
	if strings.ContainsFunc(s, unicode.IsControl) { // a line end would make two messages of one
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
