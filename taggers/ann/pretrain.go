package ann

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml"

	"github.com/lethe-deid/lethe/checkpoints"
	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/internal/wholefile"
	"github.com/lethe-deid/lethe/nn"
	"github.com/lethe-deid/lethe/nn/kernel"
	"github.com/lethe-deid/lethe/nn/tagger"
	"github.com/lethe-deid/lethe/taggers/internal/reader"
)

// Pretraining contains the settings of Config.Pretrain, besides those of the network. Start from
// DefaultPretraining.
type Pretraining struct {
	Epochs     int     // passes over the text, at least 1; default 5
	Batch      int     // tokens per update, at least 1; default 512
	Rate       float64 // learning rate of Adam in the first epoch, positive; it falls by a factor of 0.7 per epoch; default 0.005
	Samples    int     // words that are sampled for the softmax of an update, at least 1; default 1024
	Vocabulary int     // maximum number of words that are predicted and have a vector, the most frequent ones; at least 1; default 50,000
	MinCount   int     // number of times that a word must occur to be one of them, at least 1; default 5
	HeldOut    float64 // share of the sentences that are only used to measure the perplexity, in (0, 0.5]; default 0.005
}

// DefaultPretraining returns the default settings.
func DefaultPretraining() Pretraining {
	return Pretraining{Epochs: 5, Batch: 512, Rate: 0.005, Samples: 1024, Vocabulary: 50_000, MinCount: 5, HeldOut: 0.005}
}

// Validate returns an error about the first setting that makes no sense.
func (p Pretraining) Validate() error {
	for _, s := range []struct {
		name  string
		value int
		most  int
	}{{"epochs", p.Epochs, maxEpochs}, {"batch", p.Batch, MaxBatch}, {"samples", p.Samples, MaxBatch}, {"vocabulary", p.Vocabulary, 1 << 24},
		{"minimum count", p.MinCount, math.MaxInt32}} {
		if s.value < 1 || s.value > s.most {
			return fmt.Errorf("%s %d is not in [1, %d]", s.name, s.value, s.most)
		}
	}
	switch {
	case !(p.Rate > 0) || math.IsInf(p.Rate, 0):
		return fmt.Errorf("learning rate %v is not a positive number", p.Rate)
	case !(p.HeldOut > 0 && p.HeldOut <= 0.5):
		return fmt.Errorf("held-out share %v is not in (0, 0.5]", p.HeldOut)
	}
	return nil
}

// optimizer returns the settings of the optimizer, which are not the configured ones: those suit small
// batches of notes.
func (p Pretraining) optimizer() nn.Optimizer {
	return nn.Optimizer{Method: "adam", LearningRate: p.Rate, Decay: 0.7, ClipNorm: 5}
}

// PretrainTask is the input of Config.Pretrain.
type PretrainTask struct {
	Name     string         // of the experiment, for the model card
	Types    *data.TypeSet  // of the notes for which the network is meant
	Text     data.Documents // its spans are ignored
	Settings Pretraining
	Seed     uint64 // determines all random choices
	Workers  int    // number of cores to use; results are the same for the same number
	Dir      string // folder for the model (Dir/best) and the state of the training
	Resume   bool   // continue the interrupted run in Dir, with the same bits as an uninterrupted one

	Reading func(tokens int)              // called while the text is read; may be nil
	Step    func(epoch, done, total int)  // called during an epoch: done of total tokens are processed; may be nil
	Epoch   func(PretrainEpoch)           // called after each epoch, first for those of the resumed run; may be nil
	Corpus  func(tokens, held, words int) // called with the number of tokens, of those held out, and of words in the vocabulary; may be nil
}

// PretrainEpoch is one line of the log of a pretraining.
type PretrainEpoch struct {
	Epoch    int           `json:"epoch"`    // from 1
	Loss     float64       `json:"loss"`     // sampled cross-entropy of both directions, in nats per token; mean over the updates
	Forward  float64       `json:"forward"`  // perplexity of the held-out text
	Backward float64       `json:"backward"` // the same from right to left
	Tokens   int           `json:"tokens"`
	Train    time.Duration `json:"train_ns"` // time spent on training steps
	Best     bool          `json:"best"`     // the perplexities are lower than in all epochs before, in their geometric mean
	Resumed  bool          `json:"-"`        // done by an earlier run
}

