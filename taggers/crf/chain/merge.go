package chain

import (
	"math"
	"math/rand/v2"
)

// merged is a model in which attributes that occur in exactly the same tokens are a
// single attribute. There are many of them, such as all attributes that occur only
// once, in the same token. Their features always have the same gradient, so their
// weights stay equal from zero to the optimum. k attributes of weight w are equivalent
// to one attribute with value √k and weight v = √k w: the score is the same, since k w
// = √k v, and so is the penalty, since k w² = v². So L-BFGS takes the same steps as
// without merging, in half the memory.
type merged struct {
	*Model
	class []int32   // by attribute of the original model: its number in this one, or -1 if it has no features
	first []bool    // by attribute: whether it is the first of its class, which represents the class
	scale []float64 // by class: the square root of the number of its attributes
}

// merge finds the attributes that occur together: it sums up two random numbers of 64
// bits for each token that an attribute occurs in, and compares the sums.
func merge(m *Model, sequences []Sequence) *merged {
	digests := make([]digest, m.Attributes())
	rng := rand.New(rand.NewPCG(1, 1))
	labels := make([]digest, m.Labels) // the features must be equal as well: minCount may have left some out
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
		c.scale[k]++ // the number of attributes, for now
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

// objective returns the objective of the merged model.
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

// penalty returns the L1 penalty of each weight. k attributes of weight w cost k |w| = √k |v|.
func (c *merged) penalty(l1 float64) []float64 {
	all := make([]float64, len(c.Weight)+len(c.Transition))
	for i := range all {
		all[i] = l1
	}
	for k, scale := range c.scale {
		for i := c.First[k]; i < c.First[k+1]; i++ {
			all[i] *= scale
		}
	}
	return all
}

// nonZero returns the number of weights of the original model that are not 0.
func (c *merged) nonZero(x []float64) (n int) {
	for k, scale := range c.scale {
		attributes := int(math.Round(scale * scale))
		for i := c.First[k]; i < c.First[k+1]; i++ {
			if x[i] != 0 {
				n += attributes
			}
		}
	}
	for _, w := range x[len(c.Weight):] {
		if w != 0 {
			n++
		}
	}
	return n
}

// spread sets the weights of the original model.
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
