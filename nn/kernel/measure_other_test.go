//go:build !linux

package kernel

import "testing"

// measure runs a benchmark and reports how many units of work it does in a nanosecond.
func measure(b *testing.B, work int, unit string, f func()) {
	for b.Loop() {
		f()
	}
	b.ReportMetric(float64(work)*float64(b.N)/float64(b.Elapsed().Nanoseconds()), unit)
}
