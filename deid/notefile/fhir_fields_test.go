package notefile

import (
	"bytes"
	"crypto/sha1" //nolint:gosec // FHIR's hash of an attachment is SHA-1
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
	own, err := field.ParseRules("fhir", rules)
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
			case n.IsValue():
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
			for _, flaw := range newFlaws(t, g, in, out) {
				t.Errorf("years %v: %s", years, flaw)
			}
		}
	})
}

// TestRulesThatDropKeepFHIRValid checks that no rule that drops elements makes a resource invalid, whether or not FHIR requires them.
func TestRulesThatDropKeepFHIRValid(t *testing.T) {
	everyResource(t, func(t *testing.T, g *fhirtest.Generator, in string) {
		for _, rule := range []string{"**.code", "**.status", "**.div", "**.type", "**.intent", "**.kind", "**.text", "**.url", "**.resourceType", "**.mode", "**.value", "**.item", "**.content.**", "**.language"} {
			out := removed(t, "b.json", in, fhirOptions(t, rule+"=drop"), true)
			for _, flaw := range newFlaws(t, g, in, out) {
				t.Errorf("%s: %s", rule, flaw)
			}
		}
	})
	for _, tc := range [][3]string{
		{"**.div", `{"resourceType":"Basic","text":{"status":"generated","div":"<div>Oda</div>"},"active":true}`, `{"resourceType":"Basic","active":true}`},
		{"Observation.status", `{"resourceType":"Observation","status":"final","valueInteger":1}`, `{"resourceType":"Observation","_status":{"extension":[{"url":"http://hl7.org/fhir/StructureDefinition/data-absent-reason","valueCode":"masked"}]},"valueInteger":1}`},
		{"Observation.code", `{"resourceType":"Observation","code":{"text":"a"},"valueInteger":1}`, `{"resourceType":"Observation","code":{"extension":[{"url":"http://hl7.org/fhir/StructureDefinition/data-absent-reason","valueCode":"masked"}]},"valueInteger":1}`},
		{"**.extension.**.url", `{"resourceType":"Basic","extension":[{"url":"http://x/a","valueInteger":1}],"active":true}`, `{"resourceType":"Basic","active":true}`},
	} {
		if got := removed(t, "d.json", tc[1], fhirOptions(t, tc[0]+"=drop"), true); got != tc[2] {
			t.Errorf("%s: %s\nbecame\n%s, want\n%s", tc[0], tc[1], got, tc[2])
		}
	}
}

// newFlaws returns the flaws of the resources of a Bundle that they did not have before.
func newFlaws(t *testing.T, g *fhirtest.Generator, before, after string) (all []string) {
	t.Helper()
	of := func(text string) map[string]bool {
		var bundle struct {
			Entry []struct{ Resource map[string]any }
		}
		if err := json.Unmarshal([]byte(text), &bundle); err != nil {
			t.Fatal(err)
		}
		found := map[string]bool{}
		for _, e := range bundle.Entry {
			kind, ok := e.Resource["resourceType"].(string)
			if !ok {
				found["a resource without a type"] = true
			}
			flaws(g, kind, kind, e.Resource, found)
		}
		return found
	}
	had := of(before)
	for flaw := range of(after) {
		if !had[flaw] {
			all = append(all, flaw)
		}
	}
	return all
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
		if e.Required && !found && (!isMasked || len(o) > 1) {
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
			if id == ids[i] || !validID.MatchString(id) {
				t.Errorf("entry %d: the id %q became %q", i, ids[i], id)
			}
		}
	})
	if t.Logf("%d references", total); total == 0 {
		t.Error("no reference was checked")
	}
}

var validID = regexp.MustCompile(`^[-A-Za-z0-9.]{1,64}$`)

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

