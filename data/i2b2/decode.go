package i2b2

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/internal/notes"
	"github.com/lethe-deid/lethe/internal/usualxml"
)

func decode(path string, raw []byte, types *data.TypeSet) (*data.Document, error) {
	note, usual := usualxml.Scan(raw)
	if !usual || !isRoot(note.Root) {
		var err error
		if note, err = parse(path, raw); err != nil {
			return nil, err
		}
	}
	id := notes.ID(path)
	doc := &data.Document{ID: id, Patient: notes.Patient(id), Text: note.Text}
	offsets := notes.NewOffsets(doc.Text)
	for _, t := range note.Tags {
		span, err := newSpan(t, offsets, types)
		if err != nil {
			err.Path = path
			return nil, err
		}
		doc.Spans = append(doc.Spans, span)
	}
	data.SortSpans(doc.Spans)
	return doc, nil
}

func isRoot(name string) bool { return name == I2B2.root || name == MEDDOCAN.root }

// parse reads what usualxml does not.
func parse(path string, raw []byte) (*usualxml.Note, error) {
	raw, err := toUTF8(path, raw)
	if err != nil {
		return nil, err
	}
	if at, char, bad := firstBad(string(raw)); bad {
		return nil, notes.Defect(path, notes.LineAt(raw, at), at, fmt.Sprintf("XML cannot hold the character %U", char))
	}
	p := &parser{path: path, xml: xml.NewDecoder(bytes.NewReader(bytes.TrimPrefix(raw, []byte(notes.BOM))))}
	p.xml.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil } // it is UTF-8 by now
	if err := p.document(); err != nil {
		return nil, err
	}
	return &usualxml.Note{Text: p.text.String(), Tags: p.tags}, nil
}

// The XML declaration names the encoding in plain ASCII.
var encodingRE = regexp.MustCompile(`^(?:\x{FEFF})?<\?xml[^>]*\sencoding\s*=\s*["']([A-Za-z0-9._-]+)["']`)

// toUTF8 converts a file by its declared encoding.
func toUTF8(path string, raw []byte) ([]byte, error) {
	encoding := "utf-8"
	if m := encodingRE.FindSubmatch(raw); m != nil {
		encoding = strings.ToLower(string(m[1]))
	}
	switch encoding {
	case "utf-8", "utf8", "us-ascii", "ascii":
		return raw, notes.CheckUTF8(path, raw)
	case "iso-8859-1", "latin1", "latin-1": // its bytes are the first 256 code points
		wide := make([]rune, len(raw))
		for i, b := range raw {
			wide[i] = rune(b)
		}
		return []byte(string(wide)), nil
	}
	return nil, notes.Defect(path, 1, -1, "the declared encoding is none of UTF-8, US-ASCII and ISO-8859-1")
}

// parser walks the tokens of one file.
type parser struct {
	path string
	xml  *xml.Decoder
	line int // of the last token's first character
	text strings.Builder
	tags []usualxml.Tag
}

func (p *parser) defect(reason string) error { return notes.Defect(p.path, p.line, -1, reason) }

// next returns the next token but comments and the like, or, outside of all
// elements, io.EOF. The
// parser's own messages quote the file and are therefore not passed on.
func (p *parser) next() (xml.Token, error) {
	for {
		p.line, _ = p.xml.InputPos()
		token, err := p.xml.Token()
		if err == io.EOF {
			return nil, err
		}
		if err != nil {
			if e, ok := errors.AsType[*xml.SyntaxError](err); ok {
				p.line = e.Line
			}
			return nil, p.defect("not well-formed XML")
		}
		switch token.(type) {
		case xml.Comment, xml.ProcInst, xml.Directive:
		default:
			return token, nil
		}
	}
}

