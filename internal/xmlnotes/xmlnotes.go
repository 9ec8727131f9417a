// Package xmlnotes reads the XML of i2b2 2014 and of MEDDOCAN (see Records for that of
// i2b2 2006):
//
//	<?xml version="1.0" encoding="UTF-8" ?>
//	<deIdi2b2>
//	<TEXT><![CDATA[...]]></TEXT>
//	<TAGS>
//	<NAME id="P0" start="10" end="19" text="..." TYPE="DOCTOR" comment="" />
//	</TAGS>
//	</deIdi2b2>
//
// Reader yields the tokens of any XML file with their byte positions, several
// times as fast as encoding/xml. Read interprets the tokens of a note.
package xmlnotes

import (
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Note describes a file that has been read.
type Note struct {
	TextLine int // the line of <TEXT>
	// HasTags reports whether the file has a TAGS element. If so, its content is
	// at TagsFrom to TagsTo; if TagsEmpty, as in <TAGS/>, these are the position
	// of the whole element.
	HasTags, TagsEmpty bool
	TagsFrom, TagsTo   int
	// Hidden is the first item in the file, besides text and tags, that could
	// identify a person: a comment, an instruction, a document type, an attribute
	// of an element other than a tag, an element with another name or with a
	// namespace, text within a tag. It is nil if there is none.
	Hidden *Error
}

// Tag is an element of TAGS as written. Missing attributes are empty.
type Tag struct {
	Line                      int
	Element, Type, Start, End string
	Text                      *string // the quoted text; nil: no such attribute
}

// NewTag returns the tag of a Start token. Its element is the local name.
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

// Read reads a note to the end of the file. It calls text with the character data
// of TEXT, and tag with the start of each child of TAGS, in the order of the
// file. The root must be deIdi2b2 or MEDDOCAN and contain one TEXT, without
// elements in it, and at most one TAGS. Other text is allowed only within tags
// and unknown elements, where it is ignored. Errors are of type *Error; the note
// then describes the file up to the error.
func Read(r *Reader, text, tag func(Token)) (*Note, error) {
	p := &parser{in: r, text: text, tag: tag, start: r.at}
	err := p.document(p.root, "deIdi2b2", "MEDDOCAN")
	return &p.note, err
}

type parser struct {
	in        *Reader
	text, tag func(Token)
	note      Note
	start     int // position of an XML declaration
}

func defect(line int, reason string) *Error { return &Error{Line: line, Offset: -1, Reason: reason} }

func advised(line int, reason, hint string) *Error {
	return &Error{Line: line, Offset: -1, Reason: reason, Hint: hint}
}

// aboutRoot returns a hint about an element that should be the only root.
func aboutRoot(second bool, name string) string {
	if second {
		return "the file was probably put together of two"
	}
	switch name {
	case "deIdi2b2":
		return "the format i2b2 reads this file"
	case "MEDDOCAN":
		return "the format meddocan reads this file"
	case "ROOT":
		return "the format i2b2-2006 reads this file"
	case "RECORD":
		return "put <ROOT> before the first RECORD, and </ROOT> after the last"
	}
	return "the file is in another format"
}

// hide records the first item that is ignored.
func (p *parser) hide(line int, reason string) {
	if p.note.Hidden == nil {
		p.note.Hidden = defect(line, reason)
	}
}

// declarationRE matches an XML declaration without any unexpected content.
var declarationRE = regexp.MustCompile(`^<\?xml\s+version\s*=\s*["']1\.[01]["'](?:\s+encoding\s*=\s*["'](?i:utf-?(?:8|16(?:le|be)?)|(?:us-)?ascii|(?:iso-?8859|latin|windows|cp|ibm|koi8|mac)-?(?:\d{1,4}|[ru]|intosh))["'])?(?:\s+standalone\s*=\s*["'](?:yes|no)["'])?\s*\?>$`)

// next returns the next token that is text or belongs to an element.
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
				p.hide(t.Line, "an element with a namespace, which is not supported")
			}
			return t, nil
		}
	}
}

