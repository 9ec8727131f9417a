package experiments

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
)

// Variant returns a copy of the experiment with the changes of an ablation: first, it takes nodes
// away, then it applies the settings as With does.
func (c *Config) Variant(a Ablation) (*Config, error) {
	reduced := c
	if len(a.Without) > 0 {
		var err error
		if reduced, err = c.without(a.Without); err != nil {
			return nil, err
		}
	}
	return reduced.With(a.Set...)
}

// Changes describes the changes of an ablation.
func (a Ablation) Changes() []string {
	changes := []string{}
	for _, path := range a.Without {
		changes = append(changes, "without "+path)
	}
	return append(changes, a.Set...)
}

// without returns a copy of the experiment that lacks the nodes with the given keys. The copy is not
// validated.
func (c *Config) without(paths []string) (*Config, error) {
	raw, err := yaml.Marshal(c)
	if err != nil {
		return nil, err
	}
	var tree any
	if err := yaml.Unmarshal(raw, &tree); err != nil {
		return nil, err
	}
	for _, path := range paths {
		if tree, err = prune(tree, strings.Split(path, ".")); err != nil {
			return nil, fmt.Errorf("without %s: %w", path, err)
		}
	}
	if raw, err = yaml.Marshal(tree); err != nil {
		return nil, err
	}
	reduced := &Config{}
	return reduced, decode("", raw, reduced)
}

// prune returns the tree without the node at the end of a path of keys. The elements of a list have
// their names as keys. An element of a list is removed; a system with another system below it, such
// as a second pass, is replaced with the system below.
func prune(tree any, path []string) (any, error) {
	key, last := path[0], len(path) == 1
	switch node := tree.(type) {
	case map[string]any:
		value, ok := node[key]
		if !ok {
			return nil, fmt.Errorf("no key %s", key)
		}
		if last {
			settings, _ := value.(map[string]any)
			below, ok := settings["system"]
			if !ok || len(node) != 1 {
				return nil, errors.New("is neither an element of a list nor a tagger with another one below it")
			}
			return below, nil
		}
		kept, err := prune(value, path[1:])
		node[key] = kept
		return node, err
	case []any:
		at := slices.IndexFunc(node, func(element any) bool {
			settings, _ := element.(map[string]any)
			return settings["name"] == key
		})
		if at < 0 {
			return nil, fmt.Errorf("no element of the list has the name %s", key)
		}
		if last {
			return slices.Delete(node, at, at+1), nil
		}
		kept, err := prune(node[at], path[1:])
		node[at] = kept
		return node, err
	}
	return nil, fmt.Errorf("no key %s", key)
}
