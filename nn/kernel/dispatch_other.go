//go:build !amd64

package kernel

// Name is that of the kernels in use.
func Name() string { return "generic" }

func mulNN(c, a, b Matrix) { mulNNGeneric(c, a, b) }
func mulTN(c, a, b Matrix) { mulTNGeneric(c, a, b) }
func mulNT(c, a, b Matrix) { mulNTGeneric(c, a, b) }
