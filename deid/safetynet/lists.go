package safetynet

import (
	"maps"
	"strings"

	"github.com/lethe-deid/lethe/data/fold"
	"github.com/lethe-deid/lethe/data/wordlists"
)

// This file reads the lists of words and phrases of this package, beside wordlists.Set. They are folded.

// phrases returns the phrases of a list with commas.
func phrases(list string) []string {
	all := strings.Split(list, ",")
	for i, phrase := range all {
		all[i] = strings.TrimSpace(phrase)
	}
	return all
}

// phrasesOf returns the set of the words and phrases of a list in which _ stands for a blank.
func phrasesOf(list string) map[string]bool {
	all := map[string]bool{}
	for phrase := range strings.FieldsSeq(list) {
		all[strings.ReplaceAll(phrase, "_", " ")] = true
	}
	return all
}

// foldedEntries returns the folded entries of lists of package wordlists.
func foldedEntries(lists ...string) map[string]bool {
	all := map[string]bool{}
	for _, list := range lists {
		for _, entry := range wordlists.Entries(list) {
			all[fold.Fold(entry)] = true
		}
	}
	return all
}

// union returns a set with the words of several ones.
func union(sets ...map[string]bool) map[string]bool {
	all := map[string]bool{}
	for _, set := range sets {
		maps.Copy(all, set)
	}
	return all
}
