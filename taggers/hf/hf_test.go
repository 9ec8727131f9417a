package hf

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/subword"
	"github.com/lethe-deid/lethe/data/tokenize"
	"github.com/lethe-deid/lethe/nn"
)

var bio = []string{"B-NAME", "O", "I-NAME", "B-DATE", "I-DATE", "B-PLACE", "I-PLACE"}

func docs(all ...string) []*data.Document {
	var out []*data.Document
	for i, text := range all {
		out = append(out, &data.Document{ID: fmt.Sprint(i), Text: text})
	}
	return out
}

// What the network says of a subword does not depend on its neighbours, so the windows change nothing.
func TestWindowsChangeNothingOfAContextFreeNetwork(t *testing.T) {
	for name, text := range texts {
		if name == "long word" || name == "only a word" { // windows cut it into pieces
			continue
		}
		whole := tagger(t, config(1<<20, 0), bio, nil, &fake{limit: 1 << 20, score: blind})
		want, wantDoubts, err := whole.Probe(t.Context(), docs(text), 0.2)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []Config{config(16, 0), config(16, 5), config(40, 19), config(512, 128)} {
			got, doubts, err := tagger(t, c, bio, nil, &fake{limit: 1 << 20, score: blind}).Probe(t.Context(), docs(text), 0.2)
			if err != nil {
				t.Fatal(err)
			}
			for _, both := range [][2][][]data.Span{{got, want}, {doubts, wantDoubts}} {
				if diff := cmp.Diff(both[1], both[0], cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-5 })); diff != "" {
					t.Errorf("%s, window %d, stride %d: -whole +windows\n%s", name, c.Window, c.Stride, diff)
				}
			}
		}
		doc := docs(text)[0]
		doc.Spans = want[0]
		if err := doc.Check(); err != nil {
			t.Error(err)
		}
	}
}

// The network reads every subword of a note, in the order of the text.
func TestNothingIsCutOff(t *testing.T) {
	for name, text := range texts {
		for _, c := range []Config{config(8, 0), config(16, 7), config(512, 128)} {
			net := &fake{limit: 300, score: blind}
			tg := tagger(t, c, bio, nil, net)
			if _, err := tg.Tag(t.Context(), docs(text)); err != nil {
				t.Fatal(err)
			}
			// What overlaps is left out where a window continues the text before.
			subwords, err := tg.tokenizer.Encode(text)
			if err != nil {
				t.Fatal(err)
			}
			p, err := tg.prepare(first(t, tg, text))
			if err != nil {
				t.Fatal(err)
			}
			if len(net.read) != len(p.windows) {
				t.Fatalf("%s: read %d windows, want %d", name, len(net.read), len(p.windows))
			}
			done := 0
			for i, w := range p.windows {
				from, to := p.pieces[w.from].from, p.pieces[w.to-1].to
				if from > done || to <= done {
					t.Fatalf("%s: window %d has the subwords [%d,%d), after %d", name, i, from, to, done)
				}
				if shared := done - from; shared > tg.stride {
					t.Errorf("%s: window %d shares %d subwords", name, i, shared)
				}
				ids := net.read[i]
				if len(ids) > min(c.Window, net.limit) || ids[0] != 0 || ids[len(ids)-1] != 1 || len(ids) != to-from+2 {
					t.Fatalf("%s: window %d has %d subwords of %d", name, i, len(ids), to-from)
				}
				for k, id := range ids[1 : len(ids)-1] {
					if id != subwords[from+k].ID {
						t.Fatalf("%s: window %d, subword %d: another ID", name, i, k)
					}
				}
				done = to
			}
			if done != len(subwords) {
				t.Errorf("%s: the network read %d of %d subwords", name, done, len(subwords))
			}
		}
	}
}

// first returns the only stretch of a text.
func first(t *testing.T, tg *Tagger, text string) (x textOf) {
	t.Helper()
	for x = range tg.reader.Cut(docs(text)[0]) {
		return x
	}
	x.Doc = docs(text)[0]
	return x
}

