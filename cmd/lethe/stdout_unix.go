//go:build unix

package main

import (
	"os"

	"golang.org/x/sys/unix"
)

// readable reports whether a file was opened for reading and writing.
func readable(f *os.File) bool {
	flags, err := unix.FcntlInt(f.Fd(), unix.F_GETFL, 0)
	return err == nil && flags&unix.O_ACCMODE == unix.O_RDWR
}
