package feature

import "github.com/lethe-deid/lethe/taggers/crf/wordnet"

// hypernymDepth is how far up the hypernyms are that are features.
const hypernymDepth = 3

// wordNet is what WordNet knows of the token as any part of speech. Each kind of
// value is a column of its own.
func wordNet() family {
	const about = "senses in WordNet, their names and hypernyms, of the size most frequent senses of each part of speech (Dernoncourt et al. 2016, table 2); 2 by default"
	return family{about: about, needs: "wordnet", size: 2, maximum: 20, columns: func(s Spec, r *Resources) ([]column, error) {
		of := func(name string, values func(net *wordnet.WordNet, sense wordnet.Synset, put func(string))) column {
			return column{name: name, lo: -s.Window, hi: s.Window, values: func(x *Text, put func(int, string)) {
				for t := range x.Tokens {
					for _, sense := range senses(r.wordnet, x.words[t], s.Size) {
						values(r.wordnet, sense, func(v string) { put(t, v) })
					}
				}
			}}
		}
		return []column{
			of("sense", func(net *wordnet.WordNet, sense wordnet.Synset, put func(string)) { put(net.ID(sense)) }),
			of("sense-name", func(net *wordnet.WordNet, sense wordnet.Synset, put func(string)) {
				for _, name := range net.Names(sense) {
					put(name)
				}
			}),
			of("hypernym", func(net *wordnet.WordNet, sense wordnet.Synset, put func(string)) {
				for _, h := range net.Hypernyms(sense, hypernymDepth) {
					put(net.ID(h))
				}
			}),
		}, nil
	}}
}

// senses are the most frequent ones of a word, so many of each part of speech.
func senses(net *wordnet.WordNet, word string, most int) []wordnet.Synset {
	var all []wordnet.Synset
	for _, pos := range [...]wordnet.POS{wordnet.Noun, wordnet.Verb, wordnet.Adjective, wordnet.Adverb} {
		if lemma, ok := net.Lemma(word, pos); ok {
			of := net.Senses(lemma, pos)
			all = append(all, of[:min(most, len(of))]...)
		}
	}
	return all
}
