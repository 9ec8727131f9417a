package ann

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/goccy/go-yaml"

	"github.com/lethe-deid/lethe/checkpoints"
	"github.com/lethe-deid/lethe/internal/bounded"
	"github.com/lethe-deid/lethe/internal/strictyaml"
	"github.com/lethe-deid/lethe/internal/wholefile"
	"github.com/lethe-deid/lethe/nn"
	"github.com/lethe-deid/lethe/nn/kernel"
	"github.com/lethe-deid/lethe/nn/tagger"
	"github.com/lethe-deid/lethe/taggers"
)

// Save writes the tagger as a model folder, see package checkpoints.
func (t *Tagger) Save(dir string) error {
	config, err := yaml.Marshal(t.config)
	if err != nil {
		return err
	}
	readme := t.readme
	if readme == nil {
		if readme, err = t.card.Markdown(); err != nil {
			return err
		}
	}
	m := &checkpoints.Model{
		Tokens: t.vocabulary.tokens, UnknownToken: unknownToken, Characters: t.vocabulary.characterNames(),
		Types: t.types, Scheme: t.config.Scheme, Tokenizer: t.config.Tokenizer, Labels: t.labels,
		Config: config, README: readme, Tensors: t.network.Tensors(), Extra: t.features.save,
	}
	return checkpoints.Save(dir, m)
}

const configFile = "config.yaml"

// Load reads a model folder that Save wrote. workers is the number of cores that Tag
// uses.
func Load(dir string, workers int) (*Tagger, error) {
	// Reading the resources of features takes as long as the rest, so both are read side by side. What is read of a
	// folder that cannot be verified is not used.
	early := beginFeatures(dir, workers)
	m, err := checkpoints.Load(dir)
	features, cfg, config, unread := early()
	if err != nil {
		return nil, err
	}
	fail := func(file string, err error) error { return fmt.Errorf("%s: %w", filepath.Join(dir, file), err) }
	if unread != nil || !bytes.Equal(config, m.Config) { // the first error counts
		if cfg, err = decodeConfig(dir, m.Config); err != nil {
			return nil, err
		}
	}
	if len(m.Labels) == 0 {
		return nil, fmt.Errorf("%s: this network is only pretrained and has no labels: start a training from it with system.ann.start", dir)
	}
	if m.Scheme != cfg.Scheme || m.Tokenizer != cfg.Tokenizer {
		return nil, fail("labels.json", fmt.Errorf("scheme %s and tokenizer %s differ from those in config.yaml", m.Scheme, m.Tokenizer))
	}
	if len(m.Tokens) == 0 || m.Tokens[0] != m.UnknownToken || len(m.Characters) == 0 {
		return nil, fail("tokenizer.json", fmt.Errorf("the unknown token must have id 0"))
	}
	characters := []rune{0}
	for _, s := range m.Characters[1:] {
		r := []rune(s)
		if len(r) != 1 {
			return nil, fail("labels.json", fmt.Errorf("character %d is not one code point", len(characters)))
		}
		characters = append(characters, r[0])
	}
	v := newVocabulary(m.Tokens, characters, cfg.Vocabulary.DigitsAsZero)
	if unread != nil {
		return nil, unread
	}
	if !bytes.Equal(config, m.Config) {
		return nil, fail(configFile, errors.New("the file was changed while it was read"))
	}
	net, err := tagger.NewGiven(cfg.Network, cfg.sizes(v, m.Labels, features), m.Tensors)
	if err != nil {
		return nil, fail(configFile, err)
	}
	if err := net.Fill(m.Tensors); err != nil {
		return nil, fail(checkpoints.WeightsFile, err)
	}
	t, err := newTagger(cfg, m.Types, m.Labels, v, features, net, workers)
	if err != nil {
		return nil, err
	}
	t.readme = append([]byte{}, m.README...)
	return t, nil
}

// decodeConfig returns the configuration of a model folder.
func decodeConfig(dir string, raw []byte) (Config, error) {
	path := filepath.Join(dir, configFile)
	cfg := DefaultConfig()
	if err := strictyaml.Decode(path, raw, &cfg); err != nil {
		return Config{}, err
	}
	if err := cfg.Validate(); err != nil {
		return Config{}, fmt.Errorf("%s: %w", path, err)
	}
	return cfg, nil
}

