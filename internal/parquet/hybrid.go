package parquet

import (
	"encoding/binary"
	"errors"
)

var errData = errors.New("page data that is cut off or not valid")

// decodeHybrid reads n numbers of a width in bits, encoded as runs and packed groups of eight
// ("RLE/bit-packing hybrid"). Packed numbers begin at the lowest bit of the first byte.
func decodeHybrid(src []byte, width, n int) ([]uint32, error) {
	out := make([]uint32, 0, n)
	if width == 0 {
		return out[:n], nil
	}
	if width > 32 {
		return nil, errData
	}
	for len(out) < n {
		head, size := binary.Uvarint(src)
		if size <= 0 {
			return nil, errData
		}
		src = src[size:]
		left := uint64(n - len(out))
		if head&1 == 0 { // a run
			count := min(head>>1, left)
			size := (width + 7) / 8
			if len(src) < size || count == 0 {
				return nil, errData
			}
			var v uint32
			for i := range size {
				v |= uint32(src[i]) << (8 * i)
			}
			src = src[size:]
			for range count {
				out = append(out, v)
			}
			continue
		}
		count := min(head>>1, left/8+1) * 8 // groups of eight; the last may be longer than what is left
		if count == 0 || uint64(len(src))*8 < min(count, left)*uint64(width) {
			return nil, errData
		}
		bytes := min(uint64(len(src)), count/8*uint64(width)) //nolint:gosec // width is positive
		packed := src[:bytes]
		for i := range min(count, left) {
			out = append(out, uint32(bitsAt(packed, i*uint64(width), width))) //nolint:gosec // at most 32 bits
		}
		src = src[bytes:]
	}
	return out, nil
}

// bitsAt returns width bits, at most 64, at a position in bits. Bits behind the end are 0.
func bitsAt(src []byte, at uint64, width int) uint64 {
	var v uint64
	for got := 0; got < width; {
		i := (at + uint64(got)) / 8
		shift := int((at + uint64(got)) % 8)
		if i >= uint64(len(src)) {
			break
		}
		v |= uint64(src[i]>>shift) << got
		got += 8 - shift
	}
	if width < 64 {
		v &= 1<<width - 1
	}
	return v
}

// appendRuns encodes levels as runs, after their length in four bytes.
func appendRuns(out []byte, levels []byte) []byte {
	start := len(out)
	out = append(out, 0, 0, 0, 0)
	for i := 0; i < len(levels); {
		end := i + 1
		for end < len(levels) && levels[end] == levels[i] {
			end++
		}
		out = append(binary.AppendUvarint(out, uint64(end-i)<<1), levels[i])
		i = end
	}
	binary.LittleEndian.PutUint32(out[start:], uint32(len(out)-start-4)) //nolint:gosec // a page is smaller
	return out
}

// decodeDeltas reads numbers encoded as differences (DELTA_BINARY_PACKED), at most limit, and
// returns how many bytes they take.
func decodeDeltas(src []byte, limit int) ([]int64, int, error) {
	d := thriftDecoder{raw: src}
	block, err1 := d.varint()
	minis, err2 := d.varint()
	total, err3 := d.varint()
	first, err4 := d.zigzag()
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		return nil, 0, errData
	}
	if minis == 0 || block == 0 || block > 1<<20 || block%minis != 0 || (block/minis)%8 != 0 || total > uint64(limit) {
		return nil, 0, errData
	}
	per := block / minis
	out := make([]int64, 0, total)
	if total > 0 {
		out = append(out, first)
	}
	for uint64(len(out)) < total {
		least, err := d.zigzag()
		if err != nil {
			return nil, 0, errData
		}
		widths, err := d.bytes(minis)
		if err != nil {
			return nil, 0, errData
		}
		for _, width := range widths {
			left := total - uint64(len(out))
			if left == 0 {
				break // the remaining miniblocks are not written
			}
			if width > 64 {
				return nil, 0, errData
			}
			packed, err := d.bytes(per / 8 * uint64(width))
			if err != nil {
				return nil, 0, errData
			}
			for i := range min(per, left) {
				delta := int64(bitsAt(packed, i*uint64(width), int(width))) //nolint:gosec // differences wrap around
				out = append(out, out[len(out)-1]+least+delta)
			}
		}
	}
	return out, d.at, nil
}
