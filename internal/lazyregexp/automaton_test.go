package lazyregexp

import (
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/lethe-deid/lethe/internal/matching"
)

var expressions = []string{
	`(\pL)(\d+)`, `^[0-9]{1,2}/[0-9]{1,2}$`, `^(?:[ \t]{1,4}|, )$`, `(?i)\b(?:seen|visit(?:ed)?|d/?c)\b.{0,9}$`, `(?i)^(?:k|s)x+$`, `^a|b$`, `^(?:a|^bc)d`, `(?:a$|bc$)`, `[^a-z]`, `[^\x00-\x7f]é?$`,
	`(?s)^.\n.$`, `(?m)^a$`, `a*`, `^$`, `(?:x{0,2}y)+$`, `(?:){2}z$`, `\bq\Bu`, `^(?:a?b?)c?`, `[ſK]`, `^[·•]? ?[1-9]\)`, `[^\S\n]\w_?\b`, `(?U)a+b`, `\x{fffd}`, `$^`, `(?m)^$`,
}

// No text that an expression matches is said not to match.
func TestMatchesAreTold(t *testing.T) {
	for _, expression := range expressions {
		a := newAutomaton(expression)
		for _, text := range matching.Texts(t, regexp.MustCompile(expression), 300) {
			if _, ok := a.find(text, 0); !ok {
				t.Errorf("%s matches %q", expression, text)
			}
		}
	}
}

func FuzzMatchesLikeRegexp(f *testing.F) {
	for i := range expressions {
		f.Add(uint8(i), "seen on 3/4, k\u212a \xff\n")
	}
	f.Fuzz(func(t *testing.T, i uint8, text string) {
		expression := expressions[int(i)%len(expressions)]
		if got, want := New(expression).MatchString(text), regexp.MustCompile(expression).MatchString(text); got != want {
			t.Errorf("%s on %q: %v, want %v", expression, text, got, want)
		}
	})
}

// Matches are found where package regexp finds them, also when the automaton has begun anew because it was full.
func TestMatchesLikeRegexp(t *testing.T) {
	atom := rapid.SampledFrom([]string{"a", "b", "[ab]", "[^a]", ".", `\d`, `\w`, `\W`, `\b`, `\B`, "^", "$", "(?m:^)", "(?m:$)", `\z`, "(?i:A)", "(?:ab|a|)", `\n`, "-", "é", `\pL`, "(?i:K)", "_"})
	piece := rapid.Custom(func(t *rapid.T) string {
		return "" + rapid.SampledFrom([]string{"(?:", "(", "(x|"}).Draw(t, "group") + atom.Draw(t, "atom") + ")" + rapid.SampledFrom([]string{"", "", "", "?", "*", "+", "{1,2}", "+?", "*?"}).Draw(t, "times")
	})
	rapid.Check(t, func(t *rapid.T) {
		expression := strings.Join(rapid.SliceOfN(piece, 1, 4).Draw(t, "pieces"), rapid.SampledFrom([]string{"", "", "|"}).Draw(t, "join"))
		r, want := New(expression), regexp.MustCompile(expression)
		for range 8 {
			if rapid.Bool().Draw(t, "full") {
				r.automaton().begin()
			}
			text := strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "A", "1", " ", "\n", "-", "_", "é", "ñ", "K", "\xff", "😀"}), 0, 8).Draw(t, "text"), "")
			if _, got := r.automaton().find(text, 0); got != want.MatchString(text) {
				t.Fatalf("%q on %q: %v", expression, text, got)
			}
			if diff := cmp.Diff(want.FindStringSubmatchIndex(text), r.FindStringSubmatchIndex(text)); diff != "" {
				t.Fatalf("%q on %q: first (-want +got)\n%s", expression, text, diff)
			}
			n := rapid.IntRange(-1, 3).Draw(t, "n")
			if diff := cmp.Diff(want.FindAllStringSubmatchIndex(text, n), r.FindAllStringSubmatchIndex(text, n), cmpopts.EquateEmpty()); diff != "" {
				t.Fatalf("%q on %q: all of %d (-want +got)\n%s", expression, text, n, diff)
			}
			if diff := cmp.Diff(want.FindAllStringSubmatch(text, n), r.FindAllStringSubmatch(text, n), cmpopts.EquateEmpty()); diff != "" {
				t.Fatalf("%q on %q: groups of %d (-want +got)\n%s", expression, text, n, diff)
			}
		}
	})
}

// Texts that lead to more states than an automaton keeps, or have more characters, are decided all the same, by several goroutines at once.
func TestManyStatesAndCharacters(t *testing.T) {
	const expression = `a[ab\pL]{12}b$`
	r, want := New(expression), regexp.MustCompile(expression)
	var all sync.WaitGroup
	for n := range 4 {
		all.Go(func() {
			var text strings.Builder
			for i := range 20000 {
				switch {
				case i*(i+n)%7 < 3:
					text.WriteByte('a')
				case i%11 == 0:
					text.WriteRune('à' + rune(i%2000))
				default:
					text.WriteByte('b')
				}
				if i%500 == 0 && r.MatchString(text.String()) != want.MatchString(text.String()) {
					t.Errorf("after %d characters", i)
				}
			}
		})
	}
	all.Wait()
	if len(r.automaton().states) > maxStates {
		t.Errorf("%d states", len(r.automaton().states))
	}
}
