//go:build !unix

package experiments

func peakRSS() float64 { return 0 }