// oddFHIR are resources with values that should not be as they are. Each contains the canary.
var oddFHIR = map[string]string{
	"an object as a name":          `{"resourceType":"Patient","name":[{"family":{"x":"ZQCANARYQZ"}}]}`,
	"lists of lists":               `{"resourceType":"Patient","name":[[{"family":[["ZQCANARYQZ"]]}]]}`,
	"a name as a string":           `{"resourceType":"Patient","name":"ZQCANARYQZ"}`,
	"twice the same key":           `{"resourceType":"Patient","id":"1","id":"ZQCANARYQZ","name":[{"family":"a","family":"ZQCANARYQZ"}]}`,
	"another case":                 `{"resourceType":"Patient","NAME":[{"Family":"ZQCANARYQZ"}],"ID":"ZQCANARYQZ"}`,
	"an escaped key":               `{"resourceType":"Patient","name":[{"f\u0061mily":"ZQCANARYQZ"}]}`,
	"parallel lists":               `{"resourceType":"Patient","name":[{"given":["Oda",null,"ZQCANARYQZ"],"_given":[null,{"id":"ZQCANARYQZ"},{"extension":[{"url":"x","valueString":"ZQCANARYQZ"}]}]}]}`,
	"an extension of a date":       `{"resourceType":"Patient","_birthDate":{"extension":[{"url":"http://hl7.org/fhir/StructureDefinition/patient-birthTime","valueDateTime":"2071-03-04T05:06:07Z","id":"ZQCANARYQZ"}]}}`,
	"an identifier as an object":   `{"resourceType":"Basic","identifier":[{"value":{"a":["ZQCANARYQZ"]}}]}`,
	"a reference as an object":     `{"resourceType":"Basic","subject":{"reference":{"reference":"Patient/ZQCANARYQZ"}}}`,
	"a code that is a name":        `{"resourceType":"Encounter","status":"Dr. ZQCANARYQZ"}`,
	"a resource type as a name":    `{"resourceType":"Basic","type":"ZQCANARYQZ"}`,
	"an extension without a url":   `{"resourceType":"Basic","extension":[{"valueString":"ZQCANARYQZ"}]}`,
	"comments":                     `{"resourceType":"Patient","fhir_comments":["ZQCANARYQZ"],"name":[{"fhir_comments":["ZQCANARYQZ"]}]}`,
	"an address with a user":       `{"resourceType":"Basic","subject":{"reference":"https://ZQCANARYQZ@x.example/Patient/1"}}`,
	"a search":                     `{"resourceType":"Basic","subject":{"reference":"Patient?name=ZQCANARYQZ&identifier=x|ZQCANARYQZ&ZQCANARYQZ"}}`,
	"a search for a reference":     `{"resourceType":"Bundle","entry":[{"request":{"method":"GET","url":"Observation?patient=Patient/ZQCANARYQZ&code=a%7CZQCANARYQZ"}}]}`,
	"an operation":                 `{"resourceType":"Bundle","entry":[{"request":{"method":"GET","url":"Patient/ZQCANARYQZ/$everything?x=ZQCANARYQZ"}}]}`,
	"another address":              `{"resourceType":"Bundle","entry":[{"request":{"method":"GET","url":"ZQCANARYQZ/x y"}}]}`,
	"photos":                       `{"resourceType":"Patient","photo":[{"contentType":"image/png","data":"iVBORw0KGgo=","title":"ZQCANARYQZ"}]}`,
	"an element with only a name":  `{"resourceType":"Basic","subject":{"display":"ZQCANARYQZ"}}`,
	"a number in place of a name":  `{"resourceType":"Patient","name":[{"family":5,"given":[7]}],"x":"ZQCANARYQZ"}`,
	"true in place of a name":      `{"resourceType":"Patient","name":[{"family":true,"given":[false,"ZQCANARYQZ"]}]}`,
	"a resource type with a blank": `{"resourceType":"Patient ","name":[{"family":"ZQCANARYQZ"}]}`,
}

// TestOddFHIR checks that values that should not be as they are do not get through.
func TestOddFHIR(t *testing.T) {
	for name, file := range oddFHIR {
		t.Run(name, func(t *testing.T) {
			o := replaceCanaries(example{"fhir", "d.json", strings.ReplaceAll(file, "ZQCANARYQZ", canary), fhirOptions(t)})
			if where := leak(o.out); where != "" {
				t.Errorf("the canary is left: %s\n%s", where, o.out)
			}
			if len(o.errs) == 0 && !json.Valid(o.out) {
				t.Errorf("not JSON: %s", o.out)
			}
		})
	}
}

