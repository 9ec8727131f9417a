package taggers

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/check"
)

// System is a tree of taggers as it is in a configuration: a map with one entry, from
// the key of a kind to its settings, which may contain further systems.
type System map[string]Node

// Keys implements strictyaml.Union.
func (System) Keys() []string { return Kinds() }

// Fresh implements strictyaml.Union.
func (System) Fresh(key string) any { return New(key) }

// Root returns the system's uppermost node and its kind, or "" and nil unless there is
// exactly one.
func (s System) Root() (kind string, n Node) {
	for kind, n := range s {
		if len(s) == 1 {
			return kind, n
		}
	}
	return "", nil
}

// Validate returns an error that begins with the first key, from "system" on, whose
// value makes no sense. It opens no files.
func (s System) Validate(types *data.TypeSet) error {
	return s.walk("system", func(key string, n Node) error {
		if n == nil {
			return fmt.Errorf("%s: must have exactly one key (%s)", key, strings.Join(Kinds(), ", "))
		}
		if err := n.Validate(); err != nil {
			return fmt.Errorf("%s.%w", key, err)
		}
		if t, ok := n.(Typed); ok {
			for _, named := range t.TypeNames() {
				for _, name := range named.Names {
					if !types.Has(name) {
						return fmt.Errorf("%s.%s: %s is not a type of %s", key, named.Key, name, types.Name)
					}
				}
			}
		}
		return nil
	})
}

// Effects returns an error that begins with the first key, from "system" on, whose value has
// no effect, which is likely a mistake of the person who wrote the experiment.
func (s System) Effects() error {
	return s.walk("system", func(key string, n Node) error {
		if e, ok := n.(Effective); ok {
			if err := e.Effects(); err != nil {
				return fmt.Errorf("%s.%w", key, err)
			}
		}
		return nil
	})
}

// Check opens all files that the system requires but does not learn: rules, lists,
// resources and existing models. Its error begins with the first key whose file is
// broken.
func (s System) Check(types *data.TypeSet, workers int) error {
	return s.walk("system", func(key string, n Node) error {
		if c, ok := n.(Checker); ok {
			if err := c.Check(types, workers); err != nil {
				return fmt.Errorf("%s: %w", key, err)
			}
		}
		return nil
	})
}

// SetMinPatients sets the number of patients in whose training notes a word must occur to be in the
// files of the model, for all nodes. It returns an error that begins with the key of a node that
// learns and does not heed it, unless the number is 0. changed is the key of the first node that had
// another number, and not 0.
func (s System) SetMinPatients(least int) (changed string, err error) {
	err = s.walk("system", func(key string, n Node) error {
		_, fixed := n.(Fixed)
		switch c, ok := n.(Cleaner); {
		case ok:
			if before := c.SetMinPatients(least); before != 0 && before != least && changed == "" {
				changed = key
			}
		case n != nil && least > 0 && !fixed && len(Children(n)) == 0:
			return fmt.Errorf("%s: cannot be trained clean, because it does not say which words of the notes it stores", key)
		}
		return nil
	})
	return changed, err
}

// NeedsDev reports whether the training of a node of the system requires Task.Dev.
func (s System) NeedsDev() bool {
	needs := false
	_ = s.walk("", func(_ string, n Node) error { // visit returns no error
		if t, ok := n.(Tuned); ok && t.NeedsDev() {
			needs = true
		}
		return nil
	})
	return needs
}

// Labellings lists the different ways in which nodes of the system label notes.
func (s System) Labellings() []check.Labelling {
	var all []check.Labelling
	_ = s.walk("", func(_ string, n Node) error { // visit returns no error
		if l, ok := n.(Labeller); ok && !slices.Contains(all, l.Labelling()) {
			all = append(all, l.Labelling())
		}
		return nil
	})
	return all
}

// Columns lists the names of the columns that the system requires of notes, sorted.
func (s System) Columns() []string {
	var all []string
	_ = s.walk("", func(_ string, n Node) error { // visit returns no error
		if c, ok := n.(Columned); ok {
			all = append(all, c.Columns()...)
		}
		return nil
	})
	slices.Sort(all)
	return slices.Compact(all)
}

// Paths lists the files and folders that the system's settings name, with their keys
// relative to the system.
func (s System) Paths() []Path {
	var all []Path
	_ = s.walk("", func(key string, n Node) error { // visit returns no error
		if f, ok := n.(Files); ok {
			for _, p := range f.Paths() {
				all = append(all, Path{key[1:] + "." + p.Key, p.Value})
			}
		}
		return nil
	})
	return all
}

// walk visits a node before those below it, and stops at the first error. The key ends
// with the node's kind. For a system without a single root node, it is the system's own
// key, and the node is nil.
func (s System) walk(key string, visit func(key string, n Node) error) error {
	kind, n := s.Root()
	if n == nil {
		return visit(key, nil)
	}
	key += "." + kind
	if err := visit(key, n); err != nil {
		return err
	}
	for _, c := range Children(n) {
		if err := c.System.walk(key+"."+c.Key, visit); err != nil {
			return err
		}
	}
	return nil
}

// Tree draws the system, one node per line.
func (s System) Tree() string {
	var b strings.Builder
	s.draw(&b, "", "", "")
	return b.String()
}

// draw begins the line of the node itself with first, and the lines of the nodes below
// with rest.
func (s System) draw(b *strings.Builder, label, first, rest string) {
	kind, n := s.Root()
	if n == nil {
		b.WriteString(first + "nothing\n")
		return
	}
	if label != "" {
		label += ": "
	}
	fmt.Fprintf(b, "%s%s%s: %s\n", first, label, kind, n.Describe())
	children := Children(n)
	for i, c := range children {
		if i == len(children)-1 {
			c.System.draw(b, c.Label, rest+"└─ ", rest+"   ")
		} else {
			c.System.draw(b, c.Label, rest+"├─ ", rest+"│  ")
		}
	}
}
