package synth

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"github.com/lethe-deid/lethe/data"
)

func corpusNotes(t testing.TB, c Config, n int) []*data.Document {
	t.Helper()
	docs, err := data.Collect(c.Notes(n))
	if err != nil {
		t.Fatal(err)
	}
	if len(docs) != n {
		t.Fatalf("%d notes, want %d", len(docs), n)
	}
	return docs
}

func TestCorporaAreWellFormed(t *testing.T) {
	for _, name := range Corpora() {
		for _, split := range splits {
			c := Config{Corpus: name, Split: split, Seed: 1}
			for _, d := range corpusNotes(t, c, 600) {
				if err := d.Check(); err != nil {
					t.Fatal(err)
				}
				last := 0
				for i, s := range d.Spans {
					phrase := d.Text[s.Start:s.End]
					if s.Start < last {
						t.Errorf("%s %s: span %d overlaps or is out of order", name, d.ID, i)
					}
					if strings.TrimSpace(phrase) != phrase || phrase == "" || strings.Contains(phrase, "\n") {
						t.Errorf("%s %s: span %d is not trimmed: %q", name, d.ID, i, phrase)
					}
					if strings.HasSuffix(phrase, ":") || (strings.HasPrefix(phrase, "Dr. ") || strings.HasPrefix(phrase, "Dr ")) && s.Type == "DOCTOR" {
						t.Errorf("%s %s: span %d has a label or a title: %q", name, d.ID, i, phrase)
					}
					if !c.Types().Has(s.Type) || s.Score != 1 {
						t.Errorf("%s %s: span %d: type %s, score %v", name, d.ID, i, s.Type, s.Score)
					}
					last = s.End
				}
				if strings.TrimSpace(d.Text) == "" || !strings.HasSuffix(d.Text, "\n") || strings.ContainsAny(d.Text, "\r\x00\ufffd") {
					t.Errorf("%s %s: empty, or a stray character", name, d.ID)
				}
			}
		}
	}
}

func TestEnglishCorpusHasEveryType(t *testing.T) {
	for _, split := range []Split{Train, Test} {
		count, clean := map[string]int{}, 0
		docs := corpusNotes(t, Config{Corpus: "en", Split: split, Seed: 1}, 3000)
		for _, d := range docs {
			for _, s := range d.Spans {
				count[s.Type]++
			}
			if len(d.Spans) == 0 {
				clean++
			}
		}
		for _, typ := range data.I2B2.Types {
			if count[typ.Name] < 15 {
				t.Errorf("%s: %d %s in 3000 notes, want at least 15", split, count[typ.Name], typ.Name)
			}
			t.Logf("%-5s %-15s %5d", split, typ.Name, count[typ.Name])
		}
		if clean < 300 || clean > 1050 {
			t.Errorf("%s: %d of 3000 notes are without PHI, want 10 to 35 %%", split, clean)
		}
	}
}

// Names of signs, drugs and devices stand in the notes without a mark, and people with such names with one.
func TestClinicalTermsAndPeopleWithTheirNames(t *testing.T) {
	term := map[string]bool{}
	for _, rule := range []string{"eponym.single", "drug.brand", "device.brand"} {
		for _, n := range corpora["en"].grammars[Train]()[rule].of {
			term[string(n.(literal))] = true
		}
	}
	outside, inside := 0, 0
	for _, d := range corpusNotes(t, Config{Corpus: "en", Split: Train, Seed: 1}, 1000) {
		at := 0
		for _, s := range d.Spans {
			outside += count(d.Text[at:s.Start], term)
			if s.Type == "PATIENT" || s.Type == "DOCTOR" {
				inside += count(d.Text[s.Start:s.End], term)
			}
			at = s.End
		}
		outside += count(d.Text[at:], term)
	}
	if outside < 500 || inside < 25 {
		t.Errorf("%d terms, and %d people with names of terms, in 1000 notes", outside, inside)
	}
}

// count returns the number of words of a text that are in a set.
func count(text string, set map[string]bool) int {
	n := 0
	for _, w := range strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && r != '-' }) {
		if set[w] {
			n++
		}
	}
	return n
}

// No name of the lists of the test split is in those of train.
func TestEnglishListsShareNoName(t *testing.T) {
	lists := func(split string) grammar {
		text, err := fs.ReadFile(files(), "grammar/en/lists/"+split+".txt")
		if err != nil {
			t.Fatal(err)
		}
		g := grammar{}
		g.read(split, string(text))
		return g
	}
	train, test := lists("train"), lists("test")
	known, n := map[literal]bool{}, 0
	for _, rule := range train {
		for _, name := range rule.of {
			known[name.(literal)] = true
		}
	}
	for list, rule := range test {
		for _, name := range rule.of {
			if n++; known[name.(literal)] {
				t.Errorf("%s: %q is in the lists of train and test", list, name)
			}
		}
	}
	if n < 1000 || len(train) != len(test) {
		t.Errorf("%d names in %d lists of the test split", n, len(test))
	}
}

func TestCorporaAreDeterministic(t *testing.T) {
	for _, name := range Corpora() {
		c := Config{Corpus: name, Split: Dev, Seed: 9}
		few, many := corpusNotes(t, c, 20), corpusNotes(t, c, 60)
		if diff := cmp.Diff(few, many[:20]); diff != "" {
			t.Errorf("%s: the first notes depend on how many are asked for:\n%s", name, diff)
		}
	}
}

