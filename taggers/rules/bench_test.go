package rules

import (
	"fmt"
	"strings"
	"testing"

	"github.com/lethe-deid/lethe/data/synth"
)

// adversarial has texts of n bytes for which a search for all matches can take
// quadratic time. Each is one line, except for the notes.
var adversarial = []struct {
	name string
	text func(n int) string
}{
	{"notes", func(n int) string {
		var b strings.Builder
		for d := range synth.Notes(n/500, 1, synth.Train) { // that many are more than enough
			if b.WriteString(d.Text); b.Len() > n {
				break
			}
		}
		return b.String()[:n]
	}},
	{"one line", repeated("Seen by Dr. Roe on 3/4/2016, call 555-555-1234. ")},
	{"brackets", repeated("(")},
	{"digits", repeated("7")},
	{"at signs", repeated("@")},
	{"capitals", repeated("A")},
	{"capital words", repeated("Ab ")},
	{"letters and periods", repeated("a.")},
	{"numbers and spaces", repeated("12 ")},
	{"numbers and slashes", repeated("1/")},
	{"line ends", repeated("\n")},
	{"accents", repeated("É")},
}

func repeated(s string) func(int) string {
	return func(n int) string { return strings.Repeat(s, n/len(s)+1)[:n/len(s)*len(s)] }
}

func BenchmarkSpans(b *testing.B) {
	for _, name := range []string{"english", "spanish"} {
		set, err := Builtin(name)
		if err != nil {
			b.Fatal(err)
		}
		for _, kind := range adversarial {
			for _, n := range []int{1e6, 1e7} {
				text := kind.text(n)
				b.Run(fmt.Sprintf("%s/%s/%dMB", name, kind.name, n/1e6), func(b *testing.B) {
					b.SetBytes(int64(len(text)))
					b.ReportAllocs()
					for b.Loop() {
						set.Spans(text)
					}
				})
			}
		}
	}
}
