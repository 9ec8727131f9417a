package tagger

import (
	"fmt"
	"math"

	"github.com/lethe-deid/lethe/nn"
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
	Cell               nn.Cell `yaml:"cell"`                // coupled (default, the reference's), peephole (the paper's equations), full-peephole (those of Liu et al. 2017) or standard
}

// DefaultConfig returns the network of the paper with the cell of the reference.
func DefaultConfig() Config {
	return Config{CharacterEmbedding: 25, CharacterLSTM: 25, TokenEmbedding: 100, TokenLSTM: 100, Hidden: 100,
		Dropout: 0.5, CRF: true, Cell: nn.Coupled}
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
	return c.Cell.Validate()
}
