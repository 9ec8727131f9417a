package kernel

// addMulNNGeneric processes the rows of b, four at a time, for two rows of c. Every access is
// contiguous, and each value is loaded once for several products.
func addMulNNGeneric(c, a, b Matrix) {
	n := c.Cols
	i := 0
	for ; i+2 <= a.Rows; i += 2 {
		c0, c1, a0, a1 := c.Row(i), c.Row(i+1), a.Row(i), a.Row(i+1)
		k := 0
		for ; k+4 <= len(a0); k += 4 {
			axpy4x2(c0, c1, b.Data[k*b.Stride:][:n], b.Data[(k+1)*b.Stride:][:n], b.Data[(k+2)*b.Stride:][:n], b.Data[(k+3)*b.Stride:][:n],
				a0[k:k+4], a1[k:k+4])
		}
		for ; k < len(a0); k++ {
			axpyGeneric(c0, a0[k], b.Row(k))
			axpyGeneric(c1, a1[k], b.Row(k))
		}
	}
	for ; i < a.Rows; i++ {
		ci, ai := c.Row(i), a.Row(i)
		k := 0
		for ; k+4 <= len(ai); k += 4 {
			axpy4(ci, b.Data[k*b.Stride:][:n], b.Data[(k+1)*b.Stride:][:n], b.Data[(k+2)*b.Stride:][:n], b.Data[(k+3)*b.Stride:][:n],
				ai[k], ai[k+1], ai[k+2], ai[k+3])
		}
		for ; k < len(ai); k++ {
			axpyGeneric(ci, ai[k], b.Row(k))
		}
	}
}

// packGeneric copies the rows of b one after the other.
func packGeneric(b Matrix) []float32 {
	packed := make([]float32, 0, b.Rows*b.Cols)
	for i := range b.Rows {
		packed = append(packed, b.Row(i)...)
	}
	return packed
}

func addMulTNGeneric(c, a, b Matrix) {
	n := c.Cols
	k := 0
	for ; k+4 <= a.Rows; k += 4 {
		a0, a1, a2, a3 := a.Row(k), a.Row(k+1), a.Row(k+2), a.Row(k+3)
		b0, b1, b2, b3 := b.Row(k), b.Row(k+1), b.Row(k+2), b.Row(k+3)
		i := 0
		for ; i+2 <= c.Rows; i += 2 {
			x, y := [4]float32{a0[i], a1[i], a2[i], a3[i]}, [4]float32{a0[i+1], a1[i+1], a2[i+1], a3[i+1]}
			axpy4x2(c.Data[i*c.Stride:][:n], c.Data[(i+1)*c.Stride:][:n], b0, b1, b2, b3, x[:], y[:])
		}
		for ; i < c.Rows; i++ {
			axpy4(c.Data[i*c.Stride:][:n], b0, b1, b2, b3, a0[i], a1[i], a2[i], a3[i])
		}
	}
	for ; k < a.Rows; k++ {
		ak, bk := a.Row(k), b.Row(k)
		for i := range c.Rows {
			axpyGeneric(c.Row(i), ak[i], bk)
		}
	}
}

func addMulNTGeneric(c, a, b Matrix) {
	for i := range a.Rows {
		ci, ai := c.Row(i), a.Row(i)
		j := 0
		for ; j+4 <= len(ci); j += 4 {
			d0, d1, d2, d3 := dot4(ai, b.Row(j), b.Row(j+1), b.Row(j+2), b.Row(j+3))
			ci[j] += d0
			ci[j+1] += d1
			ci[j+2] += d2
			ci[j+3] += d3
		}
		for ; j < len(ci); j++ {
			ci[j] += dotGeneric(ai, b.Row(j))
		}
	}
}

func axpy4(c, b0, b1, b2, b3 []float32, a0, a1, a2, a3 float32) {
	b0, b1, b2, b3 = b0[:len(c)], b1[:len(c)], b2[:len(c)], b3[:len(c)]
	for j := range c {
		c[j] += (a0*b0[j] + a1*b1[j]) + (a2*b2[j] + a3*b3[j])
	}
}

// axpy4x2 does axpy4 on two rows, with the same order of operations for each value.
func axpy4x2(c, d, b0, b1, b2, b3, x, y []float32) {
	b0, b1, b2, b3, d = b0[:len(c)], b1[:len(c)], b2[:len(c)], b3[:len(c)], d[:len(c)]
	x0, x1, x2, x3 := x[0], x[1], x[2], x[3]
	y0, y1, y2, y3 := y[0], y[1], y[2], y[3]
	for j := range c {
		v0, v1, v2, v3 := b0[j], b1[j], b2[j], b3[j]
		c[j] += (x0*v0 + x1*v1) + (x2*v2 + x3*v3)
		d[j] += (y0*v0 + y1*v1) + (y2*v2 + y3*v3)
	}
}

func dot4(a, b0, b1, b2, b3 []float32) (d0, d1, d2, d3 float32) {
	b0, b1, b2, b3 = b0[:len(a)], b1[:len(a)], b2[:len(a)], b3[:len(a)]
	for k, v := range a {
		d0 += v * b0[k]
		d1 += v * b1[k]
		d2 += v * b2[k]
		d3 += v * b3[k]
	}
	return
}

func dotGeneric(a, b []float32) float32 {
	b = b[:len(a)]
	var s0, s1, s2, s3 float32
	i := 0
	for ; i+4 <= len(a); i += 4 {
		s0 += a[i] * b[i]
		s1 += a[i+1] * b[i+1]
		s2 += a[i+2] * b[i+2]
		s3 += a[i+3] * b[i+3]
	}
	for ; i < len(a); i++ {
		s0 += a[i] * b[i]
	}
	return (s0 + s1) + (s2 + s3)
}

func sumRowsGeneric(dst []float32, m Matrix, numbers []int32) {
	clear(dst)
	for _, n := range numbers {
		for j, v := range m.Row(int(n)) {
			dst[j] += v
		}
	}
}

func axpyGeneric(y []float32, a float32, x []float32) {
	x = x[:len(y)]
	for i := range y {
		y[i] += a * x[i]
	}
}

func approachGeneric(y []float32, a float32, x []float32) {
	x = x[:len(y)]
	for i := range y {
		y[i] += a * (x[i] - y[i])
	}
}

func multiplyGeneric(y []float32, a float32, x []float32) {
	x = x[:len(y)]
	for i := range y {
		y[i] = y[i] * x[i] * a
	}
}

func addProductGeneric(y, x, w []float32) {
	x, w = x[:len(y)], w[:len(y)]
	for i := range y {
		y[i] += x[i] * w[i]
	}
}

func clampGeneric(y []float32, a float32, _ []float32) {
	for i, v := range y {
		if v > a {
			y[i] = a
		} else if v < -a {
			y[i] = -a
		}
	}
}

func expLessGeneric(y []float32, a float32, x []float32) {
	for i := range y {
		y[i] = exp(x[i] - a)
	}
}

func largestGeneric(x []float32) float32 {
	top := x[0]
	for _, v := range x {
		top = max(top, v)
	}
	return top
}
