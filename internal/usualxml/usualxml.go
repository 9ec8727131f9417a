// Package usualxml reads files of i2b2 2014 and of MEDDOCAN that look as such files
// do, ten times as fast as encoding/xml, which reads the others:
//
//	<?xml version="1.0" encoding="UTF-8" ?>
//	<deIdi2b2>
//	<TEXT><![CDATA[...]]></TEXT>
//	<TAGS>
//	<NAME id="P0" start="10" end="19" text="..." TYPE="DOCTOR" comment="" />
//	</TAGS>
//	</deIdi2b2>
package usualxml

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Note is what such a file holds.
type Note struct {
	Root string // the root's name
	Text string
	Tags []Tag // the children of TAGS
}

// Tag is an element of TAGS, as written; an attribute that is missing is empty.
type Tag struct {
	Line                      int
	Element, Type, Start, End string
	Text                      *string // what the tag quotes; nil: there is no such attribute
}

// Scan reads a file, or says that it is not of the usual look: not well-formed
// ones among them. Where it reads a file, encoding/xml would find the same in it.
func Scan(raw []byte) (*Note, bool) {
	s := scanner{rest: string(raw), line: 1}
	if !plain(s.rest) {
		return nil, false
	}
	note := s.note()
	return note, !s.failed
}

// plain says whether all characters are UTF-8 and ones that XML 1.0, section 2.2,
// allows. CR is left to encoding/xml: a line end is LF to it.
func plain(file string) bool {
	ascii := true
	for i := range len(file) {
		c := file[i]
		if c < ' ' && c != '\n' && c != '\t' {
			return false
		}
		ascii = ascii && c < utf8.RuneSelf
	}
	return ascii || utf8.ValidString(file) &&
		!strings.Contains(file, "\uFFFE") && !strings.Contains(file, "\uFFFF") && !strings.HasPrefix(file, "\uFEFF")
}

// scanner takes a file apart from left to right. Once something is not as usual,
// failed is set and stays so.
type scanner struct {
	rest   string
	line   int
	failed bool
}

func (s *scanner) note() *Note {
	if s.found("<?xml") {
		s.declaration()
	}
	s.blank()
	s.want("<")
	root := s.name()
	s.want(">")
	s.blank()
	s.want("<TEXT><![CDATA[")
	text := s.until("]]>")
	s.want("</TEXT>")
	s.blank()
	s.want("<TAGS>")
	s.blank()
	var tags []Tag
	for !s.failed && !s.found("</TAGS>") {
		tags = append(tags, s.tag())
		s.blank()
	}
	s.blank()
	s.want("</")
	s.want(root)
	s.blank()
	s.want(">")
	s.blank()
	s.failed = s.failed || s.rest != ""
	// The text shall not keep the whole file in memory.
	return &Note{Root: root, Text: strings.Clone(text), Tags: tags}
}

// declaration reads the attributes of <?xml. Only UTF-8 is usual.
func (s *scanner) declaration() {
	for n := 0; !s.failed; n++ {
		blank := s.blank()
		if s.found("?>") {
			s.failed = n == 0
			return
		}
		name, value := s.attribute()
		switch {
		case !blank:
			s.failed = true
		case n == 0:
			s.failed = s.failed || name != "version" || value != "1.0"
		case n == 1:
			s.failed = s.failed || name != "encoding" || !strings.EqualFold(value, "utf-8")
		default:
			s.failed = true
		}
	}
}

func (s *scanner) tag() Tag {
	s.want("<")
	t := Tag{Line: s.line, Element: s.name()}
	seen := make([]string, 0, 8)
	for !s.failed {
		blank := s.blank()
		if s.found("/>") {
			break
		}
		name, value := s.attribute()
		if !blank || name == "xmlns" || slices.Contains(seen, name) {
			s.failed = true
		}
		seen = append(seen, name)
		switch name {
		case "TYPE":
			t.Type = s.literal(value)
		case "start":
			t.Start = s.literal(value)
		case "end":
			t.End = s.literal(value)
		case "text":
			s.failed = s.failed || !references(value)
			quoted := unescape.Replace(value)
			t.Text = &quoted
		default:
			s.failed = s.failed || !references(value)
		}
	}
	s.failed = s.failed || s.line != t.Line // readers do not agree on the line of a tag on several
	return t
}

// attribute reads name="value".
func (s *scanner) attribute() (name, value string) {
	name = s.name()
	s.want("=")
	quote := `"`
	if s.found("'") {
		quote = "'"
	} else {
		s.want(quote)
	}
	value = s.until(quote)
	s.failed = s.failed || strings.Contains(value, "<")
	return name, value
}

// literal is a value without references.
func (s *scanner) literal(value string) string {
	s.failed = s.failed || strings.Contains(value, "&")
	return value
}

// references says whether each & in a value starts a reference that is usual.
func references(value string) bool {
	for {
		_, after, found := strings.Cut(value, "&")
		if !found {
			return true
		}
		switch name, rest, _ := strings.Cut(after, ";"); name {
		case "amp", "lt", "gt", "quot", "apos", "#9", "#10", "#13":
			value = rest
		default:
			return false
		}
	}
}

// unescape replaces the usual references.
var unescape = strings.NewReplacer("&amp;", "&", "&lt;", "<", "&gt;", ">", "&quot;", `"`, "&apos;", "'", "&#9;", "\t", "&#10;", "\n", "&#13;", "\r")

// name reads letters and digits, '_', '-' and '.', the first of them a letter.
func (s *scanner) name() string {
	n := 0
	for n < len(s.rest) {
		c := s.rest[n]
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (n == 0 || c != '_' && c != '-' && c != '.' && (c < '0' || c > '9')) {
			break
		}
		n++
	}
	s.failed = s.failed || n == 0
	return s.take(n)
}

// until reads up to a mark, and over it.
func (s *scanner) until(mark string) string {
	n := strings.Index(s.rest, mark)
	if n < 0 {
		s.failed = true
		return ""
	}
	before := s.take(n)
	s.line += strings.Count(before, "\n")
	s.take(len(mark))
	return before
}

func (s *scanner) want(word string) { s.failed = !s.found(word) || s.failed }

func (s *scanner) found(word string) bool {
	if !strings.HasPrefix(s.rest, word) {
		return false
	}
	s.take(len(word))
	return true
}

// blank reads white space, and says whether there was any.
func (s *scanner) blank() bool {
	n := 0
	for n < len(s.rest) && (s.rest[n] == ' ' || s.rest[n] == '\n' || s.rest[n] == '\t') {
		if s.rest[n] == '\n' {
			s.line++
		}
		n++
	}
	s.take(n)
	return n > 0
}

func (s *scanner) take(n int) string {
	taken := s.rest[:n]
	s.rest = s.rest[n:]
	return taken
}
