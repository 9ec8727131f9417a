package chain

import (
	"slices"
	"sync"

	"gonum.org/v1/gonum/floats"

	"github.com/lethe-deid/lethe/nn/kernel/rows"
)

// objective computes the loss and its gradient: the expected minus the observed counts
// of each feature (Sutton and McCallum 2012, section 5.1.1). Attributes with many
// labels are few, but occur in every token; each has a row of a table, with room for
// all labels. For the other attributes, each token has a list of their features.
type objective struct {
	m        *Model // its weights are the current ones, times scale
	l2       float64
	scale    []float64 // value of each attribute where it occurs; nil: 1
	row      []int32   // row of each attribute in the table, or -1
	table    []float64 // weights, in rows for package rows
	trans    transitions
	exp      []float64 // exp of the transition weights
	observed []float64 // counts of the features, then of the transitions
	workers  []*worker
	last     []float64 // the last argument of value, and its results
	loss     float64
	grad     []float64
}

// worker has a share of the sequences, and the memory to process them.
type worker struct {
	sequences []Sequence // without attributes, which are in rows and features
	rows      lists      // by token: its attributes' rows in the table
	features  lists      // by token: the features of its attributes that have no row
	table     []float64  // expected counts of the attributes that have a row
	grad      []float64  // expected counts of the other features
	pairs     []float64  // expected counts of the transitions, up to the factor exp(weight)
	marginal  []float64
	sums      sums
	loss      float64
}

// lists holds one list of numbers per token.
type lists struct{ ends, numbers []int32 }

func (l *lists) of(t int) []int32 {
	if t == 0 {
		return l.numbers[:l.ends[0]]
	}
	return l.numbers[l.ends[t-1]:l.ends[t]]
}

// fewLabels is the maximum number of labels of an attribute without a row of its own.
// On MEDDOCAN, one attribute in 300 has more, but these account for 97 % of the
// additions.
const fewLabels = 6

func newObjective(m *Model, sequences []Sequence, l2 float64, workers int) *objective {
	n := len(m.Weight) + len(m.Transition)
	f := &objective{
		m:  &Model{m.Labels, m.First, m.Label, make([]float64, len(m.Weight)), make([]float64, len(m.Transition))},
		l2: l2, row: make([]int32, m.Attributes()), exp: make([]float64, len(m.Transition)), observed: make([]float64, n), grad: make([]float64, n),
	}
	many := int32(0)
	for a := range f.row {
		f.row[a] = -1
		if m.First[a+1]-m.First[a] > fewLabels {
			f.row[a] = many
			many++
		}
	}
	f.table = make([]float64, int(many)*rows.Width(m.Labels))
	tokens := 0
	for i := range sequences {
		tokens += sequences[i].Len()
		f.observe(&sequences[i])
	}
	for range workers { // each worker gets about the same number of tokens
		w := &worker{
			table: make([]float64, len(f.table)), grad: make([]float64, len(m.Weight)), pairs: make([]float64, len(m.Transition)),
			marginal: make([]float64, rows.Width(m.Labels)),
		}
		for size := 0; len(sequences) > 0 && (size < tokens/workers+1 || len(f.workers) == workers-1); sequences = sequences[1:] {
			size += sequences[0].Len()
			w.add(f, sequences[0])
		}
		f.workers = append(f.workers, w)
	}
	return f
}

// observe counts the features of the sequence with its gold labels.
func (f *objective) observe(s *Sequence) {
	m := f.m
	for t, y := range s.Labels {
		from, to := s.at(t)
		for _, a := range s.Attributes[from:to] {
			if a >= 0 {
				if i, ok := slices.BinarySearch(m.Label[m.First[a]:m.First[a+1]], y); ok {
					f.observed[int(m.First[a])+i]++
				}
			}
		}
		if t > 0 {
			f.observed[len(m.Weight)+int(s.Labels[t-1])*m.Labels+int(y)]++
		}
	}
}

func (f *objective) value(x []float64) float64 {
	if f.last == nil || !slices.Equal(f.last, x) {
		f.evaluate(x)
	}
	return f.loss
}

func (f *objective) gradient(grad, x []float64) {
	f.value(x)
	copy(grad, f.grad)
}

