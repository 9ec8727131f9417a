package v1

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"unicode/utf16"

	"github.com/lethe-deid/lethe/deid/engine"
	"github.com/lethe-deid/lethe/deid/service/wire"
)

const text = "👩‍⚕️ Mrs. Oda Lund, 71, was seen by Dr. Per Vega on 03/04/2031.\r\nPhone 555-201-3344."

// Without the safety net, known values were ignored.
func TestKnownValuesWithoutTheSafetyNetWereIgnored(t *testing.T) {
	pool, err := engine.NewPool(engine.Named{Name: "en", Options: engine.Options{Model: "en", SafetyNet: "off"}})
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(wire.Mux(Handlers(Config{Engines: pool})))
	t.Cleanup(s.Close)
	if status, raw := post(t, s, "application/json", object{"text": "x", "known": object{"name": []string{"Zebulon"}}}); status != 422 || strings.Contains(raw, "Zebulon") {
		t.Errorf("%d: %s", status, raw)
	}
}

// server starts a server with the model en and a key.
func server(t testing.TB) (*httptest.Server, *int) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(path, []byte("an invented secret of a test"), 0o600); err != nil {
		t.Fatal(err)
	}
	pool, err := engine.NewPool(engine.Named{Name: "en", Options: engine.Options{Model: "en", KeyFile: path}}, engine.Named{Name: "auto"})
	if err != nil {
		t.Fatal(err)
	}
	var mutex sync.Mutex
	counted := 0
	mux := wire.Mux(Handlers(Config{Engines: pool, Version: "test", Count: func(notes int, _ map[string]int) {
		mutex.Lock()
		defer mutex.Unlock()
		counted += notes
	}}))
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s, &counted
}

