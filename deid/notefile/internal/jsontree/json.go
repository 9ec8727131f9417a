// Package jsontree finds the values of JSON, with their positions, without changing it.
package jsontree

import (
	"bytes"
	"encoding/json"
	"errors"
	"iter"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/deid/notefile/internal/base"
	"github.com/lethe-deid/lethe/deid/notefile/internal/markup"
)

// Valid reports whether raw is one JSON value. If not, at is the position of the first invalid
// byte.
func Valid(raw []byte) (at int, ok bool) {
	if json.Valid(raw) {
		return 0, true
	}
	var any json.RawMessage
	if e, ok := errors.AsType[*json.SyntaxError](json.Unmarshal(raw, &any)); ok {
		return max(int(e.Offset)-1, 0), false
	}
	return 0, false
}

// Tree contains valid JSON and the positions of its values in the order of the file. It is
// built in one pass, so that no query reads the bytes again.
type Tree struct {
	Raw    []byte
	Values []Value // the first is the whole
}

// Value is a value. The values nested in it follow it, up to after.
type Value struct {
	Key      int32 // position of the key of a member; 0: none
	from, to int32
	After    int32 // the next value that is not nested in this one
	parent   int32 // the value that contains this one
}

// Parse finds the values of valid JSON that begins at a position. Positions fit in 32 bits: see
// base.MaxRecord.
func Parse(raw []byte, at int) *Tree {
	j := &Tree{Raw: raw}
	j.value(j.SkipBlank(at), 0, -1)
	return j
}

// value adds the value at a position and returns its end. The depth is bounded, because
// encoding/json limits the depth of valid JSON.
func (j *Tree) value(at, key, parent int) int {
	i := len(j.Values)
	j.Values = append(j.Values, Value{Key: int32(key), from: int32(at), parent: int32(parent)}) //nolint:gosec // see Parse
	switch open := j.Raw[at]; open {
	case '{', '[':
		at = j.SkipBlank(at + 1)
		for j.Raw[at] != '}' && j.Raw[at] != ']' {
			key := 0
			if open == '{' {
				key = at
				at = j.SkipBlank(j.SkipBlank(j.stringEnd(at)) + 1) // skip the colon
			}
			at = j.SkipBlank(j.value(at, key, i))
			if j.Raw[at] == ',' {
				at = j.SkipBlank(at + 1)
			}
		}
		at++
	case '"':
		at = j.stringEnd(at)
	default:
		for at < len(j.Raw) && strings.IndexByte(",]} \t\r\n", j.Raw[at]) < 0 {
			at++
		}
	}
	j.Values[i].to, j.Values[i].After = int32(at), int32(len(j.Values)) //nolint:gosec // as above
	return at
}

// SkipBlank returns the position of the first byte that is not white space, from a position on.
func (j *Tree) SkipBlank(at int) int {
	for at < len(j.Raw) && (j.Raw[at] == ' ' || j.Raw[at] == '\t' || j.Raw[at] == '\n' || j.Raw[at] == '\r') {
		at++
	}
	return at
}

// stringEnd returns the end of the string that begins at a position, which is after the first quote
// with an even number of backslashes before it.
func (j *Tree) stringEnd(at int) int {
	for at++; ; at++ {
		at += bytes.IndexByte(j.Raw[at:], '"')
		n := at
		for j.Raw[n-1] == '\\' {
			n--
		}
		if (at-n)%2 == 0 {
			return at + 1
		}
	}
}

// Kind returns the first byte of a value: { [ " or another.
func (j *Tree) Kind(i int) byte { return j.Raw[j.Values[i].from] }

// From returns the position of a value.
func (j *Tree) From(i int) int { return int(j.Values[i].from) }

// To returns the position after a value.
func (j *Tree) To(i int) int { return int(j.Values[i].to) }

// Within yields the members of an object or the elements of an array.
func (j *Tree) Within(i int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for k := i + 1; k < int(j.Values[i].After); k = int(j.Values[k].After) {
			if !yield(k) {
				return
			}
		}
	}
}

// Key returns the key of a member.
func (j *Tree) Key(i int) string {
	at := int(j.Values[i].Key)
	if at == 0 {
		return ""
	}
	return j.plain(at, j.stringEnd(at))
}

// HasKey reports whether a member has this key.
func (j *Tree) HasKey(i int, key string) bool {
	at := int(j.Values[i].Key)
	if at == 0 {
		return false
	}
	raw := j.Raw[at+1:]
	if len(raw) > len(key) && raw[len(key)] == '"' && string(raw[:len(key)]) == key {
		return true
	}
	n := j.stringEnd(at) - at - 2
	return n > len(key) && bytes.IndexByte(raw[:n], '\\') >= 0 && j.Key(i) == key
}

// HasKeyFold reports whether a member has this key, ignoring case.
func (j *Tree) HasKeyFold(i int, key string) bool {
	at := int(j.Values[i].Key)
	if at == 0 {
		return false
	}
	if c := j.Raw[at+1]; c != '\\' && c < utf8.RuneSelf && key != "" && key[0] < utf8.RuneSelf && c|0x20 != key[0]|0x20 {
		return false
	}
	raw := j.Raw[at+1 : j.stringEnd(at)-1]
	if bytes.IndexByte(raw, '\\') >= 0 {
		return strings.EqualFold(j.Key(i), key)
	}
	return bytes.EqualFold(raw, []byte(key))
}

// Parent returns the object or array that contains a value, or -1 for the whole.
func (j *Tree) Parent(i int) int { return int(j.Values[i].parent) }

