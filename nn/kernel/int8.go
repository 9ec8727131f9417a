package kernel

import (
	"fmt"
	"math"
	"sync"
)

// Int8 is a right factor of integers of 8 bits, such as the weights of an encoder that is to be fast
// rather than exact. A value is an integer from -127 to 127, times the scale of its column, which is the
// greatest magnitude in the column divided by 127. A product quantizes each row of the left factor in the
// same way. Several goroutines can use an Int8 at once.
//
// All kernels give the same bits: the sums of integers are exact, and each is converted to float32,
// multiplied by the rounded product of the two scales, and added to c.
type Int8 struct {
	rows, cols int
	scale      []float32 // of each column; a whole number of panels
	start      []int32   // of the sums of each column: see quantizedVectors
	values     []int8    // in the order of the kernels in use
}

// maxInt8Rows keeps the sums of products of two integers of 8 bits below 2^31.
const maxInt8Rows = math.MaxInt32 / (127 * 127)

// Quantize returns b, rounded to integers of 8 bits with one scale for each column. It belongs to the
// kernels in use. It panics if b has more than 133,144 rows.
func Quantize(b Matrix) *Int8 {
	if b.Rows > maxInt8Rows {
		panic(fmt.Sprintf("kernel: %d rows of integers of 8 bits can exceed 32 bits", b.Rows))
	}
	top, inverse := make([]uint32, b.Cols), make([]float32, b.Cols)
	for i := range b.Rows {
		for j, x := range b.Row(i) {
			top[j] = max(top[j], math.Float32bits(x)&^(1<<31))
		}
	}
	q := &Int8{rows: b.Rows, cols: b.Cols, scale: make([]float32, b.Cols)}
	for j := range top {
		q.scale[j], inverse[j] = scaleOf(top[j])
	}
	q.pack(func(i, j int) int8 { return int8(math.RoundToEven(float64(b.Data[i*b.Stride+j] * inverse[j]))) })
	return q
}

// AddMul adds the product of a and the factor to c, with each row of a rounded to integers of 8 bits. A row
// whose values are all below 1e-30 counts as 0. If a row of a or a column of the factor contains an infinity
// or NaN, all values of that row or column of c become NaN.
func (q *Int8) AddMul(c, a Matrix) {
	check(c, a.Rows, a.Cols, q.rows, q.cols)
	if a.Rows > 0 && a.Cols > 0 && c.Cols > 0 {
		q.addMul(c, a)
	}
}

// scaleOf returns the scale of values and its inverse. The argument is the greatest of the bits of their
// magnitudes.
func scaleOf(bits uint32) (scale, inverse float32) {
	switch top := math.Float32frombits(bits); {
	case bits >= 0xff<<23:
		return float32(math.NaN()), 0
	case top < 1e-30:
		return 0, 0
	default:
		return top / 127, 127 / top
	}
}

// quantizedRows are rows of the left factor.
type quantizedRows struct {
	values []byte
	scale  []float32
}

var quantizedPool = sync.Pool{New: func() any { return new(quantizedRows) }}

// quantizedBuffer returns memory for rows of this many bytes, to be put back into the pool.
func quantizedBuffer(rows, bytes int) *quantizedRows {
	q := quantizedPool.Get().(*quantizedRows)
	if cap(q.values) < rows*bytes {
		q.values = make([]byte, rows*bytes)
	}
	if cap(q.scale) < rows {
		q.scale = make([]float32, rows)
	}
	q.values, q.scale = q.values[:rows*bytes], q.scale[:rows]
	return q
}

// packGeneric stores the columns one after the other.
func (q *Int8) packGeneric(value func(i, j int) int8) {
	q.values = make([]int8, 0, q.rows*q.cols)
	for j := range q.cols {
		for i := range q.rows {
			q.values = append(q.values, value(i, j))
		}
	}
}

func (q *Int8) addMulGeneric(c, a Matrix) {
	k := q.rows
	row := make([]int8, k)
	for i := range a.Rows {
		ai, ci := a.Row(i), c.Row(i)
		var top uint32
		for _, x := range ai {
			top = max(top, math.Float32bits(x)&^(1<<31))
		}
		scale, inverse := scaleOf(top)
		for p, x := range ai {
			row[p] = int8(math.RoundToEven(float64(x * inverse)))
		}
		j := 0
		for ; j+4 <= len(ci); j += 4 {
			s0, s1, s2, s3 := dot4Int8(row, q.values[j*k:][:4*k])
			q.add(ci, j, scale, s0)
			q.add(ci, j+1, scale, s1)
			q.add(ci, j+2, scale, s2)
			q.add(ci, j+3, scale, s3)
		}
		for ; j < len(ci); j++ {
			var sum int32
			column := q.values[j*k:][:len(row)]
			for p, x := range row {
				sum += int32(x) * int32(column[p])
			}
			q.add(ci, j, scale, sum)
		}
	}
}

// add adds the product of row scale, column scale and sum to c[j]. The conversions prevent that two
// operations are fused into one.
func (q *Int8) add(c []float32, j int, scale float32, sum int32) {
	c[j] += float32(float32(sum) * float32(scale*q.scale[j]))
}

func dot4Int8(a, b []int8) (s0, s1, s2, s3 int32) {
	k := len(a)
	b0, b1, b2, b3 := b[:k], b[k:][:k], b[2*k:][:k], b[3*k:][:k]
	for p, x := range a {
		v := int32(x)
		s0 += v * int32(b0[p])
		s1 += v * int32(b1[p])
		s2 += v * int32(b2[p])
		s3 += v * int32(b3[p])
	}
	return
}
