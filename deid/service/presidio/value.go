package presidio

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/lethe-deid/lethe/deid/service/wire"
)

// A value of JSON, as Python reads it, is nil, a bool, an int, a float64, a string, a []any or an *object.

// object is an object of JSON. Its keys keep their order, because some of Presidio's errors name the first of them.
type object struct {
	fields []field
	places map[string]int // of the keys in fields; nil if there are few
}

type field struct {
	key   string
	value any
}

// few is the number of keys from which on an object has an index.
const few = 16

// place returns the index of a key in the fields, or -1.
func (o *object) place(key string) int {
	if o == nil {
		return -1
	}
	if o.places != nil {
		if i, ok := o.places[key]; ok {
			return i
		}
		return -1
	}
	return slices.IndexFunc(o.fields, func(f field) bool { return f.key == key })
}

// get returns the value of a key, or nil if there is none.
func (o *object) get(key string) any {
	if i := o.place(key); i >= 0 {
		return o.fields[i].value
	}
	return nil
}

// has reports whether the object has a key.
func (o *object) has(key string) bool { return o.place(key) >= 0 }

// set adds a key, or gives it another value.
func (o *object) set(key string, value any) {
	if i := o.place(key); i >= 0 {
		o.fields[i].value = value
		return
	}
	o.fields = append(o.fields, field{key, value})
	switch {
	case o.places != nil:
		o.places[key] = len(o.fields) - 1
	case len(o.fields) == few:
		o.places = map[string]int{}
		for i, f := range o.fields {
			o.places[f.key] = i
		}
	}
}

// without returns a copy of the object that lacks a key.
func (o *object) without(key string) *object {
	rest := &object{}
	for _, f := range o.fields {
		if f.key != key {
			rest.set(f.key, f.value)
		}
	}
	return rest
}

var errHalf = errors.New("a string contains half of a surrogate pair")

// decode reads a JSON text. A string with half of a surrogate pair is an error: it is no text, and Go would read it as
// another one.
func decode(raw []byte) (any, error) {
	raw = bytes.TrimPrefix(raw, []byte("\uFEFF"))
	if !json.Valid(raw) {
		return nil, errors.New("not valid JSON")
	}
	if halfPair(raw) {
		return nil, errHalf
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	value, err := next(d)
	if err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("not valid JSON")
	}
	return value, nil
}

// next reads a value.
func next(d *json.Decoder) (any, error) {
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch t := token.(type) {
	case json.Number:
		return number(t.String()), nil
	case json.Delim:
		if t == '[' {
			list := []any{}
			for d.More() {
				value, err := next(d)
				if err != nil {
					return nil, err
				}
				list = append(list, value)
			}
			_, err = d.Token()
			return list, err
		}
		o := &object{}
		for d.More() {
			key, err := d.Token()
			if err != nil {
				return nil, err
			}
			value, err := next(d)
			if err != nil {
				return nil, err
			}
			o.set(key.(string), value)
		}
		_, err = d.Token()
		return o, err
	}
	return token, nil
}

// number returns an int or, if the number has a fraction or an exponent or is too large, a float64.
func number(text string) any {
	if !strings.ContainsAny(text, ".eE") {
		if n, err := strconv.Atoi(text); err == nil {
			return n
		}
	}
	x, _ := strconv.ParseFloat(text, 64) // it is valid; too large a number becomes infinite, as in Python
	return x
}

// halfPair reports whether a string of valid JSON has an escape for half of a surrogate pair.
func halfPair(raw []byte) bool {
	for i := 0; i < len(raw); i++ {
		if raw[i] != '\\' {
			continue
		}
		i++
		if raw[i] != 'u' {
			continue
		}
		unit := escaped(raw[i:])
		i += 4
		switch {
		case unit >= 0xDC00 && unit < 0xE000:
			return true
		case unit >= 0xD800 && unit < 0xDC00:
			if i+2 >= len(raw) || raw[i+1] != '\\' || raw[i+2] != 'u' {
				return true
			}
			if low := escaped(raw[i+2:]); low < 0xDC00 || low >= 0xE000 {
				return true
			}
			i += 6
		}
	}
	return false
}

// escaped returns the number in an escape, which begins with u.
func escaped(raw []byte) int {
	unit, _ := strconv.ParseUint(string(raw[1:5]), 16, 32) // it is valid
	return int(unit)
}

// truthy reports whether Python takes a value for true.
func truthy(value any) bool {
	switch v := value.(type) {
	case bool:
		return v
	case int:
		return v != 0
	case float64:
		return v != 0
	case string:
		return v != ""
	case []any:
		return len(v) > 0
	case *object:
		return len(v.fields) > 0
	}
	return false
}

// typeName returns the name of a value's type in Python.
func typeName(value any) string {
	switch value.(type) {
	case bool:
		return "bool"
	case int:
		return "int"
	case float64:
		return "float"
	case string:
		return "str"
	case []any:
		return "list"
	case *object:
		return "dict"
	}
	return "NoneType"
}

// whole returns a value as an int, which a bool is, too.
func whole(value any) (int, bool) {
	switch v := value.(type) {
	case bool:
		if v {
			return 1, true
		}
		return 0, true
	case int:
		return v, true
	}
	return 0, false
}

// real returns a number as a float64.
func real(value any) (float64, bool) {
	if x, ok := value.(float64); ok {
		return x, true
	}
	n, ok := whole(value)
	return float64(n), ok
}

