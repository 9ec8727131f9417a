package system

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/synth"
	"github.com/lethe-deid/lethe/evaluation"
	"github.com/lethe-deid/lethe/internal/strictyaml"
	"github.com/lethe-deid/lethe/taggers"
	"github.com/lethe-deid/lethe/taggers/crf"
)

// decode reads a configuration as an experiment does.
func decode(t testing.TB, text string) taggers.System {
	t.Helper()
	s := taggers.System{}
	if err := strictyaml.Decode("x.yaml", []byte(text), &s); err != nil {
		t.Fatal(err)
	}
	return s
}

func typeSet(t testing.TB) *data.TypeSet {
	t.Helper()
	types, err := data.LookupTypeSet(synth.TypeSet)
	if err != nil {
		t.Fatal(err)
	}
	return types
}

func notes(t testing.TB, n int, split synth.Split) []*data.Document {
	t.Helper()
	docs, err := data.Collect(synth.Notes(n, 1, split))
	if err != nil {
		t.Fatal(err)
	}
	return docs
}

// network and features are leaves that train in a moment.
const (
	network = `{ann: {tokenizer: letters-digits, sentences: line, network: {character_embedding: 4, character_lstm: 4, token_embedding: 8, token_lstm: 8, hidden: 8},
  optimizer: {method: adam, learning_rate: 0.02}, training: {batch: 4, epochs: 3}}}`
	features = `{crf: {features: [{family: word, window: 1}, {family: shape}], training: {iterations: 10}}}`
)

// tree has a node of each kind except cued, hf, predicted, trained and trees.
const tree = `
ensemble:
  method: priority
  priority: [DOCTOR, PATIENT]
  members:
  - name: features
    types: [PATIENT, DOCTOR, CITY]
    system:
      second_pass:
        types: [PATIENT]
        system:
          corrected:
            rules: {set: english}
            system: ` + features + `
  - {name: network, min_score: 0.25, system: ` + network + `}
  - {name: rules, system: {rules: {set: english, only: [DATE, PHONE]}}}
  - name: lists
    system: {gazetteer: {lists: [{builtin: en-states, type: STATE, capital: true}]}}
`

func TestTree(t *testing.T) {
	want := `ensemble: priority, DOCTOR > PATIENT
├─ features (PATIENT, DOCTOR, CITY): second_pass: by patient
│  └─ corrected: by rules english
│     └─ crf: word, shape, BIO labels, by lbfgs
├─ network (score from 0.25): ann: characters, tokens, CRF, up to 3 epochs
├─ rules: rules: english
└─ lists: gazetteer: en-states
`
	c := decode(t, tree)
	if diff := cmp.Diff(want, c.Tree()); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if err := c.Validate(typeSet(t)); err != nil {
		t.Error(err)
	}
	if err := c.Check(typeSet(t), 1); err != nil {
		t.Error(err)
	}
}

