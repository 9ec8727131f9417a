// Package cas reads documents in UIMA CAS XMI, the format of INCEpTION and DKPro:
//
//	<xmi:XMI xmlns:xmi="http://www.omg.org/XMI" xmlns:cas="http:///uima/cas.ecore" xmlns:custom="http:///custom.ecore">
//	  <custom:PHI xmi:id="8" sofa="1" begin="0" end="3" value="NAME"/>
//	  <cas:Sofa xmi:id="1" sofaID="_InitialView" sofaString="..."/>
//	  <cas:View sofa="1" members="8"/>
//	</xmi:XMI>
//
// Its offsets count units of UTF-16.
package cas

import (
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/lethe-deid/lethe/internal/xmlnotes"
)

// Namespaces of XMI.
const (
	XMISpace     = "http://www.omg.org/XMI"
	Space        = "http:///uima/cas.ecore"
	SegmentSpace = "http:///de/tudarmstadt/ukp/dkpro/core/api/segmentation/type.ecore"
)

// initialView is the name of the view that documents of INCEpTION consist of.
const initialView = "_InitialView"

// maxDepth and maxAttributes are far beyond any document of INCEpTION: its elements are at most four deep, and they have an
// attribute for each feature or, at the root, for each package of types.
const (
	maxDepth      = 32
	maxAttributes = 256
)

// Document is a document in XMI.
type Document struct {
	XMI      string
	Prefixes map[string]string // of the namespaces that the root declares
	Sofa     string            // the ID of the text
	Text     string
	LastID   int
	View     *Tag // of the text; nil if there is none
	End      int  // where the tag that ends the root begins
}

// Tag is the tag of a view, at XMI[From:To].
type Tag struct {
	From, To   int
	Attributes []xmlnotes.Attribute
	sofa       string // value of the attribute sofa
}

// Structure is a feature structure: an element directly below the root.
type Structure struct {
	Space, Local string
	Line         int               // of the file, from 1
	Values       map[string]string // attributes as written; see Value
}

// The errors of Parse.
var (
	ErrNotXMI  = errors.New("not well-formed XMI in XML 1.0 without a DTD")
	ErrNoText  = errors.New("the document has no text")
	ErrNotText = errors.New("the initial view of the document is not a text")
	ErrNoID    = errors.New("the text of the document has no xmi:id that is a number")
)

// Parse reads a document. It calls each with its feature structures, except those of the CAS itself, and stops at the first
// error of each, which it returns.
func Parse(xmi string, each func(Structure) error) (*Document, error) {
	if _, _, found := xmlnotes.Illegal(xmi); found {
		return nil, ErrNotXMI
	}
	p := parser{Document: &Document{XMI: xmi, Prefixes: map[string]string{}}, in: xmlnotes.NewReader(xmi), each: each}
	if err := p.parse(); err != nil {
		return nil, err
	}
	return p.Document, p.finish()
}

type parser struct {
	*Document
	in    *xmlnotes.Reader
	each  func(Structure) error
	depth int
	sofas []sofa
	views []Tag
}

// sofa is a subject of analysis, which is a text.
type sofa struct {
	id, name, text string
	isText         bool
}

func (p *parser) parse() error {
	for {
		t, err := p.in.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil || t.Kind == xmlnotes.Directive || p.depth > maxDepth || len(t.Attributes) > maxAttributes {
			return ErrNotXMI
		}
		switch t.Kind {
		case xmlnotes.Start:
			p.depth++
			if err := p.start(t); err != nil {
				return err
			}
		case xmlnotes.End:
			if p.depth == 1 {
				p.End = t.From
			}
			p.depth--
		}
	}
}

func (p *parser) start(t xmlnotes.Token) error {
	switch p.depth {
	case 1:
		return p.root(t)
	case 2:
		return p.structure(t)
	}
	return nil
}

// root reads the namespaces.
func (p *parser) root(t xmlnotes.Token) error {
	if t.Space != XMISpace || t.Local != "XMI" {
		return ErrNotXMI
	}
	for _, a := range t.Attributes {
		if prefix, ok := strings.CutPrefix(a.Name, "xmlns:"); ok {
			p.Prefixes[xmlnotes.Unescape(a.Value)] = prefix
		}
	}
	if p.Prefixes[XMISpace] == "" {
		return ErrNotXMI // no element could have an xmi:id
	}
	return nil
}

// structure reads a feature structure of the document.
func (p *parser) structure(t xmlnotes.Token) error {
	values := map[string]string{}
	for _, a := range t.Attributes {
		values[a.Name] = a.Value
	}
	if id, err := strconv.Atoi(values[p.Prefixes[XMISpace]+":id"]); err == nil {
		p.LastID = max(p.LastID, id)
	}
	switch {
	case t.Space == Space && t.Local == "Sofa":
		text, ok := values["sofaString"]
		p.sofas = append(p.sofas, sofa{values[p.Prefixes[XMISpace]+":id"], values["sofaID"], Value(text), ok})
	case t.Space == Space && t.Local == "View":
		p.views = append(p.views, Tag{t.From, t.To, slices.Clone(t.Attributes), values["sofa"]})
	default:
		return p.each(Structure{t.Space, t.Local, t.Line, values})
	}
	return nil
}

// Value returns the value of an attribute as XML requires: a line end or tab that is not written as a reference is read as
// a space.
func Value(raw string) string { return xmlnotes.Unescape(blanks.Replace(raw)) }

var blanks = strings.NewReplacer("\r\n", " ", "\r", " ", "\n", " ", "\t", " ")

// finish chooses the text and its view.
func (p *parser) finish() error {
	if len(p.sofas) == 0 {
		return ErrNoText
	}
	chosen := p.sofas[0]
	for _, s := range p.sofas {
		if s.name == initialView {
			chosen = s
		}
	}
	if !chosen.isText || len(p.sofas) > 1 && chosen.name != initialView {
		return ErrNotText
	}
	if _, err := strconv.Atoi(chosen.id); err != nil {
		return ErrNoID
	}
	p.Sofa, p.Text = chosen.id, chosen.text
	for i, v := range p.views {
		if v.sofa == p.Sofa {
			p.View = &p.views[i]
		}
	}
	return nil
}

// Element returns the namespace and the name of the elements of a type.
func Element(typ string) (space, local string) {
	at := strings.LastIndexByte(typ, '.')
	if at < 0 {
		return noSpace, typ
	}
	return "http:///" + strings.ReplaceAll(typ[:at], ".", "/") + ".ecore", typ[at+1:]
}

// noSpace is the namespace of types without a package.
const noSpace = "http:///uima/noNamespace.ecore"

// Type returns the type of a feature structure, which has no package if its namespace is not one of types.
func (s Structure) Type() string {
	pkg, ok := strings.CutPrefix(s.Space, "http:///")
	pkg, isType := strings.CutSuffix(pkg, ".ecore")
	if !ok || !isType || s.Space == noSpace {
		return s.Local
	}
	return strings.ReplaceAll(pkg, "/", ".") + "." + s.Local
}
