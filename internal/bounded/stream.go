package bounded

import (
	"bufio"
	"errors"
	"fmt"
	"io"
)

// MaxNote is the largest size, in bytes, of what is held in memory as one note: a file
// of a single note, or a line or document of a file of many.
const MaxNote = 64 << 20

// MaxModel is the largest size, in bytes, of a file that a program writes and that is
// held in memory, such as a part of a model.
const MaxModel = 1 << 30

// ErrTooLarge is the error of a stream that goes on beyond its limit.
var ErrTooLarge = errors.New("it is too large")

// ReadAll reads a stream of at most limit bytes.
func ReadAll(r io.Reader, limit int64) ([]byte, error) {
	raw, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err == nil && int64(len(raw)) > limit {
		return nil, tooLarge(limit)
	}
	return raw, err
}

// ReadLine reads up to the next line feed, which is part of the line, as r.ReadBytes
// does. A line of more than limit bytes is an error.
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
