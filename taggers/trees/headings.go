package trees

import (
	"strings"
	"unicode/utf8"
)

// A heading is a sequence of up to maxHeading words directly before a colon, or a line
// of up to maxHeading words in capitals. It counts from the token after it to the next
// heading. Only frequent headings of the training notes are headings: see learnHeadings.
const (
	maxHeading  = 6
	maxHeadings = 60 // number of headings that a model has
)

// under says under which heading a token is.
type under struct {
	heading int32 // number of the heading, from 1; 0: none
	tokens  int32 // tokens since the heading ended
	lines   int32 // lines since then
}

// proposal is a sequence of tokens that may be a heading: [from, to), in effect from
// the token next on. If shorter is set, its parts that end at to may be headings too.
type proposal struct {
	from, to, next int
	shorter        bool
}

// proposals calls f with all possible headings of a text, in their order.
func (x *stretch) proposals(f func(proposal)) {
	begin := 0 // of the line
	for t, w := range x.words {
		if t > 0 && x.line[t] != x.line[t-1] {
			begin = t
		}
		if w == ":" {
			from := t
			for from > begin && t-from < maxHeading {
				if only, _ := letters(x.words[from-1]); !only {
					break
				}
				from--
			}
			if from < t {
				f(proposal{from, t, t + 1, true})
			}
		}
		if t+1 == len(x.words) || x.line[t+1] != x.line[t] {
			if x.inCapitals(begin, t+1) {
				f(proposal{begin, t + 1, t + 1, false})
			}
		}
	}
}

// inCapitals reports whether tokens are words in capitals, with at least three letters.
func (x *stretch) inCapitals(from, to int) bool {
	if to-from > maxHeading {
		return false
	}
	size := 0
	for _, w := range x.words[from:to] {
		if _, capitals := letters(w); !capitals {
			return false
		}
		size += utf8.RuneCountInString(w)
	}
	return size >= 3
}

// name returns the words of a heading as they are compared.
func (x *stretch) name(from, to int) string {
	var b strings.Builder
	for t := from; t < to; t++ {
		if t > from {
			b.WriteByte(' ')
		}
		b.WriteString(normal(x.words[t]))
	}
	return b.String()
}

// under returns the nearest heading of each token. Of a proposal, the longest part that
// is a heading counts.
func (l *learned) under(x *stretch) []under {
	all := make([]under, len(x.words))
	at := 0
	now, next := int32(0), 0
	advance := func(to int) {
		for ; at < to; at++ {
			if now > 0 {
				all[at] = under{now, int32(at - next), int32(x.line[at] - x.line[max(0, next-1)])}
			}
		}
	}
	x.proposals(func(p proposal) {
		for from := p.from; from < p.to; from++ {
			if h, ok := l.headings[x.name(from, p.to)]; ok {
				advance(p.next)
				now, next = h, p.next
				return
			}
			if !p.shorter {
				return
			}
		}
	})
	advance(len(x.words))
	return all
}
