package data

import "strings"

// Open returns a set with the types of s that has every other well-formed name as
// a type, too, as Any does.
func (s *TypeSet) Open() *TypeSet {
	open := *s
	open.open = true
	return &open
}

// AnyOf returns an open set that has only the types of the given sets. A program that applies several models uses it, so that a
// type that none of them has is an error. Like Any, it names no types in Types.
func AnyOf(sets ...*TypeSet) *TypeSet {
	of := *Any
	of.only = map[string]bool{}
	var names []string
	for _, s := range sets {
		names = append(names, s.Name)
		for _, t := range s.Types {
			of.only[t.Name] = true
		}
	}
	of.Name = strings.Join(names, " or ")
	return &of
}
