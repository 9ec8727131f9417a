package notefile

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// whoseNotes returns the patients of the fields and notes of a file, or the resources of those without a patient, and how many of its texts
// are searched for Willow Greenleaf.
func whoseNotes(t *testing.T, name, file string) (patients []string, searched, texts int) {
	t.Helper()
	f, err := Lookup("fhir")
	if err != nil {
		t.Fatal(err)
	}
	for r, err := range f.Read(strings.NewReader(file), name, fhirOptions(t)) {
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range r.Notes {
			if whose := cmp.Or(n.Patient, n.Resource); !slices.Contains(patients, whose) {
				patients = append(patients, whose)
			}
			if n.Field == "" {
				texts++
			}
			for _, v := range n.Known {
				if n.Field == "" && v.Text == "Willow Greenleaf" {
					searched++
					break
				}
			}
		}
	}
	return patients, searched, texts
}

const (
	willow = `"resourceType":"Patient","name":[{"family":"Greenleaf","given":["Willow"]}],"identifier":[{"system":"http://h.example/mrn","value":"77B31"}],"birthDate":"1960-03-04"`
	uuid   = "urn:uuid:0c1e7f0e-1111-4222-8333-944455556666"
)

// TestPatientsWhoAreReferredToOtherwiseThanByTypeAndID checks that the notes of a resource are searched for the names of its patient, and
// that the patient is one, in all forms of references.
func TestPatientsWhoAreReferredToOtherwiseThanByTypeAndID(t *testing.T) {
	other := `{"resource":{"resourceType":"Patient","id":"p9","name":[{"family":"Lund","given":["Oda"]}]}}`
	bundle := func(url, patient, subject string) string {
		return fmt.Sprintf(`{"resourceType":"Bundle","entry":[{"fullUrl":%q,"resource":{%s}},%s,`+
			`{"fullUrl":"urn:uuid:1c1e7f0e-1111-4222-8333-944455556666","resource":{"resourceType":"Observation",%s,"effectiveDateTime":"2071-03-04","note":[{"text":"willow feels better"}]}}]}`, url, patient, other, subject)
	}
	subject := func(reference string) string { return fmt.Sprintf(`"subject":{"reference":%q}`, reference) }
	p1 := willow + `,"id":"p1"`
	for name, file := range map[string]string{
		"a fullUrl that is a UUID, of a Patient without an id":   bundle(uuid, willow, subject(uuid)),
		"a fullUrl that is a UUID, of a Patient with another id": bundle(uuid, p1, subject(uuid)),
		"a UUID in capitals":                                  bundle(uuid, p1, subject("urn:uuid:0C1E7F0E-1111-4222-8333-944455556666")),
		"the id of a Patient with a fullUrl":                  bundle(uuid, p1, subject("Patient/p1")),
		"a fullUrl with a server, of a Patient without an id": bundle("https://f.example/r4/Patient/p1", willow, subject("Patient/p1")),
		"an address with a server":                            bundle("https://f.example/r4/Patient/p1", p1, subject("https://f.example/r4/Patient/p1")),
		"a version":                                           bundle(uuid, p1, subject("Patient/p1/_history/1")),
		"a version on a server":                               bundle(uuid, p1, subject("https://f.example/r4/Patient/p1/_history/1")),
		"a version of an id that FHIR does not allow":         bundle("Patient/p_1", willow+`,"id":"p_1"`, subject("Patient/p_1/_history/1")),
		"a conditional reference":                             bundle(uuid, p1, subject("Patient?identifier=http://h.example/mrn|77B31")),
		"a conditional reference with escapes":                bundle(uuid, p1, subject("Patient?identifier=http%3A%2F%2Fh.example%2Fmrn%7C77B31")),
		"a conditional reference without a system":            bundle(uuid, p1, subject("Patient?identifier=77B31")),
		"a reference by an identifier":                        bundle(uuid, p1, `"subject":{"identifier":{"system":"http://h.example/mrn","value":"77B31"}}`),
		"a reference by an identifier, with a type":           bundle(uuid, p1, `"performer":[{"type":"Patient","identifier":{"system":"http://h.example/mrn","value":"77B31"}}]`),
		"a beneficiary":                                       bundle(uuid, p1, `"beneficiary":{"reference":"Patient/p1"},"subscriber":{"reference":"Patient/p9"}`),
		"for":                                                 bundle(uuid, p1, `"for":{"reference":"Patient/p1"},"requester":{"reference":"Patient/p9"}`),
		"an individual":                                       bundle(uuid, p1, `"individual":{"reference":"`+uuid+`"}`),
		"a list of subjects":                                  bundle(uuid, p1, `"subject":[{"reference":"Patient/p1"},{"reference":"Location/l1"}],"guarantor":[{"party":{"reference":"RelatedPerson/r1"}}]`),
		"an actor":                                            bundle(uuid, p1, `"actor":[{"reference":"Patient/p1"}]`),
		"an actor among the participants":                     bundle(uuid, p1, `"participant":[{"actor":{"reference":"Practitioner/d1"}},{"actor":{"reference":"`+uuid+`"}}]`),
		"a recipient":                                         bundle(uuid, p1, `"recipient":[{"reference":"Patient/p1"}],"sender":{"reference":"Practitioner/d1"}`),
		"a source":                                            bundle(uuid, p1, `"source":{"reference":"Patient/p1/_history/1"}`),
		"a target":                                            bundle(uuid, p1, `"target":[{"reference":"Observation/o1"},{"reference":"Patient/p1"}]`),
		"a patient whom one resource contains":                `{"resourceType":"Observation","subject":{"reference":"#p1"},"note":[{"text":"willow feels better"}],"contained":[{` + p1 + `}]}`,
		"a patient whom one resource contains, and one in lines":  `{"resourceType":"Observation","contained":[{"resourceType":"Patient","id":"p9"},{` + p1 + `}],"note":[{"text":"willow feels better"}],"subject":{"reference":"#p1"}}` + "\n",
		"a contained resource refers to another of the container": `{"resourceType":"Observation","contained":[{"resourceType":"Procedure","subject":{"reference":"#p1"},"note":[{"text":"willow feels better"}]},{` + p1 + `}]}`,
		"a contained resource refers to its container":            `{` + p1 + `,"contained":[{"resourceType":"Procedure","subject":{"reference":"#"},"note":[{"text":"willow feels better"}]}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			patients, searched, texts := whoseNotes(t, "b.json", file)
			patients = slices.DeleteFunc(patients, func(p string) bool { return p == "p9" })
			if len(patients) != 1 || searched != 1 || texts != 1 {
				t.Errorf("the patients are %q, and %d of %d texts are searched for the name", patients, searched, texts)
			}
		})
	}
}

// TestDifferentPatientsOfFHIRStayDifferent checks that patients are not one because a part of the references to them is the same.
func TestDifferentPatientsOfFHIRStayDifferent(t *testing.T) {
	note := func(reference, more string) string {
		return fmt.Sprintf(`{"resourceType":"Observation","subject":{"reference":%q},"note":[{"text":"feels better"}]%s}`, reference, more) + "\n"
	}
	entries := func(resources ...string) string {
		return `{"resourceType":"Bundle","entry":[{"resource":` + strings.ReplaceAll(strings.Join(resources, `},{"resource":`), "\n", "") + `}]}`
	}
	contained := func(name string) string {
		return fmt.Sprintf(`,"contained":[{"resourceType":"Patient","id":"pat","name":[{"family":%q}]}]`, name)
	}
	for name, file := range map[string]string{
		"the same version":                     note("Patient/p1/_history/2", "") + note("Patient/p9/_history/2", ""),
		"the same id of contained resources":   note("#pat", contained("Lund")) + note("#pat", contained("Vega")),
		"the same, in resources with ids":      note("#pat", `,"id":"1"`+contained("Lund")) + note("#pat", `,"id":"2"`+contained("Vega")),
		"the same, in a Bundle":                entries(note("#pat", contained("Lund")), note("#pat", contained("Vega"))),
		"Patients of a Bundle without ids":     entries(`{"resourceType":"Patient","name":[{"family":"Lund"}]}`, `{"resourceType":"Patient","name":[{"family":"Vega"}]}`),
		"a Group with the id of a Patient":     note("Patient/1", "") + note("Group/1", ""),
		"other identifiers":                    note("Patient?identifier=s|1", "") + note("Patient?identifier=s|2", ""),
		"the same identifier of other systems": note("Patient?identifier=s|1", "") + note("Patient?identifier=r|1", ""),
		"resources without a patient":          `{"resourceType":"Slot","comment":"a"}` + "\n" + `{"resourceType":"Slot","comment":"b"}` + "\n",
	} {
		t.Run(name, func(t *testing.T) {
			if patients, _, _ := whoseNotes(t, "b.ndjson", file); len(patients) != 2 {
				t.Errorf("the patients are %q", patients)
			}
		})
	}
}

// TestPatientsThroughOtherResources checks that a resource has the patient of the resources that it refers to, or that refer to it if it is a Binary, unless
// these are several.
func TestPatientsThroughOtherResources(t *testing.T) {
	const note = `"note":[{"text":"willow feels better"}],"effectiveDateTime":"2071-03-04"`
	encounter := `,{"fullUrl":"urn:uuid:2c1e7f0e-1111-4222-8333-944455556666","resource":{"resourceType":"Encounter","id":"e1","subject":{"reference":"Patient/p1"}}}`
	others := `,{"resource":{"resourceType":"Encounter","id":"e9","subject":{"reference":"Patient/p9"}}}`
	binary := `,{"resource":{"resourceType":"Binary","id":"b1","contentType":"text/plain","data":"` + b64("willow feels better") + `"}}`
	document := func(id, subject, url string) string {
		return `,{"resource":{"resourceType":"DocumentReference","id":"` + id + `",` + subject + `,"content":[{"attachment":{"url":"` + url + `"}}]}}`
	}
	for name, tc := range map[string]struct {
		entries string
		is      bool
	}{
		"an encounter":                  {encounter + `,{"resource":{"resourceType":"Observation","encounter":{"reference":"Encounter/e1"},` + note + `}}`, true},
		"an encounter after it":         {`,{"resource":{"resourceType":"Observation","encounter":{"reference":"Encounter/e1"},` + note + `}}` + encounter, true},
		"a fullUrl":                     {encounter + `,{"resource":{"resourceType":"Observation","encounter":{"reference":"urn:uuid:2c1e7f0e-1111-4222-8333-944455556666"},` + note + `}}`, true},
		"a target":                      {encounter + `,{"resource":{"resourceType":"Provenance","target":[{"reference":"Encounter/e1"}],` + note + `}}`, true},
		"through two":                   {encounter + `,{"resource":{"resourceType":"Observation","id":"o1","encounter":{"reference":"Encounter/e1"}}},{"resource":{"resourceType":"Provenance","target":[{"reference":"Observation/o1"}],` + note + `}}`, true},
		"a circle":                      {encounter + `,{"resource":{"resourceType":"Observation","id":"o1","derivedFrom":[{"reference":"Observation/o2"}],"encounter":{"reference":"Encounter/e1"}}},{"resource":{"resourceType":"Observation","id":"o2","derivedFrom":[{"reference":"Observation/o1"}],` + note + `}}`, true},
		"a Binary":                      {document("d1", `"subject":{"reference":"Patient/p1"}`, "Binary/b1") + binary, true},
		"a Binary before":               {binary + document("d1", `"context":{"encounter":[{"reference":"Encounter/e1"}]}`, "http://h.example/Binary/b1") + encounter, true},
		"encounters of two":             {encounter + others + `,{"resource":{"resourceType":"Provenance","target":[{"reference":"Encounter/e1"},{"reference":"Encounter/e9"}],` + note + `}}`, false},
		"a Binary of two":               {document("d1", `"subject":{"reference":"Patient/p1"}`, "Binary/b1") + document("d2", `"subject":{"reference":"Patient/p9"}`, "Binary/b1") + binary, false},
		"several patients of its own":   {encounter + `,{"resource":{"resourceType":"List","entry":[{"item":{"reference":"Patient/p1"}},{"item":{"reference":"Patient/p9"}},{"item":{"reference":"Encounter/e1"}}],` + note + `}}`, false},
		"a resource outside of it":      {`,{"resource":{"resourceType":"Observation","encounter":{"reference":"Encounter/e7"},` + note + `}}`, false},
		"a circle that leads to nobody": {`,{"resource":{"resourceType":"Observation","id":"o1","derivedFrom":[{"reference":"Observation/o1"}],` + note + `}}`, false},
	} {
		file := `{"resourceType":"Bundle","entry":[{"resource":{` + willow + `,"id":"p1"}},{"resource":{"resourceType":"Patient","id":"p9","name":[{"family":"Lund","given":["Oda"]}]}}` + tc.entries + `]}`
		if _, searched, texts := whoseNotes(t, "b.json", file); (searched == 1) != tc.is || texts != 1 {
			t.Errorf("%s: %d of %d texts are searched for the patient", name, searched, texts)
		}
	}
}
