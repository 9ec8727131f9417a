package nn

import (
	"fmt"
	"iter"
	"math"
	"slices"

	"github.com/lethe-deid/lethe/nn/kernel"
)

// updater changes the parameters by the gradients of the machines. Each worker processes its part
// of every parameter.
type updater struct {
	opt     Optimizer
	rule    rule
	crew    *crew
	step    int     // updates done
	factor  float64 // of the learning rate: see Trainer.SetRate
	dense   []*dense
	tables  []*table
	average *average
}

// dense is a parameter whose gradient has its full size.
type dense struct {
	*Param
	rate   float64 // factor of the learning rate
	memory [][]float32
	sum    []float32 // the gradient, summed over the machines
}

// table is a table of embeddings, of which only the rows in use have a gradient.
type table struct {
	*Param
	rate   float64
	memory [][]float32
	rows   rowSums
	frozen []bool // by row; nil: none is
}

func newUpdater(params *Params, machines []*machine, opt Optimizer, rate func(param string) float64) *updater {
	u := &updater{opt: opt, rule: rules[opt.Method](opt), crew: newCrew(len(machines)), factor: 1}
	memory := func(p *Param) (m [][]float32) {
		for range u.rule.states {
			m = append(m, make([]float32, len(p.Data)))
		}
		return m
	}
	var changing []*Param
	for _, p := range params.All() {
		factor := 1.0
		if rate != nil {
			factor = rate(p.Name)
		}
		if factor == 0 {
			continue
		}
		switch {
		case !p.sparse && machines[0].grads[p.Name] != nil:
			u.dense = append(u.dense, &dense{Param: p, rate: factor, memory: memory(p)})
		case p.sparse && len(machines[0].lookupsOf(p)) > 0:
			u.tables = append(u.tables, &table{Param: p, rate: factor, memory: memory(p)})
		default:
			continue
		}
		changing = append(changing, p)
	}
	if opt.Average > 0 {
		u.average = newAverage(changing)
	}
	return u
}

// lookupsOf returns the uses of a table on which the loss depends.
func (m *machine) lookupsOf(p *Param) (lookups []*lookup) {
	for _, l := range m.graph.lookups {
		if _, used := m.slots[l.tap]; l.table == p && used {
			lookups = append(lookups, l)
		}
	}
	return lookups
}

func (u *updater) state() (step *int, memory []*Param) {
	add := func(p *Param, state [][]float32) {
		for i, s := range state {
			memory = append(memory, &Param{Name: fmt.Sprintf("%s.%s%d", p.Name, u.opt.Method, i), Rows: p.Rows, Cols: p.Cols, Data: s})
		}
	}
	for _, d := range u.dense {
		add(d.Param, d.memory)
	}
	for _, t := range u.tables {
		add(t.Param, t.memory)
	}
	if u.average != nil {
		for i, p := range u.average.params {
			memory = append(memory, &Param{Name: p.Name + ".average", Rows: p.Rows, Cols: p.Cols, Data: u.average.values[i]})
		}
	}
	return &u.step, memory
}

// part is the share of one worker in every slice of values.
type part struct{ worker, workers int }

func (p part) of(n int) (from, to int) {
	return p.worker * n / p.workers, (p.worker + 1) * n / p.workers
}

// apply sums the machines' gradients, clips them and changes the parameters. epoch decides the
// decay of the learning rate.
func (u *updater) apply(machines []*machine, epoch int) error {
	rate := u.opt.LearningRate * math.Pow(u.opt.Decay, float64(epoch)) * u.factor
	of := make([][][]float32, len(machines))
	for i, m := range machines {
		for _, d := range u.dense {
			of[i] = append(of[i], m.gradient(d.Param))
		}
	}
	for i, d := range u.dense { // in the first machine's memory
		d.sum = of[0][i]
	}
	for _, t := range u.tables {
		t.rows.set(machines, t.Param)
	}
	workers := len(u.crew.jobs) + 1
	squares := make([]float64, workers)
	u.crew.each(func(w int) {
		p := part{w, workers}
		u.sum(of, p)
		u.clipValue(p)
		if u.opt.ClipNorm > 0 {
			squares[w] = u.square(p)
		} else {
			u.change(p, rate)
		}
	})
	if u.opt.ClipNorm > 0 {
		factor, err := shrink(squares, u.opt.ClipNorm)
		if err != nil {
			return err
		}
		u.crew.each(func(w int) {
			p := part{w, workers}
			u.scale(p, factor)
			u.change(p, rate)
		})
	}
	u.step++
	if u.average != nil { // after all updates, because a worker's part of a table differs from the rows it changed
		u.crew.each(func(w int) { u.average.add(part{w, workers}, u.step, u.opt.Average) })
	}
	return nil
}

