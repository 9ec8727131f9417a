// Package conll reads and writes the column format of the CoNLL shared tasks: one
// token per line, with its text in the first column and its label in the last,
// and a blank line between sentences. Other columns are ignored when reading unless
// Options names them, so files of CoNLL-2002, CoNLL-2003 and NeuroNER can all be
// read. Options describes files with other columns or labels.
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
	"regexp"
	"strconv"
	"strings"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/internal/notes"
	"github.com/lethe-deid/lethe/data/internal/sequence"
	"github.com/lethe-deid/lethe/internal/bounded"
)

// Ext is the extension of the files of this format in a folder, unless Options
// name others.
const Ext = ".conll"

// boundary is the first column of the line that starts a document.
const boundary = "-DOCSTART-"

// noValue is in columns, besides those of the token and the label, of tokens without a value.
const noValue = "_"

// otherLineEnds are line ends of old systems and of Unicode. In the columns after
// the token they are rejected, because two lines may have been read as one.
const otherLineEnds = "\v\f\r\u0085\u2028\u2029"

// maxLine is the maximum length of a line in bytes.
const maxLine = 1 << 20

// Read reads one file, or the files of a folder in the order of their names. It
// ignores hidden files and subfolders.
//
// Columns are separated by tabs if the line has a tab, otherwise by spaces, and
// all rows of a file must have the same number of them. Labels are O, or B-, I-,
// E-, S-, L- or U- followed by a type of the set. They are read by the rules of
// data.Scheme.Decode, with L as E and U as S, which cover IOB1, IOB2, BIOES and
// BILOU; spans do not cross sentences. A -DOCSTART- line starts a document. Its ID
// is the text between -DOCSTART- and an O in the last column, unless that is -X-
// or the like. A document without an ID, such as the only one of a file without
// -DOCSTART-, gets the file's name and its number in the file, as in "train-0001".
//
// A document is refused if its first column only counts the tokens of each
// sentence, as in CoNLL-U, unless the options name the column of the tokens.
//
// A bad line or a duplicate ID invalidates its document: it yields a *data.Error
// with the line, and reading continues with the next document. A file without
// documents yields an error.
func Read(path string, types *data.TypeSet, opt Options) data.Documents {
	return notes.Files(path, opt.Exts(), func(r io.Reader, name string, seen map[string]bool, yield notes.Yield) bool {
		return newReader(r, name, types, opt, seen).all(yield)
	})
}

// Decode reads the documents of a stream. name is used as the file's path in
// errors and IDs.
func Decode(r io.Reader, name string, types *data.TypeSet, opt Options) data.Documents {
	return func(yield func(*data.Document, error) bool) {
		newReader(r, name, types, opt, map[string]bool{}).all(yield)
	}
}

// reader reads one file, a document at a time.
type reader struct {
	name   string
	types  *data.TypeSet
	opt    Options
	seen   map[string]bool // IDs so far
	in     *bufio.Reader
	line   int  // number of the last line read
	offset int  // offset of the byte after it
	header bool // the header is still to come
	width  int  // number of columns of the first row; 0 before it
	count  int  // number of documents so far
	doc    *data.Document
	text   sequence.Text
	err    error // the defect of doc; the rest of it is skipped
	counts       // of doc
}

// counts tells whether the tokens of a document only count the tokens of each sentence.
type counts struct {
	not     bool // a token is no such number
	longest int  // number of tokens of the longest sentence
	first   int  // number of the first token of the sentence: 0 or 1
}

