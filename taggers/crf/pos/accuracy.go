package pos

import "github.com/lethe-deid/lethe/data/conllu"

// Accuracy counts how often a tagger agrees with a treebank.
type Accuracy struct {
	All     Agreement `json:"all"`
	Unknown Agreement `json:"unknown"` // for words that are not in the tagger's dictionary
}

// Agreement counts words, and the words for which each tag is right.
type Agreement struct {
	Words     int `json:"words"`
	UPOS      int `json:"upos"`
	WithXPOS  int `json:"with_xpos"` // words that have an XPOS in the treebank
	XPOS      int `json:"xpos"`
	Tense     int `json:"tense"`      // no tense is right where the treebank has none
	WithLemma int `json:"with_lemma"` // words that have a lemma in the treebank
	Lemma     int `json:"lemma"`
}

// Test tags the words of a treebank and counts the correct tags.
func (t *Tagger) Test(sentences []conllu.Sentence) Accuracy {
	var a Accuracy
	var forms []string
	var out []Word
	for _, s := range sentences {
		forms = forms[:0]
		for _, w := range s.Words {
			forms = append(forms, w.Form)
		}
		out = t.Tag(forms, out)
		for i, w := range s.Words {
			a.All.add(w, out[i])
			if _, known := t.words[lower(w.Form)]; !known {
				a.Unknown.add(w, out[i])
			}
		}
	}
	return a
}

func (a *Agreement) add(gold conllu.Token, got Word) {
	a.Words++
	a.UPOS += count(gold.UPOS == got.UPOS)
	a.Tense += count(gold.Tense == got.Tense)
	if gold.XPOS != "" {
		a.WithXPOS++
		a.XPOS += count(gold.XPOS == got.XPOS)
	}
	if gold.Lemma != "" {
		a.WithLemma++
		a.Lemma += count(gold.Lemma == got.Lemma)
	}
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}
