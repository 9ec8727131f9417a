package chain

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// random returns a model with random weights and labelled sequences for it.
func random(rng *rand.Rand, labels, attributes, sequences int) (*Model, []Sequence) {
	var all []Sequence
	for range sequences {
		var s Sequence
		for range 1 + rng.IntN(5) {
			for range rng.IntN(4) {
				s.Attributes = append(s.Attributes, int32(rng.IntN(attributes+1))-1) // -1: unknown
			}
			s.Ends = append(s.Ends, int32(len(s.Attributes)))
			s.Labels = append(s.Labels, int32(rng.IntN(labels)))
		}
		all = append(all, s)
	}
	m, err := New(labels, attributes, all, 1)
	if err != nil {
		panic(err)
	}
	for _, w := range [][]float64{m.Weight, m.Transition} {
		for i := range w {
			w[i] = 2 * rng.NormFloat64()
		}
	}
	return m, all
}

// score is computed from the definition alone.
func score(m *Model, s *Sequence, y []int32) float64 {
	total := 0.0
	for t := range y {
		from, to := s.at(t)
		for k := from; k < to; k++ {
			a := s.Attributes[k]
			for f := range m.Label {
				if a >= 0 && int(m.First[a]) <= f && f < int(m.First[a+1]) && m.Label[f] == y[t] {
					total += m.Weight[f]
				}
			}
		}
		if t > 0 {
			total += m.Transition[int(y[t-1])*m.Labels+int(y[t])]
		}
	}
	return total
}

// labelings calls f with each of the labelings of n tokens.
func labelings(n, labels int, f func(y []int32)) {
	y := make([]int32, n)
	for {
		f(y)
		t := 0
		for ; t < n; t++ {
			if y[t]++; int(y[t]) < labels {
				break
			}
			y[t] = 0
		}
		if t == n {
			return
		}
	}
}

func close(a, b, tolerance float64) bool { return math.Abs(a-b) <= tolerance*max(1, math.Abs(a)) }

func TestSumsAgainstAllLabelings(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		m, sequences := random(rng, 3, 6, 4)
		trans := make([]float64, len(m.Transition))
		exp(trans, m.Transition)
		for i := range sequences {
			s := &sequences[i]
			n := s.Len()
			z := 0.0
			marginals := make([]float64, n*m.Labels)
			pairs := make([]float64, m.Labels*m.Labels)
			labelings(n, m.Labels, func(y []int32) {
				p := math.Exp(score(m, s, y))
				z += p
				for t := range y {
					marginals[t*m.Labels+int(y[t])] += p
					if t > 0 {
						pairs[int(y[t-1])*m.Labels+int(y[t])] += p
					}
				}
			})
			var u sums
			u.compute(m, s, trans, nil, nil)
			if !close(u.LogZ, math.Log(z), 1e-12) {
				t.Fatalf("log Z is %v, want %v", u.LogZ, math.Log(z))
			}
			if got, want := u.score(m, s.Labels), score(m, s, s.Labels); !close(got, want, 1e-12) {
				t.Fatalf("score is %v, want %v", got, want)
			}
			row := make([]float64, m.Labels)
			for tok := range n {
				u.marginal(tok, row)
				for l := range row {
					if want := marginals[tok*m.Labels+l] / z; !close(row[l], want, 1e-12) {
						t.Fatalf("marginal is %v, want %v", row[l], want)
					}
				}
			}
			got := make([]float64, len(pairs))
			u.addPairs(got)
			for k := range got {
				if want := pairs[k] / z; !close(got[k]*trans[k], want, 1e-12) {
					t.Fatalf("expected transitions are %v, want %v", got[k]*trans[k], want)
				}
			}
		}
	}
}

func TestGradientAgainstFiniteDifferences(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, workers := range []int{1, 2, 3, 20} {
		m, sequences := random(rng, 4, 9, 10)
		f := newObjective(m, sequences, 0.3, workers)
		x := slices.Concat(m.Weight, m.Transition)
		grad := make([]float64, len(x))
		f.gradient(grad, x)
		// The loss itself, from the definition.
		want := 0.0
		for i := range sequences {
			z := 0.0
			labelings(sequences[i].Len(), m.Labels, func(y []int32) { z += math.Exp(score(m, &sequences[i], y)) })
			want += math.Log(z) - score(m, &sequences[i], sequences[i].Labels)
		}
		for _, w := range x {
			want += 0.3 * w * w
		}
		if got := f.value(x); !close(got, want, 1e-12) {
			t.Fatalf("%d workers: loss is %v, want %v", workers, got, want)
		}
		for i := range x {
			const h = 1e-5
			at := x[i]
			x[i] = at + h
			up := f.value(x)
			x[i] = at - h
			down := f.value(x)
			x[i] = at
			if want := (up - down) / (2 * h); !close(grad[i], want, 1e-7) {
				t.Fatalf("%d workers: gradient %d is %v, want %v", workers, i, grad[i], want)
			}
		}
	}
}

