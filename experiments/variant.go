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

// CheckVaried returns an error if a key is not one that a study can vary, because all of its runs have the same, or because it decides which
// runs there are.
func CheckVaried(path string) error {
	if steps, ok := strictyaml.ParsePath(path); ok && slices.Contains([]string{"name", "seed", "seeds", "ablations"}, steps[0]) {
		return fmt.Errorf("%s: cannot be varied, because a study decides it for all of its runs", path)
	}
	return nil
}

// SameSplit returns an error if a split can have other notes, annotations or types in another corpus, so that scores on it cannot be compared.
func (c *Corpus) SameSplit(other *Corpus, split string) error {
	if err := other.CheckSplit(split); err != nil {
		return fmt.Errorf("the corpus has %w", err)
	}
	if key, _, _ := strictyaml.Difference(c.only(split), other.only(split)); key != "" {
		return fmt.Errorf("corpus.%s: must not change the notes of %s, their annotations or types, because the scores could not be compared", key, split)
	}
	return nil
}

// only returns the corpus without what has no influence on a split.
func (c *Corpus) only(split string) *Corpus {
	o, sources := *c, []string{split}
	o.Subset, o.Copies, o.AllowOverlap = Subset{}, Copies{}, false
	if c.cuts(split) {
		sources = c.sources(TrainSplit)
	} else {
		o.Merge, o.Fold, o.HoldOut = nil, Fold{}, HoldOut{}
		if c.Format != synthetic {
			o.Seed = 0
		}
	}
	if split != DevSplit {
		o.HoldOut = HoldOut{}
	}
	o.Splits, o.Notes = map[string]Sources{}, map[string]int{}
	for _, name := range sources {
		o.Splits[name], o.Notes[name] = c.Splits[name], c.Notes[name]
	}
	return &o
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
