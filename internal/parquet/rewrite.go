package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// Rewriter writes a file again, with other values in some columns and without some rows.
type Rewriter struct {
	file    *File
	out     io.Writer
	at      int64          // number of bytes written
	changed []*Leaf        // the columns that get other values
	meta    value          // the metadata of the new file
	groups  []field        // its row groups
	later   []func() error // write indexes and Bloom filters, which follow the row groups

	group    int        // the current row group
	first    int64      // its first row
	next     int64      // the next row in it
	lost     []int64    // the rows in it that are left out
	builders []*builder // of the changed columns
}

// Rewrite begins to write a file to out. The columns in changed get other values.
func (f *File) Rewrite(out io.Writer, changed []*Leaf) (*Rewriter, error) {
	w := &Rewriter{file: f, out: out, changed: changed}
	var err error
	if w.meta, _, err = decodeStruct(f.footer); err != nil {
		return nil, err
	}
	if err := w.write([]byte(magic)); err != nil {
		return nil, err
	}
	return w, w.begin()
}

// Row writes a row. rows are numbered from 0 and come in order; those that do not come are left out. slots are the slots
// of each of the changed columns.
func (w *Rewriter) Row(row int64, slots [][]Slot) error {
	for {
		if w.group == len(w.file.groups) {
			return errRows
		}
		if row < w.first+w.next {
			return errors.New("rows are not in order")
		}
		if rows := w.file.groups[w.group].rows; row >= w.first+rows {
			if err := w.finish(); err != nil {
				return err
			}
			continue
		}
		w.lose(row - w.first)
		break
	}
	w.next++
	for i, b := range w.builders {
		for _, s := range slots[i] {
			if err := b.add(s); err != nil {
				return err
			}
		}
	}
	return nil
}

// lose leaves out the rows of the current row group up to one.
func (w *Rewriter) lose(until int64) {
	for ; w.next < until; w.next++ {
		w.lost = append(w.lost, w.next)
	}
}

// Close writes what follows the last row. It does not close the writer below.
func (w *Rewriter) Close() error {
	for w.group < len(w.file.groups) {
		if err := w.finish(); err != nil {
			return err
		}
	}
	for _, write := range w.later {
		if err := write(); err != nil {
			return err
		}
	}
	rows := int64(0)
	for i := range w.groups {
		rows += w.groups[i].number(3, 0)
	}
	w.meta.set(3, i64(rows))
	w.meta.set(4, value{typ: typeList, elem: typeStruct, kids: w.groups})
	footer := w.meta.append(nil)
	footer = binary.LittleEndian.AppendUint32(footer, uint32(len(footer))) //nolint:gosec // the footer of the input was limited
	return w.write(append(footer, magic...))
}

// Discard removes temporary files. It must be called in the end, also after Close.
func (w *Rewriter) Discard() {
	for _, b := range w.builders {
		b.out.discard()
	}
	w.builders = nil
}

func (w *Rewriter) write(p []byte) error {
	n, err := w.out.Write(p)
	w.at += int64(n)
	return err
}

// begin begins the current row group.
func (w *Rewriter) begin() error {
	w.Discard()
	w.next, w.lost = 0, w.lost[:0]
	if w.group == len(w.file.groups) {
		return nil
	}
	for _, l := range w.changed {
		b, err := newBuilder(w.file.groups[w.group].chunks[l.index])
		if err != nil {
			return fmt.Errorf("column %q: %w", l.Path, err)
		}
		w.builders = append(w.builders, b)
	}
	return nil
}

// finish writes the current row group and begins the next one. A row group of which all rows are lost is left out.
func (w *Rewriter) finish() error {
	g := w.file.groups[w.group]
	w.lose(g.rows)
	if g.rows == 0 || int64(len(w.lost)) < g.rows {
		if err := w.writeGroup(g); err != nil {
			return err
		}
	}
	w.group++
	w.first += g.rows
	return w.begin()
}

func (w *Rewriter) writeGroup(g *group) error {
	meta := &w.meta.list(4)[w.group].value
	start := w.at
	var packed, unpacked int64
	for i, c := range g.chunks {
		chunk := &meta.list(1)[i].value
		if err := w.writeChunk(c, chunk); err != nil {
			return fmt.Errorf("column %q, row group %d: %w", c.leaf.Path, w.group+1, err)
		}
		packed += chunk.get(3).number(7, 0)
		unpacked += chunk.get(3).number(6, 0)
	}
	meta.set(2, i64(unpacked))
	meta.set(3, i64(g.rows-int64(len(w.lost))))
	if meta.get(5) != nil {
		meta.set(5, i64(start))
	}
	if meta.get(6) != nil {
		meta.set(6, i64(packed))
	}
	if meta.get(7) != nil && meta.get(7).typ == typeI16 {
		meta.set(7, value{typ: typeI16, num: int64(len(w.groups))})
	}
	w.unsort(meta)
	w.groups = append(w.groups, field{value: *meta})
	return nil
}

