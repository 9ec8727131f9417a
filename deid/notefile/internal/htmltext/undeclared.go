package htmltext

import (
	"html"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/deid/notefile/internal/markup"
)

// The functions of this file read HTML that is not declared as such.

// between returns what stands for the inline tag at a position and those that follow it directly: a blank between two words, because joined words hide
// names (<b>Name</b>Ana), and otherwise nothing.
func (h *Text) between(at int) string {
	if at < h.shown {
		return ""
	}
	for h.shown = at; h.shown < len(h.source) && h.source[h.shown] == '<'; {
		t, ok := readTag(h.source[h.shown:])
		if !ok || elements[t.name] != "" {
			break
		}
		h.shown += t.n
	}
	text := h.Text.String()
	before, _ := utf8.DecodeLastRuneInString(text)
	after := h.character(h.shown)
	if !isWordEnd(before) || !isWordStart(after) || h.continues(before, after) || inNumber(text, after) {
		return ""
	}
	return " "
}

// continues reports whether a character behind inline tags, which end at h.shown, continues the word before them (A<b>n</b>a, 21<sup>st</sup>).
func (h *Text) continues(before, after rune) bool {
	return unicode.IsLetter(before) && unicode.IsLower(after) || unicode.IsDigit(before) && ordinal.MatchString(h.source[h.shown:])
}

// ordinal matches the end of an ordinal number.
var ordinal = regexp.MustCompile(`^(?:st|nd|rd|th)\b`)

// character returns the character at a position of the source, which may be written as a reference. At the end it is utf8.RuneError.
func (h *Text) character(at int) rune {
	rest := h.source[at:]
	if strings.HasPrefix(rest, "&") {
		rest = html.UnescapeString(rest[:referenceLen(rest)])
	}
	c, _ := utf8.DecodeRuneInString(rest)
	return c
}

func isWordEnd(c rune) bool   { return isWord(c) || strings.ContainsRune(":;,.!?)]*", c) }
func isWordStart(c rune) bool { return isWord(c) || strings.ContainsRune("([*#", c) }
func isWord(c rune) bool      { return c != utf8.RuneError && (unicode.IsLetter(c) || unicode.IsDigit(c)) }

// inNumber reports whether a text ends with a digit and a point or the like, and a digit follows.
func inNumber(text string, after rune) bool {
	n := len(text)
	return n > 1 && strings.IndexByte(".,:", text[n-1]) >= 0 && text[n-2] >= '0' && text[n-2] <= '9' && unicode.IsDigit(after)
}

// isLayout reports whether the value of an attribute is surely layout. Everything else may be a name, a number or a date: id="visit-03-14-2071".
func isLayout(name, value string) bool {
	switch attributes[name] {
	case styleAttribute:
		return isStyle(html.UnescapeString(value))
	case spaceAttribute:
		return spaces[value]
	case textAttribute:
		return name == "href" && value == "#" || name == "content" && mediaType.MatchString(value)
	}
	switch name {
	case "width", "height", "border", "cellpadding", "cellspacing", "colspan", "rowspan", "span", "size", "tabindex", "hspace", "vspace", "rows", "cols":
		return dimension.MatchString(value)
	case "type":
		return isKeyword(value) || mediaType.MatchString(value)
	case "color", "bgcolor":
		return isColour(value)
	case "class":
		return classes[value]
	case "lang", "xml:lang":
		return languages[value]
	case "id", "for", "headers":
		return false
	}
	return isKeyword(value)
}

// isStyle reports whether a style consists of keywords, measures and colours only.
func isStyle(value string) bool {
	value = mixed.ReplaceAllString(families.Replace(value), " 0 ")
	for _, word := range strings.FieldsFunc(value, func(c rune) bool { return strings.ContainsRune(" \t\r\n,:;!'\"", c) }) {
		if !isKeyword(word) && !isColour(word) && !measure.MatchString(word) {
			return false
		}
	}
	return true
}

func isColour(word string) bool { return colour.MatchString(word) || colours[word] }

// isKeyword reports whether a word is a font or consists of keywords, in small or in capital letters.
func isKeyword(word string) bool {
	if fonts[word] {
		return true
	}
	if strings.ToUpper(word) == word {
		word = strings.ToLower(word)
	}
	for part := range strings.SplitSeq(word, "-") {
		if !keywords[part] && part != "" {
			return false
		}
	}
	return true
}

var (
	dimension = regexp.MustCompile(`^[0-9]{1,4}(?:px|pt|em|%)?$`)
	measure   = regexp.MustCompile(`^[-+]?(?:(?:[0-9]{1,4}(?:\.[0-9]{1,4})?|\.[0-9]{1,4})(?:px|pt|em|rem|ex|in|cm|mm|pc|vh|vw|%)|0|[1-9]00|[0-9](?:\.[0-9]{1,2})?)$`)
	colour    = regexp.MustCompile(`^#(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$`)
	mixed     = regexp.MustCompile(`\brgba?\([0-9]{1,3}, ?[0-9]{1,3}, ?[0-9]{1,3}(?:, ?[0-9.]{1,4})?\)`) // a colour
)

// families replaces names of fonts that consist of several words, and properties with a word that is also a name.
var families = strings.NewReplacer("max-height", "height", "max-width", "width", "Times New Roman", "serif", "Courier New", "serif", "Segoe UI", "serif", "Comic Sans MS", "serif", "MS Sans Serif", "serif")

// spaces contains namespaces.
var spaces = map[string]bool{"http://www.w3.org/1999/xhtml": true, "http://www.w3.org/2000/svg": true, "http://www.w3.org/TR/REC-html40": true}

// classes contains classes that word processors and browsers write.
var classes = markup.Words(`Apple-converted-space MsoFooter MsoHeader MsoListParagraph MsoListParagraphCxSpFirst MsoListParagraphCxSpLast MsoListParagraphCxSpMiddle
	MsoNoSpacing MsoNormal MsoNormalTable MsoPlainText MsoTableGrid WordSection1`)

// languages contains codes of languages.
var languages = markup.Words("EN-GB EN-US ES ES-ES ES-MX EN en en-GB en-US en-gb en-us es es-ES es-MX es-es es-mx")

// colours contains names of colours, but none that is a name of people.
var colours = markup.Words("aqua beige black blue cyan fuchsia gray green grey lime magenta maroon navy orange purple red silver teal transparent white windowtext yellow")

// fonts contains fonts with names of one word.
var fonts = markup.Words("Aptos Arial Calibri Cambria Helvetica Tahoma Verdana")

// keywords contains words of HTML and CSS.
var keywords = markup.Words(`absolute align all ansi arial ascii auto avoid background baseline bidi block bold bolder border both bottom box break button calibri cambria
	capitalize cell center char checkbox circle clear collapse color column content cursor dashed decimal default direction disc display dotted
	double family fareast fixed flex float font grid hansi height helvetica hidden important indent index inherit initial inline inset inside
	inter italic item justify kerning layout left letter lighter line list lowercase ltr margin middle min mso none normal nowrap oblique orphans
	outline outset outside overflow padding paragraph pointer position pre radius relative repeat right row rtl sans scroll separate serif shadow
	size small smaller solid space spacing static style sub submit table tahoma text theme top transform type underline uppercase verdana
	vertical visibility visible weight white widows width word wrap z`)
