// Package c45 implements C4.5 decision trees (J. R. Quinlan, C4.5: Programs for
// Machine Learning, 1993, with the changes for numeric attributes of Quinlan,
// "Improved use of continuous attributes in C4.5", JAIR 4, 1996) and AdaBoost.M1
// (Y. Freund and R. E. Schapire, "Experiments with a new boosting algorithm",
// ICML 1996).
//
// It grows the same trees as WEKA's J48 and AdaBoostM1, which Szarvas, Farkas and
// Busa-Fekete (2006) use; docs/benchmarks/trees.md compares them. Missing values are
// not supported.
package c45

import "context"

// Options are the settings of one tree. Use DefaultOptions and change what differs.
type Options struct {
	// MinInstances is the minimum number of instances (with weights: the minimum sum
	// of weights) that at least two branches of each split must have. It is 1 or more;
	// the default is 5.
	MinInstances int
	// Confidence is the confidence factor of pruning: the probability that the true
	// error rate of a leaf is above the estimate. It is above 0 and at most 0.5; lower
	// values prune more. The default is 0.35.
	Confidence float64
	// Raising lets pruning replace a tree by its largest branch (subtree raising).
	// The default is true.
	Raising bool
}

// DefaultOptions returns the settings of Szarvas et al. (2006): at least 5
// instances a leaf, a confidence of 0.35, and subtree raising.
func DefaultOptions() Options {
	return Options{MinInstances: 5, Confidence: 0.35, Raising: true}
}

// Rounds is the number of boosting rounds of Szarvas et al. (2006).
const Rounds = 30

// Grow grows and prunes one tree. The number of workers does not influence the tree;
// less than 1 means 1. Grow does not change the data, but the tree refers to its
// attributes and classes. Grow returns an error if Data.Check refuses the data, if all
// instances have one class, if an option is out of range, and if the context is canceled.
func Grow(ctx context.Context, d *Data, o Options, workers int) (*Tree, error) {
	l, err := newLearner(d, o, workers)
	if err != nil {
		return nil, err
	}
	root, err := l.learn(ctx, l.initialWeights())
	if err != nil {
		return nil, err
	}
	return l.flatten(root), nil
}