// less compares two values as Python does. It returns false for ok if Python cannot compare them, as with a number and a string.
func less(a, b any) (is, ok bool) {
	if n, ok := whole(a); ok {
		if m, ok := whole(b); ok {
			return n < m, true
		}
	}
	if x, ok := real(a); ok {
		y, ok := real(b)
		return x < y, ok
	}
	x, isText := a.(string)
	y, both := b.(string)
	return x < y, isText && both
}

// str returns what Python's str returns for a value.
func str(value any) string {
	if text, ok := value.(string); ok {
		return text
	}
	return repr(value)
}

// repr returns what Python's repr returns for a value. Strings must contain no control characters.
func repr(value any) string {
	switch v := value.(type) {
	case bool:
		if v {
			return "True"
		}
		return "False"
	case int:
		return strconv.Itoa(v)
	case float64:
		return float(v)
	case string:
		quote := "'"
		if strings.Contains(v, "'") && !strings.Contains(v, `"`) {
			quote = `"`
		}
		return quote + strings.NewReplacer(`\`, `\\`, quote, `\`+quote, "\n", `\n`, "\r", `\r`, "\t", `\t`).Replace(v) + quote
	case []any:
		var parts []string
		for _, item := range v {
			parts = append(parts, repr(item))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case *object:
		var parts []string
		for _, f := range v.fields {
			parts = append(parts, repr(f.key)+": "+repr(f.value))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return "None"
}

// float returns a number as Python writes it: with the fewest digits that identify it, and with an exponent if that is below
// -4 or above 15.
func float(x float64) string {
	switch {
	case math.IsInf(x, 1):
		return "inf"
	case math.IsInf(x, -1):
		return "-inf"
	case x == 0:
		return strconv.FormatFloat(x, 'f', 1, 64)
	}
	if exponent := math.Abs(x); exponent < 1e-4 || exponent >= 1e16 {
		return strconv.FormatFloat(x, 'e', -1, 64)
	}
	text := strconv.FormatFloat(x, 'f', -1, 64)
	if !strings.Contains(text, ".") {
		text += ".0"
	}
	return text
}

// style is how JSON is written: the text after a comma and after a colon.
type style struct{ comma, colon string }

var (
	spaced  = style{", ", ": "} // Python's json.dumps
	compact = style{",", ":"}   // Flask's jsonify
)

// append writes a value as JSON, with escapes for everything outside of ASCII. Besides the values that are read, it accepts []string.
func (s style) append(to []byte, value any) []byte {
	switch v := value.(type) {
	case nil:
		return append(to, "null"...)
	case bool:
		return strconv.AppendBool(to, v)
	case float64:
		text := float(v)
		return append(to, strings.Replace(text, "inf", "Infinity", 1)...)
	case string:
		return appendString(to, v)
	case []string:
		return s.appendList(to, len(v), func(to []byte, i int) []byte { return appendString(to, v[i]) })
	case []any:
		return s.appendList(to, len(v), func(to []byte, i int) []byte { return s.append(to, v[i]) })
	case *object:
		to = append(to, '{')
		for i, f := range v.fields {
			if i > 0 {
				to = append(to, s.comma...)
			}
			to = append(appendString(to, f.key), s.colon...)
			to = s.append(to, f.value)
		}
		return append(to, '}')
	}
	return append(to, repr(value)...)
}

// appendList writes a list of n items.
func (s style) appendList(to []byte, n int, item func(to []byte, i int) []byte) []byte {
	to = append(to, '[')
	for i := range n {
		if i > 0 {
			to = append(to, s.comma...)
		}
		to = item(to, i)
	}
	return append(to, ']')
}

// appendString writes a string of JSON in ASCII.
func appendString(to []byte, text string) []byte {
	to = append(to, '"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			to = append(to, '\\', byte(r))
		case r >= ' ' && r <= '~':
			to = append(to, byte(r))
		case r < ' ' && short[r] != 0:
			to = append(to, '\\', short[r])
		case r < 0x10000:
			to = fmt.Appendf(to, `\u%04x`, r)
		default:
			r -= 0x10000
			to = fmt.Appendf(to, `\u%04x\u%04x`, 0xD800+r>>10, 0xDC00+r&0x3FF)
		}
	}
	return append(to, '"')
}

// short contains the letters of the short escapes.
var short = [' ']byte{'\n': 'n', '\r': 'r', '\t': 't', '\b': 'b', '\f': 'f'}

// record makes an object of keys and values in turn.
func record(pairs ...any) *object {
	o := &object{}
	for pair := range slices.Chunk(pairs, 2) {
		o.set(pair[0].(string), pair[1])
	}
	return o
}

// points are the code points of a text, in which Presidio counts.
type points struct {
	text  string
	index *wire.Index
}

func newPoints(text string) *points { return &points{text, wire.NewIndex(text)} }

// count returns the number of code points.
func (p *points) count() int { return p.index.End().CodePoint }

// byteAt returns the byte at which a code point begins, or the length of the text for their number.
func (p *points) byteAt(point int) int { return p.index.AtCodePoint(point).UTF8 }

// slice returns the text from one code point to another. An end before the start counts as the start, and one beyond the text as
// its end.
func (p *points) slice(start, end int) string {
	return p.text[p.byteAt(start):p.byteAt(max(start, end))]
}

// point returns the code point that begins at a byte.
func (p *points) point(at int) int { return p.index.At(at).CodePoint }
