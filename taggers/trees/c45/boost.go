package c45

import (
	"context"
	"fmt"
	"math"
)

// Boosted is an ensemble of trees that vote (AdaBoost.M1). It is safe for concurrent
// use.
type Boosted struct {
	// Trees has at least one tree. All have the same attributes and classes.
	Trees []*Tree
	// Weights are the weights of the trees' votes: log((1-e)/e) for a tree that
	// misclassifies the share e of the training weight. A single tree whose e does not
	// allow that (see Boost) has the weight 1.
	Weights []float64
}

// Boost trains an ensemble in the given number of rounds, which is at least 1. The
// first round grows the same tree as Grow. After each round the weights of the
// instances that its tree misclassifies are multiplied by (1-e)/e, and all weights are
// scaled so that their sum does not change. Training ends early if the error e of a
// tree is 0, or 0.5 or more; such a tree is left out unless it is the first. Workers
// and errors are as for Grow.
func Boost(ctx context.Context, d *Data, rounds int, o Options, workers int) (*Boosted, error) {
	if rounds < 1 {
		return nil, fmt.Errorf("%d rounds of boosting, expected at least 1", rounds)
	}
	l, err := newLearner(d, o, workers)
	if err != nil {
		return nil, err
	}
	boosted := &Boosted{}
	weights := l.initialWeights()
	wrong := make([]bool, d.Len())
	var shared *schema
	for range rounds {
		root, err := l.learn(ctx, weights)
		if err != nil {
			return nil, err
		}
		tree := l.flatten(root)
		if shared == nil {
			shared = tree.schema
		}
		tree.schema = shared
		l.markErrors(root, 0, wrong)
		e := weightedError(weights, wrong)
		if e < small || e > 0.5-small {
			if len(boosted.Trees) == 0 {
				boosted.Trees, boosted.Weights = []*Tree{tree}, []float64{1}
			}
			break
		}
		boosted.Trees = append(boosted.Trees, tree)
		boosted.Weights = append(boosted.Weights, math.Log((1-e)/e))
		reweight(weights, wrong, (1-e)/e)
	}
	return boosted, nil
}

// markErrors records for each training instance whether the tree misclassifies it. A
// leaf without weight predicts the given class, which is its parent's prediction.
func (l *learner) markErrors(b *branch, class int, wrong []bool) {
	if b.total > 0 {
		class = majority(b.counts)
	}
	for _, child := range b.children {
		l.markErrors(child, class, wrong)
	}
	if b.attribute == leaf {
		for i := b.first; i != none; i = l.chain[i] {
			wrong[i] = int(l.data.Class[i]) != class
		}
	}
}

// weightedError returns the share of the weight that is wrong.
func weightedError(weights []float64, wrong []bool) float64 {
	sum, errors := 0.0, 0.0
	for i, w := range weights {
		sum += w
		if wrong[i] {
			errors += w
		}
	}
	return errors / sum
}

// reweight multiplies the weights of the wrong instances by a factor, and then scales
// all weights so that their sum does not change.
func reweight(weights []float64, wrong []bool, factor float64) {
	before, after := 0.0, 0.0
	for i := range weights {
		before += weights[i]
		if wrong[i] {
			weights[i] *= factor
		}
		after += weights[i]
	}
	for i := range weights {
		weights[i] *= before / after
	}
}

// Classes returns the names of the classes.
func (b *Boosted) Classes() []string { return b.Trees[0].classes }

// Attributes returns the attributes of a row.
func (b *Boosted) Attributes() []Attribute { return b.Trees[0].attributes }

// Classify returns the class with the greatest weight of votes, as an index in
// Classes, and its share of the weight of all votes, in [0,1]. If classes have equal
// weights, the first one wins. An ensemble of one tree returns what the tree's
// Classify returns. Rows are as for Tree.Classify.
func (b *Boosted) Classify(row []float32) (class int, share float64) {
	if len(b.Trees) == 1 {
		return b.Trees[0].Classify(row)
	}
	var few [32]float64 // on the stack
	votes := few[:]
	if classes := len(b.Classes()); classes > len(few) {
		votes = make([]float64, classes)
	}
	sum := 0.0
	for i, t := range b.Trees {
		votes[t.find(row).class] += b.Weights[i]
		sum += b.Weights[i]
	}
	for c, v := range votes {
		if v > votes[class] {
			class = c
		}
	}
	return class, votes[class] / sum
}