func post(t testing.TB, s *httptest.Server, kind string, body any) (int, string) {
	t.Helper()
	raw, ok := body.(string)
	if !ok {
		encoded, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		raw = string(encoded)
	}
	r, err := http.Post(s.URL+"/v1/deidentify", kind, strings.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	answer, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return r.StatusCode, string(answer)
}

func decode(t *testing.T, raw string) (r response) {
	t.Helper()
	if err := json.Unmarshal([]byte(raw), &r); err != nil {
		t.Fatalf("%v: %s", err, raw)
	}
	return r
}

type object = map[string]any

func TestOffsetsCutTheSpansOutOfBothTexts(t *testing.T) {
	s, counted := server(t)
	status, raw := post(t, s, "application/json", object{"text": text, "policy": "all", "doubts": 0.001})
	if status != 200 {
		t.Fatal(status, raw)
	}
	r := decode(t, raw)
	n := r.Notes[0]
	units, points, clean := utf16.Encode([]rune(text)), []rune(text), []rune(*n.Text)
	left, at := "", 0
	for _, f := range n.Spans {
		word := text[f.Start.UTF8:f.End.UTF8]
		if got := string(utf16.Decode(units[f.Start.UTF16:f.End.UTF16])); got != word {
			t.Errorf("UTF-16 cuts %q, UTF-8 %q", got, word)
		}
		if got := string(points[f.Start.CodePoint:f.End.CodePoint]); got != word {
			t.Errorf("code points cut %q, UTF-8 %q", got, word)
		}
		if got := string(clean[f.Replacement.Start.CodePoint:f.Replacement.End.CodePoint]); got != f.Replacement.Text {
			t.Errorf("code points cut %q out of the clean text, not %q", got, f.Replacement.Text)
		}
		left += text[at:f.Start.UTF8] + f.Replacement.Text
		at = f.End.UTF8
	}
	if left += text[at:]; left != *n.Text {
		t.Errorf("the replacements give %q, not %q", left, *n.Text)
	}
	if len(n.Spans) < 4 || strings.Contains(*n.Text, "Lund") || strings.Contains(*n.Text, "2031") || *counted != 1 {
		t.Errorf("%d spans, %d notes counted: %s", len(n.Spans), *counted, *n.Text)
	}
	if r.Model.Name != "en" || !strings.HasPrefix(r.Model.Digest, "sha256:") || r.Policy.Name != "all" || r.Policy.Digest == "" {
		t.Errorf("model %v, policy %v", r.Model, r.Policy)
	}
}

func TestNotesOfAPatientAreTreatedTogether(t *testing.T) {
	s, _ := server(t)
	notes := []object{{"id": "1", "patient": "7", "text": "Oda Lund was admitted."}, {"id": "2", "patient": "7", "text": "Then lund went home."}, {"id": "3", "patient": "8", "text": "The patient went home."}}
	_, raw := post(t, s, "application/json", object{"notes": notes, "replace": "numbered", "policy": "all"})
	r := decode(t, raw)
	if got := *r.Notes[1].Text; got != "Then [PATIENT_1] went home." {
		t.Errorf("the second note: %q", got)
	}
	if got := *r.Notes[2].Text; got != "The patient went home." {
		t.Errorf("the note of another patient: %q", got)
	}
	clean := func(q object) string {
		status, raw := post(t, s, "application/json", q)
		if status != 200 {
			t.Fatal(status, raw)
		}
		return *decode(t, raw).Notes[0].Text
	}
	one := clean(object{"text": "Oda Lund was admitted on 03/04/2031.", "patient": "7", "replace": "surrogate"})
	again := clean(object{"text": "Oda Lund was admitted on 03/04/2031.", "patient": "7", "replace": "surrogate"})
	other := clean(object{"text": "Oda Lund was admitted on 03/04/2031.", "patient": "8", "replace": "surrogate"})
	if one != again || one == other {
		t.Errorf("surrogates of a patient %q and %q, of another one %q", one, again, other)
	}
	got := clean(object{"text": "The ward has 7734-XB and Quillfeather.", "known": object{"name": []string{"Quillfeather"}, "id_number": []string{"7734-XB"}}})
	if strings.Contains(got, "Quillfeather") || strings.Contains(got, "7734") {
		t.Errorf("known values are left: %q", got)
	}
}

func TestSpansOfTheRequestAreThePHI(t *testing.T) {
	s, _ := server(t)
	span := func(typ string, from, to int) object {
		return object{"type": typ, "start": object{"utf16": from}, "end": object{"utf16": to}}
	}
	status, raw := post(t, s, "application/json", object{"text": "👍 Oda and Lund", "spans_given": true, "spans": []object{span("PATIENT", 3, 6)}})
	if status != 200 || *decode(t, raw).Notes[0].Text != "👍 [PATIENT] and Lund" {
		t.Errorf("%d: %s", status, raw)
	}
	// Without spans, the note came back as it was.
	if status, raw := post(t, s, "application/json", object{"text": "Oda Lund", "spans_given": true}); status != 422 {
		t.Errorf("without spans: %d: %s", status, raw)
	}
	if status, raw := post(t, s, "application/json", object{"text": "x", "spans_given": true, "spans": []object{}}); status != 200 || *decode(t, raw).Notes[0].Text != "x" {
		t.Errorf("with an empty list of spans: %d: %s", status, raw)
	}
}

// Spans that all overlap become one.
func TestManySpansOfTheRequestOverlap(t *testing.T) {
	s, _ := server(t)
	status, raw := post(t, s, "application/json", overlapping(2_000))
	if status != 200 || !strings.HasPrefix(*decode(t, raw).Notes[0].Text, "[") {
		t.Errorf("%d: %.200s", status, raw)
	}
}

// The time grew with the square of the number of spans.
func BenchmarkOverlappingSpans(b *testing.B) {
	s, _ := server(b)
	for _, n := range []int{2_000, 20_000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			for b.Loop() {
				if status, _ := post(b, s, "application/json", overlapping(n)); status != 200 {
					b.Fatalf("status %d", status)
				}
			}
		})
	}
}

// overlapping is a request with n spans of two types, each within the one before.
func overlapping(n int) object {
	var spans []object
	for i := range n {
		spans = append(spans, object{"type": []string{"STATE", "DATE"}[i%2], "start": object{"utf8": i}, "end": object{"utf8": 2*n - i}})
	}
	return object{"text": strings.Repeat("Oda ", n/2), "spans_given": true, "spans": spans}
}

// Overlapping spans were merged before the policy was asked, so that a city, which stays, could keep the name of a patient beside it.
func TestAGivenSpanHidAnotherFromThePolicy(t *testing.T) {
	s, _ := server(t)
	span := func(typ string, from, to int) object {
		return object{"type": typ, "start": object{"utf8": from}, "end": object{"utf8": to}}
	}
	for _, spans := range [][]object{
		{span("CITY", 0, 22), span("PATIENT", 19, 27)},
		{span("PATIENT", 19, 27), span("CITY", 0, 22)},
		{span("CITY", 0, 27), span("PATIENT", 19, 27), span("CITY", 19, 27)},
	} {
		status, raw := post(t, s, "application/json", object{"text": "Ohio State home of Oda Lund, seen 2031", "spans_given": true, "policy": "limited-data-set", "spans": spans})
		if status != 200 || *decode(t, raw).Notes[0].Text != "[PATIENT], seen 2031" {
			t.Errorf("%v: %d: %s", spans, status, raw)
		}
	}
}

