package base

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid/notefile/internal/markup"
)

// MaxRecord is the maximum size in bytes of a record in memory: a line, a row, a message, or a file
// that is one record. It is a variable for tests.
var MaxRecord = 1 << 28

// Source is a stream in UTF-8, read by lines or as a whole.
type Source struct {
	Name     string
	Reader   io.Reader // the stream before it is decoded
	In       *bufio.Reader
	Line     int      // of the next byte to read, from 1
	Offset   int      // of the next byte to read, in bytes of UTF-8
	Encoding Encoding // of the stream, if Options name it or its byte order mark; nil for UTF-8
}

// NewSource returns a source that reads a stream in an encoding, or in UTF-16 or UTF-8 if it begins with the byte order mark of that.
func NewSource(r io.Reader, name string, enc Encoding) *Source {
	in := bufio.NewReaderSize(r, 1<<16)
	start, _ := in.Peek(4) // reading returns the error again
	if order := markedOrder(start); order != nil && !isUTF16(enc) {
		enc = utf16Code{order}
	} else if bytes.HasPrefix(start, []byte(markup.BOM)) && !isUTF16(enc) {
		enc = nil
	}
	if enc != nil {
		in = bufio.NewReaderSize(enc.decoder(in, name), 1<<16)
	}
	return &Source{Name: name, Reader: r, In: in, Line: 1, Encoding: enc}
}

// Base returns the name without folder and .gz.
func (s *Source) Base() string {
	base := filepath.Base(s.Name)
	if ext := filepath.Ext(base); strings.EqualFold(ext, ".gz") {
		base = strings.TrimSuffix(base, ext)
	}
	return base
}

// Ext returns the extension of the name without .gz.
func (s *Source) Ext() string { return filepath.Ext(s.Base()) }

// ID returns the name without folder and extensions.
func (s *Source) ID() string { return cmp.Or(strings.TrimSuffix(s.Base(), s.Ext()), s.Base()) }

// ReadLine returns a line with its line end. It returns io.EOF together with a last line without
// one.
func (s *Source) ReadLine() ([]byte, error) {
	var line []byte
	for {
		part, err := s.In.ReadSlice('\n')
		line = append(line, part...)
		if len(line) > MaxRecord {
			return nil, s.TooLong(s.Line)
		}
		if err == bufio.ErrBufferFull {
			continue
		}
		if err != nil && err != io.EOF {
			return nil, s.Unreadable(err)
		}
		if err == nil {
			s.Line++
		}
		s.Offset += len(line)
		return line, err
	}
}

// All reads the rest of the stream.
func (s *Source) All() ([]byte, error) {
	var parts [][]byte // joined at the end, so that endless input is never in memory several times
	size := 0
	for {
		part := make([]byte, min(1<<16<<min(len(parts), 6), MaxRecord+1-size))
		n, err := 0, error(nil)
		for n < len(part) && err == nil { // not io.ReadFull, whose error for the end is that of a gzip file that is cut off
			var more int
			more, err = s.In.Read(part[n:])
			n += more
		}
		parts, size = append(parts, part[:n]), size+n
		switch {
		case err == io.EOF:
			return slices.Concat(parts...), nil
		case err != nil:
			return nil, s.Unreadable(err)
		case size > MaxRecord:
			return nil, s.TooLong(1)
		case len(parts) == 1 && markup.Wide(part): // /dev/zero, say
			return nil, s.CheckUTF8(part, 1, 0)
		}
	}
}

// TooLong returns the error for a record that is longer than MaxRecord.
func (s *Source) TooLong(line int) error {
	return s.Defect(line, -1, fmt.Sprintf("longer than %d MiB, the maximum", MaxRecord>>20))
}

// Defect returns an error at a line and an offset in bytes of UTF-8. Each of them is left out of the message if it is unknown: line 0, offset -1.
func (s *Source) Defect(line, offset int, reason string) *data.Error {
	if isUTF16(s.Encoding) {
		offset = -1 // it counts bytes of UTF-8
	}
	return &data.Error{Path: s.Name, Line: line, Offset: offset, Reason: reason}
}

// Unreadable returns the error of a stream that cannot be read or decoded.
func (s *Source) Unreadable(err error) error {
	if e, ok := errors.AsType[*data.Error](err); ok { // of a decoder
		return e
	}
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		err = e.Err
	}
	return &data.Error{Path: s.Name, Offset: -1, Reason: "cannot be read", Err: err}
}

