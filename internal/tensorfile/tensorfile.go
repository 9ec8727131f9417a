// Package tensorfile reads the headers of safetensors files, and converts the numbers of such files and
// of PyTorch's to float32.
package tensorfile

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/lethe-deid/lethe/internal/sorting"
)

// Type is the type of the numbers of a tensor, as safetensors names it.
type Type string

// The types that can be converted to float32.
const (
	F16  Type = "F16"
	BF16 Type = "BF16"
	F32  Type = "F32"
	F64  Type = "F64"
)

// sizes are the sizes of a number in bytes. The types with several numbers per byte are not among them.
var sizes = map[Type]int{
	"BOOL": 1, "U8": 1, "I8": 1, "F8_E5M2": 1, "F8_E4M3": 1, "F8_E8M0": 1,
	"U16": 2, "I16": 2, F16: 2, BF16: 2, "U32": 4, "I32": 4, F32: 4, "U64": 8, "I64": 8, F64: 8, "C64": 8,
}

// Size returns the size of a number in bytes, or 0 if the type is unknown.
func (t Type) Size() int { return sizes[t] }

// IsFloat reports whether numbers of the type can be converted to float32.
func (t Type) IsFloat() bool { return t == F32 || t == F16 || t == BF16 || t == F64 }

// Floats converts little-endian numbers to float32. It panics unless IsFloat, and unless src has the size
// of dst. A float64 becomes the nearest float32, which is infinite beyond the range of float32.
func (t Type) Floats(dst []float32, src []byte) {
	if len(src) != t.Size()*len(dst) {
		panic("tensorfile: lengths differ")
	}
	switch t {
	case F32:
		for i := range dst {
			dst[i] = math.Float32frombits(binary.LittleEndian.Uint32(src[4*i:]))
		}
	case F16:
		for i := range dst {
			dst[i] = FromHalf(binary.LittleEndian.Uint16(src[2*i:]))
		}
	case BF16: // the upper half of a float32
		for i := range dst {
			dst[i] = math.Float32frombits(uint32(binary.LittleEndian.Uint16(src[2*i:])) << 16)
		}
	case F64:
		for i := range dst {
			dst[i] = float32(math.Float64frombits(binary.LittleEndian.Uint64(src[8*i:])))
		}
	default:
		panic("tensorfile: not a type of floating-point numbers")
	}
}

// Volume returns the product of the axes. ok is false if an axis is negative, or if the size of so many
// numbers in bytes may not fit an int.
func Volume(shape []int) (n int, ok bool) {
	n = 1
	for _, d := range shape {
		if d < 0 || d > 0 && n > math.MaxInt/8/d {
			return 0, false
		}
		n *= d
	}
	return n, true
}

// MetadataKey is the key of the metadata in a header. No tensor can have this name.
const MetadataKey = "__metadata__"

// The maximum length of a name in bytes and number of axes, so that errors can contain them.
const (
	maxName = 1000
	maxAxes = 16
)

// Entry describes a tensor in a safetensors file.
type Entry struct {
	Name       string
	Type       Type
	Shape      []int
	Begin, End int // bytes, counted from the end of the header
}

// ReadHeader reads the header of a safetensors file of this size: its length as a little-endian uint64,
// and JSON. It returns an error for one of more than limit bytes.
func ReadHeader(r io.Reader, size, limit int64) ([]byte, error) {
	var length [8]byte
	if _, err := io.ReadFull(r, length[:]); err != nil {
		return nil, fmt.Errorf("truncated: %d bytes", size)
	}
	n := binary.LittleEndian.Uint64(length[:])
	if n > math.MaxInt64 || int64(n) > size-8 {
		return nil, fmt.Errorf("truncated, or not a safetensors file: a header of %d bytes in a file of %d", n, size)
	}
	if int64(n) > limit {
		return nil, fmt.Errorf("a header of %d bytes exceeds the limit of %d", n, limit)
	}
	header := make([]byte, n)
	_, err := io.ReadFull(r, header)
	return header, err
}

