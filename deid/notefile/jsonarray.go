package notefile

import (
	"bytes"
	"io"

	"github.com/lethe-deid/lethe/deid/notefile/internal/base"
	"github.com/lethe-deid/lethe/deid/notefile/internal/markup"
)

// isArray reports whether JSON begins with an array.
func isArray(in *base.Source) bool {
	start, _ := in.In.Peek(1 << 16) // reading returns the error again
	return bytes.HasPrefix(bytes.TrimLeft(bytes.TrimPrefix(start, []byte(markup.BOM)), blanks), []byte("["))
}

// isLongObject reports whether JSON begins with an object that has line breaks, so that it is not JSON Lines.
func isLongObject(in *base.Source) bool {
	start, _ := in.In.Peek(1 << 16)
	start = bytes.TrimLeft(bytes.TrimPrefix(start, []byte(markup.BOM)), blanks)
	end := bytes.IndexByte(start, '\n')
	if end < 0 || start[0] != '{' {
		return false
	}
	var s jsonScan
	s.scan(start[:end])
	return s.depth > 0 && !s.quoted
}

const blanks = " \t\r\n"

// arrayElements reads one record per element of a JSON array, without reading the whole array into memory. What stands before the
// first element, and what stands after the last one, are records without notes. Every other element begins with the comma
// before it: see joint.
//
// The records must be encoded in their order. parse gets the bytes of an element, the position at which it begins in
// them, the line and offset of these bytes, and the number of the element, from 1.
func arrayElements(in *base.Source, parse func(raw []byte, at, line, offset, number int) (*Record, error)) Records {
	return func(yield func(*Record, error) bool) {
		r := arrayReader{in: in}
		line := in.Line
		head, err := r.head()
		if err != nil {
			yield(nil, &Broken{Err: err})
			return
		}
		if !yield(&Record{Raw: head, Line: line, Frame: true}, nil) {
			return
		}
		written := &joint{}
		good, bad := 0, 0
		for number := 1; ; number++ {
			line, offset := in.Line, in.Offset
			raw, at, err := r.next(number)
			if err != nil {
				yield(nil, &Broken{Err: err})
				return
			}
			if at < 0 { // the end of the array
				yield(&Record{Raw: raw, Line: line, Frame: true}, nil)
				return
			}
			record, err := parse(raw, at, line, offset, number)
			if err == nil {
				err = in.CheckTexts(record, true)
			}
			if err == nil {
				good++
				record.Finish = func(raw []byte) []byte { return written.withoutComma(raw, number, at) }
			} else {
				record = nil
				if bad++; good == 0 && bad == base.Hopeless {
					err = &Broken{Err: err}
				}
			}
			if !yield(record, err) || err != nil && good == 0 && bad == base.Hopeless {
				return
			}
		}
	}
}

// joint knows which element of an array is written first, as the elements before it may be left out. That element has no comma before it.
type joint struct{ first int }

// withoutComma returns the bytes of the element with this number, which is about to be written. It removes the bytes before the position at
// from the first one.
func (j *joint) withoutComma(raw []byte, number, at int) []byte {
	if j.first == 0 || number < j.first {
		j.first = number
	}
	if number > j.first {
		return raw
	}
	return raw[at:]
}

// arrayReader reads the parts of a JSON array.
type arrayReader struct {
	in  *base.Source
	raw []byte // the current part
}

// head reads up to the first element, or to the end of an empty array.
func (r *arrayReader) head() ([]byte, error) {
	r.raw = nil
	if start, _ := r.in.In.Peek(len(markup.BOM)); string(start) == markup.BOM {
		r.take(len(markup.BOM))
	}
	if _, err := r.skipBlanks(); err != nil {
		return nil, err
	}
	r.take(1) // the bracket: see isArray
	_, err := r.skipBlanks()
	return r.raw, err
}

