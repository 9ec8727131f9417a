package ann

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/synth"
	"github.com/lethe-deid/lethe/evaluation"
	"github.com/lethe-deid/lethe/internal/strictyaml"
	"github.com/lethe-deid/lethe/nn"
	"github.com/lethe-deid/lethe/taggers"
)

// A run with a schedule, momentum or weight decay that is stopped within an epoch and resumed ends with
// the bits of an uninterrupted one.
func TestResumeWithASchedule(t *testing.T) {
	for name, edit := range map[string]func(*Config){
		"momentum and plateau": func(c *Config) {
			c.Optimizer = nn.Optimizer{Method: "sgd", LearningRate: 1e-9, Decay: 1, Momentum: 0.9, Nesterov: true, WeightDecay: 0.01,
				Schedule: nn.Schedule{Method: "plateau", Patience: 1, Factor: 0.5}}
		},
		"AdamW with warm-up and cosine": func(c *Config) {
			c.Optimizer.Method, c.Optimizer.WeightDecay, c.Optimizer.Betas = "adamw", 0.01, []float64{0.8, 0.99}
			c.Optimizer.Schedule = nn.Schedule{Method: "cosine", Warmup: 1.5, Floor: 0.01}
		},
	} {
		cfg := small()
		edit(&cfg)
		whole, parts := t.TempDir(), t.TempDir()
		var rates []float64
		fit(t, cfg, taggers.Task{Workers: 2, Dir: whole, Report: taggers.Report{Epoch: func(e taggers.Epoch) { rates = append(rates, e.Rate) }}})
		if len(rates) != 3 || rates[0] == 0 || rates[1] == rates[2] {
			t.Errorf("%s: learning rates %v", name, rates)
		}
		ctx, cancel := context.WithCancel(context.Background())
		interrupted := taggers.Task{Name: "test", Types: types(t), Seed: 7, Workers: 2, Dir: parts,
			Train: notes(t, 24, synth.Train), Dev: notes(t, 6, synth.Dev),
			Report: taggers.Report{Step: func(epoch, done, total int) {
				if epoch == 3 && done > total/2 {
					cancel()
				}
			}}}
		if _, err := cfg.Fit(ctx, interrupted); !errors.Is(err, context.Canceled) {
			t.Fatalf("%s: the run was not interrupted: %v", name, err)
		}
		fit(t, cfg, taggers.Task{Workers: 2, Dir: parts, Resume: true})
		for _, file := range []string{"best/weights.safetensors", "last/weights.safetensors"} {
			a, errA := os.ReadFile(filepath.Join(whole, file))
			b, errB := os.ReadFile(filepath.Join(parts, file))
			if err := errors.Join(errA, errB); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(a, b) {
				t.Errorf("%s: %s differs", name, file)
			}
		}
		if name != "momentum and plateau" {
			cfg.Training.Epochs = 4 // the cosine would have another period
			task := interrupted
			task.Report, task.Resume = taggers.Report{}, true
			if _, err := cfg.Fit(context.Background(), task); err == nil {
				t.Error("a run whose rates depend on the number of epochs was resumed with another number")
			}
		}
	}
}

// The best epoch is the first with the highest score by the metric, and its network is the one that is kept.
func TestTheMetricDecidesWhichEpochIsTheBest(t *testing.T) {
	dev := notes(t, 6, synth.Dev)
	train := notes(t, 24, synth.Train)
	for _, metric := range []string{"", "binary_token", "strict/DATE"} {
		cfg, dir := trained(), t.TempDir()
		cfg.Training.Epochs, cfg.Training.Metric, cfg.Training.Measure = 6, metric, "recall"
		var best taggers.Epoch
		model := fit(t, cfg, taggers.Task{Workers: 2, Dir: dir, Train: train, Dev: dev, Report: taggers.Report{Epoch: func(e taggers.Epoch) {
			if better := best.Epoch == 0 || e.Score > best.Score; better != e.Best {
				t.Errorf("metric %q, epoch %d with the score %v after %v is the best: %v", metric, e.Epoch, e.Score, best.Score, e.Best)
			} else if better {
				best = e
			}
		}}})
		found, err := model.Tag(context.Background(), dev)
		if err != nil {
			t.Fatal(err)
		}
		want := recall(t, metric, dev, found)
		if best.Score != want || want == 0 {
			t.Errorf("metric %q: the best model has the score %v, in the log %v", metric, want, best.Score)
		}
	}
}

