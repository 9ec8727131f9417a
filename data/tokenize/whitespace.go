package tokenize

import "github.com/lethe-deid/lethe/data"

// Whitespace makes a token of each run of characters that are not white space.
type Whitespace struct{}

var _ Tokenizer = Whitespace{}

// Tokens implements Tokenizer.
func (Whitespace) Tokens(text string, dst []data.Token) []data.Token {
	start := -1 // start of the open token, or -1
	for i := 0; i < len(text); {
		c, n := classAt(text, i)
		switch {
		case c == space && start >= 0:
			dst = append(dst, data.Token{Start: start, End: i})
			start = -1
		case c != space && start < 0:
			start = i
		}
		i += n
	}
	if start >= 0 {
		dst = append(dst, data.Token{Start: start, End: len(text)})
	}
	return dst
}
