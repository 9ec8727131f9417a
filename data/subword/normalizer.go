package subword

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// normalizer rewrites text before it is cut into words.
type normalizer func(piece) (piece, error)

func asIs(p piece) (piece, error) { return p, nil }

// chain applies normalizers one after another.
func chain(all []normalizer) normalizer {
	switch len(all) {
	case 0:
		return asIs
	case 1:
		return all[0]
	}
	return func(p piece) (_ piece, err error) {
		for _, n := range all {
			if p, err = n(p); err != nil {
				break
			}
		}
		return p, err
	}
}

// eachRune makes a normalizer of a function that returns what a character becomes. ok says whether that is something else.
func eachRune(change func(r rune) (with string, ok bool)) normalizer {
	return func(p piece) (piece, error) {
		e := edit{in: p}
		for i, r := range p.s {
			if with, ok := change(r); ok {
				e.replace(i, i+utf8.RuneLen(r), with)
			}
		}
		return e.result(), nil
	}
}

// bert makes BertNormalizer, the normalizer of BERT.
func bert(clean, chinese, accents, lower bool) normalizer {
	var all []normalizer
	if clean {
		all = append(all, eachRune(cleaned))
	}
	if chinese {
		all = append(all, eachRune(func(r rune) (string, bool) {
			if !isChinese(r) {
				return "", false
			}
			return " " + string(r) + " ", true
		}))
	}
	if accents {
		all = append(all, form(norm.NFD), without(unicode.Mn))
	}
	if lower {
		all = append(all, lowercase)
	}
	return chain(all)
}

// cleaned removes control characters and replaces white space.
func cleaned(r rune) (string, bool) {
	switch {
	case r > ' ' && r < 0x7f:
		return "", false
	case r == ' ':
		return "", false
	case unicode.IsSpace(r) && (r == '\t' || r == '\n' || r == '\r' || !unicode.Is(unicode.Cc, r)):
		return " ", true
	case r == utf8.RuneError || unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co):
		return "", true
	}
	return "", false
}

// isChinese reports whether a character is in one of the blocks of ideographs that BERT separates. They are those of BERT, with the same
// gaps.
func isChinese(r rune) bool {
	return r >= 0x3400 && (r <= 0x4dbf || r >= 0x4e00 && r <= 0x9fff || r >= 0xf900 && r <= 0xfaff || r >= 0x20000 && r <= 0x2a6df ||
		r >= 0x2a700 && r <= 0x2b81f || r >= 0x2b920 && r <= 0x2ceaf || r >= 0x2f800 && r <= 0x2fa1f)
}

// without makes a normalizer that removes the characters of a category.
func without(category *unicode.RangeTable) normalizer {
	return eachRune(func(r rune) (string, bool) { return "", r >= utf8.RuneSelf && unicode.Is(category, r) })
}

// stripAccents removes marks, of all categories.
var stripAccents = without(unicode.M)

// lowercase is the full mapping of single characters, without regard to what is around them.
var lowercase = eachRune(func(r rune) (string, bool) {
	if r == 'İ' {
		return "i̇", true
	}
	lower := unicode.ToLower(r)
	if lower == r {
		return "", false
	}
	if lower < utf8.RuneSelf {
		return ascii[lower : lower+1], true
	}
	return string(lower), true
})

var ascii = func() string {
	var b [utf8.RuneSelf]byte
	for i := range b {
		b[i] = byte(i)
	}
	return string(b[:])
}()

// strip makes a normalizer that removes white space at the ends.
func strip(left, right bool) normalizer {
	return func(p piece) (piece, error) {
		start, end := 0, len(p.s)
		if left {
			start = end - len(strings.TrimLeftFunc(p.s, unicode.IsSpace))
		}
		if right {
			end = start + len(strings.TrimRightFunc(p.s[start:], unicode.IsSpace))
		}
		return p.cut(start, end), nil
	}
}

// prepend makes a normalizer that puts a string before text that is not empty.
func prepend(with string) normalizer {
	return func(p piece) (piece, error) {
		if p.s == "" {
			return p, nil
		}
		e := edit{in: p}
		e.replace(0, 0, with)
		return e.result(), nil
	}
}

// substitute makes a normalizer that replaces what a pattern matches.
func substitute(pattern pattern, with string) normalizer {
	return func(p piece) (piece, error) {
		e := edit{in: p}
		err := pattern(p.s, func(start, end int) {
			if start < end {
				e.replace(start, end, with)
			}
		})
		return e.result(), err
	}
}

