package tokenize

import "github.com/lethe-deid/lethe/data"

// LettersDigits is the tokenizer of Liu et al. 2017, section 3.2: a token is a
// run of letters, a run of digits, or any other single character, so
// "1/20/71Total" becomes 1 / 20 / 71 Total. A tag can therefore miss the token
// borders only if it starts or ends between two letters or between two digits.
//
// Letters and digits are those of Unicode (categories L and Nd), and a combining
// mark belongs to the letter before it. All other characters except white space
// are single tokens: other combining marks, fractions and superscripts, U+FEFF,
// zero-width characters, invalid bytes.
type LettersDigits struct{}

var _ Tokenizer = LettersDigits{}

// Tokens implements Tokenizer.
func (LettersDigits) Tokens(text string, dst []data.Token) []data.Token {
	if dst == nil {
		dst = make([]data.Token, 0, len(text)/4) // roughly as many as in notes
	}
	for i := 0; i < len(text); {
		c, n := classAt(text, i)
		start := i
		i += n
		switch c {
		case space:
			continue
		case letter:
			for i < len(text) {
				if c, n = classAt(text, i); c != letter && c != mark {
					break
				}
				i += n
			}
		case digit:
			for i < len(text) {
				if c, n = classAt(text, i); c != digit {
					break
				}
				i += n
			}
		}
		dst = append(dst, data.Token{Start: start, End: i})
	}
	return dst
}
