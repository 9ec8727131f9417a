package parquet

import (
	"encoding/binary"
)

// The physical types.
const (
	physBoolean   = 0
	physInt32     = 1
	physInt64     = 2
	physInt96     = 3
	physFloat     = 4
	physDouble    = 5
	physByteArray = 6
	physFixed     = 7
)

// The encodings of pages.
const (
	encPlain          = 0
	encPlainDict      = 2
	encRLE            = 3
	encBitPacked      = 4
	encDelta          = 5
	encDeltaLength    = 6
	encDeltaByteArray = 7
	encRLEDict        = 8
	encSplit          = 9
)

// values yields the values of a page, one after another: the bytes of a string, or the bytes that
// the encoding PLAIN has for another type. A boolean is one byte.
type values func() ([]byte, error)

// size returns the number of bytes of a value, or 0 for byte arrays.
func (l *Leaf) size() int {
	switch l.physical {
	case physBoolean:
		return 1
	case physInt32, physFloat:
		return 4
	case physInt64, physDouble:
		return 8
	case physInt96:
		return 12
	case physFixed:
		return l.length
	}
	return 0
}

// decode returns the n values of a page in an encoding.
func (l *Leaf) decode(src []byte, encoding int64, n int, dict [][]byte) (values, error) {
	switch encoding {
	case encPlain:
		return l.plain(src), nil
	case encPlainDict, encRLEDict:
		return l.fromDictionary(src, n, dict)
	case encRLE:
		if l.physical == physBoolean && len(src) >= 4 {
			return bitsOf(src[4:], n)
		}
	case encDelta:
		if l.physical == physInt32 || l.physical == physInt64 {
			return l.deltas(src, n)
		}
	case encDeltaLength:
		if l.physical == physByteArray {
			return deltaLengths(src, n)
		}
	case encDeltaByteArray:
		if l.physical == physByteArray || l.physical == physFixed {
			return l.deltaBytes(src, n)
		}
	case encSplit:
		if l.physical != physByteArray && l.physical != physBoolean {
			return split(src, l.size())
		}
	}
	return nil, errData
}

func (l *Leaf) plain(src []byte) values {
	if l.physical == physBoolean {
		at := uint64(0)
		return func() ([]byte, error) {
			if at >= uint64(len(src))*8 {
				return nil, errData
			}
			at++
			return []byte{byte(bitsAt(src, at-1, 1))}, nil
		}
	}
	fixed := l.size()
	return func() ([]byte, error) {
		size := fixed
		if l.physical == physByteArray {
			if len(src) < 4 {
				return nil, errData
			}
			n := binary.LittleEndian.Uint32(src)
			if src = src[4:]; uint64(n) > uint64(len(src)) {
				return nil, errData
			}
			size = int(n)
		}
		if size > len(src) {
			return nil, errData
		}
		v := src[:size:size]
		src = src[size:]
		return v, nil
	}
}

// dictionary reads the n values of a dictionary page.
func (l *Leaf) dictionary(src []byte, n int) ([][]byte, error) {
	var out [][]byte
	next := l.plain(src)
	for range n {
		v, err := next()
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}

func (l *Leaf) fromDictionary(src []byte, n int, dict [][]byte) (values, error) {
	var at []uint32
	if n > 0 {
		if len(src) == 0 {
			return nil, errData
		}
		var err error
		if at, err = decodeHybrid(src[1:], int(src[0]), n); err != nil {
			return nil, err
		}
	}
	return func() ([]byte, error) {
		if len(at) == 0 || uint64(at[0]) >= uint64(len(dict)) {
			return nil, errData
		}
		v := dict[at[0]]
		at = at[1:]
		return v, nil
	}, nil
}

func bitsOf(src []byte, n int) (values, error) {
	bits, err := decodeHybrid(src, 1, n)
	return func() ([]byte, error) {
		if len(bits) == 0 {
			return nil, errData
		}
		b := byte(bits[0])
		bits = bits[1:]
		return []byte{b}, nil
	}, err
}

func (l *Leaf) deltas(src []byte, n int) (values, error) {
	numbers, _, err := decodeDeltas(src, n)
	size := l.size()
	return func() ([]byte, error) {
		if len(numbers) == 0 {
			return nil, errData
		}
		v := binary.LittleEndian.AppendUint64(nil, uint64(numbers[0])) //nolint:gosec // the bits matter
		numbers = numbers[1:]
		return v[:size], nil
	}, err
}

func deltaLengths(src []byte, n int) (values, error) {
	lengths, used, err := decodeDeltas(src, n)
	if err != nil {
		return nil, err
	}
	src = src[used:]
	return func() ([]byte, error) {
		if len(lengths) == 0 || lengths[0] < 0 || lengths[0] > int64(len(src)) {
			return nil, errData
		}
		size := int(lengths[0])
		v := src[:size:size]
		lengths, src = lengths[1:], src[size:]
		return v, nil
	}, nil
}

// deltaBytes reads strings of which each begins with a part of the one before.
func (l *Leaf) deltaBytes(src []byte, n int) (values, error) {
	prefixes, used, err := decodeDeltas(src, n)
	if err != nil {
		return nil, err
	}
	suffixes, err := deltaLengths(src[used:], n)
	if err != nil {
		return nil, err
	}
	var last []byte
	return func() ([]byte, error) {
		suffix, err := suffixes()
		if err != nil || len(prefixes) == 0 || prefixes[0] < 0 || prefixes[0] > int64(len(last)) {
			return nil, errData
		}
		v := make([]byte, 0, int(prefixes[0])+len(suffix))
		v = append(append(v, last[:prefixes[0]]...), suffix...)
		if l.physical == physFixed && len(v) != l.length {
			return nil, errData
		}
		prefixes, last = prefixes[1:], v
		return v, nil
	}, nil
}

// split reads values of which first all first bytes are written, then all second ones, and so on.
func split(src []byte, size int) (values, error) {
	if size == 0 || len(src)%size != 0 {
		return nil, errData
	}
	n, at := len(src)/size, 0
	return func() ([]byte, error) {
		if at >= n {
			return nil, errData
		}
		v := make([]byte, size)
		for i := range v {
			v[i] = src[i*n+at]
		}
		at++
		return v, nil
	}, nil
}
