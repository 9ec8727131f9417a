package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/apache/arrow-go/v18/parquet/compress"
)

// The limits of a page: 1 GiB, and 2^24 values. Writers make pages of 1 MB; DuckDB's have up to 100 MB.
const (
	maxPage   = 1 << 30
	maxValues = 1 << 24
)

// Slot is a place of a column in a row: a value or a null, and how it is nested. The first slot of a row
// has the repetition level 0, the others have higher ones.
type Slot struct {
	Rep, Def byte
	Value    []byte // nil unless Def is Leaf.MaxDef; it must not be changed
}

// Cursor reads a column in all row groups, row by row.
type Cursor struct {
	file  *File
	leaf  *Leaf
	group int // the next row group
	rows  int64
	pages *pageReader
}

// Cursor returns a cursor before the first row.
func (f *File) Cursor(l *Leaf) *Cursor { return &Cursor{file: f, leaf: l} }

// Row appends the slots of the next row to slots. At the end it returns io.EOF.
func (c *Cursor) Row(slots []Slot) ([]Slot, error) {
	for c.rows == 0 {
		if c.group == len(c.file.groups) {
			return nil, io.EOF
		}
		g := c.file.groups[c.group]
		c.rows, c.pages = g.rows, c.file.pages(g.chunks[c.leaf.index])
		c.group++
	}
	c.rows--
	slots, err := c.pages.row(slots)
	if err == nil && c.rows == 0 {
		err = c.pages.finish()
	}
	if err != nil {
		return nil, fmt.Errorf("column %q, row group %d: %w", c.leaf.Path, c.group, err)
	}
	return slots, nil
}

// pageReader reads a chunk.
type pageReader struct {
	file   *File
	chunk  *chunk
	at     int64 // of the next page, in the file
	left   int64 // number of values on the next pages
	dict   [][]byte
	reps   []uint32 // the levels that are left on this page; nil if all are 0
	defs   []uint32
	slots  int // number of slots left on this page
	values values
}

func (f *File) pages(c *chunk) *pageReader {
	return &pageReader{file: f, chunk: c, at: c.start, left: c.values}
}

var errRows = errors.New("the number of values does not fit the number of rows")

// row appends the slots of the next row.
func (p *pageReader) row(slots []Slot) ([]Slot, error) {
	for first := true; ; first = false {
		more, err := p.fill()
		if err != nil {
			return nil, err
		}
		switch {
		case !more && first:
			return nil, errRows
		case !more || !first && p.nextRep() == 0:
			return slots, nil
		case first && p.nextRep() != 0:
			return nil, errRows
		}
		s, err := p.slot()
		if err != nil {
			return nil, err
		}
		slots = append(slots, s)
		if p.chunk.leaf.maxRep == 0 {
			return slots, nil
		}
	}
}

// finish returns an error if there are values after the last row.
func (p *pageReader) finish() error {
	if more, err := p.fill(); err != nil || !more {
		return err
	}
	return errRows
}

func (p *pageReader) nextRep() uint32 {
	if p.reps == nil {
		return 0
	}
	return p.reps[0]
}

func (p *pageReader) slot() (s Slot, err error) {
	p.slots--
	if p.reps != nil {
		s.Rep, p.reps = byte(p.reps[0]), p.reps[1:]
	}
	if p.defs != nil {
		s.Def, p.defs = byte(p.defs[0]), p.defs[1:]
	}
	if s.Rep > p.chunk.leaf.maxRep || s.Def > p.chunk.leaf.MaxDef {
		return s, errData
	}
	if s.Def == p.chunk.leaf.MaxDef {
		s.Value, err = p.values()
	}
	return s, err
}

// fill reads pages until there is a slot, and reports whether there is one.
func (p *pageReader) fill() (bool, error) {
	for p.slots == 0 {
		if p.left == 0 {
			return false, nil
		}
		if err := p.page(); err != nil {
			return false, err
		}
	}
	return true, nil
}

// The types of pages.
const (
	dataPage       = 0
	indexPage      = 1
	dictionaryPage = 2
	dataPageV2     = 3
)

// page reads the next page.
func (p *pageReader) page() error {
	head, err := p.header()
	if err != nil {
		return err
	}
	size, packed := head.number(2, -1), head.number(3, -1)
	if size < 0 || size > maxPage || packed < 0 || packed > p.chunk.start+p.chunk.size-p.at {
		return errors.New("a page of an impossible size")
	}
	if head.number(1, -1) == indexPage {
		p.at += packed
		return nil
	}
	body := make([]byte, packed)
	if _, err := p.file.in.ReadAt(body, p.at); err != nil {
		return err
	}
	p.at += packed
	if sum := head.get(4); sum != nil && uint32(sum.num) != crc32.ChecksumIEEE(body) { //nolint:gosec // the bits matter
		return errors.New("a page whose checksum is wrong")
	}
	switch head.number(1, -1) {
	case dictionaryPage:
		return p.dictionary(head.get(7), body, int(size))
	case dataPage:
		return p.dataV1(head.get(5), body, int(size))
	case dataPageV2:
		return p.dataV2(head.get(8), body, int(size))
	}
	return errors.New("a page of an unknown type")
}

// header reads the header of the next page. Its length is unknown, because it may contain long values.
func (p *pageReader) header() (value, error) {
	rest := p.chunk.start + p.chunk.size - p.at
	for n := int64(1 << 9); ; n *= 8 {
		raw := make([]byte, min(n, rest))
		if _, err := p.file.in.ReadAt(raw, p.at); err != nil {
			return value{}, err
		}
		head, size, err := decodeStruct(raw)
		if err == errShort && n < rest && n < maxFooter {
			continue
		}
		if err != nil {
			return head, fmt.Errorf("the header of a page is damaged: %w", err)
		}
		p.at += int64(size)
		return head, nil
	}
}

