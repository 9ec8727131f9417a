package fhir

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"html"
	"net/url"
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/deid/field"
	"github.com/lethe-deid/lethe/deid/notefile/internal/base"
	"github.com/lethe-deid/lethe/deid/notefile/internal/jsontree"
	"github.com/lethe-deid/lethe/deid/notefile/internal/markup"
	"github.com/lethe-deid/lethe/internal/lazyregexp"
)

// referenceKeys are the elements, in lower case, that refer to a resource.
var referenceKeys = []string{"reference", "url", "fullurl", "location", "ifnoneexist"}

// localKeys are the other elements, in lower case, with addresses that may refer to a resource of the same server or to a contained resource.
var localKeys = []string{
	"valueurl", "valueuri", "valuecanonical", "instantiates", "instantiatescanonical", "instantiatesuri", "questionnaire", "definition", "definitionuri",
	"definitioncanonical", "eventuri", "derivedfrom", "library", "policyrule", "valueset", "profile", "implicitrules", "resource", "url",
}

// publicAddress matches addresses of public code systems and of definitions of HL7, perhaps with a version. It does not match what other paths may
// follow: a number of a person behind a system of identifiers (sid), or a name behind a host.
var publicAddress = lazyregexp.New(`^(?:https?://(?:` +
	`(?:(?:www|terminology|build)\.)?(?:fhir\.)?hl7\.org(?:/fhir/sid/[a-z][-a-z0-9]*|/(?:fhir|ig|CodeSystem|ValueSet|NamingSystem|StructureDefinition|ConceptMap)(?:/[-\w.]+)*)?|` +
	`(?:www\.)?loinc\.org|(?:www\.)?snomed\.info(?:/sct(?:/\d{1,18}(?:/version/\d{8})?)?)?|(?:www\.)?unitsofmeasure\.org|(?:www\.)?nucc\.org(?:/provider-taxonomy)?|` +
	`(?:www\.)?ama-assn\.org/go/cpt|(?:www\.)?nlm\.nih\.gov/research/umls(?:/[a-z]+)?|ncimeta\.nci\.nih\.gov|dicom\.nema\.org(?:/resources/ontology/[A-Z]+)?|` +
	`(?:www\.)?whocc\.no(?:/atc)?|id\.who\.int(?:/icd(?:/release/11(?:/\d{4}-\d\d)?(?:/mms)?)?)?)/?(?:\|\d{1,4}(?:\.\d{1,4}){0,3})?|urn:ietf:(?:rfc|bcp):\d+|urn:iso:std:iso:\d+[-:\d]*)$`)

// personalPath matches what a public address does not contain: long numbers, and anything behind a system of identifiers.
var personalPath = lazyregexp.New(`^https?://[^/]*(?:hl7\.org|who\.int)/.*(?:\d{5}|\d{3}-\d{2}-\d{4})|/sid/[^/|]+/?(?:\||/[^/])`)

// definitions are the types of the resources that HL7 publishes.
var definitions = markup.Words(`CodeSystem ValueSet ConceptMap NamingSystem StructureDefinition SearchParameter OperationDefinition CapabilityStatement ` +
	`ImplementationGuide CompartmentDefinition StructureMap GraphDefinition MessageDefinition Library Measure Questionnaire PlanDefinition ActivityDefinition`)

// isPublic reports whether an address is that of a public code system or of a definition.
func isPublic(address string) bool {
	if !publicAddress.MatchString(address) || personalPath.MatchString(address) {
		return false
	}
	m := referenceForm.FindStringSubmatch(address)
	return m == nil || !field.IsResource(m[2]) || definitions[m[2]]
}

