// Package page is the web page of the service: people paste or open notes, correct what the model found, and take the result
// with them. The page is plain HTML, CSS and JavaScript modules in the folder static, which the program has as an archive. It
// calls the endpoints under /v1/ of the server that it comes from, and nothing else. It keeps notes, corrections and the token
// in memory only.
//
// docs/page.md is the guide for its users. static/main.js is where a reader of the code should start.
package page

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"io/fs"
	"net/http"
	"path"
	"strings"

	"github.com/lethe-deid/lethe/internal/archived"
)

// archive has the folder static, in a third of its size. TestArchive makes it.
//
//go:embed static.zip.br
var archive []byte

// policy is the Content-Security-Policy. It allows files and requests of the page's own server only, and no HTML made from
// strings.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

// mediaTypes are those of the files by extension. They do not depend on the tables of the machine.
var mediaTypes = map[string]string{
	".html": "text/html; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".svg":  "image/svg+xml",
}

// Handlers returns the handlers of the page and its files, by the patterns of http.ServeMux. They contain no data, so clients
// need not prove who they are: the page asks for the token that the endpoints require. The page refers to its files and to the
// endpoints by relative paths, so a proxy can also serve it under a prefix, which must end with a slash.
func Handlers() map[string]http.Handler {
	all := map[string]http.Handler{}
	for pattern, a := range load() {
		all[pattern] = a
	}
	return all
}

// secure sets the headers that every response has.
func secure(h http.Header) {
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY") // for browsers without frame-ancestors
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
}

// asset is a file of the page.
type asset struct {
	content   []byte
	mediaType string
	tag       string // of the content, for If-None-Match
}

// load returns the files by the patterns at which they are served.
func load() map[string]asset {
	assets, files := map[string]asset{}, archived.Open(archive)
	err := fs.WalkDir(files, "static", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		sum := sha256.Sum256(content)
		at := "GET /" + name
		if name == "static/index.html" {
			at = "GET /{$}"
		}
		assets[at] = asset{content, mediaTypes[path.Ext(name)], `"` + hex.EncodeToString(sum[:12]) + `"`}
		return nil
	})
	if err != nil {
		panic(err) // the files are in the program
	}
	return assets
}

// ServeHTTP answers with the file, or with 304 if the browser has it already. Browsers ask every time, so that the files of
// two versions of the program are never mixed.
func (a asset) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	secure(h)
	h.Set("Cache-Control", "no-cache")
	h.Set("ETag", a.tag)
	if strings.Contains(r.Header.Get("If-None-Match"), a.tag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	h.Set("Content-Type", a.mediaType)
	_, _ = w.Write(a.content) // if it fails, the client has gone; net/http drops the body of HEAD
}
