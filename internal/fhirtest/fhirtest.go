// Package fhirtest makes resources of FHIR for tests, with an invented value in every element that the standard defines. Everybody in them is
// invented.
package fhirtest

import (
	"bufio"
	"compress/gzip"
	"embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/deid/field"
)

// The files r4.txt.gz and r5.txt.gz list the elements of FHIR 4.0.1 and 5.0.0: path, minimum, maximum, types and a code of the required value
// set. They were extracted from the StructureDefinitions and ValueSets that HL7 publishes under CC0.
//
//go:embed r4.txt.gz r5.txt.gz
var files embed.FS

// Element is an element of a resource or of a type, as the StructureDefinitions of FHIR define it.
type Element struct {
	Name     string
	Required bool
	list     bool
	Types    []string // of which a choice has several; @PATH means the elements of another element
	code     string   // a code that the element may have
}

// Elements returns the elements below each path, for the version r4 or r5.
func Elements(version string) map[string][]Element {
	f, err := files.Open(version + ".txt.gz")
	if err != nil {
		panic(err) // the file is embedded
	}
	in, err := gzip.NewReader(f)
	if err != nil {
		panic(err)
	}
	all := map[string][]Element{}
	for lines := bufio.NewScanner(in); lines.Scan(); {
		c := strings.Split(lines.Text(), "\t")
		k := strings.LastIndexByte(c[0], '.')
		if k < 0 {
			continue
		}
		all[c[0][:k]] = append(all[c[0][:k]], Element{c[0][k+1:], c[1] != "0", c[2] != "0" && c[2] != "1", strings.Split(c[3], "|"), c[4]})
	}
	return all
}

// Canary is a canary: an invented value that no output may contain.
type Canary struct {
	Value, Path string
	Tagged      bool // it is in a sentence, where only the tagger and the rules can find it
	Dated       bool // it is a date, which a surrogate of another may equal
}

// Generator makes resources with every element that FHIR has and a canary in each.
type Generator struct {
	rng      *rand.Rand
	Elements map[string][]Element
	table    *field.Table
	variant  int // chooses among the types of a choice
	n        int
	Canaries []Canary
	patient  [2]string
	targets  []string // resources that references may refer to: Type/id
}

const maxDepth = 7

// New returns a generator for the version r4 or r5. The seed also chooses among the types of elements that have a choice.
func New(version string, seed uint64) *Generator {
	return &Generator{
		rng: rand.New(rand.NewPCG(seed, 1)), Elements: Elements(version), table: field.NewTable(field.Builtin("fhir")), patient: [2]string{"Oda", "Lundqvist"},
		variant: int(seed), //nolint:gosec // small
	}
}

func (g *Generator) plant(value, path string, tagged bool) string {
	g.Canaries = append(g.Canaries, Canary{Value: value, Path: path, Tagged: tagged, Dated: strings.Contains(value, ", 20") || len(value) == len("2071-02-03") && value[4] == '-'})
	return value
}

var syllables = strings.Fields("bran vel mar sko tin dor hal vik ren os ber lund quis far gry mund eck sal tor wen ist kov ran del mi jas")

