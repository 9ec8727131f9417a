// Package wholefile writes files that appear under their names only when they are
// complete and on disk. A file is written next to its final path under a hidden
// name (a dot, its name and a number) and renamed at the end. Unlike
// github.com/google/renameio, the package also supports Windows.
package wholefile

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxName is the maximum number of bytes of a name that are used in the hidden
// name, so that the hidden name is not too long for the file system.
const maxName = 200

// Pending is a file that does not have its final name yet. It is not safe for
// concurrent use.
type Pending struct {
	*os.File
	path    string
	closed  bool
	settled bool // renamed or removed
}

// Create creates a pending file for a path. perm are its permissions before the
// umask.
func Create(path string, perm fs.FileMode) (*Pending, error) {
	for attempt := 0; ; attempt++ {
		f, err := os.OpenFile(HiddenPrefix(path)+strconv.FormatInt(rand.Int64(), 10), os.O_RDWR|os.O_CREATE|os.O_EXCL, perm)
		if err == nil {
			return &Pending{File: f, path: path}, nil
		}
		if !errors.Is(err, fs.ErrExist) || attempt == 1000 {
			return nil, err
		}
	}
}

// HiddenPrefix returns the path of the hidden file of a path, without the number
// at its end.
func HiddenPrefix(path string) string {
	dir, name := filepath.Split(path)
	if n := maxName; len(name) > n {
		for n > 0 && !utf8.RuneStart(name[n]) {
			n--
		}
		name = name[:n]
	}
	return dir + "." + name
}

// RemoveHidden removes the hidden files of a path, which a killed program left while it wrote the
// file. No other program may be writing the file.
func RemoveHidden(path string) error {
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	prefix := filepath.Base(HiddenPrefix(path))
	for _, e := range entries {
		number, ok := strings.CutPrefix(e.Name(), prefix)
		if _, err := strconv.ParseUint(number, 10, 64); !ok || err != nil {
			continue
		}
		if err := os.Remove(filepath.Join(filepath.Dir(path), e.Name())); err != nil {
			return err
		}
	}
	return nil
}

// WriteFile writes a complete file and replaces an existing one. It creates the
// folder if necessary. perm are the file's permissions before the umask.
func WriteFile(path string, content []byte, perm fs.FileMode) error {
	return Write(path, perm, func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	})
}

// Write works like WriteFile, but calls write to produce the content. The writer
// is buffered.
func Write(path string, perm fs.FileMode, write func(io.Writer) error) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	p, err := Create(path, perm)
	if err != nil {
		return err
	}
	defer func() { _ = p.Discard() }() // does nothing after Replace
	w := bufio.NewWriterSize(p, 1<<16)
	if err := write(w); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return p.Replace()
}

// Close syncs and closes the file, which keeps its hidden name. It may be called
// more than once.
func (p *Pending) Close() error {
	if p.closed {
		return nil
	}
	p.closed = true
	return errors.Join(p.Sync(), p.File.Close())
}

// Replace closes the file and renames it to its final name. It replaces an
// existing file.
func (p *Pending) Replace() error { return p.rename(os.Rename) }

// Publish closes the file and renames it to its final name. If there is a file
// with that name, it stays unchanged and the error is fs.ErrExist.
func (p *Pending) Publish() error { return p.rename(renameNew) }

func (p *Pending) rename(rename func(from, to string) error) error {
	if err := p.Close(); err != nil {
		return err
	}
	if err := rename(p.Name(), p.path); err != nil {
		return err
	}
	p.settled = true
	return nil
}

// Discard closes and removes the file. It does nothing after Replace or Publish.
func (p *Pending) Discard() error {
	if p.settled {
		return nil
	}
	var closing error
	if !p.closed {
		p.closed = true
		closing = p.File.Close()
	}
	if err := os.Remove(p.Name()); err != nil {
		return err
	}
	p.settled = true
	return closing
}

// renameNew renames a file unless the new name exists. It uses the system's own
// call if there is one, and otherwise a second link.
func renameNew(from, to string) error {
	if err := renameNoReplace(from, to); err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	if err := os.Link(from, to); err == nil {
		return os.Remove(from)
	} else if errors.Is(err, fs.ErrExist) {
		return err
	}
	// The file system supports neither. A file created between the next two statements is lost.
	if _, err := os.Lstat(to); err == nil {
		return &os.LinkError{Op: "rename", Old: from, New: to, Err: fs.ErrExist}
	}
	return os.Rename(from, to)
}