// unsort removes from the list of the columns by which the rows are sorted the first one that changes, and those after it.
func (w *Rewriter) unsort(meta *value) {
	sorted := meta.get(4)
	if sorted == nil {
		return
	}
	for i := range sorted.kids {
		for _, l := range w.changed {
			if sorted.kids[i].number(1, -1) == int64(l.index) {
				if sorted.kids = sorted.kids[:i]; i == 0 {
					meta.remove(4)
				}
				return
			}
		}
	}
}

// writeChunk writes the part of a column in the current row group, and updates its metadata.
func (w *Rewriter) writeChunk(c *chunk, meta *value) error {
	for i, l := range w.changed {
		if l == c.leaf {
			return w.writeBuilt(w.builders[i], meta)
		}
	}
	if len(w.lost) == 0 {
		return w.copyChunk(c, meta)
	}
	b, err := newBuilder(c)
	if err != nil {
		return err
	}
	defer b.out.discard()
	if err := w.filter(c, b); err != nil {
		return err
	}
	return w.writeBuilt(b, meta)
}

func (w *Rewriter) writeBuilt(b *builder, meta *value) error {
	if err := b.flush(); err != nil {
		return err
	}
	b.describe(meta, meta.get(3), w.at)
	w.at += b.out.size
	err := b.out.copyTo(w.out)
	b.out.discard()
	return err
}

// filter adds the rows of a chunk that are not lost to a builder.
func (w *Rewriter) filter(c *chunk, b *builder) error {
	pages, lost := w.file.pages(c), w.lost
	var slots []Slot
	for row := range w.file.groups[w.group].rows {
		var err error
		if slots, err = pages.row(slots[:0]); err != nil {
			return err
		}
		if len(lost) > 0 && lost[0] == row {
			lost = lost[1:]
			continue
		}
		for _, s := range slots {
			if err := b.add(s); err != nil {
				return err
			}
		}
	}
	return pages.finish()
}

// copyChunk copies a chunk as it is. Its indexes and Bloom filter follow later.
func (w *Rewriter) copyChunk(c *chunk, meta *value) error {
	moved := w.at - c.start
	data := meta.get(3)
	for _, id := range []int16{9, 10, 11} { // positions of pages
		if at := data.number(id, 0); at > 0 {
			data.set(id, i64(at+moved))
		}
	}
	at := int64(0) // ColumnChunk.file_offset has no agreed meaning
	if meta.number(2, 0) == c.start {
		at = w.at
	}
	meta.set(2, i64(at))
	if err := w.copy(c.start, c.size); err != nil {
		return err
	}
	w.later = append(w.later,
		func() error { return w.copyPart(data, 14, 15, w.bloomSize) },
		func() error { return w.copyPart(meta, 6, 7, nil) },
		func() error { return w.copyOffsets(meta, moved) })
	return nil
}

// copy copies a part of the file.
func (w *Rewriter) copy(start, size int64) error {
	n, err := io.Copy(w.out, io.NewSectionReader(w.file.in, start, size))
	w.at += n
	if err == nil && n < size {
		err = io.ErrUnexpectedEOF
	}
	return err
}

var errPart = errors.New("an index or a Bloom filter is not in the file")

// copyPart copies the part of the file whose position and length are the fields of meta, and updates the position. sizeOf
// returns the length if the field is absent.
func (w *Rewriter) copyPart(meta *value, position, length int16, sizeOf func(at int64) (int64, error)) error {
	at := meta.number(position, -1)
	if at < 0 {
		return nil
	}
	size := meta.number(length, -1)
	if size < 0 && sizeOf != nil {
		var err error
		if size, err = sizeOf(at); err != nil {
			return err
		}
	}
	if size < 0 || at > w.file.end || size > w.file.end-at {
		return errPart
	}
	meta.set(position, i64(w.at))
	return w.copy(at, size)
}

// bloomSize returns the length of a Bloom filter with its header.
func (w *Rewriter) bloomSize(at int64) (int64, error) {
	raw := make([]byte, max(0, min(256, w.file.end-at)))
	if _, err := w.file.in.ReadAt(raw, at); err != nil {
		return 0, err
	}
	head, n, err := decodeStruct(raw)
	return int64(n) + head.number(1, noFilter), err
}

// noFilter is a length larger than any Bloom filter.
const noFilter = 1 << 32

// copyOffsets copies the index of the positions of pages, and updates these.
func (w *Rewriter) copyOffsets(meta *value, moved int64) error {
	at, size := meta.number(4, -1), meta.number(5, -1)
	if at < 0 {
		return nil
	}
	if size < 0 || size > maxFooter || at > w.file.end || size > w.file.end-at {
		return errPart
	}
	raw := make([]byte, size)
	if _, err := w.file.in.ReadAt(raw, at); err != nil {
		return err
	}
	index, _, err := decodeStruct(raw)
	if err != nil {
		return fmt.Errorf("an index is damaged: %w", err)
	}
	pages := index.list(1)
	for i := range pages {
		pages[i].set(1, i64(pages[i].number(1, 0)+moved))
	}
	raw = index.append(nil)
	meta.set(4, i64(w.at))
	meta.set(5, i32(len(raw)))
	return w.write(raw)
}