func TestValidate(t *testing.T) {
	leaf := "{rules: {set: english}}"
	for config, want := range map[string]string{
		"{}": "system: must have exactly one key (ann, corrected, crf, cued, ensemble, gazetteer, hf, predicted, rules, second_pass, trained, trees)",
		"{rules: {set: english}, crf: {preset: meddocan}}": "system: must have exactly one key (",
		"{ann: {scheme: x}}":                    "system.ann.scheme: ",
		"{crf: {preset: x}}":                    "system.crf.preset: no preset ",
		"{crf: {preset: meddocan, types: [X]}}": "system.crf.types: X is not a type of i2b2-2014",
		"{crf: {features: [{family: word}], per_type: true, subsets: {X: [word]}}}": "system.crf.subsets: X is not a type of i2b2-2014",
		"{rules: {}}":     "system.rules.set or file: exactly one of the two is required",
		"{gazetteer: {}}": "system.gazetteer.lists: at least one is required",
		"{trained: {}}":   "system.trained.model: is required",
		"{trained: {model: m, types: {ORG: FIRM}}}":                "system.trained.types: FIRM is not a type of i2b2-2014",
		"{cued: {system: " + leaf + "}}":                           "system.cued.lists: at least one is required",
		"{cued: {lists: [{builtin: en-organization-cues}]}}":       "system.cued.system: must have exactly one key (",
		"{crf: {preset: meddocan, per_type: true, priority: [X]}}": "system.crf.priority: X is not a type of i2b2-2014",
		"{ensemble: {}}": "system.ensemble.members: at least one is required",
		"{ensemble: {method: vote, votes: 2, members: [{name: a, system: " + leaf + "}]}}":          "system.ensemble.votes: 2 is not in [1, 1]",
		"{ensemble: {method: priority, priority: [X], members: [{name: a, system: " + leaf + "}]}}": "system.ensemble.priority: X is not a type of i2b2-2014",
		"{ensemble: {members: [{system: " + leaf + "}]}}":                                           "system.ensemble.members[0].name: must be 1 to 100 letters",
		"{ensemble: {members: [{name: ../a, system: " + leaf + "}]}}":                               "system.ensemble.members[0].name: must be 1 to 100 letters",
		"{ensemble: {members: [{name: a, system: " + leaf + "}, {name: a, system: " + leaf + "}]}}": "system.ensemble.members[1].name: duplicate a",
		"{ensemble: {members: [{name: a, min_score: 2, system: " + leaf + "}]}}":                    "system.ensemble.members[0].min_score: 2 is not in [0, 1]",
		"{ensemble: {members: [{name: a, types: [X], system: " + leaf + "}]}}":                      "system.ensemble.members[0].types: X is not a type of i2b2-2014",
		"{ensemble: {members: [{name: a}]}}":                                                        "system.ensemble.members[0].system: must have exactly one key (",
		"{second_pass: {by: ward, system: " + leaf + "}}":                                           `system.second_pass.by: "ward" is not document or patient`,
		"{second_pass: {types: [X], system: " + leaf + "}}":                                         "system.second_pass.types: X is not a type of i2b2-2014",
		"{second_pass: {parts: [X], system: " + leaf + "}}":                                         "system.second_pass.parts: X is not a type of i2b2-2014",
		"{second_pass: {system: {second_pass: {system: {crf: {}}}}}}":                               "system.second_pass.system.second_pass.system.crf.features: at least one family or a preset is required",
		"{corrected: {system: " + leaf + "}}":                                                       "system.corrected.rules.set or file: exactly one of the two is required",
		"{corrected: {rules: {set: english}}}":                                                      "system.corrected.system: must have exactly one key (",
	} {
		if err := decode(t, config).Validate(typeSet(t)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: error\n%v\nwant\n%s", config, err, want)
		}
	}
}

// Broken files of nodes that do not learn are reported before anything is trained, by
// key, file and line.
func TestCheck(t *testing.T) {
	dir := t.TempDir()
	file := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const rule = "types: i2b2-2014\nrules:\n- {name: id, type: IDNUM, find: '%s', match: ['a «%s»'], not: ['b']}\n"
	for config, want := range map[string]string{
		"{rules: {file: " + file("a.yaml", fmt.Sprintf(rule, "[0-9", "1")) + "}}":                                               "a.yaml:3",
		"{rules: {file: " + file("b.yaml", fmt.Sprintf(rule, "[0-9]+", "x")) + "}}":                                             "b.yaml:3",
		"{gazetteer: {lists: [{file: " + file("c.csv", "name,n\nSalem,1\nBoston\n") + ", column: name, type: CITY}]}}":          "c.csv:3",
		"{crf: {features: [{family: pos}], resources: {pos: " + file("d.pos", "x") + "}}}":                                      "d.pos",
		"{corrected: {rules: {file: " + file("e.yaml", "types: i2b2-2014\nrules: [\n") + "}, system: {rules: {set: english}}}}": "e.yaml",
		"{trained: {model: " + dir + "}}": "weights.safetensors",
		"{rules: {set: anonym}}":          "is not a type of i2b2-2014",
		"{ann: {network: {token_embedding: 2}, vectors: {file: " + file("f.txt", "a 1 2\nb 1\n") + "}}}": "f.txt:2",
	} {
		inner := decode(t, config)
		whole := decode(t, "{ensemble: {members: [{name: first, system: "+features+"}, {name: x, system: "+config+"}]}}")
		kind, _ := inner.Root()
		key := "system.ensemble.members[1].system." + kind
		err := whole.Check(typeSet(t), 1)
		if err == nil || !strings.HasPrefix(err.Error(), key+": ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%s:\nerror %v\nwant %s: ... %s", config, err, key, want)
			continue
		}
		epochs := 0
		job := task(t, "")
		job.Report.Epoch = func(taggers.Epoch) { epochs++ }
		if _, fitted := Fit(t.Context(), whole, job); fitted == nil || fitted.Error() != err.Error() || epochs > 0 {
			t.Errorf("%s: trained for %d iterations before error %v", config, epochs, fitted)
		}
	}
}