// TestHostileFHIRWithFields checks that rules for fields let nothing through that would be examined or refused without them.
func TestHostileFHIRWithFields(t *testing.T) {
	for class, examples := range hostile {
		for name, e := range examples {
			if e.format != "fhir" {
				continue
			}
			e.options.Fields, e.options.Pseudonym, e.options.Types = fhirOptions(t).Fields, fhirOptions(t).Pseudonym, data.I2B2
			if where := leak(replaceCanaries(e).out); where != "" {
				t.Errorf("%s, %s: the canary is left: %s", class, name, where)
			}
		}
	}
}

func TestRulesForFHIR(t *testing.T) {
	for _, tc := range []struct {
		name, in, want string
		rules          []string
	}{
		{"all stay", `{"resourceType":"Patient","id":"1","name":[{"family":"Lund"}]}`, `{"resourceType":"Patient","id":"1","name":[{"family":"Lund"}]}`, []string{"**=keep"}},
		{"a city stays", `{"resourceType":"Patient","address":[{"city":"Lund","line":["Way 1"]}]}`, `{"resourceType":"Patient","address":[{"city":"Lund","line":["[X]"]}]}`, []string{"Patient.address.city=keep"}},
		{"an object goes", `{"resourceType":"Patient","contact":[{"name":{"family":"a"}}],"active":true}`, `{"resourceType":"Patient","active":true}`, []string{"Patient.contact.**=drop"}},
		{"an element goes with its extensions", `{"resourceType":"Patient","birthDate":"2071","_birthDate":{"id":"a"},"active":true}`, `{"resourceType":"Patient","active":true}`, []string{"Patient.birthDate=drop"}},
		{"empty objects go", `{"resourceType":"Basic","subject":{"display":"Oda"},"author":{"display":"Oda","type":"Patient"}}`, `{"resourceType":"Basic","author":{"type":"Patient"}}`, nil},
		{"a required element", `{"resourceType":"Slot","start":"2071-03-04T05:06:07Z","status":"free"}`, `{"resourceType":"Slot","_start":{"extension":[{"url":"http://hl7.org/fhir/StructureDefinition/data-absent-reason","valueCode":"masked"}]},"status":"free"}`, []string{"Slot.start=drop"}},
		{"a required object", `{"resourceType":"Flag","status":"active","subject":{"display":"Oda"}}`, `{"resourceType":"Flag","status":"active","subject":{"extension":[{"url":"http://hl7.org/fhir/StructureDefinition/data-absent-reason","valueCode":"masked"}]}}`, nil},
		{"an instant", `{"resourceType":"Slot","start":"2071-03-04T05:06:07Z"}`, `{"resourceType":"Slot","start":"2071-01-01T00:00:00Z"}`, nil},
		{"a moment that is no instant", `{"resourceType":"Encounter","period":{"start":"2071-03-04T05:06:07Z"}}`, `{"resourceType":"Encounter","period":{"start":"2071"}}`, nil},
		{"an extension without its value goes", `{"resourceType":"Basic","extension":[{"url":"http://x/a","valueString":"a"},{"url":"http://x/b","valueInteger":1}]}`, `{"resourceType":"Basic","extension":[{"url":"http://x/b","valueInteger":1}]}`, []string{"**.a.valueString=drop"}},
		{"parallel lists", `{"resourceType":"Patient","name":[{"given":["a","b"],"_given":[{"extension":[{"url":"http://x/a","valueInteger":1}]},{"extension":[{"url":"http://x/b","valueInteger":1}]}]}]}`, `{"resourceType":"Patient","name":[{"given":["[X]","[X]"],"_given":[null,{"extension":[{"url":"http://x/b","valueInteger":1}]}]}]}`, []string{"**.extension.a.valueInteger=drop"}},
		{"a PDF that goes", `{"resourceType":"DocumentReference","content":[{"attachment":{"contentType":"application/pdf","data":"JVBERi0=","size":5,"hash":"aGk="}}]}`, `{"resourceType":"DocumentReference","content":[{"attachment":{"contentType":"application/pdf"}}]}`, []string{"**.attachment.data=drop"}},
		{"the text of a code", `{"resourceType":"Condition","code":{"coding":[{"code":"1","display":"Foley catheter"}],"text":"Foley Catheter"}}`, `{"resourceType":"Condition","code":{"coding":[{"code":"1","display":"Foley catheter"}],"text":"Foley Catheter"}}`, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := removed(t, "d.json", tc.in, fhirOptions(t, tc.rules...), true); got != tc.want {
				t.Errorf("%s\nbecame\n%s, want\n%s", tc.in, got, tc.want)
			}
		})
	}
}

