package presidio

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lethe-deid/lethe/deid/engine"
)

// opened returns the endpoints with models that come with the program.
func opened(t *testing.T, models ...string) Config {
	t.Helper()
	path := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(path, []byte("an invented secret of a test"), 0o600); err != nil {
		t.Fatal(err)
	}
	var named []engine.Named
	for _, m := range models {
		named = append(named, engine.Named{Name: m, Options: engine.Options{Model: m, KeyFile: path}})
	}
	p, err := engine.NewPool(named...)
	if err != nil {
		t.Fatal(err)
	}
	return Config{Models: Engines(p)}
}

// kindsIn returns the types of the findings of an answer of /analyze, by the texts that they cover, without the titles of names.
func kindsIn(t *testing.T, text, answer string) map[string]string {
	t.Helper()
	var found []struct {
		Kind       string `json:"entity_type"`
		Start, End int
	}
	if err := json.Unmarshal([]byte(answer), &found); err != nil {
		t.Fatalf("%s: %v", answer, err)
	}
	kinds := map[string]string{}
	for _, f := range found {
		kinds[strings.TrimPrefix(string([]rune(text)[f.Start:f.End]), "Dr. ")] = f.Kind
	}
	return kinds
}

const letter = "😀 Mr. Peter Novak, a 45-year-old man, was seen by Dr. Maria Schultz at Mercy Hospital on 03/12/2021.\nSSN 123-45-6789, phone (555) 010-2233."

func TestAModelAnswersInBothWorlds(t *testing.T) {
	config := opened(t, "en")
	body := func(more string) string {
		text, _ := json.Marshal(letter)
		return fmt.Sprintf(`{"text":%s,"language":"en"%s}`, text, more)
	}
	_, answer, _ := post(t, config, "/analyze", body(""))
	own := kindsIn(t, letter, answer)
	for text, kind := range map[string]string{"Peter Novak": "PATIENT", "Maria Schultz": "DOCTOR", "03/12/2021": "DATE"} {
		if own[text] != kind {
			t.Errorf("%s is %q in Lethe's world: %v", text, own[text], own)
		}
	}
	_, answer, _ = post(t, config, "/analyze", body(`,"entities":["PERSON","DATE_TIME","US_SSN","PHONE_NUMBER"]`))
	theirs := kindsIn(t, letter, answer)
	for text, kind := range map[string]string{"Peter Novak": "PERSON", "Maria Schultz": "PERSON", "03/12/2021": "DATE_TIME", "123-45-6789": "US_SSN"} {
		if theirs[text] != kind {
			t.Errorf("%s is %q in Presidio's world: %v", text, theirs[text], theirs)
		}
	}
	if status, _, _ := post(t, config, "/analyze", strings.Replace(body(""), `"en"`, `"es"`, 1)); status != 500 {
		t.Errorf("a model for English serves Spanish: status %d", status)
	}
}

// Without the safety net, known values were ignored.
func TestKnownValuesWithoutTheSafetyNetWereIgnored(t *testing.T) {
	all, err := engine.NewPool(engine.Named{Name: "en", Options: engine.Options{Model: "en", SafetyNet: "off"}})
	if err != nil {
		t.Fatal(err)
	}
	status, answer, _ := post(t, Config{Models: Engines(all)}, "/analyze", `{"text":"x","language":"en","known":{"name":"Zebulon"}}`)
	if status != 422 || !strings.Contains(answer, "safety net") || strings.Contains(answer, "Zebulon") {
		t.Errorf("%d %s", status, answer)
	}
}

// TestAnalyzeThenAnonymize sends what /analyze answers to /anonymize, as clients do.
func TestAnalyzeThenAnonymize(t *testing.T) {
	config := opened(t, "auto")
	texts, _ := json.Marshal([]string{letter, "Mr. Novak came again on 03/15/2021."})
	_, results, _ := post(t, config, "/analyze", fmt.Sprintf(`{"text":%s,"language":"en","patient":"12"}`, texts))
	for _, c := range []struct{ more, has, lacks string }{
		{``, "<PATIENT>", "Novak 2021"},
		{`,"policy":"safe-harbor"`, "2021", "Novak 03/12/2021"},
		{`,"anonymizers":{"PERSON":{"type":"numbered"}}`, "<PATIENT_1>", "Novak"},
		{`,"anonymizers":{"PERSON":{"type":"surrogate"},"DATE_TIME":{"type":"shift"}}`, "<PHONE>", "Novak 03/12/2021 <DATE> <PATIENT>"},
	} {
		status, answer, _ := post(t, config, "/anonymize", fmt.Sprintf(`{"text":%s,"analyzer_results":%s,"patient":"12"%s}`, texts, results, c.more))
		if status != 200 {
			t.Fatalf("%s: %s", c.more, answer)
		}
		clean := strings.Join(textsIn(t, answer), "\n")
		if !strings.Contains(clean, c.has) || slices.ContainsFunc(strings.Fields(c.lacks), func(text string) bool { return strings.Contains(clean, text) }) {
			t.Errorf("%s: %s", c.more, clean)
		}
	}
}

// TestAllModelsAreListed checks that a model for two languages lists the types of both, and only these.
func TestAllModelsAreListed(t *testing.T) {
	to := server(opened(t, "auto"))
	for _, language := range []string{"en", "es"} {
		g, _ := (&pair{Method: "GET", Path: "/supportedentities?language=" + language}).answer(to)
		for _, name := range []string{`"PATIENT"`, `"PERSON"`, `"FECHAS"`, `"DATE_TIME"`} {
			if !strings.Contains(g.Body, name) {
				t.Errorf("%s: %s lacks %s", language, g.Body, name)
			}
		}
	}
	body := `{"text":"x","language":"en","entities":["NRP"]}`
	if g, _ := (&pair{Method: "POST", Path: "/analyze", Type: "application/json", Body: &body}).answer(to); g.Status != 500 {
		t.Errorf("a model with an open type set has every type: %s", g.Body)
	}
}
