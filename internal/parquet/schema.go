package parquet

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Leaf is a column that has values: a field of the schema that is not a group.
type Leaf struct {
	Path string // the names from the top of the schema to the field, separated by dots
	// Short is Path without the names of the groups that a list or map consists of: "notes.text"
	// instead of "notes.list.element.text".
	Short    string
	Names    []string // the names that Short consists of
	AllNames []string // the names that Path consists of
	Groups   []*Group // what contains the field, from the outermost
	Optional bool     // the field itself can be null
	Repeated bool     // a row can have several values
	MaxDef   byte     // the definition level of a value that is not null
	// UnknownZone is the time zone of the timestamps if this machine does not know it.
	UnknownZone string

	index    int // among the leaves
	maxRep   byte
	physical int64
	length   int // of fixed-length byte arrays
	logical  logicalType
	scale    int64          // of decimals; of dates, the number of units per day
	below    uint64         // of integers and decimals of less than 63 bits: one more than the highest value; 0 for others
	long     bool           // the values are decimals that can have any number of 63 bits
	zone     *time.Location // in which timestamps are shown; nil for UTC and for timestamps that are no instants
	instant  bool           // the timestamps are instants, and nothing says in which zone they are shown
}

// Group is a field of the schema that contains others, or one of the groups that a list or map consists of.
type Group struct {
	Names    []string // as for a Leaf; groups that Short leaves out have those of what contains them
	Optional bool     // the group itself can be null
	Rep, Def byte     // the highest levels of the group itself
}

type logicalType int

const (
	noType logicalType = iota
	textType
	signedType
	unsignedType
	decimalType
	uuidType
	dateType  // days, or instants
	otherType // for example JSON
)

// Text reports whether the values are text.
func (l *Leaf) Text() bool { return l.physical == physByteArray && l.logical == textType }

// Key reports whether the values can identify something: text, integers of any width, decimals
// without a fraction, and UUIDs.
func (l *Leaf) Key() bool {
	switch l.physical {
	case physInt32, physInt64:
		return l.logical != otherType && l.logical != dateType && (l.logical != decimalType || l.scale == 0)
	case physByteArray:
		return l.logical == textType || l.logical == decimalType && l.scale == 0
	case physFixed:
		return l.logical == uuidType && l.length == 16 || l.logical == decimalType && l.scale == 0
	}
	return false
}

// KeyText returns a value of a leaf for which Key is true as text.
func (l *Leaf) KeyText(v []byte) string {
	switch {
	case l.physical == physInt32 || l.physical == physInt64:
		var n uint64
		for i, b := range v {
			n |= uint64(b) << (8 * i)
		}
		switch {
		case l.logical == unsignedType:
			return strconv.FormatUint(n, 10)
		case l.physical == physInt32:
			return strconv.FormatInt(int64(int32(n)), 10) //nolint:gosec // the type has 32 bits
		}
		return strconv.FormatInt(int64(n), 10) //nolint:gosec // the type is signed
	case l.logical == uuidType:
		return fmt.Sprintf("%x-%x-%x-%x-%x", v[:4], v[4:6], v[6:8], v[8:10], v[10:])
	case l.logical == decimalType: // a big-endian number in two's complement
		n := new(big.Int).SetBytes(v)
		if len(v) > 0 && v[0]&0x80 != 0 {
			n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(v)))) //nolint:gosec // not negative
		}
		return n.String()
	}
	return string(v)
}

// Type describes the type of the values for errors.
func (l *Leaf) Type() string {
	physical := []string{"booleans", "integers", "integers", "dates", "numbers", "numbers", "bytes", "bytes"}[l.physical]
	switch l.logical {
	case textType:
		return "text"
	case decimalType:
		if l.scale > 0 {
			return "decimals with a fraction"
		}
		return "decimals"
	case uuidType:
		return "UUIDs"
	case dateType:
		return "dates"
	case otherType:
		if l.physical == physInt32 || l.physical == physInt64 {
			return physical + " with another meaning, such as times of the day"
		}
		return physical + " with another meaning, such as JSON"
	}
	if l.physical == physByteArray {
		return "bytes that are not marked as text (UTF8)"
	}
	return physical
}

var errSchema = errors.New("a schema that is not valid")

// schemaReader turns the list of the elements of a schema, in depth-first order, into leaves.
type schemaReader struct {
	elements []field
	leaves   []*Leaf
}

// readSchema returns the leaves of a schema.
func readSchema(elements []field) ([]*Leaf, error) {
	s := schemaReader{elements: elements}
	if len(elements) == 0 {
		return nil, errSchema
	}
	root := &s.elements[0].value
	s.elements = s.elements[1:]
	for range root.number(5, 0) {
		if err := s.element(nil, nil, nil, 0, 0, nil, 0); err != nil {
			return nil, err
		}
	}
	if len(s.elements) > 0 {
		return nil, errSchema
	}
	return s.leaves, nil
}

