package evaluation

import (
	"cmp"
	"iter"
	"slices"
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

// tokens splits each span of the document into tokens as Compare does. A token
// shared by several spans of one type is usually returned once for all of them,
// so that the number of marks grows with the text plus the spans and not with
// their product.
func tokens(d *data.Document) []mark {
	w := newWords(d.Text)
	ofType := map[string][]wordRange{} // ranges of words inside the spans of a type
	var types []string
	var all []mark
	for _, s := range d.Spans {
		whole, parts := w.of(s.Start, s.End)
		for _, p := range parts {
			all = append(all, mark{p.Start, p.End, s.Type})
		}
		if whole.empty() {
			if parts == nil {
				all = append(all, mark{s.End, s.End, s.Type})
			}
			continue
		}
		if ofType[s.Type] == nil {
			types = append(types, s.Type)
		}
		ofType[s.Type] = append(ofType[s.Type], whole)
	}
	for _, t := range types {
		for i := range union(ofType[t]) {
			all = append(all, mark{w[i].Start, w[i].End, t})
		}
	}
	return all
}

// words are the tokens of a whole text, in order.
type words []data.Token

func newWords(text string) words { return slices.Collect(Tokens(text)) }

// wordRange is the range [from, to) of a words.
type wordRange struct{ from, to int }

func (r wordRange) empty() bool { return r.from >= r.to }

// of returns the tokens of text[start:end]: the range of words that lie inside
// it, and the parts of the words that its ends cut.
func (w words) of(start, end int) (whole wordRange, parts []data.Token) {
	whole.from, _ = slices.BinarySearchFunc(w, start+1, func(t data.Token, at int) int { return cmp.Compare(t.End, at) })
	whole.to, _ = slices.BinarySearchFunc(w, end, func(t data.Token, at int) int { return cmp.Compare(t.Start, at) })
	cut := func(t data.Token) bool { return t.Start < start || t.End > end }
	if !whole.empty() && cut(w[whole.from]) {
		t := w[whole.from]
		parts = append(parts, data.Token{Start: max(start, t.Start), End: min(end, t.End)})
		whole.from++
	}
	if !whole.empty() && cut(w[whole.to-1]) {
		whole.to--
		parts = append(parts, data.Token{Start: w[whole.to].Start, End: end})
	}
	return whole, parts
}

// union yields each index that is in one of the ranges once, in order. It sorts
// ranges.
func union(ranges []wordRange) iter.Seq[int] {
	slices.SortFunc(ranges, func(a, b wordRange) int { return cmp.Compare(a.from, b.from) })
	return func(yield func(int) bool) {
		next := 0
		for _, r := range ranges {
			for i := max(next, r.from); i < r.to; i++ {
				if !yield(i) {
					return
				}
			}
			next = max(next, r.to)
		}
	}
}

// TokenSpans returns the tokens of the document's spans, as Compare counts them,
// with the types of their spans and score 1. A token shared by several spans of
// one type is not repeated for each of them.
func TokenSpans(d *data.Document) []data.Span {
	marks := tokens(d)
	all := make([]data.Span, len(marks))
	for i, m := range marks {
		all[i] = data.Span{Start: m.start, End: m.end, Type: m.typ, Score: 1}
	}
	return all
}

// Tokens yields the tokens of a text as Compare defines them: its runs of
// letters, digits and combining marks.
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

// wordRune reports whether r is part of a token. Combining marks are, so that a
// letter with a combining accent counts as its precomposed form does.
func wordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r) }
