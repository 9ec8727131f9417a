package crf

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/synth"
	"github.com/lethe-deid/lethe/evaluation"
	"github.com/lethe-deid/lethe/taggers"
	"github.com/lethe-deid/lethe/taggers/crf/feature"
	"github.com/lethe-deid/lethe/taggers/rules"
)

func notes(t testing.TB, n int) []*data.Document {
	t.Helper()
	docs, err := data.Collect(synth.Notes(n, 1, synth.Train))
	if err != nil {
		t.Fatal(err)
	}
	return docs
}

func task(t testing.TB, docs []*data.Document) taggers.Task {
	t.Helper()
	types, err := data.LookupTypeSet(synth.TypeSet)
	if err != nil {
		t.Fatal(err)
	}
	return taggers.Task{Name: "x", Types: types, Train: docs, Seed: 1, Workers: 2}
}

func fit(t testing.TB, c Config, task taggers.Task) *Tagger {
	t.Helper()
	tagger, err := c.Fit(t.Context(), task)
	if err != nil {
		t.Fatal(err)
	}
	return tagger.(*Tagger)
}

func tag(t testing.TB, tagger data.Tagger, docs []*data.Document) [][]data.Span {
	t.Helper()
	found, err := tagger.Tag(t.Context(), docs)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func gold(docs []*data.Document) (all [][]data.Span) {
	for _, d := range docs {
		all = append(all, d.Spans)
	}
	return all
}

// small is a configuration that trains in a moment.
func small() Config {
	c := DefaultConfig()
	c.Features = []feature.Spec{{Family: "word", Window: 1}, {Family: "shape"}, {Family: "suffix", Size: 3}, {Family: "label"}}
	c.Training.Iterations, c.Training.L2 = 40, 0.1
	return c
}

// A CRF of any kind finds what it was trained on, with probabilities as scores, for any
// number of workers, and a loaded one finds the same.
func TestFitSaveLoad(t *testing.T) {
	docs := notes(t, 10)
	for name, set := range map[string]func(*Config){
		"lbfgs BIO":   func(c *Config) {},
		"lbfgs IO":    func(c *Config) { c.Scheme = data.IO },
		"lbfgs BIOES": func(c *Config) { c.Scheme = data.BIOES },
		"sgd":         func(c *Config) { c.Training.Method = "sgd" },
		"perceptron":  func(c *Config) { c.Training.Method, c.Training.Iterations = "perceptron", 10 },
		"by type":     func(c *Config) { c.PerType, c.Scheme, c.Training.Iterations = true, data.IO, 25 },
		"preset": func(c *Config) {
			c.Preset, c.Features = "anonym-reg", nil
			c.Resources.Rules = []rules.Config{{Set: "anonym"}}
		},
		"without": func(c *Config) {
			c.Preset, c.Without, c.Features = "meddocan", []string{"word", "label"}, []feature.Spec{{Family: "word"}}
		},
		"other splitter": func(c *Config) { c.Tokenizer, c.Sentences, c.MaxTokens = "ptb", "rules", 15 },
		"leaves out":     func(c *Config) { c.MinDocuments, c.MinCount = 2, 2 },
		"L1":             func(c *Config) { c.Training.L1, c.Training.L2 = 0.1, 0 },
		"L1 by type":     func(c *Config) { c.PerType, c.Scheme, c.Training.L1 = true, data.IO, 0.1 },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := small()
			set(&c)
			tagger := fit(t, c, task(t, docs))
			found := tag(t, tagger, docs)
			score := evaluation.Strict(gold(docs), found)
			if score.F1() < 0.8 {
				t.Errorf("F1 %.3f on the notes of the training", score.F1())
			}
			for i, spans := range found {
				end := 0
				for _, s := range spans {
					if s.Start < end || s.End <= s.Start || !(s.Score > 0 && s.Score <= 1) {
						t.Fatalf("note %d: %v", i, spans)
					}
					end = s.End
				}
			}
			dir := filepath.Join(t.TempDir(), "model")
			if err := tagger.Save(dir); err != nil {
				t.Fatal(err)
			}
			loaded, err := Load(dir, 1)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(found, tag(t, loaded, docs)); diff != "" {
				t.Errorf("loaded: -want +got\n%s", diff)
			}
			again := filepath.Join(t.TempDir(), "again")
			if err := loaded.Save(again); err != nil {
				t.Fatal(err)
			}
			for _, file := range []string{ModelFile, configFile} {
				a, errA := os.ReadFile(filepath.Join(dir, file))
				b, errB := os.ReadFile(filepath.Join(again, file))
				if errA != nil || errB != nil || !slices.Equal(a, b) {
					t.Errorf("%s differs when it is loaded and saved again (%v, %v)", file, errA, errB)
				}
			}
			for i, empty := range tag(t, tagger, []*data.Document{{Text: ""}, {Text: " \n"}}) {
				if len(empty) != 0 {
					t.Errorf("empty note %d: %v", i, empty)
				}
			}
		})
	}
}

