// Package evidence writes what a run leaves behind as one document for a privacy board: what was processed, what became of each
// of the eighteen identifiers of 45 CFR 164.514(b)(2), how much may be left, who checked it, what an attacker finds, and what was
// not examined.
//
//	document, err := evidence.New(evidence.Inputs{Audits: []string{"audit.jsonl"}, Model: "en", Review: "ward"})
//	...
//	page := document.HTML()
//	file, err := document.PDF()
//
// The document contains counts, names of types and digests, but no text, ID or file name of a note. Every number in it names its
// source: a file, and a place in it as a JSON pointer (RFC 6901). The same inputs give the same bytes.
//
// New decides what the document says. HTML and PDF only say how it looks.
package evidence

import "strings"

// Inputs are what a document is made of. All but Audits and Summaries may be missing, and one of these two may be. What is missing
// is said in the document.
type Inputs struct {
	Audits    []string // audits of one run, or of all of its shards
	Summaries []string // its summaries as JSON (audit.Report)
	Model     string   // the model: see models.Open; "" means none
	Review    string   // folder of a review; "" means none
	Attack    string   // JSON of an attack (attack.Report); "" means none

	Readers map[string]string // who the readers of the review are, by their names in it; nil means nothing is known
	Title   string            // default: "Evidence of de-identification"
	Date    string            // for the title page; "" means none
	Version string            // version of the program that writes the document
}

// Document is what is said, in order.
type Document struct {
	title    string
	about    []string // lines below the title
	sections []*section
}

// New reads the inputs and checks that they belong to one run. An error names the file at fault, and never an ID of a note.
func New(in Inputs) (*Document, error) {
	m, err := read(in)
	if err != nil {
		return nil, err
	}
	return m.document(), nil
}

// section is a part of the document under a heading.
type section struct {
	id, heading string
	blocks      []block
}

// block is one of a paragraph, a list and a table.
type block struct {
	text    string
	warning bool // the paragraph must not be overlooked
	list    []string
	table   *table
}

// The functions that are called for each sentence and each number are not inlined, which makes the program 0.1 MB smaller.

//go:noinline
func (s *section) say(text string) { s.blocks = append(s.blocks, block{text: text}) }

//go:noinline
func (s *section) warn(text string) { s.blocks = append(s.blocks, block{text: text, warning: true}) }

//go:noinline
func (s *section) warnIf(is bool, text string) {
	if is {
		s.warn(text)
	}
}

func (s *section) list(items ...string) { s.blocks = append(s.blocks, block{list: items}) }

// tables adds those tables that have rows.
func (s *section) tables(all ...*table) {
	for _, t := range all {
		if t != nil && len(t.rows) > 0 {
			s.blocks = append(s.blocks, block{table: t})
		}
	}
}

// table is a table. The first cell of each row is its heading.
type table struct {
	caption string
	columns []column
	rows    [][]*cell
}

// column is a column of a table.
type column struct {
	heading string
	source  string // of its numbers, with a word in capitals for the heading of the row; "" if each cell says it or there are none
	number  bool   // aligned to the right
}

// sourceHeading is the heading of a column of sources.
const sourceHeading = "Source"

// cell is a text, or a number with its source.
type cell struct {
	text   string
	source string // of the number; "" for a text
	value  any    // the number before it was rounded; nil for a text
	same   bool   // a heading that is that of the row above
}

//go:noinline
func text(s string) *cell { return &cell{text: s} }

// newTable returns a table without rows.
//
//go:noinline
func newTable(caption string, headings ...string) *table {
	return &table{caption: caption, columns: columns(headings...)}
}

// columns returns columns for their headings, each of which may be followed by # for a column of numbers, and by | and their source.
func columns(headings ...string) (all []column) {
	for _, h := range headings {
		h, source, _ := strings.Cut(h, "|")
		h, number := strings.CutSuffix(h, "#")
		all = append(all, column{h, source, number})
	}
	return all
}

//go:noinline
func (t *table) row(cells ...*cell) { t.rows = append(t.rows, cells) }
