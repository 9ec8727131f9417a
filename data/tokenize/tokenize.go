// Package tokenize cuts the text of a document into tokens, and its tokens
// into the units (sentences, lines, paragraphs) that a sequence labeller reads
// one at a time.
//
// Tokens are byte ranges of the untouched text. Whatever the tokenizer:
//
//   - tokens are not empty, sorted and disjoint;
//   - every byte that is not white space (unicode.IsSpace) is in some token, so
//     that no text can escape the taggers;
//   - a token starts and ends between code points; a byte that is not part of
//     valid UTF-8 counts as one character;
//   - the time taken is linear in the length of the text.
//
// U+FEFF and the zero-width characters are not white space: they are (parts
// of) tokens. No-break spaces are white space.
package tokenize

import (
	"fmt"
	"strings"

	"github.com/lethe-deid/lethe/data"
)

// Tokenizer cuts text into tokens. It is stateless: one value serves many
// goroutines.
type Tokenizer interface {
	// Tokens appends the tokens of text to dst and returns it. It allocates
	// only to grow dst.
	Tokens(text string, dst []data.Token) []data.Token
}

var tokenizers = []struct {
	name      string
	tokenizer Tokenizer
}{
	{"letters-digits", LettersDigits{}},
	{"ptb", PTB{}},
	{"whitespace", Whitespace{}},
}

// Lookup returns the tokenizer of that name; see Names.
func Lookup(name string) (Tokenizer, error) {
	for _, t := range tokenizers {
		if t.name == name {
			return t.tokenizer, nil
		}
	}
	return nil, fmt.Errorf("no tokenizer %q (have %s)", name, strings.Join(Names(), ", "))
}

// Names lists the tokenizers: letters-digits, ptb, whitespace.
func Names() []string {
	var names []string
	for _, t := range tokenizers {
		names = append(names, t.name)
	}
	return names
}
