package recipe

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/synth"
	"github.com/lethe-deid/lethe/internal/strictyaml"
	"github.com/lethe-deid/lethe/taggers"
	"github.com/lethe-deid/lethe/taggers/system"
)

func decode(raw string) (taggers.System, error) {
	s := taggers.System{}
	return s, strictyaml.Decode("x.yaml", []byte(raw), &s)
}

// A new kind requires only a package that registers it: the kind can be configured,
// alone and within other kinds, trained, resumed, saved, loaded and used.
func TestANewKindIsOnePackage(t *testing.T) {
	types, err := data.LookupTypeSet(synth.TypeSet)
	if err != nil {
		t.Fatal(err)
	}
	for raw, want := range map[string]string{
		"remembered: {minimum: 1}":            "x.yaml:1:14: remembered.minimum: unknown key (have min_documents)",
		"remembered: {min_documents: one}":    "x.yaml:1:29: remembered.min_documents: text where a whole number is expected",
		"recalled: {}":                        "x.yaml:1:1: recalled: unknown key (have ann, corrected, crf, cued, ensemble, gazetteer, hf, predicted, remembered, rules, second_pass, trained, trees)",
		"remembered: {min_documents: 0}":      "system.remembered.min_documents: 0 is not positive",
		"{remembered: {}, rules: {set: any}}": "system: must have exactly one key (ann, corrected, crf, cued, ensemble, gazetteer, hf, predicted, remembered, rules, second_pass, trained, trees)",
	} {
		s, err := decode(raw)
		if err == nil {
			err = s.Validate(types)
		}
		if err == nil || err.Error() != want {
			t.Errorf("%s: error\n%v\nwant\n%s", raw, err, want)
		}
	}

	notes := func(n int, split synth.Split) []*data.Document {
		docs, err := data.Collect(synth.Notes(n, 1, split))
		if err != nil {
			t.Fatal(err)
		}
		return docs
	}
	job := taggers.Task{Name: "x", Types: types, Train: notes(20, synth.Train), Dev: notes(2, synth.Dev), Seed: 1, Workers: 1}
	for name, raw := range map[string]string{
		"alone":  "remembered: {}",
		"member": "ensemble: {members: [{name: words, system: {second_pass: {system: {remembered: {min_documents: 3}}}}}, {name: rules, system: {rules: {set: english}}}]}",
	} {
		t.Run(name, func(t *testing.T) {
			s, err := decode(raw)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(s.Tree(), "remembered: words of ") {
				t.Errorf("drawn as\n%s", s.Tree())
			}
			job, epochs := job, 0
			job.Dir, job.Report.Epoch = t.TempDir(), func(taggers.Epoch) { epochs++ }
			fitted, err := system.Fit(t.Context(), s, job)
			if err != nil {
				t.Fatal(err)
			}
			loaded, _, err := system.Load(filepath.Join(job.Dir, "best"), 1)
			if err != nil {
				t.Fatal(err)
			}
			job.Resume = true
			resumed, err := system.Fit(t.Context(), s, job)
			if err != nil || epochs != 1 {
				t.Fatalf("%d epochs, error %v", epochs, err)
			}
			want, found := tag(t, fitted, job.Dev), 0
			for _, spans := range want {
				found += len(spans)
			}
			if found == 0 {
				t.Error("nothing found")
			}
			for what, tagger := range map[string]data.Tagger{"loaded": loaded, "resumed": resumed} {
				if diff := cmp.Diff(want, tag(t, tagger, job.Dev)); diff != "" {
					t.Errorf("%s: -want +got\n%s", what, diff)
				}
			}
		})
	}
}

// A member that an interrupted training has finished is not trained again, whatever its
// kind.
func TestANewKindIsResumed(t *testing.T) {
	types, err := data.LookupTypeSet(synth.TypeSet)
	if err != nil {
		t.Fatal(err)
	}
	docs, err := data.Collect(synth.Notes(3, 1, synth.Train))
	if err != nil {
		t.Fatal(err)
	}
	s, err := decode("ensemble: {members: [{name: words, system: {remembered: {}}}, {name: crf, system: {crf: {features: [{family: word}], types: [BIOID]}}}]}")
	if err != nil {
		t.Fatal(err)
	}
	job := taggers.Task{Types: types, Train: docs, Seed: 1, Workers: 1, Dir: t.TempDir()}
	if _, err := system.Fit(t.Context(), s, job); err == nil {
		t.Fatal("a CRF has learnt a type that no note has")
	}
	words := filepath.Join(job.Dir, "members", "words", "best", wordsFile)
	if _, err := os.Stat(words); err != nil {
		t.Fatal(err)
	}
	job.Resume = true
	var told []taggers.Epoch
	job.Report.Epoch = func(e taggers.Epoch) { told = append(told, e) }
	if _, err := system.Fit(t.Context(), s, job); err == nil {
		t.Error("no error when resumed")
	}
	if diff := cmp.Diff([]taggers.Epoch{{Member: "words", Epoch: 1, Resumed: true}}, told); diff != "" {
		t.Errorf("epochs: -want +got\n%s", diff)
	}
}

func tag(t *testing.T, tagger data.Tagger, docs []*data.Document) [][]data.Span {
	t.Helper()
	found, err := tagger.Tag(t.Context(), docs)
	if err != nil {
		t.Fatal(err)
	}
	return found
}
