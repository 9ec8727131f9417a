// Package openapi serves the description of all endpoints of the service, as OpenAPI 3.1, at GET /openapi.json. Tests compare it with
// the handlers.
package openapi

import (
	_ "embed"
	"io/fs"
	"net/http"
	"sync"

	"github.com/goccy/go-yaml"

	"github.com/lethe-deid/lethe/internal/archived"
)

// The program contains openapi.yaml as an archive, which is a fraction of its size. TestArchive makes it.
//
//go:embed openapi.zip.br
var archive []byte

// document is the description as JSON.
var document = sync.OnceValue(func() []byte {
	source, err := fs.ReadFile(archived.Open(archive), "openapi.yaml")
	if err == nil {
		source, err = yaml.YAMLToJSON(source)
	}
	if err != nil {
		panic(err) // the file is embedded, and a test reads it
	}
	return source
})

// Handlers returns the handler of the description, by its pattern of http.ServeMux.
func Handlers() map[string]http.Handler {
	return map[string]http.Handler{"GET /openapi.json": http.HandlerFunc(serve)}
}

func serve(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(document())
}
