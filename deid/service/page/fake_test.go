package page_test

import (
	"cmp"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid/service/page"
	"github.com/lethe-deid/lethe/deid/service/wire"
)

// fake is a server with the page and with endpoints that follow fixed rules, so that the tests know every answer.
type fake struct {
	*httptest.Server
	mu       sync.Mutex
	requests []string                                          // bodies of requests to deidentify
	refuse   func(w http.ResponseWriter, r *http.Request) bool // answers in place of the endpoints, if it returns true
	more     []string                                          // models beside "en"
	review   http.Handler                                      // nil: the server has no review
}

func newFake(t testing.TB) *fake {
	f := &fake{}
	mux := http.NewServeMux()
	for pattern, h := range page.Handlers() {
		mux.Handle(pattern, h)
	}
	mux.HandleFunc("GET /v1/models", f.models)
	mux.HandleFunc("POST /v1/deidentify", f.deidentify)
	mux.HandleFunc("GET /unit/{name}", func(w http.ResponseWriter, r *http.Request) { http.ServeFile(w, r, "testdata/"+r.PathValue("name")) })
	f.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f.mu.Lock()
		refuse := f.refuse
		f.mu.Unlock()
		if strings.HasPrefix(r.URL.Path, "/v1/") && refuse != nil && refuse(w, r) {
			return
		}
		if strings.HasPrefix(r.URL.Path, "/v1/review") && f.review != nil {
			f.review.ServeHTTP(w, r)
			return
		}
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(f.Close)
	return f
}

// refusing makes the endpoints answer with f until it is called with nil.
func (f *fake) refusing(refuse func(w http.ResponseWriter, r *http.Request) bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.refuse = refuse
}

// last returns the body of the last request to deidentify.
func (f *fake) last() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.requests[len(f.requests)-1]
}

func (f *fake) models(w http.ResponseWriter, _ *http.Request) {
	var types []map[string]string
	for _, t := range data.I2B2.Types {
		types = append(types, map[string]string{"name": t.Name, "category": t.Category, "sort": string(t.Sort)})
	}
	all := []any{}
	for i, name := range append([]string{"en"}, f.more...) {
		all = append(all, map[string]any{
			"name": name, "default": i == 0, "languages": []string{"en"}, "types": types, "digest": "sha256:0", "policy": []string{"safe-harbor", "all"}[i], "surrogates": i > 0,
		})
	}
	wire.Write(w, http.StatusOK, map[string]any{
		"models":   all,
		"policies": []any{map[string]string{"name": "safe-harbor", "about": "the identifiers of HIPAA"}, map[string]string{"name": "all", "about": "everything"}},
		"kinds":    []string{"tag", "numbered", "mask", "redact", "hash", "surrogate", "keep"},
		"version":  "test",
	})
}

type fakeNote struct {
	ID         string           `json:"id"`
	Patient    string           `json:"patient"`
	Text       string           `json:"text"`
	Spans      []wire.GivenSpan `json:"spans"`
	SpansGiven bool             `json:"-"`
}

type fakeRequest struct {
	Notes      []fakeNote `json:"notes"`
	Model      string     `json:"model"`
	Policy     string     `json:"policy"`
	Replace    string     `json:"replace"`
	SpansGiven bool       `json:"spans_given"`
	Doubts     float64    `json:"doubts"`
}

// rules are the model of the fake: the score says which rule found a span. A score below 0.3 is a doubt.
var rules = []struct {
	re    *regexp.Regexp
	typ   string
	score float64
}{
	{regexp.MustCompile(`Oda Lund|Ida Berg|נועה לוי|José Ñuñez`), "PATIENT", 0.97},
	{regexp.MustCompile(`Dr\. (\pL+)`), "DOCTOR", 0.62},
	{regexp.MustCompile(`\d\d/\d\d/\d{4}`), "DATE", 0.99},
	{regexp.MustCompile(`Elm Hospital`), "HOSPITAL", 0.88},
	{regexp.MustCompile(`MRN (\d+)`), "MEDICALRECORD", 0.93},
	{regexp.MustCompile(`555-\d{4}`), "PHONE", 0.95},
	{regexp.MustCompile(`(\d+)-year-old`), "AGE", 0.71},
	{regexp.MustCompile(`Springfield`), "CITY", 0.44},
	{regexp.MustCompile(`Parkside`), "LOCATION-OTHER", 0.21},
	{regexp.MustCompile(`baker`), "PROFESSION", 0.12},
	{regexp.MustCompile(`(Mill) Road`), "STREET", 0.08}, // two doubts beside each other
	{regexp.MustCompile(`Mill (Road)`), "STREET", 0.09},
}

