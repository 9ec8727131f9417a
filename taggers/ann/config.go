// Package ann is the tagger of Dernoncourt et al. 2016: the recurrent network of
// package nn between a tokenizer and a label scheme.
package ann

import (
	"errors"
	"fmt"
	"slices"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/nn"
	"github.com/lethe-deid/lethe/nn/tagger"
	"github.com/lethe-deid/lethe/taggers/crf/feature"
	"github.com/lethe-deid/lethe/taggers/internal/reader"
)

// Config has all settings of the tagger. The defaults are the paper's settings, or
// those of the authors' released program (the reference), except for Constrain.
type Config struct {
	Tokenizer string      `yaml:"tokenizer"`    // letters-digits, ptb (default, the paper's) or whitespace
	Sentences string      `yaml:"sentences"`    // units that the network reads: line, blank-line, rules (default) or note
	MaxTokens int         `yaml:"max_sentence"` // longer sentences are split; in tokens, at least 1; default 1000
	Scheme    data.Scheme `yaml:"scheme"`       // IO, BIO or BIOES (default, the reference's)
	Constrain bool        `yaml:"constrain"`    // forbid label sequences that the scheme does not allow; default true, unlike the paper and the reference
	// RestoreCase reads texts without case a second time, with the case restored in which each word is the most frequent in the vocabulary, and labels them by the
	// mean of both readings' logits: notes whose words are all in capitals or all in lower case, and lines of at least six words in capitals. It
	// affects how notes are tagged, not how the network is trained. Default false.
	RestoreCase bool          `yaml:"restore_case,omitempty" json:",omitzero"`
	Vocabulary  Vocabulary    `yaml:"vocabulary"`
	Vectors     Vectors       `yaml:"vectors"`
	Features    Features      `yaml:"features,omitempty" json:",omitzero"`
	Network     tagger.Config `yaml:"network"`
	Optimizer   nn.Optimizer  `yaml:"optimizer"`
	Training    Training      `yaml:"training"`
	Start       string        `yaml:"start,omitempty" json:",omitempty"`   // run folder or model folder of a network, pretrained or trained, to start from; default "": none
	Transfer    Transfer      `yaml:"transfer,omitempty" json:",omitzero"` // what to take from it
}

// Vocabulary selects the training tokens that have their own vector. The vocabulary is
// stored with the model. A token that occurs in only one note may be a name;
// MinDocuments above 1 keeps such tokens out of the file.
type Vocabulary struct {
	MinDocuments int `yaml:"min_documents"` // number of training documents in which a token must occur, at least 1; default 1, as in the reference
	// MinPatients is the number of patients in whose training documents a token, a character or a
	// value of a feature must occur. The vectors of tokens that are known from elsewhere but occur in the documents of
	// fewer patients are not trained, because a change would show that they occur. Default 0: any.
	MinPatients  int  `yaml:"min_patients,omitempty" json:",omitzero"`
	DigitsAsZero bool `yaml:"digits_as_zero"` // numbers of equal length share a vector; default false, as in the reference
}

// Vectors configures pretrained word vectors.
type Vectors struct {
	File   string `yaml:"file"`                            // in any format of package embeddings (of SENNA, embeddings.txt); default "": token vectors are initialized at random
	Keep   string `yaml:"keep"`                            // words of the file that the model keeps: all (default), or training for those in the training notes
	Most   int    `yaml:"most,omitempty" json:",omitzero"` // read only this number of vectors from the start of the file, where those of the most frequent words are; default 0: all
	Freeze bool   `yaml:"freeze"`                          // do not train them further; default false, as in the paper (the released models froze them)
}

// SetMinPatients implements taggers.Cleaner.
func (c *Config) SetMinPatients(n int) (before int) {
	before, c.Vocabulary.MinPatients = c.Vocabulary.MinPatients, n
	return before
}

// Features configures features that the network reads besides tokens and characters
// (Huang et al. 2015; Liu et al. 2017, section 3.5). Each value of a family that occurs
// in the training notes has a vector, which is trained with the network.
type Features struct {
	// Families are families of the CRF whose values reveal no words of the notes; default
	// none. Within a window, a value has another vector at each offset.
	Families  []feature.Spec  `yaml:"families"`
	Resources feature.Sources `yaml:"resources"` // what families require besides the training notes; default none; the model contains copies
	Dimension int             `yaml:"dimension"` // numbers in the vector of a value, the same for all families; in [1, 1000]; default 10 (Liu et al. 2017: 25)
	At        string          `yaml:"at"`        // where the vectors join the network: input, beside the token's vector (default), or output, after the token LSTM (Liu et al. 2017)
	Dropout   float64         `yaml:"dropout"`   // probability, in [0, 1), that a family's values of a token are dropped in training; default 0: off
}

// IsZero reports whether there are no families. The configuration of such a network is
// stored without this section, as it was before networks had features.
func (f Features) IsZero() bool { return len(f.Families) == 0 }

// names returns the names of the families.
func (f Features) names() []string {
	var names []string
	for _, s := range f.Families {
		names = append(names, s.String())
	}
	return names
}

