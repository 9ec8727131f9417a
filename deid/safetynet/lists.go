package safetynet

import (
	"archive/zip"
	_ "embed"
	"io/fs"
	"maps"
	"strings"
	"sync"

	"github.com/lethe-deid/lethe/internal/archived"

	"github.com/lethe-deid/lethe/data/fold"
	"github.com/lethe-deid/lethe/data/wordlists"
)

// This file reads the lists of words and phrases of this package, beside wordlists.Set. They are folded.

// The program contains the folder lists as an archive, which is a fraction of its size. TestArchive makes it.
//
//go:embed lists.zip.br
var archive []byte

var lists = sync.OnceValue(func() *zip.Reader { return archived.Open(archive) })

// listText returns the text of a file of the folder lists.
func listText(name string) string {
	text, err := fs.ReadFile(lists(), "lists/"+name+".txt")
	if err != nil {
		panic(err) // the lists are embedded
	}
	return string(text)
}

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
