package job

import (
	"strings"
	"testing"

	"github.com/lethe-deid/lethe/deid/engine"
	"github.com/lethe-deid/lethe/deid/notefile"
)

// A rule that no format of a run could have was left out without a message if the run had files of several formats.
func TestRuleThatNoFormatCanHave(t *testing.T) {
	var formats []*notefile.Format
	for _, name := range []string{"text", "fhir", "hl7"} {
		f, err := notefile.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		formats = append(formats, f)
	}
	check := func(rule string) (*checked, error) {
		setup, err := engine.Options{}.Check()
		if err != nil {
			t.Fatal(err)
		}
		c := &checked{Config: Config{Fields: []string{rule}}, setup: setup}
		return c, c.checkFields(formats)
	}
	if _, err := check("Pateint.name.family=keep"); err == nil || !strings.Contains(err.Error(), "Pateint") {
		t.Errorf("error %v for a path that neither FHIR nor HL7 has", err)
	}
	c, err := check("PID-5=keep")
	if err != nil {
		t.Fatalf("a path of HL7: %v", err)
	}
	if own := c.fields["hl7"].Rules(); own[len(own)-1].Path != "PID-5" {
		t.Error("the rule is not among those of HL7")
	}
	if own := c.fields["fhir"].Rules(); own[len(own)-1].Path == "PID-5" {
		t.Error("the rule of HL7 is among those of FHIR")
	}
}
