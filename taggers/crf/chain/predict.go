package chain

import (
	"fmt"
	"math"
)

// Predictor labels sequences. It reuses its memory, so only one goroutine may use it at
// a time.
type Predictor struct {
	m          *Model
	transition []float64 // transition weights of the model; minus infinity where forbidden
	trans      []float64 // exp of the transition weights
	first      []bool    // which labels may come first
	last       []bool    // which labels may come last
	groups     []group
	best       []float64 // by token and label: the score of the best labels up to this token that end in this label
	from       []int32   // by token and label: the label before in these best labels
	sums       sums
	known      bool // whether sums belongs to sequence
	sequence   *Sequence
	labels     []int32
}

// group is a set of labels that may follow the same labels. Forbidden pairs make for
// many groups, but small ones.
type group struct {
	before, labels []int32
	// lead[k][i] is how much lower the score of label before[i] may be than that of
	// before[k] while before[i] still leads to a better score for some label of the
	// group: the minimum over the group of the differences of their transitions,
	// negated.
	lead [][]float64
}

// NewPredictor returns a predictor that never puts label j after label i unless
// legal(i, j). i = -1 stands for the start and j = -1 for the end of a sequence. A nil
// legal allows all pairs.
func NewPredictor(m *Model, legal func(i, j int) bool) *Predictor {
	L := m.Labels
	if legal == nil {
		legal = func(i, j int) bool { return true }
	}
	p := &Predictor{
		m: m, transition: append([]float64{}, m.Transition...), trans: make([]float64, L*L),
		first: make([]bool, L), last: make([]bool, L),
	}
	byKey := map[string]int{}
	for j := range L {
		p.first[j], p.last[j] = legal(-1, j), legal(j, -1)
		var before []int32
		for i := range L {
			if legal(i, j) {
				before = append(before, int32(i))
			} else {
				p.transition[i*L+j] = math.Inf(-1)
			}
		}
		key := fmt.Sprint(before)
		g, ok := byKey[key]
		if !ok {
			g = len(p.groups)
			byKey[key] = g
			p.groups = append(p.groups, group{before: before})
		}
		p.groups[g].labels = append(p.groups[g].labels, int32(j))
	}
	exp(p.trans, p.transition)
	for g := range p.groups {
		p.groups[g].compare(p.transition, L)
	}
	return p
}

func (g *group) compare(transition []float64, L int) {
	for _, k := range g.before {
		lead := make([]float64, len(g.before))
		for n, i := range g.before {
			for _, j := range g.labels {
				lead[n] = max(lead[n], transition[int(i)*L+int(j)]-transition[int(k)*L+int(j)])
			}
		}
		g.lead = append(g.lead, lead)
	}
}

// Predict returns the most probable labels, found with Viterbi's algorithm. The next
// call overwrites them. Among equally probable labelings it prefers lower label
// numbers, from the last token backwards.
func (p *Predictor) Predict(s *Sequence) []int32 {
	L, n := p.m.Labels, s.Len()
	p.sequence, p.known = s, false
	p.labels = append(p.labels[:0], make([]int32, n)...)
	if n == 0 {
		return p.labels
	}
	p.best = grow(p.best, n*L)
	if cap(p.from) < n*L {
		p.from = make([]int32, n*L, n*L+n*L/4)
	}
	p.from = p.from[:n*L]
	p.m.states(s, p.best, L)
	for j, ok := range p.first {
		if !ok {
			p.best[j] = math.Inf(-1)
		}
	}
	for t := 1; t < n; t++ {
		p.advance(p.best[(t-1)*L:t*L], p.best[t*L:(t+1)*L], p.from[t*L:(t+1)*L])
	}
	end, top := 0, math.Inf(-1)
	for j, score := range p.best[(n-1)*L:] {
		if p.last[j] && score > top {
			end, top = j, score
		}
	}
	for t := n - 1; t >= 0; t-- {
		p.labels[t] = int32(end)
		if t > 0 {
			end = int(p.from[t*L+end])
		}
	}
	return p.labels
}

// advance adds to the score of each of a token's labels the best score that leads to it
// from the token before. Most labels of the token before have scores so low that one
// comparison rules them out for all labels of a group.
func (p *Predictor) advance(before, scores []float64, from []int32) {
	L := p.m.Labels
	var reach [256]float64
	var origin [256]int32
	for gi := range p.groups {
		g := &p.groups[gi]
		if len(g.before) == 0 {
			for _, j := range g.labels {
				scores[j] = math.Inf(-1)
			}
			continue
		}
		leader := 0
		for k, i := range g.before {
			if before[i] > before[g.before[leader]] {
				leader = k
			}
		}
		top, lead := before[g.before[leader]], g.lead[leader]
		for labels := g.labels; len(labels) > 0; {
			part := labels[:min(len(labels), len(reach))]
			labels = labels[len(part):]
			for c := range part {
				reach[c], origin[c] = math.Inf(-1), g.before[leader]
			}
			for k, i := range g.before {
				b := before[i]
				if b+lead[k] < top {
					continue
				}
				row := p.transition[int(i)*L : int(i+1)*L]
				for c, j := range part {
					if x := b + row[j]; x > reach[c] {
						reach[c], origin[c] = x, i
					}
				}
			}
			for c, j := range part {
				scores[j] += reach[c]
				from[j] = origin[c]
			}
		}
	}
}

// Probability returns the probability of the last prediction's labels of tokens [start,
// end), among all allowed labelings.
func (p *Predictor) Probability(start, end int) float64 {
	p.compute()
	u, L := &p.sums, p.m.Labels
	y := func(t int) int { return int(p.labels[t]) }
	x := u.row(u.forward, start)[y(start)]
	for t := start + 1; t < end; t++ {
		x *= p.trans[y(t-1)*L+y(t)] * u.row(u.states, t)[y(t)] * u.scale[t]
	}
	return min(1, max(0, x*u.row(u.back, end-1)[y(end-1)]))
}

// Marginal writes the probability of each label of token t of the last predicted
// sequence into a slice of length Labels.
func (p *Predictor) Marginal(t int, into []float64) {
	p.compute()
	p.sums.marginal(t, into)
}

// Logits writes, for each label of token t of the last predicted sequence, the sum of the weights of the
// token's features into a slice of length Labels.
func (p *Predictor) Logits(t int, into []float64) {
	p.compute()
	copy(into, p.sums.row(p.sums.scores, t))
}

// compute computes the sums of the last sequence if they are not known yet.
func (p *Predictor) compute() {
	if !p.known {
		p.sums.compute(p.m, p.sequence, p.trans, p.first, p.last)
		p.known = true
	}
}
