package conll

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/internal/notes"
	"github.com/lethe-deid/lethe/data/internal/sequence"
)

// Create returns a writer of all documents into one file, which appears at Close.
// The file has one token and its label per line, and a line "-DOCSTART- ID O"
// before each document. If the documents have columns, of which all must have the
// same, these are between the token and the label, sorted by their names, and
// separated by tabs; a token without a value has _.
//
// Tokens are split further at both ends of every span, so that no span moves. A
// sentence does not end within a span. The format loses the text's white space,
// empty lines, patients and scores. Write refuses spans that overlap or contain
// only white space, the token -DOCSTART-, and an ID that could not be read back
// (see Holds).
func Create(path string, types *data.TypeSet, w Writing) (data.Writer, error) {
	var columns []string
	first := true
	return notes.NewFile(path, types, func(doc *data.Document) ([]byte, error) {
		if first {
			columns, first = doc.ColumnNames(), false
		}
		if !slices.Equal(columns, doc.ColumnNames()) {
			return nil, errors.New("the columns differ from those of the first document")
		}
		return encode(doc, w)
	})
}

// Holds reports whether a -DOCSTART- line can contain an ID.
func Holds(id string) bool {
	return documentID(split(boundary+" "+id+" O")) == id && !strings.ContainsAny(id, "\n"+otherLineEnds)
}

func encode(doc *data.Document, w Writing) ([]byte, error) {
	if !Holds(doc.ID) {
		return nil, errors.New("a -DOCSTART- line cannot contain the id")
	}
	tokens, _, err := w.Tokens(doc)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s %s O\n", boundary, doc.ID)
	for i, t := range tokens {
		if t.Text == boundary {
			return nil, fmt.Errorf("token %d would be read as the start of a document", i+1)
		}
		if t.First {
			b.WriteByte('\n')
		}
		if len(t.Values) == 0 {
			fmt.Fprintf(&b, "%s %s\n", t.Text, t.Label)
			continue
		}
		b.WriteString(t.Text)
		for k, value := range t.Values {
			if value == noValue || strings.ContainsAny(value, "\t\n"+otherLineEnds) {
				return nil, fmt.Errorf("token %d: its value in the column %s is %s or contains a tab or line end", i+1, doc.ColumnNames()[k], noValue)
			}
			b.WriteString("\t" + cmp.Or(value, noValue))
		}
		b.WriteString("\t" + t.Label + "\n")
	}
	b.WriteByte('\n')
	return b.Bytes(), nil
}

// Fit changes the spans found in a document that was read from this format so that it can
// be written without changing its text: each span is extended to whole tokens, and
// divided at line ends. Of spans that then overlap, the first stays as it is, and the
// others are dropped.
func Fit(doc *data.Document) {
	spans := slices.Clone(doc.Spans)
	data.SortSpans(spans)
	var whole []data.Span
	for _, s := range spans {
		from := strings.LastIndexAny(doc.Text[:s.Start], sequence.Spaces) + 1
		to := len(doc.Text)
		if i := strings.IndexAny(doc.Text[s.End:], sequence.Spaces); i >= 0 {
			to = s.End + i
		}
		for line := range strings.SplitSeq(doc.Text[from:to], "\n") {
			if part := strings.Trim(line, sequence.Spaces); part != "" {
				at := from + strings.Index(line, part)
				whole = append(whole, data.Span{Start: at, End: at + len(part), Type: s.Type, Score: s.Score})
			}
			from += len(line) + 1
		}
	}
	doc.Spans = data.Disjoint(whole)
}

// Recognize reports whether a file begins with columns of which the last are labels.
func Recognize(head []byte) bool {
	const enough = 20
	rows, labels := 0, 0
	for line := range strings.Lines(string(bytes.TrimPrefix(head, []byte(notes.BOM)))) {
		columns := split(strings.TrimRight(line, "\r\n"))
		if len(columns) == 0 || columns[0] == boundary {
			continue
		}
		if !strings.HasSuffix(line, "\n") && rows > 0 { // cut off
			break
		}
		if rows++; len(columns) < 2 {
			return false
		}
		if _, err := sequence.Prefixed.Parse(columns[len(columns)-1], data.Any); err == nil {
			labels++
		}
		if rows == enough {
			break
		}
	}
	return rows > 0 && labels == rows
}
