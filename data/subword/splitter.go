package subword

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// splitter cuts normalized text into words. It appends the words of p to a slice. No word is empty.
type splitter func(p piece, words []piece) ([]piece, error)

func whole(p piece, words []piece) ([]piece, error) {
	if p.s != "" {
		words = append(words, p)
	}
	return words, nil
}

// sequence applies each splitter to the words of the one before.
func sequence(all []splitter) splitter {
	switch len(all) {
	case 0:
		return whole
	case 1:
		return all[0]
	}
	return func(p piece, words []piece) ([]piece, error) {
		in, err := all[0](p, nil)
		for _, s := range all[1:] {
			var out []piece
			for _, word := range in {
				if err == nil {
					out, err = s(word, out)
				}
			}
			in = out
		}
		return append(words, in...), err
	}
}

// pattern calls found with what it matches in a text, from left to right.
type pattern func(s string, found func(start, end int)) error

// runes makes a pattern of single characters.
func runes(is func(rune) bool) pattern {
	return func(s string, found func(start, end int)) error {
		for i, r := range s {
			if is(r) {
				found(i, i+utf8.RuneLen(r))
			}
		}
		return nil
	}
}

// literal makes a pattern of a string.
func literal(what string) pattern {
	return func(s string, found func(start, end int)) error {
		for at := 0; what != ""; {
			i := strings.Index(s[at:], what)
			if i < 0 {
				break
			}
			found(at+i, at+i+len(what))
			at += i + len(what)
		}
		return nil
	}
}

// behavior says what becomes of the matches of a pattern.
type behavior int

const (
	removed behavior = iota
	isolated
	mergedWithPrevious
	mergedWithNext
	contiguous
)

var behaviors = map[string]behavior{
	"Removed": removed, "Isolated": isolated, "MergedWithPrevious": mergedWithPrevious, "MergedWithNext": mergedWithNext, "Contiguous": contiguous,
}

// splitAt makes a splitter of a pattern. With invert, what the pattern does not match counts as match.
func splitAt(pattern pattern, behavior behavior, invert bool) splitter {
	return func(p piece, words []piece) ([]piece, error) {
		type stretch struct {
			start, end int
			match      bool
		}
		var all []stretch
		last := 0
		err := pattern(p.s, func(start, end int) {
			if last < start {
				all = append(all, stretch{last, start, invert})
			}
			all = append(all, stretch{start, end, !invert})
			last = end
		})
		if last < len(p.s) {
			all = append(all, stretch{last, len(p.s), invert})
		}
		n := 0
		switch behavior {
		case removed:
			for _, s := range all {
				if !s.match {
					all[n] = s
					n++
				}
			}
			all = all[:n]
		case contiguous:
			for _, s := range all {
				if n > 0 && all[n-1].match == s.match {
					all[n-1].end = s.end
				} else {
					all[n] = s
					n++
				}
			}
			all = all[:n]
		case mergedWithPrevious:
			before := false
			for _, s := range all {
				if s.match && !before && n > 0 {
					all[n-1].end = s.end
				} else {
					all[n] = s
					n++
				}
				before = s.match
			}
			all = all[:n]
		case mergedWithNext:
			n = len(all)
			after := false
			for i := len(all) - 1; i >= 0; i-- {
				s := all[i]
				if s.match && !after && n < len(all) {
					all[n].start = s.start
				} else {
					n--
					all[n] = s
				}
				after = s.match
			}
			all = all[n:]
		}
		for _, s := range all {
			if s.start < s.end {
				words = append(words, p.cut(s.start, s.end))
			}
		}
		return words, err
	}
}

// bertWords cuts as BERT does: at white space, and around punctuation.
func bertWords(p piece, words []piece) ([]piece, error) {
	last := 0
	for i, r := range p.s {
		space := unicode.IsSpace(r)
		if !space && !isPunctuation(r) {
			continue
		}
		if last < i {
			words = append(words, p.cut(last, i))
		}
		last = i + utf8.RuneLen(r)
		if !space {
			words = append(words, p.cut(i, last))
		}
	}
	if last < len(p.s) {
		words = append(words, p.cut(last, len(p.s)))
	}
	return words, nil
}

