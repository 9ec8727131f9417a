package wordnet

import (
	stdcmp "cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/lethe-deid/lethe/data"
)

// entry is a synset of an invented WordNet.
type entry struct {
	pos   string // n, v, a, s or r
	words []string
	up    []int // hypernyms, by place in the list
}

// Animals and places, with a cycle among the verbs, and an instance.
var entries = []entry{
	{"n", []string{"thing"}, nil},
	{"n", []string{"beast", "animal"}, []int{0}},
	{"n", []string{"hound", "Dog"}, []int{1, 3}},
	{"n", []string{"domestic_animal"}, []int{1}},
	{"n", []string{"box"}, []int{0}},
	{"n", []string{"boxful"}, []int{4}},
	{"n", []string{"man"}, []int{1}},
	{"n", []string{"hound"}, []int{6}},
	{"v", []string{"hound", "chase"}, []int{9}},
	{"v", []string{"follow"}, []int{10}},
	{"v", []string{"go", "chase"}, []int{9}},
	{"a", []string{"good"}, nil},
	{"s", []string{"galore(ip)", "large"}, nil},
	{"r", []string{"well"}, nil},
	{"n", []string{"Fido"}, []int{-2}}, // an instance of number 2
}

var suffixes = map[string]string{"n": "noun", "v": "verb", "a": "adj", "s": "adj", "r": "adv"}

const licence = "  1 This is no WordNet but a few lines in its form.  \n"

// build writes the files of entries.
func build(entries []entry) fstest.MapFS {
	text := map[string]string{}
	for _, name := range suffixes {
		text["data."+name], text["index."+name] = licence, licence
	}
	// Every offset has eight digits, so the lengths of the lines are known before the
	// offsets are: the first pass writes zeros, the second the resulting offsets.
	at := make([]int, len(entries))
	var data map[string]string
	for range 2 {
		data = map[string]string{}
		for i, e := range entries {
			name := "data." + suffixes[e.pos]
			if data[name] == "" {
				data[name] = licence
			}
			at[i] = len(data[name])
			var b strings.Builder
			fmt.Fprintf(&b, "%08d 05 %s %02x", at[i], e.pos, len(e.words))
			for _, w := range e.words {
				fmt.Fprintf(&b, " %s 0", w)
			}
			fmt.Fprintf(&b, " %03d", len(e.up)+1)
			for _, h := range e.up {
				symbol := "@"
				if h < 0 {
					symbol, h = "@i", -h
				}
				fmt.Fprintf(&b, " %s %08d %s 0000", symbol, at[h], strings.Replace(entries[h].pos, "s", "a", 1))
			}
			fmt.Fprintf(&b, " ~ %08d %s 0000", at[i], e.pos)
			if e.pos == "v" {
				b.WriteString(" 02 + 02 00 + 08 00")
			}
			data[name] += b.String() + " | a gloss; \"with @ 00000000 n 0000 | signs\"  \n"
		}
	}
	senses := map[string][]int{}
	for i, e := range entries {
		for _, w := range e.words {
			w, _, _ = strings.Cut(strings.ToLower(w), "(")
			key := suffixes[e.pos] + " " + w
			senses[key] = append(senses[key], at[i])
		}
	}
	for _, key := range slices.Sorted(mapKeys(senses)) {
		name, lemma, _ := strings.Cut(key, " ")
		pos := map[string]string{"noun": "n", "verb": "v", "adj": "a", "adv": "r"}[name]
		line := fmt.Sprintf("%s %s %d 2 @ ~ %d 0", lemma, pos, len(senses[key]), len(senses[key]))
		for _, offset := range senses[key] {
			line += fmt.Sprintf(" %08d", offset)
		}
		text["index."+name] += line + "  \n"
	}
	files := fstest.MapFS{
		"noun.exc": {Data: []byte("men man\nbeesten beest beast\n")},
		"verb.exc": {Data: []byte("went go\n")},
		"adj.exc":  {Data: []byte("better well good\n")},
		"adv.exc":  {Data: []byte("best well\n")},
	}
	for name, content := range data {
		text[name] = content
	}
	for name, content := range text {
		files[name] = &fstest.MapFile{Data: []byte(content)}
	}
	return files
}

func mapKeys[V any](m map[string]V) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

