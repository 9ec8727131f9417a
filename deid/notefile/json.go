package notefile

import (
	"bytes"
	"encoding/json"
	"errors"
	"iter"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// validJSON reports whether raw is one JSON value. If not, at is the position of the first invalid
// byte.
func validJSON(raw []byte) (at int, ok bool) {
	if json.Valid(raw) {
		return 0, true
	}
	var any json.RawMessage
	if e, ok := errors.AsType[*json.SyntaxError](json.Unmarshal(raw, &any)); ok {
		return max(int(e.Offset)-1, 0), false
	}
	return 0, false
}

// jsonTree contains valid JSON and the positions of its values in the order of the file. It is
// built in one pass, so that no query reads the bytes again.
type jsonTree struct {
	raw    []byte
	values []jsonValue // the first is the whole
}

// jsonValue is a value. The values nested in it follow it, up to after.
type jsonValue struct {
	key      int32 // position of the key of a member; 0: none
	from, to int32
	after    int32 // the next value that is not nested in this one
	parent   int32 // the value that contains this one
}

// parseJSON finds the values of valid JSON that begins at a position. Positions fit in 32 bits: see
// maxRecord.
func parseJSON(raw []byte, at int) *jsonTree {
	j := &jsonTree{raw: raw}
	j.value(j.skipBlank(at), 0, -1)
	return j
}

// value adds the value at a position and returns its end. The depth is bounded, because
// encoding/json limits the depth of valid JSON.
func (j *jsonTree) value(at, key, parent int) int {
	i := len(j.values)
	j.values = append(j.values, jsonValue{key: int32(key), from: int32(at), parent: int32(parent)}) //nolint:gosec // see parseJSON
	switch open := j.raw[at]; open {
	case '{', '[':
		at = j.skipBlank(at + 1)
		for j.raw[at] != '}' && j.raw[at] != ']' {
			key := 0
			if open == '{' {
				key = at
				at = j.skipBlank(j.skipBlank(j.stringEnd(at)) + 1) // skip the colon
			}
			at = j.skipBlank(j.value(at, key, i))
			if j.raw[at] == ',' {
				at = j.skipBlank(at + 1)
			}
		}
		at++
	case '"':
		at = j.stringEnd(at)
	default:
		for at < len(j.raw) && strings.IndexByte(",]} \t\r\n", j.raw[at]) < 0 {
			at++
		}
	}
	j.values[i].to, j.values[i].after = int32(at), int32(len(j.values)) //nolint:gosec // as above
	return at
}

func (j *jsonTree) skipBlank(at int) int {
	for at < len(j.raw) && (j.raw[at] == ' ' || j.raw[at] == '\t' || j.raw[at] == '\n' || j.raw[at] == '\r') {
		at++
	}
	return at
}

// stringEnd returns the end of the string that begins at a position, which is after the first quote
// with an even number of backslashes before it.
func (j *jsonTree) stringEnd(at int) int {
	for at++; ; at++ {
		at += bytes.IndexByte(j.raw[at:], '"')
		n := at
		for j.raw[n-1] == '\\' {
			n--
		}
		if (at-n)%2 == 0 {
			return at + 1
		}
	}
}

// kind returns the first byte of a value: { [ " or another.
func (j *jsonTree) kind(i int) byte { return j.raw[j.values[i].from] }

func (j *jsonTree) from(i int) int { return int(j.values[i].from) }
func (j *jsonTree) to(i int) int   { return int(j.values[i].to) }

// within yields the members of an object or the elements of an array.
func (j *jsonTree) within(i int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for k := i + 1; k < int(j.values[i].after); k = int(j.values[k].after) {
			if !yield(k) {
				return
			}
		}
	}
}

// key returns the key of a member.
func (j *jsonTree) key(i int) string {
	at := int(j.values[i].key)
	if at == 0 {
		return ""
	}
	return j.plain(at, j.stringEnd(at))
}

