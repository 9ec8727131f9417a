package subword

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"
)

// addedToken is a token that is found in the text before anything else happens to it.
type addedToken struct {
	content        string
	id             int32
	word           bool // not found inside a word
	left, right    bool // takes the white space before it, after it
	normalizedText bool // searched for in the normalized text
}

// matcher finds added tokens in a text: at each place the longest one.
type matcher struct {
	tokens []addedToken
	lookup *lookup // numbers tokens; nil if there are none
}

// newMatcher makes a matcher of tokens and the strings that they are found as.
func newMatcher(tokens []addedToken, patterns []string) matcher {
	m := matcher{tokens: tokens}
	var keys []string
	var numbers []int32
	for i, pattern := range patterns {
		if pattern != "" {
			keys, numbers = append(keys, pattern), append(numbers, int32(i))
		}
	}
	if len(keys) > 0 {
		m.lookup = newLookup(keys, numbers)
	}
	return m
}

// cut yields the added tokens of a piece, and what is between them. It yields nothing that is empty.
func (m *matcher) cut(p piece) iter.Seq[piece] {
	return func(yield func(piece) bool) {
		last := 0
		if m.lookup != nil {
			for i := 0; i < len(p.s); {
				if m.lookup.first[p.s[i]] == m.lookup.first[int(p.s[i])+1] {
					i++
					continue
				}
				number, n := m.lookup.longest(p.s[i:])
				if number == none {
					i++
					continue
				}
				token, start, end := &m.tokens[number], i, i+n
				i = end
				if token.word && (endsWithWord(p.s[:start]) || beginsWithWord(p.s[end:])) {
					continue
				}
				if token.left {
					start = max(len(strings.TrimRightFunc(p.s[:start], unicode.IsSpace)), last)
				}
				if token.right {
					end = len(p.s) - len(strings.TrimLeftFunc(p.s[end:], unicode.IsSpace))
				}
				start = max(start, last) // white space after a token can be a token itself
				if end < start {
					continue
				}
				if last < start && !yield(p.cut(last, start)) {
					return
				}
				found := p.cut(start, end)
				found.id = token.id
				if !yield(found) {
					return
				}
				last = end
			}
		}
		if last < len(p.s) {
			yield(p.cut(last, len(p.s)))
		}
	}
}

func endsWithWord(s string) bool {
	r, n := utf8.DecodeLastRuneInString(s)
	return n > 0 && isWord(r)
}

func beginsWithWord(s string) bool {
	r, n := utf8.DecodeRuneInString(s)
	return n > 0 && isWord(r)
}

// isWord reports whether \w of the regular expressions of tokenizers (Oniguruma's) matches a character.
func isWord(r rune) bool {
	switch r {
	case '²', '³', '¹', '¼', '½', '¾':
		return true
	}
	return unicode.In(r, unicode.L, unicode.M, unicode.Nd, unicode.Nl, unicode.Pc, unicode.Other_Alphabetic)
}
