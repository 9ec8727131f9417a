package deid

import (
	"strings"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/fold"
	"github.com/lethe-deid/lethe/data/wordlists"
	"github.com/lethe-deid/lethe/deid/replace"
	"github.com/lethe-deid/lethe/deid/surrogate"
	"github.com/lethe-deid/lethe/internal/lazyregexp"
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
			if out = append(out, kin); behindKin[fold.Fold(text[at:f.End])] && isLower(text[at:f.End]) { // hijo mediano
				continue
			}
			out = append(out, name)
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
	first, _, _ := strings.Cut(value, " ")
	if motherOfGod.MatchString(value) || d.isBehindKin(text, f, first) {
		return f.Start
	}
	behind := nameBehindKin(value)
	for i := strings.IndexByte(value, ' '); i >= 0 && i < behind; i++ {
		kin := data.Span{Start: f.Start, End: f.Start + i, Type: f.Type}
		if value[i] == ' ' && hasWord(value[i:]) && d.Replacer.Remains(text, kin) == replace.Whole {
			end = kin.End + 1
		}
	}
	if (surrogate.IsSurname(first) || surrogate.IsFirstName(first) && strings.ToLower(first) != first) && !ofSomebody[lastWord(text, f.Start)] { // Nieto and Primo are names, too
		return f.Start
	}
	return end
}

// nameBehindKin returns where the first word begins behind the first one of a span that may be a name, as in "madre Sobrino Ruiz", although it is a word for a relative as well. It returns the
// length of the span if there is none.
func nameBehindKin(value string) int {
	joined := false // to the word before
	for at := strings.IndexByte(value, ' '); at >= 0 && at < len(value); {
		word, _, _ := strings.Cut(value[at+1:], " ")
		if word != "" && !describesKin(word) && (!joined || !isLower(word)) {
			return at + 1
		}
		joined = joinsKin[word]
		at += 1 + len(word)
	}
	return len(value)
}

// isBehindKin reports whether the word before a span is one for a relative, and the first of the span does not describe it: the surname Sobrino in "su madre Sobrino Ruiz".
func (d *Deidentifier) isBehindKin(text string, f found, first string) bool {
	word := lastWord(text, f.Start)
	if word == "" || describesKin(first) || ofSomebody[word] || joinsKin[word] {
		return false
	}
	kin := data.Span{Start: f.Start - 1 - len(word), End: f.Start - 1, Type: f.Type}
	return kin.Start >= 0 && strings.ToLower(text[kin.Start:kin.End]) == word && d.Replacer.Remains(text, kin) == replace.Whole
}

// describesKin reports whether a word describes the relative before it. Some do so only in lower case, because they are surnames, too.
func describesKin(word string) bool {
	return kinAdjectives[fold.Fold(word)] || behindKin[fold.Fold(word)] && isLower(word) || joinsKin[word]
}

func isLower(word string) bool { return strings.ToLower(word) == word }

var (
	kinAdjectives = wordlists.Set("adoptiva adoptivo biologica biologico carnal gemela gemelo materna maternal materno paterna paternal paterno politica politico")
	behindKin     = wordlists.Set("abuela mayor mayores mediana mediano mellizo melliza menor menores pequena pequeno")
	joinsKin      = wordlists.Set("de e el la los mi su sus y")
	// motherOfGod matches a place that begins with a word for a relative.
	motherOfGod = lazyregexp.New(`^(?i:madre de dios)`)
)

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
