package feature

import "github.com/lethe-deid/lethe/taggers/crf/wordnet"

// hypernymDepth is the maximum number of steps to hypernyms that are features.
const hypernymDepth = 3

// wordNet has what WordNet contains about the token as any part of speech. Each kind of
// value has a column of its own.
func wordNet() family {
	const about = "the size most frequent senses in WordNet for each part of speech, with their names and hypernyms (Dernoncourt et al. 2016, table 2); 2 by default"
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

// senses returns the most frequent senses of a word, at most this many per part of
// speech.
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
