// Package wordlists contains the word lists that are part of the program:
// countries, professions, medical words and others, in English (en-) and Spanish
// (es-). Lists with -ambiguous- in their names are used to filter other lists,
// and lists with -common contain words that are usually written in lower case. A
// list has one entry per line, and # starts a comment. The lists were written or
// counted for this project and are under its licence.
package wordlists

import (
	"archive/zip"
	_ "embed"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/lethe-deid/lethe/data/fold"
	"github.com/lethe-deid/lethe/internal/archived"
)

// The program contains the folder as an archive, which is a fraction of its size. TestArchive makes it.
//
//go:embed lists.zip.br
var archive []byte

var lists = sync.OnceValue(func() *zip.Reader { return archived.Open(archive) })

// Names returns the names of all lists, sorted.
func Names() []string {
	var names []string
	files, err := fs.ReadDir(lists(), "lists") // sorted
	if err != nil {
		panic(err) // the lists are embedded
	}
	for _, f := range files {
		names = append(names, strings.TrimSuffix(f.Name(), ".txt"))
	}
	return names
}

// Read returns the file of a list unchanged. It returns an error if there is no
// list with that name.
func Read(name string) ([]byte, error) { return fs.ReadFile(lists(), "lists/"+name+".txt") }

// Entries returns the entries of a list. It panics if there is no list with that
// name.
func Entries(name string) []string {
	text, err := Read(name)
	if err != nil {
		panic(err)
	}
	var entries []string
	for line := range strings.Lines(string(text)) {
		if line, _, _ = strings.Cut(line, "#"); strings.TrimSpace(line) != "" {
			entries = append(entries, strings.TrimSpace(line))
		}
	}
	return entries
}

// Month is a regular expression for the months in English and Spanish and their abbreviations, in lower case. It prefers longer ones.
const Month = `(?:jan(?:uary)?|feb(?:ruary|rero)?|mar(?:ch|zo)?|apr(?:il)?|mayo?|jun(?:e|io)?|jul(?:y|io)?|aug(?:ust)?|sep(?:t|tember|tiembre)?|oct(?:ober|ubre)?|nov(?:ember|iembre)?|dec(?:ember)?|` +
	`ene(?:ro)?|abr(?:il)?|ago(?:sto)?|set(?:iembre)?|dic(?:iembre)?)`

// Set returns the set of the words of a text, which white space divides.
func Set(words string) map[string]bool {
	all := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		all[w] = true
	}
	return all
}

// Common reports whether a word, folded by package fold, is an ordinary word of
// English or Spanish, a drug, a disease or a part of the body: in lower case it
// does not identify a person.
func Common(folded string) bool { return common()[folded] != 0 }

// CommonIn is Common for one language, en or es, or for both if the language is
// empty.
func CommonIn(language, folded string) bool { return common()[folded]&bit(language) != 0 }

// Begins reports whether a word for which Common is true begins with a prefix,
// folded by package fold.
func Begins(prefix string) bool {
	i, _ := slices.BinarySearch(sorted(), prefix)
	return i < len(sorted()) && strings.HasPrefix(sorted()[i], prefix)
}

// Frequent reports whether a word, folded by package fold, is among the most
// frequent words of English or Spanish, which start many sentences.
func Frequent(folded string) bool { return frequent()[folded] != 0 }

// FrequentIn is Frequent for one language, en or es, or for both if the language
// is empty.
func FrequentIn(language, folded string) bool { return frequent()[folded]&bit(language) != 0 }

// Eponym reports whether a word, folded by package fold, is a name that denotes a
// disease, a sign or a device, such as Parkinson or Foley.
func Eponym(folded string) bool { return eponyms()[folded] != 0 }

// Body reports whether a word, folded by package fold, is a part of the body in a
// language, en or es.
func Body(language, folded string) bool { return body()[language+"-"+folded] }

var (
	common = sync.OnceValue(func() map[string]languages {
		return union("common", "ambiguous-words", "ambiguous-drugs", "ambiguous-diseases", "ambiguous-body")
	})
	sorted = sync.OnceValue(func() []string { return slices.Sorted(maps.Keys(common())) })
	// The 3,000 words of each language that make up 85 % of the lower-case words
	// of its text.
	frequent = sync.OnceValue(func() map[string]languages {
		all := map[string]languages{}
		for _, language := range []string{"en", "es"} {
			for _, entry := range Entries(language + "-common")[:3000] {
				all[entry] |= bit(language)
			}
		}
		return all
	})
	eponyms = sync.OnceValue(func() map[string]languages { return union("ambiguous-eponyms") })
	body    = sync.OnceValue(func() map[string]bool {
		all := map[string]bool{}
		for _, language := range []string{"en-", "es-"} {
			for _, entry := range Entries(language + "ambiguous-body") {
				all[language+fold.Fold(entry)] = true
			}
		}
		return all
	})
)

// languages is a set of languages, with a bit for each.
type languages uint8

// bit returns the set with one language, or with both if it is empty.
func bit(language string) languages {
	switch language {
	case "en":
		return 1
	case "es":
		return 2
	}
	return 1 | 2
}

// union returns the single words of some lists in both languages, folded, with
// the languages whose lists have them.
func union(kinds ...string) map[string]languages {
	all := map[string]languages{}
	for _, kind := range kinds {
		for _, language := range []string{"en", "es"} {
			for _, entry := range Entries(language + "-" + kind) {
				if word := fold.Fold(entry); !strings.Contains(word, " ") {
					all[word] |= bit(language)
				}
			}
		}
	}
	return all
}