func TestPredictorAgainstAllLabelings(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for trial := range 200 {
		m, sequences := random(rng, 4, 6, 3)
		forbidden := map[[2]int]bool{}
		var legal func(i, j int) bool
		if trial%3 > 0 {
			for range rng.IntN(6) {
				if i, j := rng.IntN(5)-1, rng.IntN(5)-1; i != 0 && j != 0 { // label 0 is always allowed
					forbidden[[2]int{i, j}] = true
				}
			}
			legal = func(i, j int) bool { return !forbidden[[2]int{i, j}] }
		}
		allowed := func(y []int32) bool {
			before := -1
			for _, l := range y {
				if forbidden[[2]int{before, int(l)}] {
					return false
				}
				before = int(l)
			}
			return !forbidden[[2]int{before, -1}]
		}
		p := NewPredictor(m, legal)
		for i := range sequences {
			s := &sequences[i]
			n := s.Len()
			var best []int32
			top, z := math.Inf(-1), 0.0
			labelings(n, m.Labels, func(y []int32) {
				if !allowed(y) {
					return
				}
				x := score(m, s, y)
				if z += math.Exp(x); x > top {
					best, top = slices.Clone(y), x
				}
			})
			got := p.Predict(s)
			logits := make([]float64, m.Labels)
			for tok := range n {
				one := &Sequence{Ends: []int32{0}}
				from, to := s.at(tok)
				one.Attributes = s.Attributes[from:to]
				one.Ends[0] = to - from
				p.Logits(tok, logits)
				for l := range logits {
					if want := score(m, one, []int32{int32(l)}); !close(logits[l], want, 1e-12) {
						t.Fatalf("logit %v, want %v", logits[l], want)
					}
				}
			}
			if !allowed(got) || !close(score(m, s, got), top, 1e-12) {
				t.Fatalf("trial %d: labels %v of score %v, want %v of %v", trial, got, score(m, s, got), best, top)
			}
			from := rng.IntN(n)
			to := from + 1 + rng.IntN(n-from)
			want := 0.0
			labelings(n, m.Labels, func(y []int32) {
				if allowed(y) && slices.Equal(y[from:to], best[from:to]) {
					want += math.Exp(score(m, s, y)) / z
				}
			})
			if got := p.Probability(from, to); !close(got, want, 1e-11) {
				t.Fatalf("trial %d: probability %v, want %v", trial, got, want)
			}
		}
	}
}

func TestPerceptronsViterbiIsThePredictors(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for range 50 {
		m, sequences := random(rng, 5, 9, 5)
		p := NewPredictor(m, nil)
		for i := range sequences {
			plain, _, _ := viterbi(m, &sequences[i], nil, nil, nil)
			if fast := p.Predict(&sequences[i]); !slices.Equal(plain, fast) {
				t.Fatalf("%v and %v", plain, fast)
			}
		}
	}
}

// learnable returns sequences in which an attribute determines the label, except for
// one label in ten, and labels alternate.
func learnable(rng *rand.Rand, n int) []Sequence {
	var all []Sequence
	for range n {
		var s Sequence
		for t := range 8 {
			y := int32(t % 2)
			if rng.IntN(4) == 0 {
				y = 2
			}
			a := y
			if rng.IntN(10) == 0 {
				a = int32(rng.IntN(3))
			}
			s.Attributes = append(s.Attributes, a, 3+int32(rng.IntN(20)))
			s.Ends = append(s.Ends, int32(len(s.Attributes)))
			s.Labels = append(s.Labels, y)
		}
		all = append(all, s)
	}
	return all
}