// Known values under PATIENT, which is a type of the model, and under id and patient were ignored, because these columns of a file have no values.
func TestKnownValuesOfThePatientWereIgnored(t *testing.T) {
	s, _ := server(t)
	for _, key := range []string{"PATIENT", "patient", "id"} {
		status, raw := post(t, s, "application/json", object{"text": "The ward has Quillfeather.", "known": object{key: []string{"Quillfeather"}}})
		if status != 200 || strings.Contains(*decode(t, raw).Notes[0].Text, "Quillfeather") {
			t.Errorf("%s: %d: %s", key, status, raw)
		}
	}
	_, raw := post(t, s, "application/json", object{"text": "The ward has Quillfeather.", "known": object{"PATIENT": []string{"Oda Quillfeather"}}})
	if got := *decode(t, raw).Notes[0].Text; got != "The ward has [PATIENT]." {
		t.Errorf("a name of the type PATIENT: %q", got)
	}
}

// Known values that are too short to search for were ignored without a word.
func TestShortKnownValuesWereIgnoredWithoutAWord(t *testing.T) {
	s, _ := server(t)
	known := object{"id_number": []string{"712", "7734-XB"}}
	status, raw := post(t, s, "application/json", object{"notes": []object{{"text": "Bed 712.", "known": known}, {"text": "Stable."}}})
	if n := decode(t, raw).Notes; status != 200 || len(n[0].Warnings) != 1 || !strings.HasSuffix(n[0].Warnings[0], ": 1") || n[1].Warnings != nil {
		t.Errorf("%d: %s", status, raw)
	}
	if _, raw := post(t, s, "application/x-ndjson", object{"text": "Bed 712.", "known": known}); !strings.Contains(raw, `"warnings":["known values`) {
		t.Errorf("a line: %s", raw)
	}
}

// The text of a note of which nothing is left was missing, as that of a note that could not be examined is.
func TestAnEmptyTextWasMissing(t *testing.T) {
	s, _ := server(t)
	status, raw := post(t, s, "application/json", object{"text": ""})
	if answer := decode(t, raw); status != 200 || answer.Notes[0].Text == nil || *answer.Notes[0].Text != "" {
		t.Errorf("%d: %s", status, raw)
	}
}

