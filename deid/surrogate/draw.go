package surrogate

import (
	_ "embed"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// random derives 64 bits from the key, the patient, a use, a value and a counter.
func (p *Patient) random(use, value string, counter int) uint64 {
	mac := p.mac
	mac.Reset()
	var n [8]byte
	for _, field := range []string{"lethe surrogate 1", p.group, use, value} { // preceded by their lengths, so that different inputs never give the same bytes
		binary.BigEndian.PutUint64(n[:], uint64(len(field)))
		mac.Write(n[:])
		mac.Write([]byte(field))
	}
	binary.BigEndian.PutUint64(n[:], uint64(counter))
	mac.Write(n[:])
	return binary.BigEndian.Uint64(mac.Sum(nil))
}

// list is what surrogates are drawn from.
type list struct {
	name    string
	entries []string
	folded  []string // the entries
}

func (l *list) add(entry, folded string) {
	l.entries, l.folded = append(l.entries, entry), append(l.folded, folded)
}

// exhausted is a pool for which a list has no entry left.
type exhausted struct {
	pool string
	from *list
}

// draw returns the surrogate of a value in a pool: the entry of the list that the HMAC selects or, if that entry is taken or an original, the next
// free one. An exhausted list is an error.
func (p *Patient) draw(pool, value string, from *list) (string, error) {
	return p.drawUnless(pool, value, from, func(string) bool { return false })
}

// drawUnless is draw, but also skips entries that are unfit.
func (p *Patient) drawUnless(pool, value string, from *list, unfit func(string) bool) (string, error) {
	id := pool + "\x00" + value
	if s, ok := p.memo[id]; ok {
		return s, nil
	}
	n := len(from.entries)
	if !p.exhausted[exhausted{pool, from}] {
		start := int(p.random(pool, value, 0) % uint64(n))
		free := false
		for i := range n {
			k := (start + i) % n
			s, key := from.entries[k], pool+"\x00"+from.folded[k]
			if p.taken[key] != "" || p.original(from.folded[k]) {
				continue
			}
			if free = true; unfit(s) {
				continue
			}
			p.taken[key] = id
			p.memo[id] = s
			return s, nil
		}
		p.exhausted[exhausted{pool, from}] = !free
	}
	return "", fmt.Errorf("the list %s of surrogates is exhausted: each of its %d entries is taken or is an original", from.name, n)
}

//go:embed lists/scripts.txt
var scriptLists string

// addEntries appends entries to a list, except those that it already has.
func addEntries(lists map[string]*list, name string, entries []string) {
	seen := map[string]bool{}
	l := lists[name]
	if l == nil {
		l = &list{name: name}
		lists[name] = l
	}
	for _, e := range l.folded {
		seen[e] = true
	}
	for _, e := range entries {
		if e = strings.TrimSpace(e); e != "" && !seen[fold(e)] {
			seen[fold(e)] = true
			l.add(e, fold(e))
		}
	}
}

// addSections appends the sections of a text to lists. The name of each list is prefix followed by the name of the section.
func addSections(lists map[string]*list, prefix, text string) {
	for name, entries := range sections(text) {
		addEntries(lists, prefix+name, entries)
	}
}

// abbreviations is the list of two-letter abbreviations of states.
const abbreviations = "state-abbreviation"

// ListNames returns the names of the lists that surrogates are drawn from, sorted.
func ListNames() []string { return slices.Sorted(maps.Keys(builtin().drawn)) }

// List returns a copy of the entries of a list; none if there is no list of that name.
func List(name string) []string {
	l := builtin().drawn[name]
	if l == nil {
		return nil
	}
	return slices.Clone(l.entries)
}

func (l *languages) newLists(own map[string][]string) (map[string]*list, error) {
	lists := maps.Clone(l.drawn)
	for _, name := range slices.Sorted(maps.Keys(own)) {
		if lists[name] == nil {
			return nil, fmt.Errorf("no list %q of surrogates (have %s)", name, strings.Join(slices.Sorted(maps.Keys(l.drawn)), ", "))
		}
		checked := &list{name: name}
		seen := map[string]bool{}
		for i, e := range own[name] {
			switch e = strings.TrimSpace(e); {
			case !IsEntry(e):
				return nil, fmt.Errorf("list %s of surrogates: entry %d has no letter, or a control character", name, i+1)
			case name == abbreviations && (len(e) != 2 || strings.Trim(strings.ToLower(e), "abcdefghijklmnopqrstuvwxyz") != ""):
				return nil, fmt.Errorf("list %s of surrogates: entry %d is not two letters from A to Z", name, i+1)
			}
			if !seen[fold(e)] {
				seen[fold(e)] = true
				checked.add(e, fold(e))
			}
		}
		if len(checked.entries) == 0 {
			return nil, fmt.Errorf("list %s of surrogates is empty", name)
		}
		lists[name] = checked
	}
	for _, lang := range l.all {
		given, unisex := string(lang.code)+"-given", string(lang.code)+"-unisex"
		if own[given] != nil && own[unisex] == nil { // also for first names that women and men have
			lists[unisex] = lists[given]
		}
	}
	return lists, nil
}

// IsEntry reports whether a string may be an entry of a list: valid UTF-8 with at least one letter and no control characters.
func IsEntry(s string) bool {
	return utf8.ValidString(s) && strings.ContainsFunc(s, unicode.IsLetter) && !strings.ContainsFunc(s, unicode.IsControl)
}

// list returns a list in the language of the notes; nil if there is none.
func (m *Maker) list(name string) *list { return m.lists[string(m.lang.code)+"-"+name] }
