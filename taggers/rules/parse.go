package rules

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/internal/bounded"
	"github.com/lethe-deid/lethe/internal/strictyaml"
)

// file is the content of a rule file; docs/rules.md describes it.
type file struct {
	Types       string              `yaml:"types"`    // name of the type set; "" allows any type
	Lexicons    map[string][]string `yaml:"lexicons"` // words and phrases
	Patterns    map[string]string   `yaml:"patterns"`
	Rules       []ruleEntry         `yaml:"rules"` // earlier rules have priority
	Corrections []correctionEntry   `yaml:"corrections"`
}

type ruleEntry struct {
	Name      string   `yaml:"name"`
	Type      string   `yaml:"type"`
	Score     *float64 `yaml:"score"` // score of its spans, in (0, 1]; default 1
	Find      string   `yaml:"find"`
	Before    string   `yaml:"before"` // expression directly before the span; "" allows anything, as in the fields below
	After     string   `yaml:"after"`
	NotBefore string   `yaml:"not_before"`
	NotAfter  string   `yaml:"not_after"`
	Except    string   `yaml:"except"` // expression that the span must not contain
	Match     []string `yaml:"match"`  // examples
	Not       []string `yaml:"not"`    // counterexamples
}

type correctionEntry struct {
	Name      string   `yaml:"name"`
	Action    string   `yaml:"action"` // grow, remove, cut or retype
	On        []string `yaml:"on"`     // types of the spans
	Type      string   `yaml:"type"`   // with retype: the new type
	Find      string   `yaml:"find"`
	Before    string   `yaml:"before"`
	After     string   `yaml:"after"`
	NotBefore string   `yaml:"not_before"`
	NotAfter  string   `yaml:"not_after"`
	Except    string   `yaml:"except"`
	Match     []string `yaml:"match"`
	Not       []string `yaml:"not"`
}

// Load reads a rule file.
func Load(path string) (*Set, error) {
	raw, err := bounded.ReadFile(path, bounded.MaxConfig)
	if err != nil {
		return nil, err
	}
	return parseFile(path, raw, bounded.IsBuiltin(path))
}

// parsed has the sets that Parse has returned, by the content of their files. A model of
// several parts has the same rules in several files, and most of the time to open it would
// be spent on them.
var parsed sync.Map

// Parse reads the rules in raw and tries their examples. Errors begin with path, line
// and column, and name the rule.
func Parse(path string, raw []byte) (*Set, error) { return parseFile(path, raw, false) }

// parseFile is Parse. The rules of a file that comes with Lethe need no trial, because the tests have tried them, and their contexts and
// the corrections are compiled when they are first used.
func parseFile(path string, raw []byte, ours bool) (*Set, error) {
	tested := ours && !testing.Testing()
	return once(path, raw, func(path string, raw []byte) (*Set, error) { return newSet(path, raw, tested) })
}

// once returns the set that make makes of raw, and makes it only if parsed does not have it.
func once(path string, raw []byte, make func(path string, raw []byte) (*Set, error)) (*Set, error) {
	known, _ := parsed.LoadOrStore(string(raw), sync.OnceValues(func() (*Set, error) { return make(path, raw) }))
	s, err := known.(func() (*Set, error))()
	if err != nil {
		parsed.Delete(string(raw))
		return make(path, raw) // for an error that names this path
	}
	return &Set{path: path, raw: s.raw, rules: s.rules, scan: s.scan, corrections: s.corrections, search: s.search, types: s.types}, nil
}

func newSet(path string, raw []byte, tested bool) (*Set, error) {
	var content file
	if err := strictyaml.Decode(path, raw, &content); err != nil {
		return nil, err
	}
	return content.set(path, raw, tested)
}

// set compiles the content of a file. tested means that tests have tried its examples, and that it has no errors.
func (f *file) set(path string, raw []byte, tested bool) (*Set, error) {
	p := parsing{path: path, raw: raw, file: *f, compiler: newCompiler(), tested: tested}
	p.compiler.tested = tested
	if err := p.definitions(); err != nil {
		return nil, err
	}
	set := &Set{path: path, raw: raw}
	known := map[string]bool{}
	for i, e := range p.file.Rules {
		r, err := p.rule(place{"rules", i}, e, known)
		if err != nil {
			return nil, err
		}
		set.rules = append(set.rules, r)
	}
	prepare(set.rules) // they are needed for each text, corrections and contexts for some
	set.scan = newScan(set.rules)
	for i, e := range p.file.Corrections {
		c, err := p.correction(place{"corrections", i}, e, known)
		if err != nil {
			return nil, err
		}
		set.corrections = append(set.corrections, c)
	}
	set.search = newScan(rulesOf(set.corrections))
	if len(known) == 0 {
		return nil, fmt.Errorf("%s: no rules", path)
	}
	set.types = typesOf(set.rules, set.corrections)
	return set, nil
}

