package parquet

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"os"

	"github.com/apache/arrow-go/v18/parquet/compress"
)

// A page ends with the row in which it reaches one of these sizes, which other writers use as well.
const (
	pageBytes = 1 << 20
	pageSlots = 20_000
)

// builder writes the pages of a chunk: the encoding PLAIN in pages of version 1, which all readers support.
type builder struct {
	leaf   *Leaf
	number int64 // of the codec
	codec  compress.Codec
	out    spool

	reps, defs []byte
	body       []byte // the values of the page in the encoding PLAIN
	bits       int    // number of booleans in body

	values, unpacked int64 // of all pages: slots, and bytes before compression
}

func newBuilder(c *chunk) (*builder, error) {
	codec, err := codecOf(c.codec)
	return &builder{leaf: c.leaf, number: c.codec, codec: codec}, err
}

// add adds a slot.
func (b *builder) add(s Slot) error {
	if s.Rep == 0 && (len(b.body) >= pageBytes || len(b.defs) >= pageSlots) {
		if err := b.flush(); err != nil {
			return err
		}
	}
	b.reps, b.defs = append(b.reps, s.Rep), append(b.defs, s.Def)
	if s.Def != b.leaf.MaxDef {
		return nil
	}
	switch b.leaf.physical {
	case physBoolean:
		if b.bits%8 == 0 {
			b.body = append(b.body, 0)
		}
		b.body[len(b.body)-1] |= s.Value[0] << (b.bits % 8)
		b.bits++
	case physByteArray:
		b.body = binary.LittleEndian.AppendUint32(b.body, uint32(len(s.Value))) //nolint:gosec // at most maxPage
		b.body = append(b.body, s.Value...)
	default:
		b.body = append(b.body, s.Value...)
	}
	return nil
}

// flush writes a page, if there are slots for it.
func (b *builder) flush() error {
	n := len(b.defs)
	if n == 0 {
		return nil
	}
	var raw []byte
	if b.leaf.maxRep > 0 {
		raw = appendRuns(raw, b.reps)
	}
	if b.leaf.MaxDef > 0 {
		raw = appendRuns(raw, b.defs)
	}
	if raw == nil {
		raw = b.body
	} else {
		raw = append(raw, b.body...)
	}
	if len(raw) > maxPage {
		return errors.New("a row is too long for a page")
	}
	packed := raw
	if b.number != 0 {
		packed = b.codec.Encode(nil, raw)
	}
	head := structOf(
		field{1, i32(dataPage)}, field{2, i32(len(raw))}, field{3, i32(len(packed))},
		field{4, value{typ: typeI32, num: int64(int32(crc32.ChecksumIEEE(packed)))}}, //nolint:gosec // the bits matter
		field{5, structOf(field{1, i32(n)}, field{2, i32(encPlain)}, field{3, i32(encRLE)}, field{4, i32(encRLE)})},
	)
	header := head.append(nil)
	if err := errors.Join(b.out.write(header), b.out.write(packed)); err != nil {
		return err
	}
	b.values += int64(n)
	b.unpacked += int64(len(header) + len(raw))
	b.reps, b.defs, b.body, b.bits = b.reps[:0], b.defs[:0], b.body[:0], 0
	return nil
}

// describe updates the metadata of a chunk whose pages the builder has written from the position at.
func (b *builder) describe(meta, data *value, at int64) {
	data.remove(8, 10, 11, 12, 13, 14, 15, 16, 17) // statistics and the like, and the positions of what is not written
	data.set(2, listOf(typeI32, encPlain, encRLE))
	data.set(5, i64(b.values))
	data.set(6, i64(b.unpacked))
	data.set(7, i64(b.out.size))
	data.set(9, i64(at))
	meta.remove(4, 5, 6, 7) // indexes
	meta.set(2, i64(0))
}

// maxSpool is the size in bytes up to which a spool is in memory.
const maxSpool = 32 << 20

// spool keeps the pages of a chunk until it is their turn: in memory, and in a temporary file if they are many. What it
// keeps is de-identified.
type spool struct {
	size int64
	mem  []byte
	file *os.File // nil while everything is in memory
}

func (s *spool) write(p []byte) error {
	s.size += int64(len(p))
	s.mem = append(s.mem, p...)
	if len(s.mem) < maxSpool {
		return nil
	}
	if s.file == nil {
		f, err := os.CreateTemp("", "lethe-parquet-")
		if err != nil {
			return err
		}
		s.file = f
	}
	_, err := s.file.Write(s.mem)
	s.mem = s.mem[:0]
	return err
}

// copyTo writes everything to out.
func (s *spool) copyTo(out io.Writer) error {
	if s.file != nil {
		if _, err := s.file.Seek(0, io.SeekStart); err != nil {
			return err
		}
		if _, err := io.Copy(out, s.file); err != nil {
			return err
		}
	}
	_, err := out.Write(s.mem)
	return err
}

func (s *spool) discard() {
	if s.file != nil {
		_ = s.file.Close()
		_ = os.Remove(s.file.Name())
	}
	*s = spool{}
}
