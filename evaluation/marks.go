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
func tokens(d *data.Document) []mark { return typed(TokenSpans(d)) }

// TokenSpans returns the tokens of Compare: of each span its own, with its type.
func TokenSpans(d *data.Document) []data.Span {
	var all []data.Span
	for _, s := range d.Spans {
		before := len(all)
		for t := range Tokens(d.Text[s.Start:s.End]) {
			all = append(all, data.Span{Start: s.Start + t.Start, End: s.Start + t.End, Type: s.Type, Score: s.Score})
		}
		if len(all) == before {
			all = append(all, data.Span{Start: s.End, End: s.End, Type: s.Type, Score: s.Score})
		}
	}
	return all
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
