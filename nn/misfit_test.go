package nn_test

import (
	"slices"
	"strings"
	"testing"

	G "gorgonia.org/gorgonia"

	"github.com/lethe-deid/lethe/nn"
	"github.com/lethe-deid/lethe/nn/kernel"
)

// wrong is a layer that returns one column too few.
type wrong struct{}

func (wrong) Forward(in []kernel.Matrix) kernel.Matrix {
	return in[0].Columns(0, in[0].Cols-1)
}
func (wrong) Backward([]kernel.Matrix, kernel.Matrix, kernel.Matrix, []kernel.Matrix) {}

// A layer that does not fit is one error that names the layer, what it expected and what it was
// given. x is [words, 3] and y [letters, 4].
func TestMisfitsAreErrors(t *testing.T) {
	scalar := func(x *G.Node) *G.Node { return G.Must(G.Sum(x)) }
	for name, c := range map[string]struct {
		build func(g *nn.Graph, in *inputs, x, y *G.Node) *G.Node // returns the loss
		want  string
	}{
		"a scalar": {func(g *nn.Graph, in *inputs, x, y *G.Node) *G.Node { return g.Linear("l", scalar(x), 3) },
			"nn: layer l: expected a matrix of float32, given a scalar"},
		"a vector": {func(g *nn.Graph, in *inputs, x, y *G.Node) *G.Node { return g.Linear("l", G.Must(G.Sum(x, 1)), 3) },
			"nn: layer l: expected a matrix of float32, given a vector"},
		"another type": {func(g *nn.Graph, in *inputs, x, y *G.Node) *G.Node {
			return g.Softmax(G.NewMatrix(g.ExprGraph, G.Float64, G.WithShape(2, 3)))
		}, "nn: layer softmax: expected a matrix of float32, given [2, 3] of float64"},
		"a parameter": {func(g *nn.Graph, in *inputs, x, y *G.Node) *G.Node { return g.Tanh(g.Param("p", 2, 3, nn.Zeros)) },
			"nn: layer tanh: expected a matrix over a ragged axis, given [2, 3]"},
		"two axes in one": {func(g *nn.Graph, in *inputs, x, y *G.Node) *G.Node { return g.Tanh(G.Must(G.Concat(0, x, x))) },
			"nn: layer tanh: expected a matrix over a ragged axis, given [2147483648, 3]"},
		"no node":       {func(g *nn.Graph, in *inputs, x, y *G.Node) *G.Node { return g.LastStates(nil) }, "nn: layer last_states: expected a matrix of float32, given none"},
		"no node twice": {func(g *nn.Graph, in *inputs, x, y *G.Node) *G.Node { return g.Add(x, nil) }, "nn: layer add: expected at least one input and no nil"},
		"no units":      {func(g *nn.Graph, in *inputs, x, y *G.Node) *G.Node { return g.Linear("l", x, 0) }, "nn: layer l: expected at least one unit, given 0"},
		"negative units": {func(g *nn.Graph, in *inputs, x, y *G.Node) *G.Node { return g.BiLSTM("l", x, -2, nn.Coupled) },
			"nn: layer l: expected at least one unit, given -2"},
		"no rows": {func(g *nn.Graph, in *inputs, x, y *G.Node) *G.Node { return g.Param("p", 0, 3, nn.Zeros) },
			"nn: layer p: expected a matrix with at least one row and column, given [0, 3]"},
		"no columns": {func(g *nn.Graph, in *inputs, x, y *G.Node) *G.Node { return g.Embedding("e", in.word, 3, 0, nn.Zeros) },
			"nn: layer e: expected a matrix with at least one row and column, given [3, 0]"},
		"unknown cell": {func(g *nn.Graph, in *inputs, x, y *G.Node) *G.Node { return g.LSTM("l", x, 2, "gru") },
			`nn: layer l: cell: "gru" is not coupled, peephole, full-peephole or standard`},
		"odd width": {func(g *nn.Graph, in *inputs, x, y *G.Node) *G.Node { return g.LastStates(x) },
			"nn: layer last_states: expected the output of a BiLSTM, given [words, 3]"},
		"concat of two axes": {func(g *nn.Graph, in *inputs, x, y *G.Node) *G.Node { return g.Concat(x, y) },
			"nn: layer concat: expected [words, columns], given [letters, 4]"},
		"concat of nothing": {func(g *nn.Graph, in *inputs, x, y *G.Node) *G.Node { return g.Concat() }, "nn: layer concat: expected at least one input and no nil"},
		"sum of two axes":   {func(g *nn.Graph, in *inputs, x, y *G.Node) *G.Node { return g.Add(x, y) }, "nn: layer add: expected [words, 3], given [letters, 4]"},
		"sum of two widths": {func(g *nn.Graph, in *inputs, x, y *G.Node) *G.Node { return g.Add(x, g.Linear("l", x, 4)) },
			"nn: layer add: expected [words, 3], given [words, 4]"},
		"sum of nothing":   {func(g *nn.Graph, in *inputs, x, y *G.Node) *G.Node { return g.Add() }, "nn: layer add: expected at least one input and no nil"},
		"total of a layer": {func(g *nn.Graph, in *inputs, x, y *G.Node) *G.Node { return g.Total(scalar(x), x) }, "nn: layer total: expected a scalar, given [words, 3]"},
		"labels of another axis": {func(g *nn.Graph, in *inputs, x, y *G.Node) *G.Node { return g.CRF("crf", x, in.kind) },
			"nn: layer crf: expected labels for the rows of words, given labels for letters"},
		"classes of another axis": {func(g *nn.Graph, in *inputs, x, y *G.Node) *G.Node { return g.SoftmaxLoss(x, in.class) },
			"nn: layer softmax_loss: expected labels for the rows of words, given labels for sequences of words"},
		"no labels": {func(g *nn.Graph, in *inputs, x, y *G.Node) *G.Node { return g.CRF("crf", x, nil) },
			"nn: layer crf: expected labels for the rows of words, given none"},
		"a name with two shapes": {func(g *nn.Graph, in *inputs, x, y *G.Node) *G.Node {
			return g.Linear("l", g.Linear("l", x, 4), 4)
		}, "nn: layer l.W: expected [4, 4], but the parameter exists with shape [3, 4]"},
		"a name for a table and a parameter": {func(g *nn.Graph, in *inputs, x, y *G.Node) *G.Node {
			return g.Gather(g.Param("x", vocabularySize, 3, nn.Zeros), in.word)
		}, "nn: layer x: one name for a table of Embedding and for a parameter of another layer"},
		"dropout of everything": {func(g *nn.Graph, in *inputs, x, y *G.Node) *G.Node { return g.Dropout(x, 1, 0) },
			"nn: layer dropout: expected a probability in [0, 1), given 1"},
		"dropout of all rows": {func(g *nn.Graph, in *inputs, x, y *G.Node) *G.Node { return g.Dropout(x, 0, 1) },
			"nn: layer dropout: expected a probability in [0, 1), given 1"},
		"no loss":     {func(g *nn.Graph, in *inputs, x, y *G.Node) *G.Node { return nil }, "nn: loss: expected a scalar, given none"},
		"matrix loss": {func(g *nn.Graph, in *inputs, x, y *G.Node) *G.Node { return x }, "nn: loss: expected a scalar, given [words, 3]"},
		"constant loss": {func(g *nn.Graph, in *inputs, x, y *G.Node) *G.Node {
			return G.NewScalar(g.ExprGraph, G.Float32, G.WithName("c"), G.WithValue(float32(3)))
		}, "nn: loss: it does not depend on any parameter"},
		"an op of Gorgonia": {func(g *nn.Graph, in *inputs, x, y *G.Node) *G.Node { return scalar(G.Must(G.HadamardProd(x, y))) }, "nn: building the graph: "},
		"an input without a value": {func(g *nn.Graph, in *inputs, x, y *G.Node) *G.Node {
			return scalar(G.Must(G.Mul(x, G.NewMatrix(g.ExprGraph, G.Float32, G.WithShape(3, 3), G.WithName("w")))))
		}, "nn: the node w has no value"},
	} {
		t.Run(name, func(t *testing.T) {
			params := nn.NewParams(1)
			_, err := nn.NewMachine[text](params, func(g *nn.Graph) *inputs {
				in := newInputs(g)
				in.loss = c.build(g, in, g.Embedding("x", in.word, vocabularySize, 3, nn.Glorot), g.Embedding("y", in.letter, alphabet, 4, nn.Glorot))
				return in
			}, true)
			if err == nil || !strings.HasPrefix(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("error %v, want %s", err, c.want)
			}
		})
	}
}

