package taggers

import (
	"context"

	"github.com/lethe-deid/lethe/data"
)

// Scorer is a tagger that gives each token a label from a closed list, or several labels from several
// lists, and can tell the scores of all labels.
type Scorer interface {
	data.Tagger
	// Chains returns the lists of labels, at least one.
	Chains() []Chain
	// Scores returns the scores of the tokens of each document, by chain, in the order of the text.
	Scores(ctx context.Context, docs []*data.Document) ([][][]TokenScores, error)
}

// Chain is a list of labels.
type Chain struct {
	Name   string // the type that the chain finds; "" if it is the only chain
	Labels []string
}

// TokenScores has the scores of a token, one per label of a chain.
type TokenScores struct {
	data.Token
	Sentence  int       // number in the document, from 0
	Label     int32     // of the best sequence of labels
	Marginals []float64 // probability of each label, given the whole sentence; they add up to 1
	Logits    []float64 // score of each label without its neighbours: what the CRF or the softmax reads
}
