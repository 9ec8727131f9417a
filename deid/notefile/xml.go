package notefile

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"html"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data"
)

// The XML declaration names the encoding in plain ASCII.
var encodingRE = regexp.MustCompile(`^(?:\x{FEFF})?<\?xml[^>]*\sencoding\s*=\s*["']([A-Za-z0-9._-]+)["']`)

// A declaration that says no more than it should.
var declarationRE = regexp.MustCompile(`^<\?xml\s+version\s*=\s*["']1\.[01]["'](?:\s+encoding\s*=\s*["'](?i:utf-?(?:8|16(?:le|be)?)|(?:us-)?ascii|(?:iso-?8859|latin|windows|cp|ibm|koi8|mac)-?(?:\d{1,4}|[ru]|intosh))["'])?(?:\s+standalone\s*=\s*["'](?:yes|no)["'])?\s*\?>$`)

// The patient in the file name, by the rule of i2b2's official scorer.
var patientRE = regexp.MustCompile(`^(\d+)-(\d+)`)

// readXML reads a note of i2b2 2014 or MEDDOCAN. Tags are numbered from first, after
// the prefix. What stands in the file besides the note would go unexamined and is
// therefore refused: comments, processing instructions, a document type, attributes of the
// root, TEXT and TAGS, text, and elements other than TEXT and TAGS. An encoding that the file declares is kept.
func readXML(prefix string, first int) func(*source, Options) Records {
	return func(in *source, o Options) Records {
		return one(in, false, func(raw []byte) (*Record, error) {
			p := xmlNote{in: in, prefix: prefix, first: first, types: o.Types}
			var cs *byteCode
			if m := encodingRE.FindSubmatch(raw); m != nil && !in.recode {
				var err error
				if cs, err = charset(string(m[1])); err != nil {
					return nil, in.defect(1, -1, "the declared encoding is none of UTF-8, US-ASCII, ISO-8859-1 and windows-1252")
				}
			}
			if cs != nil {
				raw = cs.toUTF8(raw)
			}
			record, err := p.read(raw)
			if err == nil {
				record.charset = cs
			}
			return record, err
		})
	}
}

// xmlNote reads one file.
type xmlNote struct {
	in     *source
	prefix string
	first  int
	types  *data.TypeSet

	raw       []byte
	decoder   *xml.Decoder
	line      int // of the last token
	from, to  int // the last token in raw
	base      int // of the decoder's offsets
	view      view
	cdata     [][2]int // where the sections of TEXT begin and end
	seen      map[string]bool
	textLine  int
	tags      [2]int // what stands between <TAGS> and </TAGS>; 0, 0 without
	tagsEmpty bool   // <TAGS/>: the two are the element itself
	tagged    bool   // there are tags
}

func (p *xmlNote) defect(reason string) error { return p.in.defect(p.line, -1, reason) }

func (p *xmlNote) read(raw []byte) (*Record, error) {
	if err := p.in.checkUTF8(raw, 1, 0); err != nil {
		return nil, err
	}
	p.raw, p.seen = raw, map[string]bool{}
	p.view.encode, p.view.others = escapeText, []func(string) string{escapeCDATA}
	body := bytes.TrimPrefix(raw, []byte(utf8BOM))
	p.base = len(raw) - len(body)
	for i, r := range string(raw) {
		if r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0xFFFE || r == 0xFFFF {
			return nil, p.in.defect(1+bytes.Count(raw[:i], []byte("\n")), i, fmt.Sprintf("XML cannot hold the character %U", r))
		}
	}
	p.decoder = xml.NewDecoder(bytes.NewReader(body))
	p.decoder.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil } // it is UTF-8 by now
	if err := p.document(); err != nil {
		return nil, err
	}
	doc := &data.Document{ID: p.in.id(), Text: p.view.text.String()}
	if m := patientRE.FindStringSubmatch(doc.ID); m != nil {
		doc.Patient = m[1]
	}
	note := &Note{Document: doc, Line: p.textLine, below: func(edits []Edit) []Edit {
		return splitCDATAEnd(string(raw), p.view.below(edits), p.inCDATA)
	}}
	return &Record{Raw: raw, Line: 1, Notes: []*Note{note}, beside: func(edits [][]Edit) []Edit { return p.newTags(note, edits[0]) }}, nil
}

