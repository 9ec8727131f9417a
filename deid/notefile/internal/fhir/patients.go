package fhir

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/deid/field"
	"github.com/lethe-deid/lethe/deid/notefile/internal/base"
)

// patientKeys are the elements that name the patient of a resource, in the order in which they count.
var patientKeys = []string{"subject", "patient", "beneficiary", "for", "individual", "candidate", "deliverFor"}

// target is what a reference refers to.
type target struct {
	name string // the id alone for a Patient, and otherwise ResourceType/id
	kind string // the type of the resource, or "" if nobody knows it
}

// targets are the resources of a record that references do not name by their type and id.
type targets struct {
	urls        map[target]int    // resources by what the fullUrl of their entries names
	contained   map[part]int      // contained resources
	identifiers map[string]target // Patients by system|value, and by the value alone
	ids         map[string]bool   // the ids of all resources
	resources   map[string]int    // the resources by name, apart from Patients
	owners      map[int][]int     // the resources that refer to a Binary by its address; nil before the first use
	direct      map[int]direct    // the patients that resources name
	leads       map[int][]int     // what leadsTo has returned
	patients    int               // number of Patients
}

// direct says which patient a resource names: one, several or none.
type direct struct {
	name    string
	several bool
}

// part is the id of a contained resource, and the resource that contains it.
type part struct {
	outer int
	id    string
}

// findTargets finds the resources of the record that references may name by an address or an identifier.
func (f *reader) findTargets() {
	f.targets = targets{urls: map[target]int{}, contained: map[part]int{}, identifiers: map[string]target{}, ids: map[string]bool{}, resources: map[string]int{}, direct: map[int]direct{}, leads: map[int][]int{}}
	for i := range f.j.Values {
		switch {
		case f.j.HasKey(i, "fullUrl"):
			f.j.Find(f.j.Parent(i), []string{"resource"}, func(k int) { f.targets.urls[addressed(f.j.Text(i))] = k })
		case f.j.HasKey(i, "id"):
			k := f.j.Parent(i)
			if f.j.First(k, "resourceType") != "" {
				f.targets.ids[f.j.Text(i)] = true
			}
			if outer := f.container(k); outer != k {
				f.targets.contained[part{outer, f.j.Text(i)}] = k
			}
		case f.j.HasKey(i, "resourceType") && f.j.Text(i) == "Patient":
			f.targets.patients++
			f.findIdentifiers(f.j.Parent(i))
		case f.j.HasKey(i, "resourceType"):
			k := f.j.Parent(i)
			if name := f.named(k).name; f.targets.resources[name] == 0 {
				f.targets.resources[name] = k
			}
		}
	}
}

// findIdentifiers adds the identifiers of a Patient. The first Patient with an identifier has it.
func (f *reader) findIdentifiers(patient int) {
	for _, id := range f.each(patient, "identifier", '{') {
		value := f.j.First(id, "value")
		for _, key := range []string{f.j.First(id, "system") + "|" + value, value} {
			if _, ok := f.targets.identifiers[key]; !ok && value != "" {
				f.targets.identifiers[key] = f.named(patient)
			}
		}
	}
}

// aliases returns the names that references by an identifier or by the address of an entry have in other records, with the Patients of the record that they name.
func (f *reader) aliases() map[string]string {
	all := map[string]string{}
	for id, to := range f.targets.identifiers {
		if f.known[to.name] != nil {
			all[queryName("Patient", "identifier="+id)] = to.name
		}
	}
	for address, k := range f.targets.urls {
		if name := f.named(k).name; name != address.name && f.known[name] != nil && f.j.First(k, "resourceType") == "Patient" {
			all[address.name] = name
		}
	}
	return all
}

// queryName is the name of what a search with a query finds, if that is not in the record.
func queryName(kind, query string) string { return kind + "?" + query }

// addressed returns what an address names by its form alone, whatever the server and the version. The case of a UUID does not matter.
func addressed(address string) target {
	address, _, _ = strings.Cut(address, "/_history/")
	at := strings.LastIndexAny(address, "/:")
	before, id := address[:max(at, 0)], address[at+1:]
	switch kind := before[strings.LastIndexByte(before, '/')+1:]; {
	case kind == "Patient":
		return target{id, kind}
	case field.IsResource(kind):
		return target{kind + "/" + id, kind}
	case base.UUID.MatchString(id):
		return target{name: strings.ToLower(id)}
	}
	return target{name: id}
}

