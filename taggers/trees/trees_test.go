package trees

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/synth"
	"github.com/lethe-deid/lethe/taggers"
	"github.com/lethe-deid/lethe/taggers/gazetteer"
	"github.com/lethe-deid/lethe/taggers/internal/reader"
	"github.com/lethe-deid/lethe/taggers/rules"
	"github.com/lethe-deid/lethe/taggers/trees/c45"
)

// note parses "Seen by [DOCTOR Amundsen]." as a note with its spans.
func note(id, marked string) *data.Document {
	d := &data.Document{ID: id}
	for {
		before, rest, ok := strings.Cut(marked, "[")
		d.Text += before
		if !ok {
			return d
		}
		inside, after, _ := strings.Cut(rest, "]")
		typ, value, _ := strings.Cut(inside, " ")
		d.Spans = append(d.Spans, data.Span{Start: len(d.Text), End: len(d.Text) + len(value), Type: typ})
		d.Text += value
		marked = after
	}
}

func types(t testing.TB) *data.TypeSet {
	t.Helper()
	set, err := data.LookupTypeSet("i2b2-2006")
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// letters of the alphabet make different names.
var people = []string{"Amundsen", "Birkeland", "Christensen", "Dahl", "Egeberg", "Fearnley", "Grieg", "Heyerdahl"}

// wards are notes of different patients with a structured part and running text.
func wards() []*data.Document {
	var all []*data.Document
	for i, name := range people {
		d := note(fmt.Sprint(i), fmt.Sprintf("PATIENT: [PATIENT %s %s]\nHISTORY OF ILLNESS\nSeen by Dr. [DOCTOR %s] at Saint Olga Hospital today.\nMr. [PATIENT %s] feels well.\n",
			people[(i+3)%len(people)], name, people[(i+1)%len(people)], name))
		d.Patient = fmt.Sprint("p", i)
		all = append(all, d)
	}
	return all
}

// small is a configuration that trains in no time.
func small() Config {
	c := DefaultConfig()
	c.Rounds, c.MinDocuments, c.MinInstances, c.MinGain = 3, 2, 1, 0
	return c
}

func fit(t testing.TB, c Config, docs []*data.Document, workers int) *Tagger {
	t.Helper()
	m, err := c.Fit(t.Context(), taggers.Task{Name: "wards", Types: types(t), Train: docs, Workers: workers})
	if err != nil {
		t.Fatal(err)
	}
	return m.(*Tagger)
}

func prepared(t testing.TB, c Config, docs []*data.Document) *fitting {
	t.Helper()
	f, err := newFitting(c, taggers.Task{Name: "wards", Types: types(t), Train: docs, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// The attributes of an invented note, computed by hand.
func TestAttributes(t *testing.T) {
	dir := t.TempDir()
	plain := filepath.Join(dir, "plain.txt")
	if err := os.WriteFile(plain, []byte(strings.Repeat("Dr. Olga saw him. Saw him again, Olga saw.\n", 5)), 0o666); err != nil {
		t.Fatal(err)
	}
	c := small()
	c.Resources = Sources{
		Gazetteers: gazetteer.Lists{{Builtin: "en-medical-titles"}},
		Rules:      []rules.Config{{Set: "english", Only: []string{"AGE", "PHONE"}}},
		Text:       []string{plain},
	}
	f := prepared(t, c, wards())
	l := f.tagger.learned
	text := "PATIENT: Olga McKay\n(Dr. McKay said \"call 617-555-0199\", aged 81 years.)\n"
	var x *stretch
	for r := range f.tagger.reader.Cut(&data.Document{Text: text}) {
		x = newStretch(r, l)
	}
	s := newSchema(c, TokenTriggers, false, l, f.tagger.resources)
	v := s.view(x)
	at := func(word string) int { return slices.Index(x.words, word) }
	for _, want := range []struct {
		word, attribute string
		value           float64
	}{
		{"Olga", "initial[0]", 2},
		{"said", "initial[0]", 1},
		{"(", "initial[0]", 0},
		{"said", "initial[-1]", 2},
		{"PATIENT", "capitals[0]", 1},
		{"Olga", "capitals[0]", 0},
		{"Olga", "capitals[-2]", 1},
		{"McKay", "capital inside[0]", 1},
		{"Olga", "capital inside[0]", 0},
		{"Olga", "capital inside[1]", -2}, // no such attribute: the offset has a sign
		{"Olga", "capital inside[+1]", 1},
		{"Olga", "length[0]", 4},
		{"617", "digits[0]", 3},
		{"617", "number[0]", 617},
		{"0199", "number[0]", 199},
		{"Olga", "number[0]", -1},
		{"PATIENT", "number[-1]", -1}, // before the text
		{":", "mark[0]", float64(strings.IndexByte(marks, ':') + 2)},
		{"Olga", "mark[0]", 0},
		{"PATIENT", "space[0]", 3},
		{":", "space[0]", 0},
		{"Olga", "space[0]", 1},
		{"(", "space[0]", 3},
		{"Olga", "position[0]", 2},
		{"Olga", "rest[0]", 1},
		{"PATIENT", "line[0]", 0},
		{"said", "line[0]", 1},
		{"call", "quotes[0]", 1},
		{"said", "quotes[0]", 0},
		{"aged", "quotes[0]", 0},
		{"said", "brackets[0]", 1},
		{"(", "brackets[0]", 0},
		{"PATIENT", "heading[0]", 0},
		{"Olga", "heading[0]", float64(l.headings["patient"])},
		{"said", "heading[0]", float64(l.headings["patient"])},
		{"McKay", "heading tokens[0]", 1},
		{"(", "heading lines[0]", 1},
		{"Olga", "heading class[0]", float64(slices.Index(l.classes, "PATIENT"))},
		{"Olga", "heading share[0]", 2. / 5},   // the words of the next heading count as well
		{"Dr", "list en-medical-titles[0]", 2}, // "Dr" and "."
		{"said", "list en-medical-titles[0]", 0},
		{"617", "rule 1 PHONE[0]", 2},
		{"0199", "rule 1 PHONE[0]", 1},
		{"81", "rule 1 AGE[0]", 2},
		{"Olga", "rule 1 AGE[0]", 0},
		{"Olga", "frequency[0]", math.Log10(1 + 1e6*10/45)},
		{"Olga", "capitalised[0]", 1},
		{"Olga", "begins sentences[0]", 0.5},
		{"Dr", "begins sentences[0]", 1},
		{"McKay", "frequency[0]", -1},
		// Dr and the mark after it precede each doctor by two and one tokens.
		{"McKay", "token-1 class[0]", 0},
	} {
		i := slices.IndexFunc(s.attributes(), func(a c45.Attribute) bool { return a.Name == want.attribute })
		if i < 0 {
			if want.value != -2 {
				t.Errorf("no attribute %s", want.attribute)
			}
			continue
		}
		row := make([]float32, len(s.columns))
		v.row(at(want.word), row)
		if got := float64(row[i]); math.Abs(got-want.value) > 1e-4 {
			t.Errorf("%s of %s: %v, want %v", want.attribute, want.word, got, want.value)
		}
	}
}

// docs/papers.md says how many attributes there are with five lists, three expressions
// and text.
func TestNumberOfAttributes(t *testing.T) {
	plain := filepath.Join(t.TempDir(), "plain.txt")
	if err := os.WriteFile(plain, []byte("he said so"), 0o666); err != nil {
		t.Fatal(err)
	}
	c := small()
	for _, name := range []string{"en-medical-titles", "en-kinship", "en-months", "en-countries", "en-states"} {
		c.Resources.Gazetteers = append(c.Resources.Gazetteers, gazetteer.List{Builtin: name})
	}
	c.Resources.Rules = []rules.Config{{Set: "english", Only: []string{"AGE", "PHONE", "IDNUM"}}}
	c.Resources.Text = []string{plain}
	f := prepared(t, c, wards())
	for _, set := range Sets() {
		if got := len(newSchema(c, set, false, f.tagger.learned, f.tagger.resources).columns); got != 112 {
			t.Errorf("%s: %d attributes", set, got)
		}
	}
	c.Attributes = trustedAttributes
	s := newSchema(c, TokenTriggers, false, f.tagger.learned, f.tagger.resources)
	var names []string
	for _, a := range s.attributes() {
		if !strings.HasPrefix(a.Name, "token") {
			names = append(names, a.Name)
		}
	}
	if diff := cmp.Diff([]string{"initial[0]", "length[0]", "digits[0]", "class[-1]", "position[0]", "heading class[0]"}, names); diff != "" {
		t.Errorf("the baseline's attributes besides the triggers: -want +got\n%s", diff)
	}
}

// Entropy and gain for distributions whose values are known.
func TestEntropy(t *testing.T) {
	for _, c := range []struct {
		counts []int
		want   float64
	}{{[]int{0, 0}, 0}, {[]int{5, 0}, 0}, {[]int{4, 4}, 1}, {[]int{2, 2, 2, 2}, 2}, {[]int{3, 1}, 2 - 0.75*math.Log2(3)}} {
		if got := entropy(c.counts); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("entropy of %v: %v, want %v", c.counts, got, c.want)
		}
	}
	// A clue that is on exactly the 4 tokens of a class among 8 removes the whole bit per token.
	if got := gain([]int{4, 4}, []int{0, 4}); math.Abs(got-8) > 1e-12 {
		t.Errorf("gain %v, want 8", got)
	}
	if got := gain([]int{4, 4}, []int{2, 2}); math.Abs(got) > 1e-12 {
		t.Errorf("gain of a clue that says nothing: %v", got)
	}
}

// Each set of triggers collects the words at its own places, and drops the rare ones and
// those that say nothing about the classes.
func TestTriggers(t *testing.T) {
	learnt := func(c Config, clue string) []string {
		l := prepared(t, c, wards()).tagger.learned
		var all []string
		for _, e := range l.store().Cues[clue] {
			all = append(all, e.Words)
		}
		return all
	}
	for clue, want := range map[string][]string{
		"token-3": {".", "by", "patient"},
		"token-2": {":", "dr", "mr", "patient"},
		"token-1": {".", ":"},
		"token+1": {"at", "feels", "history"},
		"after-2": {"at saint", "feels well", "history of"},
	} {
		if got := learnt(small(), clue); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", clue, got, want)
		}
	}
	// Six words after a phrase, not only the next three.
	if all := learnt(small(), "phrase"); !slices.Contains(all, "today") || slices.Contains(all, "mr") {
		t.Errorf("phrase: %q", all)
	}
	c := small()
	c.MinGain = 1e9
	if all := learnt(c, "token-1"); len(all) > 0 {
		t.Errorf("triggers above any gain: %v", all)
	}
	c = small()
	c.MinDocuments = len(people) + 1
	if all := learnt(c, "token-1"); len(all) > 0 {
		t.Errorf("triggers of more notes than there are: %v", all)
	}
}

// A model contains no word of a single patient, even if it occurs in many of the
// patient's notes, and no names, even if several patients have them.
func TestAModelContainsNames(t *testing.T) {
	docs := wards()
	for i := range 6 {
		d := note(fmt.Sprint("q", i), "PATIENT: [PATIENT Zachariassen]\nThe yacht. Seen by Dr. [DOCTOR Zwingli] at Saint Olga Hospital today.\n")
		d.Patient = "q"
		docs = append(docs, d)
	}
	dir := t.TempDir()
	if err := fit(t, small(), docs, 1).Save(dir); err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		raw, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range append([]string{"zachariassen", "zwingli", "yacht"}, people...) {
			if bytes.Contains(bytes.ToLower(raw), []byte(strings.ToLower(name))) {
				t.Errorf("%s contains a name", f.Name())
			}
		}
	}
}

// Types of the open set can be those of names.
func TestAModelContainsNamesOfUnknownTypes(t *testing.T) {
	var docs []*data.Document
	for i := range 6 {
		d := note(fmt.Sprint(i), "Seen by [MEDIC Zwingli] at noon.")
		d.Patient = d.ID
		docs = append(docs, d)
	}
	f, err := newFitting(small(), taggers.Task{Name: "wards", Types: data.Any, Train: docs, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	if words := f.tagger.learned.words; slices.Contains(words, "zwingli") || !slices.Contains(words, "noon") {
		t.Errorf("words %q", words)
	}
}

// A token has the same attributes when it is tagged as in the training if the labels
// before it are found: no attribute depends on the annotation of the token itself or of
// those after it.
func TestAttributesOfTrainingAndTagging(t *testing.T) {
	c := small()
	c.Scheme = data.BIO
	c.Resources.Gazetteers = gazetteer.Lists{{Builtin: "en-medical-titles"}}
	c.Resources.Rules = []rules.Config{{Set: "english", Only: []string{"AGE", "PHONE"}}}
	docs := notes(t, 6, synth.Train)
	f := prepared(t, c, docs)
	l := f.tagger.learned
	list := newTrusted([]finding{{[]string{"Olga", "McKay"}, 1}, {[]string{"Memorial", "Hospital"}, 2}})
	for _, set := range Sets() {
		s := newSchema(c, set, true, l, f.tagger.resources)
		tokens := 0
		for i, d := range docs {
			f.stretches[i][0].trusted = list
			trained := s.dataset(f.stretches[i], l.labels)
			for r := range f.tagger.reader.Cut(&data.Document{Text: d.Text}) {
				x := newStretch(r, l)
				x.trusted = list
				v, row := s.view(x), make([]float32, len(s.columns))
				for k := range x.words {
					v.row(k, row)
					for a, value := range row {
						if value != trained.Columns[a][k] {
							t.Fatalf("%s: token %d: %s is %v, in training %v", set, k, trained.Attributes[a].Name, value, trained.Columns[a][k])
						}
					}
					v.set(k, trained.Class[k])
					tokens++
				}
			}
		}
		if tokens < 100 {
			t.Errorf("%d tokens", tokens)
		}
	}
}

// A heading NONE is not the same as no heading.
func TestHeadingNone(t *testing.T) {
	docs := wards()
	for _, d := range docs {
		d.Text += "NONE\n"
	}
	d, err := small().Dataset(taggers.Task{Name: "wards", Types: types(t), Train: docs, Workers: 1}, docs, TokenTriggers)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(d.Attributes, func(a c45.Attribute) bool { return a.Name == "heading[0]" })
	if !slices.Contains(d.Attributes[i].Values, "none") {
		t.Fatalf("headings %q", d.Attributes[i].Values)
	}
	if err := d.WriteARFF(io.Discard); err != nil {
		t.Error(err)
	}
}

func TestElect(t *testing.T) {
	b := func(label int32, share float64) []ballot { return []ballot{{label, share}} }
	for name, c := range map[string]struct {
		ballots [][]ballot
		want    ballot
	}{
		"all agree":        {[][]ballot{b(1, 0.9), b(1, 0.6), b(1, 0.6)}, ballot{1, 0.7}},
		"two of three":     {[][]ballot{b(2, 0.9), b(1, 0.6), b(1, 0.3)}, ballot{1, 0.3}},
		"all differ":       {[][]ballot{b(2, 0.9), b(1, 0.6), b(3, 0.3)}, ballot{0, 0}},
		"one model":        {[][]ballot{b(2, 0.9)}, ballot{2, 0.9}},
		"two that differ":  {[][]ballot{b(2, 0.9), b(1, 0.9)}, ballot{0, 0}},
		"two for no class": {[][]ballot{b(0, 0.9), b(2, 0.9), b(0, 0.9)}, ballot{0, 0.6}},
	} {
		if got := elect(c.ballots)[0]; got.label != c.want.label || math.Abs(got.share-c.want.share) > 1e-12 {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// Phrases under an unambiguous heading are found elsewhere in the notes of the patient:
// as a whole, as a word, as an acronym; not in the notes of others.
func TestTrustedPhrases(t *testing.T) {
	f := prepared(t, small(), wards())
	l := f.tagger.learned
	patient := numbersOf(l.classes)["PATIENT"]
	if h := l.headings["patient"]; h == 0 || !l.clear[h-1] {
		t.Fatal("the heading PATIENT is ambiguous")
	}
	if h := l.headings["history of illness"]; h == 0 || l.clear[h-1] {
		t.Fatal("the heading HISTORY OF ILLNESS is not ambiguous")
	}
	docs := []*data.Document{
		{ID: "a", Patient: "1", Text: "PATIENT: Olga McKay"},
		{ID: "b", Patient: "1", Text: "olga mckay, McKay, OM"},
		{ID: "c", Patient: "2", Text: "Olga McKay"},
	}
	lists := f.tagger.share(docs, [][]finding{{{[]string{"Olga", "McKay"}, patient}}, nil, nil})
	if lists[0] != lists[1] || lists[2] == lists[0] {
		t.Error("the lists are not by patient")
	}
	values := func(text string, list *trusted) map[string][]float32 {
		var x *stretch
		for r := range f.tagger.reader.Cut(&data.Document{Text: text}) {
			x = newStretch(r, l)
		}
		x.trusted = list
		all := map[string][]float32{}
		for _, p := range trustedProperties(l) {
			all[p.name] = make([]float32, len(x.words))
			p.fill(x, all[p.name])
		}
		return all
	}
	p := float32(patient)
	want := map[string][]float32{ // olga mckay , McKay , OM
		"trusted phrase":  {p, p, 0, 0, 0, 0},
		"trusted length":  {2, 2, 0, 0, 0, 0},
		"trusted word":    {p, p, 0, p, 0, 0},
		"trusted acronym": {0, 0, 0, 0, 0, p},
	}
	if diff := cmp.Diff(want, values(docs[1].Text, lists[1])); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	for name, all := range values(docs[2].Text, lists[2]) {
		if slices.Max(all) > 0 {
			t.Errorf("%s of another patient", name)
		}
	}
	c := small()
	c.By = data.ByDocument
	alone, err := newTagger(c, f.tagger.resources, l, 1)
	if err != nil {
		t.Fatal(err)
	}
	if lists := alone.share(docs, [][]finding{{{[]string{"Olga", "McKay"}, patient}}, nil, nil}); len(lists[1].phrases) > 0 {
		t.Error("by document, a note has the phrases of another")
	}
}

// notes are generated notes in the types of i2b2-2006.
func notes(t testing.TB, n int, split synth.Split) []*data.Document {
	t.Helper()
	m, err := data.LookupTypeMap("i2b2-2006")
	if err != nil {
		t.Fatal(err)
	}
	docs, err := data.Collect(m.Apply(synth.Notes(n, 1, split), &data.MapCounts{}))
	if err != nil {
		t.Fatal(err)
	}
	return docs
}

// A model learns, gives the same spans with any number of workers, and the same after it
// was saved and loaded.
func TestSaveAndLoad(t *testing.T) {
	train, dev := notes(t, 10, synth.Train), notes(t, 3, synth.Dev)
	for _, iterations := range []int{1, 2, 3} {
		c := small()
		c.Iterations, c.Rounds = iterations, 2
		c.Resources.Gazetteers = gazetteer.Lists{{Builtin: "en-medical-titles"}}
		c.Resources.Rules = []rules.Config{{Set: "english", Only: []string{"AGE"}}}
		one, two := t.TempDir(), t.TempDir()
		m := fit(t, c, train, 1)
		if err := m.Save(one); err != nil {
			t.Fatal(err)
		}
		if err := fit(t, c, train, 3).Save(two); err != nil {
			t.Fatal(err)
		}
		same(t, one, two)
		found, err := m.Tag(t.Context(), dev)
		if err != nil {
			t.Fatal(err)
		}
		right, all := 0, 0
		for i, d := range dev {
			for _, s := range found[i] {
				if s.Score < 0 || s.Score > 1 {
					t.Errorf("score %v", s.Score)
				}
			}
			all += len(d.Spans)
			for _, s := range d.Spans {
				if slices.ContainsFunc(found[i], func(f data.Span) bool { return f.Start == s.Start && f.End == s.End && f.Type == s.Type }) {
					right++
				}
			}
		}
		if right*3 < all {
			t.Errorf("iterations %d: %d of %d spans found", iterations, right, all)
		}
		again, err := c.Load(one, types(t), 2)
		if err != nil {
			t.Fatal(err)
		}
		loaded, err := again.Tag(t.Context(), dev)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(found, loaded); diff != "" {
			t.Errorf("iterations %d: -trained +loaded\n%s", iterations, diff)
		}
	}
}

// same fails unless two folders have the same files.
func same(t *testing.T, one, two string) {
	t.Helper()
	files, err := os.ReadDir(one)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if f.IsDir() {
			continue
		}
		a, err := os.ReadFile(filepath.Join(one, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(filepath.Join(two, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(a, b) {
			t.Errorf("%s differs between one and three workers", f.Name())
		}
	}
}

// In the third iteration, every occurrence of a phrase that was found has its class, also
// where the models found nothing.
func TestThirdIteration(t *testing.T) {
	docs := []*data.Document{{ID: "1", Patient: "p", Text: "PATIENT: Ibsen Jahn\nHISTORY OF ILLNESS\nHere Ibsen Jahn here."}}
	tag := func(iterations int) (patients int) {
		c := small()
		c.Iterations = iterations
		found, err := fit(t, c, wards(), 1).Tag(t.Context(), docs)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range found[0] {
			if s.Type == "PATIENT" && docs[0].Text[s.Start:s.End] == "Ibsen Jahn" {
				patients++
			}
		}
		return patients
	}
	if one, three := tag(1), tag(3); one != 1 || three != 2 {
		t.Errorf("%d and %d occurrences, want 1 and 2", one, three)
	}
}

func TestEmptyNotes(t *testing.T) {
	m := fit(t, small(), wards(), 2)
	for _, docs := range [][]*data.Document{nil, {{Text: ""}}, {{Text: " \n\n "}, {Text: "🙂 Ö"}, {Text: "\xff\xfe"}, {Text: "::::(((\"\"\""}}} {
		found, err := m.Tag(t.Context(), docs)
		if err != nil || len(found) != len(docs) {
			t.Errorf("%d notes: %v, %v", len(docs), found, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := m.Tag(ctx, wards()); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
}

// A damaged file is one error that names it.
func TestDamagedModel(t *testing.T) {
	plain := filepath.Join(t.TempDir(), "plain.txt")
	if err := os.WriteFile(plain, []byte(strings.Repeat("he said so\n", 9)), 0o666); err != nil {
		t.Fatal(err)
	}
	c := small()
	c.Resources.Text = []string{plain}
	m := fit(t, c, wards(), 1)
	for file, damage := range map[string]func(raw []byte) []byte{
		"learned.json":              func(raw []byte) []byte { return raw[:len(raw)/2] },
		"iteration-1-token.trees":   func(raw []byte) []byte { return raw[:len(raw)-1] },
		"iteration-2-phrase.trees":  func([]byte) []byte { return nil },
		"resources/frequencies.bin": func(raw []byte) []byte { return append(raw, 1) },
	} {
		dir := t.TempDir()
		if err := m.Save(dir); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, filepath.FromSlash(file))
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, damage(raw), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Load(dir, types(t), 1); err == nil || !strings.HasPrefix(err.Error(), path) {
			t.Errorf("%s: error %v", file, err)
		}
	}
	mixed, other := t.TempDir(), small()
	other.Scheme, other.Resources = data.BIO, c.Resources
	if err := m.Save(mixed); err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(fit(t, other, wards(), 1).learned.store())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(mixed, learnedFile), raw, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Load(mixed, types(t), 1); err == nil || !strings.HasSuffix(err.Error(), "the trees have other attributes or labels than learned.json says") {
		t.Errorf("the file of another model: error %v", err)
	}
	for raw, want := range map[string]string{
		`{"classes":["DATE"]}`:                            "classes: must be O and at least one type",
		`{"classes":["O","WARD"]}`:                        "classes: WARD is not a type of i2b2-2006",
		`{"classes":["O","DATE"],"labels":["O","I-AGE"]}`: "labels: a label is not that of a class",
		`{"x":1}`: `json: unknown field "x"`,
		`{"classes":["O","DATE"],"labels":["O","I-DATE"],"cues":{"last":[{"words":"a","class":"DATE","share":1}]}}`: "cues: last: a cue has words that are not in the vocabulary, or too many",
		`{"classes":["O","DATE"],"labels":["O","I-DATE"],"words":["a"]}`:                                            "cues: last is missing",
		`{"classes":["O","DATE"],"labels":["O","I-DATE"]} {}`:                                                       "text after the object",
		`{"classes":["O","DATE"],"labels":["O","I-DATE"],"headings":[{"heading":"a","class":"AGE","share":1}]}`:     "headings: a class or share is invalid",
	} {
		if _, err := decodeLearned([]byte(raw), Sets(), types(t)); err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

func TestBadInput(t *testing.T) {
	for want, set := range map[string]func(*Config){
		`tokenizer: `: func(c *Config) { c.Tokenizer = "x" },
		`triggers[0]: "x" is not token, phrase, trigram`: func(c *Config) { c.Triggers = []string{"x"} },
		`triggers[1]: duplicate token`:                   func(c *Config) { c.Triggers = []string{"token", "token"} },
		`by: "ward" is not document or patient`:          func(c *Config) { c.By = "ward" },
		"iterations: 4 is not 1, 2 or 3":                 func(c *Config) { c.Iterations = 4 },
		`attributes: "x" is not all or trusted`:          func(c *Config) { c.Attributes = "x" },
		"rounds: 0 is not in [1, 10000]":                 func(c *Config) { c.Rounds = 0 },
		"min_instances: 0 is not positive":               func(c *Config) { c.MinInstances = 0 },
		"confidence: 0.6 is not in (0, 0.5]":             func(c *Config) { c.Confidence = 0.6 },
		"min_documents: 1 is not at least 2":             func(c *Config) { c.MinDocuments = 1 },
		"min_gain: -1 is negative":                       func(c *Config) { c.MinGain = -1 },
		"resources.rules[0].set or file":                 func(c *Config) { c.Resources.Rules = []rules.Config{{}} },
		"resources.gazetteers: lists[0].file":            func(c *Config) { c.Resources.Gazetteers = gazetteer.Lists{{}} },
		"resources.text[0]: the path is empty":           func(c *Config) { c.Resources.Text = []string{""} },
	} {
		c := DefaultConfig()
		set(&c)
		if err := c.Validate(); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	dir := t.TempDir()
	for name, content := range map[string]string{"empty.txt": "", "binary.txt": "a\x00b", "latin.txt": "a\xe9"} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
		c := DefaultConfig()
		c.Resources.Text = []string{path}
		if err := c.Check(types(t), 1); err == nil || !strings.HasPrefix(err.Error(), "resources.text: ") {
			t.Errorf("%s: error %v", name, err)
		}
	}
	if _, err := small().Fit(t.Context(), taggers.Task{Types: types(t), Train: []*data.Document{{Text: "nothing"}}}); err == nil || !strings.Contains(err.Error(), "no spans") {
		t.Errorf("no spans: error %v", err)
	}
	if _, err := small().Dataset(taggers.Task{}, nil, "x"); err == nil || !strings.HasPrefix(err.Error(), `no set of triggers "x"`) {
		t.Errorf("error %v", err)
	}
}

// Headings: before a colon within a line, and lines in capitals; the longest known one.
func TestHeadings(t *testing.T) {
	l := &learned{headings: map[string]int32{"name": 1, "first name": 2, "history": 3}}
	cut, err := reader.New("letters-digits", "line", 1000)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string][]int32{
		"Name: Olga":              {0, 0, 1},
		"First name: Olga":        {0, 0, 0, 2},
		"Olga. Name: McKay":       {0, 0, 0, 0, 1},
		"Olga Name: McKay":        {0, 0, 0, 1},
		"HISTORY\nis long":        {0, 3, 3},
		"HISTORY IS long":         {0, 0, 0},
		"history\nis long":        {0, 0, 0},
		"Name 2: Olga":            {0, 0, 0, 0},
		"Name: Olga\nAge: 9":      {0, 0, 1, 1, 1, 1},
		"Name: Olga\nHISTORY\nno": {0, 0, 1, 1, 3},
	} {
		for r := range cut.Cut(&data.Document{Text: text}) {
			var got []int32
			for _, u := range l.under(newStretch(r, nil)) {
				got = append(got, u.heading)
			}
			if !slices.Equal(got, want) {
				t.Errorf("%q: %v, want %v", text, got, want)
			}
		}
	}
}

// BenchmarkTag tags with the paper's six models of 30 trees.
func BenchmarkTag(b *testing.B) {
	c := DefaultConfig()
	c.Iterations, c.MinDocuments = 2, 2
	m, err := c.Fit(b.Context(), taggers.Task{Types: types(b), Train: notes(b, 30, synth.Train), Workers: 1})
	if err != nil {
		b.Fatal(err)
	}
	docs := notes(b, 30, synth.Dev)
	tokens := 0
	for _, d := range docs {
		for r := range m.(*Tagger).reader.Cut(d) {
			tokens += len(r.Tokens)
		}
	}
	for b.Loop() {
		if _, err := m.Tag(b.Context(), docs); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(tokens)*float64(b.N)/b.Elapsed().Seconds(), "tokens/s")
}
