// Package parquetfile reads and writes tables of notes in Parquet.
package parquetfile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid/notefile/internal/base"
	"github.com/lethe-deid/lethe/deid/notefile/internal/markup"
	"github.com/lethe-deid/lethe/deid/notefile/internal/rtf"
	"github.com/lethe-deid/lethe/internal/bounded"
	"github.com/lethe-deid/lethe/internal/parquet"
)

// Read reads a Parquet file. A row is a record, numbered from 1, and each value in one of Options.Columns, which must
// be columns of text, is a note. A column may be nested: "visit.note" is a field of a struct; "notes" may be a list of
// texts, and "notes.text" a field of a list of structs. If a row has several values in a column, "/1", "/2" and so on follow
// their id.
//
// The raw bytes of a record are the slots of the columns that may change: of each column of notes, of that of the patient
// if it is to be emptied, and of each column that has a rule. A slot is a byte with the repetition level, one with the definition level and, unless it is null,
// the value in the encoding PLAIN of Parquet: its length in four bytes, and its bytes. A slot with the repetition level 0
// begins the next column. Values of the patient are not in it, because they are emptied whatever they are.
func Read(in *base.Source, o base.Options) base.Records {
	return func(yield func(*base.Record, error) bool) {
		t, err := open(in, o)
		if err != nil {
			yield(nil, &base.Broken{Err: err})
			return
		}
		cursors := make([]*parquet.Cursor, len(t.notes), len(t.notes)+2+len(t.fields))
		for i, l := range t.notes {
			cursors[i] = t.file.Cursor(l)
		}
		for _, l := range []*parquet.Leaf{t.id, t.patient} {
			if l != nil {
				cursors = append(cursors, t.file.Cursor(l))
			}
		}
		for _, f := range t.fields {
			cursors = append(cursors, t.file.Cursor(f.leaf))
		}
		row := make([][]parquet.Slot, len(cursors))
		for line := 1; int64(line) <= t.file.Rows; line++ {
			for i, c := range cursors {
				if row[i], err = c.Row(row[i][:0]); err != nil {
					yield(nil, &base.Broken{Err: in.Defect(line, -1, err.Error())})
					return
				}
			}
			record, err := t.record(row, line)
			if err == nil {
				err = in.CheckTexts(record, true)
			}
			if err != nil {
				record = nil
			}
			if !yield(record, err) {
				return
			}
		}
	}
}

// table is an open file.
type table struct {
	in          *base.Source
	file        *parquet.File
	notes       []*parquet.Leaf
	names       []string      // of the columns of notes
	id, patient *parquet.Leaf // nil: none
	fields      []column
	options     base.Options
}

func open(in *base.Source, o base.Options) (*table, error) {
	f, ok := in.Reader.(*os.File)
	if !ok {
		return nil, in.Defect(0, -1, "Parquet must be read from a file, because its end has to be read first")
	}
	info, err := f.Stat()
	if err != nil {
		return nil, in.Unreadable(err)
	}
	t := &table{in: in, options: o}
	if t.file, err = parquet.Open(f, info.Size()); err != nil {
		return nil, in.Defect(0, -1, err.Error())
	}
	return t, t.find(o)
}

// find finds the columns of the options.
func (t *table) find(o base.Options) error {
	names := make([]string, len(t.file.Leaves))
	for i, l := range t.file.Leaves {
		names[i] = l.Short
	}
	o, err := o.OfTable(names)
	if err != nil {
		return t.in.Defect(0, -1, err.Error())
	}
	t.names = o.Columns
	for _, name := range o.Columns {
		l, err := t.leaf(name)
		if err == nil && !l.Text() {
			err = t.in.Defect(0, -1, fmt.Sprintf("the column %q contains %s, but notes are text", name, l.Type()))
		}
		if err == nil && slices.Contains(t.notes, l) {
			err = t.in.Defect(0, -1, fmt.Sprintf("duplicate column %q", name))
		}
		if err != nil {
			return err
		}
		t.notes = append(t.notes, l)
	}
	if t.id, err = t.key(o.ID, "--id"); err != nil {
		return err
	}
	if t.patient, err = t.key(o.Patient, "--patient"); err != nil {
		return err
	}
	if err := t.findFields(); err != nil {
		return err
	}
	if t.empties() && !t.patient.Optional {
		return t.in.Defect(0, -1, fmt.Sprintf("the column %q cannot be emptied, because the schema requires a value: give --keep-patient, or a rule such as --field %s=hash", o.Patient, o.Patient))
	}
	return nil
}

