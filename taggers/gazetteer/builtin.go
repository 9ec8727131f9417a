package gazetteer

import (
	"embed"
	"io/fs"
	"strings"
)

// The lists were written for this project; they are under its licence.
//
//go:embed lists/*.txt
var builtins embed.FS

// Builtins are the names of the lists that come with the program. Those that begin with en- and es- are in English and Spanish. Those with -ambiguous-
// are there to filter others.
func Builtins() []string {
	var names []string
	files, err := fs.ReadDir(builtins, "lists") // sorted
	if err != nil {
		panic(err) // it is part of the program
	}
	for _, f := range files {
		names = append(names, strings.TrimSuffix(f.Name(), ".txt"))
	}
	return names
}

func builtin(name string) ([]byte, error) { return builtins.ReadFile("lists/" + name + ".txt") }
