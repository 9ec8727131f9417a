//go:build unix

package experiments

import (
	"runtime"
	"syscall"
)

// peakRSS returns the maximum memory of this process in MB, or 0 if unknown.
func peakRSS() float64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	if runtime.GOOS == "darwin" || runtime.GOOS == "ios" {
		return float64(u.Maxrss) / (1 << 20) // macOS reports bytes
	}
	return float64(u.Maxrss) / (1 << 10) // other systems report KiB
}
