//go:build !(openblas && cgo)

package kernel

import "sync"

// Name returns the name of the kernels in use: generic, avx2 or avx512. The environment variable
// LETHE_KERNEL selects one, if the processor supports it.
func Name() string {
	if inUse == nil {
		return "generic"
	}
	return inUse.name
}

func addMulNN(c, a, b Matrix) {
	if inUse == nil {
		addMulNNGeneric(c, a, b)
		return
	}
	inUse.addMul(c, a, a.Stride, 1, a.Cols, b)
}

func addMulTN(c, a, b Matrix) {
	if inUse == nil {
		addMulTNGeneric(c, a, b)
		return
	}
	inUse.addMul(c, a, 1, a.Stride, a.Rows, b)
}

func addMulNT(c, a, b Matrix) {
	if inUse == nil {
		addMulNTGeneric(c, a, b)
		return
	}
	inUse.addMulNT(c, a, b)
}

// depth is the maximum number of inner indices that a product processes at once, so that the part
// of b that all rows of c need, two vectors wide, stays in the first-level cache. The inner index
// is divided by k alone, because a value of c must not depend on the number of rows.
const depth = 192

// panels are buffers into which products copy their part of b.
var panels = sync.Pool{New: func() any { return new([depth * 32]float32) }}

// addMul divides c into blocks of as many rows as the registers allow. Row i of a begins at ar*i,
// and its values are ak apart.
func (v *vectors) addMul(c, a Matrix, ar, ak, k int, b Matrix) {
	if k == 0 || c.Rows == 0 || c.Cols == 0 {
		return
	}
	parts := (k + depth - 1) / depth
	for n := range parts {
		from, to := n*k/parts, (n+1)*k/parts
		if part := b.Slice(from, to); c.Rows > 2*len(v.product) {
			v.tall(c, a.Data[from*ak:], ar, ak, part)
		} else {
			v.low(c, a.Data[from*ak:], ar, ak, part)
		}
	}
}

// tall multiplies panel by panel of b, copying each into one contiguous piece. The copy pays off
// because there are many rows.
func (v *vectors) tall(c Matrix, a []float32, ar, ak int, b Matrix) {
	panel := panels.Get().(*[depth * 32]float32)
	for j := 0; j < c.Cols; j += 2 * v.width {
		nv := 2
		if c.Cols-j <= v.width {
			nv = 1
		}
		last := min(c.Cols-j, nv*v.width) - (nv-1)*v.width
		v.pack[nv-1](&panel[0], &b.Data[j], 4*b.Stride, b.Rows, last)
		blocks := (c.Rows + len(v.product) - 1) / len(v.product)
		for n := range blocks {
			i, end := n*c.Rows/blocks, (n+1)*c.Rows/blocks // of nearly equal height
			v.product[end-i-1][nv-1](&a[i*ar], 4*ar, 4*ak, &panel[0], 8*v.width, &c.Data[i*c.Stride+j], 4*c.Stride, b.Rows, last)
		}
	}
	panels.Put(panel)
}

// low multiplies by blocks of rows, of which there are few.
func (v *vectors) low(c Matrix, a []float32, ar, ak int, b Matrix) {
	most := len(v.product)
	blocks := (c.Rows + most - 1) / most
	for n := range blocks {
		i, end := n*c.Rows/blocks, (n+1)*c.Rows/blocks
		funcs := v.product[end-i-1]
		for j := 0; j < c.Cols; {
			need := (c.Cols - j + v.width - 1) / v.width
			nv := min(need, len(funcs))
			cols := min(c.Cols-j, nv*v.width)
			funcs[nv-1](&a[i*ar], 4*ar, 4*ak, &b.Data[j], 4*b.Stride, &c.Data[i*c.Stride+j], 4*c.Stride, b.Rows, cols-(nv-1)*v.width)
			j += cols
		}
	}
}

func (v *vectors) addMulNT(c, a, b Matrix) {
	k := a.Cols
	if k == 0 {
		return
	}
	blocks := (c.Rows + len(v.dots) - 1) / len(v.dots)
	for n := range blocks {
		i, end := n*c.Rows/blocks, (n+1)*c.Rows/blocks
		funcs := v.dots[end-i-1]
		for j := 0; j < c.Cols; {
			cols, f := 4, funcs[1]
			if c.Cols-j < 4 {
				cols, f = 1, funcs[0]
			}
			f(&a.Data[i*a.Stride], 4*a.Stride, &b.Data[j*b.Stride], 4*b.Stride, &c.Data[i*c.Stride+j], 4*c.Stride, k/v.width, k%v.width)
			j += cols
		}
	}
}