// inCDATA reports whether a place of the text lies in a CDATA section.
func (p *xmlNote) inCDATA(at int) bool {
	k, found := slices.BinarySearchFunc(p.cdata, at, func(section [2]int, at int) int { return cmp.Compare(section[0], at) })
	return found || k > 0 && at < p.cdata[k-1][1]
}

// next returns a token but the XML declaration. The parser's own messages
// quote the file and are therefore not passed on.
func (p *xmlNote) next() (xml.Token, error) {
	for {
		p.line, _ = p.decoder.InputPos()
		p.from = p.base + int(p.decoder.InputOffset())
		token, err := p.decoder.Token()
		p.to = p.base + int(p.decoder.InputOffset())
		if err == io.EOF {
			return nil, err
		}
		if err != nil {
			if e, ok := errors.AsType[*xml.SyntaxError](err); ok {
				p.line = e.Line
			}
			return nil, p.defect("not well-formed XML")
		}
		switch t := token.(type) {
		case xml.Comment:
			return nil, p.defect("a comment, which would go unexamined")
		case xml.ProcInst:
			if p.from != p.base || !declarationRE.Match(p.raw[p.from:p.to]) {
				return nil, p.defect("a processing instruction, which would go unexamined")
			}
			continue
		case xml.Directive:
			return nil, p.defect("a document type, which would go unexamined")
		case xml.StartElement:
			if t.Name.Space != "" {
				return nil, p.defect("an element with a namespace, which is not known")
			}
		}
		return token, nil
	}
}

func (p *xmlNote) document() error {
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
			if root || t.Name.Local != "deIdi2b2" && t.Name.Local != "MEDDOCAN" {
				return p.defect("the root is not one element deIdi2b2 or MEDDOCAN")
			}
			root = true
			if err := p.bare(t); err != nil {
				return err
			}
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

// root reads the children of the root.
func (p *xmlNote) root() error {
	for {
		token, err := p.next()
		if err != nil {
			return p.early(err)
		}
		switch t := token.(type) {
		case xml.EndElement:
			if !p.seen["TEXT"] {
				return p.defect("there is no TEXT")
			}
			return nil
		case xml.CharData:
			err = p.blank(t)
		case xml.StartElement:
			name := t.Name.Local
			if name != "TEXT" && name != "TAGS" {
				return p.defect("an element other than TEXT and TAGS, which would go unexamined")
			}
			if p.seen[name] {
				return p.defect("a second " + name)
			}
			p.seen[name] = true
			if err := p.bare(t); err != nil {
				return err
			}
			if name == "TEXT" {
				err = p.readText()
			} else {
				err = p.readTags()
			}
		}
		if err != nil {
			return err
		}
	}
}

// bare refuses an element with attributes.
func (p *xmlNote) bare(t xml.StartElement) error {
	if len(t.Attr) > 0 {
		return p.defect("an attribute of the root, TEXT or TAGS, which would go unexamined")
	}
	return nil
}

// early is the error of a file that ends within an element.
func (p *xmlNote) early(err error) error {
	if err == io.EOF {
		return p.defect("not well-formed XML")
	}
	return err
}

func (p *xmlNote) readText() error {
	p.textLine = p.line
	for {
		token, err := p.next()
		if err != nil {
			return p.early(err)
		}
		switch t := token.(type) {
		case xml.StartElement:
			return p.defect("an element inside of TEXT")
		case xml.EndElement:
			return nil
		case xml.CharData:
			before := p.view.text.Len()
			p.characters()
			// A difference would put edits in wrong places.
			if p.view.text.String()[before:] != string(t) {
				return p.defect("the text holds a reference that is not understood")
			}
		}
	}
}

// characters adds a token of character data to the view. A parser sees LF where the
// file has CR LF or CR.
func (p *xmlNote) characters() {
	const cdata = "<![CDATA["
	from, to := p.from, p.to
	references := true
	p.view.syntax = 0
	if bytes.HasPrefix(p.raw[from:to], []byte(cdata)) {
		from, to, references = from+len(cdata), to-len("]]>"), false
		p.view.syntax = 1
		p.cdata = append(p.cdata, [2]int{from, to})
	}
	for from < to {
		part := p.raw[from:to]
		n := bytes.IndexAny(part, "\r&")
		if n < 0 {
			n = len(part)
		}
		p.view.verbatim(from, string(part[:n]))
		from += n
		part = part[n:]
		switch {
		case len(part) == 0:
		case bytes.HasPrefix(part, []byte("\r\n")):
			p.view.stands(escape, from, 2, "\n")
			from += 2
		case part[0] == '\r':
			p.view.stands(escape, from, 1, "\n")
			from++
		case !references:
			p.view.verbatim(from, "&")
			from++
		default:
			m := 1 + max(bytes.IndexByte(part, ';'), 0)
			p.view.stands(escape, from, m, html.UnescapeString(string(part[:m])))
			from += m
		}
	}
}

// escapeCDATA writes text in a CDATA section. The characters that end it are told
// apart by a second section.
func escapeCDATA(text string) string {
	return strings.ReplaceAll(legal(text), "]]>", "]]]]><![CDATA[>")
}

// escapeText writes text outside of one.
func escapeText(text string) string { return textEscapes.Replace(legal(text)) }

var textEscapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "\r", "&#13;")

