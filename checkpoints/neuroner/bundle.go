package neuroner

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/lethe-deid/lethe/checkpoints"
)

// A checkpoint of TensorFlow 1 is a bundle of two files. The index is a table of LevelDB, which maps
// the name of each tensor to its type, shape and place; the data file contains the numbers, little
// endian, one tensor after another.

// readBundle returns the tensors of a checkpoint of which every tensor is float32, except that
// integers without dimensions, such as a count of steps, are left out.
func readBundle(index, numbers []byte) ([]checkpoints.Tensor, error) {
	entries, err := readTable(index)
	if err != nil {
		return nil, err
	}
	if len(entries) == 0 || entries[0].key != "" {
		return nil, errors.New("the table has no header")
	}
	if err := checkHeader(entries[0].value); err != nil {
		return nil, err
	}
	var tensors []checkpoints.Tensor
	names := map[string]bool{}
	for _, e := range entries[1:] {
		if names[e.key] {
			return nil, fmt.Errorf("the tensor %q occurs twice", e.key)
		}
		names[e.key] = true
		t, err := readTensor(e.value, numbers)
		if err != nil {
			return nil, fmt.Errorf("tensor %q: %w", e.key, err)
		}
		if t != nil {
			t.Name = e.key
			tensors = append(tensors, *t)
		}
	}
	return tensors, nil
}

// checkHeader checks a BundleHeaderProto: one data file, with little-endian numbers.
func checkHeader(raw []byte) error {
	shards, endianness := uint64(0), uint64(0)
	err := fields(raw, func(number protowire.Number, value uint64, _ []byte) error {
		switch number {
		case 1:
			shards = value
		case 2:
			endianness = value
		}
		return nil
	})
	switch {
	case err != nil:
		return fmt.Errorf("header: %w", err)
	case shards != 1:
		return fmt.Errorf("the checkpoint is divided into %d data files; only one is supported", shards)
	case endianness != 0:
		return errors.New("the numbers are big-endian, which is not supported")
	}
	return nil
}

// The types of tensors, as in TensorFlow's types.proto.
const (
	typeFloat = 1
	typeInt32 = 3
	typeInt64 = 9
)

// readTensor reads a BundleEntryProto and its numbers. It returns nil for an integer without dimensions.
func readTensor(raw, numbers []byte) (*checkpoints.Tensor, error) {
	var kind, shard, offset, size uint64
	var sum uint32
	var shape []int
	values := 1
	err := fields(raw, func(number protowire.Number, value uint64, message []byte) error {
		switch number {
		case 1:
			kind = value
		case 2:
			return fields(message, func(number protowire.Number, _ uint64, dimension []byte) error {
				if number != 2 {
					return nil
				}
				length := uint64(0)
				err := fields(dimension, func(number protowire.Number, value uint64, _ []byte) error {
					if number == 1 {
						length = value
					}
					return nil
				})
				if length == 0 || length > uint64(len(numbers)) || values > len(numbers)/int(length) {
					return errors.New("the shape is larger than the data file")
				}
				values *= int(length)
				shape = append(shape, int(length))
				return err
			})
		case 3:
			shard = value
		case 4:
			offset = value
		case 5:
			size = value
		case 6:
			sum = uint32(value)
		case 7:
			return errors.New("is stored in slices, which is not supported")
		}
		return nil
	})
	switch {
	case err != nil:
		return nil, err
	case (kind == typeInt32 || kind == typeInt64) && len(shape) == 0:
		return nil, nil
	case kind != typeFloat:
		return nil, fmt.Errorf("has the type %d; only float32 is supported", kind)
	case shard != 0:
		return nil, fmt.Errorf("is in data file %d, which does not exist", shard)
	case len(shape) > 2:
		return nil, fmt.Errorf("has %d dimensions; at most 2 are supported", len(shape))
	case size != uint64(4*values):
		return nil, fmt.Errorf("has %d bytes, but its shape requires %d", size, 4*values)
	case offset > uint64(len(numbers)) || size > uint64(len(numbers))-offset:
		return nil, fmt.Errorf("ends beyond the data file of %d bytes", len(numbers))
	}
	part := numbers[offset : offset+size]
	if masked(part) != sum {
		return nil, errors.New("the checksum differs: the data file is damaged or belongs to another checkpoint")
	}
	t := &checkpoints.Tensor{Shape: shape, Data: make([]float32, values)}
	for i := range t.Data {
		x := math.Float32frombits(binary.LittleEndian.Uint32(part[4*i:]))
		if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
			return nil, fmt.Errorf("value %d is not a finite number", i)
		}
		t.Data[i] = x
	}
	return t, nil
}

