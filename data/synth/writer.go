package synth

import (
	"bytes"
	"math/rand/v2"
	"regexp"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/brianvoe/gofakeit/v7"

	"github.com/lethe-deid/lethe/data"
)

// How often a real note goes wrong, as probabilities.
const (
	typoRate = 0.004 // a word of the grammar (of five letters or more) is misspelt
	glueRate = 0.008 // a space beside a PHI phrase is missing
)

// A writer writes one note: text at the end of buf, and a span for each mark.
type writer struct {
	*rand.Rand
	fake  *gofakeit.Faker
	rules grammar

	*patient
	visit
	doc, kin *person   // of whom {doc...} and {kin...} speak now
	day      time.Time // of which {d...} speaks now

	latest map[*node]int // the alternative taken last, by rule

	buf    []byte
	spans  []data.Span
	uncued bool        // whether names are to stand without a local cue as well
	alone  []data.Span // those that do
	shift  byte        // letter case in force: '^', '_', '+' or 0
	marked bool        // inside a mark
	glue   bool        // a mark has just ended, and the next space is to be left out
}

// say writes each rule, one after another.
func (w *writer) say(rules ...string) {
	for _, name := range rules {
		rule, ok := w.rules[name]
		if !ok {
			panic("synth: no rule " + name)
		}
		rule.write(w)
	}
}

// some writes from least to most different alternatives of a rule, in random
// order, with sep after each but the last.
func (w *writer) some(name string, least, most int, sep string) {
	rule := w.rules[name]
	n := min(least+w.IntN(most-least+1), len(rule))
	for i, k := range w.Perm(len(rule))[:n] {
		if i > 0 {
			w.text(sep)
		}
		rule[k].write(w)
	}
}

// chance is true with probability p.
func (w *writer) chance(p float64) bool { return w.Float64() < p }

// draw is the text of a rule that is not written into the note.
func (w *writer) draw(name string) string {
	aside := *w
	aside.buf, aside.spans, aside.shift, aside.marked = nil, nil, 0, true
	aside.say(name)
	return string(aside.buf)
}

// digits fills a pattern: a digit for each #, a capital for each ?.
func (w *writer) digits(pattern string) string {
	return strings.ToUpper(w.fake.Lexify(w.fake.Numerify(pattern)))
}

// text writes s as it is but for the letter case in force.
func (w *writer) text(s string) {
	if s == "" {
		return
	}
	w.glue = false
	switch w.shift {
	case '^':
		s = strings.ToUpper(s)
	case '_':
		s = strings.ToLower(s)
	case '+':
		r, n := utf8.DecodeRuneInString(s)
		s = string(unicode.ToUpper(r)) + s[n:]
		w.shift = 0
	}
	w.buf = append(w.buf, s...)
}

// separable says whether a reader, or a tokenizer that parts letters, digits
// and other characters, could still tell the note so far from next if they met.
func (w *writer) separable(next string) bool {
	a, _ := utf8.DecodeLastRune(w.buf)
	b, _ := utf8.DecodeRuneInString(next)
	return class(a) != class(b)
}

func class(r rune) int {
	switch {
	case unicode.IsLetter(r):
		return 1
	case unicode.IsDigit(r):
		return 2
	}
	return 3
}

func (s sequence) write(w *writer) {
	for _, n := range s {
		n.write(w)
	}
}

// write takes any alternative but, where there are many, not the last one
// again: nobody writes "nausea, nausea".
func (c choice) write(w *writer) {
	i := w.IntN(len(c))
	if len(c) > 9 {
		if last, ok := w.latest[&c[0]]; ok && i == last {
			i = (i + 1) % len(c)
		}
		w.latest[&c[0]] = i
	}
	c[i].write(w)
}

func (s *slot) write(w *writer) { s.run(w) }

func (s shift) write(w *writer) {
	before := w.shift
	if s.how != '+' || before == 0 { // a section in capitals stays so
		w.shift = s.how
	}
	s.body.write(w)
	w.shift = before
}

// write marks the body as PHI. Now and then it leaves out the space before it.
func (m mark) write(w *writer) {
	if w.marked { // a rule with marks of its own, drawn as plain text
		m.body.write(w)
		return
	}
	start := len(w.buf)
	w.glue = false
	w.marked = true
	m.body.write(w)
	w.marked = false
	if n := start - 1; w.chance(glueRate) && n > 0 && w.buf[n] == ' ' {
		tail := bytes.Clone(w.buf[start:])
		if w.buf = w.buf[:n]; w.separable(string(tail)) {
			start = n
		} else {
			w.buf = append(w.buf, ' ')
		}
		w.buf = append(w.buf, tail...)
	}
	w.spans = append(w.spans, data.Span{Start: start, End: len(w.buf), Type: m.typ, Score: 1})
	w.glue = w.chance(glueRate)
}

// write writes words of the grammar, with a slip now and then outside of PHI.
func (l literal) write(w *writer) {
	s := string(l)
	if w.marked {
		w.text(s)
		return
	}
	if rest := strings.TrimPrefix(s, " "); w.glue && rest != "" && w.separable(rest) {
		s = rest
	}
	if bytes.HasSuffix(w.buf, []byte(".")) {
		s = strings.TrimPrefix(s, ".") // "M.D." ends a sentence by itself
	}
	w.text(longWord.ReplaceAllStringFunc(s, func(word string) string {
		if w.chance(typoRate) {
			return w.misspell(word)
		}
		return word
	}))
}

var longWord = regexp.MustCompile(`[a-z]{5,}`)

// misspell swaps two letters of a word, drops one, or doubles one.
func (w *writer) misspell(word string) string {
	i := 1 + w.IntN(len(word)-2)
	switch w.IntN(3) {
	case 0:
		return word[:i] + word[i+1:i+2] + word[i:i+1] + word[i+2:]
	case 1:
		return word[:i] + word[i+1:]
	}
	return word[:i] + word[i:i+1] + word[i:]
}
