//go:build !(openblas && cgo)

package kernel

// Name is that of the kernels in use: generic, avx2 or avx512. The environment
// variable LETHE_KERNEL forces one, if the processor has it.
func Name() string {
	if inUse == nil {
		return "generic"
	}
	return inUse.name
}

func mulNN(c, a, b Matrix) {
	if inUse == nil {
		mulNNGeneric(c, a, b)
		return
	}
	inUse.mul(c, a, a.Stride, 1, a.Cols, b)
}

func mulTN(c, a, b Matrix) {
	if inUse == nil {
		mulTNGeneric(c, a, b)
		return
	}
	inUse.mul(c, a, 1, a.Stride, a.Rows, b)
}

func mulNT(c, a, b Matrix) {
	if inUse == nil {
		mulNTGeneric(c, a, b)
		return
	}
	inUse.mulNT(c, a, b)
}

// mul cuts c into blocks of as many rows as registers allow. Row i of a begins
// at ar*i, and its values stand ak apart.
func (v *vectors) mul(c, a Matrix, ar, ak, k int, b Matrix) {
	if k == 0 || c.Rows == 0 || c.Cols == 0 {
		return
	}
	most := len(v.product)
	blocks := (c.Rows + most - 1) / most
	for n := range blocks {
		i, end := n*c.Rows/blocks, (n+1)*c.Rows/blocks // of nearly equal height
		funcs := v.product[end-i-1]
		for j := 0; j < c.Cols; {
			need := (c.Cols - j + v.width - 1) / v.width
			nv := min(need, len(funcs))
			cols := min(c.Cols-j, nv*v.width)
			funcs[nv-1](&a.Data[i*ar], 4*ar, 4*ak, &b.Data[j], 4*b.Stride, &c.Data[i*c.Stride+j], 4*c.Stride, k, cols-(nv-1)*v.width)
			j += cols
		}
	}
}

func (v *vectors) mulNT(c, a, b Matrix) {
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
