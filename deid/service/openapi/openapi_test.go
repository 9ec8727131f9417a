package openapi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid"
	"github.com/lethe-deid/lethe/deid/engine"
	"github.com/lethe-deid/lethe/deid/review"
	"github.com/lethe-deid/lethe/deid/service/inception"
	"github.com/lethe-deid/lethe/deid/service/labelstudio"
	"github.com/lethe-deid/lethe/deid/service/openapi"
	"github.com/lethe-deid/lethe/deid/service/presidio"
	"github.com/lethe-deid/lethe/deid/service/reviews"
	"github.com/lethe-deid/lethe/deid/service/v1"
	"github.com/lethe-deid/lethe/deid/service/wire"
)

// handlers returns the handlers of all endpoints.
func handlers(t *testing.T) map[string]http.Handler {
	t.Helper()
	path := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(path, []byte("an invented secret of a test"), 0o600); err != nil {
		t.Fatal(err)
	}
	pool, err := engine.NewPool(engine.Named{Name: "en", Options: engine.Options{Model: "en", KeyFile: path}})
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]http.Handler{}
	for _, some := range []map[string]http.Handler{
		openapi.Handlers(),
		v1.Handlers(v1.Config{Engines: pool, Version: "test"}),
		labelstudio.Handlers(func(name string) (labelstudio.Model, error) {
			m, finder, err := pool.Finder(name)
			if err != nil {
				return labelstudio.Model{}, err
			}
			return labelstudio.Model{Name: m.Name, Digest: m.Digest, Types: m.FoundTypes(), Tagger: finder}, nil
		}),
		inception.Handlers(func(name string) (inception.Model, error) {
			m, finder, err := pool.Finder(name)
			if err != nil {
				return inception.Model{}, err
			}
			return inception.Model{Name: m.Name, Digest: m.Digest, Tagger: finder}, nil
		}),
		presidio.Handlers(presidio.Config{Models: presidio.Engines(pool)}),
		reviews.Handlers(reviewed(t)),
	} {
		maps.Copy(all, some)
	}
	maps.DeleteFunc(all, func(pattern string, _ http.Handler) bool { return strings.HasPrefix(pattern, "/") }) // answers to wrong methods
	return all
}

// reviewed returns a review of a note by two readers.
func reviewed(t *testing.T) *review.Review {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "ward")
	found := []data.Span{{Start: 0, End: 3, Type: "PATIENT", Score: 0.75}}
	model := review.Model{Name: "en", Types: data.I2B2, TypeNames: []string{"PATIENT"}, Find: func(context.Context, []deid.Note) ([][]data.Span, []error) {
		return [][]data.Span{found}, []error{nil}
	}}
	notes := func(yield func(deid.Note, error) bool) {
		yield(deid.Note{Document: &data.Document{ID: "7", Text: "Oda came."}}, nil)
	}
	if _, err := review.Sample(t.Context(), dir, notes, model, review.Draw{By: review.ByNote, Notes: 1, Readers: []string{"anna", "ben"}}, nil); err != nil {
		t.Fatal(err)
	}
	r, err := review.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// operational are the endpoints of the server itself, which its own tests call.
var operational = []string{"/livez", "/metrics", "/readyz"}

type object = map[string]any

// path is a path of the description.
type path struct {
	Parameters []struct {
		Name, In string
		Example  any
	}
	Get, Put, Post *operation
}

// operations returns the operations of a path by their methods.
func (p path) operations() map[string]*operation {
	all := map[string]*operation{"get": p.Get, "put": p.Put, "post": p.Post}
	maps.DeleteFunc(all, func(_ string, op *operation) bool { return op == nil })
	return all
}

// operation is a method of a path.
type operation struct {
	RequestBody struct {
		Content map[string]struct {
			Examples map[string]struct{ Value any }
		}
	}
	Responses map[string]any
}

