package presidio

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// keyed is a server that has a key.
var keyed = Config{Models: stub{key: []byte("a key of sixteen bytes")}}

// post sends a request and returns the answer.
func post(t *testing.T, config Config, path, body string) (status int, answer string, header http.Header) {
	t.Helper()
	if !json.Valid([]byte(body)) {
		t.Fatalf("not JSON: %s", body)
	}
	p := &pair{Method: "POST", Path: path, Type: "application/json", Body: &body}
	g, _ := p.answer(server(config))
	return g.Status, g.Body, p.send(server(config)).Header
}

// want checks an answer.
func want(t *testing.T, config Config, path, body string, status int, answer string) {
	t.Helper()
	gotStatus, got, _ := post(t, config, path, body)
	if got = strings.TrimSpace(got); gotStatus != status || got != answer {
		t.Errorf("%s %s:\ngot  %d %s\nwant %d %s", path, body, gotStatus, got, status, answer)
	}
}

func TestNamesOfBothWorlds(t *testing.T) {
	for _, c := range []struct{ entities, want string }{
		{`[]`, "PATIENT DOCTOR CITY MEDICALRECORD"},
		{`["PERSON"]`, "PERSON PERSON"},
		{`["PERSON","DOCTOR"]`, "PERSON DOCTOR"},
		{`["LOCATION"]`, "LOCATION"},
		{`["CITY","LOCATION"]`, "CITY"},
		{`["ID","US_SSN"]`, "ID"},
		{`["US_SSN","PERSON"]`, "PERSON PERSON"},
		{`["MEDICALRECORD"]`, "MEDICALRECORD"},
		{`["ORGANIZATION"]`, ""},
	} {
		body := fmt.Sprintf(`{"text":"Oda Lund, seen by Zoë Ødegård in Bergen, 4711","language":"en","entities":%s}`, c.entities)
		_, answer, _ := post(t, keyed, "/analyze", body)
		var found []struct {
			Type  string `json:"entity_type"`
			Start int
		}
		if err := json.Unmarshal([]byte(answer), &found); err != nil {
			t.Fatal(answer)
		}
		slices.SortFunc(found, func(a, b struct {
			Type  string `json:"entity_type"`
			Start int
		}) int {
			return a.Start - b.Start
		})
		var types []string
		for _, f := range found {
			types = append(types, f.Type)
		}
		if got := strings.Join(types, " "); got != c.want {
			t.Errorf("%s: %s, want %s", c.entities, got, c.want)
		}
	}
}

func TestNumbersByTheirForm(t *testing.T) {
	for _, c := range []struct {
		is   func(string) bool
		text string
		want bool
	}{
		{isSSN, "123-45-6789", true}, {isSSN, "123 45 6789", true}, {isSSN, "123456789", false}, {isSSN, "1123-45-6789", false},
		{isCard, "4111 1111 1111 1111", true}, {isCard, "4111-1111-1111-1112", false}, {isCard, "5500005555555559", true}, {isCard, "378282246310005", true},
		{isCard, "411111111111111a", false}, {isCard, "0", false}, {isIBAN, "GB82 WEST 1234 5698 7654 32", true}, {isIBAN, "GB82 WEST 1234 5698 7654 33", false}, {isIBAN, "", false},
	} {
		if got := c.is(c.text); got != c.want {
			t.Errorf("%s: %v", c.text, got)
		}
	}
}

func TestUnsupportedEntitiesAreNamed(t *testing.T) {
	body := `{"text":"Oda Lund","language":"en","entities":["PERSON","NRP","CRYPTO","NRP","a\nb"]}`
	status, _, header := post(t, keyed, "/analyze", body)
	if got := header.Get(unsupportedHeader); status != http.StatusOK || got != "NRP, CRYPTO" {
		t.Errorf("%d, header %q", status, got)
	}
}

