package net

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/internal/bounded"
)

// Phrases is a list of words and phrases that a user gives: always PHI, or never. It serves
// many goroutines once it is read.
type Phrases struct {
	entries map[string]listed // by their folded words, joined by spaces
	longest map[string]int    // how many words the longest entry has that begins with a word
}

// listed is one entry of a list.
type listed struct {
	typ   string
	exact string // of an entry of at most exactSize letters, all of them capitals: as it is written
}

// exactSize is up to how many letters an entry in capitals is found in capitals only: AB is not "ab".
const exactSize = 4

// NewPhrases makes a list without entries.
func NewPhrases() *Phrases {
	return &Phrases{entries: map[string]listed{}, longest: map[string]int{}}
}

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
	before := len(p.entries)
	raw = bytes.TrimPrefix(raw, []byte("\uFEFF"))
	for i, line := range strings.Split(string(raw), "\n") {
		entry := strings.TrimSpace(line)
		reason := ""
		switch {
		case !utf8.ValidString(line):
			reason = "invalid UTF-8"
		case strings.ContainsRune(line, 0):
			reason = "a NUL byte: the file is not text in UTF-8"
		case strings.Contains(entry, "\r"):
			reason = "a carriage return within a line: lines must end in LF or CR LF"
		case entry == "" || entry[0] == '#':
			continue
		case !p.add(entry, types, other):
			reason = "an entry without a letter or a digit"
		}
		if reason != "" {
			return &data.Error{Path: path, Line: i + 1, Offset: -1, Reason: reason}
		}
	}
	if len(p.entries) == before {
		return fmt.Errorf("%s: holds no entry", path)
	}
	return nil
}

// add adds an entry, and reports whether it has a word.
func (p *Phrases) add(entry string, types *data.TypeSet, other string) bool {
	e := listed{typ: other}
	if typ, rest, ok := strings.Cut(entry, ":"); ok && typ == strings.ToUpper(typ) && types.Has(typ) {
		e.typ, entry = typ, strings.TrimSpace(rest)
	}
	words := split(entry, 0, len(entry), nil)
	if len(words) == 0 {
		return false
	}
	if len(words) == 1 && utf8.RuneCountInString(entry) <= exactSize && strings.ToUpper(entry) == entry && strings.ContainsFunc(entry, unicode.IsLetter) {
		e.exact = entry
	}
	key := joined(words)
	if old, ok := p.entries[key]; ok && old.exact != e.exact {
		e.exact = "" // AB and ab are both entries
	}
	p.entries[key] = e
	p.longest[words[0].fold] = max(p.longest[words[0].fold], len(words))
	return true
}

func joined(words []word) string {
	all := make([]string, len(words))
	for i, w := range words {
		all[i] = w.fold
	}
	return strings.Join(all, " ")
}

// Shared counts the entries that both lists hold.
func (p *Phrases) Shared(other *Phrases) int {
	if p == nil || other == nil {
		return 0
	}
	n := 0
	for key := range p.entries {
		if _, ok := other.entries[key]; ok {
			n++
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
			if last, typ, ok := p.at(text, words, i); ok {
				found = append(found, data.Span{Start: words[i].start, End: words[last].end, Type: typ, Score: 1})
				i = last
			}
		}
		from = to
	}
	return found
}

// at finds the longest entry that stands at word i. Any signs may stand between its words.
func (p *Phrases) at(text string, words []word, i int) (last int, typ string, ok bool) {
	most := min(p.longest[words[i].fold], len(words)-i)
	for k := 1; k < most; k++ {
		if words[i+k].start-words[i+k-1].end > maxGap {
			most = k
		}
	}
	for n := most; n > 0; n-- {
		e, found := p.entries[joined(words[i:i+n])]
		if found && (e.exact == "" || text[words[i].start:words[i].end] == e.exact) {
			return i + n - 1, e.typ, true
		}
	}
	return 0, "", false
}
