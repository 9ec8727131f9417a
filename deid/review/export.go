package review

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data"
)

// ID returns the ID of a note in the notes that Documents returns and Import takes: its number with four digits. The note's own
// ID is not used, because it may identify somebody, and two notes may have the same.
func ID(number int) string { return fmt.Sprintf("%04d", number) }

// Whose says whose spans the notes that Documents returns have, besides the name of a reader.
const (
	WhoseGold  = "gold"  // those that the readers have decided
	WhoseModel = "model" // those that the model found
)

// Unfinished counts the notes of a review that are not decided.
type Unfinished struct {
	Undecided int // a reader is not done
	Differing int // two readers differ, and Final has not decided
	Notes     int // in the review
}

func (e *Unfinished) Error() string {
	return fmt.Sprintf("%d of %d notes are not decided: a reader is not done with %d, and the readers differ on %d", e.Undecided+e.Differing, e.Notes, e.Undecided, e.Differing)
}

// Documents returns the notes with somebody's spans: those that are decided, those that a reader is done with, or all with the
// spans of the model. For WhoseGold, the error is an *Unfinished if some notes are not decided; the others are returned
// nevertheless.
func (r *Review) Documents(whose string) ([]*data.Document, error) {
	if whose != WhoseGold && whose != WhoseModel && !r.has(whose) {
		return nil, ErrNoReader
	}
	left := &Unfinished{Notes: len(r.Notes)}
	var docs []*data.Document
	for number := 1; number <= len(r.Notes); number++ {
		n, err := r.Note(number)
		if err != nil {
			return nil, err
		}
		doc := &data.Document{ID: ID(number), Patient: n.Patient, Text: n.Text}
		switch whose {
		case WhoseModel:
			doc.Spans = n.Found()
		case WhoseGold:
			spans, verdict, err := r.Gold(number)
			if err != nil {
				return nil, err
			}
			if verdict == Undecided || verdict == Differing {
				if verdict == Undecided {
					left.Undecided++
				} else {
					left.Differing++
				}
				continue
			}
			doc.Spans = spans
		default:
			found, err := r.load(number, whose)
			if err != nil {
				return nil, err
			}
			if !found.Done {
				left.Undecided++
				continue
			}
			doc.Spans = found.Spans
		}
		docs = append(docs, doc)
	}
	if left.Undecided+left.Differing > 0 {
		return docs, left
	}
	return docs, nil
}

// Import stores the spans of documents as readings of a reader, who is then done with these notes. The IDs must be those of ID,
// and the texts those of the notes, except for white space, which formats of tokens do not keep. It stores nothing unless all documents fit. It
// returns the number of notes, without those that the reader has read with the same result before.
func (r *Review) Import(reader string, docs []*data.Document) (int, error) {
	if !r.has(reader) {
		return 0, ErrNoReader
	}
	put, seen := map[int]Reading{}, map[int]bool{}
	for _, doc := range docs {
		number, err := strconv.Atoi(doc.ID)
		if err != nil || doc.ID != ID(number) {
			return 0, fmt.Errorf("the note %q does not have the ID of a note in the review, such as %s", doc.ID, ID(1))
		}
		n, err := r.Note(number)
		if err != nil {
			return 0, fmt.Errorf("note %s: %w", doc.ID, err)
		}
		if seen[number] {
			return 0, fmt.Errorf("note %s: is there twice", doc.ID)
		}
		seen[number] = true
		marked, ok := moved(doc.Spans, doc.Text, n.Text)
		if !ok {
			return 0, fmt.Errorf("note %s: has another text than in the review", doc.ID)
		}
		spans, err := r.check(n, marked)
		if err != nil {
			return 0, fmt.Errorf("note %s: %w", doc.ID, err)
		}
		now, err := r.load(number, reader)
		if err != nil {
			return 0, err
		}
		put[number] = Reading{now.Version, true, spans}
		if now.Done && slices.Equal(now.Spans, spans) {
			delete(put, number)
		} else if closed, err := r.Closed(number); err != nil {
			return 0, err
		} else if closed && reader != Final {
			return 0, fmt.Errorf("note %s: %w", doc.ID, ErrClosed)
		} else if !closed && reader == Final {
			return 0, fmt.Errorf("note %s: %w", doc.ID, ErrNotDone)
		}
	}
	for _, number := range slices.Sorted(maps.Keys(put)) {
		if _, err := r.Put(number, reader, put[number]); err != nil {
			return 0, fmt.Errorf("note %s: %w", ID(number), err)
		}
	}
	return len(put), nil
}

// moved returns the spans of a text in another one that differs from it only in white space. It is not ok if the texts differ in anything else.
func moved(spans []data.Span, from, to string) (_ []data.Span, ok bool) {
	if strings.TrimRight(from, "\r\n") == strings.TrimRight(to, "\r\n") {
		return spans, true
	}
	places := make([]int, len(from)) // where the bytes of from are in to, except those of white space
	at := 0
	for i, r := range from {
		if unicode.IsSpace(r) {
			continue
		}
		at += len(to[at:]) - len(strings.TrimLeftFunc(to[at:], unicode.IsSpace))
		if !strings.HasPrefix(to[at:], from[i:i+utf8.RuneLen(r)]) {
			return nil, false
		}
		for k := range utf8.RuneLen(r) {
			places[i+k] = at + k
		}
		at += utf8.RuneLen(r)
	}
	if strings.TrimSpace(to[at:]) != "" {
		return nil, false
	}
	all := slices.Clone(spans)
	for i, s := range spans {
		if s.Start < 0 || s.End > len(from) || s.Start >= s.End {
			return nil, false
		}
		value := strings.TrimFunc(from[s.Start:s.End], unicode.IsSpace)
		start := s.Start + strings.Index(from[s.Start:s.End], value)
		all[i].Start, all[i].End = 0, 0 // empty, which is an error
		if value != "" {
			all[i].Start, all[i].End = places[start], places[start+len(value)-1]+1
		}
	}
	return all, true
}
