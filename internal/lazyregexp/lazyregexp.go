// Package lazyregexp compiles regular expressions when they are first used. A program with many of them in its variables starts sooner, because one
// run uses few. An automaton tells whether a text matches at all, which is what most calls end with (automaton.go); only to say where a match is, the expression of package regexp is
// compiled, and run. In tests expressions are compiled at once, so that a broken one cannot go unnoticed.
package lazyregexp

import (
	"regexp"
	"sync"
	"testing"
	"unicode/utf8"
)

// Regexp is a regular expression that is compiled when it is first used. Several goroutines may use it at once. Its methods are those of
// regexp.Regexp.
type Regexp struct {
	expression string
	automaton  func() *automaton
	compiled   func() *regexp.Regexp
}

// New returns an expression, which must be valid: otherwise its first use panics.
func New(expression string) *Regexp {
	r := &Regexp{
		expression,
		sync.OnceValue(func() *automaton { return newAutomaton(expression) }),
		sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) }),
	}
	if testing.Testing() {
		r.compiled()
	}
	return r
}

// String returns the expression.
func (r *Regexp) String() string { return r.expression }

// MatchString is regexp.Regexp.MatchString.
func (r *Regexp) MatchString(s string) bool {
	_, ok := r.automaton().find(s, 0)
	return ok
}

// Match is regexp.Regexp.Match.
func (r *Regexp) Match(b []byte) bool { return r.MatchString(string(b)) }

// FindString is regexp.Regexp.FindString.
func (r *Regexp) FindString(s string) string {
	m := r.FindStringIndex(s)
	if m == nil {
		return ""
	}
	return s[m[0]:m[1]]
}

// FindStringIndex is regexp.Regexp.FindStringIndex.
func (r *Regexp) FindStringIndex(s string) []int {
	m := r.FindStringSubmatchIndex(s)
	if m == nil {
		return nil
	}
	return m[:2]
}

// FindStringSubmatch is regexp.Regexp.FindStringSubmatch.
func (r *Regexp) FindStringSubmatch(s string) []string {
	return groups(s, r.FindStringSubmatchIndex(s))
}

// FindStringSubmatchIndex is regexp.Regexp.FindStringSubmatchIndex.
func (r *Regexp) FindStringSubmatchIndex(s string) []int {
	m, ok := r.next(s, 0)
	if !ok {
		return r.compiled().FindStringSubmatchIndex(s)
	}
	return m
}

// FindAllString is regexp.Regexp.FindAllString.
func (r *Regexp) FindAllString(s string, n int) (all []string) {
	for _, m := range r.FindAllStringSubmatchIndex(s, n) {
		all = append(all, s[m[0]:m[1]])
	}
	return all
}

// FindAllStringIndex is regexp.Regexp.FindAllStringIndex.
func (r *Regexp) FindAllStringIndex(s string, n int) (all [][]int) {
	for _, m := range r.FindAllStringSubmatchIndex(s, n) {
		all = append(all, m[:2])
	}
	return all
}

// FindAllStringSubmatch is regexp.Regexp.FindAllStringSubmatch.
func (r *Regexp) FindAllStringSubmatch(s string, n int) (all [][]string) {
	for _, m := range r.FindAllStringSubmatchIndex(s, n) {
		all = append(all, groups(s, m))
	}
	return all
}

// FindAllStringSubmatchIndex is regexp.Regexp.FindAllStringSubmatchIndex.
func (r *Regexp) FindAllStringSubmatchIndex(s string, n int) (all [][]int) {
	for at := 0; n < 0 || len(all) < n; {
		m, ok := r.next(s, at)
		switch {
		case !ok || m != nil && m[0] == m[1]: // package regexp has rules for which empty matches count
			return r.compiled().FindAllStringSubmatchIndex(s, n)
		case m == nil:
			return all
		}
		all, at = append(all, m), m[1]
	}
	return all
}

// FindAllSubmatch is regexp.Regexp.FindAllSubmatch.
func (r *Regexp) FindAllSubmatch(b []byte, n int) [][][]byte {
	if !r.Match(b) {
		return nil
	}
	return r.compiled().FindAllSubmatch(b, n)
}

// ReplaceAllString is regexp.Regexp.ReplaceAllString.
func (r *Regexp) ReplaceAllString(s, with string) string {
	if !r.MatchString(s) {
		return s
	}
	return r.compiled().ReplaceAllString(s, with)
}

// Split is regexp.Regexp.Split.
func (r *Regexp) Split(s string, n int) []string { return r.compiled().Split(s, n) }

// next returns the first match in s[at:], or nil. ok is false if it cannot tell.
func (r *Regexp) next(s string, at int) (match []int, ok bool) {
	first, found := r.automaton().find(s, at)
	if !found {
		return nil, true
	}
	from := first
	if first > 0 { // an assertion looks at the character before
		_, size := utf8.DecodeLastRuneInString(s[:first])
		from -= size
	}
	m := r.compiled().FindStringSubmatchIndex(s[from:])
	if m == nil || from+m[0] < first { // that character was taken for the beginning of the text
		return nil, false
	}
	for i := range m {
		if m[i] >= 0 {
			m[i] += from
		}
	}
	return m, true
}

// groups returns the groups of a match.
func groups(s string, match []int) (all []string) {
	for i := 0; i < len(match); i += 2 {
		group := ""
		if match[i] >= 0 {
			group = s[match[i]:match[i+1]]
		}
		all = append(all, group)
	}
	return all
}
