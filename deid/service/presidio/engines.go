package presidio

import (
	"context"
	"slices"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid"
	"github.com/lethe-deid/lethe/deid/engine"
	"github.com/lethe-deid/lethe/deid/policy"
	"github.com/lethe-deid/lethe/deid/replace"
	"github.com/lethe-deid/lethe/deid/service/wire"
)

// Engines returns the models of a pool. A request for a language that no model names goes to the first model whose languages are unknown.
func Engines(p *engine.Pool) Models { return pool{p} }

type pool struct{ *engine.Pool }

// All implements Models.
func (p pool) All() []Model {
	var all []Model
	for _, m := range p.Pool.All() {
		all = append(all, newMember(m))
	}
	return all
}

// ForLanguage implements Models.
func (p pool) ForLanguage(language string) (Model, bool) {
	if m, ok := p.Pool.ForLanguage(language); ok {
		return newMember(m), true
	}
	all := p.Pool.All()
	i := slices.IndexFunc(all, func(m *engine.Member) bool { return len(m.Languages()) == 0 })
	if i < 0 {
		return nil, false
	}
	return newMember(all[i]), true
}

// member is a model of a pool.
type member struct {
	*engine.Member
	types *data.TypeSet
}

func newMember(m *engine.Member) *member {
	types := *m.Types
	if len(types.Types) == 0 { // an open set would claim to have every type
		types = data.TypeSet{Name: types.Name, Types: m.FoundTypes()}
	}
	return &member{m, &types}
}

func (m *member) Name() string                 { return m.Member.Name }
func (m *member) Types() *data.TypeSet         { return m.types }
func (m *member) Replacement() replace.Options { return m.Engine.Replacement() }

// LanguageOf implements Model.
func (m *member) LanguageOf(text string) string {
	if language := m.Engine.Types.Language; language != "" {
		return language
	}
	if all := m.Model.Languages(text); len(all) == 1 {
		return all[0]
	}
	return ""
}

// Policy implements Model.
func (m *member) Policy(name string) (*policy.Policy, error) {
	return m.PolicyOf(engine.Request{Policy: name})
}

// Find implements Model.
func (m *member) Find(ctx context.Context, notes []deid.Note) ([][]data.Span, error) {
	finder, err := m.Finder(engine.Request{})
	if err != nil {
		return nil, err
	}
	notes = slices.Clone(notes)
	for i, n := range notes {
		if finder.Net == nil && len(n.Known) > 0 {
			return nil, wire.Unprocessable("Invalid input, known requires the safety net, which this server does not use.")
		}
		notes[i].Known = append(slices.Clone(n.Known), m.Known.Of(n.Document)...)
	}
	spans := make([][]data.Span, len(notes))
	for i, r := range finder.Notes(ctx, notes) {
		if r.Err != nil {
			return nil, r.Err
		}
		for _, c := range r.Changes {
			spans[i] = append(spans[i], c.Old)
		}
	}
	return spans, nil
}