// surname returns an invented name that occurs only once.
func (g *Generator) surname() string {
	g.n++
	s := ""
	for n := g.n * 7919 % (26 * 26 * 26 * 26); len(s) < 7 || n > 0; n /= 26 {
		s += syllables[n%26]
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

func (g *Generator) number() string {
	g.n++
	return fmt.Sprintf("%08d", 40_000_000+g.n*7919%50_000_000)
}

var months = []string{"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"}

// sentence returns free text with the patient's name, a doctor's name with a title, a full date and a record number.
func (g *Generator) sentence(path string) string {
	doctor, mrn := g.plant(g.surname(), path, true), g.plant(g.number(), path, true)
	date := fmt.Sprintf("%s %d, 2071", months[g.rng.IntN(12)], 1+g.rng.IntN(28))
	g.plant(date, path, true)
	first := []string{"Anna", "Peter", "Maria", "James", "Ingrid", "Thomas"}[g.rng.IntN(6)]
	forms := []string{
		"%[1]s was seen by Dr. %[2]s %[3]s on %[4]s, MRN %[5]s.",
		"Discussed with Dr. %[3]s on %[4]s. The patient, %[1]s (MRN: %[5]s), agrees.",
		"On %[4]s Dr. %[2]s %[3]s reviewed the chart of %[1]s, medical record number %[5]s.",
	}
	return fmt.Sprintf(forms[g.rng.IntN(len(forms))], strings.Join(g.patient[:], " "), first, doctor, date, mrn)
}

// resource makes a resource of a type.
func (g *Generator) resource(kind, id string) map[string]any {
	at := g.table.Root().Child(kind)
	r := g.object(kind, kind, at, 0)
	r["resourceType"], r["id"] = kind, id
	if kind == "Binary" {
		r["contentType"], r["data"] = "text/plain", g.base64(kind+".data")
	}
	if kind == "Patient" {
		r["name"] = []any{map[string]any{"family": g.patient[1], "given": []any{g.patient[0]}, "text": strings.Join(g.patient[:], " ")}}
	}
	return r
}

// object makes an object with all elements below a path of the definitions.
func (g *Generator) object(definition, path string, at *field.Place, depth int) map[string]any {
	o := map[string]any{}
	for _, e := range g.Elements[definition] {
		switch e.Name {
		case "contained", "modifierExtension":
			continue
		case "extension":
			if depth < 2 && g.rng.IntN(3) == 0 {
				g.put(o, e, definition, path, at, depth)
			}
			continue
		}
		if depth > maxDepth && e.Types[0] == "Extension" {
			continue
		}
		g.put(o, e, definition, path, at, depth)
	}
	if g.rng.IntN(40) == 0 {
		g.n++
		o["fhir_comments"] = []any{g.plant(g.surname(), path+".fhir_comments", false)}
	}
	return o
}

// put adds an element to an object.
func (g *Generator) put(o map[string]any, e Element, definition, path string, at *field.Place, depth int) {
	name, typ := e.Name, e.Types[g.variant%len(e.Types)]
	if choice, ok := strings.CutSuffix(name, "[x]"); ok {
		name = choice + strings.ToUpper(typ[:1]) + typ[1:]
	}
	value, ok := g.value(typ, definition+"."+e.Name, path+"."+name, name, e.code, at.Child(name), depth+1)
	if !ok {
		return
	}
	if text, ok := value.(string); ok && text != "" && typ == "string" && g.rng.IntN(12) == 0 && depth < 4 {
		at := at.Child(name).Child("extension").Child("note")
		extended := map[string]any{"id": g.plant(g.surname(), path+"._"+name+".id", false), "extension": []any{map[string]any{
			"url": "http://hospital.example/StructureDefinition/note", "valueString": g.text(path+"._"+name+".extension.valueString", "valueString", at.Child("valueString")),
		}}}
		if e.list {
			o["_"+name] = []any{extended}
		} else {
			o["_"+name] = extended
		}
	}
	if e.list {
		value = []any{value}
	}
	o[name] = value
}

// value makes a value of a type.
func (g *Generator) value(typ, definition, path, name, code string, at *field.Place, depth int) (any, bool) {
	if target, ok := strings.CutPrefix(typ, "@"); ok {
		typ, definition = "", target
		if strings.Count(path, "."+name+".") > 0 {
			return nil, false
		}
	}
	switch typ {
	case "boolean":
		return true, true
	case "integer", "positiveInt", "unsignedInt", "integer64":
		return 7, true
	case "decimal":
		return 7.5, true
	case "time":
		return "14:33:05", true
	case "code":
		return code, code != ""
	case "canonical":
		return "http://hl7.org/fhir/StructureDefinition/example", true
	case "date":
		return g.plant(g.date(), path, false), true
	case "dateTime", "instant":
		return g.plant(g.date(), path, false) + "T14:33:05Z", true
	case "id":
		return g.plant("id-"+g.number(), path, false), true
	case "oid":
		return "urn:oid:1.2.3." + g.plant(g.number(), path, false), true
	case "uuid":
		return "urn:uuid:" + g.plant("c0ffee00-0000-4000-8000-0000"+g.number(), path, false), true
	case "uri", "url":
		if a, ok := at.Action(); ok && a == field.Keep {
			return "http://terminology.example/a", true
		}
		return "https://" + strings.ToLower(g.plant(g.surname(), path, false)) + ".example/x/" + g.plant(g.number(), path, false), true
	case "base64Binary":
		if name == "hash" || name == "data" {
			return nil, false // with its attachment
		}
		return g.base64(path), true
	case "string", "markdown":
		return g.text(path, name, at), true
	case "xhtml":
		return `<div xmlns="http://www.w3.org/1999/xhtml"><p>` + g.sentence(path) + `</p></div>`, true
	case "Resource":
		return nil, false
	case "CodeableConcept":
		return map[string]any{"coding": []any{g.coding()}, "text": g.text(path+".text", "text", at.Child("text"))}, true
	case "Coding":
		return g.coding(), true
	case "SampledData":
		return map[string]any{"origin": map[string]any{"value": 0}, "period": 10, "dimensions": 1, "data": "1 2 3 E U 5.5"}, true
	case "Extension":
		return g.extension(path, at), true
	case "Reference":
		return g.reference(path, at, depth), true
	case "Narrative":
		return map[string]any{"status": "generated", "div": `<div xmlns="http://www.w3.org/1999/xhtml"><p>` + g.sentence(path) + `</p></div>`}, true
	case "", "BackboneElement", "Element":
	default:
		if depth > maxDepth {
			return nil, false
		}
		definition = typ
	}
	if depth > maxDepth+2 {
		return nil, false
	}
	o := g.object(definition, path, at, depth)
	if typ == "Attachment" {
		o["contentType"], o["data"] = "text/plain", g.base64(path+".data")
	}
	return o, len(o) > 0
}

func (g *Generator) date() string {
	return fmt.Sprintf("20%02d-%02d-%02d", 60+g.rng.IntN(39), 1+g.rng.IntN(12), 2+g.rng.IntN(27))
}

func (g *Generator) base64(path string) string {
	return base64.StdEncoding.EncodeToString([]byte(g.sentence(path)))
}

// text returns a sentence for an element that is examined as text, and a canary otherwise.
func (g *Generator) text(path, _ string, at *field.Place) string {
	action, ok := at.Action()
	switch {
	case ok && action == field.Keep:
		return "kept"
	case !ok && at.Inherited() == "" || action == field.Text:
		return g.sentence(path)
	case action == field.Known:
		return "term"
	}
	return g.plant(g.surname(), path, false) + " " + g.plant(g.number(), path, false)
}

// Terms are displays of codes, with the system and the code before them, that must stay.
var Terms = [][3]string{
	{"http://loinc.org", "718-7", "Hemoglobin [Mass/volume] in Blood"},
	{"http://snomed.info/sct", "49049000", "Parkinson's disease"},
	{"http://snomed.info/sct", "23973005", "Foley catheter"},
	{"http://www.nlm.nih.gov/research/umls/rxnorm", "243670", "Aspirin 81 MG Oral Tablet"},
	{"http://hl7.org/fhir/sid/cvx", "208", "COVID-19, mRNA, LNP-S, PF, 30 mcg/0.3 mL dose"},
}

func (g *Generator) coding() map[string]any {
	t := Terms[g.rng.IntN(len(Terms))]
	return map[string]any{"system": t[0], "code": t[1], "display": t[2], "version": "2.77"}
}

func (g *Generator) extension(path string, at *field.Place) map[string]any {
	race := "http://hl7.org/fhir/us/core/StructureDefinition/us-core-race"
	switch g.rng.IntN(4) {
	case 0:
		return map[string]any{"url": race, "extension": []any{map[string]any{"url": "text", "valueString": "White"}}}
	case 1:
		return map[string]any{"url": "http://hl7.org/fhir/StructureDefinition/patient-mothersMaidenName", "valueString": g.plant(g.surname(), path+".mothersMaidenName", false)}
	case 2:
		return map[string]any{"url": "http://hl7.org/fhir/StructureDefinition/geolocation", "extension": []any{map[string]any{"url": "latitude", "valueDecimal": 42.1}}}
	}
	return map[string]any{"url": "http://hospital.example/StructureDefinition/note", "valueString": g.text(path+".valueString", "valueString", at.Child("note").Child("valueString"))}
}

// reference makes a reference in one of the forms of FHIR.
func (g *Generator) reference(path string, at *field.Place, depth int) map[string]any {
	r := map[string]any{"display": g.plant(g.surname(), path+".display", false)}
	target := "Patient/gone"
	if len(g.targets) > 0 {
		target = g.targets[g.rng.IntN(len(g.targets))]
	}
	kind, id, _ := strings.Cut(target, "/")
	if !slices.Contains([]string{"Patient", "Practitioner", "Organization", "Location", "Encounter", "Device"}, kind) {
		delete(r, "display")
	}
	switch g.rng.IntN(6) {
	case 0, 1:
		r["reference"] = target
	case 2:
		r["reference"] = "https://fhir.hospital.example/r4/" + target
	case 3:
		r["reference"] = "urn:uuid:" + id
	case 4:
		r["reference"] = kind + "?identifier=http://hospital.example/ids|key-" + id
	case 5:
		r["identifier"], r["type"] = map[string]any{"system": "http://hospital.example/ids", "value": "key-" + id}, kind
	}
	if depth < 4 && g.rng.IntN(5) == 0 {
		r["identifier"] = g.object("Identifier", path+".identifier", at.Child("identifier"), maxDepth)
	}
	return r
}

// Bundle makes a Bundle with a resource of each type.
func (g *Generator) Bundle(kind string, types []string) []byte {
	g.targets = nil
	ids := map[string]string{}
	for _, t := range types {
		id := fmt.Sprintf("deadbeef-0000-4000-8000-0000%s", g.number())
		g.plant(id, t+".id", false)
		ids[t] = id
		g.targets = append(g.targets, t+"/"+id)
	}
	b := map[string]any{"resourceType": "Bundle", "id": g.plant("bundle-"+g.number(), "Bundle.id", false), "type": kind}
	var entries []any
	for _, t := range types {
		r := g.resource(t, ids[t])
		key := []any{map[string]any{"system": "http://hospital.example/ids", "value": "key-" + ids[t]}}
		if _, ok := r["identifier"].([]any); ok || r["identifier"] == nil && t != "Binary" && t != "Bundle" && t != "Parameters" {
			r["identifier"] = key
		}
		entry := map[string]any{"fullUrl": "urn:uuid:" + ids[t], "resource": r}
		if kind == "transaction" {
			entry["request"] = map[string]any{"method": "POST", "url": t, "ifNoneExist": "identifier=http://hospital.example/ids|key-" + ids[t]}
			if g.rng.IntN(2) == 0 {
				entry["request"] = map[string]any{"method": "PUT", "url": t + "/" + ids[t]}
			}
		}
		entries = append(entries, entry)
	}
	b["entry"] = entries
	raw, err := json.Marshal(b)
	if err != nil {
		panic(err) // it consists of maps, lists and strings
	}
	return raw
}

// Types lists the types of resources that the definitions contain, apart from the abstract ones and those that contain others.
func (g *Generator) Types() []string {
	var types []string
	for _, t := range slices.Sorted(maps.Keys(g.Elements)) {
		if field.IsResource(t) && t != "Bundle" && t != "Parameters" {
			types = append(types, t)
		}
	}
	return types
}

// Usual are the types of resources that exports of records contain.
var Usual = strings.Fields(`Patient RelatedPerson Person Practitioner PractitionerRole Organization Location HealthcareService Endpoint Encounter EpisodeOfCare
	Condition Observation Procedure MedicationRequest MedicationAdministration MedicationDispense MedicationStatement Medication Immunization AllergyIntolerance
	DiagnosticReport DocumentReference Composition CarePlan CareTeam Goal ServiceRequest Specimen ImagingStudy Device FamilyMemberHistory Coverage Claim ClaimResponse
	ExplanationOfBenefit Account Appointment Schedule Slot Communication QuestionnaireResponse Consent Provenance AuditEvent Binary Media List Group ResearchSubject
	Flag RiskAssessment ClinicalImpression Task MessageHeader`)
