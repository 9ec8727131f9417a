// Package presidio answers requests over HTTP as the analyzer and the anonymizer of Presidio 2.2.366 do, with Lethe's models, and
// accepts more: lists of texts, surrogates, numbers, shifted dates, policies and known values.
//
//	for pattern, handler := range presidio.Handlers(presidio.Config{Models: presidio.Engines(pool)}) {
//		mux.Handle(pattern, handler)
//	}
//
// docs/presidio.md describes the requests, and lists what is different.
//
// Two rules are stricter than Presidio's. A text that cannot be examined is answered with an error, never with an empty list. And of
// a detected span no part reaches the new text unless an operator of the request keeps it.
package presidio

import (
	"context"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid"
	"github.com/lethe-deid/lethe/deid/policy"
	"github.com/lethe-deid/lethe/deid/replace"
	"github.com/lethe-deid/lethe/deid/service/wire"
)

// Config is what New requires.
type Config struct {
	Models Models // see Engines
	// PatternTime limits how long one search of a pattern of an ad-hoc recognizer or of an allow list may take. 0 means 2 seconds.
	PatternTime time.Duration
	// Count receives the number of texts that were examined, and of the spans that were found in them, by Lethe's types. It may be nil.
	Count func(texts int, spans map[string]int)
}

// Models are the models of a server.
type Models interface {
	All() []Model // at least one, the default first
	// ForLanguage returns the model for a language, such as en, or false if there is none.
	ForLanguage(language string) (Model, bool)
}

// A Model finds PHI. It is safe for concurrent use.
type Model interface {
	Name() string
	Types() *data.TypeSet // of the spans
	// Find returns all PHI in each note. Errors contain no text of a note.
	Find(ctx context.Context, notes []deid.Note) ([][]data.Span, error)
	// Replacement returns the key, the lists and the sorts for surrogates and shifts.
	Replacement() replace.Options
	// Policy returns a policy of the server. The error lists the names of all.
	Policy(name string) (*policy.Policy, error)
	// LanguageOf returns the language of a text, or "" if it is unknown.
	LanguageOf(text string) string
}

// service answers the requests.
type service struct{ Config }

// Handlers returns the handlers by their patterns for [http.ServeMux].
func Handlers(config Config) map[string]http.Handler {
	if config.PatternTime == 0 {
		config.PatternTime = 2 * time.Second
	}
	if config.Count == nil {
		config.Count = func(int, map[string]int) {}
	}
	s := &service{config}
	handlers := map[string]http.Handler{}
	for pattern, answer := range map[string]func(http.ResponseWriter, *http.Request) error{
		"GET /health":            s.health,
		"POST /analyze":          s.analyze,
		"GET /recognizers":       s.recognizers,
		"GET /supportedentities": s.supportedEntities,
		"POST /anonymize":        s.anonymize,
		"POST /deanonymize":      s.deanonymize,
		"GET /anonymizers":       s.anonymizers,
		"GET /deanonymizers":     s.deanonymizers,
	} {
		handlers[pattern] = handler(answer)
	}
	return handlers
}

// handler returns the handler that answers requests with a function, whose errors it writes.
func handler(answer func(http.ResponseWriter, *http.Request) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		err := answer(w, r)
		if err == nil || r.Context().Err() == context.Canceled {
			return
		}
		fail(w, err)
	})
}

// failure is an error of Presidio, with the status of its response.
type failure struct {
	status  int
	message string // without text of a note
}

func (f *failure) Error() string { return f.message }

// errInternal is the anonymizer's answer to everything that it does not expect.
var errInternal = &failure{http.StatusInternalServerError, "Internal server error"}

// invalid returns the error for a parameter or an offset that the anonymizer refuses.
func invalid(format string, args ...any) *failure {
	return &failure{http.StatusUnprocessableEntity, fmt.Sprintf(format, args...)}
}

// fail writes an error.
func fail(w http.ResponseWriter, err error) {
	f, ok := errors.AsType[*failure](err)
	if !ok {
		wire.FailLoudly(w, err)
		return
	}
	write(w, f.status, append(compact.append(nil, record("error", f.message)), '\n'))
}

// write writes a response in JSON.
func write(w http.ResponseWriter, status int, body []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(body) // if it fails, the client has gone
}

// readBody reads the JSON of a request.
func readBody(r *http.Request) (any, error) {
	if !isJSON(r.Header.Get("Content-Type")) {
		return nil, &failure{http.StatusUnsupportedMediaType, "Did not attempt to load JSON data because the request Content-Type was not 'application/json'."}
	}
	raw, err := wire.Body(r)
	if limit, ok := errors.AsType[*wire.Error](err); ok && limit.Status != http.StatusBadRequest {
		return nil, err
	}
	if err == nil {
		var value any
		if value, err = decode(raw); err == nil {
			return value, nil
		}
	}
	if errors.Is(err, errHalf) {
		return nil, &failure{http.StatusBadRequest, "Invalid request json: " + err.Error()}
	}
	return nil, &failure{http.StatusBadRequest, "The browser (or proxy) sent a request that this server could not understand."}
}

// isJSON reports whether a content type is application/json or of the form application/...+json.
func isJSON(contentType string) bool {
	kind, _, _ := mime.ParseMediaType(contentType) // it is empty if the type is not valid
	return kind == "application/json" || strings.HasPrefix(kind, "application/") && strings.HasSuffix(kind, "+json")
}

func (s *service) health(w http.ResponseWriter, _ *http.Request) error {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write([]byte("Presidio Analyzer service is up")) // if it fails, the client has gone
	return nil
}

// writeNames writes a list of names.
func writeNames(w http.ResponseWriter, names []string) error {
	write(w, http.StatusOK, append(compact.append(nil, names), '\n'))
	return nil
}

func (s *service) anonymizers(w http.ResponseWriter, _ *http.Request) error {
	return writeNames(w, slices.Concat(anonymizers, s.ownOperators()))
}

func (s *service) deanonymizers(w http.ResponseWriter, _ *http.Request) error {
	return writeNames(w, deanonymizers)
}
