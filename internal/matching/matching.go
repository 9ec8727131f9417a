// Package matching invents texts that a regular expression matches. Tests use it to show that a cheap test, which
// decides whether an expression needs to run at all, excludes nothing that the expression matches.
package matching

import (
	"math/rand/v2"
	"regexp/syntax"
	"strings"
	"testing"
	"unicode"
)

// Expression is a regexp.Regexp or a lazyregexp.Regexp.
type Expression interface {
	String() string
	MatchString(s string) bool
}

// Texts returns n random texts that an expression matches. Repetitions without a maximum occur at most three times
// more than they must, and most characters of classes are in ASCII, where they have any.
func Texts(t testing.TB, expression Expression, n int) []string {
	t.Helper()
	parsed, err := syntax.Parse(expression.String(), syntax.Perl)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	var texts []string
	for try := 0; len(texts) < n; try++ {
		if try == 100*n {
			t.Fatalf("found %d texts for %s, want %d", len(texts), expression, n)
		}
		var b strings.Builder
		write(&b, rng, parsed)
		if expression.MatchString(b.String()) { // not if a border of words is where there is none
			texts = append(texts, b.String())
		}
	}
	return texts
}

func write(b *strings.Builder, rng *rand.Rand, re *syntax.Regexp) {
	repeat := func(low, high int) {
		if high < 0 {
			high = low + 3
		}
		for range low + rng.IntN(high-low+1) {
			write(b, rng, re.Sub[0])
		}
	}
	switch re.Op {
	case syntax.OpLiteral:
		for _, r := range re.Rune {
			if re.Flags&syntax.FoldCase != 0 && rng.IntN(2) == 0 {
				r = unicode.ToUpper(r)
			}
			b.WriteRune(r)
		}
	case syntax.OpCharClass:
		b.WriteRune(oneOf(rng, re.Rune))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		b.WriteByte(byte('!' + rng.IntN('~'-'!')))
	case syntax.OpCapture:
		write(b, rng, re.Sub[0])
	case syntax.OpStar:
		repeat(0, -1)
	case syntax.OpPlus:
		repeat(1, -1)
	case syntax.OpQuest:
		repeat(0, 1)
	case syntax.OpRepeat:
		repeat(re.Min, re.Max)
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			write(b, rng, sub)
		}
	case syntax.OpAlternate:
		write(b, rng, re.Sub[rng.IntN(len(re.Sub))])
	}
}

// oneOf returns a character of a class, of which the ranges are given. Mostly it is in ASCII, if there is one.
func oneOf(rng *rand.Rand, ranges []rune) rune {
	var ascii []rune
	for i := 0; i < len(ranges); i += 2 {
		for r := ranges[i]; r <= min(ranges[i+1], unicode.MaxASCII); r++ {
			ascii = append(ascii, r)
		}
	}
	if len(ascii) > 0 && rng.IntN(4) > 0 {
		return ascii[rng.IntN(len(ascii))]
	}
	i := 2 * rng.IntN(len(ranges)/2)
	return ranges[i] + rng.Int32N(ranges[i+1]-ranges[i]+1)
}
