//go:build !amd64

package kernel

// Name returns the name of the kernels in use.
func Name() string { return "generic" }

func addMulNN(c, a, b Matrix)             { addMulNNGeneric(c, a, b) }
func addMulFactor(c, a Matrix, f *Factor) { addMulNNGeneric(c, a, f.b) }

func pack(b Matrix) []float32 { return packGeneric(b) }

func addMulPacked(c, a Matrix, packed []float32) {
	addMulNNGeneric(c, a, NewMatrix(a.Cols, c.Cols, packed))
}

func addMulTN(c, a, b Matrix) { addMulTNGeneric(c, a, b) }
func addMulNT(c, a, b Matrix) { addMulNTGeneric(c, a, b) }

func gatesForward(k Cell, z, before, c, tanhC, h []float32) { k.forwardGeneric(z, before, c, tanhC, h) }
func gatesPredict(k Cell, z, before, c, h []float32)        { k.forwardGeneric(z, before, c, z[:len(c)], h) }

func gatesBackward(k Cell, dz, z, before, tanhC, dh, dc []float32) {
	k.backwardGeneric(dz, z, before, tanhC, dh, dc)
}

func vectorExp(dst, src []float32)  { expGeneric(dst, src) }
func vectorTanh(dst, src []float32) { tanhGeneric(dst, src) }

func vectorGelu(dst, src []float32)     { geluGeneric(dst, src) }
func vectorGeluTanh(dst, src []float32) { geluTanhGeneric(dst, src) }
func vectorSilu(dst, src []float32)     { siluGeneric(dst, src) }

func normalize(dst, src, scale, shift []float32, epsilon float32) {
	normalizeGeneric(dst, src, scale, shift, epsilon)
}

func softmax(dst, src []float32, top float32) { softmaxGeneric(dst, src, top) }

func viterbiStep(next []float32, back []int32, score []float32, a Matrix) {
	viterbiStepGeneric(next, back, score, a)
}

func sumRows(dst []float32, m Matrix, numbers []int32) { sumRowsGeneric(dst, m, numbers) }
func axpy(y []float32, a float32, x []float32)         { axpyGeneric(y, a, x) }

func approach(y []float32, a float32, x []float32) { approachGeneric(y, a, x) }

func multiply(y []float32, a float32, x []float32) { multiplyGeneric(y, a, x) }

func clamp(y []float32, a float32, x []float32) { clampGeneric(y, a, x) }

func expLess(y []float32, a float32, x []float32) { expLessGeneric(y, a, x) }
func addProduct(y, x, w []float32)                { addProductGeneric(y, x, w) }
func dot(a, b []float32) float32                  { return dotGeneric(a, b) }
func largest(x []float32) float32                 { return largestGeneric(x) }

func transposeBlocks(dst, src Matrix) (rows, cols int) { return 0, 0 }
