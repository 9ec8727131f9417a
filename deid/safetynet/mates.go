package safetynet

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/wordlists"
)

// This file searches for parts of names that are too short, or too ordinary, to be found alone, such as Li, Do and Long. Each has mates, which are the other
// words of the names that it is in, and is found beside one of them, also if a tagger has found that alone.

// mates are the other words of the names with a word, and the type of the names.
type mates struct {
	typ   string
	of    map[string]bool
	given bool // the word is not the last one of one of the names, or stands behind a comma: Lund, Hope
}

// likeParticles are words that are surnames at the end of a name, and particles, titles or the like elsewhere.
var likeParticles = wordlists.Set("al bin da das di do dos du el la le san van von st")

// addMates stores the words of a name that are not found alone.
func (p *Patterns) addMates(name []word, typ string) {
	if len(name) < 2 || len(name) > maxNameWords {
		return
	}
	for i, w := range name {
		length := utf8.RuneCountInString(w.fold)
		last := i == len(name)-1 || name[i+1].comma
		if w.digits || length < 2 || inNames[w.fold] && (!last || !likeParticles[w.fold]) || length >= minWord && !inNames[w.fold] && !ordinary(w.fold) {
			continue
		}
		for _, other := range name {
			if other.fold == w.fold || other.digits || inNames[other.fold] || utf8.RuneCountInString(other.fold) < 2 {
				continue
			}
			if p.mates == nil {
				p.mates = map[string]mates{}
			}
			if p.mates[w.fold].of == nil {
				p.mates[w.fold] = mates{typ: typ, of: map[string]bool{}}
				p.keys.add(w.fold)
			}
			p.mates[w.fold].of[other.fold] = true
		}
		if m, ok := p.mates[w.fold]; ok && !m.given && (!last || slices.ContainsFunc(name[:i+1], func(w word) bool { return w.comma })) {
			m.given = true
			p.mates[w.fold] = m
		}
	}
}

// isMate reports whether a capitalized word is in a name together with one of these words or, for a letter, with one that begins with it.
func (p *Patterns) isMate(w word, of []string) bool {
	if !w.capitalized || !p.keys.has(w.fold) {
		return false
	}
	its := p.mates[w.fold].of
	for _, other := range of {
		if its[other] {
			return true
		}
		for mate := range its {
			if utf8.RuneCountInString(other) == 1 && strings.HasPrefix(mate, other) {
				return true
			}
		}
	}
	return false
}

// behindInitial reports whether word i is an initial with a full stop, and the next word its mate: P. Do.
func (p *Patterns) behindInitial(words []word, i int) bool {
	return len(p.mates) > 0 && isLetter(words[i]) && words[i].dot && i+1 < len(words) && words[i+1].inName && p.isMate(words[i+1], []string{words[i].fold})
}

// besideCovered searches for them directly before and behind covered spans, and for the initials between.
func (p *Patterns) besideCovered(text string, words []word, covered []data.Span) (found []data.Span) {
	if len(p.mates) == 0 || len(words) == 0 {
		return nil
	}
	next := 0 // the first word behind a span
	from, to := data.Overlapping(covered, data.Span{Start: words[0].start - maxGap, End: words[len(words)-1].end + maxGap})
	var of []string // the words of a span, and of those directly before it
	for k := from; k < to; k++ {
		s := covered[k]
		if k == from || !isBehind(text[covered[k-1].Start:covered[k-1].End], text[covered[k-1].End:s.Start]) || len(of) > maxNameWords {
			of = nil
		}
		if s.End-s.Start > longest {
			continue
		}
		for next < len(words) && words[next].start < s.End {
			next++
		}
		of = append(of, foldedWords(text[s.Start:s.End])...)
		if last := p.mateBehind(text, words, next, s, of); last >= 0 {
			found = append(found, data.Span{Start: words[next].start, End: words[last].end, Type: p.mates[words[last].fold].typ, Score: 1})
		}
		before := next - 1
		for before >= 0 && words[before].end > s.Start {
			before--
		}
		if before >= 0 && p.isMate(words[before], of) && isBefore(text[words[before].end:s.Start], ordinary(words[before].fold) || inNames[words[before].fold]) {
			found = append(found, data.Span{Start: words[before].start, End: words[before].end, Type: p.mates[words[before].fold].typ, Score: 1})
		}
	}
	return found
}

// mateBehind returns the index of the mate behind a covered span with these words, of which words[i] is the next; -1 if there is none.
func (p *Patterns) mateBehind(text string, words []word, i int, s data.Span, of []string) int {
	if i == len(words) || !isBehind(text[s.Start:s.End], text[s.End:max(s.End, words[i].start)]) {
		return -1
	}
	for k := i; k < len(words) && k <= i+2; k++ {
		if p.isMate(words[k], of) {
			if strings.Contains(text[s.End:words[k].start], ",") && !p.mates[words[k].fold].given && (ordinary(words[k].fold) || inNames[words[k].fold]) && !isLastWord(text[words[k].end:]) {
				return -1 // Peter, Do not smoke
			}
			return k
		}
		if !isLetter(words[k]) || k+1 == len(words) || !words[k+1].inName {
			return -1
		}
	}
	return -1
}

// isBehind reports whether the text between a part of a name and the word behind it may stand within a name. A full stop may only follow an initial.
func isBehind(part, between string) bool {
	if len(between) == 0 || len(between) > maxGap {
		return false
	}
	letters := part[strings.LastIndexFunc(part, isSeparator)+1:]
	return !strings.ContainsFunc(between, func(r rune) bool {
		return !unicode.IsSpace(r) && !strings.ContainsRune(`,-'’"”()`, r) && (r != '.' || utf8.RuneCountInString(letters) > 1)
	}) && !strings.Contains(between, "\n")
}

// isBefore is isBehind for a word before a part of a name. Behind an ordinary word there must be a comma: Do, Peter.
func isBefore(between string, ordinary bool) bool {
	return len(between) > 0 && len(between) <= maxGap && strings.Trim(between, " \t,(\"“") == "" && (!ordinary || strings.Contains(between, ","))
}

// foldedWords returns the folded words of a text.
func foldedWords(text string) (all []string) {
	for _, w := range split(text) {
		all = append(all, w.fold)
	}
	return all
}
