package data

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/internal/bounded"
	"github.com/lethe-deid/lethe/internal/sorting"
	"github.com/lethe-deid/lethe/internal/strictyaml"
)

// TypeSetConfig is a type set as a configuration or a model refers to it: a
// built-in set by its name, and any other by its description. In YAML and in JSON
// the former is a text, and the latter a mapping with the keys of the fields.
type TypeSetConfig struct {
	// Name is the name of the set: as that of a type, and not that of a built-in set.
	// The default is the name of the file, without its extension, or else "own". If
	// nothing else is set, Name is the name of a built-in set or the path of a YAML
	// file with a description.
	Name string `yaml:"name" json:"name"`
	// Base is the name of a built-in set or the path of a file, to whose types Types
	// are added. A type that both have is described by Types. Default none.
	Base string `yaml:"base,omitempty" json:"base,omitempty"`
	// Language is the language of the notes, "en" or "es". The default is that of
	// Base, or else empty, for an unknown or other language.
	Language string `yaml:"language,omitempty" json:"language,omitempty"`
	// Rules are the built-in rules that find PHI in the notes by its form: english,
	// spanish or both. The default (nil) are those of Base or else of the language;
	// for an unknown language, both.
	Rules []string `yaml:"rules" json:"rules"`
	// Types describes each type. At least one is required, here or in Base.
	Types map[string]TypeConfig `yaml:"types" json:"types"`
	// Preferred is TypeSet.Preferred.
	Preferred map[string]string `yaml:"preferred,omitempty" json:"preferred,omitempty"`
}

// TypeConfig describes a type. The text SORT stands for {sort: SORT}, and the
// text clinician for {sort: person, clinician: true}.
type TypeConfig struct {
	// Sort is one of Sorts. Without one, all that is not given is as in the first
	// built-in set that has a type of this name; it is an error if there is none.
	Sort Sort `yaml:"sort,omitempty" json:"sort,omitempty"`
	// Category defaults to that of I2B2 for values of this sort.
	Category string `yaml:"category,omitempty" json:"category,omitempty"`
	// HIPAA defaults (nil) to that of I2B2 for values of this sort.
	HIPAA *bool `yaml:"hipaa,omitempty" json:"hipaa,omitempty"`
	// Clinician defaults to false.
	Clinician bool `yaml:"clinician,omitempty" json:"clinician,omitempty"`
}

// ownName is the default name of a set that no file describes.
const ownName = "own"

// textOfClinician is the short form of a type of names of clinicians.
const textOfClinician = "clinician"

// SetText implements strictyaml.Short.
func (c *TypeSetConfig) SetText(text string) { *c = TypeSetConfig{Name: text} }

// SetText implements strictyaml.Short.
func (c *TypeConfig) SetText(text string) {
	*c = TypeConfig{Sort: Sort(text)}
	if text == textOfClinician {
		*c = TypeConfig{Sort: Person, Clinician: true}
	}
}

// isName reports whether the configuration has nothing but a name.
func (c TypeSetConfig) isName() bool {
	name := c.Name
	c.Name = ""
	return name != "" && c.IsZero()
}

// IsZero reports whether nothing is set.
func (c TypeSetConfig) IsZero() bool { return reflect.ValueOf(c).IsZero() }

// String returns the name.
func (c TypeSetConfig) String() string { return c.Name }

// plain is TypeSetConfig without its methods.
type plain TypeSetConfig

func (c TypeSetConfig) encoded() any {
	if c.isName() || c.IsZero() {
		return c.Name
	}
	return plain(c)
}

// MarshalYAML writes a set that is only named as a text.
func (c TypeSetConfig) MarshalYAML() (any, error) { return c.encoded(), nil }

// MarshalJSON writes a set that is only named as a text.
func (c TypeSetConfig) MarshalJSON() ([]byte, error) { return json.Marshal(c.encoded()) }

