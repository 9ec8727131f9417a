package feature

import (
	"strings"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/taggers/internal/reader"
)

// Text is a text prepared for drawing features. Only one goroutine at a time may draw features of it.
type Text struct {
	reader.Text
	Foreign []data.Span // general named entities of the document
	words   []string
	begins  []int          // by line: its start, in bytes
	kept    map[string]any // results that families reuse for further columns

	lowered   []string // see lower, sentence and line
	sentences []int
	lines     []int
}

// NewText prepares a text for all families. foreign is the result of Resources.Foreign
// for its document.
func NewText(r reader.Text, foreign []data.Span) *Text {
	x := &Text{Text: r, Foreign: foreign, words: make([]string, len(r.Tokens)), kept: map[string]any{}}
	for i, tok := range r.Tokens {
		x.words[i] = r.Doc.Text[tok.Start:tok.End]
	}
	x.begins = []int{0}
	for at := 0; ; {
		i := strings.IndexByte(r.Doc.Text[at:], '\n')
		if i < 0 {
			break
		}
		at += i + 1
		x.begins = append(x.begins, at)
	}
	return x
}

// lower returns each word in lower case.
func (x *Text) lower() []string {
	if x.lowered == nil {
		x.lowered = make([]string, len(x.words))
		for i, w := range x.words {
			x.lowered[i] = strings.ToLower(w)
		}
	}
	return x.lowered
}

// sentence returns the number of each token's sentence.
func (x *Text) sentence() []int {
	if x.sentences == nil {
		x.sentences = make([]int, len(x.Tokens))
		for n, s := range x.Sentences {
			for t := s.Start; t < s.End; t++ {
				x.sentences[t] = n
			}
		}
	}
	return x.sentences
}

// line returns the number of each token's line, from 0.
func (x *Text) line() []int {
	if x.lines == nil {
		x.lines = make([]int, len(x.Tokens))
		line := 0
		for t, tok := range x.Tokens {
			for line+1 < len(x.begins) && x.begins[line+1] <= tok.Start {
				line++
			}
			x.lines[t] = line
		}
	}
	return x.lines
}

// gap returns the text between token t-1 and token t.
func (x *Text) gap(t int) string {
	from := 0
	if t > 0 {
		from = x.Tokens[t-1].End
	}
	return x.Doc.Text[from:x.Tokens[t].Start]
}

// lineText returns a line without its line end.
func (x *Text) lineText(n int) string {
	from, to := x.begins[n], len(x.Doc.Text)
	if n+1 < len(x.begins) {
		to = x.begins[n+1]
	}
	return strings.TrimRight(x.Doc.Text[from:to], "\r\n")
}

// startsLine reports whether a token is the first of its line.
func (x *Text) startsLine(t int) bool { return t == 0 || x.line()[t] != x.line()[t-1] }

// keep computes a value once per text and returns the stored value after that.
func keep[T any](x *Text, key string, compute func() T) T {
	if v, ok := x.kept[key]; ok {
		return v.(T)
	}
	v := compute()
	x.kept[key] = v
	return v
}
