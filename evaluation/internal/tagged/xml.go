// Package tagged reads annotated documents as the official scripts see them: with
// tags as they are written, whether or not they are valid. (The formats under
// data reject invalid tags.)
package tagged

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/internal/usualxml"
)

// Document is a text with its tags in the order of the file.
type Document struct {
	Text string
	Tags []Tag
}

// Tag is a tag as it is written. Missing attributes are empty.
type Tag = usualxml.Tag

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
	if note, usual := usualxml.Scan(raw); usual {
		return &Document{note.Text, note.Tags}, nil
	}
	if line := invalidLine(raw); line > 0 {
		return nil, &data.Error{Path: path, Line: line, Offset: -1, Reason: "invalid UTF-8"}
	}
	p := &parser{by, xml.NewDecoder(bytes.NewReader(bytes.TrimPrefix(raw, []byte("\uFEFF"))))}
	p.xml.CharsetReader = charset
	d := &Document{}
	if err := p.document(d); err != nil {
		if err.Path = path; err.Line == 0 {
			err.Line, _ = p.xml.InputPos()
		}
		return nil, err
	}
	return d, nil
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

// parser reads the tokens of a file.
type parser struct {
	by  Parser
	xml *xml.Decoder
}

func stop(reason string) *data.Error { return &data.Error{Offset: -1, Reason: reason} }

// next returns the next token, nil at the end of the file. It does not pass on
// messages of the parser, which quote the file.
func (p *parser) next() (xml.Token, *data.Error) {
	t, err := p.xml.Token()
	switch e, syntax := errors.AsType[*xml.SyntaxError](err); {
	case err == io.EOF:
		return nil, nil
	case errors.Is(err, errCharset):
		return nil, stop(errCharset.Error())
	case syntax:
		return nil, &data.Error{Line: e.Line, Offset: -1, Reason: "not well-formed XML"}
	case err != nil:
		return nil, stop("not well-formed XML")
	}
	return t, nil
}

// document reads the whole file, which must have one root with a TEXT and a TAGS.
func (p *parser) document(d *Document) *data.Error {
	depth, roots, texts, tags := 0, 0, 0, 0
	for {
		t, err := p.next()
		if err != nil {
			return err
		}
		switch t := t.(type) {
		case nil:
			switch {
			case roots == 0:
				return stop("no XML element")
			case tags == 0:
				return stop("no TAGS element")
			}
			return nil
		case xml.StartElement:
			if depth++; depth == 1 {
				if roots++; roots > 1 {
					return stop("not well-formed XML: second root element")
				}
			}
			if depth != 2 {
				continue
			}
			switch t.Name {
			case xml.Name{Local: "TEXT"}:
				if texts++; texts == 1 {
					d.Text, err = p.text()
					depth--
				}
			case xml.Name{Local: "TAGS"}:
				if tags++; tags == 1 {
					err = p.tags(d)
					depth--
				}
			}
			if err != nil {
				return err
			}
		case xml.EndElement:
			depth--
		case xml.CharData:
			if depth == 0 && len(bytes.TrimSpace(t)) > 0 {
				return stop("not well-formed XML: text outside of the root element")
			}
		}
	}
}

// text reads up to the end of an element, and returns its text up to the first
// other item in it.
func (p *parser) text() (string, *data.Error) {
	var text strings.Builder
	whole := false
	for depth := 1; depth > 0; {
		t, err := p.next()
		if err != nil {
			return "", err
		}
		switch t := t.(type) {
		case xml.CharData:
			if !whole {
				text.Write(t)
			}
			continue
		case xml.StartElement:
			depth++
		case xml.EndElement:
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
func (p *parser) tags(d *Document) *data.Error {
	for {
		t, err := p.next()
		if err != nil {
			return err
		}
		switch t := t.(type) {
		case xml.StartElement:
			if err := p.tag(d, t); err != nil {
				return err
			}
			if _, err := p.text(); err != nil {
				return err
			}
		case xml.EndElement:
			return nil
		}
	}
}

func (p *parser) tag(d *Document, e xml.StartElement) *data.Error {
	t := Tag{Element: e.Name.Local}
	if e.Name.Space != "" {
		t.Element = "{" + e.Name.Space + "}" + t.Element
	}
	t.Line, _ = p.xml.InputPos()
	for i, a := range e.Attr {
		for _, earlier := range e.Attr[:i] {
			if earlier.Name == a.Name {
				return stop("not well-formed XML: duplicate attribute of a tag")
			}
		}
		switch a.Name {
		case xml.Name{Local: "TYPE"}:
			t.Type = a.Value
		case xml.Name{Local: "start"}:
			t.Start = a.Value
		case xml.Name{Local: "end"}:
			t.End = a.Value
		}
	}
	d.Tags = append(d.Tags, t)
	return nil
}

var errCharset = errors.New("the declared encoding is not UTF-8, US-ASCII or ISO-8859-1")

func charset(label string, r io.Reader) (io.Reader, error) {
	switch strings.ToLower(label) {
	case "us-ascii", "ascii", "utf8":
		return r, nil
	case "iso-8859-1", "latin1", "latin-1":
		return &widened{from: r}, nil
	}
	return nil, errCharset
}

// widened reads each byte as the code point with the same number.
type widened struct {
	from io.Reader
	left []byte
}

func (w *widened) Read(b []byte) (int, error) {
	if len(w.left) == 0 {
		raw := make([]byte, 512)
		n, err := w.from.Read(raw)
		if n == 0 {
			return 0, err
		}
		for _, c := range raw[:n] {
			w.left = append(w.left, string(rune(c))...)
		}
	}
	n := copy(b, w.left)
	w.left = w.left[n:]
	return n, nil
}
