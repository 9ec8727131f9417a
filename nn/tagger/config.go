package tagger

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"github.com/lethe-deid/lethe/nn"
)

// Config is the shape of the network. The defaults are the paper's, or the reference's if the paper
// does not say. Units are from 0 to 16384.
type Config struct {
	Characters         Characters `yaml:"characters,omitempty" json:",omitzero"`        // what encodes the characters of a token: lstm (default, the paper's), cnn or none
	CharacterEmbedding int        `yaml:"character_embedding"`                          // dimension of a character's vector; default 25; 0 only without a character part
	CharacterLSTM      int        `yaml:"character_lstm"`                               // for lstm: hidden units per direction; default 25; 0: no character part
	CharacterFilters   int        `yaml:"character_filters,omitempty" json:",omitzero"` // for cnn: number of filters, at least 1; default 30 (Ma and Hovy 2016)
	CharacterWidth     int        `yaml:"character_width,omitempty" json:",omitzero"`   // for cnn: characters that a filter sees at once, at least 1; default 3 (Ma and Hovy 2016)
	TokenEmbedding     int        `yaml:"token_embedding"`                              // dimension of a token's vector; default 100; 0: no token vectors
	TokenScale         float64    `yaml:"token_scale"`                                  // standard deviation of random token vectors; default 0: Glorot's, as in the reference
	EmbeddingRange     float64    `yaml:"embedding_range,omitempty" json:",omitzero"`   // vectors of characters and features begin uniformly in [-range, range] (Liu et al. 2017, section 3.9: 1); default 0: Glorot's
	TokenLSTM          Units      `yaml:"token_lstm,flow"`                              // hidden units per direction of the token BiLSTM, or of each if several are stacked; default 100; 0: none
	LayerNorm          bool       `yaml:"layer_norm,omitempty" json:",omitzero"`        // layer normalisation after each token BiLSTM; default false
	Hidden             int        `yaml:"hidden"`                                       // units of the tanh layer; default 100, the reference's; 0: no such layer
	Dropout            float64    `yaml:"dropout"`                                      // probability that an input of a token BiLSTM is dropped, in [0, 1); default 0.5; 0: off
	WordDropout        float64    `yaml:"word_dropout"`                                 // probability that a token's whole input is dropped, in [0, 1); default 0: off
	CRF                bool       `yaml:"crf"`                                          // a linear-chain CRF over the labels; default true; false: a softmax at each token
	Int8               bool       `yaml:"int8,omitempty" json:",omitzero"`              // multiply integers of 8 bits after training, which is faster and a little less exact; default false
	Cell               nn.Cell    `yaml:"cell"`                                         // coupled (default, the reference's), peephole (the paper's equations), full-peephole (those of Liu et al. 2017) or standard
}

// Characters names a kind of character part.
type Characters string

// The kinds of character part.
const (
	CharacterLSTM Characters = "lstm" // the last states of a BiLSTM: Dernoncourt et al. 2016, section 2.2.2
	CharacterCNN  Characters = "cnn"  // a convolution and the maximum of each filter: Ma and Hovy 2016, section 2.1
	NoCharacters  Characters = "none"
)

// Units are the hidden units per direction of stacked BiLSTMs, the one nearest to the input first. 0
// alone means no BiLSTM. In YAML and JSON, a single number is written without a list.
type Units []int

// DefaultConfig returns the network of the paper with the cell of the reference.
func DefaultConfig() Config {
	return Config{Characters: CharacterLSTM, CharacterEmbedding: 25, CharacterLSTM: 25, CharacterFilters: 30, CharacterWidth: 3,
		TokenEmbedding: 100, TokenLSTM: Units{100}, Hidden: 100, Dropout: 0.5, CRF: true, Cell: nn.Coupled}
}

// ReadsCharacters reports whether the network has a character part.
func (c Config) ReadsCharacters() bool { return c.characters() > 0 }

// characters returns the number of columns of the character part, 0 without one.
func (c Config) characters() int {
	switch c.Characters {
	case CharacterLSTM:
		return 2 * c.CharacterLSTM
	case CharacterCNN:
		return c.CharacterFilters
	}
	return 0
}

// maxSize bounds all sizes. Larger ones are likely typing errors.
const maxSize = 1 << 14

