// Package xmlnotes reads the XML of i2b2 2014 and of MEDDOCAN:
//
//	<?xml version="1.0" encoding="UTF-8" ?>
//	<deIdi2b2>
//	<TEXT><![CDATA[...]]></TEXT>
//	<TAGS>
//	<NAME id="P0" start="10" end="19" text="..." TYPE="DOCTOR" comment="" />
//	</TAGS>
//	</deIdi2b2>
//
// Reader yields the tokens of any XML file with their byte positions, several times as
// fast as encoding/xml. Read puts those of a note together.
package xmlnotes

import (
	"io"
	"regexp"
	"strings"
	"unicode/utf8"
)

// Note describes a file that was read.
type Note struct {
	TextLine int // the line of <TEXT>
	// HasTags reports whether the file has a TAGS. TagsFrom and TagsTo are then the place of its content; if
	// TagsEmpty, as in <TAGS/>, they are the place of the whole element.
	HasTags, TagsEmpty bool
	TagsFrom, TagsTo   int
	// Hidden names the first thing in the file besides text and tags that could say something about a person: a
	// comment, an instruction, a document type, an attribute of another element than a tag, an element of another name or
	// with a namespace, text within a tag. It is nil if there is none.
	Hidden *Error
}

// Tag is an element of TAGS as written. An attribute that is missing is empty.
type Tag struct {
	Line                      int
	Element, Type, Start, End string
	Text                      *string // what the tag quotes; nil: there is no such attribute
}

// NewTag makes a tag of a Start. Its element is the local name.
func NewTag(t Token) Tag {
	tag := Tag{Line: t.Line, Element: t.Local}
	for _, a := range t.Attributes {
		switch a.Name {
		case "TYPE":
			tag.Type = Unescape(a.Value)
		case "start":
			tag.Start = Unescape(a.Value)
		case "end":
			tag.End = Unescape(a.Value)
		case "text":
			quoted := Unescape(a.Value)
			tag.Text = &quoted
		}
	}
	return tag
}

// Read reads the tokens of a note up to the end of the file. It calls text with the character data of TEXT, and tag with
// the start of each child of TAGS, in the order of the file. The root is deIdi2b2 or MEDDOCAN. It holds one TEXT,
// without elements in it, and at most one TAGS; text stands nowhere else but within tags and unknown elements, which are
// left out. An error is an *Error; the note then describes the file up to there.
func Read(r *Reader, text, tag func(Token)) (*Note, error) {
	p := &parser{in: r, text: text, tag: tag, start: r.at}
	err := p.document()
	return &p.note, err
}

type parser struct {
	in        *Reader
	text, tag func(Token)
	note      Note
	start     int // where an XML declaration stands
}

func defect(line int, reason string) *Error { return &Error{Line: line, Offset: -1, Reason: reason} }

// hide notes the first thing that is left out.
func (p *parser) hide(line int, reason string) {
	if p.note.Hidden == nil {
		p.note.Hidden = defect(line, reason)
	}
}

// A declaration that says no more than it should.
var declarationRE = regexp.MustCompile(`^<\?xml\s+version\s*=\s*["']1\.[01]["'](?:\s+encoding\s*=\s*["'](?i:utf-?(?:8|16(?:le|be)?)|(?:us-)?ascii|(?:iso-?8859|latin|windows|cp|ibm|koi8|mac)-?(?:\d{1,4}|[ru]|intosh))["'])?(?:\s+standalone\s*=\s*["'](?:yes|no)["'])?\s*\?>$`)

// next returns the next token that is an element's or text.
func (p *parser) next() (Token, error) {
	for {
		t, err := p.in.Next()
		if err != nil {
			return t, err
		}
		switch t.Kind {
		case Comment:
			p.hide(t.Line, "a comment, which would go unexamined")
		case Directive:
			p.hide(t.Line, "a document type, which would go unexamined")
		case Instruction:
			if t.From != p.start || !declarationRE.MatchString(p.in.file[t.From:t.To]) {
				p.hide(t.Line, "a processing instruction, which would go unexamined")
			}
		default:
			if t.Kind == Start && t.Space != "" {
				p.hide(t.Line, "an element with a namespace, which is not known")
			}
			return t, nil
		}
	}
}

func (p *parser) document() error {
	root := false
	for {
		t, err := p.next()
		switch {
		case err == io.EOF && !root:
			return defect(t.Line, "no XML element")
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		case t.Kind != Start:
			err = p.blank(t)
		case root || t.Local != "deIdi2b2" && t.Local != "MEDDOCAN":
			return defect(t.Line, "the root is not one element deIdi2b2 or MEDDOCAN")
		default:
			root = true
			p.bare(t)
			err = p.root()
		}
		if err != nil {
			return err
		}
	}
}

// bare hides the attributes of an element that should have none.
func (p *parser) bare(t Token) {
	if len(t.Attributes) > 0 {
		p.hide(t.Line, "an attribute of the root, TEXT or TAGS, which would go unexamined")
	}
}

// blank refuses characters other than white space.
func (p *parser) blank(t Token) error {
	if line := p.words(t); line > 0 {
		return defect(line, "text outside of TEXT")
	}
	return nil
}

