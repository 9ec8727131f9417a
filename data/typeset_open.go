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
	var names []string
	for _, s := range sets {
		names = append(names, s.Name)
	}
	of.Name, of.sets = strings.Join(names, " or "), sets
	return &of
}

// InLanguage returns the first set of AnyOf whose notes are in a language, or nil.
func (s *TypeSet) InLanguage(language string) *TypeSet {
	for _, set := range s.sets {
		if set.Language == language {
			return set
		}
	}
	return nil
}

// Counterparts returns, if the set is one of AnyOf, the types that its other sets have for values of a type: those of the same sort, for example
// FECHAS for DATE, and the names of clinicians for those of clinicians. only reports whether none of these sets has two of them, nor
// the sets of the type. Sets that have the type itself have no counterpart.
func (s *TypeSet) Counterparts(name string) (types []string, only bool) {
	t, only := s.Describe(name), true
	for _, set := range s.sets {
		var same []string
		for _, other := range set.Types {
			if other.Sort == t.Sort && other.Clinician == t.Clinician && t.Sort != "" && t.Sort != Other {
				same = append(same, other.Name)
			}
		}
		only = only && len(same) <= 1
		if !set.Has(name) {
			types = append(types, same...)
		}
	}
	return types, only
}
