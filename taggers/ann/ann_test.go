package ann

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/synth"
	"github.com/lethe-deid/lethe/nn"
	"github.com/lethe-deid/lethe/nn/tagger"
	"github.com/lethe-deid/lethe/taggers"
	"github.com/lethe-deid/lethe/taggers/crf/feature"
	"github.com/lethe-deid/lethe/taggers/rules"
)

func notes(t testing.TB, n int, split synth.Split) []*data.Document {
	t.Helper()
	docs, err := data.Collect(synth.Notes(n, 1, split))
	if err != nil {
		t.Fatal(err)
	}
	return docs
}

func types(t testing.TB) *data.TypeSet {
	s, err := data.LookupTypeSet(synth.TypeSet)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// small is a system that learns something in a few seconds.
func small() Config {
	c := DefaultConfig()
	c.Tokenizer, c.Sentences = "letters-digits", "line"
	c.Network.CharacterEmbedding, c.Network.CharacterLSTM, c.Network.TokenEmbedding = 8, 8, 16
	c.Network.TokenLSTM, c.Network.Hidden = tagger.Units{24}, 24
	c.Optimizer.Method, c.Optimizer.LearningRate = "adam", 0.02
	c.Optimizer.Average = 0.9
	c.Training.Batch, c.Training.Epochs = 4, 3
	return c
}

// trained is small with enough epochs to find something in any note.
func trained() Config {
	c := small()
	c.Training.Epochs = 10
	return c
}

func fit(t testing.TB, cfg Config, task taggers.Task) *Tagger {
	t.Helper()
	task.Name, task.Types, task.Seed = "test", types(t), 7
	if task.Train == nil {
		task.Train, task.Dev = notes(t, 24, synth.Train), notes(t, 6, synth.Dev)
	}
	tagger, err := cfg.Fit(context.Background(), task)
	if err != nil {
		t.Fatal(err)
	}
	return tagger.(*Tagger)
}

func TestFitLearns(t *testing.T) {
	var epochs []taggers.Epoch
	fit(t, trained(), taggers.Task{Workers: 2, Report: taggers.Report{Epoch: func(e taggers.Epoch) { epochs = append(epochs, e) }}})
	if len(epochs) != 10 {
		t.Fatalf("%d epochs reported, want 10", len(epochs))
	}
	if first, last := epochs[0], epochs[9]; last.Loss > first.Loss/2 || last.Dev.F1() < 0.3 {
		t.Errorf("loss fell from %.2f to %.2f, dev F1 is %.3f", first.Loss, last.Loss, last.Dev.F1())
	}
}

// The contract of Tag: spans are sorted, disjoint, inside the text, on token borders,
// of types seen in training, and have scores in [0, 1]. They do not depend on the
// number of workers, on other documents or on the document's own spans.
func TestTagContract(t *testing.T) {
	tagger := fit(t, trained(), taggers.Task{Workers: 2})
	docs := notes(t, 12, synth.Test)
	docs = append(docs, &data.Document{ID: "empty"}, &data.Document{ID: "blank", Text: " \n\t\n"})
	found, err := tagger.Tag(context.Background(), docs)
	if err != nil {
		t.Fatal(err)
	}
	total := 0
	for i, spans := range found {
		last := 0
		for _, s := range spans {
			if s.Start < last || s.End <= s.Start || s.End > len(docs[i].Text) || s.Score < 0 || s.Score > 1 || !tagger.Types().Has(s.Type) {
				t.Fatalf("document %d: bad span %+v after %d", i, s, last)
			}
			last = s.End
			total++
		}
		bare := &data.Document{ID: "x", Text: docs[i].Text}
		alone, err := tagger.Tag(context.Background(), []*data.Document{bare})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(spans, alone[0]); diff != "" {
			t.Fatalf("document %d alone has other spans", i)
		}
	}
	if total == 0 {
		t.Error("nothing was found")
	}
}

// Notes with any content are tagged: one token of a megabyte, and code points that no
// training note had.
func TestTagStrangeText(t *testing.T) {
	tagger := fit(t, small(), taggers.Task{Workers: 1})
	docs := []*data.Document{
		{ID: "token", Text: strings.Repeat("x", 1<<20)},
		{ID: "line", Text: strings.Repeat("seen by Dr. Amundsen ", 20000)},
		{ID: "runes", Text: "\ufeff\u200b患者 Ω 🙂 \u0301 done"},
	}
	found, err := tagger.Tag(context.Background(), docs)
	if err != nil {
		t.Fatal(err)
	}
	if len(found) != 3 {
		t.Errorf("%d results for 3 documents", len(found))
	}
}

// Splitting a note into stretches does not change its spans.
func TestTagHugeNote(t *testing.T) {
	tagger := fit(t, trained(), taggers.Task{Workers: 2})
	note := notes(t, 1, synth.Test)[0].Text + "\n"
	one, _ := tagger.Tag(context.Background(), []*data.Document{{ID: "one", Text: note}})
	n := 5*(1<<20)/2/len(note) + 1
	many, err := tagger.Tag(context.Background(), []*data.Document{{ID: "many", Text: strings.Repeat(note, n)}})
	if err != nil {
		t.Fatal(err)
	}
	if len(one[0]) == 0 || len(many[0]) != n*len(one[0]) {
		t.Fatalf("%d spans in %d copies of a note with %d", len(many[0]), n, len(one[0]))
	}
	for i, s := range many[0] {
		want := one[0][i%len(one[0])]
		if off := i / len(one[0]) * len(note); s.Start != want.Start+off || s.End != want.End+off || s.Type != want.Type {
			t.Fatalf("span %d is %+v, want %+v moved by %d", i, s, want, off)
		}
	}
}

func TestTagIsCancelled(t *testing.T) {
	tagger := fit(t, small(), taggers.Task{Workers: 2})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := tagger.Tag(ctx, notes(t, 3, synth.Test)); !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v", err)
	}
	if _, err := tagger.Tag(context.Background(), notes(t, 3, synth.Test)); err != nil {
		t.Errorf("of no use after a cancelled call: %v", err)
	}
}

