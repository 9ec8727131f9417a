package synth

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data"
)

// Probabilities of the slips that real notes contain.
const (
	typoRate = 0.004 // a word of the grammar (of at least five letters) is misspelt
	glueRate = 0.008 // a space next to a PHI phrase is missing
)

// A writer writes one note. It appends text to buf, and adds a span for each
// mark.
type writer struct {
	*rand.Rand
	corpus   *corpus
	language language
	rules    grammar

	*patient
	visit
	doc, kin *person   // the persons that {doc...} and {kin...} refer to
	day      time.Time // the day that {d...} refers to

	latest map[*choice]int // by rule: the last alternative used
	fixed  map[string]int  // by rule: the alternative that the whole note uses

	buf    []byte
	spans  []data.Span
	uncued bool        // also write names without a local cue
	alone  []data.Span // spans without a local cue
	shift  byte        // current letter case: '^', '_', '+' or 0
	marked bool        // inside a mark
	glue   bool        // a mark has just ended, and the next space is omitted

	typos, gluing float64 // rates of slips in this note
	width         int     // of lines, in bytes; 0: not wrapped
	flat          bool    // the note is one line
	whole         bool    // the whole note is in the current letter case
	articles      []int   // ends of an "a" that becomes "an" before a vowel
}

func newWriter(c *corpus, rules grammar, source rand.Source) *writer {
	w := &writer{
		Rand: rand.New(source), corpus: c, language: c.language, rules: rules, latest: map[*choice]int{},
	}
	w.newNote()
	return w
}

// newNote forgets the last note.
func (w *writer) newNote() {
	w.buf, w.spans, w.alone, w.articles = nil, nil, nil, nil
	w.shift, w.glue, w.flat, w.whole, w.width = 0, false, false, false, 0
	w.typos, w.gluing = typoRate, glueRate
	w.fixed = map[string]int{}
}

// say writes the rules in order.
func (w *writer) say(rules ...string) {
	for _, name := range rules {
		rule, ok := w.rules[name]
		if !ok {
			panic("synth: no rule " + name)
		}
		rule.write(w)
	}
}

// some writes between least and most different alternatives of a rule in random
// order, separated by sep.
func (w *writer) some(name string, least, most int, sep string) {
	w.someBetween(name, least, most, func(w *writer) { w.text(sep) })
}

func (w *writer) someBetween(name string, least, most int, between func(*writer)) {
	rule := w.rules[name]
	n := min(least+w.IntN(most-least+1), len(rule.of))
	for i, k := range rule.several(w, n) {
		if i > 0 {
			between(w)
		}
		rule.of[k].write(w)
	}
}

// list writes items of a rule: one per line (numbered, dashed or bare), or on one
// line separated by sep.
func (w *writer) list(rule string, least, most int, sep string) {
	bullet := pick(w.Rand, []string{"%d. ", "%d) ", "- ", "* ", "", "", sep})
	n := least + w.IntN(most-least+1)
	for i := range n {
		switch {
		case bullet == sep && i > 0:
			w.text(sep)
		case strings.HasPrefix(bullet, "%"):
			w.text(fmt.Sprintf(bullet, i+1))
		case bullet != sep:
			w.text(bullet)
		}
		w.say(rule)
		if bullet != sep && i < n-1 {
			w.text("\n")
		}
	}
}

// chance returns true with probability p.
func (w *writer) chance(p float64) bool { return w.Float64() < p }

// draw returns the text of a rule without writing it.
func (w *writer) draw(name string) string {
	aside := *w
	aside.buf, aside.spans, aside.articles, aside.shift, aside.marked = nil, nil, nil, 0, true
	aside.say(name)
	return string(aside.buf)
}

// digits replaces each # of a pattern by a random digit and each ? by a random
// capital. The result does not start with 0.
func (w *writer) digits(pattern string) string {
	b := []byte(strings.ToUpper(pattern))
	for i := range b {
		if b[i] == '#' {
			b[i] = '0' + byte(w.IntN(10))
		}
	}
	if len(b) > 0 && b[0] == '0' {
		b[0] = '1' + byte(w.IntN(8))
	}
	for i := range b {
		if b[i] == '?' {
			b[i] = 'A' + byte(w.IntN(2*26)%26)
		}
	}
	return string(b)
}

// text writes s in the current letter case.
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

// separable reports whether a reader, or a tokenizer that separates letters,
// digits and other characters, could still tell the end of the note so far from
// next without a space between them.
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

// write writes a random alternative. If there are many, it does not repeat the
// last one, because nobody writes "nausea, nausea".
func (c *choice) write(w *writer) {
	i := c.pick(w)
	if len(c.of) > 9 {
		if last, ok := w.latest[c]; ok && i == last {
			i = (i + 1) % len(c.of)
		}
		w.latest[c] = i
	}
	c.of[i].write(w)
}

// pick draws an alternative by its weight.
func (c *choice) pick(w *writer) int {
	if !c.weighted {
		return w.IntN(len(c.of))
	}
	k := w.IntN(c.sums[len(c.sums)-1])
	i, _ := slices.BinarySearch(c.sums, k+1)
	return i
}

// several draws n different alternatives.
func (c *choice) several(w *writer, n int) []int {
	if !c.weighted {
		return w.Perm(len(c.of))[:n]
	}
	var drawn []int
	for range 20 * n {
		if i := c.pick(w); len(drawn) < n && !slices.Contains(drawn, i) {
			drawn = append(drawn, i)
		}
	}
	return drawn
}

func (s *slot) write(w *writer) { s.run(w) }

func (s shift) write(w *writer) {
	before := w.shift
	if !w.whole && (s.how != '+' || before == 0) { // a section in capitals stays in capitals
		w.shift = s.how
	}
	s.body.write(w)
	w.shift = before
}

// write writes the body and marks it as PHI. Sometimes it omits the space before
// it.
func (m mark) write(w *writer) {
	if w.marked { // a rule with its own marks, drawn as plain text
		m.body.write(w)
		return
	}
	start := len(w.buf)
	w.glue = false
	w.marked = true
	m.body.write(w)
	w.marked = false
	if n := start - 1; w.chance(w.gluing) && n > 0 && w.buf[n] == ' ' {
		tail := bytes.Clone(w.buf[start:])
		if w.buf = w.buf[:n]; w.separable(string(tail)) {
			start = n
		} else {
			w.buf = append(w.buf, ' ')
		}
		w.buf = append(w.buf, tail...)
	}
	w.spans = append(w.spans, data.Span{Start: start, End: len(w.buf), Type: m.typ, Score: 1})
	w.glue = w.chance(w.gluing)
}

// write writes words of the grammar, with an occasional slip outside of PHI.
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
		if w.chance(w.typos) {
			return w.misspell(word)
		}
		return word
	}))
}

var longWord = regexp.MustCompile(`[a-z]{5,}`)

// misspell swaps two letters of a word, drops one or doubles one.
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
