package wire

import (
	"errors"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json"
)

// FailLoudly writes an error as Presidio does, {"error":"..."}, so that LiteLLM does not overlook it. LiteLLM takes an error of
// POST /analyze for the answer that a prompt has no PHI, unless it cannot decode the error. Therefore the message ends with a
// character that the content type, US-ASCII, does not have. Programs that read JSON as UTF-8, as its standard requires, are not
// affected. An error that is no [*Error] has the status 500.
func FailLoudly(w http.ResponseWriter, err error) {
	status := http.StatusInternalServerError
	if e, ok := errors.AsType[*Error](err); ok {
		status = e.Status
	}
	w.Header().Set("Content-Type", "application/json; charset=us-ascii")
	w.WriteHeader(status)
	_ = json.MarshalWrite(w, map[string]string{"error": strings.TrimSuffix(err.Error(), ".") + "\u2026"}) // if it fails, the client has gone
}