func TestTrainers(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	train, test := learnable(rng, 300), learnable(rng, 300)
	fit := func(trainer Trainer) (*Model, float64) {
		m, err := New(3, 23, train, 1)
		if err != nil {
			t.Fatal(err)
		}
		iterations := 0
		if err := trainer.Train(context.Background(), m, train, func(i Iteration) { iterations = i.Number }); err != nil {
			t.Fatal(err)
		}
		if iterations == 0 || m.Check() != nil {
			t.Fatalf("%d iterations, %v", iterations, m.Check())
		}
		p := NewPredictor(m, nil)
		right, total := 0, 0
		for i := range test {
			for k, y := range p.Predict(&test[i]) {
				if total++; y == test[i].Labels[k] {
					right++
				}
			}
		}
		return m, float64(right) / float64(total)
	}
	batch, accuracy := fit(LBFGS{L2: 1, Iterations: 500, Delta: 1e-12, Period: 10, Workers: 2})
	if accuracy < 0.9 {
		t.Errorf("L-BFGS: accuracy %.3f", accuracy)
	}
	// At the optimum the gradient vanishes.
	f := newObjective(batch, train, 1, 1)
	grad := make([]float64, len(batch.Weight)+len(batch.Transition))
	f.gradient(grad, slices.Concat(batch.Weight, batch.Transition))
	for i, g := range grad {
		if math.Abs(g) > 1e-3 {
			t.Errorf("L-BFGS stopped where gradient %d is %v", i, g)
		}
	}
	sgd, accuracy := fit(SGD{L2: 1, Rate: 0.1, Iterations: 60, Seed: 1})
	if accuracy < 0.9 {
		t.Errorf("SGD: accuracy %.3f", accuracy)
	}
	if best, other := f.value(slices.Concat(batch.Weight, batch.Transition)), f.value(slices.Concat(sgd.Weight, sgd.Transition)); other < best || other > 1.01*best {
		t.Errorf("SGD ends at loss %v, L-BFGS at %v", other, best)
	}
	if _, accuracy := fit(Perceptron{Iterations: 20, Seed: 1}); accuracy < 0.88 {
		t.Errorf("perceptron: accuracy %.3f", accuracy)
	}
	again, _ := fit(LBFGS{L2: 1, Iterations: 500, Delta: 1e-12, Period: 10, Workers: 2})
	if !slices.Equal(batch.Weight, again.Weight) || !slices.Equal(batch.Transition, again.Transition) {
		t.Error("the same training gives other bits")
	}
}

func TestTrainingIsCalledOff(t *testing.T) {
	train := learnable(rand.New(rand.NewPCG(1, 1)), 50)
	for _, trainer := range []Trainer{LBFGS{L2: 1, Iterations: 500, Period: 10}, SGD{L2: 1, Rate: 0.1, Iterations: 60}, Perceptron{Iterations: 60}} {
		m, err := New(3, 23, train, 1)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		err = trainer.Train(ctx, m, train, func(i Iteration) {
			if i.Number == 2 {
				cancel()
			}
		})
		if err != context.Canceled {
			t.Errorf("%T: %v", trainer, err)
		}
	}
}

func TestRareFeaturesAreLeftOut(t *testing.T) {
	s := []Sequence{{Ends: []int32{1, 2, 4}, Attributes: []int32{0, 0, 0, 1}, Labels: []int32{0, 0, 1}}}
	m, err := New(2, 3, s, 2)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(m.First, []int32{0, 1, 1, 1}) || !slices.Equal(m.Label, []int32{0}) {
		t.Errorf("features %v of labels %v", m.First, m.Label)
	}
	if _, err := New(2, 3, []Sequence{{Ends: []int32{0}}}, 1); err == nil {
		t.Error("a token without a label was taken")
	}
}

// With a rate that suits lines, training on whole notes diverged: the weights of
// features that all tokens share grew with the length of the sequence.
func TestSGDDivergesOnLongSequences(t *testing.T) {
	var notes []Sequence
	for part := range slices.Chunk(learnable(rand.New(rand.NewPCG(13, 14)), 1500), 75) {
		var note Sequence // of 600 tokens
		for _, s := range part {
			for k := range s.Labels {
				from, to := s.at(k)
				note.Attributes = append(append(note.Attributes, s.Attributes[from:to]...), 23) // 23: all tokens have it
				note.Ends = append(note.Ends, int32(len(note.Attributes)))
			}
			note.Labels = append(note.Labels, s.Labels...)
		}
		notes = append(notes, note)
	}
	fit := func(trainer Trainer) float64 {
		m, err := New(3, 24, notes, 1)
		if err != nil {
			t.Fatal(err)
		}
		if err := trainer.Train(context.Background(), m, notes, nil); err != nil {
			t.Fatal(err)
		}
		return newObjective(m, notes, 1, 1).value(slices.Concat(m.Weight, m.Transition))
	}
	best := fit(LBFGS{L2: 1, Iterations: 500, Delta: 1e-12, Period: 10, Workers: 1})
	for _, rate := range []float64{0.1, 10} {
		if loss := fit(SGD{L2: 1, Rate: rate, Iterations: 30, Seed: 1}); loss > 1.05*best {
			t.Errorf("rate %v: SGD ends at loss %v, L-BFGS at %v", rate, loss, best)
		}
	}
}

