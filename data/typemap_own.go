package data

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"

	"github.com/lethe-deid/lethe/internal/strictyaml"
)

// TypeMapConfig is a type map as a configuration refers to it: a built-in map by
// its name, as a text, and any other by a mapping with the keys of the fields:
//
//	types:
//	  PATIENT: NAME
//	  DOCTOR: NAME
//	  PROFESSION: drop
//	others: keep
type TypeMapConfig struct {
	// Name is the name of the map in messages. The default is the name of the file,
	// without its extension, or else "own". If nothing else is set, Name is the name
	// of a built-in map or the path of a YAML file with such a mapping.
	Name string `yaml:"name,omitempty" json:"name,omitempty"`
	// To is the type set after the mapping; default (zero): see TypeMap.Result.
	To TypeSetConfig `yaml:"to,omitempty" json:"to,omitzero"`
	// Types maps each type to its replacement. The values drop and "" drop its spans.
	Types map[string]string `yaml:"types" json:"types"`
	// Others says what becomes of types that are neither a key nor a replacement:
	// keep, drop or refuse. The default is refuse in an experiment, and drop for two
	// sides that are compared.
	Others Others `yaml:"others,omitempty" json:"others,omitempty"`
}

// SetText implements strictyaml.Short.
func (c *TypeMapConfig) SetText(text string) { *c = TypeMapConfig{Name: text} }

// IsZero reports whether there is no map.
func (c TypeMapConfig) IsZero() bool { return reflect.ValueOf(c).IsZero() }

func (c TypeMapConfig) isName() bool {
	name := c.Name
	c.Name = ""
	return name != "" && c.IsZero()
}

// plainMap is TypeMapConfig without its methods.
type plainMap TypeMapConfig

func (c TypeMapConfig) encoded() any {
	if c.isName() || c.IsZero() {
		return c.Name
	}
	return plainMap(c)
}

// MarshalYAML writes a map that is only named as a text.
func (c TypeMapConfig) MarshalYAML() (any, error) { return c.encoded(), nil }

// MarshalJSON writes a map that is only named as a text.
func (c TypeMapConfig) MarshalJSON() ([]byte, error) { return json.Marshal(c.encoded()) }

// Config describes the map: by its name if it is built in, and otherwise with all
// that it contains, so that the description depends on no file and no default.
func (m *TypeMap) Config() TypeMapConfig {
	if !m.Own {
		return TypeMapConfig{Name: m.Name}
	}
	c := TypeMapConfig{Name: m.Name, Types: m.To, Others: cmp.Or(m.Others, DropOthers)}
	if m.Types != nil {
		c.To = m.Types.Config()
	}
	return c
}

// Open returns the built-in map of this name, the map in the file of this name, or
// the map that the configuration itself describes. others is the default of
// Others.
func (c TypeMapConfig) Open(others Others) (*TypeMap, error) {
	if c.isName() {
		return OpenTypeMap(c.Name, others)
	}
	m := &TypeMap{Name: cmp.Or(c.Name, ownName), To: map[string]string{}, Others: cmp.Or(c.Others, others), Own: true}
	if len(c.Types) == 0 {
		return nil, errors.New("types: required")
	}
	for from, to := range c.Types {
		if to == string(DropOthers) {
			to = ""
		}
		m.To[from] = to
	}
	if !c.To.IsZero() {
		var err error
		if m.Types, err = c.To.Open(); err != nil {
			return nil, fmt.Errorf("to: %w", err)
		}
	}
	return m, m.Check()
}

// OpenTypeMap returns the built-in map with the given name (see LookupTypeMap), or
// the map in a YAML file: see TypeMapConfig. others is the default of Others.
func OpenTypeMap(nameOrPath string, others Others) (*TypeMap, error) {
	m, unknown := LookupTypeMap(nameOrPath)
	if unknown == nil {
		of := *m
		of.Others = others
		return &of, nil
	}
	raw, err := readNamed(nameOrPath, unknown)
	if err != nil {
		return nil, err
	}
	var c TypeMapConfig
	if err := strictyaml.Decode(nameOrPath, raw, (*plainMap)(&c)); err != nil {
		return nil, err
	}
	file := filepath.Base(nameOrPath)
	c.Name = cmp.Or(c.Name, strings.TrimSuffix(file, filepath.Ext(file)))
	if c.isName() {
		return nil, fmt.Errorf("%s: types: required", nameOrPath)
	}
	if m, err = c.Open(others); err != nil {
		return nil, fmt.Errorf("%s: %w", nameOrPath, err)
	}
	return m, nil
}
