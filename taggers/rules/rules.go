// Package rules is the tagger of hand-written rules. Rules are in a file that people
// read and edit. They combine the five kinds of features of Dehghan et al. 2015
// (section 2 II, table 1) with regular expressions:
//
//   - Orthographic: {upperInitial}, {allCapital}, {capitalized} and {lower} match
//     words of that form.
//   - Pattern: regular expressions. Those under patterns: have a name, and are
//     used in others as {name}.
//   - Lexical cue: lists of words and phrases under lexicons:, used as {name}.
//   - Context: before: and after:, expressions next to the span.
//   - Negative context: not_before: and not_after:, and except: for expressions that
//     the span itself must not contain.
//
// So the rule of the paper's table 1 is
//
//   - name: street
//     type: STREET
//     find: '{house-number} {upperInitial} {street-clue}'
//     match: ['lives at «62 Angora Dr».']
//     not: ['took 62 angora dr']
//
// A rule requires at least one text that it matches, with spans in « », and one that it
// does not match. Parse tries them: a rule that fails its own examples is an error with
// file, line and name. Corrections are rules that grow, remove, cut or retype the spans of
// another tagger (section 2 III).
//
// # Expressions
//
// Expressions have Go's (RE2's) syntax, with these differences. ^ and $ match at the
// borders of lines. Words, for \b and everywhere here, are runs of Unicode letters,
// marks and digits. A space outside of brackets matches one to eight spaces, no-break
// spaces or tabs; \s crosses lines, a space does not. A match begins at a word border.
// A span and each entry of a lexicon begin and end at word borders or, on a side with
// before: or after:, between a letter and a digit. A match with its contexts is at most
// 512 bytes long, and not_before: sees the 128 bytes before the span. except: sees only
// the span.
//
// # Time and memory
//
// Both are linear in the text, whatever the text and the rules. At every position where
// a match may begin, one automaton for all rules reports which of them can match, over
// a window of at most 512 bytes (dfa.go); rules that may begin with any word are tried
// where a digit or a sign that they need follows closely (lead.go). Only then all states of the expression of such
// a rule advance together (machine.go). With n bytes of text and m instructions in all
// expressions, the time is O(512·n·m) in the worst case, and mostly proportional to n,
// since most attempts end after a few characters. The memory is O(m), plus the matches
// and, for each core that searches at the same time, up to 10 MB for the automaton. The
// matches in the latest texts are kept, up to 1 MB, in case they are searched again.
package rules

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/internal/recent"
)

const (
	maxMatch  = 512 // maximum length of a match with its contexts, in bytes
	maxBehind = 128 // bytes before a span that not_before sees
	maxGuard  = 64  // bytes ahead that {!name} sees
)

// Set is the rules of one file. It does not change, so several goroutines may use it at
// once.
type Set struct {
	path        string
	raw         []byte // content of the file
	rules       []rule // in order of priority
	scan        *scan  // of these and perhaps of others, see keep
	corrections []correction
	search      *scan    // of these and perhaps of others, like scan
	types       []string // types that the file names, sorted
}

// rule finds spans.
type rule struct {
	name, typ           string
	score               float64
	preceded            bool   // whether there is a before
	whole               lazily // before, find and after, with the span marked
	except              lazily // nil for none, like the next two
	notBefore, notAfter lazily
}

// lazily returns a program, which is compiled when it is first asked for if it comes with Lethe.
type lazily func() *program

// prepare compiles rules on all cores.
func prepare(rules []rule) {
	var all sync.WaitGroup
	cores := runtime.GOMAXPROCS(0)
	for core := range cores {
		all.Go(func() {
			for i := core; i < len(rules); i += cores {
				rules[i].whole()
			}
		})
	}
	all.Wait()
}

// Match is a span and the name of the rule that found it.
type Match struct {
	data.Span
	Rule string
}

// Find returns the matches of all rules, including overlapping ones, in the order of
// data.SortSpans; matches with equal spans are in the order of the rules. The matches
// of a single rule do not overlap: the leftmost match comes first.
func (s *Set) Find(text string) []Match {
	all := s.matches(text)
	slices.SortStableFunc(all, func(a, b Match) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End), cmp.Compare(a.Type, b.Type))
	})
	return all
}

// Spans returns the matches as sorted, disjoint spans. Of overlapping matches, it keeps
// the one whose rule comes first in the file.
func (s *Set) Spans(text string) []data.Span {
	return data.Disjoint(spansOf(s.matches(text)))
}

// matches returns the matches of all rules, in the order of the rules.
func (s *Set) matches(text string) []Match {
	all := slices.Clone(s.scan.find(text))
	if len(s.rules) < len(s.scan.rules) {
		all = slices.DeleteFunc(all, func(m Match) bool { return !slices.Contains(s.types, m.Type) })
	}
	return all
}

func spansOf(matches []Match) []data.Span {
	spans := make([]data.Span, len(matches))
	for i, m := range matches {
		spans[i] = m.Span
	}
	return spans
}

// Types returns the types of spans that the set produces or corrects, sorted.
func (s *Set) Types() []string { return slices.Clone(s.types) }

