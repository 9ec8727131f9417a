package nn

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/lethe-deid/lethe/checkpoints"
	"github.com/lethe-deid/lethe/nn/kernel"
)

// Param is one trainable matrix, row-major.
type Param struct {
	Name       string
	Rows, Cols int
	Data       []float32

	sparse bool // its gradient has only the rows that a batch uses
	init   Init // nil once it is initialised
}

func (p *Param) matrix() kernel.Matrix { return kernel.NewMatrix(p.Rows, p.Cols, p.Data) }

// Params contains the parameters of networks by name. Graphs that use the same Params share them.
type Params struct {
	list   []*Param // in the order in which layers asked for them
	byName map[string]*Param
	seed   uint64
	given  map[string]checkpoints.Tensor // initial values; nil if they are drawn
}

// NewParams returns an empty set. The same seed and the same network give the same initial values.
func NewParams(seed uint64) *Params { return &Params{byName: map[string]*Param{}, seed: seed} }

// NewGivenParams returns an empty set whose parameters use the memory of the tensors of the same names, so that a network
// that is read from a file is not in memory twice. When the network is built, Fill tells whether they fit each other.
func NewGivenParams(tensors []checkpoints.Tensor) *Params {
	return &Params{byName: map[string]*Param{}, given: byName(tensors)}
}

// All returns the parameters in the order in which the layers of the network were built, tables of
// embeddings last. Their Data may be changed but not resized.
func (p *Params) All() []*Param {
	all := slices.Clone(p.list)
	slices.SortStableFunc(all, func(a, b *Param) int {
		switch {
		case a.sparse == b.sparse:
			return 0
		case a.sparse:
			return 1
		}
		return -1
	})
	return all
}

// Count returns the number of values of all parameters.
func (p *Params) Count() (n int) {
	for _, param := range p.list {
		n += len(param.Data)
	}
	return n
}

// Get returns the parameter of this name, or nil.
func (p *Params) Get(name string) *Param { return p.byName[name] }

// get returns the parameter of this name, which is made if it does not exist.
func (p *Params) get(name string, rows, cols int, sparse bool, init Init) (*Param, error) {
	if rows < 1 || cols < 1 {
		return nil, fmt.Errorf("expected a matrix with at least one row and column, given [%d, %d]", rows, cols)
	}
	if old, ok := p.byName[name]; ok {
		if old.Rows != rows || old.Cols != cols {
			return nil, fmt.Errorf("expected [%d, %d], but the parameter exists with shape [%d, %d]", rows, cols, old.Rows, old.Cols)
		}
		if old.sparse != sparse {
			return nil, fmt.Errorf("one name for a table of Embedding and for a parameter of another layer")
		}
		return old, nil
	}
	made := &Param{Name: name, Rows: rows, Cols: cols, sparse: sparse, init: init}
	if given := p.given[name]; slices.Equal(given.Shape, []int{rows, cols}) {
		made.Data = given.Data
	} else {
		made.Data = make([]float32, rows*cols)
	}
	p.list, p.byName[name] = append(p.list, made), made
	return made, nil
}

// remove removes the parameters that were made after the first n.
func (p *Params) remove(n int) {
	for _, param := range p.list[n:] {
		delete(p.byName, param.Name)
	}
	p.list = p.list[:n]
}

// initialise sets the values of the parameters that were made since the last call.
func (p *Params) initialise() {
	stream := uint64(0x676c6f726f74)
	for _, param := range p.list {
		if param.init == nil { // each later network has a stream of its own
			stream++
		}
	}
	rng := rand.New(rand.NewPCG(p.seed, stream))
	for _, param := range p.All() {
		if param.init != nil && p.given == nil {
			param.init(rng, param)
		}
		param.init = nil
	}
}

// Tensors returns the parameters as tensors, which share their memory.
func (p *Params) Tensors() (tensors []checkpoints.Tensor) {
	for _, param := range p.All() {
		tensors = append(tensors, param.Tensor(param.Name, param.Data))
	}
	return tensors
}

// Tensor returns values with the parameter's shape as a tensor that shares their memory.
func (p *Param) Tensor(name string, values []float32) checkpoints.Tensor {
	return checkpoints.Tensor{Name: name, Shape: []int{p.Rows, p.Cols}, Data: values}
}

// Fill copies tensors into the parameters of the same names. It is an error if one is missing, has
// another shape, or belongs to no parameter.
func (p *Params) Fill(tensors []checkpoints.Tensor) error { return Fill(p.Tensors(), tensors) }

// Fill copies the values of the tensors in from to the tensors of the same names in to. It is an error
// if a tensor is missing or has another shape, or if from has a tensor that to does not have.
func Fill(to, from []checkpoints.Tensor) error {
	left := byName(from)
	for _, p := range to {
		t, ok := left[p.Name]
		switch {
		case !ok:
			return fmt.Errorf("tensor %s is missing", p.Name)
		case !slices.Equal(t.Shape, p.Shape):
			return fmt.Errorf("tensor %s has shape %v, not %v", p.Name, t.Shape, p.Shape)
		}
		if len(t.Data) > 0 && &p.Data[0] != &t.Data[0] {
			copy(p.Data, t.Data)
		}
		delete(left, p.Name)
	}
	for _, t := range from {
		if _, more := left[t.Name]; more {
			return fmt.Errorf("tensor %s is not part of this network", t.Name)
		}
	}
	return nil
}

func byName(tensors []checkpoints.Tensor) map[string]checkpoints.Tensor {
	all := map[string]checkpoints.Tensor{}
	for _, t := range tensors {
		all[t.Name] = t
	}
	return all
}

// Init sets the initial values of a parameter.
type Init func(rng *rand.Rand, p *Param)

// Glorot draws from U(±sqrt(6/(rows+cols))), as Glorot and Bengio 2010, section 4.2.
func Glorot(rng *rand.Rand, p *Param) {
	limit := math.Sqrt(6 / float64(p.Rows+p.Cols))
	for i := range p.Data {
		p.Data[i] = float32(limit * (2*rng.Float64() - 1))
	}
}

// Zeros sets all values to 0.
func Zeros(_ *rand.Rand, p *Param) { clear(p.Data) }

// Ones sets all values to 1.
func Ones(_ *rand.Rand, p *Param) {
	for i := range p.Data {
		p.Data[i] = 1
	}
}

// Normal draws from the normal distribution with mean 0 and this standard deviation.
func Normal(deviation float64) Init {
	return func(rng *rand.Rand, p *Param) {
		for i := range p.Data {
			p.Data[i] = float32(deviation * rng.NormFloat64())
		}
	}
}

// Uniform draws from U(-limit, limit).
func Uniform(limit float64) Init {
	return func(rng *rand.Rand, p *Param) {
		for i := range p.Data {
			p.Data[i] = float32(limit * (2*rng.Float64() - 1))
		}
	}
}
