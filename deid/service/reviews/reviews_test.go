package reviews

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid"
	"github.com/lethe-deid/lethe/deid/review"
)

// texts of the notes of the tests. The model finds the first word of each.
var texts = []string{"Åsa👍 saw Ben", "Cleo saw Dan"}

// served serves a review of two notes in their order, and returns its folder, too.
func served(t *testing.T, draw review.Draw) (*http.ServeMux, string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "ward")
	model := review.Model{Name: "first", Types: data.I2B2, TypeNames: []string{"DOCTOR", "PATIENT"}, Find: func(_ context.Context, notes []deid.Note) ([][]data.Span, []error) {
		found := make([][]data.Span, len(notes))
		for i, n := range notes {
			found[i] = []data.Span{{Start: 0, End: strings.Index(n.Text, " "), Type: "PATIENT", Score: 0.75}}
		}
		return found, make([]error, len(notes))
	}}
	notes := func(yield func(deid.Note, error) bool) {
		for i, text := range texts {
			if !yield(deid.Note{Document: &data.Document{ID: fmt.Sprint("n", i), Text: text}, Group: fmt.Sprint(i)}, nil) {
				return
			}
		}
	}
	draw.By, draw.Notes = review.ByNote, 2
	for draw.Seed = 1; ; draw.Seed++ { // until the notes are in their order
		if _, err := review.Sample(t.Context(), dir, notes, model, draw, nil); err != nil {
			t.Fatal(err)
		}
		r, err := review.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		if r.Notes[0].ID == "n0" {
			mux := http.NewServeMux()
			for pattern, handler := range Handlers(r) {
				mux.Handle(pattern, handler)
			}
			return mux, dir
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
	}
}

func both() review.Draw { return review.Draw{Readers: []string{"anna", "ben"}} }

// ask sends a request and compares status and, unless want is "", body.
func ask(t *testing.T, mux http.Handler, method, path, body string, status int, want string) string {
	t.Helper()
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	w := httptest.NewRecorder()
	mux.ServeHTTP(w, r)
	got := strings.TrimSpace(w.Body.String())
	if w.Code != status {
		t.Errorf("%s %s: status %d, want %d: %s", method, path, w.Code, status, got)
	}
	if want == "" {
		return got
	}
	var a, b any
	if json.Unmarshal([]byte(got), &a) != nil || json.Unmarshal([]byte(want), &b) != nil {
		t.Errorf("%s %s: not JSON: %s", method, path, got)
	} else if diff := cmp.Diff(b, a); diff != "" {
		t.Errorf("%s %s: %s", method, path, diff)
	}
	return got
}

const (
	asa = `{"type":"PATIENT","score":%v,"start":{"utf8":0,"utf16":0,"codepoint":0},"end":{"utf8":8,"utf16":5,"codepoint":4}%s}`
	ben = `{"type":"DOCTOR","score":1,"start":{"utf8":13,"utf16":10,"codepoint":9},"end":{"utf8":16,"utf16":13,"codepoint":12}%s}`
)

func TestAReviewOfTwo(t *testing.T) {
	mux, _ := served(t, both())
	ask(t, mux, "GET", "/v1/review/notes/1?reader=anna", "", 200,
		`{"number":1,"id":"n0","text":"Åsa👍 saw Ben","doubts":[],"done":false,"closed":false,"version":0,"state":"open","spans":[`+fmt.Sprintf(asa, 0.75, `,"from":"model"`)+`]}`)
	marked := `{"spans":[{"type":"DOCTOR","start":{"utf16":10},"end":{"codepoint":12}},{"type":"PATIENT","start":{"utf8":0},"end":{"utf8":8}}],"done":true,"version":0}`
	ask(t, mux, "PUT", "/v1/review/notes/1?reader=anna", marked, 200, `{"version":1}`)
	ask(t, mux, "PUT", "/v1/review/notes/1?reader=anna", marked, 409, `{"error":{"code":"version","message":"Somebody else has changed this note in the meantime: load it again."}}`)
	ask(t, mux, "GET", "/v1/review/notes/1?reader=anna", "", 200,
		`{"number":1,"id":"n0","text":"Åsa👍 saw Ben","doubts":[],"done":true,"closed":false,"version":1,"state":"done","spans":[`+
			fmt.Sprintf(asa, 0.75, `,"from":"model"`)+","+fmt.Sprintf(ben, `,"from":"reader"`)+`]}`)
	ask(t, mux, "GET", "/v1/review/agreement", "", 409, `{"error":{"code":"not_done","message":"There is no note yet with which both readers are done."}}`)
	ask(t, mux, "GET", "/v1/review/differences/1", "", 409, `{"error":{"code":"not_done","message":"A reader is not done with this note yet."}}`)
	ask(t, mux, "PUT", "/v1/review/notes/1?reader=ben", `{"spans":[{"type":"PATIENT","start":{"utf8":0},"end":{"utf8":8}}],"done":true,"version":0}`, 200, `{"version":1}`)
	ask(t, mux, "GET", "/v1/review/differences/1", "", 200, `{"number":1,"text":"Åsa👍 saw Ben","readers":{"anna":[`+fmt.Sprintf(asa, 1, "")+","+fmt.Sprintf(ben, "")+
		`],"ben":[`+fmt.Sprintf(asa, 1, "")+`]},"agreed":[`+fmt.Sprintf(asa, 1, "")+`]}`)
	ask(t, mux, "PUT", "/v1/review/notes/1?reader=ben", `{"spans":[],"done":true,"version":1}`, 409,
		`{"error":{"code":"closed","message":"Both readers are done with this note: only final can change it."}}`)
	ask(t, mux, "GET", "/v1/review", "", 200, `{"name":"ward","model":"first","language":"en","by":"random","unaided":false,"readers":["anna","ben"],"types":["DOCTOR","PATIENT"],
		"notes":[{"number":1,"id":"n0","doubtful":0.75,"spans":1,"state":{"anna":"done","ben":"done","final":"open"},"verdict":"differing"},
			{"number":2,"id":"n1","doubtful":0.75,"spans":1,"state":{"anna":"open","ben":"open","final":"open"},"verdict":""}],
		"progress":{"anna":{"done":1,"of":2},"ben":{"done":1,"of":2},"final":{"done":0,"of":1}}}`)
	ask(t, mux, "GET", "/v1/review/bound", "", 409, `{"error":{"code":"no_bound","message":"There is no bound: 1 of 2 notes are not reviewed by every reader."}}`)
	ask(t, mux, "GET", "/v1/review/agreement", "", 200, `{"notes":2,"both":1,"decided":0,"f1":0.6666666666666666,"token_f1":0.6666666666666666,"kappa":0.5,"by_type":{
		"DOCTOR":{"first":1,"second":0,"both":0,"f1":0,"token_f1":0,"kappa":0},
		"PATIENT":{"first":1,"second":1,"both":1,"f1":1,"token_f1":1,"kappa":1}}}`)
	ask(t, mux, "PUT", "/v1/review/notes/1?reader=final", marked, 200, `{"version":1}`)
	for _, reader := range []string{"anna", "ben"} {
		ask(t, mux, "PUT", "/v1/review/notes/2?reader="+reader, `{"spans":[{"type":"PATIENT","start":{"utf8":0},"end":{"utf8":4}}],"done":true,"version":0}`, 200, `{"version":1}`)
	}
	var bound struct {
		Notes, Tokens, Missed int
		Share                 float64
		Statement             string
	}
	if err := json.Unmarshal([]byte(ask(t, mux, "GET", "/v1/review/bound", "", 200, "")), &bound); err != nil || bound.Notes != 2 || bound.Tokens != 3 || bound.Missed != 1 {
		t.Errorf("%+v, %v", bound, err)
	}
}