// empties reports whether the column of the patient is emptied.
func (t *table) empties() bool {
	return t.patient != nil && t.options.NoPatient && !t.hasRule(t.patient)
}

// key finds a column with one key per row. It returns nil if the name is empty.
func (t *table) key(name, option string) (*parquet.Leaf, error) {
	if name == "" {
		return nil, nil
	}
	l, err := t.leaf(name)
	switch {
	case err != nil:
		return nil, err
	case l.Repeated:
		return nil, t.in.Defect(0, -1, fmt.Sprintf("the column %q of %s has several values per row", name, option))
	case !l.Key():
		return nil, t.in.Defect(0, -1, fmt.Sprintf("the column %q of %s contains %s, but text, integers, decimals without a fraction or UUIDs are required", name, option, l.Type()))
	case slices.Contains(t.notes, l):
		return nil, t.in.Defect(0, -1, fmt.Sprintf("the column %q of %s contains the notes", name, option))
	}
	return l, nil
}

// leaf finds a column by its name.
func (t *table) leaf(name string) (*parquet.Leaf, error) {
	var found *parquet.Leaf
	var names []string
	hint := ""
	for _, l := range t.file.Leaves {
		switch {
		case l.Path != name && l.Short != name && pathOf(l.Names) != name:
		case found != nil:
			return nil, t.in.Defect(0, -1, fmt.Sprintf("duplicate column %q", name))
		default:
			found = l
		}
		if strings.EqualFold(l.Short, name) {
			hint = fmt.Sprintf("; did you mean %q?", l.Short)
		}
		names = append(names, l.Short)
	}
	if found != nil {
		return found, nil
	}
	if more := len(names) - maxNames; more > 0 {
		names = append(names[:maxNames], fmt.Sprintf("and %d more", more))
	}
	return nil, t.in.Defect(0, -1, fmt.Sprintf("the file has no column %q (have %s)%s", name, strings.Join(names, ", "), hint))
}

// maxNames is the maximum number of columns that an error lists.
const maxNames = 30

// record makes the record of a row: the slots of the columns of notes, and then of the id and the patient.
func (t *table) record(row [][]parquet.Slot, line int) (*base.Record, error) {
	r := &base.Record{Line: line, Origin: t.file}
	id, keys := fmt.Sprintf("%s-%04d", t.in.ID(), line), row[len(t.notes):]
	if t.id != nil {
		if v, ok := keyOf(t.id, keys[0][0]); ok && v != "" {
			id = v
		}
		keys = keys[1:]
	}
	patient, fields := "", keys
	if t.patient != nil {
		patient, _ = keyOf(t.patient, keys[0][0])
		r.Learn("", patient)
		fields = keys[1:]
	}
	for n, l := range t.notes {
		for k, s := range row[n] {
			r.Raw = append(r.Raw, s.Rep, s.Def)
			if s.Def < l.MaxDef {
				continue
			}
			if err := t.in.CheckUTF8(s.Value, 1, 1); err != nil {
				e, _ := errors.AsType[*data.Error](err)
				return nil, t.unexamined(line, n, id, e.Reason)
			}
			value := string(s.Value)
			x, err := rtf.Cell(value, t.options.Drop)
			if err != nil {
				return nil, t.unexamined(line, n, id, err.Error())
			}
			doc := &data.Document{ID: id, Patient: patient, Text: x.Text}
			if n > 0 {
				doc.ID += "/" + t.names[n]
			}
			if l.Repeated {
				doc.ID += "/" + strconv.Itoa(k+1)
			}
			outer := belowPlain(len(r.Raw), value)
			note := &base.Note{Document: doc, Line: line, Column: n, Known: x.Known, Always: x.Always, Below: func(edits []markup.Edit) []markup.Edit { return outer(x.Below(edits)) }}
			r.Notes, r.Dropped = append(r.Notes, note), r.Dropped+x.Dropped
			r.Raw = appendPlain(r.Raw, s.Value)
		}
	}
	if t.empties() {
		r.Raw = append(r.Raw, emptied(t.patient, keys[0][0])...)
	}
	t.addFields(r, fields, id, patient)
	if t.id != nil && t.hashes(t.id) {
		alias := t.pseudonym(id)
		for _, n := range r.Notes {
			n.Alias = alias + strings.TrimPrefix(n.ID, id)
		}
	}
	if len(r.Raw) > base.MaxRecord {
		return nil, t.in.TooLong(line)
	}
	return r, nil
}

