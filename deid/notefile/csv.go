package notefile

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid/field"
	"github.com/lethe-deid/lethe/deid/notefile/internal/base"
	"github.com/lethe-deid/lethe/deid/notefile/internal/markup"
	"github.com/lethe-deid/lethe/deid/notefile/internal/rtf"
)

// readCSV reads CSV with a header according to RFC 4180: fields separated by a comma (in .tsv by a
// tab, or by Options.Comma), in quotes if necessary, with quotes doubled. Rows end in LF or CR LF;
// line ends within quotes belong to the field. A quote in a field that does not begin with one is
// an ordinary character. A row is a record, and each field in one of Options.Columns is a note. New
// text that requires quotes gets them.
//
// A row is refused if it has more or fewer fields than the header, because it would be unclear
// which of them is a note, if there are blanks before a quote, which some readers skip, or if it is
// not valid UTF-8. The file is broken if the header has other line ends, if a quote is never closed,
// or if there is text after a closing quote: the ends of rows would be ambiguous. It is broken, too,
// if its first rows are not valid UTF-8, or if one looks like UTF-16.
func readCSV(in *base.Source, o Options) Records {
	if o.Comma == 0 {
		o.Comma = ','
		if strings.EqualFold(in.Ext(), ".tsv") {
			o.Comma = '\t'
		}
	}
	return func(yield func(*Record, error) bool) {
		header, good, bad := true, 0, 0 // the latter are rows by whether they are valid UTF-8
		var table csvTable
		for {
			line, offset := in.Line, in.Offset
			row, err := readRow(in, o.Comma)
			if err == io.EOF {
				return
			}
			var invalid error
			if err == nil {
				err = in.CheckUTF8(row.raw, line, offset)
				switch {
				case header:
				case err == nil:
					good++
				case markup.Wide(row.raw):
				default: // only characters in the fields are wrong, not where the row ends
					if bad++; good > 0 || bad < base.Hopeless {
						invalid, err = err, nil
					}
				}
			}
			if err == nil && row.writtenLineEnd() {
				err = in.Defect(line, -1, "an escaped line end followed by a quote, so the end of the row is ambiguous")
			}
			if err != nil {
				yield(nil, &Broken{Err: err})
				return
			}
			record := &Record{Raw: row.raw, Line: line}
			switch {
			case header:
				header, record.Frame = false, true
				if table, err = newCSVTable(in, row, o); err != nil {
					yield(nil, &Broken{Err: err})
					return
				}
			case invalid != nil:
				record, err = nil, invalid
			case len(bytes.TrimSpace(row.raw)) > 0:
				if record, err = table.record(in, row, line); err == nil {
					err = in.CheckTexts(record, false)
				}
				if err != nil {
					record = nil
				}
			}
			if !yield(record, err) {
				return
			}
		}
	}
}

// csvRow is a row as written.
type csvRow struct {
	raw   []byte
	cells []csvCell
}

// csvCell is a field at raw[from:to], without its quotes.
type csvCell struct {
	from, to int
	quoted   bool
}

// readRow reads a row, which ends with a line end outside of quotes or with the file.
func readRow(in *base.Source, comma byte) (csvRow, error) {
	var row csvRow
	first := in.Line
	cell := csvCell{}
	start := true // at the start of a field
	for {
		line, end := in.ReadLine()
		if end != nil && end != io.EOF {
			return row, end
		}
		if len(row.raw) == 0 {
			if len(line) == 0 {
				return row, io.EOF
			}
			if first == 1 && bytes.HasPrefix(line, []byte(markup.BOM)) {
				cell.from = len(markup.BOM)
			}
		}
		at := max(len(row.raw), cell.from)
		row.raw = append(row.raw, line...)
		if len(row.raw) > base.MaxRecord {
			return row, in.TooLong(first)
		}
		raw := row.raw
		content := len(raw) // without the line end
		if bytes.HasSuffix(line, []byte("\n")) {
			content--
			if content > at && raw[content-1] == '\r' {
				content--
			}
		}
		for {
			if start {
				start = false
				cell = csvCell{from: at}
				if at < content && raw[at] == '"' {
					cell = csvCell{from: at + 1, quoted: true}
					at++
				}
			}
			if cell.quoted {
				n := bytes.IndexByte(raw[at:], '"')
				if n < 0 {
					break // continue with the next line
				}
				at += n + 1
				if at < len(raw) && raw[at] == '"' {
					at++
					continue
				}
				cell.to = at - 1
				if at < content && raw[at] != comma {
					return row, in.Defect(first+bytes.Count(raw[:at], []byte("\n")), -1, "text after a closing quote")
				}
			} else {
				n := bytes.IndexByte(raw[at:content], comma)
				if n < 0 {
					n = content - at
				}
				at += n
				cell.to = at
			}
			row.cells = append(row.cells, cell)
			if at >= content {
				return row, nil
			}
			at++ // skip the comma
			start = true
		}
		if end == io.EOF {
			return row, in.Defect(first, -1, "a quote is never closed")
		}
	}
}

