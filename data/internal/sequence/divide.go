package sequence

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/tokenize"
)

// Spaces are the characters that separate tokens: ASCII white space. Other white space, such as U+00A0, is part of a token.
const Spaces = " \t\n\v\f\r"

// Writing says how documents become tokens with labels.
type Writing struct {
	Scheme    Scheme
	Tokenizer tokenize.Tokenizer // nil: tokens are separated by ASCII white space
	Splitter  tokenize.Splitter  // of sentences; nil: each line is one
}

// NewWriting returns what the names of a scheme, a tokenizer and a sentence splitter mean. Empty names mean the zero value.
func NewWriting(scheme Scheme, tokenizer, splitter string) (w Writing, err error) {
	w.Scheme = scheme
	if err = scheme.Check(); err != nil {
		return w, fmt.Errorf("scheme: %w", err)
	}
	if tokenizer != "" {
		if w.Tokenizer, err = tokenize.Lookup(tokenizer); err != nil {
			return w, fmt.Errorf("tokenizer: %w", err)
		}
	}
	if splitter != "" {
		if w.Splitter, err = tokenize.LookupSplitter(splitter); err != nil {
			return w, fmt.Errorf("sentences: %w", err)
		}
	}
	return w, nil
}

// Token is a token to write.
type Token struct {
	Text, Label string
	First       bool     // it begins a sentence
	Values      []string // of the document's columns, sorted by name; "": none
}

// Tokens returns the tokens of a document. Tokens are divided at both ends of every span, so that no span moves, and a sentence
// does not end within a span. inside is the number of spans that begin or end inside a token. Spans that overlap or contain no
// token are an error.
func (w Writing) Tokens(doc *data.Document) (tokens []Token, inside int, err error) {
	spans := slices.Clone(doc.Spans)
	data.SortSpans(spans)
	for i := 1; i < len(spans); i++ {
		if spans[i].Start < spans[i-1].End {
			return nil, 0, fmt.Errorf("spans overlap at byte %d of the text, which labels of tokens cannot represent", spans[i].Start)
		}
	}
	marks := w.mark(doc.Text)
	for _, s := range spans {
		if marks.inside(s.Start) || marks.inside(s.End) {
			inside++
		}
	}
	places, first := marks.divide(spans)
	labelled := data.AlignSpans(places, spans)
	if len(labelled) != len(spans) {
		return nil, 0, errors.New("a span of white space only, which labels of tokens cannot represent")
	}
	for i, label := range w.Scheme.encode(len(places), labelled) {
		tokens = append(tokens, Token{Text: doc.Text[places[i].Start:places[i].End], Label: label, First: first[i]})
	}
	for _, name := range doc.ColumnNames() {
		for i, l := range doc.ColumnAt(name, places) {
			value := ""
			if l != nil {
				value = l.Value
			}
			tokens[i].Values = append(tokens[i].Values, value)
		}
	}
	return tokens, inside, nil
}

// Unused returns the number of values of the document's columns that no token has. Tokens must accept the document.
func (w Writing) Unused(doc *data.Document) (n int) {
	spans := slices.Clone(doc.Spans)
	data.SortSpans(spans)
	places, _ := w.mark(doc.Text).divide(spans)
	for name, labels := range doc.Columns {
		used := map[*data.Label]bool{}
		for _, l := range doc.ColumnAt(name, places) {
			used[l] = l != nil
		}
		delete(used, nil)
		n += len(labels) - len(used)
	}
	return n
}

// Rebuilt returns a document as it is read after its Tokens were written. Scores and the patient are kept.
func (w Writing) Rebuilt(doc *data.Document) (again *data.Document, inside int, err error) {
	tokens, inside, err := w.Tokens(doc)
	if err != nil {
		return nil, 0, err
	}
	var text Text
	names := doc.ColumnNames()
	for _, name := range names {
		text.AddColumn(name, "")
	}
	for _, t := range tokens {
		if t.First {
			text.EndSentence()
		}
		label, _ := Prefixed.Parse(t.Label, data.Any) // it was made of a type, which is well formed
		text.Add(t.Text, label)
		for i, name := range names {
			text.AddColumn(name, t.Values[i])
		}
	}
	copied := *doc
	copied.Text, copied.Spans = text.Document()
	copied.Columns = text.Columns()
	return &copied, inside, nil
}

// Blank reports whether a span contains no token.
func (w Writing) Blank(text string, s data.Span) bool {
	if w.Tokenizer != nil {
		return len(w.Tokenizer.Tokens(text[s.Start:s.End], nil)) == 0
	}
	return strings.Trim(text[s.Start:s.End], Spaces) == ""
}

// marks has an element for each byte of a text, and one for its end.
type marks []mark

type mark uint8

const (
	covered  mark = 1 << iota // the byte is in a token
	cut                       // a token begins at the byte
	sentence                  // a sentence begins at the byte, or with the next token
)

// mark marks the tokens and sentences of a text.
func (w Writing) mark(text string) marks {
	m := make(marks, len(text)+1)
	if w.Tokenizer == nil && w.Splitter == nil {
		for i := range len(text) {
			switch {
			case strings.IndexByte(Spaces, text[i]) < 0:
				m[i] |= covered
			case text[i] == '\n':
				m[i] |= sentence
			}
		}
		return m
	}
	tokenizer, splitter := w.Tokenizer, w.Splitter
	if tokenizer == nil {
		tokenizer = tokenize.Whitespace{}
	}
	if splitter == nil {
		splitter = tokenize.Lines{}
	}
	tokens := tokenizer.Tokens(text, nil)
	for _, t := range tokens {
		m[t.Start] |= cut
		for i := t.Start; i < t.End; i++ {
			if strings.IndexByte(Spaces, text[i]) < 0 {
				m[i] |= covered
			}
		}
	}
	for _, unit := range splitter.Sentences(text, tokens, nil) {
		m[tokens[unit.Start].Start] |= sentence
	}
	return m
}

// inside reports whether a position is within a token.
func (m marks) inside(at int) bool {
	return at > 0 && at < len(m)-1 && m[at-1]&covered != 0 && m[at]&covered != 0 && m[at]&cut == 0
}

// divide returns the tokens, and for each whether it begins a sentence. The spans must be sorted and disjoint.
func (m marks) divide(spans []data.Span) (tokens []data.Token, first []bool) {
	start := -1 // start of the open token, or -1
	fresh := true
	end := func(at int) {
		if start >= 0 {
			tokens, first = append(tokens, data.Token{Start: start, End: at}), append(first, fresh)
			start, fresh = -1, false
		}
	}
	for i := range len(m) - 1 {
		for len(spans) > 0 && i >= spans[0].End {
			end(i)
			spans = spans[1:]
		}
		inside := len(spans) > 0 && i >= spans[0].Start
		if inside && i == spans[0].Start || m[i]&covered == 0 || m[i]&cut != 0 {
			end(i)
		}
		if within := inside && i > spans[0].Start || inside && m[i]&covered == 0; !within && m[i]&sentence != 0 {
			fresh = true
		}
		if m[i]&covered != 0 && start < 0 {
			start = i
		}
	}
	end(len(m) - 1)
	return tokens, first
}
