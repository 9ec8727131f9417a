// Package pickle reads Python pickles of protocols 2 and 3 without executing them. A pickle is a program
// for a stack machine, which can call any function of Python. Nothing is ever called here: a call becomes
// an Object, which says what would be called with what, and only the classes and functions that the caller
// lists may be named at all.
package pickle

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"
)

// The values of a pickle are nil, bool, int64, string, and these.
type (
	// Tuple is a tuple.
	Tuple []any
	// List is a list.
	List struct{ Items []any }
	// Dict is a dict or a collections.OrderedDict, whose order and attributes are not kept. Keys are int64
	// or string.
	Dict struct{ Items map[any]any }
	// Global is a class or a function by its name, as in "torch._utils _rebuild_tensor_v2".
	Global string
	// Object is what a call of a class or a function with these arguments returns. State is nil, or what
	// the object is given after it is made.
	Object struct {
		Of        Global
		Arguments Tuple
		State     any
	}
	// Persistent is an object outside of the pickle.
	Persistent struct{ ID any }
)

// OrderedDict can occur in every pickle, as a Dict.
const OrderedDict = Global("collections OrderedDict")

// The opcodes that occur in the supported pickles.
const (
	opMark       = '('
	opStop       = '.'
	opNone       = 'N'
	opTrue       = 0x88
	opFalse      = 0x89
	opBinInt     = 'J'
	opBinInt1    = 'K'
	opBinInt2    = 'M'
	opLong1      = 0x8a
	opUnicode    = 'X'
	opEmptyTuple = ')'
	opTuple      = 't'
	opTuple1     = 0x85
	opTuple2     = 0x86
	opTuple3     = 0x87
	opEmptyList  = ']'
	opAppend     = 'a'
	opAppends    = 'e'
	opEmptyDict  = '}'
	opSetItem    = 's'
	opSetItems   = 'u'
	opGlobal     = 'c'
	opReduce     = 'R'
	opNewObj     = 0x81
	opBuild      = 'b'
	opPersistent = 'Q'
	opBinGet     = 'h'
	opLongBinGet = 'j'
	opBinPut     = 'q'
	opLongBinPut = 'r'
	opProto      = 0x80
)

// Python pickles a thousand elements at a time, so the stack of an honest pickle stays small. These bounds
// keep the memory for a hostile one below 100 MB: of what is on the stack, what can be named again, and
// what is pushed in all.
const (
	maxStack  = 1 << 14
	maxMemo   = 1 << 18
	maxPushed = 1 << 19
)

// Parse returns the value of a pickle, in which only these classes and functions, and OrderedDict, are named.
// A value can contain itself. Errors give the offset.
func Parse(raw []byte, known ...Global) (any, error) {
	m := machine{raw: raw, known: known, memo: map[uint32]any{}}
	for {
		at := m.at
		done, err := m.step()
		switch {
		case err != nil:
			return nil, fmt.Errorf("at byte %d: %w", at, err)
		case done && (len(m.stack) != 1 || m.stack[0] == mark{}):
			return nil, fmt.Errorf("at byte %d: %w", at, errMalformed)
		case done:
			return m.stack[0], nil
		}
	}
}

// machine is the state of a pickle that is being read.
type machine struct {
	raw    []byte
	at     int
	known  []Global
	stack  []any
	pushed int
	memo   map[uint32]any
}

// mark is on the stack where a tuple or a series of elements begins.
type mark struct{}

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
	if len(m.stack) > maxStack || len(m.memo) > maxMemo || m.pushed > maxPushed {
		return false, errors.New("the pickle is larger than that of any supported model")
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
	case opNone:
		m.push(nil)
	case opTrue, opFalse:
		m.push(op[0] == opTrue)
	case opBinInt:
		return false, m.integer(4)
	case opBinInt1:
		return false, m.integer(1)
	case opBinInt2:
		return false, m.integer(2)
	case opLong1:
		return false, m.long()
	case opUnicode:
		return false, m.unicode()
	case opEmptyTuple:
		m.push(Tuple{})
	case opTuple1, opTuple2, opTuple3:
		return false, m.tuple(len(m.stack) - int(op[0]-opTuple1) - 1)
	case opTuple:
		at, err := m.unmark()
		if err != nil {
			return false, err
		}
		return false, m.tuple(at)
	case opEmptyList:
		m.push(&List{})
	case opEmptyDict:
		m.push(&Dict{})
	case opAppend:
		return false, m.append(len(m.stack) - 1)
	case opSetItem:
		return false, m.set(len(m.stack) - 2)
	case opAppends, opSetItems:
		at, err := m.unmark()
		if err != nil {
			return false, err
		}
		if op[0] == opAppends {
			return false, m.append(at)
		}
		return false, m.set(at)
	case opGlobal:
		return false, m.global()
	case opReduce, opNewObj:
		return false, m.make()
	case opBuild:
		return false, m.build()
	case opPersistent:
		id, err := m.pop()
		if err != nil {
			return false, err
		}
		m.push(Persistent{id})
	case opBinPut:
		return false, m.put(1)
	case opLongBinPut:
		return false, m.put(4)
	case opBinGet:
		return false, m.get(1)
	case opLongBinGet:
		return false, m.get(4)
	default:
		return false, fmt.Errorf("the opcode 0x%02x is not supported", op[0])
	}
	return false, nil
}

