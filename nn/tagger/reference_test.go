package tagger

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"github.com/lethe-deid/lethe/nn"
	"github.com/lethe-deid/lethe/nn/kernel"
)

// The gradients of the fused layers were written by hand. The reference unrolls the same network for
// one sentence into Gorgonia's own ops and lets Gorgonia differentiate it, in float64. It shares no
// code with the layers. The layers compute in float32 and differ by about 1e-6 of a gradient's size.
// The tolerances leave room for other kernels.
func TestStockOpsAgreeWithTheFusedLayers(t *testing.T) {
	twice := []int32{3, 1, 4, 1}
	sentences := map[string]Sentence{
		"a repeated token": {
			Tokens:     []int32{5, 2, 5, 6, 0},
			Characters: [][]int32{twice, {2}, twice, {0, 1, 1}, {4, 2}},
			Labels:     []int32{1, 0, 1, 3, 3},
		},
		"one character": {Tokens: []int32{4}, Characters: [][]int32{{2}}, Labels: []int32{2}},
	}
	for name, cfg := range referenceConfigs() {
		for which, s := range sentences {
			t.Run(name+"/"+which, func(t *testing.T) {
				net, params := referenceNetwork(t, cfg, Sizes{Characters: 5, Tokens: 7, Labels: 4})
				wantLoss, want := reference(t, cfg, params, s)
				loss, grads := fused(t, net, s)
				if !(math.Abs(loss-wantLoss) <= 1e-5) {
					t.Errorf("loss %v, want %v", loss, wantLoss)
				}
				if len(grads) != len(params) {
					t.Errorf("%d gradients of %d parameters", len(grads), len(params))
				}
				for name := range params {
					if d := distance(grads[name], want[name]); !(d <= 1e-4) {
						t.Errorf("%s: the gradient differs from the reference by %.2g of its size", name, d)
					}
				}
			})
		}
	}
}

// The reference must be correct itself. This test compares every gradient of tiny networks with the
// central difference of the reference's own loss.
func TestReferenceAgreesWithFiniteDifferences(t *testing.T) {
	s := Sentence{Tokens: []int32{1, 0, 1}, Characters: [][]int32{{0, 1}, {1}, {0, 1}}, Labels: []int32{1, 0, 1}}
	configs := referenceConfigs()
	for _, name := range []string{"coupled", "peephole", "full-peephole", "standard", "no CRF"} {
		t.Run(name, func(t *testing.T) {
			cfg := configs[name]
			cfg.CharacterEmbedding, cfg.CharacterLSTM, cfg.TokenEmbedding, cfg.TokenLSTM, cfg.Hidden = 1, 1, 1, Units{2}, 2
			_, params := referenceNetwork(t, cfg, Sizes{Characters: 2, Tokens: 2, Labels: 2})
			u := unroll(t, cfg, params, s)
			_, grads := u.run(t)
			for name, data := range u.values {
				for i, at := range data {
					const h = 1e-4
					data[i] = at + h
					above, _ := u.run(t)
					data[i] = at - h
					below, _ := u.run(t)
					data[i] = at
					if d := (above - below) / (2 * h); !(math.Abs(d-grads[name][i]) <= 1e-7) {
						t.Errorf("%s[%d]: gradient %v, finite difference %v", name, i, grads[name][i], d)
					}
				}
			}
		})
	}
}

// referenceConfigs returns networks with each kind of cell, and without each part.
func referenceConfigs() map[string]Config {
	configs := map[string]Config{}
	add := func(name string, edit func(*Config)) {
		c := small("coupled")
		c.Dropout = 0
		edit(&c)
		configs[name] = c
	}
	add("coupled", func(*Config) {})
	add("peephole", func(c *Config) { c.Cell = "peephole" })
	add("full-peephole", func(c *Config) { c.Cell = "full-peephole" })
	add("standard", func(c *Config) { c.Cell = "standard" })
	add("no characters", func(c *Config) { c.CharacterLSTM = 0 })
	add("no token vectors", func(c *Config) { c.TokenEmbedding = 0 })
	add("no token LSTM", func(c *Config) { c.TokenLSTM = Units{0} })
	add("no hidden layer", func(c *Config) { c.Hidden = 0 })
	add("no CRF", func(c *Config) { c.CRF = false })
	return configs
}

