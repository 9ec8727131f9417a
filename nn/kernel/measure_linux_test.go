package kernel

import (
	"math"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// measure runs a benchmark of a product of this many multiplications. It also reports the speed of the
// fastest iteration by the processor time of the thread, which other programs hardly affect.
func measure(b *testing.B, size int, f func()) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	now := func() float64 {
		var t unix.Timespec
		if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
			b.Fatal(err)
		}
		return float64(t.Nano())
	}
	f() // fills the caches
	best := math.Inf(1)
	for b.Loop() {
		start := now()
		f()
		best = min(best, now()-start)
	}
	b.ReportMetric(2*float64(size)*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "GFLOP/s")
	b.ReportMetric(2*float64(size)/best, "best-GFLOP/s")
}
