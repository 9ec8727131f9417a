package parquet

import (
	"encoding/binary"
	"fmt"
	"io"
)

// Column describes a column of a new file.
type Column struct {
	Name     string
	Type     Type
	Optional bool // the empty text is null
}

// Type is the type of the values of a new column.
type Type int

// The types.
const (
	Text      Type = iota // in UTF-8
	Integer               // of 64 bits
	Date                  // as a text: 2071-04-03
	Timestamp             // of microseconds; as a text: a day, at midnight
)

// groupRows is the number of rows of a row group of a new file.
const groupRows = 1 << 17

// Table writes a new file, compressed with Snappy.
type Table struct {
	out      io.Writer
	at       int64 // number of bytes written
	schema   []field
	leaves   []*Leaf
	builders []*builder // of the current row group
	rows     int64      // of the current row group
	total    int64      // rows of the row groups before it
	groups   []field
}

// Create begins to write a file with these columns to out.
func Create(out io.Writer, columns []Column) (*Table, error) {
	t := &Table{out: out}
	t.schema = []field{{value: structOf(field{4, binaryOf("schema")}, field{5, i32(len(columns))})}}
	for _, c := range columns {
		t.schema = append(t.schema, field{value: c.element()})
	}
	var err error
	if t.leaves, err = readSchema(t.schema); err != nil {
		return nil, err
	}
	if err := t.write([]byte(magic)); err != nil {
		return nil, err
	}
	return t, t.begin()
}

func binaryOf(s string) value { return value{typ: typeBinary, raw: []byte(s)} }

// element returns the element of the schema for a column.
func (c Column) element() value {
	const noConversion = -1
	physical, converted, logical := physInt64, noConversion, value{}
	switch c.Type {
	case Text:
		physical, converted, logical = physByteArray, 0, structOf(field{1, structOf()})
	case Date:
		physical, converted, logical = physInt32, 6, structOf(field{6, structOf()})
	case Timestamp:
		micros := structOf(field{2, structOf()})
		converted, logical = 10, structOf(field{8, structOf(field{1, value{typ: typeTrue}}, field{2, micros})})
	}
	repetition := 0
	if c.Optional {
		repetition = 1
	}
	e := structOf(field{1, i32(physical)}, field{3, i32(repetition)}, field{4, binaryOf(c.Name)})
	if converted != noConversion {
		e.set(6, i32(converted))
		e.set(10, logical)
	}
	return e
}

// Row writes a row of values as texts.
func (t *Table) Row(texts []string) error {
	for i, l := range t.leaves {
		var s Slot
		if texts[i] != "" || !l.Optional {
			v, ok := l.fromText(texts[i])
			if !ok {
				return fmt.Errorf("a value does not have the type of the column %q", l.Path)
			}
			s = Slot{Def: l.MaxDef, Value: v}
		}
		if err := t.builders[i].add(s); err != nil {
			return err
		}
	}
	if t.rows++; t.rows < groupRows {
		return nil
	}
	return t.finish()
}

func (l *Leaf) fromText(text string) ([]byte, bool) {
	if l.Dated() {
		return l.at(text, 0)
	}
	return l.FromText(text)
}

// begin begins a row group.
func (t *Table) begin() error {
	t.Discard()
	t.rows = 0
	for _, l := range t.leaves {
		b, err := newBuilder(&chunk{leaf: l, codec: 1})
		if err != nil {
			return err
		}
		t.builders = append(t.builders, b)
	}
	return nil
}

// finish writes the current row group and begins the next one.
func (t *Table) finish() error {
	start, unpacked := t.at, int64(0)
	chunks := value{typ: typeList, elem: typeStruct}
	for i, b := range t.builders {
		if err := b.flush(); err != nil {
			return err
		}
		path := value{typ: typeList, elem: typeBinary, kids: []field{{value: binaryOf(t.leaves[i].Path)}}}
		data := structOf(field{1, i32(int(b.leaf.physical))}, field{3, path}, field{4, i32(int(b.number))})
		meta := structOf()
		b.describe(&meta, &data, t.at)
		meta.set(3, data)
		chunks.kids = append(chunks.kids, field{value: meta})
		unpacked += b.unpacked
		t.at += b.out.size
		if err := b.out.copyTo(t.out); err != nil {
			return err
		}
	}
	t.groups = append(t.groups, field{value: structOf(field{1, chunks}, field{2, i64(unpacked)}, field{3, i64(t.rows)}, field{5, i64(start)}, field{6, i64(t.at - start)})})
	t.total += t.rows
	return t.begin()
}

// Close writes what follows the last row. It does not close the writer below.
func (t *Table) Close() error {
	if t.rows > 0 {
		if err := t.finish(); err != nil {
			return err
		}
	}
	list := func(kids []field) value { return value{typ: typeList, elem: typeStruct, kids: kids} }
	meta := structOf(field{1, i32(1)}, field{2, list(t.schema)}, field{3, i64(t.total)}, field{4, list(t.groups)}, field{6, binaryOf("lethe")})
	footer := meta.append(nil)
	footer = binary.LittleEndian.AppendUint32(footer, uint32(len(footer))) //nolint:gosec // a few hundred bytes per row group
	return t.write(append(footer, magic...))
}

// Discard removes temporary files. It must be called in the end, also after Close.
func (t *Table) Discard() {
	for _, b := range t.builders {
		b.out.discard()
	}
	t.builders = nil
}

func (t *Table) write(p []byte) error {
	n, err := t.out.Write(p)
	t.at += int64(n)
	return err
}