func TestATextThatCannotBeExaminedIsAnError(t *testing.T) {
	for _, text := range []string{`"unreadable"`, `["Oda Lund","unreadable"]`} {
		want(t, keyed, "/analyze", fmt.Sprintf(`{"text":%s,"language":"en"}`, text), 500, `{"error":"A text could not be examined…"}`)
	}
}

// Errors that depend on the text were written like those about the request, which LiteLLM may take for the answer that there is no PHI.
func TestErrorsOfATextWereNotLoud(t *testing.T) {
	slow := `,"ad_hoc_recognizers":[{"supported_entity":"X","patterns":[{"name":"n","regex":"(a+)+b","score":1}]}]`
	for text, more := range map[string]string{"unreadable": "", `Oda \ud83d Lund`: "", strings.Repeat("a", 100): slow} {
		status, answer, header := post(t, Config{Models: stub{}, PatternTime: time.Millisecond}, "/analyze", fmt.Sprintf(`{"text":"%s","language":"en"%s}`, text, more))
		if status < 400 || !strings.HasSuffix(strings.TrimSpace(answer), `…"}`) || header.Get("Content-Type") != "application/json; charset=us-ascii" {
			t.Errorf("%.20s: %d %s, %s", text, status, answer, header.Get("Content-Type"))
		}
	}
}

func TestAPatternThatTakesTooLongIsAnError(t *testing.T) {
	config := Config{Models: stub{}, PatternTime: time.Millisecond}
	text := strings.Repeat("a", 100)
	slow := fmt.Sprintf(`{"text":"%s","language":"en","ad_hoc_recognizers":[{"supported_entity":"X","patterns":[{"name":"n","regex":"(a+)+b","score":1}]}]}`, text)
	want(t, config, "/analyze", slow, 500, `{"error":"`+strings.TrimSuffix(errSlow.Message, ".")+`…"}`)
	slow = fmt.Sprintf(`{"text":"Oda Lund %s","language":"en","known":{"name":"%s"},"allow_list":["(a+)+b"],"allow_list_match":"regex"}`, text, text)
	want(t, config, "/analyze", slow, 500, `{"error":"`+strings.TrimSuffix(errSlow.Message, ".")+`…"}`)
}

func TestNumbered(t *testing.T) {
	want(t, testConfig, "/anonymize", `{"text":"Oda Lund and Zoë Berg; Oda","anonymizers":{"PERSON":{"type":"numbered"}},"analyzer_results":[
		{"start":0,"end":8,"score":1,"entity_type":"PERSON"},{"start":13,"end":21,"score":1,"entity_type":"PERSON"},{"start":23,"end":26,"score":1,"entity_type":"PERSON"}]}`, 200,
		`{"text": "<PERSON_1> and <PERSON_2>; <PERSON_1>", "items": [{"start": 27, "end": 37, "entity_type": "PERSON", "text": "<PERSON_1>", "operator": "numbered", "score": 1}, `+
			`{"start": 15, "end": 25, "entity_type": "PERSON", "text": "<PERSON_2>", "operator": "numbered", "score": 1}, `+
			`{"start": 0, "end": 10, "entity_type": "PERSON", "text": "<PERSON_1>", "operator": "numbered", "score": 1}]}`)
}

// texts returns the texts of an answer of /anonymize to a batch, or of one text.
func textsIn(t *testing.T, answer string) []string {
	t.Helper()
	type outcome struct{ Text string }
	var many []outcome
	if json.Unmarshal([]byte(answer), &many) != nil {
		many = make([]outcome, 1)
		if err := json.Unmarshal([]byte(answer), &many[0]); err != nil || many[0].Text == "" {
			t.Fatal(answer)
		}
	}
	var texts []string
	for _, o := range many {
		texts = append(texts, o.Text)
	}
	return texts
}

