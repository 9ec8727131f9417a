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

// drawing is a pool with a list for it.
type drawing struct {
	pool string
	from *list
}

// draw returns the surrogate of a value in a pool: the entry of the list that the HMAC selects or, if that entry is taken or an original, the next
// free one. If there is none, it invents another.
func (p *Patient) draw(pool, value string, from *list) string {
	if s, ok := p.drawUnless(pool, value, from, func(string) bool { return false }); ok {
		return s
	}
	return p.invent(pool, value, from)
}

// drawUnless is draw, but skips entries that are unfit, and returns false if there is no other.
func (p *Patient) drawUnless(pool, value string, from *list, unfit func(string) bool) (string, bool) {
	id := pool + "\x00" + value
	if s, ok := p.memo[id]; ok {
		return s, true
	}
	n := len(from.entries)
	if !p.exhausted[drawing{pool, from}] {
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
			return s, true
		}
		p.exhausted[drawing{pool, from}] = !free
	}
	return "", false
}

// invent returns the surrogate of a value for which a list has no entry left: two entries with a hyphen, or a number in brackets like a tag.
func (p *Patient) invent(pool, value string, from *list) string {
	id := pool + "\x00" + value
	take := func(made string) bool {
		key := pool + "\x00" + fold(made)
		if p.taken[key] != "" || p.originals[fold(made)] {
			return false
		}
		p.taken[key], p.memo[id] = id, made
		return true
	}
	for attempt := range maxPairs {
		if made := p.pair(value, drawing{pool, from}, attempt); made != "" && !p.original(fold(made)) && take(made) {
			return made
		}
	}
	_, kind, _ := strings.Cut(from.name, "-")
	for {
		p.numbered[pool]++
		if made := fmt.Sprintf("[%s_%d]", strings.ToUpper(kind), p.numbered[pool]); take(made) {
			return made
		}
	}
}

// maxPairs is the number of pairs that are tried before a value gets a number.
const maxPairs = 50

// unpaired are the kinds of lists of which two entries together make no sense.
var unpaired = set{"state": true, "country": true, "region": true, "abbreviation": true}

// pair joins two entries of a list that are no originals; "" if it has too few.
func (p *Patient) pair(value string, d drawing, attempt int) string {
	if _, kind, _ := strings.Cut(d.from.name, "-"); unpaired[kind] {
		return ""
	}
	fit, ok := p.fit[d]
	if !ok {
		for k, entry := range d.from.folded {
			if !p.original(entry) {
				fit = append(fit, k)
			}
		}
		p.fit[d] = fit
	}
	if len(fit) < 2 {
		return ""
	}
	n := uint64(len(fit))
	at := p.random(d.pool+" pair", value, attempt) % (n * (n - 1))
	first, second := at/(n-1), at%(n-1)
	if second >= first {
		second++
	}
	joint := "-"
	if unicode.In(firstRune(d.from.entries[fit[first]]), unicode.Han, unicode.Hangul) {
		joint = ""
	}
	return d.from.entries[fit[first]] + joint + d.from.entries[fit[second]]
}

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