// fields calls use for each field of a protobuf message: with its number, and its value if that is an
// integer, or its bytes.
func fields(raw []byte, use func(number protowire.Number, value uint64, message []byte) error) error {
	for len(raw) > 0 {
		number, wire, n := protowire.ConsumeTag(raw)
		if n < 0 {
			return errors.New("a message is damaged")
		}
		raw = raw[n:]
		var value uint64
		var message []byte
		switch wire {
		case protowire.VarintType:
			value, n = protowire.ConsumeVarint(raw)
		case protowire.Fixed32Type:
			var v uint32
			v, n = protowire.ConsumeFixed32(raw)
			value = uint64(v)
		case protowire.BytesType:
			message, n = protowire.ConsumeBytes(raw)
		default:
			n = protowire.ConsumeFieldValue(number, wire, raw)
		}
		if n < 0 {
			return errors.New("a message is damaged")
		}
		raw = raw[n:]
		if err := use(number, value, message); err != nil {
			return err
		}
	}
	return nil
}

// entry is an entry of a table.
type entry struct {
	key   string
	value []byte
}

const (
	footerSize  = 48
	trailerSize = 5 // of a block: how it is compressed, and a checksum
	// maxEntries is far above the number of tensors of any release.
	maxEntries = 10_000
)

var tableMagic = []byte{0x57, 0xfb, 0x80, 0x8b, 0x24, 0x75, 0x47, 0xdb}

// readTable returns the entries of a table of LevelDB, in the order of their keys.
func readTable(raw []byte) ([]entry, error) {
	if len(raw) < footerSize || !bytes.HasSuffix(raw, tableMagic) {
		return nil, errors.New("is not the index of a TensorFlow checkpoint, or is truncated")
	}
	footer := raw[len(raw)-footerSize:]
	_, _, footer, err := handle(footer) // of the metadata, which is empty
	if err != nil {
		return nil, err
	}
	offset, size, _, err := handle(footer)
	if err != nil {
		return nil, err
	}
	index, err := block(raw, offset, size)
	if err != nil {
		return nil, err
	}
	var entries []entry
	for _, e := range index {
		offset, size, _, err := handle(e.value)
		if err != nil {
			return nil, err
		}
		part, err := block(raw, offset, size)
		if err != nil {
			return nil, err
		}
		if entries = append(entries, part...); len(entries) > maxEntries {
			return nil, fmt.Errorf("the index has more than %d entries", maxEntries)
		}
	}
	return entries, nil
}

// handle reads the place of a block.
func handle(raw []byte) (offset, size uint64, rest []byte, err error) {
	offset, n := binary.Uvarint(raw)
	if n <= 0 {
		return 0, 0, nil, errors.New("the index is damaged")
	}
	size, m := binary.Uvarint(raw[n:])
	if m <= 0 {
		return 0, 0, nil, errors.New("the index is damaged")
	}
	return offset, size, raw[n+m:], nil
}

// block reads a block of a table. An entry shares the beginning of its key with the entry before it.
func block(raw []byte, offset, size uint64) ([]entry, error) {
	damaged := errors.New("the index is damaged")
	if offset > uint64(len(raw)) || size > uint64(len(raw))-offset || uint64(len(raw))-offset-size < trailerSize {
		return nil, damaged
	}
	content, trailer := raw[offset:offset+size], raw[offset+size:offset+size+trailerSize]
	if trailer[0] != 0 {
		return nil, errors.New("the index is compressed, which is not supported")
	}
	if masked(raw[offset:offset+size+1]) != binary.LittleEndian.Uint32(trailer[1:]) {
		return nil, errors.New("the checksum of the index differs: the file is damaged")
	}
	if len(content) < 4 {
		return nil, damaged
	}
	restarts := uint64(binary.LittleEndian.Uint32(content[len(content)-4:]))
	if 4*restarts+4 > uint64(len(content)) {
		return nil, damaged
	}
	content = content[:uint64(len(content))-4*restarts-4]
	var entries []entry
	var key []byte
	for len(content) > 0 {
		var lengths [3]uint64 // shared with the key before, rest of the key, value
		for i := range lengths {
			v, n := binary.Uvarint(content)
			if n <= 0 {
				return nil, damaged
			}
			lengths[i], content = v, content[n:]
		}
		if lengths[0] > uint64(len(key)) || lengths[1] > uint64(len(content)) || lengths[2] > uint64(len(content))-lengths[1] || len(entries) > maxEntries {
			return nil, damaged
		}
		key = append(key[:lengths[0]], content[:lengths[1]]...)
		content = content[lengths[1]:]
		entries = append(entries, entry{string(key), content[:lengths[2]]})
		content = content[lengths[2]:]
	}
	return entries, nil
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// masked returns the checksum of LevelDB: a rotated CRC-32C to which a constant is added, so that a
// file can contain checksums of parts that contain checksums.
func masked(raw []byte) uint32 {
	c := crc32.Checksum(raw, castagnoli)
	return (c>>15 | c<<17) + 0xa282ead8
}
