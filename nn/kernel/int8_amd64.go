package kernel

import "golang.org/x/sys/cpu"

// quantizedVectors is a set of assembly kernels for Int8: see gen for what they compute. They multiply
// four bytes of a row of a at once. In AVX-512 VNNI these are four integers, to which 128 is added
// because the instruction requires one factor without sign; the sums start from what this adds, negated.
// In AVX2 they are two integers of 16 bits, because the instruction for 8 bits limits sums of two
// products to 16 bits.
type quantizedVectors struct {
	width, group  int              // values in a register, and in four bytes of a row of a
	offset        int32            // added to each integer of a
	product       [][2]int8Product // [rows-1][vectors of columns-1]
	magnitudeBits func(x *float32, n int) uint32
	quantize      func(dst *byte, src *float32, inverse float32, n int)
}

type int8Product func(a *byte, ar int, b *int8, start *int32, scale, rowScale, c *float32, cs int, k, last int)

var quantizedAVX2 = &quantizedVectors{
	width: 8, group: 2,
	product: [][2]int8Product{
		{quantized1x1AVX2, quantized1x2AVX2}, {quantized2x1AVX2, quantized2x2AVX2}, {quantized3x1AVX2, quantized3x2AVX2},
		{quantized4x1AVX2, quantized4x2AVX2}, {quantized5x1AVX2, quantized5x2AVX2}, {quantized6x1AVX2, quantized6x2AVX2},
	},
	magnitudeBits: magnitudeBitsAVX2, quantize: quantizeAVX2,
}

var quantizedAVX512 = &quantizedVectors{
	width: 16, group: 4, offset: 128,
	product: [][2]int8Product{
		{quantized1x1AVX512, quantized1x2AVX512}, {quantized2x1AVX512, quantized2x2AVX512}, {quantized3x1AVX512, quantized3x2AVX512},
		{quantized4x1AVX512, quantized4x2AVX512}, {quantized5x1AVX512, quantized5x2AVX512}, {quantized6x1AVX512, quantized6x2AVX512},
		{quantized7x1AVX512, quantized7x2AVX512}, {quantized8x1AVX512, quantized8x2AVX512},
	},
	magnitudeBits: magnitudeBitsAVX512, quantize: quantizeAVX512,
}

// quantizedInUse returns the kernels for Int8; nil stands for pure Go. Processors with AVX-512 but
// without VNNI use AVX2.
func quantizedInUse() *quantizedVectors {
	switch {
	case inUse == nil:
		return nil
	case inUse == avx512 && cpu.X86.HasAVX512VNNI:
		return quantizedAVX512
	}
	return quantizedAVX2
}

func (q *Int8) pack(value func(i, j int) int8) {
	v := quantizedInUse()
	if v == nil {
		q.packGeneric(value)
		return
	}
	panel := 2 * v.width
	columns := (q.cols + panel - 1) / panel * panel
	q.scale = append(q.scale, make([]float32, columns-q.cols)...)
	q.start = make([]int32, columns)
	steps := v.steps(q.rows)
	q.values = make([]int8, steps*v.group*columns)
	for i := range q.rows {
		for from := 0; from < q.cols; from += panel {
			at := q.values[(from/panel*steps+i/v.group)*panel*v.group+i%v.group:]
			for j := from; j < min(from+panel, q.cols); j++ {
				x := value(i, j)
				at[(j-from)*v.group] = x
				q.start[j] -= v.offset * int32(x)
			}
		}
	}
}

// steps returns the number of steps of a product with k inner indices.
func (v *quantizedVectors) steps(k int) int { return (k + v.group - 1) / v.group }

// quantizedBytes is the size of the rows of a that are quantized at once, so that they stay in the
// second-level cache.
const quantizedBytes = 384 * 1024

func (q *Int8) addMul(c, a Matrix) {
	v := quantizedInUse()
	if v == nil {
		q.addMulGeneric(c, a)
		return
	}
	stride := (a.Cols + v.width - 1) / v.width * 16
	for top, bottom := range evenParts(a.Rows, max(32, quantizedBytes/stride)) {
		rows := quantizedBuffer(bottom-top, stride)
		for i := range bottom - top {
			row := a.Row(top + i)
			scale, inverse := scaleOf(v.magnitudeBits(&row[0], len(row)))
			rows.scale[i] = scale
			v.quantize(&rows.values[i*stride], &row[0], inverse, len(row))
		}
		v.addMul(c.Slice(top, bottom), rows, stride, q)
		quantizedPool.Put(rows)
	}
}

func (v *quantizedVectors) addMul(c Matrix, a *quantizedRows, stride int, q *Int8) {
	steps, panel := v.steps(q.rows), 2*v.width
	for j := 0; j < c.Cols; j += panel {
		b := &q.values[j*steps*v.group]
		nv := (min(c.Cols-j, panel) + v.width - 1) / v.width
		last := min(c.Cols-j, panel) - (nv-1)*v.width
		for i, end := range evenParts(c.Rows, len(v.product)) {
			v.product[end-i-1][nv-1](&a.values[i*stride], stride, b, &q.start[j], &q.scale[j], &a.scale[i], &c.Data[i*c.Stride+j], 4*c.Stride, steps, last)
		}
	}
}
