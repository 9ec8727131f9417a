package kernel

import (
	"math"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// measure runs a benchmark and reports how many units of work it does in a nanosecond: on average, and
// in the fastest iteration by the processor time of the thread, which other programs hardly affect.
func measure(b *testing.B, work int, unit string, f func()) {
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
	b.ReportMetric(float64(work)*float64(b.N)/float64(b.Elapsed().Nanoseconds()), unit)
	b.ReportMetric(float64(work)/best, "best-"+unit)
}