// nmt is the normalizer of SentencePiece for neural machine translation: it removes control characters, and makes spaces of other
// white space and of invisible characters.
var nmt = eachRune(func(r rune) (string, bool) {
	switch {
	case r >= 0x01 && r <= 0x08, r == 0x0b, r >= 0x0e && r <= 0x1f, r == 0x7f, r == 0x8f, r == 0x9f:
		return "", true
	case r == 0x09, r == 0x0a, r == 0x0c, r == 0x0d, r == 0x1680, r >= 0x200b && r <= 0x200f, r == 0x2028, r == 0x2029, r == 0x2581, r == 0xfeff, r == 0xfffd:
		return " ", true
	}
	return "", false
})

// form makes a normalizer of one of Unicode's normal forms.
//
// It does not use norm.Form.String, which inserts a character into sequences of more than 30 marks, and does not say what became of
// each character.
func form(f norm.Form) normalizer {
	decompose, composed := norm.NFD, f == norm.NFC || f == norm.NFKC
	if f == norm.NFKC || f == norm.NFKD {
		decompose = norm.NFKD
	}
	return func(p piece) (piece, error) {
		e := edit{in: p}
		for i := 0; i < len(p.s); {
			i += f.QuickSpanString(p.s[i:])
			if i == len(p.s) {
				break
			}
			end := i
			for end < len(p.s) {
				_, n := utf8.DecodeRuneInString(p.s[end:])
				if first := decompose.String(p.s[end : end+n]); end > i && f.PropertiesString(first).BoundaryBefore() {
					break
				}
				end += n
			}
			segment(&e, i, end, decompose, composed)
			i = end
		}
		return e.result(), nil
	}
}

// character is a character of a segment and the bytes of the segment's text that it was made from.
type character struct {
	r          rune
	class      uint8 // canonical combining class
	start, end int
}

// segment normalizes s[start:end] of the piece that is edited, which is a character that begins a sequence, and the marks that follow.
// (The Unicode Standard, sections 3.7 and 3.11; Annex 15.)
func segment(e *edit, start, end int, decompose norm.Form, composed bool) {
	var all []character
	for i := start; i < end; {
		_, n := utf8.DecodeRuneInString(e.in.s[i:])
		for _, r := range decompose.String(e.in.s[i : i+n]) {
			var b [utf8.UTFMax]byte
			class := decompose.Properties(b[:utf8.EncodeRune(b[:], r)]).CCC()
			all = append(all, character{r, class, i, i + n})
		}
		i += n
	}
	for i := 0; i < len(all); { // canonical order
		j := i + 1
		for j < len(all) && all[j].class > 0 {
			j++
		}
		if all[i].class == 0 {
			i++
		}
		slices.SortStableFunc(all[i:j], func(a, b character) int { return int(a.class) - int(b.class) })
		i = j
	}
	if composed {
		all = compose(all)
	}
	earliest := make([]int, len(all)+1) // the start of what characters i and following were made from
	earliest[len(all)] = end
	for i := len(all) - 1; i >= 0; i-- {
		earliest[i] = min(earliest[i+1], all[i].start)
	}
	for i := 0; i < len(all); {
		from, to := earliest[i], all[i].end
		var with strings.Builder
		for with.Len() == 0 || i < len(all) && earliest[i] < to { // until no mark that changed places is left
			with.WriteRune(all[i].r)
			to = max(to, all[i].end)
			i++
		}
		if with.String() != e.in.s[from:to] {
			e.replace(from, to, with.String())
		}
	}
}

// compose replaces sequences of characters by single ones.
func compose(all []character) []character {
	out := all[:0]
	starter := -1
	for _, c := range all {
		if starter >= 0 {
			last := out[len(out)-1]
			if len(out)-1 == starter || last.class != 0 && last.class < c.class {
				if r, ok := pair(out[starter].r, c.r); ok {
					s := &out[starter]
					s.r, s.start, s.end = r, min(s.start, c.start), max(s.end, c.end)
					continue
				}
			}
		}
		out = append(out, c)
		if c.class == 0 {
			starter = len(out) - 1
		}
	}
	return out
}

// pair returns the character that two characters are composed to.
func pair(a, b rune) (rune, bool) {
	s := norm.NFC.String(string(a) + string(b))
	r, n := utf8.DecodeRuneInString(s)
	return r, n == len(s)
}
