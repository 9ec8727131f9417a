package nn

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	G "gorgonia.org/gorgonia"
)

// intertwined is a network whose LSTMs read all that pieces looks through: nested Concat, the same node twice, Gather
// of a Gather, Sum, nodes that other layers read as well, and direct nodes between them.
type intertwined struct {
	tokens, few     *Axis
	ids, small, row *Index
	gold            *Index
	bags            *Bags
	y, loss         *G.Node
}

func (m *intertwined) Loss() *G.Node { return m.loss }

func (m *intertwined) Fill(batch [][]int32, _ []uint64) {
	each := func(i int, value func(int32) int32) []int32 {
		out := make([]int32, len(batch[i]))
		for k, v := range batch[i] {
			out[k] = value(v)
		}
		return out
	}
	m.tokens.Pack(len(batch), func(i int) int { return len(batch[i]) })
	m.few.Pack(4, func(int) int { return 1 })
	m.row.Fill(func(i int) []int32 { return []int32{int32(2*i + 1)} })
	m.ids.Fill(func(i int) []int32 { return batch[i] })
	m.small.Fill(func(i int) []int32 { return each(i, func(v int32) int32 { return v % 4 }) })
	m.gold.Fill(func(i int) []int32 { return each(i, func(int32) int32 { return 0 }) })
	m.bags.Fill(func(i int) [][]int32 {
		out := make([][]int32, len(batch[i]))
		for k, v := range batch[i] {
			out[k] = []int32{v % 5, (v + 3) % 7}[:v%3]
		}
		return out
	})
}

func assembleIntertwined(cell Cell, int8 bool) func(*Graph) *intertwined {
	return func(g *Graph) *intertwined {
		if int8 {
			g.Int8()
		}
		m := &intertwined{tokens: g.Axis("tokens"), few: g.Axis("few")}
		m.ids, m.small, m.gold, m.bags, m.row = m.tokens.Index(), m.tokens.Index(), m.tokens.Index(), m.tokens.Bags(), m.few.Index()
		table := g.Param("table", 10, 5, Glorot)
		rows := g.Gather(table, m.row)
		sum := g.Sum(table, m.bags)
		pair := g.Concat(g.Gather(table, m.ids), g.Gather(table, m.small))
		x := g.Concat(pair, g.Tanh(sum), sum, g.Gather(rows, m.small), pair)
		both := g.BiLSTM("both", x, 3, cell)
		back := g.ReverseLSTM("back", g.Concat(both, sum, g.Embedding("embedding", m.ids, 10, 4, Glorot)), 4, cell)
		forth := g.LSTM("forth", g.Concat(x, back), 4, cell)
		of := g.Gather(g.BiLSTM("few", rows, 2, cell), m.small)
		m.y = g.Linear("y", g.Concat(both, back, forth, of, pair), 4)
		m.loss = g.CRF("crf", m.y, m.gold)
		return m
	}
}

// In prediction, an LSTM that looks through the layers before it computes what it computes in training, and the same
// bits for a sequence in every batch.
func TestPiecesOfTheInput(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, cell := range []Cell{Coupled, Peephole, Standard, FullPeephole} {
		params := NewParams(1)
		machine := func(int8, training bool) *Machine[[]int32, *intertwined] {
			m, err := NewMachine[[]int32](params, assembleIntertwined(cell, int8), training)
			if err != nil {
				t.Fatal(err)
			}
			return m
		}
		training, exact, rounded := machine(false, true), machine(false, false), machine(true, false)
		for _, p := range params.All() {
			Normal(0.5)(rng, p)
		}
		for range 20 {
			batch := make([][]int32, rng.IntN(6))
			for i := range batch {
				batch[i] = make([]int32, 1+rng.IntN(30))
				for k := range batch[i] {
					batch[i][k] = rng.Int32N(10)
				}
			}
			for _, m := range []*Machine[[]int32, *intertwined]{exact, rounded} {
				if err := m.Run(batch); err != nil {
					t.Fatal(err)
				}
				whole := slices.Clone(m.Value(m.Model.y).Data)
				var rows [][]int // by sequence and element
				for i := range batch {
					rows = append(rows, nil)
					for k := range batch[i] {
						rows[i] = append(rows[i], m.Model.tokens.Row(i, k))
					}
				}
				for i := range batch {
					if err := m.Run(batch[i : i+1]); err != nil {
						t.Fatal(err)
					}
					for k, r := range rows[i] {
						if !slices.Equal(m.Value(m.Model.y).Row(k), whole[4*r:4*r+4]) {
							t.Fatalf("%s: sequence %d of %d has other bits alone", cell, i, len(batch))
						}
					}
				}
				if len(batch) == 0 || m == rounded {
					continue
				}
				if err := training.Run(batch); err != nil {
					t.Fatal(err)
				}
				for i, v := range training.Value(training.Model.y).Data {
					if math.Abs(float64(v-whole[i])) > 1e-5 {
						t.Fatalf("%s: value %d is %v in prediction, and %v in training", cell, i, whole[i], v)
					}
				}
			}
		}
	}
}
