// Package conll reads and writes the columns of the CoNLL shared tasks: a token
// a line, first its text, last its label, a blank line between sentences. The
// columns between are neither read nor kept; so files of CoNLL-2002, CoNLL-2003
// and NeuroNER are all read.
//
// The format holds no text, only tokens. The text of a document is its tokens
// joined by a space, its sentences joined by a line end. A document read from
// this format is written and read again exactly; of any other text the white
// space is lost.
package conll

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/internal/notes"
	"github.com/lethe-deid/lethe/internal/bounded"
)

// Ext is the extension of the files of this format in a folder.
const Ext = ".conll"

// boundary starts a document when it is the first column.
const boundary = "-DOCSTART-"

// spaces are what parts tokens: ASCII white space. Other white space, such as
// U+00A0, is part of a token.
const spaces = " \t\n\v\f\r"

// otherLineEnds are line ends of old systems and of Unicode. Behind the token,
// where nobody would see it, they part what was meant as two lines.
const otherLineEnds = "\v\f\r\u0085\u2028\u2029"

// maxLine is the largest size of a line, in bytes.
const maxLine = 1 << 20

// Read reads one file, or the .conll files of a folder in the order of their
// names; hidden files and subfolders are left out.
//
// Columns are parted by tabs where a line has one, and else by spaces. Labels
// are O or B-, I-, E- or S- and a type of the set, read by the rules of
// data.Scheme.Decode, which serve IOB1, IOB2 and BIOES; a span ends with its
// sentence. A line -DOCSTART- starts a document. What stands between it and an
// O in the last column is the ID, unless it is -X- or the like; a document
// without ID, as is the whole of a file without -DOCSTART-, has the file's name
// and its number in the file, as in "train-0001".
//
// A bad line, or an ID for the second time, costs its document: it yields a
// *data.Error with the line, and reading goes on at the next -DOCSTART-. A file
// without a document yields an error.
func Read(path string, types *data.TypeSet) data.Documents {
	return notes.Files(path, Ext, func(r io.Reader, name string, seen map[string]bool, yield notes.Yield) bool {
		return newReader(r, name, types, seen).all(yield)
	})
}

// Decode reads the documents of a stream; name stands for a file's path in
// errors and IDs.
func Decode(r io.Reader, name string, types *data.TypeSet) data.Documents {
	return func(yield func(*data.Document, error) bool) {
		newReader(r, name, types, map[string]bool{}).all(yield)
	}
}

// reader reads one file, a document at a time.
type reader struct {
	name   string
	types  *data.TypeSet
	seen   map[string]bool // IDs
	in     *bufio.Reader
	line   int // of the line last read
	offset int // of the byte after it
	count  int // documents so far
	doc    *data.Document
	text   strings.Builder
	tokens []data.Token // of the open sentence
	labels []string
	err    error // what is wrong with doc; the rest of it is skipped
}

func newReader(in io.Reader, name string, types *data.TypeSet, seen map[string]bool) *reader {
	return &reader{name: name, types: types, seen: seen, in: bufio.NewReader(in)}
}

// all yields every document; false means that yield wants no more.
func (r *reader) all(yield func(*data.Document, error) bool) bool {
	for {
		raw, err := bounded.ReadLine(r.in, maxLine)
		if len(raw) > 0 {
			start := r.offset
			r.offset += len(raw)
			r.line++
			if r.line == 1 && bytes.HasPrefix(raw, []byte(notes.BOM)) {
				raw, start = raw[len(notes.BOM):], len(notes.BOM)
			}
			columns := split(strings.TrimRight(string(raw), "\r\n"))
			if len(columns) > 0 && columns[0] == boundary {
				if r.doc != nil && !yield(r.end()) {
					return false
				}
				r.begin(documentID(columns))
			}
			if e := r.add(columns, raw, start); e != nil && r.err == nil {
				r.err = e
			}
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return yield(nil, notes.Unreadable(r.name, err))
		}
	}
	if r.doc != nil {
		return yield(r.end())
	}
	return r.count > 0 || yield(nil, notes.Defect(r.name, 0, -1, "the file holds no document"))
}