// description reads the description as a client does.
func description(t *testing.T, mux http.Handler) (raw any, paths map[string]path) {
	t.Helper()
	w := httptest.NewRecorder()
	mux.ServeHTTP(w, httptest.NewRequest("GET", "/openapi.json", nil))
	raw, err := jsonschema.UnmarshalJSON(bytes.NewReader(w.Body.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	var d struct {
		OpenAPI string
		Paths   map[string]path
	}
	if err := json.Unmarshal(w.Body.Bytes(), &d); err != nil || d.OpenAPI != "3.1.0" {
		t.Fatalf("version %q, error %v", d.OpenAPI, err)
	}
	return raw, d.Paths
}

func TestEveryEndpointIsDescribed(t *testing.T) {
	all := handlers(t)
	_, paths := description(t, wire.Mux(all))
	described := []string{"GET /openapi.json"}
	for path, p := range paths {
		for method := range p.operations() {
			described = append(described, strings.ToUpper(method)+" "+path)
		}
	}
	slices.Sort(described)
	var expected []string
	for pattern := range all {
		expected = append(expected, strings.TrimSuffix(pattern, "{$}"))
	}
	for _, path := range operational {
		expected = append(expected, "GET "+path)
	}
	slices.Sort(expected)
	if diff := cmp.Diff(expected, described); diff != "" {
		t.Errorf("-handlers +description\n%s", diff)
	}
}

// A comma cut descriptions in two, so that the rest was a key without a value.
func TestACommaCutDescriptions(t *testing.T) {
	raw, _ := description(t, wire.Mux(openapi.Handlers()))
	var check func(at string, value any)
	check = func(at string, value any) {
		switch x := value.(type) {
		case nil:
			t.Errorf("%s is null", at)
		case object:
			for key, v := range x {
				check(at+pointer(key), v)
			}
		case []any:
			for i, v := range x {
				check(at+pointer(fmt.Sprint(i)), v)
			}
		}
	}
	check("", raw)
}

// The answer to the name of a model that the server does not have was described for INCEpTION only.
func TestAnUnknownModelWasNotDescribed(t *testing.T) {
	mux := wire.Mux(handlers(t))
	_, paths := description(t, mux)
	for path, p := range paths {
		if !strings.Contains(path, "{model}") {
			continue
		}
		for method, op := range p.operations() {
			w := httptest.NewRecorder()
			mux.ServeHTTP(w, httptest.NewRequest(strings.ToUpper(method), strings.ReplaceAll(path, "{model}", "none"), strings.NewReader("{}")))
			if op.Responses[fmt.Sprint(w.Code)] == nil || w.Code == http.StatusOK {
				t.Errorf("%s %s: the status %d is not described", method, path, w.Code)
			}
		}
	}
}

// TestExamplesAreAnsweredAsDescribed sends the examples of the description to the handlers.
func TestExamplesAreAnsweredAsDescribed(t *testing.T) {
	mux := wire.Mux(handlers(t))
	raw, paths := description(t, mux)
	schemas := compiler{jsonschema.NewCompiler()}
	if err := schemas.AddResource("file:///openapi.json", raw); err != nil {
		t.Fatal(err)
	}
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		if slices.Contains(operational, path) {
			continue
		}
		url := path
		for _, p := range paths[path].Parameters {
			if p.In == "query" {
				url += fmt.Sprintf("?%s=%v", p.Name, p.Example)
			}
			url = strings.ReplaceAll(url, "{"+p.Name+"}", fmt.Sprint(p.Example))
		}
		for method, op := range paths[path].operations() {
			at := pointer("paths", path, method)
			send := func(name, body string) {
				t.Run(strings.Join([]string{method, path, name}, " "), func(t *testing.T) {
					r := httptest.NewRequest(strings.ToUpper(method), url, strings.NewReader(body))
					if body != "" {
						r.Header.Set("Content-Type", "application/json")
					}
					w := httptest.NewRecorder()
					mux.ServeHTTP(w, r)
					schemas.check(t, op, at, w)
					_, possible := op.Responses["200"]
					if possible && (w.Code == http.StatusOK) == (name == "wrong") && w.Code != http.StatusConflict { // of a review that has just begun
						t.Errorf("status %d: %s", w.Code, w.Body)
					}
				})
			}
			content := op.RequestBody.Content["application/json"]
			for name, example := range content.Examples {
				encoded, err := json.Marshal(example.Value)
				if err != nil {
					t.Fatal(err)
				}
				given, err := jsonschema.UnmarshalJSON(bytes.NewReader(encoded))
				if err != nil {
					t.Fatal(err)
				}
				schemas.validate(t, at+pointer("requestBody", "content", "application/json", "schema"), given)
				send(name, string(encoded))
			}
			switch {
			case len(content.Examples) > 0:
				send("wrong", `{"wrong":`)
			case method == "get":
				send("get", "")
			default:
				t.Errorf("%s %s has no example", method, path)
			}
		}
	}
}

type compiler struct{ *jsonschema.Compiler }

// check compares an answer with the description of an operation.
func (c compiler) check(t *testing.T, op *operation, at string, w *httptest.ResponseRecorder) {
	t.Helper()
	status := fmt.Sprint(w.Code)
	described, ok := op.Responses[status].(object)
	if !ok {
		t.Fatalf("the status %s is not described: %s", status, w.Body)
	}
	at += pointer("responses", status)
	if ref, ok := described["$ref"].(string); ok {
		at = strings.TrimPrefix(ref, "#")
	}
	kind := w.Header().Get("Content-Type")
	var answer any = w.Body.String()
	if kind == "application/json" {
		var err error
		if answer, err = jsonschema.UnmarshalJSON(w.Body); err != nil {
			t.Fatal(err)
		}
	}
	c.validate(t, at+pointer("content", kind, "schema"), answer)
}

func (c compiler) validate(t *testing.T, at string, value any) {
	t.Helper()
	schema, err := c.Compile("file:///openapi.json#" + at)
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(value); err != nil {
		t.Errorf("%s: %v", at, err)
	}
}

// pointer makes a JSON pointer.
func pointer(parts ...string) string {
	var p strings.Builder
	for _, part := range parts {
		p.WriteString("/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(part))
	}
	return p.String()
}
