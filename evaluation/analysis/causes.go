package analysis

import (
	"strings"
	"unicode"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/evaluation"
)

// Causes counts the gold tokens of each sort, and how many of them were missed:
// the causes of Dernoncourt et al. 2016, Table 6, as far as the training notes
// show them. Tokens are those of evaluation.Tokens. A token is missed if no found
// span, of any type, has exactly this token (the binary token measure). Tokens
// are compared ignoring case and with every digit replaced by 0, because most
// numbers are new.
type Causes struct {
	All   Sorts            `json:"all"` // a token in several gold spans counts once
	Types map[string]Sorts `json:"types"`
}

// Sorts counts gold tokens by sort. Each token belongs to exactly one of the
// first four sorts. Tokens that look like an abbreviation are counted again as
// Abbreviation.
type Sorts struct {
	Unseen       Tokens `json:"unseen"`       // not in the training notes: "data sparsity" in the paper
	NewAsType    Tokens `json:"new_as_type"`  // PHI in at least half of its training occurrences, but never of this type: "data sparsity" as well
	Ambiguous    Tokens `json:"ambiguous"`    // more often outside of PHI than inside in training: "ambiguity" in the paper
	Familiar     Tokens `json:"familiar"`     // PHI of this type in training: the cause must be the context or the annotation
	Abbreviation Tokens `json:"abbreviation"` // two to five capitals in text that also has lower-case letters
}

// Tokens is a number of tokens, and how many of them were missed.
type Tokens struct {
	Tokens int `json:"tokens"`
	Missed int `json:"missed"`
}

// Total returns the sum over the sorts.
func (s Sorts) Total() Tokens {
	return Tokens{
		s.Unseen.Tokens + s.NewAsType.Tokens + s.Ambiguous.Tokens + s.Familiar.Tokens,
		s.Unseen.Missed + s.NewAsType.Missed + s.Ambiguous.Missed + s.Familiar.Missed,
	}
}

// Training contains token statistics of the notes that a system was trained on.
type Training struct{ forms map[string]*form }

// form counts the occurrences of a token.
type form struct {
	outside, inside int // of PHI
	types           map[string]bool
}

// NewTraining counts the tokens of training notes.
func NewTraining(docs []*data.Document) *Training {
	t := &Training{map[string]*form{}}
	for _, d := range docs {
		at := 0 // text before this offset has been counted
		for _, s := range distinct(d.Spans) {
			if at < s.Start {
				t.outside(d.Text[at:s.Start])
			}
			at = max(at, s.End)
			for token := range tokens(d.Text, s) {
				f := t.form(d.Text[token.Start:token.End])
				f.inside++
				if f.types == nil {
					f.types = map[string]bool{}
				}
				f.types[s.Type] = true
			}
		}
		t.outside(d.Text[at:])
	}
	return t
}

func (t *Training) outside(text string) {
	for token := range evaluation.Tokens(text) {
		t.form(text[token.Start:token.End]).outside++
	}
}

func (t *Training) form(token string) *form {
	key := normal(token)
	if t.forms[key] == nil {
		t.forms[key] = &form{}
	}
	return t.forms[key]
}

func normal(token string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return '0'
		}
		return unicode.ToLower(r)
	}, token)
}

// tokens yields the tokens of a span. A span without tokens yields one empty
// token at its end.
func tokens(text string, s data.Span) func(yield func(data.Token) bool) {
	return func(yield func(data.Token) bool) {
		none := true
		for t := range evaluation.Tokens(text[s.Start:s.End]) {
			none = false
			if !yield(data.Token{Start: s.Start + t.Start, End: s.Start + t.End}) {
				return
			}
		}
		if none {
			yield(data.Token{Start: s.End, End: s.End})
		}
	}
}

// sort returns the field of s that a token of this type belongs to.
func (t *Training) sort(s *Sorts, token, typ string) *Tokens {
	f := t.forms[normal(token)]
	switch {
	case f == nil:
		return &s.Unseen
	case f.outside > f.inside:
		return &s.Ambiguous
	case !f.types[typ]:
		return &s.NewAsType
	}
	return &s.Familiar
}

// tally accumulates Causes over documents.
type tally struct {
	training *Training
	Causes
}

func newTally(t *Training) *tally { return &tally{t, Causes{Types: map[string]Sorts{}}} }

// add counts the gold tokens of one document; those that are not in found are
// missed.
func (c *tally) add(d *data.Document, gold, found []data.Span) {
	has := tokenSet(d.Text, found)
	once := map[data.Token]bool{}
	for _, g := range gold {
		sorts := c.Types[g.Type]
		for token := range tokens(d.Text, g) {
			count := func(s *Sorts) {
				to := []*Tokens{c.training.sort(s, d.Text[token.Start:token.End], g.Type)}
				if abbreviation(d.Text, token) {
					to = append(to, &s.Abbreviation)
				}
				for _, t := range to {
					t.Tokens++
					if !has[token] {
						t.Missed++
					}
				}
			}
			count(&sorts)
			if !once[token] {
				once[token] = true
				count(&c.All)
			}
		}
		c.Types[g.Type] = sorts
	}
}

func tokenSet(text string, spans []data.Span) map[data.Token]bool {
	set := map[data.Token]bool{}
	for _, s := range spans {
		for token := range tokens(text, s) {
			set[token] = true
		}
	}
	return set
}

// abbreviation reports whether a token consists of two to five capitals and
// stands in mixed-case text: the nearest word of the same line on at least one
// side has a lower-case letter, or the line has no other words. In a heading that
// is all in capitals, capitals do not indicate an abbreviation.
func abbreviation(text string, t data.Token) bool {
	letters := 0
	for _, r := range text[t.Start:t.End] {
		if !unicode.IsUpper(r) {
			return false
		}
		letters++
	}
	if letters < 2 || letters > 5 {
		return false
	}
	before := text[strings.LastIndexByte(text[:t.Start], '\n')+1 : t.Start]
	after, _, _ := strings.Cut(text[t.End:], "\n")
	left, right := "", ""
	for w := range evaluation.Tokens(before) {
		if word := before[w.Start:w.End]; strings.IndexFunc(word, unicode.IsLetter) >= 0 {
			left = word
		}
	}
	for w := range evaluation.Tokens(after) {
		if word := after[w.Start:w.End]; strings.IndexFunc(word, unicode.IsLetter) >= 0 {
			right = word
			break
		}
	}
	small := func(word string) bool { return strings.IndexFunc(word, unicode.IsLower) >= 0 }
	return left == "" && right == "" || small(left) || small(right)
}
