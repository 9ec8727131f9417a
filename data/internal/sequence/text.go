package sequence

import (
	"strings"

	"github.com/lethe-deid/lethe/data"
)

// Text makes the text of a document from its tokens: tokens are joined by spaces, and sentences by line ends.
type Text struct {
	text   strings.Builder
	spans  []data.Span
	tokens []data.Token // of the open sentence
	labels []string

	columns map[string][]data.Label // of the document
}

// Reset starts a new document.
func (t *Text) Reset() { *t = Text{} }

// Len returns the length of the text so far, in bytes.
func (t *Text) Len() int { return t.text.Len() }

// Tokens returns the number of tokens of the open sentence.
func (t *Text) Tokens() int { return len(t.tokens) }

// Add adds a token and its label, as Labels.Parse returns it, to the open sentence.
func (t *Text) Add(token, label string) {
	switch {
	case len(t.tokens) > 0:
		t.text.WriteByte(' ')
	case t.text.Len() > 0:
		t.text.WriteByte('\n')
	}
	start := t.text.Len()
	t.text.WriteString(token)
	t.tokens = append(t.tokens, data.Token{Start: start, End: t.text.Len()})
	t.labels = append(t.labels, label)
}

// AddColumn adds a column without values, or a value for the last token unless it is "".
func (t *Text) AddColumn(name, value string) {
	if t.columns == nil {
		t.columns = map[string][]data.Label{}
	}
	if t.columns[name] == nil {
		t.columns[name] = []data.Label{}
	}
	if value == "" {
		return
	}
	last := t.tokens[len(t.tokens)-1]
	t.columns[name] = append(t.columns[name], data.Label{Start: last.Start, End: last.End, Value: value})
}

// Columns returns the columns of the document, or nil.
func (t *Text) Columns() map[string][]data.Label { return t.columns }

// EndSentence ends the open sentence, which no span crosses.
func (t *Text) EndSentence() {
	for _, s := range data.BIOES.Decode(t.labels) {
		t.spans = append(t.spans, data.Span{Start: t.tokens[s.Start].Start, End: t.tokens[s.End-1].End, Type: s.Type, Score: 1})
	}
	t.tokens, t.labels = t.tokens[:0], t.labels[:0]
}

// Document ends the open sentence and returns the text and its spans.
func (t *Text) Document() (string, []data.Span) {
	t.EndSentence()
	return t.text.String(), t.spans
}
