package c45

import (
	"context"
	"errors"
	"io"
)

type learner struct{}

type branch struct{}

var errStub = errors.New("c45: not implemented yet")

func newLearner(d *Data, o Options, workers int) (*learner, error)   { return nil, errStub }
func (l *learner) initialWeights() []float64                         { return nil }
func (l *learner) learn(context.Context, []float64) (*branch, error) { return nil, errStub }
func (l *learner) flatten(*branch) *Tree                             { return nil }

// ReadARFF reads an ARFF file; errors name the file and the line.
func ReadARFF(r io.Reader, file string) (*Data, error) { return nil, errStub }

// WriteARFF writes an ARFF file.
func (d *Data) WriteARFF(w io.Writer) error { return errStub }

// String prints the tree in the manner of J48.
func (t *Tree) String() string { return "" }
