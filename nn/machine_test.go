package nn

import (
	"math"
	"slices"
	"testing"

	G "gorgonia.org/gorgonia"
)

// tags is a small tagger with every kind of layer that it needs.
type tags struct {
	tokens    *Axis
	ids, gold *Index
	loss      *G.Node
}

func newTags(g *Graph) *tags {
	m := &tags{tokens: g.Axis("tokens")}
	m.ids, m.gold = m.tokens.Index(), m.tokens.Index()
	table := g.Gather(g.Param("small", 5, 2, Glorot), m.ids)
	x := g.Dropout(g.Concat(g.Embedding("table", m.ids, 5, 3, Glorot), table), 0.3, 0.1)
	x = g.BiLSTM("lstm", x, 3, Coupled)
	x = g.Tanh(g.Linear("hidden", x, 4))
	m.loss = g.CRF("crf", g.Linear("logits", x, 3), m.gold)
	return m
}

func (m *tags) Loss() *G.Node { return m.loss }

func (m *tags) Fill(batch [][]int32, seeds []uint64) {
	m.tokens.Pack(len(batch), func(i int) int { return len(batch[i]) })
	m.tokens.Seeds = seeds
	m.ids.Fill(func(i int) []int32 { return batch[i] })
	m.gold.Fill(func(i int) (labels []int32) {
		for _, id := range batch[i] {
			labels = append(labels, id%3)
		}
		return labels
	})
}

// Gorgonia's own machine computes the same graph to the same bits, for batches of any size. It
// could run a graph of our layers alone, whose ops take their shapes from the batch.
func TestGorgoniasMachineComputesTheSame(t *testing.T) {
	params := NewParams(1)
	m, err := NewMachine[[]int32](params, newTags, true)
	if err != nil {
		t.Fatal(err)
	}
	vm := G.NewTapeMachine(m.graph.ExprGraph)
	defer func() { _ = vm.Close() }()
	for _, batch := range [][][]int32{{{1, 2, 3}, {4}, {0, 1, 0, 2}}, {{3}}, {{1, 2, 3, 4, 3, 2, 1}, {1, 1}, {2, 2}}} {
		if err := m.RunSeeded(batch, []uint64{1, 2, 3}[:len(batch)], 0.5); err != nil {
			t.Fatal(err)
		}
		loss := m.Loss()
		var gradients [][]float32
		for _, p := range params.All() {
			gradients = append(gradients, m.Gradient(p))
		}
		m.cost.value = math.NaN()
		for _, p := range params.All() { // both machines leave the gradients in the memory of the layers
			clear(m.gradient(p))
		}
		vm.Reset()
		if err := vm.RunAll(); err != nil {
			t.Fatal(err)
		}
		if got := m.Loss(); got != loss || loss == 0 {
			t.Errorf("%d sequences: the loss is %v, with Gorgonia's machine %v", len(batch), loss, got)
		}
		for i, p := range params.All() {
			if got := m.Gradient(p); !slices.Equal(got, gradients[i]) || !slices.ContainsFunc(got, func(v float32) bool { return v != 0 }) {
				t.Errorf("%d sequences: %s has another gradient with Gorgonia's machine", len(batch), p.Name)
			}
		}
	}
}

// Gorgonia merges ops with equal hashes. Two layers of one name must stay separate.
func TestOpsOfOneKindAreNotMerged(t *testing.T) {
	a := &op{kind: forwardOp, name: "same", id: opID.Add(1)}
	b := &op{kind: forwardOp, name: "same", id: opID.Add(1)}
	if a.Hashcode() == b.Hashcode() {
		t.Error("two ops of one name have one hash")
	}
}
