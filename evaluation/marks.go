package evaluation

import (
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
		before, start := len(marks), -1
		for i, r := range d.Text[s.Start:s.End] {
			switch inside := wordRune(r); {
			case inside && start < 0:
				start = s.Start + i
			case !inside && start >= 0:
				marks = append(marks, mark{start, s.Start + i, s.Type})
				start = -1
			}
		}
		if start >= 0 {
			marks = append(marks, mark{start, s.End, s.Type})
		}
		if len(marks) == before {
			marks = append(marks, mark{s.End, s.End, s.Type})
		}
	}
	return marks
}

// wordRune counts marks as part of a word, so that a letter with a combining
// accent is one with its precomposed form.
func wordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r) }
