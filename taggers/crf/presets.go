package crf

import (
	"maps"
	"slices"

	"github.com/lethe-deid/lethe/taggers/crf/feature"
)

// Presets lists the names of the papers' feature sets.
func Presets() []string { return slices.Sorted(maps.Keys(presets)) }

// presets maps names to features. A preset has features only; the rest of a paper's
// system (labels, trainer, resources) is in experiments/configs.
var presets = map[string][]feature.Spec{
	// Dernoncourt et al. 2016, section 2.1 and table 2. "All the features for a given
	// token are computed based on that token and on the four surrounding tokens": a
	// window of 2. The table calls its features examples, and does not give the length
	// of affixes. The families morphology and temporal have values beyond the table's:
	// upper case, capitals inside, punctuation, and units of time.
	"dernoncourt2016": {
		{Family: "word", Window: 2}, {Family: "lemma", Window: 2}, {Family: "tense", Window: 2}, {Family: "pos", Window: 2},
		{Family: "morphology", Window: 2}, {Family: "prefix", Window: 2, Size: 5}, {Family: "suffix", Window: 2, Size: 5},
		{Family: "temporal", Window: 2},
		{Family: "wordnet", Window: 2},
		{Family: "gazetteer", Window: 2},
		{Family: "rule", Window: 2},
	},

	// Liu et al. 2017, section 3.3, in its order. Its 29 section headings are in a
	// supplement that we do not have; resources.headings lists others. The general NER
	// tags "date" and "number" require the family rule besides. The bigrams and trigrams
	// of words are in lower case, long sentences are counted in steps, and a dictionary
	// is a value for each token of an entry rather than a bit; all of this is ours.
	"liu2017": {
		{Family: "word", Window: 2}, {Family: "ngram", Window: 2, Size: 3},
		{Family: "pos", Window: 2, Size: 3}, {Family: "word-pos"},
		{Family: "sentence"},
		{Family: "prefix", Size: 5}, {Family: "suffix", Size: 5},
		{Family: "morphology"}, {Family: "shape"},
		{Family: "section"},
		{Family: "entity"},
		{Family: "cluster"}, {Family: "vector"},
		{Family: "gazetteer"},
	},

	// Dehghan et al. 2015, section 2 (III): lexical, orthographic, semantic and
	// positional features. The context is two tokens on each side. The paper leaves
	// open which "context features" there are besides lemmas and parts of speech; here,
	// all features except the token itself, its chunk and its line are used for the
	// context. The dictionaries of the semantic features (states, cities, months,
	// professions, profession hints) and the expression for zip codes are resources: see
	// experiments/configs/dehghan2015. The features of each type are a subset that the
	// authors selected on their development set: see Config.Subsets.
	"dehghan2015": {
		{Family: "word"}, {Family: "lemma", Window: 2}, {Family: "pos", Window: 2}, {Family: "chunk"},
		{Family: "morphology", Window: 2}, {Family: "pattern", Window: 2},
		{Family: "gazetteer", Window: 2}, {Family: "rule", Window: 2},
		{Family: "line"}, {Family: "space", Window: 2},
	},

	// Zuccon et al. 2014, section 3, and the settings of section 4.3: BASIC is family (1) alone, POS adds
	// family (6), REG adds family (7), and BOTH has all families except (3), the trigrams, which stand
	// "in place of" the longer n-grams of (1). The position in the PHI, a part of family (5), is not a feature
	// of the text but of the labels: those of BIO tell the first token of a phrase from the others.
	"anonym-basic": anonymBasic,
	"anonym-pos":   anonym(feature.Spec{Family: "pos"}),
	"anonym-reg":   anonym(feature.Spec{Family: "rule"}),
	"anonym-both": anonym(
		feature.Spec{Family: "disjunctive", Size: 4}, // (2)
		feature.Spec{Family: "short", Size: 3},       // (4)
		feature.Spec{Family: "position"},             // (5)
		feature.Spec{Family: "pos"}, feature.Spec{Family: "rule"},
	),

	"meddocan": {
		{Family: "word", Window: 2}, {Family: "lower", Window: 3}, {Family: "ngram", Window: 2, Size: 2},
		{Family: "prefix", Size: 4}, {Family: "suffix", Size: 4}, {Family: "shape", Window: 2}, {Family: "morphology", Window: 1},
		{Family: "label"}, {Family: "section"}, {Family: "space", Window: 2}, {Family: "temporal", Window: 1},
	},
}

// anonymBasic is family (1) of Zuccon et al. 2014.
var anonymBasic = []feature.Spec{{Family: "shape"}, {Family: "characters", Size: 6}}

// anonym returns anonymBasic and other families.
func anonym(more ...feature.Spec) []feature.Spec { return slices.Concat(anonymBasic, more) }
