package page_test

import (
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/lethe-deid/lethe/deid/service/page"
)

// served returns the answer of the page to a request.
func served(method, path string, header http.Header) *http.Response {
	mux := http.NewServeMux()
	for pattern, h := range page.Handlers() {
		mux.Handle(pattern, h)
	}
	r := httptest.NewRequest(method, path, nil)
	r.Header = header
	w := httptest.NewRecorder()
	mux.ServeHTTP(w, r)
	return w.Result()
}

func TestFilesAreServedWithTheirHeaders(t *testing.T) {
	for path, mediaType := range map[string]string{
		"/": "text/html; charset=utf-8", "/static/main.js": "text/javascript; charset=utf-8", "/static/page.css": "text/css; charset=utf-8", "/static/icon.svg": "image/svg+xml",
	} {
		response := served(http.MethodGet, path, nil)
		if response.StatusCode != http.StatusOK {
			t.Fatalf("%s: status %d", path, response.StatusCode)
		}
		for name, want := range map[string]string{
			"Content-Type":                 mediaType,
			"Cache-Control":                "no-cache",
			"X-Content-Type-Options":       "nosniff",
			"Referrer-Policy":              "no-referrer",
			"Cross-Origin-Opener-Policy":   "same-origin",
			"Cross-Origin-Resource-Policy": "same-origin",
			"Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; " +
				"form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
		} {
			if got := response.Header.Get(name); got != want {
				t.Errorf("%s: %s is %q, want %q", path, name, got, want)
			}
		}
		again := served(http.MethodGet, path, http.Header{"If-None-Match": {response.Header.Get("ETag")}})
		if again.StatusCode != http.StatusNotModified {
			t.Errorf("%s: status %d for a file that the browser has", path, again.StatusCode)
		}
	}
	for path, want := range map[string]int{"/static/": 404, "/static/index.html": 404, "/static/../page.go": 307, "/other": 404} {
		if got := served(http.MethodGet, path, nil).StatusCode; got != want {
			t.Errorf("%s: status %d, want %d", path, got, want)
		}
	}
	if got := served(http.MethodPost, "/", nil).StatusCode; got != http.StatusMethodNotAllowed {
		t.Errorf("POST: status %d", got)
	}
}

// Every file that the page refers to exists, every file is referred to, and none of them names another server.
func TestFilesReferToEachOtherOnly(t *testing.T) {
	reference := regexp.MustCompile(`(?:src|href)="static/([^"]+)"|from "\./([^"]+)"`)
	referred := map[string]bool{"index.html": true}
	contents := map[string]string{}
	err := fs.WalkDir(os.DirFS("static"), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile("static/" + name)
		contents[name] = string(content)
		for _, m := range reference.FindAllStringSubmatch(string(content), -1) {
			referred[m[1]+m[2]] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for name := range referred {
		if _, ok := contents[name]; !ok {
			t.Errorf("there is no %s", name)
		}
	}
	for name, content := range contents {
		if !referred[name] {
			t.Errorf("nothing refers to %s", name)
		}
		other := strings.NewReplacer(`http://www.w3.org/2000/svg`, "").Replace(content)
		if at := regexp.MustCompile(`https?:|//[a-z]+\.|localStorage|sessionStorage|indexedDB|document\.cookie|innerHTML|eval\(`).FindString(other); at != "" {
			t.Errorf("%s has %q", name, at)
		}
	}
}

func TestHeadHasNoBody(t *testing.T) {
	f := newFake(t)
	response, err := http.Head(f.URL + "/")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if raw, err := io.ReadAll(response.Body); err != nil || len(raw) > 0 || response.StatusCode != http.StatusOK {
		t.Errorf("%d bytes, status %d, %v", len(raw), response.StatusCode, err)
	}
}

// The guide names every key of the help dialog.
func TestGuideNamesEveryShortcut(t *testing.T) {
	guide, err := os.ReadFile("../../../docs/page.md")
	if err != nil {
		t.Fatal(err)
	}
	tab := open(t, newFake(t), wide)
	tab.examine(sample)
	tab.press("?")
	for _, key := range strings.Split(tab.text(`[...document.querySelectorAll(".shortcuts dt")].map((e) => [...e.children].map((k) => k.textContent).join("+")).join("\n")`), "\n") {
		if strings.ContainsAny(key, "←") || key == "Enter" || key == "Escape" {
			continue // described in a sentence
		}
		want := "`" + key + "`"
		if shifted, ok := strings.CutPrefix(key, "Shift+"); ok {
			want = "Shift `" + shifted + "`"
		}
		if !strings.Contains(string(guide), want) {
			t.Errorf("docs/page.md does not name %s", want)
		}
	}
}