// referenceNetwork returns a network and its parameters by name. They are larger than Glorot's, so
// that no layer is nearly linear.
func referenceNetwork(t *testing.T, cfg Config, sizes Sizes) (*Network, map[string]kernel.Matrix) {
	t.Helper()
	net, err := New(cfg, sizes, 3)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(5, 7))
	params := map[string]kernel.Matrix{}
	for _, p := range net.All() {
		for i := range p.Data {
			p.Data[i] = float32(rng.NormFloat64()) * 0.6
		}
		params[p.Name] = kernel.NewMatrix(p.Rows, p.Cols, p.Data)
	}
	return net, params
}

// fused returns the loss of a sentence and the gradients by the names of the parameters, as the
// fused layers compute them without dropout.
func fused(t *testing.T, net *Network, s Sentence) (loss float64, grads map[string][]float32) {
	t.Helper()
	m, err := nn.NewMachine[Sentence](net.Params, net.assemble, true)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Run([]Sentence{s}); err != nil {
		t.Fatal(err)
	}
	grads = map[string][]float32{}
	for _, p := range net.All() {
		grads[p.Name] = m.Gradient(p)
	}
	return m.Loss(), grads
}

// distance returns the norm of got-want, relative to that of want or to 0.01 if that is greater,
// because smaller gradients consist of rounding errors. It is infinite if the lengths differ.
func distance(got, want []float32) float64 {
	if len(got) != len(want) {
		return math.Inf(1)
	}
	var errSq, sizeSq float64
	for i, w := range want {
		d := float64(got[i]) - float64(w)
		errSq += d * d
		sizeSq += float64(w) * float64(w)
	}
	return math.Sqrt(errSq) / max(math.Sqrt(sizeSq), 0.01)
}

// reference returns the loss of a sentence and the gradients of all parameters, without dropout.
// The gradient of the token table is dense, unlike that of the fused layers.
func reference(t *testing.T, cfg Config, params map[string]kernel.Matrix, s Sentence) (loss float64, grads map[string][]float32) {
	t.Helper()
	loss, exact := unroll(t, cfg, params, s).run(t)
	grads = map[string][]float32{}
	for name, d := range exact {
		for _, v := range d {
			grads[name] = append(grads[name], float32(v))
		}
	}
	return loss, grads
}

// unrolled is the network of one sentence in stock ops. Every value in the graph is a matrix, and
// the vector of a token is a matrix of one row. Rows and columns are taken, and rows are joined,
// by products with constant matrices, because products have the simplest gradients.
type unrolled struct {
	graph     *G.ExprGraph
	cell      nn.Cell
	nodes     map[string]*G.Node   // parameters by name
	values    map[string][]float64 // their values; a change applies to the next run
	constants map[string]*G.Node
	loss      G.Value
	grads     map[string]*G.Value
	vm        G.VM
}

func unroll(t *testing.T, cfg Config, params map[string]kernel.Matrix, s Sentence) *unrolled {
	t.Helper()
	u := &unrolled{
		graph: G.NewGraph(), cell: cfg.Cell, nodes: map[string]*G.Node{}, values: map[string][]float64{},
		constants: map[string]*G.Node{}, grads: map[string]*G.Value{},
	}
	names := slices.Sorted(maps.Keys(params))
	var wrt []*G.Node
	for _, name := range names {
		m := params[name]
		for i := range m.Rows {
			for _, v := range m.Row(i) {
				u.values[name] = append(u.values[name], float64(v))
			}
		}
		u.nodes[name] = u.input(name, m.Rows, m.Cols, u.values[name])
		wrt = append(wrt, u.nodes[name])
	}

	logits := u.logits(cfg, s)
	var loss *G.Node
	if cfg.CRF {
		loss = u.crf(logits, s.Labels)
	} else {
		loss = u.crossEntropy(logits, s.Labels)
	}
	grads, err := G.Grad(loss, wrt...)
	if err != nil {
		t.Fatal(err)
	}
	G.Read(loss, &u.loss)
	for i, name := range names {
		u.grads[name] = new(G.Value)
		G.Read(grads[i], u.grads[name])
	}
	u.vm = G.NewTapeMachine(u.graph)
	t.Cleanup(func() { u.vm.Close() })
	return u
}

// run computes the loss and the gradients of the present values.
func (u *unrolled) run(t *testing.T) (loss float64, grads map[string][]float64) {
	t.Helper()
	u.vm.Reset()
	if err := u.vm.RunAll(); err != nil {
		t.Fatal(err)
	}
	grads = map[string][]float64{}
	for name, v := range u.grads {
		switch d := (*v).Data().(type) {
		case []float64:
			grads[name] = slices.Clone(d)
		case float64: // a matrix of one value
			grads[name] = []float64{d}
		}
	}
	return u.loss.Data().(float64), grads
}

