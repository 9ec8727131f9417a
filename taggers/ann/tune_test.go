package ann

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/lethe-deid/lethe/checkpoints"
	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/synth"
	"github.com/lethe-deid/lethe/evaluation"
	"github.com/lethe-deid/lethe/internal/bounded"
	"github.com/lethe-deid/lethe/taggers"
	"github.com/lethe-deid/lethe/taggers/crf/feature"
)

// tune tunes a model folder, and returns the new folder.
func tune(t *testing.T, from string, how Tuning, task taggers.Task) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "new")
	if err := Tune(context.Background(), from, to, how, task); err != nil {
		t.Fatal(err)
	}
	return to
}

// texts is a task with notes about people and a ward, which is no PHI to begin with.
func texts(typ map[string]string) taggers.Task {
	return line(data.I2B2, typ, "ZORA came to Salem", "from Salem with ZORA", "ZORA saw KARL", "KARL was in Salem")
}

func TestTuneLearnsANewTypeAndKeepsTheOthers(t *testing.T) {
	cfg := small()
	cfg.Training.Epochs, cfg.Training.Patience = 30, 0
	old := texts(map[string]string{"ZORA": "PATIENT", "KARL": "DOCTOR"})
	dir, _, model := startFrom(t, cfg, old)
	task := texts(map[string]string{"ZORA": "PATIENT", "KARL": "DOCTOR", "Salem": "CITY"})
	task.Train = append(task.Train, &data.Document{ID: "x", Text: "Unseenword 1 Unseenword"})
	to := tune(t, dir, Tuning{Epochs: 30, Rate: 1}, task)
	tagger, err := Load(to, 1)
	if err != nil {
		t.Fatal(err)
	}
	found, err := tagger.Tag(context.Background(), task.Train)
	if err != nil {
		t.Fatal(err)
	}
	var gold [][]data.Span
	for _, d := range task.Train {
		gold = append(gold, d.Spans)
	}
	if f1 := evaluation.Strict(gold, found).F1(); f1 != 1 {
		t.Errorf("F1 %v on notes that it was trained on", f1)
	}
	_, _, tuned := open(t, to)
	if !slices.Equal(tuned.Tokens, model.Tokens) || !slices.Equal(tuned.Characters, model.Characters) {
		t.Error("the vocabulary has changed")
	}
	if !slices.Contains(tuned.Labels, "S-CITY") || len(tuned.Labels) != len(model.Labels)+4 {
		t.Errorf("labels %q", tuned.Labels)
	}
	if string(tuned.Config) != string(model.Config) {
		t.Errorf("the settings have changed: %s", tuned.Config)
	}
}

// TestTuneStartsFromTheWeights checks that hardly any training changes hardly anything, also with features and with labels that
// are new.
func TestTuneStartsFromTheWeights(t *testing.T) {
	cfg := once()
	cfg.Features.Families = []feature.Spec{{Family: "shape"}, {Family: "line"}}
	dir, before, _ := startFrom(t, cfg, texts(map[string]string{"ZORA": "PATIENT"}))
	to := tune(t, dir, Tuning{Epochs: 1, Rate: 1e-12}, texts(map[string]string{"ZORA": "PATIENT", "Salem": "CITY"}))
	_, after, model := open(t, to)
	for _, name := range slices.Sorted(maps.Keys(before)) {
		a, b := before[name], after[name]
		switch name {
		case "crf.transitions":
			continue
		case "logits.W", "logits.b":
			b = columns(b, match([]string{"O", "B-PATIENT", "I-PATIENT", "E-PATIENT", "S-PATIENT"}, model.Labels))
			a = columns(a, match([]string{"O", "B-PATIENT", "I-PATIENT", "E-PATIENT", "S-PATIENT"}, labelsOf(t, dir)))
		}
		if len(a.Data) != len(b.Data) {
			t.Errorf("%s: %v became %v", name, a.Shape, b.Shape)
			continue
		}
		for i := range a.Data {
			if d := a.Data[i] - b.Data[i]; d > 1e-6 || d < -1e-6 {
				t.Errorf("%s[%d]: %v became %v", name, i, a.Data[i], b.Data[i])
				break
			}
		}
	}
	for _, name := range []string{checkpoints.FeaturesFile, "tokenizer.json"} {
		was, err := os.ReadFile(filepath.Join(dir, name))
		is, err2 := os.ReadFile(filepath.Join(to, name))
		if err != nil || err2 != nil || string(was) != string(is) {
			t.Errorf("%s has changed: %v, %v", name, err, err2)
		}
	}
}

func labelsOf(t *testing.T, dir string) []string {
	_, _, model := open(t, dir)
	return model.Labels
}

