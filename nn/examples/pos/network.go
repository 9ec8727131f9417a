package main

import (
	G "gorgonia.org/gorgonia"

	"github.com/lethe-deid/lethe/nn"
)

// The sizes of the network.
const (
	characterSize = 32  // of a character's vector
	spellingUnits = 64  // per direction of the LSTM over the characters of a word
	wordSize      = 100 // of a word's vector
	sentenceUnits = 128 // per direction of the LSTM over the words of a sentence
)

// kinds are the two kinds of tags of a treebank.
var kinds = [2]string{"UPOS", "XPOS"}

// sentence is an example: a sentence in numbers.
type sentence struct {
	forms    []string   // the words as written
	spelling [][]int32  // of each word: rows of the character table
	words    []int32    // rows of the word table
	tags     [2][]int32 // of each kind
}

// Len returns the number of words.
func (s sentence) Len() int { return len(s.forms) }

// network is the tagger on one graph.
type network struct {
	words      *nn.Axis // one row per word
	word       *nn.Index
	tags       [2]*nn.Index
	characters *nn.Axis // one sequence per distinct form of a batch
	character  *nn.Index
	form       *nn.Index // the row of each word's form in the matrix of the spellings

	scores [2]*G.Node // [words, tags of the kind]
	loss   *G.Node
}

// Loss implements nn.Model.
func (n *network) Loss() *G.Node { return n.loss }

// assemble builds the network: a word is its vector in the table beside what an LSTM over its
// characters says; an LSTM over the sentence follows, and a CRF for each kind of tag.
func (v *vocabulary) assemble(g *nn.Graph) *network {
	n := &network{words: g.Axis("words"), characters: g.Axis("characters")}
	n.word, n.form, n.character = n.words.Index(), n.words.Index(), n.characters.Index()

	x := g.Gather(g.Param("character_table", len(v.Characters)+1, characterSize, nn.Uniform(0.3)), n.character)
	x = g.BiLSTM("spelling", x, spellingUnits, nn.Standard)
	spelling := g.Gather(g.LastStates(x), n.form)
	word := g.Embedding("word_table", n.word, len(v.Words)+1, wordSize, nn.Uniform(0.1))
	x = g.Dropout(g.Concat(g.Dropout(word, 0, 0.2), spelling), 0.5, 0)
	x = g.Dropout(g.BiLSTM("sentence", x, sentenceUnits, nn.Standard), 0.5, 0)

	var losses []*G.Node
	for k, kind := range kinds {
		n.scores[k], n.tags[k] = g.Linear(kind, x, len(v.Tags[k])), n.words.Index()
		losses = append(losses, g.CRF(kind, n.scores[k], n.tags[k]))
	}
	n.loss = g.Total(losses...)
	return n
}

// Fill implements nn.Model. Each distinct form of the batch is spelled once.
func (n *network) Fill(batch []sentence, seeds []uint64) {
	n.words.Pack(len(batch), func(i int) int { return batch[i].Len() })
	n.words.Seeds = seeds
	n.word.Fill(func(i int) []int32 { return batch[i].words })
	if n.loss != nil {
		for k, tags := range n.tags {
			tags.Fill(func(i int) []int32 { return batch[i].tags[k] })
		}
	}

	number, spellings := map[string]int{}, [][]int32{}
	for _, s := range batch {
		for t, form := range s.forms {
			if _, ok := number[form]; !ok {
				number[form] = len(spellings)
				spellings = append(spellings, s.spelling[t])
			}
		}
	}
	n.characters.Pack(len(spellings), func(i int) int { return len(spellings[i]) })
	n.character.Fill(func(i int) []int32 { return spellings[i] })
	n.form.Fill(func(i int) []int32 {
		rows := make([]int32, batch[i].Len())
		for t, form := range batch[i].forms {
			rows[t] = int32(n.characters.Place(number[form]))
		}
		return rows
	})
}
