package neuroner

import (
	"encoding/binary"
	"errors"
	"fmt"
	"unicode/utf8"
)

// The opcodes of a pickle that the reader knows: those that releases contain. A pickle is a program
// for a stack machine. Most others of its opcodes call functions; nothing is ever called here.
const (
	opMark       = '('
	opStop       = '.'
	opAppends    = 'e'
	opBinInt     = 'J'
	opBinInt1    = 'K'
	opBinInt2    = 'M'
	opUnicode    = 'X'
	opGlobal     = 'c'
	opBuild      = 'b'
	opEmptyTuple = ')'
	opEmptyList  = ']'
	opEmptyDict  = '}'
	opBinGet     = 'h'
	opLongBinGet = 'j'
	opBinPut     = 'q'
	opLongBinPut = 'r'
	opReduce     = 'R'
	opSetItem    = 's'
	opSetItems   = 'u'
	opProto      = 0x80
	opNewObj     = 0x81
)

// The values of a pickle are int64, string, and these.
type (
	global string // the name of a class
	tuple  struct{}
	mark   struct{}
	list   struct{ items []any }
	dict   struct{ items map[any]any } // an OrderedDict, too, whose order is not kept
	object struct{ state *dict }       // a Dataset
)

// The only classes of a release.
const (
	datasetClass = global("dataset Dataset")
	orderedClass = global("collections OrderedDict")
)

// unpickle returns the state of the Dataset that a pickle of protocol 2 or 3 contains.
func unpickle(raw []byte) (*dict, error) {
	m := machine{raw: raw, memo: map[uint32]any{}}
	for {
		at := m.at
		done, err := m.step()
		if err != nil {
			return nil, fmt.Errorf("at byte %d: %w", at, err)
		}
		if !done {
			continue
		}
		if len(m.stack) == 1 {
			if o, ok := m.stack[0].(*object); ok && o.state != nil {
				return o.state, nil
			}
		}
		return nil, errors.New("the pickle does not contain a Dataset of NeuroNER")
	}
}

// machine is the state of a pickle that is being read.
type machine struct {
	raw   []byte
	at    int
	stack []any
	memo  map[uint32]any
}

var (
	errTruncated = errors.New("the pickle is truncated")
	errMalformed = errors.New("the pickle is malformed")
)

// step reads an opcode with its argument and applies it.
func (m *machine) step() (done bool, err error) {
	op, err := m.take(1)
	if err != nil {
		return false, err
	}
	if len(m.stack) > maxStack || len(m.memo) > maxMemo {
		return false, errors.New("the pickle is larger than that of any release")
	}
	switch op[0] {
	case opProto:
		version, err := m.number(1)
		if err == nil && version != 2 && version != 3 {
			err = fmt.Errorf("protocol %d is not supported", version)
		}
		return false, err
	case opStop:
		return true, nil
	case opMark:
		m.push(mark{})
	case opEmptyTuple:
		m.push(tuple{})
	case opEmptyList:
		m.push(&list{})
	case opEmptyDict:
		m.push(&dict{})
	case opBinInt, opBinInt1, opBinInt2:
		return false, m.integer(op[0])
	case opUnicode:
		return false, m.unicode()
	case opGlobal:
		return false, m.global()
	case opReduce, opNewObj:
		return false, m.make(op[0])
	case opBuild:
		return false, m.build()
	case opBinPut, opLongBinPut:
		return false, m.put(op[0])
	case opBinGet, opLongBinGet:
		return false, m.get(op[0])
	case opAppends:
		return false, m.appends()
	case opSetItem:
		if len(m.stack) < 3 {
			return false, errMalformed
		}
		return false, m.set(len(m.stack) - 2)
	case opSetItems:
		at, err := m.marked()
		if err != nil {
			return false, err
		}
		m.stack = append(m.stack[:at], m.stack[at+1:]...)
		return false, m.set(at)
	default:
		return false, fmt.Errorf("the opcode 0x%02x is not supported, since releases of NeuroNER do not contain it", op[0])
	}
	return false, nil
}

func (m *machine) push(v any) { m.stack = append(m.stack, v) }

// Python pickles a thousand elements at a time, so the stack of a release stays small. These bounds keep
// that of a hostile file small, too.
const (
	maxStack = 1 << 14
	maxMemo  = 1 << 18
)

func (m *machine) pop() (any, error) {
	if len(m.stack) == 0 {
		return nil, errMalformed
	}
	v := m.stack[len(m.stack)-1]
	m.stack = m.stack[:len(m.stack)-1]
	return v, nil
}

