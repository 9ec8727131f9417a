package nn_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strings"

	G "gorgonia.org/gorgonia"

	"github.com/lethe-deid/lethe/checkpoints"
	"github.com/lethe-deid/lethe/nn"
	"github.com/lethe-deid/lethe/nn/gradcheck"
	"github.com/lethe-deid/lethe/nn/kernel"
)

// The Go blocks of docs/toolkit.md are copies of parts of this file; TestToolkitPage compares them.

// line is an example: a line of a note in numbers.
type line struct {
	words  []int32
	labels []int32 // 1 for the name of a person, otherwise 0; nil if unknown
}

// Len returns the number of words.
func (l line) Len() int { return len(l.words) }

// finder is the network on one graph.
type finder struct {
	tokens        *nn.Axis // one row per word of a batch
	words, labels *nn.Index
	logits, loss  *G.Node
}

func findNames(g *nn.Graph) *finder {
	f := &finder{tokens: g.Axis("tokens")}
	f.words, f.labels = f.tokens.Index(), f.tokens.Index()

	x := g.Embedding("words", f.words, len(vocabulary), 8, nn.Uniform(0.5)) // [tokens, 8]
	x = g.Dropout(x, 0.2, 0)
	x = g.BiLSTM("lstm", x, 6, nn.Standard) // [tokens, 12]
	f.logits = g.Linear("logits", x, 2)     // [tokens, 2]
	f.loss = g.SoftmaxLoss(f.logits, f.labels)
	return f
}

// Fill implements nn.Model.
func (f *finder) Fill(batch []line, seeds []uint64) {
	f.tokens.Pack(len(batch), func(i int) int { return len(batch[i].words) })
	f.tokens.Seeds = seeds
	f.words.Fill(func(i int) []int32 { return batch[i].words })
	if f.loss != nil {
		f.labels.Fill(func(i int) []int32 { return batch[i].labels })
	}
}

// Loss implements nn.Model.
func (f *finder) Loss() *G.Node { return f.loss }

var vocabulary = []string{"", "dr", "may", "june", "called", "in", "we", "saw", "until"}

// read returns a line. Words that begin with a capital are names; "Dr" is not.
func read(text string) (l line) {
	for _, word := range strings.Fields(text) {
		label := int32(0)
		if strings.ToLower(word) != word && word != "Dr" {
			label = 1
		}
		l.words = append(l.words, int32(max(0, slices.Index(vocabulary, strings.ToLower(word)))))
		l.labels = append(l.labels, label)
	}
	return l
}

var lines = []line{
	read("Dr May called in june"),
	read("we saw Dr June until may"),
	read("in may we saw Dr June"),
	read("Dr June called"),
	read("until june"),
}

// train does 60 updates on the lines and returns the mean loss of the last.
func train[M nn.Model[line]](params *nn.Params, assembly func(*nn.Graph) M, workers int) float64 {
	opt := nn.DefaultOptimizer()
	opt.Method, opt.LearningRate = "adam", 0.03

	trainer, err := nn.NewTrainer[line](params, assembly, opt, workers, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer trainer.Close()
	var loss float64
	for step := range 60 {
		if loss, err = trainer.Step(lines, uint64(step), 0); err != nil {
			log.Fatal(err)
		}
	}
	return loss
}

// label returns the best label of each word.
func label(params *nn.Params, batch ...line) (labels [][]int32) {
	machine, err := nn.NewMachine[line](params, findNames, false)
	if err != nil {
		log.Fatal(err)
	}
	decoder := nn.NewDecoder(2, nil)

	if err := machine.Run(batch); err != nil {
		log.Fatal(err)
	}
	f := machine.Model
	for _, l := range decoder.Decode(f.tokens, machine.Value(f.logits), nil) {
		labels = append(labels, l.Labels)
	}
	return labels
}

// A network, its training, and its use.
func Example() {
	params := nn.NewParams(1)
	loss := train(params, findNames, 1)
	fmt.Println("learned:", loss < 0.05)
	fmt.Println(label(params, read("we saw Dr May in june"), read("until may")))
	// Output:
	// learned: true
	// [[0 0 0 1 0 0] [0 0]]
}

// Several workers share each batch. The same number of workers gives the same bits.
func ExampleNewTrainer_workers() {
	a, b := nn.NewParams(1), nn.NewParams(1)
	fmt.Println(train(a, findNames, 2) == train(b, findNames, 2))
	// Output: true
}

// Parameters are saved as safetensors, and loaded into the parameters of the same assembly.
func ExampleParams_Fill() {
	folder, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "names.safetensors")
	params := nn.NewParams(1)
	train(params, findNames, 1)

	metadata := map[string]string{"vocabulary": strings.Join(vocabulary, " ")}
	if err := checkpoints.WriteTensors(path, params.Tensors(), metadata); err != nil {
		log.Fatal(err)
	}

	tensors, metadata, err := checkpoints.ReadTensors(path)
	if err != nil {
		log.Fatal(err)
	}
	loaded := nn.NewParams(1)
	if _, err := nn.NewMachine[line](loaded, findNames, false); err != nil { // makes the parameters
		log.Fatal(err)
	}
	if err := loaded.Fill(tensors); err != nil {
		log.Fatal(err)
	}

	fmt.Println(len(strings.Split(metadata["vocabulary"], " ")), "words")
	fmt.Println(label(loaded, read("Dr May called")))
	// Output:
	// 9 words
	// [[0 1 0]]
}

