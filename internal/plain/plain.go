// Package plain writes a text in plain characters: character references of HTML, no-break and thin spaces, hyphens of other forms, and characters
// without a width mean the same as these to a reader, but not to a tagger, a rule or a parser.
package plain

import (
	"html"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// reference matches a character reference of HTML, such as &#39; or &eacute;, at the beginning of a text. Whether HTML has one of this name is to be checked.
var reference = regexp.MustCompile(`^&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});`)

// longest is the length of the longest reference.
const longest = 34

// At returns what the plain text has in the place of text[at:at+size], the character or the reference at a position of the text, and whether the two differ.
func At(text string, at int) (by string, size int, differ bool) {
	if text[at] == '&' {
		if found := reference.FindString(text[at:min(len(text), at+longest)]); found != "" {
			if meant := html.UnescapeString(found); meant != found {
				return Text(meant), len(found), true
			}
		}
	}
	if text[at] < utf8.RuneSelf {
		return "", 1, false
	}
	c, size := utf8.DecodeRuneInString(text[at:])
	switch {
	case unicode.Is(unicode.Zs, c):
		return " ", size, true
	case strings.ContainsRune("\u2010\u2011\u2012\u2212\ufe63\uff0d", c):
		return "-", size, true
	case c == '\ufeff' && at == 0: // a byte order mark
		return "", size, true
	case strings.ContainsRune("\u00ad\u200b\u2060\ufeff", c):
		return "", size, inWord(text, at, at+size)
	}
	return "", size, false
}

// inWord reports whether Latin letters or digits stand on both sides of text[start:end]. Other scripts divide words by spaces without a width.
func inWord(text string, start, end int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:start])
	after, _ := utf8.DecodeRuneInString(text[end:])
	in := func(c rune) bool { return unicode.Is(unicode.Latin, c) || '0' <= c && c <= '9' }
	return in(before) && in(after)
}

// HasReference reports whether a text has a character reference of HTML.
func HasReference(text string) bool {
	for at := strings.IndexByte(text, '&'); at >= 0 && at < len(text); at++ {
		if _, _, differ := At(text, at); differ && text[at] == '&' {
			return true
		}
	}
	return false
}

// Text returns a text in plain characters.
func Text(text string) string {
	var b strings.Builder
	from := 0 // what is not yet in b
	for at := 0; at < len(text); {
		by, size, differ := At(text, at)
		if differ {
			b.WriteString(text[from:at] + by)
			from = at + size
		}
		at += size
	}
	if from == 0 {
		return text
	}
	return b.String() + text[from:]
}
