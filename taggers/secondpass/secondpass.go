// Package secondpass finds PHI without a local cue, from what a first tagger found
// elsewhere in the notes of the same patient (Dehghan et al. 2015, section 2 (IV)):
// "Seen by Dr. Amundsen" makes the name in "Amundsen agrees" a doctor's.
//
// For each patient, it makes a dictionary of the spans of the first tagger. It then
// searches for the dictionary's phrases in all notes of the patient, outside of these
// spans: from left to right, the longest first. Case and the characters between words
// are ignored, but no match crosses a line end. Occurrences entirely in lower case are
// ignored.
package secondpass

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/tokenize"
	"github.com/lethe-deid/lethe/data/wordlists"
	"github.com/lethe-deid/lethe/taggers"
	"github.com/lethe-deid/lethe/taggers/internal/reader"
)

// Config has all settings of the second pass.
type Config struct {
	By       string   `yaml:"by"`        // patient (default): one dictionary from all notes of a patient; or document: one per note
	Types    []string `yaml:"types"`     // types whose spans enter the dictionary; default all
	MinScore float64  `yaml:"min_score"` // minimum score of such a span, in [0, 1]; default 0.5; 0: all enter
	// MinLength is the minimum number of letters and digits, at least 1, in a phrase of
	// the dictionary; default 4. Phrases in lower case do not enter.
	MinLength int `yaml:"min_length"`
	// Parts lists types, such as those of names, whose phrases also enter word by word.
	// Only words that begin with a capital and have MinLength letters enter. Default
	// none.
	Parts []string `yaml:"parts"`
	// Except lists phrases that never enter because they have other meanings as well.
	// Filters names built-in lists of such phrases (see package wordlists). Case is
	// ignored. This is the paper's filtering of ambiguous terms. Default none.
	Except  []string `yaml:"except"`
	Filters []string `yaml:"filters"`
	// MinShare leaves out phrases that the first tagger mostly did not mark: it must
	// have marked more than this share of a phrase's occurrences in the notes, in [0,
	// 1); default 0: one marked occurrence suffices.
	MinShare float64 `yaml:"min_share"`
	// Standardize gives all occurrences of a phrase the type of most of its spans
	// (Szarvas et al. 2006, "Iterative learning"). This includes spans of the first
	// tagger: their types change, and spans that are only parts of the phrase are
	// merged. Default false: the first tagger's spans stay as they are.
	Standardize bool `yaml:"standardize"`
	// System is the first tagger. Required.
	System taggers.System `yaml:"system"`
}

// DefaultConfig returns the settings of a second pass over each patient's notes.
func DefaultConfig() Config { return Config{By: data.ByPatient, MinScore: 0.5, MinLength: 4} }

// Validate returns an error that begins with the first key whose value makes no sense.
func (c Config) Validate() error {
	if err := data.CheckBy(c.By); err != nil {
		return fmt.Errorf("by: %w", err)
	}
	switch {
	case !(c.MinScore >= 0 && c.MinScore <= 1):
		return fmt.Errorf("min_score: %v is not in [0, 1]", c.MinScore)
	case c.MinLength < 1:
		return fmt.Errorf("min_length: %d is not positive", c.MinLength)
	case !(c.MinShare >= 0 && c.MinShare < 1):
		return fmt.Errorf("min_share: %v is not in [0, 1)", c.MinShare)
	}
	for i, name := range c.Filters {
		if !slices.Contains(wordlists.Names(), name) {
			return fmt.Errorf("filters[%d]: no built-in list %q (have %s)", i, name, strings.Join(wordlists.Names(), ", "))
		}
	}
	for _, t := range c.Parts {
		if len(c.Types) > 0 && !slices.Contains(c.Types, t) {
			return fmt.Errorf("parts: %s is not listed in types", t)
		}
	}
	return nil
}

// Tagger runs a first tagger and then the second pass. Several goroutines may use it at
// once if the first tagger allows that.
type Tagger struct {
	config Config
	first  data.Tagger
	except map[string]bool
}

var _ data.Prober = (*Tagger)(nil)

// New returns the tagger for a valid configuration.
func New(c Config, first data.Tagger) *Tagger {
	t := &Tagger{c, first, map[string]bool{}}
	except := slices.Clone(c.Except)
	for _, name := range c.Filters {
		except = append(except, wordlists.Entries(name)...)
	}
	for _, phrase := range except {
		var n note
		n.read(phrase)
		t.except[key(n.words)] = true
	}
	return t
}

// Tag implements data.Tagger. The notes of a patient must be given in one call to share
// a dictionary.
func (t *Tagger) Tag(ctx context.Context, docs []*data.Document) ([][]data.Span, error) {
	found, err := t.first.Tag(ctx, docs)
	if err != nil {
		return nil, err
	}
	return t.second(ctx, docs, found)
}

