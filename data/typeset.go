package data

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/lethe-deid/lethe/internal/sorting"
)

// Type is one type of PHI.
type Type struct {
	Name      string
	Category  string // as in the corpus's files, e.g. NAME for PATIENT
	Sort      Sort   // the kind of value; "" if it is unknown
	HIPAA     bool   // whether HIPAA's Safe Harbor lists it among its 18 identifiers
	Clinician bool   // whether a Person of this type treats patients, rather than being one
}

// TypeSet describes the types of PHI that a corpus uses. LookupTypeSet finds the
// built-in sets by name.
type TypeSet struct {
	Name string
	// Types are sorted by name if the set is built in. Where the values of one sort
	// may have several types, Preferred decides.
	Types []Type
	// Preferred decides which of several types with the same sort a value gets if
	// only its sort is known. Without an entry for the sort, it gets the first of
	// these types.
	Preferred map[Sort]string
	// Language is the language of the corpus's notes, "en" or "es", or empty if it
	// is unknown.
	Language string
	// Rules names the built-in rules (package taggers/rules) that find PHI in the
	// corpus's notes by its form.
	Rules []string
	// Format names the file format (package data/format) whose files have these
	// types by default. It is empty if there is none.
	Format string

	open bool
	sets []*TypeSet // the sets of AnyOf
}

// Lookup finds a type of the set by its exact name. A set of AnyOf has a type as the first of its sets that has it. The open set, Any, has a
// type for every well-formed name. Its category is the name itself, and its sort is
// the one that Describe returns for a set that lacks the type.
func (s *TypeSet) Lookup(name string) (Type, bool) {
	for i := range s.Types {
		if s.Types[i].Name == name {
			return s.Types[i], true
		}
	}
	for _, set := range s.sets {
		if t, ok := set.Lookup(name); ok {
			return t, true
		}
	}
	if s.open && s.sets == nil && wellFormed(name) {
		known := lookupAnywhere(name)
		return Type{Name: name, Category: name, Sort: known.Sort, Clinician: known.Clinician}, true
	}
	return Type{}, false
}

// Has reports whether name is a type of the set.
func (s *TypeSet) Has(name string) bool { _, ok := s.Lookup(name); return ok }

// Lacks returns the message that the set has no type of this name, without a full
// stop. It contains the name if that is well-formed, because anything else could be
// text of a note that is at the wrong place, and a type of the set whose name differs
// only in case.
func (s *TypeSet) Lacks(name string) string {
	switch {
	case name == "":
		return "the type is missing"
	case !wellFormed(name):
		return "the type is not in the type set " + s.Name + ", nor a possible type: types have letters, digits, _, - and ., and begin with a letter"
	}
	message := "the type " + name + " is not in the type set " + s.Name
	for _, set := range append([]*TypeSet{s}, s.sets...) {
		for _, t := range set.Types {
			if strings.EqualFold(t.Name, name) {
				return message + ", which has " + t.Name
			}
		}
	}
	return message
}

// Describe returns the description of a type. If the set lacks the type, or is
// nil, the description comes from the first built-in set that has a type of that
// name. PERSON and CONTACT, which no built-in set has, are described, too. For any
// other name, the result has nothing but the name.
func (s *TypeSet) Describe(name string) Type {
	if s != nil {
		if t, ok := s.Lookup(name); ok {
			return t
		}
	}
	return lookupAnywhere(name)
}

func lookupAnywhere(name string) Type {
	if t, ok := everyType()[name]; ok {
		return t
	}
	return Type{Name: name}
}

// everyType returns the types of all built-in sets and of the set usual, by name.
// If several sets have a type of the same name, the first set decides.
var everyType = sync.OnceValue(func() map[string]Type {
	all := map[string]Type{}
	for _, s := range slices.Backward(append(TypeSets(), usual)) {
		for _, t := range s.Types {
			all[t.Name] = t
		}
	}
	return all
})

// SortOf returns the sort of a type: see Describe.
func (s *TypeSet) SortOf(name string) Sort { return s.Describe(name).Sort }