// named returns the name of a resource of the record as references to it have it.
func (f *reader) named(i int) target {
	kind, id := f.j.First(i, "resourceType"), f.j.First(i, "id")
	outer := f.container(i)
	switch {
	case outer != i:
		return target{f.named(outer).name + "#" + cmp.Or(id, f.place(i)), kind}
	case id == "" && f.j.HasKey(i, "resource") && f.j.First(f.j.Parent(i), "fullUrl") != "":
		return target{addressed(f.j.First(f.j.Parent(i), "fullUrl")).name, kind}
	case id == "":
		return target{f.place(i), kind}
	case kind == "Patient":
		return target{id, kind}
	}
	return target{kind + "/" + id, kind}
}

// container returns the resource that contains a contained resource, or the resource itself if it is not contained.
func (f *reader) container(i int) int {
	for list := i; list > 0; {
		if f.j.Key(list) == "" { // an element of a list
			list = f.j.Parent(list)
		}
		if !f.j.HasKey(list, "contained") {
			break
		}
		i = f.j.Parent(list)
		list = i
	}
	return i
}

// place returns a name for a resource without an id that no other resource of the file has.
func (f *reader) place(i int) string {
	return fmt.Sprintf("%s-%04d@%d", f.in.ID(), f.line, f.j.From(i))
}

// refersTo returns what a Reference in a resource refers to. The name is empty if it refers to nothing.
func (f *reader) refersTo(reference, resource int) target {
	text := f.j.First(reference, "reference")
	if text == "" {
		return f.logical(reference)
	}
	if id, ok := strings.CutPrefix(text, "#"); ok {
		outer := f.container(resource)
		if id == "" {
			return f.named(outer)
		}
		if i, ok := f.targets.contained[part{outer, id}]; ok {
			return f.named(i)
		}
		return target{name: f.named(outer).name + "#" + id}
	}
	if m := searchForm.FindStringSubmatch(text); m != nil {
		query, err := url.PathUnescape(m[3])
		if err != nil {
			query = m[3]
		}
		return f.searched(m[2], query)
	}
	to := addressed(text)
	if i, ok := f.targets.urls[to]; ok {
		return f.named(i)
	}
	to.kind = cmp.Or(to.kind, f.j.First(reference, "type"))
	return to
}

// searched returns what a conditional reference refers to: the Patient with this identifier or, if the record has none, the query itself.
func (f *reader) searched(kind, query string) target {
	if id, ok := strings.CutPrefix(query, "identifier="); ok && kind == "Patient" {
		if to, ok := f.targets.identifiers[id]; ok {
			return to
		}
	}
	return target{queryName(kind, query), kind}
}

// logical returns what a Reference refers to by an identifier instead of an address. An identifier that is not in a record with a single
// Patient, who may have more identifiers, names nobody else.
func (f *reader) logical(reference int) target {
	id := f.j.First(reference, "identifier", "value")
	if id == "" {
		return target{}
	}
	if system := f.j.First(reference, "identifier", "system"); system != "" {
		id = system + "|" + id
	}
	if _, ok := f.targets.identifiers[id]; !ok && f.targets.patients == 1 {
		return target{}
	}
	return f.searched(cmp.Or(f.j.First(reference, "type"), "Patient"), "identifier="+id)
}

// patientOf returns the patient of a resource that is no Patient: the only one that an element for the patient names or, without such an
// element, the only one that the resource refers to. It returns "" if there is none. A subject that is a Group or a Device stands for a
// patient, but the other elements may name somebody else.
func (f *reader) patientOf(i int) string {
	for _, key := range patientKeys {
		var all []int
		f.j.Find(i, []string{key}, func(k int) {
			if f.j.Kind(k) == '[' {
				all = slices.AppendSeq(all, f.j.Within(k))
			} else {
				all = append(all, k)
			}
		})
		isSubject := key == "subject" || key == "patient"
		if name := f.only(i, all, func(kind string) bool { return isSubject || kind == "Patient" || kind == "" }); name != "" {
			return name
		}
	}
	return f.only(i, f.references(i), func(kind string) bool { return kind == "Patient" })
}

