// Package wordnet reads WordNet (Fellbaum 1998) for the semantic features of a
// CRF: "hypernyms, senses, lemma names" (Dernoncourt et al. 2016, table 2).
//
// A WordNet is a folder with the files of wndb(5WN): index.noun, data.noun and
// noun.exc, and the same for verb, adj and adv. Princeton's WordNet 3.0 and 3.1 have
// them in dict/, Debian's wordnet-base in /usr/share/wordnet. Reading WordNet 3.0 takes
// half a second and 30 MB of memory. Glosses, and relations other than hypernymy, are
// not read.
package wordnet

import (
	"slices"
	"strings"
)

// POS is a part of speech.
type POS byte

// The parts of speech, as the letters that WordNet uses for them.
const (
	Noun      POS = 'n'
	Verb      POS = 'v'
	Adjective POS = 'a' // including satellites
	Adverb    POS = 'r'
)

// FromUPOS returns WordNet's part of speech for one of Universal Dependencies; ok is
// false if WordNet has none.
func FromUPOS(upos string) (pos POS, ok bool) {
	switch upos {
	case "NOUN", "PROPN":
		return Noun, true
	case "VERB", "AUX":
		return Verb, true
	case "ADJ":
		return Adjective, true
	case "ADV":
		return Adverb, true
	}
	return 0, false
}

// WordNet is a WordNet in memory. It is read-only and safe for concurrent use.
type WordNet struct {
	parts   map[POS]*part
	synsets []synset
	ids     string // all IDs, concatenated
	digest  string
}

// part has the words of one part of speech.
type part struct {
	senses     map[string][]Synset // by lemma
	exceptions map[string][]string // lemmas of each irregular form
}

// Synset is a set of words with one meaning. It is valid only for the WordNet that
// returned it.
type Synset uint32

type synset struct {
	names     []string
	hypernyms []Synset
}

// idWidth is the length of an ID.
const idWidth = len("02084071-n")

// ID returns the synset's offset and part of speech in the files, as in "02084071-n".
// It is the same for equal WordNets.
func (w *WordNet) ID(s Synset) string { return w.ids[int(s)*idWidth:][:idWidth] }

// Names returns the words of a synset, most frequent first, as WordNet writes them:
// "domestic_animal". Callers must not change the slice.
func (w *WordNet) Names(s Synset) []string { return w.synsets[s].names }

// Senses returns the meanings of a lemma, most frequent first; none if WordNet does not
// have the lemma. Callers must not change the slice.
func (w *WordNet) Senses(lemma string, pos POS) []Synset {
	if p := w.parts[pos]; p != nil {
		return p.senses[lemma]
	}
	return nil
}

// Hypernyms returns the synsets that s is a kind or an instance of, up to depth steps
// away: nearest first, each once, without s itself. Adjectives and adverbs have none.
func (w *WordNet) Hypernyms(s Synset, depth int) []Synset {
	if depth < 1 || len(w.synsets[s].hypernyms) == 0 {
		return nil
	}
	found := []Synset{s}
	for from := 0; depth > 0 && from < len(found); depth-- {
		level := found[from:]
		from = len(found)
		for _, below := range level {
			for _, h := range w.synsets[below].hypernyms {
				if !slices.Contains(found, h) { // the links have cycles, even in WordNet 3.0
					found = append(found, h)
				}
			}
		}
	}
	return found[1:]
}

// Digest returns a SHA-256 of the files that Open read, which ignores other files of
// the folder. A model that was trained with a WordNet checks by its digest that it is
// used with the same one.
func (w *WordNet) Digest() string { return w.digest }

// Lemma returns the lemma of a word as morphy(7WN) finds it: from the list of irregular
// forms, else the word itself, else the first form that the rules for its ending
// produce and WordNet has. ok is false if WordNet has none of them. Case is ignored,
// and spaces count as underscores.
func (w *WordNet) Lemma(word string, pos POS) (lemma string, ok bool) {
	p := w.parts[pos]
	if p == nil {
		return "", false
	}
	word = strings.ReplaceAll(strings.ToLower(word), " ", "_")
	for _, lemma := range p.exceptions[word] {
		if _, ok := p.senses[lemma]; ok {
			return lemma, true
		}
	}
	if _, ok := p.senses[word]; ok {
		return word, true
	}
	stem, ful := word, ""
	if pos == Noun {
		if strings.HasSuffix(word, "ss") || len(word) <= 2 {
			return "", false
		}
		if before, ok := strings.CutSuffix(word, "ful"); ok { // boxesful
			stem, ful = before, "ful"
		}
	}
	for _, d := range detachments[pos] {
		if before, ok := strings.CutSuffix(stem, d.ending); ok {
			lemma := before + d.instead + ful
			if _, ok := p.senses[lemma]; ok {
				return lemma, true
			}
		}
	}
	return "", false
}

// detachments are the rules of morphy(7WN), in its order.
var detachments = map[POS][]struct{ ending, instead string }{
	Noun: {
		{"s", ""}, {"ses", "s"}, {"xes", "x"}, {"zes", "z"}, {"ches", "ch"}, {"shes", "sh"}, {"men", "man"}, {"ies", "y"},
	},
	Verb: {
		{"s", ""}, {"ies", "y"}, {"es", "e"}, {"es", ""}, {"ed", "e"}, {"ed", ""}, {"ing", "e"}, {"ing", ""},
	},
	Adjective: {
		{"er", ""}, {"est", ""}, {"er", "e"}, {"est", "e"},
	},
}