func task(t testing.TB, dir string) taggers.Task {
	t.Helper()
	return taggers.Task{Name: "x", Types: typeSet(t), Train: notes(t, 10, synth.Train), Dev: notes(t, 3, synth.Dev), Seed: 1, Workers: 2, Dir: dir}
}

func tag(t testing.TB, tagger data.Tagger, docs []*data.Document) [][]data.Span {
	t.Helper()
	found, err := tagger.Tag(t.Context(), docs)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// A tree is trained, and its model folder has a folder for each node, as
// docs/systems.md says. The model loaded from it, and the one from a copy that it
// saved, find the same.
func TestTrainAndLoadATree(t *testing.T) {
	dir := t.TempDir()
	job := task(t, dir)
	told := map[string]int{}
	job.Report.Epoch = func(e taggers.Epoch) { told[e.Member]++ }
	tagger, err := Fit(t.Context(), decode(t, tree), job)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]int{"features/first/corrected": 10, "network": 3}, told); diff != "" {
		t.Errorf("epochs by member: -want +got\n%s", diff)
	}
	var files []string
	if err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if !entry.IsDir() {
			path, _ := filepath.Rel(dir, path)
			files = append(files, filepath.ToSlash(path))
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	crf := "best/members/features/members/first/members/corrected/"
	want := []string{
		"best/README.md", "best/system.yaml",
		"best/members/features/system.yaml", "best/members/features/members/first/system.yaml",
		"best/members/features/members/first/corrections/config.yaml", "best/members/features/members/first/corrections/rules.yaml",
		crf + "config.yaml", crf + "crf.bin", crf + "system.yaml",
		"best/members/lists/gazetteer.yaml", "best/members/lists/list001.txt.gz", "best/members/lists/system.yaml",
		"best/members/network/README.md", "best/members/network/config.yaml", "best/members/network/labels.json",
		"best/members/network/tokenizer.json", "best/members/network/weights.safetensors",
		"best/members/rules/config.yaml", "best/members/rules/rules.yaml", "best/members/rules/system.yaml",
	}
	slices.Sort(files)
	slices.Sort(want)
	if diff := cmp.Diff(want, files); diff != "" {
		t.Errorf("files: -want +got\n%s", diff)
	}

	docs := notes(t, 6, synth.Train)
	found := tag(t, tagger, docs)
	var gold [][]data.Span
	for _, d := range docs {
		gold = append(gold, d.Spans)
	}
	if score := evaluation.Strict(gold, found); score.F1() < 0.3 {
		t.Errorf("F1 %.3f on notes of the training", score.F1())
	}
	loaded, types, err := Load(filepath.Join(dir, "best"), 1)
	if err != nil || types.Name != synth.TypeSet {
		t.Fatalf("types %v, error %v", types, err)
	}
	if diff := cmp.Diff(found, tag(t, loaded, docs)); diff != "" {
		t.Errorf("loaded: -want +got\n%s", diff)
	}
	again := filepath.Join(t.TempDir(), "again")
	if err := loaded.Save(again); err != nil {
		t.Fatal(err)
	}
	copied, _, err := Load(again, 1)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(found, tag(t, copied, docs)); diff != "" {
		t.Errorf("copied: -want +got\n%s", diff)
	}
	var names []string
	for name := range Leaves(loaded) {
		names = append(names, name)
	}
	if !slices.Equal(names, []string{"features/first/corrected", "network", "rules", "lists"}) {
		t.Errorf("leaves %q", names)
	}

	// In another system, it does not depend on its own training folder.
	trained := decode(t, "{second_pass: {system: {trained: {model: "+again+"}}}}")
	tagger, err = Fit(t.Context(), trained, task(t, filepath.Join(dir, "trained")))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(again); err != nil {
		t.Fatal(err)
	}
	loaded, _, err = Load(filepath.Join(dir, "trained", "best"), 1)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(tag(t, tagger, docs), tag(t, loaded, docs)); diff != "" {
		t.Errorf("trained: -want +got\n%s", diff)
	}
	for name := range Leaves(loaded) {
		if !slices.Contains(names, strings.TrimPrefix(name, "first/")) {
			t.Errorf("trained: leaf %s", name)
		}
	}

	checkTranslated(t, filepath.Join(dir, "trained", "best"), docs)

	// An incomplete model is an error, never a model that finds less.
	for _, file := range []string{"system.yaml", "members/network/weights.safetensors", crf[len("best/"):] + "crf.bin",
		"members/rules/rules.yaml", "members/lists/list001.txt.gz", "members/rules/system.yaml"} {
		path := filepath.Join(dir, "best", file)
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, raw[:len(raw)/2], 0o666); err != nil {
			t.Fatal(err)
		}
		if _, _, err := Load(filepath.Join(dir, "best"), 1); err == nil || !strings.Contains(err.Error(), filepath.Base(file)) {
			t.Errorf("half of %s: error %v", file, err)
		}
		if err := os.WriteFile(path, raw, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// A training that is interrupted while members are trained, and then resumed, loads the
// finished members, continues the others, reports all earlier epochs again, and ends as it
// would have without the interruption.
func TestResume(t *testing.T) {
	config := decode(t, `{ensemble: {members: [{name: a, system: `+features+`}, {name: b, system: `+network+`}, {name: c, system: `+features+`}]}}`)
	type step struct {
		Member  string
		Epoch   int
		Resumed bool
	}
	run := func(ctx context.Context, dir string, resume bool, stop func(e taggers.Epoch) bool) ([]step, data.Tagger, error) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		job := task(t, dir)
		job.Resume = resume
		var steps []step
		job.Report.Epoch = func(e taggers.Epoch) {
			steps = append(steps, step{e.Member, e.Epoch, e.Resumed})
			if stop(e) {
				cancel()
			}
		}
		tagger, err := Fit(ctx, config, job)
		return steps, tagger, err
	}
	never := func(taggers.Epoch) bool { return false }
	whole, uninterrupted, err := run(t.Context(), t.TempDir(), false, never)
	if err != nil {
		t.Fatal(err)
	}
	if len(whole) != 10+3+10 {
		t.Fatalf("%d steps", len(whole))
	}

	dir := t.TempDir()
	broken, _, err := run(t.Context(), dir, false, func(e taggers.Epoch) bool { return e.Member == "b" && e.Epoch == 2 })
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("cut off: error %v", err)
	}
	if n, err := StateWorkers(dir); n != 1 || err != nil { // the network's part of two
		t.Errorf("%d workers, error %v", n, err)
	}
	steps, tagger, err := run(t.Context(), dir, true, never)
	if err != nil {
		t.Fatal(err)
	}
	// Members are trained side by side, so only the order of each one's epochs is certain. CRFs are
	// saved when they are complete, networks after each epoch.
	of := func(steps []step, member string) []step {
		return slices.DeleteFunc(slices.Clone(steps), func(s step) bool { return s.Member != member })
	}
	for _, member := range []string{"a", "b", "c"} {
		want := of(whole, member)
		if len(want) == 0 {
			t.Fatalf("no steps of %s", member)
		}
		before := len(of(broken, member))
		if got := of(steps, member); member != "b" && (before < len(want) || !got[0].Resumed) {
			before = 0
		}
		for i := range want {
			want[i].Resumed = i < before
		}
		if diff := cmp.Diff(want, of(steps, member)); diff != "" {
			t.Errorf("steps of %s: -want +got\n%s", member, diff)
		}
	}
	docs := notes(t, 4, synth.Test)
	if diff := cmp.Diff(tag(t, uninterrupted, docs), tag(t, tagger, docs)); diff != "" || len(steps) != len(whole) {
		t.Errorf("%d steps; resumed: -want +got\n%s", len(steps), diff)
	}
	if _, err := os.Stat(filepath.Join(dir, "members")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("what is in best is still beside it: %v", err)
	}
	if n, err := StateWorkers(dir); n != 0 || err != nil {
		t.Errorf("at the end: %d workers, error %v", n, err)
	}
	// Resumed once more, it trains nothing.
	if steps, tagger, err = run(t.Context(), dir, true, never); err != nil || len(steps) != 0 {
		t.Errorf("%d steps, error %v", len(steps), err)
	}
	if diff := cmp.Diff(tag(t, uninterrupted, docs), tag(t, tagger, docs)); diff != "" {
		t.Errorf("resumed once more: -want +got\n%s", diff)
	}
}

