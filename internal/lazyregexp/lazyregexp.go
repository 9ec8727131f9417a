// Package lazyregexp compiles regular expressions when they are first used. A program with many of them in its variables starts sooner, because one
// run uses few. An automaton tells whether a text matches at all, which is what most calls end with (automaton.go); only to say where a match is, the expression of package regexp is
// compiled, and run. In tests expressions are compiled at once, so that a broken one cannot go unnoticed.
package lazyregexp

import (
	"regexp"
	"sync"
	"testing"
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
func (r *Regexp) MatchString(s string) bool { return r.automaton().matches(s) }

// Match is regexp.Regexp.Match.
func (r *Regexp) Match(b []byte) bool { return r.MatchString(string(b)) }

// FindString is regexp.Regexp.FindString.
func (r *Regexp) FindString(s string) string {
	if !r.MatchString(s) {
		return ""
	}
	return r.compiled().FindString(s)
}

// FindStringIndex is regexp.Regexp.FindStringIndex.
func (r *Regexp) FindStringIndex(s string) []int {
	if !r.MatchString(s) {
		return nil
	}
	return r.compiled().FindStringIndex(s)
}

// FindStringSubmatch is regexp.Regexp.FindStringSubmatch.
func (r *Regexp) FindStringSubmatch(s string) []string {
	if !r.MatchString(s) {
		return nil
	}
	return r.compiled().FindStringSubmatch(s)
}

// FindStringSubmatchIndex is regexp.Regexp.FindStringSubmatchIndex.
func (r *Regexp) FindStringSubmatchIndex(s string) []int {
	if !r.MatchString(s) {
		return nil
	}
	return r.compiled().FindStringSubmatchIndex(s)
}

// FindAllString is regexp.Regexp.FindAllString.
func (r *Regexp) FindAllString(s string, n int) []string {
	if !r.MatchString(s) {
		return nil
	}
	return r.compiled().FindAllString(s, n)
}

// FindAllStringIndex is regexp.Regexp.FindAllStringIndex.
func (r *Regexp) FindAllStringIndex(s string, n int) [][]int {
	if !r.MatchString(s) {
		return nil
	}
	return r.compiled().FindAllStringIndex(s, n)
}

// FindAllStringSubmatch is regexp.Regexp.FindAllStringSubmatch.
func (r *Regexp) FindAllStringSubmatch(s string, n int) [][]string {
	if !r.MatchString(s) {
		return nil
	}
	return r.compiled().FindAllStringSubmatch(s, n)
}

// FindAllStringSubmatchIndex is regexp.Regexp.FindAllStringSubmatchIndex.
func (r *Regexp) FindAllStringSubmatchIndex(s string, n int) [][]int {
	if !r.MatchString(s) {
		return nil
	}
	return r.compiled().FindAllStringSubmatchIndex(s, n)
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
