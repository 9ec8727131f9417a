package models

import (
	"math"
	"slices"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/language"
	"github.com/lethe-deid/lethe/data/tokenize"
	"github.com/lethe-deid/lethe/internal/recent"
	"github.com/lethe-deid/lethe/taggers/operating"
	"github.com/lethe-deid/lethe/taggers/system"
)

// The ways in which a note can be unlike those that a model was calibrated on.
const (
	UnknownWords = "unknown words" // many words that the network has no vector for
	LowScores    = "low scores"    // the model is unsure of the spans that it finds
	ManySpans    = "many spans"    // for its length
	Length       = "length"
	Script       = "script" // many letters of other alphabets than the Latin one
)

const (
	// fewTokens is the length below which shares of a note's tokens say little.
	fewTokens = 50
	// fewSpans is the number of spans below which their mean score says little.
	fewSpans = 3
	// likely is the minimum score of the spans that are measured. A lower threshold adds less likely ones.
	likely = 0.5
	// maxScript is the largest usual share of letters that are not Latin.
	maxScript = 0.1
	// slack is how far beyond the notes of the calibration a note must be to count as unlike them.
	slack = 1.5
)

// Unlike returns the ways in which a note is unlike those that the model was calibrated on, given the
// spans that the model found in it. On such notes, nothing that was measured in the calibration can
// be relied on. It returns nil for a model that was not calibrated. The model Auto compares
// the note with those of its first language.
func (m *Model) Unlike(text string, found []data.Span) []string {
	if m.members != nil {
		first, err := m.members[language.Language(m.Languages(text)[0])]()
		if err != nil {
			return nil
		}
		return first.Unlike(text, found)
	}
	m.usualOnce.Do(func() {
		if curve, err := OperatingPoints(m.Dir); err == nil {
			m.usual = curve.Usual
		}
	})
	if m.usual == nil {
		return nil
	}
	is := m.measure(text, found)
	var ways []string
	for _, c := range []struct {
		way         string
		is, usually float64
	}{
		{UnknownWords, is.Unknown, m.usual.Unknown}, {LowScores, is.Doubt, m.usual.Doubt}, {ManySpans, is.Spans, m.usual.Spans}, {Length, is.Tokens, m.usual.Tokens},
	} {
		if c.is > slack*c.usually {
			ways = append(ways, c.way)
		}
	}
	if notLatin(text) > maxScript {
		ways = append(ways, Script)
	}
	return ways
}

// tokenMemory is for the tokens of a note.
var tokenMemory = sync.Pool{New: func() any { return new([]data.Token) }}

// measure measures a note. What a short note says little about is 0.
func (m *Model) measure(text string, found []data.Span) operating.Usual {
	found = slices.DeleteFunc(slices.Clone(found), func(s data.Span) bool { return s.Score < likely })
	memory := tokenMemory.Get().(*[]data.Token)
	defer tokenMemory.Put(memory)
	tokens := tokenize.LettersDigits{}.Tokens(text, (*memory)[:0])
	*memory = tokens
	is := operating.Usual{Tokens: float64(len(tokens))}
	if len(tokens) >= fewTokens {
		is.Spans = 1000 * float64(len(found)) / float64(len(tokens))
		is.Unknown = m.unknown(text, tokens, found)
	}
	if len(found) >= fewSpans {
		for _, s := range found {
			is.Doubt += (1 - s.Score) / float64(len(found))
		}
	}
	return is
}

// unknown returns the share of words of at least four letters outside of the spans that the model's
// first network has no vector for, or 0 if it has no network.
func (m *Model) unknown(text string, tokens []data.Token, found []data.Span) float64 {
	for _, leaf := range system.Leaves(m.Tagger) {
		if network, ok := leaf.(lexicon); ok {
			memory, ok := m.known.Get().(*recent.Words[bool])
			if !ok {
				memory = recent.New[bool]()
			}
			defer m.known.Put(memory)
			known, words := countKnown(network, memory, text, tokens, found)
			return float64(words-known) / math.Max(1, float64(words))
		}
	}
	return 0
}

// A lexicon knows some words.
type lexicon interface{ Knows(word string) bool }

// fewLetters is the number of letters that a word must have to say anything.
const fewLetters = 4

// countKnown counts the words of at least four letters outside of the spans, and those of them that a lexicon knows.
func countKnown(by lexicon, memory *recent.Words[bool], text string, tokens []data.Token, found []data.Span) (known, words int) {
	for _, t := range tokens {
		word := text[t.Start:t.End]
		if first, _ := utf8.DecodeRuneInString(word); !unicode.IsLetter(first) || utf8.RuneCountInString(word) < fewLetters {
			continue
		}
		if from, to := data.Overlapping(found, data.Span{Start: t.Start, End: t.End}); from < to {
			continue
		}
		words++
		place, ok := memory.At(word)
		knows := ok && *place || !ok && by.Knows(word)
		if place != nil {
			*place = knows
		}
		if knows {
			known++
		}
	}
	return known, words
}

// usualOf returns the measures that only one in a hundred of the notes exceeds.
func (m *Model) usualOf(docs []*data.Document, found [][]data.Span) *operating.Usual {
	var all [4][]float64
	for i, d := range docs {
		is := m.measure(d.Text, found[i])
		for k, x := range []float64{is.Unknown, is.Doubt, is.Spans, is.Tokens} {
			all[k] = append(all[k], x)
		}
	}
	limit := func(k int) float64 {
		slices.Sort(all[k])
		return all[k][len(all[k])*99/100]
	}
	return &operating.Usual{Unknown: limit(0), Doubt: limit(1), Spans: limit(2), Tokens: limit(3)}
}

// notLatin returns the share of letters that are not Latin.
func notLatin(text string) float64 {
	letters, others := 0, 0
	for _, r := range text {
		if unicode.IsLetter(r) {
			letters++
			if r >= utf8.RuneSelf && !unicode.Is(unicode.Latin, r) {
				others++
			}
		}
	}
	return float64(others) / math.Max(1, float64(letters))
}
