package experiments

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/evaluation/metrics"
	"github.com/lethe-deid/lethe/models"
)

// TypeSet returns the set of the types that a system learns from the corpus. It panics if Types or
// Map is not valid, which Config.Validate reports as an error.
func (c *Corpus) TypeSet() *data.TypeSet {
	_, types, err := c.types()
	if err != nil {
		panic(fmt.Errorf("experiments: corpus.%w", err))
	}
	return types
}

// types returns the set of the types in the files, and that of the types after Map.
func (c *Corpus) types() (files, mapped *data.TypeSet, err error) {
	if files, err = c.Types.Stored(); err != nil {
		return nil, nil, fmt.Errorf("types: %w", err)
	}
	m, err := c.typeMap()
	if err != nil || m == nil {
		return files, files, err
	}
	if mapped, err = m.Result(files); err != nil {
		return nil, nil, fmt.Errorf("map: %w", err)
	}
	if m.Types != nil {
		if differs := m.Types.Difference(files); differs != "" {
			return nil, nil, fmt.Errorf("map: the types that result are not corpus.types: %s", differs)
		}
		files = data.Any
	}
	return files, mapped, nil
}

// typeMap returns the map, or nil if there is none.
func (c *Corpus) typeMap() (*data.TypeMap, error) {
	if c.Map.IsZero() {
		return nil, nil
	}
	m, err := c.Map.Open(data.RefuseOthers)
	if err != nil {
		return nil, fmt.Errorf("map: %w", err)
	}
	if files, err := c.Types.Stored(); err == nil {
		m = m.For(files)
	}
	return m, nil
}

// mapped applies Map, if there is one, to the documents of the files.
func (c *Corpus) mapped(docs data.Documents, counts *data.MapCounts) (data.Documents, error) {
	m, err := c.typeMap()
	if err != nil {
		return nil, fmt.Errorf("corpus.%w", err)
	}
	if m == nil {
		return docs, nil
	}
	return m.Apply(docs, counts), nil
}

// MapLines reads all splits and returns lines for people: what Map did to the spans of each split, as it is after
// HoldOut and other divisions, and, if the map is the user's own and all notes can be read, which of its types occur in
// none. It returns no lines if there is no map.
func (c *Corpus) MapLines() ([]string, error) {
	m, err := c.typeMap()
	if err != nil || m == nil {
		return nil, err
	}
	var lines []string
	var total data.MapCounts
	unread := false
	plain := *c // the corpus as it would be without the map
	plain.Map = data.TypeMapConfig{}
	files, _, err := c.types()
	if err != nil {
		return nil, err
	}
	plain.Types = files.Config()
	var parts map[string][]*data.Document
	if c.cuts(TrainSplit) {
		if parts, err = plain.part(nil); err != nil {
			return nil, nil // reported when the split is read
		}
	}
	for _, split := range c.SplitNames() {
		var counts data.MapCounts
		docs, err := data.Each(parts[split]), error(nil)
		if !c.cuts(split) {
			docs, err = plain.source(split)
		}
		if err != nil {
			unread = true // reported when the split is read
			continue
		}
		for _, err := range m.Apply(docs, &counts) {
			unread = unread || err != nil
		}
		if done := counts.Summary(m); done != "" {
			lines = append(lines, fmt.Sprintf("map %s, %s: %s", m.Name, split, done))
		}
		total.Add(counts)
	}
	if absent := m.Absent(total); len(absent) > 0 && !unread {
		lines = append(lines, fmt.Sprintf("map %s: types that occur in no split: %s", m.Name, strings.Join(absent, ", ")))
	}
	return lines, nil
}

// MetricTypes returns the type set with which metrics are looked up: TypeSet or, if that is the open
// set and an average over types is among the named metrics, the set of all types that occur in the
// splits, which it reads.
func (c *Corpus) MetricTypes(names []string, progress models.Progress) (*data.TypeSet, error) {
	types := c.TypeSet()
	if len(types.Types) > 0 || !slices.ContainsFunc(names, metrics.OverTypes) {
		return types, nil
	}
	var all []*data.Document
	for _, split := range c.SplitNames() {
		docs, err := c.Load(split, progress)
		if err != nil {
			return nil, err
		}
		all = append(all, docs...)
	}
	return types.WithTypes(all), nil
}

// resolveTypes replaces the paths of files by what the files contain, and sets the default of Types.
func (c *Corpus) resolveTypes() error {
	if err := resolveSet("map.to", &c.Map.To); err != nil {
		return err
	}
	if err := resolveName("map", &c.Map.Name, builtInMap, len(c.Map.Types) == 0); err != nil {
		return err
	}
	m, err := c.typeMap()
	if err != nil {
		return err
	}
	if m != nil {
		c.Map = m.Config()
	}
	if err := resolveSet("types", &c.Types); err != nil {
		return err
	}
	if c.Types.IsZero() {
		c.Types.Name = DefaultTypes(c.Format)
		if types := c.generator("").Types(); c.Format == synthetic && types != nil {
			c.Types.Name = types.Name
		}
		if m != nil && m.Types != nil {
			c.Types = m.Types.Config()
		}
	}
	if c.Types.IsZero() {
		return nil // reported by validateTypes
	}
	types, err := c.Types.Open()
	if err != nil {
		return fmt.Errorf("types: %w", err)
	}
	c.Types = types.Config()
	return nil
}

func builtInSet(name string) bool { _, err := data.LookupTypeSet(name); return err == nil }
func builtInMap(name string) bool { _, err := data.LookupTypeMap(name); return err == nil }

// resolveSet makes the paths in the description of a type set absolute.
func resolveSet(key string, set *data.TypeSetConfig) error {
	if err := resolveName(key+".base", &set.Base, builtInSet, true); err != nil {
		return err
	}
	return resolveName(key, &set.Name, builtInSet, len(set.Types) == 0 && set.Base == "")
}

// resolveName makes a name absolute if it is the path of a file. A name with nothing that a path has
// stays as it is, so that the error for a misspelt one is about names.
func resolveName(key string, name *string, builtIn func(string) bool, mayBeFile bool) error {
	if !mayBeFile || builtIn(*name) || !strings.ContainsAny(*name, "./\\$") {
		return nil
	}
	path, err := resolvePath(key, *name)
	if err != nil {
		return err
	}
	*name = path
	return nil
}

func (c *Corpus) validateTypes() error {
	if c.Types.IsZero() {
		return fmt.Errorf("types: must be given for format %s (have %s, or the path of a file: see lethe types)", c.Format, strings.Join(data.TypeSetNames(), ", "))
	}
	_, _, err := c.types()
	return err
}