// A stream without lines was answered with an error in the program.
func TestAnEmptyStreamFailed(t *testing.T) {
	s, _ := server(t)
	for _, body := range []string{"", "\n\n"} {
		answer, err := http.Post(s.URL+"/v1/deidentify", "application/x-ndjson", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		raw, err := io.ReadAll(answer.Body)
		_ = answer.Body.Close()
		if answer.StatusCode != 200 || len(raw) > 0 || err != nil {
			t.Errorf("%q: %d, %s, %v", body, answer.StatusCode, raw, err)
		}
	}
}

func TestRequestsThatAreRefused(t *testing.T) {
	s, _ := server(t)
	for name, c := range map[string]struct {
		body   any
		status int
	}{
		"an unknown key":               {`{"text":"Zebulon","txet":1}`, 400},
		"no text":                      {`{"id":"1"}`, 400},
		"text and notes":               {`{"text":"x","notes":[]}`, 400},
		"a note without text":          {`{"notes":[{"id":"1"}]}`, 400},
		"half of a surrogate pair":     {`{"text":"Zebulon \ud83d Oda"}`, 400},
		"a key twice":                  {`{"text":"Zebulon","text":"x"}`, 400},
		"a key in capitals":            {`{"TEXT":"Zebulon"}`, 400},
		"an unknown model":             {object{"text": "x", "model": "../en"}, 422},
		"an unknown policy":            {object{"text": "x", "policy": "/etc/passwd"}, 422},
		"an unknown kind":              {object{"text": "x", "replace": "shred"}, 422},
		"keep against the policy":      {object{"text": "x", "replace": "keep"}, 422},
		"spans without spans_given":    {object{"text": "x", "spans": []object{{"type": "PATIENT", "start": object{"utf8": 0}, "end": object{"utf8": 1}}}}, 422},
		"a span outside of the text":   {object{"text": "x", "spans_given": true, "spans": []object{{"type": "PATIENT", "start": object{"utf8": 0}, "end": object{"utf8": 2}}}}, 422},
		"a probability that is none":   {object{"text": "x", "doubts": 1}, 422},
		"doubts of 0":                  {object{"text": "x", "doubts": 0}, 422},
		"allow with spans_given":       {object{"text": "x", "spans_given": true, "allow": []string{"x"}}, 422},
		"known with spans_given":       {object{"text": "x", "spans_given": true, "spans": []object{}, "known": object{"name": []string{"Zebulon"}}}, 422},
		"a note's known, spans_given":  {object{"notes": []object{{"text": "x", "spans": []object{}, "known": object{"name": []string{"Zebulon"}}}}, "spans_given": true}, 422},
		"doubts with spans_given":      {object{"text": "x", "spans_given": true, "spans": []object{}, "doubts": 0.5}, 422},
		"a foreign language with auto": {object{"text": strings.Repeat("Der Patient wurde heute mit der Diagnose in die Klinik aufgenommen und ist nicht bei sich. ", 5), "model": "auto"}, 422},
	} {
		status, raw := post(t, s, "application/json", c.body)
		if status != c.status || strings.Contains(raw, "Zebulon") || strings.Contains(raw, `"text"`) {
			t.Errorf("%s: %d: %s", name, status, raw)
		}
	}
	for kind, want := range map[string]string{"Application/JSON": `"notes":[{"text":"x"`, "application/JSON;charset=utf-8": `"notes":[{"text":"x"`, "Application/X-NDJSON": `{"text":"x"`} { // they were refused
		if status, raw := post(t, s, kind, `{"text":"x"}`); status != 200 || !strings.Contains(raw, want) {
			t.Errorf("%s: %d: %s", kind, status, raw)
		}
	}
	if status, raw := post(t, s, "text/plain", `{"text":"x"}`); status != 415 {
		t.Errorf("text/plain: %d: %s", status, raw)
	}
}

func TestStreamIsAnsweredLineByLine(t *testing.T) {
	s, _ := server(t)
	in, out := io.Pipe()
	r, err := http.NewRequest("POST", s.URL+"/v1/deidentify", in)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-ndjson")
	go func() { _, _ = io.WriteString(out, `{"id":"0","text":"Mrs. Oda Lund came."}`+"\n") }()
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	lines := bufio.NewScanner(a.Body)
	next := func() (got object) {
		if !lines.Scan() {
			t.Fatal("the stream ended: ", lines.Err())
		}
		if err := json.Unmarshal(lines.Bytes(), &got); err != nil {
			t.Fatal(err)
		}
		return got
	}
	if got := next(); got["id"] != "0" || got["text"] != "Mrs. [PATIENT] came." {
		t.Fatalf("the first answer, while the stream is open: %v", got)
	}
	go func() {
		for i := 1; i <= 300; i++ {
			switch i % 50 {
			case 0:
				fmt.Fprintf(out, "{\"id\":\"%d\",\"txet\":\"Zebulon\"}\n", i)
			case 1:
				fmt.Fprintf(out, "\n{\"notes\":[{\"id\":\"%d\",\"text\":\"Mrs. Oda Lund came.\"}]}\r\n", i)
			default:
				fmt.Fprintf(out, "{\"id\":\"%d\",\"text\":\"Mrs. Oda Lund came.%s\"}\n", i, strings.Repeat(" ok", i%7*100))
			}
		}
		_ = out.Close()
	}()
	for i := 1; i <= 300; i++ {
		got := next()
		switch {
		case i%50 == 0:
			if got["error"] == nil || got["line"] != float64(i+1+i/50) || strings.Contains(fmt.Sprint(got), "Zebulon") {
				t.Fatalf("line %d: %v", i, got)
			}
		case i%50 == 1:
			if got["notes"] == nil {
				t.Fatalf("line %d: %v", i, got)
			}
		case got["id"] != fmt.Sprint(i) || !strings.HasPrefix(got["text"].(string), "Mrs. [PATIENT] came."):
			t.Fatalf("line %d: %v", i, got)
		}
	}
	if lines.Scan() {
		t.Error("there are more answers than lines")
	}
}

// The error of a line did not name the line's id if another key was unknown, occurred twice, or had a value of the wrong type.
func TestErrorsOfLinesHadNoID(t *testing.T) {
	s, _ := server(t)
	for _, line := range []string{`{"id":"7","text":3}`, `{"txet":"x","id":"7"}`, `{"text":"x","id":"7","text":"y"}`, `{"id":"7","text":"x \ud83d"}`, `{"id":"7","text":"x","doubts":2}`} {
		_, raw := post(t, s, "application/x-ndjson", line)
		var got failure
		if err := json.Unmarshal([]byte(raw), &got); err != nil || got.ID.Text != "7" || got.Line != 1 || got.Error == "" {
			t.Errorf("%s: %s", line, raw)
		}
	}
	for _, line := range []string{`{"id":true,"text":"x"}`, `{"id":"7"`, `["id"]`} {
		if _, raw := post(t, s, "application/x-ndjson", line); strings.Contains(raw, `"id"`) || !strings.Contains(raw, `"error"`) {
			t.Errorf("%s: %s", line, raw)
		}
	}
}

// A line that is too long had no answer if it was the last one and had no line end.
func TestTheLastLineOfAStreamWasLost(t *testing.T) {
	s, _ := server(t)
	for _, end := range []string{"", "\n"} {
		status, answer := post(t, s, "application/x-ndjson", `{"text":"`+strings.Repeat("x", maxLine)+`"}`+end)
		if status != http.StatusOK || strings.Count(answer, `"error":"The line is longer`) != 1 {
			t.Errorf("%q: status %d, %.300s", end, status, answer)
		}
	}
}

// The long lines of a stream wait for room, of which there is less than they have together.
func TestLongLinesOfAStreamWaitForEachOther(t *testing.T) {
	s, _ := server(t)
	status, answer := post(t, s, "application/x-ndjson", strings.Repeat(`{"Zebulon":"`+strings.Repeat("x", maxLine-100)+"\"}\n", 5))
	if status != http.StatusOK || strings.Count(answer, `"error":"There is an unknown key`) != 5 {
		t.Errorf("status %d, %.300s", status, answer)
	}
}

func TestModels(t *testing.T) {
	s, _ := server(t)
	r, err := http.Get(s.URL + "/v1/models")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	var got struct {
		Models   []model
		Policies []named
		Kinds    []string
	}
	if err := json.NewDecoder(r.Body).Decode(&got); err != nil {
		t.Fatal(err)
	}
	if len(got.Models) != 2 || !got.Models[0].Default || !got.Models[0].Surrogate || got.Models[1].Surrogate || len(got.Models[1].Types) <= len(got.Models[0].Types) {
		t.Errorf("models %+v", got.Models)
	}
	if len(got.Policies) != 3 || len(got.Kinds) != 7 {
		t.Errorf("policies %v, kinds %v", got.Policies, got.Kinds)
	}
}

// Numbers as ids and patients were refused, although JSON Lines and lethe worker take them, and a line with one was answered without its id.
func TestIDsAndPatientsAreStringsOrNumbers(t *testing.T) {
	s, _ := server(t)
	for _, id := range []string{`7`, `"7"`, `5.50`, `-1e3`, `12345678901234567890`} {
		status, raw := post(t, s, "application/json", `{"id":`+id+`,"patient":`+id+`,"text":"Well."}`)
		if want := `{"id":` + id + `,"patient":` + id + `,"text":"Well."`; status != 200 || !strings.Contains(raw, want) {
			t.Errorf("%s: %d: %s", id, status, raw)
		}
	}
	status, raw := post(t, s, "application/json", `{"patient":7,"notes":[{"id":1,"text":"Well."},{"id":null,"patient":null,"text":"Well."}]}`)
	if status != 200 || !strings.Contains(raw, `[{"id":1,"patient":7,`) || !strings.Contains(raw, `,{"patient":7,`) {
		t.Errorf("%d: %s", status, raw)
	}
	for _, id := range []string{`true`, `[7]`, `{"a":7}`} {
		if status, raw := post(t, s, "application/json", `{"text":"Well.","patient":`+id+`}`); status != 400 || !strings.Contains(raw, `should be a string or a number.`) {
			t.Errorf("%s: %d: %s", id, status, raw)
		}
	}
	if _, raw := post(t, s, "application/x-ndjson", `{"id":5,"txt":"Well."}`); !strings.HasPrefix(raw, `{"id":5,"line":1,"error":`) {
		t.Error(raw)
	}
}

// A number and the string with its digits are one patient, as in JSON Lines.
func TestANumberIsThePatientOfItsDigits(t *testing.T) {
	s, _ := server(t)
	var texts []string
	for _, patient := range []string{`7`, `"7"`} {
		_, raw := post(t, s, "application/json", `{"patient":`+patient+`,"text":"Oda Lund was admitted on 03/04/2031.","replace":"surrogate"}`)
		texts = append(texts, *decode(t, raw).Notes[0].Text)
	}
	if texts[0] != texts[1] {
		t.Errorf("%q", texts)
	}
}