// Pretrain trains the layers of the network that need no labels as a forward and a backward language
// model: see tagger.Language. It saves the epoch with the lowest perplexity as a model folder without
// labels, from which a training can start: see Config.Start. The vocabulary consists of frequent words
// of the text and, as for training, of words of the vectors.
func (c Config) Pretrain(ctx context.Context, task PretrainTask) error {
	p, err := c.newPretraining(ctx, task)
	if err != nil {
		return err
	}
	defer p.trainer.Close()
	if task.Resume {
		if err := p.restore(); err != nil {
			return err
		}
		for _, e := range p.history {
			e.Resumed = true
			p.tell(e)
		}
	}
	for len(p.history) < task.Settings.Epochs {
		if err := p.epoch(ctx); err != nil {
			return err
		}
	}
	return nil
}

// pretraining is a pretraining in progress. Its state is the parameters, the trainer's memory, the
// history, and how much of the current epoch is done. All random choices follow from the seed, the epoch
// and the number of the update, so nothing else must be saved.
type pretraining struct {
	config      Config
	task        PretrainTask
	vocabulary  *vocabulary
	text        *passages
	language    *tagger.Language
	trainer     *nn.Trainer[tagger.Passage]
	history     []PretrainEpoch
	part        epochPart
	saved       time.Time
	fingerprint string
	watch       *watch
}

// epochPart is what is done of the current epoch.
type epochPart struct {
	Updates, Tokens int
	Loss            float64 // sum
	Train           time.Duration
}

func (c Config) newPretraining(ctx context.Context, task PretrainTask) (*pretraining, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	if err := task.Settings.Validate(); err != nil {
		return nil, err
	}
	switch {
	case c.Start != "":
		return nil, errors.New("start: a pretraining cannot start from another network")
	case c.Network.TokenLSTM[0] == 0:
		return nil, errors.New("network.token_lstm: 0, but a language model needs a token LSTM")
	case !c.Features.IsZero() && c.Features.At == "input":
		return nil, errors.New("features.at: input: a language model cannot read features, because they may describe the words that it predicts")
	}
	p := &pretraining{config: c, task: task}
	if err := p.read(ctx); err != nil {
		return nil, err
	}
	var err error
	p.trainer, err = p.language.NewTrainer(task.Settings.optimizer(), task.Workers, c.rate)
	p.fingerprint = p.digest()
	p.watch = newWatch(2*math.Log(float64(1+p.text.predicted)), fmt.Sprintf("choose a learning rate below %v", task.Settings.Rate)) // both directions
	return p, err
}

// passages is a text as ids. Tokens with the same spelling share what belongs to them.
type passages struct {
	forms       []int32 // of each token of the text
	train, held []passage
	tokens      int // of train

	token      []int32 // by form: its id in the vocabulary
	characters []int32 // the ids of all spellings, one after another
	end        []int32 // by form: where its spelling ends
	predicted  int32   // ids below this are classes; other words have the class of unknown words
}

// passage is a part of a sentence.
type passage struct {
	from         int
	length       int32
	begins, ends bool // the sentence
}

// passageTokens is the maximum length of a passage, because the LSTM processes long sequences one token
// at a time. The words on both sides of a cut are still predicted.
const passageTokens = 100

// Classes of the language model; the others are 1 more than the ids of tokens.
const (
	borderClass  = 0
	unknownClass = 1 + unknown
)

