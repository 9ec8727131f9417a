package inception

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid/service/wire"
	"github.com/lethe-deid/lethe/internal/xmlnotes"
)

// Namespaces of XMI.
const (
	xmiSpace     = "http://www.omg.org/XMI"
	casSpace     = "http:///uima/cas.ecore"
	segmentSpace = "http:///de/tudarmstadt/ukp/dkpro/core/api/segmentation/type.ecore"
)

// maxDepth and maxAttributes are far beyond any document of INCEpTION: its elements are at most four deep, and they have an
// attribute for each feature or, at the root, for each package of types. Without a limit, a document with many prefixes and many
// elements would take minutes.
const (
	maxDepth      = 32
	maxAttributes = 256
)

// cas is a document in XMI:
//
//	<xmi:XMI xmlns:xmi="http://www.omg.org/XMI" xmlns:cas="http:///uima/cas.ecore" xmlns:custom="http:///custom.ecore">
//	  <custom:PHI xmi:id="8" sofa="1" begin="0" end="3" value="NAME"/>
//	  <cas:Sofa xmi:id="1" sofaID="_InitialView" sofaString="..."/>
//	  <cas:View sofa="1" members="8"/>
//	</xmi:XMI>
//
// Its offsets count units of UTF-16.
type cas struct {
	xmi               string
	prefixes          map[string]string // of the namespaces that the root declares
	sofa              string            // the ID of the text
	text              string
	tokens, sentences []extent // in the order of the text
	lastID            int
	view              *tag // of the text; nil if there is none
	end               int  // where the tag that ends the root begins
}

// tag is the tag of a view, at xmi[from:to].
type tag struct {
	from, to   int
	attributes []xmlnotes.Attribute
	sofa       string // value of the attribute sofa
}

// extent is a range of the text, in units of UTF-16.
type extent struct{ begin, end int }

var errNotXML = wire.Unprocessable("The document is not well-formed XMI in XML 1.0 without a DTD.")

// parseCAS reads a document in XMI.
func parseCAS(xmi string) (*cas, error) {
	if _, _, found := xmlnotes.Illegal(xmi); found {
		return nil, errNotXML
	}
	p := casParser{cas: &cas{xmi: xmi, prefixes: map[string]string{}}, in: xmlnotes.NewReader(xmi)}
	if err := p.parse(); err != nil {
		return nil, err
	}
	return p.cas, p.finish()
}

type casParser struct {
	*cas
	in       *xmlnotes.Reader
	depth    int
	sofas    []sofa
	views    []tag
	segments []segment
}

// sofa is a subject of analysis, which is a text.
type sofa struct {
	id, name, text string
	isText         bool
}

// segment is a token or a sentence.
type segment struct {
	extent
	sofa     string
	sentence bool
}

func (p *casParser) parse() error {
	for {
		t, err := p.in.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil || t.Kind == xmlnotes.Directive || p.depth > maxDepth || len(t.Attributes) > maxAttributes {
			return errNotXML
		}
		switch t.Kind {
		case xmlnotes.Start:
			p.depth++
			if err := p.start(t); err != nil {
				return err
			}
		case xmlnotes.End:
			if p.depth == 1 {
				p.end = t.From
			}
			p.depth--
		}
	}
}

func (p *casParser) start(t xmlnotes.Token) error {
	switch p.depth {
	case 1:
		return p.root(t)
	case 2:
		return p.structure(t)
	}
	return nil
}

// root reads the namespaces.
func (p *casParser) root(t xmlnotes.Token) error {
	if t.Space != xmiSpace || t.Local != "XMI" {
		return errNotXML
	}
	for _, a := range t.Attributes {
		if prefix, ok := strings.CutPrefix(a.Name, "xmlns:"); ok {
			p.prefixes[xmlnotes.Unescape(a.Value)] = prefix
		}
	}
	if p.prefixes[xmiSpace] == "" {
		return errNotXML // no element could have an xmi:id
	}
	return nil
}

// structure reads a feature structure of the document.
func (p *casParser) structure(t xmlnotes.Token) error {
	values := map[string]string{}
	for _, a := range t.Attributes {
		values[a.Name] = a.Value
	}
	if id, err := strconv.Atoi(values[p.prefixes[xmiSpace]+":id"]); err == nil {
		p.lastID = max(p.lastID, id)
	}
	switch {
	case t.Space == casSpace && t.Local == "Sofa":
		text, ok := values["sofaString"]
		p.sofas = append(p.sofas, sofa{values[p.prefixes[xmiSpace]+":id"], values["sofaID"], attributeValue(text), ok})
	case t.Space == casSpace && t.Local == "View":
		p.views = append(p.views, tag{t.From, t.To, slices.Clone(t.Attributes), values["sofa"]})
	case t.Space == segmentSpace && (t.Local == "Token" || t.Local == "Sentence"):
		begin, err1 := strconv.Atoi(values["begin"])
		end, err2 := strconv.Atoi(values["end"])
		if errors.Join(err1, err2) != nil || begin > end {
			return wire.Unprocessable("A token or sentence of the document has no valid begin and end.")
		}
		p.segments = append(p.segments, segment{extent{begin, end}, values["sofa"], t.Local == "Sentence"})
	}
	return nil
}

