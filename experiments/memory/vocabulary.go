package memory

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/tokenize"
	"github.com/lethe-deid/lethe/taggers"
	"github.com/lethe-deid/lethe/taggers/system"
)

// Vocabulary says which rare words of notes are in the files of a model. A word is a run of letters or
// digits of at least shortest characters, in any case. It is stored if it is one of the runs of a text that the model
// has.
type Vocabulary struct {
	Texts int `json:"texts"` // that the parts have: words, values of features
	// One and Few are the words of the training notes that occur with one patient, and with more but fewer than
	// Options.Patients.
	One Words `json:"one_patient"`
	Few Words `json:"few_patients"`
	// Unseen is the words of few patients of the notes that were held out, of those that are not in the training notes. They are stored for
	// other reasons, for example because pretrained vectors have them, and by chance.
	Unseen Words `json:"unseen"`
}

// Words counts words.
type Words struct {
	All       int `json:"all"`
	Stored    int `json:"stored"`
	PHI       int `json:"phi"` // occur within PHI, by the gold annotations
	StoredPHI int `json:"stored_phi"`
}

// shortest is the least number of characters of a word that counts, because shorter ones are parts of many others.
// An affix that is a feature of a CRF has fewer.
const shortest = 5

// use says where a word occurs.
type use struct {
	last, patients int
	phi            bool
}

func vocabulary(model data.Tagger, train, held []*data.Document, few int) Vocabulary {
	var v Vocabulary
	stored := map[string]bool{}
	for _, leaf := range system.Leaves(model) {
		t, ok := leaf.(taggers.Verbatim)
		if !ok {
			continue
		}
		for text := range t.Texts {
			v.Texts++
			for _, tok := range (tokenize.LettersDigits{}).Tokens(text, nil) {
				stored[strings.ToLower(text[tok.Start:tok.End])] = true
			}
		}
	}
	count := func(w *Words, word string, u *use) {
		has := stored[word]
		w.All++
		if u.phi {
			w.PHI++
		}
		if has {
			w.Stored++
		}
		if has && u.phi {
			w.StoredPHI++
		}
	}
	trained := uses(train)
	for word, u := range trained {
		switch {
		case u.patients == 1:
			count(&v.One, word, u)
		case u.patients < few:
			count(&v.Few, word, u)
		}
	}
	for word, u := range uses(held) {
		if u.patients < few && trained[word] == nil {
			count(&v.Unseen, word, u)
		}
	}
	return v
}

// uses returns where each word of notes, in lower case, occurs.
func uses(docs []*data.Document) map[string]*use {
	all := map[string]*use{}
	patients := data.NumberPatients(docs)
	byPatient := make([]int, len(docs))
	for i := range docs {
		byPatient[i] = i
	}
	slices.SortStableFunc(byPatient, func(a, b int) int { return patients[a] - patients[b] })
	for _, i := range byPatient {
		d := docs[i]
		for _, tok := range (tokenize.LettersDigits{}).Tokens(d.Text, nil) {
			w := strings.ToLower(d.Text[tok.Start:tok.End])
			if r, _ := utf8.DecodeRuneInString(w); utf8.RuneCountInString(w) < shortest || !unicode.IsLetter(r) && !unicode.IsDigit(r) {
				continue
			}
			u := all[w]
			if u == nil {
				u = &use{last: -1}
				all[w] = u
			}
			if u.last != patients[i] {
				u.last = patients[i]
				u.patients++
			}
			u.phi = u.phi || typeAt(d.Spans, tok) != ""
		}
	}
	return all
}
