// Package embeddings reads and writes word vectors: GloVe text, word2vec text and
// word2vec binary, plain or gzipped. It also reads the two files of SENNA. When
// reading, it detects the format from the content, never from the file's name; see
// Load. Package learn trains vectors.
//
// A table of 400,000 words with 100 dimensions requires 160 MB for the float32
// values and about 16 MB for the words and their index.
package embeddings

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/internal/intern"
)

// Vectors is a table of words and their vectors, in the order of the file.
// It is read-only and safe for concurrent use.
type Vectors struct {
	dim    int
	blocks [][]float32   // rowsIn(dim) rows each, so that loading never copies
	words  *intern.Table // word number i+1 is of row i
	stats  Stats
}

// Stats describes the contents of a file.
type Stats struct {
	Format     Format
	Gzipped    bool
	Records    int // words in the file, whether kept or not
	Duplicates int // repetitions of kept words; the first vector counts
	Invalid    int // words that are not UTF-8, which no note can contain; dropped
}

// Format is a file format of word vectors.
type Format string

// The supported formats.
const (
	GloVe          Format = "glove"           // one word and its numbers per line
	Word2vecText   Format = "word2vec-text"   // the same after a line "count dim"
	Word2vecBinary Format = "word2vec-binary" // "count dim", then words and little-endian float32s
	SENNA          Format = "senna"           // the numbers of one word per line, and the words in SENNAWords; read-only
)

// Len returns the number of words kept.
func (v *Vectors) Len() int { return v.words.Len() }

// Dim returns the width of the vectors.
func (v *Vectors) Dim() int { return v.dim }

// Stats returns the statistics of the file that the vectors were loaded from.
func (v *Vectors) Stats() Stats { return v.stats }

// Word returns the word of row i.
func (v *Vectors) Word(i int) string { return v.words.String(uint32(i + 1)) }

// Row returns the vector of row i, of length Dim. It is part of the table; the
// caller must not modify it.
func (v *Vectors) Row(i int) []float32 {
	n := rowsIn(v.dim)
	start := i % n * v.dim
	return v.blocks[i/n][start : start+v.dim : start+v.dim]
}

// Index returns the row of a word in exactly this spelling. ok is false if there
// is none.
func (v *Vectors) Index(word string) (row int, ok bool) {
	row = int(v.words.Find(word)) - 1
	return row, row >= 0
}

// Cascade selects the alternative spellings to try for a word without a vector.
// The zero value allows exact matches only.
type Cascade struct {
	Lowercase  bool // try the word in lower case (Unicode's simple mapping)
	ZeroDigits bool // try the word with every decimal digit replaced by 0 and, if both flags are set, this in lower case, too
}

// Lookup returns the row of a word: exact, else in lower case, else with digits
// as zeros, else with both, as far as c allows. The order is that of NeuroNER
// (Dernoncourt et al. 2017). If there is none, row is -1 and ok is false.
func (v *Vectors) Lookup(word string, c Cascade) (row int, ok bool) {
	for _, form := range c.Forms(word) {
		if row, ok := v.Index(form); ok {
			return row, true
		}
	}
	return -1, false
}

// Wanted returns a filter for Options.Want that keeps every row that Lookup could
// return for one of the words.
func Wanted(words []string, c Cascade) func(word string) bool {
	set := make(map[string]struct{}, len(words))
	for _, w := range words {
		for _, form := range c.Forms(w) {
			set[form] = struct{}{}
		}
	}
	return func(word string) bool { _, ok := set[word]; return ok }
}

// Forms returns the spellings to try, in order. The first is the word itself.
func (c Cascade) Forms(word string) []string {
	forms := append(make([]string, 0, 4), word)
	lower := word
	if c.Lowercase {
		lower = strings.ToLower(word)
		forms = append(forms, lower)
	}
	if c.ZeroDigits {
		forms = append(forms, ZeroDigits(word))
		if c.Lowercase {
			forms = append(forms, ZeroDigits(lower))
		}
	}
	return forms
}

// ZeroDigits replaces every decimal digit by 0.
func ZeroDigits(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return '0'
		}
		return r
	}, s)
}

// blockFloats is the number of floats in a block: 1 MiB, or one row if that is
// larger.
const blockFloats = 1 << 18

func rowsIn(dim int) int { return max(1, blockFloats/dim) }

// builder builds Vectors. The caller writes the row that next returns, and add
// keeps it or not.
type builder struct {
	v    *Vectors
	want func(string) bool
}

func newBuilder(dim int, want func(string) bool) *builder {
	return &builder{v: &Vectors{dim: dim, words: intern.New()}, want: want}
}

// next returns the row after the last one kept.
func (b *builder) next() []float32 {
	if b.v.Len() == len(b.v.blocks)*rowsIn(b.v.dim) {
		b.v.blocks = append(b.v.blocks, make([]float32, rowsIn(b.v.dim)*b.v.dim))
	}
	return b.v.Row(b.v.Len())
}

// add assigns the word to the row that next returned, and keeps it if the word is
// new, wanted and valid UTF-8.
func (b *builder) add(word []byte) error {
	v := b.v
	v.stats.Records++
	w := string(word)
	if !utf8.ValidString(w) {
		v.stats.Invalid++
		return nil
	}
	if b.want != nil && !b.want(w) {
		return nil
	}
	before := v.Len()
	if _, err := v.words.Add(w); err != nil {
		return err
	}
	if v.Len() == before {
		v.stats.Duplicates++
	}
	return nil
}
