package field

import (
	"strings"
	"testing"
)

func TestPathsOfHL7(t *testing.T) {
	for path, matching := range map[string][]string{
		"PID-5":     {"PID", "5", "1", "1"},
		"PID.5":     {"PID", "5", "2", "1"},
		"PID-5.1":   {"PID", "5", "1", "2"},
		"PID":       {"PID", "5", "1", "2"},
		"PID-5.**":  {"PID", "5", "1", "2"},
		"*-*.*":     {"ZPD", "3", "1", "1"},
		"Z??-3":     {"ZPD", "3", "1", "1"},
		"Z*-1?":     {"ZPD", "13", "1", "1"},
		"**":        {"PID", "5", "1", "1"},
		"PID.**":    {"PID", "5", "1", "1"},
		"IN1-3.1.2": {"IN1", "3", "1", "2"},
	} {
		rules, err := ParseRules("hl7", []string{path + "=keep"})
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		if _, ok := NewTable(rules).Action(matching...); !ok {
			t.Errorf("%s does not match %v", path, matching)
		}
		if _, ok := NewTable(rules).Action("OBX", "55", "9", "9"); ok && !strings.HasPrefix(path, "*") {
			t.Errorf("%s matches another field", path)
		}
	}
}

func TestPathsThatAreNoPlacesOfHL7(t *testing.T) {
	for path, want := range map[string]string{
		"PIDD-5":      `"PIDD-5": "PIDD" is not the name of a segment, which has three capital letters or digits, as in PID-5`,
		"pid-5":       `"pid" is not the name of a segment`,
		"Patient.id":  `"Patient" is not the name of a segment`,
		"PID-x":       `"PID-x": "x" is not the number of a field, as in PID-5.1`,
		"PID-0":       `"0" is not the number of a field`,
		"PID-5.a":     `"a" is not the number of a component`,
		"PID-5.1.b":   `"b" is not the number of a subcomponent`,
		"PID-5.1.1.1": "a path has at most a segment, a field, a component and a subcomponent",
		"PID-":        "the number of the field is missing",
	} {
		if _, err := ParseRules("hl7", []string{path + " = keep"}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestBuiltinTablesAreValid(t *testing.T) {
	for _, name := range []string{"ccda", "fhir", "hl7", "hl7" + OfTypes} {
		if len(Builtin(name)) == 0 {
			t.Errorf("%s has no rules", name)
		}
	}
}