// take returns the next n bytes.
func (m *machine) take(n int) ([]byte, error) {
	if n < 0 || n > len(m.raw)-m.at {
		return nil, errTruncated
	}
	m.at += n
	return m.raw[m.at-n : m.at], nil
}

// number reads a little-endian number of n bytes, at most 4.
func (m *machine) number(n int) (uint32, error) {
	raw, err := m.take(n)
	if err != nil {
		return 0, err
	}
	var all [4]byte
	copy(all[:], raw)
	return binary.LittleEndian.Uint32(all[:]), nil
}

func (m *machine) integer(op byte) error {
	size := map[byte]int{opBinInt: 4, opBinInt1: 1, opBinInt2: 2}[op]
	v, err := m.number(size)
	if size == 4 {
		m.push(int64(int32(v)))
	} else {
		m.push(int64(v))
	}
	return err
}

func (m *machine) unicode() error {
	n, err := m.number(4)
	if err != nil {
		return err
	}
	if uint64(n) > uint64(len(m.raw)-m.at) {
		return errTruncated
	}
	raw, _ := m.take(int(n))
	if !utf8.Valid(raw) {
		return errMalformed
	}
	m.push(string(raw))
	return nil
}

// global reads the name of a class. Any class but the two of a release is refused.
func (m *machine) global() error {
	var names [2]string
	for i := range names {
		begin := m.at
		for {
			c, err := m.take(1)
			if err != nil {
				return err
			}
			if c[0] == '\n' {
				break
			}
		}
		names[i] = string(m.raw[begin : m.at-1])
	}
	class := global(names[0] + " " + names[1])
	if class != datasetClass && class != orderedClass {
		return errors.New("the pickle names a class or a function that releases of NeuroNER do not contain; it was not called")
	}
	m.push(class)
	return nil
}

// make makes an empty object of a class, without arguments.
func (m *machine) make(op byte) error {
	arguments, err := m.pop()
	if err != nil {
		return err
	}
	class, err := m.pop()
	if err != nil {
		return err
	}
	if arguments != (tuple{}) {
		return errMalformed
	}
	switch {
	case op == opNewObj && class == datasetClass:
		m.push(&object{})
	case op == opReduce && class == orderedClass:
		m.push(&dict{})
	default:
		return errMalformed
	}
	return nil
}

// build gives an object its state.
func (m *machine) build() error {
	state, err := m.pop()
	if err != nil || len(m.stack) == 0 {
		return errMalformed
	}
	o, isObject := m.stack[len(m.stack)-1].(*object)
	d, isDict := state.(*dict)
	if !isObject || !isDict {
		return errMalformed
	}
	o.state = d
	return nil
}

func (m *machine) put(op byte) error {
	at, err := m.number(map[byte]int{opBinPut: 1, opLongBinPut: 4}[op])
	if err != nil {
		return err
	}
	if len(m.stack) == 0 {
		return errMalformed
	}
	m.memo[at] = m.stack[len(m.stack)-1]
	return nil
}

func (m *machine) get(op byte) error {
	at, err := m.number(map[byte]int{opBinGet: 1, opLongBinGet: 4}[op])
	if err != nil {
		return err
	}
	v, ok := m.memo[at]
	if !ok {
		return errMalformed
	}
	m.push(v)
	return nil
}

// marked returns where the topmost mark is, which has something below it.
func (m *machine) marked() (int, error) {
	for at := len(m.stack) - 1; at > 0; at-- {
		if m.stack[at] == (mark{}) {
			return at, nil
		}
	}
	return 0, errMalformed
}

// appends appends what is above the topmost mark to the list below it.
func (m *machine) appends() error {
	at, err := m.marked()
	if err != nil {
		return err
	}
	l, ok := m.stack[at-1].(*list)
	if !ok {
		return errMalformed
	}
	l.items = append(l.items, m.stack[at+1:]...)
	m.stack = m.stack[:at]
	return nil
}

// set adds the keys and values from a place of the stack on to the dictionary below it.
func (m *machine) set(at int) error {
	d, ok := m.stack[at-1].(*dict)
	if !ok || (len(m.stack)-at)%2 != 0 {
		return errMalformed
	}
	if d.items == nil {
		d.items = map[any]any{}
	}
	for i := at; i < len(m.stack); i += 2 {
		switch m.stack[i].(type) {
		case string, int64:
		default:
			return errMalformed
		}
		d.items[m.stack[i]] = m.stack[i+1]
	}
	m.stack = m.stack[:at]
	return nil
}
