package pos

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/internal/sorting"
)

// lemmas finds the lemma of a word from the exceptions or, failing that, from the rule
// for the longest known ending of the word. Both depend on the class, since the lemma
// of "saw" is see for a verb and saw for a noun.
type lemmas struct {
	classes []lemmaClass // by class
}

type lemmaClass struct {
	cased      bool              // lemmas keep capitals, as those of names do in some treebanks
	rules      map[string]rule   // by the ending of the word
	exceptions map[string]string // by the word, in lower case unless cased
}

// rule cuts bytes off the end of a word and appends others.
type rule struct {
	cut int // number of bytes
	add string
}

// maxEnd is the maximum length of a word's ending that has a rule, in characters.
const maxEnd = 6

// of returns the lemma of a word with a class. low is the word in lower case.
func (l *lemmas) of(form, low string, class uint16) string {
	c := &l.classes[class]
	w := low
	if c.cased {
		w = form
	}
	if lemma, ok := c.exceptions[w]; ok {
		return lemma
	}
	return c.byRule(w)
}

func (c *lemmaClass) byRule(w string) string {
	for at := range ends(w) {
		if r, ok := c.rules[w[at:]]; ok && r.cut < len(w) {
			if r.cut == 0 && r.add == "" {
				return w
			}
			return w[:len(w)-r.cut] + r.add
		}
	}
	return w
}

// ends yields the index at which each ending of a word begins, from the longest ending
// to the empty one.
func ends(w string) func(func(int) bool) {
	return func(yield func(int) bool) {
		at := len(w)
		for range maxEnd {
			if at == 0 {
				break
			}
			_, size := utf8.DecodeLastRuneInString(w[:at])
			at -= size
		}
		for {
			if !yield(at) || at == len(w) {
				return
			}
			_, size := utf8.DecodeRuneInString(w[at:])
			at += size
		}
	}
}

// ruleOf returns the rule that turns a word into its lemma, and whether the two have a
// common beginning.
func ruleOf(w, lemma string) (rule, bool) {
	n := 0
	for n < len(w) && n < len(lemma) {
		r, size := utf8.DecodeRuneInString(w[n:])
		if q, _ := utf8.DecodeRuneInString(lemma[n:]); q != r {
			break
		}
		n += size
	}
	return rule{cut: len(w) - n, add: lemma[n:]}, n > 0
}

// learnLemmas counts which rule the words with each ending require. A rule is kept if
// it differs from the rule of the next shorter ending.
func learnLemmas(l *learner) lemmas {
	result := lemmas{classes: make([]lemmaClass, len(l.classes))}
	type seen struct {
		class       uint16
		word, lemma string
	}
	kept, lost := make([]int, len(l.classes)), make([]int, len(l.classes))
	for _, e := range l.examples[:l.own] {
		for i, form := range e.forms {
			if low := lower(form); low != form && e.lemmas[i] != "" {
				if lower(e.lemmas[i]) != e.lemmas[i] {
					kept[e.gold[i]]++
				} else {
					lost[e.gold[i]]++
				}
			}
		}
	}
	counts := map[seen]int{}
	for _, e := range l.examples[:l.own] {
		for i, form := range e.forms {
			c := e.gold[i]
			result.classes[c].cased = kept[c] > lost[c]
			w := lower(form)
			if result.classes[c].cased {
				w = form
			}
			if e.lemmas[i] != "" {
				counts[seen{c, w, e.lemmas[i]}]++
			}
		}
	}
	// Each word of a class, with its most frequent lemma.
	var all []seen
	for s := range counts {
		all = append(all, s)
	}
	sorting.By(all, func(a, b seen) int {
		return cmp.Or(int(a.class)-int(b.class), strings.Compare(a.word, b.word), counts[b]-counts[a], strings.Compare(a.lemma, b.lemma))
	})
	all = slices.CompactFunc(all, func(a, b seen) bool { return a.class == b.class && a.word == b.word })
	for len(all) > 0 {
		n := 1
		for n < len(all) && all[n].class == all[0].class {
			n++
		}
		c := &result.classes[all[0].class]
		votes := map[string]map[rule]int{}
		for _, s := range all[:n] {
			r, ok := ruleOf(s.word, s.lemma)
			if !ok {
				continue
			}
			for at := range ends(s.word) {
				if len(s.word)-at < r.cut { // the rule cuts off more than the ending, so the ending does not determine it
					break
				}
				end := s.word[at:]
				if votes[end] == nil {
					votes[end] = map[rule]int{}
				}
				votes[end][r]++
			}
		}
		c.rules = rulesOf(votes)
		c.exceptions = map[string]string{}
		for _, s := range all[:n] {
			if c.byRule(s.word) != s.lemma {
				c.exceptions[s.word] = s.lemma
			}
		}
		all = all[n:]
	}
	return result
}

// ruleFrom is the number of words that must agree on a rule for an ending.
const ruleFrom = 2

func rulesOf(votes map[string]map[rule]int) map[string]rule {
	var byLength []string
	for end := range votes {
		byLength = append(byLength, end)
	}
	slices.SortFunc(byLength, func(a, b string) int { return cmp.Or(len(a)-len(b), strings.Compare(a, b)) })
	rules := map[string]rule{}
	for _, end := range byLength {
		var top rule
		most := 0
		for r, n := range votes[end] {
			if cmp.Or(n-most, top.cut-r.cut, strings.Compare(top.add, r.add)) > 0 {
				top, most = r, n
			}
		}
		if most < ruleFrom {
			continue
		}
		if shorter, ok := inherited(rules, end); !ok || shorter != top {
			rules[end] = top
		}
	}
	return rules
}

// inherited returns the rule of the longest shorter ending.
func inherited(rules map[string]rule, end string) (rule, bool) {
	for end != "" {
		_, size := utf8.DecodeRuneInString(end)
		end = end[size:]
		if r, ok := rules[end]; ok {
			return r, true
		}
	}
	return rule{}, false
}
