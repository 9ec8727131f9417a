package presidio

import (
	"bufio"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lethe-deid/lethe/deid/service/wire"
)

// server returns the handler of all endpoints.
func server(config Config) http.Handler { return wire.Mux(Handlers(config)) }

// pair is a request and Presidio's answer to it.
type pair struct {
	Name, Method, Path, Type string
	Body                     *string
	Varies                   bool
	Differs                  string
	Status                   int
	Answer                   struct{ Type, Body string }
}

// send sends the request of a pair.
func (p *pair) send(to http.Handler) *http.Response {
	body := ""
	if p.Body != nil {
		body = *p.Body
	}
	r := httptest.NewRequest(p.Method, p.Path, strings.NewReader(body))
	if p.Type != "" {
		r.Header.Set("Content-Type", p.Type)
	}
	w := httptest.NewRecorder()
	to.ServeHTTP(w, r)
	return w.Result()
}

// got is an answer of Lethe, as the tests compare and record it.
type got struct {
	Path, Name string
	Status     int
	Body       string
}

func (p *pair) answer(to http.Handler) (got, string) {
	response := p.send(to)
	var body strings.Builder
	_, _ = bufio.NewReader(response.Body).WriteTo(&body)
	return got{p.Path, p.Name, response.StatusCode, body.String()}, response.Header.Get("Content-Type")
}

// drawn matches the parts of an answer that are random: hashes and ciphertexts.
var drawn = regexp.MustCompile(`[0-9a-f]{64,}|[A-Za-z0-9_=-]{40,}`)

// comparable returns a body without what may be different: which of the characters of a hash or a ciphertext were drawn.
func (p *pair) comparable(body string) string {
	if !p.Varies {
		return body
	}
	return drawn.ReplaceAllStringFunc(body, func(text string) string { return strings.Repeat("#", len(text)) })
}

// TestGolden compares the answers with those of Presidio 2.2.366, byte by byte. scripts/presidiorest records them. Where an answer is different on
// purpose, it is compared with testdata/different.json.
func TestGolden(t *testing.T) {
	var pairs []*pair
	readJSON(t, "testdata/golden.json", &pairs)
	var different, wantDifferent []got
	to := server(testConfig)
	for _, p := range pairs {
		g, kind := p.answer(to)
		if p.Differs != "" {
			different = append(different, g)
			if g.Status == p.Status && g.Body == p.Answer.Body {
				t.Errorf("%s %s: the same as Presidio's answer, but listed as different: %s", p.Path, p.Name, p.Differs)
			}
			continue
		}
		want := got{p.Path, p.Name, p.Status, p.comparable(p.Answer.Body)}
		g.Body = p.comparable(g.Body)
		if g != want || kind != p.Answer.Type {
			t.Errorf("%s %s:\n%s\ngot  %d %s %s\nwant %d %s %s", p.Path, p.Name, deref(p.Body), g.Status, kind, g.Body, want.Status, p.Answer.Type, want.Body)
		}
	}
	if os.Getenv("UPDATE_GOLDEN") != "" {
		writeJSON(t, "testdata/different.json", different)
	}
	readJSON(t, "testdata/different.json", &wantDifferent)
	if diff := cmp.Diff(wantDifferent, different); diff != "" {
		t.Errorf("answers that are not Presidio's (-want +got):\n%s", diff)
	}
}

// TestRecordedPairs compares the answers with those that "record.py --random" or "record.py --analyses" recorded in the file LETHE_PRESIDIO_PAIRS. They
// are different on purpose where entities with an operator that leaves text overlap others, and for regular expressions that one program refuses.
func TestRecordedPairs(t *testing.T) {
	path := os.Getenv("LETHE_PRESIDIO_PAIRS")
	if path == "" {
		t.Skip("LETHE_PRESIDIO_PAIRS names no file")
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	to := server(testConfig)
	n, different, refused := 0, 0, 0
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for ; lines.Scan(); n++ {
		var p pair
		if err := json.Unmarshal(lines.Bytes(), &p); err != nil {
			t.Fatal(err)
		}
		g, _ := p.answer(to)
		switch {
		case g.Status == p.Status && g.Body == p.Answer.Body:
		case p.Path == "/analyze" && (p.Status == http.StatusInternalServerError || g.Status == http.StatusBadRequest):
			refused++
		case g.Status == p.Status && leavesText(*p.Body):
			different++
		default:
			t.Errorf("%s: %s\ngot  %d %s\nwant %d %s", p.Name, *p.Body, g.Status, g.Body, p.Status, p.Answer.Body)
		}
	}
	t.Logf("%d pairs; %d with another answer, %d refused by one or both in another way", n, different, refused)
}

// leavesText reports whether a request has an operator that leaves text.
func leavesText(body string) bool {
	return strings.Contains(body, `"keep"`) || strings.Contains(body, `"mask"`)
}

// TestEncryptForPresidio writes lines of key, ciphertext and text to the file LETHE_PRESIDIO_CIPHERTEXTS, which "record.py --decrypt" checks, and
// decrypts them itself.
func TestEncryptForPresidio(t *testing.T) {
	to := server(testConfig)
	var lines strings.Builder
	for _, text := range []string{"", "Oda", "sixteen bytes it", "Zoë 😀 Ødegård", strings.Repeat("a\r\n", 1000)} {
		for _, key := range []string{"sixteen bytes it", "twenty-four bytes, twent", "thirty-two bytes, thirty-two byt", "åäöåäöåä"} {
			params := record("key", key)
			made, err := encrypt(params, "", text)
			if err != nil {
				t.Fatal(err)
			}
			line, _ := json.Marshal([]string{key, made, text})
			lines.Write(append(line, '\n'))
			at := record("start", 0, "end", len(made), "entity_type", "PERSON")
			body := string(compact.append(nil, record("text", made, "anonymizer_results", []any{at}, "deanonymizers", record("DEFAULT", record("type", "decrypt", "key", key)))))
			g, _ := (&pair{Method: "POST", Path: "/deanonymize", Type: "application/json", Body: &body}).answer(to)
			var answer struct{ Text string }
			if err := json.Unmarshal([]byte(g.Body), &answer); err != nil || answer.Text != text {
				t.Errorf("a text of %d bytes is not what it was before: %v", len(text), err)
			}
		}
	}
	if path := os.Getenv("LETHE_PRESIDIO_CIPHERTEXTS"); path != "" {
		if err := os.WriteFile(path, []byte(lines.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func readJSON(t *testing.T, path string, into any) {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(raw, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func writeJSON(t *testing.T, path string, value any) {
	t.Helper()
	raw, err := json.MarshalIndent(value, "", " ")
	if err == nil {
		err = os.WriteFile(path, append(raw, '\n'), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
