package bounded

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
)

// MaxNote is the maximum size, in bytes, of input that is held in memory as one
// note: a file with a single note, or a line or document of a file with many.
const MaxNote = 64 << 20

// MaxModel is the maximum size, in bytes, of a file that a program writes and
// that is held in memory, such as a part of a model.
const MaxModel = 1 << 30

// ErrTooLarge is the error for input that exceeds its limit.
var ErrTooLarge = errors.New("it is too large")

// ReadAll reads a stream to its end. It returns ErrTooLarge after more than limit
// bytes.
func ReadAll(r io.Reader, limit int64) ([]byte, error) {
	raw, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err == nil && int64(len(raw)) > limit {
		return nil, tooLarge(limit)
	}
	return raw, err
}

// Gunzip decompresses the stream if its first two bytes are those of gzip, with
// which no text in UTF-8 begins. Otherwise it returns the stream unchanged.
func Gunzip(r io.Reader) (io.Reader, error) {
	in := bufio.NewReaderSize(r, 1<<14)
	if magic, _ := in.Peek(2); !bytes.Equal(magic, []byte{0x1f, 0x8b}) { // an error returns when reading
		return in, nil
	}
	return gzip.NewReader(in)
}

// ReadLine reads up to and including the next line feed, like r.ReadBytes. It
// returns ErrTooLarge for a line of more than limit bytes.
func ReadLine(r *bufio.Reader, limit int) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		if len(line)+len(part) > limit {
			return nil, tooLarge(int64(limit))
		}
		line = append(line, part...)
		if err != bufio.ErrBufferFull {
			return line, err
		}
	}
}

func tooLarge(limit int64) error { return fmt.Errorf("%w: the limit is %s", ErrTooLarge, size(limit)) }
