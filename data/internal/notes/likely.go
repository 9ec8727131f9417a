package notes

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/lethe-deid/lethe/data"
)

// Quotation is an annotation with the text that it claims to be about.
type Quotation struct {
	Start, End int // in the unit of the file
	Text       string
}

// LikelyCause explains why annotations of a text that were read with these offsets are not what they quote. It returns ""
// or, with ": " before it, a cause with which all of them fit.
func LikelyCause(text string, all []Quotation, how data.Offsets) string {
	letters := 0
	for _, q := range all {
		letters += utf8.RuneCountInString(solid(q.Text))
	}
	if len(all) == 0 || letters < 4 { // fits by chance
		return ""
	}
	if how == "" {
		how = data.CodePoints
	}
	if !slices.ContainsFunc(all, func(q Quotation) bool {
		from, to, err := Counting(text, how).Bytes(q.Start, q.End)
		return err != nil || !Quotes(q.Text, text[from:to])
	}) {
		return ": they differ in white space only"
	}
	if words, ok := counted(text, all, how); ok {
		return fmt.Sprintf(": all annotations of the text fit if %s (corpus.offsets: %s)", described(words), words)
	}
	for _, other := range []struct{ text, what string }{
		{norm.NFC.String(text), "the text is in Unicode's form NFC, in which é is one character: it was probably changed after the annotation"},
		{norm.NFD.String(text), "the text is in Unicode's form NFD, in which é is two characters: it was probably changed after the annotation"},
		{escapes.Replace(text), "&, < and > count as &amp;, &lt; and &gt;: the offsets were probably taken from the XML or HTML source"},
		{strings.Join(strings.Fields(text), " "), "each run of white space counts as one blank: the text was probably changed after the annotation"},
	} {
		if other.text != text && fit(NewOffsets(other.text), all, 0, 0, norm.NFC.String) {
			return ": all annotations of the text fit if " + other.what
		}
	}
	o := Counting(text, how)
	for _, other := range []struct {
		start, end int
		what       string
	}{
		{0, 1, "the end is the last character, not the one after it: correct the ends"},
		{-1, -1, "the first character is 1, not 0, or if a byte order mark counts that the text does not have (corpus.offsets: code-points+bom)"},
		{-1, 0, "the first character is 1, not 0, and the end is the last character: correct the starts"},
	} {
		if fit(o, all, other.start, other.end, same) {
			return ": all annotations of the text fit if " + other.what
		}
	}
	if shift, ok := shifted(o, all); ok {
		what := "have been removed from"
		if shift > 0 {
			what = "have been added to"
		}
		return fmt.Sprintf(": all annotations of the text fit %d %s %s: characters %s the text before the first of them", max(shift, -shift), o.unit,
			map[bool]string{true: "later", false: "earlier"}[shift > 0], what)
	}
	return ""
}

var escapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

func same(text string) string { return text }

// counted returns the first way of counting with which all annotations fit.
func counted(text string, all []Quotation, not data.Offsets) (data.Offsets, bool) {
	for _, bom := range []string{"", "+" + data.NoBOM} {
		for _, lines := range []string{"", "+" + data.CountLF, "+" + data.CountCRLF} {
			for _, unit := range []string{data.CodePoints, data.UTF16Units, data.Bytes} {
				how := data.Offsets(unit + lines + bom)
				if how != not && fit(Counting(text, how), all, 0, 0, same) {
					return how, true
				}
			}
		}
	}
	return "", false
}

// described says what offsets count.
func described(how data.Offsets) string {
	unit, given, _ := how.Words()
	parts := []string{"offsets count " + map[string]string{data.CodePoints: "code points", data.UTF16Units: "UTF-16 units as in JavaScript", data.Bytes: "bytes"}[unit]}
	for _, word := range []struct{ word, what string }{
		{data.CountLF, "CR LF counts as one"},
		{data.CountCRLF, "each line end counts as two, like CR LF"},
		{data.NoBOM, "the byte order mark of the text does not count"},
	} {
		if given(word.word) {
			parts = append(parts, word.what)
		}
	}
	if len(parts) > 1 && unit == data.CodePoints {
		parts = parts[1:]
	}
	return strings.Join(parts, " and ")
}

// fit reports whether all annotations quote the text when numbers are added to their offsets.
func fit(o *Offsets, all []Quotation, start, end int, form func(string) string) bool {
	for _, q := range all {
		from, to, err := o.Bytes(q.Start+start, q.End+end)
		if err != nil || !quotesExactly(form(q.Text), form(o.text[from:to])) {
			return false
		}
	}
	return true
}

// quotesExactly is Quotes for texts that also begin and end alike, with white space or without.
func quotesExactly(quotation, text string) bool {
	blank := func(text string) (begins, ends bool) {
		return strings.TrimLeft(text, " \t\r\n") != text, strings.TrimRight(text, " \t\r\n") != text
	}
	b1, e1 := blank(quotation)
	b2, e2 := blank(text)
	return b1 == b2 && e1 == e2 && Quotes(quotation, text)
}

// shifted returns the number of units, not 0, after which all annotations follow in the text.
func shifted(o *Offsets, all []Quotation) (int, bool) {
	const most = 200
	for n := 1; n <= most; n++ {
		for _, shift := range []int{n, -n} {
			if fit(o, all, shift, shift, same) {
				return shift, true
			}
		}
	}
	return 0, false
}