// TestHashesOfAttachments checks that the hash of an attachment is that of its data, before and after, and never text.
func TestHashesOfAttachments(t *testing.T) {
	sha := func(text string) string {
		sum := sha1.Sum([]byte(text)) //nolint:gosec // FHIR's hash
		return base64.StdEncoding.EncodeToString(sum[:])
	}
	wrap := func(members string) string {
		return `{"resourceType":"DocumentReference","content":[{"attachment":{"contentType":"text/plain"` + members + `}}]}`
	}
	for _, tc := range []struct{ name, in, want, rule string }{
		{"data", `,"data":"` + b64("Oda Lund") + `","size":8,"hash":"` + sha("Oda Lund") + `"`, `,"data":"` + b64("[X]") + `","size":3,"hash":"` + sha("[X]") + `"`, ""},
		{"of something else", `,"data":"` + b64("Oda Lund") + `","hash":"` + sha("Eva Lund") + `"`, `,"data":"` + b64("[X]") + `"`, ""},
		{"without data", `,"url":"Binary/1","hash":"` + sha("Eva Lund") + `"`, `,"url":"Binary/` + fhirOptions(t).Pseudonym("1") + `"`, ""},
		{"no data", `,"data":"","hash":"` + sha("Eva Lund") + `"`, `,"data":""`, ""},
		{"a rule that drops", `,"data":"` + b64("Oda Lund") + `","size":8,"hash":"` + sha("Oda Lund") + `"`, `,"data":"` + b64("[X]") + `","size":3`, "**.attachment.hash=drop"},
		{"a rule that drops the size", `,"data":"` + b64("Oda Lund") + `","size":8`, `,"data":"` + b64("[X]") + `"`, "**.attachment.size=drop"},
	} {
		var rules []string
		if tc.rule != "" {
			rules = append(rules, tc.rule)
		}
		if got := removed(t, "d.json", wrap(tc.in), fhirOptions(t, rules...), true); got != wrap(tc.want) {
			t.Errorf("%s: %s\nbecame\n%s, want\n%s", tc.name, wrap(tc.in), got, wrap(tc.want))
		}
	}
	in := wrap(`,"data":"` + b64("Oda Lund") + `","hash":"` + sha("Oda Lund") + `"`)
	if got := encode(readAll(t, example{"fhir", "d.json", in, fhirOptions(t)}), none); got != in {
		t.Errorf("without changes, %s\nbecame\n%s", in, got)
	}
}

// TestNamesInStringsOfFHIR checks that the names of relatives and of accounts are those of people by their place, but not what else stands there.
func TestNamesInStringsOfFHIR(t *testing.T) {
	for in, isName := range map[string]bool{
		`{"resourceType":"FamilyMemberHistory","name":"Faith Long"}`: true, `{"resourceType":"FamilyMemberHistory","name":"Will"}`: true, `{"resourceType":"Account","name":"LONG,FAITH"}`: true,
		`{"resourceType":"FamilyMemberHistory","name":"Maternal grandmother"}`: false, `{"resourceType":"Account","name":"Billing for inpatients"}`: false,
	} {
		for _, n := range readAll(t, example{"fhir", "d.json", in, fhirOptions(t)})[0].Notes {
			if n.IsValue() != isName {
				t.Errorf("%s: a name: %v", in, n.IsValue())
			}
		}
	}
}