// read reads the text and makes the vocabulary and the language model.
func (p *pretraining) read(ctx context.Context) error {
	x := &passages{}
	spellings, count, err := p.split(ctx, x)
	if err != nil {
		return err
	}
	settings := p.task.Settings
	kept := count.kept(func(n *tokenCount) bool { return n.count >= settings.MinCount })
	kept = kept[:min(len(kept), settings.Vocabulary)]
	switch {
	case len(x.forms) == 0:
		return errors.New("the text has no tokens")
	case len(x.train) == 0:
		return errors.New("the text is too short: all sentences are held out")
	case len(kept) == 0:
		return fmt.Errorf("the text has %d tokens, but no word occurs at least %d times", len(x.forms), settings.MinCount)
	case len(x.held) == 0:
		return errors.New("the text is too short: no sentence is held out")
	}
	vectors, words, err := loadVectors(p.config, count)
	if err != nil {
		return err
	}
	v := count.vocabulary(slices.Concat(kept, words), nil)
	for _, form := range spellings {
		x.token = append(x.token, v.token(form))
		x.characters = v.spelling(x.characters, form)
		x.end = append(x.end, int32(len(x.characters)))
	}
	x.predicted = int32(1 + len(kept))
	p.vocabulary, p.text = v, x
	if p.task.Corpus != nil {
		p.task.Corpus(len(x.forms), len(x.forms)-x.tokens, len(v.tokens)-1)
	}
	sizes := tagger.Sizes{Characters: len(v.characters), Tokens: len(v.tokens), Labels: 1}
	if p.language, err = tagger.NewLanguage(p.config.Network, sizes, 1+int(x.predicted), settings.Samples, p.task.Seed); err != nil {
		return fmt.Errorf("network.%w", err)
	}
	if vectors != nil {
		initialise(p.language.TokenEmbedding(), v, vectors)
	}
	return nil
}

// split reads the text into passages. It returns the distinct spellings, and the counts of those in
// sentences that are not held out.
func (p *pretraining) split(ctx context.Context, x *passages) (spellings []string, count *counter, err error) {
	r, err := p.config.reader()
	if err != nil {
		return nil, nil, err
	}
	ids := map[string]int32{}
	var times []int
	rng := rand.New(rand.NewPCG(p.task.Seed, 0))
	sentence := func(text reader.Text, tokens []data.Token) {
		held, from := rng.Float64() < p.task.Settings.HeldOut, len(x.forms)
		for _, t := range tokens {
			form := text.Doc.Text[t.Start:t.End]
			id, ok := ids[form]
			if !ok {
				id, form = int32(len(spellings)), strings.Clone(form)
				ids[form] = id
				spellings, times = append(spellings, form), append(times, 0)
			}
			if !held {
				times[id]++
			}
			x.forms = append(x.forms, id)
		}
		x.add(from, held)
	}
	for doc, err := range p.task.Text {
		if err := cmp.Or(err, ctx.Err()); err != nil {
			return nil, nil, err
		}
		for text := range r.Cut(doc) {
			for _, s := range text.Sentences {
				sentence(text, text.Tokens[s.Start:s.End])
			}
			if p.task.Reading != nil {
				p.task.Reading(len(x.forms))
			}
		}
	}
	count = newCounter(p.config.Vocabulary.DigitsAsZero)
	for id, form := range spellings {
		if times[id] > 0 {
			count.addTimes(0, form, times[id])
		}
	}
	return spellings, count, nil
}

// add divides the sentence that begins at a token into passages of similar length.
func (x *passages) add(from int, held bool) {
	n := len(x.forms) - from
	parts := (n + passageTokens - 1) / passageTokens
	for i := range parts {
		begin, end := from+i*n/parts, from+(i+1)*n/parts
		p := passage{from: begin, length: int32(end - begin), begins: i == 0, ends: i == parts-1}
		if held {
			x.held = append(x.held, p)
		} else {
			x.train = append(x.train, p)
			x.tokens += end - begin
		}
	}
}

// encode turns a passage into the input and the output of the language model.
func (x *passages) encode(p passage) tagger.Passage {
	forms := x.forms[p.from : p.from+int(p.length)]
	out := tagger.Passage{Sentence: tagger.Sentence{Tokens: make([]int32, len(forms)), Characters: make([][]int32, len(forms)), Labels: make([]int32, len(forms))},
		Previous: make([]int32, len(forms))}
	for i, f := range forms {
		out.Tokens[i] = x.token[f]
		begin := int32(0)
		if f > 0 {
			begin = x.end[f-1]
		}
		out.Characters[i] = x.characters[begin:x.end[f]:x.end[f]]
		out.Previous[i], out.Labels[i] = borderClass, borderClass
		if i > 0 || !p.begins {
			out.Previous[i] = x.class(p.from + i - 1)
		}
		if i < len(forms)-1 || !p.ends {
			out.Labels[i] = x.class(p.from + i + 1)
		}
	}
	return out
}

// class returns the class of a token of the text.
func (x *passages) class(at int) int32 {
	if id := x.token[x.forms[at]]; id < x.predicted {
		return 1 + id
	}
	return unknownClass
}

