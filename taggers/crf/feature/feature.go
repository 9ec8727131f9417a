// Package feature turns tokens into the attributes of a CRF or the features of a network,
// by families of features that the papers name. A family produces values for the tokens of a text, such as "Dr"
// or "Xx". A column is a kind of value together with the offsets from a token at which
// it is used: the word two tokens before is the column word at -2.
package feature

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Spec configures one family.
type Spec struct {
	Family string `yaml:"family"`                          // name of the family, see Families; required
	Window int    `yaml:"window"`                          // number of tokens on each side whose values are used as well, in [0, 20]; default 0: only the token's own
	Name   string `yaml:"name,omitempty" json:",omitzero"` // name of the column of the notes, for the family column only; default none
	Size   int    `yaml:"size"`                            // maximum length of n-grams, affixes and the like, as the family defines it; 0: the family's default
}

// String returns the name of the family, and for a column of the notes column.NAME. It distinguishes
// the families of a configuration.
func (s Spec) String() string {
	if s.Name != "" {
		return s.Family + "." + s.Name
	}
	return s.Family
}

// family makes the columns for a spec.
type family struct {
	about   string // what it produces, and its source
	closed  bool   // whether its values are from a closed set, rather than words or parts of words of the notes
	own     bool   // whether its values are the user's own, who knows what they reveal: a network may have them, but they do not count as a closed set
	closer  string // key of the source that makes its values a closed set; "": none
	size    int    // default of Spec.Size; 0: the family has no size
	maximum int    // maximum of Spec.Size
	needs   string // key of the source that the family requires; "": none
	columns func(s Spec, r *Resources) ([]column, error)
}

// column is one kind of value at a range of offsets: a token has the values of the
// tokens at the offsets from lo to hi.
type column struct {
	family string // set by compile
	name   string
	closed bool // as in family; it is also set if the family's closed is
	lo, hi int
	edges  bool // whether positions beyond the sequence have a value of their own
	values func(x *Text, put func(token int, value string))
	word   func(w string, put func(string)) // the values of a token if they depend on its word alone, or nil
}

// Families returns a description of each family by its name.
func Families() map[string]string {
	all := map[string]string{}
	for name, f := range families {
		all[name] = f.about
	}
	return all
}

// Check returns the first error in specs and the index of the spec that has it. Errors
// are an invalid value, a family whose source is not given, and a duplicate family.
func Check(specs []Spec, sources Sources) (at int, err error) {
	_, at, err = compile(specs, &Resources{sources: sources})
	return at, err
}

// Unread returns the key of the first source that is given, although no family of specs reads it, or "".
func Unread(specs []Spec, sources Sources) string {
	for _, key := range sourceKeys {
		reads := func(s Spec) bool { return families[s.Family].needs == key || families[s.Family].closer == key }
		if sources.has(key) && !slices.ContainsFunc(specs, reads) {
			return key
		}
	}
	return ""
}

// CheckClosed returns the first error in specs, as Check does. A family whose values are
// not from a closed set is an error too, because a model that stores its values contains
// words of the training notes.
func CheckClosed(specs []Spec, sources Sources) (at int, err error) {
	for at, s := range specs {
		f, ok := families[s.Family]
		switch {
		case !ok || f.own || f.isClosed(sources):
		case f.closer != "":
			return at, fmt.Errorf("family: %s requires resources.%s here: otherwise its values are lines of the notes, which the model would contain", s.Family, f.closer)
		default:
			return at, fmt.Errorf("family: the values of %s are words or parts of words of the notes, which the model would contain; use only %s", s.Family, strings.Join(closedFamilies(), ", "))
		}
	}
	return Check(specs, sources)
}

// isClosed reports whether the family's values are from a closed set.
func (f family) isClosed(sources Sources) bool {
	return f.closed || f.closer != "" && sources.has(f.closer)
}

// closedFamilies returns the sorted names of the families with closed sets of values, or
// with a source that makes them so.
func closedFamilies() []string {
	var names []string
	for name, f := range families {
		if f.closed || f.own || f.closer != "" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func (s Spec) check(sources Sources) error {
	f, ok := families[s.Family]
	switch {
	case s.Family == "":
		return errors.New("family: is required")
	case !ok:
		return fmt.Errorf("family: no family %q (have %s)", s.Family, strings.Join(slices.Sorted(maps.Keys(families)), ", "))
	case s.Family == columnFamily && s.Name == "":
		return errors.New("name: is required: the name of the column")
	case s.Family != columnFamily && s.Name != "":
		return fmt.Errorf("name: not supported by family %s", s.Family)
	case s.Window < 0 || s.Window > 20:
		return fmt.Errorf("window: %d is not in [0, 20]", s.Window)
	case s.Size != 0 && f.size == 0:
		return fmt.Errorf("size: not supported by family %s", s.Family)
	case s.Size < 0 || s.Size > f.maximum:
		return fmt.Errorf("size: %d is not in [1, %d]", s.Size, f.maximum)
	case f.needs != "" && !sources.has(f.needs):
		return fmt.Errorf("family: %s requires resources.%s", s.Family, f.needs)
	}
	return nil
}

// compile makes the columns of all specs. at is the index of the spec that an error is
// about.
func compile(specs []Spec, r *Resources) (all []column, at int, err error) {
	names := map[string]bool{}
	for at, s := range specs {
		if err := s.check(r.sources); err != nil {
			return nil, at, err
		}
		f := families[s.Family]
		if s.Size == 0 {
			s.Size = f.size
		}
		columns, err := f.columns(s, r)
		if err != nil {
			return nil, at, err
		}
		for _, c := range columns {
			if names[c.name] {
				return nil, at, fmt.Errorf("family: duplicate %s", s)
			}
			names[c.name] = true
			c.family, c.closed = s.String(), c.closed || f.isClosed(r.sources)
			all = append(all, c)
		}
	}
	return all, 0, nil
}

// closed marks a family whose values reveal no words of the notes.
func closed(f family) family {
	f.closed = true
	return f
}

// each makes a family with one column and at most one value per token; "" means none.
func each(about string, value func(x *Text, t int) string) family {
	return family{about: about, columns: func(s Spec, _ *Resources) ([]column, error) {
		return []column{{name: s.Family, lo: -s.Window, hi: s.Window, values: func(x *Text, put func(int, string)) {
			for t := range x.Tokens {
				if v := value(x, t); v != "" {
					put(t, v)
				}
			}
		}}}, nil
	}}
}

// ofWord makes a family of one column whose values depend on the token's word alone.
func ofWord(about string, values func(w string, put func(string))) family {
	return family{about: about, columns: func(s Spec, _ *Resources) ([]column, error) {
		return []column{{name: s.Family, lo: -s.Window, hi: s.Window, word: values, values: func(x *Text, put func(int, string)) {
			for t, w := range x.words {
				values(w, func(v string) { put(t, v) })
			}
		}}}, nil
	}}
}

// many makes a family with one column and any number of values per token.
func many(about string, values func(x *Text, t int, put func(string))) family {
	return family{about: about, columns: func(s Spec, _ *Resources) ([]column, error) {
		return []column{{name: s.Family, lo: -s.Window, hi: s.Window, values: func(x *Text, put func(int, string)) {
			for t := range x.Tokens {
				values(x, t, func(v string) { put(t, v) })
			}
		}}}, nil
	}}
}
