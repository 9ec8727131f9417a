// Package convert changes documents so that a format can contain them, and counts what it cannot contain.
package convert

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/format"
	"github.com/lethe-deid/lethe/internal/xmlnotes"
)

// Converter changes documents for a format. Its fields must not change after the first document.
type Converter struct {
	To      *format.Format
	Options format.Options // of the writer
	// ID is the ID that the only document gets, because the format takes it from the name of the file; empty: none.
	ID string
	// Types is the type set that readers of the format expect; nil: any. Spans of other types are kept and counted.
	Types *data.TypeSet

	Losses Losses

	used map[string]bool // IDs
}

// Losses counts what a format cannot contain of the documents of a conversion.
type Losses struct {
	Patients    int            // notes whose patient is not kept
	Added       int            // notes without a patient whose ID looks as if it contained one
	IDs         int            // IDs that change
	Scores      int            // spans whose score, which is not 1, is not kept
	Spans       int            // spans that are left out, because the format contains none
	Overlapping int            // spans that are left out because they overlap a longer one, or one at the same place
	Blank       int            // spans that are left out because they contain no token
	Inside      int            // spans that begin or end inside a token, and divide it
	Texts       int            // notes whose text changes because only its tokens are kept
	Characters  int            // characters that are replaced because XML does not allow them
	Columns     int            // columns of notes that are left out, because the format contains none
	Values      int            // values of columns that are left out, because no token starts in them or has no other one
	Others      map[string]int // spans of types beyond Converter.Types, which are kept
}

// Any reports whether anything was lost or changed.
func (l *Losses) Any() bool {
	return l.Patients+l.Added+l.IDs+l.Scores+l.Spans+l.Overlapping+l.Blank+l.Inside+l.Texts+l.Characters+l.Columns+l.Values > 0
}

// Document returns the document as the writer can write it. The given document does not change.
func (c *Converter) Document(doc *data.Document) (*data.Document, error) {
	l, limits, out := &c.Losses, c.To.Limits, *doc
	c.rename(&out)
	switch patient := c.patient(&out); {
	case doc.Patient != "" && patient != doc.Patient:
		l.Patients++
	case patient != doc.Patient:
		l.Added++
	}
	if limits.XML {
		out.Text = c.legal(out.Text)
	}
	if !c.To.Columns {
		l.Columns += len(out.Columns)
		out.Columns = nil
	}
	if c.To.TextOnly {
		l.Spans += len(out.Spans)
		out.Spans = nil
		return &out, nil
	}
	out.Spans = c.spans(out.Text, out.Spans)
	if !limits.Tokens {
		return &out, nil
	}
	again, inside, err := c.Options.Writing.Rebuilt(&out)
	if err != nil {
		return nil, fmt.Errorf("document %s: %w", doc.ID, err)
	}
	l.Inside += inside
	l.Values += c.Options.Writing.Unused(&out)
	if again.Text != out.Text {
		l.Texts++
	}
	return &out, nil
}

// patient returns the patient that a reader of the format finds.
func (c *Converter) patient(doc *data.Document) string {
	switch c.To.Limits.Patients {
	case format.ByID:
		if c.ID != "" {
			return data.PatientOf(c.ID)
		}
		return data.PatientOf(doc.ID)
	case format.Unkept:
		return ""
	}
	return doc.Patient
}

// rename gives a document another ID if the format cannot contain its own, or if an earlier document got it.
func (c *Converter) rename(doc *data.Document) {
	if c.used == nil {
		c.used = map[string]bool{}
	}
	id := doc.ID
	if !c.To.Holds(id) || c.used[id] {
		plain := c.plain(id)
		id = plain
		for n := 2; c.used[id]; n++ {
			id = plain + "-" + strconv.Itoa(n)
		}
	}
	c.used[id] = true
	if id != doc.ID || c.ID != "" && c.ID != id {
		c.Losses.IDs++
	}
	doc.ID = id
}

// plain returns an ID with other characters than ASCII letters, digits, '.', '-' and '_' replaced, or "note" if the format
// cannot contain that either.
func (c *Converter) plain(id string) string {
	const most = 150
	id = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' || r == '.' {
			return r
		}
		return '_'
	}, id)
	id = strings.TrimLeft(id, ".")
	id = id[:min(len(id), most)]
	if id == "" || !c.To.Holds(id) {
		return "note"
	}
	return id
}

// legal replaces characters that XML does not allow by others of the same length, so that no span moves.
func (c *Converter) legal(text string) string {
	if _, _, illegal := xmlnotes.Illegal(text); !illegal {
		return text
	}
	return strings.Map(func(r rune) rune {
		if _, _, illegal := xmlnotes.Illegal(string(r)); !illegal {
			return r
		}
		c.Losses.Characters++
		if r < ' ' {
			return ' '
		}
		return '\uFFFD'
	}, text)
}

// spans returns the spans that the format can contain.
func (c *Converter) spans(text string, spans []data.Span) []data.Span {
	l, limits := &c.Losses, c.To.Limits
	var kept []data.Span
	for _, s := range spans {
		if limits.Tokens && c.Options.Writing.Blank(text, s) {
			l.Blank++
			continue
		}
		kept = append(kept, s)
	}
	if limits.Overlaps {
		flat := data.Flatten(kept)
		l.Overlapping += len(kept) - len(flat)
		kept = flat
	}
	for i, s := range kept {
		if limits.Scores && s.Score != 1 {
			l.Scores++
			kept[i].Score = 1
		}
		if c.Types != nil && !c.Types.Has(s.Type) {
			if l.Others == nil {
				l.Others = map[string]int{}
			}
			l.Others[s.Type]++
		}
	}
	return kept
}