// element reads a field and everything below it. path and short are the names above it, and groups what contains it, of which parent is
// the last. hidden says what of its name Short leaves out.
func (s *schemaReader) element(path, short []string, groups []*Group, rep, def byte, parent *value, hidden int) error {
	if len(s.elements) == 0 || len(path) > 64 {
		return errSchema
	}
	e := &s.elements[0].value
	s.elements = s.elements[1:]
	nameOf := e.get(4)
	if nameOf == nil || nameOf.typ != typeBinary {
		return errSchema
	}
	name := string(nameOf.raw)
	path = append(path[:len(path):len(path)], name)
	repetition := e.number(3, 0)
	switch repetition {
	case 0:
	case 1:
		def++
	case 2:
		def, rep = def+1, rep+1
	default:
		return errSchema
	}
	children := e.number(5, 0)
	below := 0 // what of the names of the children Short leaves out
	switch {
	case hidden > 0 || repetition == 2 && (isList(parent) || isMap(parent)):
		if isList(parent) && hidden == 0 && children == 1 && name != "array" && !strings.HasSuffix(name, "_tuple") {
			below = 1
		}
	default:
		short = append(short[:len(short):len(short)], name)
	}
	if children > 0 {
		groups = append(groups[:len(groups):len(groups)], &Group{Names: short, Optional: repetition == 1, Rep: rep, Def: def})
		for range children {
			if err := s.element(path, short, groups, rep, def, e, below); err != nil {
				return err
			}
		}
		return nil
	}
	physical := e.number(1, -1)
	if e.get(1) == nil {
		if e.get(5) != nil { // a group without fields
			return nil
		}
		return errSchema
	}
	if physical < physBoolean || physical > physFixed {
		return errSchema
	}
	l := &Leaf{
		Path: strings.Join(path, "."), Short: strings.Join(short, "."), Names: slices.Clone(short), AllNames: slices.Clone(path), Groups: groups, Optional: repetition == 1, Repeated: rep > 0, MaxDef: def,
		index: len(s.leaves), maxRep: rep, physical: physical, length: int(e.number(2, 0)),
	}
	if l.physical == physFixed && l.length < 0 {
		return errSchema
	}
	if l.logical, l.scale = meaning(e); l.physical == physInt96 {
		l.logical, l.scale = dateType, unitsPerDay[3] // the type has no other meaning
	}
	l.setRange(e)
	l.instant = l.Dated() && l.scale > 1 && !isLocal(e)
	s.leaves = append(s.leaves, l)
	return nil
}

// setRange sets which numbers the values of an element can be.
func (l *Leaf) setRange(e *value) {
	switch {
	case l.logical == decimalType:
		digits := max(e.number(8, 0), e.get(10).get(5).number(2, 0))
		room := map[int64]int64{physInt32: 9, physInt64: 18, physByteArray: math.MaxInt64, physFixed: int64(float64(8*l.length-1) * math.Log10(2))}[l.physical]
		if l.long = digits > 18 && digits <= room; digits < 1 || digits > min(18, room) {
			return
		}
		l.below = 1
		for range digits {
			l.below *= 10
		}
	case l.physical == physInt32 && (l.logical == noType || l.logical == signedType):
		l.below = 1 << (widthOf(e) - 1)
	case l.physical == physInt32 && l.logical == unsignedType:
		l.below = 1 << widthOf(e)
	}
}

// widthOf returns the number of bits of the integers of an element that has at most 32.
func widthOf(e *value) int64 {
	width := e.get(10).get(10).number(1, 0)
	switch c := e.number(6, -1); {
	case width > 0:
	case c == 11 || c == 15:
		width = 8
	case c == 12 || c == 16:
		width = 16
	}
	if width == 8 || width == 16 {
		return width
	}
	return 32
}

// isLocal reports whether the timestamps of an element are no instants, but what a calendar and a clock show somewhere. Those of 96 bits are instants
// for Spark, which writes them.
func isLocal(e *value) bool {
	adjusted := e.get(10).get(8).get(1)
	return adjusted != nil && adjusted.typ == typeFalse
}

func isList(e *value) bool { return e != nil && (e.number(6, -1) == 3 || e.get(10).get(3) != nil) }

func isMap(e *value) bool {
	converted := e.number(6, -1)
	return e != nil && (converted == 1 || converted == 2 || e.get(10).get(2) != nil)
}

// meaning returns the logical type of an element, and the scale of a decimal.
func meaning(e *value) (logicalType, int64) {
	if t := e.get(10); t != nil && len(t.kids) == 1 {
		switch t.kids[0].id {
		case 1:
			return textType, 0
		case 5:
			return decimalType, t.kids[0].number(1, 0)
		case 6:
			return dateType, 1
		case 8:
			if unit := t.kids[0].get(2); unit != nil && len(unit.kids) == 1 {
				return dateType, unitsPerDay[unit.kids[0].id]
			}
			return otherType, 0
		case 10:
			if signed := t.kids[0].get(2); signed != nil && signed.typ == typeFalse {
				return unsignedType, 0
			}
			return signedType, 0
		case 14:
			return uuidType, 0
		}
		return otherType, 0
	}
	switch c := e.number(6, -1); {
	case c < 0:
		return noType, 0
	case c == 0:
		return textType, 0
	case c == 5:
		return decimalType, e.number(7, 0)
	case c == 6:
		return dateType, 1
	case c == 9 || c == 10:
		return dateType, unitsPerDay[int16(c-8)]
	case c >= 11 && c <= 14:
		return unsignedType, 0
	case c >= 15 && c <= 18:
		return signedType, 0
	}
	return otherType, 0
}

// unitsPerDay contains the number of milliseconds, microseconds and nanoseconds of a day, by their numbers in the format.
var unitsPerDay = map[int16]int64{1: 86_400_000, 2: 86_400_000_000, 3: 86_400_000_000_000}

// width returns the number of bits of a level.
func width(level byte) int { return bits.Len8(level) }
