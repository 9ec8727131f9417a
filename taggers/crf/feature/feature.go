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
	Name   string `yaml:"name"`   // of the resource to use, for families that choose one of several
}

// family makes the columns of a spec.
type family struct {
	about   string // what it is, and whose
	size    int    // default of Spec.Size; 0: it has none
	maximum int    // of Spec.Size
	named   bool   // whether Spec.Name is needed
	columns func(s Spec, r *Resources) ([]column, error)
}

// column is one kind of value at some places: a token has the values of the
// tokens at the offsets from lo to hi.
type column struct {
	name   string
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

// Check says what makes no sense in a spec.
func (s Spec) Check() error {
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
	case s.Name != "" && !f.named:
		return fmt.Errorf("name: of no use to family %s", s.Family)
	}
	return nil
}

// compile makes the columns of all specs.
func compile(specs []Spec, r *Resources) ([]column, error) {
	var all []column
	names := map[string]bool{}
	for i, s := range specs {
		if err := s.Check(); err != nil {
			return nil, fmt.Errorf("features[%d].%w", i, err)
		}
		f := families[s.Family]
		if s.Size == 0 {
			s.Size = f.size
		}
		columns, err := f.columns(s, r)
		if err != nil {
			return nil, fmt.Errorf("features[%d]: family %s: %w", i, s.Family, err)
		}
		for _, c := range columns {
			if names[c.name] {
				return nil, fmt.Errorf("features[%d]: family %s: the features %s are there twice", i, s.Family, c.name)
			}
			names[c.name] = true
			all = append(all, c)
		}
	}
	return all, nil
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