// Probe implements data.Prober: the doubts are the first tagger's.
func (t *Tagger) Probe(ctx context.Context, docs []*data.Document, from float64) (found, doubts [][]data.Span, err error) {
	found, doubts, err = reader.Probe(ctx, t.first, docs, from)
	if err != nil {
		return nil, nil, err
	}
	if found, err = t.second(ctx, docs, found); err != nil {
		return nil, nil, err
	}
	for i := range docs {
		doubts[i] = reader.MergeDoubts(found[i], doubts[i])
	}
	return found, doubts, nil
}

// second runs the second pass over the spans of the first tagger.
func (t *Tagger) second(ctx context.Context, docs []*data.Document, found [][]data.Span) ([][]data.Span, error) {
	groups := map[string][]int{}
	var order []string
	for i, d := range docs {
		name := fmt.Sprint("note ", i)
		if t.config.By == data.ByPatient && d.Patient != "" {
			name = "patient " + d.Patient
		}
		if groups[name] == nil {
			order = append(order, name)
		}
		groups[name] = append(groups[name], i)
	}
	out := make([][]data.Span, len(docs))
	var memory []note
	for _, name := range order {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		memory = t.pass(docs, found, groups[name], out, memory)
	}
	return out, nil
}

// pass processes the notes of one patient. It uses the memory of the notes of another one, and returns what it used.
func (t *Tagger) pass(docs []*data.Document, found [][]data.Span, group []int, out [][]data.Span, memory []note) []note {
	d := t.collect(docs, found, group)
	if len(d) == 0 && !t.config.Standardize {
		for _, i := range group {
			out[i] = slices.Clone(found[i])
			data.SortSpans(out[i])
		}
		return memory
	}
	for len(memory) < len(group) {
		memory = append(memory, note{})
	}
	notes := memory[:len(group)]
	for k, i := range group {
		notes[k].read(docs[i].Text)
		notes[k].mark(found[i])
	}
	if t.config.MinShare > 0 {
		d = d.filter(notes, t.config.MinShare)
	}
	for k, i := range group {
		spans := slices.Clone(found[i])
		if t.config.Standardize {
			spans = d.standardize(notes[k], spans)
			notes[k].mark(spans)
		}
		out[i] = d.add(notes[k], spans)
	}
	return memory
}

// note is a text split into words: runs of letters and runs of digits. The characters
// between words are not compared.
type note struct {
	text   string
	tokens []data.Token
	words  []string // text of the tokens, in lower case
	marked []bool   // by token: whether a span covers part of it
}

// read sets the text and its words.
func (n *note) read(text string) {
	tokens := tokenize.LettersDigits{}.Tokens(text, n.tokens[:0])
	n.text, n.tokens, n.words = text, tokens[:0], n.words[:0]
	for _, tok := range tokens {
		if r, _ := utf8.DecodeRuneInString(text[tok.Start:]); unicode.IsLetter(r) || unicode.IsDigit(r) {
			n.tokens = append(n.tokens, tok)
			n.words = append(n.words, strings.ToLower(text[tok.Start:tok.End]))
		}
	}
}

// mark sets marked from sorted spans.
func (n *note) mark(spans []data.Span) {
	n.marked = slices.Grow(n.marked[:0], len(n.tokens))[:len(n.tokens)]
	for t, tok := range n.tokens {
		for len(spans) > 0 && spans[0].End <= tok.Start {
			spans = spans[1:]
		}
		n.marked[t] = len(spans) > 0 && spans[0].Start < tok.End
	}
}

// adjoining reports whether only a little punctuation separates a word from the word
// before: no line end, and at most three bytes.
func (n note) adjoining(t int) bool {
	gap := n.text[n.tokens[t-1].End:n.tokens[t].Start]
	return len(gap) <= 3 && !strings.Contains(gap, "\n")
}

// written reports whether words [from, to) are not all in lower case, as in a name or a
// number.
func (n note) written(from, to int) bool {
	return strings.ContainsFunc(n.text[n.tokens[from].Start:n.tokens[to-1].End], func(r rune) bool {
		return unicode.IsUpper(r) || unicode.IsDigit(r) || unicode.IsLetter(r) && !unicode.IsLower(r)
	})
}

// key returns the words in the form in which they are compared.
func key(words []string) string { return strings.Join(words, " ") }

// phrase is an entry of a dictionary.
type phrase struct {
	words []string
	votes map[string]float64 // the scores of its spans, summed by type
	typ   string             // type with the most votes; of equal ones, the first by name
	score float64            // highest score of its spans
}

// dictionary has the phrases of a patient by their first words, longest first.
type dictionary map[string][]*phrase

