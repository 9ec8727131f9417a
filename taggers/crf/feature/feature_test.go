package feature

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/conllu"
	"github.com/lethe-deid/lethe/data/synth"
	"github.com/lethe-deid/lethe/taggers"
	"github.com/lethe-deid/lethe/taggers/crf/chain"
	"github.com/lethe-deid/lethe/taggers/crf/pos"
	"github.com/lethe-deid/lethe/taggers/gazetteer"
	"github.com/lethe-deid/lethe/taggers/internal/reader"
	"github.com/lethe-deid/lethe/taggers/rules"
)

// network stands for the kind ann, which cannot be imported here because it imports this
// package. Its model finds one name.
type network struct{ taggers.Standalone }

func init() { taggers.Register("ann", func() taggers.Node { return network{} }) }

const nameFile = "name"

func (network) Open(dir string, _ int) (taggers.Model, *data.TypeSet, error) {
	name, err := os.ReadFile(filepath.Join(dir, nameFile))
	return namer(name), data.CoNLL, err
}

type namer string

func (n namer) Tag(_ context.Context, docs []*data.Document) ([][]data.Span, error) {
	all := make([][]data.Span, len(docs))
	for i, d := range docs {
		if at := strings.Index(d.Text, string(n)); at >= 0 {
			all[i] = []data.Span{{Start: at, End: at + len(n), Type: "PER", Score: 1}}
		}
	}
	return all, nil
}

func (n namer) Save(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, nameFile), []byte(n), 0o666)
}

func texts(t testing.TB, r *Resources, docs ...*data.Document) []*Text {
	t.Helper()
	cut, err := reader.New("letters-digits", "line", 1000)
	if err != nil {
		t.Fatal(err)
	}
	foreign, err := r.Foreign(t.Context(), docs)
	if err != nil {
		t.Fatal(err)
	}
	var all []*Text
	for i, d := range docs {
		for x := range cut.Cut(d) {
			all = append(all, NewText(x, foreign[i]))
		}
	}
	return all
}