// hasKey reports whether a member has this key.
func (j *jsonTree) hasKey(i int, key string) bool {
	at := int(j.values[i].key)
	if at == 0 {
		return false
	}
	raw := j.raw[at+1:]
	if len(raw) > len(key) && raw[len(key)] == '"' && string(raw[:len(key)]) == key {
		return true
	}
	n := j.stringEnd(at) - at - 2
	return n > len(key) && bytes.IndexByte(raw[:n], '\\') >= 0 && j.key(i) == key
}

// hasKeyFold reports whether a member has this key, ignoring case.
func (j *jsonTree) hasKeyFold(i int, key string) bool {
	at := int(j.values[i].key)
	if at == 0 {
		return false
	}
	if c := j.raw[at+1]; c != '\\' && c < utf8.RuneSelf && key != "" && key[0] < utf8.RuneSelf && c|0x20 != key[0]|0x20 {
		return false
	}
	raw := j.raw[at+1 : j.stringEnd(at)-1]
	if bytes.IndexByte(raw, '\\') >= 0 {
		return strings.EqualFold(j.key(i), key)
	}
	return bytes.EqualFold(raw, []byte(key))
}

// parent returns the object or array that contains a value, or -1 for the whole.
func (j *jsonTree) parent(i int) int { return int(j.values[i].parent) }

// plain returns the string raw[from:to] without its escapes, or any other value as written.
func (j *jsonTree) plain(from, to int) string {
	raw := j.raw[from:to]
	if raw[0] != '"' {
		return string(raw)
	}
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw[1 : len(raw)-1])
	}
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

// text returns a value as by plain.
func (j *jsonTree) text(i int) string { return j.plain(j.from(i), j.to(i)) }

// find calls see with each value at a path of keys below a value. It sees all values of duplicate
// keys, because readers differ in which one they use.
func (j *jsonTree) find(i int, path []string, see func(i int)) {
	if j.kind(i) != '{' {
		return
	}
	for k := range j.within(i) {
		switch {
		case !j.hasKey(k, path[0]):
		case len(path) == 1:
			see(k)
		default:
			j.find(k, path[1:], see)
		}
	}
}

// first returns the string or number at a path, or "".
func (j *jsonTree) first(i int, path ...string) string {
	value := ""
	j.find(i, path, func(k int) {
		if c := j.kind(k); value == "" && (c == '"' || c == '-' || c >= '0' && c <= '9') {
			value = j.text(k)
		}
	})
	return value
}

var errSurrogate = errors.New("half of a surrogate pair")

// stringView returns the view of a string in the JSON. With an error it returns the position of the
// error. Half of a surrogate pair is an error, because it is not text.
func (j *jsonTree) stringView(i int) (*view, int, error) {
	v := &view{encode: jsonString}
	raw, end := j.raw, j.to(i)-1
	for at := j.from(i) + 1; at < end; {
		n := bytes.IndexByte(raw[at:end], '\\')
		if n < 0 {
			n = end - at
		}
		v.verbatim(at, string(raw[at:at+n]))
		if at += n; at == end {
			break
		}
		n, r := 2, rune(0)
		switch c := raw[at+1]; c {
		case 'u':
			n, r = 6, hex4(raw[at+2:])
			if utf16.IsSurrogate(r) {
				if at+12 > end || raw[at+6] != '\\' || raw[at+7] != 'u' {
					return nil, at, errSurrogate
				}
				if r = utf16.DecodeRune(r, hex4(raw[at+8:])); r == utf8.RuneError {
					return nil, at, errSurrogate
				}
				n = 12
			}
		case 'b', 'f', 'n', 'r', 't':
			r = rune("\b\f\n\r\t"[strings.IndexByte("bfnrt", c)])
		default: // '"', '\\' and '/'
			r = rune(c)
		}
		v.stands(escape, at, n, string(r))
		at += n
	}
	return v, 0, nil
}

func hex4(raw []byte) rune {
	unit, _ := strconv.ParseUint(string(raw[:4]), 16, 16) // the JSON is valid
	return rune(unit)
}

// jsonString encodes text for a place between quotes.
func jsonString(text string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(text) // encoding a string never fails
	return strings.TrimSuffix(strings.TrimPrefix(b.String(), `"`), "\"\n")
}