func newDictionary(phrases map[string]*phrase) dictionary {
	d := dictionary{}
	for _, k := range slices.Sorted(maps.Keys(phrases)) {
		p := phrases[k]
		d[p.words[0]] = append(d[p.words[0]], p)
	}
	for _, all := range d {
		slices.SortStableFunc(all, func(a, b *phrase) int { return len(b.words) - len(a.words) })
	}
	return d
}

// collect makes the dictionary from the first pass.
func (t *Tagger) collect(docs []*data.Document, found [][]data.Span, group []int) dictionary {
	phrases := map[string]*phrase{}
	enter := func(n note, from, to int, s data.Span) {
		size := 0
		for _, w := range n.words[from:to] {
			size += utf8.RuneCountInString(w)
		}
		k := key(n.words[from:to])
		if size < t.config.MinLength || !n.written(from, to) || t.except[k] {
			return
		}
		p := phrases[k]
		if p == nil {
			p = &phrase{words: n.words[from:to], votes: map[string]float64{}}
			phrases[k] = p
		}
		p.votes[s.Type] += s.Score
		p.score = max(p.score, s.Score)
		if v := p.votes[s.Type]; v > p.votes[p.typ] || v == p.votes[p.typ] && s.Type < p.typ || p.typ == "" {
			p.typ = s.Type
		}
	}
	for _, i := range group {
		for _, s := range found[i] {
			if s.Score < t.config.MinScore || len(t.config.Types) > 0 && !slices.Contains(t.config.Types, s.Type) {
				continue
			}
			var n note
			n.read(docs[i].Text[s.Start:s.End])
			if len(n.words) == 0 {
				continue
			}
			enter(n, 0, len(n.words), s)
			if len(n.words) == 1 || !slices.Contains(t.config.Parts, s.Type) {
				continue
			}
			for k, tok := range n.tokens {
				if r, _ := utf8.DecodeRuneInString(n.text[tok.Start:]); unicode.IsUpper(r) {
					enter(n, k, k+1, s)
				}
			}
		}
	}
	return newDictionary(phrases)
}

// each calls f with the phrases in a note from left to right, longest first. It
// considers only occurrences of words [from, to) for which counts returns true.
func (d dictionary) each(n note, counts func(from, to int) bool, f func(p *phrase, from, to int)) {
	for from := 0; from < len(n.words); {
		to := from + 1
		for _, p := range d[n.words[from]] {
			if end := from + len(p.words); n.holds(p, from) && counts(from, end) {
				f(p, from, end)
				to = end
				break
			}
		}
		from = to
	}
}

// holds reports whether a phrase occurs at word from.
func (n note) holds(p *phrase, from int) bool {
	if from+len(p.words) > len(n.words) {
		return false
	}
	for k, w := range p.words {
		if n.words[from+k] != w || k > 0 && !n.adjoining(from+k) {
			return false
		}
	}
	return true
}

// filter leaves out phrases of which the first pass marked at most this share of the
// occurrences, including those in lower case.
func (d dictionary) filter(notes []note, share float64) dictionary {
	marked, total := map[*phrase]int{}, map[*phrase]int{}
	for _, n := range notes {
		d.each(n, func(_, _ int) bool { return true }, func(p *phrase, from, to int) {
			total[p]++
			if slices.Contains(n.marked[from:to], true) {
				marked[p]++
			}
		})
	}
	kept := dictionary{}
	for first, phrases := range d {
		kept[first] = slices.DeleteFunc(slices.Clone(phrases), func(p *phrase) bool {
			return total[p] > 0 && float64(marked[p]) <= share*float64(total[p])
		})
	}
	return kept
}

// add adds the phrases that occur outside of the spans.
func (d dictionary) add(n note, spans []data.Span) []data.Span {
	free := func(from, to int) bool { return n.written(from, to) && !slices.Contains(n.marked[from:to], true) }
	d.each(n, free, func(p *phrase, from, to int) { spans = append(spans, n.span(p, from, to)) })
	data.SortSpans(spans)
	return spans
}

func (n note) span(p *phrase, from, to int) data.Span {
	return data.Span{Start: n.tokens[from].Start, End: n.tokens[to-1].End, Type: p.typ, Score: p.score}
}

// standardize gives each phrase that was found, entirely or in parts, the type and
// extent of the phrase. A span that extends beyond the phrase stays as it is.
func (d dictionary) standardize(n note, spans []data.Span) []data.Span {
	d.each(n, n.written, func(p *phrase, from, to int) {
		whole := n.span(p, from, to)
		first, last := data.Overlapping(spans, whole)
		if first == last || spans[first].Start < whole.Start || spans[last-1].End > whole.End {
			return
		}
		for _, s := range spans[first:last] {
			whole.Score = max(whole.Score, s.Score)
		}
		spans = slices.Replace(spans, first, last, whole)
	})
	return spans
}