func TestBadRequests(t *testing.T) {
	mux, dir := served(t, both())
	const good = `{"spans":[],"done":true,"version":0}`
	for _, c := range []struct {
		method, path, body string
		status             int
		code               string
	}{
		{"GET", "/v1/review/notes/3?reader=anna", "", 404, "no_note"},
		{"GET", "/v1/review/notes/0?reader=anna", "", 404, "no_note"},
		{"GET", "/v1/review/notes/x?reader=anna", "", 400, "invalid"},
		{"GET", "/v1/review/notes/1", "", 400, "invalid"},
		{"GET", "/v1/review/notes/1?reader=cleo", "", 404, "no_reader"},
		{"GET", "/v1/review/notes/1?reader=..%2Fanna", "", 404, "no_reader"},
		{"GET", "/v1/review/notes/1?reader=final", "", 409, "not_done"},
		{"GET", "/v1/review/differences/x", "", 400, "invalid"},
		{"GET", "/v1/review/differences/3", "", 404, "no_note"},
		{"PUT", "/v1/review/notes/1?reader=cleo", good, 404, "no_reader"},
		{"PUT", "/v1/review/notes/3?reader=anna", good, 404, "no_note"},
		{"PUT", "/v1/review/notes/1?reader=final", good, 409, "not_done"},
		{"PUT", "/v1/review/notes/1?reader=anna", `{"spans":[],"done":true,"version":1}`, 409, "version"},
		{"PUT", "/v1/review/notes/1?reader=anna", `{"spans":[],"done":true}`, 400, "invalid"},
		{"PUT", "/v1/review/notes/1?reader=anna", `{"done":true,"version":0}`, 400, "invalid"},
		{"PUT", "/v1/review/notes/1?reader=anna", `{"spans":[],"done":true,"version":0,"x":1}`, 400, "invalid"},
		{"PUT", "/v1/review/notes/1?reader=anna", `{"spans":[`, 400, "invalid"},
		{"PUT", "/v1/review/notes/1?reader=anna", `{"spans":[{"type":"PATIENT","start":{"utf16":4},"end":{"utf16":9}}],"done":true,"version":0}`, 422, "unprocessable"},
		{"PUT", "/v1/review/notes/1?reader=anna", `{"spans":[{"type":"Ben","start":{"utf8":0},"end":{"utf8":8}}],"done":true,"version":0}`, 422, "unprocessable"},
		{"PUT", "/v1/review/notes/1?reader=anna", `{"spans":[{"type":"PATIENT","start":{"utf8":0},"end":{"utf8":8}},{"type":"PATIENT","start":{"utf8":2},"end":{"utf8":12}}],"done":true,"version":0}`, 422, "unprocessable"},
		{"POST", "/v1/review/notes/1?reader=anna", good, 405, ""},
	} {
		got := ask(t, mux, c.method, c.path, c.body, c.status, "")
		if c.code != "" && !strings.Contains(got, `"code":"`+c.code+`"`) || strings.Contains(got, "Ben") || strings.Contains(got, dir) {
			t.Errorf("%s %s %s: %s", c.method, c.path, c.body, got)
		}
	}
}

func TestADamagedFolderIsNotQuoted(t *testing.T) {
	mux, dir := served(t, review.Draw{Readers: []string{"anna"}})
	if err := os.WriteFile(filepath.Join(dir, "notes", "0001.json"), []byte(`{"text":"Ben"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := ask(t, mux, "GET", "/v1/review/notes/1?reader=anna", "", 500, ""); strings.Contains(got, dir) || strings.Contains(got, "Ben") {
		t.Error(got)
	}
	ask(t, mux, "GET", "/v1/review/agreement", "", 409, `{"error":{"code":"one_reader","message":"The review has one reader, and agreement requires two."}}`)
}
