// Package whole writes files that appear under their names only when they are
// complete.
package whole

import (
	"bufio"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/internal/wholefile"
)

// File is a file that is being written. It is hidden next to its path until
// Write.
type File struct {
	path    string
	pending *wholefile.Pending
}

// Create creates a File, and its folder if necessary. If the path ends in .gz,
// the file is gzipped.
func Create(path string) (*File, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return nil, unwritable(path, err)
	}
	p, err := wholefile.Create(path, 0o666)
	if err != nil {
		return nil, unwritable(path, err)
	}
	return &File{path, p}, nil
}

// Write calls lay to write the content to a buffered writer, and then moves the
// file to its path.
func (f *File) Write(lay func(io.Writer) error) error {
	var w io.Writer = f.pending
	var z *gzip.Writer
	if strings.HasSuffix(f.path, ".gz") {
		z = gzip.NewWriter(f.pending)
		w = z
	}
	out := bufio.NewWriterSize(w, 1<<16)
	err := lay(out)
	if err == nil {
		err = out.Flush()
	}
	if z != nil && err == nil {
		err = z.Close()
	}
	if err == nil {
		err = f.pending.Replace()
	}
	if err != nil {
		return unwritable(f.path, err)
	}
	return nil
}

// Abort removes the file if it has not been written. After Write it does nothing.
func (f *File) Abort() error { return f.pending.Discard() }

func unwritable(path string, err error) error {
	return &data.Error{Path: path, Offset: -1, Reason: "cannot be written", Err: err}
}
