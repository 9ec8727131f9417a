package nn

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"github.com/lethe-deid/lethe/nn/kernel"
)

// Model is what the assembly of a network returns: it takes batches of examples of type E.
type Model[E any] interface {
	// Fill packs the axes and sets the indices of the graph for a batch. In training there is one
	// seed per example, to be set as the Seeds of axes that dropout uses; otherwise seeds is nil.
	Fill(batch []E, seeds []uint64)
	// Loss returns the node to be minimised, a scalar that is the sum over the examples. It is not
	// called for a graph that is not built for training.
	Loss() *G.Node
}

// Machine computes one graph. It shares its parameters with other machines, serves batches of any
// size, and must be used by one goroutine at a time.
//
// Gorgonia's own machines are not used: see docs/decisions/0018-layers-on-a-graph.md.
type Machine[E any, M Model[E]] struct {
	Model M
	*machine
}

// building makes NewMachine build one graph at a time, because Gorgonia writes to a global variable
// when it builds a graph.
var building sync.Mutex

// NewMachine calls assembly to build the graph of a network whose parameters are in params, or are
// added to it. A machine for training also computes the loss and the gradients.
func NewMachine[E any, M Model[E]](params *Params, assembly func(*Graph) M, training bool) (*Machine[E, M], error) {
	building.Lock()
	defer building.Unlock()
	g, model, err := build(params, training, assembly)
	if err != nil {
		return nil, err
	}
	m := &Machine[E, M]{model, &machine{graph: g}}
	if !training {
		return m, m.plan(m.computed())
	}
	return m, m.differentiate(model.Loss())
}

// Run computes a batch. Nothing is dropped.
func (m *Machine[E, M]) Run(batch []E) error { return m.RunSeeded(batch, nil, 1) }

// RunSeeded computes a batch in a machine for training: the seeds, one per example, decide dropout,
// and the loss is multiplied by scale.
func (m *Machine[E, M]) RunSeeded(batch []E, seeds []uint64, scale float32) error {
	m.scale, m.graph.seeded = scale, seeds != nil
	return m.run(func() { m.Model.Fill(batch, seeds) })
}

// machine runs the ops of a graph in an order in which each follows its inputs.
type machine struct {
	graph   *Graph
	steps   []step
	axes    []*Axis // of the values of the steps
	slots   map[*G.Node]int
	values  []kernel.Matrix // by slot
	tensors []G.Value       // the same as Gorgonia has them, where its ops need them; nil where not
	scalars []bool          // whether the value is a scalar in the graph
	scale   float32
	cost    *cost
	grads   map[string]*gradient // by the name of the parameter; those that the loss does not depend on have none
	flop    float64              // of all runs
}

// step computes one node.
type step struct {
	node  *G.Node
	ours  *op  // nil for an op of Gorgonia
	stock G.Op // nil for ours
	in    []int
	out   int
	axis  *Axis // nil unless the rows of the value are a ragged axis
	cols  int
	over  []*Axis // the axes of the inputs

	reshapes bool // whether stock is Gorgonia's reshape
}

// String describes the step in errors.
func (s *step) String() string {
	if s.ours != nil {
		return s.ours.String()
	}
	return fmt.Sprint(s.stock)
}

// gradient is where a parameter's gradient is after a run.
type gradient struct {
	slot   int
	shared bool // other nodes have the same memory, so that it must be copied before it is changed
	own    buffer
}

// computed returns the nodes of a graph for prediction without the Gather, Sum and Concat nodes that only LSTMs read,
// which look through them: see Graph.pieces.
func (m *machine) computed() G.Nodes {
	used := map[*G.Node]bool{}
	for _, n := range m.graph.AllNodes() {
		if !m.graph.bypassed[n] {
			m.ancestors(used, n)
		}
	}
	return slices.DeleteFunc(slices.Clone(m.graph.AllNodes()), func(n *G.Node) bool { return !used[n] })
}

// plan lists the steps for the nodes, which must be in the order in which they were added: Gorgonia
// adds the inputs of a node before the node.
func (m *machine) plan(nodes G.Nodes) error {
	m.slots = map[*G.Node]int{}
	for _, n := range nodes {
		slot := len(m.values)
		m.slots[n] = slot
		m.values, m.tensors, m.scalars = append(m.values, kernel.Matrix{}), append(m.tensors, nil), append(m.scalars, n.IsScalar())
		if v := n.Value(); v != nil { // a parameter or a constant
			m.values[slot], m.tensors[slot] = toMatrix(v), v
			continue
		}
		if n.Op() == nil {
			return fmt.Errorf("nn: the node %s has no value", n.Name())
		}
		s := step{node: n, out: slot, axis: m.graph.AxisOf(n)}
		if shape := n.Shape(); len(shape) == 2 {
			s.cols = shape[1]
		}
		if s.ours, _ = n.Op().(*op); s.ours == nil {
			s.stock, s.reshapes = n.Op(), strings.HasPrefix(n.Op().String(), "Reshape(")
		}
		for children := m.graph.From(n.ID()); children != nil && children.Next(); {
			child := children.Node().(*G.Node)
			s.in = append(s.in, m.slots[child])
			if a := m.graph.AxisOf(child); a != nil {
				s.over = append(s.over, a)
			}
		}
		if s.axis != nil && !slices.Contains(m.axes, s.axis) {
			m.axes = append(m.axes, s.axis)
		}
		m.steps = append(m.steps, s)
	}
	return nil
}

