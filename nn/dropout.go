package nn

import (
	"fmt"
	"math"

	G "gorgonia.org/gorgonia"

	"github.com/lethe-deid/lethe/nn/kernel"
)

// Dropout drops each value of x with probability value, in [0, 1), scaling the others by
// 1/(1-value), and each row as a whole with probability row, in [0, 1) (word dropout). The seed of
// a sequence alone decides what is dropped in it. In a batch without seeds, and in a graph that is not
// built for training, nothing is dropped. It is an error if the batch has seeds, but Fill did not set
// the Seeds of the axis of x.
func (g *Graph) Dropout(x *G.Node, value, row float64) *G.Node {
	axis, columns := g.Rows("dropout", x)
	for _, p := range []float64{value, row} {
		if !(p >= 0 && p < 1) {
			g.Fail("dropout", "expected a probability in [0, 1), given %v", p)
		}
	}
	if !g.Training || value == 0 && row == 0 {
		return x
	}
	l := &dropout{graph: g, axis: axis, value: value, row: row, stream: splitmix(g.dropouts)}
	if g.dropouts++; g.dropouts > 1 { // each has a stream of its own
		l.stream = splitmix(l.stream.next())
	}
	return g.Apply("dropout", l, axis, columns, x)
}

type dropout struct {
	graph      *Graph
	axis       *Axis
	value, row float64
	stream     splitmix
	mask       buffer // 0 or 1/(1-value)
	out        buffer
}

func (l *dropout) Forward(in []kernel.Matrix) kernel.Matrix {
	x := in[0]
	seeds := l.axis.seeds()
	switch {
	case len(l.axis.order) == 0:
		return x
	case seeds == nil && l.graph.seeded:
		panic(fmt.Errorf("the Seeds of the axis %s were not set for this batch", l.axis.name))
	case seeds == nil:
		return x
	}
	if len(seeds) != len(l.axis.order) {
		panic(fmt.Errorf("%d seeds for the %d sequences of the axis %s", len(seeds), len(l.axis.order), l.axis.name))
	}
	mask := l.mask.resize(x.Rows, x.Cols)
	threshold, rowThreshold := int64(l.value*(1<<16)), uint64(l.row*(1<<32))
	scale := math.Float32bits(float32(1 / (1 - l.value)))
	keep := func(bits uint64) float32 { // without a branch, which would be mispredicted half the time
		return math.Float32frombits(scale & uint32((threshold-1-int64(bits&0xffff))>>63))
	}
	for s, i := range l.axis.order {
		rng := splitmix(seeds[i]) ^ l.stream
		for t := range l.axis.lengths[s] {
			row := mask.Row(l.axis.row(s, t))
			if rng.next()>>32 < rowThreshold {
				clear(row)
				continue
			}
			for ; len(row) >= 4; row = row[4:] { // a draw has 16 bits for each of four values
				bits := rng.next()
				row[0], row[1], row[2], row[3] = keep(bits), keep(bits>>16), keep(bits>>32), keep(bits>>48)
			}
			if len(row) > 0 {
				bits := rng.next()
				for j := range row {
					row[j] = keep(bits >> (16 * j))
				}
			}
		}
	}
	out := l.out.resize(x.Rows, x.Cols)
	copy(out.Data, x.Data)
	kernel.Multiply(out.Data, mask.Data)
	return out
}

func (l *dropout) Backward(_ []kernel.Matrix, _, dout kernel.Matrix, din []kernel.Matrix) {
	copy(din[0].Data, dout.Data)
	if l.axis.seeds() != nil {
		kernel.Multiply(din[0].Data, l.mask.resize(dout.Rows, dout.Cols).Data)
	}
}

// splitmix is the splitmix64 generator (Steele, Lea and Flood 2014). Its whole stream follows from
// one 64-bit seed, so no state has to be saved.
type splitmix uint64

func (s *splitmix) next() uint64 {
	*s += 0x9e3779b97f4a7c15
	z := uint64(*s)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