// hash replaces an identifier, or the ids in a reference, with pseudonyms.
func (f *reader) hash(i int, key string) {
	text := f.j.Text(i)
	made := ""
	switch {
	case key == "ifnoneexist":
		made = f.query(strings.TrimPrefix(text, "?"))
	case slices.Contains(localKeys, key) && (isURI(text) || localForm.MatchString(text)):
		made = f.local(text)
	case slices.Contains(referenceKeys, key) || isURI(text):
		made = f.reference(text)
	default:
		made = f.pseudonym(text)
	}
	f.fields.replaced = append(f.fields.replaced, markup.Edit{Start: f.j.From(i), End: f.j.To(i), New: `"` + jsontree.Escape(made) + `"`})
	f.fields.counts[field.Hash]++
}

var (
	anyURI     = lazyregexp.New(`^(?:[a-zA-Z][-+.a-zA-Z0-9]*://|urn:|mailto:)\S+$`)
	operation  = lazyregexp.New(`^\$[a-z]+(?:-[a-z]+)*$`)
	searchName = lazyregexp.New(`^[-_a-zA-Z.:]+$`)
	idForm     = lazyregexp.New(`^[-A-Za-z0-9.]{1,64}$`)
	// referenceForm matches a reference: the base, the type, the id and perhaps a version.
	referenceForm = lazyregexp.New(`^((?:[a-zA-Z]+://[^?#\s]*/)?)([A-Z][A-Za-z]+)/([-A-Za-z0-9.]{1,64})(?:/_history/([-A-Za-z0-9.]{1,64}))?$`)
	// searchForm matches a search: the base, the type and the query.
	searchForm = lazyregexp.New(`^((?:[a-zA-Z]+://[^?#\s]*/)?)([A-Z][A-Za-z]+)\?(\S*)$`)
)

func isURI(text string) bool { return anyURI.MatchString(text) }

// reference returns a reference with pseudonyms instead of its ids, so that it refers to the same resource as before. An address that does not
// refer to a resource becomes a UUID.
func (f *reader) reference(text string) string {
	if m := referenceForm.FindStringSubmatch(text); m != nil && field.IsResource(m[2]) {
		made := f.base(m[1]) + m[2] + "/" + f.pseudonym(m[3])
		if m[4] != "" {
			made += "/_history/" + f.pseudonym(m[4])
		}
		return made
	}
	if m := searchForm.FindStringSubmatch(text); m != nil && field.IsResource(m[2]) {
		return f.base(m[1]) + m[2] + "?" + f.query(m[3])
	}
	switch {
	case field.IsResource(text):
		return text // the type of a resource to create
	case strings.HasPrefix(text, "#"):
		return "#" + f.pseudonym(text[1:])
	case strings.HasPrefix(text, "urn:uuid:"):
		return "urn:uuid:" + f.asUUID(text[len("urn:uuid:"):])
	case strings.HasPrefix(text, "urn:oid:"):
		return "urn:oid:" + base.OIDOf(strings.ReplaceAll(f.asUUID(text), "-", ""))
	case !isURI(text):
		if made, ok := f.relative(text); ok {
			return made
		}
	}
	return "urn:uuid:" + f.asUUID(text)
}

// localForm matches an address of a contained resource, or of a resource of the same server, perhaps with a version or a place in it.
var localForm = lazyregexp.New(`^(?:#[-\w.:]{1,64}|([A-Z][A-Za-z]+)/[-A-Za-z0-9.]{1,64}(?:/_history/[-A-Za-z0-9.]{1,64})?(?:#[-\w.:]{1,64})?)(?:\|[-\w.]{1,20})?$`)

// isLocal reports whether a string is the address of a contained resource, or of a resource of the same server, of which the id becomes a pseudonym.
func (f *reader) isLocal(i int, key string) bool {
	if f.j.Kind(i) != '"' || !slices.Contains(localKeys, key) || key == "url" && strings.Count(f.fields.at.Path(), ".") != 1 {
		return false
	}
	m := localForm.FindStringSubmatch(f.j.Text(i))
	return m != nil && (m[1] == "" || field.IsResource(m[1])) && f.hashesID(cmp.Or(m[1], "Basic"))
}

