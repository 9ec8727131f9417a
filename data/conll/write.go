package conll

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/internal/notes"
)

// Create returns a writer of all documents into one file, which appears at Close.
// The file has one token and its IOB2 label per line, and a line "-DOCSTART- ID
// O" before each document.
//
// Tokens are separated by ASCII white space and split further at both ends of
// every span, so that no span moves. Each line is a sentence, except that a line
// end inside a span does not end the sentence. The format loses the text's white
// space, empty lines, patients and scores. Write refuses spans that overlap or
// contain only white space, the token -DOCSTART-, and an ID that could not be
// read back.
func Create(path string, types *data.TypeSet) (data.Writer, error) {
	return notes.NewFile(path, types, encode)
}

func encode(doc *data.Document) ([]byte, error) {
	if documentID(split(boundary+" "+doc.ID+" O")) != doc.ID || strings.Contains(doc.ID, "\n") {
		return nil, errors.New("a -DOCSTART- line cannot contain the id")
	}
	spans := slices.Clone(doc.Spans)
	data.SortSpans(spans)
	for i := 1; i < len(spans); i++ {
		if spans[i].Start < spans[i-1].End {
			return nil, fmt.Errorf("spans overlap at byte %d of the text, which columns cannot represent", spans[i].Start)
		}
	}
	tokens, first := tokenize(doc.Text, spans)
	for _, t := range tokens {
		if doc.Text[t.Start:t.End] == boundary {
			return nil, fmt.Errorf("the token at byte %d of the text would be read as the start of a document", t.Start)
		}
	}
	labelled := data.AlignSpans(tokens, spans)
	if len(labelled) != len(spans) {
		return nil, errors.New("a span of white space only, which columns cannot represent")
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s %s O\n", boundary, doc.ID)
	for i, label := range data.BIO.Encode(len(tokens), labelled) {
		if first[i] {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%s %s\n", doc.Text[tokens[i].Start:tokens[i].End], label)
	}
	b.WriteByte('\n')
	return b.Bytes(), nil
}

// Fit changes the spans found in a document that was read from this format so that it can
// be written without changing its text: each span is extended to whole tokens, and
// divided at line ends. Of spans that then overlap, the first stays as it is, and the
// others are dropped.
func Fit(doc *data.Document) {
	spans := slices.Clone(doc.Spans)
	data.SortSpans(spans)
	var whole []data.Span
	for _, s := range spans {
		from := strings.LastIndexAny(doc.Text[:s.Start], spaces) + 1
		to := len(doc.Text)
		if i := strings.IndexAny(doc.Text[s.End:], spaces); i >= 0 {
			to = s.End + i
		}
		for line := range strings.SplitSeq(doc.Text[from:to], "\n") {
			if part := strings.Trim(line, spaces); part != "" {
				at := from + strings.Index(line, part)
				whole = append(whole, data.Span{Start: at, End: at + len(part), Type: s.Type, Score: s.Score})
			}
			from += len(line) + 1
		}
	}
	doc.Spans = data.Disjoint(whole)
}

// tokenize splits the text into the tokens of the columns. first reports for each
// token whether it starts a sentence. The spans must be sorted and disjoint.
func tokenize(text string, spans []data.Span) (tokens []data.Token, first []bool) {
	start := -1 // start of the open token, or -1
	fresh := true
	cut := func(end int) {
		if start >= 0 {
			tokens, first = append(tokens, data.Token{Start: start, End: end}), append(first, fresh)
			start, fresh = -1, false
		}
	}
	for i := range len(text) {
		for len(spans) > 0 && i >= spans[0].End {
			cut(i)
			spans = spans[1:]
		}
		inside := len(spans) > 0 && i >= spans[0].Start
		if inside && i == spans[0].Start {
			cut(i)
		}
		switch {
		case strings.IndexByte(spaces, text[i]) >= 0:
			cut(i)
			fresh = fresh || text[i] == '\n' && !inside
		case start < 0:
			start = i
		}
	}
	cut(len(text))
	return tokens, first
}
