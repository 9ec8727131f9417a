// Package svm trains support vector machines: C-SVC with the RBF kernel for two classes
// (Cortes and Vapnik 1995), as LIBSVM does (Chang and Lin 2011, section 2.1). The solver
// is sequential minimal optimisation, in which second-order information selects the
// working set (Fan, Chen and Lin 2005).
//
// The package solves the same problem as LIBSVM and stops by the same rule, but differs
// in two ways that do not change the solution. Equal rows of one class are one variable
// whose bound is the sum of theirs, because they have the same gradient; rows of a few
// counts and yes-or-no features are mostly repetitions. And there is no shrinking,
// which such problems are too small to profit from.
package svm

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
)

// Options has all settings of a training.
type Options struct {
	C     float64 // penalty of a training error; must be positive; default 1
	Gamma float64 // the kernel is exp(-Gamma |a-b|²); 0, the default: 1 / number of features
	// Epsilon is the tolerance of the stopping rule: the maximal violation of the
	// optimality conditions, in units of the decision value; in (0, 2), since nothing is
	// learned from 2 on; default 0.001.
	Epsilon float64
	// Cache bounds the memory for rows of the kernel matrix, in MB; at least two rows are
	// always kept; default 100. It does not influence the result.
	Cache int
}

// DefaultOptions returns the defaults of LIBSVM.
func DefaultOptions() Options { return Options{C: 1, Epsilon: 1e-3, Cache: 100} }

func (o Options) check() error {
	switch {
	case !(o.C > 0) || math.IsInf(o.C, 1):
		return fmt.Errorf("svm: C: %v is not positive and finite", o.C)
	case !(o.Gamma >= 0) || math.IsInf(o.Gamma, 1):
		return fmt.Errorf("svm: gamma: %v is not finite and at least 0", o.Gamma)
	case !(o.Epsilon > 0 && o.Epsilon < 2):
		return fmt.Errorf("svm: epsilon: %v is not in (0, 2)", o.Epsilon)
	case o.Cache < 1:
		return fmt.Errorf("svm: cache: %d MB is not positive", o.Cache)
	}
	return nil
}

// Train returns the machine that separates the rows of the positive class from the
// others. rows and positive have the same length, and both classes must occur. All rows
// have the same number of features. The same input gives the same bits.
func Train(ctx context.Context, rows [][]float64, positive []bool, o Options) (*Model, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	if err := checkRows(rows, positive); err != nil {
		return nil, err
	}
	if o.Gamma == 0 {
		o.Gamma = 1 / float64(len(rows[0]))
	}
	p := newProblem(rows, positive, o)
	if err := p.solve(ctx); err != nil {
		return nil, err
	}
	return p.model(), nil
}

func checkRows(rows [][]float64, positive []bool) error {
	switch {
	case len(rows) == 0:
		return fmt.Errorf("svm: no rows to train on")
	case len(positive) != len(rows):
		return fmt.Errorf("svm: %d rows, but classes for %d", len(rows), len(positive))
	case len(rows[0]) == 0:
		return fmt.Errorf("svm: the rows have no features")
	}
	count := 0
	for i, row := range rows {
		if len(row) != len(rows[0]) {
			return fmt.Errorf("svm: row %d has %d features, but the first row has %d", i+1, len(row), len(rows[0]))
		}
		for k, v := range row {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("svm: row %d: feature %d is %v, not a finite number", i+1, k+1, v)
			}
		}
		if positive[i] {
			count++
		}
	}
	if count == 0 || count == len(rows) {
		return fmt.Errorf("svm: all %d rows are of one class, but two are required", len(rows))
	}
	return nil
}

// newProblem unites the equal rows of each class, in the order in which they first
// occur.
func newProblem(rows [][]float64, positive []bool, o Options) *problem {
	p := &problem{gamma: o.Gamma, epsilon: o.Epsilon}
	at := map[string]int{}
	var key []byte
	for i, row := range rows {
		y := -1.0
		if positive[i] {
			y = 1
		}
		key = binary.LittleEndian.AppendUint64(key[:0], math.Float64bits(y))
		for _, v := range row {
			key = binary.LittleEndian.AppendUint64(key, math.Float64bits(v+0)) // +0: -0 equals 0
		}
		k, ok := at[string(key)]
		if !ok {
			k = len(p.rows)
			at[string(key)] = k
			p.rows, p.y, p.bound = append(p.rows, row), append(p.y, y), append(p.bound, 0)
		}
		p.bound[k] += o.C
	}
	p.alpha, p.f = make([]float64, len(p.rows)), append([]float64{}, p.y...)
	p.kernel = newKernel(p.rows, o.Gamma, o.Cache)
	return p
}

// kernelOf returns exp(-gamma |a-b|²).
func kernelOf(a, b []float64, gamma float64) float64 {
	var distance float64
	for i, v := range a {
		distance += (v - b[i]) * (v - b[i])
	}
	return math.Exp(-gamma * distance)
}
