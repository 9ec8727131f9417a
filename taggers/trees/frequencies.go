package trees

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/tokenize"
	"github.com/lethe-deid/lethe/internal/bounded"
)

// A model keeps the words that occur at least minFrequency times, at most maxFrequencies
// of them, so that the ratios are reliable and the file is small.
const (
	minFrequency   = 5
	maxFrequencies = 200_000
)

// frequencies is the counts of words in plain text ("Frequency information").
type frequencies struct {
	tokens uint64              // number of words in the text
	words  map[string]wordUses // by word in lower case
}

// wordUses is how often a word occurs in three forms.
type wordUses struct {
	all     uint32
	capital uint32 // with an initial capital
	begins  uint32 // of these, at the beginning of a sentence
}

// readFrequencies counts the words of files, which may be gzipped. The line ends of a
// file are ends of sentences.
func readFrequencies(paths []string) (*frequencies, error) {
	f := &frequencies{words: map[string]wordUses{}}
	for _, path := range paths {
		if err := f.read(path); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	if f.tokens == 0 {
		return nil, errors.New("the text contains no words")
	}
	f.prune()
	return f, nil
}

func (f *frequencies) read(path string) error {
	file, err := bounded.OpenInput(path)
	if err != nil {
		return err
	}
	defer file.Close()
	in, err := bounded.Gunzip(file)
	if err != nil {
		return err
	}
	lines := bufio.NewReaderSize(in, 1<<16)
	var tokens []data.Token
	for {
		raw, err := bounded.ReadLine(lines, bounded.MaxNote)
		if err != nil && err != io.EOF {
			return err
		}
		line := string(raw)
		if !utf8.ValidString(line) || strings.Contains(line, "\x00") {
			return errors.New("not plain text in UTF-8")
		}
		tokens = tokenize.LettersDigits{}.Tokens(line, tokens[:0])
		f.add(line, tokens)
		if err == io.EOF {
			return nil
		}
	}
}

func (f *frequencies) add(line string, tokens []data.Token) {
	begins := true
	for _, tok := range tokens {
		w := line[tok.Start:tok.End]
		r, _ := utf8.DecodeRuneInString(w)
		if !unicode.IsLetter(r) {
			begins = begins && w != "," || w == "." || w == "?" || w == "!"
			continue
		}
		f.tokens++
		if len(w) <= maxWord {
			lower := strings.ToLower(w)
			n, ok := f.words[lower]
			if !ok {
				lower = strings.Clone(lower)
			}
			n.all++
			if unicode.IsUpper(r) {
				n.capital++
				if begins {
					n.begins++
				}
			}
			f.words[lower] = n
		}
		begins = false
	}
}

// prune keeps the most frequent words, of equally frequent ones the first by name.
func (f *frequencies) prune() {
	words := sortedKeys(f.words)
	slices.SortStableFunc(words, func(a, b string) int { return cmp.Compare(f.words[b].all, f.words[a].all) })
	for i, w := range words {
		if i >= maxFrequencies || f.words[w].all < minFrequency {
			delete(f.words, w)
		}
	}
}

// properties returns the frequency of a word per million, as a logarithm; the share of
// its occurrences that are capitalised; and the share of these that begin a sentence. A
// word that the text does not have has -1 for all three.
func (f *frequencies) properties() []property {
	of := func(name string, value func(n wordUses) float64) property {
		return numeric(name, 1, -1, func(x *stretch, t int) float32 {
			w := x.words[t]
			if len(w) > maxWord {
				return -1
			}
			n, ok := f.words[strings.ToLower(w)]
			if !ok {
				return -1
			}
			return float32(value(n))
		})
	}
	return []property{
		of("frequency", func(n wordUses) float64 { return math.Log10(1 + 1e6*float64(n.all)/float64(f.tokens)) }),
		of("capitalised", func(n wordUses) float64 { return float64(n.capital) / float64(n.all) }),
		of("begins sentences", func(n wordUses) float64 { return float64(n.begins) / float64(max(1, n.capital)) }),
	}
}

// frequenciesMagic begins the file of frequencies: the kind of file, and the version of
// its format. Then follow numbers as varints, and each word after its length.
const frequenciesMagic = "lethe frequencies 1\n"

func (f *frequencies) encode() []byte {
	raw := binary.AppendUvarint([]byte(frequenciesMagic), f.tokens)
	raw = binary.AppendUvarint(raw, uint64(len(f.words)))
	for _, w := range sortedKeys(f.words) {
		n := f.words[w]
		raw = binary.AppendUvarint(raw, uint64(len(w)))
		raw = append(raw, w...)
		for _, n := range []uint32{n.all, n.capital, n.begins} {
			raw = binary.AppendUvarint(raw, uint64(n))
		}
	}
	return raw
}

var errFrequencies = errors.New("not a file of frequencies of this version, or damaged")

func decodeFrequencies(raw []byte) (*frequencies, error) {
	rest, ok := strings.CutPrefix(string(raw), frequenciesMagic)
	if !ok {
		return nil, errFrequencies
	}
	broken := false
	next := func() uint64 {
		n, size := binary.Uvarint([]byte(rest[:min(len(rest), binary.MaxVarintLen64)]))
		if size <= 0 {
			broken = true
			return 0
		}
		rest = rest[size:]
		return n
	}
	f := &frequencies{tokens: next(), words: map[string]wordUses{}}
	for range min(next(), maxFrequencies) {
		size := next()
		if broken || size > uint64(len(rest)) {
			return nil, errFrequencies
		}
		w := rest[:size]
		rest = rest[size:]
		n := wordUses{uint32(next()), uint32(next()), uint32(next())}
		if n.all == 0 || n.capital > n.all || n.begins > n.capital {
			return nil, errFrequencies
		}
		f.words[w] = n
	}
	if broken || rest != "" || f.tokens == 0 {
		return nil, errFrequencies
	}
	return f, nil
}