// waiting is a leaf whose training ends once the trainings of all its siblings have begun.
type waiting struct {
	settings
	begun *sync.WaitGroup
	parts chan int // of the workers
	fail  error
}

func (w waiting) Fit(ctx context.Context, task taggers.Task, _ ...taggers.Model) (data.Tagger, error) {
	w.parts <- task.Workers
	w.begun.Done()
	w.begun.Wait()
	if w.fail != nil {
		return nil, w.fail
	}
	task.Report.Step(1, 1, 1)
	task.Report.Epoch(taggers.Epoch{Epoch: 1})
	return remembers{}, ctx.Err()
}

// still is a leaf that does not learn.
type still struct{ waiting }

func (still) Fixed() {}

func (s still) Fit(_ context.Context, task taggers.Task, _ ...taggers.Model) (data.Tagger, error) {
	s.parts <- task.Workers
	return remembers{}, nil
}

// Members that learn are trained side by side, and divide the workers among themselves.
func TestSideBySide(t *testing.T) {
	for name, c := range map[string]struct {
		learn, still, workers, part, atOnce int
	}{
		"two of four":               {2, 0, 4, 2, 2},
		"three of four":             {3, 0, 4, 1, 3},
		"rules need no workers":     {1, 2, 4, 4, 1},
		"more members than workers": {5, 1, 2, 1, 1},
		"nothing learns":            {0, 2, 4, 4, 0},
	} {
		t.Run(name, func(t *testing.T) {
			parts := make(chan int, c.learn+c.still)
			var begun []*sync.WaitGroup
			s := stack{task: &taggers.Task{}}
			for i := range c.learn {
				if i%max(1, c.atOnce) == 0 {
					begun = append(begun, &sync.WaitGroup{})
				}
				begun[len(begun)-1].Add(1)
				s.children = append(s.children, taggers.Child{Name: fmt.Sprint("m", i), System: taggers.System{"x": waiting{begun: begun[len(begun)-1], parts: parts}}})
			}
			for i := range c.still {
				s.children = append(s.children, taggers.Child{Name: fmt.Sprint("s", i), System: taggers.System{"x": still{waiting{parts: parts}}}})
			}
			told := 0 // without a lock: reports are never simultaneous
			job := taggers.Task{Name: "x", Types: typeSet(t), Workers: c.workers, Report: taggers.Report{
				Step: func(int, int, int) { told++ }, Epoch: func(taggers.Epoch) { told++ },
			}}
			if _, err := Fit(t.Context(), taggers.System{"stack": s}, job); err != nil {
				t.Fatal(err)
			}
			close(parts)
			for n := range parts {
				if n != c.part {
					t.Errorf("a member has %d workers, want %d", n, c.part)
				}
			}
			if told != 2*c.learn {
				t.Errorf("%d reports, want %d", told, 2*c.learn)
			}
		})
	}
}

