package kernel

// Axpy adds a·x to y.
func Axpy(y []float32, a float32, x []float32) { axpy(y, a, x[:len(y)]) }

// Add adds x to y.
func Add(y, x []float32) { axpy(y, 1, x[:len(y)]) }

// Multiply multiplies y by x, value by value.
func Multiply(y, x []float32) { multiply(y, 0, x[:len(y)]) }

// Approach moves y the fraction f of its way to x.
func Approach(y []float32, f float32, x []float32) { approach(y, f, x[:len(y)]) }

// Clamp cuts y to [-limit, limit]. A NaN stays.
func Clamp(y []float32, limit float32) { clamp(y, limit, y) }

// Dot is the inner product.
func Dot(a, b []float32) float32 {
	var d [1]float32
	if len(a) > 0 {
		MulNT(Matrix{1, 1, 1, d[:]}, Matrix{1, len(a), len(a), a}, Matrix{1, len(a), len(a), b[:len(a)]})
	}
	return d[0]
}

// Transpose sets dst to srcᵀ, in blocks that keep both in cache.
func Transpose(dst, src Matrix) {
	check(dst, src.Cols, src.Rows, src.Rows, src.Rows)
	const block = 16
	for i := 0; i < src.Rows; i += block {
		rows := src.Slice(i, min(i+block, src.Rows))
		for j := 0; j < src.Cols; j += block {
			for c := j; c < min(j+block, src.Cols); c++ {
				to := dst.Data[c*dst.Stride+i:][:rows.Rows]
				from := rows.Data[c:]
				for r := range to {
					to[r] = from[r*rows.Stride]
				}
			}
		}
	}
}
