package notefile

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
)

// maxRecord is the maximum size in bytes of a record in memory: a line, a row, a message, or a file
// that is one record. It is a variable for tests.
var maxRecord = 1 << 28

// utf8BOM is U+FEFF in UTF-8.
const utf8BOM = "\uFEFF"

// source is a stream in UTF-8, read by lines or as a whole.
type source struct {
	name     string
	reader   io.Reader // the stream before it is decoded
	in       *bufio.Reader
	line     int      // of the next byte to read, from 1
	offset   int      // of the next byte to read, in bytes of UTF-8
	encoding encoding // of the stream, if Options name it or it begins with the byte order mark of UTF-16; nil for UTF-8
}

// newSource returns a source that reads a stream in an encoding, or in UTF-16 if it begins with the byte order mark of that.
func newSource(r io.Reader, name string, enc encoding) *source {
	in := bufio.NewReaderSize(r, 1<<16)
	start, _ := in.Peek(4) // reading returns the error again
	if order := markedOrder(start); order != nil && !isUTF16(enc) {
		enc = utf16Code{order}
	}
	if enc != nil {
		in = bufio.NewReaderSize(enc.decoder(in, name), 1<<16)
	}
	return &source{name: name, reader: r, in: in, line: 1, encoding: enc}
}

// base returns the name without folder and .gz.
func (s *source) base() string {
	base := filepath.Base(s.name)
	if ext := filepath.Ext(base); strings.EqualFold(ext, ".gz") {
		base = strings.TrimSuffix(base, ext)
	}
	return base
}

// ext returns the extension of the name without .gz.
func (s *source) ext() string { return filepath.Ext(s.base()) }

// id returns the name without folder and extensions.
func (s *source) id() string { return cmp.Or(strings.TrimSuffix(s.base(), s.ext()), s.base()) }

// readLine returns a line with its line end. It returns io.EOF together with a last line without
// one.
func (s *source) readLine() ([]byte, error) {
	var line []byte
	for {
		part, err := s.in.ReadSlice('\n')
		line = append(line, part...)
		if len(line) > maxRecord {
			return nil, s.tooLong(s.line)
		}
		if err == bufio.ErrBufferFull {
			continue
		}
		if err != nil && err != io.EOF {
			return nil, s.unreadable(err)
		}
		if err == nil {
			s.line++
		}
		s.offset += len(line)
		return line, err
	}
}

func (s *source) all() ([]byte, error) {
	var parts [][]byte // joined at the end, so that endless input is never in memory several times
	size := 0
	for {
		part := make([]byte, min(1<<16<<min(len(parts), 6), maxRecord+1-size))
		n, err := io.ReadFull(s.in, part)
		parts, size = append(parts, part[:n]), size+n
		switch {
		case err == io.EOF || err == io.ErrUnexpectedEOF:
			return slices.Concat(parts...), nil
		case err != nil:
			return nil, s.unreadable(err)
		case size > maxRecord:
			return nil, s.tooLong(1)
		case len(parts) == 1 && wide(part): // /dev/zero, say
			return nil, s.checkUTF8(part, 1, 0)
		}
	}
}

func (s *source) tooLong(line int) error {
	return s.defect(line, -1, fmt.Sprintf("longer than %d MiB, the maximum", maxRecord>>20))
}

func (s *source) defect(line, offset int, reason string) *data.Error {
	if isUTF16(s.encoding) {
		offset = -1 // it counts bytes of UTF-8
	}
	return &data.Error{Path: s.name, Line: line, Offset: offset, Reason: reason}
}

func (s *source) unreadable(err error) error {
	if e, ok := errors.AsType[*data.Error](err); ok { // of a decoder
		return e
	}
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		err = e.Err
	}
	return &data.Error{Path: s.name, Offset: -1, Reason: "cannot be read", Err: err}
}

// checkUTF8 returns an error that names the first invalid byte. raw begins at the line and offset.
func (s *source) checkUTF8(raw []byte, line, offset int) error {
	at, reason := 0, "invalid UTF-8"
	switch {
	case offset == 0 && marksUTF16(raw):
		reason = "a byte order mark of UTF-16 or UTF-32 in another encoding: convert the file to UTF-8 first"
	case wide(raw):
		if at, reason = firstWide(raw), "many control bytes: UTF-16, or not text"; raw[at] == 0 {
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
	return s.defect(line+bytes.Count(raw[:at], []byte("\n")), offset+at, reason)
}

// byteCode is an encoding with one byte per character.
type byteCode struct{ *charmap.Charmap }

// encoding converts the bytes of a file to and from UTF-8. A nil encoding is UTF-8.
type encoding interface {
	// decoder returns a reader of the stream as UTF-8. name is that of the file, for errors.
	decoder(in *bufio.Reader, name string) io.Reader
	fromUTF8(raw []byte) []byte
}

// lookupEncoding finds the encoding of Options by its name.
func lookupEncoding(name string) (encoding, error) {
	switch strings.ToLower(name) {
	case "utf-16le":
		return utf16Code{binary.LittleEndian}, nil
	case "utf-16be":
		return utf16Code{binary.BigEndian}, nil
	}
	switch cs, err := charset(name); {
	case err != nil:
		return nil, fmt.Errorf("no encoding %q (have utf-8, utf-16le, utf-16be, latin1, windows-1252; UTF-16 with a byte order mark is recognized)", name)
	case cs == nil:
		return nil, nil
	default:
		return cs, nil
	}
}

// charset looks up a byteCode by its name; nil stands for UTF-8.
func charset(name string) (*byteCode, error) {
	switch strings.ToLower(name) {
	case "", "utf-8", "utf8", "us-ascii":
		return nil, nil
	case "latin1", "latin-1", "iso-8859-1":
		return &byteCode{charmap.ISO8859_1}, nil
	case "windows-1252", "cp1252":
		return &byteCode{charmap.Windows1252}, nil
	}
	return nil, fmt.Errorf("no encoding %q (have utf-8, latin1, windows-1252)", name)
}

// toUTF8 converts every byte to a character. Bytes that the encoding leaves undefined become the
// control character of the same number, as in browsers.
func (c *byteCode) toUTF8(raw []byte) []byte {
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

// fromUTF8 is the inverse of toUTF8. It writes a question mark for a character that the encoding
// does not have, which only new text can contain. A nil byteCode is UTF-8.
func (c *byteCode) fromUTF8(raw []byte) []byte {
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

func (c *byteCode) decoder(in *bufio.Reader, _ string) io.Reader {
	return &byteDecoder{in: in, code: c}
}

// byteDecoder reads a stream in a byteCode as UTF-8.
type byteDecoder struct {
	in   io.Reader
	code *byteCode
	rest []byte // decoded but not yet read
	raw  [1 << 14]byte
}

func (d *byteDecoder) Read(p []byte) (int, error) {
	if len(d.rest) == 0 {
		n, err := d.in.Read(d.raw[:])
		if n == 0 {
			return 0, err
		}
		d.rest = d.code.toUTF8(d.raw[:n]) // Read returns the error again
	}
	n := copy(p, d.rest)
	d.rest = d.rest[n:]
	return n, nil
}
