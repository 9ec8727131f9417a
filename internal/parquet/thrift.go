package parquet

import (
	"encoding/binary"
	"errors"
	"slices"
)

// The metadata of Parquet is in the compact protocol of Thrift. This file reads it into a tree and
// writes the tree again. A tree keeps the fields that this program does not know, such as those of
// later versions of Parquet, which a struct for each message would lose.
//
// See https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md.

// The types of values in the compact protocol.
const (
	typeTrue   = 1
	typeFalse  = 2
	typeI8     = 3
	typeI16    = 4
	typeI32    = 5
	typeI64    = 6
	typeDouble = 7
	typeBinary = 8
	typeList   = 9
	typeSet    = 10
	typeMap    = 11
	typeStruct = 12
	typeUUID   = 13
)

// value is a value of Thrift.
type value struct {
	typ  byte
	elem byte    // of lists and sets: the type of the elements; of maps: the types of keys and values, as in the header
	num  int64   // of integers
	raw  []byte  // of binaries, doubles and UUIDs
	kids []field // of structs the fields, of lists the elements, of maps keys and values in turn
}

type field struct {
	id int16 // of structs; otherwise 0
	value
}

func i32(n int) value                { return value{typ: typeI32, num: int64(n)} }
func i64(n int64) value              { return value{typ: typeI64, num: n} }
func structOf(fields ...field) value { return value{typ: typeStruct, kids: fields} }
func listOf(elem byte, v ...int) value {
	return value{typ: typeList, elem: elem, kids: elements(elem, v)}
}

func elements(elem byte, v []int) (kids []field) {
	for _, n := range v {
		kids = append(kids, field{value: value{typ: elem, num: int64(n)}})
	}
	return kids
}

// get returns a field of a struct, or nil. v may be nil.
func (v *value) get(id int16) *value {
	if v == nil || v.typ != typeStruct {
		return nil
	}
	for i := range v.kids {
		if v.kids[i].id == id {
			return &v.kids[i].value
		}
	}
	return nil
}

// number returns an integer field of a struct, or absent if there is none.
func (v *value) number(id int16, absent int64) int64 {
	f := v.get(id)
	if f == nil || f.typ < typeI8 || f.typ > typeI64 {
		return absent
	}
	return f.num
}

// list returns the elements of a list field of a struct.
func (v *value) list(id int16) []field {
	if f := v.get(id); f != nil && f.typ == typeList {
		return f.kids
	}
	return nil
}

// set replaces or adds a field of a struct.
func (v *value) set(id int16, to value) {
	i, found := slices.BinarySearchFunc(v.kids, id, func(f field, id int16) int { return int(f.id) - int(id) })
	if found {
		v.kids[i].value = to
		return
	}
	v.kids = slices.Insert(v.kids, i, field{id, to})
}

// remove removes fields of a struct.
func (v *value) remove(ids ...int16) {
	v.kids = slices.DeleteFunc(slices.Clone(v.kids), func(f field) bool { return slices.Contains(ids, f.id) })
}

var (
	errShort  = errors.New("metadata that is cut off")
	errThrift = errors.New("metadata that is not Thrift")
)

// maxDepth is the maximum depth of a tree. The metadata of Parquet is at most nine levels deep.
const maxDepth = 32

// decodeStruct reads a struct at the beginning of raw, and returns its length as well. The tree
// refers to raw.
func decodeStruct(raw []byte) (value, int, error) {
	d := thriftDecoder{raw: raw}
	v, err := d.value(typeStruct, 0)
	return v, d.at, err
}

type thriftDecoder struct {
	raw []byte
	at  int
}

func (d *thriftDecoder) value(typ byte, depth int) (v value, err error) {
	v.typ = typ
	if depth > maxDepth {
		return v, errThrift
	}
	switch typ {
	case typeTrue, typeFalse:
	case typeI8:
		var b byte
		b, err = d.byte()
		v.num = int64(int8(b)) //nolint:gosec // it is signed
	case typeI16, typeI32, typeI64:
		v.num, err = d.zigzag()
	case typeDouble:
		v.raw, err = d.bytes(8)
	case typeUUID:
		v.raw, err = d.bytes(16)
	case typeBinary:
		var n uint64
		if n, err = d.varint(); err == nil {
			v.raw, err = d.bytes(n)
		}
	case typeList, typeSet:
		err = d.list(&v, depth)
	case typeMap:
		err = d.mapping(&v, depth)
	case typeStruct:
		err = d.fields(&v, depth)
	default:
		err = errThrift
	}
	return v, err
}