// Scale multiplies each column of x [rows, d] by a number. The parameter is name.s [1, d].
func Scale(g *nn.Graph, name string, x *G.Node) *G.Node {
	rows, columns := g.Rows(name, x)
	s := g.Param(name+".s", 1, columns, nn.Ones)
	return g.Apply(name, &scale{}, rows, columns, x, s)
}

type scale struct{ out []float32 }

func (l *scale) Forward(in []kernel.Matrix) kernel.Matrix {
	x, s := in[0], in[1]
	l.out = append(l.out[:0], x.Data...) // its memory is used again for the next batch
	out := kernel.NewMatrix(x.Rows, x.Cols, l.out)
	for r := range out.Rows {
		kernel.Multiply(out.Row(r), s.Data)
	}
	return out
}

func (l *scale) Backward(in []kernel.Matrix, out, dout kernel.Matrix, din []kernel.Matrix) {
	x, s := in[0], in[1]
	dx, ds := din[0], din[1]
	for r := range dout.Rows {
		for j, d := range dout.Row(r) {
			dx.Row(r)[j] += d * s.Data[j]
			ds.Data[j] += d * x.Row(r)[j]
		}
	}
}

func findNamesScaled(g *nn.Graph) *finder {
	f := &finder{tokens: g.Axis("tokens")}
	f.words, f.labels = f.tokens.Index(), f.tokens.Index()
	x := g.Embedding("words", f.words, len(vocabulary), 4, nn.Glorot)
	f.logits = g.Linear("logits", Scale(g, "scale", g.Tanh(x)), 2)
	f.loss = g.SoftmaxLoss(f.logits, f.labels)
	return f
}

// A layer is a type with two methods and a function that adds it to a graph.
func ExampleGraph_Apply() {
	fmt.Println(gradcheck.Check(nil, findNamesScaled, lines[:2], nil))
	// Output: <nil>
}

// composed shows what can be composed: sharing, a residual, ops of Gorgonia, and several losses.
func composed(g *nn.Graph) *finder {
	f := &finder{tokens: g.Axis("tokens")}
	f.words, f.labels = f.tokens.Index(), f.tokens.Index()
	x := g.Embedding("words", f.words, len(vocabulary), 8, nn.Uniform(0.5))

	// Sharing: layers of the same name have the same parameters.
	y := g.Tanh(g.Linear("hidden", x, 8))
	y = g.Tanh(g.Linear("hidden", y, 8))

	// A residual connection: the input of a layer is added to its output.
	y = g.Add(x, y)

	// Ops of Gorgonia: a gate, elementwise.
	gate := G.Must(G.Sigmoid(g.Linear("gate", x, 8)))
	y = G.Must(G.HadamardProd(gate, y))

	// Several losses: the second has half the weight.
	f.logits = g.Linear("logits", y, 2)
	main := g.SoftmaxLoss(f.logits, f.labels)
	side := g.CRF("side", g.Linear("side", x, 2), f.labels)
	if g.Training { // otherwise both are nil
		half := G.NewConstant(float32(0.5))
		f.loss = g.Total(main, G.Must(G.Mul(half, side)))
	}
	return f
}

// Layers and ops of Gorgonia compose. G.Grad supplies the gradients.
func ExampleGraph() {
	fmt.Println(gradcheck.Check(nil, composed, lines[:2], nil))
	params := nn.NewParams(1)
	train(params, composed, 1)
	_, err := nn.NewMachine[line](params, composed, false) // for prediction
	fmt.Println(err)
	for _, p := range params.All() {
		fmt.Println(p.Name, p.Rows, p.Cols)
	}
	// Output:
	// <nil>
	// <nil>
	// hidden.W 8 8
	// hidden.b 1 8
	// gate.W 8 8
	// gate.b 1 8
	// logits.W 8 2
	// logits.b 1 2
	// side.W 8 2
	// side.b 1 2
	// side.transitions 4 4
	// words 9 8
}

// A layer that does not fit, a batch that does not fit, and a file of another network.
func ExampleNewMachine_errors() {
	_, err := nn.NewMachine[line](nn.NewParams(1), func(g *nn.Graph) *finder {
		f := &finder{tokens: g.Axis("tokens")}
		f.words = f.tokens.Index()
		x := g.Embedding("words", f.words, len(vocabulary), 8, nn.Glorot)
		f.logits = g.Add(x, g.BiLSTM("lstm", x, 8, nn.Standard))
		return f
	}, false)
	fmt.Println(err)

	_, err = nn.NewMachine[line](nn.NewParams(1), func(g *nn.Graph) *finder {
		f := &finder{tokens: g.Axis("tokens")}
		f.words = f.tokens.Index()
		x := g.Embedding("words", f.words, len(vocabulary), 8, nn.Glorot)
		f.logits = G.Must(G.Mul(x, g.Param("w", 5, 2, nn.Glorot)))
		return f
	}, false)
	fmt.Println(err)

	params := nn.NewParams(1)
	machine, err := nn.NewMachine[line](params, findNames, false)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(machine.Run([]line{{words: []int32{1, 2, 99}}}))
	fmt.Println(machine.Run([]line{{}}))
	fmt.Println(params.Fill(params.Tensors()[1:]))
	// Output:
	// nn: layer add: expected [tokens, 8], given [tokens, 16]
	// nn: building the graph: Failed to infer shape. Op: A × B: Inner dimensions do not match up
	// nn: forward of words: the number 99 for a row of the axis tokens is not in [0, 9)
	// nn: the batch: sequence 0 of the axis tokens is empty
	// tensor lstm.forward.W is missing
}