// UnmarshalJSON reads what MarshalJSON writes. An unknown key is an error.
func (c *TypeSetConfig) UnmarshalJSON(raw []byte) error {
	if bytes.HasPrefix(raw, []byte{'"'}) {
		var name string
		err := json.Unmarshal(raw, &name)
		c.SetText(name)
		return err
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	*c = TypeSetConfig{}
	return d.Decode((*plain)(c))
}

// Config describes the set: by its name if it is built in, and otherwise with all
// that it contains, so that the description depends on no file and no default.
//
// Sets of AnyOf are described as Any, since they name no types.
func (s *TypeSet) Config() TypeSetConfig {
	if s.sets != nil {
		return TypeSetConfig{Name: Any.Name}
	}
	if builtIn, err := LookupTypeSet(s.Name); err == nil && builtIn == s {
		return TypeSetConfig{Name: s.Name}
	}
	c := TypeSetConfig{Name: s.Name, Language: s.Language, Rules: append([]string{}, s.Rules...), Types: map[string]TypeConfig{}}
	for _, t := range s.Types {
		c.Types[t.Name] = TypeConfig{Sort: t.Sort, Category: t.Category, HIPAA: new(t.HIPAA), Clinician: t.Clinician}
	}
	for sort, name := range s.Preferred {
		if c.Preferred == nil {
			c.Preferred = map[string]string{}
		}
		c.Preferred[string(sort)] = name
	}
	return c
}

// Stored returns the set that Config describes. Unlike Open, it reads no file:
// a name is that of a built-in set.
func (c TypeSetConfig) Stored() (*TypeSet, error) {
	if c.isName() || c.IsZero() {
		return LookupTypeSet(c.Name)
	}
	if c.Base != "" {
		return nil, errors.New("base: not allowed in a model or a run, which contains the whole set")
	}
	return c.build(nil)
}

// Open returns the set: the built-in set of this name, the set that the file of
// this name describes, or the set that the configuration itself describes.
func (c TypeSetConfig) Open() (*TypeSet, error) { return c.open(0) }

// OpenTypeSet returns the built-in set with the given name, or the set that a YAML
// file describes: see TypeSetConfig.
func OpenTypeSet(nameOrPath string) (*TypeSet, error) { return TypeSetConfig{Name: nameOrPath}.Open() }

// maxBases limits the number of files that refer to each other as Base, so that a
// circle is an error.
const maxBases = 8

func (c TypeSetConfig) open(depth int) (*TypeSet, error) {
	if c.isName() || c.IsZero() {
		return openNamed(c.Name, depth)
	}
	var base *TypeSet
	if c.Base != "" {
		var err error
		if base, err = openNamed(c.Base, depth+1); err != nil {
			return nil, fmt.Errorf("base: %w", err)
		}
	}
	return c.build(base)
}

func openNamed(nameOrPath string, depth int) (*TypeSet, error) {
	set, unknown := LookupTypeSet(nameOrPath)
	if unknown == nil {
		return set, nil
	}
	if depth > maxBases {
		return nil, fmt.Errorf("%s: more than %d files refer to each other", nameOrPath, maxBases)
	}
	raw, err := readNamed(nameOrPath, unknown)
	if err != nil {
		return nil, err
	}
	var c TypeSetConfig
	if err := strictyaml.Decode(nameOrPath, raw, (*plain)(&c)); err != nil {
		return nil, err
	}
	file := filepath.Base(nameOrPath)
	if c.Name == "" {
		c.Name = strings.TrimSuffix(file, filepath.Ext(file))
	}
	if c.isName() {
		return nil, fmt.Errorf("%s: types: required", nameOrPath)
	}
	if set, err = c.open(depth); err != nil {
		return nil, fmt.Errorf("%s: %w", nameOrPath, err)
	}
	return set, nil
}

// readNamed reads a file that was named where a built-in name could stand. unknown
// is the error for an unknown name.
func readNamed(path string, unknown error) ([]byte, error) {
	if info, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) || err == nil && info.IsDir() {
		return nil, fmt.Errorf("%w, and there is no such file", unknown)
	}
	return bounded.ReadFile(path, bounded.MaxConfig)
}

// build returns the set. base is nil if there is none.
func (c TypeSetConfig) build(base *TypeSet) (*TypeSet, error) {
	set := &TypeSet{Name: c.Name, Language: c.Language, Preferred: map[Sort]string{}}
	if base != nil {
		if base.open {
			return nil, fmt.Errorf("base: %s names no types to which others could be added", base.Name)
		}
		set.Types = slices.DeleteFunc(slices.Clone(base.Types), func(t Type) bool { _, ok := c.Types[t.Name]; return ok })
		set.Language, set.Rules, set.Preferred = base.Language, base.Rules, maps.Clone(base.Preferred)
		if set.Preferred == nil {
			set.Preferred = map[Sort]string{}
		}
	}
	if set.Name == "" {
		set.Name = ownName
	}
	if _, err := LookupTypeSet(set.Name); err == nil {
		return nil, fmt.Errorf("name: %s is a built-in type set: choose another name", set.Name)
	}
	if !wellFormed(set.Name) {
		return nil, fmt.Errorf("name: %q is not at most 64 letters, digits, '_', '-' and '.', of which the first is a letter", set.Name)
	}
	for _, name := range slices.Sorted(maps.Keys(c.Types)) {
		t, err := c.Types[name].build(name)
		if err != nil {
			return nil, fmt.Errorf("types.%s: %w", name, err)
		}
		set.Types = append(set.Types, t)
	}
	sorting.By(set.Types, func(a, b Type) int { return strings.Compare(a.Name, b.Name) })
	if len(set.Types) == 0 {
		return nil, errors.New("types: required")
	}
	if err := c.language(set); err != nil {
		return nil, err
	}
	for _, sort := range slices.Sorted(maps.Keys(c.Preferred)) {
		set.Preferred[Sort(sort)] = c.Preferred[sort]
	}
	for _, sort := range slices.Sorted(maps.Keys(set.Preferred)) {
		name := set.Preferred[sort]
		if t, ok := set.Lookup(name); (!ok || t.Sort != sort) && c.Preferred[string(sort)] == name {
			return nil, fmt.Errorf("preferred.%s: the set has no type %s of this sort", sort, name)
		} else if !ok || t.Sort != sort {
			delete(set.Preferred, sort) // of the base, whose type c describes otherwise
		}
	}
	return set, nil
}

