package trees

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data"
)

// trusted is the phrases that were found under unambiguous headings, in the notes of a
// patient or in one note ("Iterative learning"). It is kept only while notes are tagged.
//
// The paper collects them from all notes. Here a phrase counts only for the notes of the
// same patient, so that the result for a note depends on no other patient, and a model
// contains none of the phrases.
type trusted struct {
	phrases  map[string][]phrase // by first word in lower case, the longest first
	parts    map[string]int32    // class by word of a phrase, in lower case
	acronyms map[string]int32    // class by acronym, as it is written
}

type phrase struct {
	words []string // in lower case
	class int32
	n     int // number of times it was found
}

// finding is a phrase under an unambiguous heading.
type finding struct {
	words []string
	class int32
}

// newTrusted makes the lists. Of several classes of a phrase, the most frequent wins, of
// equally frequent ones the first. A word or acronym has the class of the last phrase that
// was found with it.
func newTrusted(all []finding) *trusted {
	d := &trusted{map[string][]phrase{}, map[string]int32{}, map[string]int32{}}
	for _, f := range all {
		p := phrase{class: f.class, n: 1}
		var initials strings.Builder
		for _, w := range f.words {
			r, _ := utf8.DecodeRuneInString(w)
			lower := strings.ToLower(w)
			p.words = append(p.words, lower)
			if unicode.IsUpper(r) {
				initials.WriteRune(r)
			}
			if (unicode.IsUpper(r) || unicode.IsDigit(r)) && utf8.RuneCountInString(w) > 2 {
				d.parts[lower] = f.class
			}
		}
		if utf8.RuneCountInString(initials.String()) > 1 {
			d.acronyms[initials.String()] = f.class
		}
		first := d.phrases[p.words[0]]
		if i := slices.IndexFunc(first, func(q phrase) bool { return q.class == p.class && slices.Equal(q.words, p.words) }); i >= 0 {
			first[i].n++
			continue
		}
		d.phrases[p.words[0]] = append(first, p)
	}
	for _, phrases := range d.phrases {
		slices.SortStableFunc(phrases, func(a, b phrase) int {
			if len(a.words) != len(b.words) {
				return len(b.words) - len(a.words)
			}
			if a.n != b.n {
				return b.n - a.n
			}
			return int(a.class - b.class)
		})
	}
	return d
}

// trustedSpans calls f with the phrases that a tagger found under unambiguous headings.
func (x *stretch) trustedSpans(l *learned, spans []data.TokenSpan, classes map[string]int32, f func(finding)) {
	for _, s := range spans {
		if h := x.heading[s.Start].heading; h > 0 && l.clear[h-1] {
			f(finding{x.words[s.Start:s.End], classes[s.Type]})
		}
	}
}

// trustedProperties returns the attributes of the second iteration.
func trustedProperties(l *learned) []property {
	word := func(name string, of func(d *trusted, w string) int32) property {
		return property{name: name, values: l.classes, fill: func(x *stretch, into []float32) {
			if x.trusted == nil {
				return
			}
			for t, w := range x.words {
				into[t] = float32(of(x.trusted, w))
			}
		}}
	}
	return []property{
		{name: "trusted phrase", values: l.classes, lo: -1, hi: 1, fill: func(x *stretch, into []float32) {
			x.trusted.each(x, func(p phrase, t int) { into[t] = float32(p.class) })
		}},
		{name: "trusted length", fill: func(x *stretch, into []float32) {
			x.trusted.each(x, func(p phrase, t int) { into[t] = float32(len(p.words)) })
		}},
		word("trusted word", func(d *trusted, w string) int32 { return d.parts[strings.ToLower(w)] }),
		word("trusted acronym", func(d *trusted, w string) int32 { return d.acronyms[w] }),
	}
}

// trusted reports whether the property is one of the second iteration.
func (p property) trusted() bool { return strings.HasPrefix(p.name, "trusted ") }

// each calls f with the tokens of the phrases in a text: from left to right, the longest
// first.
func (d *trusted) each(x *stretch, f func(p phrase, t int)) {
	if d == nil || len(d.phrases) == 0 {
		return
	}
	lower := make([]string, len(x.words))
	for t, w := range x.words {
		lower[t] = strings.ToLower(w)
	}
	for t := 0; t < len(lower); {
		next := t + 1
		for _, p := range d.phrases[lower[t]] {
			if end := t + len(p.words); end <= len(lower) && slices.Equal(lower[t:end], p.words) {
				for k := t; k < end; k++ {
					f(p, k)
				}
				next = end
				break
			}
		}
		t = next
	}
}
