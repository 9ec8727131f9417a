package gazetteer

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/lethe-deid/lethe/data"
)

// million writes a list of a million distinct names, half with one word and half with two to four, from 600,000 words.
func million(b *testing.B) string {
	b.Helper()
	path := filepath.Join(b.TempDir(), "names.txt")
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	w := bufio.NewWriter(f)
	rng := rand.New(rand.NewPCG(1, 2))
	syllables := []string{"ka", "RO", "mi", "ñe", "LÓ", "tus", "ber", "gan", "do", "ez", "San", "Pé", "li", "va", "qui", "ro", "ja", "fu", "no", "sta"}
	word := func(n int) string {
		var s strings.Builder
		for range 5 {
			s.WriteString(syllables[n%len(syllables)])
			n /= len(syllables)
		}
		return s.String()
	}
	for i := range 1_000_000 {
		if i%2 == 0 {
			fmt.Fprintln(w, word(i))
			continue
		}
		fmt.Fprint(w, word(i/10), " ", word(rng.IntN(1000)))
		for range i / 2 % 3 {
			fmt.Fprint(w, " ", word(rng.IntN(1_000_000)))
		}
		fmt.Fprintln(w)
	}
	if err := w.Flush(); err != nil {
		b.Fatal(err)
	}
	if err := f.Close(); err != nil {
		b.Fatal(err)
	}
	return path
}

func heap() float64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}

func BenchmarkMillionEntries(b *testing.B) {
	lists := Lists{{File: million(b), Type: "PER"}}
	before := heap()
	var d *Dictionary
	for b.Loop() {
		var err error
		if d, err = NewDictionary(lists); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric((heap()-before)/1e6, "MB")
	b.ReportMetric(float64(len(d.automata[0].parent)), "nodes")
	b.ReportMetric(float64(d.automata[0].words.Len()), "words")
	runtime.KeepAlive(d)
}

func BenchmarkTag(b *testing.B) {
	types := data.CoNLL
	brackets := filepath.Join(b.TempDir(), "brackets.txt")
	if err := os.WriteFile(brackets, []byte(strings.Repeat("(", 100)+"x\n( ( (1\n1 1 1 1 2\nka RO"), 0o666); err != nil {
		b.Fatal(err)
	}
	tg, err := New(Config{Lists: Lists{{File: million(b), Type: "PER"}, {File: brackets, Type: "ORG"}}}, types, 1)
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range []struct{ name, text string }{
		{"prose", "La paciente Rosa kaRO fue vista en la consulta de ñeLÓ el lunes 3 de mayo; refiere dolor. "},
		{"brackets", "("},
		{"almost", strings.Repeat("(", 99) + ") "},
		{"digits", "1"},
		{"digits apart", "1 "},
		{"letters", "ka"},
		{"marks", "a\u0301"},
		{"line ends", "\n"},
		{"everything found", "ka ka "},
	} {
		for _, megabytes := range []int{1, 10} {
			b.Run(fmt.Sprintf("%s/%d", c.name, megabytes), func(b *testing.B) {
				doc := []*data.Document{{Text: strings.Repeat(c.text, megabytes*1_000_000/len(c.text))}}
				b.SetBytes(int64(len(doc[0].Text)))
				b.ReportAllocs()
				for b.Loop() {
					if _, err := tg.Tag(context.Background(), doc); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