// writtenLineEnd reports whether a field without quotes contains an escaped line end, \n or \r,
// followed by a quote, so that the next row begins in the middle of a line.
func (r csvRow) writtenLineEnd() bool {
	for _, c := range r.cells {
		if field := r.raw[c.from:c.to]; !c.quoted && (bytes.Contains(field, []byte(`\n"`)) || bytes.Contains(field, []byte(`\r"`))) {
			return true
		}
	}
	return false
}

func (r csvRow) field(i int) string {
	c := r.cells[i]
	text := string(r.raw[c.from:c.to])
	if c.quoted {
		text = strings.ReplaceAll(text, `""`, `"`)
	}
	return text
}

// csvTable contains the columns of a file.
type csvTable struct {
	comma       byte
	fields      int
	notes       []int
	names       []string
	id, patient int // -1: none
	noPatient   bool
	header      []string
	actions     map[int]field.Action // of the columns whose fields change
	options     Options
}

func newCSVTable(in *base.Source, header csvRow, o Options) (csvTable, error) {
	var names []string
	for i := range header.cells {
		names = append(names, header.field(i))
	}
	for i, name := range names {
		if header.cells[i].quoted {
			continue
		}
		if strings.ContainsFunc(name, markup.IsLineEnd) || strings.Contains(name, `\n`) || strings.Contains(name, `\r`) {
			return csvTable{}, in.Defect(1, -1, "the header contains line ends other than LF and CR LF, so rows would be mistaken for a part of it")
		}
	}
	o, err := o.OfTable(names)
	if err != nil {
		return csvTable{}, in.Defect(1, -1, err.Error())
	}
	index := func(name string) (int, error) {
		i := slices.Index(names, name)
		if same := func(other string) bool { return norm.NFC.String(other) == norm.NFC.String(name) }; i < 0 { // an accent may be a character of its own
			if i = slices.IndexFunc(names, same); i >= 0 {
				name = names[i]
			}
		}
		switch {
		case i < 0:
			reason := fmt.Sprintf("the header has no column %q", name)
			if near := slices.IndexFunc(names, func(other string) bool { return strings.EqualFold(other, name) }); near >= 0 {
				reason += fmt.Sprintf(", but %q, which differs only in case", names[near])
			} else if len(names) == 1 {
				reason += ", but only one: is the delimiter another?"
			}
			return 0, in.Defect(1, -1, reason)
		case slices.Contains(names[i+1:], name):
			return 0, in.Defect(1, -1, fmt.Sprintf("duplicate column %q in the header", name))
		}
		return i, nil
	}
	t := csvTable{comma: o.Comma, fields: len(names), names: o.Columns, id: -1, patient: -1, noPatient: o.NoPatient}
	for _, name := range o.Columns {
		i, err := index(name)
		if err != nil {
			return t, err
		}
		t.notes = append(t.notes, i)
	}
	if o.ID != "" {
		if t.id, err = index(o.ID); err != nil {
			return t, err
		}
	}
	if o.Patient != "" {
		if t.patient, err = index(o.Patient); err != nil {
			return t, err
		}
	}
	return t, t.readActions(in, names, o)
}

