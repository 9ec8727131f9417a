package svm

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"

	"github.com/lethe-deid/lethe/internal/bounded"
	"github.com/lethe-deid/lethe/internal/wholefile"
)

// Model is a trained machine. It does not change, so several goroutines may use it at
// once.
type Model struct {
	Gamma        float64     `json:"gamma"`        // of the kernel; positive
	Bias         float64     `json:"bias"`         // b of the decision value
	Coefficients []float64   `json:"coefficients"` // y_i α_i of each support vector; not 0
	Vectors      [][]float64 `json:"vectors"`      // the support vectors: rows of the training
}

// Features returns the number of features of a row.
func (m *Model) Features() int { return len(m.Vectors[0]) }

// Decision returns the decision value Σ_i y_i α_i K(x_i, row) + b: positive for the
// positive class, and 1 or -1 on the margins. It panics if row does not have
// m.Features() features.
func (m *Model) Decision(row []float64) float64 {
	if len(row) != m.Features() {
		panic(fmt.Sprintf("svm: %d features, but the model has %d", len(row), m.Features()))
	}
	sum := m.Bias
	for i, v := range m.Vectors {
		sum += m.Coefficients[i] * kernelOf(v, row, m.Gamma)
	}
	return sum
}

// check returns an error unless the model could be the result of Train.
func (m *Model) check() error {
	switch {
	case !(m.Gamma > 0) || math.IsInf(m.Gamma, 1):
		return fmt.Errorf("gamma: %v is not positive and finite", m.Gamma)
	case math.IsNaN(m.Bias) || math.IsInf(m.Bias, 0):
		return fmt.Errorf("bias: %v is not finite", m.Bias)
	case len(m.Vectors) == 0:
		return fmt.Errorf("vectors: there are none")
	case len(m.Vectors) != len(m.Coefficients):
		return fmt.Errorf("vectors: %d, but %d coefficients", len(m.Vectors), len(m.Coefficients))
	case len(m.Vectors[0]) == 0:
		return fmt.Errorf("vectors[0]: has no features")
	}
	for i, c := range m.Coefficients {
		if c == 0 || math.IsNaN(c) || math.IsInf(c, 0) {
			return fmt.Errorf("coefficients[%d]: %v is not a finite number other than 0", i, c)
		}
	}
	for i, v := range m.Vectors {
		if len(v) != len(m.Vectors[0]) {
			return fmt.Errorf("vectors[%d]: %d features, but the first has %d", i, len(v), len(m.Vectors[0]))
		}
	}
	return nil
}

// format is the version of the file.
const format = "lethe svm 1"

// stored is the file. The digits of its numbers suffice to restore every bit.
type stored struct {
	Format string `json:"format"`
	*Model
}

// Save writes the model into a JSON file.
func (m *Model) Save(path string) error {
	raw, err := json.Marshal(stored{format, m})
	if err != nil {
		return err
	}
	return wholefile.WriteFile(path, append(raw, '\n'), 0o666)
}

// Load reads a file that Save wrote. Unknown keys, missing values and vectors of
// different lengths are errors.
func Load(path string) (*Model, error) {
	raw, err := bounded.ReadFile(path, bounded.MaxModel)
	if err != nil {
		return nil, err
	}
	s := stored{Model: &Model{}}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(&s); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("%s: text after the model", path)
	}
	if s.Format != format {
		return nil, fmt.Errorf("%s: format %q is not %q", path, s.Format, format)
	}
	if err := s.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return s.Model, nil
}