func (x *passages) encodeAll(list []passage) []tagger.Passage {
	all := make([]tagger.Passage, len(list))
	for i, p := range list {
		all[i] = x.encode(p)
	}
	return all
}

// poolBatches is the number of batches that are formed together, so that each has passages of similar
// length.
const poolBatches = 64

// batches distributes the passages of train at random. The tokens of a batch do not exceed size, unless
// it has only one passage.
func (x *passages) batches(rng *rand.Rand, size int) (all [][]passage) {
	order := slices.Clone(x.train)
	rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	for len(order) > 0 {
		pool := fitting(order, poolBatches*size)
		order = order[len(pool):]
		slices.SortStableFunc(pool, func(a, b passage) int { return cmp.Compare(a.length, b.length) })
		for len(pool) > 0 {
			batch := fitting(pool, size)
			pool = pool[len(batch):]
			all = append(all, batch)
		}
	}
	rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}

// fitting returns the first passages, at least one, that have at most this many tokens.
func fitting(list []passage, tokens int) []passage {
	n := 0
	for i, p := range list {
		if n += int(p.length); n > tokens && i > 0 {
			return list[:i]
		}
	}
	return list
}

// saveInterval is how often the state is saved during an epoch.
const saveInterval = 10 * time.Minute

// epoch continues the current epoch to its end. If the context ends, it saves the state.
func (p *pretraining) epoch(ctx context.Context) error {
	number := len(p.history) + 1
	batches := p.text.batches(rand.New(rand.NewPCG(p.task.Seed, uint64(number))), p.task.Settings.Batch)
	p.saved = time.Now()
	for p.part.Updates < len(batches) {
		if err := ctx.Err(); err != nil {
			return errors.Join(err, p.save())
		}
		if time.Since(p.saved) > saveInterval {
			if err := p.save(); err != nil {
				return err
			}
		}
		if err := p.update(number, batches[p.part.Updates]); err != nil {
			return fmt.Errorf("epoch %d: %w", number, err)
		}
		if p.task.Step != nil {
			p.task.Step(number, p.part.Tokens, p.text.tokens)
		}
	}
	e := PretrainEpoch{Epoch: number, Loss: p.part.Loss / float64(len(batches)), Tokens: p.part.Tokens, Train: p.part.Train}
	if err := p.score(&e); err != nil {
		return err
	}
	p.history, p.part = append(p.history, e), epochPart{}
	if e.Best {
		if err := p.saveModel(); err != nil {
			return err
		}
	}
	if err := p.save(); err != nil {
		return err
	}
	p.tell(e)
	return nil
}

func (p *pretraining) update(epoch int, batch []passage) error {
	begin := time.Now()
	seed := rand.New(rand.NewPCG(p.task.Seed, uint64(epoch)<<32+uint64(p.part.Updates))).Uint64()
	loss, err := p.trainer.Step(p.text.encodeAll(batch), seed, epoch-1)
	if err != nil {
		return err
	}
	tokens := 0
	for _, one := range batch {
		tokens += int(one.length)
	}
	if err := p.watch.add(loss*float64(tokens), tokens); err != nil {
		return err
	}
	p.part.Updates++
	p.part.Loss += loss
	p.part.Tokens += tokens
	p.part.Train += time.Since(begin)
	return nil
}

// score measures the perplexity of the held-out text.
func (p *pretraining) score(e *PretrainEpoch) error {
	scorer, err := p.language.NewScorer()
	if err != nil {
		return err
	}
	forward, backward, err := scorer.Score(p.text.encodeAll(p.text.held))
	if err != nil {
		return err
	}
	tokens := float64(len(p.text.forms) - p.text.tokens)
	e.Forward, e.Backward = math.Exp(forward/tokens), math.Exp(backward/tokens)
	e.Best = !slices.ContainsFunc(p.history, func(before PretrainEpoch) bool {
		return before.Forward*before.Backward <= e.Forward*e.Backward
	})
	return nil
}

func (p *pretraining) tell(e PretrainEpoch) {
	if p.task.Epoch != nil {
		p.task.Epoch(e)
	}
}

