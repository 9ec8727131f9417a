package experiments

import (
	"fmt"
	"slices"

	"github.com/goccy/go-yaml"

	"github.com/lethe-deid/lethe/internal/strictyaml"
)

// Variant returns a copy of the experiment with the changes of an ablation: first, it takes nodes
// away, then it applies the settings as With does.
func (c *Config) Variant(a Ablation) (*Config, error) {
	return c.copy(func(changed *Config) error {
		for _, path := range a.Without {
			if err := changed.remove(path); err != nil {
				return fmt.Errorf("without %w", err)
			}
		}
		return changed.apply(a.Set)
	})
}

// Changes describes the changes of an ablation.
func (a Ablation) Changes() []string {
	changes := []string{}
	for _, path := range a.Without {
		changes = append(changes, "without "+path)
	}
	return append(changes, a.Set...)
}

// remove takes away what is at a path (see strictyaml.ParsePath): a key gets its default again, an
// element of a list or an entry of a map is gone, and a tagger with another one below it, such as a
// second pass, is replaced by the one below. The result is not validated.
func (c *Config) remove(path string) error {
	if err := strictyaml.Check(path, c); err != nil {
		return err
	}
	raw, err := yaml.Marshal(c)
	if err != nil {
		return err
	}
	var tree any
	if err := yaml.Unmarshal(raw, &tree); err != nil {
		return err
	}
	steps, _ := strictyaml.ParsePath(path)
	if raw, err = yaml.Marshal(prune(tree, steps)); err != nil {
		return err
	}
	reduced := defaults()
	if err := decode("", raw, reduced); err != nil {
		return err
	}
	*c = *reduced
	return nil
}

// prune returns the tree without the node at the end of a path. A tree without such a node stays as it
// is, because it does not contain keys that have their defaults.
func prune(tree any, path []string) any {
	key, last := path[0], len(path) == 1
	switch node := tree.(type) {
	case map[string]any:
		value, ok := node[key]
		settings, _ := value.(map[string]any)
		switch {
		case !ok:
		case last && len(node) == 1 && settings["system"] != nil:
			return settings["system"]
		case last:
			delete(node, key)
		default:
			node[key] = prune(value, path[1:])
		}
	case []any:
		for i, element := range node {
			settings, _ := element.(map[string]any)
			switch {
			case settings["name"] != key && fmt.Sprintf("[%d]", i) != key:
			case last:
				return slices.Delete(node, i, i+1)
			default:
				node[i] = prune(element, path[1:])
			}
		}
	}
	return tree
}
