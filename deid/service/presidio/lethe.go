package presidio

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid/replace"
	"github.com/lethe-deid/lethe/deid/safetynet"
	"github.com/lethe-deid/lethe/deid/surrogate"
)

// own contains Lethe's own operators.
var own = []replace.Kind{replace.Numbered, replace.Surrogate, replace.Shift}

// ownOperators lists Lethe's operators that the server has.
func (s *service) ownOperators() []string {
	var names []string
	for _, kind := range own {
		if !kind.Secret() || len(s.Models.All()[0].Replacement().Key) > 0 {
			names = append(names, string(kind))
		}
	}
	return names
}

// kind returns the kind of replacement of one of Lethe's operators, or "" if the operator is Presidio's.
func (o operator) kind() replace.Kind {
	if name, ok := o.name.(string); ok && slices.Contains(own, replace.Kind(name)) {
		return replace.Kind(name)
	}
	return ""
}

// plan says what replaces the entities of a request.
type plan struct {
	operators map[string]operator
	keys      map[string]string // of the operators, by type; "" if there is none for the type
	made      map[*note][]made  // for each entity; nil if the request asks for none of Lethe's operators
}

func newPlan(operators map[string]operator) *plan {
	return &plan{operators: operators, keys: map[string]string{}}
}

// made is a replacement by one of Lethe's operators. It has no operator if one of Presidio's applies.
type made struct{ text, operator string }

// of returns the operator for a type: that of the type, of one of Presidio's types that stand for it, or the default.
func (p *plan) of(kind string) operator {
	if o, ok := p.given(kind); ok {
		return o
	}
	return p.otherwise()
}

// given returns the operator that the request has for a type.
func (p *plan) given(kind string) (operator, bool) {
	key, ok := p.keys[kind]
	if !ok {
		names := append([]string{kind}, otherNames(kind)...)
		if i := slices.IndexFunc(names, func(name string) bool { _, ok := p.operators[name]; return ok }); i >= 0 {
			key = names[i]
		}
		p.keys[kind] = key
	}
	return p.operators[key], key != ""
}

// otherwise returns the operator for types that have none.
func (p *plan) otherwise() operator {
	if o, ok := p.operators[byDefault]; ok {
		return o
	}
	return operator{name: "replace"}
}

