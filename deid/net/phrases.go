package net

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/internal/bounded"
)

// Phrases is a list of words and phrases that a user gives: always PHI, or never. It serves
// many goroutines.
type Phrases struct {
	entries map[string][]listed // by the folded first word
}

// listed is one entry of a list.
type listed struct {
	words []string // folded
	typ   string
	exact string // of an entry of at most exactSize letters, all of them capitals: as it is written
}

// exactSize is up to how many letters an entry in capitals is found in capitals only: AB is not "ab".
const exactSize = 4

// NewPhrases makes a list without entries.
func NewPhrases() *Phrases { return &Phrases{entries: map[string][]listed{}} }

// Read adds the entries of a file: one entry per line, in UTF-8; blank lines and lines that begin
// with # are left out. An entry may begin with a type of the set and a colon, as in
// "HOSPITAL: ivory castle"; otherwise it has the type other, which may be empty. Errors name the
// line.
//
// Entries are found as whole words, whatever their case and accents and whatever separates
// their words. An entry of up to four capitals is found in capitals only.
func (p *Phrases) Read(path string, types *data.TypeSet, other string) error {
	raw, err := bounded.ReadFile(path, bounded.MaxConfig)
	if err != nil {
		return err
	}
	entries := 0
	raw = bytes.TrimPrefix(raw, []byte("\uFEFF"))
	for i, line := range strings.Split(string(raw), "\n") {
		fail := func(reason string) error { return &data.Error{Path: path, Line: i + 1, Offset: -1, Reason: reason} }
		entry := strings.TrimSpace(line)
		switch {
		case !utf8.ValidString(line):
			return fail("invalid UTF-8")
		case strings.ContainsRune(line, 0):
			return fail("a NUL byte: the file is not text in UTF-8")
		case strings.Contains(entry, "\r"):
			return fail("a carriage return within a line: lines must end in LF or CR LF")
		case entry == "" || entry[0] == '#':
			continue
		}
		e := listed{typ: other}
		if typ, rest, ok := strings.Cut(entry, ":"); ok && typ == strings.ToUpper(typ) && types.Has(typ) {
			e.typ, entry = typ, strings.TrimSpace(rest)
		}
		for _, w := range split(entry, 0, len(entry), nil) {
			e.words = append(e.words, w.fold)
		}
		if len(e.words) == 0 {
			return fail("an entry without a letter or a digit")
		}
		if len(e.words) == 1 && utf8.RuneCountInString(entry) <= exactSize && strings.ToUpper(entry) == entry && strings.ContainsFunc(entry, unicode.IsLetter) {
			e.exact = entry
		}
		if !slices.ContainsFunc(p.entries[e.words[0]], func(o listed) bool { return slices.Equal(o.words, e.words) }) {
			p.entries[e.words[0]] = append(p.entries[e.words[0]], e)
		}
		entries++
	}
	if entries == 0 {
		return fmt.Errorf("%s: holds no entry", path)
	}
	return nil
}

// Shared counts the entries that both lists hold.
func (p *Phrases) Shared(other *Phrases) int {
	if p == nil || other == nil {
		return 0
	}
	n := 0
	for first, entries := range p.entries {
		for _, e := range entries {
			if slices.ContainsFunc(other.entries[first], func(o listed) bool { return slices.Equal(o.words, e.words) }) {
				n++
			}
		}
	}
	return n
}

// Find returns where entries stand in a text, the longest at each place, sorted and disjoint.
func (p *Phrases) Find(text string) []data.Span {
	if p == nil {
		return nil
	}
	var found []data.Span
	for from := 0; from < len(text); {
		to := windowEnd(text, from)
		words := split(text, from, to, nil)
		for i := 0; i < len(words); i++ {
			best, typ := -1, ""
			for _, e := range p.entries[words[i].fold] {
				last, ok := e.at(words, i)
				if ok && last > best && (e.exact == "" || text[words[i].start:words[i].end] == e.exact) {
					best, typ = last, e.typ
				}
			}
			if best >= 0 {
				found = append(found, data.Span{Start: words[i].start, End: words[best].end, Type: typ, Score: 1})
				i = best
			}
		}
		from = to
	}
	return found
}

// at reports whether the entry stands at word i, and where its last word is. Any signs may stand between its words.
func (e listed) at(words []word, i int) (int, bool) {
	for k, want := range e.words {
		if i+k >= len(words) || words[i+k].fold != want || k > 0 && words[i+k].start-words[i+k-1].end > maxGap {
			return 0, false
		}
	}
	return i + len(e.words) - 1, true
}
