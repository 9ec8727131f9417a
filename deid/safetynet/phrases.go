package safetynet

import (
	"bytes"
	"fmt"
	"maps"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/internal/bounded"
)

// Phrases is a list of words and phrases from the user that are always PHI, or never. It is safe
// for concurrent use.
type Phrases struct {
	Other   string            // the type of entries without one
	entries map[string]listed // keys are the folded words of an entry, joined by spaces
	longest map[string]int    // number of words of the longest entry that begins with a word
	running map[string]string // types of entries in scripts that do not separate words
}

// listed is one entry of a list.
type listed struct {
	typ   string
	exact string // the entry as written, with signs, if it has at most exactSize letters, all of them capitals
	sign  int    // number of bytes of signs at the beginning of exact
}

// exactSize is the maximum number of letters of an entry in capitals that is found in capitals
// only: AB does not match "ab".
const exactSize = 4

// maxEntryWords is the maximum number of words of an entry, because each place where its first word stands is compared with all of them.
const maxEntryWords = 64

// ReadPhrases reads files with one entry per line, in UTF-8; it ignores blank lines and lines that begin
// with #. An entry may begin with a type of the set and a colon, as in "HOSPITAL: ivory castle";
// otherwise it has the type other, which may be empty. Without a file the list is nil. Errors name
// the file and the line.
//
// Entries are found as whole words, whatever their case and accents and whatever separates
// their words. An entry of up to four capitals is found in capitals only.
func ReadPhrases(paths []string, types *data.TypeSet, other string) (*Phrases, error) {
	if len(paths) == 0 {
		return nil, nil
	}
	p := newPhrases(other)
	for _, path := range paths {
		if err := p.read(path, types, other); err != nil {
			return nil, err
		}
	}
	return p, nil
}

func newPhrases(other string) *Phrases {
	return &Phrases{Other: other, entries: map[string]listed{}, longest: map[string]int{}, running: map[string]string{}}
}

// With returns a list with more entries, which are written as in a file. p may be nil; it does not change. Errors name an entry by
// its place, from 0.
func (p *Phrases) With(entries []string, types *data.TypeSet, other string) (*Phrases, error) {
	if len(entries) == 0 {
		return p, nil
	}
	all := newPhrases(other)
	if p != nil {
		all = &Phrases{other, maps.Clone(p.entries), maps.Clone(p.longest), maps.Clone(p.running)}
	}
	for i, entry := range entries {
		entry = strings.TrimSpace(entry)
		if !utf8.ValidString(entry) || strings.ContainsAny(entry, "\x00\r\n") {
			return nil, fmt.Errorf("entry %d is not one line of text in UTF-8", i)
		}
		if reason := all.add(entry, types, other); reason != "" {
			return nil, fmt.Errorf("entry %d: %s", i, reason)
		}
	}
	return all, nil
}

// read adds the entries of a file.
func (p *Phrases) read(path string, types *data.TypeSet, other string) error {
	raw, err := bounded.ReadFile(path, bounded.MaxConfig)
	if err != nil {
		return err
	}
	before := len(p.entries) + len(p.running)
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
		default:
			reason = p.add(entry, types, other)
		}
		if reason != "" {
			return &data.Error{Path: path, Line: i + 1, Offset: -1, Reason: reason}
		}
	}
	if len(p.entries)+len(p.running) == before {
		return fmt.Errorf("%s: contains no entry", path)
	}
	return nil
}

// add adds an entry. If the entry is invalid, it returns the reason.
func (p *Phrases) add(entry string, types *data.TypeSet, other string) (reason string) {
	e := listed{typ: other}
	if typ, rest, ok := strings.Cut(entry, ":"); ok {
		name := strings.ToUpper(strings.TrimSpace(typ))
		switch {
		case strings.ContainsAny(name, " \t"):
		case types.Has(typ) && typ == name:
			e.typ, entry = typ, strings.TrimSpace(rest)
		case types.Has(name) && (len(types.Types) > 0 || types.SortOf(name) != ""), typ == name && len(typ) > 2 && strings.HasPrefix(rest, " "):
			return "the word before the colon is not a type of the model (types are in capitals, directly before the colon)"
		}
	}
	words := split(entry)
	if len(words) == 0 {
		return "an entry requires a letter or a digit"
	}
	if strings.ContainsFunc(entry, runsOn) {
		p.running[entry] = e.typ
		return ""
	}
	if len(words) > maxEntryWords {
		return fmt.Sprintf("an entry may have at most %d words", maxEntryWords)
	}
	if len(words) == 1 && utf8.RuneCountInString(words[0].fold) <= exactSize && strings.ToUpper(entry) == entry && strings.ContainsFunc(entry, unicode.IsLetter) {
		e.exact, e.sign = entry, words[0].start
	}
	key := joined(words)
	if old, ok := p.entries[key]; ok {
		if old.exact != e.exact {
			e.exact = "" // AB and ab are both entries
		}
		if e.typ == other {
			e.typ = old.typ // an explicit type takes precedence
		}
	}
	p.entries[key] = e
	p.longest[words[0].fold] = max(p.longest[words[0].fold], len(words))
	return ""
}

// runsOn reports whether a letter belongs to a script that does not separate words.
func runsOn(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

func joined(words []word) string {
	all := make([]string, len(words))
	for i, w := range words {
		all[i] = w.fold
	}
	return strings.Join(all, " ")
}

// Shared returns the number of entries that are in both lists.
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
	for entry := range p.running {
		if _, ok := other.running[entry]; ok {
			n++
		}
	}
	return n
}

// Find returns the occurrences of entries in a text, the longest at each position, sorted and
// disjoint.
func (p *Phrases) Find(text string) []data.Span {
	if p == nil {
		return nil
	}
	var found []data.Span
	for from := 0; from < len(text); {
		to := windowEnd(text, from)
		words := appendWords(nil, text, from, to, nil)
		for i := 0; i < len(words); i++ {
			if last, span, ok := p.at(text, words, i); ok {
				found = append(found, span)
				i = last
			}
		}
		from = to
	}
	for entry, typ := range p.running {
		for at := 0; ; {
			i := strings.Index(text[at:], entry)
			if i < 0 {
				break
			}
			found = append(found, data.Span{Start: at + i, End: at + i + len(entry), Type: typ, Score: 1})
			at += i + len(entry)
		}
	}
	if len(p.running) > 0 {
		found = data.Flatten(found)
	}
	return found
}

// at finds the longest entry that begins at word i. Any signs may separate its words.
func (p *Phrases) at(text string, words []word, i int) (last int, span data.Span, ok bool) {
	most := min(p.longest[words[i].fold], len(words)-i)
	var key []byte
	for k := i; k < i+most && (k == i || words[k].start-words[k-1].end <= maxGap); k++ {
		if k > i {
			key = append(key, ' ')
		}
		key = append(key, words[k].fold...)
		e, found := p.entries[string(key)]
		if !found {
			continue
		}
		s := data.Span{Start: words[i].start, End: words[k].end, Type: e.typ, Score: 1}
		if e.exact != "" {
			s.Start -= e.sign
			if s.Start < 0 || !strings.HasPrefix(text[s.Start:], e.exact) {
				continue
			}
			s.End = s.Start + len(e.exact)
		}
		last, span, ok = k, s, true
	}
	return last, span, ok
}