// recall counts in its own way.
func recall(t *testing.T, metric string, gold []*data.Document, found [][]data.Span) float64 {
	t.Helper()
	system := make([]*data.Document, len(gold))
	for i, g := range gold {
		d := *g
		d.Spans = found[i]
		system[i] = &d
	}
	r, err := evaluation.Compare(data.Each(gold), data.Each(system))
	if err != nil {
		t.Fatal(err)
	}
	switch metric {
	case "binary_token":
		return r.BinaryToken.Recall()
	case "strict/DATE":
		return r.Strict.Types["DATE"].Recall()
	}
	return r.Strict.Recall()
}

func TestUnknownMetric(t *testing.T) {
	cfg := small()
	cfg.Training.Metric = "strict/NOBODY"
	task := taggers.Task{Name: "test", Types: types(t), Train: notes(t, 2, synth.Train), Dev: notes(t, 2, synth.Dev)}
	_, err := cfg.Fit(context.Background(), task)
	if checked := cfg.Check(types(t), 1); err == nil || checked == nil || err.Error() != checked.Error() || !strings.HasPrefix(err.Error(), "training.metric: metric strict/NOBODY: no such type") {
		t.Errorf("training says %v, the check %v", err, checked)
	}
}

// With a metric of a type that dev or train does not have, the first epoch was the best, and nobody learned why.
func TestMetricOfATypeThatDoesNotOccur(t *testing.T) {
	cfg := small()
	cfg.Training.Metric = "strict/DATE"
	without := func(docs []*data.Document) []*data.Document {
		for _, d := range docs {
			d.Spans = slices.DeleteFunc(d.Spans, func(s data.Span) bool { return s.Type == "DATE" })
		}
		return docs
	}
	for split, task := range map[string]taggers.Task{
		"dev":   {Types: types(t), Train: notes(t, 4, synth.Train), Dev: without(notes(t, 2, synth.Dev))},
		"train": {Types: types(t), Train: without(notes(t, 4, synth.Train)), Dev: notes(t, 2, synth.Dev)},
	} {
		want := "training.metric: " + split + " contains no annotation that strict/DATE counts, so that the score of each epoch is 0"
		if _, err := cfg.Fit(t.Context(), task); err == nil || err.Error() != want {
			t.Errorf("%s: error %v", split, err)
		}
	}
}

// A training with a learning rate that was far too high went on for many epochs, each of which took a
// hundred times as long.
func TestDivergenceWentOn(t *testing.T) {
	cfg := small()
	cfg.Optimizer = nn.DefaultOptimizer()
	cfg.Optimizer.LearningRate = 5
	task := taggers.Task{Name: "test", Types: types(t), Seed: 7, Workers: 2, Train: notes(t, 24, synth.Train), Dev: notes(t, 6, synth.Dev)}
	_, err := cfg.Fit(context.Background(), task)
	if err == nil || !strings.HasPrefix(err.Error(), "epoch 1: the training diverges: after ") || !strings.Contains(err.Error(), "choose an optimizer.learning_rate below 5,") {
		t.Errorf("error %v", err)
	}
}

func TestWatch(t *testing.T) {
	guess := math.Log(5)
	run := func(updates int, loss func(update int) float64) (at int) {
		w := newWatch(guess, "")
		for i := range updates {
			if w.add(30*loss(i), 30) != nil {
				return i + 1
			}
		}
		return 0
	}
	for name, c := range map[string]struct {
		loss func(int) float64
		want int
	}{
		"as in the beginning": {func(int) float64 { return 1.2 * guess }, 0},
		"a few bad updates":   {func(i int) float64 { return guess * float64(1+20*max(0, 1-i%100)) }, 0},
		"hopeless at once":    {func(int) float64 { return 11 * guess }, 10},
		"worse than guessing": {func(int) float64 { return 2.1 * guess }, 100},
	} {
		if got := run(1000, c.loss); got != c.want {
			t.Errorf("%s: ended after %d updates, want %d", name, got, c.want)
		}
	}
}

