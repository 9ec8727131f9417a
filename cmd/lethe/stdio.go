package main

import (
	"errors"
	"io/fs"
	"os"
)

// checkStdin returns an error if stdin is a terminal or the null device. If the caller has closed
// stdin, the Go runtime opens the null device instead, which would be read as an empty note.
func checkStdin() error {
	switch {
	case isTerminal(os.Stdin):
		return errors.New("stdin is a terminal: give a file, a folder, or a note on stdin")
	case isNull(os.Stdin):
		return errors.New("stdin is closed or is the null device: give a file, a folder, or a note on stdin")
	}
	return nil
}

// checkStdout returns an error if stdout is closed, so that notes written to it would be lost. If the
// caller has closed stdout, the Go runtime opens the null device instead, for reading and writing.
// A shell's >/dev/null is opened for writing only, and is no error. Python's subprocess.DEVNULL is
// opened for both and cannot be distinguished from a closed stdout. So only commands that write
// notes call this function, not those that print tables.
func checkStdout() error {
	if _, err := os.Stdout.Stat(); err != nil {
		return errors.New("stdout is closed: redirect it, or give an --output")
	}
	if isNull(os.Stdout) && readable(os.Stdout) {
		return errors.New("stdout is closed, or is the null device opened for reading as well: redirect it, as in >/dev/null, or give an --output")
	}
	return nil
}

// isNull reports whether a file is the null device.
func isNull(f *os.File) bool {
	info, err := f.Stat()
	if err != nil {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err == nil && info.Mode()&fs.ModeDevice != 0 && os.SameFile(info, null)
}