// logits returns the scores [1, K] of each token's labels.
func (u *unrolled) logits(cfg Config, s Sentence) (rows []*G.Node) {
	for i, id := range s.Tokens {
		var x *G.Node
		if cfg.CharacterLSTM > 0 {
			var chars []*G.Node
			for _, c := range s.Characters[i] {
				chars = append(chars, u.row(u.nodes["character_embedding"], int(c)))
			}
			forward, backward := u.bilstm("character_lstm", chars)
			x = u.join(forward[len(forward)-1], backward[0])
		}
		if cfg.TokenEmbedding > 0 {
			v := u.row(u.nodes["token_embedding"], int(id))
			if x == nil {
				x = v
			} else {
				x = u.join(x, v)
			}
		}
		rows = append(rows, x)
	}
	if cfg.TokenLSTM[0] > 0 {
		forward, backward := u.bilstm("token_lstm", rows)
		for i := range rows {
			rows[i] = u.join(forward[i], backward[i])
		}
	}
	for i, x := range rows {
		if cfg.Hidden > 0 {
			x = u.tanh(u.linear("hidden", x))
		}
		rows[i] = u.linear("logits", x)
	}
	return rows
}

// bilstm returns the hidden states of both directions. backward[i] is the state after the inputs
// from the last to i.
func (u *unrolled) bilstm(name string, in []*G.Node) (forward, backward []*G.Node) {
	forward = u.lstm(name+".forward", in)
	reversed := slices.Clone(in)
	slices.Reverse(reversed)
	backward = u.lstm(name+".backward", reversed)
	slices.Reverse(backward)
	return forward, backward
}

// lstm returns the hidden state after each input: the equations of kernel.Cell.
func (u *unrolled) lstm(name string, in []*G.Node) (out []*G.Node) {
	var c, h *G.Node
	var n int
	if p, ok := u.nodes[name+".P"]; ok {
		n = p.Shape()[0]
		c, h = u.filled(n, 0), u.filled(n, 0)
	} else {
		c, h = u.nodes[name+".c0"], u.nodes[name+".h0"]
		n = c.Shape()[1]
	}
	one := u.filled(n, 1)
	for _, x := range in {
		z := u.linear(name, u.join(x, h))
		block := func(i int) *G.Node { return u.mul(z, u.place(z.Shape()[1], n, -i*n)) }
		j, o := u.tanh(block(0)), block(z.Shape()[1]/n-1)
		switch u.cell {
		case "coupled":
			f := u.sigmoid(u.add(block(1), one))
			c = u.add(u.times(f, c), u.times(u.sub(one, f), j))
		case "peephole":
			i := u.sigmoid(u.add(block(1), u.mul(c, u.nodes[name+".P"])))
			c = u.add(u.times(u.sub(one, i), c), u.times(i, j))
		case "full-peephole": // P has the matrices of the input and the forget gate side by side
			seen := u.mul(c, u.nodes[name+".P"])
			gate := func(k int) *G.Node { return u.sigmoid(u.add(block(k), u.mul(seen, u.place(2*n, n, -(k-1)*n)))) }
			c = u.add(u.times(gate(2), c), u.times(gate(1), j))
			o = u.add(o, u.mul(c, u.nodes[name+".Po"]))
		case "standard":
			i, f := u.sigmoid(block(1)), u.sigmoid(u.add(block(2), one))
			c = u.add(u.times(f, c), u.times(i, j))
		}
		h = u.times(u.sigmoid(o), u.tanh(c))
		out = append(out, h)
	}
	return out
}

func (u *unrolled) linear(name string, x *G.Node) *G.Node {
	return u.add(u.mul(x, u.nodes[name+".W"]), u.nodes[name+".b"])
}

// crf is the negative log-likelihood of the labels y: the log of the sum over all sequences of
// labels, by the recursion over sentence positions, minus the score of y. Values are small enough
// for exp without a shift.
func (u *unrolled) crf(logits []*G.Node, y []int32) *G.Node {
	a, k := u.nodes["crf.transitions"], logits[0].Shape()[1]
	labels := u.place(k+2, k, 0)
	start := u.mul(u.row(a, k), labels)
	ends := u.mul(a, u.unit(k+2, k+1)) // [K+2, 1]
	end := u.mul(u.place(k, k+2, 0), ends)
	inner := u.mul(u.mul(u.place(k, k+2, 0), a), labels)
	expInner := u.exp(inner)

	alpha := u.add(start, logits[0])
	score := u.mul(alpha, u.unit(k, int(y[0])))
	for t := 1; t < len(logits); t++ {
		from, to := int(y[t-1]), u.unit(k, int(y[t]))
		score = u.add(score, u.mul(u.add(u.row(inner, from), logits[t]), to))
		alpha = u.add(u.log(u.mul(u.exp(alpha), expInner)), logits[t])
	}
	score = u.add(score, u.row(end, int(y[len(y)-1])))
	return G.Must(G.Sum(u.sub(u.log(u.mul(u.exp(alpha), u.exp(end))), score)))
}

