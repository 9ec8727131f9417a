package evaluation

import (
	"iter"
	"unicode"

	"github.com/lethe-deid/lethe/data"
)

// typed returns the spans as marks.
func typed(spans []data.Span) []mark {
	marks := make([]mark, len(spans))
	for i, s := range spans {
		marks[i] = mark{s.Start, s.End, s.Type}
	}
	return marks
}

// untyped drops the types of marks, in place.
func untyped(marks []mark) []mark {
	for i := range marks {
		marks[i].typ = ""
	}
	return marks
}

// tokens splits each span of the document as Compare says.
func tokens(d *data.Document) []mark {
	var marks []mark
	for _, s := range d.Spans {
		before := len(marks)
		for t := range Tokens(d.Text[s.Start:s.End]) {
			marks = append(marks, mark{s.Start + t.Start, s.Start + t.End, s.Type})
		}
		if len(marks) == before {
			marks = append(marks, mark{s.End, s.End, s.Type})
		}
	}
	return marks
}

// Tokens yields the tokens of Compare in a text: its runs of letters, digits and
// combining marks.
func Tokens(text string) iter.Seq[data.Token] {
	return func(yield func(data.Token) bool) {
		start := -1
		for i, r := range text {
			switch inside := wordRune(r); {
			case inside && start < 0:
				start = i
			case !inside && start >= 0:
				if !yield(data.Token{Start: start, End: i}) {
					return
				}
				start = -1
			}
		}
		if start >= 0 {
			yield(data.Token{Start: start, End: len(text)})
		}
	}
}

// wordRune counts marks as part of a word, so that a letter with a combining
// accent is one with its precomposed form.
func wordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r) }