func (m *machine) push(v any) {
	m.stack = append(m.stack, v)
	m.pushed++
}

// pop removes the topmost value.
func (m *machine) pop() (any, error) {
	values, err := m.cut(len(m.stack) - 1)
	if err != nil {
		return nil, err
	}
	return values[0], nil
}

// cut removes the values from a place of the stack on, and returns them until the next push.
func (m *machine) cut(at int) ([]any, error) {
	if at < 0 || slices.Contains(m.stack[at:], any(mark{})) {
		return nil, errMalformed
	}
	values := m.stack[at:]
	m.stack = m.stack[:at]
	return values, nil
}

// unmark removes the topmost mark and returns the place of what was above it.
func (m *machine) unmark() (int, error) {
	for at := len(m.stack) - 1; at >= 0; at-- {
		if m.stack[at] == any(mark{}) {
			m.stack = slices.Delete(m.stack, at, at+1)
			return at, nil
		}
	}
	return 0, errMalformed
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

// integer reads an integer of n bytes, which only has a sign if they are 4.
func (m *machine) integer(n int) error {
	v, err := m.number(n)
	if n == 4 {
		m.push(int64(int32(v)))
	} else {
		m.push(int64(v))
	}
	return err
}

// long reads an integer of any number of bytes, of which at most 8 are supported.
func (m *machine) long() error {
	n, err := m.number(1)
	if err != nil {
		return err
	}
	raw, err := m.take(int(n))
	if err != nil {
		return err
	}
	if n > 8 {
		return fmt.Errorf("an integer of %d bytes is not supported", n)
	}
	var v uint64
	for i, b := range raw {
		v |= uint64(b) << (8 * i)
	}
	m.push(int64(v<<(64-8*n)) >> (64 - 8*n)) // extends the sign; 0 for no bytes
	return nil
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

// tuple makes a tuple of the values from a place of the stack on.
func (m *machine) tuple(at int) error {
	values, err := m.cut(at)
	if err != nil {
		return err
	}
	m.push(Tuple(slices.Clone(values)))
	return nil
}

// maxName is the maximum length of the name of a class or a function in bytes, so that an error can contain it.
const maxName = 100

// global reads the name of a class or a function: two lines, for the module and for what is in it.
func (m *machine) global() error {
	var names [2]string
	for i := range names {
		end := slices.Index(m.raw[m.at:], '\n')
		if end < 0 {
			return errTruncated
		}
		names[i] = string(m.raw[m.at : m.at+min(end, maxName)])
		m.at += end + 1
	}
	g := Global(names[0] + " " + names[1])
	if g != OrderedDict && !slices.Contains(m.known, g) {
		return fmt.Errorf("the pickle names %q, which is not supported; it was not called", names[0]+"."+names[1])
	}
	m.push(g)
	return nil
}

// make replaces a class or a function and its arguments with what a call would return.
func (m *machine) make() error {
	last, err := m.pop()
	if err != nil {
		return err
	}
	first, err := m.pop()
	if err != nil {
		return err
	}
	of, isGlobal := first.(Global)
	arguments, isTuple := last.(Tuple)
	switch {
	case !isGlobal || !isTuple || of == OrderedDict && len(arguments) != 0:
		return errMalformed
	case of == OrderedDict:
		m.push(&Dict{})
	default:
		m.push(&Object{Of: of, Arguments: arguments})
	}
	return nil
}

// build gives an object its state. A dictionary can have attributes, which are dropped.
func (m *machine) build() error {
	state, err := m.pop()
	if err != nil || len(m.stack) == 0 {
		return errMalformed
	}
	switch o := m.stack[len(m.stack)-1].(type) {
	case *Object:
		if o.State != nil {
			return errMalformed
		}
		o.State = state
	case *Dict:
		if _, ok := state.(*Dict); !ok {
			return errMalformed
		}
	default:
		return errMalformed
	}
	return nil
}

// put names the topmost value by a number of n bytes.
func (m *machine) put(n int) error {
	at, err := m.number(n)
	if err != nil {
		return err
	}
	if len(m.stack) == 0 || m.stack[len(m.stack)-1] == any(mark{}) {
		return errMalformed
	}
	m.memo[at] = m.stack[len(m.stack)-1]
	return nil
}

// get pushes what a number of n bytes names.
func (m *machine) get(n int) error {
	at, err := m.number(n)
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

// append appends the values from a place of the stack on to the list below it.
func (m *machine) append(at int) error {
	values, err := m.cut(at)
	if err != nil || at == 0 {
		return errMalformed
	}
	l, ok := m.stack[at-1].(*List)
	if !ok {
		return errMalformed
	}
	l.Items = append(l.Items, values...)
	return nil
}

// set adds the keys and values from a place of the stack on to the dictionary below it.
func (m *machine) set(at int) error {
	values, err := m.cut(at)
	if err != nil || at == 0 || len(values)%2 != 0 {
		return errMalformed
	}
	d, ok := m.stack[at-1].(*Dict)
	if !ok {
		return errMalformed
	}
	if d.Items == nil {
		d.Items = make(map[any]any, len(values)/2)
	}
	for i := 0; i < len(values); i += 2 {
		switch values[i].(type) {
		case string, int64:
		default:
			return errMalformed
		}
		if _, ok := d.Items[values[i]]; ok {
			return errors.New("a dictionary has a key twice")
		}
		d.Items[values[i]] = values[i+1]
	}
	return nil
}
