package engine

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid"
	"github.com/lethe-deid/lethe/deid/policy"
	"github.com/lethe-deid/lethe/deid/replace"
	"github.com/lethe-deid/lethe/deid/safetynet"
)

// Request is what a caller wants that is different from the options of the engine. The zero value wants nothing different.
type Request struct {
	Policy  string                        // a built-in policy, or the name of the engine's own; "" means the engine's own
	Replace replace.Kind                  // "" means the engine's own
	ByType  map[string]replace.Kind       // kinds of replacement by type, besides the engine's own if Policy is the engine's own; may be nil
	Marked  bool                          // the Spans of the notes are the PHI; nothing is searched for, and the other fields below do not apply
	Rules   func(text string) []data.Span // additional rules, for types of the engine; may be nil
	Deny    []string                      // phrases that are always PHI, besides the engine's own: see safetynet.Phrases
	Allow   []string                      // phrases that are not PHI, besides the engine's own
}

// For returns what finds and replaces PHI for a request. The error says what the request demands in vain.
func (e *Engine) For(q Request) (*deid.Deidentifier, error) {
	d := e.base
	if q.Policy != "" || q.Replace != "" || len(q.ByType) > 0 {
		c, err := e.replacers.get(e, q)
		if err != nil {
			return nil, err
		}
		d.Replacer, d.ReplacerFor = c.one, c.byNotes
	}
	if q.Marked {
		d.Tagger, d.Exact, d.Net, d.Rules, d.Correct, d.Deny, d.Allow = nil, true, nil, nil, nil, nil, nil
		return &d, nil
	}
	var err error
	if d.Deny, err = d.Deny.With(q.Deny, e.Types, safetynet.OtherType(e.Types)); err != nil {
		return nil, fmt.Errorf("deny: %w", err)
	}
	if d.Allow, err = d.Allow.With(q.Allow, e.Types, ""); err != nil {
		return nil, fmt.Errorf("allow: %w", err)
	}
	if n := d.Deny.Shared(d.Allow); n > 0 {
		return nil, fmt.Errorf("deny: %d entries are also in allow", n)
	}
	if q.Rules != nil {
		own := d.Rules
		d.Rules = func(text string) []data.Span {
			spans := q.Rules(text)
			if own != nil {
				spans = append(spans, own(text)...)
			}
			return spans
		}
	}
	return &d, nil
}

// Finder returns what finds all PHI, whatever a policy would keep: it replaces each value with its type.
func (e *Engine) Finder(q Request) (*deid.Deidentifier, error) {
	q.Policy, q.Replace, q.ByType = policy.All, replace.Tag, nil
	return e.For(q)
}

// maxReplacers is the number of different demands for which replacers are kept.
const maxReplacers = 64

// replacers are the replacers of recent requests.
type replacers struct {
	mutex sync.Mutex
	of    map[string]chosen
}

func (r *replacers) get(e *Engine, q Request) (chosen, error) {
	key := q.Policy + "\x00" + string(q.Replace)
	for _, typ := range slices.Sorted(maps.Keys(q.ByType)) {
		key += "\x00" + typ + "\x00" + string(q.ByType[typ])
	}
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if c, ok := r.of[key]; ok {
		return c, nil
	}
	c, err := e.choose(q)
	if err != nil {
		return c, err
	}
	if r.of == nil || len(r.of) >= maxReplacers {
		r.of = map[string]chosen{}
	}
	r.of[key] = c
	return c, nil
}

// choose makes the replacers for a request.
func (e *Engine) choose(q Request) (c chosen, err error) {
	p, err := e.PolicyOf(q)
	if err != nil {
		return c, err
	}
	kind := cmp.Or(q.Replace, replace.Kind(e.setup.Replace))
	if !slices.Contains(replace.Kinds(), kind) { // the error must not repeat it: what a client mixes up may be PHI
		return c, fmt.Errorf("no such kind of replacement (have %s)", kindNames(""))
	}
	if kind.For() != "" {
		return c, fmt.Errorf("the replacement %s is only for values of the sort %s", kind, kind.For())
	}
	byType := map[string]replace.Kind{}
	if p == e.Policy {
		maps.Copy(byType, e.setup.byType) // they are exceptions from this policy, not from one that the request chooses
	}
	for typ, k := range q.ByType {
		if !e.Types.Has(typ) {
			return c, fmt.Errorf("a type of the replacements by type is not among those of the model")
		}
		if !slices.Contains(replace.Kinds(), k) {
			return c, fmt.Errorf("no such kind of replacement for the type %s (have %s)", typ, kindNames(e.Types.SortOf(typ)))
		}
		byType[typ] = k
	}
	plan, err := planOf(p, kind, byType, e.setup.also, e.Types)
	if err != nil {
		return c, err
	}
	for _, k := range plan.Kinds() {
		if k.Secret() && e.replacement.Key == nil {
			return c, fmt.Errorf("the replacement %s requires a key, which was not given", k)
		}
	}
	return e.replacersFor(plan)
}

// kindNames lists the kinds for values of a sort, or for all values if it is empty.
func kindNames(sort data.Sort) string {
	var names []string
	for _, k := range replace.KindsFor(sort) {
		names = append(names, string(k))
	}
	return strings.Join(names, ", ")
}

// policies lists the names of the policies that a request can choose.
func (e *Engine) policies() []string {
	names := policy.Names()
	if !slices.Contains(names, e.Policy.Name) {
		names = append(names, e.Policy.Name)
	}
	return names
}

// PolicyOf returns the policy that a request chooses.
func (e *Engine) PolicyOf(q Request) (*policy.Policy, error) {
	if q.Policy == "" || q.Policy == e.Policy.Name {
		return e.Policy, nil
	}
	if !slices.Contains(policy.Names(), q.Policy) { // not the path of a file
		return nil, fmt.Errorf("there is no policy of that name (have %s)", strings.Join(e.policies(), ", "))
	}
	return policy.Open(q.Policy)
}
