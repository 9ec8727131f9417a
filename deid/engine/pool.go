package engine

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/lethe-deid/lethe/deid"
)

// errStopped is the error of a call whose batch was given up.
var errStopped = errors.New("the model stopped unexpectedly")

// Pool is several engines under names, which many callers share. It is safe for concurrent use.
type Pool struct {
	named []Named
	open  atomic.Pointer[[]*Member]
}

// Named is the options of an engine, and its name.
type Named struct {
	Name string
	Options
}

// Member is an engine of a pool.
type Member struct {
	*Engine
	Name   string
	Digest string // of the model and its operating points
}

// NewPool opens engines, of which the first is the default. Documents of several callers at a time are tagged together. It is an
// error if two have the same name, or if their notes mark their PHI.
func NewPool(named ...Named) (*Pool, error) {
	p := &Pool{named: named}
	return p, p.Reload()
}

// Reload opens all engines again, and lets them take the place of the old ones if that succeeds. Callers that use an old one go on
// with it.
func (p *Pool) Reload() error {
	var all []*Member
	for _, n := range p.named {
		if slices.ContainsFunc(all, func(m *Member) bool { return m.Name == n.Name }) {
			return fmt.Errorf("duplicate model %s", n.Name)
		}
		m, err := n.open()
		if err != nil {
			return fmt.Errorf("model %s: %w", n.Name, err)
		}
		all = append(all, m)
	}
	if len(all) == 0 {
		return errors.New("no model")
	}
	p.open.Store(&all)
	return nil
}

func (n Named) open() (*Member, error) {
	if n.Marked {
		return nil, errors.New("a pool requires engines with models")
	}
	s, err := n.Check()
	if err != nil {
		return nil, err
	}
	e, err := s.Open()
	if err != nil {
		return nil, err
	}
	e.base.Tagger = &batched{tagger: e.base.Tagger}
	digest, err := e.Model.Digest()
	return &Member{e, n.Name, digest}, err
}

// All returns the engines, the default first.
func (p *Pool) All() []*Member { return slices.Clone(*p.open.Load()) }

// Get returns the engine of a name, or the default if it is "". The error lists all names.
func (p *Pool) Get(name string) (*Member, error) {
	all := *p.open.Load()
	for _, m := range all {
		if m.Name == cmp.Or(name, all[0].Name) {
			return m, nil
		}
	}
	var names []string
	for _, m := range all {
		names = append(names, m.Name)
	}
	return nil, fmt.Errorf("there is no model of that name (have %s)", strings.Join(names, ", "))
}

// Finder returns the engine of a name, or the default if it is "", and what finds all PHI with it: see [Engine.Finder].
func (p *Pool) Finder(name string) (*Member, *deid.Deidentifier, error) {
	m, err := p.Get(name)
	if err != nil {
		return nil, nil, err
	}
	finder, err := m.Finder(Request{})
	return m, finder, err
}

// ForLanguage returns the first engine for notes in a language, such as "en". ok is false if there is none.
func (p *Pool) ForLanguage(language string) (m *Member, ok bool) {
	all := *p.open.Load()
	i := slices.IndexFunc(all, func(m *Member) bool { return slices.Contains(m.Languages(), language) })
	if i < 0 {
		return nil, false
	}
	return all[i], true
}

// Languages returns the languages of the notes that the engine is for, or nil if they are unknown.
func (e *Engine) Languages() []string {
	switch {
	case e.Model == nil:
		return nil
	case len(e.Model.Languages("")) > 0:
		return e.Model.Languages("")
	case e.Types.Language != "":
		return []string{e.Types.Language}
	}
	return nil
}
