package ann

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lethe-deid/lethe/checkpoints"
	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/synth"
	"github.com/lethe-deid/lethe/nn/tagger"
	"github.com/lethe-deid/lethe/taggers/crf/feature"
)

// pretrainTask is a task on generated notes without their spans.
func pretrainTask(t testing.TB, dir string) PretrainTask {
	t.Helper()
	s := DefaultPretraining()
	s.Epochs, s.Batch, s.Rate, s.Samples, s.MinCount, s.HeldOut = 3, 200, 0.02, 50, 2, 0.05
	return PretrainTask{Name: "test", Types: types(t), Text: data.Each(notes(t, 30, synth.Train)), Settings: s, Seed: 7, Workers: 2, Dir: dir}
}

// pretrain returns the epochs.
func pretrain(t testing.TB, cfg Config, task PretrainTask) (epochs []PretrainEpoch) {
	t.Helper()
	task.Epoch = func(e PretrainEpoch) { epochs = append(epochs, e) }
	if err := cfg.Pretrain(context.Background(), task); err != nil {
		t.Fatal(err)
	}
	return epochs
}

func weights(t testing.TB, dir string) []byte {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(dir, "best", checkpoints.WeightsFile))
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func TestPretrainingLowersThePerplexity(t *testing.T) {
	dir := t.TempDir()
	cfg, task := small(), pretrainTask(t, dir)
	cfg.Network.Dropout, task.Text = 0.1, data.Each(notes(t, 100, synth.Train))
	epochs := pretrain(t, cfg, task)
	if len(epochs) != 3 {
		t.Fatalf("%d epochs, want 3", len(epochs))
	}
	first, last := epochs[0], epochs[2]
	if last.Loss >= first.Loss || last.Forward > 0.8*first.Forward || last.Backward > 0.8*first.Backward || last.Forward < 2 {
		t.Errorf("from %+v to %+v", first, last)
	}
	card, err := os.ReadFile(filepath.Join(dir, "best", "README.md"))
	if err != nil || !strings.Contains(string(card), "at least 2 times") {
		t.Errorf("the card does not say which words the model contains: %v", err)
	}
	if _, err := Load(filepath.Join(dir, "best"), 1); err == nil || !strings.Contains(err.Error(), "this network is only pretrained and has no labels: start a training from it with system.ann.start") {
		t.Errorf("a network without labels is loaded: %v", err)
	}
}

// A pretraining that stops within the second epoch, and then at its end, ends with the same bits as one
// that does not stop.
func TestResumedPretrainingHasTheSameBits(t *testing.T) {
	whole, parts := t.TempDir(), t.TempDir()
	want := pretrain(t, small(), pretrainTask(t, whole))

	task := pretrainTask(t, parts)
	ctx, stop := context.WithCancel(context.Background())
	task.Step = func(epoch, done, total int) {
		if epoch == 2 && done > total/2 {
			stop()
		}
	}
	if err := small().Pretrain(ctx, task); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	task = pretrainTask(t, parts)
	task.Resume, task.Settings.Epochs = true, 2
	if epochs := pretrain(t, small(), task); len(epochs) != 2 || !epochs[0].Resumed || epochs[1].Resumed {
		t.Errorf("resumed for one epoch: %+v", epochs)
	}
	task = pretrainTask(t, parts)
	task.Resume = true
	got := pretrain(t, small(), task)
	for i := range want {
		if i < len(got) && (got[i].Loss != want[i].Loss || got[i].Forward != want[i].Forward || got[i].Backward != want[i].Backward) {
			t.Errorf("epoch %d: %+v, want %+v", i+1, got[i], want[i])
		}
	}
	if !bytes.Equal(weights(t, parts), weights(t, whole)) {
		t.Error("the weights differ")
	}
	for name, change := range map[string]func(*PretrainTask){
		"text":     func(task *PretrainTask) { task.Text = data.Each(notes(t, 29, synth.Train)) },
		"seed":     func(task *PretrainTask) { task.Seed = 8 },
		"settings": func(task *PretrainTask) { task.Settings.Samples = 51 },
		"workers":  func(task *PretrainTask) { task.Workers = 1 },
	} {
		other := task
		change(&other)
		if err := small().Pretrain(context.Background(), other); err == nil || !strings.Contains(err.Error(), stateFile) {
			t.Errorf("resumed with other %s: %v", name, err)
		}
	}
}

