package embeddings

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/internal/bounded"
)

// Options of Load. The zero value keeps every vector of any width.
type Options struct {
	// Dim is the required width of the vectors; 0 accepts any.
	Dim int
	// Want selects the words to keep; nil keeps all. The rest of the file is
	// still checked. See Wanted.
	Want func(word string) bool
}

// maxDim and maxLine limit the memory that a defective file can make Load
// allocate.
const (
	maxDim  = 1 << 16
	maxLine = 1 << 20
)

// Load reads the vectors of a file and detects its format.
//
// A file that begins with the bytes 1f 8b is gunzipped first. If the first line
// is two whole numbers, it is word2vec's header "count dim". The data after it
// are binary if the next 4 KiB contain a control character other than tab, line
// feed and carriage return, and text otherwise. Any other first line begins a
// GloVe file, and its numbers determine the width. (Vectors of one dimension
// therefore require a header.) The exception is a first line of numbers alone if
// SENNAWords is in the same folder: then each line is the vector of the word on
// the same line of SENNAWords.
//
// In text, fields are separated by spaces or tabs and read from the right: the
// last Dim fields are numbers, and the rest is the word. As in GloVe 840B, a word
// may contain spaces, but its last field must then not be a number. Blank lines
// are skipped. If a word occurs twice, its first vector counts; words that are
// not valid UTF-8 are dropped. Stats counts both.
//
// Errors are of type *data.Error, with the line or, in binary, the byte offset
// after gunzipping. They report a vector of another width, a value that is not a
// finite float32, a number of words other than in the header, and a truncated
// file. A GloVe file that is truncated within the last number of a line cannot be
// detected.
func Load(path string, opt Options) (*Vectors, error) {
	f, err := bounded.OpenInput(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return read(path, f, opt)
}

func read(path string, r io.Reader, opt Options) (*Vectors, error) {
	in := &input{path: path, Reader: bufio.NewReaderSize(r, maxLine)}
	magic, err := in.Peek(2)
	if err != nil && err != io.EOF {
		return nil, in.fail("cannot be read", err)
	}
	gzipped := bytes.Equal(magic, []byte{0x1f, 0x8b})
	if gzipped {
		z, err := gzip.NewReader(in.Reader)
		if err != nil {
			return nil, in.fail("broken gzip", err)
		}
		in.Reader = bufio.NewReaderSize(z, maxLine)
	}

	first, err := in.nextLine()
	if err == io.EOF {
		return nil, in.fail("no vectors", nil)
	}
	if err != nil {
		return nil, err
	}
	format, count, dim := GloVe, -1, width(first)
	alone := numbers(first)
	if n, d, ok := header(first); ok {
		count, dim, first = n, d, nil
		format = Word2vecText
		if in.binaryFollows() {
			format = Word2vecBinary
		}
	} else if alone > 0 {
		words, err := in.openWords()
		if err != nil {
			return nil, err
		}
		if words != nil {
			defer words.Close()
			if first, err = in.withWord(first, nil); err != nil {
				return nil, err
			}
			format, dim = SENNA, alone
		}
	}
	switch {
	case dim == 0:
		return nil, in.fail(`neither a header "count dim" nor a word and its numbers`, nil)
	case dim > maxDim:
		return nil, in.fail(fmt.Sprintf("vectors of more than %d dimensions", maxDim), nil)
	case opt.Dim > 0 && alone == opt.Dim && format == GloVe:
		return nil, in.fail(fmt.Sprintf("%d numbers without a word: the vectors of SENNA require %s in the same folder", alone, SENNAWords), nil)
	case opt.Dim > 0 && dim != opt.Dim:
		return nil, in.fail(fmt.Sprintf("vectors of %d dimensions where %d are expected", dim, opt.Dim), nil)
	}

	b := newBuilder(dim, opt.Want)
	b.v.stats = Stats{Format: format, Gzipped: gzipped}
	if format == Word2vecBinary {
		err = in.readBinary(b, count)
	} else {
		err = in.readText(b, count, first)
	}
	if err != nil {
		return nil, err
	}
	if b.v.stats.Records == 0 {
		return nil, in.fail("no vectors", nil)
	}
	return b.v, nil
}

// header parses "count dim". Numbers that are too large do not count as a header.
func header(line []byte) (count, dim int, ok bool) {
	fields := bytes.FieldsFunc(line, func(r rune) bool { return r < 0x80 && isSeparator(byte(r)) })
	if len(fields) != 2 {
		return 0, 0, false
	}
	for i, n := range []*int{&count, &dim} {
		u, err := strconv.ParseUint(string(fields[i]), 10, 31)
		if err != nil {
			return 0, 0, false
		}
		*n = int(u)
	}
	return count, dim, true
}

// input is the file being read, with the current position.
type input struct {
	*bufio.Reader
	path   string
	line   int    // number of the last line read, 1-based
	offset int    // number of bytes read
	words  *input // the words of the lines, in another file; nil: they are in this one
	joined []byte // the last line with its word from words
}

func (in *input) fail(reason string, err error) error {
	return &data.Error{Path: in.path, Line: in.line, Offset: -1, Reason: reason, Err: err}
}

func (in *input) binaryFollows() bool {
	ahead, _ := in.Peek(4096) // an error returns when reading
	return bytes.ContainsFunc(ahead, func(r rune) bool {
		return (r < ' ' || r == 0x7f) && r != '\t' && r != '\n' && r != '\r'
	})
}

// nextLine returns the next non-blank line with its word, without its line end
// and the separators before that, or io.EOF. The slice is valid until the next
// read.
func (in *input) nextLine() ([]byte, error) {
	line, err := in.plainLine()
	if in.words == nil {
		return line, err
	}
	return in.withWord(line, err)
}

// plainLine is nextLine for a single file.
func (in *input) plainLine() ([]byte, error) {
	for {
		line, err := in.ReadSlice('\n')
		in.offset += len(line)
		if len(line) > 0 {
			in.line++
		}
		switch {
		case err == io.EOF && len(line) == 0:
			return nil, io.EOF
		case err == bufio.ErrBufferFull:
			return nil, in.fail(fmt.Sprintf("line of more than %d bytes", maxLine), nil)
		case err == io.ErrUnexpectedEOF:
			return nil, in.fail("truncated gzip", nil)
		case err != nil && err != io.EOF:
			return nil, in.fail("cannot be read", err)
		}
		if line = trimRight(line); len(line) > 0 {
			return line, nil
		}
	}
}

// readText reads one vector per line: first line, unless it is nil, and then the
// rest of the file. count is the number in the header, or -1 without a header.
func (in *input) readText(b *builder, count int, line []byte) error {
	for {
		if line == nil {
			var err error
			if line, err = in.nextLine(); err == io.EOF {
				break
			} else if err != nil {
				return err
			}
		}
		if b.v.stats.Records == count {
			return in.fail(fmt.Sprintf("more words than the %d of the header", count), nil)
		}
		row := b.next()
		for i := len(row) - 1; i >= 0; i-- {
			rest, field := cutLast(line)
			if len(rest) == 0 {
				return in.fail(fmt.Sprintf("fewer than %d numbers after the word", len(row)), nil)
			}
			x, ok := parseFloat(field)
			if !ok {
				return in.fail(fmt.Sprintf("field %d from the right is not a finite number, or the width is not %d", len(row)-i, len(row)), nil)
			}
			row[i], line = x, rest
		}
		if rest, field := cutLast(line); len(rest) > 0 {
			if notFinite(field) { // more likely a defective number than the end of a word with several fields
				return in.fail(fmt.Sprintf("field %d from the right is not a finite number, or the width is not %d", len(row)+1, len(row)), nil)
			}
			if _, ok := parseFloat(field); ok {
				return in.fail(fmt.Sprintf("more than %d numbers after the word", len(row)), nil)
			}
		}
		if err := b.add(line); err != nil {
			return in.fail(err.Error(), nil)
		}
		line = nil
	}
	if b.v.stats.Records < count {
		return in.fail(fmt.Sprintf("truncated: %d words where the header says %d", b.v.stats.Records, count), nil)
	}
	return nil
}

// notFinite reports whether a field is a NaN or an infinity.
func notFinite(field []byte) bool {
	x, err := strconv.ParseFloat(string(field), 64)
	return math.IsNaN(x) || math.IsInf(x, 0) && err == nil
}

// width returns the number of numbers at the end of a line, leaving at least one
// field for the word.
func width(line []byte) int {
	n := 0
	for {
		rest, field := cutLast(line)
		if _, ok := parseFloat(field); !ok || len(rest) == 0 {
			return n
		}
		line = rest
		n++
	}
}

// cutLast splits off the last field of a line. The line must not end in
// separators; rest does not either.
func cutLast(line []byte) (rest, field []byte) {
	i := len(line)
	for i > 0 && !isSeparator(line[i-1]) {
		i--
	}
	return trimRight(line[:i]), line[i:]
}

func trimRight(line []byte) []byte {
	for len(line) > 0 && isSeparator(line[len(line)-1]) {
		line = line[:len(line)-1]
	}
	return line
}

func isSeparator(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

// readBinary reads count records: a word, a space, and the vector as
// little-endian float32s. Files of word2vec itself, unlike those of gensim, have
// a line feed after each record.
func (in *input) readBinary(b *builder, count int) error {
	buf := make([]byte, 4*b.v.dim)
	for n := 1; n <= count; n++ {
		fail := func(reason string, err error) error {
			if err == io.EOF || err == io.ErrUnexpectedEOF {
				reason, err = fmt.Sprintf("truncated: the header says %d", count), nil
			}
			return &data.Error{Path: in.path, Offset: in.offset, Reason: fmt.Sprintf("word %d: %s", n, reason), Err: err}
		}
		if err := in.skipLineFeed(); err != nil {
			return fail("cannot be read", err)
		}
		word, err := in.ReadSlice(' ')
		if err == bufio.ErrBufferFull {
			return fail(fmt.Sprintf("of more than %d bytes", maxLine), nil)
		} else if err != nil {
			return fail("cannot be read", err)
		}
		word = bytes.Clone(word[:len(word)-1])
		if len(word) == 0 {
			return fail("empty", nil)
		}
		in.offset += len(word) + 1
		if _, err := io.ReadFull(in, buf); err != nil {
			return fail("cannot be read", err)
		}
		row := b.next()
		for i := range row {
			row[i] = math.Float32frombits(binary.LittleEndian.Uint32(buf[4*i:]))
			if x := float64(row[i]); math.IsNaN(x) || math.IsInf(x, 0) {
				in.offset += 4 * i
				return fail(fmt.Sprintf("value %d is not a finite number", i+1), nil)
			}
		}
		in.offset += len(buf)
		if err := b.add(word); err != nil {
			return fail(err.Error(), nil)
		}
	}
	err := in.skipLineFeed()
	if err == nil {
		_, err = in.ReadByte()
	}
	switch err {
	case io.EOF:
		return nil
	case nil:
		return &data.Error{Path: in.path, Offset: in.offset, Reason: fmt.Sprintf("more data after the %d words of the header", count)}
	}
	return &data.Error{Path: in.path, Offset: in.offset, Reason: "cannot be read", Err: err}
}

func (in *input) skipLineFeed() error {
	c, err := in.ReadByte()
	if err != nil {
		return err
	}
	if c != '\n' {
		return in.UnreadByte()
	}
	in.offset++
	return nil
}
