package pos

import "github.com/lethe-deid/lethe/data/conllu"

import "strings"

// Chunks are the phrases of the CoNLL-2000 task (Tjong Kim Sang and Buchholz 2000),
// neither nested nor overlapping, made from the tags alone. At each word, the first of
// these that matches is taken, as long as possible:
//
//	NP    's? (DET | possessive)* (ADV ADJ | ADJ | VERB)* (NOUN | PROPN | NUM | SYM)+, or a PRON alone
//	VP    (AUX | VERB | PART) (AUX | VERB | PART | ADV)*, up to its last verb
//	ADJP  ADV* ADJ+
//	ADVP  ADV+
//	PP    ADP, without the noun phrase that follows
//	SBAR  SCONJ
//	PRT   a particle of a verb, Penn's RP
//	INTJ  INTJ+
//
// Everything else, mainly punctuation and conjunctions, is O. An adjective without a
// noun ends a noun phrase that has a determiner ("the poor"). An adjective after a noun
// belongs to the phrase in languages where adjectives follow nouns. A verb between a
// determiner or adjective and a noun belongs to the noun phrase ("the reported pain").
// So does a hyphen or a slash between two words of a noun phrase: "1 / 20 / 71" is one
// phrase, and so is "Dr . Varga", as some tokenizers split it.

// chunk sets the chunks of a sentence whose tags are set.
func (t *Tagger) chunk(out []Word) {
	s := phrases{out, t.behind}
	for i := 0; i < len(out); {
		kind, end := s.at(i)
		if kind == 0 {
			out[i].Chunk = "O"
			i++
			continue
		}
		out[i].Chunk = chunkNames[kind][0]
		for i++; i < end; i++ {
			out[i].Chunk = chunkNames[kind][1]
		}
	}
}

type phrase int

const (
	_ phrase = iota
	np
	vp
	adjp
	advp
	pp
	sbar
	prt
	intj
)

var chunkNames = [...][2]string{
	np: {"B-NP", "I-NP"}, vp: {"B-VP", "I-VP"}, adjp: {"B-ADJP", "I-ADJP"}, advp: {"B-ADVP", "I-ADVP"},
	pp: {"B-PP", "I-PP"}, sbar: {"B-SBAR", "I-SBAR"}, prt: {"B-PRT", "I-PRT"}, intj: {"B-INTJ", "I-INTJ"},
}

// phrases finds the phrases of a sentence.
type phrases struct {
	words  []Word
	behind bool
}

// tag returns the part of speech of word i, or "" outside of the sentence.
func (s phrases) tag(i int) string {
	if i < 0 || i >= len(s.words) {
		return ""
	}
	return s.words[i].UPOS
}

// at returns the phrase that begins at word i, and the index after it.
func (s phrases) at(i int) (phrase, int) {
	if end := s.noun(i); end > i {
		return np, end
	}
	if end := s.verb(i); end > i {
		return vp, end
	}
	switch s.tag(i) {
	case "ADP":
		if s.words[i].XPOS == "RP" {
			return prt, i + 1
		}
		return pp, i + 1
	case "SCONJ":
		return sbar, i + 1
	case "INTJ":
		return intj, s.run(i, "INTJ")
	case "ADJ", "ADV":
		adverbs := s.run(i, "ADV")
		if end := s.run(adverbs, "ADJ"); end > adverbs {
			return adjp, end
		}
		return advp, adverbs
	}
	return 0, i
}

// run returns the index after the run of words with the part of speech tag that begins
// at i.
func (s phrases) run(i int, tag string) int {
	for s.tag(i) == tag {
		i++
	}
	return i
}

// noun returns the index after the noun phrase that begins at word i, or i if there is
// none.
func (s phrases) noun(i int) int {
	j := i
	if s.genitive(j) {
		j++
	}
	for s.tag(j) == "DET" || s.possessive(j) {
		j++
	}
	if s.tag(j) == "PRON" {
		if j > i {
			return j
		}
		return j + 1
	}
	end, head := j, false
	for ; j < len(s.words); j++ {
		switch tag := s.tag(j); {
		case nominal(tag):
			head = true
			end = j + 1
		case tag == "ADJ" && !head:
			if end > i {
				end = j + 1
			}
		case tag == "ADJ" && s.behind:
			end = j + 1
		case tag == "ADJ" && s.nounAhead(j+1):
		case tag == "ADV" && s.tag(j+1) == "ADJ" && (!head || s.behind):
		case tag == "VERB" && !head && j > i && s.nounAhead(j+1):
		case head && end == j && s.joins(j):
		default:
			return end
		}
	}
	return end
}

// nounAhead reports whether a noun, possibly after adjectives, is at j.
func (s phrases) nounAhead(j int) bool {
	for s.tag(j) == "ADJ" {
		j++
	}
	return nominal(s.tag(j))
}

func nominal(tag string) bool {
	return tag == "NOUN" || tag == "PROPN" || tag == "NUM" || tag == "SYM"
}

// genitive reports whether word i is the Saxon genitive: 's, or ' alone.
func (s phrases) genitive(i int) bool {
	return s.tag(i) == "PART" && (s.words[i].XPOS == "POS" || strings.HasPrefix(s.words[i].Lemma, "'"))
}

// possessive reports whether word i is a possessive pronoun, in treebanks that count
// those among the pronouns.
func (s phrases) possessive(i int) bool {
	return s.tag(i) == "PRON" && (s.words[i].XPOS == "PRP$" || s.words[i].XPOS == "WP$")
}

// joins reports whether word i is a hyphen or a slash between two words of a noun
// phrase, or the full stop between a title and a name.
func (s phrases) joins(i int) bool {
	if s.tag(i) != "PUNCT" {
		return false
	}
	switch s.words[i].Lemma {
	case "-", "/", "–":
		return nominal(s.tag(i + 1))
	case ".":
		return s.tag(i+1) == "PROPN"
	}
	return false
}

// verb returns the index after the verb phrase that begins at word i, or i if there is
// none.
func (s phrases) verb(i int) int {
	end := i
	for j := i; j < len(s.words); j++ {
		switch s.tag(j) {
		case "AUX", "VERB":
			end = j + 1
		case "PART":
		case "ADV":
			if j == i {
				return i
			}
		default:
			return end
		}
	}
	return end
}

// adjectivesBehind reports whether adjectives follow nouns: whether a treebank has more
// adjectives directly after a noun than directly before one.
func adjectivesBehind(sentences []conllu.Sentence) bool {
	more := 0
	for _, s := range sentences {
		for i := 1; i < len(s.Words); i++ {
			switch {
			case s.Words[i-1].UPOS == "NOUN" && s.Words[i].UPOS == "ADJ":
				more++
			case s.Words[i-1].UPOS == "ADJ" && s.Words[i].UPOS == "NOUN":
				more--
			}
		}
	}
	return more > 0
}
