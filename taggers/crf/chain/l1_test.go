package chain

import (
	"context"
	"math"
	"testing"
)

// generated returns the data of scripts/peers/crfsuite/l1.py, where it is described.
func generated() []Sequence {
	const labels, attributes = 4, 40
	state := int64(1)
	next := func(n int32) int32 {
		state = (state*1103515245 + 12345) % (1 << 31)
		return int32(state>>16) % n
	}
	var all []Sequence
	for range 60 {
		var s Sequence
		y := next(labels)
		for range 7 {
			if next(3) == 0 {
				y = next(labels)
			}
			own := y
			if next(4) == 0 {
				own = next(labels)
			}
			other := labels + next(attributes-labels-1)
			s.Attributes = append(s.Attributes, own, other, other+attributes, attributes-1)
			s.Ends, s.Labels = append(s.Ends, int32(len(s.Attributes))), append(s.Labels, y)
		}
		all = append(all, s)
	}
	return all
}

// With an L1 penalty, the loss, the number of weights that are not 0 and the largest weights are those
// of CRFsuite, through python-crfsuite 0.9.12.
func TestL1AgainstCRFsuite(t *testing.T) {
	for _, c := range []struct {
		l1, l2, loss       float64
		nonZero            int
		weight, transition [][3]float64 // attribute or label, label, weight
	}{
		{0.1, 0, 118.955020, 213, [][3]float64{
			{0, 0, 3.749239},
			{3, 3, 3.452300},
			{1, 1, 3.103718},
			{2, 2, 2.988566},
			{27, 0, 2.611669},
			{67, 0, 2.611669},
		}, [][3]float64{
			{1, 1, 3.605328},
			{3, 3, 3.378478},
			{0, 0, 2.219024},
			{2, 3, -2.009058},
		}},
		{0.5, 0, 157.983628, 127, [][3]float64{
			{0, 0, 2.920331},
			{1, 1, 2.545984},
			{2, 2, 2.464154},
			{3, 3, 1.761427},
			{33, 0, 1.041305},
			{73, 0, 1.041305},
		}, [][3]float64{
			{3, 3, 2.841908},
			{1, 1, 2.331185},
			{0, 0, 1.829604},
			{2, 2, 1.600666},
		}},
		{0.5, 0.1, 163.902313, 124, [][3]float64{
			{0, 0, 2.733295},
			{1, 1, 2.427045},
			{2, 2, 2.356363},
			{3, 3, 1.665432},
			{33, 0, 0.854099},
			{73, 0, 0.854099},
		}, [][3]float64{
			{3, 3, 2.544245},
			{1, 1, 2.113506},
			{0, 0, 1.690687},
			{2, 2, 1.497400},
		}},
		{2, 0.01, 200.450170, 17, [][3]float64{
			{1, 1, 2.498977},
			{0, 0, 2.420593},
			{2, 2, 2.099778},
			{3, 3, 1.470691},
			{9, 3, 0.205165},
			{49, 3, 0.205165},
		}, [][3]float64{
			{3, 3, 2.303001},
			{1, 1, 1.927505},
			{0, 0, 1.832894},
			{2, 2, 1.736296},
		}},
		{0.0, 1.0, 172.467285, 300, [][3]float64{
			{0, 0, 1.685846},
			{1, 1, 1.653621},
			{2, 2, 1.623653},
			{3, 3, 1.382769},
			{0, 2, -0.764103},
			{2, 3, -0.625188},
		}, [][3]float64{
			{3, 3, 1.696492},
			{1, 1, 1.617688},
			{0, 0, 1.337850},
			{2, 2, 1.170611},
		}},
	} {
		sequences := generated()
		m, err := New(4, 80, sequences, 1)
		if err != nil {
			t.Fatal(err)
		}
		var last Iteration
		trainer := LBFGS{L1: c.l1, L2: c.l2, Iterations: 5000, Delta: 1e-13, Period: 20, Workers: 2}
		if err := trainer.Train(context.Background(), m, sequences, func(i Iteration) { last = i }); err != nil {
			t.Fatal(err)
		}
		if math.Abs(last.Loss-c.loss) > 2e-5*c.loss {
			t.Errorf("c1 %v, c2 %v: loss %.6f after %d iterations, of CRFsuite %.6f", c.l1, c.l2, last.Loss, last.Number, c.loss)
		}
		nonZero := 0
		for _, weights := range [][]float64{m.Weight, m.Transition} {
			for _, w := range weights {
				if w != 0 {
					nonZero++
				}
			}
		}
		if c.l1 > 0 && last.NonZero != nonZero || nonZero != c.nonZero {
			t.Errorf("c1 %v, c2 %v: %d weights that are not 0, reported %d, of CRFsuite %d", c.l1, c.l2, nonZero, last.NonZero, c.nonZero)
		}
		weights := m.Weights()
		m.Prune()
		if err := m.Check(); err != nil || c.l1 > 0 && m.Weights() >= weights {
			t.Errorf("after pruning: %d of %d weights, error %v", m.Weights(), weights, err)
		}
		for _, want := range c.weight {
			got := 0.0
			for f := m.First[int(want[0])]; f < m.First[int(want[0])+1]; f++ {
				if m.Label[f] == int32(want[1]) {
					got = m.Weight[f]
				}
			}
			if math.Abs(got-want[2]) > 0.002 {
				t.Errorf("c1 %v, c2 %v: weight %v, of CRFsuite %v", c.l1, c.l2, got, want)
			}
		}
		for _, want := range c.transition {
			if got := m.Transition[int(want[0])*4+int(want[1])]; math.Abs(got-want[2]) > 0.002 {
				t.Errorf("c1 %v, c2 %v: transition %v, of CRFsuite %v", c.l1, c.l2, got, want)
			}
		}
	}
}

// Pruning changes no label and no probability.
func TestPrune(t *testing.T) {
	sequences := generated()
	m, err := New(4, 80, sequences, 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := (LBFGS{L1: 1, Iterations: 20, Delta: 1e-9, Period: 5}).Train(context.Background(), m, sequences, nil); err != nil {
		t.Fatal(err)
	}
	pruned := &Model{Labels: m.Labels, First: append([]int32{}, m.First...), Label: append([]int32{}, m.Label...), Weight: append([]float64{}, m.Weight...), Transition: m.Transition}
	pruned.Prune()
	p, q := NewPredictor(m, nil), NewPredictor(pruned, nil)
	for i := range sequences {
		a, b := p.Predict(&sequences[i]), q.Predict(&sequences[i])
		for k := range a {
			if x, y := p.Probability(k, k+1), q.Probability(k, k+1); a[k] != b[k] || x != y {
				t.Fatalf("sequence %d, token %d: label %d with probability %v, after pruning %d with %v", i, k, a[k], x, b[k], y)
			}
		}
	}
}
