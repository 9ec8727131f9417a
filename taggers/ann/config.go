// Package ann is the tagger of Dernoncourt et al. 2016: the recurrent network of
// package nn between a tokenizer and a label scheme.
package ann

import (
	"fmt"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/nn"
	"github.com/lethe-deid/lethe/taggers/internal/reader"
)

// Config is everything about the system that a user chooses. The defaults are the
// paper's settings, or those of the authors' released program (the reference).
type Config struct {
	Tokenizer  string       `yaml:"tokenizer"`    // letters-digits, ptb (default, the paper's) or whitespace
	Sentences  string       `yaml:"sentences"`    // what the network reads at a time: line, blank-line or rules (default)
	MaxTokens  int          `yaml:"max_sentence"` // longer sentences are split; in tokens, at least 1; default 1000
	Scheme     data.Scheme  `yaml:"scheme"`       // IO, BIO or BIOES (default, the reference's)
	Constrain  bool         `yaml:"constrain"`    // never predict a label sequence that the scheme forbids; default true, as in the reference
	Vocabulary Vocabulary   `yaml:"vocabulary"`
	Vectors    Vectors      `yaml:"vectors"`
	Network    nn.Config    `yaml:"network"`
	Optimizer  nn.Optimizer `yaml:"optimizer"`
	Training   Training     `yaml:"training"`
}

// Vocabulary says which training tokens have a vector of their own. It is
// stored with the model: a token that occurs in one note only may be a name, so
// MinDocuments above 1 keeps such tokens out of the file.
type Vocabulary struct {
	MinDocuments int  `yaml:"min_documents"`  // training documents that a token must occur in, at least 1; default 1, as in the reference
	DigitsAsZero bool `yaml:"digits_as_zero"` // numbers of equal length share a vector; default false, as in the reference
}

// Vectors is word vectors trained elsewhere.
type Vectors struct {
	File   string `yaml:"file"`   // in any format of package embeddings; default "": token vectors begin at random
	Keep   string `yaml:"keep"`   // which of its words the model keeps: all (default), or training for those in the training notes
	Freeze bool   `yaml:"freeze"` // do not train them further; default false, as in the paper (the released models froze them)
}

// Training is the course of the training.
type Training struct {
	Batch int `yaml:"batch"` // sentences per update, at least 1; default 1, the paper's
	// Pool is the number of minibatches that are formed together, so that each has
	// sentences of similar length, which is faster. Default 1: at random.
	Pool              int     `yaml:"pool"`
	Epochs            int     `yaml:"epochs"`             // at most, at least 1; default 100
	Patience          int     `yaml:"patience"`           // epochs without a better dev score after which training stops; default 10; 0: never
	EvaluateEvery     int     `yaml:"evaluate_every"`     // epochs from one scoring of dev to the next, at least 1; only a scored epoch can be best; default 1
	UnknownSingletons float64 `yaml:"unknown_singletons"` // probability that a token seen once is shown as unknown; default 0.5, the reference's; 0: never
}

// DefaultConfig is the paper's system with the reference's settings where the
// paper is silent.
func DefaultConfig() Config {
	return Config{
		Tokenizer: "ptb", Sentences: "rules", MaxTokens: 1000, Scheme: data.BIOES, Constrain: true,
		Vocabulary: Vocabulary{MinDocuments: 1},
		Vectors:    Vectors{Keep: "all"},
		Network:    nn.DefaultConfig(),
		Optimizer:  nn.DefaultOptimizer(),
		Training:   Training{Batch: 1, Pool: 1, Epochs: 100, Patience: 10, EvaluateEvery: 1, UnknownSingletons: 0.5},
	}
}

// Beyond these a setting is a slip of the pen; products of them are still numbers.
const (
	MaxBatch  = 1 << 20 // sentences of an update, and updates of a pool
	maxEpochs = 1 << 30
)

// Validate names the first key that makes no sense.
func (c Config) Validate() error {
	if err := reader.Check(c.Tokenizer, c.Sentences, c.MaxTokens, c.Scheme); err != nil {
		return err
	}
	t := c.Training
	switch {
	case c.Vocabulary.MinDocuments < 1:
		return fmt.Errorf("vocabulary.min_documents: %d is not positive", c.Vocabulary.MinDocuments)
	case c.Vectors.Keep != "all" && c.Vectors.Keep != "training":
		return fmt.Errorf("vectors.keep: %q is not all or training", c.Vectors.Keep)
	case c.Vectors.File == "" && c.Vectors.Freeze:
		return fmt.Errorf("vectors.freeze: without a vectors.file random vectors would stay random")
	case c.Vectors.File != "" && c.Network.TokenEmbedding == 0:
		return fmt.Errorf("vectors.file: given, but network.token_embedding is 0")
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
	}
	if err := c.Network.Validate(); err != nil {
		return fmt.Errorf("network.%w", err)
	}
	if err := c.Optimizer.Validate(); err != nil {
		return fmt.Errorf("optimizer.%w", err)
	}
	return nil
}

func (c Config) reader() (reader.Reader, error) {
	return reader.New(c.Tokenizer, c.Sentences, c.MaxTokens)
}
