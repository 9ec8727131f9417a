package field

import (
	"slices"
	"strings"
)

// A Place is a path in records whose keys are read without regard to case, such as those of FHIR. Walking from Place to Place is faster
// than Table.Action, because each Place remembers its rule. Like its table, it is not safe for concurrent use.
type Place struct {
	table    *Table
	parent   *Place // nil for the root
	name     string // in lower case
	rule     int    // the index of the rule that decides, or -1
	inherits Action // the action of the nearest place above that has one for whole values, or ""
	children map[string]*Place
}

// Root returns the place of a record itself, which no rule matches.
func (t *Table) Root() *Place {
	if t.root == nil {
		t.root = &Place{table: t, rule: -1}
		t.folded = make([][]string, len(t.rules))
		for i, r := range t.rules {
			for _, e := range r.elements {
				t.folded[i] = append(t.folded[i], strings.ToLower(e))
			}
		}
	}
	return t.root
}

// Child returns the place of an element.
func (p *Place) Child(name string) *Place {
	if c, ok := p.children[name]; ok {
		return c
	}
	c := &Place{table: p.table, parent: p, name: strings.ToLower(name), rule: -1, inherits: p.inherits}
	at := c.path()
	for i := range p.table.rules {
		if matches(p.table.folded[i], at) {
			c.rule, p.table.used[i] = i, true
		}
	}
	if a, ok := c.Action(); ok {
		c.inherits = ""
		if a.Whole() || a == Hash {
			c.inherits = a
		}
	}
	if p.table.places < maxDecided {
		p.table.places++
		if p.children == nil {
			p.children = map[string]*Place{}
		}
		p.children[name] = c
	}
	return c
}

// Name returns the last element of the path, in lower case, or "" for the root.
func (p *Place) Name() string { return p.name }

// path returns the elements of the path, in lower case.
func (p *Place) path() []string {
	var at []string
	for ; p.parent != nil; p = p.parent {
		at = append(at, p.name)
	}
	slices.Reverse(at)
	return at
}

// Path returns the path in lower case, with dots between its elements.
func (p *Place) Path() string { return strings.Join(p.path(), ".") }

// IsRoot reports whether p is the place of a record itself.
func (p *Place) IsRoot() bool { return p.parent == nil }

// Action returns the action for a value at this place, and false if no rule matches it.
func (p *Place) Action() (Action, bool) {
	if p.rule < 0 {
		return "", false
	}
	return p.table.rules[p.rule].Action, true
}

// Own reports whether the rule for this place is that of a policy or an option.
func (p *Place) Own() bool { return p.rule >= 0 && p.table.rules[p.rule].own }

// Inherited returns the action for whole values or Hash of the nearest place above for which a rule has one, or "". It is for values where
// a record should have none: a name that is an object instead of a string, for example.
func (p *Place) Inherited() Action { return p.inherits }

// Drops is like Table.Drops.
func (p *Place) Drops() (bool, error) { return p.table.drops(p.rule) }
