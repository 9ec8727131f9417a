package gazetteer

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/internal/bounded"
)

const (
	maxLine  = 1 << 16 // maximum length of a line in bytes
	maxEntry = 1000    // maximum length of an entry in bytes, without its spaces
)

// each calls do for each entry that is used, without surrounding white space, in a slice that is valid until the next call. Blank lines and empty
// cells are skipped. Errors begin with the list, the file and the line.
func (l *List) each(do func(entry []byte) error) error {
	path := l.File
	var in io.Reader
	if l.Builtin != "" {
		raw, err := builtin(l.Builtin)
		if err != nil {
			return err
		}
		path, in = "built in", bytes.NewReader(raw)
	} else {
		f, err := bounded.OpenInput(path)
		if err != nil {
			return fmt.Errorf("list %s: %w", l.name(), err)
		}
		defer f.Close()
		if in, err = bounded.Gunzip(f); err != nil {
			return fmt.Errorf("list %s: %w", l.name(), unreadable(path, 0, err))
		}
	}
	if err := l.read(in, path, do); err != nil {
		return fmt.Errorf("list %s: %w", l.name(), err)
	}
	return nil
}

func unreadable(path string, line int, err error) error {
	return &data.Error{Path: path, Line: line, Offset: -1, Reason: "cannot be read", Err: err}
}

// readers are idle readers with a buffer for a line: a model has dozens of lists, most of them short.
var readers = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, maxLine) }}

func (l *List) read(in io.Reader, path string, do func(entry []byte) error) error {
	buffered := readers.Get().(*bufio.Reader)
	defer readers.Put(buffered)
	buffered.Reset(in)
	if mark, _ := buffered.Peek(3); string(mark) == "\uFEFF" { // an error is returned again by the next read
		_, _ = buffered.Discard(3)
	}
	r := &reader{path: path, list: l, do: do}
	if l.format() == CSV {
		return r.csv(buffered)
	}
	for {
		r.line++
		line, err := buffered.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			return r.broken("is longer than %d bytes", maxLine)
		} else if err != nil && err != io.EOF {
			return unreadable(path, r.line, err)
		}
		if len(line) > 0 {
			if err := r.add(line); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		}
	}
}

// reader reads the lines of a file.
type reader struct {
	path  string
	line  int // from 1
	list  *List
	do    func(entry []byte) error
	width int // number of columns of the first line
	entry int // column of the entry, from 0
	count int // column of the count, from 0; -1: none
}

func (r *reader) broken(reason string, args ...any) error {
	return &data.Error{Path: r.path, Line: r.line, Offset: -1, Reason: fmt.Sprintf(reason, args...)}
}

// add reads a line of any format except CSV.
func (r *reader) add(line []byte) error {
	format := r.list.format()
	if format == Lines {
		if line[0] == '#' {
			return nil
		}
		return r.take(line)
	}
	if len(bytes.TrimSpace(line)) == 0 {
		return nil
	}
	if format == Columns {
		return r.row(strings.Fields(string(line)))
	}
	return r.row(strings.Split(strings.TrimRight(string(line), "\r\n"), "\t"))
}

func (r *reader) csv(in io.Reader) error {
	rows := csv.NewReader(in)
	rows.ReuseRecord = true
	rows.FieldsPerRecord = -1 // row checks this, with the numbers in its error
	for {
		row, err := rows.Read()
		if err == io.EOF {
			return nil
		}
		if e := (*csv.ParseError)(nil); errors.As(err, &e) {
			r.line = e.Line
			return r.broken("broken CSV: %v", e.Err)
		} else if err != nil {
			return unreadable(r.path, r.line+1, err)
		}
		r.line, _ = rows.FieldPos(0)
		if err := r.row(row); err != nil {
			return err
		}
	}
}

// row reads the columns of a line.
func (r *reader) row(cells []string) error {
	if r.width == 0 {
		r.width = len(cells)
		return r.first(cells)
	}
	if len(cells) != r.width {
		return r.broken("has %d columns, but the first line has %d", len(cells), r.width)
	}
	return r.cells(cells)
}

// first determines the columns from the first line.
func (r *reader) first(cells []string) error {
	find := func(column string) (int, error) {
		if number(column) {
			n, err := strconv.Atoi(column)
			if err == nil && n > len(cells) {
				err = r.broken("has %d columns, but no column %d", len(cells), n)
			}
			return n - 1, err
		}
		for i, c := range cells {
			if strings.TrimSpace(c) == column {
				return i, nil
			}
		}
		return 0, r.broken("no column is named %q", column)
	}
	var err error
	if r.entry, err = find(r.list.Column); err != nil {
		return err
	}
	r.count = -1
	if r.list.CountColumn != "" {
		if r.count, err = find(r.list.CountColumn); err != nil {
			return err
		}
	}
	if number(r.list.Column) {
		return r.cells(cells)
	}
	return nil
}

func (r *reader) cells(cells []string) error {
	if r.count >= 0 {
		cell := strings.TrimSpace(cells[r.count])
		count, err := strconv.ParseFloat(cell, 64)
		switch {
		case cell == "" || cell == "..":
			count = 0
		case err != nil || !(count >= 0):
			return r.broken("the count, column %d, is not a number of at least 0", r.count+1)
		}
		if count < r.list.MinCount {
			return nil
		}
	}
	return r.take([]byte(cells[r.entry]))
}

// take processes one entry.
func (r *reader) take(entry []byte) error {
	entry = bytes.TrimSpace(entry)
	if len(entry) == 0 {
		return nil
	}
	if len(entry) > maxEntry {
		if n := len(entry) - bytes.Count(entry, []byte(" ")); n > maxEntry {
			return r.broken("the entry has %d bytes, more than the maximum of %d", n, maxEntry)
		}
	}
	named := false
	for i := 0; i < len(entry); {
		if 'a' <= entry[i] && entry[i] <= 'z' {
			named = true
			i++
			continue
		}
		c, n := utf8.DecodeRune(entry[i:])
		switch {
		case c == utf8.RuneError && n == 1:
			return r.broken("invalid UTF-8")
		case unicode.IsControl(c): // such as a tab between columns
			return r.broken("contains the control character U+%04X", c)
		case unicode.IsLetter(c) || unicode.IsDigit(c):
			named = true
		}
		i += n
	}
	if !named {
		return r.broken("the entry has no letters or digits")
	}
	if r.list.MinLength > 0 && utf8.RuneCount(entry) < r.list.MinLength {
		return nil
	}
	if err := r.do(entry); err != nil {
		return r.broken("%v", err)
	}
	return nil
}