// document reads a file whose root has one of the names. read reads it to its end.
func (p *parser) document(read func() error, names ...string) error {
	root := false
	for {
		t, err := p.next()
		switch {
		case err == io.EOF && !root:
			return advised(t.Line, "no XML element", "the file is empty")
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		case t.Kind != Start && !root && p.words(t) > 0:
			return advised(p.words(t), "text outside of TEXT", "the file does not begin as XML, and is in another format")
		case t.Kind != Start:
			err = p.blank(t)
		case root || !slices.Contains(names, t.Local):
			return advised(t.Line, "the root must be one element "+strings.Join(names, " or "), aboutRoot(root, t.Local))
		default:
			root = true
			p.bare(t)
			err = read()
		}
		if err != nil {
			return err
		}
	}
}

// bare calls hide for an element that should not have attributes but does.
func (p *parser) bare(t Token) {
	if len(t.Attributes) > 0 {
		p.hide(t.Line, "an attribute of the root, TEXT or TAGS, which would go unexamined")
	}
}

// blank returns an error for characters other than white space.
func (p *parser) blank(t Token) error {
	if line := p.words(t); line > 0 {
		return defect(line, "text outside of TEXT")
	}
	return nil
}

// words returns the line of the first character that is not white space, or 0.
func (p *parser) words(t Token) int {
	text := p.in.Characters(t)
	rest := strings.TrimLeft(text, " \t\r\n")
	if rest == "" {
		return 0
	}
	return t.Line + strings.Count(text[:len(text)-len(rest)], "\n")
}

// children calls read with the start of each child element, up to the end of the
// enclosing element.
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
				return defect(t.Line, "duplicate TEXT")
			}
			text = true
			p.bare(t)
			p.note.TextLine = t.Line
			return p.readText()
		case "TAGS":
			if p.note.HasTags {
				return defect(t.Line, "duplicate TAGS")
			}
			p.bare(t)
			return p.readTags(t)
		}
		p.hide(t.Line, "an element other than TEXT and TAGS, which would go unexamined")
		return p.within()
	})
	if err == nil && !text {
		return advised(end.Line, "no TEXT element", "its name is in capitals")
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
			return advised(t.Line, "an element within TEXT", "spans are in TAGS, and a < of the note is written &lt; (the format i2b2-2006 has PHI within TEXT)")
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

// within reads to the end of an element and ignores its content.
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

// encodingRE finds the encoding in an XML declaration, which is plain ASCII in
// every encoding.
var encodingRE = regexp.MustCompile(`^(?:\x{FEFF})?<\?xml[^>]*\sencoding\s*=\s*["']([^"'>]+)["']`)

// Encoding returns the encoding that a file declares, in lower case, or "".
func Encoding(raw []byte) string {
	if m := encodingRE.FindSubmatch(raw); m != nil {
		return strings.ToLower(string(m[1]))
	}
	return ""
}

// Decode converts a file to UTF-8 by its declared encoding. It does not check the
// bytes of a file in UTF-8. It returns an error, of type *Error, for an
// unsupported encoding.
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
	return "", advised(1, "the declared encoding is not UTF-8, US-ASCII or ISO-8859-1", "convert the file to UTF-8, and declare that")
}

// Illegal returns the first character of a text in valid UTF-8 that XML 1.0 does
// not allow (section 2.2).
func Illegal(text string) (at int, char rune, found bool) {
	for i := range len(text) {
		c := text[i]
		if c < ' ' && c != '\n' && c != '\t' && c != '\r' {
			return i, rune(c), true
		}
		if c == 0xEF { // the first byte of U+FFFE and U+FFFF
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

// Legal replaces the characters that XML does not allow by U+FFFD.
func Legal(text string) string {
	return strings.Map(func(r rune) rune {
		if isLegal(r) {
			return r
		}
		return utf8.RuneError
	}, text)
}

// Escapes for characters that a parser would change: it converts a bare CR to LF,
// and white space in an attribute to spaces, but keeps references.
var (
	textEscapes      = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "\r", "&#13;")
	attributeEscapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "\t", "&#9;", "\n", "&#10;", "\r", "&#13;")
)

// EscapeText escapes legal text for use outside of CDATA sections.
func EscapeText(text string) string { return textEscapes.Replace(text) }

// EscapeAttribute escapes legal text for use in double quotes.
func EscapeAttribute(text string) string { return attributeEscapes.Replace(text) }
