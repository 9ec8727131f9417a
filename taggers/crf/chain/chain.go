// Package chain implements the linear-chain conditional random field (Lafferty et al.
// 2001) over sparse features: the model of CRFsuite (Okazaki 2007), which Liu et al.
// 2017 use. It works on numbers only; the caller decides what attributes and labels
// mean.
//
// A token has attributes ("the word is Dr", "the next word begins with a capital"). A
// feature is either an attribute with a label or a label with the label after it. Each
// feature has a weight, and the probability of the labels y for the tokens x is
//
//	p(y|x) = exp(score(x, y)) / Z(x),  score = Σ_t Σ_a w[a, y_t] + Σ_t w[y_t-1, y_t]
//
// where a runs over the attributes of token t.
//
// As in CRFsuite, an attribute has no feature with a label that it never occurs with in
// training, whereas every pair of labels has a feature.
package chain

import (
	"context"
	"fmt"
	"math"
)

// Sequence is the tokens that are labelled together, such as a sentence or a note.
type Sequence struct {
	Ends       []int32 // by token t: the end of its attributes in Attributes, where those of the next token begin
	Attributes []int32 // of all tokens, one after another; negative for attributes that the model does not have
	Labels     []int32 // by token; used in training only
}

// Len returns the number of tokens.
func (s *Sequence) Len() int { return len(s.Ends) }

// at returns the range of token t in Attributes.
func (s *Sequence) at(t int) (from, to int32) {
	if t > 0 {
		from = s.Ends[t-1]
	}
	return from, s.Ends[t]
}

// Model is a chain with its weights. Several goroutines may use it at once.
type Model struct {
	Labels     int       // number of labels, which are numbered from 0
	First      []int32   // the features of attribute a are those in [First[a], First[a+1])
	Label      []int32   // label of each feature
	Weight     []float64 // weight of each feature
	Transition []float64 // weight of label j after label i at index i*Labels+j
}

// Weights returns the number of weights.
func (m *Model) Weights() int { return len(m.Weight) + len(m.Transition) }

// Prune removes the features whose weight is 0, which change nothing.
func (m *Model) Prune() {
	kept := int32(0)
	for a := range m.Attributes() {
		from, to := m.First[a], m.First[a+1]
		m.First[a] = kept
		for f := from; f < to; f++ {
			if m.Weight[f] != 0 {
				m.Label[kept], m.Weight[kept] = m.Label[f], m.Weight[f]
				kept++
			}
		}
	}
	m.First[m.Attributes()] = kept
	m.Label, m.Weight = m.Label[:kept], m.Weight[:kept]
}

// Drop removes attributes without features; kept says by attribute which ones stay. The others are
// numbered anew.
func (m *Model) Drop(kept []bool) {
	first := []int32{0}
	for a, k := range kept {
		if k {
			first = append(first, m.First[a+1])
		}
	}
	m.First = first
}

// Attributes returns the number of attributes that the model has.
func (m *Model) Attributes() int { return len(m.First) - 1 }

// Check returns an error if the parts of the model do not fit together or a weight is
// not finite.
func (m *Model) Check() error {
	switch {
	case m.Labels < 1:
		return fmt.Errorf("%d labels: at least one is required", m.Labels)
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
			return fmt.Errorf("a feature has label %d, but there are only %d labels", l, m.Labels)
		}
	}
	for _, weights := range [][]float64{m.Weight, m.Transition} {
		for _, w := range weights {
			if math.IsNaN(w) || math.IsInf(w, 0) {
				return fmt.Errorf("a weight is not finite")
			}
		}
	}
	return nil
}

// Trainer fits a chain to sequences, all of which must have labels.
type Trainer interface {
	// Train sets m's weights. After each iteration it calls report, unless that is nil.
	// It stops early with the context's error.
	Train(ctx context.Context, m *Model, sequences []Sequence, report func(Iteration)) error
}

// Iteration is one step of a training.
type Iteration struct {
	Number int     // from 1
	Loss   float64 // the value that is minimized; for the perceptron, the share of wrong labels
	// NonZero is the number of weights that are not 0, counted only with an L1 penalty.
	NonZero int
}

// New returns a model whose weights are zero. Its features are the pairs of an
// attribute and a label that occur together at least minCount times. attributes must
// exceed every attribute number. It fails if a sequence has not exactly one label per
// token.
func New(labels, attributes int, sequences []Sequence, minCount int) (*Model, error) {
	counts := make([]int32, attributes+1) // occurrences of each attribute, then the start of its list
	for _, s := range sequences {
		if len(s.Labels) != s.Len() {
			return nil, fmt.Errorf("a sequence has %d labels for %d tokens", len(s.Labels), s.Len())
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
			return nil, fmt.Errorf("more than %d occurrences of attributes: use fewer features or smaller windows", math.MaxInt32)
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
	for a := range attributes { // next[a] is now the end of its list
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

// states writes, for each token and label, the sum of the weights of the token's
// features. scores has one row of m.Labels values per token, and a row begins every
// stride values; the padding is set to 0.
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
