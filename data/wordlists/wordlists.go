// Package wordlists holds the lists of words that come with the program:
// countries, professions, medical words and others, in English (en-) and
// Spanish (es-). Those with -ambiguous- are there to filter others. An entry a
// line; # begins a comment. They were written for this project and are under
// its licence.
package wordlists

import (
	"bufio"
	"bytes"
	"embed"
	"io/fs"
	"strings"
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
