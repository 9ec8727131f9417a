package ann

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/lethe-deid/lethe/checkpoints"
	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/synth"
	"github.com/lethe-deid/lethe/internal/strictyaml"
	"github.com/lethe-deid/lethe/taggers"
	"github.com/lethe-deid/lethe/taggers/crf/feature"
	"github.com/lethe-deid/lethe/taggers/gazetteer"
	"github.com/lethe-deid/lethe/taggers/internal/reader"
	"github.com/lethe-deid/lethe/taggers/rules"
)

func writeFile(t testing.TB, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// withFeatures has two lists that share an entry, two rules of one type that match the
// same tokens, and Brown clusters.
func withFeatures(t testing.TB, families ...feature.Spec) Features {
	t.Helper()
	f := DefaultConfig().Features
	f.Families = families
	f.Resources = feature.Sources{
		Clusters: writeFile(t, "c.paths", "0010110\tzora\t7\n1\tRoom\t5\n"),
		Gazetteers: gazetteer.Lists{
			{File: writeFile(t, "cities.txt", "New Salem\nSalem\n")},
			{File: writeFile(t, "surnames.txt", "Salem\nIxby\n")},
		},
		Rules: []rules.Config{{File: writeFile(t, "r.yaml", `types: any
rules:
- {name: code, type: ID, find: '[0-9]{2} [A-Z]+', match: ['a «12 AB»'], not: ['12 ab']}
- {name: digits, type: ID, find: '[0-9]+', match: ['«12»'], not: ['ab']}
`)}},
	}
	return f
}

// cut splits documents as a tagger does whose sentences are lines.
func cut(t testing.TB, texts ...string) (all []reader.Text) {
	t.Helper()
	r, err := reader.New("letters-digits", "line", 1000)
	if err != nil {
		t.Fatal(err)
	}
	for i, text := range texts {
		all = slices.AppendSeq(all, r.Cut(&data.Document{ID: fmt.Sprint(i), Text: text}))
	}
	return all
}

func fitted(t testing.TB, cfg Features, texts ...string) (*features, []drawn) {
	t.Helper()
	if err := cfg.Validate(); err != nil {
		t.Fatal(err)
	}
	all := cut(t, texts...)
	f, drawn, err := fitFeatures(t.Context(), cfg, all, len(all), 0, 2)
	if err != nil {
		t.Fatal(err)
	}
	return f, drawn
}

// show returns the values of a sentence by family and token.
func show(f *features, s [][][]int32) [][]string {
	var all [][]string
	for k, tokens := range s {
		var family []string
		for _, ids := range tokens {
			var values []string
			for _, id := range ids {
				v := f.values[k].Values[id]
				values = append(values, fmt.Sprintf("%d:%s", v.Offset, v.Value))
			}
			slices.Sort(values)
			family = append(family, strings.Join(values, " "))
		}
		all = append(all, family)
	}
	return all
}

// A token can have several values of a family: one for each list, for each rule and its
// type, and for each offset of a window. Values do not cross the end of a sentence.
func TestFeaturesOfATraining(t *testing.T) {
	f, drawn := fitted(t, withFeatures(t, feature.Spec{Family: "gazetteer", Window: 1}, feature.Spec{Family: "shape"}, feature.Spec{Family: "rule"}, feature.Spec{Family: "cluster"}),
		"of Salem in\nNew Salem", "Room 12 AB")
	want := [][][]string{
		{
			{"1:B-cities 1:B-surnames", "0:B-cities 0:B-surnames", "-1:B-cities -1:B-surnames"},
			{"0:aa 0:~a", "0:Aaaaa 0:~Aa", "0:aa 0:~a"},
			{"", "", ""},
			{"", "", ""},
		},
		{
			{"0:B-cities 1:B-surnames 1:I-cities", "-1:B-cities 0:B-surnames 0:I-cities"},
			{"0:Aaa 0:~Aa", "0:Aaaaa 0:~Aa"},
			{"", ""},
			{"", ""},
		},
		{
			{"", "", ""},
			{"0:Aaaa 0:~Aa", "0:## 0:~#", "0:AA 0:~A"},
			{"", "0:B-ID 0:B-code 0:B-digits", "0:I-ID 0:I-code"},
			{"0:1", "", ""},
		},
	}
	got := [][][]string{show(f, f.sentence(drawn[0], 0, nil)), show(f, f.sentence(drawn[0], 1, nil)), show(f, f.sentence(drawn[1], 0, nil))}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	for k, n := range f.sizes() {
		if n != len(f.values[k].Values) {
			t.Errorf("family %d: size %d, but %d values", k, n, len(f.values[k].Values))
		}
	}
}

// Values that training did not see, or saw at other offsets only, do not count. Neither
// do those that only copies of notes have.
func TestUnknownFeatures(t *testing.T) {
	cfg := withFeatures(t, feature.Spec{Family: "gazetteer", Window: 1}, feature.Spec{Family: "shape"})
	texts := cut(t, "Ixby", "of New Salem")
	f, all, err := fitFeatures(t.Context(), cfg, texts, 1, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	if want := []int{2, 2}; !slices.Equal(f.sizes(), want) {
		t.Fatalf("sizes %v, want %v", f.sizes(), want)
	}
	want := [][]string{{"", "1:B-surnames", "0:B-surnames"}, {"", "0:~Aa", "0:~Aa"}}
	if got := show(f, f.sentence(all[1], 0, nil)); !cmp.Equal(got, want) {
		t.Errorf("the copy has %q, want %q", got, want)
	}
	later := cut(t, "near Ixby in")[0] // no token of training follows a surname
	want = [][]string{{"1:B-surnames", "0:B-surnames", ""}, {"", "0:Aaaa 0:~Aa", ""}}
	if got := show(f, f.sentence(f.draw(later, nil), 0, nil)); !cmp.Equal(got, want) {
		t.Errorf("a later text has %q, want %q", got, want)
	}
}

// The values drawn from a text later, and by the features of a model folder whose
// sources are gone, are those of the training. Each sentence has distinct numbers in
// ascending order.
func TestFeaturesAreSavedAndLoaded(t *testing.T) {
	cfg := withFeatures(t, feature.Spec{Family: "shape", Window: 1}, feature.Spec{Family: "gazetteer", Window: 2}, feature.Spec{Family: "rule"},
		feature.Spec{Family: "sentence"}, feature.Spec{Family: "line"}, feature.Spec{Family: "space", Window: 1}, feature.Spec{Family: "cluster"})
	texts := []string{"Zora of Salem, Room 12 AB"}
	for _, d := range notes(t, 5, synth.Train) {
		texts = append(texts, d.Text)
	}
	first, training := fitted(t, cfg, texts...)
	draw := func(f *features, d drawn) (all [][][][]int32) {
		for i := range d {
			all = append(all, f.sentence(d, i, nil))
		}
		return all
	}
	check := func(name string, f *features) {
		t.Helper()
		if diff := cmp.Diff(first.values, f.values); diff != "" {
			t.Fatalf("%s: other values", name)
		}
		for i, x := range cut(t, texts...) {
			if !cmp.Equal(draw(first, training[i]), draw(f, f.draw(x, nil))) {
				t.Fatalf("%s: text %d has other features", name, i)
			}
		}
	}
	check("drawn later", first)
	for _, d := range training {
		for _, s := range draw(first, d) {
			for k, tokens := range s {
				for _, ids := range tokens {
					if !slices.IsSorted(ids) || len(slices.Compact(slices.Clone(ids))) != len(ids) || len(ids) > 0 && int(ids[len(ids)-1]) >= first.sizes()[k] {
						t.Fatalf("family %d: values %v of %d", k, ids, first.sizes()[k])
					}
				}
			}
		}
	}

	dir := t.TempDir()
	if err := first.save(dir); err != nil {
		t.Fatal(err)
	}
	for _, p := range cfg.Resources.Paths() {
		if err := os.Remove(*p.Value); err != nil {
			t.Fatal(err)
		}
	}
	loaded, err := loadFeatures(dir, cfg, 1)
	if err != nil {
		t.Fatal(err)
	}
	check("loaded", loaded)
	if err := loaded.save(dir); err != nil { // over itself
		t.Fatal(err)
	}
	if loaded, err = loadFeatures(dir, cfg, 2); err != nil {
		t.Fatal(err)
	}
	check("loaded again", loaded)
}

// The files are those that a model folder may contain, so that a better model can
// replace the folder.
func TestModelFolderContainsFeatures(t *testing.T) {
	f, _ := fitted(t, withFeatures(t, feature.Spec{Family: "gazetteer"}, feature.Spec{Family: "rule"}, feature.Spec{Family: "cluster"}), "Zora of Salem 12")
	m := &checkpoints.Model{Tokens: []string{unknownToken}, UnknownToken: unknownToken, Types: data.CoNLL, Scheme: data.IO, Tokenizer: "ptb", Labels: []string{"O"}, Extra: f.save}
	dir := filepath.Join(t.TempDir(), "best")
	for range 2 {
		if err := checkpoints.Save(dir, m); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := checkpoints.Load(dir); err != nil {
		t.Error(err)
	}
}

// The entities that another network finds are features as well. They depend on the
// document, which the network tags as a whole.
func TestEntitiesAsFeatures(t *testing.T) {
	c := small()
	c.Training.Epochs = 30
	var docs []*data.Document
	for i, name := range []string{"Zora", "Ann", "Mary", "Ixby"} {
		docs = append(docs, &data.Document{ID: fmt.Sprint(i), Text: name + " walks.", Spans: []data.Span{{Start: 0, End: len(name), Type: "PER", Score: 1}}})
	}
	network, err := c.Fit(t.Context(), taggers.Task{Name: "names", Types: data.CoNLL, Train: docs, Dev: docs, Seed: 1, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	cfg := DefaultConfig().Features
	cfg.Families = []feature.Spec{{Family: "entity"}}
	cfg.Resources.Entities = filepath.Join(t.TempDir(), "network")
	if err := network.(*Tagger).Save(cfg.Resources.Entities); err != nil {
		t.Fatal(err)
	}
	f, all := fitted(t, cfg, "no name", "Zora walks.", "Ann walks.")
	want := [][]string{{"0:B-PER", "", ""}}
	for i := 1; i < 3; i++ {
		if got := show(f, f.sentence(all[i], 0, nil)); !cmp.Equal(got, want) {
			t.Errorf("text %d has %q, want %q", i, got, want)
		}
	}
	x := cut(t, "Mary walks.")[0]
	foreign, err := f.foreign(t.Context(), []*data.Document{x.Doc})
	if err != nil {
		t.Fatal(err)
	}
	if got := show(f, f.sentence(f.draw(x, foreign[0]), 0, nil)); !cmp.Equal(got, want) {
		t.Errorf("a later text has %q, want %q", got, want)
	}
}

// A network without features has no values and writes no file.
func TestNoFeatures(t *testing.T) {
	x := cut(t, "Zora walks.")
	f, all, err := fitFeatures(t.Context(), DefaultConfig().Features, x, 1, 0, 1)
	if err != nil || f != nil {
		t.Fatalf("features %v, error %v", f, err)
	}
	foreign, err := f.foreign(t.Context(), []*data.Document{x[0].Doc})
	if err != nil || len(foreign) != 1 {
		t.Errorf("foreign %v, error %v", foreign, err)
	}
	if got := f.sentence(all[0], 0, nil); got != nil || f.sentence(f.draw(x[0], nil), 0, nil) != nil || f.sizes() != nil {
		t.Errorf("values %v", got)
	}
	dir := t.TempDir()
	if err := f.save(dir); err != nil {
		t.Fatal(err)
	}
	if names, _ := os.ReadDir(dir); len(names) > 0 {
		t.Errorf("the folder contains %v", names)
	}
	if f, err := loadFeatures(dir, DefaultConfig().Features, 1); f != nil || err != nil {
		t.Errorf("loaded %v, error %v", f, err)
	}
}

// A family that no training token has would be a layer of size 0.
func TestFeatureThatTrainingLacks(t *testing.T) {
	cfg := withFeatures(t, feature.Spec{Family: "shape"}, feature.Spec{Family: "gazetteer"})
	_, _, err := fitFeatures(t.Context(), cfg, cut(t, "Room 12"), 1, 0, 1)
	if want := "features.families[1].family: no token of the training notes has a value of gazetteer"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

func TestFeaturesValidateNamesTheKey(t *testing.T) {
	for want, edit := range map[string]func(*Features){
		"features.families[1].family: the values of word are words":            func(f *Features) { f.Families[1].Family = "word" },
		"features.families[1].family: gazetteer requires resources.gazetteers": func(f *Features) { f.Families[1].Family = "gazetteer"; f.Resources.Gazetteers = nil },
		"features.families[0].window: 21 is not in [0, 20]":                    func(f *Features) { f.Families[0].Window = 21 },
		"features.families[1].family: duplicate shape":                         func(f *Features) { f.Families[1].Family = "shape" },
		"features.resources.rules[0].":                                         func(f *Features) { f.Resources.Rules[0].Set = "english" },
		"features.dimension: 0 is not in [1, 1000]":                            func(f *Features) { f.Dimension = 0 },
		`features.at: "before" is not input or output`:                         func(f *Features) { f.At = "before" },
		"features.dropout: 1 is not in [0, 1)":                                 func(f *Features) { f.Dropout = 1 },
	} {
		c := DefaultConfig()
		c.Features = withFeatures(t, feature.Spec{Family: "shape"}, feature.Spec{Family: "rule"})
		edit(&c.Features)
		if err := c.Validate(); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

func TestLoadFeaturesRefuses(t *testing.T) {
	cfg := DefaultConfig().Features
	cfg.Families = []feature.Spec{{Family: "shape"}, {Family: "line"}}
	for content, want := range map[string]string{
		"{":                    "unexpected EOF",
		"[] []":                "more than one JSON value",
		`[{"name":"shape"}]`:   `unknown field "name"`,
		`[{"family":"shape"}]`: "the families [shape] differ from [shape line] in config.yaml",
		`[{"family":"shape","values":[{"column":"line","value":"1"}]},{"family":"line"}]`:                                 "a value of line among those of shape",
		`[{"family":"shape","values":[{"column":"shape","offset":1,"value":"A"}]},{"family":"line"}]`:                     "outside the window of the configuration",
		`[{"family":"shape","values":[{"column":"shape","value":"A"},{"column":"shape","value":"A"}]},{"family":"line"}]`: "duplicate attribute of shape",
		`[{"family":"shape","values":[{"column":"word","value":"A"}]},{"family":"line"}]`:                                 "an attribute of word, which no family",
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, checkpoints.FeaturesFile), []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := loadFeatures(dir, cfg, 1); err == nil || !strings.Contains(err.Error(), checkpoints.FeaturesFile+": ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %s", content, err, want)
		}
	}
	if _, err := loadFeatures(t.TempDir(), cfg, 1); err == nil {
		t.Error("a folder without the file was accepted")
	}
}

// A network without features is stored with the configuration that earlier versions
// read; one with features comes back unchanged.
func TestFeaturesInConfig(t *testing.T) {
	raw, err := yaml.Marshal(DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(raw), "features") {
		t.Errorf("without features:\n%s", raw)
	}
	want := DefaultConfig()
	want.Features = withFeatures(t, feature.Spec{Family: "shape", Window: 1}, feature.Spec{Family: "gazetteer"})
	want.Features.At, want.Features.Dropout, want.Features.Dimension = "output", 0.25, 25
	if raw, err = yaml.Marshal(want); err != nil {
		t.Fatal(err)
	}
	got := DefaultConfig()
	if err := strictyaml.Decode("config.yaml", raw, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("-written +read\n%s", diff)
	}
	var keys []string
	for _, p := range want.Paths() {
		keys = append(keys, p.Key)
	}
	if wanted := []string{"features.resources.clusters", "features.resources.gazetteers", "features.resources.gazetteers", "features.resources.rules[0].file"}; !slices.Equal(keys, wanted) {
		t.Errorf("paths %v, want %v", keys, wanted)
	}
	want.Features.Resources.Clusters = writeFile(t, "broken.paths", "x\n")
	if err := want.Check(nil, 1); err == nil || !strings.HasPrefix(err.Error(), "features.resources.clusters: ") {
		t.Errorf("broken clusters: error %v", err)
	}
}

// The page lists the families that a network may have, and its example is valid.
func TestFeaturesInDocumentation(t *testing.T) {
	raw, err := os.ReadFile("../../docs/systems.md")
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(string(raw), "because the model stores the values: ")
	list, rest, ok := strings.Cut(list, ". For example:\n")
	if !ok {
		t.Fatal("the page has no list of families")
	}
	var documented, allowed []string
	for i, name := range strings.Split(list, "`") {
		if i%2 == 1 {
			documented = append(documented, name)
		}
	}
	for name := range feature.Families() {
		if _, err := feature.CheckClosed([]feature.Spec{{Family: name}}, feature.Sources{}); err == nil || strings.Contains(err.Error(), " requires resources.") {
			allowed = append(allowed, name)
		}
	}
	slices.Sort(allowed)
	if diff := cmp.Diff(allowed, documented); diff != "" {
		t.Errorf("-code +docs/systems.md\n%s", diff)
	}
	example, _, _ := strings.Cut(rest, "\n## ")
	c := DefaultConfig()
	if err := strictyaml.Decode("docs/systems.md", []byte(example), &c); err != nil {
		t.Fatal(err)
	}
	if err := c.Validate(); err != nil {
		t.Error(err)
	}
	if err := c.Check(nil, 1); err != nil || len(c.Features.Families) != 3 {
		t.Errorf("%d families, error %v", len(c.Features.Families), err)
	}
}

// Speed from text to the numbers of a sentence, on one core.
func BenchmarkFeatures(b *testing.B) {
	docs := notes(b, 200, synth.Train)
	r, err := reader.New("letters-digits", "line", 1000)
	if err != nil {
		b.Fatal(err)
	}
	var texts []reader.Text
	tokens := 0
	for _, d := range docs {
		for x := range r.Cut(d) {
			texts = append(texts, x)
			tokens += len(x.Tokens)
		}
	}
	resources := feature.Sources{
		Gazetteers: gazetteer.Lists{{Builtin: "en-months"}, {Builtin: "en-medical-titles"}, {Builtin: "en-kinship"}, {Builtin: "en-ambiguous-words"}},
		Rules:      []rules.Config{{Set: "english"}},
	}
	for name, families := range map[string][]feature.Spec{
		"shape": {{Family: "shape"}}, "gazetteer": {{Family: "gazetteer"}}, "sentence": {{Family: "sentence"}}, "rule": {{Family: "rule"}},
		"three": {{Family: "shape"}, {Family: "gazetteer"}, {Family: "sentence"}},
		"all":   {{Family: "shape"}, {Family: "gazetteer"}, {Family: "sentence"}, {Family: "rule"}},
	} {
		b.Run(name, func(b *testing.B) {
			cfg := Features{Families: families, Resources: resources}
			f, _, err := fitFeatures(b.Context(), cfg, texts, len(texts), 0, 2)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				for _, x := range texts {
					d := f.draw(x, nil)
					for i := range x.Sentences {
						f.sentence(d, i, nil)
					}
				}
			}
			b.ReportMetric(float64(tokens*b.N)/b.Elapsed().Seconds(), "tokens/s")
		})
	}
}

// A network with features learns, comes back from its folder with the same spans and
// scores, and needs its features: without their weights it is another network.
func TestNetworkReadsFeatures(t *testing.T) {
	for _, at := range []string{"input", "output"} {
		c := trained()
		c.Training.Epochs = 4
		c.Features = withFeatures(t, feature.Spec{Family: "shape", Window: 1}, feature.Spec{Family: "rule"})
		c.Features.At, c.Features.Dropout = at, 0.1
		dir := filepath.Join(t.TempDir(), "model")
		fitted := fit(t, c, taggers.Task{Workers: 2})
		if err := fitted.Save(dir); err != nil {
			t.Fatal(err)
		}
		loaded, err := Load(dir, 1)
		if err != nil {
			t.Fatal(err)
		}
		docs := notes(t, 8, synth.Test)
		tag := func(tagger *Tagger) [][]data.Span {
			spans, err := tagger.Tag(t.Context(), docs)
			if err != nil {
				t.Fatal(err)
			}
			return spans
		}
		want := tag(fitted)
		if diff := cmp.Diff(want, tag(loaded)); diff != "" {
			t.Errorf("%s: the loaded model finds other spans", at)
		}
		clear(loaded.network.Get("features.0").Data)
		if diff := cmp.Diff(want, tag(loaded)); diff == "" {
			t.Errorf("%s: the spans do not depend on the features", at)
		}
	}
}

// With a list of headings, a network reads sections, and no line of the notes becomes a value.
func TestSectionsAreFromTheList(t *testing.T) {
	cfg := DefaultConfig().Features
	cfg.Families = []feature.Spec{{Family: "section"}}
	if err := cfg.Validate(); err == nil || !strings.HasPrefix(err.Error(), "families[0].family: section requires resources.headings here") {
		t.Errorf("without a list: error %v", err)
	}
	cfg.Resources.Headings = gazetteer.Lists{{Builtin: "en-headings"}}
	f, drawn := fitted(t, cfg, "ZORA POLK:\nPlan: rest\nIXBY SALEM:\nrest\nAllergies:\nnone")
	var values []string
	for _, v := range f.values[0].Values {
		values = append(values, v.Value)
	}
	if want := []string{"plan", "allergies"}; !slices.Equal(values, want) {
		t.Errorf("values %q, want %q", values, want)
	}
	var lines []string
	for i := range drawn[0] {
		lines = append(lines, show(f, f.sentence(drawn[0], i, nil))[0][0])
	}
	if want := []string{"", "0:plan", "0:plan", "0:plan", "0:allergies", "0:allergies"}; !slices.Equal(lines, want) {
		t.Errorf("sections of the lines %q, want %q", lines, want)
	}
	dir := t.TempDir()
	if err := f.save(dir); err != nil {
		t.Fatal(err)
	}
	loaded, err := loadFeatures(dir, cfg, 1)
	if err != nil {
		t.Fatal(err)
	}
	x := cut(t, "Plan:\nZora Polk")[0]
	if got := show(loaded, loaded.sentence(loaded.draw(x, nil), 1, nil)); !slices.Equal(got[0], []string{"0:plan", "0:plan"}) {
		t.Errorf("from the model folder: %q", got)
	}
}
