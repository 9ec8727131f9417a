package feature

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

func sentence(x *Text, t int, put func(string)) {
	for _, v := range keep(x, "sentences", x.describe)[x.sentence[t]] {
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

// section returns the nearest heading above the token's line.
func section(x *Text, t int) string {
	all := keep(x, "sections", func() []string {
		of := make([]string, len(x.begins)) // by line
		now := ""
		for n := range of {
			if h := heading(x.lineText(n)); h != "" {
				now = h
			}
			of[n] = now
		}
		return of
	})
	return all[x.line[t]]
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
				for k := t - 1; k >= 0 && len(words) < maxLabel && x.line[k] == x.line[t] && isWord(x.words[k]); k-- {
					words = append([]string{x.lower[k]}, words...)
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
	n := x.line[t]
	if n >= 20 {
		n = n / 10 * 10
	}
	return strconv.Itoa(n)
}

func space(x *Text, t int, put func(string)) {
	switch gap := x.gap(t); {
	case x.startsLine(t):
		put("line")
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
