// Command fhir checks "lethe deidentify --format fhir" on bundles of FHIR R4 that are valid, and that look like those of Synthea:
//
//	go build -o lethe ./cmd/lethe && go run ./scripts/fhir -lethe ./lethe -work /tmp/fhir
//	cd scripts/fhir && mvn compile exec:java -Dexec.args="/tmp/fhir/before/1.json /tmp/fhir/tags/1.json /tmp/fhir/surrogates/1.json"
//
// It writes a bundle for each of ten patients, with resources of 26 types and with an invented value in every element that says who somebody is:
// identifiers, names, addresses, numbers, narratives, attachments and remarks. It de-identifies them with tags and with surrogates, and checks that
// none of these values is left, that the bundles have the same elements apart from those that a rule removes, and that all references can be
// resolved. The second command asks HAPI whether the bundles are still valid.
package main

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	lethe := flag.String("lethe", "./lethe", "the program to check")
	work := flag.String("work", "", "folder for the files; it must not exist")
	flag.Parse()
	if err := run(*lethe, *work); err != nil {
		fmt.Fprintln(os.Stderr, "fhir:", err)
		os.Exit(1)
	}
}

const patients = 10

func run(lethe, work string) error {
	before := filepath.Join(work, "before")
	if err := errors.Join(os.Mkdir(work, 0o777), os.Mkdir(before, 0o777), os.WriteFile(filepath.Join(work, "key"), []byte(strings.Repeat("invented ", 8)), 0o600)); err != nil {
		return err
	}
	bundles := make([]*bundle, patients)
	for i := range bundles {
		bundles[i] = newBundle(i + 1)
		if err := os.WriteFile(filepath.Join(before, fmt.Sprint(i+1, ".json")), bundles[i].json(), 0o666); err != nil {
			return err
		}
	}
	for _, how := range [][]string{{"tags"}, {"surrogates", "--replace", "surrogate", "--key-file", filepath.Join(work, "key")}} {
		after := filepath.Join(work, how[0])
		c := exec.Command(lethe, append([]string{"deidentify", "--quiet", "--model", "en", "--format", "fhir", "--output", after, before}, how[1:]...)...)
		c.Stderr = os.Stderr
		if err := c.Run(); err != nil {
			return fmt.Errorf("%s: %w", how[0], err)
		}
		planted, left := 0, 0
		for i, b := range bundles {
			out, err := os.ReadFile(filepath.Join(after, fmt.Sprint(i+1, ".json")))
			if err != nil {
				return err
			}
			planted += len(b.planted)
			for _, v := range b.planted {
				if strings.Contains(decoded(out), v) {
					left++
					fmt.Printf("%s: patient %d: left: %s\n", how[0], i+1, v)
				}
			}
			if err := unresolved(out); err != nil {
				return fmt.Errorf("%s: patient %d: %w", how[0], i+1, err)
			}
		}
		fmt.Printf("%s: %d of %d planted values left; all references can be resolved\n", how[0], left, planted)
		if left > 0 {
			return errors.New("planted values are left")
		}
	}
	return nil
}

// decoded returns JSON with the texts of its attachments after it.
func decoded(in []byte) string {
	all := string(in)
	for _, part := range strings.Split(all, `"data":`)[1:] {
		if f := strings.Split(part, `"`); len(f) > 1 {
			if text, err := base64.StdEncoding.DecodeString(f[1]); err == nil {
				all += "\n" + string(text)
			}
		}
	}
	return all
}