func (t csvTable) record(in *base.Source, row csvRow, line int) (*Record, error) {
	if len(row.cells) != t.fields {
		return nil, in.Defect(line, -1, fmt.Sprintf("a row of %d fields, but the header has %d", len(row.cells), t.fields))
	}
	for i, c := range row.cells {
		field := row.raw[c.from:c.to]
		switch {
		case c.quoted && !slices.Contains(t.notes, i) && bytes.IndexByte(field, t.comma) >= 0 && hasOddLineEnd(field):
			return nil, in.Defect(line, -1, "a quoted field outside of the columns with notes contains the delimiter and a line end other than LF and CR LF, so readers differ in where the row ends")
		case c.quoted:
		case quotedAfterBlank(field):
			return nil, in.Defect(line, -1, "a quote after a blank, so readers differ in where the field ends")
		case !slices.Contains(t.notes, i) && bytes.HasSuffix(field, []byte(`"`)) && bytes.Count(field, []byte(`"`))%2 == 1:
			return nil, in.Defect(line, -1, "a field outside of the columns with notes ends in a quote that it does not begin with: it may be the end of a note")
		case bytes.IndexByte(field, '\r') >= 0: // writers of CSV quote such a field
			return nil, in.Defect(line, -1, "a carriage return in a field without quotes, so readers differ in where the row ends")
		case !slices.Contains(t.notes, i) && bytes.ContainsFunc(field, markup.IsLineEnd):
			return nil, in.Defect(line, -1, "a line end other than LF and CR LF outside of the columns with notes, so readers differ in where the row ends")
		}
	}
	r := &Record{Raw: row.raw, Line: line}
	r.Beside = t.beside(r, row)
	for n, column := range t.notes {
		doc := &data.Document{ID: fmt.Sprintf("%s-%04d", in.ID(), line)}
		if t.id >= 0 && row.field(t.id) != "" {
			doc.ID = row.field(t.id)
		}
		alias := t.alias(doc.ID, n)
		if n > 0 {
			doc.ID += "/" + t.names[n]
		}
		if t.patient >= 0 {
			doc.Patient = row.field(t.patient)
		}
		x, err := rtf.Cell(row.field(column), t.options.Drop)
		if err != nil {
			return nil, in.Defect(line, -1, err.Error())
		}
		doc.Text = x.Text
		outer := t.below(row, row.cells[column], &data.Document{Text: row.field(column)})
		note := &Note{Document: doc, Alias: alias, Line: line, Column: n, Known: x.Known, Always: x.Always, Below: func(edits []Edit) []Edit { return outer(x.Below(edits)) }}
		r.Notes, r.Dropped = append(r.Notes, note), r.Dropped+x.Dropped
	}
	t.addFields(r, row, line)
	return r, nil
}

// quotedAfterBlank reports whether an unquoted field begins with blanks and a quote.
func quotedAfterBlank(field []byte) bool {
	rest := bytes.TrimLeft(field, " \t\v\f\u00a0")
	return len(rest) > 0 && len(rest) < len(field) && rest[0] == '"'
}

// hasOddLineEnd reports whether a field contains a line end other than LF and CR LF.
func hasOddLineEnd(field []byte) bool {
	field = bytes.ReplaceAll(bytes.ReplaceAll(field, []byte("\r\n"), nil), []byte("\n"), nil)
	return bytes.ContainsFunc(field, markup.IsLineEnd)
}

// below edits the text in a field.
func (t csvTable) below(row csvRow, c csvCell, doc *data.Document) func([]Edit) []Edit {
	return func(edits []Edit) []Edit {
		if !c.quoted {
			if text := markup.Apply(doc.Text, edits); t.needsQuotes(text, edits) {
				return []Edit{{Start: c.from, End: c.to, New: `"` + doubleQuotes(text) + `"`}}
			}
			v := markup.View{Encode: func(s string) string { return s }}
			v.Verbatim(c.from, doc.Text)
			return v.Below(edits)
		}
		v := markup.View{Encode: doubleQuotes}
		at := c.from
		for i, part := range strings.Split(string(row.raw[c.from:c.to]), `""`) {
			if i > 0 {
				v.Stands(markup.Escape, at, 2, `"`)
				at += 2
			}
			v.Verbatim(at, part)
			at += len(part)
		}
		return v.Below(edits)
	}
}

// needsQuotes reports whether a field without quotes requires them after the edits: because of its
// new text, because it would now begin with a quote, or because the row would be blank.
func (t csvTable) needsQuotes(text string, edits []Edit) bool {
	for _, e := range edits {
		if strings.ContainsAny(e.New, "\"\r\n"+string(rune(t.comma))) {
			return true
		}
	}
	return strings.HasPrefix(text, `"`) || quotedAfterBlank([]byte(text)) || t.fields == 1 && strings.TrimSpace(text) == ""
}

func doubleQuotes(s string) string { return strings.ReplaceAll(s, `"`, `""`) }
