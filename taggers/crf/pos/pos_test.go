package pos

import (
	"bytes"
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lethe-deid/lethe/data/conllu"
)

func tiny(t testing.TB) []conllu.Sentence {
	t.Helper()
	s, err := conllu.Read("testdata/tiny.conllu")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func train(t testing.TB, sentences []conllu.Sentence, opt Options) *Tagger {
	t.Helper()
	g, err := Train(t.Context(), sentences, opt)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestTag(t *testing.T) {
	g := train(t, tiny(t), Options{})
	if !g.XPOS() {
		t.Error("no XPOS, though every word has one")
	}
	for _, test := range []struct {
		words string
		want  []Word
	}{
		{"Emil coughed in the small wards .", []Word{
			{"PROPN", "NNP", "", "Emil", "B-NP"},
			{"VERB", "VBD", "Past", "cough", "B-VP"},
			{"ADP", "IN", "", "in", "B-PP"},
			{"DET", "DT", "", "the", "B-NP"},
			{"ADJ", "JJ", "", "small", "I-NP"},
			{"NOUN", "NNS", "", "ward", "I-NP"},
			{"PUNCT", ".", "", ".", "O"},
		}},
		{"Wanda did n't walk in the clinic", []Word{ // a name, and an end, that it has not seen
			{"PROPN", "NNP", "", "Wanda", "B-NP"},
			{"AUX", "VBD", "Past", "do", "B-VP"},
			{"PART", "RB", "", "not", "I-VP"},
			{"VERB", "VB", "", "walk", "I-VP"},
			{"ADP", "IN", "", "in", "B-PP"},
			{"DET", "DT", "", "the", "B-NP"},
			{"NOUN", "NN", "", "clinic", "I-NP"},
		}},
		{"PETRA DIDN'T REST IN THE COLD GARDENS .", []Word{
			{"PROPN", "NNP", "", "PETRA", "B-NP"},
			{"AUX", "VBD", "Past", "do", "B-VP"},
			{"VERB", "VB", "", "rest", "I-VP"},
			{"ADP", "IN", "", "in", "B-PP"},
			{"DET", "DT", "", "the", "B-NP"},
			{"ADJ", "JJ", "", "cold", "I-NP"},
			{"NOUN", "NNS", "", "garden", "I-NP"},
			{"PUNCT", ".", "", ".", "O"},
		}},
		{"", nil},
	} {
		if diff := cmp.Diff(test.want, append([]Word(nil), g.Tag(strings.Fields(test.words), nil)...)); diff != "" {
			t.Errorf("%s: %s", test.words, diff)
		}
	}
	// Anything that a tokenizer may produce.
	odd := []string{"", " ", "\xff", "\u0301", "\x00", "İ", strings.Repeat("a", 1<<16), "ﬁ", "-", "İİİ"}
	if got := g.Tag(odd, nil); len(got) != len(odd) {
		t.Errorf("%d tags for %d words", len(got), len(odd))
	}
	out := make([]Word, 3, 20)
	if got := g.Tag([]string{"Emil", "rests"}, out); len(got) != 2 || &got[0] != &out[0] {
		t.Error("the slice given is not used")
	}
}

func TestXPOSOnlyWhereEveryWordHasOne(t *testing.T) {
	s := tiny(t)
	s[len(s)-1].Words[0].XPOS = ""
	g := train(t, s, Options{})
	if got := g.Tag([]string{"Emil", "rests", "."}, nil); g.XPOS() || got[1] != (Word{"VERB", "", "Pres", "rest", "B-VP"}) {
		t.Errorf("got %v", got)
	}
}

func TestTrainIsReproducible(t *testing.T) {
	s := tiny(t)
	a, b := train(t, s, Options{Seed: 7}), train(t, s, Options{Seed: 7})
	if !bytes.Equal(a.payload(), b.payload()) || a.Digest() != b.Digest() {
		t.Error("two taggers of the same seed differ")
	}
	if c := train(t, s, Options{Seed: 8}); c.Digest() == a.Digest() {
		t.Error("the seed changes nothing")
	}
}

func TestTrainErrors(t *testing.T) {
	if _, err := Train(t.Context(), []conllu.Sentence{{}}, Options{}); err == nil || err.Error() != "no sentences to train on" {
		t.Errorf("of nothing: %v", err)
	}
	if _, err := Train(t.Context(), tiny(t), Options{Epochs: -1}); err == nil || err.Error() != "epochs: -1 is negative" {
		t.Errorf("of -1 epochs: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Train(ctx, tiny(t), Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("called off: %v", err)
	}
}

// The averages are those of a perceptron that stores all weights after every decision
// and computes their mean at the end.
func TestAveragesAgainstAllWeights(t *testing.T) {
	sentences := tiny(t)[:12]
	l := newLearner(sentences)
	type at struct {
		key   uint32
		class uint16
	}
	weights, sums, decisions := map[at]float64{}, map[at]float64{}, 0
	l.table = newTable()
	fast, slow := &scratch{}, &scratch{}
	for range 4 {
		for e := range l.examples {
			l.step(fast, &l.examples[e])
			slow.read(l.dictionary, l.examples[e].forms)
			for i, gold := range l.examples[e].gold {
				k := slow.words[i].known
				if k.use == sure {
					slow.tags = append(slow.tags, k.classes[0])
					continue
				}
				slow.features(i)
				scores := make([]int32, len(l.classes))
				for _, key := range slow.keys {
					for c := range scores {
						scores[c] += int32(weights[at{key, uint16(c)}])
					}
				}
				guess := best(scores, k.choice())
				slow.tags = append(slow.tags, guess)
				if guess != gold {
					for _, key := range slow.keys {
						weights[at{key, gold}]++
						weights[at{key, guess}]--
					}
				}
				decisions++
				for a, w := range weights {
					sums[a] += w
				}
			}
		}
	}
	got := map[at]float64{}
	w := l.table.average(len(l.classes), l.now)
	for _, s := range w.slots {
		if s == 0 {
			continue
		}
		for _, c := range w.at(s) {
			if c.weight != 0 {
				got[at{uint32(s >> 32), c.class}] = float64(c.weight)
			}
		}
	}
	want := map[at]float64{}
	for a, sum := range sums {
		if x := math.Round(steps * sum / float64(decisions)); math.Abs(x) >= least {
			want[a] = x
		}
	}
	if len(want) < 100 {
		t.Fatalf("only %d weights to compare", len(want))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestSaveLoad(t *testing.T) {
	a := train(t, tiny(t), Options{})
	path := filepath.Join(t.TempDir(), "tiny.pos")
	if err := a.Save(path); err != nil {
		t.Fatal(err)
	}
	b, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(a.payload(), b.payload()) || a.Digest() != b.Digest() {
		t.Error("the model loaded is not the one saved")
	}
	for _, s := range tiny(t) {
		var words []string
		for _, w := range s.Words {
			words = append(words, w.Form, strings.ToUpper(w.Form), w.Form+"ed")
		}
		if diff := cmp.Diff(a.Tag(words, nil), b.Tag(words, nil)); diff != "" {
			t.Fatal(diff)
		}
	}
	again := filepath.Join(t.TempDir(), "again.pos")
	if err := b.Save(again); err != nil {
		t.Fatal(err)
	}
	x, _ := os.ReadFile(path)
	y, _ := os.ReadFile(again)
	if !bytes.Equal(x, y) {
		t.Error("saved again, the file is another")
	}
}

func TestLoadErrors(t *testing.T) {
	var b bytes.Buffer
	if err := train(t, tiny(t)[:6], Options{Epochs: 1}).Write(&b); err != nil {
		t.Fatal(err)
	}
	good := b.Bytes()
	for _, test := range []struct{ name, content, want string }{
		{"empty", "", "is not a part-of-speech model: it does not begin with lethe-pos"},
		{"text", "Zora walks.\n", "is not a part-of-speech model: it does not begin with lethe-pos"},
		{"a long line", strings.Repeat("lethe-pos ", 1<<10), "is not a part-of-speech model: it does not begin with lethe-pos"},
		{"another version", strings.Replace(string(good), "lethe-pos 1", "lethe-pos 2", 1), "is a part-of-speech model of another version; this program reads version 1"},
		{"cut off", string(good[:len(good)-20]), "the part-of-speech model is damaged: unexpected EOF"},
		{"only its first line", string(good[:bytes.IndexByte(good, '\n')+1]), "the part-of-speech model is damaged: EOF"},
	} {
		if _, err := Read(strings.NewReader(test.content)); err == nil || err.Error() != test.want {
			t.Errorf("%s: %v", test.name, err)
		}
	}
	for i := range good {
		bad := slices.Clone(good)
		bad[i] ^= 0x20
		g, err := Read(bytes.NewReader(bad))
		if err == nil && !bytes.Equal(g.payload(), train(t, tiny(t)[:6], Options{Epochs: 1}).payload()) { // gzip's header has bytes that mean nothing
			t.Fatalf("byte %d changed, and another model loads", i)
		}
	}
}

// No payload makes the program panic, whatever its checksum.
func FuzzPayload(f *testing.F) {
	s, err := conllu.Read("testdata/tiny.conllu")
	if err != nil {
		f.Fatal(err)
	}
	g, err := Train(context.Background(), s[:2], Options{Epochs: 1})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(g.payload())
	f.Fuzz(func(t *testing.T, payload []byte) {
		d := decoder{rest: payload}
		g := d.tagger()
		if d.err == nil {
			g.Tag([]string{"Zora", "walked", "IN", "the", "", "wards"}, nil)
		}
	})
}

func TestSeveralGoroutines(t *testing.T) {
	g := train(t, tiny(t), Options{})
	words := strings.Fields("Otto walks in the quiet clinics .")
	want := g.Tag(words, nil)
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			for range 50 {
				if !slices.Equal(g.Tag(words, nil), want) {
					t.Error("another answer")
					return
				}
			}
		})
	}
	wait.Wait()
}

func TestChunks(t *testing.T) {
	for _, test := range []struct {
		behind bool
		tagged string // word/UPOS/XPOS/chunk
	}{
		{false, "The/DET/DT/B-NP very/ADV/RB/I-NP large/ADJ/JJ/I-NP mass/NOUN/NN/I-NP was/AUX/VBD/B-VP not/PART/RB/I-VP recently/ADV/RB/I-VP seen/VERB/VBN/I-VP ././PUNCT/O"},
		{false, "He/PRON/PRP/B-NP wants/VERB/VBZ/B-VP to/PART/TO/I-VP go/VERB/VB/I-VP home/ADV/RB/B-ADVP"},
		{false, "Emil/PROPN/NNP/B-NP 's/PART/POS/B-NP reported/VERB/VBN/I-NP pain/NOUN/NN/I-NP is/AUX/VBZ/B-VP mild/ADJ/JJ/B-ADJP"},
		{false, "on/ADP/IN/B-PP 1/NUM/CD/B-NP -/PUNCT/HYPH/I-NP 20/NUM/CD/I-NP ,/PUNCT/,/O her/PRON/PRP$/B-NP sister/NOUN/NN/I-NP gave/VERB/VBD/B-VP up/ADP/RP/B-PRT"},
		{false, "gave/VERB/VBD/B-VP him/PRON/PRP/B-NP water/NOUN/NN/B-NP because/SCONJ/IN/B-SBAR the/DET/DT/B-NP poor/ADJ/JJ/I-NP rest/VERB/VBP/B-VP"},
		{false, "Dr/PROPN/NNP/B-NP . Varga/PROPN/NNP/I-NP left/VERB/VBD/B-VP home/NOUN/NN/B-NP ././PUNCT/O"},
		{false, "oh/INTJ/UH/B-INTJ well/INTJ/UH/I-INTJ and/CCONJ/CC/O so/ADV/RB/B-ADJP sick/ADJ/JJ/I-ADJP"},
		{true, "la/DET//B-NP historia/NOUN//I-NP clínica/ADJ//I-NP muy/ADV//I-NP larga/ADJ//I-NP del/ADP//B-PP paciente/NOUN//B-NP"},
		{false, "a/DET/DT/B-NP patient/NOUN/NN/I-NP healthy/ADJ/JJ/B-ADJP until/ADP/IN/B-PP then/ADV/RB/B-ADVP"},
	} {
		var out []Word
		var want []string
		for _, f := range strings.Fields(test.tagged) {
			p := strings.Split(f, "/")
			switch f {
			case "././PUNCT/O":
				p = []string{".", "PUNCT", ".", "O"}
			case ".": // of a title
				p = []string{".", "PUNCT", ".", "I-NP"}
			}
			out = append(out, Word{UPOS: p[1], XPOS: p[2], Lemma: p[0]})
			want = append(want, p[3])
		}
		(&Tagger{behind: test.behind}).chunk(out)
		var got []string
		for _, w := range out {
			got = append(got, w.Chunk)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", test.tagged, diff)
		}
	}
}

func TestAdjectivesBehind(t *testing.T) {
	n, a := conllu.Token{UPOS: "NOUN"}, conllu.Token{UPOS: "ADJ"}
	if adjectivesBehind([]conllu.Sentence{{Words: []conllu.Token{a, n, a, n}}}) || !adjectivesBehind([]conllu.Sentence{{Words: []conllu.Token{n, a, n}}, {Words: []conllu.Token{n, a}}}) {
		t.Error("adjectives are looked for on the wrong side")
	}
}

func TestLemmas(t *testing.T) {
	var s conllu.Sentence
	for _, w := range strings.Fields("cases/case cures/cure flies/fly spies/spy tries/try boxes/box foxes/fox feet/foot Wards/ward dogs/dog cats/cat ñus/ñu gnus/gnu") {
		form, lemma, _ := strings.Cut(w, "/")
		s.Words = append(s.Words, conllu.Token{Form: form, Lemma: lemma, UPOS: "NOUN"})
	}
	for _, w := range strings.Fields("Petra/Petra States/State Alps/Alps Bonn/Bonn") {
		form, lemma, _ := strings.Cut(w, "/")
		s.Words = append(s.Words, conllu.Token{Form: form, Lemma: lemma, UPOS: "PROPN"})
	}
	l := learnLemmas(newLearner([]conllu.Sentence{s}))
	for _, test := range []struct {
		class      uint16 // 0 NOUN, the more frequent; 1 PROPN
		form, want string
	}{
		{0, "feet", "foot"}, {0, "flies", "fly"}, {0, "dogs", "dog"}, {0, "Wards", "ward"}, {0, "ñus", "ñu"},
		{0, "pries", "pry"}, {0, "GALOXES", "galox"}, {0, "logs", "log"}, {0, "water", "water"}, {0, "", ""}, {0, "s", "s"},
		{1, "Petra", "Petra"}, {1, "States", "State"}, {1, "Varga", "Varga"},
	} {
		if got := l.of(test.form, lower(test.form), test.class); got != test.want {
			t.Errorf("the lemma of %q is %q, not %q", test.form, got, test.want)
		}
	}
}

func TestTestCountsAgreement(t *testing.T) {
	g := train(t, tiny(t), Options{})
	right := conllu.Sentence{Words: []conllu.Token{
		{Form: "Emil", Lemma: "Emil", UPOS: "PROPN", XPOS: "NNP", Tense: ""},
		{Form: "walks", Lemma: "walk", UPOS: "VERB", XPOS: "VBZ", Tense: "Pres"},
		{Form: ".", Lemma: "", UPOS: "PUNCT", XPOS: "", Tense: ""},
	}}
	wrong := conllu.Sentence{Words: []conllu.Token{
		{Form: "Emil", Lemma: "emil", UPOS: "NOUN", XPOS: "NN", Tense: ""},
		{Form: "rests", Lemma: "rest", UPOS: "VERB", XPOS: "VBD", Tense: "Past"},
		{Form: "wordless", Lemma: "-", UPOS: "X", XPOS: "-", Tense: "Fut"},
	}}
	want := Accuracy{
		All:     Agreement{Words: 6, UPOS: 4, WithXPOS: 5, XPOS: 2, Tense: 4, WithLemma: 5, Lemma: 3},
		Unknown: Agreement{Words: 1, WithXPOS: 1, WithLemma: 1},
	}
	if diff := cmp.Diff(want, g.Test([]conllu.Sentence{right, wrong})); diff != "" {
		t.Error(diff)
	}
}
