package models

import (
	"io/fs"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/sync/errgroup"

	"github.com/lethe-deid/lethe/checkpoints"
	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/language"
	"github.com/lethe-deid/lethe/data/tokenize"
	"github.com/lethe-deid/lethe/internal/bounded"
	"github.com/lethe-deid/lethe/internal/intern"
	"github.com/lethe-deid/lethe/internal/recent"
)

// vocabularies have the words of the networks of the models that come with the program, and tell how frequent a word is in each language. They are
// read without opening the models, which takes ten times as long.
type vocabularies struct {
	languages []language.Language // sorted
	words     *intern.Table
	surprises []float32 // by the number of each word, 0 for all others, and by language: the logarithm of 1 / its probability, in nats, plus a constant
	memory    sync.Pool // of *recent.Words[[2]uint32]
}

// offset is added to ranks, because the most frequent words are less frequent than Zipf's law says (Mandelbrot 1953).
const offset = 30

// readVocabularies reads the vocabularies of the models that come with the program, side by side. In each, the words of the notes that the network was trained
// on come first, the most frequent one at the beginning, and then those that only have vectors, likewise. By Zipf's law, the probability of a word
// is inversely proportional to its rank. One that is not in the vocabulary is taken to be as improbable as one of twice the last rank.
func readVocabularies(names []string) (*vocabularies, error) {
	names = slices.Sorted(slices.Values(names))
	words := make([][]string, len(names))
	var reading errgroup.Group
	for i, name := range names {
		reading.Go(func() (err error) {
			words[i], err = wordsOf(bounded.Builtin(name))
			return err
		})
	}
	if err := reading.Wait(); err != nil {
		return nil, err
	}
	v := &vocabularies{words: intern.New()}
	v.memory.New = func() any { return recent.New[[2]uint32]() }
	surprise := func(rank int) float32 { return float32(math.Log(float64(rank + offset))) }
	for i, of := range words {
		v.languages = append(v.languages, language.Language(names[i]))
		v.surprises = append(v.surprises, surprise(2*len(of)))
	}
	for i, of := range words {
		for rank, w := range of {
			n, err := v.words.Add(w)
			if err != nil {
				return nil, err
			}
			if int(n)*len(names) == len(v.surprises) { // it is new
				v.surprises = append(v.surprises, v.of(0)...)
			}
			v.of(n)[i] = surprise(rank)
		}
	}
	return v, nil
}

// of returns the surprises of a word by its number.
func (v *vocabularies) of(n uint32) []float32 {
	k := len(v.languages)
	return v.surprises[int(n)*k:][:k]
}

// wordsOf returns the words of the network in a model folder.
func wordsOf(dir string) (words []string, err error) {
	err = bounded.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.Name() != checkpoints.TokenizerFile {
			return err
		}
		words, err = checkpoints.Tokens(filepath.Dir(path))
		return err
	})
	return words, err
}

// find returns the numbers of a word, as it is written and in lower case.
func (v *vocabularies) find(word string, known *recent.Words[[2]uint32]) [2]uint32 {
	place, ok := known.At(word)
	if ok {
		return *place
	}
	found := [2]uint32{v.words.Find(word), v.words.Find(strings.ToLower(word))}
	if place != nil {
		*place = found
	}
	return found
}

// each calls do with the least surprise of each word of at least two letters, by language. Words of mail addresses tell no language.
func (v *vocabularies) each(text string, do func(word string, surprises []float32)) {
	known := v.memory.Get().(*recent.Words[[2]uint32])
	defer v.memory.Put(known)
	memory := tokenMemory.Get().(*[]data.Token)
	defer tokenMemory.Put(memory)
	*memory = tokenize.LettersDigits{}.Tokens(text, (*memory)[:0])
	mail := strings.Contains(text, "@")
	run, address := 0, false // where the characters without a blank around the token end, and whether an @ is among them
	least := make([]float32, len(v.languages))
	for _, t := range *memory {
		word := text[t.Start:t.End]
		if first, size := utf8.DecodeRuneInString(word); size == len(word) || !unicode.IsLetter(first) {
			continue
		}
		if mail && t.Start >= run {
			run, address = addressAround(text, t.Start, run)
		}
		if address {
			continue
		}
		numbers := v.find(word, known)
		written, lower := v.of(numbers[0]), v.of(numbers[1])
		for i := range least {
			least[i] = min(written[i], lower[i])
		}
		do(word, least)
	}
}

// addressAround returns where the characters without a blank around a place end, and whether there is an @ among them. They do not begin before from.
func addressAround(text string, at, from int) (end int, found bool) {
	start := from + strings.LastIndexFunc(text[from:at], unicode.IsSpace) + 1
	end = len(text)
	if n := strings.IndexFunc(text[at:], unicode.IsSpace); n >= 0 {
		end = at + n
	}
	return end, strings.Contains(text[start:end], "@")
}

// likeliest returns the languages in which the words of a text are the most probable, sorted: one, or several in which they are less probable by at most
// clearly, in nats.
func (v *vocabularies) likeliest(text string, clearly float64) []language.Language {
	sums := make([]float64, len(v.languages))
	v.each(text, func(_ string, surprises []float32) {
		for i, s := range surprises {
			sums[i] += float64(s)
		}
	})
	var best []language.Language
	for i, l := range v.languages {
		if sums[i] <= slices.Min(sums)+clearly {
			best = append(best, l)
		}
	}
	return best
}

// How much more probable the words must be in a language for another one to be ruled out, in nats: those of a note, and those of a part of it if the
// function words of the part, or other parts, tell another language. In a part of a line or two, one odd abbreviation must not decide.
const clearly, against = 0.5, 6

// knows reports whether the network of a language knows most words of a text.
func (v *vocabularies) knows(text string) bool {
	known, words := make([]int, len(v.languages)), 0
	v.each(text, func(word string, surprises []float32) {
		if utf8.RuneCountInString(word) < fewLetters {
			return
		}
		words++
		for i, s := range surprises {
			if s < v.of(0)[i] {
				known[i]++
			}
		}
	})
	return words > 0 && float64(slices.Max(known)) >= enough*float64(words)
}

// enough is the share of the words of a text that a network must know for the text not to be in a language without a model, whose
// function words can be English or Spanish ones, or abbreviations: OS and OU are eyes. Of notes in these languages, it knows about half at most.
const enough = 0.65
