package augment

import (
	"iter"
	"strings"
	"unicode"

	"github.com/lethe-deid/lethe/data"
)

// Limits on the length of a label.
const (
	labelWords = 6
	labelBytes = 60
)

// fieldLabels returns the ranges of the labels of a note's fields. A label is the
// start of a line up to a colon and the blanks after it, if it is a few words
// without digits, starts with a letter, and touches no span.
func fieldLabels(d *data.Document) [][2]int {
	var all [][2]int
	for start, end := range lines(d.Text) {
		if n := label(d.Text[start:end]); n > 0 && !touches(d.Spans, start, start+n) {
			all = append(all, [2]int{start, start + n})
		}
	}
	return all
}

// lines yields the start and end of each line, without the characters that end it.
func lines(text string) iter.Seq2[int, int] {
	return func(yield func(start, end int) bool) {
		start := 0
		for line := range strings.Lines(text) {
			if !yield(start, start+len(strings.TrimRight(line, "\r\n"))) {
				return
			}
			start += len(line)
		}
	}
}

// label returns the length of the label at the start of a line, 0 if there is
// none.
func label(line string) int {
	colon := strings.IndexByte(line, ':')
	if colon < 1 || colon > labelBytes || len(strings.Fields(line[:colon])) > labelWords {
		return 0
	}
	for i, r := range line[:colon] {
		if unicode.IsDigit(r) || i == 0 && !unicode.IsLetter(r) {
			return 0
		}
	}
	n := colon + 1
	for n < len(line) && (line[n] == ' ' || line[n] == '\t') {
		n++
	}
	if strings.TrimSpace(line[n:]) == "" {
		return 0 // a heading: the line would become empty
	}
	return n
}

func touches(spans []data.Span, start, end int) bool {
	for _, s := range spans {
		if s.Start < end && start < s.End {
			return true
		}
	}
	return false
}
