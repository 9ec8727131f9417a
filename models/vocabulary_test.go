package models

import (
	"slices"
	"strings"
	"testing"

	"github.com/lethe-deid/lethe/internal/intern"
	"github.com/lethe-deid/lethe/internal/recent"
)

// For each word of a text without blanks and with a mail address, all of it was searched for the @.
func TestWordsOfAddressesTellNoLanguage(t *testing.T) {
	v := &vocabularies{words: intern.New()}
	v.memory.New = func() any { return recent.New[[2]uint32]() }
	for text, want := range map[string]string{
		"to oda.lund@clinic.example or Lund":                    "to or Lund",
		"oda@clinic.example\nsaw x lund@home\u00a0today":        "saw today",
		"no address here":                                       "no address here",
		strings.Repeat("lund,", 1_000_000) + "oda@home as":      "as",
		"oda@home" + strings.Repeat(",lund", 1_000_000) + " as": "as",
	} {
		var words []string
		v.each(text, func(word string, _ []float32) { words = append(words, word) })
		if !slices.Equal(words, strings.Fields(want)) {
			t.Errorf("%.60q has %.60q, want %q", text, words, want)
		}
	}
}