// legal puts U+FFFD in the place of characters that XML cannot hold.
func legal(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0xFFFE || r == 0xFFFF {
			return '\uFFFD'
		}
		return r
	}, text)
}

func (p *xmlNote) readTags() error {
	start := p.from
	p.tags[0] = p.to
	p.tagsEmpty = bytes.HasSuffix(p.raw[p.from:p.to], []byte("/>"))
	for depth := 1; depth > 0; {
		token, err := p.next()
		if err != nil {
			return p.early(err)
		}
		switch t := token.(type) {
		case xml.StartElement:
			depth++
			p.tagged = true
		case xml.EndElement:
			depth--
		case xml.CharData:
			if err := p.blank(t); err != nil {
				return err
			}
		}
	}
	p.tags[1] = p.from
	if p.tagsEmpty {
		p.tags = [2]int{start, p.to}
	}
	return nil
}

// newTags says what becomes of TAGS: a tag for each place where new text stands.
func (p *xmlNote) newTags(note *Note, edits []Edit) []Edit {
	if !p.seen["TAGS"] || len(edits) == 0 && !p.tagged {
		return nil
	}
	var b strings.Builder
	if p.tagsEmpty {
		b.WriteString("<TAGS>")
	}
	b.WriteByte('\n')
	doc := note.Replaced(edits)
	bytesDone, points := 0, 0
	point := func(at int) int {
		points += utf8.RuneCountInString(doc.Text[bytesDone:at])
		bytesDone = at
		return points
	}
	for i, s := range doc.Spans {
		category := s.Type
		if p.types != nil {
			if t, ok := p.types.Lookup(s.Type); ok {
				category = t.Category
			}
		}
		start := point(s.Start)
		fmt.Fprintf(&b, "<%s id=\"%s%d\" start=\"%d\" end=\"%d\" text=\"%s\" TYPE=\"%s\" comment=\"\" />\n",
			category, p.prefix, p.first+i, start, point(s.End), escapeAttribute.Replace(legal(doc.Text[s.Start:s.End])), s.Type)
	}
	if p.tagsEmpty {
		b.WriteString("</TAGS>")
	}
	return []Edit{{Start: p.tags[0], End: p.tags[1], New: b.String()}}
}

var escapeAttribute = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "\t", "&#9;", "\n", "&#10;", "\r", "&#13;")

func (p *xmlNote) blank(text xml.CharData) error {
	rest := bytes.TrimLeft(text, " \t\r\n")
	if len(rest) == 0 {
		return nil
	}
	p.line += bytes.Count(text[:len(text)-len(rest)], []byte("\n"))
	return p.defect("text outside of TEXT")
}
