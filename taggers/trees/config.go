package trees

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/taggers/gazetteer"
	"github.com/lethe-deid/lethe/taggers/internal/reader"
	"github.com/lethe-deid/lethe/taggers/rules"
	"github.com/lethe-deid/lethe/taggers/trees/c45"
)

// The sets of triggers.
const (
	TokenTriggers   = "token"   // the words up to three tokens before and after a token of a phrase
	PhraseTriggers  = "phrase"  // the words up to six tokens after a phrase
	TrigramTriggers = "trigram" // the sequences of one to three words before and after a phrase
)

// Sets returns the names of the sets of triggers.
func Sets() []string { return []string{TokenTriggers, PhraseTriggers, TrigramTriggers} }

// Values of Config.Attributes.
const (
	allAttributes     = "all"
	trustedAttributes = "trusted"
)

// Config has all settings of the tagger.
type Config struct {
	Tokenizer string `yaml:"tokenizer"`    // letters-digits (default), ptb or whitespace
	Sentences string `yaml:"sentences"`    // what a span lies within: line (default), blank-line, rules or note
	MaxTokens int    `yaml:"max_sentence"` // longer sentences are split; in tokens, at least 1; default 1000
	// Scheme is the label scheme: IO (default), as in the paper, where adjacent tokens of
	// one type in a sentence are one span; BIO or BIOES, which separate adjacent spans.
	Scheme data.Scheme `yaml:"scheme"`
	// Triggers lists the sets of triggers: token, phrase, trigram. For each, one model is
	// trained. Of several models, two must agree on the class of a token. Default none,
	// which means all three.
	Triggers []string `yaml:"triggers"`
	// Iterations is the number of steps of the paper's "Iterative learning": 1, one
	// training; 2, a second training with trusted phrases as attributes; 3 (default),
	// then every occurrence of a phrase that was found gets the class of the phrase.
	Iterations   int     `yaml:"iterations"`
	By           string  `yaml:"by"`            // whose trusted and found phrases a note shares: patient (default), all notes of the patient; or document, only its own
	Attributes   string  `yaml:"attributes"`    // all (default), or trusted: the seven attributes of the paper's baseline
	Rounds       int     `yaml:"rounds"`        // rounds of boosting, at least 1; default 30; 1: a single tree
	MinInstances int     `yaml:"min_instances"` // minimum number of tokens in a leaf, at least 1; default 5
	Confidence   float64 `yaml:"confidence"`    // confidence factor of pruning, in (0, 0.5]; smaller values prune more; default 0.35
	// MinDocuments is the number of training notes, at least 2, in which a word must
	// occur to become part of the model: of a trigger, a heading, or the first or last
	// word of phrases. Occurrences in names and numbers of persons do not count, and
	// notes of the same patient count as one. Default 5.
	MinDocuments int `yaml:"min_documents"`
	// MinPatients is a lower bound on MinDocuments. If it is not 0, the values of numbers are
	// not attributes, because thresholds in trees are values from single notes. Default 0.
	MinPatients int `yaml:"min_patients,omitempty" json:",omitzero"`
	// MinGain is the minimum information gain of a trigger: the bits by which it lowers
	// the entropy of the classes of all training tokens together, at least 0; default 10.
	MinGain   float64 `yaml:"min_gain"`
	Resources Sources `yaml:"resources"` // what attributes require besides the training notes; default none
}

// Sources names the files that attributes require besides the training notes. By
// default all are empty, and the attributes are left out.
type Sources struct {
	Gazetteers gazetteer.Lists `yaml:"gazetteers"` // gazetteer lists
	Rules      []rules.Config  `yaml:"rules"`      // rule sets, such as those for AGE, PHONE and ID
	Text       []string        `yaml:"text"`       // plain text for the frequencies of words, optionally gzipped
}

// DefaultConfig returns the settings of the paper, without lists, rules and text.
func DefaultConfig() Config {
	return Config{
		Tokenizer: "letters-digits", Sentences: "line", MaxTokens: 1000, Scheme: data.IO, Iterations: 3, By: data.ByPatient, Attributes: allAttributes,
		Rounds: 30, MinInstances: 5, Confidence: 0.35, MinDocuments: 5, MinGain: 10,
	}
}

// SetMinPatients implements taggers.Cleaner.
func (c *Config) SetMinPatients(n int) (before int) {
	before, c.MinPatients = c.MinPatients, n
	return before
}

// least returns the number of patients in whose notes a word must occur.
func (c Config) least() int { return max(c.MinDocuments, c.MinPatients) }

// maxRounds is more than any training requires.
const maxRounds = 10_000

// Validate returns an error that begins with the first key whose value makes no sense.
func (c Config) Validate() error {
	if err := reader.Check(c.Tokenizer, c.Sentences, c.MaxTokens, c.Scheme); err != nil {
		return err
	}
	for i, set := range c.Triggers {
		if !slices.Contains(Sets(), set) {
			return fmt.Errorf("triggers[%d]: %q is not %s", i, set, strings.Join(Sets(), ", "))
		}
		if slices.Contains(c.Triggers[:i], set) {
			return fmt.Errorf("triggers[%d]: duplicate %s", i, set)
		}
	}
	if err := data.CheckBy(c.By); err != nil {
		return fmt.Errorf("by: %w", err)
	}
	switch {
	case c.Iterations < 1 || c.Iterations > 3:
		return fmt.Errorf("iterations: %d is not 1, 2 or 3", c.Iterations)
	case c.Attributes != allAttributes && c.Attributes != trustedAttributes:
		return fmt.Errorf("attributes: %q is not all or trusted", c.Attributes)
	case c.Rounds < 1 || c.Rounds > maxRounds:
		return fmt.Errorf("rounds: %d is not in [1, %d]", c.Rounds, maxRounds)
	case c.MinInstances < 1:
		return fmt.Errorf("min_instances: %d is not positive", c.MinInstances)
	case !(c.Confidence > 0 && c.Confidence <= 0.5):
		return fmt.Errorf("confidence: %v is not in (0, 0.5]", c.Confidence)
	case c.MinDocuments < 2:
		return fmt.Errorf("min_documents: %d is not at least 2: a word of a single note must not become part of a model", c.MinDocuments)
	case c.MinPatients < 0:
		return fmt.Errorf("min_patients: %d is negative", c.MinPatients)
	case !(c.MinGain >= 0):
		return fmt.Errorf("min_gain: %v is negative", c.MinGain)
	}
	if err := c.Resources.validate(); err != nil {
		return fmt.Errorf("resources.%w", err)
	}
	return nil
}

// validate returns an error that begins with the first key whose value makes no sense.
func (s Sources) validate() error {
	if len(s.Gazetteers) > 0 {
		if err := s.Gazetteers.Validate(); err != nil {
			return fmt.Errorf("gazetteers: %w", err)
		}
	}
	for i, r := range s.Rules {
		if err := r.Validate(); err != nil {
			return fmt.Errorf("rules[%d].%w", i, err)
		}
	}
	for i, path := range s.Text {
		if path == "" {
			return fmt.Errorf("text[%d]: the path is empty", i)
		}
	}
	return nil
}

// sets returns the sets of triggers in use.
func (c Config) sets() []string {
	if len(c.Triggers) == 0 {
		return Sets()
	}
	return c.Triggers
}

// trainings returns the number of times that models are trained.
func (c Config) trainings() int { return min(c.Iterations, 2) }

func (c Config) options() c45.Options {
	o := c45.DefaultOptions()
	o.MinInstances, o.Confidence, o.Raising = c.MinInstances, c.Confidence, true
	return o
}
