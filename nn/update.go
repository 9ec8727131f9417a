package nn

import (
	"fmt"
	"iter"
	"math"
	"slices"

	"github.com/lethe-deid/lethe/nn/kernel"
)

// part is the share of one worker in every slice of values.
type part struct{ worker, workers int }

func (p part) of(n int) (from, to int) {
	return p.worker * n / p.workers, (p.worker + 1) * n / p.workers
}

// apply sums the machines' gradients, clips them and changes the parameters. Each worker processes
// its part of every parameter.
func (t *Trainer) apply(machines []*machine, rate float64) error {
	t.sums = t.sums[:0]
	for i := range t.net.params { // in the first machine's memory
		t.sums = append(t.sums, machines[0].gradient(i).Data)
	}
	if !t.freeze {
		t.rows.set(machines, t.net.table.Cols)
	}
	workers := len(t.machines)
	squares := make([]float64, workers)
	t.crew.each(func(w int) {
		p := part{w, workers}
		t.sum(machines, p)
		t.clipValue(p)
		if t.opt.ClipNorm > 0 {
			squares[w] = t.square(p)
		} else {
			t.update(p, rate)
		}
	})
	if t.opt.ClipNorm > 0 {
		factor, err := shrink(squares, t.opt.ClipNorm)
		if err != nil {
			return err
		}
		t.crew.each(func(w int) {
			p := part{w, workers}
			t.scale(p, factor)
			t.update(p, rate)
		})
	}
	t.step++
	if t.average != nil { // after all updates, because a worker's part of the table differs from the rows it changed
		t.crew.each(func(w int) { t.average.add(part{w, workers}, t.step, t.opt.Average) })
	}
	return nil
}

// sum adds up the machines' gradients in their order.
func (t *Trainer) sum(machines []*machine, p part) {
	for i, g := range t.sums {
		from, to := p.of(len(g))
		for _, m := range machines[1:] {
			kernel.Add(g[from:to], m.gradient(i).Data[from:to])
		}
	}
	from, to := p.of(len(t.rows.ids))
	t.rows.add(machines, from, to)
}

// gradients returns a part of the sums.
func (t *Trainer) gradients(p part) iter.Seq[[]float32] {
	return func(yield func([]float32) bool) {
		for _, g := range t.sums {
			if from, to := p.of(len(g)); !yield(g[from:to]) {
				return
			}
		}
		from, to := p.of(len(t.rows.ids))
		yield(t.rows.sum[from*t.rows.cols : to*t.rows.cols])
	}
}

func (t *Trainer) clipValue(p part) {
	if limit := float32(t.opt.ClipValue); limit > 0 {
		for g := range t.gradients(p) {
			kernel.Clamp(g, limit)
		}
	}
}

func (t *Trainer) square(p part) (sum float64) {
	for g := range t.gradients(p) {
		sum += float64(kernel.Dot(g, g))
	}
	return sum
}

// shrink returns the factor that limits a gradient, given the sum of its squares, to the maximum
// norm.
func shrink(squares []float64, most float64) (factor float32, err error) {
	sum := 0.0
	for _, s := range squares {
		sum += s
	}
	norm := math.Sqrt(sum)
	if math.IsNaN(norm) || math.IsInf(norm, 0) {
		return 0, fmt.Errorf("the gradient's norm is %v", norm)
	}
	return float32(min(1, most/norm)), nil
}

func (t *Trainer) scale(p part, factor float32) {
	if factor != 1 {
		for g := range t.gradients(p) {
			kernel.Axpy(g, factor-1, g)
		}
	}
}

func (t *Trainer) update(p part, rate float64) {
	step := t.step + 1
	for i, param := range t.net.params {
		from, to := p.of(len(param.Data))
		t.rule.update(param.Data[from:to], t.sums[i][from:to], between(t.state[i], from, to), rate, step)
	}
	from, to := p.of(len(t.rows.ids))
	for at := from; at < to; at++ {
		d := t.rows.cols
		begin := int(t.rows.ids[at]) * d
		t.rule.update(t.net.table.Data[begin:begin+d], t.rows.sum[at*d:][:d], between(t.rowState, begin, begin+d), rate, step)
	}
}

// between returns the range [from, to) of each state.
func between(states [][]float32, from, to int) [][]float32 {
	cut := make([][]float32, len(states))
	for i, s := range states {
		cut[i] = s[from:to]
	}
	return cut
}

// rowSums is the sum of the gradients of the rows of the token embedding that a step uses.
type rowSums struct {
	cols  int
	ids   []int32   // of the rows
	sum   []float32 // one row per id
	index map[int32]int32
	at    [][]int32 // index into ids of each row of each machine
}

// set collects the rows for which the machines have gradients.
func (r *rowSums) set(machines []*machine, cols int) {
	if r.index == nil {
		r.index = map[int32]int32{}
	}
	clear(r.index)
	r.cols, r.ids, r.at = cols, r.ids[:0], slices.Grow(r.at, len(machines))[:len(machines)]
	for i, m := range machines {
		r.at[i] = r.at[i][:0]
		for _, id := range m.batch.ids {
			at, ok := r.index[id]
			if !ok {
				at = int32(len(r.ids))
				r.index[id] = at
				r.ids = append(r.ids, id)
			}
			r.at[i] = append(r.at[i], at)
		}
	}
	r.sum = slices.Grow(r.sum[:0], len(r.ids)*cols)[:len(r.ids)*cols]
}

// add sums ids[from:to].
func (r *rowSums) add(machines []*machine, from, to int) {
	clear(r.sum[from*r.cols : to*r.cols])
	for i, list := range r.at {
		for row, at := range list {
			if int(at) >= from && int(at) < to {
				kernel.Add(r.sum[int(at)*r.cols:][:r.cols], machines[i].table.rows.Row(row))
			}
		}
	}
}

// average is the exponential moving average of the weights (Polyak and Juditsky 1992; the
// exponential form as in Kingma and Ba 2015, section 7.2). It is steadier than the weights of any
// one step.
type average struct {
	params []*Param
	values [][]float32
}

func newAverage(net *Network, freeze bool) *average {
	a := &average{params: net.params}
	if !freeze {
		a.params = net.Params()
	}
	for _, p := range a.params {
		a.values = append(a.values, slices.Clone(p.Data))
	}
	return a
}

// add adds the weights after a step to the average. In the first steps each counts more, so that
// the average soon forgets the random initial weights.
func (a *average) add(part part, step int, decay float64) {
	f := float32(1 - min(decay, float64(1+step)/float64(10+step)))
	for i, p := range a.params {
		from, to := part.of(len(p.Data))
		kernel.Approach(a.values[i][from:to], f, p.Data[from:to])
	}
}

func (a *average) swap() {
	for i, p := range a.params {
		for j, v := range a.values[i] {
			a.values[i][j], p.Data[j] = p.Data[j], v
		}
	}
}
