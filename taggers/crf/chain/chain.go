// Package chain is the linear-chain conditional random field (Lafferty et al.
// 2001) over sparse features: the model of CRFsuite (Okazaki 2007), with which
// the papers' systems were built. It knows numbers only: what an attribute or a
// label stands for is the caller's affair.
//
// A token has attributes ("the word is Dr", "the next word begins with a
// capital"). A feature is an attribute with a label, or a label with the next one;
// each has a weight, and the probability of labels y for the tokens x is
//
//	p(y|x) = exp(score(x, y)) / Z(x),  score = Σ_t Σ_a w[a, y_t] + Σ_t w[y_t-1, y_t]
//
// with a running over the attributes of token t.
//
// Attributes with labels they were never seen with in training have no feature,
// as in CRFsuite; each pair of labels has one.
package chain

import (
	"context"
	"fmt"
	"math"
)

// Sequence is the tokens that are labelled together, a sentence or a note.
type Sequence struct {
	Ends       []int32 // the attributes of token t end where those of the next begin: at Ends[t]
	Attributes []int32 // of all tokens; one that the model does not know is negative
	Labels     []int32 // of the tokens, in training
}

// Len is the number of tokens.
func (s *Sequence) Len() int { return len(s.Ends) }

// at is the range of the attributes of token t.
func (s *Sequence) at(t int) (from, to int32) {
	if t > 0 {
		from = s.Ends[t-1]
	}
	return from, s.Ends[t]
}

// Model is a chain with its weights. It may be used by several goroutines.
type Model struct {
	Labels     int       // how many; a label is a number below
	First      []int32   // the features of attribute a are those from First[a] up to First[a+1]
	Label      []int32   // of each feature
	Weight     []float64 // of each feature
	Transition []float64 // from label i to label j at i*Labels+j
}

// Attributes is the number of attributes that the model knows.
func (m *Model) Attributes() int { return len(m.First) - 1 }

// Check returns an error if the parts do not fit together.
func (m *Model) Check() error {
	switch {
	case m.Labels < 1:
		return fmt.Errorf("%d labels", m.Labels)
	case len(m.Transition) != m.Labels*m.Labels:
		return fmt.Errorf("%d transition weights for %d labels", len(m.Transition), m.Labels)
	case len(m.First) == 0 || m.First[0] != 0 || int(m.First[len(m.First)-1]) != len(m.Label) || len(m.Label) != len(m.Weight):
		return fmt.Errorf("%d features with labels, %d with weights, and no matching index", len(m.Label), len(m.Weight))
	}
	for a := range m.Attributes() {
		if m.First[a] > m.First[a+1] {
			return fmt.Errorf("the features of attribute %d end before they begin", a)
		}
	}
	for _, l := range m.Label {
		if l < 0 || int(l) >= m.Labels {
			return fmt.Errorf("a feature of label %d of %d", l, m.Labels)
		}
	}
	for _, weights := range [][]float64{m.Weight, m.Transition} {
		for _, w := range weights {
			if math.IsNaN(w) || math.IsInf(w, 0) {
				return fmt.Errorf("a weight is not a number")
			}
		}
	}
	return nil
}

// Trainer fits a chain to sequences, all of which have labels.
type Trainer interface {
	// Train sets m's weights. It calls report, unless nil, after each iteration,
	// and ends early with the context's error.
	Train(ctx context.Context, m *Model, sequences []Sequence, report func(Iteration)) error
}

// Iteration is a step of a training.
type Iteration struct {
	Number int     // from 1
	Loss   float64 // what is minimized; of the perceptron, the share of wrong labels
}

// New makes a model without weights: its features are the attributes with the
// labels that they occur with at least minCount times. attributes is more than
// the greatest number of any.
func New(labels, attributes int, sequences []Sequence, minCount int) (*Model, error) {
	counts := make([]int32, attributes+1) // occurrences of each attribute, then where its list begins
	for _, s := range sequences {
		if len(s.Labels) != s.Len() {
			return nil, fmt.Errorf("%d labels for %d tokens", len(s.Labels), s.Len())
		}
		for _, a := range s.Attributes {
			if a >= 0 {
				counts[a+1]++
			}
		}
	}
	total := 0
	for a := range attributes {
		total += int(counts[a+1])
		if total > math.MaxInt32 {
			return nil, fmt.Errorf("more than %d occurrences of attributes: take fewer features, or smaller windows", math.MaxInt32)
		}
		counts[a+1] += counts[a]
	}
	next := counts[:attributes]
	seen := make([]int32, total) // the labels that each attribute occurs with
	for i := range sequences {
		s := &sequences[i]
		for t := range s.Len() {
			from, to := s.at(t)
			for _, a := range s.Attributes[from:to] {
				if a >= 0 {
					seen[next[a]] = s.Labels[t]
					next[a]++
				}
			}
		}
	}
	m := &Model{Labels: labels, First: make([]int32, attributes+1), Transition: make([]float64, labels*labels)}
	often := make([]int32, labels)
	begin := int32(0)
	for a := range attributes { // now next[a] is where its list ends
		for _, l := range seen[begin:next[a]] {
			often[l]++
		}
		for l, n := range often {
			if n > 0 && int(n) >= minCount {
				m.Label = append(m.Label, int32(l))
			}
			often[l] = 0
		}
		m.First[a+1] = int32(len(m.Label))
		begin = next[a]
	}
	m.Weight = make([]float64, len(m.Label))
	return m, nil
}

// states writes the sum of the weights of each token's features with each
// label: rows of m.Labels, one every stride values; between them stands 0.
func (m *Model) states(s *Sequence, scores []float64, stride int) {
	clear(scores)
	for t := range s.Len() {
		row := scores[t*stride : t*stride+m.Labels]
		from, to := s.at(t)
		for k := from; k < to; k++ {
			a := s.Attributes[k]
			if a < 0 {
				continue
			}
			f, g := m.First[a], m.First[a+1]
			weights := m.Weight[f:g]
			for i, l := range m.Label[f:g] {
				row[l] += weights[i]
			}
		}
	}
}
