// Package tagged reads annotated documents as the official scripts see them: with
// tags as they are written, whether or not they are valid. (The formats under
// data reject invalid tags.)
package tagged

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/internal/xmlnotes"
)

// Document is a text with its tags in the order of the file.
type Document struct {
	Text string
	Tags []Tag
}

// Tag is a tag as it is written. Missing attributes are empty.
type Tag = xmlnotes.Tag

// Parser is the library through which a script reads XML.
type Parser int

// The parsers, which differ in the text that they return for TEXT.
const (
	LXML        Parser = iota // the text up to the first element, comment or processing instruction
	ElementTree               // its text up to the first element
)

// XML reads a file of i2b2 2014 or of MEDDOCAN. It converts CR LF and CR in the
// text to LF. Tags are the children of TAGS. Errors, of type *data.Error, are
// cases that would stop a script: bytes that are not UTF-8, malformed XML, no
// TAGS.
//
// The scripts decode every file as UTF-8, whatever encoding it declares, and the
// parser then decodes the result again as declared. In a file that declares
// ISO-8859-1, each non-ASCII character therefore becomes two or more characters.
func XML(raw []byte, path string, by Parser) (*Document, error) {
	d, err := read(raw, by)
	if e, ok := errors.AsType[*xmlnotes.Error](err); ok {
		return nil, &data.Error{Path: path, Line: e.Line, Offset: -1, Reason: e.Reason}
	}
	return d, err
}

func read(raw []byte, by Parser) (*Document, error) {
	if line := invalidLine(raw); line > 0 {
		return nil, stop(line, "invalid UTF-8")
	}
	file, err := xmlnotes.Decode(raw)
	if err != nil {
		return nil, err
	}
	if at, _, illegal := xmlnotes.Illegal(file); illegal {
		return nil, stop(1+strings.Count(file[:at], "\n"), "not well-formed XML")
	}
	p := &parser{by: by, in: xmlnotes.NewReader(file)}
	if err := p.document(); err != nil {
		return nil, err
	}
	return &p.doc, nil
}

// invalidLine returns the line of the first byte that is not UTF-8, or 0.
func invalidLine(raw []byte) int {
	if utf8.Valid(raw) {
		return 0
	}
	number := 0
	for line := range bytes.Lines(raw) {
		if number++; !utf8.Valid(line) {
			break
		}
	}
	return number
}

func stop(line int, reason string) error {
	return &xmlnotes.Error{Line: line, Offset: -1, Reason: reason}
}

// parser reads the tokens of a file.
type parser struct {
	by  Parser
	in  *xmlnotes.Reader
	doc Document
}

func (p *parser) stop(reason string) error { return stop(p.in.Line(), reason) }

// document reads the whole file, which must have one root with a TEXT and a TAGS.
func (p *parser) document() error {
	depth, roots, texts, tags := 0, 0, 0, 0
	for {
		t, err := p.in.Next()
		switch {
		case err == io.EOF && roots == 0:
			return p.stop("no XML element")
		case err == io.EOF && tags == 0:
			return p.stop("no TAGS element")
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		}
		switch t.Kind {
		case xmlnotes.Start:
			if depth++; depth == 1 {
				roots++
			}
			switch {
			case roots > 1:
				return p.stop("not well-formed XML: second root element")
			case depth != 2 || t.Space != "":
			case t.Local == "TEXT":
				if texts++; texts == 1 {
					p.doc.Text, err = p.text()
					depth--
				}
			case t.Local == "TAGS":
				if tags++; tags == 1 {
					err = p.tags()
					depth--
				}
			}
			if err != nil {
				return err
			}
		case xmlnotes.End:
			depth--
		case xmlnotes.Text, xmlnotes.CDATA:
			if depth == 0 && strings.TrimSpace(p.in.Characters(t)) != "" {
				return p.stop("not well-formed XML: text outside of the root element")
			}
		}
	}
}

// text reads up to the end of an element, and returns its text up to the first
// other item in it.
func (p *parser) text() (string, error) {
	var text strings.Builder
	whole := false
	for depth := 1; depth > 0; {
		t, err := p.in.Next()
		if err != nil {
			return "", err
		}
		switch t.Kind {
		case xmlnotes.Text, xmlnotes.CDATA:
			if !whole {
				text.WriteString(p.in.Characters(t))
			}
			continue
		case xmlnotes.Start:
			depth++
		case xmlnotes.End:
			depth--
		default:
			if p.by == ElementTree {
				continue
			}
		}
		whole = true
	}
	return text.String(), nil
}

// tags reads the children of TAGS.
func (p *parser) tags() error {
	for {
		t, err := p.in.Next()
		if err != nil {
			return err
		}
		switch t.Kind {
		case xmlnotes.Start:
			if err := p.tag(t); err != nil {
				return err
			}
			if _, err := p.text(); err != nil {
				return err
			}
		case xmlnotes.End:
			return nil
		}
	}
}

func (p *parser) tag(t xmlnotes.Token) error {
	for i, a := range t.Attributes {
		for _, earlier := range t.Attributes[:i] {
			if earlier.Name == a.Name {
				return p.stop("not well-formed XML: duplicate attribute of a tag")
			}
		}
	}
	tag := xmlnotes.NewTag(t)
	if tag.Line = p.in.Line(); t.Space != "" {
		tag.Element = "{" + t.Space + "}" + tag.Element
	}
	p.doc.Tags = append(p.doc.Tags, tag)
	return nil
}
