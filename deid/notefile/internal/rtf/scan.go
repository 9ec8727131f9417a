package rtf

import (
	"strings"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/deid/notefile/internal/markup"
)

// scanner splits RTF into tokens. It skips line ends, which are not part of the text.
type scanner struct {
	source string
	at     int
	utf8   bool // see reader
}

type tokenKind int

const (
	endToken    tokenKind = iota
	openToken             // {
	closeToken            // }
	wordToken             // \word or \word12, with the blank that ends it
	symbolToken           // \ and another character
	hexToken              // \'hh
	binaryToken           // \binN and N bytes
	charsToken            // characters that are written as themselves
)

// token is source[at:end].
type token struct {
	kind     tokenKind
	at, end  int
	word     string // of a word or a symbol
	param    int
	hasParam bool
	digits   int // the end of the parameter
	hex      byte
}

// maxRTFWord is the maximum length of a control word, according to the specification.
const maxRTFWord = 32

func (s *scanner) next() (token, error) {
	for s.at < len(s.source) && (s.source[s.at] == '\r' || s.source[s.at] == '\n') {
		s.at++
	}
	t := token{at: s.at}
	if s.at == len(s.source) {
		return t, nil
	}
	switch s.source[s.at] {
	case '{':
		t.kind = openToken
		s.at++
	case '}':
		t.kind = closeToken
		s.at++
	case '\\':
		if err := s.control(&t); err != nil {
			return t, err
		}
	default:
		t.kind = charsToken
		s.chars()
	}
	t.end = s.at
	return t, nil
}

// chars skips characters that are written as themselves: one if it is a byte of a code page.
func (s *scanner) chars() {
	if !s.utf8 && s.source[s.at] >= 0x80 {
		s.at++
		return
	}
	for s.at < len(s.source) {
		c := s.source[s.at]
		if c == '{' || c == '}' || c == '\\' || c == '\r' || c == '\n' || c >= 0x80 && !s.utf8 {
			return
		}
		s.at++
	}
}

// control reads what begins with a backslash.
func (s *scanner) control(t *token) error {
	s.at++
	if s.at == len(s.source) {
		return &Error{t.at, "RTF that is cut off after a backslash"}
	}
	c := s.source[s.at]
	switch {
	case isLetter(c):
		return s.word(t)
	case c == '\'':
		if s.at+3 > len(s.source) || !isHex(s.source[s.at+1]) || !isHex(s.source[s.at+2]) {
			return &Error{t.at, `\' without two hexadecimal digits`}
		}
		t.kind, t.hex = hexToken, hexValue(s.source[s.at+1])<<4|hexValue(s.source[s.at+2])
		s.at += 3
	default:
		n := 1
		if s.utf8 {
			_, n = utf8.DecodeRuneInString(s.source[s.at:])
		}
		t.kind, t.word = symbolToken, s.source[s.at:s.at+n]
		s.at += n
	}
	return nil
}

// word reads a control word, its parameter, and the blank that ends it.
func (s *scanner) word(t *token) error {
	start := s.at
	for s.at < len(s.source) && isLetter(s.source[s.at]) {
		s.at++
	}
	if s.at-start > maxRTFWord {
		return &Error{t.at, "a control word of more than 32 letters"}
	}
	t.kind, t.word = wordToken, s.source[start:s.at]
	at := s.at
	negative := at < len(s.source) && s.source[at] == '-'
	if negative {
		at++
	}
	digits := at
	for at < len(s.source) && s.source[at] >= '0' && s.source[at] <= '9' {
		if t.param = t.param*10 + int(s.source[at]-'0'); at-digits >= 10 {
			return &Error{t.at, "a control word with a number of more than 10 digits"}
		}
		at++
	}
	if at > digits {
		t.hasParam = true
		if negative {
			t.param = -t.param
		}
		s.at = at
	}
	t.digits = s.at
	if s.at < len(s.source) && s.source[s.at] == ' ' {
		s.at++
	}
	if t.word == "bin" {
		if t.param < 0 || t.param > len(s.source)-s.at {
			return &Error{t.at, `\bin with more bytes than the file has`}
		}
		t.kind = binaryToken
		s.at += t.param
	}
	return nil
}

// skip skips the characters that follow \uN for old readers. A group or a control word ends them.
func (s *scanner) skip(count int) {
	for ; count > 0; count-- {
		before := s.at
		t, err := s.next()
		switch {
		case err != nil || t.kind == endToken || t.kind == openToken || t.kind == closeToken || t.kind == wordToken || t.kind == binaryToken || t.kind == symbolToken && t.word == "*":
			s.at = before
			return
		case t.kind == charsToken:
			_, n := utf8.DecodeRuneInString(s.source[t.at:])
			s.at = t.at + n
			if !s.utf8 {
				s.at = t.at + 1
			}
		}
	}
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func isHex(c byte) bool { return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f' }

func hexValue(c byte) byte {
	if c <= '9' {
		return c - '0'
	}
	return c | 0x20 - 'a' + 10
}

// delimited ends control words that the edits, sorted and disjoint, would lengthen: a word ends before a character
// that is neither a letter nor a digit, or with a blank, so text must not follow it directly.
func delimited(source string, edits []markup.Edit) []markup.Edit {
	open := false // the text before the edit ends in such a word
	for i := range edits {
		e := &edits[i]
		if i == 0 || edits[i-1].End < e.Start {
			open = endsInWord(source[:e.Start])
		}
		if !open {
			continue
		}
		next := e.New
		if next == "" {
			if i+1 < len(edits) && edits[i+1].Start == e.End {
				continue // the next edit decides
			}
			next = source[e.End:]
		}
		if next != "" && (markup.IsAlphanumeric(next[0]) || next[0] == '-' || next[0] == ' ') {
			e.New = " " + e.New
		}
		open = false
	}
	return edits
}

// endsInWord reports whether RTF ends in a control word without the blank that may end it.
func endsInWord(source string) bool {
	at := len(source)
	for at > 0 && source[at-1] >= '0' && source[at-1] <= '9' {
		at--
	}
	if at > 0 && at < len(source) && source[at-1] == '-' {
		at--
	}
	letters := at
	for at > 0 && letters-at <= maxRTFWord && isLetter(source[at-1]) {
		at--
	}
	if at == letters || at == 0 || source[at-1] != '\\' {
		return false
	}
	before := source[:at]
	return (len(before)-len(strings.TrimRight(before, `\`)))%2 == 1
}