// unresolved returns an error if the bundle has a reference to a resource that is not in it.
func unresolved(in []byte) error {
	var b struct {
		Entry []struct {
			FullURL  string `json:"fullUrl"`
			Resource any
		}
	}
	if err := json.Unmarshal(in, &b); err != nil {
		return err
	}
	have := map[string]bool{}
	for _, e := range b.Entry {
		have[e.FullURL] = true
	}
	var visit func(v any) error
	visit = func(v any) error {
		switch v := v.(type) {
		case map[string]any:
			if r, ok := v["reference"].(string); ok && !have[r] {
				return fmt.Errorf("no resource %s", r)
			}
			for _, k := range slices.Sorted(maps.Keys(v)) {
				if err := visit(v[k]); err != nil {
					return err
				}
			}
		case []any:
			for _, x := range v {
				if err := visit(x); err != nil {
					return err
				}
			}
		}
		return nil
	}
	for _, e := range b.Entry {
		if err := visit(e.Resource); err != nil {
			return err
		}
	}
	return nil
}

type (
	object = map[string]any
	list   = []any
)

// bundle is a bundle, with the values that must not be left in the output.
type bundle struct {
	patient int
	entries list
	planted []string
	given   string
	family  string
}

func (b *bundle) json() []byte {
	out, err := json.MarshalIndent(object{"resourceType": "Bundle", "type": "collection", "entry": b.entries}, "", " ")
	if err != nil {
		panic(err) // it consists of maps, lists and strings
	}
	return out
}

// plant returns a value that is used once.
func (b *bundle) plant(form string) string {
	v := fmt.Sprintf(form, b.patient*1000+len(b.planted))
	b.planted = append(b.planted, v)
	return v
}

func (b *bundle) name() string { return b.plant("Zqwyx%05den") }

func (b *bundle) number() string { return b.plant("QZ77%05d") }

// url returns the address of a resource of the bundle.
func (b *bundle) url(kind string) string {
	number := 0
	for i, r := range []byte(kind) {
		number += int(r) * (i + 1)
	}
	return fmt.Sprintf("urn:uuid:%08x-7a51-4c1e-9d3b-%012x", b.patient, number)
}

func (b *bundle) ref(kind string) object { return object{"reference": b.url(kind)} }

// named is a reference with a name of its target.
func (b *bundle) named(kind, display string) object {
	return object{"reference": b.url(kind), "display": display}
}

func (b *bundle) identifier(kind string) list {
	return list{object{"type": object{"coding": list{object{"system": "http://terminology.hl7.org/CodeSystem/v2-0203", "code": kind}}}, "system": "https://hospital.example/ids", "value": b.number()}}
}

func (b *bundle) human() list {
	return list{object{"use": "official", "family": b.name(), "given": list{b.name(), b.name()}, "prefix": list{"Mx."}}}
}

func (b *bundle) address() list {
	return list{object{"use": "home", "line": list{b.plant("%05d Qwyxen Street")}, "city": b.name(), "state": "MA", "postalCode": b.plant("%05d"), "country": "US"}}
}

func (b *bundle) telecom() list {
	return list{object{"system": "phone", "value": b.plant("+1 555 55%05d")}, object{"system": "email", "value": b.plant("zq%05d@example.org")}}
}

// note is a sentence with the patient's names in it.
func (b *bundle) note() string {
	return fmt.Sprintf("%s %s was seen with her sister. Blood pressure 120/80, paracetamol 500 mg twice a day.", b.given, b.family)
}

func (b *bundle) narrative() object {
	return object{"status": "generated", "div": `<div xmlns="http://www.w3.org/1999/xhtml"><p>` + b.note() + `</p></div>`}
}

func code(system, value, display string) object {
	return object{"coding": list{object{"system": system, "code": value, "display": display}}}
}

func loinc(value, display string) object  { return code("http://loinc.org", value, display) }
func snomed(value, display string) object { return code("http://snomed.info/sct", value, display) }
func hl7(system, value string) object {
	return object{"coding": list{object{"system": "http://terminology.hl7.org/CodeSystem/" + system, "code": value}}}
}

func (b *bundle) add(kind string, r object) {
	r["resourceType"] = kind
	b.entries = append(b.entries, object{"fullUrl": b.url(kind), "resource": r})
}