// begin opens a document.
func (r *reader) begin(id string) {
	r.count++
	if id == "" {
		id = fmt.Sprintf("%s-%04d", notes.ID(r.name), r.count)
	}
	r.doc, r.err = &data.Document{ID: id}, nil
	r.text.Reset()
	if r.seen[id] {
		r.err = notes.Defect(r.name, r.line, -1, "an earlier document has this id")
	}
	r.seen[id] = true
}

// add takes in one line.
func (r *reader) add(columns []string, raw []byte, offset int) error {
	defect := func(reason string) error { return notes.Defect(r.name, r.line, -1, reason) }
	blank := len(columns) == 0
	if !blank && r.doc == nil {
		r.begin("")
	}
	if r.err != nil {
		return nil
	}
	if e, bad := errors.AsType[*data.Error](notes.CheckUTF8(r.name, raw)); bad {
		e.Line, e.Offset = r.line, e.Offset+offset
		return e
	}
	switch line := strings.TrimRight(string(raw), "\r\n"); {
	case strings.Contains(line, "\r"), len(columns) > 1 && strings.ContainsAny(strings.Join(columns[1:], ""), otherLineEnds):
		return defect("a line end other than LF and CR LF stands inside the line")
	case blank:
		r.endSentence()
		return nil
	case columns[0] == boundary:
		return nil
	case len(columns) < 2:
		return defect("the line has one column only")
	}
	token, label := columns[0], columns[len(columns)-1]
	if token == "" || strings.ContainsAny(token, spaces) {
		return defect("the token is empty or holds white space")
	}
	if label != "O" {
		prefix, typ := data.SplitLabel(label)
		if len(prefix) != 1 || !strings.Contains("BIES", prefix) {
			return defect("the last column is no label: O, or a type after B-, I-, E- or S-")
		}
		if !r.types.Has(typ) {
			return defect("the label's type is not in the type set " + r.types.Name)
		}
	}
	switch {
	case len(r.tokens) > 0:
		r.text.WriteByte(' ')
	case r.text.Len() > 0:
		r.text.WriteByte('\n')
	}
	start := r.text.Len()
	if start+len(token) > bounded.MaxNote {
		return defect("the document is too large: -DOCSTART- should begin the next one")
	}
	r.text.WriteString(token)
	r.tokens = append(r.tokens, data.Token{Start: start, End: r.text.Len()})
	r.labels = append(r.labels, label)
	return nil
}

func (r *reader) endSentence() {
	for _, s := range data.BIOES.Decode(r.labels) {
		r.doc.Spans = append(r.doc.Spans, data.Span{Start: r.tokens[s.Start].Start, End: r.tokens[s.End-1].End, Type: s.Type, Score: 1})
	}
	r.tokens, r.labels = r.tokens[:0], r.labels[:0]
}

// end closes the open document.
func (r *reader) end() (*data.Document, error) {
	r.endSentence()
	doc := r.doc
	doc.Text = r.text.String()
	r.doc = nil
	if r.err != nil {
		return nil, r.err
	}
	return doc, nil
}

// split cuts a line into columns; a blank line has none.
func split(line string) []string {
	if strings.Trim(line, spaces) == "" {
		return nil
	}
	if strings.Contains(line, "\t") {
		return strings.Split(line, "\t")
	}
	return strings.FieldsFunc(line, func(r rune) bool { return r == ' ' })
}

// documentID is the ID in a boundary line, or "".
func documentID(columns []string) string {
	fields := strings.FieldsFunc(strings.Join(columns[1:], " "), func(r rune) bool { return strings.ContainsRune(spaces, r) })
	if n := len(fields); n > 0 && fields[n-1] == "O" {
		fields = fields[:n-1]
	}
	for _, f := range fields {
		if f != "-X-" && f != "X" && f != "O" && f != "-" && f != "_" {
			return strings.Join(fields, " ")
		}
	}
	return ""
}
