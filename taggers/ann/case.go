package ann

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/taggers/internal/reader"
)

// Networks learn from notes in which capitals tell names from words, and lose much of what they know in notes without them. With Config.RestoreCase, such notes are
// read twice: as they are, and with the case of each word restored.

const (
	// minLine is the number of words from which on a line of capitals in another note is restored; shorter ones are headings.
	minLine = 6
	// others is the number of words in one form for which one in another form is tolerated.
	others = 20
)

// restored returns the document of a text with the case of its words restored where it has none: in notes of capitals, in notes without any, and in long lines of
// capitals. It returns nil if that changes nothing. It also returns the reading of which the features are drawn. That is the one with more capitals, because lists
// of names require them.
func (t *Tagger) restored(x reader.Text) (doc *data.Document, cased reader.Text) {
	var n counts
	var lines [][]data.Token // of capitals
	for line := range tokensOfLines(x) {
		c := count(x.Doc.Text, line)
		if c[capitals] >= minLine && c.all(capitals) {
			lines = append(lines, line)
		}
		for form, words := range c {
			n[form] += words
		}
	}
	only := capitals
	switch {
	case n.all(capitals):
		lines = [][]data.Token{x.Tokens}
	case n.all(lower):
		lines, only = [][]data.Token{x.Tokens}, lower
	case lines == nil:
		return nil, x
	}
	text := []byte(x.Doc.Text)
	for _, line := range lines {
		for _, token := range line {
			if word := x.Doc.Text[token.Start:token.End]; formOf(word) == only {
				copy(text[token.Start:token.End], t.vocabulary.restore(word))
			}
		}
	}
	if string(text) == x.Doc.Text {
		return nil, x
	}
	again := *x.Doc
	again.Text = string(text)
	if cased = x; only == lower {
		cased.Doc = &again
	}
	return &again, cased
}

// tokensOfLines yields the tokens of each line that has any.
func tokensOfLines(x reader.Text) iter.Seq[[]data.Token] {
	return func(yield func([]data.Token) bool) {
		from := 0
		for i := 1; i < len(x.Tokens); i++ {
			if strings.IndexByte(x.Doc.Text[x.Tokens[i-1].End:x.Tokens[i].Start], '\n') >= 0 {
				if !yield(x.Tokens[from:i]) {
					return
				}
				from = i
			}
		}
		if from < len(x.Tokens) {
			yield(x.Tokens[from:])
		}
	}
}

// form is how a word is written.
type form int

const (
	lower    form = iota
	title         // only the first letter is a capital
	capitals      // of two letters at least
	mixed         // or no word of two letters
	forms
)

func formOf(word string) form {
	first, size := utf8.DecodeRuneInString(word)
	if size == len(word) || !unicode.IsLetter(first) {
		return mixed
	}
	upperRest, lowerRest := false, false
	for _, r := range word[size:] {
		upperRest, lowerRest = upperRest || unicode.IsUpper(r), lowerRest || unicode.IsLower(r)
	}
	switch {
	case unicode.IsUpper(first) && !upperRest:
		return title
	case unicode.IsUpper(first) && !lowerRest:
		return capitals
	case !upperRest:
		return lower
	}
	return mixed
}

// counts are the numbers of words by form.
type counts [forms]int

func count(text string, tokens []data.Token) (n counts) {
	for _, token := range tokens {
		n[formOf(text[token.Start:token.End])]++
	}
	return n
}

// all reports whether nearly all words have a form. In notes in lower case, any number of words may be in capitals, which abbreviations are.
func (n counts) all(of form) bool {
	rest := n[title]
	if of == capitals {
		rest += n[lower]
	}
	return n[of] > 0 && others*rest <= n[of]
}

// restore returns a word in the case in which it is the most frequent in the training notes. One that is not in the vocabulary, and is longer than
// most abbreviations, is taken for a name. The word keeps its length in bytes.
func (v *vocabulary) restore(word string) string {
	inLower := strings.ToLower(word)
	_, size := utf8.DecodeRuneInString(inLower)
	inTitle := strings.ToUpper(inLower[:size]) + inLower[size:]
	best, rank := "", uint32(0)
	for _, form := range []string{inLower, inTitle, strings.ToUpper(word)} {
		if n := v.tokenID.Find(form); n > 0 && (rank == 0 || n < rank) {
			best, rank = form, n
		}
	}
	if rank == 0 && utf8.RuneCountInString(word) > 3 {
		best = inTitle
	}
	if len(best) != len(word) {
		return word
	}
	return best
}