// document reads the whole file.
func (p *parser) document() error {
	root := false
	for {
		token, err := p.next()
		if err == io.EOF {
			if !root {
				return p.defect("the file holds no XML element")
			}
			return nil
		}
		if err != nil {
			return err
		}
		switch t := token.(type) {
		case xml.StartElement:
			if root || !isRoot(t.Name.Local) {
				return p.defect("the root is not one element deIdi2b2 or MEDDOCAN")
			}
			root = true
			if err := p.root(); err != nil {
				return err
			}
		case xml.CharData:
			if err := p.blank(t); err != nil {
				return err
			}
		}
	}
}

// root reads the children of the root up to its end.
func (p *parser) root() error {
	seen := map[string]bool{}
	err := p.children(func(e xml.StartElement) error {
		name := e.Name.Local
		if name != "TEXT" && name != "TAGS" {
			return p.skip()
		}
		if seen[name] {
			return p.defect("a second " + name)
		}
		seen[name] = true
		if name == "TEXT" {
			return p.readText()
		}
		return p.children(p.tag)
	})
	if err == nil && !seen["TEXT"] {
		return p.defect("there is no TEXT")
	}
	return err
}

// children calls read at the start of each child element, until the end of
// the element around them.
func (p *parser) children(read func(xml.StartElement) error) error {
	for {
		token, err := p.next()
		if err != nil {
			return err
		}
		switch t := token.(type) {
		case xml.StartElement:
			err = read(t)
		case xml.EndElement:
			return nil
		case xml.CharData:
			err = p.blank(t)
		}
		if err != nil {
			return err
		}
	}
}

func (p *parser) readText() error {
	for {
		token, err := p.next()
		if err != nil {
			return err
		}
		switch t := token.(type) {
		case xml.StartElement:
			return p.defect("an element inside of TEXT")
		case xml.EndElement:
			return nil
		case xml.CharData:
			p.text.Write(t)
		}
	}
}

func (p *parser) tag(e xml.StartElement) error {
	t := usualxml.Tag{Line: p.line, Element: e.Name.Local}
	for _, a := range e.Attr {
		switch a.Name.Local {
		case "start":
			t.Start = a.Value
		case "end":
			t.End = a.Value
		case "TYPE":
			t.Type = a.Value
		case "text":
			t.Text = &a.Value
		}
	}
	p.tags = append(p.tags, t)
	return p.skip()
}

// skip reads to the end of an element whose content does not matter.
func (p *parser) skip() error {
	for depth := 1; depth > 0; {
		token, err := p.next()
		if err != nil {
			return err
		}
		switch token.(type) {
		case xml.StartElement:
			depth++
		case xml.EndElement:
			depth--
		}
	}
	return nil
}

func (p *parser) blank(text xml.CharData) error {
	rest := bytes.TrimLeft(text, " \t\r\n")
	if len(rest) == 0 {
		return nil
	}
	p.line += bytes.Count(text[:len(text)-len(rest)], []byte("\n"))
	return p.defect("text outside of TEXT")
}

// newSpan checks a tag against text and type set. Offsets in errors are code
// points.
func newSpan(t usualxml.Tag, offsets *notes.Offsets, types *data.TypeSet) (data.Span, *data.Error) {
	none := func(offset int, reason string) (data.Span, *data.Error) {
		return data.Span{}, notes.Defect("", t.Line, offset, reason)
	}
	known, ok := types.Lookup(t.Type)
	if !ok {
		return none(-1, "a tag's TYPE is not in the type set "+types.Name)
	}
	if open := len(types.Types) == 0; !open && t.Element != known.Category && t.Element != "PHI" {
		return none(-1, "a tag's element is not the category of its TYPE")
	}
	start, err := notes.Offset(t.Start)
	if err != nil {
		return none(-1, "start: "+err.Error())
	}
	end, err := notes.Offset(t.End)
	if err != nil {
		return none(-1, "end: "+err.Error())
	}
	from, to, err := offsets.Bytes(start, end)
	if err != nil {
		return none(start, err.Error())
	}
	if t.Text != nil && !notes.Quotes(*t.Text, offsets.Text()[from:to]) {
		return none(start, "a tag's text is not that of the note at its offsets, in code points")
	}
	return data.Span{Start: from, End: to, Type: known.Name, Score: 1}, nil
}