func isPunctuation(r rune) bool {
	if r < utf8.RuneSelf {
		return r > ' ' && r < 0x7f && !isLetterOrDigit(byte(r))
	}
	return unicode.IsPunct(r)
}

func isLetterOrDigit(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// wordsAndSigns cuts into runs of the characters of words, and runs of others that are not white space: \w+|[^\w\s]+.
func wordsAndSigns(p piece, words []piece) ([]piece, error) {
	last, inside, before := 0, false, false
	for i, r := range p.s {
		space := unicode.IsSpace(r)
		is := !space && isWord(r)
		if inside && (space || is != before) {
			words = append(words, p.cut(last, i))
		}
		if !space && (!inside || is != before) {
			last = i
		}
		inside, before = !space, is
	}
	if inside {
		words = append(words, p.cut(last, len(p.s)))
	}
	return words, nil
}

// metaspace replaces spaces by a mark, and cuts before each mark if cut is true. It puts a mark before each word ("always"), only before
// the one at which the text begins ("first"), or none ("never").
func metaspace(mark, scheme string, cut bool) splitter {
	split := whole
	if cut {
		split = splitAt(literal(mark), mergedWithNext, false)
	}
	return func(p piece, words []piece) ([]piece, error) {
		e := edit{in: p}
		begins := strings.HasPrefix(p.s, mark) || strings.HasPrefix(p.s, " ")
		if p.s != "" && !begins && (scheme == "always" || scheme == "first" && p.at(0).start == 0) {
			e.replace(0, 0, mark)
		}
		for i := range len(p.s) {
			if p.s[i] == ' ' {
				e.replace(i, i+1, mark)
			}
		}
		return split(e.result(), words)
	}
}

// byteLevel puts a space before each word that does not begin with one, if prefix is true, and cuts by the expression of GPT-2, if
// split is true. The model must divide words into bytes.
func byteLevel(prefix, split bool) splitter {
	return func(p piece, words []piece) ([]piece, error) {
		if prefix && p.s != "" && p.s[0] != ' ' {
			e := edit{in: p}
			e.replace(0, 0, " ")
			p = e.result()
		}
		if !split {
			return whole(p, words)
		}
		for i := 0; i < len(p.s); {
			n := gpt2Word(p.s[i:])
			words = append(words, p.cut(i, i+n))
			i += n
		}
		return words, nil
	}
}

// gpt2Word returns the length of the first match of the expression of GPT-2, which matches every text:
//
//	's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
func gpt2Word(s string) int {
	if s[0] == '\'' && len(s) > 1 {
		switch s[1] {
		case 's', 't', 'm', 'd':
			return 2
		}
		if len(s) > 2 {
			switch s[1:3] {
			case "re", "ve", "ll":
				return 3
			}
		}
	}
	start := 0
	if s[0] == ' ' && len(s) > 1 {
		start = 1
	}
	r, n := utf8.DecodeRuneInString(s[start:])
	if kind := kindOf(r); kind != kindSpace {
		end := start + n
		for end < len(s) {
			r, n := utf8.DecodeRuneInString(s[end:])
			if kindOf(r) != kind {
				break
			}
			end += n
		}
		return end
	}
	end, last := 0, 0 // of the white space, and of that without its last character
	for end < len(s) {
		r, n := utf8.DecodeRuneInString(s[end:])
		if kindOf(r) != kindSpace {
			break
		}
		last = end
		end += n
	}
	if end == len(s) || last == 0 {
		return end
	}
	return last
}

type kind uint8

const (
	kindOther kind = iota
	kindLetter
	kindNumber
	kindSpace
)

func kindOf(r rune) kind {
	if r < utf8.RuneSelf {
		return asciiKinds[r]
	}
	switch {
	case unicode.IsLetter(r):
		return kindLetter
	case unicode.IsNumber(r):
		return kindNumber
	case unicode.IsSpace(r):
		return kindSpace
	}
	return kindOther
}

var asciiKinds = func() (kinds [utf8.RuneSelf]kind) {
	for c := range kinds {
		switch r := rune(c); {
		case unicode.IsLetter(r):
			kinds[c] = kindLetter
		case unicode.IsNumber(r):
			kinds[c] = kindNumber
		case unicode.IsSpace(r):
			kinds[c] = kindSpace
		}
	}
	return kinds
}()