// pseudonym returns what the column of the id contains instead of an id.
func (t *table) pseudonym(id string) string {
	return t.id.KeyText(t.id.Pseudonym(id, t.options.Pseudonym))
}

// unexamined returns the error for a note of the n-th column. It names the note by its id as the output would, or only by its row if the
// output has another value.
func (t *table) unexamined(row, n int, id, reason string) error {
	what := fmt.Sprintf("the note %q", id)
	switch {
	case t.id != nil && t.hashes(t.id):
		what = fmt.Sprintf("the note %q", t.pseudonym(id))
	case t.id == nil || t.hasRule(t.id) || t.id == t.patient && t.empties():
		what = "the note"
	}
	return t.in.Defect(row, -1, fmt.Sprintf("%s in the column %q: %s", what, t.names[n], reason))
}

// keyOf returns a value as text. It is not ok if it is null.
func keyOf(l *parquet.Leaf, s parquet.Slot) (string, bool) {
	if s.Def < l.MaxDef {
		return "", false
	}
	return l.KeyText(s.Value), true
}

// emptied returns the slot that replaces a value of the patient: null, at the level at which the column can be null.
func emptied(l *parquet.Leaf, s parquet.Slot) []byte { return []byte{s.Rep, min(s.Def, l.MaxDef-1)} }

func appendPlain(raw, v []byte) []byte {
	return append(binary.LittleEndian.AppendUint32(raw, uint32(len(v))), v...) //nolint:gosec // at most the size of a page
}

// belowPlain edits a value whose length is at a position of the record and followed by the value.
func belowPlain(at int, value string) func([]markup.Edit) []markup.Edit {
	return func(edits []markup.Edit) []markup.Edit {
		size := len(value)
		below := make([]markup.Edit, 1, len(edits)+1)
		for _, e := range edits {
			size += len(e.New) - (e.End - e.Start)
			e.Start, e.End = e.Start+at+4, e.End+at+4
			below = append(below, e)
		}
		below[0] = markup.Edit{Start: at, End: at + 4, New: string(binary.LittleEndian.AppendUint32(nil, uint32(size)))} //nolint:gosec // at most the size of a page
		return below
	}
}

// writer writes a Parquet file again.
type writer struct {
	in      *os.File
	file    *parquet.File
	changed []*parquet.Leaf
	out     *parquet.Rewriter
}

// NewWriter returns a writer that writes the file at a path again, with the columns that change from the records that it gets.
func NewWriter(out io.Writer, path string, o base.Options) (_ base.Writer, err error) {
	w := &writer{}
	if w.in, err = bounded.OpenRegular(path); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			_ = w.in.Close()
		}
	}()
	t, err := open(base.NewSource(w.in, path, nil), o)
	if err != nil {
		return nil, err
	}
	w.file, w.changed = t.file, slices.Clone(t.notes)
	if t.empties() {
		w.changed = append(w.changed, t.patient)
	}
	for _, f := range t.fields {
		w.changed = append(w.changed, f.leaf)
	}
	w.out, err = t.file.Rewrite(out, w.changed)
	return w, err
}

// Write takes the slots from the bytes of a record; see Read.
func (w *writer) Write(r *base.Record, encoded []byte) error {
	if read, ok := r.Origin.(*parquet.File); !ok || !w.file.Same(read) {
		return errors.New("the input has changed while it was read")
	}
	slots := make([][]parquet.Slot, len(w.changed))
	for i, l := range w.changed {
		for first := true; first || len(encoded) > 0 && encoded[0] > 0; first = false {
			s := parquet.Slot{Rep: encoded[0], Def: encoded[1]}
			if encoded = encoded[2:]; s.Def == l.MaxDef {
				size := 4 + int(binary.LittleEndian.Uint32(encoded))
				s.Value, encoded = encoded[4:size], encoded[size:]
			}
			slots[i] = append(slots[i], s)
		}
	}
	return w.out.Row(int64(r.Line)-1, slots)
}

func (w *writer) Close() error { return w.out.Close() }

func (w *writer) Discard() {
	w.out.Discard()
	_ = w.in.Close()
}