// differentiate adds the gradients of all parameters that the loss depends on.
func (m *machine) differentiate(loss *G.Node) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("nn: gradients: %v", p)
		}
	}()
	switch {
	case loss == nil:
		return fmt.Errorf("nn: loss: expected a scalar, given none")
	case !loss.IsScalar():
		return fmt.Errorf("nn: loss: expected a scalar, given %s", m.graph.Shape(loss))
	}
	m.cost = &cost{scale: &m.scale}
	if o, ok := loss.Op().(*op); ok {
		m.cost.exact, _ = o.layer.(exact)
	}
	total := m.graph.ApplyScalar("cost", m.cost, loss)
	used := map[*G.Node]bool{}
	m.ancestors(used, total)
	var names []string
	var wrt G.Nodes
	for _, p := range m.graph.params.All() {
		if n := m.graph.nodes[p.Name]; n != nil && used[n] {
			names, wrt = append(names, p.Name), append(wrt, n)
		}
	}
	for _, l := range m.graph.lookups {
		if used[l.tap] {
			wrt = append(wrt, l.tap)
		}
	}
	if len(wrt) == 0 {
		return fmt.Errorf("nn: loss: it does not depend on any parameter")
	}
	grads, err := G.Grad(total, wrt...)
	if err != nil {
		return fmt.Errorf("nn: gradients: %w", err)
	}
	m.ancestors(used, grads...)
	if err := m.plan(slices.DeleteFunc(slices.Clone(m.graph.AllNodes()), func(n *G.Node) bool { return !used[n] })); err != nil {
		return err
	}
	m.grads = map[string]*gradient{}
	owners := map[*G.Node]int{}
	for _, n := range grads {
		owners[n]++
	}
	for i, name := range names {
		o, ours := grads[i].Op().(*op)
		m.grads[name] = &gradient{slot: m.slots[grads[i]], shared: !ours || o.kind != pickOp || owners[grads[i]] > 1}
	}
	return nil
}

// ancestors marks nodes and all that they are computed from.
func (m *machine) ancestors(mark map[*G.Node]bool, nodes ...*G.Node) {
	for _, n := range nodes {
		if mark[n] {
			continue
		}
		mark[n] = true
		for children := m.graph.From(n.ID()); children != nil && children.Next(); {
			m.ancestors(mark, children.Node().(*G.Node))
		}
	}
}

// run computes the graph after fill has set the batch. A panic, for example for an id beyond a
// table, is an error, after which the machine can be used again.
func (m *machine) run(fill func()) (err error) {
	var at *step // nil while the batch is filled
	defer func() {
		switch p := recover(); {
		case p == nil:
		case at == nil:
			err = fmt.Errorf("nn: the batch: %v", p)
		default:
			err = fmt.Errorf("nn: %s: %v", at, p)
		}
	}()
	for _, a := range m.axes {
		a.packed = false
	}
	fill()
	for _, a := range m.axes {
		if !a.packed {
			return fmt.Errorf("nn: the batch: the axis %s was not packed", a.name)
		}
	}
	in := make([]kernel.Matrix, 0, 16)
	for i := range m.steps {
		s := &m.steps[i]
		at = s
		if s.ours == nil {
			if err := m.runStock(s); err != nil {
				return fmt.Errorf("nn: %s: %w", s, err)
			}
			continue
		}
		in = in[:0]
		for _, slot := range s.in {
			in = append(in, m.values[slot])
		}
		v := s.ours.run(in)
		if s.axis != nil && (v.Rows != s.axis.rows || v.Cols != s.cols) {
			return fmt.Errorf("nn: %s: expected [%d, %d] for the axis %s, given [%d, %d]", s, s.axis.rows, s.cols, s.axis.name, v.Rows, v.Cols)
		}
		m.values[s.out], m.tensors[s.out] = v, nil
	}
	for _, s := range m.steps {
		if s.ours != nil && s.ours.kind == forwardOp {
			if w, ok := s.ours.layer.(worker); ok {
				forward, backward := w.work()
				m.flop += forward
				if m.cost != nil {
					m.flop += backward
				}
			}
		}
	}
	return nil
}

