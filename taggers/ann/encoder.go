package ann

import (
	"strings"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/nn/tagger"
)

// encoder turns tokens into ids. It remembers the ids of recent tokens, because most tokens
// of a note are not new. Only one goroutine at a time may use it.
type encoder struct {
	vocabulary *vocabulary
	known      map[string]ids
}

// ids are the ids of a token and of its characters. They do not change.
type ids struct {
	token      int32
	characters []int32
}

// maxKnown bounds the memory of an encoder at a few megabytes. A full one is cleared.
const maxKnown = 1 << 15

func newEncoder(v *vocabulary) *encoder { return &encoder{v, map[string]ids{}} }

// encode returns the ids of tokens of a document.
func (e *encoder) encode(doc *data.Document, tokens []data.Token) tagger.Sentence {
	s := tagger.Sentence{Tokens: make([]int32, len(tokens)), Characters: make([][]int32, len(tokens))}
	for i, token := range tokens {
		x := e.ids(doc.Text[token.Start:token.End])
		s.Tokens[i], s.Characters[i] = x.token, x.characters
	}
	return s
}

func (e *encoder) ids(form string) ids {
	if x, ok := e.known[form]; ok {
		return x
	}
	if len(e.known) >= maxKnown {
		clear(e.known)
	}
	x := ids{e.vocabulary.token(form), e.vocabulary.spelling(nil, form)}
	if len(form) <= maxCharacters { // longer ones are rare and take more memory
		e.known[strings.Clone(form)] = x
	}
	return x
}
