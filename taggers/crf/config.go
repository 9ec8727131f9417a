// Package crf is the feature-based tagger that four of the papers use: a linear-chain
// conditional random field (package chain) over families of features (package feature).
package crf

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/taggers/crf/chain"
	"github.com/lethe-deid/lethe/taggers/crf/feature"
	"github.com/lethe-deid/lethe/taggers/internal/reader"
)

// Config has all settings of the tagger.
type Config struct {
	Tokenizer string         `yaml:"tokenizer"`    // letters-digits (default; Liu et al. 2017), ptb or whitespace
	Sentences string         `yaml:"sentences"`    // what is labelled together: line (default), blank-line, rules or note
	MaxTokens int            `yaml:"max_sentence"` // longer sentences are split; in tokens, at least 1; default 1000
	Scheme    data.Scheme    `yaml:"scheme"`       // IO, BIO (default) or BIOES
	PerType   bool           `yaml:"per_type"`     // one model per type (Dehghan et al. 2015, section 2 (III)); default false
	Types     []string       `yaml:"types"`        // types to learn; spans of other types are ignored; default all
	Preset    string         `yaml:"preset"`       // name of a paper's features, see Presets; they come before those of Features; default none
	Without   []string       `yaml:"without"`      // families of the preset to leave out; default none
	Features  []feature.Spec `yaml:"features"`     // default none; at least one is required unless there is a preset
	// Subsets lists the families that the model of a type uses; it requires PerType
	// (Dehghan et al. 2015, section 2 (III)). Types without an entry use all families.
	Subsets map[string][]string `yaml:"subsets"`
	// Priority settles overlaps between the spans of different types' models; it
	// requires PerType. It lists types in descending order of priority (Dehghan et al.
	// 2015, section 2 (V)); types that are not listed come last. Spans of equal
	// priority, and by default all spans, are settled by their scores: the highest wins.
	Priority []string `yaml:"priority"`
	// MinDocuments is the number of training documents, at least 1, in which a value of
	// a feature must occur. Rarer values are left out, which keeps most names out of
	// the model's file. Default 1: all are kept.
	MinDocuments int `yaml:"min_documents"`
	// MinPatients is as MinDocuments, but counts patients. Default 0: any.
	MinPatients int             `yaml:"min_patients,omitempty" json:",omitzero"`
	MinCount    int             `yaml:"min_count"` // features that occur less often are left out; default 1: all are kept
	Resources   feature.Sources `yaml:"resources"` // resources that features require besides the training notes; default none
	Training    Training        `yaml:"training"`
}

// SetMinPatients implements taggers.Cleaner.
func (c *Config) SetMinPatients(n int) (before int) {
	before, c.MinPatients = c.MinPatients, n
	return before
}

// Training configures how the weights are found.
type Training struct {
	Method     string  `yaml:"method"`       // lbfgs (default), sgd or perceptron
	L1         float64 `yaml:"l1,omitempty"` // for lbfgs: weight of the L1 penalty, which makes many weights exactly 0, so that their features and words are not in the model; CRFsuite's c1; default 0: no penalty
	L2         float64 `yaml:"l2"`           // weight of the L2 penalty, ignored by perceptron; default 1, as CRFsuite's c2; 0: no penalty
	Iterations int     `yaml:"iterations"`   // maximum number of iterations; for sgd and perceptron, passes over the notes; default 200
	Delta      float64 `yaml:"delta"`        // for lbfgs: training ends when Period iterations lower the loss by less than this share; default 1e-5
	Period     int     `yaml:"period"`       // for lbfgs: number of iterations that Delta refers to; default 10
	Rate       float64 `yaml:"rate"`         // for sgd: the highest learning rate to try, positive; default 0.1
}

// DefaultConfig returns CRFsuite's settings, without features.
func DefaultConfig() Config {
	return Config{
		Tokenizer: "letters-digits", Sentences: "line", MaxTokens: 1000, Scheme: data.BIO, MinDocuments: 1, MinCount: 1,
		Training: Training{Method: "lbfgs", L2: 1, Iterations: 200, Delta: 1e-5, Period: 10, Rate: 0.1},
	}
}

// maxIterations is more than any training requires.
const maxIterations = 1 << 20

