package kernel

// Cell is a kind of LSTM cell. A step computes z = [x, h'].W + b outside of this package, where h'
// and c' are the state before, and the gates in this package. z has one block of n values per gate.
//
// A step of Coupled, Peephole and Standard is one call of Forward. A step of FullPeephole is
// Forward, a product by the caller, and ForwardOutput: see SplitsOutput.
type Cell uint8

const (
	// Coupled is the coupled input-forget gate cell of the reference
	// implementation, blocks j f o:
	//	f = sigmoid(z_f + 1),  c = f c' + (1-f) tanh(z_j),  h = sigmoid(z_o) tanh(c)
	Coupled Cell = iota
	// Peephole is the cell of Dernoncourt et al. 2016, section 2.2.1, blocks
	// j i o; the caller adds c'.P to z_i:
	//	i = sigmoid(z_i),  c = (1-i) c' + i tanh(z_j),  h = sigmoid(z_o) tanh(c)
	Peephole
	// Standard is the cell with separate gates, blocks j i f o:
	//	c = sigmoid(z_f + 1) c' + sigmoid(z_i) tanh(z_j),  h = sigmoid(z_o) tanh(c)
	Standard
	// FullPeephole is the cell of Liu et al. 2017, equation 1, blocks j i f o,
	// without a forget bias. The caller adds c'.Pi to z_i and c'.Pf to z_f before
	// Forward, and c.Po to z_o before ForwardOutput. Pi, Pf and Po are full [n, n]
	// matrices, which the paper calls W_ci, W_cf and W_co:
	//	i = sigmoid(z_i),  f = sigmoid(z_f),  c = f c' + i tanh(z_j)
	//	o = sigmoid(z_o),  h = o tanh(c)
	FullPeephole
)

// ForgetBias is added to the forget gate of Coupled and Standard; it is not
// part of the stored bias.
const ForgetBias = 1

// Gates returns the number of blocks in z.
func (k Cell) Gates() int {
	if k == Standard || k == FullPeephole {
		return 4
	}
	return 3
}

// Forward computes one step of one sequence. From z and the cell before the step it computes c,
// tanh(c) and h, each of n values. It replaces z by the activations of the gates, which Backward
// needs. before and c may be the same memory.
//
// For FullPeephole it leaves z_o as it is and does not use h, which can be nil: ForwardOutput
// computes both.
func (k Cell) Forward(z, before, c, tanhC, h []float32) {
	if len(z) != k.Gates()*len(c) {
		panic("kernel: the length of z does not match the cell's gates")
	}
	if k == FullPeephole {
		fullPeepholeForward(z, before[:len(c)], c, tanhC[:len(c)])
		return
	}
	gatesForward(k, z, before[:len(c)], c, tanhC[:len(c)], h[:len(c)])
}

// Predict computes c and h like Forward, for networks that are not trained. It is faster, and differs in the last bits.
// What it leaves in z has no meaning: pure Go writes tanh(c) over the gate j, which is read before. It panics for FullPeephole.
func (k Cell) Predict(z, before, c, h []float32) {
	if len(z) != k.Gates()*len(c) || k == FullPeephole {
		panic("kernel: Predict: the length of z does not match the cell's gates, or the cell is FullPeephole")
	}
	gatesPredict(k, z, before[:len(c)], c, h[:len(c)])
}

func (k Cell) forwardGeneric(z, before, c, tanhC, h []float32) {
	n := len(c)
	before, tanhC, h = before[:n], tanhC[:n], h[:n]
	j, g, o := z[:n], z[n:][:n], z[len(z)-n:][:n]
	switch k {
	case Coupled:
		for i := range n {
			j[i], g[i] = tanh(j[i]), sigmoid(g[i]+ForgetBias)
			c[i] = g[i]*before[i] + (1-g[i])*j[i]
		}
	case Peephole:
		for i := range n {
			j[i], g[i] = tanh(j[i]), sigmoid(g[i])
			c[i] = (1-g[i])*before[i] + g[i]*j[i]
		}
	case Standard:
		f := z[2*n:][:n]
		for i := range n {
			j[i], g[i], f[i] = tanh(j[i]), sigmoid(g[i]), sigmoid(f[i]+ForgetBias)
			c[i] = f[i]*before[i] + g[i]*j[i]
		}
	}
	for i := range n {
		o[i] = sigmoid(o[i])
		tanhC[i] = tanh(c[i])
		h[i] = o[i] * tanhC[i]
	}
}

// Backward computes the gradient of Forward. z, before and tanhC are as Forward left them, dh is
// the gradient of h, and dc the gradient of c from the later steps. Backward sets dz and replaces
// dc by the gradient of the cell before (for Peephole without the part through c'.P, which is
// dz_i.Pᵀ).
//
// For FullPeephole it sets dz_j, dz_i and dz_f only, and uses neither tanhC nor dh, which can be
// nil: BackwardOutput comes first and uses both. The gradient of the cell before is then without
// the part through c'.Pi and c'.Pf, which is dz_i.Piᵀ + dz_f.Pfᵀ.
func (k Cell) Backward(dz, z, before, tanhC, dh, dc []float32) {
	if n := k.Gates() * len(dc); len(z) != n || len(dz) != n {
		panic("kernel: the length of z does not match the cell's gates")
	}
	if k == FullPeephole {
		fullPeepholeBackward(dz, z, before[:len(dc)], dc)
		return
	}
	gatesBackward(k, dz, z, before[:len(dc)], tanhC[:len(dc)], dh[:len(dc)], dc)
}

func (k Cell) backwardGeneric(dz, z, before, tanhC, dh, dc []float32) {
	n := len(dc)
	before, tanhC, dh = before[:n], tanhC[:n], dh[:n]
	j, g, o := z[:n], z[n:][:n], z[len(z)-n:][:n]
	dj, dg, do := dz[:n], dz[n:][:n], dz[len(dz)-n:][:n]
	for i := range n {
		do[i] = dh[i] * tanhC[i] * o[i] * (1 - o[i])
		dc[i] += dh[i] * o[i] * (1 - tanhC[i]*tanhC[i])
	}
	switch k {
	case Coupled:
		for i := range n {
			d := dc[i]
			dg[i] = d * (before[i] - j[i]) * g[i] * (1 - g[i])
			dj[i] = d * (1 - g[i]) * (1 - j[i]*j[i])
			dc[i] = d * g[i]
		}
	case Peephole:
		for i := range n {
			d := dc[i]
			dg[i] = d * (j[i] - before[i]) * g[i] * (1 - g[i])
			dj[i] = d * g[i] * (1 - j[i]*j[i])
			dc[i] = d * (1 - g[i])
		}
	case Standard:
		f, df := z[2*n:][:n], dz[2*n:][:n]
		for i := range n {
			d := dc[i]
			dg[i] = d * j[i] * g[i] * (1 - g[i])
			df[i] = d * before[i] * f[i] * (1 - f[i])
			dj[i] = d * g[i] * (1 - j[i]*j[i])
			dc[i] = d * f[i]
		}
	}
}