// edited is a network whose batches edit may spoil after they are filled.
type edited struct {
	*inputs
	edit func(in *inputs, batch []text)
}

func (m *edited) Fill(batch []text, seeds []uint64) {
	m.inputs.Fill(batch, seeds)
	if m.edit != nil {
		m.edit(m.inputs, batch)
	}
}

// A batch that does not fit is an error as well, after which the machine computes what it computed
// before.
func TestMisfitBatchesAreErrors(t *testing.T) {
	number := func(v int32) func(int) []int32 { return func(int) []int32 { return []int32{v, v} } }
	for name, c := range map[string]struct {
		edit func(in *inputs, batch []text)
		want string
	}{
		"an empty sequence": {func(in *inputs, batch []text) { in.words.Pack(2, func(i int) int { return 1 - i }) },
			"nn: the batch: sequence 1 of the axis words is empty"},
		"too few numbers": {func(in *inputs, batch []text) { in.word.Fill(func(int) []int32 { return []int32{1} }) },
			"nn: the batch: 1 numbers for the 2 elements of sequence 0 of the axis words"},
		"too many lists": {func(in *inputs, batch []text) { in.values.Fill(func(int) [][]int32 { return make([][]int32, 3) }) },
			"nn: the batch: 3 lists for the 2 elements of sequence 0 of the axis words"},
		"numbers of the batch before": {func(in *inputs, batch []text) { in.words.Pack(2, func(i int) int { return 2 }) },
			"nn: forward of table: an index or bags of the axis words were not filled for this batch"},
		"an id beyond the table": {func(in *inputs, batch []text) { in.word.Fill(number(vocabularySize)) },
			"nn: forward of table: the number 5 for a row of the axis words is not in [0, 5)"},
		"a negative id": {func(in *inputs, batch []text) { in.word.Fill(number(-1)) },
			"nn: forward of table: the number -1 for a row of the axis words is not in [0, 5)"},
		// The row after the last one was once read from the unused memory of a buffer.
		"a row beyond a matrix": {func(in *inputs, batch []text) { in.whole.Fill(number(2)) },
			"nn: forward of gather: the number 2 for a row of the axis words is not in [0, 2)"},
		"a value beyond a table": {func(in *inputs, batch []text) {
			in.values.Fill(func(int) [][]int32 { return [][]int32{nil, {values}} })
		}, "nn: forward of sum: the number 3 for a row of the axis words is not in [0, 3)"},
		// START is a row of the transitions, but no label.
		"the label START": {func(in *inputs, batch []text) { in.label.Fill(number(labels)) },
			"nn: forward of crf: the number 3 for a row of the axis words is not in [0, 3)"},
		"a class too many": {func(in *inputs, batch []text) { in.class.Fill(func(int) []int32 { return []int32{labels} }) },
			"nn: forward of softmax_loss: the number 3 for a row of the axis sequences of words is not in [0, 3)"},
		"too few seeds": {func(in *inputs, batch []text) { in.words.Seeds = in.words.Seeds[:1] },
			"nn: forward of dropout: 1 seeds for the 2 sequences of the axis words"},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t, nn.NewParams(1), func(g *nn.Graph) *edited {
				in := newInputs(g)
				h := g.Concat(g.Embedding("table", in.word, vocabularySize, 2, nn.Glorot), g.Sum(g.Param("values", values, 2, nn.Glorot), in.values))
				last := g.LastStates(h)
				h = g.Dropout(g.Concat(h, g.Gather(last, in.whole)), 0.5, 0)
				in.loss = g.Total(g.CRF("crf", g.Linear("unaries", h, labels), in.label), g.SoftmaxLoss(g.Linear("logits", last, labels), in.class))
				return &edited{inputs: in}
			}, true)
			var batch []text
			for range 2 {
				batch = append(batch, text{words: []int32{1, 2}, labels: []int32{0, 1}, bags: make([][]int32, 2),
					letters: [][]int32{{1}}, kinds: [][]int32{{1}}, spelled: []int32{0, 0}})
			}
			run := func() error { return m.RunSeeded(batch, []uint64{1, 2}, 1) }
			if err := run(); err != nil {
				t.Fatal(err)
			}
			want := m.Loss()
			m.Model.edit = c.edit
			if err := run(); err == nil || err.Error() != c.want {
				t.Errorf("error %v, want %s", err, c.want)
			}
			m.Model.edit = nil
			if err := run(); err != nil || m.Loss() != want {
				t.Errorf("after the error, the loss is %v instead of %v: %v", m.Loss(), want, err)
			}
		})
	}
}