func mustRead(t testing.TB, files fs.FS) *WordNet {
	t.Helper()
	w, err := read(files, "wn")
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func names(w *WordNet, synsets []Synset) []string {
	var all []string
	for _, s := range synsets {
		all = append(all, strings.Join(w.Names(s), "+"))
	}
	return all
}

func TestSensesAndHypernyms(t *testing.T) {
	w := mustRead(t, build(entries))
	for _, test := range []struct {
		lemma     string
		pos       POS
		senses    []string
		hypernyms [][]string // of the first sense, at depths 0, 1, 2, 9
	}{
		{"hound", Noun, []string{"hound+Dog", "hound"}, [][]string{
			nil, {"beast+animal", "domestic_animal"}, {"beast+animal", "domestic_animal", "thing"}, {"beast+animal", "domestic_animal", "thing"},
		}},
		{"dog", Noun, []string{"hound+Dog"}, nil},
		{"thing", Noun, []string{"thing"}, [][]string{nil, nil, nil, nil}},
		{"fido", Noun, []string{"Fido"}, [][]string{nil, {"hound+Dog"}, {"hound+Dog", "beast+animal", "domestic_animal"},
			{"hound+Dog", "beast+animal", "domestic_animal", "thing"}}},
		{"hound", Verb, []string{"hound+chase"}, [][]string{nil, {"follow"}, {"follow", "go+chase"}, {"follow", "go+chase"}}},
		{"chase", Verb, []string{"hound+chase", "go+chase"}, nil},
		{"galore", Adjective, []string{"galore+large"}, [][]string{nil, nil, nil, nil}},
		{"well", Adverb, []string{"well"}, nil},
		{"well", Noun, nil, nil},
		{"well", 'x', nil, nil},
	} {
		senses := w.Senses(test.lemma, test.pos)
		if diff := cmp.Diff(test.senses, names(w, senses)); diff != "" {
			t.Errorf("senses of %s %c: %s", test.lemma, test.pos, diff)
		}
		for i, want := range test.hypernyms {
			if diff := cmp.Diff(want, names(w, w.Hypernyms(senses[0], []int{0, 1, 2, 9}[i]))); diff != "" {
				t.Errorf("hypernyms of %s %c: %s", test.lemma, test.pos, diff)
			}
		}
	}
}

func TestID(t *testing.T) {
	w := mustRead(t, build(entries))
	if got, want := w.ID(w.Senses("thing", Noun)[0]), fmt.Sprintf("%08d-n", len(licence)); got != want {
		t.Errorf("%s, not %s", got, want)
	}
	if got, want := w.ID(w.Senses("well", Adverb)[0]), fmt.Sprintf("%08d-r", len(licence)); got != want {
		t.Errorf("%s, not %s", got, want)
	}
	if got := w.ID(w.Senses("large", Adjective)[0]); !strings.HasSuffix(got, "-a") {
		t.Errorf("a satellite's ID is %s", got)
	}
}

func TestLemma(t *testing.T) {
	w := mustRead(t, build(entries))
	for _, test := range []struct {
		word string
		pos  POS
		want string // "" if there is none
	}{
		{"hounds", Noun, "hound"}, {"HOUNDS", Noun, "hound"}, {"hound", Noun, "hound"}, {"boxes", Noun, "box"}, {"boxesful", Noun, "boxful"},
		{"men", Noun, "man"}, {"beesten", Noun, "beast"}, {"Domestic animals", Noun, "domestic_animal"}, {"boxess", Noun, ""}, {"s", Noun, ""}, {"", Noun, ""},
		{"went", Verb, "go"}, {"goes", Verb, "go"}, {"chasing", Verb, "chase"}, {"chased", Verb, "chase"}, {"following", Verb, "follow"}, {"men", Verb, ""},
		{"better", Adjective, "good"}, {"larger", Adjective, "large"}, {"best", Adverb, "well"}, {"wells", Adverb, ""}, {"hound", 'x', ""},
	} {
		got, ok := w.Lemma(test.word, test.pos)
		if got != test.want || ok != (test.want != "") {
			t.Errorf("the lemma of %q as %c is %q, %v", test.word, test.pos, got, ok)
		}
	}
}

func TestFromUPOS(t *testing.T) {
	w := mustRead(t, build(entries))
	for upos, want := range map[string]POS{"NOUN": Noun, "PROPN": Noun, "VERB": Verb, "AUX": Verb, "ADJ": Adjective, "ADV": Adverb, "DET": 0, "": 0} {
		if got, ok := FromUPOS(upos); got != want || ok != (w.parts[want] != nil) {
			t.Errorf("%s: %c, %v", upos, got, ok)
		}
	}
}

func TestOpen(t *testing.T) {
	dir := t.TempDir()
	for name, f := range build(entries) {
		if err := os.WriteFile(filepath.Join(dir, name), f.Data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	w, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"hound+Dog", "hound"}, names(w, w.Senses("hound", Noun))); diff != "" {
		t.Error(diff)
	}
	if _, err := Open(filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), filepath.Join(dir, "none", "data.noun")) {
		t.Errorf("of no folder: %v", err)
	}
}