// crossEntropy is the negative log of the softmax's probability of each label, averaged.
func (u *unrolled) crossEntropy(logits []*G.Node, y []int32) *G.Node {
	k := logits[0].Shape()[1]
	ones := u.constant(fmt.Sprintf("column of %d", k), k, 1, func(int, int) float64 { return 1 })
	var sum *G.Node
	for t, x := range logits {
		d := u.sub(u.log(u.mul(u.exp(x), ones)), u.mul(x, u.unit(k, int(y[t]))))
		if sum == nil {
			sum = d
		} else {
			sum = u.add(sum, d)
		}
	}
	return G.Must(G.Sum(u.times(sum, u.filled(1, 1/float64(len(y))))))
}

// row returns row i of m as a matrix of one row.
func (u *unrolled) row(m *G.Node, i int) *G.Node {
	n := m.Shape()[0]
	return u.mul(u.place(1, n, i), m)
}

// join returns [a, b] for matrices of one row.
func (u *unrolled) join(a, b *G.Node) *G.Node {
	n, m := a.Shape()[1], b.Shape()[1]
	return u.add(u.mul(a, u.place(n, n+m, 0)), u.mul(b, u.place(m, n+m, n)))
}

// place returns a constant of zeros whose element [i, i+shift] is 1. A row x times this constant
// has x[i] in column i+shift.
func (u *unrolled) place(rows, cols, shift int) *G.Node {
	return u.constant(fmt.Sprintf("place %d %d %d", rows, cols, shift), rows, cols, func(i, j int) float64 {
		if j == i+shift {
			return 1
		}
		return 0
	})
}

// unit returns the constant column [n, 1] that takes element i of a row.
func (u *unrolled) unit(n, i int) *G.Node { return u.place(n, 1, -i) }

// filled returns a constant [1, n] of equal values.
func (u *unrolled) filled(n int, value float64) *G.Node {
	return u.constant(fmt.Sprintf("filled %d %v", n, value), 1, n, func(int, int) float64 { return value })
}

// constant returns an input of the graph with fixed values. It does not use G.NewConstant, because
// Gorgonia distinguishes constants by their printed values: it merges two long ones that differ only
// in the middle, which is not printed. It also merges inputs with equal names, so the name must
// determine the values.
func (u *unrolled) constant(name string, rows, cols int, value func(i, j int) float64) *G.Node {
	if n, ok := u.constants[name]; ok {
		return n
	}
	var data []float64
	for i := range rows {
		for j := range cols {
			data = append(data, value(i, j))
		}
	}
	u.constants[name] = u.input(name, rows, cols, data)
	return u.constants[name]
}

func (u *unrolled) input(name string, rows, cols int, data []float64) *G.Node {
	value := tensor.New(tensor.WithShape(rows, cols), tensor.WithBacking(data))
	return G.NewMatrix(u.graph, G.Float64, G.WithShape(rows, cols), G.WithName(name), G.WithValue(value))
}

func (*unrolled) mul(a, b *G.Node) *G.Node   { return G.Must(G.Mul(a, b)) }
func (*unrolled) add(a, b *G.Node) *G.Node   { return G.Must(G.Add(a, b)) }
func (*unrolled) sub(a, b *G.Node) *G.Node   { return G.Must(G.Sub(a, b)) }
func (*unrolled) times(a, b *G.Node) *G.Node { return G.Must(G.HadamardProd(a, b)) }
func (*unrolled) exp(a *G.Node) *G.Node      { return G.Must(G.Exp(a)) }
func (*unrolled) log(a *G.Node) *G.Node      { return G.Must(G.Log(a)) }
func (*unrolled) tanh(a *G.Node) *G.Node     { return G.Must(G.Tanh(a)) }
func (*unrolled) sigmoid(a *G.Node) *G.Node  { return G.Must(G.Sigmoid(a)) }
