package embeddings

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"

	"github.com/lethe-deid/lethe/internal/bounded"
)

// SENNAWords is the name of the file with the words of SENNA's vectors. SENNA
// (Collobert et al. 2011) has two files: the vectors in embeddings.txt, with one
// line of numbers per word, and the words, in the same order, beside it.
const SENNAWords = "words.lst"

// openWords opens SENNAWords beside the file as in.words. It returns nil if there
// is no such file.
func (in *input) openWords() (io.Closer, error) {
	path := filepath.Join(filepath.Dir(in.path), SENNAWords)
	f, err := bounded.OpenInput(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	in.words = &input{path: path, Reader: bufio.NewReaderSize(f, maxLine)}
	return f, nil
}

// withWord puts the next word of in.words before a line of numbers. err is what
// reading the line returned.
func (in *input) withWord(line []byte, err error) ([]byte, error) {
	if err != nil && err != io.EOF {
		return nil, err
	}
	word, wordErr := in.words.plainLine()
	switch {
	case wordErr != nil && wordErr != io.EOF:
		return nil, wordErr
	case err == io.EOF && wordErr == io.EOF:
		return nil, io.EOF
	case err == io.EOF:
		return nil, in.words.fail(fmt.Sprintf("a word without a vector: %s ends at line %d", filepath.Base(in.path), in.line), nil)
	case wordErr == io.EOF:
		return nil, in.fail(fmt.Sprintf("a vector without a word: %s ends at line %d", SENNAWords, in.words.line), nil)
	}
	in.joined = append(append(append(in.joined[:0], word...), ' '), line...)
	return in.joined, nil
}

// numbers returns the number of fields of a line if all are numbers, else 0.
func numbers(line []byte) int {
	n := 0
	for len(line) > 0 {
		rest, field := cutLast(line)
		if _, ok := parseFloat(field); !ok {
			return 0
		}
		line = rest
		n++
	}
	return n
}
