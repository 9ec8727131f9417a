package main

import (
	G "gorgonia.org/gorgonia"

	"github.com/lethe-deid/lethe/nn"
)

// example is a section in numbers.
type example struct {
	words   []int32 // rows of the table of words
	heading int32
}

// Len returns the number of words.
func (e example) Len() int { return len(e.words) }

// network is a classifier of texts on one graph.
type network struct {
	words, texts *nn.Axis // one row per word, and one per text
	word         *nn.Index
	bag          *nn.Bags // the rows of the words of each text
	heading      *nn.Index

	logits *G.Node // [texts, headings]
	loss   *G.Node
}

// Loss implements nn.Model.
func (n *network) Loss() *G.Node { return n.loss }

// Fill implements nn.Model.
func (n *network) Fill(batch []example, seeds []uint64) {
	n.words.Pack(len(batch), func(i int) int { return batch[i].Len() })
	n.words.Seeds = seeds
	n.word.Fill(func(i int) []int32 { return batch[i].words })
	n.bag.Fill(func(i int) [][]int32 {
		rows := make([]int32, batch[i].Len())
		for t := range rows {
			rows[t] = int32(n.words.Row(i, t))
		}
		return [][]int32{rows}
	})
	n.heading.Fill(func(i int) []int32 { return []int32{batch[i].heading} })
}

// encoder turns the vectors x of the words, [words, wordSize], into one vector per text, [texts,
// any size].
type encoder func(g *nn.Graph, n *network, x *G.Node) *G.Node

const (
	wordSize  = 64
	lstmUnits = 64 // per direction
)

// bagOfWords adds the vectors up. With the softmax it is a linear classifier.
func bagOfWords(g *nn.Graph, n *network, x *G.Node) *G.Node { return g.Sum(x, n.bag) }

// biLSTM reads the words in both directions as well.
func biLSTM(g *nn.Graph, n *network, x *G.Node) *G.Node {
	states := g.BiLSTM("lstm", x, lstmUnits, nn.Standard)
	return g.Concat(bagOfWords(g, n, x), g.LastStates(states))
}

// assembly returns a network for a table of this many words.
func assembly(encode encoder, words, headings int) func(*nn.Graph) *network {
	return func(g *nn.Graph) *network {
		n := &network{words: g.Axis("words")}
		n.texts = g.Sequences(n.words)
		n.word, n.bag, n.heading = n.words.Index(), n.texts.Bags(), n.texts.Index()
		x := g.Embedding("word_table", n.word, words, wordSize, nn.Uniform(0.1))
		x = encode(g, n, g.Dropout(x, 0.3, 0.1))
		n.logits = g.Linear("logits", g.Dropout(x, 0.3, 0), headings)
		n.loss = g.SoftmaxLoss(n.logits, n.heading)
		return n
	}
}