// next reads the next element with what stands before it, and returns the position of the element; or, if there is no other
// element, the end of the file and -1.
func (r *arrayReader) next(number int) (raw []byte, at int, err error) {
	r.raw = nil
	c, err := r.skipBlanks()
	switch {
	case err != nil:
		return nil, 0, err
	case c == ']':
		return r.tail()
	case number > 1 && c != ',':
		return nil, 0, r.defect("not valid JSON: a comma or the end of the array is missing")
	case number > 1:
		r.take(1)
		if c, err = r.skipBlanks(); err != nil {
			return nil, 0, err
		}
	}
	if c == ',' || c == ']' || c == '}' {
		return nil, 0, r.defect("not valid JSON: an element of the array is missing")
	}
	at = len(r.raw)
	err = r.value()
	return r.raw, at, err
}

// tail reads the end of the array and of the file.
func (r *arrayReader) tail() ([]byte, int, error) {
	r.take(1)
	for {
		start, err := r.in.In.Peek(1)
		switch {
		case err == io.EOF:
			return r.raw, -1, nil
		case err != nil:
			return nil, 0, r.in.Unreadable(err)
		case !bytes.ContainsAny(start, blanks):
			return nil, 0, r.defect("not valid JSON: the file goes on after the array")
		}
		r.take(1)
	}
}

// skipBlanks reads blanks and returns the byte after them, which it does not read.
func (r *arrayReader) skipBlanks() (byte, error) {
	for {
		start, err := r.in.In.Peek(1)
		switch {
		case err == io.EOF:
			return 0, r.defect("not valid JSON: the array does not end")
		case err != nil:
			return 0, r.in.Unreadable(err)
		case !bytes.ContainsAny(start, blanks):
			return start[0], nil
		case len(r.raw) >= base.MaxRecord:
			return 0, r.in.TooLong(r.in.Line)
		}
		r.take(1)
	}
}

// value reads a value. Its brackets and quotes end it; whether it is valid is not checked.
func (r *arrayReader) value() error {
	var s jsonScan
	line := r.in.Line
	for {
		if _, err := r.in.In.Peek(1); err == io.EOF {
			if s.depth == 0 && !s.quoted && s.begun {
				return nil // next finds that the array does not end
			}
			return r.defect("not valid JSON: the array does not end")
		} else if err != nil {
			return r.in.Unreadable(err)
		}
		some, _ := r.in.In.Peek(r.in.In.Buffered())
		n, ended := s.scan(some)
		r.take(n)
		if ended {
			return nil
		}
		if len(r.raw) > base.MaxRecord {
			return r.in.TooLong(line)
		}
	}
}

// take reads n bytes, which must be buffered, into the current part.
func (r *arrayReader) take(n int) {
	some, _ := r.in.In.Peek(n)
	r.raw = append(r.raw, some...)
	r.in.Line += bytes.Count(some, []byte("\n"))
	r.in.Offset += n
	_, _ = r.in.In.Discard(n) // they are buffered
}

func (r *arrayReader) defect(reason string) error { return r.in.Defect(r.in.Line, r.in.Offset, reason) }

// jsonScan finds the end of a value of JSON that comes in parts.
type jsonScan struct {
	depth           int  // number of open brackets
	quoted, escaped bool // the next byte is in a string, or after a backslash in one
	begun           bool // the value has begun
}

// scan returns the number of bytes that belong to the value, and whether it ends with them.
func (s *jsonScan) scan(some []byte) (n int, ended bool) {
	for i, c := range some {
		switch {
		case s.escaped:
			s.escaped = false
		case s.quoted && c == '\\':
			s.escaped = true
		case s.quoted:
			if c == '"' {
				if s.quoted = false; s.depth == 0 {
					return i + 1, true
				}
			}
		case c == '"':
			if s.begun && s.depth == 0 {
				return i, true // no comma: see arrayReader.next
			}
			s.quoted = true
		case c == '{' || c == '[':
			if s.begun && s.depth == 0 {
				return i, true
			}
			s.depth++
		case c == '}' || c == ']':
			if s.depth == 0 {
				return i, true
			}
			if s.depth--; s.depth == 0 {
				return i + 1, true
			}
		case s.depth == 0 && (c == ',' || c == ' ' || c == '\t' || c == '\r' || c == '\n'):
			return i, true
		}
		s.begun = true
	}
	return len(some), false
}