// OfSort returns the name of the set's type for values of a sort. If the set has no
// such type, OfSort returns the type for a similar sort, or "" if there is none.
// For the open set, it returns a type of I2B2.
func (s *TypeSet) OfSort(sort Sort) string {
	if s.open {
		s = I2B2
	}
	for _, sort := range append([]Sort{sort}, substitutes[sort]...) {
		if name, ok := s.Preferred[sort]; ok {
			return name
		}
		if i := slices.IndexFunc(s.Types, func(t Type) bool { return t.Sort == sort }); i >= 0 {
			return s.Types[i].Name
		}
	}
	return ""
}

// OfPerson returns the name of the set's type for names of clinicians, or of
// patients. A set that does not distinguish them has one for both. It returns ""
// if there is none.
func (s *TypeSet) OfPerson(clinician bool) string {
	if s.open {
		s = I2B2
	}
	i := slices.IndexFunc(s.Types, func(t Type) bool { return t.Sort == Person && t.Clinician == clinician })
	if i < 0 {
		return s.OfSort(Person)
	}
	return s.Types[i].Name
}

// Counterpart returns the name of the set's type for the values of a type of another set:
// the type itself if the set is nil or has it, and "" if there is none.
func (s *TypeSet) Counterpart(name string) string {
	switch known := Any.Describe(name); {
	case s == nil || s.Has(name):
		return name
	case known.Sort == Person:
		return s.OfPerson(known.Clinician)
	default:
		return s.OfSort(known.Sort)
	}
}

// Used lists the types of the documents' spans: first those of the set, in its
// order, then all others, sorted by name.
func (s *TypeSet) Used(docs []*Document) []string {
	used := map[string]bool{}
	for _, d := range docs {
		for _, span := range d.Spans {
			used[span.Type] = true
		}
	}
	var types []string
	for _, t := range s.Types {
		if used[t.Name] {
			types = append(types, t.Name)
			delete(used, t.Name)
		}
	}
	return append(types, slices.Sorted(maps.Keys(used))...)
}

// wellFormed reports whether a type may have this name: at most 64 letters,
// digits, '_', '-' and '.', of which the first is a letter. The restriction keeps
// text of notes from being used as a type by mistake.
func wellFormed(name string) bool {
	if name == "" || len(name) > 64 {
		return false
	}
	for i, r := range name {
		letter := r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z'
		if !letter && (i == 0 || !strings.ContainsRune("0123456789_-.", r)) {
			return false
		}
	}
	return true
}

// typeSets lists the built-in sets.
var typeSets = []*TypeSet{I2B2, I2B22006, MIMIC, MEDDOCAN, Anonym, CoNLL, Any}

// TypeSets lists the built-in sets.
func TypeSets() []*TypeSet { return slices.Clone(typeSets) }

// LookupTypeSet returns the built-in set with the given name. The error for an
// unknown name lists all names.
func LookupTypeSet(name string) (*TypeSet, error) {
	for _, s := range typeSets {
		if s.Name == name {
			return s, nil
		}
	}
	return nil, fmt.Errorf("no type set %q (have %s)", name, strings.Join(TypeSetNames(), ", "))
}

// TypeSetNames lists the names of the built-in sets.
func TypeSetNames() []string {
	var names []string
	for _, s := range typeSets {
		names = append(names, s.Name)
	}
	return names
}

// types makes the types of a built-in set from groups of types with the same
// category and sort.
//
// The HIPAA marks of the built-in sets follow Dernoncourt et al. 2016, Table 1.
// The scorer of i2b2 has a slightly different list of its own.
func types(groups ...group) []Type {
	var types []Type
	for _, g := range groups {
		for name := range strings.FieldsSeq(g.types) {
			plain := strings.TrimRight(name, "*+")
			marks := name[len(plain):]
			types = append(types, Type{plain, g.category, g.sort, strings.Contains(marks, "*"), strings.Contains(marks, "+")})
		}
	}
	sorting.By(types, func(a, b Type) int { return strings.Compare(a.Name, b.Name) })
	return types
}

// group describes types with the same category and sort. Their names are
// separated by spaces; * after a name marks HIPAA, and + Clinician.
type group struct {
	category string
	sort     Sort
	types    string
}