// CheckUTF8 returns an error that names the first invalid byte. raw begins at the line and offset.
func (s *Source) CheckUTF8(raw []byte, line, offset int) error {
	at, reason := 0, "invalid UTF-8"
	switch {
	case offset == 0 && markup.MarksUTF16(raw):
		reason = "a byte order mark of UTF-16 or UTF-32 in another encoding: convert the file to UTF-8 first"
	case markup.Wide(raw):
		if at, reason = markup.FirstWide(raw), "many control bytes: UTF-16, or not text"; raw[at] == 0 {
			reason = "many NUL bytes: UTF-16, or not text"
		}
	case utf8.Valid(raw):
		return nil
	default:
		for {
			r, n := utf8.DecodeRune(raw[at:])
			if r == utf8.RuneError && n == 1 {
				break
			}
			at += n
		}
	}
	return s.Defect(line+bytes.Count(raw[:at], []byte("\n")), offset+at, reason)
}

// ByteCode is an encoding with one byte per character.
type ByteCode struct{ *charmap.Charmap }

// Encoding converts the bytes of a file to and from UTF-8. A nil encoding is UTF-8.
type Encoding interface {
	// decoder returns a reader of the stream as UTF-8. name is that of the file, for errors.
	decoder(in *bufio.Reader, name string) io.Reader
	FromUTF8(raw []byte) []byte
}

// LookupEncoding finds the encoding of Options by its name.
func LookupEncoding(name string) (Encoding, error) {
	switch strings.ToLower(name) {
	case "utf-16le":
		return utf16Code{binary.LittleEndian}, nil
	case "utf-16be":
		return utf16Code{binary.BigEndian}, nil
	}
	switch cs, err := Charset(name); {
	case err != nil:
		return nil, fmt.Errorf("no encoding %q (have utf-8, utf-16le, utf-16be, latin1, windows-1252; UTF-16 with a byte order mark is recognized)", name)
	case cs == nil:
		return nil, nil
	default:
		return cs, nil
	}
}

// Charset looks up a ByteCode by its name; nil stands for UTF-8.
func Charset(name string) (*ByteCode, error) {
	switch strings.ToLower(name) {
	case "", "utf-8", "utf8", "us-ascii":
		return nil, nil
	case "latin1", "latin-1", "iso-8859-1":
		return &ByteCode{charmap.ISO8859_1}, nil
	case "windows-1252", "cp1252":
		return &ByteCode{charmap.Windows1252}, nil
	}
	return nil, fmt.Errorf("no encoding %q (have utf-8, latin1, windows-1252)", name)
}

// ToUTF8 converts every byte to a character. Bytes that the encoding leaves undefined become the
// control character of the same number, as in browsers.
func (c *ByteCode) ToUTF8(raw []byte) []byte {
	out := make([]byte, 0, len(raw)+len(raw)/8)
	for _, b := range raw {
		r := c.DecodeByte(b)
		if r == utf8.RuneError {
			r = rune(b)
		}
		out = utf8.AppendRune(out, r)
	}
	return out
}

// FromUTF8 is the inverse of ToUTF8. It writes a question mark for a character that the encoding
// does not have, which only new text can contain. A nil ByteCode is UTF-8.
func (c *ByteCode) FromUTF8(raw []byte) []byte {
	if c == nil {
		return raw
	}
	out := make([]byte, 0, len(raw))
	for _, r := range string(raw) {
		b, ok := c.EncodeRune(r)
		switch {
		case ok:
		case r >= 0x80 && r < 0xa0 && c.DecodeByte(byte(r)) == utf8.RuneError:
			b = byte(r)
		default:
			b = '?'
		}
		out = append(out, b)
	}
	return out
}

func (c *ByteCode) decoder(in *bufio.Reader, _ string) io.Reader {
	return &byteDecoder{in: in, code: c}
}

// byteDecoder reads a stream in a ByteCode as UTF-8.
type byteDecoder struct {
	in   io.Reader
	code *ByteCode
	rest []byte // decoded but not yet read
	raw  [1 << 14]byte
}

func (d *byteDecoder) Read(p []byte) (int, error) {
	if len(d.rest) == 0 {
		n, err := d.in.Read(d.raw[:])
		if n == 0 {
			return 0, err
		}
		d.rest = d.code.ToUTF8(d.raw[:n]) // Read returns the error again
	}
	n := copy(p, d.rest)
	d.rest = d.rest[n:]
	return n, nil
}

// Place is the position of something in a file.
type Place struct{ Line, Offset int }

// CheckTexts returns an error if a text of the record contains UTF-16, or is RTF or PDF: bytes that
// are not letters would split their words. CheckUTF8 has already searched for UTF-16 in text that
// the record contains verbatim; encoded reports whether text may come from escapes or base64.
func (s *Source) CheckTexts(r *Record, encoded bool) error {
	for _, n := range r.Notes {
		if reason := markup.UnreadableText(n.Text, encoded); reason != "" {
			return s.Defect(n.Line, -1, "a text that is "+reason+", which cannot be examined")
		}
	}
	return nil
}
