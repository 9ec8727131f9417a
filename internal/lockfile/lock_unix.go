//go:build unix && !aix && !solaris && !illumos

package lockfile

import (
	"errors"
	"os"
	"syscall"
)

// Lock locks an open file until it is closed. It returns ErrLocked if another
// process has locked it.
func Lock(f *os.File) error {
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); errors.Is(err, syscall.EWOULDBLOCK) {
		return ErrLocked
	}
	return nil
}
