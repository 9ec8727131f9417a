package fhir

import (
	"slices"
	"strings"
	"testing"

	"github.com/lethe-deid/lethe/internal/fhirtest"
)

// TestElementsOfFHIR checks the facts about elements against the definitions.
func TestElementsOfFHIR(t *testing.T) {
	primitive := strings.Fields("base64Binary boolean canonical code date dateTime decimal id instant integer integer64 markdown oid positiveInt string time unsignedInt uri url uuid xhtml")
	dates, numbers := []string{"date", "dateTime", "instant"}, []string{"integer", "decimal", "integer64", "positiveInt", "unsignedInt"}
	types := map[string]map[string]bool{}
	facts := allElements()
	for _, version := range []string{"r4", "r5"} {
		for path, elements := range fhirtest.Elements(version) {
			for _, e := range elements {
				name := strings.ToLower(e.Name)
				for _, typ := range e.Types {
					name := name
					if choice, ok := strings.CutSuffix(name, "[x]"); ok {
						name = choice + strings.ToLower(typ)
					}
					if is := facts.isDate(name, strings.ToLower(path)+"."+name); is && slices.Contains(numbers, typ) || !is && slices.Contains(dates, typ) {
						t.Errorf("%s.%s is of the type %s, but the facts say %v for a date", path, name, typ, is)
					}
					if types[name] == nil {
						types[name] = map[string]bool{}
					}
					if slices.Contains(primitive, typ) {
						types[name][typ] = true
					}
					if kind, _, _ := strings.Cut(path, "."); typ == "instant" && slices.Contains(fhirtest.Usual, kind) && !facts.has(facts.instants, strings.ToLower(path)+"."+name) {
						t.Errorf("%s.%s is an instant", path, name)
					}
				}
			}
		}
	}
	for name, of := range types {
		if is := of["code"] && len(of) == 1; is != facts.codes[name] {
			t.Errorf("%s: always a code: %v, but the facts say %v", name, is, facts.codes[name])
		}
		if is := of["code"] && len(of) > 1; is != facts.sometimes[name] {
			t.Errorf("%s: sometimes a code: %v, but the facts say %v", name, is, facts.sometimes[name])
		}
	}
}
