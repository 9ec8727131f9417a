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

func addMulFactor(c, a Matrix, f *Factor) {
	if inUse == nil {
		addMulNNGeneric(c, a, f.b)
		return
	}
	inUse.addMulFactor(c, a, f)
}

func pack(b Matrix) []float32 {
	if inUse == nil {
		return packGeneric(b)
	}
	return inUse.copyPanels(nil, b)
}

func addMulPacked(c, a Matrix, packed []float32) {
	if inUse == nil {
		addMulNNGeneric(c, a, NewMatrix(a.Cols, c.Cols, packed))
		return
	}
	inUse.addMulPanels(c, a, packed)
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

// tallest is the maximum number of rows that a product processes at once, so that their part of a,
// which every panel of b needs, stays in the second-level cache.
const tallest = 256

// panels are buffers into which products copy their part of b.
var panels = sync.Pool{New: func() any { return new([depth * 32]float32) }}

// addMul divides c into blocks of as many rows as the registers allow. Row i of a begins at ar*i,
// and its values are ak apart.
func (v *vectors) addMul(c, a Matrix, ar, ak, k int, b Matrix) {
	if k == 0 || c.Rows == 0 || c.Cols == 0 {
		return
	}
	for from, to := range evenParts(k, depth) {
		if part := b.Slice(from, to); c.Rows > v.lowest() {
			v.tall(c, a.Data[from*ak:], ar, ak, part)
		} else {
			v.low(c, a.Data[from*ak:], ar, ak, part)
		}
	}
}

// addMulFactor is addMul with a factor whose panels are copied only once.
func (v *vectors) addMulFactor(c, a Matrix, f *Factor) {
	if c.Rows <= v.lowest() {
		v.addMul(c, a, a.Stride, 1, a.Cols, f.b)
		return
	}
	if !f.copied {
		f.panels, f.copied = v.copyPanels(f.panels, f.b), true
	}
	v.addMulPanels(c, a, f.panels)
}

// addMulPanels multiplies by panels that copyPanels made. It processes so few inner indices at once that
// their part of a stays in the second-level cache until all panels are done, and so many that c is rarely
// read and written.
func (v *vectors) addMulPanels(c, a Matrix, panels []float32) {
	const deepest = 4 // parts of the inner indices
	k := a.Cols
	if k == 0 {
		return
	}
	columns := len(panels) / k
	parts := (k + depth - 1) / depth
	for top, bottom := range evenParts(c.Rows, tallest) {
		c, a := c.Slice(top, bottom), a.Slice(top, bottom)
		for first, end := range evenParts(parts, deepest) {
			for j := 0; j < c.Cols; j += 2 * v.width {
				for p := first; p < end; p++ {
					from, to := p*k/parts, (p+1)*k/parts
					v.column(c, a.Data[from:], a.Stride, 1, j, panels[from*columns+j*(to-from):], to-from)
				}
			}
		}
	}
}

// lowest is the greatest number of rows for which it does not pay off to copy panels.
func (v *vectors) lowest() int { return 2 * len(v.product) }

// copyPanels copies b to panels of two vectors of columns, part by part of its rows, and returns
// them. It uses the given memory if that suffices.
func (v *vectors) copyPanels(all []float32, b Matrix) []float32 {
	columns := (b.Cols + 2*v.width - 1) / (2 * v.width) * 2 * v.width
	if n := b.Rows * columns; cap(all) < n {
		all = make([]float32, n)
	}
	all = all[:b.Rows*columns]
	panels := all
	for from, to := range evenParts(b.Rows, depth) {
		for j := 0; j < b.Cols; j += 2 * v.width {
			nv, last := v.widthAt(b.Cols, j)
			v.pack[nv-1](&panels[0], &b.Data[from*b.Stride+j], 4*b.Stride, to-from, last)
			panels = panels[(to-from)*2*v.width:]
		}
	}
	return all
}

// widthAt returns the number of vectors of the panel that begins at column j, and the number of
// columns in the last of them.
func (v *vectors) widthAt(cols, j int) (nv, last int) {
	nv = 2
	if cols-j <= v.width {
		nv = 1
	}
	return nv, min(cols-j, nv*v.width) - (nv-1)*v.width
}

// tall multiplies panel by panel of b, copying each into one contiguous piece. The copy pays off
// because there are many rows.
func (v *vectors) tall(c Matrix, a []float32, ar, ak int, b Matrix) {
	panel := panels.Get().(*[depth * 32]float32)
	for top, bottom := range evenParts(c.Rows, tallest) {
		for j := 0; j < c.Cols; j += 2 * v.width {
			nv, last := v.widthAt(c.Cols, j)
			v.pack[nv-1](&panel[0], &b.Data[j], 4*b.Stride, b.Rows, last)
			v.column(c.Slice(top, bottom), a[top*ar:], ar, ak, j, panel[:], b.Rows)
		}
	}
	panels.Put(panel)
}

// column multiplies by the panel of b that begins at column j and has k rows.
func (v *vectors) column(c Matrix, a []float32, ar, ak, j int, panel []float32, k int) {
	nv, last := v.widthAt(c.Cols, j)
	blocks := (c.Rows + len(v.product) - 1) / len(v.product)
	for n := range blocks {
		i, end := n*c.Rows/blocks, (n+1)*c.Rows/blocks // of nearly equal height
		v.product[end-i-1][nv-1](&a[i*ar], 4*ar, 4*ak, &panel[0], 8*v.width, &c.Data[i*c.Stride+j], 4*c.Stride, k, last)
	}
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