// attributeValue returns the value of an attribute as XML requires: a line end or tab that is not written as a reference
// is read as a space.
func attributeValue(raw string) string { return xmlnotes.Unescape(blanks.Replace(raw)) }

var blanks = strings.NewReplacer("\r\n", " ", "\r", " ", "\n", " ", "\t", " ")

// finish chooses the text and what belongs to it.
func (p *casParser) finish() error {
	if len(p.sofas) == 0 {
		return wire.Unprocessable("The document has no text.")
	}
	chosen := p.sofas[0]
	for _, s := range p.sofas {
		if s.name == "_InitialView" {
			chosen = s
		}
	}
	if !chosen.isText || len(p.sofas) > 1 && chosen.name != "_InitialView" {
		return wire.Unprocessable("The initial view of the document is not a text.")
	}
	if _, err := strconv.Atoi(chosen.id); err != nil {
		return wire.Unprocessable("The text of the document has no xmi:id that is a number.")
	}
	p.sofa, p.text = chosen.id, chosen.text
	for i, v := range p.views {
		if v.sofa == p.sofa {
			p.view = &p.views[i]
		}
	}
	for _, s := range p.segments {
		switch {
		case s.sofa != p.sofa:
		case s.sentence:
			p.sentences = append(p.sentences, s.extent)
		default:
			p.tokens = append(p.tokens, s.extent)
		}
	}
	for _, all := range [][]extent{p.tokens, p.sentences} {
		slices.SortFunc(all, func(a, b extent) int { return cmp.Or(cmp.Compare(a.begin, b.begin), cmp.Compare(a.end, b.end)) })
	}
	return nil
}

// prediction is a span of PHI in units of UTF-16.
type prediction struct {
	extent
	label string
	score float64
}

// unitsOf converts spans of the text.
func (c *cas) unitsOf(spans []data.Span) []prediction {
	index := wire.NewIndex(c.text)
	found := make([]prediction, len(spans))
	for i, s := range spans {
		found[i] = prediction{extent{index.At(s.Start).UTF16, index.At(s.End).UTF16}, s.Type, s.Score}
	}
	return found
}

// with returns the document with predictions. Everything else stays byte for byte, except for the tag of the view, which
// lists the new annotations.
func (c *cas) with(l layer, found []prediction, explanation string) string {
	if len(found) == 0 {
		return c.xmi
	}
	var b strings.Builder
	ids := make([]string, len(found))
	for i, p := range found {
		ids[i] = strconv.Itoa(c.lastID + 1 + i)
		c.write(&b, l, ids[i], p, explanation)
	}
	if c.view == nil {
		fmt.Fprintf(&b, `<lethe:View xmlns:lethe="%s" sofa="%s" members="%s"/>`, casSpace, c.sofa, strings.Join(ids, " "))
		return c.xmi[:c.end] + b.String() + c.xmi[c.end:]
	}
	c.writeView(&b, ids)
	return c.xmi[:c.view.from] + b.String() + c.xmi[c.view.to:]
}

// write writes the element of a prediction.
func (c *cas) write(b *strings.Builder, l layer, id string, p prediction, explanation string) {
	prefix, declaration := c.prefixes[l.space], ""
	if prefix == "" {
		prefix, declaration = "lethe", fmt.Sprintf(` xmlns:lethe="%s"`, l.space)
	}
	fmt.Fprintf(b, `<%s:%s%s %s:id="%s" sofa="%s" begin="%d" end="%d" %s="%s" %s="true"`,
		prefix, l.local, declaration, c.prefixes[xmiSpace], id, c.sofa, p.begin, p.end, l.feature, xmlnotes.EscapeAttribute(p.label), predictedFeature)
	if l.score != "" {
		fmt.Fprintf(b, ` %s="%s"`, l.score, strconv.FormatFloat(p.score, 'f', -1, 64))
	}
	if l.explanation != "" {
		fmt.Fprintf(b, ` %s="%s"`, l.explanation, xmlnotes.EscapeAttribute(explanation))
	}
	b.WriteString("/>")
}

// writeView writes the tag of the view with more members.
func (c *cas) writeView(b *strings.Builder, ids []string) {
	tag := c.xmi[c.view.from:c.view.to]
	b.WriteString(tag[:strings.IndexAny(tag, " \t\r\n/>")])
	members := strings.Join(ids, " ")
	for _, a := range c.view.attributes {
		if a.Name == "members" {
			members = strings.TrimSpace(a.Value + " " + members)
			continue
		}
		quote := `"`
		if strings.Contains(a.Value, quote) {
			quote = "'"
		}
		b.WriteString(" " + a.Name + "=" + quote + a.Value + quote)
	}
	b.WriteString(` members="` + members + `"`)
	if strings.HasSuffix(tag, "/>") {
		b.WriteByte('/')
	}
	b.WriteByte('>')
}
