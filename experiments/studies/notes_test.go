package studies

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lethe-deid/lethe/experiments"
)

// counted returns the lines of JSONL notes with numbers from one number to before another.
func counted(from, to int) (lines []string) {
	for i := from; i < to; i++ {
		text := fmt.Sprintf("Seen by Dr. Vega in room %d.", i)
		if i%3 == 0 {
			text = fmt.Sprintf("Spoke to Dr. Lima in room %d.", i)
		}
		at := strings.Index(text, "Dr. ") + 4
		lines = append(lines, fmt.Sprintf(`{"id":"n%02d","patient":"%d","text":%q,"spans":[{"start":%d,"end":%d,"type":"DOCTOR"}]}`, i, i/2, text, at, at+4))
	}
	return lines
}

func store(t *testing.T, path string, lines []string) string {
	t.Helper()
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// counting is an experiment with notes in train.jsonl, dev.jsonl and test.jsonl of a folder.
func counting(t *testing.T, dir string, settings ...string) *experiments.Config {
	t.Helper()
	store(t, filepath.Join(dir, "train.jsonl"), counted(0, 24))
	store(t, filepath.Join(dir, "dev.jsonl"), counted(30, 36))
	store(t, filepath.Join(dir, "test.jsonl"), counted(40, 46))
	text := "name: counting\ncorpus:\n  format: jsonl\n  types: i2b2-2014\n  splits:\n"
	for _, split := range []string{"train", "dev", "test"} {
		text += fmt.Sprintf("    %s: %s\n", split, filepath.Join(dir, split+".jsonl"))
	}
	return load(t, text+"system: {crf: {features: [{family: word}, {family: shape}], training: {iterations: 5}}}\n", settings...)
}

// trainedOn trains an experiment and returns its run.
func trainedOn(t *testing.T, c *experiments.Config, dir string) *experiments.Run {
	t.Helper()
	if _, err := experiments.Train(t.Context(), c, experiments.TrainOptions{Dir: dir, Workers: 1}); err != nil {
		t.Fatal(err)
	}
	run, err := experiments.OpenRun(dir)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// Studies that were resumed after the notes to train on had changed printed figures of other folds, of other numbers of annotations, or of seeds
// that were trained on different notes, without a word.
func TestStudyWasResumedWithOtherNotes(t *testing.T) {
	notes := t.TempDir()
	c := counting(t, notes)
	ablated := counting(t, notes)
	ablated.Ablations = []experiments.Ablation{{Name: "less", Set: []string{"system.crf.training.iterations=2"}}}
	three, err := ParseSize("12")
	if err != nil {
		t.Fatal(err)
	}
	for name, study := range map[string]func(Options) error{
		"crossval": func(opt Options) error {
			_, err := CrossValidate(t.Context(), c, 3, "patient", opt)
			return err
		},
		"curve": func(opt Options) error {
			_, err := Curve(t.Context(), c, CurveOptions{By: "patient", Sizes: []Size{three}}, opt)
			return err
		},
		"ablate": func(opt Options) error {
			_, err := Ablate(t.Context(), ablated, opt)
			return err
		},
		"compare": func(opt Options) error {
			if opt.Resume {
				opt.Seeds = []uint64{1, 2}
			}
			_, err := Compare(t.Context(), NewSystems([]string{"a.yaml"}, []*experiments.Config{c}, nil), opt)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(notes, "train.jsonl")
			lines := counted(0, 24)
			store(t, path, lines)
			opt := Options{Dir: filepath.Join(t.TempDir(), "study"), Workers: 1, Metrics: []string{"strict"}, Shuffles: 20}
			if err := study(opt); err != nil {
				t.Fatal(err)
			}
			opt.Resume = true
			table := read(t, opt.Dir, "table.txt")
			reversed := slices.Clone(lines)
			slices.Reverse(reversed)
			for what, changed := range map[string][]string{"in another order": reversed, "and others": counted(0, 28)} {
				store(t, path, changed)
				if err := study(opt); err == nil || !strings.Contains(err.Error(), "the notes given as train have changed since the training of this run, or their order has: ") {
					t.Errorf("the notes %s: error %v", what, err)
				}
			}
			if now := read(t, opt.Dir, "table.txt"); now != table {
				t.Errorf("the table was replaced with\n%s", now)
			}
			store(t, path, lines)
			if err := study(opt); err != nil {
				t.Errorf("the same notes: %v", err)
			}
		})
	}
}

// A resumed study with complete runs does not need the notes that these were trained on.
func TestStudyWithoutItsTrainingNotes(t *testing.T) {
	notes := t.TempDir()
	c := counting(t, notes)
	opt := Options{Dir: filepath.Join(t.TempDir(), "study"), Workers: 1, Metrics: []string{"strict"}, Shuffles: 20, Seeds: []uint64{1, 2}}
	compare := func() error {
		_, err := Compare(t.Context(), NewSystems([]string{"a.yaml"}, []*experiments.Config{c}, nil), opt)
		return err
	}
	if err := compare(); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(notes, "train.jsonl")); err != nil {
		t.Fatal(err)
	}
	opt.Resume = true
	if err := compare(); err != nil {
		t.Error(err)
	}
}
