package main

import (
	"errors"
	"io/fs"
	"os"
)

// checkStdout is an error if what is written to stdout is lost. If the caller has closed it,
// Go has put /dev/null in its place, opened for reading and writing, before any of this runs.
// Python's subprocess.DEVNULL is opened in the same way, and cannot be told from that by
// anything that the system says of it; a shell's >/dev/null is opened for writing only. So
// this is for notes, of which none may be lost without a word, and not for the tables of
// other commands.
func checkStdout() error {
	info, err := os.Stdout.Stat()
	if err != nil {
		return errors.New("stdout is closed: redirect it, or give an --output")
	}
	null, err := os.Stat(os.DevNull)
	if err != nil || info.Mode()&fs.ModeDevice == 0 || !os.SameFile(info, null) || !readable(os.Stdout) {
		return nil
	}
	return errors.New("stdout is closed, or is the null device opened for reading as well: redirect it, as in >/dev/null, or give an --output")
}
