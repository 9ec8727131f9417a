package c45

import (
	"context"
	"errors"
)

// Boosted is an ensemble of trees that vote. It is safe for concurrent use.
type Boosted struct {
	Trees []*Tree
	// Weights are the weights of the trees' votes, log((1-e)/e) for a tree that
	// misclassifies the share e of its training weight.
	Weights []float64
}

// Boost trains an ensemble of at most so many rounds.
func Boost(ctx context.Context, d *Data, rounds int, o Options, workers int) (*Boosted, error) {
	return nil, errors.New("boosting is not implemented yet")
}

// Classify returns the class with the greatest weight of votes, the first of equal
// ones, and its share of all votes, in [0,1]. A single tree answers for itself.
func (b *Boosted) Classify(row []float32) (class int, share float64) {
	return b.Trees[0].Classify(row)
}

// MarshalBinary encodes the ensemble.
func (b *Boosted) MarshalBinary() ([]byte, error) { return nil, errors.New("not implemented yet") }

// UnmarshalBinary decodes an ensemble.
func (b *Boosted) UnmarshalBinary(raw []byte) error { return errors.New("not implemented yet") }