// The same seed and workers give the same bytes.
func TestTwoTrainingsAgree(t *testing.T) {
	c := small()
	c.Training.Iterations = 5
	for _, method := range []string{"lbfgs", "sgd", "perceptron"} {
		c.Training.Method = method
		var files [2][]byte
		for i := range files {
			dir := t.TempDir()
			if err := fit(t, c, task(t, notes(t, 5))).Save(dir); err != nil {
				t.Fatal(err)
			}
			var err error
			if files[i], err = os.ReadFile(filepath.Join(dir, ModelFile)); err != nil {
				t.Fatal(err)
			}
		}
		if !slices.Equal(files[0], files[1]) {
			t.Errorf("%s: other bytes", method)
		}
	}
}

// A tagger that learns only some types ignores spans of others, and finds none of them.
// With an L1 penalty, features of weight 0 and their words are not in the model, which finds the same as
// before they were removed.
func TestL1LeavesWordsOut(t *testing.T) {
	docs := notes(t, 10)
	var last taggers.Epoch
	job := task(t, docs)
	job.Report.Epoch = func(e taggers.Epoch) { last = e }
	c := small()
	c.Training.L1 = 0.5
	sparse := fit(t, c, job)
	c.Training.L1 = 0
	dense := fit(t, c, task(t, docs))
	weights := 0
	for _, m := range sparse.models {
		weights += len(m.chain.Weight)
		for _, w := range m.chain.Transition {
			if w != 0 {
				weights++
			}
		}
	}
	if weights != last.NonZero || last.NonZero == 0 || last.NonZero >= last.Parameters/2 {
		t.Errorf("%d weights in the model, %d of %d reported", weights, last.NonZero, last.Parameters)
	}
	if a, b := sparse.extractor.Len(), dense.extractor.Len(); a >= b/2 {
		t.Errorf("%d attributes, without the penalty %d", a, b)
	}
}

// The scores of each model are in a chain of its own, with the type's name.
func TestScores(t *testing.T) {
	docs := notes(t, 4)
	c := small()
	c.PerType, c.Types = true, []string{"DATE", "DOCTOR"}
	tagger := fit(t, c, task(t, docs))
	chains := tagger.Chains()
	if len(chains) != 2 || chains[0].Name != "DATE" || chains[1].Name != "DOCTOR" || chains[1].Labels[0] != "O" {
		t.Fatalf("chains %+v", chains)
	}
	scores, err := tagger.Scores(t.Context(), docs)
	if err != nil {
		t.Fatal(err)
	}
	for i, found := range tag(t, tagger, docs) {
		for k, c := range chains {
			begins := 0
			for _, x := range scores[i][k] {
				sum := 0.0
				for _, p := range x.Marginals {
					sum += p
				}
				if sum < 0.999999 || sum > 1.000001 {
					t.Fatalf("probabilities add up to %v", sum)
				}
				if strings.HasPrefix(c.Labels[x.Label], "B-") {
					begins++
				}
			}
			spans := 0
			for _, s := range found {
				if s.Type == c.Name {
					spans++
				}
			}
			if begins != spans {
				t.Errorf("note %d: %d tokens begin a %s, but %d spans were found", i, begins, c.Name, spans)
			}
		}
	}
}

