// Package embeddings reads and writes word vectors: GloVe text, word2vec text
// and word2vec binary, each plain or gzipped. The format of a file that is read
// is found from its content, never from its name; see Load. Package learn, below,
// trains vectors.
//
// A table of 400,000 words of 100 dimensions takes the memory of its floats
// (160 MB) and about 9 MB for the words and their index.
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
	blocks [][]float32   // rowsIn(dim) rows each, so that loading never copies what it has read
	words  *intern.Table // word number i+1 is of row i
	stats  Stats
}

// Stats says what a file held.
type Stats struct {
	Format     Format
	Gzipped    bool
	Records    int // words in the file, whether kept or not
	Duplicates int // kept words met again; the first one counts
	Invalid    int // words that are not UTF-8, which no note can hold; dropped
}

// Format is a layout of word vectors.
type Format string

// The formats that Load knows.
const (
	GloVe          Format = "glove"           // a word and its numbers a line
	Word2vecText   Format = "word2vec-text"   // the same after a line "count dim"
	Word2vecBinary Format = "word2vec-binary" // "count dim", then words and little-endian float32s
)

// Len is the number of words kept.
func (v *Vectors) Len() int { return v.words.Len() }

// Dim is the width of every vector.
func (v *Vectors) Dim() int { return v.dim }

// Stats says what the file held.
func (v *Vectors) Stats() Stats { return v.stats }

// Word returns the word of row i.
func (v *Vectors) Word(i int) string { return v.words.String(uint32(i + 1)) }

// Row returns the vector of row i. It is a part of the table: do not write.
func (v *Vectors) Row(i int) []float32 {
	n := rowsIn(v.dim)
	start := i % n * v.dim
	return v.blocks[i/n][start : start+v.dim : start+v.dim]
}

// Index finds the row of exactly this word.
func (v *Vectors) Index(word string) (row int, ok bool) {
	row = int(v.words.Find(word)) - 1
	return row, row >= 0
}

// Cascade is how a word that the table lacks is looked for in other spellings.
// The zero value knows exact matches only.
type Cascade struct {
	Lowercase  bool // try the word in lower case (Unicode's simple mapping)
	ZeroDigits bool // try the word with 0 for every decimal digit, and for both flags: so in lower case
}

// Lookup finds the row for a word: exact, then in lower case, then with digits
// as zeros, then both. The order is that of NeuroNER (Dernoncourt et al. 2017).
// When ok is false, row is -1.
func (v *Vectors) Lookup(word string, c Cascade) (row int, ok bool) {
	for _, form := range c.Forms(word) {
		if row, ok := v.Index(form); ok {
			return row, true
		}
	}
	return -1, false
}

// Wanted returns a filter for Options.Want that keeps every row which Lookup
// could choose for one of the words.
func Wanted(words []string, c Cascade) func(word string) bool {
	set := make(map[string]struct{}, len(words))
	for _, w := range words {
		for _, form := range c.Forms(w) {
			set[form] = struct{}{}
		}
	}
	return func(word string) bool { _, ok := set[word]; return ok }
}

// Forms lists the spellings to try, in order: the word itself first.
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

// blockFloats is the size of a block: 1 MiB, or one row where that is more.
const blockFloats = 1 << 18

func rowsIn(dim int) int { return max(1, blockFloats/dim) }

// builder fills Vectors: the row that next returns is written, then add keeps
// it or not.
type builder struct {
	v    *Vectors
	want func(string) bool
}

func newBuilder(dim int, want func(string) bool) *builder {
	return &builder{v: &Vectors{dim: dim, words: intern.New()}, want: want}
}

// next is the row after the last one kept.
func (b *builder) next() []float32 {
	if b.v.Len() == len(b.v.blocks)*rowsIn(b.v.dim) {
		b.v.blocks = append(b.v.blocks, make([]float32, rowsIn(b.v.dim)*b.v.dim))
	}
	return b.v.Row(b.v.Len())
}

// add names the row that next returned, and keeps it if the word is new, wanted
// and valid UTF-8.
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
