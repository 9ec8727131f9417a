package notes

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/internal/bounded"
)

// Value is a JSON value in a file of many.
type Value struct {
	Raw    jsontext.Value
	Number int // from 1
	Line   int // on which it begins, from 1
	Offset int // of its first byte
}

// Values reads the JSON values of a stream, and skips a byte order mark before them. They are the elements of an array
// or, if array is "", of an array of objects or arrays, or else the values that follow one another, such as those of JSON
// Lines. array says what the array contains, such as "tasks", for errors. yield receives each value, or the error that
// ends the stream: it is not JSON, one value is too large to be held in memory, or something follows the array. It returns
// false if yield did.
func Values(r io.Reader, name, array string, yield func(Value, *data.Error) bool) bool {
	in := &valueReader{in: bufio.NewReader(r), left: bounded.MaxNote, line: 1}
	start := 0
	if mark, _ := in.in.Peek(len(BOM)); string(mark) == BOM {
		start, _ = in.in.Discard(len(BOM))
	}
	defect := func(at int64, reason string) bool {
		return yield(Value{}, Defect(name, in.lineAt(at), start+int(at), reason))
	}
	within := array != ""
	if !within {
		array, within = "documents", holdsMany(in.in)
	}
	d := jsontext.NewDecoder(in, jsontext.AllowDuplicateNames(false))
	if within {
		switch kind := d.PeekKind(); {
		case kind == '{':
			return defect(d.InputOffset(), "not a JSON array of "+array+": it begins with an object, as JSON Lines do")
		case kind != '[' && len(in.ends) == 0 && in.read == 0:
			return defect(d.InputOffset(), "not a JSON array of "+array+": the file is empty")
		case kind != '[':
			return defect(d.InputOffset(), "not a JSON array of "+array)
		}
		_, _ = d.ReadToken()
	}
	for number := 1; !within || d.PeekKind() != ']'; number++ {
		in.left = bounded.MaxNote
		raw, err := d.ReadValue()
		if err == io.EOF && !within {
			return true
		}
		if err != nil {
			if e, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
				if at := e.JSONPointer; errors.Is(e.Err, jsontext.ErrDuplicateName) {
					if within { // the first token is the number of the value
						_, rest, _ := strings.Cut(string(at[1:]), "/")
						at = jsontext.Pointer("/" + rest)
					}
					return defect(e.ByteOffset, DuplicateKey(at))
				}
				return defect(e.ByteOffset, "not valid JSON"+mistake(e))
			}
			return yield(Value{}, asDefect(name, err))
		}
		at := d.InputOffset() - int64(len(raw))
		if !yield(Value{bytes.Clone(raw), number, in.lineAt(at), start + int(at)}, nil) {
			return false
		}
	}
	_, _ = d.ReadToken()
	if _, err := d.ReadToken(); err != io.EOF {
		if _, syntax := errors.AsType[*jsontext.SyntacticError](err); err != nil && !syntax {
			return yield(Value{}, asDefect(name, err))
		}
		return defect(d.InputOffset(), "something follows the array of "+array+": the file was probably put together of two")
	}
	return true
}

// mistake says what is wrong with JSON, after a colon, or returns "".
func mistake(e *jsontext.SyntacticError) string {
	switch text := e.Err.Error(); {
	case errors.Is(e.Err, io.ErrUnexpectedEOF):
		return ": the file ends too early, and is probably truncated"
	case strings.Contains(text, "invalid UTF-8"):
		return ": invalid UTF-8; convert the file to UTF-8"
	case strings.Contains(text, "surrogate"):
		return ": half of a surrogate pair; a character was probably cut in two"
	case strings.Contains(text, "non-control"):
		return ": a control character in a string must be escaped, as \\u0000 is"
	}
	return ""
}

// DuplicateKey is the reason of a defect: an object has the key at the end of a pointer twice.
func DuplicateKey(at jsontext.Pointer) string {
	reason := fmt.Sprintf("duplicate key %q", ShortKey(at.LastToken()))
	var parents []string
	for token := range at.Parent().Tokens() {
		parents = append(parents, ShortKey(token))
	}
	if parents == nil {
		return reason
	}
	return fmt.Sprintf("%s in %q", reason, strings.Join(parents, "/"))
}

// ShortKey returns the beginning of a key, which may be anything.
func ShortKey(key string) string {
	const most = 40
	if len(key) <= most {
		return key
	}
	return strings.ToValidUTF8(key[:most], "") + "..."
}

// Word returns the text of a JSON string, or a number as it is written, and "" of anything else.
func Word(value jsontext.Value) string {
	switch value.Kind() {
	case '"':
		text, _ := jsontext.AppendUnquote(nil, value)
		return string(text)
	case '0':
		return value.String()
	}
	return ""
}

// asDefect returns Unreadable's error with its own type.
func asDefect(name string, err error) *data.Error {
	e, _ := errors.AsType[*data.Error](Unreadable(name, err))
	return e
}

// holdsMany reports whether a stream begins with an array of objects or arrays, or with an empty one.
func holdsMany(in *bufio.Reader) bool {
	const enough = 4096
	head, _ := in.Peek(enough)
	head, found := bytes.CutPrefix(bytes.TrimLeft(head, " \t\r\n"), []byte("["))
	head = bytes.TrimLeft(head, " \t\r\n")
	return found && len(head) > 0 && bytes.IndexByte([]byte("[{]"), head[0]) >= 0
}

// valueReader counts lines, and fails when a value is too large to be held in memory.
type valueReader struct {
	in   *bufio.Reader
	left int64
	read int64
	ends []int64 // where lines end that lineAt has not passed
	line int     // that begins after those it has passed
}

func (v *valueReader) Read(p []byte) (int, error) {
	n, err := v.in.Read(p)
	for i, c := range p[:n] {
		if c == '\n' {
			v.ends = append(v.ends, v.read+int64(i))
		}
	}
	v.read += int64(n)
	if v.left -= int64(n); v.left < 0 {
		return n, bounded.ErrTooLarge
	}
	return n, err
}

// lineAt returns the line of an offset that is not before the one of the call before.
func (v *valueReader) lineAt(at int64) int {
	passed := 0
	for passed < len(v.ends) && v.ends[passed] < at {
		passed++
	}
	v.ends, v.line = v.ends[passed:], v.line+passed
	return v.line
}