// plain returns the string raw[from:to] without its escapes, or any other value as written.
func (j *Tree) plain(from, to int) string {
	raw := j.Raw[from:to]
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

// Text returns a value as by plain.
func (j *Tree) Text(i int) string { return j.plain(j.From(i), j.To(i)) }

// Find calls see with each value at a path of keys below a value. It sees all values of duplicate
// keys, because readers differ in which one they use.
func (j *Tree) Find(i int, path []string, see func(i int)) {
	if j.Kind(i) != '{' {
		return
	}
	for k := range j.Within(i) {
		switch {
		case !j.HasKey(k, path[0]):
		case len(path) == 1:
			see(k)
		default:
			j.Find(k, path[1:], see)
		}
	}
}

// First returns the string or number at a path, or "".
func (j *Tree) First(i int, path ...string) string {
	value := ""
	j.Find(i, path, func(k int) {
		if c := j.Kind(k); value == "" && (c == '"' || c == '-' || c >= '0' && c <= '9') {
			value = j.Text(k)
		}
	})
	return value
}

// StringView returns the view of a string in the JSON. With an error it returns the position of the
// error. Half of a surrogate pair is an error, because it is not text.
func (j *Tree) StringView(i int) (*markup.View, int, error) {
	raw, from, end := j.Raw, j.From(i)+1, j.To(i)-1
	text := string(raw[from:end])
	v := &markup.View{Encode: Escape, Runs: make([]markup.Run, 0, 1+2*strings.Count(text, "\\"))}
	v.Text.Grow(len(text))
	for at := from; at < end; {
		n := bytes.IndexByte(raw[at:end], '\\')
		if n < 0 {
			n = end - at
		}
		v.Verbatim(at, text[at-from:at-from+n])
		if at += n; at == end {
			break
		}
		n, r := 2, rune(0)
		switch c := raw[at+1]; c {
		case 'u':
			n, r = 6, hex4(raw[at+2:])
			if utf16.IsSurrogate(r) {
				if at+12 > end || raw[at+6] != '\\' || raw[at+7] != 'u' {
					return nil, at, base.ErrSurrogate
				}
				if r = utf16.DecodeRune(r, hex4(raw[at+8:])); r == utf8.RuneError {
					return nil, at, base.ErrSurrogate
				}
				n = 12
			}
		case 'b', 'f', 'n', 'r', 't':
			r = rune("\b\f\n\r\t"[strings.IndexByte("bfnrt", c)])
		default: // '"', '\\' and '/'
			r = rune(c)
		}
		v.Stands(markup.Escape, at, n, string(r))
		at += n
	}
	return v, 0, nil
}

func hex4(raw []byte) rune {
	unit, _ := strconv.ParseUint(string(raw[:4]), 16, 16) // the JSON is valid
	return rune(unit)
}

// Escape encodes text for a place between quotes.
func Escape(text string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(text) // encoding a string never fails
	return strings.TrimSuffix(strings.TrimPrefix(b.String(), `"`), "\"\n")
}

// Object parses the JSON object of a record.
func Object(in *base.Source, raw []byte, line, offset int) (*Tree, error) {
	skip := 0
	if line == 1 && bytes.HasPrefix(raw, []byte(markup.BOM)) {
		skip = len(markup.BOM)
	}
	return ObjectAt(in, raw, skip, line, offset)
}

// ObjectAt parses the JSON object that begins at a position of a record.
func ObjectAt(in *base.Source, raw []byte, skip, line, offset int) (*Tree, error) {
	if err := in.CheckUTF8(raw, line, offset); err != nil {
		return nil, err
	}
	if at, ok := Valid(raw[skip:]); !ok {
		return nil, in.Defect(line+bytes.Count(raw[:skip+at], []byte("\n")), offset+skip+at, "not valid JSON")
	}
	j := Parse(raw, skip)
	if j.Kind(0) != '{' {
		return nil, in.Defect(line+bytes.Count(raw[:j.From(0)], []byte("\n")), offset+j.From(0), "not a JSON object")
	}
	return j, nil
}

// IsGone reports whether a container, or one that contains it, is removed.
func (j *Tree) IsGone(gone map[int]bool, c int) bool {
	for ; c >= 0; c = j.Parent(c) {
		if gone[c] {
			return true
		}
	}
	return false
}

// RemoveFrom returns the edits that remove some of the values of a container, with their keys and commas.
func (j *Tree) RemoveFrom(members []int, gone map[int]bool) []markup.Edit {
	start := func(i int) int {
		if key := j.Values[i].Key; key > 0 {
			return int(key)
		}
		return j.From(i)
	}
	var out []markup.Edit
	last := len(members) - 1
	for last >= 0 && gone[members[last]] {
		last--
	}
	for k, i := range members[:last+1] {
		if gone[i] {
			out = append(out, markup.Edit{Start: start(i), End: start(members[k+1])})
		}
	}
	if rest := members[last+1:]; len(rest) > 0 {
		from := start(rest[0])
		if last >= 0 {
			from = j.To(members[last])
		}
		out = append(out, markup.Edit{Start: from, End: j.To(rest[len(rest)-1])})
	}
	return out
}

// ContainersOf returns the objects and lists around values, sorted.
func (j *Tree) ContainersOf(values map[int]bool) []int {
	seen := map[int]bool{}
	for i := range values {
		for p := j.Parent(i); p >= 0 && !seen[p]; p = j.Parent(p) {
			seen[p] = true
		}
	}
	all := make([]int, 0, len(seen))
	for c := range seen {
		all = append(all, c)
	}
	slices.Sort(all)
	return all
}
