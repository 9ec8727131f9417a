// Package bounded reads files that a user names, such as keys, lists and
// configurations. It never waits for a FIFO without a writer, and never fills the
// memory from an endless device.
package bounded

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// MaxConfig is the maximum size, in bytes, of a file that people write by hand: a
// configuration, a key, a list.
const MaxConfig = 64 << 20

// ReadFile returns the content of a regular file of at most limit bytes. It also
// reads a pipe that was opened by the program's caller, as in --key-file
// <(command). Errors name the file.
func ReadFile(path string, limit int64) ([]byte, error) {
	f, err := OpenInput(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(raw)) > limit {
		return nil, fmt.Errorf("%s: is larger than %s, the limit for this kind of file", path, size(limit))
	}
	return raw, nil
}

// OpenRegular opens a regular file, or a link to one. It returns an error for
// anything else, and never blocks.
func OpenRegular(path string) (*os.File, error) { return open(path, false) }

// OpenInput opens a file that is read from beginning to end: a regular file, one that
// comes with the program, or a pipe that was opened by the program's caller.
func OpenInput(path string) (fs.File, error) {
	if name, ok := isBuiltin(path); ok {
		return builtin.Open(name)
	}
	return open(path, true)
}

// CheckInput returns the error of OpenInput for a file of this mode, or nil.
func CheckInput(path string, mode fs.FileMode) error {
	if mode.IsRegular() || mode.Type() == fs.ModeNamedPipe && inherited(path) {
		return nil
	}
	return notRegular(path, mode)
}

func open(path string, pipes bool) (*os.File, error) {
	check := func(mode fs.FileMode) error {
		if !pipes && !mode.IsRegular() {
			return notRegular(path, mode)
		}
		return CheckInput(path, mode)
	}
	info, err := os.Stat(path) // before opening, because opening some devices has side effects
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return nil, &fs.PathError{Op: "open", Path: path, Err: e.Err}
	} else if err != nil {
		return nil, err
	}
	if err := check(info.Mode()); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, err
	}
	if info, err = f.Stat(); err == nil {
		err = check(info.Mode())
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// inherited reports whether a path names a file that the program's caller has
// opened.
func inherited(path string) bool {
	path = filepath.ToSlash(filepath.Clean(path))
	return strings.HasPrefix(path, "/dev/fd/") || strings.HasPrefix(path, "/proc/self/fd/") || path == "/dev/stdin"
}

func notRegular(path string, mode fs.FileMode) error {
	return fmt.Errorf("%s: is %s, and a regular file is required", path, Kind(mode))
}

// Kind describes the kind of a file: "a folder", "a FIFO", "a device".
func Kind(mode fs.FileMode) string {
	switch {
	case mode.IsRegular():
		return "a regular file"
	case mode.IsDir():
		return "a folder"
	case mode&fs.ModeNamedPipe != 0:
		return "a FIFO"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	case mode&fs.ModeDevice != 0:
		return "a device"
	case mode&fs.ModeSymlink != 0:
		return "a link"
	}
	return "a special file"
}

func size(n int64) string {
	if n >= 1<<20 {
		return fmt.Sprintf("%d MiB", n>>20)
	}
	return fmt.Sprintf("%d bytes", n)
}
