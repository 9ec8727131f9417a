package kernel

// SplitsOutput reports whether the output gate depends on the new cell c through a matrix, as in
// FullPeephole. The caller computes the products with the peephole matrices, so that one product
// covers all rows of a step. With P = [Pi Pf], and z_if for the columns n to 3n of z, a step is:
//
//  1. The caller adds c'.P to z_if.
//  2. Forward computes c and tanh(c).
//  3. The caller adds c.Po to z_o.
//  4. ForwardOutput computes h.
//
// The gradient of a step, where dc' is the gradient of the cell before, is:
//
//  1. BackwardOutput sets dz_o and adds to dc.
//  2. The caller adds dz_o.Poᵀ to dc.
//  3. Backward sets dz_j, dz_i and dz_f, and replaces dc by its part of dc'.
//  4. The caller adds dc and dz_if.Pᵀ to dc', c'ᵀ.dz_if to the gradient of P, and cᵀ.dz_o to that of Po.
//
// ForwardOutput and BackwardOutput panic for the other cells, which only need Forward and Backward.
func (k Cell) SplitsOutput() bool { return k == FullPeephole }

// ForwardOutput computes the second part of a step, o = sigmoid(z_o) and h = o tanh(c). z and tanhC
// are as Forward left them, except that the caller has added c.Po to z_o, the last n columns of z.
// It replaces z_o by o.
func (k Cell) ForwardOutput(z, tanhC, h []float32) {
	k.checkOutput(len(z), len(h))
	o := z[3*len(h):]
	sigmoids(o)
	copy(h, o)
	Multiply(h, tanhC)
}

// BackwardOutput computes the gradient of ForwardOutput, before Backward. z and tanhC are as
// ForwardOutput left them, and dh is the gradient of h. It sets dz_o, the last n columns of dz, and
// adds to dc the gradient of c through tanh(c). The caller then adds dz_o.Poᵀ to dc.
func (k Cell) BackwardOutput(dz, z, tanhC, dh, dc []float32) {
	k.checkOutput(len(z), len(dc))
	k.checkOutput(len(dz), len(dc))
	n := len(dc)
	tanhC, dh = tanhC[:n], dh[:n]
	o, do := z[3*n:][:n], dz[3*n:][:n]
	for i := range dc {
		do[i] = dh[i] * tanhC[i] * o[i] * (1 - o[i])
		dc[i] += dh[i] * o[i] * (1 - tanhC[i]*tanhC[i])
	}
}

func (k Cell) checkOutput(z, n int) {
	if !k.SplitsOutput() {
		panic("kernel: ForwardOutput or BackwardOutput of a cell without a separate output step")
	}
	if z != k.Gates()*n {
		panic("kernel: the length of z does not match the cell's gates")
	}
}

func fullPeepholeForward(z, before, c, tanhC []float32) {
	n := len(c)
	Tanh(z[:n], z[:n])
	sigmoids(z[n : 3*n])
	j, g, f := z[:n], z[n:][:n], z[2*n:][:n]
	for i := range c {
		c[i] = f[i]*before[i] + g[i]*j[i]
	}
	Tanh(tanhC, c)
}

func fullPeepholeBackward(dz, z, before, dc []float32) {
	n := len(dc)
	j, g, f := z[:n], z[n:][:n], z[2*n:][:n]
	dj, dg, df := dz[:n], dz[n:][:n], dz[2*n:][:n]
	for i, d := range dc {
		dj[i] = d * g[i] * (1 - j[i]*j[i])
		dg[i] = d * j[i] * g[i] * (1 - g[i])
		df[i] = d * before[i] * f[i] * (1 - f[i])
		dc[i] = d * f[i]
	}
}
