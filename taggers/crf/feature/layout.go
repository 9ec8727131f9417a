package feature

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data/fold"
	"github.com/lethe-deid/lethe/taggers/gazetteer"
)

func sentence(x *Text, t int, put func(string)) {
	for _, v := range keep(x, "sentences", x.describe)[x.sentence()[t]] {
		put(v)
	}
}

// describe returns the values that all tokens of a sentence share, by sentence.
func (x *Text) describe() [][]string {
	unmatched := x.brackets()
	all := make([][]string, len(x.Sentences))
	for i, s := range x.Sentences {
		end := "no end mark"
		switch last := x.words[s.End-1]; last {
		case ".", "?", "!":
			end = "ends with " + last
		}
		all[i] = []string{fmt.Sprint("length ", bucket(s.End-s.Start)), end}
		if unmatched[i] {
			all[i] = append(all[i], "unmatched bracket")
		}
	}
	return all
}

// bucket maps numbers above 10 to the next power of two, so that there are few
// different values.
func bucket(n int) int {
	if n <= 10 {
		return n
	}
	b := 16
	for b < n {
		b *= 2
	}
	return b
}

// brackets reports for each sentence whether it has an unmatched bracket.
func (x *Text) brackets() []bool {
	all := make([]bool, len(x.Sentences))
	for i, s := range x.Sentences {
		depth := map[byte]int{}
		for _, w := range x.words[s.Start:s.End] {
			if len(w) != 1 {
				continue
			}
			switch w[0] {
			case '(', '[', '{':
				depth[w[0]]++
			case ')', ']', '}':
				open := map[byte]byte{')': '(', ']': '[', '}': '{'}[w[0]]
				if depth[open]--; depth[open] < 0 {
					all[i] = true
				}
			}
		}
		all[i] = all[i] || depth['(']+depth['[']+depth['{'] > 0
	}
	return all
}

// maxHeading is the maximum number of words of a heading or label.
const (
	maxHeading = 6
	maxLabel   = 4
)

// heading returns a line's text in lower case if it looks like a heading: a few words
// that either end with a colon or are all in capitals. Otherwise it returns "".
func heading(line string) string {
	trimmed := strings.TrimSpace(line)
	text, colon := strings.CutSuffix(trimmed, ":")
	text = strings.TrimSuffix(text, ".")
	if n := len(strings.Fields(text)); n == 0 || n > maxHeading || len(text) > 80 {
		return ""
	}
	letters, small := 0, 0
	for _, r := range text {
		switch {
		case unicode.IsLetter(r):
			if letters++; unicode.IsLower(r) {
				small++
			}
		case unicode.IsDigit(r), r == ':':
			return ""
		}
	}
	if letters < 3 || !colon && small > 0 {
		return ""
	}
	return strings.ToLower(text)
}

// section has the nearest heading at or above the token's line.
func section() family {
	const about = "the nearest heading above: a line that begins with an entry of resources.headings, alone or before a colon " +
		"(Szarvas et al. 2006; Liu et al. 2017, section 3.3); without such lists, a line that ends with a colon or is in capitals, which is ours"
	return family{about: about, closer: "headings", columns: func(s Spec, r *Resources) ([]column, error) {
		headings := func(x *Text) []string {
			all := make([]string, len(x.begins))
			for n := range all {
				all[n] = heading(x.lineText(n))
			}
			return all
		}
		if r.headings != nil {
			headings = func(x *Text) []string { return x.listed(r.headings) }
		}
		return each(about, func(x *Text, t int) string {
			return keep(x, "sections", func() []string { return below(headings(x)) })[x.line()[t]]
		}).columns(s, r)
	}}
}

// below replaces each "" with the heading before it, in place.
func below(headings []string) []string {
	for n := 1; n < len(headings); n++ {
		if headings[n] == "" {
			headings[n] = headings[n-1]
		}
	}
	return headings
}

// listed returns the heading of each line that begins with an entry of the lists,
// followed by a colon or the end of the line. Of a line without a colon, the first
// character must not be in lower case, because it may continue a sentence. The value is
// the folded words of the entry.
func (x *Text) listed(lists *gazetteer.Dictionary) []string {
	all := make([]string, len(x.begins))
	for _, m := range lists.Match(x.Doc.Text, x.Tokens) {
		n := x.line()[m.Start]
		if !x.startsLine(m.Start) || x.line()[m.End-1] != n {
			continue
		}
		ends := m.End == len(x.Tokens) || x.line()[m.End] != n
		first, _ := utf8.DecodeRuneInString(x.words[m.Start])
		if !ends && x.words[m.End] != ":" || ends && unicode.IsLower(first) {
			continue
		}
		if h := fold.Fold(strings.Join(x.words[m.Start:m.End], " ")); len(h) > len(all[n]) { // several lists may match
			all[n] = h
		}
	}
	return all
}

// label returns the words before the last colon that precedes the token on its line:
// "date of birth" for the date in "Date of birth: 03/04/1971".
func label(x *Text, t int) string {
	all := keep(x, "labels", func() []string {
		of := make([]string, len(x.words))
		now := ""
		for t := range x.words {
			if x.startsLine(t) {
				now = ""
			}
			of[t] = now
			if x.words[t] == ":" {
				var words []string
				for k := t - 1; k >= 0 && len(words) < maxLabel && x.line()[k] == x.line()[t] && isWord(x.words[k]); k-- {
					words = append([]string{x.lower()[k]}, words...)
				}
				if len(words) > 0 {
					now = strings.Join(words, " ")
				}
			}
		}
		return of
	})
	return all[t]
}

func isWord(w string) bool {
	for _, r := range w {
		if !unicode.IsLetter(r) && r != '.' && r != 'º' && r != 'ª' {
			return false
		}
	}
	return true
}

func line(x *Text, t int) string {
	n := x.line()[t]
	if n >= 20 {
		n = n / 10 * 10
	}
	return strconv.Itoa(n)
}

func space(x *Text, t int, put func(string)) {
	switch gap := x.gap(t); {
	case x.startsLine(t):
		put("line")
		if t == 0 || x.line()[t]-x.line()[t-1] > 1 {
			put("blank")
		}
	case gap == "":
		put("none")
	case len(gap) > 1:
		put("wide")
	default:
		put("one")
	}
	if t+1 == len(x.Tokens) || x.startsLine(t+1) {
		put("line after")
	} else if x.Tokens[t+1].Start == x.Tokens[t].End {
		put("none after")
	}
}