// TestLocalAddressesOfFHIR checks that canonical addresses, links in narratives and values that refer to resources of the record or the server do so
// afterwards, and that public addresses stay.
func TestLocalAddressesOfFHIR(t *testing.T) {
	of := fhirOptions(t).Pseudonym
	contained := `,"contained":[{"resourceType":"Library","id":"` + of("c1") + `"}]`
	for in, want := range map[string]string{
		`"questionnaire":"#c1"`:                                          `"questionnaire":"#` + of("c1") + `"`,
		`"questionnaire":"Questionnaire/qx"`:                             `"questionnaire":"Questionnaire/` + of("qx") + `"`,
		`"questionnaire":"http://x.example/Questionnaire/qx"`:            `"questionnaire":"http://x.example/Questionnaire/qx"`,
		`"instantiatesCanonical":["PlanDefinition/pd-x|2","http://x/a"]`: `"instantiatesCanonical":["PlanDefinition/` + of("pd-x") + `|2","http://x/a"]`,
		`"library":["#c1"]`:                                              `"library":["#` + of("c1") + `"]`,
		`"url":"Questionnaire/qx"`:                                       `"url":"Questionnaire/` + of("qx") + `"`,
		`"relatedArtifact":[{"resource":"#c1"}]`:                         `"relatedArtifact":[{"resource":"#` + of("c1") + `"}]`,
		`"extension":[{"url":"http://x/a","valueUrl":"#c1"}]`:            `"extension":[{"url":"http://x/a","valueUrl":"#` + of("c1") + `"}]`,
		`"extension":[{"url":"http://x/a","valueUri":"Patient/1"}]`:      `"extension":[{"url":"http://x/a","valueUri":"Patient/` + of("1") + `"}]`,
		`"extension":[{"url":"http://x/a","valueUri":"http://loinc.org"},{"url":"http://x/a","valueUri":"http://snomed.info/sct"}]`: `"extension":[{"url":"http://x/a","valueUri":"http://loinc.org"},{"url":"http://x/a","valueUri":"http://snomed.info/sct"}]`,
		`"extension":[{"url":"http://x/a","valueUri":"http://terminology.hl7.org/CodeSystem/a"}]`:                                   `"extension":[{"url":"http://x/a","valueUri":"http://terminology.hl7.org/CodeSystem/a"}]`,
		`"udiCarrier":[{"issuer":"http://hl7.org/fhir/NamingSystem/gs1","jurisdiction":"http://x.example/fda"}]`:                    `"udiCarrier":[{"issuer":"http://hl7.org/fhir/NamingSystem/gs1","jurisdiction":"http://x.example/fda"}]`,
	} {
		in = `{"resourceType":"Basic","contained":[{"resourceType":"Library","id":"c1"}],` + in + `}`
		want = `{"resourceType":"Basic"` + contained + `,` + want + `}`
		if got := removed(t, "d.json", in, fhirOptions(t), true); got != want {
			t.Errorf("%s\nbecame\n%s, want\n%s", in, got, want)
		}
	}
	in := `{"resourceType":"Observation","id":"3f2","contained":[{"resourceType":"Library","id":"c1"}],"extension":[{"url":"http://x/a","valueUrl":"#note1"}],"text":{"div":` +
		`"<div xmlns=\"http://www.w3.org/1999/xhtml\"><a href=\"#c1\">Oda</a><p id=\"c1\"/><p id=\"note1\"/><a href='Observation/3f2'>Oda</a><a href=\"#note1\">Oda</a><a href=\"https://x.example/r4/Observation/3f2\">Oda</a></div>"}}`
	for _, edits := range []func(n *Note) []Edit{none, each("Oda", "[X]"), each("#", "[X]"), func(n *Note) []Edit { return []Edit{{End: len(n.Text), New: "[X]"}} }} {
		got := encode(readAll(t, example{"fhir", "d.json", in, fhirOptions(t)}), edits)
		if !json.Valid([]byte(got)) || strings.Contains(got, "3f2") || strings.Contains(got, `c1\"`) {
			t.Errorf("%s\nbecame\n%s", in, got)
		}
		for want, n := range map[string]int{`href=\"#` + of("c1") + `\"`: 1, `id=\"` + of("c1") + `\"`: 1, `Observation/` + of("3f2"): 2, `"valueUrl":"#note1"`: 1} {
			if strings.Count(got, want) != n {
				t.Errorf("%s is not in\n%s", want, got)
			}
		}
	}
	in = `{"resourceType":"Basic","id":"1","contained":[{"resourceType":"Library","id":"c1"}],"questionnaire":"#c1","text":{"div":"<div xmlns=\"http://www.w3.org/1999/xhtml\"><a href=\"#c1\"></a></div>"}}`
	if got := encode(readAll(t, example{"fhir", "d.json", in, fhirOptions(t, "**.id=keep")}), none); got != in {
		t.Errorf("%s\nbecame\n%s though ids stay", in, got)
	}
}

