// Package hf runs token-classification models as Hugging Face's transformers writes them: a folder with
// config.json, weights and a tokenizer. Package nn/encoder computes the network, data/subword its
// tokens, and checkpoints/huggingface reads the files. This package makes spans of a note out of them.
//
// # Windows
//
// A network reads a limited number of subwords at once. A longer note is cut into windows that
// overlap, between words and if possible between sentences. Every subword is in a window. A
// word in several windows has the mean of what the network says in each, weighted with its distance from the
// nearest cut, because a network knows least where its context ends. The labels are then decoded once, for the
// whole note.
//
// # Words
//
// A word has the label of its first subword. These models are trained so: the words of the corpus have
// labels, the first subword of each carries it, and the others count for nothing in the
// loss (Devlin et al. 2019, section 5.3). A span therefore consists of whole words. The words are those of one
// of Lethe's tokenizers; words that share a subword are one word. A word that the
// model's tokenizer ignores, such as a control character, has no label; spans go on across it.
//
// # Labels
//
// The scheme of the labels (BIO, BIOES, BILOU or bare types) follows from their names. If the
// model has a CRF, labels and probabilities are those of the CRF; otherwise each word has its
// most probable label, and sequences that the scheme does not allow are repaired as data.Scheme says. No span
// crosses a blank line.
package hf

import (
	"errors"
	"fmt"

	"github.com/lethe-deid/lethe/data/tokenize"
)

// Config has all settings of the tagger.
type Config struct {
	// Model is the folder of the model; required.
	Model string `yaml:"model"`
	// Types maps labels of the model, with their prefix or without it, to types of the corpus, or to null or drop:
	// they then count as no PHI. A label with its prefix takes precedence over its type. Types of the model that are also types of the
	// corpus map to themselves. All others must be listed.
	Types map[string]Type `yaml:"types,omitempty"`
	// Tokenizer is the name of what splits notes into words: see tokenize.Names. Default ptb.
	Tokenizer string `yaml:"tokenizer"`
	// Window is the maximum number of subwords, with the special ones at both ends, that the network
	// reads at once. A model that can read only fewer reads these. Default 512.
	Window int `yaml:"window"`
	// Stride is the number of subwords that a window shares with the one before, or fewer if a sentence
	// begins among them. It must be less than half of Window. Default 128; 0: none.
	Stride int `yaml:"stride"`
	// Int8 makes the large matrix products with weights and inputs of 8 bits, which is faster and less exact.
	// Default false.
	Int8 bool `yaml:"int8"`
}

// Type is the name of a type of the corpus, or empty for what is left out. In YAML it is a text, or null.
type Type struct {
	Name string `yaml:"name"`
}

// SetText implements strictyaml.Short. The text drop, as in a map of types, is the empty name.
func (t *Type) SetText(text string) {
	if text == "drop" {
		text = ""
	}
	t.Name = text
}

// MarshalYAML writes a text.
func (t Type) MarshalYAML() (any, error) {
	if t.Name == "" {
		return "drop", nil
	}
	return t.Name, nil
}

// DefaultConfig returns the default settings, which lack the model.
func DefaultConfig() Config { return Config{Tokenizer: "ptb", Window: 512, Stride: 128} }

// minWindow is the least number of subwords of a window.
const minWindow = 8

// Validate returns an error that begins with the first key whose value makes no sense. It
// opens no files.
func (c Config) Validate() error {
	if c.Model == "" {
		return errors.New("model: is required")
	}
	if _, err := tokenize.Lookup(c.Tokenizer); err != nil {
		return fmt.Errorf("tokenizer: %w", err)
	}
	switch {
	case c.Window < minWindow:
		return fmt.Errorf("window: %d is less than %d", c.Window, minWindow)
	case c.Stride < 0:
		return fmt.Errorf("stride: %d is negative", c.Stride)
	case 2*c.Stride >= c.Window:
		return fmt.Errorf("stride: %d is not less than half of window, %d", c.Stride, c.Window)
	}
	return nil
}
