package deid

import (
	"strings"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/wordlists"
	"github.com/lethe-deid/lethe/deid/replace"
	"github.com/lethe-deid/lethe/deid/surrogate"
)

// withoutKin divides the spans of relatives whose first words are only words for relatives, where these stay, as in "hermana Carmen": only the name behind them is replaced.
func (d *Deidentifier) withoutKin(text string, all []found) []found {
	if d.Exact || d.Replacer == nil {
		return all
	}
	var out []found
	for _, f := range all {
		if at := d.kinEnd(text, f); at > f.Start {
			kin, name := f, f
			kin.End = f.Start + len(strings.TrimRight(text[f.Start:at], " "))
			kin.remains = replace.Whole
			name.Start = at
			out = append(out, kin, name)
			continue
		}
		out = append(out, f)
	}
	return out
}

// kinEnd returns where the name begins in a span with a word for a relative and a name, or the start of the span if nothing of it stays.
func (d *Deidentifier) kinEnd(text string, f found) int {
	if d.sort(f.Type) != data.Family || f.remains == replace.Whole || f.End-f.Start > maxRelative {
		return f.Start
	}
	end, value := f.Start, text[f.Start:f.End]
	for i := strings.IndexByte(value, ' '); i >= 0 && i < len(value); i++ {
		kin := data.Span{Start: f.Start, End: f.Start + i, Type: f.Type}
		if value[i] == ' ' && hasWord(value[i:]) && d.Replacer.Remains(text, kin) == replace.Whole {
			end = kin.End + 1
		}
	}
	first, _, _ := strings.Cut(value, " ")
	if (surrogate.IsSurname(first) || surrogate.IsFirstName(first) && strings.ToLower(first) != first) && !ofSomebody[lastWord(text, f.Start)] { // Nieto and Primo are names, too
		return f.Start
	}
	return end
}

// maxRelative is the maximum number of bytes of a word for a relative and a name.
const maxRelative = 100

// lastWord returns the word that a blank separates from a position, in lower case.
func lastWord(text string, at int) string {
	words := strings.Fields(text[max(0, at-16):at])
	if len(words) == 0 || text[at-1] != ' ' {
		return ""
	}
	return strings.ToLower(words[len(words)-1])
}

// ofSomebody are words before a relative.
var ofSomebody = wordlists.Set("su sus mi mis tu tus un una el la los las del al his her my their our your the a")