// words is the line of the first character that is not white space, or 0.
func (p *parser) words(t Token) int {
	text := p.in.Characters(t)
	rest := strings.TrimLeft(text, " \t\r\n")
	if rest == "" {
		return 0
	}
	return t.Line + strings.Count(text[:len(text)-len(rest)], "\n")
}

// children calls read with the start of each child element, up to the end of the element around them.
func (p *parser) children(read func(t Token) error) (end Token, err error) {
	for {
		t, err := p.next()
		switch {
		case err != nil:
			return t, err
		case t.Kind == End:
			return t, nil
		case t.Kind == Start:
			err = read(t)
		default:
			err = p.blank(t)
		}
		if err != nil {
			return t, err
		}
	}
}

func (p *parser) root() error {
	text := false
	end, err := p.children(func(t Token) error {
		switch t.Local {
		case "TEXT":
			if text {
				return defect(t.Line, "a second TEXT")
			}
			text = true
			p.bare(t)
			p.note.TextLine = t.Line
			return p.readText()
		case "TAGS":
			if p.note.HasTags {
				return defect(t.Line, "a second TAGS")
			}
			p.bare(t)
			return p.readTags(t)
		}
		p.hide(t.Line, "an element other than TEXT and TAGS, which would go unexamined")
		return p.within()
	})
	if err == nil && !text {
		return defect(end.Line, "there is no TEXT")
	}
	return err
}

func (p *parser) readText() error {
	for {
		t, err := p.next()
		switch {
		case err != nil:
			return err
		case t.Kind == End:
			return nil
		case t.Kind == Start:
			return defect(t.Line, "an element inside of TEXT")
		}
		p.text(t)
	}
}

func (p *parser) readTags(t Token) error {
	n := &p.note
	n.HasTags, n.TagsEmpty = true, p.in.empty
	n.TagsFrom = t.To
	end, err := p.children(func(t Token) error {
		p.tag(t)
		return p.within()
	})
	n.TagsTo = end.From
	if n.TagsEmpty {
		n.TagsFrom = t.From
	}
	return err
}

// within reads to the end of an element whose content does not matter.
func (p *parser) within() error {
	for depth := 1; depth > 0; {
		t, err := p.next()
		switch {
		case err != nil:
			return err
		case t.Kind == Start:
			depth++
		case t.Kind == End:
			depth--
		default:
			if line := p.words(t); line > 0 {
				p.hide(line, "text outside of TEXT")
			}
		}
	}
	return nil
}

// The XML declaration stands in plain ASCII, whatever the encoding.
var encodingRE = regexp.MustCompile(`^(?:\x{FEFF})?<\?xml[^>]*\sencoding\s*=\s*["']([^"'>]+)["']`)

// Encoding is the encoding that a file declares, in lower case, or "".
func Encoding(raw []byte) string {
	if m := encodingRE.FindSubmatch(raw); m != nil {
		return strings.ToLower(string(m[1]))
	}
	return ""
}

// Decode converts a file by its declared encoding. The bytes of a file in UTF-8 are not checked.
func Decode(raw []byte) (string, error) {
	switch Encoding(raw) {
	case "", "utf-8", "utf8", "us-ascii", "ascii":
		return string(raw), nil
	case "iso-8859-1", "latin1", "latin-1": // its bytes are the first 256 code points
		wide := make([]byte, 0, len(raw)+len(raw)/8)
		for _, b := range raw {
			wide = utf8.AppendRune(wide, rune(b))
		}
		return string(wide), nil
	}
	return "", defect(1, "the declared encoding is not UTF-8, US-ASCII or ISO-8859-1")
}

// Illegal finds the first character in a text of valid UTF-8 that XML 1.0 (section 2.2) does not allow.
func Illegal(text string) (at int, char rune, found bool) {
	for i := range len(text) {
		c := text[i]
		if c < ' ' && c != '\n' && c != '\t' && c != '\r' {
			return i, rune(c), true
		}
		if c == 0xEF { // U+FFFE and U+FFFF begin so
			if char, _ = utf8.DecodeRuneInString(text[i:]); !isLegal(char) {
				return i, char, true
			}
		}
	}
	return 0, 0, false
}

func isLegal(r rune) bool {
	return (r >= ' ' || r == '\t' || r == '\n' || r == '\r') && r != 0xFFFE && r != 0xFFFF
}

// Legal puts U+FFFD in the place of characters that XML does not allow.
func Legal(text string) string {
	return strings.Map(func(r rune) rune {
		if isLegal(r) {
			return r
		}
		return utf8.RuneError
	}, text)
}

// A parser turns a bare CR into LF, and white space in an attribute into spaces; references stay as they are.
var (
	textEscapes      = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "\r", "&#13;")
	attributeEscapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "\t", "&#9;", "\n", "&#10;", "\r", "&#13;")
)

// EscapeText writes legal text as it stands outside of CDATA sections.
func EscapeText(text string) string { return textEscapes.Replace(text) }

// EscapeAttribute writes legal text as it stands between double quotes.
func EscapeAttribute(text string) string { return attributeEscapes.Replace(text) }
