package main

import (
	"errors"
	"io/fs"
	"os"
)

// checkStdin returns an error if stdin is a terminal, or is the null device. If the caller has
// closed stdin, Go puts the null device in its place before any of this runs, and an empty note
// would be all that comes of it.
func checkStdin() error {
	switch {
	case isTerminal(os.Stdin):
		return errors.New("stdin is a terminal: give a file, a folder, or a note on stdin")
	case isNull(os.Stdin):
		return errors.New("stdin is closed or is the null device: give a file, a folder, or a note on stdin")
	}
	return nil
}

// checkStdout returns an error if what is written to stdout is lost. If the caller has closed it,
// Go has put the null device in its place, opened for reading and writing, before any of this
// runs. Python's subprocess.DEVNULL is opened in the same way, and cannot be told from that by
// anything that the system says of it; a shell's >/dev/null is opened for writing only. So
// this is for notes, none of which may be lost without a word, and not for the tables of
// other commands.
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
