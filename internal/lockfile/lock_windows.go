package lockfile

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// Lock locks an open file until it is closed. It returns ErrLocked if another
// process has locked it. It locks a byte far beyond the end of the file, because
// Windows prevents others from reading locked bytes.
func Lock(f *os.File) error {
	const far = 1 << 30
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &windows.Overlapped{OffsetHigh: far})
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return ErrLocked
	}
	return nil
}