// Validate returns an error that begins with the first key whose value makes no sense.
func (c Config) Validate() error {
	if err := reader.Check(c.Tokenizer, c.Sentences, c.MaxTokens, c.Scheme); err != nil {
		return err
	}
	if err := c.Resources.Validate(); err != nil {
		return fmt.Errorf("resources.%w", err)
	}
	if err := c.validateFeatures(); err != nil {
		return err
	}
	t := c.Training
	switch {
	case c.MinPatients < 0:
		return fmt.Errorf("min_patients: %d is negative", c.MinPatients)
	case c.MinDocuments < 1:
		return fmt.Errorf("min_documents: %d is not positive", c.MinDocuments)
	case c.MinCount < 1:
		return fmt.Errorf("min_count: %d is not positive", c.MinCount)
	case t.Method != "lbfgs" && t.Method != "sgd" && t.Method != "perceptron":
		return fmt.Errorf("training.method: %q is not lbfgs, sgd or perceptron", t.Method)
	case !(t.L2 >= 0):
		return fmt.Errorf("training.l2: %v is negative", t.L2)
	case !(t.L1 >= 0) || math.IsInf(t.L1, 0):
		return fmt.Errorf("training.l1: %v is negative or not a number", t.L1)
	case t.L1 > 0 && t.Method != "lbfgs":
		return fmt.Errorf("training.l1: is only for the method lbfgs, not for %s", t.Method)
	case t.Iterations < 1 || t.Iterations > maxIterations:
		return fmt.Errorf("training.iterations: %d is not in [1, %d]", t.Iterations, maxIterations)
	case !(t.Delta >= 0):
		return fmt.Errorf("training.delta: %v is negative", t.Delta)
	case t.Period < 1 || t.Period > maxIterations:
		return fmt.Errorf("training.period: %d is not in [1, %d]", t.Period, maxIterations)
	case !(t.Rate > 0):
		return fmt.Errorf("training.rate: %v is not positive", t.Rate)
	}
	return nil
}

// Effects implements taggers.Effective.
func (c Config) Effects() error {
	if key := feature.Unread(c.specs(), c.Resources); key != "" {
		return fmt.Errorf("resources.%s: no family reads it", key)
	}
	switch t, d := c.Training, DefaultConfig().Training; {
	case t.Rate != d.Rate && t.Method != "sgd":
		return fmt.Errorf("training.rate: is only for the method sgd, not for %s", t.Method)
	case t.Delta != d.Delta && t.Method != "lbfgs":
		return fmt.Errorf("training.delta: is only for the method lbfgs, not for %s", t.Method)
	case t.Period != d.Period && t.Method != "lbfgs":
		return fmt.Errorf("training.period: is only for the method lbfgs, not for %s", t.Method)
	case t.L2 != d.L2 && t.Method == "perceptron":
		return fmt.Errorf("training.l2: is not for the method perceptron")
	}
	return nil
}

func (c Config) validateFeatures() error {
	if _, ok := presets[c.Preset]; c.Preset != "" && !ok {
		return fmt.Errorf("preset: no preset %q (have %s)", c.Preset, strings.Join(Presets(), ", "))
	}
	has := func(specs []feature.Spec, family string) bool {
		return slices.ContainsFunc(specs, func(s feature.Spec) bool { return s.String() == family })
	}
	for i, family := range c.Without {
		if !has(presets[c.Preset], family) {
			return fmt.Errorf("without[%d]: the preset has no family %q", i, family)
		}
	}
	specs := c.specs()
	if len(specs) == 0 {
		return fmt.Errorf("features: at least one family or a preset is required")
	}
	if at, err := feature.Check(specs, c.Resources); err != nil {
		if own := at - (len(specs) - len(c.Features)); own >= 0 {
			return fmt.Errorf("features[%d].%w", own, err)
		}
		return fmt.Errorf("preset: %s: %w; without leaves a family out", c.Preset, err)
	}
	if len(c.Priority) > 0 && !c.PerType {
		return fmt.Errorf("priority: requires per_type")
	}
	for i, typ := range c.Priority {
		if slices.Contains(c.Priority[:i], typ) {
			return fmt.Errorf("priority: duplicate %s", typ)
		}
	}
	for _, typ := range slices.Sorted(maps.Keys(c.Subsets)) {
		if !c.PerType {
			return fmt.Errorf("subsets: requires per_type")
		}
		if len(c.Types) > 0 && !slices.Contains(c.Types, typ) {
			return fmt.Errorf("subsets: %s is not one of the types", typ)
		}
		if len(c.Subsets[typ]) == 0 {
			return fmt.Errorf("subsets.%s: at least one family is required", typ)
		}
		for i, family := range c.Subsets[typ] {
			if !has(specs, family) {
				return fmt.Errorf("subsets.%s[%d]: family %q is not among the features", typ, i, family)
			}
		}
	}
	return nil
}

// specs returns all families: those of the preset, then the config's own.
func (c Config) specs() []feature.Spec {
	preset := slices.DeleteFunc(slices.Clone(presets[c.Preset]), func(s feature.Spec) bool { return slices.Contains(c.Without, s.Family) })
	return append(preset, c.Features...)
}

func (c Config) reader() (reader.Reader, error) {
	return reader.New(c.Tokenizer, c.Sentences, c.MaxTokens)
}

// trainer returns the configured trainer.
func (t Training) trainer(seed uint64, workers int) chain.Trainer {
	switch t.Method {
	case "sgd":
		return chain.SGD{L2: t.L2, Rate: t.Rate, Iterations: t.Iterations, Seed: seed}
	case "perceptron":
		return chain.Perceptron{Iterations: t.Iterations, Seed: seed}
	}
	return chain.LBFGS{L1: t.L1, L2: t.L2, Iterations: t.Iterations, Delta: t.Delta, Period: t.Period, Workers: workers}
}
