package notefile

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid/field"
	"github.com/lethe-deid/lethe/internal/fhirtest"
)

// fhirOptions are the options of a run with the built-in table and further rules.
func fhirOptions(t testing.TB, rules ...string) Options {
	t.Helper()
	own, err := field.ParseRules(rules)
	if err != nil {
		t.Fatal(err)
	}
	return Options{Types: data.I2B2, Fields: field.With(field.Builtin("fhir"), own), Pseudonym: field.Pseudonyms([]byte("a key of at least sixteen bytes"))}
}

// removed reads a file and writes it with other values in place of all texts and values: the year of a date if years is true, and otherwise
// a tag. Terms stay.
func removed(t testing.TB, name, file string, o Options, years bool) string {
	t.Helper()
	f, err := Lookup("fhir")
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	for r, err := range f.Read(strings.NewReader(file), name, o) {
		if err != nil {
			t.Fatal(err)
		}
		edits := make([][]Edit, len(r.Notes))
		for i, n := range r.Notes {
			e := Edit{End: len(n.Text), New: "[X]", Type: "X"}
			switch {
			case n.Field == field.Known:
				continue
			case n.isValue():
				e.Start = n.Spans[0].Start
				if years && n.Spans[0].Type == "DATE" {
					e.New = n.Text[e.Start:][:4]
				}
			}
			edits[i] = []Edit{e}
		}
		raw, err := r.Encode(edits)
		if err != nil {
			t.Fatal(err)
		}
		out.Write(raw)
	}
	return out.String()
}

// everyResource calls check with Bundles of the usual types of resources or, with -records, of all types in as many variants.
func everyResource(t *testing.T, check func(t *testing.T, g *fhirtest.Generator, in string)) {
	for _, version := range []string{"r4", "r5"} {
		for seed := range uint64(max(1, *records)) { //nolint:gosec // a small number
			t.Run(fmt.Sprint(version, " ", seed), func(t *testing.T) {
				g := fhirtest.New(version, seed)
				all := fhirtest.Usual
				if *records > 0 {
					all = g.Types()
				}
				all = slices.DeleteFunc(slices.Clone(all), func(typ string) bool { return len(g.Elements[typ]) == 0 })
				for types := range slices.Chunk(all, 15) {
					check(t, g, string(g.Bundle([]string{"collection", "transaction"}[seed%2], types)))
				}
			})
		}
	}
}

// TestEveryElementOfFHIR checks that each element of R4 and R5 is replaced, removed or examined.
func TestEveryElementOfFHIR(t *testing.T) {
	everyResource(t, func(t *testing.T, g *fhirtest.Generator, in string) {
		out := strings.ToLower(removed(t, "b.json", in, fhirOptions(t), true))
		plain := out
		for _, m := range regexp.MustCompile(`"[a-z0-9+/]{16,}={0,2}"`).FindAllString(out, -1) {
			raw, _ := base64.StdEncoding.DecodeString(strings.Trim(m, `"`))
			plain += string(raw)
		}
		wrong := map[string]bool{}
		for _, c := range g.Canaries {
			if at := strings.Index(plain, strings.ToLower(c.Value)); at >= 0 && !wrong[c.Path] {
				wrong[c.Path] = true
				t.Errorf("%s: %q is left in %q", c.Path, c.Value, plain[max(0, at-50):min(len(plain), at+50)])
			}
		}
		g.Canaries = nil
	})
}

// TestFHIRStaysValid checks that no element that FHIR requires is missing afterwards, and that nothing empty is left.
func TestFHIRStaysValid(t *testing.T) {
	everyResource(t, func(t *testing.T, g *fhirtest.Generator, in string) {
		for _, years := range []bool{true, false} {
			out := removed(t, "b.json", in, fhirOptions(t), years)
			if dir := os.Getenv("FHIR_OUT"); dir != "" {
				name := strings.NewReplacer("/", "-", " ", "-").Replace(t.Name())
				_ = os.WriteFile(filepath.Join(dir, fmt.Sprint(name, years, ".in.json")), []byte(in), 0o666)
				_ = os.WriteFile(filepath.Join(dir, fmt.Sprint(name, years, ".out.json")), []byte(out), 0o666)
			}
			before, after := map[string]bool{}, map[string]bool{}
			for text, missing := range map[string]map[string]bool{in: before, out: after} {
				var bundle struct{ Entry []struct{ Resource map[string]any } }
				if err := json.Unmarshal([]byte(text), &bundle); err != nil {
					t.Fatal(err)
				}
				for _, e := range bundle.Entry {
					kind, _ := e.Resource["resourceType"].(string)
					flaws(g, kind, kind, e.Resource, missing)
				}
			}
			for flaw := range after {
				if !before[flaw] {
					t.Errorf("years %v: %s", years, flaw)
				}
			}
		}
	})
}

