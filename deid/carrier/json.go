package carrier

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// validJSON says whether raw is one JSON value, or else at which byte it ceases to be.
// What follows here walks over valid JSON only.
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

// jsonWalk finds places in valid JSON.
type jsonWalk []byte

func (j jsonWalk) skipBlank(at int) int {
	for at < len(j) && (j[at] == ' ' || j[at] == '\t' || j[at] == '\n' || j[at] == '\r') {
		at++
	}
	return at
}

// end is where the value that begins at a place ends.
func (j jsonWalk) end(at int) int {
	switch j[at] {
	case '"':
		for at++; j[at] != '"'; at++ {
			if j[at] == '\\' {
				at++
			}
		}
		return at + 1
	case '{', '[':
		for depth := 0; ; at++ {
			switch j[at] {
			case '"':
				at = j.end(at) - 1
			case '{', '[':
				depth++
			case '}', ']':
				if depth--; depth == 0 {
					return at + 1
				}
			}
		}
	}
	for at < len(j) && !bytes.ContainsRune([]byte(",]} \t\r\n"), rune(j[at])) {
		at++
	}
	return at
}

// members calls see with the key of each member of the object that begins at a place,
// and with where its value begins and ends.
func (j jsonWalk) members(at int, see func(key string, from, to int)) {
	at = j.skipBlank(at + 1)
	for j[at] != '}' {
		keyEnd := j.end(at)
		key := j.plain(at)
		from := j.skipBlank(j.skipBlank(keyEnd) + 1) // over the colon
		to := j.end(from)
		see(key, from, to)
		if at = j.skipBlank(to); j[at] == ',' {
			at = j.skipBlank(at + 1)
		}
	}
}

// elements calls see with where each element of the array at a place begins and ends.
func (j jsonWalk) elements(at int, see func(from, to int)) {
	at = j.skipBlank(at + 1)
	for j[at] != ']' {
		to := j.end(at)
		see(at, to)
		if at = j.skipBlank(to); j[at] == ',' {
			at = j.skipBlank(at + 1)
		}
	}
}

// plain is the string that begins at a place; of another value it is what is written.
func (j jsonWalk) plain(at int) string {
	raw := j[at:j.end(at)]
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

// find calls see with each value at a path of keys below the object at a place. Keys
// that are there several times are all seen: readers differ in which they take.
func (j jsonWalk) find(at int, path []string, see func(from, to int)) {
	if j[at] != '{' {
		return
	}
	j.members(at, func(key string, from, to int) {
		switch {
		case key != path[0]:
		case len(path) == 1:
			see(from, to)
		default:
			j.find(from, path[1:], see)
		}
	})
}

// first is the string or number at a path, or "".
func (j jsonWalk) first(at int, path ...string) string {
	value := ""
	j.find(at, path, func(from, _ int) {
		if c := j[from]; value == "" && (c == '"' || c == '-' || c >= '0' && c <= '9') {
			value = j.plain(from)
		}
	})
	return value
}

var errSurrogate = errors.New("half of a surrogate pair")

// stringView reads the string that begins at a place: its view in the JSON, and, with
// an error, the place that is at fault. Half of a surrogate pair is one, since it is no
// text.
func (j jsonWalk) stringView(at int) (*view, int, error) {
	v := &view{encode: jsonString}
	end := j.end(at) - 1
	for at++; at < end; {
		n := bytes.IndexByte(j[at:end], '\\')
		if n < 0 {
			n = end - at
		}
		v.verbatim(at, string(j[at:at+n]))
		if at += n; at == end {
			break
		}
		n, r := 2, rune(0)
		switch c := j[at+1]; c {
		case 'u':
			n, r = 6, hex4(j[at+2:])
			if utf16.IsSurrogate(r) {
				if at+12 > end || j[at+6] != '\\' || j[at+7] != 'u' {
					return nil, at, errSurrogate
				}
				if r = utf16.DecodeRune(r, hex4(j[at+8:])); r == utf8.RuneError {
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

// jsonString writes text as it stands between quotes.
func jsonString(text string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(text) // a string can be encoded
	return strings.TrimSuffix(strings.TrimPrefix(b.String(), `"`), "\"\n")
}
