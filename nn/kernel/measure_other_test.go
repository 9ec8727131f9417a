//go:build !linux

package kernel

import "testing"

// measure runs a benchmark of a product of this many multiplications.
func measure(b *testing.B, size int, f func()) {
	for b.Loop() {
		f()
	}
	b.ReportMetric(2*float64(size)*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "GFLOP/s")
}
