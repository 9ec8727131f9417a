package wire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Error is an error with the status and the code of its response.
type Error struct {
	Status  int    // of HTTP
	Code    string // a word for programs, such as too_large
	Message string // a sentence for people, without text of a note
}

func (e *Error) Error() string { return e.Message }

// Invalid returns the error for a request that cannot be understood.
func Invalid(format string, args ...any) *Error {
	return &Error{http.StatusBadRequest, "invalid", fmt.Sprintf(format, args...)}
}

// Unprocessable returns the error for a request that can be understood and is impossible.
func Unprocessable(format string, args ...any) *Error {
	return &Error{http.StatusUnprocessableEntity, "unprocessable", fmt.Sprintf(format, args...)}
}

// Body reads the body of a request, which must be UTF-8. A body beyond the server's limit is an error.
func Body(r *http.Request) ([]byte, error) {
	raw, err := io.ReadAll(r.Body)
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return nil, &Error{http.StatusRequestEntityTooLarge, "too_large", "The body is larger than the server allows."}
	}
	if err != nil {
		return nil, &Error{http.StatusBadRequest, "incomplete", "The body ended early."}
	}
	if !utf8.Valid(raw) {
		return nil, Invalid("The body is not valid UTF-8.")
	}
	return raw, nil
}

// MediaType returns the content type of a request in lower case, without parameters.
func MediaType(r *http.Request) string {
	kind, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";")
	return strings.ToLower(strings.TrimSpace(kind))
}

// Decode reads the JSON in the body of a request. Unknown keys are errors, and so is anything after the value.
func Decode(r *http.Request, into any) error {
	if MediaType(r) != "application/json" {
		return &Error{http.StatusUnsupportedMediaType, "media_type", "The body must have the content type application/json."}
	}
	raw, err := Body(r)
	if err != nil {
		return err
	}
	return Unmarshal(raw, into)
}

// Unmarshal reads JSON strictly: unknown keys, keys in other case, keys that occur twice, halves of surrogate pairs, and anything
// after the value are errors. Errors contain no text of it.
func Unmarshal(raw []byte, into any) error {
	err := json.Unmarshal(raw, into, json.RejectUnknownMembers(true))
	if err == nil {
		return nil
	}
	if wrong, ok := errors.AsType[*json.SemanticError](err); ok {
		if errors.Is(err, json.ErrUnknownName) {
			return Invalid("There is an unknown key before byte %d.", wrong.ByteOffset)
		}
		return Invalid("The value at byte %d should be %s.", wrong.ByteOffset, kindOf(wrong.GoType))
	}
	at := int64(0)
	if wrong, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		at = wrong.ByteOffset
	}
	if errors.Is(err, jsontext.ErrDuplicateName) {
		return Invalid("There is a key that occurs twice before byte %d.", at)
	}
	return Invalid("The JSON is not valid, near byte %d.", at)
}

// kindOf returns the kind of JSON that a value should have been, with its article.
func kindOf(t reflect.Type) string {
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case t == nil:
		return "of another kind"
	case t == reflect.TypeFor[ID]():
		return "a string or a number"
	case t.Kind() == reflect.String:
		return "a string"
	case t.Kind() == reflect.Bool:
		return "true or false"
	case t.Kind() == reflect.Slice:
		return "an array"
	case t.Kind() == reflect.Map || t.Kind() == reflect.Struct:
		return "an object"
	case t.Kind() == reflect.Int:
		return "a whole number"
	default:
		return "a number"
	}
}

// Write writes a value as JSON.
func Write(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = WriteLine(w, value) // if it fails, the client has gone
}

// WriteLine writes a value as a line of JSON. The keys of maps are sorted.
func WriteLine(w io.Writer, value any) error {
	line, err := json.Marshal(value, json.Deterministic(true))
	if err != nil {
		return err
	}
	_, err = w.Write(append(line, '\n'))
	return err
}

// Fail writes an error as JSON: {"error":{"code":"...","message":"..."}}. An error that is no [*Error] has the status 500.
func Fail(w http.ResponseWriter, err error) {
	e, ok := errors.AsType[*Error](err)
	if !ok {
		e = &Error{http.StatusInternalServerError, "failed", err.Error()}
	}
	type body struct {
		Code    string `json:"code"`
		Message string `json:"message"`
	}
	Write(w, e.Status, map[string]body{"error": {e.Code, e.Message}})
}

// Interrupted returns the error for work that was given up, because the client has gone or the time is over, or nil if ctx is not
// cancelled.
func Interrupted(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	return &Error{http.StatusServiceUnavailable, "interrupted", "The work on the request took too long and was given up."}
}

// Mux returns a multiplexer of handlers by their patterns.
func Mux(handlers map[string]http.Handler) *http.ServeMux {
	mux := http.NewServeMux()
	for pattern, h := range handlers {
		mux.Handle(pattern, h)
	}
	return mux
}