func (f *objective) evaluate(x []float64) {
	f.last = append(f.last[:0], x...)
	f.set(x)
	var wg sync.WaitGroup
	for _, w := range f.workers {
		wg.Go(func() { w.evaluate(f) })
	}
	wg.Wait()
	f.loss = f.l2 * floats.Dot(x, x)
	for _, w := range f.workers { // always in this order, so that the sum has the same bits
		f.loss += w.loss
	}
	f.collect(x)
}

// each calls do for ranges of the attributes, one per worker, in parallel.
func (f *objective) each(do func(from, to int)) {
	var wg sync.WaitGroup
	n := len(f.workers)
	for i := range n {
		wg.Go(func() { do(i*len(f.row)/n, (i+1)*len(f.row)/n) })
	}
	wg.Wait()
}

// valueOf returns the value of an attribute where it occurs.
func (f *objective) valueOf(a int) float64 {
	if f.scale == nil {
		return 1
	}
	return f.scale[a]
}

// set copies the weights x into the model, the table and the transitions.
func (f *objective) set(x []float64) {
	m := f.m
	P := rows.Width(m.Labels)
	f.each(func(from, to int) {
		for a := from; a < to; a++ {
			scale := f.valueOf(a)
			for i := m.First[a]; i < m.First[a+1]; i++ {
				m.Weight[i] = scale * x[i]
				if r := f.row[a]; r >= 0 {
					f.table[int(r)*P+int(m.Label[i])] = m.Weight[i]
				}
			}
		}
	})
	copy(m.Transition, x[len(m.Weight):])
	exp(f.exp, m.Transition)
	f.trans.set(f.exp, m.Labels)
}

// collect computes the gradient from the counts of all workers.
func (f *objective) collect(x []float64) {
	m := f.m
	P := rows.Width(m.Labels)
	f.each(func(from, to int) {
		for a := from; a < to; a++ {
			scale := f.valueOf(a)
			for i := int(m.First[a]); i < int(m.First[a+1]); i++ {
				excess := -f.observed[i]
				for _, w := range f.workers {
					if r := f.row[a]; r >= 0 {
						excess += w.table[int(r)*P+int(m.Label[i])]
					} else {
						excess += w.grad[i]
					}
				}
				f.grad[i] = 2*f.l2*x[i] + scale*excess
			}
		}
	})
	for k := range m.Transition {
		i := len(m.Weight) + k
		f.grad[i] = 2*f.l2*x[i] - f.observed[i]
		for _, w := range f.workers {
			f.grad[i] += f.exp[k] * w.pairs[k]
		}
	}
}

// add adds a sequence to the worker's share.
func (w *worker) add(f *objective, s Sequence) {
	w.sequences = append(w.sequences, Sequence{Ends: s.Ends, Labels: s.Labels})
	for t := range s.Len() {
		from, to := s.at(t)
		for _, a := range s.Attributes[from:to] {
			switch {
			case a < 0:
			case f.row[a] >= 0:
				w.rows.numbers = append(w.rows.numbers, f.row[a])
			default:
				for i := f.m.First[a]; i < f.m.First[a+1]; i++ {
					w.features.numbers = append(w.features.numbers, i)
				}
			}
		}
		w.rows.ends = append(w.rows.ends, int32(len(w.rows.numbers)))
		w.features.ends = append(w.features.ends, int32(len(w.features.numbers)))
	}
}

// evaluate computes the loss of the worker's sequences and the expected counts.
func (w *worker) evaluate(f *objective) {
	clear(w.table)
	clear(w.grad)
	clear(w.pairs)
	w.loss = 0
	m, u := f.m, &w.sums
	first := 0 // index of the sequence's first token among all tokens
	for i := range w.sequences {
		s := &w.sequences[i]
		u.begin(m.Labels, s.Len())
		for t := range s.Len() {
			row := u.row(u.scores, t)
			clear(row)
			rows.Sum(row, f.table, w.rows.of(first+t))
			for _, i := range w.features.of(first + t) {
				row[m.Label[i]] += m.Weight[i]
			}
		}
		u.sum(&f.trans, nil, nil)
		w.loss += u.LogZ - u.score(m, s.Labels)
		u.addPairs(w.pairs)
		for t := range s.Len() {
			u.marginal(t, w.marginal)
			rows.AddTo(w.table, w.rows.of(first+t), w.marginal)
			for _, i := range w.features.of(first + t) {
				w.grad[i] += w.marginal[m.Label[i]]
			}
		}
		first += s.Len()
	}
}