// sum adds up the machines' gradients in their order. of has the gradient of each dense parameter
// by machine.
func (u *updater) sum(of [][][]float32, p part) {
	for i, d := range u.dense {
		from, to := p.of(len(d.sum))
		for _, gradients := range of[1:] {
			kernel.Add(d.sum[from:to], gradients[i][from:to])
		}
	}
	for _, t := range u.tables {
		t.rows.add(p.of(len(t.rows.ids)))
	}
}

// gradients returns a part of the sums.
func (u *updater) gradients(p part) iter.Seq[[]float32] {
	return func(yield func([]float32) bool) {
		for _, d := range u.dense {
			if from, to := p.of(len(d.sum)); !yield(d.sum[from:to]) {
				return
			}
		}
		for _, t := range u.tables {
			from, to := p.of(len(t.rows.ids))
			if !yield(t.rows.sum[from*t.Cols : to*t.Cols]) {
				return
			}
		}
	}
}

func (u *updater) clipValue(p part) {
	if limit := float32(u.opt.ClipValue); limit > 0 {
		for g := range u.gradients(p) {
			kernel.Clamp(g, limit)
		}
	}
}

func (u *updater) square(p part) (sum float64) {
	for g := range u.gradients(p) {
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

func (u *updater) scale(p part, factor float32) {
	if factor != 1 {
		for g := range u.gradients(p) {
			kernel.Axpy(g, factor-1, g)
		}
	}
}

func (u *updater) change(p part, rate float64) {
	step := u.step + 1
	for _, d := range u.dense {
		from, to := p.of(len(d.Data))
		u.rule.update(d.Data[from:to], d.sum[from:to], between(d.memory, from, to), rate*d.rate, step)
	}
	for _, t := range u.tables {
		from, to := p.of(len(t.rows.ids))
		for at := from; at < to; at++ {
			if t.frozen != nil && t.frozen[t.rows.ids[at]] {
				continue
			}
			begin := int(t.rows.ids[at]) * t.Cols
			u.rule.update(t.Data[begin:begin+t.Cols], t.rows.sum[at*t.Cols:][:t.Cols], between(t.memory, begin, begin+t.Cols), rate*t.rate, step)
		}
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

// rowSums is the sum of the gradients of the rows of a table that a step uses.
type rowSums struct {
	cols    int
	ids     []int32   // of the rows
	sum     []float32 // one row per id
	index   map[int32]int32
	lookups []*lookup // of all machines
	at      [][]int32 // index into ids of each row of each lookup
}

// set collects the rows for which the machines have gradients.
func (r *rowSums) set(machines []*machine, p *Param) {
	if r.index == nil {
		r.index = map[int32]int32{}
	}
	clear(r.index)
	r.cols, r.ids, r.lookups = p.Cols, r.ids[:0], r.lookups[:0]
	for _, m := range machines {
		r.lookups = append(r.lookups, m.lookupsOf(p)...)
	}
	r.at = slices.Grow(r.at[:0], len(r.lookups))[:len(r.lookups)]
	for i, l := range r.lookups {
		r.at[i] = r.at[i][:0]
		for _, id := range l.ids {
			at, ok := r.index[id]
			if !ok {
				at = int32(len(r.ids))
				r.index[id] = at
				r.ids = append(r.ids, id)
			}
			r.at[i] = append(r.at[i], at)
		}
	}
	r.sum = slices.Grow(r.sum[:0], len(r.ids)*r.cols)[:len(r.ids)*r.cols]
}

// add sums ids[from:to].
func (r *rowSums) add(from, to int) {
	clear(r.sum[from*r.cols : to*r.cols])
	for i, list := range r.at {
		for row, at := range list {
			if int(at) >= from && int(at) < to {
				kernel.Add(r.sum[int(at)*r.cols:][:r.cols], r.lookups[i].dout.Row(row))
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

func newAverage(params []*Param) *average {
	a := &average{params: params}
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
