// Package subword splits text into the tokens of pretrained encoders, as Hugging Face's library tokenizers does, with the bytes of the
// text that each token covers.
//
// A tokenizer comes from a model folder: tokenizer.json, or the files that older models have instead of it (see Open). Text is cut
// at the added tokens, such as [MASK]; normalized; cut into words; and each word is divided by the vocabulary: WordPiece (Schuster
// and Nakajima 2012, as in BERT), byte pair encoding (Sennrich et al. 2016), of bytes or of code points, or a unigram language
// model (Kudo 2018, as in SentencePiece).
//
// The ids are those of tokenizers 0.23, except for characters of scripts that Unicode added or changed since 2015: which of them are
// marks, punctuation or letters is decided by the tables of Go. Offsets differ from those of tokenizers where these are wrong; Token
// says what holds instead.
//
// Everything in tokenizer.json that decides ids must be known to this package; anything else is an error that names it. Truncation,
// padding and decoder are not used.
package subword

import (
	"fmt"
	"math"
	"unicode"
	"unicode/utf8"
)

// Token is a part of a text.
//
// Start and End are offsets in bytes. Tokens are in the order of the text and do not overlap. A token covers what its spelling was
// made from, without what the white space at its ends was made from, unless it is only white space. Text that a normalizer removes,
// or that separates words, is covered by no token.
//
// A token can be empty: if it was inserted, like the mark of a word at the beginning of a text, or if it is a further part of a
// character that a normalizer expanded, as with … and the three points, of which the first covers the whole character. Tokens
// of bytes can divide a code point that no normalizer has changed; in all other cases Start and End are borders of code points.
type Token struct {
	ID         int32
	Start, End int
}

// Tokenizer splits text. Several goroutines can use it at the same time.
type Tokenizer struct {
	vocabulary    *vocabulary
	normalize     normalizer
	split         splitter
	model         model
	raw           matcher // added tokens that are searched for in the text as given
	normalized    matcher // added tokens that are searched for in the normalized text
	before, after []int32
	digest        string
}

// Size returns the number of ids: the largest plus one.
func (t *Tokenizer) Size() int { return len(t.vocabulary.tokens) }

// Digest returns the SHA-256 of the files that the tokenizer was made from, in hexadecimal.
func (t *Tokenizer) Digest() string { return t.digest }

// Frame returns the ids of the special tokens around a sequence, such as [CLS] and [SEP].
func (t *Tokenizer) Frame() (before, after []int32) {
	return append([]int32(nil), t.before...), append([]int32(nil), t.after...)
}

// Encode returns the tokens of a text, without the special tokens around it. Text that is not UTF-8 is an error.
func (t *Tokenizer) Encode(text string) ([]Token, error) {
	if len(text) > math.MaxInt32 {
		return nil, fmt.Errorf("the text is larger than 2 GiB")
	}
	for i, r := range text {
		if r == utf8.RuneError {
			if _, n := utf8.DecodeRuneInString(text[i:]); n == 1 {
				return nil, fmt.Errorf("byte %d of the text is not UTF-8", i)
			}
		}
	}
	e := encoding{t: t, text: text}
	for p := range t.raw.cut(piece{s: text, id: none}) {
		if p.id != none {
			if err := e.add(p, p.id, 0, len(p.s)); err != nil {
				return nil, err
			}
			continue
		}
		p, err := t.normalize(p)
		if err != nil {
			return nil, err
		}
		for q := range t.normalized.cut(p) {
			if err := e.encode(q); err != nil {
				return nil, err
			}
		}
	}
	return e.tokens, nil
}

// encoding collects the tokens of a text.
type encoding struct {
	t      *Tokenizer
	text   string
	tokens []Token
	end    int // of the last token, before white space was taken from it
	words  []piece
	parts  []part
}

// encode adds the tokens of normalized text, or an added token.
func (e *encoding) encode(p piece) (err error) {
	if p.id != none {
		return e.add(p, p.id, 0, len(p.s))
	}
	if e.words, err = e.t.split(p, e.words[:0]); err != nil {
		return err
	}
	for _, word := range e.words {
		e.parts = e.t.model.divide(word.s, e.parts[:0])
		for _, part := range e.parts {
			if !e.t.model.spells(part.id, word.s[part.start:part.end], part.start == 0) {
				return fmt.Errorf("token %d does not spell the text that it was found in", part.id) // a mistake of this package
			}
			if err := e.add(word, part.id, part.start, part.end); err != nil {
				return err
			}
		}
	}
	return nil
}

// add adds the token for s[start:end] of a piece.
func (e *encoding) add(p piece, id int32, start, end int) error {
	from := p.span(start, end)
	if first, last := e.trim(&p, start, end); first < last {
		from = p.span(first, last)
	} else if end < len(p.s) {
		from.end = min(from.end, p.at(end).start) // a space and a mark can be made from one character, which is the mark's
	}
	a := max(int(from.start), e.end)
	b := max(int(from.end), a)
	e.end = b
	if e.end > len(e.text) {
		return fmt.Errorf("token %d ends after the text", id) // a mistake of this package
	}
	e.tokens = append(e.tokens, Token{id, a, b})
	return nil
}

// trim returns the part of s[start:end] of a piece between the white space at its ends.
func (e *encoding) trim(p *piece, start, end int) (int, int) {
	for start < end {
		r, n := utf8.DecodeRuneInString(p.s[start:end])
		if !e.isBlank(p, r, start, n) {
			break
		}
		start += n
	}
	for start < end {
		r, n := utf8.DecodeLastRuneInString(p.s[start:end])
		if !e.isBlank(p, r, end-n, n) {
			break
		}
		end -= n
	}
	return start, end
}

// isBlank reports whether the character at an offset of a piece is white space, or the mark ▁ that a normalizer or splitter puts in place of
// it.
func (e *encoding) isBlank(p *piece, r rune, at, n int) bool {
	if r != '▁' {
		return unicode.IsSpace(r)
	}
	from := p.span(at, at+n)
	return e.text[from.start:from.end] != "▁"
}

// vocabulary contains the spelling of each id, or the empty string.
type vocabulary struct {
	ids    map[string]int32
	tokens []string
}
