package job

import (
	"bufio"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid/notefile"
	"github.com/lethe-deid/lethe/internal/bounded"
	"github.com/lethe-deid/lethe/internal/wholefile"
)

// open opens the file, unless it is known that it cannot be read.
func (f noteFile) open(ctx context.Context) (in io.ReadCloser, zipped bool, err error) {
	if f.err != nil {
		return nil, false, f.err
	}
	return openNotes(ctx, f.format, f.in)
}

// openNotes opens a file of notes and decompresses it if it is gzipped. It reports whether the file was gzipped. A file of
// a format that seeks is returned as it is.
func openNotes(ctx context.Context, format *notefile.Format, path string) (io.ReadCloser, bool, error) {
	if format.Seeks {
		f, err := bounded.OpenRegular(path)
		if err != nil {
			return nil, false, unreadable(path, err)
		}
		return f, false, nil
	}
	var f io.ReadCloser
	if path == Stdio {
		f = interruptible(ctx, os.Stdin)
	} else {
		var err error
		if f, err = openInput(ctx, path); err != nil {
			return nil, false, unreadable(path, err)
		}
	}
	counted := &countingReader{Reader: f}
	in := bufio.NewReaderSize(counted, 1<<16)
	magic, _ := in.Peek(2) // reading returns the error again
	unzipped, err := bounded.Gunzip(in)
	if err != nil {
		_ = f.Close()
		return nil, false, unreadable(path, err)
	}
	return notesReader{unzipped, f, counted}, string(magic) == "\x1f\x8b", nil
}

// openInput opens a file. Reading a pipe ends when ctx does.
func openInput(ctx context.Context, path string) (io.ReadCloser, error) {
	f, err := bounded.OpenInput(path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil || info.Mode().IsRegular() {
		return f, err
	}
	return interruptible(ctx, f), nil
}

// notesReader reads a file of notes, uncompressed.
type notesReader struct {
	io.Reader
	io.Closer
	counted *countingReader
}

// consumed returns the number of bytes of the file that were read, compressed if the file is.
func (r notesReader) consumed() int64 { return r.counted.n }

// countingReader counts the bytes that it returns.
type countingReader struct {
	io.Reader
	n int64
}

func (r *countingReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	r.n += int64(n)
	return n, err
}

// interruptible returns a reader of f that fails when the context is cancelled, even while f blocks, as a pipe or a
// terminal may.
func interruptible(ctx context.Context, f io.Reader) io.ReadCloser {
	out, in := io.Pipe()
	go func() {
		_, err := io.CopyBuffer(in, struct{ io.Reader }{f}, make([]byte, 1<<16))
		in.CloseWithError(err)
	}()
	context.AfterFunc(ctx, func() { in.CloseWithError(ctx.Err()) })
	return out
}

// sink writes one file, or stdout. The file appears under its name on commit, when it is complete and on disk.
type sink struct {
	path    string
	over    bool               // it may replace an existing file
	pending *wholefile.Pending // nil for stdout
	buf     *bufio.Writer
	zip     *gzip.Writer    // nil if the file is not gzipped
	records notefile.Writer // nil if the file is the bytes of its records
	synced  chan error      // receives the result of writing to disk; nil before close
}

func openSink(path string, zipped bool) (*sink, error) {
	s := &sink{path: path}
	if path == Stdio {
		s.buf = bufio.NewWriterSize(os.Stdout, 1<<16)
	} else {
		dir := filepath.Dir(path)
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return nil, unwritable(path, err)
		}
		var err error
		if s.pending, err = wholefile.Create(path, 0o666); err != nil {
			return nil, unwritable(path, err)
		}
		s.buf = bufio.NewWriterSize(s.pending, 1<<16)
		zipped = strings.EqualFold(filepath.Ext(path), ".gz")
	}
	if zipped {
		s.zip = gzip.NewWriter(s.buf)
	}
	return s, nil
}

// through makes the sink write the records of the file at in through the writer of the format, if it has one.
func (s *sink) through(format *notefile.Format, in string, options notefile.Options) (err error) {
	if s.records, err = format.Writer(s.buf, in, options); err != nil {
		s.records = nil // not an interface that contains nil
	} else if s.records != nil && s.zip != nil {
		err = fmt.Errorf("%s: files of the format %s have a compression of their own and are never gzipped: name an --output without .gz", s.path, format.Name)
	}
	return err
}

// record writes a record.
func (s *sink) record(r *notefile.Record, encoded []byte) error {
	if s.records == nil {
		return s.write(encoded)
	}
	return unwritable(s.path, s.records.Write(r, encoded))
}

func (s *sink) write(raw []byte) error {
	var err error
	if s.zip != nil {
		_, err = s.zip.Write(raw)
	} else {
		_, err = s.buf.Write(raw)
	}
	return unwritable(s.path, err)
}

// flush passes everything written so far to stdout. For a file it does nothing.
func (s *sink) flush() error {
	if s.pending != nil {
		return nil
	}
	if s.zip != nil {
		if err := s.zip.Flush(); err != nil {
			return unwritable(s.path, err)
		}
	}
	return unwritable(s.path, s.buf.Flush())
}

// close ends the file and starts writing it to disk in the background. The method wait returns the result.
func (s *sink) close() error {
	if s.records != nil {
		err := s.records.Close()
		if s.records.Discard(); err != nil {
			return unwritable(s.path, err)
		}
	}
	if s.zip != nil {
		if err := s.zip.Close(); err != nil {
			return unwritable(s.path, err)
		}
	}
	if err := s.buf.Flush(); err != nil || s.pending == nil {
		return unwritable(s.path, err)
	}
	s.synced = make(chan error, 1)
	go func() { s.synced <- s.pending.Close() }()
	return nil
}

// wait waits until a closed file is on disk.
func (s *sink) wait() error {
	if s.synced == nil {
		return nil
	}
	err := <-s.synced
	s.synced = nil
	return unwritable(s.path, err)
}

// commit gives a closed file that is on disk its final name.
func (s *sink) commit() error {
	if s.pending == nil {
		return nil
	}
	if s.over {
		return unwritable(s.path, s.pending.Replace())
	}
	err := s.pending.Publish()
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s: another program has created it in the meantime, so it was not overwritten", s.path)
	}
	return unwritable(s.path, err)
}

// abort removes a file that is not published yet. After commit it does nothing.
func (s *sink) abort() {
	if s != nil && s.records != nil {
		s.records.Discard()
	}
	if s != nil && s.pending != nil {
		_ = s.wait()
		_ = s.pending.Discard() // if this fails, a hidden file stays
	}
}

// syncFolders syncs folders, so that new files in them survive a power cut. It ignores errors, because some systems
// cannot sync folders.
func syncFolders(paths map[string]bool) {
	for path := range paths {
		if dir, err := os.Open(path); err == nil {
			_ = dir.Sync()
			_ = dir.Close()
		}
	}
}

func unreadable(path string, err error) error { return fileError(path, "cannot be read", err) }

// unwritable returns an error that names path instead of the temporary file, or nil if err is nil.
func unwritable(path string, err error) error {
	if path == Stdio {
		path = "stdout"
	}
	return fileError(path, "cannot be written", err)
}

func fileError(path, reason string, err error) error {
	switch e := err.(type) { //nolint:errorlint // an error that wraps one of these stays as it is, because its own text says more
	case nil:
		return nil
	case *fs.PathError:
		err = e.Err
	case *os.LinkError:
		err = e.Err
	}
	return &data.Error{Path: path, Offset: -1, Reason: reason, Err: err}
}
