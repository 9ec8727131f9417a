// Package secondpass finds PHI that stands without a local cue by what a first
// tagger found elsewhere in the notes of the same patient (Dehghan et al. 2015,
// section 2 (IV)): "Seen by Dr. Amundsen" makes "amundsen agrees" a doctor.
package secondpass

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/tokenize"
	"github.com/lethe-deid/lethe/taggers"
)

// What goes together.
const (
	ByPatient  = "patient"
	ByDocument = "document"
)

// Config is what a user chooses, besides the first tagger.
type Config struct {
	By       string   `yaml:"by"`        // patient (default): the dictionary is drawn from all notes of one; or document
	Types    []string `yaml:"types"`     // whose spans enter the dictionary; default all
	MinScore float64  `yaml:"min_score"` // of the spans that do; default 0.5
	// MinLength is the letters and digits that a phrase must have to enter; default
	// 4. Phrases in lower case do not enter.
	MinLength int `yaml:"min_length"`
	// Parts says of which types the words of a phrase enter as well, if they begin
	// with a capital and have MinLength letters: those of names.
	Parts []string `yaml:"parts"`
	// Except is phrases that never enter, since they mean other things as well; case
	// does not matter.
	Except []string `yaml:"except"`
	// MinShare leaves out what the first tagger mostly passed over: of a phrase's
	// occurrences in the notes it must have marked more than this share; default 0.
	MinShare float64 `yaml:"min_share"`
	// Standardize gives all occurrences of a phrase the type that most of its spans
	// have (Szarvas et al. 2006, section 4.4), so that it also changes types; default
	// false.
	Standardize bool `yaml:"standardize"`
}

// DefaultConfig is the second pass over a patient's notes.
func DefaultConfig() Config { return Config{By: ByPatient, MinScore: 0.5, MinLength: 4} }

// Validate names the first key that makes no sense.
func (c Config) Validate() error {
	switch {
	case c.By != ByPatient && c.By != ByDocument:
		return fmt.Errorf("by: %q is not patient or document", c.By)
	case !(c.MinScore >= 0 && c.MinScore <= 1):
		return fmt.Errorf("min_score: %v is not in [0, 1]", c.MinScore)
	case c.MinLength < 1:
		return fmt.Errorf("min_length: %d is not positive", c.MinLength)
	case !(c.MinShare >= 0 && c.MinShare < 1):
		return fmt.Errorf("min_share: %v is not in [0, 1)", c.MinShare)
	}
	for _, t := range c.Parts {
		if len(c.Types) > 0 && !slices.Contains(c.Types, t) {
			return fmt.Errorf("parts: %s is not one of the types", t)
		}
	}
	return nil
}

// Tagger is a first tagger and the second pass over what it found. It may be
// used by several goroutines at once, if the first may.
type Tagger struct {
	config Config
	first  taggers.Tagger
	except map[string]bool
}

var _ taggers.Tagger = (*Tagger)(nil)

// New makes the tagger of a valid configuration.
func New(c Config, first taggers.Tagger) *Tagger {
	t := &Tagger{c, first, map[string]bool{}}
	for _, phrase := range c.Except {
		t.except[key(phrase, words(phrase))] = true
	}
	return t
}

// Tag implements taggers.Tagger. Notes of a patient must be given in one call to
// know of each other.
func (t *Tagger) Tag(ctx context.Context, docs []*data.Document) ([][]data.Span, error) {
	found, err := t.first.Tag(ctx, docs)
	if err != nil {
		return nil, err
	}
	groups := map[string][]int{}
	var order []string
	for i, d := range docs {
		name := d.Group()
		if t.config.By == ByDocument {
			name = fmt.Sprint(i)
		}
		if groups[name] == nil {
			order = append(order, name)
		}
		groups[name] = append(groups[name], i)
	}
	for _, name := range order {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		t.pass(docs, found, groups[name])
	}
	return found, nil
}

// note is one document cut into words.
type note struct {
	text   string
	tokens []data.Token
}

// pass goes over the notes of one patient.
func (t *Tagger) pass(docs []*data.Document, found [][]data.Span, group []int) {
	phrases := t.collect(docs, found, group)
	if len(phrases.types) == 0 {
		return
	}
	var notes []note
	for _, i := range group {
		notes = append(notes, note{docs[i].Text, words(docs[i].Text)})
	}
	if t.config.MinShare > 0 {
		t.filter(phrases, notes, found, group)
	}
	for n, i := range group {
		found[i] = t.match(phrases, notes[n], found[i])
	}
}

