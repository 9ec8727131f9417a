package models

import (
	"io/fs"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/sync/errgroup"

	"github.com/lethe-deid/lethe/checkpoints"
	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/fold"
	"github.com/lethe-deid/lethe/data/language"
	"github.com/lethe-deid/lethe/embeddings"
	"github.com/lethe-deid/lethe/internal/bounded"
)

// A vocabulary has the words of the networks of a model that comes with the program, and tells how probable the spelling of a word is among them: a
// model of three letters in a row, with each different word counted once. It is read without opening the model, which takes ten times as long.
type vocabulary struct {
	words   map[string]bool
	triples map[[3]rune]float64
	pairs   map[[2]rune]float64
}

// readVocabularies reads the vocabularies of the models that come with the program, side by side.
func readVocabularies(names []string) (map[language.Language]*vocabulary, error) {
	all := map[language.Language]*vocabulary{}
	var reading errgroup.Group
	for _, name := range names {
		v := &vocabulary{map[string]bool{}, map[[3]rune]float64{}, map[[2]rune]float64{}}
		all[language.Language(name)] = v
		reading.Go(func() error { return v.read(bounded.Builtin(name)) })
	}
	return all, reading.Wait()
}

// read adds the words of the networks in a model folder.
func (v *vocabulary) read(dir string) error {
	return bounded.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.Name() != checkpoints.TokenizerFile {
			return err
		}
		tokens, err := checkpoints.Tokens(filepath.Dir(path))
		for _, w := range tokens {
			if !v.words[w] {
				v.words[w] = true
				each(w, func(t [3]rune) {
					v.triples[t]++
					v.pairs[[2]rune{t[0], t[1]}]++
				})
			}
		}
		return err
	})
}

// Knows reports whether a word, as it is written or in lower case, is in the vocabulary.
func (v *vocabulary) Knows(word string) bool {
	return slices.ContainsFunc(embeddings.Cascade{Lowercase: true}.Forms(word), func(form string) bool { return v.words[form] })
}

// spelled returns the logarithm of the probability of the words of a text, in nats.
func (v *vocabulary) spelled(text string, tokens []data.Token) (sum float64) {
	const alphabet = 27
	for _, token := range tokens {
		each(text[token.Start:token.End], func(t [3]rune) {
			sum += math.Log((v.triples[t] + 0.1) / (v.pairs[[2]rune{t[0], t[1]}] + 0.1*alphabet))
		})
	}
	return sum
}

// each calls do with the triples of a word, which begins and ends with spaces. Case counts as much as accents do: not at all.
// Words with other characters than letters, or of fewer than three, have none.
func each(word string, do func([3]rune)) {
	if utf8.RuneCountInString(word) < 3 || strings.ContainsFunc(word, func(r rune) bool { return !unicode.IsLetter(r) }) {
		return
	}
	t := [3]rune{' ', ' ', ' '}
	for _, r := range fold.Fold(word) + " " {
		t = [3]rune{t[1], t[2], r}
		do(t)
	}
}