func TestTypes(t *testing.T) {
	docs := notes(t, 12)
	for _, byType := range []bool{false, true} {
		c := small()
		c.Types, c.PerType = []string{"DATE", "DOCTOR"}, byType
		var members []string
		job := task(t, docs)
		job.Report.Epoch = func(e taggers.Epoch) {
			if e.Epoch == 1 {
				members = append(members, e.Member)
			}
			if e.Tokens != 0 || e.Scored || e.Loss <= 0 {
				t.Errorf("epoch %+v", e)
			}
		}
		tagger := fit(t, c, job)
		found := map[string]int{}
		for _, spans := range tag(t, tagger, docs) {
			for _, s := range spans {
				found[s.Type]++
			}
		}
		if len(found) != 2 || found["DATE"] == 0 || found["DOCTOR"] == 0 {
			t.Errorf("found %v", found)
		}
		want, chains := []string{""}, 1
		if byType {
			want, chains = []string{"DATE", "DOCTOR"}, 2
		}
		if !slices.Equal(members, want) || len(tagger.models) != chains {
			t.Errorf("members %q, want %q; %d chains", members, want, len(tagger.models))
		}
	}
	c := small()
	c.Types = []string{"DATE"}
	none := []*data.Document{{Text: "Po left", Spans: []data.Span{{Start: 0, End: 2, Type: "DOCTOR"}}}}
	if _, err := c.Fit(t.Context(), task(t, none)); err == nil || err.Error() != "types: the training documents contain no spans of DATE" {
		t.Errorf("error %v", err)
	}
}

// A type's model has features of its subset only.
func TestSubsets(t *testing.T) {
	c := small()
	c.PerType, c.Types, c.Subsets = true, []string{"DATE", "DOCTOR"}, map[string][]string{"DATE": {"shape", "suffix"}}
	for i, d := range fit(t, c, task(t, notes(t, 8))).Dump(0, true) {
		columns := map[string]bool{}
		for _, l := range d.Labels {
			for _, f := range l.Features {
				columns[f.Column] = true
			}
		}
		want := map[string]bool{"shape": true, "suffix": true}
		if i == 1 {
			want["word"], want["label"] = true, true
		}
		if diff := cmp.Diff(want, columns); diff != "" {
			t.Errorf("chain %d: -want +got\n%s", i, diff)
		}
	}
}

// Where models of two types find the same words, the order of priority decides, and
// without one the higher score.
func TestOverlapsOfTwoModels(t *testing.T) {
	typed := func(start, end int, typ string, score float64) data.Span {
		return data.Span{Start: start, End: end, Type: typ, Score: score}
	}
	found := []data.Span{typed(0, 5, "PATIENT", 0.9), typed(3, 8, "DOCTOR", 0.2), typed(8, 12, "CITY", 0.3), typed(10, 14, "STREET", 0.6),
		typed(13, 20, "PATIENT", 0.1)}
	for _, test := range []struct {
		priority []string
		want     []data.Span
	}{
		{nil, []data.Span{found[0], found[3]}},
		{[]string{"DOCTOR", "PATIENT"}, []data.Span{found[1], found[2], found[4]}},
		{[]string{"PATIENT", "DOCTOR"}, []data.Span{found[0], found[2], found[4]}},
		{[]string{"CITY"}, []data.Span{found[0], found[2], found[4]}},
	} {
		if got := (Config{Priority: test.priority}).settle(slices.Clone(found)); !slices.Equal(got, test.want) {
			t.Errorf("priority %v: %v, want %v", test.priority, got, test.want)
		}
	}
}

// The models of two types that learned the same words both find them; the spans of the
// type with priority are kept, also after the model was saved and loaded.
func TestPriority(t *testing.T) {
	docs := notes(t, 8)
	for _, d := range docs { // both models learn the same spans in half of the notes each
		for i := range d.Spans {
			d.Spans[i].Type = "DATE"
		}
	}
	for _, d := range docs[4:] {
		for i := range d.Spans {
			d.Spans[i].Type = "AGE"
		}
	}
	of := func(priority ...string) map[string]int {
		c := small()
		c.PerType, c.Priority, c.Scheme = true, priority, data.IO
		c.Features = []feature.Spec{{Family: "shape"}}
		tagger := fit(t, c, task(t, docs))
		dir := filepath.Join(t.TempDir(), "model")
		if err := tagger.Save(dir); err != nil {
			t.Fatal(err)
		}
		loaded, err := Load(dir, 1)
		if err != nil {
			t.Fatal(err)
		}
		count := map[string]int{}
		for _, spans := range tag(t, loaded, docs) {
			for _, s := range spans {
				count[s.Type]++
			}
		}
		return count
	}
	if age, date := of("AGE", "DATE"), of("DATE", "AGE"); age["AGE"] <= date["AGE"] || date["DATE"] <= age["DATE"] {
		t.Errorf("with AGE first: %v; with DATE first: %v", age, date)
	}
}