// The id in a link of a narrative stayed if a query, an operation or a version followed, or if the link had an ampersand.
func TestLinksWithQueriesDoNotKeepIDs(t *testing.T) {
	of := fhirOptions(t).Pseudonym
	for link, want := range map[string]string{
		"Patient/p1?a=b":                      "Patient/" + of("p1") + "?a=" + of("b"),
		"Patient/p1?a=b&amp;c=d":              "Patient/" + of("p1") + "?a=" + of("b") + "&amp;c=" + of("d"),
		"Observation?patient=p1":              "Observation?patient=" + of("p1"),
		"Patient/p1/$everything":              "Patient/" + of("p1") + "/$everything",
		"Patient/p1/Observation?code=8480-6":  "Patient/" + of("p1") + "/Observation?code=" + of("8480-6"),
		"Patient/p1#top":                      "Patient/" + of("p1") + "#" + of("top"),
		"http://loinc.org":                    "http://loinc.org",
		"http://hl7.org/fhir/ValueSet/a":      "http://hl7.org/fhir/ValueSet/a",
		"http://hl7.org/fhir/R4/patient.html": "http://hl7.org/fhir/R4/patient.html",
	} {
		in := `{"resourceType":"Basic","id":"1","text":{"div":"<div xmlns=\"http://www.w3.org/1999/xhtml\"><a href=\"` + link + `\">x</a></div>"}}`
		got := encode(readAll(t, example{"fhir", "d.json", in, fhirOptions(t)}), none)
		if _, got, _ = strings.Cut(got, `href=\"`); got[:strings.Index(got, `\"`)] != want {
			t.Errorf("%s became %s, want %s", link, got, want)
		}
	}
	for _, link := range []string{"https://ehr.example/r4/Patient/p1/_history/2?a=b", "https://ehr.example/r4/Patient/p1?_format=json", "Patient/p1/p2?a", "Patient/p1/ä", "https://ehr.example/Patient/p1/notes.html"} {
		in := `{"resourceType":"Basic","id":"1","text":{"div":"<div xmlns=\"http://www.w3.org/1999/xhtml\"><a href='` + link + `'>x</a></div>"}}`
		got := encode(readAll(t, example{"fhir", "d.json", in, fhirOptions(t)}), none)
		if strings.Contains(got, "p1") || strings.Contains(got, "ehr.example") {
			t.Errorf("%s\nbecame\n%s", in, got)
		}
	}
}