func TestPatients(t *testing.T) {
	body := func(patient, operator string) string {
		return fmt.Sprintf(`{"text":["Oda Lund on 3/4/2021","On 3/9/2021 Mrs. Lund"],"patient":%s,"anonymizers":{"PERSON":{"type":"%s"},"DATE_TIME":{"type":"shift"}},"analyzer_results":[
			[{"start":0,"end":8,"score":1,"entity_type":"PERSON"},{"start":12,"end":20,"score":1,"entity_type":"DATE_TIME"}],
			[{"start":3,"end":11,"score":1,"entity_type":"DATE_TIME"},{"start":17,"end":21,"score":1,"entity_type":"PERSON"}]]}`, patient, operator)
	}
	_, same, _ := post(t, keyed, "/anonymize", body(`"p1"`, "surrogate"))
	_, again, _ := post(t, keyed, "/anonymize", body(`"p1"`, "surrogate"))
	if same != again {
		t.Errorf("the same request has two answers")
	}
	_, list, _ := post(t, keyed, "/anonymize", body(`["p1","p1"]`, "surrogate"))
	if same != list {
		t.Errorf("a list with the same patient twice is not the patient")
	}
	_, other, _ := post(t, keyed, "/anonymize", body(`7`, "surrogate"))
	if same == other {
		t.Errorf("another patient has the same surrogates")
	}
	texts := textsIn(t, same)
	var first, second time.Time
	var name string
	if fields := strings.Fields(texts[0]); len(fields) == 4 {
		name = fields[1]
		first, _ = time.Parse("1/2/2006", fields[3])
	}
	second, _ = time.Parse("1/2/2006", strings.Fields(texts[1])[1])
	if days := second.Sub(first).Hours() / 24; days != 5 || !strings.HasSuffix(texts[1], name) || strings.Contains(same, "Lund") {
		t.Errorf("%q: the interval is %v days", texts, days)
	}
	_, numbered, _ := post(t, keyed, "/anonymize", body(`"p1"`, "numbered"))
	if texts := textsIn(t, numbered); !strings.HasSuffix(texts[1], "Mrs. <PERSON_1>") {
		t.Errorf("%q: the person has two numbers", texts)
	}
}

func TestPolicy(t *testing.T) {
	results := `"analyzer_results":[{"start":0,"end":8,"score":1,"entity_type":"PERSON"},{"start":10,"end":12,"score":1,"entity_type":"AGE"},{"start":14,"end":22,"score":1,"entity_type":"DATE_TIME"},{"start":24,"end":34,"score":1,"entity_type":"STATE"}]`
	text := `"text":"Oda Lund, 97, 3/4/2021, California"`
	for _, c := range []struct{ more, want string }{
		{`"policy":"safe-harbor"`, "<PERSON>, 90+, 2021, California"},
		{`"policy":"limited-data-set"`, "<PERSON>, 97, 3/4/2021, California"},
		{`"policy":"all"`, "<PERSON>, <AGE>, <DATE_TIME>, <STATE>"},
		{`"policy":"safe-harbor","anonymizers":{"LOCATION":{"type":"redact"},"DEFAULT":{"type":"replace","new_value":"X"}}`, "X, 90+, 2021, "},
		{`"policy":"safe-harbor","anonymizers":{"DATE_TIME":{"type":"keep"}}`, "<PERSON>, 90+, 3/4/2021, California"},
	} {
		_, answer, _ := post(t, keyed, "/anonymize", "{"+text+","+results+","+c.more+"}")
		if got := textsIn(t, answer)[0]; got != c.want {
			t.Errorf("%s: %q, want %q", c.more, got, c.want)
		}
	}
}

