package notefile

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/big"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/deid/field"
)

// referenceKeys are the elements, in lower case, that refer to a resource.
var referenceKeys = []string{"reference", "url", "fullurl", "location", "ifnoneexist"}

// hash replaces an identifier, or the ids in a reference, with pseudonyms.
func (f *fhir) hash(i int, key string) {
	text := f.j.text(i)
	made := ""
	switch {
	case key == "ifnoneexist":
		made = f.query(strings.TrimPrefix(text, "?"))
	case slices.Contains(referenceKeys, key) || isURI(text):
		made = f.reference(text)
	default:
		made = f.pseudonym(text)
	}
	f.fields.replaced = append(f.fields.replaced, Edit{Start: f.j.from(i), End: f.j.to(i), New: `"` + jsonString(made) + `"`})
	f.fields.counts[field.Hash]++
}

var (
	anyURI     = regexp.MustCompile(`^(?:[a-zA-Z][-+.a-zA-Z0-9]*://|urn:|mailto:)\S+$`)
	uuid       = regexp.MustCompile(`^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)
	operation  = regexp.MustCompile(`^\$[a-z]+(?:-[a-z]+)*$`)
	searchName = regexp.MustCompile(`^[-_a-zA-Z.:]+$`)
	idInFHIR   = regexp.MustCompile(`^[-A-Za-z0-9.]{1,64}$`)
	// fhirReference matches a reference: the base, the type, the id and perhaps a version.
	fhirReference = regexp.MustCompile(`^((?:[a-zA-Z]+://[^?#\s]*/)?)([A-Z][A-Za-z]+)/([-A-Za-z0-9.]{1,64})(?:/_history/([-A-Za-z0-9.]{1,64}))?$`)
	// fhirSearch matches a search: the base, the type and the query.
	fhirSearch = regexp.MustCompile(`^((?:[a-zA-Z]+://[^?#\s]*/)?)([A-Z][A-Za-z]+)\?(\S*)$`)
)

func isURI(text string) bool { return anyURI.MatchString(text) }

// reference returns a reference with pseudonyms instead of its ids, so that it refers to the same resource as before. An address that does not
// refer to a resource becomes a UUID.
func (f *fhir) reference(text string) string {
	if m := fhirReference.FindStringSubmatch(text); m != nil && field.IsResource(m[2]) {
		made := f.base(m[1]) + m[2] + "/" + f.pseudonym(m[3])
		if m[4] != "" {
			made += "/_history/" + f.pseudonym(m[4])
		}
		return made
	}
	if m := fhirSearch.FindStringSubmatch(text); m != nil && field.IsResource(m[2]) {
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
		return "urn:oid:" + oidOf(strings.ReplaceAll(f.asUUID(text), "-", ""))
	case !isURI(text):
		if made, ok := f.relative(text); ok {
			return made
		}
	}
	return "urn:uuid:" + f.asUUID(text)
}

// relative returns the path of a request with pseudonyms instead of its ids, as in Patient/1/Observation or Patient/1/$everything.
func (f *fhir) relative(text string) (string, bool) {
	path, query, search := strings.Cut(text, "?")
	parts := strings.Split(strings.TrimPrefix(path, "/"), "/")
	for i, part := range parts {
		switch {
		case field.IsResource(part), operation.MatchString(part), part == "_history", part == "_search", part == "metadata":
		case i > 0 && idInFHIR.MatchString(part):
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
func (f *fhir) base(address string) string {
	if address == "" {
		return ""
	}
	return "http://" + strings.ReplaceAll(f.asUUID(address), "-", "")[:12] + ".invalid/"
}

// query returns the query of a search with pseudonyms instead of its values. The value of an identifier keeps its system, and finds the same
// resources as before.
func (f *fhir) query(text string) string {
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
func (f *fhir) searchValue(name, value string) string {
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
	case fhirReference.MatchString(plain) || isURI(plain):
		return f.reference(plain)
	}
	return f.pseudonym(plain)
}

// pseudonym returns the pseudonym of an identifier, in the form of a UUID if it is one.
func (f *fhir) pseudonym(text string) string {
	if uuid.MatchString(text) {
		return f.asUUID(text)
	}
	return f.fields.options.Pseudonym(text)
}

// asUUID returns the pseudonym of an identifier in the form of a UUID. The case of a UUID does not matter.
func (f *fhir) asUUID(text string) string {
	if uuid.MatchString(text) {
		text = strings.ToLower(text)
	}
	made := f.fields.options.Pseudonym(text)
	if id := uuidOf(made); uuid.MatchString(id) {
		return id
	}
	sum := sha256.Sum256([]byte(made))
	return uuidOf(hex.EncodeToString(sum[:16]))
}

// oidOf returns a pseudonym in the form of an object identifier.
func oidOf(made string) string {
	number, _ := new(big.Int).SetString(made, 16)
	return "2.25." + number.String()
}

// uuidOf returns a pseudonym in the form of a UUID.
func uuidOf(made string) string {
	raw, err := hex.DecodeString(made)
	if err != nil || len(raw) != 16 {
		return made
	}
	raw[6], raw[8] = raw[6]&0x0f|0x40, raw[8]&0x3f|0x80 // version 4
	return fmt.Sprintf("%x-%x-%x-%x-%x", raw[:4], raw[4:6], raw[6:8], raw[8:10], raw[10:])
}

// root returns the name of the resource that is the record.
func (f *fhir) root() string {
	kind, id := f.j.first(0, "resourceType"), f.j.first(0, "id")
	if id == "" {
		return kind
	}
	return kind + "/" + id
}

// alias returns the name of a resource in the output: ResourceType/id, with the pseudonym of the id if the ids are replaced.
func (f *fhir) alias(name string) string {
	kind, id, ok := strings.Cut(name, "/")
	if f.fields == nil || !ok {
		return name
	}
	if action, ok := f.fields.root.Child(kind).Child("id").Action(); !ok || action != field.Hash {
		return name
	}
	return kind + "/" + f.pseudonym(id)
}