func (d *thriftDecoder) fields(v *value, depth int) error {
	id := int16(0)
	for {
		head, err := d.byte()
		if err != nil || head == 0 {
			return err
		}
		if delta := int16(head >> 4); delta > 0 {
			id += delta
		} else {
			n, err := d.zigzag()
			if err != nil {
				return err
			}
			id = int16(n) //nolint:gosec // the protocol says so
		}
		if k := len(v.kids); k > 0 && v.kids[k-1].id >= id { // no writer does this, and set relies on the order
			return errThrift
		}
		f, err := d.value(head&15, depth+1)
		if err != nil {
			return err
		}
		v.kids = append(v.kids, field{id, f})
	}
}

func (d *thriftDecoder) list(v *value, depth int) error {
	head, err := d.byte()
	if err != nil {
		return err
	}
	n := uint64(head >> 4)
	if v.elem = head & 15; n == 15 {
		if n, err = d.varint(); err != nil {
			return err
		}
	}
	if n > uint64(len(d.raw)-d.at) { // an element has at least one byte
		return errShort
	}
	v.kids = make([]field, 0, n)
	for range n {
		e, err := d.element(v.elem, depth)
		if err != nil {
			return err
		}
		v.kids = append(v.kids, field{value: e})
	}
	return nil
}

func (d *thriftDecoder) mapping(v *value, depth int) error {
	n, err := d.varint()
	if err != nil || n == 0 {
		return err
	}
	if v.elem, err = d.byte(); err != nil {
		return err
	}
	if n > uint64(len(d.raw)-d.at) {
		return errShort
	}
	for range n {
		for _, typ := range []byte{v.elem >> 4, v.elem & 15} {
			e, err := d.element(typ, depth)
			if err != nil {
				return err
			}
			v.kids = append(v.kids, field{value: e})
		}
	}
	return nil
}

// element reads an element of a list or map, in which a boolean is a byte rather than a type.
func (d *thriftDecoder) element(typ byte, depth int) (value, error) {
	if typ == typeTrue || typ == typeFalse {
		b, err := d.byte()
		return value{typ: typ, num: int64(b)}, err
	}
	return d.value(typ, depth+1)
}

func (d *thriftDecoder) byte() (byte, error) {
	if d.at >= len(d.raw) {
		return 0, errShort
	}
	d.at++
	return d.raw[d.at-1], nil
}

func (d *thriftDecoder) bytes(n uint64) ([]byte, error) {
	if n > uint64(len(d.raw)-d.at) {
		return nil, errShort
	}
	d.at += int(n) //nolint:gosec // at most the length
	return d.raw[d.at-int(n) : d.at : d.at], nil
}

func (d *thriftDecoder) varint() (uint64, error) {
	n, size := binary.Uvarint(d.raw[d.at:])
	switch {
	case size == 0:
		return 0, errShort
	case size < 0:
		return 0, errThrift
	}
	d.at += size
	return n, nil
}

func (d *thriftDecoder) zigzag() (int64, error) {
	n, err := d.varint()
	return unzigzag(n), err
}

func unzigzag(n uint64) int64 { return int64(n>>1) ^ -int64(n&1) } //nolint:gosec // the encoding says so

// append writes a value as a field or as the whole tree.
func (v *value) append(out []byte) []byte {
	switch v.typ {
	case typeI8:
		out = append(out, byte(v.num))
	case typeI16, typeI32, typeI64:
		out = binary.AppendVarint(out, v.num)
	case typeDouble, typeUUID:
		out = append(out, v.raw...)
	case typeBinary:
		out = append(binary.AppendUvarint(out, uint64(len(v.raw))), v.raw...)
	case typeList, typeSet:
		if n := len(v.kids); n < 15 {
			out = append(out, byte(n)<<4|v.elem)
		} else {
			out = binary.AppendUvarint(append(out, 15<<4|v.elem), uint64(n))
		}
		out = v.appendElements(out)
	case typeMap:
		if out = binary.AppendUvarint(out, uint64(len(v.kids)/2)); len(v.kids) > 0 {
			out = v.appendElements(append(out, v.elem))
		}
	case typeStruct:
		id := int16(0)
		for i := range v.kids {
			f := &v.kids[i]
			if delta := f.id - id; delta > 0 && delta < 16 {
				out = append(out, byte(delta)<<4|f.typ)
			} else {
				out = binary.AppendVarint(append(out, f.typ), int64(f.id))
			}
			out = f.append(out)
			id = f.id
		}
		out = append(out, 0)
	}
	return out
}

func (v *value) appendElements(out []byte) []byte {
	for i := range v.kids {
		e := &v.kids[i].value
		if e.typ == typeTrue || e.typ == typeFalse {
			out = append(out, byte(e.num))
		} else {
			out = e.append(out)
		}
	}
	return out
}
