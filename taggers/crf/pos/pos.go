// Package pos tags words with their part of speech, tense, lemma and position in a
// chunk, the syntactic features of a CRF: "token, lemma, tense, part-of-speech"
// (Dernoncourt et al. 2016, table 2), part-of-speech tags (Liu et al. 2017, section
// 3.3), "location within the chunk (beginning or inside)" (Dehghan et al. 2015). A
// tagger is trained on treebanks in CoNLL-U and works for the language of these.
//
// The tags come from an averaged perceptron (Collins 2002) that processes a sentence
// from left to right. A class combines the part of speech, the treebank's own tag and
// the tense. Frequent words that nearly always have the same class are looked up.
// Lemmas come from rules for the endings of words and a table of exceptions. Chunks
// come from a grammar over the tags: see chunk.go.
//
// A model contains words of the treebanks it was trained on. Those of Universal
// Dependencies are public. If you train on notes with PHI, protect the model as you
// protect the notes.
package pos

import (
	"strings"
	"sync"
)

// Word is the result of tagging one word.
type Word struct {
	UPOS  string // one of Universal Dependencies' 17 parts of speech: "NOUN"
	XPOS  string // the treebank's own tag, such as Penn's "VBD"; "" if the treebanks have none
	Tense string // conllu.Past, Present, Future, or "" for none
	Lemma string // the dictionary form; never empty unless the word is
	Chunk string // "B-NP", "I-NP", "B-VP", ... or "O": see chunk.go
}

// class is what the perceptron chooses between.
type class struct{ upos, xpos, tense string }

// Tagger tags sentences. It is read-only and safe for concurrent use.
type Tagger struct {
	classes []class
	words   map[string]known // the dictionary, by the word in lower case
	weights weights
	lemmas  lemmas
	behind  bool // adjectives follow nouns: "historia clínica"
	digest  string
}

// known is a dictionary entry: a word that occurs often enough in the treebanks.
type known struct {
	classes []uint16 // the classes that the word occurred with, most frequent first
	usual   int      // number of classes that are not rare
	key     uint64   // hash of the usual classes, for features; never 0
	use     use
}

// use tells how much the dictionary decides about a word, which depends on its
// frequency.
type use uint8

const (
	hint   use = iota // nothing: its classes are features
	closed            // the word has one of its classes
	sure              // the word has the first of its classes
)

// Tag tags the words of one sentence, which may be any strings that a tokenizer
// produces. It returns one Word per word, in out if that has the capacity.
func (t *Tagger) Tag(words []string, out []Word) []Word {
	s, _ := scratches.Get().(*scratch)
	defer scratches.Put(s)
	out = out[:0]
	s.read(t.words, words)
	for i := range words {
		c := t.class(s, i)
		s.tags = append(s.tags, c)
		k := t.classes[c]
		out = append(out, Word{UPOS: k.upos, XPOS: k.xpos, Tense: k.tense, Lemma: t.lemmas.of(words[i], s.words[i].lower, c)})
	}
	t.chunk(out)
	s.forget()
	return out
}

// XPOS reports whether the treebanks had their own tags.
func (t *Tagger) XPOS() bool { return len(t.classes) > 0 && t.classes[0].xpos != "" }

// Digest returns the SHA-256 of the model's contents, which identifies it.
func (t *Tagger) Digest() string { return t.digest }

// class returns the class of word i, given the classes of the words before it.
func (t *Tagger) class(s *scratch, i int) uint16 {
	k := &s.words[i].known
	if k.use == sure {
		return k.classes[0]
	}
	s.features(i)
	s.scores = resized(s.scores, len(t.classes))
	t.weights.add(s.keys, s.found[:], k.choice(), s.scores)
	return best(s.scores, k.choice())
}

// choice lists the classes that the word can have; none if it can have any.
func (k *known) choice() []uint16 {
	if k.use == closed {
		return k.classes
	}
	return nil
}

// best returns the class with the highest score among of, or among all if of is empty.
func best(scores []int32, of []uint16) uint16 {
	if len(of) == 0 {
		b := 0
		for c, x := range scores {
			if x > scores[b] {
				b = c
			}
		}
		return uint16(b)
	}
	b := of[0]
	for _, c := range of[1:] {
		if scores[c] > scores[b] {
			b = c
		}
	}
	return b
}

// resized returns a slice of n zeros, which reuses s if that has the capacity.
func resized(s []int32, n int) []int32 {
	if cap(s) < n {
		return make([]int32, n)
	}
	s = s[:n]
	clear(s)
	return s
}

// scratches are used for one sentence at a time.
var scratches = sync.Pool{New: func() any { return new(scratch) }}

// scratch is the working memory for a sentence.
type scratch struct {
	words  []word
	tags   []uint16 // classes of the words so far
	keys   []uint32 // features of the current word
	found  [maxFeatures]uint64
	scores []int32 // scores of its classes
}

// forget releases the words, which come from a note.
func (s *scratch) forget() {
	clear(s.words)
	s.words, s.tags = s.words[:0], s.tags[:0]
}

// lower returns the word in lower case; it allocates only if that differs.
func lower(word string) string { return strings.ToLower(word) }
