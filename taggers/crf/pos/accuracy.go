package pos

// Accuracy counts how often a tagger agrees with a treebank.
type Accuracy struct {
	All     Agreement `json:"all"`
	Unknown Agreement `json:"unknown"` // of words that the tagger's dictionary lacks
}

// Agreement counts words, and for how many of them each tag is right.
type Agreement struct {
	Words     int `json:"words"`
	UPOS      int `json:"upos"`
	WithXPOS  int `json:"with_xpos"` // words that have one in the treebank
	XPOS      int `json:"xpos"`
	Tense     int `json:"tense"`      // none, where the treebank has none, is right
	WithLemma int `json:"with_lemma"` // words that have one in the treebank
	Lemma     int `json:"lemma"`
}

// Test tags the words of a treebank and counts what is right.
func (t *Tagger) Test(sentences []Sentence) Accuracy {
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

func (a *Agreement) add(gold Token, got Word) {
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