func newBundle(patient int) *bundle {
	b := &bundle{patient: patient}
	b.given, b.family = b.name(), b.name()
	const at, day = "2071-03-04T10:22:00+00:00", "2071-03-04"
	period := object{"start": at, "end": "2071-03-06T09:00:00+00:00"}
	person := b.ref("Patient")
	author := b.ref("Practitioner")
	visit := b.ref("Encounter")

	b.add("Patient", object{
		"text": b.narrative(), "identifier": b.identifier("MR"), "active": true, "telecom": b.telecom(), "gender": "female", "birthDate": "2020-11-30",
		"name": list{object{"use": "official", "family": b.family, "given": list{b.given}}, object{"use": "maiden", "family": b.name()}}, "address": b.address(),
		"maritalStatus": hl7("v3-MaritalStatus", "M"), "multipleBirthInteger": 2,
		"contact":       list{object{"name": b.human()[0], "telecom": b.telecom(), "address": b.address()[0], "gender": "male"}},
		"communication": list{object{"language": code("urn:ietf:bcp:47", "en", "English")}}, "generalPractitioner": list{b.named("Practitioner", b.name())},
		"extension": list{object{"url": "http://hl7.org/fhir/StructureDefinition/patient-mothersMaidenName", "valueString": b.name()}},
	})
	b.add("RelatedPerson", object{"patient": person, "name": b.human(), "telecom": b.telecom(), "address": b.address(), "birthDate": "2018-02-01", "relationship": list{hl7("v3-RoleCode", "SIS")}})
	b.add("Practitioner", object{"identifier": b.identifier("MD"), "name": b.human(), "telecom": b.telecom(), "address": b.address()})
	b.add("Organization", object{"identifier": b.identifier("XX"), "name": b.plant("Qwyxen %05d Hospital"), "telecom": b.telecom()})
	b.add("PractitionerRole", object{"practitioner": author, "organization": b.ref("Organization"), "telecom": b.telecom()})
	b.add("Location", object{"name": b.plant("Qwyxen %05d Ward"), "address": b.address()[0], "managingOrganization": b.ref("Organization")})
	b.add("Encounter", object{
		"identifier": b.identifier("VN"), "status": "finished", "class": object{"system": "http://terminology.hl7.org/CodeSystem/v3-ActCode", "code": "AMB"},
		"subject": b.named("Patient", b.given+" "+b.family), "period": period, "participant": list{object{"individual": b.named("Practitioner", b.name())}},
		"location": list{object{"location": b.ref("Location")}}, "serviceProvider": b.ref("Organization"),
	})
	b.add("Condition", object{
		"clinicalStatus": hl7("condition-clinical", "active"), "code": snomed("38341003", "Hypertensive disorder, systemic arterial (disorder)"), "subject": person, "encounter": visit,
		"onsetDateTime": day, "recordedDate": at, "recorder": author, "note": list{object{"text": b.note(), "authorReference": author, "time": at}},
	})
	b.add("Observation", object{
		"status": "final", "category": list{hl7("observation-category", "vital-signs")}, "code": loinc("85354-9", "Blood pressure panel with all children optional"), "subject": person,
		"encounter": visit, "effectiveDateTime": at, "performer": list{author}, "note": list{object{"text": b.note()}},
		"component": list{b.pressure("8480-6", "Systolic blood pressure", 120), b.pressure("8462-4", "Diastolic blood pressure", 80)},
	})
	b.add("Procedure", object{
		"status": "completed", "code": snomed("80146002", "Excision of appendix (procedure)"), "subject": person, "performedPeriod": period, "note": list{object{"text": b.note()}},
		"performer": list{object{"actor": b.named("Practitioner", b.name())}},
	})
	b.add("MedicationRequest", object{
		"status": "active", "intent": "order", "medicationCodeableConcept": object{"text": "Paracetamol 500 mg"}, "subject": person, "authoredOn": day, "requester": author,
		"dosageInstruction": list{object{"text": "500 mg twice a day", "patientInstruction": b.given + ", take one tablet twice a day."}},
	})
	b.add("AllergyIntolerance", object{"clinicalStatus": hl7("allergyintolerance-clinical", "active"), "patient": person, "code": object{"text": "Penicillin"}, "note": list{object{"text": b.note()}}})
	b.add("Immunization", object{"status": "completed", "vaccineCode": object{"text": "Influenza vaccine"}, "patient": person, "occurrenceDateTime": day, "lotNumber": b.number()})
	b.add("Specimen", object{"identifier": b.identifier("XX"), "accessionIdentifier": object{"value": b.number()}, "subject": person, "collection": object{"collector": author, "collectedDateTime": at}})
	b.add("DiagnosticReport", object{
		"status": "final", "code": loinc("58410-2", "CBC panel - Blood by Automated count"), "subject": person, "issued": at, "effectiveDateTime": at, "performer": list{author}, "conclusion": b.note(),
		"presentedForm": list{b.attachment()}, "result": list{b.ref("Observation")}, "specimen": list{b.ref("Specimen")},
	})
	b.add("DocumentReference", object{
		"identifier": b.identifier("XX"), "status": "current", "type": loinc("34133-9", "Summary of episode note"), "subject": person, "date": at, "author": list{author}, "description": b.note(),
		"content": list{object{"attachment": b.attachment()}},
	})
	b.add("CarePlan", object{"status": "active", "intent": "plan", "title": "Plan for " + b.given + " " + b.family, "description": b.note(), "subject": person, "period": period, "author": author})
	b.add("CareTeam", object{"status": "active", "name": "Team of " + b.given + " " + b.family, "subject": person, "participant": list{object{"member": b.named("RelatedPerson", b.name())}}})
	b.add("Coverage", object{"identifier": b.identifier("MB"), "status": "active", "subscriberId": b.number(), "beneficiary": person, "payor": list{b.ref("Organization")}, "period": period})
	b.add("ServiceRequest", object{"identifier": b.identifier("PLAC"), "status": "active", "intent": "order", "subject": person, "authoredOn": day, "requester": author, "patientInstruction": b.note()})
	b.add("Communication", object{"status": "completed", "subject": person, "sent": at, "sender": author, "payload": list{object{"contentString": b.note()}}})
	b.add("Device", object{
		"serialNumber": b.number(), "lotNumber": b.number(), "patient": person, "udiCarrier": list{object{"deviceIdentifier": b.number(), "carrierHRF": b.number()}},
		"deviceName": list{object{"name": "Pacemaker", "type": "user-friendly-name"}},
	})
	b.add("Composition", object{
		"text": b.narrative(), "status": "final", "type": loinc("34133-9", "Summary of episode note"), "subject": person, "date": at, "author": list{author}, "title": "Discharge summary",
		"section": list{object{"title": "Course", "text": b.narrative()}},
	})
	b.add("ImagingStudy", object{"identifier": b.identifier("ACSN"), "status": "available", "subject": person, "started": at, "description": "X-ray of the chest", "note": list{object{"text": b.note()}}})
	b.add("QuestionnaireResponse", object{
		"questionnaire": "http://hospital.example/Questionnaire/1", "status": "completed", "subject": person, "authored": at,
		"item": list{object{"linkId": "1", "text": "Who lives with you?", "answer": list{object{"valueString": "My sister " + b.given}}}},
	})
	b.add("Provenance", object{"target": list{b.ref("Composition")}, "recorded": at, "agent": list{object{"who": b.named("Practitioner", b.name())}}})
	return b
}

func (b *bundle) pressure(number, display string, value int) object {
	return object{"code": loinc(number, display), "valueQuantity": object{"value": value, "unit": "mmHg", "system": "http://unitsofmeasure.org", "code": "mm[Hg]"}}
}

func (b *bundle) attachment() object {
	return object{"contentType": "text/plain", "language": "en", "data": base64.StdEncoding.EncodeToString([]byte(b.note() + "\n")), "title": "Letter about " + b.given + " " + b.family, "creation": "2071-03-04"}
}