func newReader(in io.Reader, name string, types *data.TypeSet, opt Options, seen map[string]bool) *reader {
	return &reader{name: name, types: types, opt: opt, seen: seen, in: bufio.NewReader(in), header: opt.Header}
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
			switch {
			case r.opt.Comments != "" && bytes.HasPrefix(raw, []byte(r.opt.Comments)):
			case r.header && len(columns) > 0:
				r.header = false
			default:
				if r.doc != nil && r.ends(columns) && !yield(r.end()) {
					return false
				}
				if r.doc == nil && r.begins(columns) {
					r.begin(r.opt.id(columns))
				}
				if e := r.add(columns, raw, start); e != nil && r.err == nil {
					r.err = e
				}
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
	return r.count > 0 || yield(nil, notes.Defect(r.name, 0, -1, "no document in the file: it is empty"))
}

// ends reports whether a line ends the open document.
func (r *reader) ends(columns []string) bool {
	switch isBoundary := len(columns) > 0 && columns[0] == boundary; r.opt.Documents {
	case ByFile:
		return false
	case ByBlock:
		return len(columns) == 0 || isBoundary
	case ByColumn:
		return len(columns) > 0 && !isBoundary && r.opt.id(columns) != r.doc.ID
	default:
		return isBoundary
	}
}

// begins reports whether a line begins a document if none is open.
func (r *reader) begins(columns []string) bool {
	switch {
	case len(columns) == 0:
		return false
	case columns[0] == boundary:
		return r.opt.Documents == "" || r.opt.Documents == ByDocstart
	}
	return true
}

// begin opens a document.
func (r *reader) begin(id string) {
	r.count++
	if id == "" {
		id = fmt.Sprintf("%s-%04d", notes.ID(r.name), r.count)
	}
	r.doc, r.err, r.counts = &data.Document{ID: id}, nil, counts{}
	r.text.Reset()
	for name := range r.opt.Columns {
		r.text.AddColumn(name, "")
	}
	if r.seen[id] {
		r.err = notes.Defect(r.name, r.line, -1, "duplicate id: an earlier document of these files has the same")
	}
	r.seen[id] = true
}

// add processes one line.
func (r *reader) add(columns []string, raw []byte, offset int) error {
	defect := func(format string, args ...any) error {
		return notes.Defect(r.name, r.line, -1, fmt.Sprintf(format, args...))
	}
	if r.err != nil {
		return nil
	}
	if e, bad := errors.AsType[*data.Error](notes.CheckUTF8(r.name, raw)); bad {
		e.Line, e.Offset = r.line, e.Offset+offset
		return e
	}
	line := strings.TrimRight(string(raw), "\r\n")
	if strings.Contains(line, "\r") || len(columns) > 1 && strings.ContainsAny(strings.Join(columns[1:], ""), otherLineEnds) {
		return defect("line end other than LF and CR LF inside the line: convert line ends to LF")
	}
	if len(columns) == 0 || columns[0] == boundary {
		r.text.EndSentence()
		return nil
	}
	if len(columns) < 2 {
		return defect("the line has only one column: columns are separated by tabs or spaces")
	}
	if r.width == 0 {
		r.width = len(columns)
	}
	if len(columns) != r.width {
		return defect("the line has %d columns, and the first row of the file %d", len(columns), r.width)
	}
	token, label, err := r.opt.pick(columns)
	if err != nil {
		return defect("%v", err)
	}
	if token == "" || strings.ContainsAny(token, sequence.Spaces) {
		return defect("the token is empty or contains white space, which separates tokens")
	}
	label, err = sequence.Labels(r.opt.Labels).Parse(label, r.types)
	if err != nil && r.count == 1 && r.text.Len() == 0 {
		return defect("%v; %s", err, r.opt.first(columns))
	} else if err != nil {
		return defect("%v", err)
	}
	if r.text.Len()+len(token) >= bounded.MaxNote {
		return defect("the document is too large: start the next one with -DOCSTART-, or see the ways to divide a file into documents")
	}
	r.note(token)
	r.text.Add(token, label)
	for name, at := range r.opt.Columns {
		switch {
		case at > len(columns):
			return defect("the line has only %d columns, fewer than columns.%s says", len(columns), name)
		case at-1 == r.opt.labelAt(len(columns)):
			return defect("columns.%s is the column of the label", name)
		}
		if value := columns[at-1]; value != noValue && value != "" {
			r.text.AddColumn(name, value)
		}
	}
	return nil
}

// first says what the first row of a file may be if it has no label.
func (o Options) first(columns []string) string {
	if strings.HasPrefix(columns[0], "#") && o.Comments == "" {
		return "if this is a comment, set comments to \"#\""
	}
	return "if this is a line of column names, set header to true; if the label is in another column, set label"
}

// note updates the counts with a token.
func (r *reader) note(token string) {
	n := r.text.Tokens()
	if n == 0 && token == "0" {
		r.first = 0
	} else if n == 0 {
		r.first = 1
	}
	r.not = r.not || token != strconv.Itoa(r.first+n)
	r.longest = max(r.longest, n+1)
}

// end closes the open document.
func (r *reader) end() (*data.Document, error) {
	doc := r.doc
	doc.Text, doc.Spans = r.text.Document()
	doc.Columns = r.text.Columns()
	r.doc = nil
	if r.err == nil && r.opt.Token == 0 && !r.not && r.longest > 1 && r.width > 2 {
		r.err = notes.Defect(r.name, r.line, -1, "up to this line, the first column only counts the tokens of each sentence: name the column of the tokens, as in token: 2")
	}
	if r.err != nil {
		return nil, r.err
	}
	return doc, nil
}

// split returns the columns of a line. A blank line has none.
func split(line string) []string {
	if strings.Trim(line, sequence.Spaces) == "" {
		return nil
	}
	if strings.Contains(line, "\t") {
		return strings.Split(line, "\t")
	}
	return strings.FieldsFunc(line, func(r rune) bool { return r == ' ' })
}

// pick returns the token and the label of a row.
func (o Options) pick(columns []string) (token, label string, err error) {
	at, last := max(o.Token, 1)-1, o.labelAt(len(columns))
	if at >= len(columns) || last >= len(columns) || last < 0 || o.ID > len(columns) {
		return "", "", fmt.Errorf("the line has only %d columns, fewer than the options token, label or id say", len(columns))
	}
	if at == last {
		return "", "", errors.New("the columns of the token and of the label are the same")
	}
	if o.ID > 0 && columns[o.ID-1] == "" {
		return "", "", errors.New("the column of the document's ID is empty")
	}
	if at > 0 && special.MatchString(columns[0]) {
		return "", "", errors.New("the row is about several tokens, or about one that is not in the text, as in CoNLL-U, which cannot be read")
	}
	return columns[at], columns[last], nil
}

// labelAt returns the index of the label in a row of n columns, which may be none of them.
func (o Options) labelAt(n int) int {
	switch {
	case o.Label == 0:
		return n - 1
	case o.Label < 0:
		return n + o.Label
	}
	return o.Label - 1
}

// special matches the numbers of rows of CoNLL-U that are not about one token of the text.
var special = regexp.MustCompile(`^[0-9]+[-.][0-9]+$`)

// id returns the ID of the document that a line begins, or "" if it names none.
func (o Options) id(columns []string) string {
	switch {
	case columns[0] == boundary:
		return documentID(columns)
	case o.Documents == ByColumn && o.ID <= len(columns):
		return columns[o.ID-1]
	}
	return ""
}

// documentID returns the ID in a boundary line, or "".
func documentID(columns []string) string {
	fields := strings.FieldsFunc(strings.Join(columns[1:], " "), func(r rune) bool { return strings.ContainsRune(sequence.Spaces, r) })
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
