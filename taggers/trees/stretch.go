package trees

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/taggers/internal/reader"
)

// stretch is a note, or a part of a huge note, with what attributes read of it.
type stretch struct {
	reader.Text
	words   []string               // the tokens as they are written
	ids     []int32                // by token: the number of its normalised form in the vocabulary, or unknown
	line    []int                  // by token: the number of its line, from 0
	heading []under                // by token
	byRule  []map[string][]float32 // by rule set and type: see ruleMatches; computed when it is needed
	byList  [][]float32            // by list: see listMatches; computed when it is needed
	gold    *gold                  // nil unless the text is learnt from
	trusted *trusted               // phrases of the patient's or the note's structured parts; nil in the first iteration
}

// gold is the annotation of a text.
type gold struct {
	labels  []int32 // by token: index in learned.labels
	classes []int32 // by token: index in learned.classes
	phrases []goldPhrase
}

// goldPhrase is tokens [from, to). Phrases are within sentences.
type goldPhrase struct {
	from, to int
	class    int32
}

// unknown is the number of a word that is not in the vocabulary.
const unknown = -1

func newStretch(r reader.Text, l *learned) *stretch {
	x := &stretch{Text: r, words: make([]string, len(r.Tokens)), ids: make([]int32, len(r.Tokens)), line: make([]int, len(r.Tokens))}
	for t, tok := range r.Tokens {
		x.words[t] = r.Doc.Text[tok.Start:tok.End]
		if t > 0 {
			x.line[t] = x.line[t-1] + strings.Count(x.gap(t), "\n")
		}
	}
	if l != nil {
		x.know(l)
	}
	return x
}

// know looks up the words and headings.
func (x *stretch) know(l *learned) {
	for t, w := range x.words {
		x.ids[t] = unknown
		if id, ok := l.numbers[normal(w)]; ok {
			x.ids[t] = id
		}
	}
	x.heading = l.under(x)
}

// gap returns the characters between a token and the one before.
func (x *stretch) gap(t int) string {
	if t == 0 {
		return ""
	}
	return x.Doc.Text[x.Tokens[t-1].End:x.Tokens[t].Start]
}

// maxWord is the length in bytes above which words are not looked up.
const maxWord = 64

// normal returns the form in which words are compared: lower case, with 0 instead of
// digits, so that no number becomes part of the vocabulary.
func normal(w string) string {
	if len(w) > maxWord {
		return ""
	}
	plain := true
	for i := range len(w) {
		if b := w[i]; b >= utf8.RuneSelf || b >= 'A' && b <= 'Z' || b >= '1' && b <= '9' {
			plain = false
			break
		}
	}
	if plain {
		return w
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return '0'
		}
		return unicode.ToLower(r)
	}, w)
}

// letters reports whether a token consists of letters, and whether all are capitals.
func letters(w string) (only, capitals bool) {
	only, capitals = w != "", true
	for _, r := range w {
		if !unicode.IsLetter(r) {
			return false, false
		}
		capitals = capitals && unicode.IsUpper(r)
	}
	return only, only && capitals
}