func TestOperatorsOfOtherNames(t *testing.T) {
	results := `"analyzer_results":[{"start":0,"end":8,"score":1,"entity_type":"PATIENT"},{"start":10,"end":16,"score":1,"entity_type":"HOSPITAL"}]`
	for _, c := range []struct{ operators, want string }{
		{`{"PERSON":{"type":"redact"}}`, ", <HOSPITAL>"},
		{`{"":{"type":"keep"}}`, "<PATIENT>, <HOSPITAL>"},
		{`{"PERSON":{"type":"redact"},"PATIENT":{"type":"keep"}}`, "Oda Lund, <HOSPITAL>"},
		{`{"ORGANIZATION":{"type":"redact"},"DEFAULT":{"type":"keep"}}`, "Oda Lund, "},
		{`{"LOCATION":{"type":"replace","new_value":"L"},"ORGANIZATION":{"type":"redact"}}`, "<PATIENT>, L"},
	} {
		_, answer, _ := post(t, testConfig, "/anonymize", `{"text":"Oda Lund, Haukel",`+results+`,"anonymizers":`+c.operators+`}`)
		if got := textsIn(t, answer)[0]; got != c.want {
			t.Errorf("%s: %q, want %q", c.operators, got, c.want)
		}
	}
}

func TestKnownValues(t *testing.T) {
	want(t, testConfig, "/anonymize", `{"text":"Seen: Ms. Berg, MRN 889 912.","analyzer_results":[],"known":{"name":["Ada Berg"],"mrn":"889912"}}`, 200,
		`{"text": "Seen: Ms. <PATIENT>, MRN <MEDICALRECORD>.", "items": [{"start": 25, "end": 40, "entity_type": "MEDICALRECORD", "text": "<MEDICALRECORD>", "operator": "replace", "score": 1.0}, `+
			`{"start": 10, "end": 19, "entity_type": "PATIENT", "text": "<PATIENT>", "operator": "replace", "score": 1.0}]}`)
	want(t, testConfig, "/analyze", `{"text":["Ada Berg","Ada Berg"],"language":"en","known":[{"name":"Ada Berg"},null]}`, 200,
		`[[{"analysis_explanation": null, "end": 8, "entity_type": "PATIENT", "score": 1.0, "start": 0}], []]`)
}

func TestRefusals(t *testing.T) {
	oda := `"text":"Oda","analyzer_results":[{"start":0,"end":3,"score":1,"entity_type":"PERSON"}]`
	for _, c := range []struct{ path, body, message string }{
		{"/anonymize", `{` + oda + `,"anonymizers":{"PERSON":{"type":"surrogate"}}}`, "Invalid input, surrogate requires a key, and this server has none"},
		{"/anonymize", `{` + oda + `,"anonymizers":{"DEFAULT":{"type":"shift"}}}`, "Invalid input, shift replaces only dates, so it cannot be the default of all types"},
		{"/anonymize", `{` + oda + `,"anonymizers":{"PERSON":{"type":"shift"}}}`, "Invalid input, shift replaces only dates, and PERSON is no type of dates"},
		{"/anonymize", `{` + oda + `,"policy":"safe-harbor","anonymizers":{"DEFAULT":{"type":"keep"}}}`, "Invalid input, the default keep would leave what the policy removes"},
		{"/anonymize", `{` + oda + `,"anonymizers":{"PERSON":{"type":"numbered"}},"patient":["a","b"]}`, "Invalid input, 'patient' must be one value, or a list with one value per text (1 texts, 2 values)"},
		{"/anonymize", `{` + oda + `,"anonymizers":{"PERSON":{"type":"numbered"}},"patient":1.5}`, "Invalid input, the patient is neither a string nor a whole number"},
		{"/anonymize", `{` + oda + `,"known":["x"]}`, "Invalid input, known must be an object of strings or lists of strings"},
		{"/analyze", `{"text":"x","language":"en","known":{"name":5}}`, "Invalid input, known must be an object of strings or lists of strings"},
		{"/anonymize", `{"text":"Oda","policy":"all","analyzer_results":[{"start":0,"end":9,"score":1,"entity_type":"PERSON"}]}`, "Invalid analyzer result, start: 0 and end: 9, while text length is only 3."},
	} {
		want(t, testConfig, c.path, c.body, 422, `{"error":"`+c.message+`"}`)
	}
	want(t, testConfig, "/anonymize", `{`+oda+`,"policy":"all","language":"xx"}`, 500, `{"error":"No matching recognizers were found to serve the request."}`)
}

