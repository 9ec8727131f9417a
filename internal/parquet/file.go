// Package parquet reads columns of Parquet files row by row, and writes a file again with some columns changed.
//
// What does not change is copied as it is, byte for byte: the pages of the other columns, whatever
// their types, encodings and compression, their statistics, indexes and Bloom filters, and all
// metadata of the file, even fields that this package does not know. Only what it says about
// positions and sizes is updated. The pages of a changed column are written anew, with the same
// compression but without statistics, index and Bloom filter, because these quote values. If rows
// are left out, the pages of all columns of the row group are written anew.
//
// See https://parquet.apache.org/docs/file-format/. The package uses only the compression of
// Apache Arrow's Go library, because the whole of it would make the program half as large again.
package parquet

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
)

const (
	magic          = "PAR1"
	encryptedMagic = "PARE"
)

// maxFooter is the maximum size in bytes of a footer.
const maxFooter = 1 << 28

// File is a Parquet file.
type File struct {
	Leaves []*Leaf
	Rows   int64

	in     io.ReaderAt
	end    int64 // of the pages, where the footer may begin
	footer []byte
	meta   value
	groups []*group
	same   *File // the last file that Same has compared
}

// group is a row group.
type group struct {
	rows   int64
	chunks []*chunk // one for each leaf
}

// chunk is the part of a column that is in a row group.
type chunk struct {
	leaf        *Leaf
	codec       int64
	start, size int64 // in the file
	values      int64 // including nulls
	meta        *value
	data        *value // the ColumnMetaData in meta
}

// Open reads the footer of a file of a size in bytes.
func Open(in io.ReaderAt, size int64) (*File, error) {
	f := &File{in: in}
	var head, tail [8]byte
	if _, err := in.ReadAt(head[:4], 0); err != nil && err != io.EOF {
		return nil, err
	}
	switch {
	case string(head[:4]) == encryptedMagic:
		return nil, errors.New("an encrypted Parquet file (encrypted footer): decrypt it first")
	case string(head[:4]) != magic:
		return nil, errors.New("not Parquet: the file does not begin with PAR1")
	case size < 12:
		return nil, errCut
	}
	if _, err := in.ReadAt(tail[:], size-8); err != nil {
		return nil, err
	}
	if string(tail[4:]) != magic {
		return nil, errCut
	}
	n := int64(binary.LittleEndian.Uint32(tail[:4]))
	if n > size-12 {
		return nil, errCut
	}
	if n > maxFooter {
		return nil, fmt.Errorf("a footer of %d MiB; the maximum is %d", n>>20, maxFooter>>20)
	}
	f.end = size - 8 - n
	f.footer = make([]byte, n)
	if _, err := in.ReadAt(f.footer, f.end); err != nil {
		return nil, err
	}
	var err error
	if f.meta, _, err = decodeStruct(f.footer); err != nil {
		return nil, fmt.Errorf("the footer is damaged: %w", err)
	}
	if f.meta.get(8) != nil {
		return nil, errors.New("an encrypted Parquet file (encrypted columns): decrypt it first")
	}
	if err := f.read(); err != nil {
		return nil, fmt.Errorf("the footer is damaged: %w", err)
	}
	return f, nil
}

var errCut = errors.New("a Parquet file that is cut off: it does not end with a footer and PAR1")

// Same reports whether another file has the same size and footer.
func (f *File) Same(other *File) bool {
	if f.same != other {
		if f.end != other.end || !bytes.Equal(f.footer, other.footer) {
			return false
		}
		f.same = other
	}
	return true
}

// read reads the leaves and row groups of the metadata.
func (f *File) read() (err error) {
	if f.Leaves, err = readSchema(f.meta.list(2)); err != nil {
		return err
	}
	f.setZones()
	groups := f.meta.list(4)
	for i := range groups {
		g := &group{rows: groups[i].number(3, -1)}
		chunks := groups[i].list(1)
		if g.rows < 0 || g.rows > math.MaxInt64-f.Rows || len(chunks) != len(f.Leaves) {
			return fmt.Errorf("row group %d does not have the columns of the schema", i+1)
		}
		f.Rows += g.rows
		for k := range chunks {
			c, err := f.chunk(&chunks[k].value, f.Leaves[k])
			if err != nil {
				return fmt.Errorf("row group %d, column %q: %w", i+1, f.Leaves[k].Path, err)
			}
			g.chunks = append(g.chunks, c)
		}
		f.groups = append(f.groups, g)
	}
	if rows := f.meta.number(3, -1); rows != f.Rows {
		return fmt.Errorf("it says %d rows, but its row groups have %d", rows, f.Rows)
	}
	return nil
}

func (f *File) chunk(meta *value, l *Leaf) (*chunk, error) {
	if meta.get(1) != nil {
		return nil, errors.New("its data is in another file")
	}
	if meta.get(8) != nil || meta.get(9) != nil {
		return nil, errors.New("it is encrypted")
	}
	data := meta.get(3)
	c := &chunk{leaf: l, meta: meta, data: data, codec: data.number(4, -1), size: data.number(7, -1), values: data.number(5, -1), start: data.number(9, -1)}
	if dict := data.number(11, 0); dict > 0 && (dict < c.start || c.start == 0) { // some writers write 0 for none
		c.start = dict
	}
	if c.start == 0 && c.size == 0 {
		c.start = int64(len(magic))
	}
	if data.number(1, -1) != l.physical || c.codec < 0 || c.size < 0 || c.values < 0 || c.start < 4 || c.start > f.end || c.size > f.end-c.start {
		return nil, errors.New("its type or position is not valid")
	}
	return c, nil
}