// If a member fails, the trainings of the others are stopped, and the error is that of the
// member rather than that it was stopped.
func TestAMemberFails(t *testing.T) {
	var begun sync.WaitGroup
	begun.Add(2)
	parts := make(chan int, 3)
	bad := errors.New("it does not converge")
	s := stack{task: &taggers.Task{}, children: []taggers.Child{
		{Name: "a", System: taggers.System{"x": stopped{waiting{begun: &begun, parts: parts}}}},
		{Name: "b", System: taggers.System{"x": waiting{begun: &begun, parts: parts, fail: bad}}},
		{Name: "c", System: taggers.System{"x": waiting{begun: &begun, parts: parts}}},
	}}
	_, err := Fit(t.Context(), taggers.System{"stack": s}, taggers.Task{Name: "x", Types: typeSet(t), Workers: 2})
	if !errors.Is(err, bad) || err.Error() != "b: it does not converge" {
		t.Errorf("error %v", err)
	}
	if len(parts) != 2 {
		t.Errorf("%d trainings began, want 2", len(parts))
	}
}

// stopped is a leaf whose training ends only when it is stopped.
type stopped struct{ waiting }

func (s stopped) Fit(ctx context.Context, task taggers.Task, _ ...taggers.Model) (data.Tagger, error) {
	s.parts <- task.Workers
	s.begun.Done()
	<-ctx.Done()
	return nil, ctx.Err()
}