// TestNoPartOfARemovedEntityStays replaces random entities in texts whose code points all differ, and looks for those of entities that must go.
func TestNoPartOfARemovedEntityStays(t *testing.T) {
	to := server(keyed)
	chance := rand.New(rand.NewPCG(19, 1))
	operators := map[string]string{
		"PERSON": `{"type":"keep"}`, "LOCATION": `{"type":"redact"}`, "AGE": `{"type":"mask","masking_char":"*","chars_to_mask":2,"from_end":true}`, "ID": `{"type":"replace","new_value":"~"}`,
		"STATE": `{"type":"keep"}`, "CITY": `{"type":"surrogate"}`, "NRP": `{"type":"numbered"}`,
	}
	kinds := []string{"PERSON", "LOCATION", "AGE", "ID", "STATE", "CITY", "NRP"}
	var given []string
	for kind, o := range operators {
		given = append(given, fmt.Sprintf("%q:%s", kind, o))
	}
	for range 1000 {
		var text strings.Builder
		first, length := rune(0x4E00+chance.IntN(1000)), 5+chance.IntN(30)
		for i := range length {
			text.WriteRune(first + rune(i))
		}
		var results []string
		removed := map[rune]bool{}
		for range 1 + chance.IntN(6) {
			start := chance.IntN(length)
			end, kind := start+chance.IntN(length-start+1), kinds[chance.IntN(len(kinds))]
			results = append(results, fmt.Sprintf(`{"start":%d,"end":%d,"score":0.%d,"entity_type":%q}`, start, end, chance.IntN(9), kind))
			if o := operators[kind]; !strings.Contains(o, "keep") && !strings.Contains(o, "mask") {
				for i := start; i < end; i++ {
					removed[first+rune(i)] = true
				}
			}
		}
		policy := []string{"null", `"safe-harbor"`, `"all"`}[chance.IntN(3)]
		body := fmt.Sprintf(`{"text":%q,"analyzer_results":[%s],"anonymizers":{%s},"policy":%s}`, text.String(), strings.Join(results, ","), strings.Join(given, ","), policy)
		g, _ := (&pair{Method: "POST", Path: "/anonymize", Type: "application/json", Body: &body}).answer(to)
		if g.Status != http.StatusOK {
			t.Fatalf("%s: %s", body, g.Body)
		}
		var answer any
		if err := json.Unmarshal([]byte(g.Body), &answer); err != nil {
			t.Fatal(err)
		}
		for _, r := range fmt.Sprint(answer) {
			if removed[r] {
				t.Fatalf("%s\nleaves %c of a removed entity: %v", body, r, answer)
			}
		}
	}
}

func TestLists(t *testing.T) {
	for path, want := range map[string]string{
		"/recognizers":                   `["Lethe stub"]`,
		"/recognizers?language=es":       `["Lethe stub"]`,
		"/anonymizers":                   `["custom","encrypt","hash","keep","mask","redact","replace","numbered","surrogate","shift"]`,
		"/supportedentities?language=en": "",
	} {
		g, _ := (&pair{Method: "GET", Path: path}).answer(server(keyed))
		if want != "" && g.Body != want+"\n" {
			t.Errorf("%s: %s", path, g.Body)
		}
		if want == "" && (!strings.Contains(g.Body, `"PATIENT","PERSON","PHONE","PHONE_NUMBER"`) || !strings.Contains(g.Body, "US_SSN")) {
			t.Errorf("%s: %s", path, g.Body)
		}
	}
}

func TestCount(t *testing.T) {
	config := testConfig
	var texts int
	var spans map[string]int
	config.Count = func(t int, s map[string]int) { texts, spans = t, s }
	body := `{"text":["Oda Lund in Bergen","Oda Lund"],"language":"en","entities":["PERSON"]}`
	(&pair{Method: "POST", Path: "/analyze", Type: "application/json", Body: &body}).send(server(config))
	if diff := cmp.Diff(map[string]int{"PATIENT": 2, "CITY": 1}, spans); texts != 2 || diff != "" {
		t.Errorf("%d texts, %s", texts, diff)
	}
}

