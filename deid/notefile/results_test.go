package notefile

import (
	"strings"
	"testing"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid/field"
)

// allTexts replaces all notes but terms.
func allTexts(n *Note) []Edit {
	if n.Field == field.Known {
		return nil
	}
	e := Edit{End: len(n.Text), New: "[X]", Type: "X"}
	if n.IsValue() {
		e.Start = n.Spans[0].Start
	}
	return []Edit{e}
}

// Measured values in strings are not examined by a model, which took them for identifiers and dates.
func TestBareResultsStay(t *testing.T) {
	hl7Options := Options{Fields: field.With(field.Builtin("hl7"), nil), Pseudonym: field.Pseudonyms([]byte("0123456789abcdef")), Types: data.I2B2}
	for name, e := range map[string]struct {
		format  string
		options Options
		of      func(value string) string
	}{
		"fhir": {"fhir", fhirOptions(t), func(value string) string {
			return `{"resourceType":"Observation","valueString":"` + value + `","referenceRange":[{"text":"` + value + `"}],"component":[{"valueString":"` + value + `"}]}`
		}},
		"hl7": {"hl7", hl7Options, func(value string) string {
			return "MSH|^~\\&|||||||ORU^R01|||2.5\rOBX|1|ST|1^^LN||" + value + "||1-2\rOBX|2|NM|2^^LN||" + value + "\rOBX|3|ST|3^^LN||" + value + "~" + value + "\r"
		}},
		"ccda": {"ccda", cdaOptions(), func(value string) string {
			return cdaHead + `<component><observation><code code="1"/><value xsi:type="ST">` + value + `</value><referenceRange><observationRange><text>` + value + `</text></observationRange></referenceRange></observation></component></ClinicalDocument>`
		}},
	} {
		for _, value := range []string{"1.025", "8/9", "10-12", "5/5", "1234", "250000", "1:64", "7.5 mg/dL", "3+"} {
			in := e.of(value)
			if got := encode(readAll(t, example{e.format, "d", in, e.options}), allTexts); got != in {
				t.Errorf("%s: %s\nbecame\n%s", name, in, got)
			}
		}
		for _, value := range []string{"03/04/2071", "2071-03-04", "20710304", "5551230188", "4829130", "123-45-6789", "Lund"} {
			in := strings.Replace(e.of(value), "|NM|", "|ST|", 1) // numbers of the type NM stay
			if got := encode(readAll(t, example{e.format, "d", in, e.options}), allTexts); strings.Contains(got, value) {
				t.Errorf("%s: %q is left in %s", name, value, got)
			}
		}
	}
	for _, tc := range []struct{ format, in string }{
		{"fhir", `{"resourceType":"Observation","code":{"coding":[{"code":"30525-0"}]},"valueString":"93"}`},
		{"hl7", "MSH|^~\\&|||||||ORU^R01|||2.5\rOBX|1|ST|30525-0^^LN||93\r"},
		{"hl7", "MSH|^~\\&|||||||ORU^R01|||2.5\rOBX|1|TX|1^^LN||Seen on\rOBX|2|TX|1^^LN||9/3\rOBX|3|TX|1^^LN||93\r"},
		{"ccda", cdaHead + `<component><observation><code code="30525-0"/><value xsi:type="ST">93</value></observation></component></ClinicalDocument>`},
	} {
		o := map[string]Options{"fhir": fhirOptions(t), "hl7": hl7Options, "ccda": cdaOptions()}[tc.format]
		if got := encode(readAll(t, example{tc.format, "d", tc.in, o}), allTexts); strings.Contains(got, "93") || strings.Contains(got, "9/3") {
			t.Errorf("an age or the end of a sentence is left in %s", got)
		}
	}
	for _, tc := range []struct{ format, in string }{
		{"hl7", "MSH|^~\\&|||||||ORU^R01|||2.5\rOBX|1|TX|1^^LN||1225\rOBX|2|TX|1^^LN||Seen by\r"}, // lines of a report
		{"hl7", "MSH|^~\\&|||||||ORU^R01|||2.5\rOBX|1|FT|1^^LN||1225\rOBX|2|FT|1^^LN||Seen by\r"},
		{"hl7", "MSH|^~\\&|||||||ORU^R01|||2.5\rOBX|1|ST|45401-7^^LN||1225\r"},
		{"hl7", "MSH|^~\\&|||||||ORU^R01|||2.5\rOBX|1|NM|45401-7^^LN||1225\r"},
		{"fhir", `{"resourceType":"Observation","code":{"coding":[{"code":"21112-8"}]},"valueString":"1225"}`},
		{"ccda", cdaHead + `<component><observation><code code="21112-8"/><value xsi:type="ST">1225</value></observation></component></ClinicalDocument>`},
		{"ccda", cdaHead + `<component><observation><code code="1"/><value xsi:type="ED">1225</value></observation></component></ClinicalDocument>`},
	} {
		o := map[string]Options{"fhir": fhirOptions(t), "hl7": hl7Options, "ccda": cdaOptions()}[tc.format]
		if got := encode(readAll(t, example{tc.format, "d", tc.in, o}), allTexts); strings.Contains(got, "1225") {
			t.Errorf("a line of a report, or a personal value, is left in %s", got)
		}
	}
	in := `{"resourceType":"Observation","valueString":"1234"}`
	if got := removed(t, "d.json", in, fhirOptions(t, "Observation.valueString=text"), true); got == in {
		t.Error("a rule of one's own does not decide")
	}
}
