package nn

import (
	"cmp"
	"fmt"
	"math"
	"runtime"
	"slices"

	"github.com/lethe-deid/lethe/nn/kernel"
)

// Trainer changes a network by minibatches. A batch is dealt to the workers,
// whose gradients are summed in a fixed order: the same seed and number of
// workers give the same bits.
type Trainer struct {
	net      *Network
	opt      Optimizer
	rule     rule
	workers  []*worker
	freeze   bool
	step     int // updates done
	state    [][][]float32
	rowState [][]float32
	average  *average
	sums     [][]float32 // gradient of each parameter, all workers
	rows     map[int32]int
	rowIDs   []int32
	rowSum   []float32
}

// NewTrainer compiles one machine a worker. With freeze the token embedding
// stays as it is. Close the trainer after use.
func NewTrainer(net *Network, opt Optimizer, workers int, freeze bool) (*Trainer, error) {
	if err := opt.Validate(); err != nil {
		return nil, err
	}
	t := &Trainer{net: net, opt: opt, rule: rules[opt.Method], freeze: freeze || net.table == nil, rows: map[int32]int{}}
	for range max(1, workers) {
		m, err := newMachine(net, true)
		if err != nil {
			return nil, err
		}
		t.workers = append(t.workers, &worker{machine: m})
	}
	for _, w := range t.workers[1:] { // the first is whoever calls Step
		w.start()
	}
	t.sums = make([][]float32, len(net.params))
	for _, p := range net.params {
		t.state = append(t.state, t.newState(len(p.Data)))
	}
	if !t.freeze {
		t.rowState = t.newState(len(net.table.Data))
	}
	if opt.Average > 0 {
		t.average = newAverage(net, t.freeze)
	}
	return t, nil
}

// SwapAverage exchanges the network's weights with their moving average; call
// it before using the network and again before the next step. Without an
// average it does nothing.
func (t *Trainer) SwapAverage() {
	if t.average != nil {
		t.average.swap()
	}
}

func (t *Trainer) newState(n int) (s [][]float32) {
	for range t.rule.states {
		s = append(s, make([]float32, n))
	}
	return s
}

// State is what a later Trainer needs, besides the network, to go on to the
// same bits: the steps done and the optimiser's memory, as named matrices that
// may be read and written in place.
func (t *Trainer) State() (step *int, memory []*Param) {
	add := func(p *Param, state [][]float32) {
		for i, s := range state {
			memory = append(memory, &Param{fmt.Sprintf("%s.%s%d", p.Name, t.opt.Method, i), p.Rows, p.Cols, s})
		}
	}
	for i, p := range t.net.params {
		add(p, t.state[i])
	}
	if !t.freeze {
		add(t.net.table, t.rowState)
	}
	if t.average != nil {
		for i, p := range t.average.params {
			memory = append(memory, &Param{p.Name + ".average", p.Rows, p.Cols, t.average.values[i]})
		}
	}
	return &t.step, memory
}

// Step does one update on a minibatch: the gradient is the mean over its
// sentences of each one's own (section 3.3; one sentence a batch is the paper's
// training). seed decides what is dropped out; epoch, from 0, the decay of the
// learning rate. It returns the mean loss.
func (t *Trainer) Step(sentences []Sentence, seed uint64, epoch int) (loss float64, err error) {
	if len(sentences) == 0 {
		return 0, nil
	}
	scale := 1 / float32(len(sentences))
	shares := deal(sentences, len(t.workers))
	var jobs []job
	for _, share := range shares {
		j := job{make([]Sentence, len(share)), make([]uint64, len(share)), scale}
		for i, at := range share {
			s := splitmix(seed + uint64(at))
			j.sentences[i], j.seeds[i] = sentences[at], s.next()
		}
		jobs = append(jobs, j)
	}
	for w, j := range jobs[1:] {
		t.workers[w+1].jobs <- j
	}
	first := t.workers[0].do(jobs[0])
	loss, err = first.loss, first.err
	for _, w := range t.workers[1:len(jobs)] {
		r, _ := receive(w.results)
		loss += r.loss
		err = cmp.Or(err, r.err)
	}
	if err != nil {
		return 0, err
	}
	if math.IsNaN(loss) || math.IsInf(loss, 0) {
		return loss, fmt.Errorf("the loss is %v after %d updates: try a lower learning rate", loss, t.step)
	}
	t.sum(len(shares))
	if err := t.clip(); err != nil {
		return loss, fmt.Errorf("%w after %d updates: try a lower learning rate", err, t.step)
	}
	t.update(t.opt.LearningRate * math.Pow(t.opt.Decay, float64(epoch)))
	if t.average != nil {
		t.average.add(t.step, t.opt.Average)
	}
	return loss, nil
}

// FLOP is how many multiplications and additions the matrix products of all
// steps had.
func (t *Trainer) FLOP() (sum float64) {
	for _, w := range t.workers {
		sum += w.machine.flop
	}
	return sum
}

