package job

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/lethe-deid/lethe/deid/engine"
	"github.com/lethe-deid/lethe/internal/fhirtest"
)

// deidentifyFHIR runs the job on a file and returns its output.
func deidentifyFHIR(t *testing.T, name string, raw []byte, c Config) []byte {
	t.Helper()
	dir := t.TempDir()
	c.Inputs, c.Output, c.Format, c.Model = []string{filepath.Join(dir, name)}, filepath.Join(dir, "out-"+name), "fhir", "en"
	if err := os.WriteFile(c.Inputs[0], raw, 0o666); err != nil {
		t.Fatal(err)
	}
	if c.KeyFile == "key" {
		c.KeyFile = filepath.Join(dir, "key")
		if err := os.WriteFile(c.KeyFile, []byte("a key of at least sixteen bytes"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Run(t.Context(), c, Events{Failed: func(err error) { t.Error(err) }}); err != nil {
		t.Fatal(err)
	}
	out, err := os.ReadFile(c.Output)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

var inBase64 = regexp.MustCompile(`"[A-Za-z0-9+/]{16,}={0,2}"`)

// unhidden returns JSON with everything in base64 decoded behind it.
func unhidden(raw []byte) string {
	s := string(raw)
	for _, m := range inBase64.FindAllString(s, -1) {
		if b, err := base64.StdEncoding.DecodeString(strings.Trim(m, `"`)); err == nil {
			s += "\n" + string(b)
		}
	}
	return strings.ToLower(s)
}

// TestCanariesInFHIR plants invented values in every element of resources. None may be left.
func TestCanariesInFHIR(t *testing.T) {
	if testing.Short() {
		t.Skip("tags thousands of sentences")
	}
	for seed, c := range []Config{{}, {Options: engine.Options{Replace: "surrogate", KeyFile: "key"}}} {
		t.Run(c.Replace, func(t *testing.T) {
			g := fhirtest.New("r4", uint64(seed))
			in := g.Bundle([]string{"collection", "transaction"}[seed%2], fhirtest.Usual)
			out := deidentifyFHIR(t, "b.json", in, c)
			if dir := os.Getenv("FHIR_OUT"); dir != "" {
				name := fmt.Sprint("r4-", seed, "-", c.Replace)
				_ = os.WriteFile(filepath.Join(dir, name+".in.json"), in, 0o666)
				_ = os.WriteFile(filepath.Join(dir, name+".out.json"), out, 0o666)
			}
			if !json.Valid(out) {
				t.Fatal("the output is not JSON")
			}
			left := pseudonym.ReplaceAllString(unhidden(out), "") // whose digits are sometimes those of a canary by chance
			wrong, missed, tagged := map[string]bool{}, 0, 0
			for _, p := range g.Canaries {
				if p.Tagged {
					tagged++
				}
				if !strings.Contains(left, strings.ToLower(p.Value)) || p.Dated && c.Replace == "surrogate" {
					continue
				}
				if p.Tagged {
					missed++
					if missed < 20 {
						k := strings.Index(left, strings.ToLower(p.Value))
						t.Logf("missed in a sentence: %s: %q in %q", p.Path, p.Value, left[max(0, k-60):min(len(left), k+60)])
					}
				} else if !wrong[p.Path] && len(wrong) < 60 {
					wrong[p.Path] = true
					k := strings.Index(left, strings.ToLower(p.Value))
					t.Errorf("left: %s: %q in %q", p.Path, p.Value, left[max(0, k-60):min(len(left), k+60)])
				}
			}
			was, is := leaves(t, in), leaves(t, out)
			for path, value := range was {
				if fullDate.MatchString(value) && is[path] == value {
					t.Errorf("the same date: %s", path)
				}
			}
			for _, term := range fhirtest.Terms {
				if before, after := strings.Count(string(in), term[2]), strings.Count(string(out), term[2]); before != after {
					t.Errorf("%q is there %d times instead of %d", term[2], after, before)
				}
			}
			t.Logf("%d resources, %d canaries, %d of them in sentences, of which %d are left; %d bytes became %d", len(fhirtest.Usual), len(g.Canaries), tagged, missed, len(in), len(out))
		})
	}
}

// pseudonym matches what replaces an id.
var pseudonym = regexp.MustCompile(`\b[0-9a-f]{32}\b`)

var fullDate = regexp.MustCompile(`^\d{4}-\d\d-\d\d`)

// leaves returns the strings of JSON by their paths.
func leaves(t *testing.T, raw []byte) map[string]string {
	t.Helper()
	var whole any
	if err := json.Unmarshal(raw, &whole); err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	var walk func(path string, v any)
	walk = func(path string, v any) {
		switch v := v.(type) {
		case string:
			all[path] = v
		case []any:
			for i, e := range v {
				walk(fmt.Sprintf("%s[%d]", path, i), e)
			}
		case map[string]any:
			for k, e := range v {
				walk(path+"."+k, e)
			}
		}
	}
	walk("", whole)
	return all
}

// TestPeriodsWithoutAPatientDoNotRunBackwards checks that the dates of a resource move together, whether it has a patient or not.
func TestPeriodsWithoutAPatientDoNotRunBackwards(t *testing.T) {
	for name, resource := range map[string]string{
		"no patient":         `{"resourceType":"Organization"%s}`,
		"with an id":         `{"resourceType":"Organization","id":"o1"%s}`,
		"several patients":   `{"resourceType":"Appointment","participant":[{"actor":{"reference":"Patient/p1"}},{"actor":{"reference":"Patient/p9"}}]%s}`,
		"another subject":    `{"resourceType":"Observation","subject":{"reference":"Group/g1"}%s}`,
		"a Bundle":           `{"resourceType":"Bundle","entry":[{"resource":{"resourceType":"Person"%s}},{"resource":{"resourceType":"Person"}}]}`,
		"contained resource": `{"resourceType":"Location","contained":[{"resourceType":"Organization"%s}]}`,
		"a beneficiary":      `{"resourceType":"Coverage","beneficiary":{"reference":"Patient/p1"}%s}`,
		"lists":              `{"resourceType":"Schedule","actor":[{"reference":"Patient/p1"},{"reference":"Practitioner/d1"}]%s}`,
	} {
		t.Run(name, func(t *testing.T) {
			in := fmt.Sprintf(resource, `,"period":{"start":"2071-03-04","end":"2071-03-09"},"x":[{"period":{"start":"2071-03-14"}}]`)
			out := deidentifyFHIR(t, "r.json", []byte(in), Config{Options: engine.Options{Replace: "surrogate", KeyFile: "key"}})
			var dates []time.Time
			for _, text := range anyDate.FindAllString(string(out), -1) {
				date, err := time.Parse(time.DateOnly, text)
				if err != nil {
					t.Fatal(err)
				}
				dates = append(dates, date)
			}
			const day = 24 * time.Hour
			if len(dates) != 3 || dates[1].Sub(dates[0]) != 5*day || dates[2].Sub(dates[0]) != 10*day || dates[0].Year() == 2071 && dates[0].YearDay() == 63 {
				t.Errorf("the dates are in %s", out)
			}
		})
	}
}

var anyDate = regexp.MustCompile(`\d{4}-\d\d-\d\d`)

// TestObservedAgesOver89 checks that an age over 89 does not stay in an Observation, and that other numbers do.
func TestObservedAgesOver89(t *testing.T) {
	const age, weight = `"code":{"coding":[{"system":"http://loinc.org","code":"30525-0"}]}`, `"code":{"coding":[{"system":"http://loinc.org","code":"29463-7"}]}`
	for _, tc := range []struct{ name, in, want string }{
		{"a quantity", age + `,"valueQuantity":{"value":93,"unit":"a"}`, age + `,"valueQuantity":{"unit":"a"}`},
		{"a fraction", age + `,"valueQuantity":{"value":93.5,"unit":"a"}`, age + `,"valueQuantity":{"unit":"a"}`},
		{"an integer", age + `,"valueInteger":93,"status":"final"`, age + `,"status":"final"`},
		{"a range", age + `,"valueRange":{"low":{"value":85},"high":{"value":95}}`, age + `,"valueRange":{"low":{"value":85}}`},
		{"another code", strings.Replace(age, "30525-0", "21612-7", 1) + `,"valueQuantity":{"value":93,"unit":"a"}`, strings.Replace(age, "30525-0", "21612-7", 1) + `,"valueQuantity":{"unit":"a"}`},
		{"a component", weight + `,"component":[{` + age + `,"valueQuantity":{"value":93,"unit":"a"}}]`, weight + `,"component":[{` + age + `,"valueQuantity":{"unit":"a"}}]`},
		{"an age that may stay", age + `,"valueQuantity":{"value":45,"unit":"a"}`, age + `,"valueQuantity":{"value":45,"unit":"a"}`},
		{"no age", weight + `,"valueQuantity":{"value":93,"unit":"kg"}`, weight + `,"valueQuantity":{"value":93,"unit":"kg"}`},
		{"no age beside one", age + `,"component":[{` + weight + `,"valueQuantity":{"value":93,"unit":"kg"}}]`, age + `,"component":[{` + weight + `,"valueQuantity":{"value":93,"unit":"kg"}}]`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			const start, end = `{"resourceType":"Observation",`, `}`
			for _, replace := range []string{"", "surrogate"} {
				if got := string(deidentifyFHIR(t, "o.json", []byte(start+tc.in+end), Config{Options: engine.Options{Replace: replace, KeyFile: "key"}})); got != start+tc.want+end {
					t.Errorf("%s\nbecame\n%s, want\n%s", tc.in, got, tc.want)
				}
			}
		})
	}
}

// TestNamesOfPatientsWhoAreNewInATransaction checks that the notes of a patient who has no id yet are searched for the name.
func TestNamesOfPatientsWhoAreNewInATransaction(t *testing.T) {
	const in = `{"resourceType":"Bundle","type":"transaction","entry":[
		{"fullUrl":"urn:uuid:0c1e7f0e-1111-4222-8333-944455556666","resource":{"resourceType":"Patient","name":[{"family":"Greenleaf","given":["Willow"]}]}},
		{"fullUrl":"urn:uuid:2c1e7f0e-1111-4222-8333-944455556666","resource":{"resourceType":"Patient","name":[{"family":"Lund","given":["Oda"]}]}},
		{"resource":{"resourceType":"Observation","subject":{"reference":"urn:uuid:0c1e7f0e-1111-4222-8333-944455556666"},"note":[{"text":"willow feels better on aspirin"}]}}]}`
	if out := string(deidentifyFHIR(t, "b.json", []byte(in), Config{})); strings.Contains(strings.ToLower(out), "willow") {
		t.Errorf("the name is left: %s", out)
	}
}
