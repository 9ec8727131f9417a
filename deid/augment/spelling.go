package augment

import (
	"math/rand/v2"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/lethe-deid/lethe/data"
)

// rewrite changes how a note is spelt. The note is not used afterwards.
func (o Options) rewrite(d *data.Document, rng *rand.Rand) (_ *data.Document, err error) {
	if o.Typos > 0 {
		if d, err = apply(d, d.Spans, typos(d, o.Typos, rng)); err != nil {
			return nil, err
		}
	}
	if o.Unaccented > 0 && rng.Float64() < o.Unaccented {
		if d, err = respell(d, unaccented); err != nil {
			return nil, err
		}
	}
	switch {
	case o.Capitals > 0 && rng.Float64() < o.Capitals:
		return respell(d, strings.ToUpper)
	case o.LowerCase > 0 && rng.Float64() < o.LowerCase:
		return respell(d, strings.ToLower)
	}
	return d, nil
}

// respell applies a function to each character. The first character of a span is never
// removed, so that no span becomes empty.
func respell(d *data.Document, spell func(string) string) (*data.Document, error) {
	starts := map[int]bool{}
	for _, s := range d.Spans {
		starts[s.Start] = true
	}
	var edits []edit
	for at, r := range d.Text {
		if r == utf8.RuneError {
			continue
		}
		end := at + utf8.RuneLen(r)
		was := d.Text[at:end]
		if is := spell(was); is != was && (is != "" || !starts[at]) {
			edits = append(edits, edit{at, end, is})
		}
	}
	return apply(d, d.Spans, edits)
}

// unaccented returns a Latin letter without its accent, "" for an accent that is a
// character of its own (Combining Diacritical Marks), and any other character unchanged.
func unaccented(s string) string {
	first, size := utf8.DecodeRuneInString(norm.NFD.String(s))
	switch {
	case 0x300 <= first && first < 0x370:
		return ""
	case size < len(s) && unicode.Is(unicode.Latin, first):
		return string(first)
	}
	return s
}

// minTypo is the number of letters of the shortest words with typing errors: in a
// shorter word, an error makes another word or an abbreviation.
const minTypo = 4

// typos makes typing errors in words: two letters are exchanged, or one is left out or
// doubled. The first letter and digits stay, so that a name still looks like one and
// no number changes.
func typos(d *data.Document, rate float64, rng *rand.Rand) (edits []edit) {
	border := map[int]bool{} // words end at the borders of spans
	for _, s := range d.Spans {
		border[s.Start], border[s.End] = true, true
	}
	start := -1
	for at, r := range d.Text + " " {
		if unicode.IsLetter(r) && (start < 0 || !border[at]) {
			if start < 0 {
				start = at
			}
			continue
		}
		if start >= 0 {
			if letters := []rune(d.Text[start:at]); len(letters) >= minTypo && rng.Float64() < rate {
				edits = append(edits, edit{start, at, mistype(letters, rng)})
			}
		}
		start = -1
		if unicode.IsLetter(r) { // a word that begins at a border
			start = at
		}
	}
	return edits
}

func mistype(letters []rune, rng *rand.Rand) string {
	i := 1 + rng.IntN(len(letters)-2)
	switch rng.IntN(3) {
	case 0:
		letters[i], letters[i+1] = letters[i+1], letters[i]
	case 1:
		return string(letters[:i]) + string(letters[i+1:])
	default:
		return string(letters[:i+1]) + string(letters[i:])
	}
	return string(letters)
}
