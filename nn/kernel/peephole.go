package kernel

// SplitsOutput reports whether the output gate sees the new cell c through a matrix, as in
// FullPeephole. This product is the caller's, so that it covers all rows of a step at once. A step
// of such a cell, where P = [Pi Pf], is:
//
//	z_if += c'.P    Forward            z_o += c.Po      ForwardOutput
//
// and its gradient is, where dc' is the gradient of the cell before:
//
//	BackwardOutput  dc += dz_o.Poᵀ     Backward         dc' += dc + dz_if.Pᵀ
//
// The gradients of the matrices are c'ᵀ.dz_if for P and cᵀ.dz_o for Po. ForwardOutput and
// BackwardOutput panic for the other cells, whose Forward and Backward do everything.
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
