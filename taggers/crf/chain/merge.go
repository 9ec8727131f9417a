package chain

import (
	"math"
	"math/rand/v2"
)

// merged is a model in which attributes that occur in the very same tokens are
// one: many are, such as all that occur once in the same token. Their features
// have the same gradient everywhere, so that their weights are equal from zero to
// the optimum, w each; k of them are as one attribute of value √k with the
// weight v = √k w, since k w = √k v, and the penalty of k w² is that of v². So
// L-BFGS takes the same steps as without merging, in half the memory.
type merged struct {
	*Model
	class []int32   // of each attribute of the original model: its number in this one, or -1 without features
	first []bool    // whether the attribute is the first of its class, and stands for all
	scale []float64 // of each class: √ of how many attributes it has
}

// merge finds the attributes that occur together by a sum of random numbers for
// each: two of 64 bits for each token that it occurs in.
func merge(m *Model, sequences []Sequence) *merged {
	digests := make([]digest, m.Attributes())
	rng := rand.New(rand.NewPCG(1, 1))
	labels := make([]digest, m.Labels) // what the features are counts, too
	for l := range labels {
		labels[l] = digest{rng.Uint64(), rng.Uint64()}
	}
	for a := range digests {
		for _, l := range m.Label[m.First[a]:m.First[a+1]] {
			digests[a].add(labels[l])
		}
	}
	for i := range sequences {
		s := &sequences[i]
		for t := range s.Len() {
			token := digest{rng.Uint64(), rng.Uint64()}
			from, to := s.at(t)
			for _, a := range s.Attributes[from:to] {
				if a >= 0 {
					digests[a].add(token)
				}
			}
		}
	}
	c := &merged{
		Model: &Model{Labels: m.Labels, First: []int32{0}, Transition: make([]float64, len(m.Transition))},
		class: make([]int32, m.Attributes()), first: make([]bool, m.Attributes()),
	}
	known := map[digest]int32{}
	for a := range c.class {
		features := m.Label[m.First[a]:m.First[a+1]]
		if len(features) == 0 {
			c.class[a] = -1
			continue
		}
		k, ok := known[digests[a]]
		if !ok {
			k = int32(len(c.scale))
			known[digests[a]] = k
			c.scale = append(c.scale, 0)
			c.first[a] = true
			c.Label = append(c.Label, features...)
			c.First = append(c.First, int32(len(c.Label)))
		}
		c.class[a] = k
		c.scale[k]++ // the number, for now
	}
	for k, n := range c.scale {
		c.scale[k] = math.Sqrt(n)
	}
	c.Weight = make([]float64, len(c.Label))
	return c
}

type digest [2]uint64

func (d *digest) add(e digest) {
	d[0] += e[0]
	d[1] += e[1]
}

// objective is that of the merged model.
func (c *merged) objective(sequences []Sequence, l2 float64, workers int) *objective {
	changed := make([]Sequence, len(sequences))
	for i := range sequences {
		s := &sequences[i]
		changed[i] = Sequence{Labels: s.Labels, Ends: make([]int32, s.Len())}
		for t := range s.Len() {
			from, to := s.at(t)
			for _, a := range s.Attributes[from:to] {
				if a >= 0 && c.first[a] {
					changed[i].Attributes = append(changed[i].Attributes, c.class[a])
				}
			}
			changed[i].Ends[t] = int32(len(changed[i].Attributes))
		}
	}
	f := newObjective(c.Model, changed, l2, workers)
	f.scale = c.scale
	return f
}

// spread gives the original model its weights.
func (c *merged) spread(x []float64, m *Model) {
	for a, k := range c.class {
		if k >= 0 {
			for i := range m.First[a+1] - m.First[a] {
				m.Weight[m.First[a]+i] = x[c.First[k]+i] / c.scale[k]
			}
		}
	}
	copy(m.Transition, x[len(c.Weight):])
}