// What stood behind the host of a public address stayed, whatever it was.
func TestPublicAddressesDoNotCarryOthers(t *testing.T) {
	for address, public := range map[string]bool{
		"http://hl7.org/fhir/sid/us-ssn/123-45-6789": false, "http://hl7.org/fhir/sid/us-ssn|123-45-6789": false, "http://www.snomed.info/Oda.Lund": false, "http://loinc.org/Oda.Lund": false,
		"http://hl7.org/Oda.Lund": false, "http://hl7.org/fhir/Patient/7b": false, "http://hl7.org/fhir/us/4829130": false, "https://id.who.int/icd/482913": false, "http://unitsofmeasure.org/Oda": false,
		"http://loinc.org/|Lund": false, "http://loinc.org|482913": false, "http://hl7.org/fhir/sid/us-ssn|1234": false, "http://id.who.int/icd/oda-lund": false, "http://hl7.org/fhir/sid/us-ssn": true, "http://hl7.org/fhir/sid/icd-10-cm": true, "http://loinc.org": true, "http://loinc.org|2.77": true, "http://snomed.info/sct": true,
		"http://snomed.info/sct/731000124108/version/20710301": true, "http://hl7.org/fhir/StructureDefinition/patient-religion": true, "http://terminology.hl7.org/CodeSystem/v2-0203": true,
		"http://hl7.org/fhir/us/core/StructureDefinition/us-core-race": true, "http://hl7.org/fhir/ValueSet/a|4.0.1": true, "http://www.nlm.nih.gov/research/umls/rxnorm": true, "http://unitsofmeasure.org": true,
		"http://terminology.hl7.org/CodeSystem/a": true, "http://dicom.nema.org/resources/ontology/DCM": true, "http://www.whocc.no/atc": true, "http://id.who.int/icd/release/11/mms": true,
	} {
		in := `{"resourceType":"Basic","extension":[{"url":"http://x/a","valueUri":"` + address + `"}]}`
		if got := removed(t, "d.json", in, fhirOptions(t), true); (got == in) != public {
			t.Errorf("%s\nbecame\n%s", in, got)
		}
	}
}

// TestNumbersInPlaceOfDates checks that a number does not stay in an element for a date, and that it stays in others.
func TestNumbersInPlaceOfDates(t *testing.T) {
	for in, want := range map[string]string{
		`{"resourceType":"Patient","birthDate":19570403,"active":true}`:                               `{"resourceType":"Patient","active":true}`,
		`{"resourceType":"Patient","deceasedDateTime":1957,"active":true}`:                            `{"resourceType":"Patient","active":true}`,
		`{"resourceType":"Encounter","period":{"start":20710304,"end":"2071-03-05"}}`:                 `{"resourceType":"Encounter","period":{"end":"2071"}}`,
		`{"resourceType":"Observation","effectiveTiming":{"event":[20710304]},"valueInteger":1}`:      `{"resourceType":"Observation","valueInteger":1}`,
		`{"resourceType":"Basic","extension":[{"url":"http://x/a","valueDateTime":2071}],"id":null}`:  `{"resourceType":"Basic","id":null}`,
		`{"resourceType":"Slot","start":3197000000000,"status":"free"}`:                               `{"resourceType":"Slot","_start":{"extension":[{"url":"http://hl7.org/fhir/StructureDefinition/data-absent-reason","valueCode":"masked"}]},"status":"free"}`,
		`{"resourceType":"MolecularSequence","variant":[{"start":22125503,"end":22125504}]}`:          `{"resourceType":"MolecularSequence","variant":[{"start":22125503,"end":22125504}]}`,
		`{"resourceType":"ServiceRequest","occurrenceTiming":{"repeat":{"period":2,"frequency":20}}}`: `{"resourceType":"ServiceRequest","occurrenceTiming":{"repeat":{"period":2,"frequency":20}}}`,
	} {
		if got := removed(t, "d.json", in, fhirOptions(t), true); got != want {
			t.Errorf("%s\nbecame\n%s, want\n%s", in, got, want)
		}
	}
}

// TestDocsOfFHIR checks that docs/fields.md says what the built-in table says.
func TestDocsOfFHIR(t *testing.T) {
	raw, err := os.ReadFile("../../docs/fields.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(raw), "\n## FHIR\n")
	root, rows := field.NewTable(field.Builtin("fhir")).Root(), 0
	for line := range strings.Lines(section) {
		cells := strings.Split(line, "|")
		if len(cells) != 4 || !strings.Contains(cells[1], "`") {
			continue
		}
		for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cells[1], -1) {
			place := root
			for element := range strings.SplitSeq(m[1], ".") {
				place = place.Child(element)
			}
			if action, _ := place.Action(); string(action) != strings.TrimSpace(cells[2]) {
				t.Errorf("%s: the page says %s, the table %q", m[1], strings.TrimSpace(cells[2]), action)
			}
			rows++
		}
	}
	if rows < 40 {
		t.Errorf("only %d elements were found", rows)
	}
}