// In what two windows share, each counts with the distance from its end. The network says the position in the window.
func TestOverlapsAreJoinedByDistance(t *testing.T) {
	net := &fake{limit: 100, score: func(s []int32, at, label int) float32 {
		if label == 0 {
			return float32(math.Log(0.5 + float64(at)/100))
		}
		return float32(math.Log(0.5 - float64(at)/100))
	}}
	tg := tagger(t, config(10, 4), []string{"O", "NAME"}, nil, net) // eight subwords, of which three or four are shared
	all, err := tg.Scores(t.Context(), docs("a b c d e f g h i j"))
	if err != nil {
		t.Fatal(err)
	}
	if len(net.read) != 2 {
		t.Fatalf("%d windows, want 2", len(net.read))
	}
	// The first window has a to h, the second e to j. Positions begin with 1, after the special subword.
	want := []float64{1, 2, 3, 4, (4*5 + 1*1) / 5., (3*6 + 2*2) / 5., (2*7 + 3*3) / 5., (1*8 + 4*4) / 5., 5, 6}
	for i, s := range all[0][0] {
		if got := s.Marginals[0]; math.Abs(got-(0.5+want[i]/100)) > 1e-6 {
			t.Errorf("word %d: probability %.4f, want %.4f", i, got, 0.5+want[i]/100)
		}
	}
}

func TestWindowsEndBetweenSentences(t *testing.T) {
	// Twelve subwords per line.
	text := strings.Repeat("a b c d e f g h i j k l\n", 10)
	tg := tagger(t, config(32, 12), bio, nil, &fake{limit: 100, score: blind})
	p, err := tg.prepare(first(t, tg, text))
	if err != nil {
		t.Fatal(err)
	}
	for i, w := range p.windows {
		if w.from%12 != 0 || w.to%12 != 0 || w.to-w.from != 24 {
			t.Errorf("window %d is %v", i, w)
		}
	}
	if len(p.windows) != 9 {
		t.Errorf("%d windows, want 9", len(p.windows))
	}
}

// Whatever the pieces, windows contain all, are not too long, and go on.
func TestCut(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		room := 2 + rng.IntN(40)
		stride := rng.IntN(room/2 + 1)
		var pieces []piece
		at := 0
		for range 1 + rng.IntN(100) {
			n := 1 + rng.IntN(room/2)
			pieces = append(pieces, piece{first: at + rng.IntN(n), from: at, to: at + n, opens: rng.IntN(6) == 0})
			at += n
		}
		done := 0
		for _, w := range cut(pieces, room, stride) {
			if w.from > done || w.to <= done || pieces[w.to-1].to-pieces[w.from].from > room {
				t.Fatalf("window %v after %d in a room of %d", w, done, room)
			}
			if done > 0 && pieces[done-1].to-pieces[w.from].from > stride {
				t.Fatalf("window %v shares more than %d", w, stride)
			}
			for k := w.from; k < w.to; k++ {
				if x := w.weight(pieces, k); x < 1 {
					t.Fatalf("piece %d of %v has weight %v", k, w, x)
				}
			}
			done = w.to
		}
		if done != len(pieces) {
			t.Fatalf("%d of %d pieces", done, len(pieces))
		}
	}
}

// A word in several pieces is labelled as a whole, and PHI if one piece of it is.
func TestLongWord(t *testing.T) {
	var z int32
	net := &fake{limit: 30, score: func(s []int32, at, label int) float32 {
		if s[at] == z && label == 2 {
			return 5
		}
		return float32(-label)
	}}
	tg := tagger(t, config(30, 7), []string{"O", "B-NAME", "I-NAME"}, nil, net)
	if _, err := tg.tokenizer.Encode("abc zzz"); err != nil {
		t.Fatal(err)
	}
	// The piece that begins with zzz: pieces have fourteen subwords.
	name := "Seen by " + strings.Repeat("abc", 42) + "zzz" + strings.Repeat("abc", 200) + " in time"
	z = tg.tokenizer.(*chunks).ids["zzz"]
	found, err := tg.Tag(t.Context(), docs(name))
	if err != nil {
		t.Fatal(err)
	}
	if s := found[0]; len(s) != 1 || name[s[0].Start:s[0].End] != strings.Fields(name)[2] || s[0].Score < 0.9 {
		t.Errorf("found %v", s)
	}
}

