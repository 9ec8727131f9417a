package hf

import (
	"context"
	"hash/fnv"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/subword"
	"github.com/lethe-deid/lethe/nn"
	"github.com/lethe-deid/lethe/nn/kernel"
	"github.com/lethe-deid/lethe/taggers/internal/reader"
)

// chunks is a tokenizer whose subwords are runs of at most three code points of a word between white space. It ignores control
// characters. A subword's ID is its number in the order of the first occurrence, from 2; 0 and 1 are the special ones.
type chunks struct{ ids map[string]int32 }

func (c *chunks) Frame() (before, after []int32) { return []int32{0}, []int32{1} }

func (c *chunks) Encode(text string) ([]subword.Token, error) {
	var all []subword.Token
	n := 3
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if unicode.IsSpace(r) || unicode.IsControl(r) {
			i, n = i+size, 3
			continue
		}
		if k := len(all) - 1; n < 3 {
			all[k].End, n = i+size, n+1
		} else {
			all, n = append(all, subword.Token{Start: i, End: i + size}), 1
		}
		i += size
	}
	for i, s := range all {
		piece := text[s.Start:s.End]
		if _, ok := c.ids[piece]; !ok {
			c.ids[piece] = int32(2 + len(c.ids))
		}
		all[i].ID = c.ids[piece]
	}
	return all, nil
}

// fake is a network of which each test says what it computes.
type fake struct {
	limit, labels int
	score         func(sequence []int32, at, label int) float32
	read          [][]int32 // all sequences
}

func (f *fake) Limit() int { return f.limit }

func (f *fake) Logits(sequences [][]int32) ([]kernel.Matrix, error) {
	all := make([]kernel.Matrix, len(sequences))
	for i, s := range sequences {
		if len(s) > f.limit {
			panic("a sequence is longer than the limit")
		}
		all[i] = kernel.NewMatrix(len(s), f.labels, make([]float32, len(s)*f.labels))
		for at := range s {
			for l := range f.labels {
				all[i].Row(at)[l] = f.score(s, at, l)
			}
		}
	}
	f.read = append(f.read, sequences...)
	return all, nil
}

// arbitrary is a number in [-3, 3) that depends on the ID and the label alone.
func arbitrary(id int32, label int) float32 {
	h := fnv.New64a()
	h.Write([]byte{byte(id), byte(id >> 8), byte(id >> 16), byte(label)})
	return float32(rand.New(rand.NewPCG(h.Sum64(), 1)).Float64()*6 - 3)
}

// blind scores each subword by itself.
func blind(sequence []int32, at, label int) float32 { return arbitrary(sequence[at], label) }

var someTypes = &data.TypeSet{Name: "some", Types: []data.Type{{Name: "NAME"}, {Name: "DATE"}, {Name: "PLACE"}}}

// make a tagger of fakes.
func tagger(t *testing.T, c Config, model []string, transitions *nn.Param, net *fake) *Tagger {
	t.Helper()
	l, err := newLabels(model, c.Types, someTypes)
	if err != nil {
		t.Fatal(err)
	}
	net.labels = len(model)
	tagger, err := newTagger(c, someTypes, l, transitions, &chunks{map[string]int32{}}, net)
	if err != nil {
		t.Fatal(err)
	}
	return tagger
}

func config(window, stride int) Config {
	c := DefaultConfig()
	c.Window, c.Stride = window, stride
	return c
}

// texts are hard to cut.
var texts = map[string]string{
	"empty":        "",
	"white space":  " \r\n\t ",
	"short":        "Seen by Dr. Amundsen.",
	"emoji":        "Seen 👩‍⚕️👍🏽 by Amundsen 🇳🇴.",
	"marks":        "Núñez y Peña, A\u0301lvarez, e\u0301\u0323.",
	"CRLF":         strings.Repeat("Name: Roe\r\nDate: 03/04/2071\r\n\r\n", 40),
	"control":      "Roe\x00 \x01 Amundsen \x02",
	"long word":    "Seen by " + strings.Repeat("abcdefghij", 500) + " Roe",
	"only a word":  strings.Repeat("xyz", 2000),
	"20,000 words": strings.Repeat("Mr. Roe was seen on 3 May 2071. ", 2500),
	"no sentences": strings.Repeat("roe amundsen 555 ", 700),
	"white":        "Roe" + strings.Repeat(" ", 5000) + "Amundsen",
}

type textOf = reader.Text

func contextCancelled(t *testing.T) (context.Context, context.CancelFunc) {
	return context.WithCancel(t.Context())
}
