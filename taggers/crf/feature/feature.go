// Package feature turns tokens into the attributes of a CRF, by families of
// features that the papers name. A family looks at a text and says values of its
// tokens, "Dr" or "Xx"; a column is such values with the places around a token at
// which they are looked up: the word two tokens before is the column word at -2.
package feature

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Spec is one family, as a configuration names it.
type Spec struct {
	Family string `yaml:"family"` // see Families
	Window int    `yaml:"window"` // its values count for so many tokens on each side, too; 0, the default: for their own only
	Size   int    `yaml:"size"`   // of n-grams, affixes and the like; each family says what; 0: the family's default
}

// family makes the columns of a spec.
type family struct {
	about   string // what it is, and whose
	closed  bool   // whether its values are of a closed set, rather than words or parts of words of the notes
	size    int    // default of Spec.Size; 0: it has none
	maximum int    // of Spec.Size
	needs   string // key of the source without which it is nothing; "": none
	columns func(s Spec, r *Resources) ([]column, error)
}

// column is one kind of value at some places: a token has the values of the
// tokens at the offsets from lo to hi.
type column struct {
	family string // that it is of; set by compile
	name   string
	closed bool // as of the family, whose it may be as well
	lo, hi int
	edges  bool // whether places beyond the sequence have a value of their own
	values func(x *Text, put func(token int, value string))
}

// Families lists all families with what they are.
func Families() map[string]string {
	all := map[string]string{}
	for name, f := range families {
		all[name] = f.about
	}
	return all
}

// Check returns the first error in specs, and which of them has it: a key that
// makes no sense, a source that is needed and not given, a family that is there
// twice.
func Check(specs []Spec, sources Sources) (at int, err error) {
	_, at, err = compile(specs, &Resources{sources: sources})
	return at, err
}

func (s Spec) check(sources Sources) error {
	f, ok := families[s.Family]
	switch {
	case s.Family == "":
		return errors.New("family: must be given")
	case !ok:
		return fmt.Errorf("family: no family %q (have %s)", s.Family, strings.Join(slices.Sorted(maps.Keys(families)), ", "))
	case s.Window < 0 || s.Window > 20:
		return fmt.Errorf("window: %d is not in [0, 20]", s.Window)
	case s.Size != 0 && f.size == 0:
		return fmt.Errorf("size: of no use to family %s", s.Family)
	case s.Size < 0 || s.Size > f.maximum:
		return fmt.Errorf("size: %d is not in [1, %d]", s.Size, f.maximum)
	case f.needs != "" && !sources.has(f.needs):
		return fmt.Errorf("family: %s needs resources.%s, which is not given", s.Family, f.needs)
	}
	return nil
}

// compile makes the columns of all specs. An error is of the spec with the number
// at.
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
				return nil, at, fmt.Errorf("family: %s is there twice", s.Family)
			}
			names[c.name] = true
			c.family, c.closed = s.Family, c.closed || f.closed
			all = append(all, c)
		}
	}
	return all, 0, nil
}

// closed is a family whose values say nothing of what the notes say.
func closed(f family) family {
	f.closed = true
	return f
}

// each is a family with one column: a value, or "" for none, of each token.
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

// many is a family with one column of any number of values of each token.
func many(about string, values func(x *Text, t int, put func(string))) family {
	return family{about: about, columns: func(s Spec, _ *Resources) ([]column, error) {
		return []column{{name: s.Family, lo: -s.Window, hi: s.Window, values: func(x *Text, put func(int, string)) {
			for t := range x.Tokens {
				values(x, t, func(v string) { put(t, v) })
			}
		}}}, nil
	}}
}