func TestUnknownCorpus(t *testing.T) {
	c := Config{Corpus: "fr", Split: Train}
	if err := c.Validate(); err == nil || !strings.Contains(err.Error(), `"fr" (have demo, en, es)`) {
		t.Error(err)
	}
	if c.Types() != nil {
		t.Error("an unknown corpus has types")
	}
	if err := (Config{Corpus: "en", Split: Train, NotesPerPatient: 2}).Validate(); err == nil {
		t.Error("no error for several notes per patient")
	}
}

// expandAll writes the rule "start" n times with the corpus en and different seeds.
func expandAll(rules string, n int) []string {
	g := grammar{}
	g.read("test", rules)
	for name, rule := range g {
		g.resolve(name, rule)
	}
	var out []string
	for i := range n {
		w := newWriter(corpora["en"], g, rand.NewPCG(uint64(i), 1))
		w.say("start")
		w.finish()
		out = append(out, inline(&data.Document{Text: string(w.buf), Spans: w.spans}))
	}
	return out
}

func TestWeightsStylesAndParallelRules(t *testing.T) {
	count := map[string]int{}
	for _, s := range expandAll("== start\n{=a}{=a} {b@a} [%3 x|y]\n== a\n%9 one\n%1 two\n== b\n1\n2", 1000) {
		count[s]++
	}
	if len(count) != 4 {
		t.Errorf("%v: want oneone 1 or twotwo 2, and x or y", count)
	}
	if n := count["oneone 1 x\n"] + count["oneone 1 y\n"]; n < 860 || n > 940 {
		t.Errorf("%d of 1000 have the alternative of weight 9 of 10", n)
	}
	if n := count["oneone 1 x\n"] + count["twotwo 2 x\n"]; n < 700 || n > 800 {
		t.Errorf("%d of 1000 have the choice of weight 3 of 4", n)
	}
}

func TestOperatorsOfTheGrammar(t *testing.T) {
	for rules, want := range map[string]string{
		"== start\n{set a 2}{=a}\n== a\none\ntwo":                             "two\n",
		"== start\n{3..3* a}\n== a\nx":                                        "x x x\n",
		"== start\n{2..2 a/; }\n=, a\nx":                                      "x\n",
		"== start\n{3..3* a/=j}\n=, a\nx\n== j\n[, ]":                         "x, x, x\n",
		"=| start\nDear {a},\n\n  yes\n\n=, a\nDoe":                           "Dear Doe,\n\n  yes\n",
		"== start\n{an} <PROFESSION:{a}> and {an} {b}\n=, a\nnurse\n== b\nax": "a [[PROFESSION:nurse]] and an ax\n",
		"== start\na\\tb":                                                     "a\tb\n",
		"== start\n{all.flat}a\\nb":                                           "a b\n",
		"== start\n{all.upper}a {_b} {+b}\n== b\nc":                           "A C C\n",
		"== start\n\\%3 x":                                                    "%3 x\n",
	} {
		if have := expandAll(rules, 1)[0]; have != want {
			t.Errorf("%q gives %q, want %q", rules, have, want)
		}
	}
}

func TestRangeBelowOneIsDecimal(t *testing.T) { // it was read as octal, so that 0.8 became 0
	if have := expandAll("== start\n{0.8..0.8} {0.08..0.08} {08..08}", 1)[0]; have != "0.8 0.08 8\n" {
		t.Error(have)
	}
}

func TestBlocksHaveWeights(t *testing.T) {
	n := 0
	for _, s := range expandAll("=| start\na\n\n--\nb\n-- 8\nc", 1000) {
		if s == "c\n" {
			n++
		}
	}
	if n < 740 || n > 860 {
		t.Errorf("%d of 1000 are the block of weight 8 of 10", n)
	}
}

func TestWrappedSpanBecomesTwo(t *testing.T) {
	w := newWriter(corpora["en"], grammar{}, rand.NewPCG(1, 1))
	w.text("seen by Dr. ")
	mark{"DOCTOR", literal("Ana Maria Gomez")}.write(w)
	w.text(" today")
	w.width = 22
	w.finish()
	d := &data.Document{Text: string(w.buf), Spans: w.spans}
	if have, want := inline(d), "seen by Dr. [[DOCTOR:Ana Maria]]\n[[DOCTOR:Gomez]] today\n"; have != want {
		t.Errorf("%q, want %q", have, want)
	}
	if err := d.Check(); err != nil {
		t.Error(err)
	}
}

func TestSoundsAreNewWords(t *testing.T) {
	lists := corpora["en"].grammars[Train]()
	known := map[string]bool{}
	for _, n := range lists["surname.us"].of {
		known[string(n.(literal))] = true
	}
	s, r, unknown := soundsOf(lists["surname.us"])(), rand.New(rand.NewPCG(1, 1)), 0
	for range 1000 {
		word := s.word(r)
		if len(word) < 4 || strings.ToUpper(word[:1]) != word[:1] {
			t.Errorf("%q", word)
		}
		if !known[word] {
			unknown++
		}
	}
	if unknown < 700 {
		t.Errorf("only %d of 1000 words are new", unknown)
	}
}

// Notes of the corpora that are trained on, for review.
func TestGoldenOfCorpora(t *testing.T) {
	var b strings.Builder
	for _, split := range []Split{Train, Test} {
		for _, d := range corpusNotes(t, Config{Corpus: "en", Split: split, Seed: 5}, 12) {
			fmt.Fprintf(&b, "=== %s %s\n%s", split, d.ID, inline(d))
		}
	}
	compareGolden(t, "en.golden", b.String())
}