// language sets the language and the rules.
func (c TypeSetConfig) language(set *TypeSet) error {
	var languages, rules, ofLanguage []string // of the built-in sets
	if c.Language != "" {
		set.Language = c.Language
	}
	for _, known := range typeSets {
		if known.Language != "" {
			languages = append(languages, known.Language)
		}
		rules = append(rules, known.Rules...)
		if known.Language == set.Language {
			ofLanguage = append(ofLanguage, known.Rules...)
		}
	}
	languages, rules, ofLanguage = distinct(languages), distinct(rules), distinct(ofLanguage)
	if set.Language != "" && !slices.Contains(languages, set.Language) {
		return fmt.Errorf("language: no language %q (have %s; leave it out for any other)", set.Language, strings.Join(languages, ", "))
	}
	switch {
	case c.Rules != nil:
		set.Rules = append([]string{}, c.Rules...)
	case c.Language != "" || set.Rules == nil:
		set.Rules = ofLanguage
	}
	for i, name := range set.Rules {
		if !slices.Contains(rules, name) || slices.Contains(set.Rules[:i], name) {
			return fmt.Errorf("rules: %q is not one of %s, once each", name, strings.Join(rules, ", "))
		}
	}
	return nil
}

func distinct(names []string) []string {
	slices.Sort(names)
	return slices.Compact(names)
}

func (c TypeConfig) build(name string) (Type, error) {
	if !wellFormed(name) {
		return Type{}, errors.New("a name is at most 64 letters, digits, '_', '-' and '.', of which the first is a letter")
	}
	t := Type{Name: name, Sort: c.Sort, Category: c.Category, Clinician: c.Clinician}
	var usual Type
	switch {
	case c.Sort != "" && !slices.Contains(Sorts(), c.Sort):
		return Type{}, fmt.Errorf("sort: no sort %q (have %s)", c.Sort, sortNames())
	case c.Sort != "":
		usual = usualType(c.Sort, c.Clinician)
	default:
		usual = lookupAnywhere(name)
		if usual.Sort == "" {
			return Type{}, fmt.Errorf("sort: required, because no built-in set has this type (have %s)", sortNames())
		}
		t.Sort, t.Clinician = usual.Sort, usual.Clinician || c.Clinician
	}
	if t.Clinician && t.Sort != Person {
		return Type{}, fmt.Errorf("clinician: requires the sort person, not %s", t.Sort)
	}
	if t.Category == "" {
		t.Category = usual.Category
	}
	if !wellFormed(t.Category) {
		return Type{}, fmt.Errorf("category: %q is not at most 64 letters, digits, '_', '-' and '.', of which the first is a letter", t.Category)
	}
	t.HIPAA = usual.HIPAA
	if c.HIPAA != nil {
		t.HIPAA = *c.HIPAA
	}
	return t, nil
}

func sortNames() string {
	var names []string
	for _, s := range Sorts() {
		names = append(names, string(s))
	}
	return strings.Join(names, ", ")
}

// usualType returns the first type of a sort in the built-in sets, which
// determines the category and the HIPAA mark of own types of that sort.
func usualType(sort Sort, clinician bool) Type {
	for _, set := range []*TypeSet{I2B2, I2B22006, MEDDOCAN} {
		for _, t := range set.Types {
			if t.Sort == sort && t.Clinician == clinician {
				return t
			}
		}
	}
	return Type{Category: "OTHER", Sort: sort}
}

// Difference returns "" if two sets have the same name and content. Otherwise, it
// says how they differ, in words that can follow a colon.
func (s *TypeSet) Difference(other *TypeSet) string {
	switch {
	case s == other:
		return ""
	case s.Name != other.Name:
		return s.Name + " and " + other.Name
	}
	both := "two different sets called " + s.Name
	for _, pair := range [][2]*TypeSet{{s, other}, {other, s}} {
		for _, t := range pair[0].Types {
			if again, ok := pair[1].Lookup(t.Name); !ok {
				return fmt.Sprintf("%s, of which one lacks the type %s", both, t.Name)
			} else if again != t {
				return fmt.Sprintf("%s, which describe the type %s differently", both, t.Name)
			}
		}
	}
	if s.open != other.open || s.Language != other.Language || !slices.Equal(s.Rules, other.Rules) || !maps.Equal(s.Preferred, other.Preferred) {
		return both + ", which differ in the language, the rules or the preferred types"
	}
	return ""
}

// WithTypes returns the set itself if it names its types. For the open set, it
// returns a set of the same name with the types of the documents' spans, for
// scores that require all types to be known.
func (s *TypeSet) WithTypes(docs []*Document) *TypeSet {
	if !s.open {
		return s
	}
	named := &TypeSet{Name: s.Name, Language: s.Language, Rules: s.Rules, open: true}
	for _, name := range s.Used(docs) {
		t, _ := s.Lookup(name)
		if t.Name == "" {
			t.Name, t.Category = name, name
		}
		named.Types = append(named.Types, t)
	}
	return named
}
