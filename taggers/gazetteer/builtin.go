package gazetteer

import "github.com/lethe-deid/lethe/data/wordlists"

// Builtins returns the names of the built-in lists. The prefixes en- and es- mean English and Spanish. Lists with -ambiguous- in their names are
// meant as filters of others.
func Builtins() []string { return wordlists.Names() }

func builtin(name string) ([]byte, error) { return wordlists.Read(name) }