// runStock computes an op of Gorgonia. It takes the shape from its values, whatever the shapes in
// the graph are.
func (m *machine) runStock(s *step) error {
	// Tensors cannot be empty. The result of an op on an empty one is empty, too, or a sum over no rows,
	// which is 0.
	if s.axis != nil && s.axis.rows == 0 {
		m.values[s.out], m.tensors[s.out] = kernel.NewMatrix(0, s.cols, nil), nil
		return nil
	}
	if slices.ContainsFunc(s.over, func(a *Axis) bool { return a.rows == 0 }) {
		shape := s.node.Shape()
		if slices.ContainsFunc(shape, func(n int) bool { return n >= firstAxis }) {
			return fmt.Errorf("expected at least one row in its input")
		}
		m.set(s, zeros(shape))
		return nil
	}
	in := make([]G.Value, len(s.in))
	for i, slot := range s.in {
		if m.tensors[slot] == nil {
			m.tensors[slot] = toValue(m.values[slot], m.scalars[slot])
		}
		in[i] = m.tensors[slot]
	}
	if s.axis != nil && s.reshapes { // the op would insist on the number of rows that stands for the axis
		data, ok := in[0].Data().([]float32)
		if !ok {
			data = []float32{in[0].Data().(float32)}
		}
		m.set(s, toValue(kernel.NewMatrix(s.axis.rows, s.cols, data), false))
		return nil
	}
	v, err := s.stock.Do(in...)
	if err != nil {
		return err
	}
	m.set(s, v)
	return nil
}

// set sets the value of a step to what an op of Gorgonia returned.
func (m *machine) set(s *step, v G.Value) {
	m.tensors[s.out] = v
	if m.scalars[s.out] || v.Shape().Dims() == 2 {
		m.values[s.out] = toMatrix(v)
	}
}

func zeros(shape tensor.Shape) G.Value {
	if shape.IsScalar() {
		return G.NewF32(0)
	}
	return tensor.New(tensor.WithShape(shape...), tensor.Of(tensor.Float32))
}

// worker is a layer that counts the multiplications and additions of its matrix products in the
// last run.
type worker interface {
	work() (forward, backward float64)
}

// FLOP returns the number of multiplications and additions in the matrix products of all runs.
func (m *machine) FLOP() float64 { return m.flop }

// Value returns the value of a node for the current batch: [rows, columns], or [1, 1] for a scalar.
// It is valid until the next run, and empty for a node that the machine does not compute: in
// training, one that the loss does not depend on, and in prediction one of Gather, Sum or Concat that only an LSTM
// reads.
func (m *machine) Value(n *G.Node) kernel.Matrix {
	if slot, ok := m.slots[n]; ok {
		return m.values[slot]
	}
	return kernel.Matrix{}
}

// Loss returns the loss of the current batch, or 0 if the machine is not for training.
func (m *machine) Loss() float64 {
	if m.cost == nil {
		return 0
	}
	return m.cost.value
}

// gradient returns the gradient of a parameter, or nil if the loss does not depend on it. It may be
// changed, and is valid until the next run.
func (m *machine) gradient(p *Param) []float32 {
	g := m.grads[p.Name]
	if g == nil {
		return nil
	}
	v := m.values[g.slot]
	if g.shared {
		own := g.own.resize(v.Rows, v.Cols)
		copy(own.Data, v.Data)
		return own.Data
	}
	return v.Data
}

// Gradient returns the gradient of a parameter for the current batch, row-major, with all rows of a
// table of embeddings. It is nil if the loss does not depend on the parameter, or if the machine is
// not for training.
func (m *machine) Gradient(p *Param) []float32 {
	if !p.sparse {
		return slices.Clone(m.gradient(p))
	}
	lookups := m.lookupsOf(p)
	if len(lookups) == 0 || m.grads == nil {
		return nil
	}
	all := make([]float32, len(p.Data))
	for _, l := range lookups {
		for r, id := range l.ids {
			kernel.Add(all[int(id)*p.Cols:][:p.Cols], l.dout.Row(r))
		}
	}
	return all
}

// cost is the loss times the scale of the batch.
type cost struct {
	scale *float32
	exact exact // nil if the loss is not a layer that knows its value in float64
	value float64
}

// exact is a loss that knows its value before the graph rounds it to float32.
type exact interface{ Exact() float64 }

func (c *cost) Forward(in []kernel.Matrix) kernel.Matrix {
	loss := float64(in[0].Data[0])
	if c.exact != nil {
		loss = c.exact.Exact()
	}
	c.value = loss * float64(*c.scale)
	return scalar(c.value)
}

func (c *cost) Backward(_ []kernel.Matrix, _, dout kernel.Matrix, din []kernel.Matrix) {
	din[0].Data[0] += *c.scale * dout.Data[0]
}

func scalar(v float64) kernel.Matrix { return kernel.NewMatrix(1, 1, []float32{float32(v)}) }
