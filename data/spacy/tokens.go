package spacy

import (
	"unicode"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/tokenize"
)

// token is a token of spaCy. A document's text is that of its tokens, each followed by a space if it has one.
type token struct {
	data.Token
	space bool
}

// tokensOf divides the text into tokens, at which the sorted spans begin and end. White space becomes tokens, except for a
// space directly after a token, unless a span begins before it or ends after it.
func tokensOf(text string, spans []data.Span) []token {
	begins, ends := make([]bool, len(text)+1), make([]bool, len(text)+1)
	for _, s := range spans {
		begins[s.Start], ends[s.End] = true, true
	}
	var all []token
	add := func(from, to int) { // cut at the spans
		for at := from; at < to; {
			next := at + 1
			for next < to && !begins[next] && !ends[next] {
				next++
			}
			all = append(all, token{Token: data.Token{Start: at, End: next}})
			at = next
		}
	}
	done := 0
	blank := func(to int) {
		if done < to && text[done] == ' ' && len(all) > 0 && all[len(all)-1].End == done && !begins[done] && !ends[done+1] {
			all[len(all)-1].space = true
			done++
		}
		add(done, to)
		done = to
	}
	for _, t := range (tokenize.PTB{}).Tokens(text, nil) {
		blank(t.Start)
		for done < t.End { // a token may contain white space, such as that of a telephone number
			r, size := utf8.DecodeRuneInString(text[done:t.End])
			word := !unicode.IsSpace(r)
			end := done
			for end < t.End && unicode.IsSpace(r) != word {
				end += size
				r, size = utf8.DecodeRuneInString(text[end:t.End])
			}
			if word {
				add(done, end)
				done = end
			} else {
				blank(end)
			}
		}
	}
	blank(len(text))
	return all
}