// maxDimension is more than any family requires; larger values are likely typing errors.
const maxDimension = 1000

// Validate returns an error that begins with the first key whose value makes no sense.
// It opens no file.
func (f Features) Validate() error {
	if err := f.Resources.Validate(); err != nil {
		return fmt.Errorf("resources.%w", err)
	}
	if at, err := feature.CheckClosed(f.Families, f.Resources); err != nil {
		return fmt.Errorf("families[%d].%w", at, err)
	}
	switch {
	case f.Dimension < 1 || f.Dimension > maxDimension:
		return fmt.Errorf("dimension: %d is not in [1, %d]", f.Dimension, maxDimension)
	case f.At != "input" && f.At != "output":
		return fmt.Errorf("at: %q is not input or output", f.At)
	case !(f.Dropout >= 0 && f.Dropout < 1):
		return fmt.Errorf("dropout: %v is not in [0, 1)", f.Dropout)
	}
	return nil
}

// effects returns an error that begins with the first key that has no effect.
func (f Features) effects() error {
	if d := DefaultConfig().Features; f.IsZero() {
		switch {
		case f.Dimension != d.Dimension:
			return errors.New("dimension: requires families")
		case f.At != d.At:
			return errors.New("at: requires families")
		case f.Dropout != d.Dropout:
			return errors.New("dropout: requires families")
		}
	}
	if key := feature.Unread(f.Families, f.Resources); key != "" {
		return fmt.Errorf("resources.%s: no family reads it", key)
	}
	return nil
}

// Training configures the course of the training.
type Training struct {
	Batch int `yaml:"batch"` // sentences per update, at least 1; default 1, the reference's
	// Pool is the number of minibatches that are formed together, so that each has
	// sentences of similar length, which is faster. Default 1: minibatches are formed
	// at random.
	Pool              int     `yaml:"pool"`
	Epochs            int     `yaml:"epochs"`                             // maximum number of epochs, at least 1; default 100
	Patience          int     `yaml:"patience"`                           // training ends after this many epochs without a better dev score, but after at least one evaluation; default 10; 0: never
	EvaluateEvery     int     `yaml:"evaluate_every"`                     // number of epochs between two evaluations on dev, at least 1; only an evaluated epoch can be the best; default 1
	Metric            string  `yaml:"metric,omitempty" json:",omitzero"`  // what decides which epoch is the best: a metric of package metrics, or one of a type such as strict/DOCTOR, by its score on dev; default "": strict
	Measure           string  `yaml:"measure,omitempty" json:",omitzero"` // of the metric: f1, precision or recall; default "": f1
	UnknownSingletons float64 `yaml:"unknown_singletons"`                 // probability that a token seen only once is replaced with the unknown token; default 0.5, as in the reference; 0: never
}

// defaultPatience is accepted with any EvaluateEvery, because it need not have been given.
const defaultPatience = 10

// DefaultConfig returns the paper's settings, or the reference's where the paper does
// not mention them, but with Constrain.
func DefaultConfig() Config {
	return Config{
		Tokenizer: "ptb", Sentences: "rules", MaxTokens: 1000, Scheme: data.BIOES, Constrain: true,
		Vocabulary: Vocabulary{MinDocuments: 1},
		Vectors:    Vectors{Keep: "all"},
		Features:   Features{Dimension: 10, At: "input"},
		Network:    tagger.DefaultConfig(),
		Optimizer:  nn.DefaultOptimizer(),
		Training:   Training{Batch: 1, Pool: 1, Epochs: 100, Patience: defaultPatience, EvaluateEvery: 1, UnknownSingletons: 0.5},
	}
}

// Larger settings are likely typing errors. Within these limits, products of settings
// do not overflow.
const (
	MaxBatch  = 1 << 20 // maximum sentences per update and updates per pool
	maxEpochs = 1 << 30
)