// columns returns some columns of a tensor.
func columns(x checkpoints.Tensor, at []int) checkpoints.Tensor {
	out := checkpoints.Tensor{Shape: []int{x.Shape[0], len(at)}}
	for r := range x.Shape[0] {
		for _, c := range at {
			out.Data = append(out.Data, x.Data[r*x.Shape[1]+c])
		}
	}
	return out
}

func TestTuneIsTheSameForTheSameSeed(t *testing.T) {
	dir, _, _ := startFrom(t, once(), texts(map[string]string{"ZORA": "PATIENT"}))
	task := texts(map[string]string{"ZORA": "PATIENT", "KARL": "DOCTOR"})
	task.Copies = func(epoch int) ([]*data.Document, error) { return task.Train[:epoch], nil }
	var weights [3]string
	for i, seed := range []uint64{1, 1, 2} {
		task.Seed = seed
		raw, err := os.ReadFile(filepath.Join(tune(t, dir, Tuning{Epochs: 2, Rate: 1}, task), checkpoints.WeightsFile))
		if err != nil {
			t.Fatal(err)
		}
		weights[i] = string(raw)
	}
	if weights[0] != weights[1] || weights[0] == weights[2] {
		t.Error("the seed does not decide the weights")
	}
}

// TestCopiesWithOtherTypesAreLeftOut: their spans would have been taken for text that is no PHI.
func TestCopiesWithOtherTypesAreLeftOut(t *testing.T) {
	dir, _, _ := startFrom(t, once(), texts(map[string]string{"ZORA": "PATIENT"}))
	old, err := Load(dir, 1)
	if err != nil {
		t.Fatal(err)
	}
	task := texts(map[string]string{"ZORA": "PATIENT"})
	cities := texts(map[string]string{"Salem": "CITY"}).Train // three of the four notes have one
	task.Copies = func(int) ([]*data.Document, error) { return cities, nil }
	c, err := newTuning(context.Background(), old, Tuning{1, 1}, task)
	if err != nil {
		t.Fatal(err)
	}
	defer c.trainer.Close()
	if err := c.renew(context.Background(), 1); err != nil || len(c.copies) != 1 || len(c.sentences) != c.notes+1 {
		t.Errorf("%d copies, %d sentences of %d notes, %v", len(c.copies), len(c.sentences), c.notes, err)
	}
}

func TestTuneRefuses(t *testing.T) {
	dir, _, _ := startFrom(t, once(), texts(map[string]string{"ZORA": "PATIENT"}))
	task := texts(nil)
	for name, c := range map[string]struct {
		dir  string
		how  Tuning
		task taggers.Task
	}{
		"no epochs":     {dir, Tuning{0, 1}, task},
		"no rate":       {dir, Tuning{1, 0}, task},
		"no notes":      {dir, Tuning{1, 1}, taggers.Task{Types: data.I2B2}},
		"no tokens":     {dir, Tuning{1, 1}, taggers.Task{Types: data.I2B2, Train: []*data.Document{{}}}},
		"another types": {dir, Tuning{1, 1}, taggers.Task{Types: data.Any, Train: task.Train}},
		"no model":      {t.TempDir(), Tuning{1, 1}, task},
	} {
		to := filepath.Join(t.TempDir(), "new")
		if err := Tune(context.Background(), c.dir, to, c.how, c.task); err == nil {
			t.Errorf("%s: no error", name)
		} else if bounded.Exists(to) {
			t.Errorf("%s: the folder was created", name)
		}
	}
}

// A clean network that is trained further on the notes of one patient keeps the vectors of all tokens but the unknown one; another network does not.
func TestTuneOfACleanNetwork(t *testing.T) {
	for _, least := range []int{0, 2} {
		c := small()
		c.Vocabulary.MinPatients, c.Training.Epochs = least, 1
		dir := t.TempDir()
		old := fit(t, c, taggers.Task{})
		if err := old.Save(filepath.Join(dir, "old")); err != nil {
			t.Fatal(err)
		}
		docs := notes(t, 3, synth.Test)
		for _, d := range docs {
			d.Patient = "p"
		}
		task := taggers.Task{Types: types(t), Train: docs, Seed: 1, Workers: 2}
		if err := Tune(t.Context(), filepath.Join(dir, "old"), filepath.Join(dir, "new"), Tuning{Epochs: 1, Rate: 1}, task); err != nil {
			t.Fatal(err)
		}
		tuned, err := Load(filepath.Join(dir, "new"), 1)
		if err != nil {
			t.Fatal(err)
		}
		was, _ := old.Embeddings()
		is, _ := tuned.Embeddings()
		if same := slices.Equal(was.Vectors[was.Width:], is.Vectors[is.Width:]); same != (least > 0) {
			t.Errorf("words of %d patients: the vectors are the same: %v", least, same)
		}
		if slices.Equal(was.Vectors[:was.Width], is.Vectors[:is.Width]) {
			t.Errorf("words of %d patients: the vector of the unknown token is the same", least)
		}
	}
}