// reachedPatient returns the patient of a resource that leads to one only through other resources of the record: the only one of those whom the
// nearest resources with a patient have. An Observation leads to its Encounter, and a Binary to what refers to it. It returns "" if there is none, or
// if the resource itself names several.
func (f *reader) reachedPatient(i int) string {
	if len(f.targets.resources) == 0 || f.namesPatient(i) {
		return ""
	}
	seen := map[int]bool{i: true}
	for level := []int{i}; len(level) > 0; {
		var next []int
		name := ""
		for _, k := range level {
			for _, other := range f.leadsTo(k) {
				if seen[other] {
					continue
				}
				if seen[other] = true; len(seen) > maxFollowed {
					return ""
				}
				direct, ok := f.targets.direct[other]
				if !ok {
					direct.name = f.patientOf(other)
					direct.several = direct.name == "" && f.namesPatient(other)
					f.targets.direct[other] = direct
				}
				switch {
				case direct.several || direct.name != "" && direct.name == name:
				case direct.name == "":
					next = append(next, other)
				case name != "":
					return ""
				default:
					name = direct.name
				}
			}
		}
		if name != "" {
			return name
		}
		level = next
	}
	return ""
}

// maxFollowed bounds the number of resources that are followed from one.
const maxFollowed = 200

// namesPatient reports whether a resource refers to a Patient.
func (f *reader) namesPatient(i int) bool {
	return slices.ContainsFunc(f.references(i), func(k int) bool { return f.refersTo(k, i).kind == "Patient" })
}

// leadsTo returns the resources of the record that a resource refers to, apart from Patients, and those that refer to it if it is a Binary.
func (f *reader) leadsTo(i int) []int {
	if all, ok := f.targets.leads[i]; ok {
		return all
	}
	var all []int
	for _, k := range f.references(i) {
		if other, ok := f.targets.resources[f.refersTo(k, i).name]; ok {
			all = append(all, other)
		}
	}
	if f.j.First(i, "resourceType") == "Binary" {
		all = append(all, f.ownersOf(i)...)
	}
	f.targets.leads[i] = all
	return all
}

// ownersOf returns the resources with the address of a Binary, such as the DocumentReference whose document it is.
func (f *reader) ownersOf(binary int) []int {
	if f.targets.owners == nil {
		f.targets.owners = map[int][]int{}
		for i := range f.j.Values {
			if !f.j.HasKey(i, "url") || f.j.Kind(i) != '"' {
				continue
			}
			to := addressed(f.j.Text(i))
			k, ok := f.targets.urls[to]
			if !ok {
				k, ok = f.targets.resources[to.name]
			}
			if !ok || f.j.First(k, "resourceType") != "Binary" {
				continue
			}
			owner := f.j.Parent(i)
			for owner > 0 && f.j.First(owner, "resourceType") == "" {
				owner = f.j.Parent(owner)
			}
			if outer := f.container(owner); outer != k && f.j.First(outer, "resourceType") != "Bundle" {
				f.targets.owners[k] = append(f.targets.owners[k], outer)
			}
		}
	}
	return f.targets.owners[binary]
}

// only returns the name that References in a resource have in common, of those to resources of some types. It returns "" if they have several.
func (f *reader) only(resource int, references []int, of func(kind string) bool) string {
	name := ""
	for _, k := range references {
		switch to := f.refersTo(k, resource); {
		case to.name == "" || to.name == name || !of(to.kind):
		case name != "":
			return ""
		default:
			name = to.name
		}
	}
	return name
}

// references returns the References in a resource, without those in the resources that it contains.
func (f *reader) references(i int) []int {
	var all []int
	for k := i + 1; k < int(f.j.Values[i].After); k++ {
		switch {
		case f.j.Kind(k) != '{':
		case f.j.First(k, "resourceType") != "":
			k = int(f.j.Values[k].After) - 1
		case f.j.First(k, "reference") != "" || f.j.First(k, "type") == "Patient":
			all = append(all, k)
		}
	}
	return all
}
