package gazetteer

import "github.com/lethe-deid/lethe/data/wordlists"

// Builtins are the names of the lists that come with the program. Those that begin with en- and es- are in English and Spanish. Those with -ambiguous-
// are there to filter others.
func Builtins() []string { return wordlists.Names() }

func builtin(name string) ([]byte, error) { return wordlists.Read(name) }