// plan returns what replaces the entities of a request.
func (s *service) plan(request *object, operators map[string]operator, notes []*note) (*plan, error) {
	p := newPlan(operators)
	needed := request.get("policy") != nil
	for _, n := range notes {
		needed = needed || slices.ContainsFunc(n.entities, func(e entity) bool { return p.of(e.kind).kind() != "" })
	}
	if !needed {
		return p, nil
	}
	model, err := s.model(request.get("language"))
	if err != nil {
		return nil, err
	}
	kinds, err := p.kinds(model, request.get("policy"), notes)
	if err != nil {
		return nil, err
	}
	for _, kind := range kinds.Kinds() {
		if kind.Secret() && len(model.Replacement().Key) == 0 {
			return nil, invalid("Invalid input, %s requires a key, and this server has none", kind)
		}
	}
	groups, err := patientsOf(request, model, notes)
	if err != nil {
		return nil, err
	}
	p.made = map[*note][]made{}
	for _, g := range groups {
		replacer, err := replace.New(kinds, g.options(model, request.get("language")))
		if err != nil {
			return nil, invalid("Invalid input, %s", err.Error())
		}
		if err := p.make(replacer, g); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// kinds returns the kind of replacement of each type. It is the tag where one of Presidio's operators applies.
func (p *plan) kinds(model Model, policy any, notes []*note) (kinds replace.Plan, err error) {
	rest := p.otherwise()
	if rest.kind() == replace.Shift {
		return kinds, invalid("Invalid input, shift replaces only dates, so it cannot be the default of all types")
	}
	kinds.Default = cmp.Or(rest.kind(), replace.Tag)
	if policy != nil {
		rules, err := model.Policy(str(policy))
		if err != nil {
			return kinds, invalid("Invalid input, %s", err.Error())
		}
		if rest.name == "keep" {
			return kinds, invalid("Invalid input, the default keep would leave what the policy removes")
		}
		if kinds, err = rules.Plan(kinds.Default, nil); err != nil {
			return kinds, invalid("Invalid input, %s", err.Error())
		}
	}
	if kinds.ByType == nil {
		kinds.ByType = map[string]replace.Kind{}
	}
	for _, n := range notes {
		for _, e := range n.entities {
			o, ok := p.given(e.kind)
			if !ok {
				continue
			}
			kinds.ByType[e.kind] = cmp.Or(o.kind(), replace.Tag)
			if o.kind() == replace.Shift && sortOf(model, e.kind) != data.Date {
				return kinds, invalid("Invalid input, shift replaces only dates, and %s is no type of dates", e.kind)
			}
		}
	}
	return kinds, nil
}

// sortOf returns the sort of a type of either world.
func sortOf(model Model, kind string) data.Sort {
	return cmp.Or(sortsOf(model)[kind], data.Any.SortOf(kind))
}

// sortsOf returns the sorts of the model's types, of the server's own, and of Presidio's.
func sortsOf(model Model) map[string]data.Sort {
	sorts := map[string]data.Sort{}
	for _, e := range entityTypes {
		sorts[e.name] = e.sort
	}
	for _, t := range model.Types().Types {
		if t.Sort != "" {
			sorts[t.Name] = t.Sort
		}
	}
	maps.Copy(sorts, model.Replacement().Sorts)
	return sorts
}

// patient is a patient of a request.
type patient struct {
	group string
	notes []*note
	names []string // known names
}

// patientsOf returns the patients of a request. A text without a patient has one of its own, who is the same when the same text comes again.
func patientsOf(request *object, model Model, notes []*note) ([]*patient, error) {
	names, err := eachText(request.get("patient"), len(notes), "patient", patientOf)
	if err != nil {
		return nil, err
	}
	known, err := eachText(request.get("known"), len(notes), "known", readKnown)
	if err != nil {
		return nil, err
	}
	var all []*patient
	byGroup := map[string]*patient{}
	for i, n := range notes {
		group := names[i]
		if group == "" {
			sum := sha256.Sum256([]byte(n.text))
			group = "\x00text " + hex.EncodeToString(sum[:])
		}
		g := byGroup[group]
		if g == nil {
			g = &patient{group: group}
			all, byGroup[group] = append(all, g), g
		}
		g.notes = append(g.notes, n)
		for _, v := range safetynet.ValuesOf(known[i], model.Types()) {
			if v.Kind == safetynet.Name || v.Kind == safetynet.Clinician {
				g.names = append(g.names, v.Text)
			}
		}
	}
	return all, nil
}

// options returns what the replacements for a patient follow from. If the request names no language, it is that of the first text that has one.
func (g *patient) options(model Model, language any) replace.Options {
	opt := model.Replacement()
	opt.Sorts, opt.Types = sortsOf(model), nil
	if opt.Language != "" {
		return opt
	}
	name, _ := language.(string)
	for _, n := range g.notes {
		name = cmp.Or(name, model.LanguageOf(n.text))
	}
	if l := surrogate.Language(name); l == surrogate.English || l == surrogate.Spanish {
		opt.Language = l
	}
	return opt
}

// make makes the replacements for the notes of a patient.
func (p *plan) make(replacer *replace.Replacer, g *patient) error {
	docs := make([]*data.Document, len(g.notes))
	for i, n := range g.notes {
		for _, e := range n.entities {
			if e.start > n.count() || e.end > n.count() {
				return outside(n.points, e)
			}
		}
		docs[i] = &data.Document{ID: fmt.Sprintf("%06d", i), Text: n.text, Spans: n.spans()}
	}
	slices.Sort(g.names)
	patient := replacer.Patient(g.group, docs, slices.Compact(g.names)...)
	for i, n := range g.notes {
		if err := p.makeIn(patient, docs[i], n); err != nil {
			return err
		}
	}
	return nil
}

// spans returns the entities that are not empty as spans, sorted.
func (n *note) spans() []data.Span {
	var spans []data.Span
	for _, e := range n.entities {
		if e.start < e.end {
			spans = append(spans, data.Span{Start: n.byteAt(e.start), End: n.byteAt(e.end), Type: e.kind, Score: 1})
		}
	}
	data.SortSpans(spans)
	return spans
}

// makeIn makes the replacements in a note.
func (p *plan) makeIn(patient *replace.Patient, doc *data.Document, n *note) error {
	p.made[n] = make([]made, len(n.entities))
	for _, layer := range layers(n.entities) {
		var spans []data.Span
		for _, i := range layer {
			e := n.entities[i]
			spans = append(spans, data.Span{Start: n.byteAt(e.start), End: n.byteAt(e.end), Type: e.kind, Score: 1})
		}
		clean, changes, err := patient.Replace(doc, spans)
		if err != nil {
			return &failure{errInternal.status, "No surrogate is left for a value."}
		}
		for k, change := range changes {
			p.made[n][layer[k]] = madeOf(change, clean.Text[change.New.Start:change.New.End])
		}
	}
	for i, e := range n.entities {
		if remains(p.made[n][i].operator) && (len(n.overlapping(i)) > 0 || len(n.inside(e.start, e.end, e.kind)) > 0) {
			p.made[n][i] = made{}
		}
	}
	return nil
}

// madeOf returns what a change makes of a value.
func madeOf(change replace.Change, text string) made {
	switch {
	case change.Kind == replace.Tag, text == "["+change.Old.Type+"]":
		return made{}
	case change.Kind == replace.Numbered:
		text = tag(strings.Trim(text, "[]"))
	}
	return made{text, string(change.Kind)}
}

// remains reports whether a kind of replacement can leave a part of a value in the text.
func remains(kind string) bool { return kind == string(replace.Keep) || replace.Kind(kind).Coarse() }

// layers divides entities, which are in the order of the text, into as few lists as possible of indices of disjoint ones. It leaves out empty
// entities.
func layers(entities []entity) [][]int {
	var layers [][]int
	for i, e := range entities {
		if e.start == e.end {
			continue
		}
		k := slices.IndexFunc(layers, func(l []int) bool { return entities[l[len(l)-1]].end <= e.start })
		if k < 0 {
			layers = append(layers, nil)
			k = len(layers) - 1
		}
		layers[k] = append(layers[k], i)
	}
	return layers
}

// eachText reads a value that is the same for all texts of a request, or a list with one value per text.
func eachText[T any](value any, texts int, key string, read func(any) (T, error)) ([]T, error) {
	values, ok := value.([]any)
	if !ok {
		values = slices.Repeat([]any{value}, texts)
	}
	if len(values) != texts {
		return nil, invalid("Invalid input, '%s' must be one value, or a list with one value per text (%d texts, %d values)", key, texts, len(values))
	}
	all := make([]T, texts)
	for i, v := range values {
		var err error
		if all[i], err = read(v); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// patientOf reads the patient of a text, or "" if it is unknown.
func patientOf(value any) (string, error) {
	switch v := value.(type) {
	case nil:
		return "", nil
	case string:
		return v, nil
	case int:
		return strconv.Itoa(v), nil
	}
	return "", invalid("Invalid input, the patient is neither a string nor a whole number")
}

// readKnown reads known values of a patient: an object with a value or a list of values under each key.
func readKnown(value any) (map[string][]string, error) {
	if value == nil {
		return nil, nil
	}
	wrong := invalid("Invalid input, known must be an object of strings or lists of strings")
	o, ok := value.(*object)
	if !ok {
		return nil, wrong
	}
	known := map[string][]string{}
	for _, f := range o.fields {
		values, ok := f.value.([]any)
		if !ok {
			values = []any{f.value}
		}
		for _, v := range values {
			text, ok := v.(string)
			if !ok {
				return nil, wrong
			}
			known[f.key] = append(known[f.key], text)
		}
	}
	return known, nil
}

// typesOf returns the types of a model that are for the language of a text, or all of them if the model has those of one language.
func typesOf(model Model, text string) *data.TypeSet {
	types := model.Types()
	if types.Language != "" {
		return types
	}
	for _, set := range data.TypeSets() {
		if set.Language == model.LanguageOf(text) && !slices.ContainsFunc(set.Types, func(t data.Type) bool { return !types.Has(t.Name) }) {
			return set
		}
	}
	return types
}

// addKnown adds the known values of a request to the entities of the notes.
func (s *service) addKnown(request *object, notes []*note) error {
	if request.get("known") == nil {
		return nil
	}
	known, err := eachText(request.get("known"), len(notes), "known", readKnown)
	if err != nil {
		return err
	}
	model, err := s.model(request.get("language"))
	if err != nil {
		return err
	}
	for i, n := range notes {
		net := &safetynet.Net{Types: typesOf(model, n.text)}
		for _, span := range net.Known(safetynet.ValuesOf(known[i], net.Types)).Find(n.text, nil) {
			n.entities = append(n.entities, entity{n.point(span.Start), n.point(span.End), span.Type, 1.0})
		}
	}
	return nil
}