// parsing is the state while a file is turned into a set.
type parsing struct {
	path     string
	raw      []byte
	file     file
	types    *data.TypeSet
	compiler *compiler
	tested   bool // the file comes with Lethe
}

// place is a path through the YAML: keys and indices.
type place []any

func (at place) key(steps ...any) place { return append(slices.Clone(at), steps...) }

// fail returns an error with the line and column of the value at a place or, if there
// is no such value, of the nearest value around it.
func (p *parsing) fail(at place, reason string, args ...any) error {
	where := p.path
	tree, err := parser.ParseBytes(p.raw, 0)
	for ; err == nil && len(at) > 0; at = at[:len(at)-1] {
		way := (&yaml.PathBuilder{}).Root()
		for _, step := range at {
			switch step := step.(type) {
			case int:
				way = way.Index(uint(step))
			case string:
				way = way.Child(step)
			}
		}
		if node, err := way.Build().FilterFile(tree); err == nil && node != nil && node.GetToken() != nil {
			if m, ok := node.(ast.MapNode); ok { // a map's own token is the first colon
				if keys := m.MapRange(); keys.Next() {
					node = keys.Key()
				}
			}
			pos := node.GetToken().Position
			where = fmt.Sprintf("%s:%d:%d", p.path, pos.Line, pos.Column)
			break
		}
	}
	return fmt.Errorf("%s: %s", where, fmt.Sprintf(reason, args...))
}

// definitions defines the named expressions.
func (p *parsing) definitions() error {
	if p.file.Types == "" {
		p.file.Types = "any"
	}
	var err error
	if p.types, err = data.LookupTypeSet(p.file.Types); err != nil {
		return p.fail(place{"types"}, "types: %v", err)
	}
	for _, name := range slices.Sorted(maps.Keys(p.file.Lexicons)) {
		at := place{"lexicons", name}
		entries := p.file.Lexicons[name]
		if err := p.define(at, "lexicon", name, lexicon(entries)); err != nil {
			return err
		}
		if len(entries) == 0 {
			return p.fail(at, "lexicon %q is empty", name)
		}
		for i, e := range entries {
			if strings.TrimSpace(e) == "" || strings.Join(strings.Fields(e), " ") != e {
				return p.fail(at.key(i), "lexicon %q: entry %d is empty, or has blanks other than single spaces between words", name, i+1)
			}
		}
		p.compiler.lexicons[name] = true
	}
	for _, name := range slices.Sorted(maps.Keys(p.file.Patterns)) {
		if err := p.define(place{"patterns", name}, "pattern", name, p.file.Patterns[name]); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p.file.Patterns)) { // all of them are defined now
		if _, err := newExpansion(p.compiler).expand(p.file.Patterns[name]); err != nil {
			return p.fail(place{"patterns", name}, "pattern %q: %v", name, err)
		}
	}
	return nil
}

func (p *parsing) define(at place, what, name, expression string) error {
	if !reference.MatchString("{" + name + "}") {
		return p.fail(at, "%s %q: a name consists of letters, digits, - and _, and begins with a letter", what, name)
	}
	if _, ok := orthography[name]; ok {
		return p.fail(at, "%s %q: the name is reserved for a form of words", what, name)
	}
	if _, ok := p.compiler.text[name]; ok {
		return p.fail(at, "%s %q: a lexicon has the same name", what, name)
	}
	p.compiler.text[name] = expression
	return nil
}

// name checks the name of a rule, and adds it to the known names.
func (p *parsing) name(at place, name string, known map[string]bool) error {
	switch {
	case name == "":
		return p.fail(at, "a rule without a name")
	case known[name]:
		return p.fail(at.key("name"), "rule %q: duplicate name", name)
	}
	known[name] = true
	return nil
}

func (p *parsing) typ(at place, rule, key, typ string) error {
	if typ == "" {
		return p.fail(at, "rule %q: %s is missing", rule, key)
	}
	if !p.types.Has(typ) {
		return p.fail(at, "rule %q: %s: %s is not a type of %s", rule, key, typ, p.types.Name)
	}
	return nil
}