// hashesID reports whether the ids of resources of a type become pseudonyms.
func (f *reader) hashesID(kind string) bool {
	action, ok := f.fields.root.Child(kind).Child("id").Action()
	return ok && action == field.Hash
}

// local returns an address that matches localForm with pseudonyms instead of its ids. A version stays, and so does a place in a narrative that has it.
func (f *reader) local(text string) string {
	address, version, versioned := strings.Cut(text, "|")
	if versioned && !isURI(text) {
		version = "|" + version
	} else {
		address, version = text, ""
	}
	resource, place, hasPlace := strings.Cut(address, "#")
	if !hasPlace || isURI(text) {
		return f.reference(address) + version
	}
	made := ""
	if resource != "" {
		made = f.reference(resource)
	}
	if f.targets.ids[place] || !f.isInNarrative(place) {
		place = f.pseudonym(place)
	}
	return made + "#" + place + version
}

// narrativePlace matches the id or the name of an element of a narrative, in the JSON.
var narrativePlace = lazyregexp.New(`(?:id|name)=(?:\\"([-\w.:]{1,64})\\"|'([-\w.:]{1,64})')`)

// isInNarrative reports whether an element of a narrative has an id or a name.
func (f *reader) isInNarrative(id string) bool {
	if f.places == nil {
		f.places = map[string]bool{}
		for _, m := range narrativePlace.FindAllSubmatch(f.j.Raw, -1) {
			f.places[string(m[1])+string(m[2])] = true // one of them is empty
		}
	}
	return f.places[id]
}

// narrativeLink matches the attributes of HTML that refer to a resource or name a place.
var narrativeLink = lazyregexp.New(`(?i)\s(href|src|id|name)\s*=\s*(?:"([^"<>]*)"|'([^'<>]*)')`)

// resourceLink matches an address of a resource of any server with what follows: the base, the type, the rest of the path and the query, and the place.
var resourceLink = lazyregexp.New(`^((?:[a-zA-Z]+://[^?#\s]*?/)?)([A-Z][A-Za-z]+)([/?][^#\s]*)(?:#(\S*))?$`)

// links returns the edits of a narrative that put pseudonyms in the place of ids: in references to resources, and in the places in it that are named like a resource.
func (f *reader) links(div string) []markup.Edit {
	var edits []markup.Edit
	for _, m := range narrativeLink.FindAllStringSubmatchIndex(div, -1) {
		from, to := m[4], m[5]
		if from < 0 {
			from, to = m[6], m[7]
		}
		old := html.UnescapeString(div[from:to])
		made := old
		switch name := strings.ToLower(div[m[2]:m[3]]); {
		case name == "id" || name == "name":
			if f.targets.ids[old] && f.hashesID("Basic") {
				made = f.pseudonym(old)
			}
		case strings.HasPrefix(old, "#"):
			if f.targets.ids[old[1:]] && f.hashesID("Basic") {
				made = "#" + f.pseudonym(old[1:])
			}
		default:
			made = f.link(old)
		}
		if made != old {
			edits = append(edits, markup.Edit{Start: from, End: to, New: html.EscapeString(made)})
		}
	}
	return edits
}

// link returns the address of a link in a narrative with pseudonyms instead of the ids of resources, or as it is if it has none.
func (f *reader) link(address string) string {
	whole := func(kind string) bool { return field.IsResource(kind) && f.hashesID(kind) && !isPublic(address) }
	if m := referenceForm.FindStringSubmatch(address); m != nil && whole(m[2]) {
		return f.local(address)
	}
	if m := localForm.FindStringSubmatch(address); m != nil && whole(m[1]) {
		return f.local(address)
	}
	m := resourceLink.FindStringSubmatch(address)
	if m == nil || !whole(m[2]) {
		return address
	}
	made, ok := f.relative(m[2] + m[3])
	switch {
	case !ok:
		return "urn:uuid:" + f.asUUID(address)
	case m[4] != "":
		made += "#" + f.pseudonym(m[4])
	}
	return f.base(m[1]) + made
}