// Two members with the same configuration differ, since the seed of each follows from
// its name. The same names give the same members.
func TestSeedsOfMembers(t *testing.T) {
	fit := func(a, b string) (first, second *crf.Tagger) {
		c := decode(t, `{ensemble: {members: [{name: `+a+`, system: {crf: {features: [{family: word}], training: {method: sgd, iterations: 2}}}},
  {name: `+b+`, system: {crf: {features: [{family: word}], training: {method: sgd, iterations: 2}}}}]}}`)
		tagger, err := Fit(t.Context(), c, task(t, ""))
		if err != nil {
			t.Fatal(err)
		}
		var all []*crf.Tagger
		for _, leaf := range Leaves(tagger) {
			all = append(all, leaf.(*crf.Tagger))
		}
		return all[0], all[1]
	}
	a, b := fit("a", "b")
	again, _ := fit("a", "c")
	dump := func(c *crf.Tagger) string { return fmt.Sprintf("%+v", c.Dump(0, true)[0].Labels[0].Transitions) }
	if dump(a) == dump(b) || dump(a) != dump(again) {
		t.Error("the seed does not follow from the name alone")
	}
}

func TestIsModel(t *testing.T) {
	dir := t.TempDir()
	if IsModel(dir) || IsModel(filepath.Join(dir, "none")) {
		t.Error("an empty folder is a model")
	}
	if _, _, err := Load(dir, 1); err == nil {
		t.Error("an empty folder is loaded")
	}
}

// checkTranslated maps types of a model to those of another type set. Spans of the
// other types are left out, and the new model depends on no other file.
func checkTranslated(t *testing.T, model string, docs []*data.Document) {
	t.Helper()
	news := task(t, filepath.Join(t.TempDir(), "news"))
	news.Types = data.CoNLL
	c := decode(t, "{cued: {lists: [{builtin: en-kinship}], sentences: blank-line, system: {trained: {model: "+model+", types: {PATIENT: PER, DOCTOR: PER}}}}}")
	fitted, err := Fit(t.Context(), c, news)
	if err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(t.TempDir(), "copied")
	if err := fitted.(*node).Save(copied); err != nil {
		t.Fatal(err)
	}
	loaded, types, err := Load(copied, 1)
	if err != nil {
		t.Fatal(err)
	}
	found := tag(t, loaded, docs)
	if diff := cmp.Diff(tag(t, fitted, docs), found); diff != "" || types != data.CoNLL {
		t.Errorf("types %s: -want +got\n%s", types.Name, diff)
	}
	names := 0
	for i, d := range docs {
		for _, s := range found[i] {
			if s.Type != "PER" {
				t.Errorf("%s: type %s", d.ID, s.Type)
			}
			names++
		}
	}
	if names == 0 {
		t.Error("no person in a sentence with a relative")
	}
	if !TellsDoubts(loaded) {
		t.Error("the doubts of the model are lost")
	}
	for name, leaf := range Leaves(loaded) {
		if _, ok := leaf.(translated); ok {
			t.Errorf("leaf %s is not the model itself", name)
		}
	}
	c = decode(t, "{trained: {model: "+model+", types: {FIRM: ORG}}}")
	want := "types: FIRM is not a type of i2b2-2014, the type set of " + model
	if err := c.Check(data.CoNLL, 1); err == nil || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("error %v, want %s", err, want)
	}
}
