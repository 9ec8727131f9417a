package tokenize

import "github.com/lethe-deid/lethe/data"

// LettersDigits is the tokenization of Liu et al. 2017, section 3.2: a token is
// a run of letters, a run of digits, or any other single character, so that
// "1/20/71Total" is 1 / 20 / 71 Total. A tag can then miss the token borders
// only where it starts or ends between two letters or between two digits.
//
// Letters and digits are Unicode's (categories L and Nd); a combining mark
// stays with the letter it follows. All else that is not white space stands
// alone: marks elsewhere, fractions and superscripts, U+FEFF, zero-width
// characters, invalid bytes.
type LettersDigits struct{}

var _ Tokenizer = LettersDigits{}

// Tokens implements Tokenizer.
func (LettersDigits) Tokens(text string, dst []data.Token) []data.Token {
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