// Validate returns an error that begins with the first key whose value makes no sense.
func (c Config) Validate() error {
	if err := reader.Check(c.Tokenizer, c.Sentences, c.MaxTokens, c.Scheme); err != nil {
		return err
	}
	t := c.Training
	switch {
	case c.Vocabulary.MinDocuments < 1:
		return fmt.Errorf("vocabulary.min_documents: %d is not positive", c.Vocabulary.MinDocuments)
	case c.Vocabulary.MinPatients < 0:
		return fmt.Errorf("vocabulary.min_patients: %d is negative", c.Vocabulary.MinPatients)
	case c.Vectors.Keep != "all" && c.Vectors.Keep != "training":
		return fmt.Errorf("vectors.keep: %q is not all or training", c.Vectors.Keep)
	case c.Vectors.Most < 0:
		return fmt.Errorf("vectors.most: %d is negative", c.Vectors.Most)
	case c.Vectors.File == "" && c.Vectors.Freeze:
		return fmt.Errorf("vectors.freeze: requires vectors.file")
	case c.Vectors.File != "" && c.Network.TokenEmbedding == 0:
		return fmt.Errorf("vectors.file: requires a positive network.token_embedding")
	case t.Batch < 1 || t.Batch > MaxBatch:
		return fmt.Errorf("training.batch: %d is not in [1, %d]", t.Batch, MaxBatch)
	case t.Pool < 1 || t.Pool > MaxBatch:
		return fmt.Errorf("training.pool: %d is not in [1, %d]", t.Pool, MaxBatch)
	case t.Epochs < 1 || t.Epochs > maxEpochs:
		return fmt.Errorf("training.epochs: %d is not in [1, %d]", t.Epochs, maxEpochs)
	case t.EvaluateEvery < 1 || t.EvaluateEvery > maxEpochs:
		return fmt.Errorf("training.evaluate_every: %d is not in [1, %d]", t.EvaluateEvery, maxEpochs)
	case t.Patience > maxEpochs:
		return fmt.Errorf("training.patience: %d is more than %d", t.Patience, maxEpochs)
	case t.Patience < 0:
		return fmt.Errorf("training.patience: %d is negative", t.Patience)
	case !(t.UnknownSingletons >= 0 && t.UnknownSingletons <= 1):
		return fmt.Errorf("training.unknown_singletons: %v is not in [0, 1]", t.UnknownSingletons)
	case t.Measure != "" && t.Measure != "f1" && t.Measure != "precision" && t.Measure != "recall":
		return fmt.Errorf("training.measure: %q is not f1, precision or recall", t.Measure)
	}
	if err := c.Transfer.Validate(c.Start != ""); err != nil {
		return fmt.Errorf("transfer%w", err)
	}
	if err := c.Features.Validate(); err != nil {
		return fmt.Errorf("features.%w", err)
	}
	if err := c.Network.Validate(); err != nil {
		return fmt.Errorf("network.%w", err)
	}
	if err := c.Optimizer.Validate(); err != nil {
		return fmt.Errorf("optimizer.%w", err)
	}
	s := c.Optimizer.Schedule
	switch {
	case s.Warmup >= float64(t.Epochs):
		return fmt.Errorf("optimizer.schedule.warmup: %v epochs, but training.epochs is %d", s.Warmup, t.Epochs)
	case s.Method == plateau && t.Patience > 0 && s.Patience >= t.Patience:
		return fmt.Errorf("optimizer.schedule.patience: %d epochs, but training ends after %d (training.patience)", s.Patience, t.Patience)
	case s.Method == plateau && s.Patience < t.EvaluateEvery:
		return fmt.Errorf("optimizer.schedule.patience: %d epochs, but dev is scored only every %d (training.evaluate_every)", s.Patience, t.EvaluateEvery)
	}
	return nil
}

// Effects implements taggers.Effective.
func (c Config) Effects() error {
	if err := c.Features.effects(); err != nil {
		return fmt.Errorf("features.%w", err)
	}
	if err := c.Network.Effects(); err != nil {
		return fmt.Errorf("network.%w", err)
	}
	if err := c.Transfer.effects(c.layers()); err != nil {
		return fmt.Errorf("transfer.%w", err)
	}
	switch t := c.Training; {
	case c.Network.TokenEmbedding == 0 && t.UnknownSingletons != DefaultConfig().Training.UnknownSingletons && t.UnknownSingletons > 0:
		return errors.New("training.unknown_singletons: requires a positive network.token_embedding")
	case c.Optimizer.Schedule.Every >= t.Epochs:
		return fmt.Errorf("optimizer.schedule.every: %d epochs, but training.epochs is %d", c.Optimizer.Schedule.Every, t.Epochs)
	case c.Vectors.File == "" && c.Vectors.Keep != "all":
		return errors.New("vectors.keep: requires vectors.file")
	case c.Vectors.File == "" && c.Vectors.Most > 0:
		return errors.New("vectors.most: requires vectors.file")
	case t.Patience > 0 && t.Patience < t.EvaluateEvery && t.Patience != defaultPatience && t.EvaluateEvery < t.Epochs:
		return fmt.Errorf("training.patience: %d epochs, but dev is scored only every %d (training.evaluate_every): choose at least as many, or 0", t.Patience, t.EvaluateEvery)
	}
	return nil
}

// layers returns those of the layers that the network has.
func (c Config) layers() []string {
	n := c.Network
	has := map[string]bool{
		"characters": n.ReadsCharacters(), "token_embedding": n.TokenEmbedding > 0, "features": !c.Features.IsZero(),
		"token_lstm": n.TokenLSTM[0] > 0, "hidden": n.Hidden > 0, "logits": true, "crf": n.CRF,
	}
	return slices.DeleteFunc(slices.Clone(layers), func(layer string) bool { return !has[layer] })
}

// plateau is the schedule that depends on the scores on dev.
const plateau = "plateau"

// rate returns the factor of the learning rate for a parameter.
func (c Config) rate(param string) float64 {
	if c.Vectors.Freeze && param == "token_embedding" {
		return 0
	}
	return c.Transfer.rate(param)
}

func (c Config) reader() (reader.Reader, error) {
	return reader.New(c.Tokenizer, c.Sentences, c.MaxTokens)
}
