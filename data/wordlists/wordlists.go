// Package wordlists holds the lists of words that come with the program:
// countries, professions, medical words and others, in English (en-) and
// Spanish (es-). Those with -ambiguous- are there to filter others, and those
// called -common hold the words of each language that are usually written in
// lower case. There is one entry per line, and # begins a comment. They were
// written or counted for this project and are under its licence.
package wordlists

import (
	"bufio"
	"bytes"
	"embed"
	"io/fs"
	"strings"
	"sync"

	"github.com/lethe-deid/lethe/data/fold"
)

//go:embed lists/*.txt
var lists embed.FS

// Names are those of all lists, sorted.
func Names() []string {
	var names []string
	files, err := fs.ReadDir(lists, "lists") // sorted
	if err != nil {
		panic(err) // it is part of the program
	}
	for _, f := range files {
		names = append(names, strings.TrimSuffix(f.Name(), ".txt"))
	}
	return names
}

// Read returns a list as it is written.
func Read(name string) ([]byte, error) { return lists.ReadFile("lists/" + name + ".txt") }

// Entries returns the entries of a list. It panics if there is none of the name.
func Entries(name string) []string {
	text, err := Read(name)
	if err != nil {
		panic(err)
	}
	var entries []string
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		if line, _, _ := strings.Cut(lines.Text(), "#"); strings.TrimSpace(line) != "" {
			entries = append(entries, strings.TrimSpace(line))
		}
	}
	return entries
}

// Common reports whether a word, folded by package fold, is an ordinary word of English or
// Spanish, a drug, a disease or a part of the body: one that says nothing of a person when it stands
// in lower case.
func Common(folded string) bool { return common()[folded] }

// Frequent reports whether a word, folded by package fold, is one of the most frequent of English or
// Spanish, which begin many sentences.
func Frequent(folded string) bool { return frequent()[folded] }

// Eponym reports whether a word, folded by package fold, is a name that stands for a disease, a sign
// or a device, such as Parkinson or Foley.
func Eponym(folded string) bool { return eponyms()[folded] }

var (
	common = sync.OnceValue(func() map[string]bool {
		return union("common", "ambiguous-words", "ambiguous-drugs", "ambiguous-diseases", "ambiguous-body")
	})
	// These 3,000 words of each language are 85 % of the words of its text that stand in lower case.
	frequent = sync.OnceValue(func() map[string]bool {
		all := map[string]bool{}
		for _, language := range []string{"en-", "es-"} {
			for _, entry := range Entries(language + "common")[:3000] {
				all[entry] = true
			}
		}
		return all
	})
	eponyms = sync.OnceValue(func() map[string]bool { return union("ambiguous-eponyms") })
)

// union is the single words of some lists in both languages, folded.
func union(kinds ...string) map[string]bool {
	all := map[string]bool{}
	for _, kind := range kinds {
		for _, language := range []string{"en-", "es-"} {
			for _, entry := range Entries(language + kind) {
				if word := fold.Fold(entry); !strings.Contains(word, " ") {
					all[word] = true
				}
			}
		}
	}
	return all
}