// flaws collects the paths of required elements that are missing, and of empty values.
func flaws(g *fhirtest.Generator, definition, path string, o map[string]any, all map[string]bool) {
	if len(o) == 0 {
		all[path+" is empty"] = true
	}
	for _, e := range g.Elements[definition] {
		name, isChoice := strings.CutSuffix(e.Name, "[x]")
		found := false
		for _, typ := range e.Types {
			key := name
			if isChoice {
				key += strings.ToUpper(typ[:1]) + typ[1:]
			}
			value, ok := o[key]
			if _, extended := o["_"+key]; ok || extended {
				found = true
			}
			below := typ
			if target, ok := strings.CutPrefix(typ, "@"); ok {
				below = target
			} else if typ == "" || typ == "BackboneElement" || typ == "Element" {
				below = definition + "." + e.Name
			}
			flawsOf(g, below, path+"."+key, value, ok, all)
		}
		_, isMasked := o["extension"]
		if e.Required && !found && !(isMasked && len(o) == 1) {
			all[path+"."+e.Name+" is missing"] = true
		}
	}
}

func flawsOf(g *fhirtest.Generator, definition, path string, value any, there bool, all map[string]bool) {
	switch v := value.(type) {
	case []any:
		if len(v) == 0 {
			all[path+" is empty"] = true
		}
		for _, e := range v {
			flawsOf(g, definition, path, e, true, all)
		}
	case map[string]any:
		flaws(g, definition, path, v, all)
	case string:
		if there && strings.TrimSpace(v) == "" {
			all[path+" is blank"] = true
		}
	}
}

// TestElementsOfFHIR checks the facts about elements against the definitions.
func TestElementsOfFHIR(t *testing.T) {
	primitive := strings.Fields("base64Binary boolean canonical code date dateTime decimal id instant integer integer64 markdown oid positiveInt string time unsignedInt uri url uuid xhtml")
	types := map[string]map[string]bool{}
	facts := elementsOfFHIR()
	for _, version := range []string{"r4", "r5"} {
		for path, elements := range fhirtest.Elements(version) {
			for _, e := range elements {
				name := strings.ToLower(e.Name)
				for _, typ := range e.Types {
					name := name
					if choice, ok := strings.CutSuffix(name, "[x]"); ok {
						name = choice + strings.ToLower(typ)
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

// TestReferencesStillResolve checks that every reference that refers to a resource of a Bundle still does, in all forms of references.
func TestReferencesStillResolve(t *testing.T) {
	total := 0
	everyResource(t, func(t *testing.T, _ *fhirtest.Generator, in string) {
		before, ids := resolved(t, in)
		after, newIDs := resolved(t, removed(t, "b.json", in, fhirOptions(t), true))
		for path, target := range before {
			if target >= 0 && after[path] != target {
				t.Errorf("%s refers to entry %d instead of %d", path, after[path], target)
			}
			if target >= 0 {
				total++
			}
		}
		for i, id := range newIDs {
			if id == ids[i] || !idInFHIR.MatchString(id) {
				t.Errorf("entry %d: the id %q became %q", i, ids[i], id)
			}
		}
	})
	if t.Logf("%d references", total); total == 0 {
		t.Error("no reference was checked")
	}
}

// resolved returns the index of the entry that each reference of a Bundle refers to, or -1, and the ids of the resources.
func resolved(t *testing.T, raw string) (found map[string]int, ids []string) {
	t.Helper()
	var bundle struct {
		Entry []struct {
			FullURL  string
			Resource map[string]any
		}
	}
	if err := json.Unmarshal([]byte(raw), &bundle); err != nil {
		t.Fatal(err)
	}
	at := map[string]int{}
	base := ""
	var walk func(path string, v any, see func(path string, o map[string]any))
	walk = func(path string, v any, see func(path string, o map[string]any)) {
		switch v := v.(type) {
		case []any:
			for i, e := range v {
				walk(fmt.Sprintf("%s[%d]", path, i), e, see)
			}
		case map[string]any:
			see(path, v)
			for k, e := range v {
				walk(path+"."+k, e, see)
			}
		}
	}
	for i, e := range bundle.Entry {
		kind, id := e.Resource["resourceType"].(string), e.Resource["id"].(string)
		ids = append(ids, id)
		at[kind+"/"+id], at[e.FullURL] = i, i
		list, _ := e.Resource["identifier"].([]any)
		for _, one := range list {
			identifier := one.(map[string]any)
			at[fmt.Sprint(kind, "?identifier=", identifier["system"], "|", identifier["value"])] = i
		}
		walk("", e.Resource, func(_ string, o map[string]any) {
			if ref, ok := o["reference"].(string); ok && strings.Contains(ref, "://") && !strings.Contains(ref, "?") {
				base = ref[:strings.LastIndexByte(ref[:strings.LastIndexByte(ref, '/')], '/')+1]
			}
		})
	}
	found = map[string]int{}
	for i, e := range bundle.Entry {
		walk(fmt.Sprintf("[%d]", i), e.Resource, func(path string, o map[string]any) {
			ref, ok := o["reference"].(string)
			if identifier, logical := o["identifier"].(map[string]any); !ok && logical && o["type"] != nil {
				ref, ok = fmt.Sprint(o["type"], "?identifier=", identifier["system"], "|", identifier["value"]), true
			}
			if !ok {
				return
			}
			found[path] = -1
			if k, ok := at[strings.TrimPrefix(ref, base)]; ok {
				found[path] = k
			}
		})
	}
	return found, ids
}
