package experiments

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/lethe-deid/lethe/taggers"
	"github.com/lethe-deid/lethe/taggers/ann"
	"github.com/lethe-deid/lethe/taggers/crf"
	"github.com/lethe-deid/lethe/taggers/ensemble"
	"github.com/lethe-deid/lethe/taggers/system"
)

// Runs and models with a setting that has no effect, which earlier versions had trained, could not be opened any more, and a variant that left one
// over could not be trained. Only an experiment that somebody has written is refused.
func TestRunsAndModelsWithASettingWithoutEffectCanBeOpened(t *testing.T) {
	const network = "{tokenizer: letters-digits, network: {character_lstm: 4, token_embedding: 8, token_lstm: 8, hidden: 8}, training: {epochs: 1}}"
	const field = "{crf: {features: [{family: lower}], training: {iterations: 2}}}"
	dir := t.TempDir()
	for name, text := range map[string]string{
		"ann": "{ann: " + network + "}", "crf": field, "ensemble": "{ensemble: {members: [{name: a, system: " + field + "}]}}",
	} {
		path := write(t, filepath.Join(dir, name+".yaml"), "name: x\ncorpus: {format: synth, notes: {train: 6, dev: 2}}\nsystem: "+text+"\n")
		settings := map[string]string{
			"ann": "system.ann.vectors.keep=training", "crf": "system.crf.training.rate=0.5", "ensemble": "system.ensemble.votes=1",
		}[name]
		key, _, _ := strings.Cut(settings, "=")
		if _, err := Load(path, []string{settings}); err == nil || !strings.HasPrefix(err.Error(), "--set "+key+": ") {
			t.Errorf("%s: Load: error %v", name, err)
		}
		c, err := Load(path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if c, err = c.With(settings); err != nil {
			t.Errorf("%s: a variant: %v", name, err)
			continue
		}
		run := filepath.Join(dir, name)
		if _, err := Train(t.Context(), c, TrainOptions{Dir: run, Workers: 1}); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if _, err := OpenRun(run); err != nil {
			t.Errorf("%s: the run: %v", name, err)
		}
		if _, _, err := system.Load(filepath.Join(run, "model", "best"), 1); err != nil {
			t.Errorf("%s: the model: %v", name, err)
		}
	}
	// Without dev, a metric was accepted and had no effect.
	for _, key := range []string{"metric=strict/DOCTOR", "measure=recall"} {
		settings := []string{"corpus.notes.dev=null", "system.ann.training.patience=0", "system.ann.training." + key}
		if _, err := Load(filepath.Join(dir, "ann.yaml"), settings); err == nil || !strings.HasSuffix(err.Error(), ": requires the split dev") {
			t.Errorf("%s without dev: %v", key, err)
		}
		for _, settings := range [][]string{settings[2:], {settings[0], settings[2]}} { // the second is for crossval, which makes a dev
			if _, err := Load(filepath.Join(dir, "ann.yaml"), settings); err != nil {
				t.Errorf("%q: %v", settings, err)
			}
		}
	}
	short := ann.DefaultConfig()
	short.Training.Patience, short.Training.EvaluateEvery = 3, 5
	for _, n := range []taggers.Node{&short, &ensemble.Config{Method: ensemble.Union, Folds: 3, Members: []ensemble.Member{{Name: "a"}}}} {
		if err := n.Validate(); err != nil || n.(taggers.Effective).Effects() == nil {
			t.Errorf("%T: %v, effects %v", n, err, n.(taggers.Effective).Effects())
		}
	}
	var _ taggers.Effective = (*crf.Config)(nil)
}

// Parts of the training documents that were asked for without their size were silently not made.
func TestPartsOfTheTrainingDocumentsWithoutASizeAreRefused(t *testing.T) {
	path := write(t, filepath.Join(t.TempDir(), "x.yaml"), "name: x\ncorpus: {format: synth, notes: {train: 6, dev: 2}}\nsystem: {crf: {features: [{family: lower}]}}\n")
	for setting, want := range map[string]string{
		"corpus.fold.by=document":     "--set corpus.fold.by: requires corpus.fold.of",
		"corpus.hold_out.by=document": "--set corpus.hold_out.by: requires corpus.hold_out.fraction",
		"corpus.subset.by=document":   "--set corpus.subset.by: requires corpus.subset.documents",
		"corpus.subset.seed=5":        "--set corpus.subset.seed: requires corpus.subset.documents",
	} {
		if _, err := Load(path, []string{setting}); err == nil || err.Error() != want {
			t.Errorf("%s: error %v, want %s", setting, err, want)
		}
	}
	for _, size := range []string{"fold={number: 1, of: 2, by: document}", "hold_out={fraction: 0.5, by: document}", "subset={documents: 3, by: document, seed: 5}"} {
		settings := []string{"corpus." + size}
		if strings.HasPrefix(size, "hold_out") {
			settings = append(settings, "corpus.notes.dev=null")
		}
		if _, err := Load(path, settings); err != nil {
			t.Errorf("%s: %v", size, err)
		}
	}
}