func (p *pageReader) dictionary(head *value, body []byte, size int) error {
	n := head.number(1, -1)
	if n < 0 || n > maxValues || p.dict != nil {
		return errData
	}
	raw, err := unpack(p.chunk.codec, body, size)
	if err == nil {
		p.dict, err = p.chunk.leaf.dictionary(raw, int(n))
	}
	return err
}

// count checks the number of values of a data page.
func (p *pageReader) count(head *value) (int, error) {
	n := head.number(1, -1)
	if n < 0 || n > maxValues || n > p.left {
		return 0, errRows
	}
	p.left -= n
	return int(n), nil
}

func (p *pageReader) dataV1(head *value, body []byte, size int) error {
	n, err := p.count(head)
	if err != nil {
		return err
	}
	raw, err := unpack(p.chunk.codec, body, size)
	if err != nil {
		return err
	}
	levels := func(most byte, encoding int64) ([]uint32, error) {
		if most == 0 {
			return nil, nil
		}
		if encoding != encRLE {
			return nil, errors.New("levels in the outdated encoding BIT_PACKED")
		}
		if len(raw) < 4 {
			return nil, errData
		}
		size := binary.LittleEndian.Uint32(raw)
		if raw = raw[4:]; uint64(size) > uint64(len(raw)) {
			return nil, errData
		}
		packed := raw[:size]
		raw = raw[size:]
		return decodeHybrid(packed, width(most), n)
	}
	if p.reps, err = levels(p.chunk.leaf.maxRep, head.number(4, -1)); err != nil {
		return err
	}
	if p.defs, err = levels(p.chunk.leaf.MaxDef, head.number(3, -1)); err != nil {
		return err
	}
	return p.begin(raw, head.number(2, -1), n)
}

func (p *pageReader) dataV2(head *value, body []byte, size int) error {
	n, err := p.count(head)
	if err != nil {
		return err
	}
	defs, reps := head.number(5, -1), head.number(6, -1)
	if defs < 0 || reps < 0 || defs > int64(len(body)) || reps > int64(len(body))-defs || defs+reps > int64(size) {
		return errData
	}
	p.reps, p.defs = nil, nil
	if most := p.chunk.leaf.maxRep; most > 0 {
		if p.reps, err = decodeHybrid(body[:reps], width(most), n); err != nil {
			return err
		}
	}
	if most := p.chunk.leaf.MaxDef; most > 0 {
		if p.defs, err = decodeHybrid(body[reps:reps+defs], width(most), n); err != nil {
			return err
		}
	}
	raw, codec := body[reps+defs:], p.chunk.codec
	if packed := head.get(7); packed != nil && packed.typ == typeFalse {
		codec = 0
	}
	if len(raw) > 0 || size > int(defs+reps) { // all values may be null
		if raw, err = unpack(codec, raw, size-int(defs+reps)); err != nil {
			return err
		}
	}
	return p.begin(raw, head.number(4, -1), n)
}

// begin begins a page of n slots.
func (p *pageReader) begin(raw []byte, encoding int64, n int) error {
	p.slots = n
	filled := n
	if p.defs != nil {
		filled = 0
		for _, d := range p.defs {
			if d == uint32(p.chunk.leaf.MaxDef) {
				filled++
			}
		}
	}
	if filled == 0 {
		p.values = func() ([]byte, error) { return nil, errData }
		return nil
	}
	var err error
	if p.values, err = p.chunk.leaf.decode(raw, encoding, filled, p.dict); err != nil {
		return fmt.Errorf("values in the encoding %d: %w", encoding, err)
	}
	return nil
}

// codecs are the compressions that this package reads and writes, by their number in the metadata.
// LZ4 (5) is none of them, because what it means differs from writer to writer, and neither is LZO.
var codecs = map[int64]compress.Compression{
	0: compress.Codecs.Uncompressed, 1: compress.Codecs.Snappy, 2: compress.Codecs.Gzip, 4: compress.Codecs.Brotli, 6: compress.Codecs.Zstd, 7: compress.Codecs.Lz4Raw,
}

var codecNames = map[int64]string{3: "LZO", 5: "LZ4, whose form depends on the writer"}

func codecOf(number int64) (compress.Codec, error) {
	c, ok := codecs[number]
	if !ok {
		name, ok := codecNames[number]
		if !ok {
			name = fmt.Sprint("number ", number)
		}
		return nil, fmt.Errorf("the compression %s cannot be read (have none, snappy, gzip, brotli, zstd, lz4_raw)", name)
	}
	return compress.GetCodec(c)
}

// unpack decompresses a page to size bytes.
func unpack(codec int64, packed []byte, size int) ([]byte, error) {
	c, err := codecOf(codec)
	if err != nil {
		return nil, err
	}
	if codec == 0 || size == 0 {
		if len(packed) != size && codec == 0 {
			return nil, errData
		}
		return packed[:size], nil // a page without values may still have compressed bytes
	}
	if codec == 1 { // snappy allocates what its first bytes say
		if n, used := binary.Uvarint(packed); used <= 0 || n != uint64(size) { //nolint:gosec // not negative
			return nil, errData
		}
	}
	raw, err := compress.Decode(c, make([]byte, size), packed)
	if err != nil || len(raw) != size {
		return nil, errors.New("a page that cannot be decompressed")
	}
	return raw, nil
}