// beginFeatures begins to read the features of a model folder. The function that it returns waits for them, and returns the
// configuration that they were read for, too, and its file.
func beginFeatures(dir string, workers int) func() (f *features, cfg Config, config []byte, err error) {
	var f *features
	var cfg Config
	var config []byte
	var err error
	var reading sync.WaitGroup
	reading.Go(func() {
		located := checkpoints.Locate(dir)
		if config, err = bounded.ReadFile(filepath.Join(located, configFile), bounded.MaxModel); err != nil {
			return
		}
		if cfg, err = decodeConfig(dir, config); err == nil {
			f, err = loadFeatures(located, cfg.Features, workers)
		}
	})
	return func() (*features, Config, []byte, error) {
		reading.Wait()
		return f, cfg, config, err
	}
}

// newCard returns the model card with the information that is available before
// training.
func newCard(task taggers.Task, cfg Config, tokens, parameters int) checkpoints.Card {
	c := checkpoints.Card{
		Name: task.Name, Dataset: task.Name, Documents: len(task.Train), Tokens: tokens, Parameters: parameters,
		Split: "dev", Measure: "strict type and span, micro-averaged",
	}
	c.VocabularyNote = cfg.vocabularyNote()
	return c
}

// vocabularyNote says whether words of the training notes are in a network's vocabulary.
func (c Config) vocabularyNote() string {
	note := "Its vocabulary holds every token of the training notes."
	if n := c.Vocabulary.MinPatients; n > 0 {
		note = fmt.Sprintf("It holds words and characters of the training notes that occur in the notes of at least %d patients, and no others.", n)
	} else if n := c.Vocabulary.MinDocuments; n > 1 {
		note = fmt.Sprintf("Its vocabulary holds the tokens that occur in at least %d training notes; names of people seen in fewer are not in it.", n)
	}
	if !c.Features.IsZero() {
		note += " Its folder holds copies of the lists, rules and other resources that its features require."
	}
	if c.Vectors.File != "" {
		note += " Besides, it holds words of the pretrained vectors."
	}
	if c.Start != "" {
		note += " It also holds the vocabulary of the network that it started from."
	}
	return note
}

// Contents implements taggers.Inventory. What the network knows are words. The card, if there is one, also knows of
// a network that was imported.
func (t *Tagger) Contents() taggers.Contents {
	c := taggers.Contents{Kind: kind, Vocabulary: len(t.vocabulary.tokens) - 1, Entries: "words", Privacy: checkpoints.VocabularyNote(t.readme)}
	for _, p := range t.network.All() {
		c.Parameters += len(p.Data)
	}
	if c.Privacy == "" {
		c.Privacy = t.config.vocabularyNote()
	}
	c.MinPatients = t.config.Vocabulary.MinPatients
	return c
}

// Texts implements taggers.Verbatim. It yields the vocabulary, to which pretrained vectors and the network that the training
// started from may contribute.
func (t *Tagger) Texts(yield func(string) bool) {
	for _, w := range t.vocabulary.tokens[1:] {
		if !yield(w) {
			return
		}
	}
	if t.features == nil {
		return
	}
	for _, f := range t.features.values {
		if !strings.HasPrefix(f.Family, "column.") {
			continue // a closed set of values, which are no words of notes
		}
		for _, v := range f.Values {
			if !yield(v.Value) {
				return
			}
		}
	}
}

// stateFile contains the state that a resumed run requires besides the model folders.
const stateFile = "state.safetensors"

// Prefixes of the groups of tensors in stateFile.
const (
	networkPrefix = "network/"
	bestPrefix    = "best/"
	memoryPrefix  = "optimizer/"
)

// save saves the models, and the state in a single file, so that all of it is from the
// same moment.
func (c *course) save() error {
	if c.task.Dir == "" {
		return nil
	}
	if c.history[len(c.history)-1].Best {
		if err := c.tagger.Save(filepath.Join(c.task.Dir, "best")); err != nil {
			return err
		}
	}
	if err := c.tagger.Save(filepath.Join(c.task.Dir, "last")); err != nil {
		return err
	}
	history, err := json.Marshal(c.history)
	if err != nil {
		return err
	}
	scores, err := json.Marshal(cardScores{c.bestCard.Overall, c.bestCard.Types})
	if err != nil {
		return err
	}
	step, tensors := c.state()
	return checkpoints.WriteTensors(filepath.Join(c.task.Dir, stateFile), tensors, map[string]string{
		"run": c.fingerprint, "workers": strconv.Itoa(c.task.Workers), "kernel": kernel.Name(), "step": strconv.Itoa(*step), "history": string(history),
		"scores": string(scores),
	})
}