// Close ends the workers. The trainer is of no use afterwards.
func (t *Trainer) Close() {
	for _, w := range t.workers[1:] {
		close(w.jobs)
	}
}

// worker computes the gradients of its share of each batch.
type worker struct {
	machine *machine
	jobs    chan job
	results chan result
}

type job struct {
	sentences []Sentence
	seeds     []uint64
	scale     float32
}

type result struct {
	loss float64
	err  error
}

func (w *worker) do(j job) result {
	loss, err := w.machine.train(j.sentences, j.seeds, j.scale)
	return result{loss, err}
}

func (w *worker) start() {
	w.jobs, w.results = make(chan job, 1), make(chan result, 1)
	go func() {
		for {
			j, ok := receive(w.jobs)
			if !ok {
				return
			}
			w.results <- w.do(j)
		}
	}()
}

// receive waits for a value, for the first 0.2 ms or so without letting the core
// fall asleep: to wake it takes longer than the serial part of a step, 0.3 ms a
// step on a virtual machine, a tenth of the time of two workers.
func receive[T any](ch <-chan T) (v T, ok bool) {
	for i := range 40_000 {
		select {
		case v, ok = <-ch:
			return v, ok
		default:
			if i%64 == 63 {
				runtime.Gosched()
			}
		}
	}
	v, ok = <-ch
	return v, ok
}

// deal gives each worker the sentences it computes: the longest first, each to
// the worker with the fewest tokens so far. No worker is without.
func deal(sentences []Sentence, workers int) [][]int {
	var by packing
	order := by.pack(len(sentences), func(i int) int { return len(sentences[i].Tokens) })
	shares, load := make([][]int, min(workers, len(sentences))), make([]int, workers)
	for _, i := range order {
		least := 0
		for w := range shares {
			if load[w] < load[least] {
				least = w
			}
		}
		shares[least] = append(shares[least], i)
		load[least] += len(sentences[i].Tokens)
	}
	return shares
}

func (t *Trainer) sum(workers int) {
	for i := range t.sums { // in the first worker's memory
		t.sums[i] = t.workers[0].machine.gradient(i).Data
		for _, w := range t.workers[1:workers] {
			kernel.Add(t.sums[i], w.machine.gradient(i).Data)
		}
	}
	t.rowIDs = t.rowIDs[:0]
	if t.freeze {
		return
	}
	clear(t.rows)
	d := t.net.table.Cols
	t.rowSum = t.rowSum[:0]
	for _, w := range t.workers[:workers] {
		m := w.machine
		for r, id := range m.batch.ids {
			at, ok := t.rows[id]
			if !ok {
				at = len(t.rowIDs)
				t.rows[id] = at
				t.rowIDs = append(t.rowIDs, id)
				t.rowSum = append(t.rowSum, m.table.rows.Row(r)...)
				continue
			}
			kernel.Add(t.rowSum[at*d:][:d], m.table.rows.Row(r))
		}
	}
}

func (t *Trainer) clip() error {
	all := append(t.sums[:len(t.sums):len(t.sums)], t.rowSum)
	if c := float32(t.opt.ClipValue); c > 0 {
		for _, g := range all {
			kernel.Clamp(g, c)
		}
	}
	if t.opt.ClipNorm == 0 {
		return nil
	}
	var square float64
	for _, g := range all {
		square += float64(kernel.Dot(g, g))
	}
	norm := math.Sqrt(square)
	if math.IsNaN(norm) || math.IsInf(norm, 0) {
		return fmt.Errorf("the gradient's norm is %v", norm)
	}
	if norm > t.opt.ClipNorm {
		f := float32(t.opt.ClipNorm/norm) - 1
		for _, g := range all {
			kernel.Axpy(g, f, g)
		}
	}
	return nil
}

func (t *Trainer) update(rate float64) {
	t.step++
	for i, p := range t.net.params {
		t.rule.update(p.Data, t.sums[i], t.state[i], rate, t.step)
	}
	if t.freeze {
		return
	}
	d := t.net.table.Cols
	row := make([][]float32, t.rule.states)
	for at, id := range t.rowIDs {
		for i, s := range t.rowState {
			row[i] = s[int(id)*d:][:d]
		}
		t.rule.update(t.net.table.Data[int(id)*d:][:d], t.rowSum[at*d:][:d], row, rate, t.step)
	}
}

// average is the exponential moving average of the weights (Polyak and
// Juditsky 1992; the exponential form as in Kingma and Ba 2015, section 7.2),
// which is steadier than the weights of any one step.
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

// add takes the weights after a step in. While there are few, each counts for
// more, so that the random beginning is soon forgotten.
func (a *average) add(step int, decay float64) {
	f := float32(1 - min(decay, float64(1+step)/float64(10+step)))
	for i, p := range a.params {
		kernel.Approach(a.values[i], f, p.Data)
	}
}

func (a *average) swap() {
	for i, p := range a.params {
		for j, v := range a.values[i] {
			a.values[i][j], p.Data[j] = p.Data[j], v
		}
	}
}
