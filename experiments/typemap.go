package experiments

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/internal/bounded"
	"github.com/lethe-deid/lethe/internal/strictyaml"
)

// LoadTypeMap returns a built-in type map by its name (see data.LookupTypeMap), or reads one from a
// YAML file:
//
//	to: i2b2-2006      # type set after the mapping; default any
//	types:
//	  CITY: LOCATION   # LOCATION itself does not change
//	  USERNAME: ""     # removed
func LoadTypeMap(nameOrPath string) (*data.TypeMap, error) {
	m, unknown := data.LookupTypeMap(nameOrPath)
	if unknown == nil {
		return m, nil
	}
	raw, err := bounded.ReadFile(nameOrPath, bounded.MaxConfig)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w, and there is no such file", unknown)
	} else if err != nil {
		return nil, err
	}
	var file struct {
		To    string            `yaml:"to"`
		Types map[string]string `yaml:"types"`
	}
	if err := strictyaml.Decode(nameOrPath, raw, &file); err != nil {
		return nil, err
	}
	m = &data.TypeMap{Name: nameOrPath, To: file.Types}
	if file.To != "" {
		if m.Types, err = data.LookupTypeSet(file.To); err != nil {
			return nil, fmt.Errorf("%s: to: %w", nameOrPath, err)
		}
	}
	if len(m.To) == 0 {
		return nil, fmt.Errorf("%s: types: required", nameOrPath)
	}
	if err := m.Check(); err != nil {
		return nil, fmt.Errorf("%s: types: %w", nameOrPath, err)
	}
	return m, nil
}