// Validate returns an error that begins with the first invalid key.
func (c Config) Validate() error {
	for _, d := range []struct {
		key       string
		size, min int
	}{{"character_embedding", c.CharacterEmbedding, 0}, {"character_lstm", c.CharacterLSTM, 0}, {"character_filters", c.CharacterFilters, 1},
		{"character_width", c.CharacterWidth, 1}, {"token_embedding", c.TokenEmbedding, 0}, {"hidden", c.Hidden, 0}} {
		if err := checkSize(d.key, d.size, d.min); err != nil {
			return err
		}
	}
	if err := c.TokenLSTM.validate("token_lstm"); err != nil {
		return err
	}
	switch {
	case c.Characters != CharacterLSTM && c.Characters != CharacterCNN && c.Characters != NoCharacters:
		return fmt.Errorf("characters: %q is not lstm, cnn or none", string(c.Characters))
	case c.Characters == CharacterLSTM && c.CharacterLSTM > 0 && c.CharacterEmbedding == 0:
		return fmt.Errorf("character_embedding: 0, but character_lstm is %d", c.CharacterLSTM)
	case c.Characters == CharacterCNN && c.CharacterEmbedding == 0:
		return fmt.Errorf("character_embedding: 0, but characters is cnn")
	case !c.ReadsCharacters() && c.TokenEmbedding == 0:
		return fmt.Errorf("token_embedding: 0, and there is no character part: the network has no input")
	case c.LayerNorm && len(c.TokenLSTM.layers()) == 0:
		return fmt.Errorf("layer_norm: true, but token_lstm is 0")
	case !(c.Dropout >= 0 && c.Dropout < 1):
		return fmt.Errorf("dropout: %v is not in [0, 1)", c.Dropout)
	case !(c.WordDropout >= 0 && c.WordDropout < 1):
		return fmt.Errorf("word_dropout: %v is not in [0, 1)", c.WordDropout)
	case !(c.EmbeddingRange >= 0) || math.IsInf(c.EmbeddingRange, 0):
		return fmt.Errorf("embedding_range: %v is negative or not a number", c.EmbeddingRange)
	case !(c.TokenScale >= 0) || math.IsInf(c.TokenScale, 0):
		return fmt.Errorf("token_scale: %v is negative or not a number", c.TokenScale)
	}
	return c.Cell.Validate()
}

// Effects returns an error that begins with the first key whose value differs from its default but has no effect, because the network lacks the part that it is for. 0, with
// which there would be no such part, is no error.
func (c Config) Effects() error {
	d := DefaultConfig()
	for _, s := range []struct {
		key            string
		size, standard int
		part           Characters
	}{{"character_lstm", c.CharacterLSTM, d.CharacterLSTM, CharacterLSTM}, {"character_filters", c.CharacterFilters, d.CharacterFilters, CharacterCNN}, {"character_width", c.CharacterWidth, d.CharacterWidth, CharacterCNN}} {
		if s.size != s.standard && s.size != 0 && c.Characters != s.part {
			return fmt.Errorf("%s: is only for characters: %s, not for %s", s.key, s.part, c.Characters)
		}
	}
	switch {
	case c.TokenScale != 0 && c.TokenEmbedding == 0:
		return fmt.Errorf("token_scale: %v, but token_embedding is 0", c.TokenScale)
	case c.Cell != d.Cell && len(c.TokenLSTM.layers()) == 0 && (c.Characters != CharacterLSTM || c.CharacterLSTM == 0):
		return fmt.Errorf("cell: %s, but there is no LSTM: token_lstm is 0, and characters have none", c.Cell)
	}
	return nil
}

func checkSize(key string, size, least int) error {
	if size < least || size > maxSize {
		return fmt.Errorf("%s: %d is not between %d and %d", key, size, least, maxSize)
	}
	return nil
}

func (u Units) validate(key string) error {
	switch len(u) {
	case 0:
		return fmt.Errorf("%s: the list is empty; 0 stands for no layer", key)
	case 1:
		return checkSize(key, u[0], 0)
	}
	for i, size := range u {
		if err := checkSize(fmt.Sprintf("%s[%d]", key, i), size, 1); err != nil {
			return err
		}
	}
	return nil
}

// layers returns the units of each BiLSTM, of which there are none for 0.
func (u Units) layers() []int {
	if len(u) == 1 && u[0] == 0 {
		return nil
	}
	return u
}

// Series implements strictyaml.Series.
func (Units) Series() {}

// String returns the units as in YAML, such as 100 or [100, 50].
func (u Units) String() string {
	if len(u) == 1 {
		return fmt.Sprint(u[0])
	}
	return strings.ReplaceAll(fmt.Sprint([]int(u)), " ", ", ")
}

// MarshalYAML writes a single layer as a number.
func (u Units) MarshalYAML() (any, error) { return u.plain(), nil }

// MarshalJSON writes a single layer as a number.
func (u Units) MarshalJSON() ([]byte, error) { return json.Marshal(u.plain()) }

func (u Units) plain() any {
	if len(u) == 1 {
		return u[0]
	}
	return []int(u)
}

// written is a Config as it is encoded.
type written Config

// written removes the default values of the settings that earlier versions did not have. A network
// that does not use them has the same files, and its training the same digest, as before.
func (c Config) written() written {
	d := DefaultConfig()
	if c.Characters == d.Characters {
		c.Characters = ""
	}
	if c.CharacterFilters == d.CharacterFilters {
		c.CharacterFilters = 0
	}
	if c.CharacterWidth == d.CharacterWidth {
		c.CharacterWidth = 0
	}
	return written(c)
}

// MarshalYAML leaves out the newer settings that have their defaults.
func (c Config) MarshalYAML() (any, error) { return c.written(), nil }

// MarshalJSON leaves out the newer settings that have their defaults.
func (c Config) MarshalJSON() ([]byte, error) { return json.Marshal(c.written()) }