func TestDigest(t *testing.T) {
	files := build(entries)
	digest := mustRead(t, files).Digest()
	files["README"] = &fstest.MapFile{Data: []byte("nothing to do with it")}
	if mustRead(t, files).Digest() != digest {
		t.Error("another file in the folder changes the digest")
	}
	for name := range files {
		changed := build(entries)
		if name == "README" {
			continue
		}
		changed[name] = &fstest.MapFile{Data: append(slices.Clone(files[name].Data), "  \n"...)}
		if mustRead(t, changed).Digest() == digest {
			t.Errorf("a change of %s does not change the digest", name)
		}
	}
	delete(files, "noun.exc")
	w := mustRead(t, files)
	if _, ok := w.Lemma("beesten", Noun); ok || w.Digest() == digest {
		t.Error("without noun.exc all is as before")
	}
}

func TestErrors(t *testing.T) {
	first := fmt.Sprintf("%08d 05 n 01 thing 0 ", len(licence))
	for _, test := range []struct{ name, from, to, want string }{
		{"data.noun", "", "", "file does not exist"},
		{"index.adv", "", "", "file does not exist"},
		{"data.noun", licence, licence + "  x\n", "wn/data.noun:3: the synset states offset 54 (offset 58)"},
		{"data.noun", licence, licence + "\n", "wn/data.noun:2: the line ends too early (offset 54)"},
		{"data.noun", licence, strings.Replace(licence, "\n", "\r\n", 1), "wn/data.noun:2: the synset states offset 54 (offset 55)"},
		{"data.noun", first, strings.Replace(first, "000000", "x00000", 1), "wn/data.noun:2: the offset is not a number (offset 54)"},
		{"data.noun", first, strings.Replace(first, " n ", " v ", 1), "wn/data.noun:2: the synset's type does not belong in this file (offset 54)"},
		{"data.noun", first, strings.Replace(first, "01 thing 0", "00", 1), "wn/data.noun:2: the synset has no words (offset 54)"},
		{"data.noun", first, strings.Replace(first, " 01 ", " ff ", 1), "wn/data.noun:2: the line ends too early (offset 54)"},
		{"data.noun", first + "001", first + "999", "wn/data.noun:2: the line ends too early (offset 54)"},
		{"data.noun", "thing", "th\xffng", "wn/data.noun:2: invalid UTF-8 (offset 54)"},
		{"data.noun", "@ 00000054", "@ 00000055", `wn/data.noun:3: a pointer leads to offset 55 of part of speech 'n', where no synset begins`},
		{"index.noun", "00000054", "00000055", "wn/index.noun:11: no synset begins at offset 55"},
		{"index.noun", "thing n 1", "thing n 2", "wn/index.noun:11: 1 offsets, but the line states 2"},
		{"index.noun", "thing n 1", "thing v 1", "wn/index.noun:11: the part of speech does not belong in this file"},
		{"index.noun", "thing", "man", "wn/index.noun:11: duplicate lemma"},
		{"index.noun", "thing n 1 2 @ ~", "thing n 1 9 @ ~", "wn/index.noun:11: the line ends too early"},
		{"noun.exc", "men man", "men", "wn/noun.exc:1: an irregular form without a lemma (offset 0)"},
	} {
		files := build(entries)
		if test.from == "" {
			delete(files, test.name)
		} else {
			old := string(files[test.name].Data)
			changed := strings.Replace(old, test.from, test.to, 1)
			if changed == old {
				t.Fatalf("%s has no %q", test.name, test.from)
			}
			files[test.name] = &fstest.MapFile{Data: []byte(changed)}
		}
		_, err := read(files, "wn")
		if err == nil || !strings.HasPrefix(err.Error(), "wn/"+test.name) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("got %v, want %s", err, test.want)
		}
		var at *data.Error
		if test.from != "" && !errors.As(err, &at) {
			t.Errorf("%v is no *data.Error", err)
		}
	}
}

