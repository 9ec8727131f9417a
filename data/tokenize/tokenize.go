// Package tokenize splits the text of a document into tokens, and the tokens into
// the units (sentences, lines, paragraphs) that a sequence labeller reads one at
// a time.
//
// Tokens are byte ranges of the unmodified text. All tokenizers guarantee:
//
//   - tokens are not empty, sorted and disjoint;
//   - every byte that is not white space (unicode.IsSpace) is in some token, so
//     that no text is hidden from the taggers;
//   - a token starts and ends between code points; a byte that is not part of
//     valid UTF-8 counts as one character;
//   - tokenization takes time linear in the length of the text.
//
// U+FEFF and the zero-width characters are not white space: they are tokens or
// parts of tokens. No-break spaces are white space.
package tokenize

import (
	"fmt"
	"strings"

	"github.com/lethe-deid/lethe/data"
)

// Tokenizer splits text into tokens. It is stateless and safe for concurrent use.
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

// Lookup returns the tokenizer with that name; see Names. It returns an error for
// other names.
func Lookup(name string) (Tokenizer, error) {
	for _, t := range tokenizers {
		if t.name == name {
			return t.tokenizer, nil
		}
	}
	return nil, fmt.Errorf("no tokenizer %q (have %s)", name, strings.Join(Names(), ", "))
}

// Names returns the names of the tokenizers: letters-digits, ptb, whitespace.
func Names() []string {
	var names []string
	for _, t := range tokenizers {
		names = append(names, t.name)
	}
	return names
}
