// Package nn implements the recurrent network of Dernoncourt et al. 2016 on a Gorgonia graph:
// character BiLSTM and token embedding, dropout, token BiLSTM, a tanh layer, logits, and a
// linear-chain CRF. It works on ids and matrices; taggers/ann converts documents to and from them.
//
// A Network contains the parameters. A Trainer changes them, and a Predictor applies them. Both run
// the same layers on compiled Gorgonia machines, one per worker.
package nn

import (
	"fmt"
	"math"

	"github.com/lethe-deid/lethe/nn/kernel"
)

// Config is the shape of the network. The defaults are the paper's, or the reference's if the paper
// does not say. Sizes are from 0 to 16384.
type Config struct {
	CharacterEmbedding int     `yaml:"character_embedding"` // dimension of a character's vector; default 25; 0 only if CharacterLSTM is 0
	CharacterLSTM      int     `yaml:"character_lstm"`      // hidden units per direction; default 25; 0: no character part
	TokenEmbedding     int     `yaml:"token_embedding"`     // dimension of a token's vector; default 100; 0: no token vectors
	TokenScale         float64 `yaml:"token_scale"`         // standard deviation of random token vectors; default 0: Glorot's, as in the reference
	TokenLSTM          int     `yaml:"token_lstm"`          // hidden units per direction; default 100; 0: no token BiLSTM
	Hidden             int     `yaml:"hidden"`              // units of the tanh layer; default 100, the reference's; 0: no such layer
	Dropout            float64 `yaml:"dropout"`             // probability that an input of the token BiLSTM is dropped, in [0, 1); default 0.5; 0: off
	WordDropout        float64 `yaml:"word_dropout"`        // probability that a token's whole input is dropped, in [0, 1); default 0: off
	CRF                bool    `yaml:"crf"`                 // a linear-chain CRF over the labels; default true; false: a softmax at each token
	Cell               Cell    `yaml:"cell"`                // coupled (default, the reference's), peephole (the paper's equations) or standard
}

// DefaultConfig returns the network of the paper with the cell of the reference.
func DefaultConfig() Config {
	return Config{CharacterEmbedding: 25, CharacterLSTM: 25, TokenEmbedding: 100, TokenLSTM: 100, Hidden: 100,
		Dropout: 0.5, CRF: true, Cell: "coupled"}
}

// Validate returns an error that names the first invalid key.
func (c Config) Validate() error {
	for _, d := range []struct {
		key  string
		size int
	}{{"character_embedding", c.CharacterEmbedding}, {"character_lstm", c.CharacterLSTM}, {"token_embedding", c.TokenEmbedding},
		{"token_lstm", c.TokenLSTM}, {"hidden", c.Hidden}} {
		if d.size < 0 || d.size > 1<<14 {
			return fmt.Errorf("%s: %d is not between 0 and 16384", d.key, d.size)
		}
	}
	switch {
	case c.CharacterLSTM > 0 && c.CharacterEmbedding == 0:
		return fmt.Errorf("character_embedding: 0, but character_lstm is %d", c.CharacterLSTM)
	case c.CharacterLSTM == 0 && c.TokenEmbedding == 0:
		return fmt.Errorf("token_embedding: 0, and there is no character_lstm: the network has no input")
	case !(c.Dropout >= 0 && c.Dropout < 1):
		return fmt.Errorf("dropout: %v is not in [0, 1)", c.Dropout)
	case !(c.WordDropout >= 0 && c.WordDropout < 1):
		return fmt.Errorf("word_dropout: %v is not in [0, 1)", c.WordDropout)
	case !(c.TokenScale >= 0) || math.IsInf(c.TokenScale, 0):
		return fmt.Errorf("token_scale: %v is negative or not a number", c.TokenScale)
	}
	_, err := c.Cell.kernel()
	return err
}

// Cell names an LSTM cell: see kernel.Cell for the equations.
type Cell string

func (c Cell) kernel() (kernel.Cell, error) {
	switch c {
	case "coupled":
		return kernel.Coupled, nil
	case "peephole":
		return kernel.Peephole, nil
	case "standard":
		return kernel.Standard, nil
	}
	return 0, fmt.Errorf("cell: %q is not coupled, peephole or standard", string(c))
}

// Sizes are the dimensions that depend on the data.
type Sizes struct {
	Characters int // size of the alphabet; row 0 stands for unknown characters
	Tokens     int // size of the vocabulary; row 0 stands for unknown tokens
	Labels     int
}

// Sentence is one sequence in ids.
type Sentence struct {
	Tokens     []int32   // rows of the token embedding, one per token
	Characters [][]int32 // rows of the character embedding, at least one per token; unused without the character part
	Labels     []int32   // gold label of each token; nil in prediction
}