func TestSaveAndLoad(t *testing.T) {
	dir := t.TempDir()
	tagger := fit(t, trained(), taggers.Task{Workers: 2, Dir: dir})
	docs := notes(t, 6, synth.Test)
	want, _ := tagger.Tag(context.Background(), docs)
	loaded, err := Load(filepath.Join(dir, "best"), 1)
	if err != nil {
		t.Fatal(err)
	}
	got, err := loaded.Tag(context.Background(), docs)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error("the loaded model finds other spans")
	}
	again := filepath.Join(t.TempDir(), "copy")
	if err := loaded.Save(again); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"weights.safetensors", "README.md", "config.yaml"} {
		a, _ := os.ReadFile(filepath.Join(dir, "best", name))
		b, err := os.ReadFile(filepath.Join(again, name))
		if err != nil || len(a) == 0 || !bytes.Equal(a, b) {
			t.Errorf("%s is not the same when saved again (%v)", name, err)
		}
	}
}

// A run that is stopped after some epochs and resumed ends with the same bits as an
// uninterrupted one: best and last model and the state, byte for byte.
func TestResumeReachesTheSameBits(t *testing.T) {
	whole, parts := t.TempDir(), t.TempDir()
	fit(t, small(), taggers.Task{Workers: 2, Dir: whole})

	ctx, cancel := context.WithCancel(context.Background())
	interrupted := taggers.Task{Name: "test", Types: types(t), Seed: 7, Workers: 2, Dir: parts,
		Train: notes(t, 24, synth.Train), Dev: notes(t, 6, synth.Dev),
		Report: taggers.Report{Step: func(epoch, done, total int) {
			if epoch == 2 && done > total/2 {
				cancel()
			}
		}}}
	if _, err := small().Fit(ctx, interrupted); !errors.Is(err, context.Canceled) {
		t.Fatalf("the run was not interrupted: %v", err)
	}
	var epochs []taggers.Epoch
	fit(t, small(), taggers.Task{Workers: 2, Dir: parts, Resume: true,
		Report: taggers.Report{Epoch: func(e taggers.Epoch) { epochs = append(epochs, e) }}})
	if len(epochs) != 3 || !epochs[0].Resumed || epochs[1].Resumed {
		t.Errorf("reported %d epochs, want the first as resumed and two more", len(epochs))
	}
	for _, name := range []string{"best/weights.safetensors", "last/weights.safetensors", "best/tokenizer.json"} {
		a, err := os.ReadFile(filepath.Join(whole, name))
		if err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(filepath.Join(parts, name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(a, b) {
			t.Errorf("%s differs", name)
		}
	}
}

// When a run was resumed after its last epoch, as the members of a tree are, its card
// reported that all scores were 0, and half of the state stayed in the folder.
func TestResumedModelForgotItsScores(t *testing.T) {
	dir := t.TempDir()
	first := fit(t, small(), taggers.Task{Workers: 2, Dir: dir})
	left := filepath.Join(dir, ".state.safetensors123")
	if err := os.WriteFile(left, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	again := fit(t, small(), taggers.Task{Workers: 2, Dir: dir, Resume: true})
	var cards [2][]byte
	for i, tagger := range []*Tagger{first, again} {
		out := t.TempDir()
		if err := tagger.Save(filepath.Join(out, "m")); err != nil {
			t.Fatal(err)
		}
		var err error
		if cards[i], err = os.ReadFile(filepath.Join(out, "m", "README.md")); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(cards[0], cards[1]) {
		t.Errorf("the card was\n%s\nand is\n%s", cards[0], cards[1])
	}
	if _, err := os.Stat(left); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("what a killed run left is there: %v", err)
	}
}

func TestResumeRefusesAnotherRun(t *testing.T) {
	dir := t.TempDir()
	cfg := small()
	cfg.Training.Epochs = 1
	fit(t, cfg, taggers.Task{Workers: 2, Dir: dir})
	cfg.Network.Dropout = 0.1
	task := taggers.Task{Name: "test", Types: types(t), Seed: 7, Workers: 2, Dir: dir, Resume: true, Train: notes(t, 24, synth.Train), Dev: notes(t, 6, synth.Dev)}
	if _, err := cfg.Fit(context.Background(), task); err == nil {
		t.Error("a run with another configuration was resumed")
	}
}

// Dev is scored at every k-th epoch and at the last. A run can be resumed before any
// epoch has been scored.
func TestEvaluateEvery(t *testing.T) {
	cfg, dir := small(), t.TempDir()
	cfg.Training.Epochs, cfg.Training.EvaluateEvery = 1, 2
	fit(t, cfg, taggers.Task{Workers: 2, Dir: t.TempDir()}) // the last epoch is scored
	cfg.Training.Epochs = 5
	ctx, cancel := context.WithCancel(context.Background())
	task := taggers.Task{Name: "test", Types: types(t), Seed: 7, Workers: 2, Dir: dir, Train: notes(t, 24, synth.Train), Dev: notes(t, 6, synth.Dev),
		Report: taggers.Report{Epoch: func(taggers.Epoch) { cancel() }}}
	if _, err := cfg.Fit(ctx, task); !errors.Is(err, context.Canceled) {
		t.Fatalf("the run was not interrupted: %v", err)
	}
	var scored []int
	fit(t, cfg, taggers.Task{Workers: 2, Dir: dir, Resume: true, Report: taggers.Report{Epoch: func(e taggers.Epoch) {
		if e.Scored {
			scored = append(scored, e.Epoch)
		}
	}}})
	if want := []int{2, 4, 5}; !slices.Equal(scored, want) {
		t.Errorf("scored epochs %v, want %v", scored, want)
	}
}

// If patience was shorter than the time to the first scoring, the run stopped before it
// and had no best epoch to return. If it was shorter than the time between two, as the default is with a scoring every 11 epochs, the run always
// stopped before the second.
func TestPatienceWaitsForTheFirstScore(t *testing.T) {
	cfg := small()
	cfg.Training.Epochs, cfg.Training.EvaluateEvery, cfg.Training.Patience = 33, 11, DefaultConfig().Training.Patience
	cfg.Optimizer.LearningRate = 1e-12
	var epochs []taggers.Epoch
	fit(t, cfg, taggers.Task{Workers: 1, Report: taggers.Report{Epoch: func(e taggers.Epoch) { epochs = append(epochs, e) }}})
	if n := len(epochs); n != 22 || !epochs[10].Best || !epochs[21].Scored {
		t.Errorf("%d epochs, want to score the 11th and the 22nd, and stop", n)
	}
}

// A run that is resumed with fewer epochs than it takes to be scored has nothing to
// return, and reports an error.
func TestResumeWithoutAScoredEpoch(t *testing.T) {
	cfg, dir := small(), t.TempDir()
	cfg.Training.EvaluateEvery = 2
	ctx, cancel := context.WithCancel(context.Background())
	task := taggers.Task{Name: "test", Types: types(t), Seed: 7, Workers: 1, Dir: dir, Train: notes(t, 24, synth.Train), Dev: notes(t, 6, synth.Dev),
		Report: taggers.Report{Epoch: func(taggers.Epoch) { cancel() }}}
	if _, err := cfg.Fit(ctx, task); !errors.Is(err, context.Canceled) {
		t.Fatalf("the run was not interrupted: %v", err)
	}
	cfg.Training.Epochs, task.Resume, task.Report = 1, true, taggers.Report{}
	if _, err := cfg.Fit(context.Background(), task); err == nil {
		t.Error("a run without a scored epoch is no error")
	}
}

// Without dev, a network is trained for all epochs and the last one is kept; patience has nothing to
// wait for, so it is refused. A resumed run reaches the same bits.
func TestFitWithoutDev(t *testing.T) {
	cfg := small()
	train := notes(t, 24, synth.Train)
	task := taggers.Task{Name: "test", Types: types(t), Seed: 7, Workers: 1, Train: train}
	if _, err := cfg.Fit(t.Context(), task); err == nil || !strings.HasPrefix(err.Error(), "training.patience: 10 requires documents") || !cfg.NeedsDev() {
		t.Errorf("with patience: error %v", err)
	}
	cfg.Training.Patience = 0
	var epochs []taggers.Epoch
	task.Dir = t.TempDir()
	task.Report.Epoch = func(e taggers.Epoch) { epochs = append(epochs, e) }
	whole, err := cfg.Fit(t.Context(), task)
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range epochs {
		if e.Scored || e.Best != (i == 2) {
			t.Errorf("epoch %d of %d: scored %v, best %v", i+1, len(epochs), e.Scored, e.Best)
		}
	}
	card, err := os.ReadFile(filepath.Join(task.Dir, "best", "README.md"))
	if err != nil || !strings.Contains(string(card), "\nNot scored: ") || strings.Contains(string(card), "model-index") {
		t.Errorf("the card, with error %v:\n%s", err, card)
	}

	task.Dir = t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	task.Report.Epoch = func(taggers.Epoch) { cancel() }
	if _, err := cfg.Fit(ctx, task); !errors.Is(err, context.Canceled) {
		t.Fatalf("the run was not interrupted: %v", err)
	}
	task.Resume, task.Report = true, taggers.Report{}
	resumed, err := cfg.Fit(t.Context(), task)
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range resumed.(*Tagger).network.All() {
		if !slices.Equal(p.Data, whole.(*Tagger).network.All()[i].Data) {
			t.Errorf("%s differs after resuming", p.Name)
		}
	}
}

// A clean network that no word and no character of the notes could be in was trained without a word, and found nothing.
func TestNothingToLearnFromIsAnError(t *testing.T) {
	cfg := small()
	cfg.Vocabulary.MinPatients, cfg.Training.Patience = 1000, 0
	task := taggers.Task{Types: types(t), Train: notes(t, 6, synth.Train)}
	if _, err := cfg.Fit(t.Context(), task); err == nil || !strings.Contains(err.Error(), "min_patients: 1000), so there is nothing to learn from") {
		t.Errorf("the error is %v", err)
	}
}

// The vector of SENNA's word UNKNOWN is that of the unknown token.
func TestUnknownWordOfSENNA(t *testing.T) {
	cfg := small()
	cfg.Training.Epochs = 1
	cfg.Vectors.File = writeFile(t, "embeddings.txt", strings.TrimSpace(strings.Repeat("1.5 ", 16))+"\n"+strings.TrimSpace(strings.Repeat("2.5 ", 16))+"\n")
	if err := os.WriteFile(filepath.Join(filepath.Dir(cfg.Vectors.File), "words.lst"), []byte("UNKNOWN\nunk\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, keep := range []string{"all", "training"} {
		cfg.Vectors.Keep = keep
		c, err := cfg.newCourse(t.Context(), taggers.Task{Name: "test", Types: types(t), Seed: 7, Workers: 1, Train: notes(t, 2, synth.Train), Dev: notes(t, 1, synth.Dev)})
		if err != nil {
			t.Fatal(err)
		}
		if x := c.tagger.network.TokenEmbedding().Data[unknown*16]; x != 1.5 {
			t.Errorf("%s: the unknown token begins with %v, want 1.5", keep, x)
		}
		c.trainer.Close()
	}
}

func TestEarlyStopping(t *testing.T) {
	cfg := small()
	cfg.Training.Epochs, cfg.Training.Patience, cfg.Optimizer.LearningRate = 10, 1, 1e-12
	var epochs []taggers.Epoch
	fit(t, cfg, taggers.Task{Workers: 2, Report: taggers.Report{Epoch: func(e taggers.Epoch) { epochs = append(epochs, e) }}})
	if len(epochs) != 2 {
		t.Errorf("%d epochs without progress, want to stop after 2", len(epochs))
	}
}

// Every sentence is in one minibatch of an epoch. With a pool, the sentences of a
// minibatch have similar lengths.
func TestBatches(t *testing.T) {
	for _, pool := range []int{1, 4} {
		cfg := small()
		cfg.Training.Pool = pool
		c, err := cfg.newCourse(t.Context(), taggers.Task{Name: "test", Types: types(t), Seed: 7, Workers: 1, Train: notes(t, 24, synth.Train), Dev: notes(t, 6, synth.Dev)})
		if err != nil {
			t.Fatal(err)
		}
		defer c.trainer.Close()
		seen, spread := make([]int, len(c.sentences)), 0
		batches := c.batches(rand.New(rand.NewPCG(1, 1)))
		for _, b := range batches {
			least, most := 1<<30, 0
			for _, i := range b {
				seen[i]++
				least, most = min(least, len(c.sentences[i].Tokens)), max(most, len(c.sentences[i].Tokens))
			}
			spread += most - least
		}
		if slices.Min(seen) != 1 || slices.Max(seen) != 1 {
			t.Errorf("pool %d: some sentence is not in just one minibatch", pool)
		}
		if mean := float64(spread) / float64(len(batches)); (mean < 20) != (pool == 4) {
			t.Errorf("pool %d: lengths in a minibatch differ by %.1f tokens on average", pool, mean)
		}
	}
}

func TestVocabulary(t *testing.T) {
	c := newCounter(false)
	for i, doc := range []string{"Larch larch elm 12", "elm elm 00 Yew", "Yew 12"} {
		for _, tok := range strings.Fields(doc) {
			c.add(i, tok)
		}
	}
	v := c.vocabulary(append(c.kept(Vocabulary{MinDocuments: 2}.accepts), "more", "elm"), nil)
	if want := []string{unknownToken, "elm", "12", "Yew", "more"}; !slices.Equal(v.tokens, want) {
		t.Errorf("tokens %q, want %q", v.tokens, want)
	}
	v = c.vocabulary(c.kept(Vocabulary{MinDocuments: 1}.accepts), nil)
	name := func(s string) string { return v.tokens[v.token(s)] }
	for _, c := range [][2]string{{"Larch", "Larch"}, {"LARCH", "larch"}, {"77", "00"}, {"777", unknownToken}, {"YEW", unknownToken}} {
		if got := name(c[0]); got != c[1] {
			t.Errorf("%q is looked up as %q, want %q", c[0], got, c[1])
		}
	}
	long := strings.Repeat("a", 1000)
	if n := len(v.spelling(nil, long)); n != maxCharacters {
		t.Errorf("a token of 1000 characters has a spelling of %d", n)
	}
}

func TestValidateNamesTheKey(t *testing.T) {
	for key, edit := range map[string]func(*Config){
		"tokenizer":                   func(c *Config) { c.Tokenizer = "spacy" },
		"sentences":                   func(c *Config) { c.Sentences = "" },
		"scheme":                      func(c *Config) { c.Scheme = "bioes" },
		"vectors.freeze":              func(c *Config) { c.Vectors.Freeze = true },
		"vectors.keep:":               func(c *Config) { c.Vectors.Keep = "training" },
		"vectors.most":                func(c *Config) { c.Vectors.Most = 5 },
		"features.dimension":          func(c *Config) { c.Features.Dimension = 25 },
		"features.at":                 func(c *Config) { c.Features.At = "output" },
		"features.dropout":            func(c *Config) { c.Features.Dropout = 0.5 },
		"max_sentence":                func(c *Config) { c.MaxTokens = 0 },
		"vocabulary.min_documents":    func(c *Config) { c.Vocabulary.MinDocuments = 0 },
		"vectors.keep":                func(c *Config) { c.Vectors.Keep = "some" },
		"training.batch":              func(c *Config) { c.Training.Batch = 0 },
		"training.patience":           func(c *Config) { c.Training.Patience, c.Training.EvaluateEvery = 9, 20 },
		"training.pool":               func(c *Config) { c.Training.Pool = 0 },
		"training.unknown_singletons": func(c *Config) { c.Training.UnknownSingletons = 2 },
		"network.dropout":             func(c *Config) { c.Network.Dropout = -1 },
		"network.character_filters":   func(c *Config) { c.Network.CharacterFilters = 50 },
		"network.character_width":     func(c *Config) { c.Network.CharacterWidth = 5 },
		"network.character_lstm":      func(c *Config) { c.Network.Characters, c.Network.CharacterLSTM = tagger.CharacterCNN, 50 },
		"features.resources.pos":      func(c *Config) { c.Features.Resources.POS = "pos.bin" },
		"features.resources.rules": func(c *Config) {
			c.Features.Families = []feature.Spec{{Family: "shape"}}
			c.Features.Resources.Rules = []rules.Config{{Set: "english"}}
		},
		"optimizer.learning_rate": func(c *Config) { c.Optimizer.LearningRate = 0 },
		// These had no effect.
		"optimizer.schedule.every":     func(c *Config) { c.Optimizer.Schedule = nn.Schedule{Method: "step", Every: 100} },
		"training.unknown_singletons:": func(c *Config) { c.Network.TokenEmbedding, c.Training.UnknownSingletons = 0, 0.1 },
		"network.token_scale":          func(c *Config) { c.Network.TokenEmbedding, c.Network.TokenScale = 0, 0.1 },
		"network.cell": func(c *Config) {
			c.Network.TokenLSTM, c.Network.Characters, c.Network.Cell = tagger.Units{0}, tagger.CharacterCNN, nn.Standard
		},
		"transfer.rates.features": func(c *Config) { c.Start, c.Transfer.Rates = "run", map[string]float64{"features": 0.1} },
		"transfer.freeze": func(c *Config) {
			c.Start, c.Transfer.Freeze = "run", []string{"characters", "token_embedding", "token_lstm", "hidden", "logits", "crf"}
		},
	} {
		c := DefaultConfig()
		edit(&c)
		err := c.Validate()
		if err == nil {
			err = c.Effects()
		}
		if err == nil || !strings.HasPrefix(err.Error(), strings.TrimSuffix(key, ":")+":") {
			t.Errorf("%s: error is %v", key, err)
		}
	}
	c := DefaultConfig()
	if c.Training.EvaluateEvery = 20; c.Validate() != nil || c.Effects() != nil {
		t.Errorf("the default patience: %v, %v", c.Validate(), c.Effects())
	}
}

func BenchmarkTag(b *testing.B) {
	cfg := DefaultConfig()
	cfg.Tokenizer, cfg.Sentences = "letters-digits", "line"
	cfg.Training.Epochs, cfg.Training.Batch = 1, 16
	tagger := fit(b, cfg, taggers.Task{Workers: 2})
	docs := notes(b, 100, synth.Test)
	tokens := 0
	for _, d := range docs {
		for x := range tagger.reader.Cut(d) {
			tokens += len(x.Tokens)
		}
	}
	for b.Loop() {
		if _, err := tagger.Tag(context.Background(), docs); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(tokens*b.N)/b.Elapsed().Seconds(), "tokens/s")
}