// ParseHeader returns the tensors of a header in the order of their bytes, and its metadata. It returns an
// error unless the tensors cover all size bytes after the header, without gaps or overlaps.
func ParseHeader(header []byte, size int) ([]Entry, map[string]string, error) {
	entries, metadata, err := parse(header)
	if err != nil {
		return nil, nil, fmt.Errorf("header: %w", err)
	}
	sorting.By(entries, func(a, b Entry) int {
		return cmp.Or(cmp.Compare(a.Begin, b.Begin), cmp.Compare(a.End, b.End), strings.Compare(a.Name, b.Name))
	})
	end := 0
	for _, e := range entries {
		n, ok := Volume(e.Shape)
		width := e.Type.Size()
		switch {
		case len(e.Shape) > maxAxes:
			return nil, nil, fmt.Errorf("tensor %q: has %d axes; at most %d are supported", e.Name, len(e.Shape), maxAxes)
		case width == 0:
			return nil, nil, fmt.Errorf("tensor %q: type %.100q is not supported", e.Name, e.Type)
		case e.Begin != end:
			return nil, nil, fmt.Errorf("tensor %q: begins at byte %d, but the previous one ends at %d", e.Name, e.Begin, end)
		case !ok || n > (size-end)/width || e.End-e.Begin != width*n:
			return nil, nil, fmt.Errorf("tensor %q: bytes %d to %d of %d do not fit the shape %v", e.Name, e.Begin, e.End, size, e.Shape)
		}
		end = e.End
	}
	if end != size {
		return nil, nil, fmt.Errorf("%d bytes of numbers, but the header says %d", size, end)
	}
	return entries, metadata, nil
}

// parse decodes the JSON of a header, in which no key occurs twice.
func parse(header []byte) ([]Entry, map[string]string, error) {
	dec := jsontext.NewDecoder(bytes.NewBuffer(header))
	if kind := dec.PeekKind(); kind != '{' {
		if _, err := dec.ReadToken(); err != nil {
			return nil, nil, plain(err)
		}
		return nil, nil, errors.New("is not a JSON object")
	}
	if _, err := dec.ReadToken(); err != nil {
		return nil, nil, plain(err)
	}
	var entries []Entry
	metadata := map[string]string{}
	for dec.PeekKind() == '"' {
		key, err := dec.ReadToken()
		if err != nil {
			return nil, nil, plain(err)
		}
		name := key.String()
		if len(name) > maxName {
			return nil, nil, fmt.Errorf("a name has %d bytes; at most %d are supported", len(name), maxName)
		}
		if name == MetadataKey {
			if err := json.UnmarshalDecode(dec, &metadata); err != nil || metadata == nil {
				return nil, nil, fmt.Errorf("%s does not map strings to strings", MetadataKey)
			}
			continue
		}
		var e struct {
			Type    Type   `json:"dtype"`
			Shape   []int  `json:"shape"`
			Offsets [2]int `json:"data_offsets"` // half-open
		}
		if err := json.UnmarshalDecode(dec, &e, json.RejectUnknownMembers(true)); err != nil {
			return nil, nil, fmt.Errorf("tensor %q: %w", name, plain(err))
		}
		entries = append(entries, Entry{name, e.Type, e.Shape, e.Offsets[0], e.Offsets[1]})
	}
	if _, err := dec.ReadToken(); err != nil {
		return nil, nil, plain(err)
	}
	if _, err := dec.ReadToken(); err != io.EOF {
		return nil, nil, errors.New("something follows the JSON object")
	}
	return entries, metadata, nil
}

// plain says what is wrong with JSON without the names of Go types.
func plain(err error) error {
	if _, ok := errors.AsType[*json.SemanticError](err); ok {
		return errors.New("unknown key, or value of a wrong type")
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the JSON is truncated")
	}
	if len(err.Error()) > maxName { // it contains a part of the header
		return errors.New("malformed JSON")
	}
	return err
}
