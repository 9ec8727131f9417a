// Package pos tags words with their part of speech, tense, lemma and place in a
// chunk, the syntactic features of a CRF: "token, lemma, tense, part-of-speech"
// (Dernoncourt et al. 2016, table 2), part-of-speech tags (Liu et al. 2017,
// section 3.2), "location within the chunk (beginning or inside)" (Dehghan et al.
// 2015). A tagger is learnt from treebanks in CoNLL-U, so it speaks whatever
// language they are in.
//
// The tags come from an averaged perceptron (Collins 2002) that goes through a
// sentence from left to right. One class is all that a treebank says of a word at
// once: part of speech, the treebank's own tag, tense. Words that are frequent
// and always the same are looked up. Lemmas follow rules on the ends of words,
// and a table of the exceptions. Chunks follow a grammar on the tags: see chunk.go.
//
// A model holds words of the treebanks it was trained on. Those of Universal
// Dependencies are public; of notes with PHI, treat it as you treat the notes.
package pos

import (
	"strings"
	"sync"
)

// Word is what a tagger says of a word.
type Word struct {
	UPOS  string // one of Universal Dependencies' 17 parts of speech: "NOUN"
	XPOS  string // the treebank's own tag, as Penn's "VBD"; "" where the treebanks had none
	Tense string // Past, Present, Future, or "" for none
	Lemma string // the form in the dictionary; never empty unless the word is
	Chunk string // "B-NP", "I-NP", "B-VP", ... or "O": see chunk.go
}

// The tenses. Universal Dependencies' imperfect and pluperfect are past tenses.
const (
	Past    = "Past"
	Present = "Pres"
	Future  = "Fut"
)

// class is what the perceptron chooses between.
type class struct{ upos, xpos, tense string }

// Tagger tags sentences. It is read-only and safe for several goroutines.
type Tagger struct {
	classes []class
	words   map[string]known // the dictionary, by the word in lower case
	weights weights
	lemmas  lemmas
	behind  bool // adjectives stand behind nouns: "historia clínica"
	digest  string
}

// known is a dictionary entry: a word that the treebanks hold often enough.
type known struct {
	classes []uint16 // that the word was seen with, the most frequent first
	usual   int      // how many of them are not rare
	key     uint64   // a hash of the usual ones, for features; never 0
	use     use
}

// use says what the dictionary decides about a word, by how frequent it is.
type use uint8

const (
	hint   use = iota // nothing: its classes are features
	closed            // it has one of its classes
	sure              // it has the first of them
)

// Tag returns what it says of each word of one sentence, in out if that has the
// room. What stands for a word is any string, as a tokenizer cuts it.
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

// XPOS says whether the treebanks had tags of their own.
func (t *Tagger) XPOS() bool { return len(t.classes) > 0 && t.classes[0].xpos != "" }

// Digest is the same for equal models, and for no others.
func (t *Tagger) Digest() string { return t.digest }

// class decides on word i, given those before it.
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

// best is the class with the greatest score: of some, or of all if there are none.
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

// resized is a slice of n zeros, in the given one if that has the room.
func resized(s []int32, n int) []int32 {
	if cap(s) < n {
		return make([]int32, n)
	}
	s = s[:n]
	clear(s)
	return s
}

// scratches are used by one sentence at a time.
var scratches = sync.Pool{New: func() any { return new(scratch) }}

// scratch is what is worked out about a sentence.
type scratch struct {
	words  []word
	tags   []uint16 // of the words so far
	keys   []uint32 // features of the word at hand
	found  [maxFeatures]uint64
	scores []int32 // of its classes
}

// forget lets go of the words: they are a note's.
func (s *scratch) forget() {
	clear(s.words)
	s.words, s.tags = s.words[:0], s.tags[:0]
}

// lower is the word in lower case; it makes a new string only if that differs.
func lower(word string) string { return strings.ToLower(word) }
