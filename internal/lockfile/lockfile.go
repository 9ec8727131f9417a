// Package lockfile opens files that only one process at a time may write.
package lockfile

import (
	"errors"
	"fmt"
	"os"

	"github.com/lethe-deid/lethe/internal/bounded"
)

// ErrLocked is the error for a file that another process has locked.
var ErrLocked = errors.New("another run is writing to it")

// Open opens a regular file as os.OpenFile does, and locks it until it is closed
// or the process ends. It never blocks, and returns ErrLocked if another process
// has locked the file. File systems and operating systems without locks are used
// unlocked.
func Open(path string, flag int, perm os.FileMode) (*os.File, error) {
	for {
		if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
			return nil, fmt.Errorf("%s: is %s, and a regular file is required", path, bounded.Kind(info.Mode()))
		}
		f, err := os.OpenFile(path, flag, perm)
		if err != nil {
			return nil, err
		}
		if err := Lock(f); err != nil {
			_ = f.Close()
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		same, err := isAt(f, path)
		if same || err != nil {
			return f, err
		}
		_ = f.Close() // it was replaced or removed before it could be locked
	}
}

// isAt reports whether an open file is the one at the path.
func isAt(f *os.File, path string) (bool, error) {
	opened, err := f.Stat()
	if err != nil {
		return false, err
	}
	now, err := os.Stat(path)
	return err == nil && os.SameFile(opened, now), nil
}
