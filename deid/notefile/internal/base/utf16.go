package base

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data"
)

// utf16Code is UTF-16 in one byte order. A byte order mark is a character of the stream like any
// other, so it is written as it was read.
type utf16Code struct{ order byteOrder }

type byteOrder interface {
	binary.ByteOrder
	binary.AppendByteOrder
}

var _ Encoding = utf16Code{}

func isUTF16(enc Encoding) bool {
	_, ok := enc.(utf16Code)
	return ok
}

// markedOrder returns the byte order of a stream that begins with the byte order mark of UTF-16, and otherwise nil.
func markedOrder(start []byte) byteOrder {
	switch {
	case bytes.HasPrefix(start, []byte("\xff\xfe\x00\x00")): // UTF-32
		return nil
	case bytes.HasPrefix(start, []byte("\xff\xfe")):
		return binary.LittleEndian
	case bytes.HasPrefix(start, []byte("\xfe\xff")):
		return binary.BigEndian
	}
	return nil
}

func (c utf16Code) FromUTF8(raw []byte) []byte {
	out := make([]byte, 0, 2*len(raw))
	for len(raw) > 0 {
		r, n := utf8.DecodeRune(raw)
		raw = raw[n:]
		if high, low := utf16.EncodeRune(r); high != utf8.RuneError {
			out = c.order.AppendUint16(out, uint16(high)) //nolint:gosec // halves of a pair have 16 bits
			r = low
		}
		out = c.order.AppendUint16(out, uint16(r)) //nolint:gosec // as above, or below U+10000
	}
	return out
}

func (c utf16Code) decoder(in *bufio.Reader, name string) io.Reader {
	d := &utf16Decoder{in: in, order: c.order, name: name, line: 1}
	start, _ := in.Peek(utf16Peek) // reading returns the error again
	if reason := c.unlike(start); reason != "" {
		d.fail(0, reason)
	}
	return d
}

// utf16Peek is the number of bytes that unlike gets.
const utf16Peek = 1 << 14

// unlike says why a file that begins like this is not in UTF-16 in this byte order, or returns "". Nearly any bytes are
// valid UTF-16, but decoded wrongly they are Chinese characters, in which no tagger finds anything.
func (c utf16Code) unlike(start []byte) string {
	if markedOrder(start) != nil {
		return "" // the decoder checks the order
	}
	zeros := [2]int{} // in the upper and in the lower half of a character
	ascii := 0
	for i, b := range start {
		switch {
		case b == 0 && c.isUpper(i):
			zeros[0]++
		case b == 0:
			zeros[1]++
		case b >= ' ' && b < utf8.RuneSelf || b == '\t' || b == '\n' || b == '\r':
			ascii++
		}
	}
	switch {
	case zeros[1] > zeros[0]:
		return "the other byte order of UTF-16"
	case zeros[0] == 0 && len(start) > 0 && (8*ascii >= 7*len(start) || utf8.Valid(start[:len(start)-partial(start)])):
		return "not UTF-16: the file has one byte per character, or is in UTF-8"
	}
	return ""
}

// isUpper reports whether the byte at a position is the upper half of a character.
func (c utf16Code) isUpper(at int) bool { return (at%2 == 0) == (c.order.Uint16([]byte{1, 0}) > 1) }

// partial returns the length of the incomplete character of UTF-8 at the end of text.
func partial(text []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		if last := text[len(text)-n:]; utf8.RuneStart(last[0]) {
			if utf8.FullRune(last) {
				return 0
			}
			return n
		}
	}
	return 0
}

// utf16Decoder reads a stream in UTF-16 as UTF-8.
type utf16Decoder struct {
	in     *bufio.Reader
	order  byteOrder
	name   string
	line   int    // of the next character to decode
	offset int    // of the next byte to decode
	raw    []byte // not decoded yet
	rest   []byte // decoded but not yet read
	err    error  // what follows rest
}

func (d *utf16Decoder) Read(p []byte) (int, error) {
	for len(d.rest) == 0 {
		if d.err != nil {
			return 0, d.err
		}
		d.fill()
	}
	n := copy(p, d.rest)
	d.rest = d.rest[n:]
	return n, nil
}

// fill reads and decodes some bytes, or sets err.
func (d *utf16Decoder) fill() {
	var some [1 << 14]byte
	n, err := d.in.Read(some[:])
	d.raw = append(d.raw, some[:n]...)
	d.rest = d.rest[:0]
	at := 0
	for at+2 <= len(d.raw) && d.err == nil {
		r := rune(d.order.Uint16(d.raw[at:]))
		size := 2
		if utf16.IsSurrogate(r) {
			if at+4 > len(d.raw) && err == nil {
				break // the other half follows
			}
			if size = 4; at+4 <= len(d.raw) {
				r = utf16.DecodeRune(r, rune(d.order.Uint16(d.raw[at+2:])))
			}
			if at+4 > len(d.raw) || r == utf8.RuneError {
				d.fail(at, ErrSurrogate.Error())
				break
			}
		}
		if r == 0xfffe && d.offset+at == 0 {
			d.fail(at, "the byte order mark of UTF-16 in the other byte order")
			break
		}
		if r == '\n' {
			d.line++
		}
		d.rest = utf8.AppendRune(d.rest, r)
		at += size
	}
	if d.err == nil && err == io.EOF && at < len(d.raw) {
		d.fail(at, "half of a character of UTF-16")
	}
	if d.err == nil {
		d.err = err
	}
	d.offset += at
	d.raw = append(d.raw[:0], d.raw[at:]...)
}

// fail sets err for the character at a position of raw.
func (d *utf16Decoder) fail(at int, reason string) {
	d.err = &data.Error{Path: d.name, Line: d.line, Offset: d.offset + at, Reason: reason}
}

// ErrSurrogate means that a text contains half of a character of UTF-16.
var ErrSurrogate = errors.New("half of a surrogate pair")
