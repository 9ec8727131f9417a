// Package tsv writes tables as tab-separated values with a header, which pandas.read_csv(file, sep="\t")
// and spreadsheets read. A cell with a tab, a quotation mark or a line end is quoted as in RFC 4180.
package tsv

import (
	"bufio"
	"compress/gzip"
	"encoding/csv"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/lethe-deid/lethe/internal/paths"
	"github.com/lethe-deid/lethe/internal/wholefile"
)

// Writer writes a table. The file appears under its name when it is closed.
type Writer struct {
	file     *wholefile.Pending
	buffer   *bufio.Writer
	compress *gzip.Writer // nil: not compressed
	csv      *csv.Writer
}

// Create creates a new file, compressed if its name ends in .gz, and writes the header.
func Create(path string, header []string) (*Writer, error) {
	if err := paths.MustBeNew(path); err != nil {
		return nil, err
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil, errors.New(path + ": is a folder")
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return nil, err
	}
	file, err := wholefile.Create(path, 0o666)
	if err != nil {
		return nil, err
	}
	w := &Writer{file: file, buffer: bufio.NewWriterSize(file, 1<<16)}
	var out io.Writer = w.buffer
	if strings.HasSuffix(path, ".gz") {
		w.compress = gzip.NewWriter(out)
		out = w.compress
	}
	w.csv = csv.NewWriter(out)
	w.csv.Comma = '\t'
	return w, w.Write(header)
}

// Write writes a row.
func (w *Writer) Write(cells []string) error { return w.csv.Write(cells) }

// Close completes the file.
func (w *Writer) Close() error {
	w.csv.Flush()
	err := w.csv.Error()
	if w.compress != nil {
		err = errors.Join(err, w.compress.Close())
	}
	if err := errors.Join(err, w.buffer.Flush()); err != nil {
		w.Abort()
		return err
	}
	if err := w.file.Publish(); err != nil {
		w.Abort()
		return err
	}
	return nil
}

// Abort removes the file. After Close it does nothing.
func (w *Writer) Abort() { _ = w.file.Discard() }

// Float formats a number so that it can be read as the same float32.
func Float(x float64) string { return strconv.FormatFloat(x, 'g', -1, 32) }
