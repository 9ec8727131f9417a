// Package wholefile writes files that appear under their names only when they are complete
// and on disk. A file is first written to the same folder under a hidden name (a dot, its
// name and a number) and renamed at the end. It also works on Windows, where
// github.com/google/renameio does not.
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
	"unicode/utf8"
)

// maxName is the most bytes of a name that go into the hidden one, so that this is not
// too long for the file system.
const maxName = 200

// Pending is a file without a name yet. It serves one goroutine.
type Pending struct {
	*os.File
	path    string
	closed  bool
	settled bool // renamed or removed
}

// Create begins a file. Its permissions are those before the umask.
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

// HiddenPrefix is the path of the hidden file of a path, without the number at its end.
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

// WriteFile writes a file whole and replaces one that already exists. It makes the folder
// if need be.
func WriteFile(path string, content []byte, perm fs.FileMode) error {
	return Write(path, perm, func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	})
}

// Write is WriteFile for content that write produces. It is buffered.
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

// Close syncs and closes the file, which keeps its hidden name. It may be called again.
func (p *Pending) Close() error {
	if p.closed {
		return nil
	}
	p.closed = true
	return errors.Join(p.Sync(), p.File.Close())
}

// Replace closes the file and gives it its name, in the place of a file that may exist.
func (p *Pending) Replace() error { return p.rename(os.Rename) }

// Publish closes the file and gives it its name. If another file has come there, it
// stays, and the error is fs.ErrExist.
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

// renameNew renames a file unless the new name exists: by the system's own call if there
// is one, else by a second link.
func renameNew(from, to string) error {
	if err := renameNoReplace(from, to); err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	if err := os.Link(from, to); err == nil {
		return os.Remove(from)
	} else if errors.Is(err, fs.ErrExist) {
		return err
	}
	// The file system knows neither. A file that comes between the next two lines is lost.
	if _, err := os.Lstat(to); err == nil {
		return &os.LinkError{Op: "rename", Old: from, New: to, Err: fs.ErrExist}
	}
	return os.Rename(from, to)
}
