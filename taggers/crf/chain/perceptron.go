package chain

import (
	"context"
	"math"
	"math/rand/v2"
)

// Perceptron trains the averaged structured perceptron (Collins 2002). Wherever the
// best labels of a sequence are not the gold ones, it raises the weights of the gold
// labels by one and lowers those of the others. The model gets the mean of the weights
// over all steps. Its scores are not probabilities.
type Perceptron struct {
	Iterations int    // maximum number of passes over the sequences; a pass without a mistake is the last
	Seed       uint64 // determines the order of the sequences in each pass
}

var _ Trainer = Perceptron{}

// Train implements Trainer.
func (o Perceptron) Train(ctx context.Context, m *Model, sequences []Sequence, report func(Iteration)) error {
	clear(m.Weight)
	clear(m.Transition)
	// For each weight, the sum of its updates times the number of their step. The mean
	// weight is weight - sum/steps (Daumé 2006, section 2.3.3).
	var (
		weights     = make([]float64, len(m.Weight))
		transitions = make([]float64, len(m.Transition))
		scores      []float64
		from        []int32
		labels      []int32
		step        = 1.0
	)
	update := func(s *Sequence, y []int32, sign float64) {
		for t := range y {
			begin, end := s.at(t)
			for k := begin; k < end; k++ {
				a := s.Attributes[k]
				if a < 0 {
					continue
				}
				for f := m.First[a]; f < m.First[a+1]; f++ {
					if m.Label[f] == y[t] {
						m.Weight[f] += sign
						weights[f] += sign * step
					}
				}
			}
			if t > 0 {
				i := int(y[t-1])*m.Labels + int(y[t])
				m.Transition[i] += sign
				transitions[i] += sign * step
			}
		}
	}
	for epoch := range o.Iterations {
		wrong, total := 0, 0
		for _, at := range rand.New(rand.NewPCG(o.Seed, uint64(epoch))).Perm(len(sequences)) {
			if err := ctx.Err(); err != nil {
				return err
			}
			s := &sequences[at]
			labels, scores, from = viterbi(m, s, labels, scores, from)
			mistakes := 0
			for t, y := range labels {
				if y != s.Labels[t] {
					mistakes++
				}
			}
			if mistakes > 0 {
				update(s, s.Labels, 1)
				update(s, labels, -1)
			}
			wrong, total = wrong+mistakes, total+s.Len()
			step++
		}
		if report != nil {
			report(Iteration{Number: epoch + 1, Loss: float64(wrong) / float64(max(1, total))})
		}
		if wrong == 0 {
			break
		}
	}
	for i, x := range weights {
		m.Weight[i] -= x / step
	}
	for i, x := range transitions {
		m.Transition[i] -= x / step
	}
	return nil
}

// viterbi is the plain algorithm, for weights that change after each sequence.
func viterbi(m *Model, s *Sequence, labels []int32, scores []float64, from []int32) ([]int32, []float64, []int32) {
	L, n := m.Labels, s.Len()
	labels = append(labels[:0], make([]int32, n)...)
	scores = grow(scores, n*L)
	from = append(from[:0], make([]int32, n*L)...)
	m.states(s, scores, L)
	for t := 1; t < n; t++ {
		for j := range L {
			top := math.Inf(-1)
			for i, b := range scores[(t-1)*L : t*L] {
				if x := b + m.Transition[i*L+j]; x > top {
					top, from[t*L+j] = x, int32(i)
				}
			}
			scores[t*L+j] += top
		}
	}
	for t := n - 1; t >= 0; t-- {
		if t < n-1 {
			labels[t] = from[(t+1)*L+int(labels[t+1])]
			continue
		}
		for j, x := range scores[t*L : (t+1)*L] {
			if x > scores[t*L+int(labels[t])] {
				labels[t] = int32(j)
			}
		}
	}
	return labels, scores, from
}