func TestAlign(t *testing.T) {
	tok := func(all ...int) (out []data.Token) {
		for i := 0; i < len(all); i += 2 {
			out = append(out, data.Token{Start: all[i], End: all[i+1]})
		}
		return out
	}
	sub := func(all ...int) (out []subword.Token) {
		for i := 0; i < len(all); i += 2 {
			out = append(out, subword.Token{Start: all[i], End: all[i+1]})
		}
		return out
	}
	for name, c := range map[string]struct {
		tokens   []data.Token
		subwords []subword.Token
		want     []word
	}{
		"none":                          {nil, nil, nil},
		"one each":                      {tok(0, 2, 3, 5), sub(0, 2, 3, 5), []word{{data.Token{Start: 0, End: 2}, 0, 0, 1}, {data.Token{Start: 3, End: 5}, 1, 1, 2}}},
		"several subwords":              {tok(0, 4, 5, 6), sub(0, 1, 1, 2, 2, 4, 5, 6), []word{{data.Token{Start: 0, End: 4}, 0, 0, 3}, {data.Token{Start: 5, End: 6}, 3, 3, 4}}},
		"a space in front":              {tok(0, 2, 3, 5), sub(0, 2, 2, 5), []word{{data.Token{Start: 0, End: 2}, 0, 0, 1}, {data.Token{Start: 3, End: 5}, 1, 1, 2}}},
		"a subword of space":            {tok(0, 2, 6, 8), sub(0, 2, 2, 5, 5, 8), []word{{data.Token{Start: 0, End: 2}, 0, 0, 1}, {data.Token{Start: 6, End: 8}, 2, 1, 3}}},
		"space at both ends":            {tok(2, 4), sub(0, 2, 2, 4, 4, 6), []word{{data.Token{Start: 2, End: 4}, 1, 0, 3}}},
		"two words in a subword":        {tok(0, 2, 2, 3, 3, 5), sub(0, 3, 3, 5), []word{{data.Token{Start: 0, End: 3}, 0, 0, 1}, {data.Token{Start: 3, End: 5}, 1, 1, 2}}},
		"a subword across a border":     {tok(0, 3, 3, 6), sub(0, 2, 2, 4, 4, 6), []word{{data.Token{Start: 0, End: 6}, 0, 0, 3}}},
		"a word without a subword":      {tok(0, 2, 3, 4, 5, 7), sub(0, 2, 5, 7), []word{{data.Token{Start: 0, End: 2}, 0, 0, 1}, {data.Token{Start: 5, End: 7}, 1, 1, 2}}},
		"the first without a subword":   {tok(0, 2, 3, 4), sub(3, 4), []word{{data.Token{Start: 3, End: 4}, 0, 0, 1}}},
		"only space in front":           {tok(3, 4), sub(0, 1, 1, 2, 3, 4), []word{{data.Token{Start: 3, End: 4}, 2, 0, 3}}},
		"bytes of one character":        {tok(0, 4), sub(0, 4, 4, 4), []word{{data.Token{Start: 0, End: 4}, 0, 0, 2}}},
		"one subword for several words": {tok(0, 1, 1, 2, 2, 3), sub(0, 3), []word{{data.Token{Start: 0, End: 3}, 0, 0, 1}}},
	} {
		if got := align(strings.Repeat("x", 20), c.tokens, c.subwords); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// A lone space before a word, or the mark that SentencePiece inserts at the beginning of a text, is the first subword of the word. A
// line end is not, nor are further spaces or what is left of a character that was expanded.
func TestAlignSpaces(t *testing.T) {
	text := "ab cd\nef  gh\u2026ij"
	sub := func(all ...int) (out []subword.Token) {
		for i := 0; i < len(all); i += 2 {
			out = append(out, subword.Token{Start: all[i], End: all[i+1]})
		}
		return out
	}
	subwords := sub(0, 0, 0, 2, 2, 3, 3, 5, 5, 6, 6, 8, 8, 9, 10, 12, 12, 15, 15, 15, 15, 15, 15, 17)
	var got []int
	for _, w := range align(text, tokenize.LettersDigits{}.Tokens(text, nil), subwords) {
		got = append(got, w.first)
	}
	if want := []int{0, 2, 5, 7, 8, 11}; !slices.Equal(got, want) {
		t.Errorf("first subwords %v, want %v", got, want)
	}
}

func TestLabels(t *testing.T) {
	for name, c := range map[string]struct {
		model  []string
		given  map[string]Type
		scheme data.Scheme
		names  []string
		of     []int32
		err    string
	}{
		"BIO, O inside": {model: []string{"B-NAME", "O", "I-NAME"}, scheme: data.BIO, names: []string{"O", "B-NAME", "I-NAME"}, of: []int32{1, 0, 2}},
		"BILOU": {model: []string{"O", "B-NAME", "I-NAME", "L-NAME", "U-NAME"}, scheme: data.BIOES,
			names: []string{"O", "B-NAME", "I-NAME", "E-NAME", "S-NAME"}, of: []int32{0, 1, 2, 3, 4}},
		"BIOES, mapped": {model: []string{"O", "S-PER", "E-PER", "I-PER", "B-PER"}, given: map[string]Type{"PER": {"NAME"}}, scheme: data.BIOES,
			names: []string{"O", "S-NAME", "E-NAME", "I-NAME", "B-NAME"}, of: []int32{0, 1, 2, 3, 4}},
		"bare":      {model: []string{"O", "DATE", "E-MAIL"}, given: map[string]Type{"E-MAIL": {"PLACE"}}, scheme: data.IO, names: []string{"O", "I-DATE", "I-PLACE"}, of: []int32{0, 1, 2}},
		"IO":        {model: []string{"I-DATE", "O"}, scheme: data.IO, names: []string{"O", "I-DATE"}, of: []int32{1, 0}},
		"joined":    {model: []string{"O", "B-PATIENT", "I-PATIENT", "B-HCW", "I-HCW"}, given: map[string]Type{"PATIENT": {"NAME"}, "HCW": {"NAME"}}, scheme: data.BIO, names: []string{"O", "B-NAME", "I-NAME"}, of: []int32{0, 1, 2, 1, 2}},
		"dropped":   {model: []string{"O", "B-NAME", "B-X", "[CLS]"}, given: map[string]Type{"X": {}, "[CLS]": {}}, scheme: data.BIO, names: []string{"O", "B-NAME"}, of: []int32{0, 1, 0, 0}},
		"exact":     {model: []string{"O", "B-X", "I-X"}, given: map[string]Type{"X": {"NAME"}, "I-X": {"DATE"}}, scheme: data.BIO, names: []string{"O", "B-NAME", "I-DATE"}, of: []int32{0, 1, 2}},
		"numbers":   {model: []string{"LABEL_0", "LABEL_1"}, given: map[string]Type{"LABEL_0": {}, "LABEL_1": {"NAME"}}, scheme: data.IO, names: []string{"O", "I-NAME"}, of: []int32{0, 1}},
		"missing":   {model: []string{"O", "B-NAME", "B-VENDOR", "I-VENDOR", "HCW"}, err: "types: labels of the model without a type of some: VENDOR, HCW"},
		"unknown":   {model: []string{"O", "B-NAME"}, given: map[string]Type{"NAM": {"NAME"}}, err: "types.NAM: the model has no such label (have NAME)"},
		"O is PHI":  {model: []string{"O", "NAME"}, given: map[string]Type{"O": {"DATE"}}, err: "types.O: is the label of text that is not PHI"},
		"no O":      {model: []string{"LABEL_0", "NAME"}, given: map[string]Type{"LABEL_0": {"DATE"}}, err: "types: the model has no label O"},
		"none left": {model: []string{"O", "X"}, given: map[string]Type{"X": {}}, err: "types: all labels of the model are left out"},
	} {
		l, err := newLabels(c.model, c.given, someTypes)
		if c.err != "" {
			if err == nil || !strings.HasPrefix(err.Error(), c.err) {
				t.Errorf("%s: error %v, want %s", name, err, c.err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if l.scheme != c.scheme || !slices.Equal(l.names, c.names) || !slices.Equal(l.of, c.of) {
			t.Errorf("%s: %+v", name, l)
		}
	}
}

func TestValidate(t *testing.T) {
	for want, change := range map[string]func(*Config){
		"model: is required": func(c *Config) { c.Model = "" },
		"tokenizer: no":      func(c *Config) { c.Tokenizer = "words" },
		"window: 7":          func(c *Config) { c.Window = 7 },
		"stride: -1":         func(c *Config) { c.Stride = -1 },
		"stride: 256 is not": func(c *Config) { c.Stride = 256 },
	} {
		c := DefaultConfig()
		c.Model = "x"
		if err := c.Validate(); err != nil {
			t.Fatal(err)
		}
		change(&c)
		if err := c.Validate(); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

// Labels of the same type add up: a word that is one of two types for sure is PHI.
func TestProbabilitiesOfJoinedTypesAddUp(t *testing.T) {
	c := config(64, 8)
	c.Types = map[string]Type{"PATIENT": {"NAME"}, "HCW": {"NAME"}}
	net := &fake{limit: 64, score: func(_ []int32, _, label int) float32 {
		return float32(math.Log([]float64{0.4, 0.35, 0.25}[label]))
	}}
	tg := tagger(t, c, []string{"O", "PATIENT", "HCW"}, nil, net)
	found, err := tg.Tag(t.Context(), docs("Roe"))
	if err != nil {
		t.Fatal(err)
	}
	if s := found[0]; len(s) != 1 || s[0].Type != "NAME" || math.Abs(s[0].Score-0.6) > 1e-6 {
		t.Errorf("found %v", s)
	}
}

// Illegal sequences are repaired towards more text, and blank lines end spans.
func TestRepair(t *testing.T) {
	model := []string{"O", "B-NAME", "I-NAME", "I-DATE"}
	labelOf := map[string]int{"b": 1, "i": 2, "d": 3}
	var ids map[string]int32
	net := &fake{limit: 64, score: func(s []int32, at, label int) float32 {
		for word, l := range labelOf {
			if s[at] == ids[word] && l == label {
				return 9
			}
		}
		return float32(-label)
	}}
	tg := tagger(t, config(64, 0), model, nil, net)
	ids = tg.tokenizer.(*chunks).ids
	for text, want := range map[string][]string{
		"o i i o":           {"i i"},
		"b b i":             {"b", "b i"},
		"i d i":             {"i", "d", "i"},
		"o b\ni i":          {"b\ni i"},
		"o b\r\n \r\ni i o": {"b", "i i"},
		"b \x00 i o":        {"b \x00 i"},
		"o \x00 o":          nil,
	} {
		found, err := tg.Tag(t.Context(), docs(text))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, s := range found[0] {
			got = append(got, text[s.Start:s.End])
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// With a CRF, labels and probabilities are those of all labelings of the note.
func TestCRFAgainstAllLabelings(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	model := []string{"B-PATIENT", "O", "I-PATIENT", "B-HCW", "VENDOR"}
	n := len(model)
	c := config(512, 128)
	c.Types = map[string]Type{"PATIENT": {"NAME"}, "HCW": {"NAME"}, "VENDOR": {}}
	crf := &nn.Param{Name: "crf", Rows: n + 2, Cols: n + 2, Data: make([]float32, (n+2)*(n+2))}
	for i := range crf.Data {
		crf.Data[i] = float32(rng.NormFloat64())
	}
	at := func(a, b int) float64 { return float64(crf.Data[a*(n+2)+b]) }
	net := &fake{limit: 512, score: blind}
	tg := tagger(t, c, model, crf, net)
	text := "Seen by Amundsen on 3 May"
	all, err := tg.Scores(t.Context(), docs(text))
	if err != nil {
		t.Fatal(err)
	}
	found, doubts, err := tg.Probe(t.Context(), docs(text), 0.01)
	if err != nil {
		t.Fatal(err)
	}
	words := strings.Fields(text)
	var u [][]float64 // by word: the score of each label
	for _, w := range words {
		id := tg.tokenizer.(*chunks).ids[w[:min(3, len(w))]]
		row := make([]float64, n)
		for l := range row {
			row[l] = float64(arbitrary(id, l))
		}
		u = append(u, row)
	}
	total := 0.0
	marginals := make([][3]float64, len(words))
	best, top := []int(nil), math.Inf(-1)
	of := []int{1, 0, 2, 1, 0} // O, B-NAME, I-NAME
	joint := map[string]float64{}
	var walk func(y []int, score float64)
	walk = func(y []int, score float64) {
		if len(y) == len(words) {
			score += at(y[len(y)-1], n+1)
			p := math.Exp(score)
			total += p
			for i, l := range y {
				marginals[i][of[l]] += p
				for k := i + 1; k <= len(y); k++ {
					joint[fmt.Sprint(i, y[i:k])] += p
				}
			}
			if score > top {
				best, top = slices.Clone(y), score
			}
			return
		}
		for l := range n {
			before := n
			if len(y) > 0 {
				before = y[len(y)-1]
			}
			walk(append(y, l), score+at(before, l)+u[len(y)][l])
		}
	}
	walk(nil, 0)
	for i, s := range all[0][0] {
		if int(s.Label) != of[best[i]] {
			t.Errorf("word %d: label %d, want %d", i, s.Label, of[best[i]])
		}
		for l, p := range s.Marginals {
			if math.Abs(p-marginals[i][l]/total) > 1e-5 {
				t.Errorf("word %d, label %d: probability %v, want %v", i, l, p, marginals[i][l]/total)
			}
		}
		want := math.Log(math.Exp(u[i][1]) + math.Exp(u[i][4]))
		if math.Abs(s.Logits[0]-want) > 1e-5 {
			t.Errorf("word %d: logit %v, want %v", i, s.Logits[0], want)
		}
	}
	if len(found[0])+len(doubts[0]) == 0 {
		t.Fatal("nothing is found or doubted")
	}
	for _, s := range found[0] {
		i := len(strings.Fields(text[:s.Start]))
		k := i + len(strings.Fields(text[s.Start:s.End]))
		if want := joint[fmt.Sprint(i, best[i:k])] / total; math.Abs(s.Score-want) > 1e-5 {
			t.Errorf("span %v: want score %v", s, want)
		}
	}
}

// Spans, doubts, estimates and scores of labels agree with each other.
func TestProbabilitiesAgree(t *testing.T) {
	text := texts["CRLF"] + texts["emoji"]
	tg := tagger(t, config(64, 16), bio, nil, &fake{limit: 64, score: blind})
	found, doubts, err := tg.Probe(t.Context(), docs(text, text), 0.3)
	if err != nil {
		t.Fatal(err)
	}
	estimates, err := tg.Estimate(t.Context(), docs(text, text))
	if err != nil {
		t.Fatal(err)
	}
	scores, err := tg.Scores(t.Context(), docs(text, text))
	if err != nil {
		t.Fatal(err)
	}
	if len(found[1]) == 0 || len(doubts[1]) == 0 || !slices.Equal(found[0], found[1]) {
		t.Fatal("too little is found")
	}
	for i, s := range scores[1][0] {
		e := estimates[1][i]
		sum := s.Marginals[0]
		for _, c := range e.Chances {
			sum += c.Begin + c.Inside
		}
		if e.Start != s.Start || math.Abs(sum-1) > 1e-3 {
			t.Fatalf("word %d: estimates and the probability of O add up to %v", i, sum)
		}
		span := data.Span{Start: s.Start, End: s.End}
		a, b := data.Overlapping(found[1], span)
		c, d := data.Overlapping(doubts[1], span)
		if (a < b) != (s.Label != 0) {
			t.Fatalf("word %d has label %d, and %d spans", i, s.Label, b-a)
		}
		if (c < d) != (s.Label == 0 && 1-s.Marginals[0] >= 0.3) {
			t.Fatalf("word %d is O with probability %v, and has %d doubts", i, s.Marginals[0], d-c)
		}
	}
	last := scores[1][0][len(scores[1][0])-1]
	if last.Sentence < 40 {
		t.Errorf("the last sentence has number %d", last.Sentence)
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := contextCancelled(t)
	cancel()
	tg := tagger(t, config(64, 16), bio, nil, &fake{limit: 64, score: blind})
	if _, err := tg.Tag(ctx, docs("Roe")); !errors.Is(err, ctx.Err()) {
		t.Errorf("error %v", err)
	}
	if found, err := tg.Tag(t.Context(), nil); len(found) != 0 || err != nil {
		t.Errorf("no notes: %v, %v", found, err)
	}
}