// Where models of two types find the same words, the higher score wins.
func TestSurest(t *testing.T) {
	s := func(start, end int, score float64) data.Span { return data.Span{Start: start, End: end, Score: score} }
	got := Config{}.settle([]data.Span{s(0, 5, 0.6), s(4, 9, 0.7), s(8, 12, 0.5), s(12, 14, 0.1), s(20, 22, 0.3), s(20, 22, 0.3)})
	if want := []data.Span{s(4, 9, 0.7), s(12, 14, 0.1), s(20, 22, 0.3)}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestTrainingIsCalledOff(t *testing.T) {
	for _, after := range []int{0, 2} {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		job := task(t, notes(t, 5))
		job.Report.Epoch = func(e taggers.Epoch) {
			if e.Epoch == after {
				cancel()
			}
		}
		if after == 0 {
			cancel()
		}
		if _, err := small().Fit(ctx, job); !errors.Is(err, context.Canceled) {
			t.Errorf("after %d iterations: error %v", after, err)
		}
	}
	tagger := fit(t, small(), task(t, notes(t, 3)))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if spans, err := tagger.Tag(ctx, notes(t, 3)); !errors.Is(err, context.Canceled) || spans != nil {
		t.Errorf("tagging: %v, error %v", spans, err)
	}
}

// Several goroutines may use one tagger at once.
func TestConcurrentUse(t *testing.T) {
	docs := notes(t, 6)
	tagger := fit(t, small(), task(t, docs))
	want := tag(t, tagger, docs)
	for i := range 3 {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(want, tag(t, tagger, docs)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Any edit of a model is noticed.
func TestDamagedModels(t *testing.T) {
	dir := t.TempDir()
	if err := fit(t, small(), task(t, notes(t, 2))).Save(dir); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, ModelFile)
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	bad := func(content []byte, want string) {
		t.Helper()
		if err := os.WriteFile(path, content, 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(dir, 1); err == nil || !strings.HasPrefix(err.Error(), path+": ") || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	for at := range 60 {
		edited := slices.Clone(raw)
		i := at * (len(raw) - 1) / 59
		edited[i] ^= 1
		bad(edited, "")
		bad(raw[:i], "")
	}
	bad(nil, "not a CRF model of this version")
	bad(append([]byte("lethe crf 0\n"), raw[len(magic):]...), "not a CRF model of this version")
	bad(append(slices.Clone(raw), 0), "SHA-256 mismatch")

	if err := os.WriteFile(path, raw, 0o666); err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(dir, configFile)
	content, err := os.ReadFile(config)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(config, []byte(strings.Replace(string(content), "scheme: BIO", "scheme: IO", 1)), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(dir, 1); err == nil || !strings.Contains(err.Error(), "SHA-256 mismatch") {
		t.Errorf("edited configuration: error %v", err)
	}
	for _, file := range []string{configFile, ModelFile} {
		if err := os.Remove(filepath.Join(dir, file)); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(dir, 1); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("without %s: error %v", file, err)
		}
	}
}

// The content is not trusted even if the checksum is right.
func FuzzDecode(f *testing.F) {
	c := small()
	c.Training.Iterations = 1
	dir := f.TempDir()
	doc := &data.Document{ID: "1", Text: "Seen by Dr. Po", Spans: []data.Span{{Start: 12, End: 14, Type: "DOCTOR", Score: 1}}}
	if err := fit(f, c, task(f, []*data.Document{doc})).Save(dir); err != nil {
		f.Fatal(err)
	}
	raw, err := os.ReadFile(filepath.Join(dir, ModelFile))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(raw[len(magic) : len(raw)-32])
	r, err := feature.Open(c.Resources, 1)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		tagger := &Tagger{config: c, resources: r, workers: 1}
		if tagger.reader, err = c.reader(); err != nil {
			t.Fatal(err)
		}
		if err := tagger.decode(raw); err == nil {
			if _, err := tagger.Tag(t.Context(), []*data.Document{doc}); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// For a tagger that finds a single word, the dump contains that word, but only on
// request; the rest of the dump follows from the model itself.
func TestDump(t *testing.T) {
	c := DefaultConfig()
	c.Features = []feature.Spec{{Family: "word"}, {Family: "shape"}}
	var docs []*data.Document
	for i, other := range []string{"left", "came", "ate", "sat"} {
		docs = append(docs, &data.Document{ID: fmt.Sprint(i), Text: "Zora " + other + ".", Spans: []data.Span{{Start: 0, End: 4, Type: "PATIENT", Score: 1}}})
	}
	tagger := fit(t, c, task(t, docs))
	all := tagger.Dump(0, true)
	if len(all) != 1 || len(all[0].Labels) != 2 || all[0].Labels[1].Label != "B-PATIENT" {
		t.Fatalf("%+v", all)
	}
	d := all[0]
	if n := len(tagger.models[0].chain.Weight); d.Features != n || d.Attributes != tagger.extractor.Len() {
		t.Errorf("%d features, %d attributes", d.Features, d.Attributes)
	}
	total := 0
	for i, l := range d.Labels {
		total += len(l.Features)
		for k, tr := range l.Transitions {
			if j := slices.Index(tagger.models[0].labels, tr.To); tr.Weight != tagger.models[0].chain.Transition[i*2+j] {
				t.Errorf("%s to %s: %v", l.Label, tr.To, tr.Weight)
			}
			if k > 0 && math.Abs(tr.Weight) > math.Abs(l.Transitions[k-1].Weight) {
				t.Errorf("%s: transitions %+v", l.Label, l.Transitions)
			}
		}
		for k := range l.Features[1:] {
			if math.Abs(l.Features[k].Weight) < math.Abs(l.Features[k+1].Weight) {
				t.Errorf("%s: feature %d is weaker than the next", l.Label, k)
			}
		}
	}
	if total != d.Features {
		t.Errorf("%d features are listed of %d", total, d.Features)
	}
	find := func(d Dump, column string) *Feature {
		for i, f := range d.Labels[1].Features {
			if f.Column == column {
				return &d.Labels[1].Features[i]
			}
		}
		t.Fatalf("no %s", column)
		return nil
	}
	if f := find(d, "word"); f.Value == nil || *f.Value != "Zora" || f.Weight <= 0 {
		t.Errorf("%+v", f)
	}
	hidden := tagger.Dump(1, false)[0]
	for _, l := range hidden.Labels {
		if len(l.Features) != 1 || len(l.Transitions) != 1 {
			t.Errorf("limit 1: %+v", l)
		}
	}
	hidden = tagger.Dump(0, false)[0]
	if f := find(hidden, "word"); f.Value != nil {
		t.Error("a word of the training notes is shown")
	}
	if f := find(hidden, "shape"); f.Value == nil || !strings.HasPrefix(strings.TrimPrefix(*f.Value, "~"), "Aa") {
		t.Errorf("%+v", f)
	}
}

// A CRF of which no feature occurs often enough was trained without a word, and found nothing.
func TestNothingToLearnFromIsAnError(t *testing.T) {
	for setting, set := range map[string]func(*Config){
		"min_documents: 1000": func(c *Config) { c.MinDocuments = 1000 },
		"min_patients: 1000":  func(c *Config) { c.MinPatients = 1000 },
		"min_count: 1000000":  func(c *Config) { c.MinCount = 1000000 },
		// With a window, the edges of sentences are values, too, from which it learned that nothing is PHI.
		"min_documents: 1001": func(c *Config) { c.MinDocuments, c.Features[0].Window = 1001, 1 },
		"training.l1: 1e+06":  func(c *Config) { c.Training.L1 = 1e6 },
	} {
		c := small()
		c.Features = []feature.Spec{{Family: "word"}}
		set(&c)
		if _, err := c.Fit(t.Context(), task(t, notes(t, 8))); err == nil || !strings.Contains(err.Error(), setting) {
			t.Errorf("%s: the error is %v", setting, err)
		}
	}
}

func TestValidate(t *testing.T) {
	for want, set := range map[string]func(*Config){
		"tokenizer: ":                       func(c *Config) { c.Tokenizer = "x" },
		"sentences: ":                       func(c *Config) { c.Sentences = "x" },
		"scheme: ":                          func(c *Config) { c.Scheme = "x" },
		`scheme: "bio" must be written BIO`: func(c *Config) { c.Scheme = "bio" },
		"max_sentence: 0 is not positive":   func(c *Config) { c.MaxTokens = 0 },
		`preset: no preset "x" (have anonym-basic, anonym-both, anonym-pos, anonym-reg, dehghan2015, dernoncourt2016, liu2017, meddocan)`: func(c *Config) { c.Preset = "x" },
		"preset: anonym-pos: family: pos requires resources.pos; without leaves a family out":                                             func(c *Config) { c.Preset = "anonym-pos" },
		`without[0]: the preset has no family "pos"`:                                                                                      func(c *Config) { c.Preset, c.Without = "meddocan", []string{"pos"} },
		"features: at least one family or a preset is required":                                                                           func(c *Config) { c.Features = nil },
		"features[1].family: is required":                                                                                                 func(c *Config) { c.Features = []feature.Spec{{Family: "word"}, {}} },
		"features[0].family: duplicate label":                                                                                             func(c *Config) { c.Preset, c.Features = "meddocan", []feature.Spec{{Family: "label"}} },
		"features[0].family: rule requires resources.rules":                                                                               func(c *Config) { c.Features = []feature.Spec{{Family: "rule"}} },
		"priority: requires per_type":                                                                                                     func(c *Config) { c.Priority = []string{"DATE"} },
		"priority: duplicate DATE":                                                                                                        func(c *Config) { c.PerType, c.Priority = true, []string{"DATE", "AGE", "DATE"} },
		"subsets: requires per_type":                                                                                                      func(c *Config) { c.Subsets = map[string][]string{"DATE": {"word"}} },
		"subsets: DATE is not one of the types": func(c *Config) {
			c.PerType, c.Types, c.Subsets = true, []string{"AGE"}, map[string][]string{"DATE": {"word"}}
		},
		"subsets.DATE: at least one family is required":                      func(c *Config) { c.PerType, c.Subsets = true, map[string][]string{"DATE": {}} },
		`subsets.DATE[0]: family "pos" is not among the features`:            func(c *Config) { c.PerType, c.Subsets = true, map[string][]string{"DATE": {"pos"}} },
		"resources.rules[0].set or file: exactly one of the two is required": func(c *Config) { c.Resources.Rules = []rules.Config{{}} },
		"resources.clusters: no family reads it":                             func(c *Config) { c.Resources.Clusters = "paths" },
		"min_documents: 0 is not positive":                                   func(c *Config) { c.MinDocuments = 0 },
		"min_count: 0 is not positive":                                       func(c *Config) { c.MinCount = 0 },
		`training.method: "x" is not lbfgs, sgd or perceptron`:               func(c *Config) { c.Training.Method = "x" },
		"training.l2: -1 is negative":                                        func(c *Config) { c.Training.L2 = -1 },
		"training.iterations: 0 is not in [1, 1048576]":                      func(c *Config) { c.Training.Iterations = 0 },
		"training.delta: -1 is negative":                                     func(c *Config) { c.Training.Delta = -1 },
		"training.period: 0 is not in [1, 1048576]":                          func(c *Config) { c.Training.Period = 0 },
		"training.rate: 0 is not positive":                                   func(c *Config) { c.Training.Rate = 0 },
		"training.l1: -1 is negative or not a number":                        func(c *Config) { c.Training.L1 = -1 },
		"training.rate: is only for the method sgd, not for lbfgs":           func(c *Config) { c.Training.Rate = 0.5 },
		"training.l2: is not for the method perceptron":                      func(c *Config) { c.Training.Method, c.Training.L2 = "perceptron", 0.5 },
		"training.delta: is only for the method lbfgs, not for sgd":          func(c *Config) { c.Training.Delta, c.Training.Method = 1e-4, "sgd" },
		"training.period: is only for the method lbfgs, not for perceptron":  func(c *Config) { c.Training.Period, c.Training.Method = 5, "perceptron" },
		"training.l1: is only for the method lbfgs, not for sgd":             func(c *Config) { c.Training.L1, c.Training.Method = 1, "sgd" },
	} {
		c := small()
		set(&c)
		err := c.Validate()
		if err == nil {
			err = c.Effects()
		}
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	for _, name := range Presets() {
		for i, s := range presets[name] {
			if s.Family == "" {
				t.Errorf("preset %s: feature %d has no family", name, i)
			}
		}
	}
}

// The setting of the paper: all features on the token and the four around it.
func TestPresetOfDernoncourt(t *testing.T) {
	for _, s := range presets["dernoncourt2016"] {
		if s.Window != 2 {
			t.Errorf("family %s: window %d", s.Family, s.Window)
		}
	}
}

func BenchmarkTag(b *testing.B) {
	docs := notes(b, 40)
	c := DefaultConfig()
	c.Preset, c.Training.Iterations = "meddocan", 20
	tagger := fit(b, c, task(b, docs))
	size := 0
	for _, d := range docs {
		size += len(d.Text)
	}
	b.SetBytes(int64(size))
	for b.Loop() {
		tag(b, tagger, docs)
	}
}
