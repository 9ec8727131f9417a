package pos

// Accuracy counts how often a tagger agrees with a treebank.
type Accuracy struct {
	Words        int `json:"words"`
	UPOS         int `json:"upos"`
	XPOS         int `json:"xpos"`
	Tense        int `json:"tense"`
	Lemma        int `json:"lemma"`
	WithXPOS     int `json:"with_xpos"`     // words that the treebank gives an XPOS
	WithLemma    int `json:"with_lemma"`    // and a lemma
	Unknown      int `json:"unknown"`       // words that the tagger's dictionary lacks
	UnknownUPOS  int `json:"unknown_upos"`  // of these
	UnknownXPOS  int `json:"unknown_xpos"`  // of these
	UnknownLemma int `json:"unknown_lemma"` // of these
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
			_, known := t.words[lower(w.Form)]
			u := count(!known)
			upos, xpos, lemma := count(w.UPOS == out[i].UPOS), count(w.XPOS != "" && w.XPOS == out[i].XPOS), count(w.Lemma != "" && w.Lemma == out[i].Lemma)
			a.Words++
			a.UPOS += upos
			a.XPOS += xpos
			a.Tense += count(w.Tense == out[i].Tense)
			a.Lemma += lemma
			a.WithXPOS += count(w.XPOS != "")
			a.WithLemma += count(w.Lemma != "")
			a.Unknown += u
			a.UnknownUPOS += u * upos
			a.UnknownXPOS += u * xpos
			a.UnknownLemma += u * lemma
		}
	}
	return a
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}
