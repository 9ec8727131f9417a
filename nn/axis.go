package nn

import (
	"cmp"
	"fmt"
	"slices"
)

// Axis is a ragged axis: the rows of the matrices that have one row per element of a batch of
// sequences of different lengths, such as one row per token of a batch of sentences. The shapes in
// a graph name the axis; how many rows it has is known only when a batch is packed.
//
// There is no padding. The rows are sorted by time and, within a time, by falling length of their
// sequences, so that the rows of one time are adjacent. Row finds the row of an element.
type Axis struct {
	// Seeds decide what dropout drops, one per sequence; Pack clears them. The axis of
	// Graph.Sequences uses them as well.
	Seeds []uint64

	name      string
	size      int // number of rows in the shapes of the graph, which identifies the axis
	packing       // of the current batch
	order     []int
	place     []int
	sequences *Axis
	of        *Axis // the axis whose sequences are the rows of this one, or nil
	batch     int   // how often it was packed
	packed    bool  // for the current batch
}

// packing is the layout of the sequences of a batch.
type packing struct {
	active, offset []int // by time: how many sequences have an element, and their first row
	lengths        []int // of the sequence in each place
	rows           int
}

// row returns the row of time t of the sequence in place s.
func (p *packing) row(s, t int) int { return p.offset[t] + s }

// Pack sets the number of sequences and the length of each, which must be at least 1. For every batch,
// each axis that the network uses must be packed before its indices and bags are filled. The axis of
// Graph.Sequences is packed with it. Pack clears Seeds.
func (a *Axis) Pack(sequences int, length func(i int) int) {
	a.batch, a.packed, a.Seeds = a.batch+1, true, nil
	a.order = slices.Grow(a.order[:0], sequences)[:sequences]
	for i := range a.order {
		a.order[i] = i
	}
	slices.SortStableFunc(a.order, func(i, j int) int { return cmp.Compare(length(j), length(i)) })
	a.place, a.lengths = slices.Grow(a.place[:0], sequences)[:sequences], slices.Grow(a.lengths[:0], sequences)[:sequences]
	for s, i := range a.order {
		a.place[i], a.lengths[s] = s, length(i)
	}
	a.active, a.offset, a.rows = a.active[:0], a.offset[:0], 0
	n := sequences
	for t := 0; n > 0; t++ {
		for n > 0 && a.lengths[n-1] <= t {
			n--
		}
		if t == 0 && n < sequences {
			panic(fmt.Errorf("sequence %d of the axis %s is empty", a.order[n], a.name))
		}
		if n > 0 {
			a.active, a.offset = append(a.active, n), append(a.offset, a.rows)
			a.rows += n
		}
	}
	if s := a.sequences; s != nil {
		s.batch, s.packed, s.order, s.place, s.rows = a.batch, true, a.order, a.place, sequences
		s.active, s.offset, s.lengths = s.active[:0], s.offset[:0], slices.Grow(s.lengths[:0], sequences)[:sequences]
		for i := range s.lengths {
			s.lengths[i] = 1
		}
		if sequences > 0 {
			s.active, s.offset = append(s.active, sequences), append(s.offset, 0)
		}
	}
}

// seeds returns the seeds for dropout.
func (a *Axis) seeds() []uint64 {
	if a.of != nil {
		return a.of.Seeds
	}
	return a.Seeds
}

// Rows returns the number of rows of the current batch.
func (a *Axis) Rows() int { return a.rows }

// Row returns the row of element t of sequence i.
func (a *Axis) Row(i, t int) int { return a.row(a.place[i], t) }

// Order returns the sequences in the order of their rows within a time: Place(Order()[s]) is s. It
// is valid until the next batch.
func (a *Axis) Order() []int { return a.order }

// Len returns the length of sequence i.
func (a *Axis) Len(i int) int { return a.lengths[a.place[i]] }

// Place returns the row of sequence i in a matrix over the axis of Graph.Sequences.
func (a *Axis) Place(i int) int { return a.place[i] }

// Name returns the name that errors use.
func (a *Axis) Name() string { return a.name }

// Index has one number for each row of an axis: the row of a table or of another matrix, or a
// class. It must be filled for every batch.
type Index struct {
	axis  *Axis
	rows  []int32
	batch int // of the axis
}

// Index returns a new index over the axis.
func (a *Axis) Index() *Index { return &Index{axis: a} }

// Fill sets the numbers of a batch: values returns those of sequence i, one per element.
func (x *Index) Fill(values func(i int) []int32) {
	a := x.axis
	x.batch = a.batch
	x.rows = slices.Grow(x.rows[:0], a.rows)[:a.rows]
	for s, i := range a.order {
		list := values(i)
		if n := a.lengths[s]; len(list) != n {
			panic(fmt.Errorf("%d numbers for the %d elements of sequence %d of the axis %s", len(list), n, i, a.name))
		}
		for t, v := range list {
			x.rows[a.row(s, t)] = v
		}
	}
}

// below returns the numbers of the current batch, which must be in [0, n). Larger ones could be rows
// in the unused memory of a buffer.
func (x *Index) below(n int) []int32 {
	x.axis.check(x.batch, x.rows, n)
	return x.rows
}

// check panics unless the numbers of an index or of bags are from the current batch and in [0, n).
func (a *Axis) check(batch int, numbers []int32, n int) {
	if batch != a.batch {
		panic(fmt.Errorf("an index or bags of the axis %s were not filled for this batch", a.name))
	}
	for _, v := range numbers {
		if v < 0 || int(v) >= n {
			panic(fmt.Errorf("the number %d for a row of the axis %s is not in [0, %d)", v, a.name, n))
		}
	}
}

// Bags have any number of values, which may be none, for each row of an axis: rows of a table or of
// another matrix. They must be filled for every batch.
type Bags struct {
	axis   *Axis
	start  []int32 // the values of row r are values[start[r]:start[r+1]]
	values []int32
	batch  int // of the axis
}

// Bags returns new bags over the axis.
func (a *Axis) Bags() *Bags { return &Bags{axis: a} }

// Fill sets the values of a batch: values returns those of sequence i, one list per element.
func (b *Bags) Fill(values func(i int) [][]int32) {
	a := b.axis
	b.batch = a.batch
	lists := make([][][]int32, len(a.order))
	for s, i := range a.order {
		lists[s] = values(i)
		if n := a.lengths[s]; len(lists[s]) != n {
			panic(fmt.Errorf("%d lists for the %d elements of sequence %d of the axis %s", len(lists[s]), n, i, a.name))
		}
	}
	b.start, b.values = append(b.start[:0], 0), b.values[:0]
	for t, active := range a.active {
		for s := range active {
			b.values = append(b.values, lists[s][t]...)
			b.start = append(b.start, int32(len(b.values)))
		}
	}
}

// of returns the values of a row.
func (b *Bags) of(row int) []int32 { return b.values[b.start[row]:b.start[row+1]] }