// Passages cover every token once, and each neighbour in the sentence is predicted, also across a cut.
func TestPassages(t *testing.T) {
	line := strings.TrimSpace(strings.Repeat("elm yew ", 150)) // 300 tokens
	task := pretrainTask(t, t.TempDir())
	task.Text = data.Each([]*data.Document{{ID: "a", Text: line + "\nlarch\n" + strings.Repeat("elm larch yew\n", 100)}})
	p, err := small().newPretraining(context.Background(), task)
	if err != nil {
		t.Fatal(err)
	}
	defer p.trainer.Close()
	x, at := p.text, 0
	all := slices.Concat(x.train, x.held)
	slices.SortFunc(all, func(a, b passage) int { return a.from - b.from })
	for _, one := range all {
		if one.from != at || one.length < 1 || one.length > passageTokens {
			t.Fatalf("passage %+v after token %d", one, at)
		}
		encoded := x.encode(one)
		for i := range encoded.Tokens {
			previous, next := int32(borderClass), int32(borderClass)
			if i > 0 || !one.begins {
				previous = 1 + x.token[x.forms[at-1]]
			}
			if i < int(one.length)-1 || !one.ends {
				next = 1 + x.token[x.forms[at+1]]
			}
			if encoded.Tokens[i] != x.token[x.forms[at]] || encoded.Previous[i] != previous || encoded.Labels[i] != next {
				t.Fatalf("token %d: wrong neighbours", at)
			}
			at++
		}
	}
	if at != len(x.forms) || at != 601 {
		t.Errorf("%d tokens in passages, %d in the text, want 601", at, len(x.forms))
	}
	size := p.task.Settings.Batch
	seen, long := 0, 0
	for _, b := range x.batches(rand.New(rand.NewPCG(1, 1)), size) {
		n := 0
		for _, one := range b {
			n += int(one.length)
		}
		seen += n
		if n > size {
			long++
		}
	}
	if seen != x.tokens || long > 0 {
		t.Errorf("%d of %d tokens in batches, %d batches of more than %d tokens", seen, x.tokens, long, size)
	}
}

// Only the most frequent words are predicted; the others are unknown words.
func TestPretrainingVocabulary(t *testing.T) {
	task := pretrainTask(t, t.TempDir())
	task.Settings.MinCount, task.Settings.Vocabulary = 3, 2
	task.Text = data.Each([]*data.Document{{ID: "a", Text: strings.Repeat("elm yew elm larch\n", 80) + "oak\n"}})
	p, err := small().newPretraining(context.Background(), task)
	if err != nil {
		t.Fatal(err)
	}
	defer p.trainer.Close()
	if want := []string{unknownToken, "elm", "larch"}; !slices.Equal(p.vocabulary.tokens, want) {
		t.Errorf("tokens %q, want %q", p.vocabulary.tokens, want)
	}
	encoded := p.text.encode(p.text.train[0])
	if want := []int32{unknownClass, 2, 3, borderClass}; !slices.Equal(encoded.Labels, want) {
		t.Errorf("classes of the next words %v, want %v", encoded.Labels, want)
	}
}

func TestPretrainingThatIsRefused(t *testing.T) {
	for want, change := range map[string]func(*Config, *PretrainTask){
		"start: a pretraining cannot start":           func(c *Config, _ *PretrainTask) { c.Start = "elsewhere" },
		"features.at: input: a language model cannot": func(c *Config, _ *PretrainTask) { c.Features = withFeatures(t, feature.Spec{Family: "shape"}) },
		"network.token_lstm: 0":                       func(c *Config, p *PretrainTask) { c.Network.TokenLSTM, p.Text = tagger.Units{0}, broken }, // before reading the text
		"no word occurs at least 1000000 times":       func(_ *Config, p *PretrainTask) { p.Settings.MinCount = 1_000_000 },
		"no sentence is held out":                     func(_ *Config, p *PretrainTask) { p.Text = data.Each([]*data.Document{{ID: "a", Text: "elm elm"}}) },
		"all sentences are held out": func(_ *Config, p *PretrainTask) {
			p.Text, p.Seed, p.Settings.HeldOut = data.Each([]*data.Document{{ID: "a", Text: "elm elm"}}), 1, 0.5
		},
		"the text has no tokens": func(_ *Config, p *PretrainTask) { p.Text = data.Each(nil) },
		"epochs 0":               func(_ *Config, p *PretrainTask) { p.Settings.Epochs = 0 },
		"held-out share 0":       func(_ *Config, p *PretrainTask) { p.Settings.HeldOut = 0 },
		"broken.txt":             func(_ *Config, p *PretrainTask) { p.Text = broken },
	} {
		cfg, task := small(), pretrainTask(t, t.TempDir())
		change(&cfg, &task)
		if err := cfg.Pretrain(context.Background(), task); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

func broken(yield func(*data.Document, error) bool) {
	yield(nil, fmt.Errorf("broken.txt: invalid UTF-8"))
}

// The model folder of a pretrained network has the layers that need no labels, and no text.
func TestPretrainedModel(t *testing.T) {
	dir := t.TempDir()
	pretrain(t, small(), pretrainTask(t, dir))
	m, err := checkpoints.Load(filepath.Join(dir, "best"))
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, tensor := range m.Tensors {
		layer, _ := layerOf(tensor.Name)
		found[layer] = true
	}
	if len(found) != 3 || !found["characters"] || !found["token_embedding"] || !found["token_lstm"] || len(m.Labels) != 0 {
		t.Errorf("layers %v, %d labels", found, len(m.Labels))
	}
}