// cardScores are the scores of the best model on dev, for its card.
type cardScores struct {
	Overall checkpoints.Score
	Types   []checkpoints.Score
}

// state returns the tensors of stateFile, which share the live memory.
func (c *course) state() (step *int, tensors []checkpoints.Tensor) {
	add := func(prefix string, p *nn.Param, values []float32) {
		tensors = append(tensors, p.Tensor(prefix+p.Name, values))
	}
	params := c.tagger.network.All()
	for i, p := range params {
		add(networkPrefix, p, p.Data)
		if c.bestParams != nil {
			add(bestPrefix, p, c.bestParams[i])
		}
	}
	step, memory := c.trainer.State()
	for _, p := range memory {
		add(memoryPrefix, p, p.Data)
	}
	return step, tensors
}

// restore continues an interrupted run from its saved state. If there is no state, the
// run was stopped before the end of its first epoch, and training starts from the
// beginning.
func (c *course) restore() error {
	path := filepath.Join(c.task.Dir, stateFile)
	if err := wholefile.RemoveHidden(path); err != nil {
		return err
	}
	saved, metadata, err := checkpoints.ReadTensors(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := sameMachine(path, metadata, c.task.Workers); err != nil {
		return err
	}
	if metadata["run"] != c.fingerprint {
		return fmt.Errorf("%s: left by a run with another configuration, start, corpus or seed", path)
	}
	if err := json.Unmarshal([]byte(metadata["history"]), &c.history); err != nil || len(c.history) == 0 {
		return fmt.Errorf("%s: no history of epochs", path)
	}
	if scores := metadata["scores"]; scores != "" { // runs of earlier versions have none
		var s cardScores
		if err := json.Unmarshal([]byte(scores), &s); err != nil {
			return fmt.Errorf("%s: no scores", path)
		}
		c.bestCard.Overall, c.bestCard.Types = s.Overall, s.Types
	}
	if c.bestEpoch().Best {
		for _, p := range c.tagger.network.All() {
			c.bestParams = append(c.bestParams, make([]float32, len(p.Data)))
		}
	}
	step, live := c.state()
	if err := nn.Fill(live, saved); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if *step, err = strconv.Atoi(metadata["step"]); err != nil {
		return fmt.Errorf("%s: no count of steps", path)
	}
	c.trainer.SwapAverage() // the state was saved with the averaged network in use
	return nil
}

// sameMachine returns an error if a state is from a run with other workers or another kernel.
func sameMachine(path string, metadata map[string]string, workers int) error {
	for _, mine := range [][2]string{{"workers", strconv.Itoa(workers)}, {"kernel", kernel.Name()}} {
		if saved := metadata[mine[0]]; saved != mine[1] {
			return fmt.Errorf("%s: the interrupted run had %s %s, not %s: resuming would not give the same bits", path, mine[0], saved, mine[1])
		}
	}
	return nil
}

// StateWorkers implements taggers.Standalone.
func (Config) StateWorkers(dir string) (int, error) {
	path := filepath.Join(dir, stateFile)
	_, metadata, err := checkpoints.ReadTensors(path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	n, err := strconv.Atoi(metadata["workers"])
	if err != nil {
		return 0, fmt.Errorf("%s: no number of workers", path)
	}
	return n, nil
}

// digest returns a hash of everything that determines the bits of a run, except the
// workers and the kernel. Epochs and patience are not included, because a resumed run
// may train for longer, unless the learning rate depends on the number of epochs.
func (c *course) digest() string {
	h := sha256.New()
	cfg := c.tagger.config
	if m := cfg.Optimizer.Schedule.Method; m != "linear" && m != "cosine" {
		cfg.Training.Epochs = 0
	}
	cfg.Training.Patience = 0
	out := json.NewEncoder(h)
	for _, v := range []any{cfg, c.task.Seed, c.tagger.labels, c.tagger.vocabulary.tokens, c.sentences} {
		if err := out.Encode(v); err != nil {
			panic(err) // never with plain values
		}
	}
	fmt.Fprint(h, c.start)
	for _, d := range c.task.Dev {
		fmt.Fprintf(h, "%q %v", d.Text, d.Spans)
	}
	if f := c.tagger.features; f != nil {
		if err := out.Encode(f.values); err != nil {
			panic(err)
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}
