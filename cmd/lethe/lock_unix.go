//go:build unix && !aix && !solaris && !illumos

package main

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// lockFolder keeps other runs out of a folder until it is closed, or this process ends. A
// file system that knows no locks is none the worse.
func lockFolder(dir string) (*os.File, error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); errors.Is(err, syscall.EWOULDBLOCK) {
		_ = f.Close()
		return nil, fmt.Errorf("%s: another run is writing to it", dir)
	}
	return f, nil
}
