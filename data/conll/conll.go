// Package conll reads and writes the column format of the CoNLL shared tasks: one
// token per line, with its text in the first column and its label in the last,
// and a blank line between sentences. Other columns are ignored when reading and
// are not written, so files of CoNLL-2002, CoNLL-2003 and NeuroNER can all be
// read.
//
// The format contains tokens but no text. The text of a document is its tokens
// joined by spaces and its sentences joined by line ends. A document that was
// read from this format can be written and read again without loss; other texts
// lose their white space.
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

// boundary is the first column of the line that starts a document.
const boundary = "-DOCSTART-"

// spaces are the characters that separate tokens: ASCII white space. Other white
// space, such as U+00A0, is part of a token.
const spaces = " \t\n\v\f\r"

// otherLineEnds are line ends of old systems and of Unicode. In the columns after
// the token they are rejected, because two lines may have been read as one.
const otherLineEnds = "\v\f\r\u0085\u2028\u2029"

// maxLine is the maximum length of a line in bytes.
const maxLine = 1 << 20

// Read reads one file, or the .conll files of a folder in the order of their
// names. It ignores hidden files and subfolders.
//
// Columns are separated by tabs if the line has a tab, otherwise by spaces.
// Labels are O, or B-, I-, E- or S- followed by a type of the set. They are read
// by the rules of data.Scheme.Decode, which cover IOB1, IOB2 and BIOES; spans do
// not cross sentences. A -DOCSTART- line starts a document. Its ID is the text
// between -DOCSTART- and an O in the last column, unless that is -X- or the like.
// A document without an ID, such as the only one of a file without -DOCSTART-,
// gets the file's name and its number in the file, as in "train-0001".
//
// A bad line or a duplicate ID invalidates its document: it yields a *data.Error
// with the line, and reading continues at the next -DOCSTART-. A file without
// documents yields an error.
func Read(path string, types *data.TypeSet) data.Documents {
	return notes.Files(path, []string{Ext}, func(r io.Reader, name string, seen map[string]bool, yield notes.Yield) bool {
		return newReader(r, name, types, seen).all(yield)
	})
}

// Decode reads the documents of a stream. name is used as the file's path in
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
	seen   map[string]bool // IDs so far
	in     *bufio.Reader
	line   int // number of the last line read
	offset int // offset of the byte after it
	count  int // number of documents so far
	doc    *data.Document
	text   strings.Builder
	tokens []data.Token // tokens of the open sentence
	labels []string
	err    error // the defect of doc; the rest of it is skipped
}

func newReader(in io.Reader, name string, types *data.TypeSet, seen map[string]bool) *reader {
	return &reader{name: name, types: types, seen: seen, in: bufio.NewReader(in)}
}

// all yields every document. It returns false if yield did.
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
	return r.count > 0 || yield(nil, notes.Defect(r.name, 0, -1, "no document in the file"))
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
		r.err = notes.Defect(r.name, r.line, -1, "duplicate id")
	}
	r.seen[id] = true
}

// add processes one line.
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
		return defect("line end other than LF and CR LF inside the line")
	case blank:
		r.endSentence()
		return nil
	case columns[0] == boundary:
		return nil
	case len(columns) < 2:
		return defect("the line has only one column")
	}
	token, label := columns[0], columns[len(columns)-1]
	if token == "" || strings.ContainsAny(token, spaces) {
		return defect("the token is empty or contains white space")
	}
	if label != "O" {
		prefix, typ := data.SplitLabel(label)
		if len(prefix) != 1 || !strings.Contains("BIES", prefix) {
			return defect("the last column is not a label: requires O, or B-, I-, E- or S- and a type")
		}
		if !r.types.Has(typ) {
			return defect(r.types.Lacks(typ))
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
		return defect("the document is too large: start the next one with -DOCSTART-")
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

// split returns the columns of a line. A blank line has none.
func split(line string) []string {
	if strings.Trim(line, spaces) == "" {
		return nil
	}
	if strings.Contains(line, "\t") {
		return strings.Split(line, "\t")
	}
	return strings.FieldsFunc(line, func(r rune) bool { return r == ' ' })
}

// documentID returns the ID in a boundary line, or "".
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