// Settings that are off are not encoded, so that the files of a model, and the digest by which an
// interrupted training is recognised, are those of earlier versions.
func TestEncodingOfTheDefaultsIsThatOfEarlierVersions(t *testing.T) {
	asYAML, errA := yaml.Marshal(DefaultConfig())
	asJSON, errB := json.Marshal(DefaultConfig())
	if err := errors.Join(errA, errB); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ from, to, encoded, want string }{
		{"optimizer:\n", "training:\n", string(asYAML), "  method: sgd\n  learning_rate: 0.005\n  decay: 1.0\n  clip_value: 5.0\n  clip_norm: 0.0\n  average: 0.0\n"},
		{"training:\n", "", string(asYAML), "  batch: 1\n  pool: 1\n  epochs: 100\n  patience: 10\n  evaluate_every: 1\n  unknown_singletons: 0.5\n"},
		{`"Optimizer":`, `,"Training"`, string(asJSON), `{"Method":"sgd","LearningRate":0.005,"Decay":1,"ClipValue":5,"ClipNorm":0,"Average":0}`},
		{`"Training":`, "", string(asJSON), `{"Batch":1,"Pool":1,"Epochs":100,"Patience":10,"EvaluateEvery":1,"UnknownSingletons":0.5}}`},
	} {
		_, part, _ := strings.Cut(c.encoded, c.from)
		if c.to != "" {
			part, _, _ = strings.Cut(part, c.to)
		}
		if part != c.want {
			t.Errorf("%s is encoded as %q, want %q", c.from, part, c.want)
		}
	}
}

// A training with a learning rate that was too high, but not so high that it diverged, went on for all epochs without a word.
func TestNothingSaidAboutRateTooHigh(t *testing.T) {
	const frequencies, rising = "the network has not learnt more than the frequencies of the labels: in epoch ", "the loss has risen for 3 epochs"
	warningsOf := func(o nn.Optimizer, crf bool, batch, epochs, count int) (found []string) {
		cfg := small()
		cfg.Optimizer, cfg.Network.CRF, cfg.Training.Batch, cfg.Training.Epochs, cfg.Training.Patience = o, crf, batch, epochs, 0
		task := taggers.Task{Name: "test", Types: types(t), Seed: 7, Workers: 1, Train: notes(t, count, synth.Train), Dev: notes(t, 2, synth.Dev)}
		task.Report.Epoch = func(e taggers.Epoch) {
			if e.Warning != "" {
				found = append(found, e.Warning)
			}
		}
		if _, err := cfg.Fit(context.Background(), task); err != nil {
			found = append(found, err.Error())
		}
		return found
	}
	norm := nn.Optimizer{Method: "sgd", LearningRate: 1, Decay: 1, ClipNorm: 5}
	fast := nn.Optimizer{Method: "adam", LearningRate: 0.1, Decay: 1, ClipValue: 5}
	for _, tc := range []struct {
		optimizer nn.Optimizer
		want, try string
	}{{norm, frequencies, "optimizer.learning_rate 1 is probably too high: try 0.1, or a warm-up"}, {fast, frequencies, "optimizer.learning_rate 0.1 is probably too high: try 0.01, or a warm-up"}} {
		if got := warningsOf(tc.optimizer, true, 1, 3, 24); len(got) != 1 || !strings.HasPrefix(got[0], tc.want) || !strings.Contains(got[0], tc.try) {
			t.Errorf("%+v: %q", tc.optimizer, got)
		}
	}

	// The optimizers of the shipped experiments, on few and on more notes.
	files, err := filepath.Glob("../../experiments/configs/*/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	written := regexp.MustCompile(`optimizer: \{.*\}`)
	seen := map[string]bool{}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range written.FindAllString(string(raw), -1) {
			if seen[text] {
				continue
			}
			seen[text] = true
			var node struct {
				Optimizer nn.Optimizer `yaml:"optimizer"`
			}
			node.Optimizer = nn.DefaultOptimizer()
			if err := strictyaml.Decode("", []byte(text), &node); err != nil {
				t.Fatal(err)
			}
			for _, crf := range []bool{true, false} {
				if got := warningsOf(node.Optimizer, crf, 4, 6, 6); got != nil {
					t.Errorf("%s, CRF %v: %q", text, crf, got)
				}
			}
		}
	}

	c := &course{tagger: &Tagger{config: DefaultConfig()}}
	for i, loss := range []float64{3, 2, 2.05, 2.2} {
		c.history = append(c.history, taggers.Epoch{Epoch: i + 1, Loss: loss})
	}
	if got := c.warning(taggers.Epoch{Epoch: 5, Loss: 2.3}, 1, 0); !strings.HasPrefix(got, rising+", from 2 to 2.3: ") {
		t.Error(got)
	}
	for _, loss := range []float64{2.2, 2.1} { // by too little, and not in a row
		if got := c.warning(taggers.Epoch{Epoch: 5, Loss: loss}, 1, 0); got != "" {
			t.Error(got)
		}
	}
}