// saveModel writes the model folder.
func (p *pretraining) saveModel() error {
	config, err := yaml.Marshal(p.config)
	if err != nil {
		return err
	}
	m := &checkpoints.Model{
		Tokens: p.vocabulary.tokens, UnknownToken: unknownToken, Characters: p.vocabulary.characterNames(),
		Types: p.task.Types.Name, Scheme: p.config.Scheme, Tokenizer: p.config.Tokenizer, Labels: []string{},
		Config: config, README: p.card(),
	}
	for _, shared := range p.language.Shared() {
		m.Tensors = append(m.Tensors, shared.Tensor(shared.Name, shared.Data))
	}
	return checkpoints.Save(filepath.Join(p.task.Dir, "best"), m)
}

// card returns the model card.
func (p *pretraining) card() []byte {
	e, s := p.history[len(p.history)-1], p.task.Settings
	card := fmt.Sprintf(`# %s, pretrained

The first layers of a network for finding protected health information, without labels: it cannot find anything yet. Made with Lethe.

It learnt to predict the next and the previous word of %d tokens of text without annotations, in %d epochs. The perplexity of held-out
sentences is %.1f forward and %.1f backward.

To start a training from it:

    lethe train CONFIG.yaml --set system.ann.start=DIR

where `+"`DIR`"+` is this folder and CONFIG.yaml has the network of `+"`config.yaml`"+`.

## Privacy

Its vocabulary contains words of the text, which can be names: those that occur at least %d times there, at most %d words, and every character
that occurs at least twice.`, p.task.Name, e.Tokens, e.Epoch, e.Forward, e.Backward, s.MinCount, s.Vocabulary)
	if p.config.Vectors.File != "" {
		card += " It also contains words of the pretrained vectors."
	}
	return []byte(card + "\n")
}

// save writes the state.
func (p *pretraining) save() error {
	p.saved = time.Now()
	encoded := map[string]string{"run": p.fingerprint, "workers": strconv.Itoa(p.task.Workers), "kernel": kernel.Name()}
	for key, v := range map[string]any{"history": p.history, "part": p.part} {
		raw, err := json.Marshal(v)
		if err != nil {
			return err
		}
		encoded[key] = string(raw)
	}
	step, tensors := p.state()
	encoded["step"] = strconv.Itoa(*step)
	return checkpoints.WriteTensors(filepath.Join(p.task.Dir, stateFile), tensors, encoded)
}

// state returns the tensors of the state, which share the live memory.
func (p *pretraining) state() (step *int, tensors []checkpoints.Tensor) {
	for _, param := range p.language.All() {
		tensors = append(tensors, param.Tensor(networkPrefix+param.Name, param.Data))
	}
	step, memory := p.trainer.State()
	for _, m := range memory {
		tensors = append(tensors, m.Tensor(memoryPrefix+m.Name, m.Data))
	}
	return step, tensors
}

// restore continues an interrupted run. If it left no state, the pretraining starts from the beginning.
func (p *pretraining) restore() error {
	path := filepath.Join(p.task.Dir, stateFile)
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
	if err := sameMachine(path, metadata, p.task.Workers); err != nil {
		return err
	}
	if metadata["run"] != p.fingerprint {
		return fmt.Errorf("%s: left by a run with another configuration, text or seed", path)
	}
	if err := errors.Join(json.Unmarshal([]byte(metadata["history"]), &p.history), json.Unmarshal([]byte(metadata["part"]), &p.part)); err != nil {
		return fmt.Errorf("%s: no history of epochs", path)
	}
	step, live := p.state()
	if err := nn.Fill(live, saved); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if *step, err = strconv.Atoi(metadata["step"]); err != nil {
		return fmt.Errorf("%s: no count of steps", path)
	}
	return nil
}

// digest returns a hash of everything that determines the bits of a run, except the workers and the
// kernel. The number of epochs is not included, because a resumed run may train for longer.
func (p *pretraining) digest() string {
	h := sha256.New()
	settings := p.task.Settings
	settings.Epochs = 0
	out := json.NewEncoder(h)
	for _, v := range []any{p.config, settings, p.task.Seed, p.vocabulary.tokens, p.vocabulary.characters} {
		if err := out.Encode(v); err != nil {
			panic(err) // never with plain values
		}
	}
	for _, list := range [][]int32{p.text.forms, p.text.token, p.text.characters} {
		_ = binary.Write(h, binary.LittleEndian, list) // writing to a hash never fails
	}
	for _, x := range slices.Concat(p.text.train, p.text.held) {
		fmt.Fprintln(h, x)
	}
	return hex.EncodeToString(h.Sum(nil))
}