// Attributes that always occur together are merged in L-BFGS, even if one of them
// occurs twice in a token, unless they have different features. The optimum is that of
// all attributes.
func TestMergedAttributesHaveTheSameOptimum(t *testing.T) {
	train := learnable(rand.New(rand.NewPCG(15, 16)), 100)
	for i := range train {
		s := &train[i]
		var twin Sequence
		for k := range s.Labels {
			from, to := s.at(k)
			for _, a := range s.Attributes[from:to] {
				twin.Attributes = append(twin.Attributes, a)
				if a != 5 {
					twin.Attributes = append(twin.Attributes, a+23) // its twin
				}
				if a == 7 {
					twin.Attributes = append(twin.Attributes, a+23)
				}
			}
			twin.Ends = append(twin.Ends, int32(len(twin.Attributes)))
		}
		s.Attributes, s.Ends = twin.Attributes, twin.Ends
	}
	m, err := New(3, 46, train, 1)
	if err != nil {
		t.Fatal(err)
	}
	merged := merge(m, train)
	if got, want := merged.Attributes(), 23+1; got != want { // the twin of 7 stays apart, that of 5 never occurs
		t.Errorf("%d attributes are left, want %d", got, want)
	}
	if err := (LBFGS{L2: 0.5, Iterations: 500, Delta: 1e-13, Period: 10, Workers: 2}).Train(context.Background(), m, train, nil); err != nil {
		t.Fatal(err)
	}
	f := newObjective(m, train, 0.5, 1)
	grad := make([]float64, len(m.Weight)+len(m.Transition))
	f.gradient(grad, slices.Concat(m.Weight, m.Transition))
	for i, g := range grad {
		if math.Abs(g) > 1e-3 {
			t.Errorf("gradient %d is %v, want 0", i, g)
		}
	}
}

// Attributes with more than fewLabels labels have their weights in the table. This
// tests the loss and gradient of both kinds together.
func TestGradientOfAttributesWithManyLabels(t *testing.T) {
	rng := rand.New(rand.NewPCG(17, 18))
	m, sequences := random(rng, 9, 6, 40)
	f := newObjective(m, sequences, 0.3, 2)
	if m.Attributes() == 0 || len(f.table) == 0 {
		t.Fatal("no attribute has many labels")
	}
	x := slices.Concat(m.Weight, m.Transition)
	grad := make([]float64, len(x))
	f.gradient(grad, x)
	want := 0.0
	for i := range sequences {
		s := &sequences[i]
		z := 0.0
		if s.Len() > 4 {
			continue
		}
		labelings(s.Len(), m.Labels, func(y []int32) { z += math.Exp(score(m, s, y)) })
		want += math.Log(z) - score(m, s, s.Labels)
	}
	for i := range sequences { // too many labelings: by the other way
		if s := &sequences[i]; s.Len() > 4 {
			var u sums
			trans := make([]float64, len(m.Transition))
			exp(trans, m.Transition)
			u.compute(m, s, trans, nil, nil)
			want += u.LogZ - score(m, s, s.Labels)
		}
	}
	for _, w := range x {
		want += 0.3 * w * w
	}
	if got := f.value(x); !close(got, want, 1e-12) {
		t.Fatalf("loss is %v, want %v", got, want)
	}
	for i := range x {
		const h = 1e-5
		at := x[i]
		x[i] = at + h
		up := f.value(x)
		x[i] = at - h
		down := f.value(x)
		x[i] = at
		if want := (up - down) / (2 * h); !close(grad[i], want, 1e-6) {
			t.Fatalf("gradient %d is %v, want %v", i, grad[i], want)
		}
	}
}