// words cuts at all but letters and digits; what is between words does not
// matter for a match.
func words(text string) []data.Token {
	return slices.DeleteFunc(tokenize.LettersDigits{}.Tokens(text, nil), func(tok data.Token) bool {
		r, _ := utf8.DecodeRuneInString(text[tok.Start:])
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
}

// key is words as they are compared.
func key(text string, tokens []data.Token) string {
	var b strings.Builder
	for i, tok := range tokens {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(strings.ToLower(text[tok.Start:tok.End]))
	}
	return b.String()
}

// dictionary is the phrases of a patient.
type dictionary struct {
	types   map[string]string // type of each phrase, by its key
	scores  map[string]float64
	longest int // in words
}

// collect draws the dictionary from the first pass.
func (t *Tagger) collect(docs []*data.Document, found [][]data.Span, group []int) dictionary {
	type vote struct{ phrase, typ string }
	votes := map[vote]float64{}
	d := dictionary{types: map[string]string{}, scores: map[string]float64{}}
	enter := func(text string, tokens []data.Token, s data.Span) {
		letters := 0
		capital := false
		for _, tok := range tokens {
			for _, r := range text[tok.Start:tok.End] {
				letters++
				capital = capital || unicode.IsUpper(r) || unicode.IsDigit(r) || unicode.IsLetter(r) && !unicode.IsLower(r)
			}
		}
		k := key(text, tokens)
		if letters < t.config.MinLength || !capital || t.except[k] {
			return
		}
		votes[vote{k, s.Type}] += s.Score
		d.scores[k] = max(d.scores[k], s.Score)
		d.longest = max(d.longest, len(tokens))
	}
	for _, i := range group {
		for _, s := range found[i] {
			if s.Score < t.config.MinScore || len(t.config.Types) > 0 && !slices.Contains(t.config.Types, s.Type) {
				continue
			}
			text := docs[i].Text[s.Start:s.End]
			tokens := words(text)
			if len(tokens) == 0 {
				continue
			}
			enter(text, tokens, s)
			if len(tokens) > 1 && slices.Contains(t.config.Parts, s.Type) {
				for k, tok := range tokens {
					if r, _ := utf8.DecodeRuneInString(text[tok.Start:]); unicode.IsUpper(r) {
						enter(text, tokens[k:k+1], s)
					}
				}
			}
		}
	}
	all := make([]vote, 0, len(votes))
	for v := range votes {
		all = append(all, v)
	}
	slices.SortFunc(all, func(a, b vote) int {
		return cmp.Or(cmp.Compare(a.phrase, b.phrase), cmp.Compare(votes[b], votes[a]), cmp.Compare(a.typ, b.typ))
	})
	for _, v := range all {
		if _, ok := d.types[v.phrase]; !ok { // the first has most votes
			d.types[v.phrase] = v.typ
		}
	}
	return d
}

// filter drops the phrases that the first pass mostly passed over.
func (t *Tagger) filter(d dictionary, notes []note, found [][]data.Span, group []int) {
	marked, total := map[string]int{}, map[string]int{}
	for n, i := range group {
		d.each(notes[n], func(k string, start, end int) {
			total[k]++
			if overlaps(found[i], start, end) {
				marked[k]++
			}
		})
	}
	for k := range total {
		if float64(marked[k]) <= t.config.MinShare*float64(total[k]) {
			delete(d.types, k)
		}
	}
}

// each calls f with the longest matches in a note, from left to right.
func (d dictionary) each(n note, f func(key string, start, end int)) {
	for at := 0; at < len(n.tokens); {
		length := 0
		for k := min(d.longest, len(n.tokens)-at); k > 0; k-- {
			phrase := key(n.text, n.tokens[at:at+k])
			if _, ok := d.types[phrase]; ok && adjoining(n, at, k) {
				f(phrase, n.tokens[at].Start, n.tokens[at+k-1].End)
				length = k
				break
			}
		}
		at += max(1, length)
	}
}

// adjoining says whether little but punctuation stands between words: no line
// end, and no more than two characters.
func adjoining(n note, at, k int) bool {
	for i := at + 1; i < at+k; i++ {
		gap := n.text[n.tokens[i-1].End:n.tokens[i].Start]
		if len(gap) > 3 || strings.Contains(gap, "\n") {
			return false
		}
	}
	return true
}

// match adds to a note's spans what the dictionary finds outside of them.
func (t *Tagger) match(d dictionary, n note, spans []data.Span) []data.Span {
	spans = slices.Clone(spans)
	if t.config.Standardize {
		for i, s := range spans {
			text := n.text[s.Start:s.End]
			if typ, ok := d.types[key(text, words(text))]; ok {
				spans[i].Type = typ
			}
		}
	}
	var added []data.Span
	d.each(n, func(k string, start, end int) {
		if !overlaps(spans, start, end) && written(n.text[start:end]) {
			added = append(added, data.Span{Start: start, End: end, Type: d.types[k], Score: d.scores[k]})
		}
	})
	spans = append(spans, added...)
	data.SortSpans(spans)
	return spans
}

// written says whether an occurrence is written as a name or a number is: it is
// not all in lower case.
func written(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool {
		return unicode.IsUpper(r) || unicode.IsDigit(r) || unicode.IsLetter(r) && !unicode.IsLower(r)
	})
}

// overlaps says whether any of the sorted spans overlaps the range.
func overlaps(spans []data.Span, start, end int) bool {
	i, _ := slices.BinarySearchFunc(spans, start, func(s data.Span, at int) int {
		if s.End <= at {
			return -1
		}
		return 1
	})
	return i < len(spans) && spans[i].Start < end
}
