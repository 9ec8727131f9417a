// Package reader splits documents into the tokens and sentences that a tagger labels.
package reader

import (
	"fmt"
	"iter"
	"strings"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/tokenize"
)

// Reader is a tokenizer with a sentence splitter.
type Reader struct {
	tokenizer tokenize.Tokenizer
	splitter  tokenize.Splitter
}

// New looks up both by name. Sentences with more than maxTokens tokens are split.
func New(tokenizer, sentences string, maxTokens int) (r Reader, err error) {
	if r.tokenizer, err = tokenize.Lookup(tokenizer); err != nil {
		return r, err
	}
	splitter, err := tokenize.LookupSplitter(sentences)
	r.splitter = tokenize.Limit(splitter, maxTokens)
	return r, err
}

// Check returns an error that begins with the first key whose value makes no sense:
// tokenizer, sentences, max_sentence or scheme.
func Check(tokenizer, sentences string, maxTokens int, scheme data.Scheme) error {
	if _, err := tokenize.Lookup(tokenizer); err != nil {
		return fmt.Errorf("tokenizer: %w", err)
	}
	if _, err := tokenize.LookupSplitter(sentences); err != nil {
		return fmt.Errorf("sentences: %w", err)
	}
	if maxTokens < 1 {
		return fmt.Errorf("max_sentence: %d is not positive", maxTokens)
	}
	if known, err := data.ParseScheme(string(scheme)); err != nil {
		return fmt.Errorf("scheme: %w", err)
	} else if known != scheme {
		return fmt.Errorf("scheme: %q must be written %s", string(scheme), known)
	}
	return nil
}

// Text is a document, or a stretch of one, split into tokens and sentences.
type Text struct {
	Doc       *data.Document
	Tokens    []data.Token
	Sentences []tokenize.Range
}

// maxStretch bounds the number of bytes that are split into tokens at a time, and
// thereby the memory that a note takes besides its text.
const maxStretch = 1 << 20

// Cut yields a document in stretches. Only huge documents have more than one. A
// sentence of a huge document ends at the end of a stretch.
func (r Reader) Cut(doc *data.Document) iter.Seq[Text] {
	return func(yield func(Text) bool) {
		for from := 0; from < len(doc.Text); {
			to := from + stretch(doc.Text[from:])
			part := doc.Text[from:to]
			tokens := r.tokenizer.Tokens(part, nil)
			x := Text{doc, tokens, r.splitter.Sentences(part, tokens, nil)}
			for i := range tokens {
				tokens[i].Start += from
				tokens[i].End += from
			}
			if !yield(x) {
				return
			}
			from = to
		}
	}
}

// Labels returns the labels of each sentence's tokens for the spans of the document. A
// span across the end of a sentence is split.
func (x Text) Labels(scheme data.Scheme) [][]string {
	spans := data.AlignSpans(x.Tokens, x.Doc.Spans)
	var all [][]string
	for _, r := range x.Sentences {
		all = append(all, scheme.Encode(r.End-r.Start, inside(spans, r.Start, r.End)))
	}
	return all
}

// inside returns the parts of the spans within tokens [start, end), relative to start.
func inside(spans []data.TokenSpan, start, end int) []data.TokenSpan {
	var out []data.TokenSpan
	for _, s := range spans {
		if s.Start < end && s.End > start {
			out = append(out, data.TokenSpan{Start: max(s.Start, start) - start, End: min(s.End, end) - start, Type: s.Type})
		}
	}
	return out
}

// stretch returns the length of the next stretch: up to the last line end that fits,
// else the last space, else as many code points as fit.
func stretch(s string) int {
	if len(s) <= maxStretch {
		return len(s)
	}
	s = s[:maxStretch]
	for _, at := range []string{"\n", " "} {
		if i := strings.LastIndex(s, at); i > 0 {
			return i + 1
		}
	}
	end := len(s)
	for end > len(s)-utf8.UTFMax && !utf8.RuneStart(s[end-1]) {
		end--
	}
	if utf8.RuneStart(s[end-1]) && end > 1 {
		end-- // the code point that begins here may extend beyond the stretch
	}
	return end
}