// Files with any content are read, or refused with a position.
func FuzzRead(f *testing.F) {
	files := build(entries)
	f.Add(files["data.noun"].Data, files["index.noun"].Data, files["noun.exc"].Data)
	f.Fuzz(func(t *testing.T, content, index, exceptions []byte) {
		files := build(entries)
		files["data.noun"], files["index.noun"], files["noun.exc"] =
			&fstest.MapFile{Data: content}, &fstest.MapFile{Data: index}, &fstest.MapFile{Data: exceptions}
		w, err := read(files, "wn")
		if err != nil {
			var at *data.Error
			if !errors.As(err, &at) {
				t.Errorf("an error without a place: %v", err)
			}
			return
		}
		for lemma, senses := range w.parts[Noun].senses {
			w.Lemma(lemma, Noun)
			for _, s := range senses {
				w.Hypernyms(s, 3)
				w.Names(s)
				w.ID(s)
			}
		}
	})
}

// real opens WordNet 3.0 where its own programs look for it.
func real(t testing.TB) *WordNet {
	t.Helper()
	dir := stdcmp.Or(os.Getenv("WNSEARCHDIR"), "/usr/share/wordnet")
	nouns, err := os.ReadFile(filepath.Join(dir, "data.noun"))
	if err != nil || !strings.Contains(string(nouns[:min(2000, len(nouns))]), "WordNet 3.0") {
		t.Skipf("no WordNet 3.0 in %s (install wordnet-base, or set WNSEARCHDIR): %v", dir, err)
	}
	w, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// The numbers of WordNet 3.0 according to its manual, wnstats(7WN), and some of its
// words.
func TestRealWordNet(t *testing.T) {
	w := real(t)
	lemmas := 0
	for _, p := range w.parts {
		lemmas += len(p.senses)
	}
	if lemmas != 155_287 || len(w.synsets) != 117_659 {
		t.Errorf("%d lemmas and %d synsets, where WordNet has 155287 and 117659", lemmas, len(w.synsets))
	}
	dog := w.Senses("dog", Noun)
	if len(dog) != 7 || !slices.Contains(w.Names(dog[0]), "domestic_dog") {
		t.Fatalf("dog has %d senses, the first %v", len(dog), w.Names(dog[0]))
	}
	up := names(w, w.Hypernyms(dog[0], 1))
	if diff := cmp.Diff([]string{"canine+canid", "domestic_animal+domesticated_animal"}, up); diff != "" {
		t.Error(diff)
	}
	if all := w.Hypernyms(dog[0], 99); !slices.Equal(w.Names(all[len(all)-1]), []string{"entity"}) {
		t.Errorf("the last hypernym of dog is %v", w.Names(all[len(all)-1]))
	}
	for _, test := range []struct {
		word string
		pos  POS
		want string
	}{
		{"mice", Noun, "mouse"}, {"biopsies", Noun, "biopsy"}, {"diagnoses", Noun, "diagnosis"}, {"bled", Verb, "bleed"}, {"coughing", Verb, "cough"},
		{"worse", Adjective, "bad"}, {"Paris", Noun, "paris"}, {"hospitals", Noun, "hospital"},
	} {
		if got, _ := w.Lemma(test.word, test.pos); got != test.want {
			t.Errorf("the lemma of %s is %s", test.word, got)
		}
	}
	for s := range w.synsets {
		if up := w.Hypernyms(Synset(s), 100); slices.Contains(up, Synset(s)) {
			t.Fatal("a synset is among its own hypernyms")
		}
	}
}

func BenchmarkOpen(b *testing.B) {
	real(b)
	dir := stdcmp.Or(os.Getenv("WNSEARCHDIR"), "/usr/share/wordnet")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Open(dir); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkLemmaAndHypernyms(b *testing.B) {
	w := real(b)
	words := []string{"hospitals", "biopsies", "doctor", "petrosyan", "boston", "streets", "zzz"}
	for b.Loop() {
		for _, word := range words {
			if lemma, ok := w.Lemma(word, Noun); ok {
				w.Hypernyms(w.Senses(lemma, Noun)[0], 3)
			}
		}
	}
}