// FuzzRequests sends arbitrary bodies. No answer has the status 200 unless it is JSON, and no text that is not escaped.
func FuzzRequests(f *testing.F) {
	for _, body := range []string{
		`{"text":"Oda","language":"en","entities":["PERSON"],"score_threshold":0.5,"context":["a"],"allow_list":["x"],"ad_hoc_recognizers":[{"supported_entity":"X","patterns":[{"name":"n","regex":"(?<=a)[^\\W\\d_]+","score":0.5}],"deny_list":["a b"],"context":["c"]}]}`,
		`{"text":"Oda Lund","analyzer_results":[{"start":0,"end":8,"score":0.5,"entity_type":"PERSON"},{"start":4,"end":8,"score":1,"entity_type":"AGE"}],"anonymizers":{"PERSON":{"type":"keep"},"DEFAULT":{"type":"hash","salt":"sixteen bytes it"}}}`,
		`{"text":["a","b"],"analyzer_results":[[],[]],"patient":["1","1"],"known":{"name":["a"]},"policy":"safe-harbor"}`,
		`{"text":"x","anonymizer_results":[{"start":0,"end":1,"entity_type":"X"}],"deanonymizers":{"DEFAULT":{"type":"decrypt","key":"WmZq4t7w!z%C&F)J"}}}`,
		`{"text":"\ud83d\ude00","x":[1e999,-0,1.50,null,true]}`,
	} {
		f.Add(body)
	}
	to := server(Config{Models: stub{key: keyed.Models.(stub).key}, PatternTime: 50 * time.Millisecond})
	f.Fuzz(func(t *testing.T, body string) {
		for _, path := range []string{"/analyze", "/anonymize", "/deanonymize"} {
			g, _ := (&pair{Method: "POST", Path: path, Type: "application/json", Body: &body}).answer(to)
			if !slices.Contains([]int{200, 400, 422, 500}, g.Status) {
				t.Errorf("%s: status %d", path, g.Status)
			}
			if !json.Valid([]byte(g.Body)) && !strings.Contains(g.Body, "Infinity") {
				t.Errorf("%s: the answer is not JSON", path)
			}
			if strings.ContainsFunc(g.Body, func(r rune) bool { return r > '~' }) {
				t.Errorf("%s: the answer is not ASCII", path)
			}
		}
	})
}

func TestLargeAnswersAreRefused(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	var results []string
	for i := range 100 {
		results = append(results, fmt.Sprintf(`{"start":%d,"end":%d,"score":1,"entity_type":"A"}`, 2*i, 2*i+1))
	}
	body := fmt.Sprintf(`{"text":%q,"analyzer_results":[%s],"anonymizers":{"A":{"type":"replace","new_value":%q}}}`, strings.Repeat(".", 300), strings.Join(results, ","), long)
	want(t, testConfig, "/anonymize", body, 422, fmt.Sprintf(`{"error":"Invalid input, the replacements would have more than %d bytes"}`, maxReplaced))

	results = nil
	for range 200 {
		results = append(results, `{"start":0,"end":300,"entity_type":"A"}`)
	}
	body = fmt.Sprintf(`{"text":%q,"anonymizer_results":[%s],"deanonymizers":{"A":{"type":"deanonymize_keep"}}}`, strings.Repeat(".", 300), strings.Join(results, ","))
	want(t, testConfig, "/deanonymize", body, 422, fmt.Sprintf(`{"error":"Invalid input, the results overlap too much: together they cover more than %d times the text"}`, maxCover))

	compiled, err := compile(".", 0, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	r := &recognizer{patterns: []*pattern{{compiled: compiled, score: 1}}}
	if _, err := r.find(t.Context(), []rune("abc"), 2); err == nil {
		t.Error("3 findings are not refused where 2 are allowed")
	}
}
