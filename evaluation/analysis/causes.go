package analysis

import (
	"strings"
	"unicode"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/evaluation"
)

// Causes says of which sort the tokens of the gold spans are, and how many of
// each sort were missed: the causes of Dernoncourt et al. 2016, Table 6, so far
// as the training notes tell them. A token is one of evaluation.Tokens, and is
// missed when no found span has just this token, of whatever type: the binary
// token measure. Tokens are compared without regard to case, and with every
// digit as 0, since most numbers are new.
type Causes struct {
	All   Sorts            `json:"all"` // a token in several gold spans counts once
	Types map[string]Sorts `json:"types"`
}

// Sorts is gold tokens by sort. Each token is of one of the first four; those
// that look like an abbreviation are counted again by themselves.
type Sorts struct {
	Unseen       Tokens `json:"unseen"`       // not in the training notes: the paper's data sparsity
	NewAsType    Tokens `json:"new_as_type"`  // PHI there at least half of the time, but never of this type: the same
	Ambiguous    Tokens `json:"ambiguous"`    // there more often outside of PHI than inside: the paper's ambiguity
	Familiar     Tokens `json:"familiar"`     // PHI of this type there: what is left to blame is the context, or the annotation
	Abbreviation Tokens `json:"abbreviation"` // two to five capitals, in text that has small letters too
}

// Tokens is how many there are, and how many of them were missed.
type Tokens struct {
	Tokens int `json:"tokens"`
	Missed int `json:"missed"`
}

// Total is the tokens of all sorts.
func (s Sorts) Total() Tokens {
	return Tokens{
		s.Unseen.Tokens + s.NewAsType.Tokens + s.Ambiguous.Tokens + s.Familiar.Tokens,
		s.Unseen.Missed + s.NewAsType.Missed + s.Ambiguous.Missed + s.Familiar.Missed,
	}
}

// Training is what notes that a system was trained on say of tokens.
type Training struct{ forms map[string]*form }

// form is where a token occurs.
type form struct {
	outside, inside int // of PHI
	types           map[string]bool
}

// NewTraining counts the tokens of training notes.
func NewTraining(docs []*data.Document) *Training {
	t := &Training{map[string]*form{}}
	for _, d := range docs {
		at := 0 // text before this is counted
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

// tokens yields those of a span; one without any has an empty token at its end.
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

// sort is the field of Sorts that a token of a type belongs to.
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

// tally adds up causes.
type tally struct {
	training *Training
	Causes
}

func newTally(t *Training) *tally { return &tally{t, Causes{Types: map[string]Sorts{}}} }

// add counts the tokens of one document, missed where they are not in found.
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

// abbreviation says whether a token is two to five capitals, where that means
// something: the nearest word of the same line on one side at least has a small
// letter, or there is none. In a heading of capitals it means nothing.
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