// Check returns an error if the set has a type that is not in types.
func (s *Set) Check(types *data.TypeSet) error {
	for _, t := range s.types {
		if !types.Has(t) {
			return fmt.Errorf("%s: %s is not a type of %s", s.path, t, types.Name)
		}
	}
	return nil
}

// Only returns the rules and corrections for some types of the set.
func (s *Set) Only(types []string) *Set { return s.keep(types, nil) }

// keep returns the set without rules for types outside of only (none: all types) and
// without rules for the types of except. Texts are still searched for all rules of the
// file, so that sets that use some of them have their searches in common.
func (s *Set) keep(only, except []string) *Set {
	drop := func(typ string) bool {
		return len(only) > 0 && !slices.Contains(only, typ) || slices.Contains(except, typ)
	}
	if len(only)+len(except) == 0 {
		return s
	}
	kept := &Set{path: s.path, raw: s.raw, scan: s.scan, search: s.search}
	kept.rules = slices.DeleteFunc(slices.Clone(s.rules), func(r rule) bool { return drop(r.typ) })
	for _, c := range s.corrections {
		c.on = slices.DeleteFunc(slices.Clone(c.on), drop)
		if len(c.on) > 0 && (c.action != retype || !drop(c.typ)) {
			kept.corrections = append(kept.corrections, c)
		}
	}
	kept.types = typesOf(kept.rules, kept.corrections)
	return kept
}

// typesOf returns the types that rules and corrections name, sorted.
func typesOf(rules []rule, corrections []correction) []string {
	var types []string
	for _, r := range rules {
		types = append(types, r.typ)
	}
	for _, c := range corrections {
		types = append(types, c.on...)
		if c.action == retype {
			types = append(types, c.typ)
		}
	}
	slices.Sort(types)
	return slices.Compact(types)
}

// scan are rules that are searched for together.
type scan struct {
	rules  []rule
	groups func() []group         // of their programs, which are compiled when a text is searched
	recent *recent.Texts[[]Match] // a text is mostly searched for a network's features, by the tagger of rules and for values that are recognizable by their form
	mu     sync.Mutex
	idle   []*machine // one per goroutine that has used the scan at the same time as others
}

func newScan(rules []rule) *scan {
	groups := func() []group {
		var all []*program
		for _, r := range rules {
			all = append(all, r.whole())
		}
		return groupsOf(all)
	}
	return &scan{rules: rules, groups: sync.OnceValue(groups), recent: recent.NewTexts(maxRecent, func(found []Match) int { return 1 + len(found) })}
}

// maxRecent is the number of matches that a scan keeps, of 64 bytes each. A text counts as one more. This is enough for 60 matches in each of the 256
// notes that a job has in work at a time; if there are more, texts are searched again.
const maxRecent = 1 << 14

// machine takes an idle machine, or makes one. The caller returns it by release.
func (sc *scan) machine() *machine {
	sc.mu.Lock()
	defer sc.mu.Unlock()
	k := len(sc.idle) - 1
	if k < 0 {
		return newMachine(sc.groups())
	}
	m := sc.idle[k]
	sc.idle = sc.idle[:k]
	return m
}

func (sc *scan) release(m *machine) {
	sc.mu.Lock()
	defer sc.mu.Unlock()
	sc.idle = append(sc.idle, m)
}

// find returns the matches of one rule after the other, which are sorted and disjoint.
// The caller must not change them.
func (sc *scan) find(text string) []Match {
	return sc.recent.Get(text, func() []Match { return sc.search(text) })
}

func (sc *scan) search(text string) []Match {
	m := sc.machine()
	defer sc.release(m)
	found, done := m.found, m.done
	clear(done)
	for k := range found {
		found[k] = found[k][:0]
	}
	m.candidates(text, func(i int, k uint32) {
		rule := &sc.rules[k]
		if i < done[k] && !rule.preceded { // the last span may be context of the next match of a rule with before
			return
		}
		if start, end, ok := rule.at(m, text, i); ok && start >= done[k] {
			found[k] = append(found[k], Match{data.Span{Start: start, End: end, Type: rule.typ, Score: rule.score}, rule.name})
			done[k] = end
		}
	})
	return slices.Concat(found...)
}

// at returns the span of the match that begins at text[i], which must not be within a
// word.
func (r *rule) at(m *machine, text string, i int) (start, end int, ok bool) {
	start, end, ok = m.run(r.whole(), text, i, floor(text, i+maxMatch))
	switch {
	case !ok || start == end:
	case r.notAfter != nil && m.matches(r.notAfter(), text, end, floor(text, end+maxMatch)):
	case r.notBefore != nil && m.matches(r.notBefore(), text[:start], floor(text, start-maxBehind), start):
	case r.except != nil && m.matches(r.except(), text[start:end], 0, end-start):
	default:
		return start, end, true
	}
	return 0, 0, false
}

// floor returns the last border between code points at or before i, limited to the
// text.
func floor(text string, i int) int {
	i = min(max(i, 0), len(text))
	for range utf8.UTFMax - 1 { // bounded, in case the text is not UTF-8
		if i == 0 || i == len(text) || utf8.RuneStart(text[i]) {
			break
		}
		i--
	}
	return i
}

// names joins the items of a list for an error.
func names(list []string) string {
	if len(list) == 0 {
		return "none"
	}
	return strings.Join(list, ", ")
}
