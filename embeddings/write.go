package embeddings

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/lethe-deid/lethe/embeddings/internal/whole"
	"github.com/lethe-deid/lethe/internal/counted"
)

// New returns a table of words and their vectors: values[i*dim:(i+1)*dim] is the
// vector of words[i]. It panics if a word is not UTF-8 or occurs twice.
func New(words []string, dim int, values []float32) *Vectors {
	b := newBuilder(dim, nil)
	for i, w := range words {
		copy(b.next(), values[i*dim:(i+1)*dim])
		if err := b.add([]byte(w)); err != nil {
			panic("embeddings: " + err.Error())
		}
	}
	if b.v.Len() < len(words) {
		panic("embeddings: a word is not UTF-8, or a duplicate")
	}
	return b.v
}

// Formats returns the formats that can be written.
func Formats() []Format { return []Format{GloVe, Word2vecText, Word2vecBinary} }

// FormatOf returns the format in which to write a file, by its name: word2vec
// binary for x.bin and x.bin.gz, else word2vec text.
func FormatOf(path string) Format {
	if strings.HasSuffix(strings.TrimSuffix(path, ".gz"), ".bin") {
		return Word2vecBinary
	}
	return Word2vecText
}

// File is a file of vectors that is being written. It is hidden next to its path
// until Save.
type File struct {
	format Format
	file   *whole.File
}

// Create creates a File, and its folder if necessary. If the path ends in .gz,
// the file is gzipped.
func Create(path string, format Format) (*File, error) {
	if !slices.Contains(Formats(), format) {
		return nil, fmt.Errorf("no vector format %q (have %s)", format, counted.List(Formats()))
	}
	f, err := whole.Create(path)
	if err != nil {
		return nil, err
	}
	return &File{format, f}, nil
}

// Save writes the vectors and moves the file to its path.
func (f *File) Save(v *Vectors) error {
	return f.file.Write(func(w io.Writer) error { return v.write(w, f.format) })
}

// Abort removes the file if it has not been saved. After Save it does nothing.
func (f *File) Abort() error { return f.file.Abort() }

// write writes the vectors so that Load reads the same bits. In text, numbers
// have as many digits as that requires.
func (v *Vectors) write(out io.Writer, format Format) error {
	if format != GloVe {
		if _, err := fmt.Fprintf(out, "%d %d\n", v.Len(), v.Dim()); err != nil {
			return err
		}
	}
	var buf []byte
	for i := range v.Len() {
		buf = append(buf[:0], v.Word(i)...)
		if format == Word2vecBinary {
			buf = append(buf, ' ')
		}
		for _, x := range v.Row(i) {
			if format == Word2vecBinary {
				buf = binary.LittleEndian.AppendUint32(buf, math.Float32bits(x))
			} else {
				buf = strconv.AppendFloat(append(buf, ' '), float64(x), 'g', -1, 32)
			}
		}
		if _, err := out.Write(append(buf, '\n')); err != nil {
			return err
		}
	}
	return nil
}