type fakeSpan struct {
	wire.Span
	Kind        string       `json:"kind,omitempty"`
	Replacement *replacement `json:"replacement,omitempty"`
}

type replacement struct {
	Text  string      `json:"text"`
	Start wire.Offset `json:"start"`
	End   wire.Offset `json:"end"`
}

func (f *fake) deidentify(w http.ResponseWriter, r *http.Request) {
	var request fakeRequest
	raw, err := wire.Body(r)
	if err == nil {
		err = wire.Unmarshal(raw, &request)
	}
	if err != nil {
		wire.Fail(w, err)
		return
	}
	f.mu.Lock()
	f.requests = append(f.requests, string(raw))
	f.mu.Unlock()
	status := http.StatusOK
	var notes []any
	numbers := map[string]int{} // of all notes, as if they were of one patient
	for _, n := range request.Notes {
		if strings.Contains(n.Text, "UNEXAMINABLE") {
			status = http.StatusUnprocessableEntity
			notes = append(notes, map[string]any{"id": n.ID, "error": "the note has a sentence that is too long"})
			continue
		}
		note, err := answer(n, request, numbers)
		if err != nil {
			wire.Fail(w, err)
			return
		}
		notes = append(notes, note)
	}
	wire.Write(w, status, map[string]any{"model": map[string]string{"name": "en"}, "policy": map[string]string{"name": request.Policy}, "notes": notes})
}

func answer(n fakeNote, request fakeRequest, numbers map[string]int) (any, error) {
	index := wire.NewIndex(n.Text)
	spans, doubts := find(n.Text)
	if request.SpansGiven {
		var err error
		if spans, err = index.Read(n.Spans, data.I2B2); err != nil {
			return nil, wire.Unprocessable("%v", err)
		}
		data.SortSpans(spans)
	}
	text, replaced := replace(n.Text, spans, request, numbers)
	clean := wire.NewIndex(text)
	shown := []fakeSpan{}
	for i, s := range spans {
		r := replaced[i]
		shown = append(shown, fakeSpan{index.Span(s), r.kind, &replacement{text[r.start:r.end], clean.At(r.start), clean.At(r.end)}})
	}
	note := map[string]any{"id": n.ID, "patient": n.Patient, "text": text, "spans": shown}
	if request.Doubts > 0 {
		note["doubts"] = index.Spans(doubts)
	}
	if strings.Contains(n.Text, "Zyx") {
		note["unlike"] = []string{"unknown words"}
	}
	return note, nil
}

func find(text string) (spans, doubts []data.Span) {
	for _, rule := range rules {
		for _, m := range rule.re.FindAllStringSubmatchIndex(text, -1) {
			s := data.Span{Start: m[len(m)-2], End: m[len(m)-1], Type: rule.typ, Score: rule.score}
			if rule.score < 0.3 {
				doubts = append(doubts, s)
			} else {
				spans = append(spans, s)
			}
		}
	}
	data.SortSpans(spans)
	data.SortSpans(doubts)
	return spans, doubts
}

type placed struct {
	start, end int
	kind       string
}

// replace makes the clean text. The policy of the fake keeps ages, unless it is "all".
func replace(text string, spans []data.Span, request fakeRequest, numbers map[string]int) (string, []placed) {
	var b strings.Builder
	var all []placed
	at := 0
	for _, s := range spans {
		b.WriteString(text[at:s.Start])
		at = s.End
		kind := cmp.Or(request.Replace, "tag")
		if s.Type == "AGE" && request.Policy != "all" {
			kind = "keep"
		}
		start := b.Len()
		quote := text[s.Start:s.End]
		switch kind {
		case "tag":
			fmt.Fprintf(&b, "[%s]", s.Type)
		case "numbered":
			if numbers[quote] == 0 {
				numbers[quote] = len(numbers) + 1
			}
			fmt.Fprintf(&b, "[%s_%d]", s.Type, numbers[quote])
		case "mask":
			b.WriteString(strings.Repeat("*", utf8.RuneCountInString(quote)))
		case "hash":
			b.WriteString("5f2d")
		case "keep":
			b.WriteString(quote)
		}
		all = append(all, placed{start, b.Len(), kind})
	}
	b.WriteString(text[at:])
	return b.String(), all
}