// idle is a toy whose Fill may do nothing.
type idle struct {
	*toy
	idle bool
}

func (m *idle) Fill(batch []example, seeds []uint64) {
	if !m.idle {
		m.toy.Fill(batch, seeds)
	}
}

// A machine once computed the batch before again, or none, if the model packed no axis.
func TestABatchThatWasNotPackedIsAnError(t *testing.T) {
	m, err := nn.NewMachine[example](nn.NewParams(1), func(g *nn.Graph) *idle { return &idle{toy: newToy(classify)(g)} }, true)
	if err != nil {
		t.Fatal(err)
	}
	const want = "nn: the batch: the axis elements was not packed"
	for _, m.Model.idle = range []bool{true, false, true} {
		err := m.Run(examples(1, 2, 3))
		if m.Model.idle && (err == nil || err.Error() != want) || !m.Model.idle && err != nil {
			t.Errorf("idle %v: error %v", m.Model.idle, err)
		}
	}
}

// A layer of one's own may be wrong.
func TestALayerThatReturnsAnotherShapeIsAnError(t *testing.T) {
	m := newMachine(t, nn.NewParams(1), func(g *nn.Graph) *inputs {
		in := newInputs(g)
		x := g.Embedding("table", in.word, vocabularySize, 3, nn.Glorot)
		in.loss = G.Must(G.Sum(g.Apply("wrong", wrong{}, in.words, 3, x)))
		return in
	}, true)
	all, _ := batches()
	const want = "nn: forward of wrong: expected [7, 3] for the axis words, given [7, 2]"
	if err := m.Run(all[1]); err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

// The parameters of a network that could not be built once stayed behind, and would have been saved
// with the model.
func TestNoParametersOfANetworkThatWasNotBuilt(t *testing.T) {
	params := nn.NewParams(1)
	assembly := func(units int) func(g *nn.Graph) *inputs {
		return func(g *nn.Graph) *inputs {
			in := newInputs(g)
			x := g.Linear("first", g.Embedding("table", in.word, vocabularySize, 3, nn.Glorot), 2)
			in.loss = g.SoftmaxLoss(g.Linear("second", x, units), in.label)
			return in
		}
	}
	if _, err := nn.NewMachine[text](params, assembly(0), true); err == nil || len(params.All()) != 0 {
		t.Errorf("%d parameters after the error %v", len(params.All()), err)
	}
	newMachine(t, params, assembly(labels), true)
	var want, got []string
	for _, p := range params.All() {
		want = append(want, p.Name)
		if slices.Max(p.Data) == 0 && !strings.HasSuffix(p.Name, ".b") {
			t.Errorf("%s was not initialised", p.Name)
		}
	}
	if _, err := nn.NewMachine[text](params, assembly(labels+1), true); err == nil {
		t.Error("no error for another shape")
	}
	for _, p := range params.All() {
		got = append(got, p.Name)
	}
	if !slices.Equal(got, want) {
		t.Errorf("the parameters are %v, before the error %v", got, want)
	}
}