func (p *parsing) rule(at place, e ruleEntry, known map[string]bool) (rule, error) {
	if err := p.name(at, e.Name, known); err != nil {
		return rule{}, err
	}
	if err := p.typ(at.key("type"), e.Name, "type", e.Type); err != nil {
		return rule{}, err
	}
	r := rule{name: e.Name, typ: e.Type, score: 1, preceded: e.Before != ""}
	if e.Score != nil {
		if r.score = *e.Score; r.score <= 0 || r.score > 1 {
			return rule{}, p.fail(at.key("score"), "rule %q: score: %v is not in (0, 1]", e.Name, r.score)
		}
	}
	for _, x := range []struct {
		key, left, expression, right string
		into                         *lazily
	}{
		{"except", anything, e.Except, "", &r.except},
		{"not_before", anything, e.NotBefore, `\z`, &r.notBefore},
		{"not_after", "", e.NotAfter, "", &r.notAfter},
	} {
		if x.expression == "" {
			continue
		}
		var err error
		if *x.into, err = p.program(func() (*program, error) { return p.compiler.context(x.left, x.expression, x.right) }); err != nil {
			return rule{}, p.fail(at.key(x.key), "rule %q: %s: %v", e.Name, x.key, err)
		}
	}
	if e.Find == "" {
		return rule{}, p.fail(at, "rule %q: find is missing", e.Name)
	}
	var err error
	if r.whole, err = p.program(func() (*program, error) { return p.compiler.compile(e.Before, e.Find, e.After) }); err != nil {
		key := "find"
		if part := (*partError)(nil); errors.As(err, &part) {
			key = part.key
		}
		return rule{}, p.fail(at.key(key), "rule %q: %s: %v", e.Name, key, err)
	}
	return r, p.examples(at, r, e.Match, e.Not)
}

func (p *parsing) correction(at place, e correctionEntry, known map[string]bool) (correction, error) {
	if len(e.On) == 0 {
		return correction{}, p.fail(at, "rule %q: on is missing", e.Name)
	}
	for i, t := range e.On {
		if err := p.typ(at.key("on", i), e.Name, "on", t); err != nil {
			return correction{}, err
		}
	}
	typ := e.Type
	switch e.Action {
	case grow, remove, cut:
		if typ != "" {
			return correction{}, p.fail(at.key("type"), "rule %q: type is for %s only", e.Name, retype)
		}
		typ = e.On[0] // not used, but checked below
	case retype:
	default:
		return correction{}, p.fail(at.key("action"), "rule %q: action is %q, not %s, %s, %s or %s", e.Name, e.Action, grow, remove, cut, retype)
	}
	r, err := p.rule(at, ruleEntry{Name: e.Name, Type: typ, Find: e.Find, Before: e.Before, After: e.After,
		NotBefore: e.NotBefore, NotAfter: e.NotAfter, Except: e.Except, Match: e.Match, Not: e.Not}, known)
	if err != nil {
		return correction{}, err
	}
	return correction{rule: r, action: e.Action, on: e.On, typ: e.Type}, nil
}

// program compiles an expression, at once if it could have errors.
func (p *parsing) program(compile func() (*program, error)) (lazily, error) {
	if p.tested {
		return sync.OnceValue(func() *program {
			done, err := compile()
			if err != nil {
				panic(err) // tests compile it
			}
			return done
		}), nil
	}
	done, err := compile()
	return func() *program { return done }, err
}

// examples tries the examples of a rule.
func (p *parsing) examples(at place, r rule, match, not []string) error {
	if p.tested {
		return nil
	}
	if len(match) == 0 || len(not) == 0 {
		return p.fail(at, "rule %q: requires at least one text that it matches (match) and one that it does not match (not)", r.name)
	}
	sc := newScan([]rule{r})
	find := func(text string) []data.Span { return spansOf(sc.search(text)) }
	for i, example := range match {
		text, want, err := unmark(example)
		if err != nil {
			return p.fail(at.key("match", i), "rule %q: example %d: %v", r.name, i+1, err)
		}
		if len(want) == 0 {
			return p.fail(at.key("match", i), "rule %q: example %d marks no span with « »", r.name, i+1)
		}
		got := find(text)
		equal := slices.EqualFunc(got, want, func(a, b data.Span) bool { return a.Start == b.Start && a.End == b.End })
		if !equal {
			return p.fail(at.key("match", i), "rule %q: example %d: the rule finds %s", r.name, i+1, marked(text, got))
		}
	}
	for i, example := range not {
		if got := find(example); len(got) > 0 {
			return p.fail(at.key("not", i), "rule %q: counterexample %d: the rule finds %s", r.name, i+1, marked(example, got))
		}
	}
	return nil
}

// unmark removes the marks « » from an example, and returns the spans between them.
func unmark(example string) (text string, spans []data.Span, err error) {
	open := -1
	var b strings.Builder
	for _, r := range example {
		switch {
		case r == '«' && open < 0:
			open = b.Len()
		case r == '»' && open >= 0:
			spans = append(spans, data.Span{Start: open, End: b.Len()})
			open = -1
		case r == '«' || r == '»':
			return "", nil, errors.New("unpaired « or »")
		default:
			b.WriteRune(r)
		}
	}
	if open >= 0 {
		return "", nil, errors.New("unpaired « or »")
	}
	return b.String(), spans, nil
}

// marked is the inverse of unmark. It is only used for examples from the rule file.
func marked(text string, spans []data.Span) string {
	if len(spans) == 0 {
		return "nothing"
	}
	var b strings.Builder
	end := 0
	for _, s := range spans {
		b.WriteString(text[end:s.Start] + "«" + text[s.Start:s.End] + "»")
		end = s.End
	}
	return fmt.Sprintf("%q", b.String()+text[end:])
}
