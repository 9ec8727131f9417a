package ensemble

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/taggers"
)

func members(names ...string) []Member {
	var all []Member
	for _, n := range names {
		all = append(all, Member{Name: n})
	}
	return all
}

// found gives each member its spans in one note.
func found(each ...answers) [][][]data.Span {
	var all [][][]data.Span
	for _, a := range each {
		all = append(all, [][]data.Span{a})
	}
	return all
}

// The features of three candidates, by hand.
func TestFeaturesOfCandidates(t *testing.T) {
	const note = "Hospital of Salem, Salem, 12 Oak"
	c := Config{Method: Learned, Folds: 2, Members: members("a", "b", "c")}
	all := New(c, nil).candidates(found(
		parse(t, "HOSPITAL 0-17 0.9", "CITY 19-24 0.5"),
		parse(t, "CITY 12-17 0.9", "CITY 19-24 0.5"),
		parse(t, "NAME 12-17 0.9", "STREET 26-32 0.9"),
	), 0)
	j := newJudge(c.Members, data.I2B2)
	got := map[string][]float64{}
	for i, row := range j.features(note, all) {
		got[format([]data.Span{all[i].Span})[0]] = row
	}
	want := map[string][]float64{
		//  same span, and type | overlap, and type | connective | by a, b, c | times, of span, tokens, in the note
		"HOSPITAL 0-17 0.9": {0, 0, 1, 0, 1, 1, 0, 0, 1, 1, 3, 1},
		"CITY 19-24 0.5":    {1, 1, 0, 0, 0, 1, 1, 0, 2, 2, 1, 3},
		"CITY 12-17 0.9":    {1, 0, 1, 0, 0, 0, 1, 0, 1, 2, 1, 3},
		"NAME 12-17 0.9":    {1, 0, 1, 0, 0, 0, 0, 1, 1, 2, 1, 1},
		"STREET 26-32 0.9":  {0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 2, 1},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if len(featureNames(c.Members)) != 12 {
		t.Errorf("features %q", featureNames(c.Members))
	}
	all = New(c, nil).candidates(found(parse(t, "CITY 0-17 0.9"), parse(t, "CITY 12-17 0.9"), nil), 0)
	for i, row := range j.features(note, all) {
		if row[2] != 1 || row[3] != 1 {
			t.Errorf("candidate %d overlaps one of its type: %v", i, row)
		}
	}
}

// Conjunctions and prepositions are those of the corpus's language, whatever the case.
func TestConnectivesOfTheLanguage(t *testing.T) {
	for text, want := range map[string][3]bool{ // English, Spanish, unknown
		"Hospital OF Salem":   {true, false, true},
		"Hospital de Salem":   {false, true, true},
		"Casa Según Olga":     {false, true, true},
		"Oficina y Salem":     {false, true, true},
		"General Hospital":    {false, false, false},
		"Deans and Offenbach": {true, false, true},
	} {
		for i, types := range []*data.TypeSet{{Language: "en"}, {Language: "es"}, {}} {
			if _, got := newJudge(nil, types).read(text); got != want[i] {
				t.Errorf("%q in language %q: %v", text, types.Language, got)
			}
		}
	}
}

// training has notes in which a span that only member b finds is wrong, and every
// other span is right.
func training(t *testing.T) taggers.Task {
	task := taggers.Task{Types: data.I2B2, Unseen: make([][][]data.Span, 2)}
	for range 20 {
		task.Train = append(task.Train, &data.Document{Text: text, Spans: parse(t, "PATIENT 0-4 1", "PATIENT 6-11 1")})
		task.Unseen[0] = append(task.Unseen[0], parse(t, "PATIENT 0-4 0.5", "PATIENT 6-11 0.5"))
		task.Unseen[1] = append(task.Unseen[1], parse(t, "PATIENT 0-4 0.5", "CITY 6-14 0.9", "CITY 18-23 0.9"))
	}
	return task
}

// model is a member that can be saved.
type model struct{ data.Tagger }

func (model) Save(string) error { return nil }

// fitted returns an ensemble of members a and b that has learned from training.
func fitted(t *testing.T, a, b answers) (Config, *Tagger) {
	t.Helper()
	c := Config{Method: Learned, Folds: 2, Members: members("a", "b")}
	tagger, err := c.Fit(t.Context(), training(t), model{a}, model{b})
	if err != nil {
		t.Fatal(err)
	}
	return c, tagger.(*Tagger)
}

// The machine keeps what was right in training. Of overlapping spans, the one with the
// higher decision value stays, and what it does not keep are doubts with its own scores.
func TestLearned(t *testing.T) {
	_, tagger := fitted(t, parse(t, "DOCTOR 0-4 0.1", "DOCTOR 12-14 0.9"), parse(t, "DOCTOR 0-4 0.2", "CITY 18-23 0.99"))
	spans, err := tagger.Tag(t.Context(), []*data.Document{{Text: text}})
	if err != nil {
		t.Fatal(err)
	}
	ignoreScore := cmpopts.IgnoreFields(data.Span{}, "Score")
	if diff := cmp.Diff([]data.Span{{Start: 0, End: 4, Type: "DOCTOR"}, {Start: 12, End: 14, Type: "DOCTOR"}}, spans[0], ignoreScore); diff != "" {
		t.Fatalf("-want +got\n%s", diff)
	}
	for _, s := range spans[0] {
		if !(s.Score > 0.5 && s.Score < 1) {
			t.Errorf("score %v", s.Score)
		}
	}
	again, doubts, err := tagger.Probe(t.Context(), []*data.Document{{Text: text}}, 0.01)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(spans, again); diff != "" {
		t.Errorf("probed: -tag +probe\n%s", diff)
	}
	if diff := cmp.Diff([]data.Span{{Start: 18, End: 23, Type: "CITY"}}, doubts[0], ignoreScore); diff != "" {
		t.Fatalf("doubts: -want +got\n%s", diff)
	}
	if d := doubts[0][0]; !(d.Score > 0 && d.Score <= 0.5) {
		t.Errorf("a doubt has the score %v", d.Score)
	}
	if _, doubts, _ = tagger.Probe(t.Context(), []*data.Document{{Text: text}}, 0.5); len(doubts[0]) > 0 {
		t.Errorf("doubts of less than 0.5: %v", doubts)
	}

	kept, rejected := tagger.judge.divide(text, tagger.candidates(found(parse(t, "CITY 0-4 1"), parse(t, "CITY 18-23 1")), 0))
	if len(kept) != 1 || len(rejected) != 1 || !(kept[0].Score > rejected[0].Score) {
		t.Errorf("kept %v, rejected %v", kept, rejected)
	}
	row := tagger.judge.features(text, kept)[0]
	tagger.judge.scale(row)
	if d := tagger.judge.machine.Decision(row); math.Abs(kept[0].Score-1/(1+math.Exp(-d))) > 1e-12 {
		t.Errorf("score %v for the decision value %v", kept[0].Score, d)
	}
	settled := tagger.settle(text, []candidate{{Span: data.Span{Start: 0, End: 11, Score: 0.6}, by: []int{0}}, {Span: data.Span{Start: 6, End: 11, Score: 0.7}, by: []int{1}}})
	if len(settled) != 1 || settled[0].Start != 6 {
		t.Errorf("of overlapping spans: %v", settled)
	}
}

func TestLearnedSaveAndLoad(t *testing.T) {
	a, b := parse(t, "DOCTOR 0-4 0.1", "DOCTOR 12-14 0.9"), parse(t, "DOCTOR 0-4 0.2", "CITY 18-23 0.99")
	c, tagger := fitted(t, a, b)
	dir := filepath.Join(t.TempDir(), "model")
	if err := tagger.Save(dir); err != nil {
		t.Fatal(err)
	}
	load := func() (data.Tagger, error) { return c.Load(dir, data.I2B2, 1, model{a}, model{b}) }
	loaded, err := load()
	if err != nil {
		t.Fatal(err)
	}
	docs := []*data.Document{{Text: text}}
	want, _ := tagger.Tag(t.Context(), docs)
	got, err := loaded.Tag(t.Context(), docs)
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("error %v, -saved +loaded\n%s", err, diff)
	}
	path := filepath.Join(dir, featuresFile)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(string) string{
		"unexpected EOF":           func(s string) string { return s[:len(s)/2] },
		"text after the features":  func(s string) string { return s + "[]" },
		"0 features, but":          func(string) string { return "[]" },
		`feature 6 is not "by a"`:  func(s string) string { return strings.Replace(s, "by a", "by x", 1) },
		"is not finite and at":     func(s string) string { return strings.Replace(s, `"maximum": 1`, `"maximum": 0`, 1) },
		`unknown field "greatest"`: func(s string) string { return strings.Replace(s, `"maximum"`, `"greatest"`, 1) },
	} {
		if err := os.WriteFile(path, []byte(change(string(whole))), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := load(); err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), path) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

// Without right and wrong spans there is nothing to learn.
func TestLearnedNeedsBothClasses(t *testing.T) {
	c := Config{Method: Learned, Folds: 2, Members: members("a")}
	right := parse(t, "PATIENT 0-4 1")
	for want, spans := range map[string]answers{"found 1 and 0 in": right, "found 0 and 1 in": parse(t, "PATIENT 0-11 1"), "found 0 and 0 in": nil} {
		task := taggers.Task{Types: data.I2B2, Train: []*data.Document{{Text: text, Spans: right}}, Unseen: found(spans)}
		if _, err := c.Fit(t.Context(), task, model{right}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

// anything is a node with children.
type anything struct {
	taggers.Node
	children []taggers.Child
}

func (a anything) Children() []taggers.Child { return a.children }

func TestLearnedRefusesTrainedMembers(t *testing.T) {
	trained := taggers.System{"trained": anything{}}
	below := taggers.System{"x": anything{children: []taggers.Child{{System: taggers.System{"y": anything{}}}, {System: trained}}}}
	for _, s := range []taggers.System{trained, below} {
		c := Config{Method: Learned, Folds: 2, Members: []Member{{Name: "a", System: taggers.System{"y": anything{}}}, {Name: "b", System: s}}}
		if err := c.Validate(); err == nil || !strings.HasPrefix(err.Error(), "members[1].system: method learned trains") {
			t.Errorf("error %v", err)
		}
		c.Method = Union
		if err := c.Validate(); err != nil {
			t.Error(err)
		}
	}
}

// The same training gives the same bits.
func TestLearnedIsDeterministic(t *testing.T) {
	_, first := fitted(t, nil, nil)
	_, second := fitted(t, nil, nil)
	if diff := cmp.Diff(first.judge.machine, second.judge.machine); diff != "" || !slices.Equal(first.judge.most, second.judge.most) {
		t.Error(diff)
	}
}

var _ taggers.Stacked = Config{}

func TestACancelledTrainingEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	c := Config{Method: Learned, Folds: 2, Members: members("a", "b")}
	if _, err := c.Fit(ctx, training(t), model{answers{}}, model{answers{}}); err != context.Canceled {
		t.Errorf("error %v", err)
	}
}