func write(t testing.TB, path, content string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// sources makes the smallest source of each kind.
func sources(t testing.TB) Sources {
	t.Helper()
	dir := t.TempDir()
	s := Sources{
		POS:      filepath.Join(dir, "en.pos"),
		WordNet:  "../wordnet/testdata/tiny",
		Clusters: write(t, filepath.Join(dir, "c.paths"), "0010110\tzora\t7\n1\tRoom\t5\n01010101010101010101010\t00\t3\n"),
		Vectors:  write(t, filepath.Join(dir, "v.txt"), "zora 1 -1 0.1\nward -1 1 0.1\nclinic 0.2 -0.2 1\n"),
		Gazetteers: gazetteer.Lists{
			{File: write(t, filepath.Join(dir, "cities.csv"), "city,people\nNew Salem,5\nSalem,2\n"), Column: "city"},
			{Builtin: "en-months", Name: "months"},
		},
		Rules: []rules.Config{{File: write(t, filepath.Join(dir, "r.yaml"), `types: any
rules:
- {name: code, type: ID, find: '[0-9]{2} [A-Z]+', match: ['a «12 AB»'], not: ['12 ab']}
- {name: digits, type: NUMBER, find: '[0-9]+', match: ['«12»'], not: ['ab']}
`)}},
		Entities: filepath.Dir(write(t, filepath.Join(dir, "network", nameFile), "Zora")),
	}
	sentences, err := conllu.Read("../pos/testdata/tiny.conllu")
	if err != nil {
		t.Fatal(err)
	}
	tagger, err := pos.Train(t.Context(), sentences, pos.Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := tagger.Save(s.POS); err != nil {
		t.Fatal(err)
	}
	return s
}

// headings returns lists of section headings, one of them built in.
func headings(t testing.TB) gazetteer.Lists {
	t.Helper()
	return gazetteer.Lists{{Builtin: "en-headings"}, {File: write(t, filepath.Join(t.TempDir(), "own.txt"), "Evolución\nPlan of care\n")}}
}

// show returns the attributes of a token as text.
func show(attributes []Attribute, s *chain.Sequence, token int) []string {
	from := int32(0)
	if token > 0 {
		from = s.Ends[token-1]
	}
	all := []string{}
	for _, a := range s.Attributes[from:s.Ends[token]] {
		all = append(all, fmt.Sprintf("%s[%d]=%s", attributes[a].Column, attributes[a].Offset, attributes[a].Value))
	}
	return all
}

func TestFamilies(t *testing.T) {
	r, err := Open(sources(t), 1)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, c := range []struct {
		spec Spec
		text string
		word string // whose first occurrence has just these
		want []string
	}{
		{Spec{Family: "word"}, "Dr Po", "Po", []string{"word[0]=Po"}},
		{Spec{Family: "word", Window: 1}, "Dr Po\nleft", "Po", []string{"word[-1]=Dr", "word[0]=Po", "word[1]="}},
		{Spec{Family: "lower", Window: 1}, "Room 417B", "417", []string{"lower[-1]=room", "lower[0]=000", "lower[1]=b"}},
		{Spec{Family: "ngram", Window: 1}, "seen By Dr\nPo", "By", []string{"ngram2[-1]=seen by", "ngram2[0]=by dr"}},
		{Spec{Family: "ngram", Window: 1, Size: 3}, "seen By Dr Po", "By", []string{"ngram2[-1]=seen by", "ngram2[0]=by dr", "ngram3[-1]=seen by dr"}},
		{Spec{Family: "disjunctive", Size: 2}, "a By Dr Po", "Dr", []string{"before[0]=a", "before[0]=by", "after[0]=po", "shapes-before[0]=a", "shapes-before[0]=Aa", "shapes-after[0]=Aa"}},
		{Spec{Family: "short"}, "her MD, Po left", "MD", []string{"short[-1]=her md", "short[0]=md ,"}},
		{Spec{Family: "short"}, "her hospital Po", "hospital", []string{}},
		{Spec{Family: "position"}, "a b c", "b", []string{"position[0]=1"}},
		{Spec{Family: "position"}, "a b c\nd e", "e", []string{"position[0]=last"}},
		{Spec{Family: "prefix", Size: 3}, "Éalí", "Éalí", []string{"prefix[0]=é", "prefix[0]=éa", "prefix[0]=éal"}},
		{Spec{Family: "prefix"}, "Po", "Po", []string{"prefix[0]=p", "prefix[0]=po"}},
		{Spec{Family: "suffix", Size: 2}, "Éalí", "Éalí", []string{"suffix[0]=í", "suffix[0]=lí"}},
		{Spec{Family: "suffix"}, "Po", "Po", []string{"suffix[0]=o", "suffix[0]=po"}},
		{Spec{Family: "characters", Size: 3}, "Éa", "Éa", []string{"characters[0]=<é", "characters[0]=éa", "characters[0]=a>", "characters[0]=<éa", "characters[0]=éa>"}},
		{Spec{Family: "shape"}, "Hospital", "Hospital", []string{"shape[0]=Aaaaaaaa", "shape[0]=~Aa"}},
		{Spec{Family: "pattern"}, "BrightPoint", "BrightPoint", []string{"pattern[0]=XxxxxxXxxxx", "pattern[0]=~Xx__"}},
		{Spec{Family: "pattern"}, "12", "12", []string{"pattern[0]=dd", "pattern[0]=~__d_"}},
		{Spec{Family: "morphology"}, "Notes", "Notes", []string{"morphology[0]=ends with s", "morphology[0]=alphabetic", "morphology[0]=title case", "morphology[0]=has a capital"}},
		{Spec{Family: "morphology"}, "123", "123", []string{"morphology[0]=has a digit", "morphology[0]=numeric"}},
		{Spec{Family: "morphology"}, "McX", "McX", []string{"morphology[0]=alphabetic", "morphology[0]=has a capital", "morphology[0]=capital inside"}},
		{Spec{Family: "morphology"}, "MD", "MD", []string{"morphology[0]=alphabetic", "morphology[0]=upper case", "morphology[0]=has a capital"}},
		{Spec{Family: "morphology"}, "(", "(", []string{"morphology[0]=punctuation", "morphology[0]=only punctuation"}},
		{Spec{Family: "temporal"}, "in May", "May", []string{"temporal[0]=month"}},
		{Spec{Family: "temporal"}, "el lunes", "lunes", []string{"temporal[0]=weekday"}},
		{Spec{Family: "sentence"}, "Left (at 5.", "at", []string{"sentence[0]=length 5", "sentence[0]=ends with .", "sentence[0]=unmatched bracket"}},
		{Spec{Family: "sentence"}, "Left (at) 5", "at", []string{"sentence[0]=length 5", "sentence[0]=no end mark"}},
		{Spec{Family: "section"}, "Past history:\nHad a cough.\nALLERGIES\nNone", "cough", []string{"section[0]=past history"}},
		{Spec{Family: "section"}, "Past history:\nHad a cough.\nALLERGIES\nNone", "None", []string{"section[0]=allergies"}},
		{Spec{Family: "label"}, "Date of birth: 3\nNone", "3", []string{"label[0]=date of birth"}},
		{Spec{Family: "label"}, "Date of birth: 3\nNone", "None", []string{}},
		{Spec{Family: "line"}, "a\n\nb", "b", []string{"line[0]=2"}},
		{Spec{Family: "line"}, strings.Repeat("a\n", 27) + "b", "b", []string{"line[0]=20"}},
		{Spec{Family: "space"}, "a b-c", "b", []string{"space[0]=one", "space[0]=none after"}},
		{Spec{Family: "space"}, "a\nb  c", "b", []string{"space[0]=line"}},
		{Spec{Family: "space"}, "a\n\nb", "b", []string{"space[0]=line", "space[0]=blank", "space[0]=line after"}},
		{Spec{Family: "space"}, "a\nb  c", "c", []string{"space[0]=wide", "space[0]=line after"}},
		// Two sentences: each is tagged by itself.
		{Spec{Family: "pos"}, "Zora walks.\nZora coughed in the ward.", "coughed", []string{"pos[0]=VBD"}},
		{Spec{Family: "pos", Window: 1, Size: 3}, "in the quiet ward", "the", []string{"pos[-1]=IN", "pos[0]=DT", "pos[1]=JJ", "pos2[-1]=IN DT", "pos2[0]=DT JJ", "pos3[-1]=IN DT JJ"}},
		{Spec{Family: "word-pos"}, "in the quiet ward", "the", []string{"word-pos[0]=the IN . .", "word-pos[0]=the . DT .", "word-pos[0]=the . . JJ", "word-pos[0]=the IN DT .", "word-pos[0]=the . DT JJ", "word-pos[0]=the IN DT JJ"}},
		{Spec{Family: "lemma"}, "Zora walks in the wards.", "wards", []string{"lemma[0]=ward"}},
		{Spec{Family: "tense"}, "Zora coughed in the ward.", "coughed", []string{"tense[0]=Past"}},
		{Spec{Family: "tense"}, "Zora coughed in the ward.", "ward", []string{}},
		{Spec{Family: "chunk"}, "Zora walks in the quiet ward.", "quiet", []string{"chunk[0]=I-NP"}},
		{Spec{Family: "gazetteer"}, "of New Salem in May", "Salem", []string{"gazetteer[0]=I-cities"}},
		{Spec{Family: "gazetteer", Window: 1}, "of New Salem in May", "in", []string{"gazetteer[-1]=I-cities", "gazetteer[1]=B-months"}},
		{Spec{Family: "rule"}, "Room 12 AB here", "12", []string{"rule[0]=B-ID", "rule[0]=B-code", "rule[0]=B-NUMBER", "rule[0]=B-digits"}},
		{Spec{Family: "rule"}, "Room 12 AB here", "AB", []string{"rule[0]=I-ID", "rule[0]=I-code"}},
		{Spec{Family: "entity"}, "Zora walks.", "Zora", []string{"entity[0]=B-PER"}},
		{Spec{Family: "entity"}, "Zora walks.", "walks", []string{}},
		{Spec{Family: "cluster"}, "Zora walks", "Zora", []string{"cluster[0]=0010*", "cluster[0]=001011*", "cluster[0]=0010110"}},
		{Spec{Family: "cluster"}, "Room 12", "Room", []string{"cluster[0]=1"}},
		{Spec{Family: "cluster"}, "Room 12", "12", []string{"cluster[0]=0101*", "cluster[0]=010101*", "cluster[0]=0101010101*", "cluster[0]=01010101010101010101*", "cluster[0]=01010101010101010101010"}},
		{Spec{Family: "cluster"}, "Zora walks", "walks", []string{}},
		// By hand: the means of the positive values are 0.6, 1 and 0.4, of the negative ones -1, -0.6 and none.
		{Spec{Family: "vector"}, "Zora and", "Zora", []string{"vector[0]=0+", "vector[0]=1-"}},
		{Spec{Family: "vector"}, "clinic and", "clinic", []string{"vector[0]=2+"}},
		{Spec{Family: "vector"}, "clinic and", "and", []string{"vector[0]=none"}},
		{Spec{Family: "wordnet", Size: 1}, "two streets", "streets", []string{"sense[0]=STREET", "sense-name[0]=street", "hypernym[0]=WAY", "hypernym[0]=THING"}},
		{Spec{Family: "wordnet", Size: 1}, "two streets", "two", []string{}},
		{Spec{Family: "wordnet"}, "a doctor", "doctor", []string{"sense[0]=DOCTOR", "sense[0]=DOCTOR2", "sense-name[0]=doctor", "sense-name[0]=physician", "sense-name[0]=doctor",
			"hypernym[0]=PERSON", "hypernym[0]=THING", "hypernym[0]=HOSPITAL", "hypernym[0]=BUILDING", "hypernym[0]=THING"}},
		{Spec{Family: "column", Name: "code", Window: 1}, "a doctor", "doctor", []string{"column.code[-1]=K1"}}, // of each text, the first character has the value
		{Spec{Family: "column", Name: "code"}, "two streets", "two", []string{"column.code[0]=K1"}},
	} {
		seen[c.spec.Family] = true
		coded := map[string][]data.Label{"code": {{Start: 0, End: 1, Value: "K1"}}}
		all := texts(t, r, &data.Document{Text: c.text, Columns: coded})
		e, sequences, err := Fit(t.Context(), []Spec{c.spec}, r, all, Options{Counted: 1, MinDocuments: 1, Workers: 1})
		if err != nil {
			t.Errorf("%+v: %v", c.spec, err)
			continue
		}
		attributes := e.Attributes()
		for i := range attributes { // IDs are bytes in files
			for name, id := range ids {
				if attributes[i].Value == id {
					attributes[i].Value = name
				}
			}
		}
		for n, s := range all[0].Sentences {
			if k := slices.Index(all[0].words[s.Start:s.End], c.word); k >= 0 {
				got := show(attributes, &sequences[0][n], k)
				slices.Sort(got)
				want := slices.Sorted(slices.Values(c.want))
				if !slices.Equal(got, want) {
					t.Errorf("%+v of %q in %q:\ngot  %q\nwant %q", c.spec, c.word, c.text, got, want)
				}
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(Families())) {
		if !seen[name] {
			t.Errorf("family %s has no test", name)
		}
	}
}

// ids maps the synsets of the tiny WordNet to their IDs.
var ids = func() map[string]string {
	all := map[string]string{}
	raw, err := os.ReadFile("../wordnet/testdata/tiny/data.noun")
	if err != nil {
		panic(err)
	}
	for line := range strings.Lines(string(raw)) {
		if f := strings.Fields(line); !strings.HasPrefix(line, " ") {
			name := strings.ToUpper(f[4])
			if all[name] != "" {
				name += "2"
			}
			all[name] = f[0] + "-n"
		}
	}
	return all
}()

func TestCheck(t *testing.T) {
	for want, c := range map[string]struct {
		specs []Spec
		at    int
	}{
		"family: is required":                             {[]Spec{{Family: "word"}, {}}, 1},
		`family: no family "wrod" (have `:                 {[]Spec{{Family: "wrod"}}, 0},
		"window: 21 is not in [0, 20]":                    {[]Spec{{Family: "word", Window: 21}}, 0},
		"size: not supported by family word":              {[]Spec{{Family: "word", Size: 2}}, 0},
		"size: 11 is not in [1, 10]":                      {[]Spec{{Family: "prefix", Size: 11}}, 0},
		"size: 2 does not fit into window 0":              {[]Spec{{Family: "ngram"}}, 0},
		"name: not supported by family word":              {[]Spec{{Family: "word", Name: "pos"}}, 0},
		"name: is required":                               {[]Spec{{Family: "column"}}, 0},
		"family: duplicate column.a":                      {[]Spec{{Family: "column", Name: "a"}, {Family: "column", Name: "b"}, {Family: "column", Name: "a", Window: 1}}, 2},
		"family: duplicate word":                          {[]Spec{{Family: "word"}, {Family: "lower"}, {Family: "word", Window: 1}}, 2},
		"family: cluster requires resources.clusters":     {[]Spec{{Family: "cluster"}}, 0},
		"family: pos requires resources.pos":              {[]Spec{{Family: "pos"}}, 0},
		"family: gazetteer requires resources.gazetteers": {[]Spec{{Family: "gazetteer"}}, 0},
		"family: rule requires resources.rules":           {[]Spec{{Family: "rule"}}, 0},
		"family: wordnet requires resources.wordnet":      {[]Spec{{Family: "wordnet"}}, 0},
	} {
		if at, err := Check(c.specs, Sources{}); err == nil || !strings.HasPrefix(err.Error(), want) || at != c.at {
			t.Errorf("%d: error %v, want %d: %s", at, err, c.at, want)
		}
	}
}

// A network that stores the values of its features would contain words of its training
// notes if these families were allowed, whether or not their resource is there.
func TestCheckClosed(t *testing.T) {
	for want, specs := range map[string][]Spec{
		"family: the values of word are words or parts of words of the notes":     {{Family: "shape"}, {Family: "word"}},
		"family: the values of lemma are words":                                   {{Family: "shape"}, {Family: "lemma"}},
		"family: the values of disjunctive are words":                             {{Family: "shape"}, {Family: "disjunctive"}}, // only two of its columns are closed
		"family: section requires resources.headings here: otherwise its values ": {{Family: "shape"}, {Family: "section"}},
		`family: no family "wrod" (have `:                                         {{Family: "shape"}, {Family: "wrod"}},
		"family: gazetteer requires resources.gazetteers":                         {{Family: "shape"}, {Family: "gazetteer"}},
		"window: 21 is not in [0, 20]":                                            {{Family: "shape"}, {Family: "line", Window: 21}},
	} {
		if at, err := CheckClosed(specs, Sources{}); err == nil || !strings.HasPrefix(err.Error(), want) || at != 1 {
			t.Errorf("%d: error %v, want 1: %s", at, err, want)
		}
	}
	var all []Spec
	for _, name := range closedFamilies() {
		if name != columnFamily {
			all = append(all, Spec{Family: name})
		}
	}
	if _, err := CheckClosed([]Spec{{Family: columnFamily, Name: "pos"}}, Sources{}); err != nil {
		t.Error(err)
	}
	from := sources(t)
	from.Headings = headings(t)
	columns, _, err := compile(all, &Resources{sources: from})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range columns {
		if !c.closed {
			t.Errorf("column %s of family %s is open", c.name, c.family)
		}
	}
}

// most has all families that require no source.
var most = []Spec{{Family: "word", Window: 2}, {Family: "lower", Window: 1}, {Family: "ngram", Window: 1}, {Family: "disjunctive"}, {Family: "short"}, {Family: "position"},
	{Family: "prefix"}, {Family: "suffix", Window: 1}, {Family: "characters"}, {Family: "shape", Window: 1}, {Family: "pattern"}, {Family: "morphology"}, {Family: "temporal"},
	{Family: "sentence"}, {Family: "section"}, {Family: "label"}, {Family: "line"}, {Family: "space", Window: 1}}

func notes(t testing.TB, n int) []*data.Document {
	t.Helper()
	docs, err := data.Collect(synth.Notes(n, 1, synth.Train))
	if err != nil {
		t.Fatal(err)
	}
	return docs
}

// Fit and the extractor draw the same attributes from the training notes, and so does an extractor made from these attributes. The number of workers
// makes no difference.
func TestFitAndSequencesAgree(t *testing.T) {
	r := &Resources{}
	all := texts(t, r, notes(t, 7)...)
	first, sequences, err := Fit(t.Context(), most, r, all, Options{Counted: len(all), MinDocuments: 1, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	same := func(name string, a, b [][]chain.Sequence) {
		t.Helper()
		if len(a) != len(b) {
			t.Fatalf("%s: %d texts, and %d", name, len(a), len(b))
		}
		for i := range a {
			for k := range a[i] {
				if !slices.Equal(a[i][k].Ends, b[i][k].Ends) || !slices.Equal(a[i][k].Attributes, b[i][k].Attributes) {
					t.Fatalf("%s: sentence %d of text %d differs", name, k, i)
				}
			}
		}
	}
	draw := func(e *Extractor) (out [][]chain.Sequence) {
		for _, x := range texts(t, r, notes(t, 7)...) {
			out = append(out, e.Sequences(x))
		}
		return out
	}
	same("drawn later", sequences, draw(first))
	again, err := New(most, r, first.Attributes())
	if err != nil {
		t.Fatal(err)
	}
	same("made anew", sequences, draw(again))
	if !slices.Equal(again.Attributes(), first.Attributes()) {
		t.Error("made anew, it has other attributes")
	}
	for _, workers := range []int{2, 3, 20} {
		e, parallel, err := Fit(t.Context(), most, r, texts(t, r, notes(t, 7)...), Options{Counted: len(all), MinDocuments: 1, Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(e.Attributes(), first.Attributes()) {
			t.Errorf("%d workers: other attributes", workers)
		}
		same(fmt.Sprint(workers, " workers"), sequences, parallel)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := Fit(ctx, most, r, all, Options{Counted: len(all), MinDocuments: 1, Workers: 2}); err != context.Canceled {
		t.Errorf("interrupted: error %v", err)
	}
}

// Values are counted by documents, without copies.
func TestMinDocuments(t *testing.T) {
	r := &Resources{}
	docs := []*data.Document{{ID: "1", Text: "once once both"}, {ID: "2", Text: "both copied"}, {ID: "copy", Text: "copied once new"}}
	for _, workers := range []int{1, 2} {
		e, sequences, err := Fit(t.Context(), []Spec{{Family: "word", Window: 1}}, r, texts(t, r, docs...), Options{Counted: 2, MinDocuments: 2, Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range e.Attributes() {
			if a.Value != "both" && a.Value != "" {
				t.Errorf("%d workers: %s is kept", workers, a.Value)
			}
		}
		if got := show(e.Attributes(), &sequences[0][0], 1); !slices.Equal(got, []string{"word[1]=both"}) {
			t.Errorf("%d workers: %q", workers, got)
		}
	}
}

func TestNewRefuses(t *testing.T) {
	specs := []Spec{{Family: "word", Window: 1}}
	for want, attributes := range map[string][]Attribute{
		"an attribute of lower, which no family of the configuration produces": {{Column: "lower", Value: "a"}},
		"an attribute of word at 2, outside the window of the configuration":   {{Column: "word", Offset: 2, Value: "a"}},
		"duplicate attribute of word at 0":                                     {{Column: "word", Value: "a"}, {Column: "word", Value: "a"}},
	} {
		if _, err := New(specs, &Resources{}, attributes); err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

// A model folder contains everything that the families require: they draw the same from it when the sources are gone, and from a copy of it.
func TestSavedResources(t *testing.T) {
	t.Setenv(wordnetVariable, "")
	s := sources(t)
	s.Headings = headings(t)
	specs := []Spec{{Family: "pos"}, {Family: "gazetteer"}, {Family: "rule"}, {Family: "entity"}, {Family: "vector"}, {Family: "cluster"}, {Family: "wordnet"}, {Family: "section"}}
	doc := &data.Document{Text: "PLAN:\nZora walks.\nRoom 12 AB of New Salem in May, Boston street"}
	draw := func(r *Resources) []string {
		x := texts(t, r, doc)
		e, sequences, err := Fit(t.Context(), specs, r, x, Options{Counted: 1, MinDocuments: 1, Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		var all []string
		for k := range sequences[0] {
			for i := range sequences[0][k].Len() {
				all = append(all, show(e.Attributes(), &sequences[0][k], i)...)
			}
		}
		return all
	}
	r, err := Open(s, 1)
	if err != nil {
		t.Fatal(err)
	}
	want := draw(r)
	first, second := t.TempDir(), t.TempDir()
	if err := r.Save(first); err != nil {
		t.Fatal(err)
	}
	for _, p := range s.Paths() {
		if p.Key != "wordnet" {
			if err := os.RemoveAll(*p.Value); err != nil {
				t.Fatal(err)
			}
		}
	}
	if r, err = LoadResources(first, s, 1); err != nil {
		t.Fatal(err)
	}
	if got := draw(r); !slices.Equal(got, want) {
		t.Errorf("from the model:\n%q\nwant\n%q", got, want)
	}
	if err := r.Save(first); err != nil { // over itself
		t.Fatal(err)
	}
	if err := r.Save(second); err != nil {
		t.Fatal(err)
	}
	if r, err = LoadResources(second, s, 1); err != nil {
		t.Fatal(err)
	}
	if got := draw(r); !slices.Equal(got, want) {
		t.Errorf("from a copy of the model:\n%q\nwant\n%q", got, want)
	}

	other := t.TempDir()
	if err := os.CopyFS(other, os.DirFS(s.WordNet)); err != nil {
		t.Fatal(err)
	}
	t.Setenv(wordnetVariable, other)
	if _, err := LoadResources(second, s, 1); err != nil {
		t.Errorf("the WordNet elsewhere: %v", err)
	}
	write(t, filepath.Join(other, "noun.exc"), "men man\n")
	if _, err := LoadResources(second, s, 1); err == nil || !strings.Contains(err.Error(), "not the WordNet that") {
		t.Errorf("another WordNet: error %v", err)
	}
}

// The words of SENNA are in a second file, without which the copy of the vectors would be read as
// numbers alone.
func TestSavedVectorsOfSENNA(t *testing.T) {
	dir, model := t.TempDir(), t.TempDir()
	s := Sources{Vectors: write(t, filepath.Join(dir, "embeddings.txt"), "1.5 -1\n-1.5 1\n")}
	write(t, filepath.Join(dir, "words.lst"), "zora\nward\n")
	r, err := Open(s, 1)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time over itself
		if err := r.Save(model); err != nil {
			t.Fatal(err)
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		if r, err = LoadResources(model, s, 1); err != nil {
			t.Fatal(err)
		}
		if row, ok := r.vectors.vectors.Index("ward"); !ok || r.vectors.vectors.Row(row)[0] != -1.5 {
			t.Errorf("ward is row %d (%v)", row, ok)
		}
	}
}

// A section is what follows a listed heading, and nothing else that looks like one.
func TestListedSections(t *testing.T) {
	r, err := Open(Sources{Headings: headings(t)}, 1)
	if err != nil {
		t.Fatal(err)
	}
	specs := []Spec{{Family: "section"}}
	for _, c := range []struct{ note, token, want string }{
		{"Chief Complaint: cough", "cough", "chief complaint"}, // on the same line
		{"CHIEF  COMPLAINT :\nPlan of care\ncough", "cough", "plan of care"},
		{"Plan\ncough", "Plan", "plan"},
		{"Plan: rest\n\nZORA POLK:\ncough", "cough", "plan"},   // a name is not a heading
		{"Plan: rest\nPlan for today\ncough", "cough", "plan"}, // the first words of a sentence are not
		{"EVOLUCION:\ncough", "cough", "evolucion"},
		{"the family\nhistory: no\nassessment\ncough", "cough", ""}, // continued lines
		{"In her family\nassessment\nImaging\ncough", "cough", "imaging"},
		{"We agreed on the plan: cough", "cough", ""},
		{"cough", "cough", ""},
	} {
		x := texts(t, r, &data.Document{Text: c.note})
		e, sequences, err := Fit(t.Context(), specs, r, x, Options{Counted: len(x), MinDocuments: 1, Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		want := []string{}
		if c.want != "" {
			want = append(want, "section[0]="+c.want)
		}
		found := false
		for _, y := range x {
			for k, sentence := range y.Sentences {
				for i := range sentence.End - sentence.Start {
					if y.words[sentence.Start+i] != c.token {
						continue
					}
					found = true
					if got := show(e.Attributes(), &sequences[0][k], i); !slices.Equal(got, want) {
						t.Errorf("%q: %s has %q, want %q", c.note, c.token, got, want)
					}
				}
			}
		}
		if !found {
			t.Errorf("%q: no token %s", c.note, c.token)
		}
	}
	if at, err := CheckClosed(specs, r.sources); err != nil {
		t.Errorf("family %d: %v", at, err)
	}
}

// An empty note, and one with a single long token, have features as well.
func TestOddTexts(t *testing.T) {
	r := &Resources{}
	for _, text := range []string{"", " \n ", "\uFEFF", strings.Repeat("a", 100_000), strings.Repeat("(", 5000), strings.Repeat("\n", 3000) + "x"} {
		all := texts(t, r, &data.Document{Text: text})
		if _, _, err := Fit(t.Context(), most, r, all, Options{Counted: len(all), MinDocuments: 1, Workers: 2}); err != nil {
			t.Errorf("%.10q: %v", text, err)
		}
	}
}