// relative returns the path of a request with pseudonyms instead of its ids, as in Patient/1/Observation or Patient/1/$everything.
func (f *reader) relative(text string) (string, bool) {
	path, query, search := strings.Cut(text, "?")
	parts := strings.Split(strings.TrimPrefix(path, "/"), "/")
	for i, part := range parts {
		switch {
		case field.IsResource(part), operation.MatchString(part), part == "_history", part == "_search", part == "metadata":
		case i > 0 && idForm.MatchString(part):
			parts[i] = f.pseudonym(part)
		default:
			return "", false
		}
	}
	made := strings.Join(parts, "/")
	if search {
		made += "?" + f.query(query)
	}
	return made, true
}

// base returns the address of a server with a pseudonym instead of its name. It is empty if the address is.
func (f *reader) base(address string) string {
	if address == "" {
		return ""
	}
	return "http://" + strings.ReplaceAll(f.asUUID(address), "-", "")[:12] + ".invalid/"
}

// query returns the query of a search with pseudonyms instead of its values. The value of an identifier keeps its system, and finds the same
// resources as before.
func (f *reader) query(text string) string {
	terms := strings.Split(text, "&")
	for i, term := range terms {
		name, value, ok := strings.Cut(term, "=")
		if !ok || !searchName.MatchString(name) {
			terms[i] = f.pseudonym(term)
			continue
		}
		values := strings.Split(value, ",")
		for k, v := range values {
			values[k] = f.searchValue(name, v)
		}
		terms[i] = name + "=" + strings.Join(values, ",")
	}
	return strings.Join(terms, "&")
}

// searchValue returns the value of a search parameter with pseudonyms.
func (f *reader) searchValue(name, value string) string {
	plain, err := url.QueryUnescape(value)
	if err != nil {
		plain = value
	}
	name, _, _ = strings.Cut(name, ":")
	bar := "|"
	if plain != value && !strings.Contains(value, "|") {
		bar = "%7C"
	}
	system, code, isToken := strings.Cut(plain, "|")
	switch {
	case plain == "":
		return ""
	case isToken && isURI(code):
		return url.QueryEscape(system) + bar + url.QueryEscape(f.reference(code))
	case isToken && bar == "|":
		return system + bar + f.pseudonym(code)
	case isToken:
		return url.QueryEscape(system) + bar + f.pseudonym(code)
	case name == "_id" || name == "identifier":
		return f.pseudonym(plain)
	case referenceForm.MatchString(plain) || isURI(plain):
		return f.reference(plain)
	}
	return f.pseudonym(plain)
}

// pseudonym returns the pseudonym of an identifier, in the form of a UUID if it is one.
func (f *reader) pseudonym(text string) string {
	if base.UUID.MatchString(text) {
		return f.asUUID(text)
	}
	return f.fields.options.Pseudonym(text)
}

// asUUID returns the pseudonym of an identifier in the form of a UUID. The case of a UUID does not matter.
func (f *reader) asUUID(text string) string {
	if base.UUID.MatchString(text) {
		text = strings.ToLower(text)
	}
	made := f.fields.options.Pseudonym(text)
	if id := base.UUIDOf(made); base.UUID.MatchString(id) {
		return id
	}
	sum := sha256.Sum256([]byte(made))
	return base.UUIDOf(hex.EncodeToString(sum[:16]))
}

// root returns the name of the resource that is the record.
func (f *reader) root() string {
	kind, id := f.j.First(0, "resourceType"), f.j.First(0, "id")
	if id == "" {
		return kind
	}
	return kind + "/" + id
}

// alias returns the name of a resource in the output: ResourceType/id, with the pseudonym of the id if the ids are replaced.
func (f *reader) alias(name string) string {
	kind, id, ok := strings.Cut(name, "/")
	if f.fields == nil || !ok {
		return name
	}
	if !f.hashesID(kind) {
		return name
	}
	return kind + "/" + f.pseudonym(id)
}
