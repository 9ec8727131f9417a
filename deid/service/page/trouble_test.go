package page_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/storage"
	"github.com/chromedp/chromedp"

	"github.com/lethe-deid/lethe/deid/service/wire"
)

func TestTokenIsAskedForAndKeptInMemory(t *testing.T) {
	f := newFake(t)
	f.refusing(func(w http.ResponseWriter, r *http.Request) bool {
		if r.Header.Get("Authorization") == "Bearer secret-Qx7" {
			return false
		}
		wire.Fail(w, &wire.Error{Status: http.StatusUnauthorized, Code: "unauthorized", Message: "A token is required."})
		return true
	})
	tab := openAt(t, f, wide)
	tab.wait(`document.activeElement.id === "token"`)
	tab.picture("token")
	tab.accessible("token")
	tab.press("wrong\r")
	tab.wait(`document.querySelector("dialog p")?.textContent.startsWith("The server did not accept")`)
	tab.press("secret-Qx7\r")
	tab.wait(`document.querySelector("#replace option")`)
	tab.examine(sample)
	tab.has("*Springfield: CITY, 44%, not checked")
	tab.keepsNothing("secret-Qx7", "Oda Lund")
}

func TestTokenDialogCanBeGivenUp(t *testing.T) {
	f := newFake(t)
	f.refusing(func(w http.ResponseWriter, _ *http.Request) bool {
		wire.Fail(w, &wire.Error{Status: http.StatusUnauthorized, Code: "unauthorized", Message: "A token is required."})
		return true
	})
	tab := openAt(t, f, wide)
	tab.click("dialog .dialog-head button")
	tab.expect(`document.querySelector("#warnings p").textContent`, "The page could not be started. The server requires an access token.")
	f.refusing(nil)
	tab.click("#warnings .button")
	tab.wait(`document.querySelector("#replace option")`)
}

func TestBusyServerIsAskedAgain(t *testing.T) {
	f := newFake(t)
	tab := open(t, f, wide)
	var refused atomic.Int32
	f.refusing(func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method != http.MethodPost || refused.Add(1) > 2 {
			return false
		}
		w.Header().Set("Retry-After", "1")
		wire.Fail(w, &wire.Error{Status: http.StatusServiceUnavailable, Code: "overloaded", Message: "The server is busy."})
		return true
	})
	tab.paste(sample)
	tab.click("#paste-form button[type=submit]")
	tab.expect(`document.getElementById("busy").textContent`, "The server is busy. The page tries again in 1 s.")
	tab.has("*Springfield: CITY, 44%, not checked")
	tab.expect(`document.getElementById("busy").textContent`, "")
}

func TestErrorsAreShownAndCorrectionsStay(t *testing.T) {
	f := newFake(t)
	for _, l := range looks {
		tab := open(t, f, l)
		tab.examine(sample)
		tab.press("a")
		for _, trouble := range []struct {
			name   string
			refuse func(w http.ResponseWriter, r *http.Request) bool
			want   string
		}{
			{"away", func(http.ResponseWriter, *http.Request) bool { panic(http.ErrAbortHandler) },
				"There is no result. The server does not answer. Your notes and corrections are still on this page."},
			{"too large", func(w http.ResponseWriter, _ *http.Request) bool {
				wire.Fail(w, &wire.Error{Status: http.StatusRequestEntityTooLarge, Code: "too_large", Message: "The limit is 1 MB."})
				return true
			}, "There is no result. The note is larger than the server accepts. The limit is 1 MB."},
			{"proxy", func(w http.ResponseWriter, _ *http.Request) bool {
				http.Error(w, "<html>bad gateway", http.StatusBadGateway)
				return true
			}, "There is no result. The server behind the proxy does not answer."},
			{"not JSON", func(w http.ResponseWriter, _ *http.Request) bool {
				_, _ = w.Write([]byte("<html>"))
				return true
			}, "There is no result. The server answered with the status 200, which this page does not expect."},
			{"empty", func(w http.ResponseWriter, _ *http.Request) bool {
				wire.Write(w, http.StatusOK, map[string]any{"notes": []any{}})
				return true
			}, "There is no result. The server returned no text."},
		} {
			f.refusing(trouble.refuse)
			tab.panel("note")
			tab.press("u")
			tab.press("U")
			tab.panel("result")
			tab.expect(`document.getElementById("result-status").firstChild.textContent`, trouble.want)
			tab.wait(`document.getElementById("copy").disabled && document.getElementById("result-text").textContent === ""`)
		}
		tab.picture("no-result")
		tab.accessible("no result")
		f.refusing(nil)
		tab.click("#result-status .button")
		tab.wait(`!document.getElementById("copy").disabled`)
		tab.panel("note")
		tab.has("*Springfield: CITY, 44%, checked")
	}
}

func TestNoteThatTheServerLeftOutIsNotExamined(t *testing.T) {
	f := newFake(t)
	tab := open(t, f, wide)
	f.refusing(func(w http.ResponseWriter, r *http.Request) bool {
		wire.Write(w, http.StatusOK, map[string]any{"notes": []any{map[string]any{"id": "x", "spans": []any{}}}})
		return true
	})
	tab.paste(sample)
	tab.click("#paste-form button[type=submit]")
	tab.expect(`document.getElementById("note-status").textContent`, "Not examined")
	f.refusing(nil)
	tab.click("#note-alert .button")
	tab.has("*Springfield: CITY, 44%, not checked")
}

func TestModelWithoutDoubts(t *testing.T) {
	f := newFake(t)
	tab := open(t, f, wide)
	f.refusing(func(w http.ResponseWriter, r *http.Request) bool {
		raw, _ := wire.Body(r)
		r.Body = http.NoBody
		if strings.Contains(string(raw), `"doubts"`) {
			wire.Fail(w, wire.Unprocessable("doubts: the model reports none"))
			return true
		}
		r.Body = readCloser{strings.NewReader(string(raw))}
		return false
	})
	tab.examine(sample)
	tab.has("*Springfield: CITY, 44%, not checked", "-baker: left by the model, perhaps PROFESSION, 12%")
}

type readCloser struct{ *strings.Reader }

func (readCloser) Close() error { return nil }

func TestNoteUnlikeOthersIsShown(t *testing.T) {
	tab := open(t, newFake(t), wide)
	tab.examine("Zyx " + sample)
	tab.expect(`document.getElementById("note-alert").textContent`,
		"This note is unlike those that the model was measured on (unknown words). Read it with special care.")
	tab.accessible("unlike")
}

// keepsNothing checks that none of the strings is in anything that the browser stores for the page.
func (t *tab) keepsNothing(canaries ...string) {
	t.Helper()
	stored := t.text(`(async () => JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie, history.state, location.href, name,
		await indexedDB.databases(), await caches.keys(), (await navigator.serviceWorker.getRegistrations()).length]))()`)
	if stored != `[{},{},"",null,"`+t.text("location.href")+`","",[],[],0]` {
		t.Errorf("the browser stores %s", stored)
	}
	own := chromedp.FromContext(t.ctx).BrowserContextID
	cookies, err := chromedp.CallBrowser(t.ctx, storage.GetCookies, storage.GetCookiesParams{BrowserContextID: own})
	if err != nil {
		t.Fatal(err)
	}
	if len(cookies.Cookies) > 0 {
		t.Errorf("there are cookies: %v", cookies.Cookies)
	}
	for _, c := range canaries {
		if strings.Contains(t.text(`performance.getEntries().map((e) => e.name).join("\n")`), c) {
			t.Errorf("the address of a request has %q", c)
		}
	}
}

func TestNothingIsStoredByTheBrowser(t *testing.T) {
	tab := open(t, newFake(t), wide)
	tab.examine(sample)
	tab.press("at")
	chooseByKeyboard(tab, "STREET")
	tab.panel("result")
	tab.wait(`!document.getElementById("copy").disabled`)
	tab.exported("jsonl")
	tab.keepsNothing("Oda", "Lund", "Springfield")
}

// The profile of a browser that is not private has no word of a note, a correction or the token, in UTF-8 or in UTF-16.
func TestNothingOfANoteIsInTheProfile(t *testing.T) {
	dir := t.TempDir()
	ctx := newBrowser(browserPath(t), chromedp.UserDataDir(dir))
	f := newFake(t)
	f.refusing(func(w http.ResponseWriter, r *http.Request) bool {
		if r.Header.Get("Authorization") == "" {
			wire.Fail(w, &wire.Error{Status: http.StatusUnauthorized, Code: "unauthorized", Message: "A token is required."})
			return true
		}
		return false
	})
	tab := openIn(t, ctx, f, wide)
	tab.wait(`document.activeElement.id === "token"`)
	tab.press("canarytoken\r")
	tab.wait(`document.querySelector("#replace option")`)
	tab.examine("Oda Lund met canaryword and Dr. Canaryname.")
	tab.drag("canaryword")
	tab.press("t")
	chooseByKeyboard(tab, "STREET")
	tab.panel("result")
	tab.wait(`!document.getElementById("copy").disabled`)
	tab.press("o")
	tab.eval(`(() => { document.getElementById("paste").value = "canarydraft"; })()`, nil)
	tab.run(chromedp.Navigate("about:blank")) // stores what browsers store of a page that is left
	if err := chromedp.Cancel(ctx); err != nil {
		t.Fatal(err)
	}
	files := 0
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		files++
		for _, word := range []string{"canarytoken", "canaryword", "anaryname", "canarydraft", "Oda Lund"} {
			if bytes.Contains(content, []byte(word)) || bytes.Contains(content, wide16(word)) {
				t.Errorf("%s has %q", path, word)
			}
		}
		return nil
	})
	if err != nil || files == 0 {
		t.Errorf("%d files: %v", files, err)
	}
}

// wide16 returns an ASCII text in UTF-16, the lower byte first.
func wide16(text string) []byte {
	var b []byte
	for _, c := range []byte(text) {
		b = append(b, c, 0)
	}
	return b
}

// leaving reports whether the browser asks before it leaves the page.
func (t *tab) leaving() bool {
	t.Helper()
	t.asked.Store(false)
	call(t, page.Enable, page.EnableParams{})
	t.eval(`window.before = true`, nil)
	call(t, page.Reload, page.ReloadParams{})
	t.wait(`!window.before && document.readyState === "complete" && document.querySelector("#replace option")`)
	return t.asked.Load()
}

func TestUnsavedCorrectionsAreNotLostByLeaving(t *testing.T) {
	tab := open(t, newFake(t), wide)
	if tab.examine(sample); tab.leaving() {
		t.Error("the page asks although there are no corrections")
	}
	tab.examine(sample)
	if tab.press("a"); !tab.leaving() {
		t.Error("the page does not ask although there are corrections")
	}
	tab.examine(sample)
	tab.press("a")
	tab.exported("brat")
	tab.wait(`document.querySelector(".message")`)
	if tab.leaving() {
		t.Error("the page asks although the corrections have been exported")
	}
	tab.paste("Oda Lund")
	tab.press("!")
	if !tab.leaving() {
		t.Error("the page does not ask although there is a text that has not been examined")
	}
}

func TestClosingANoteWithCorrectionsAsks(t *testing.T) {
	tab := open(t, newFake(t), wide)
	tab.examine(sample)
	tab.press("a")
	tab.click("#close-note")
	tab.accessible("confirmation")
	tab.click("dialog .dialog-foot .button")
	tab.has("Springfield: CITY, 44%, checked")
	tab.click("#close-note")
	tab.click("dialog .dialog-foot .primary")
	tab.wait(`document.body.dataset.view === "intake"`)
	tab.examine("Ida Berg")
	tab.press("a")
	tab.click("#again")
	tab.click("dialog .dialog-foot .primary")
	tab.has("*Ida Berg: PATIENT, 97%, not checked")
}

func TestNeighbouringDoubtsAreOne(t *testing.T) {
	tab := open(t, newFake(t), wide)
	tab.examine("12 Mill Road")
	tab.has("*Mill Road: left by the model, perhaps STREET, 9%")
}

func TestModelPolicyAndReplacementAreChosen(t *testing.T) {
	f := newFake(t)
	f.more = []string{"ward7"}
	tab := open(t, f, wide)
	choose := func(id, value string) {
		tab.eval(fmt.Sprintf(`(() => { const e = document.getElementById(%q); e.value = %q; e.dispatchEvent(new Event("change")); })()`, id, value), nil)
	}
	options := `[...document.getElementById("replace").options].map((e) => e.value).join()`
	tab.expect(options, "tag,numbered,mask,redact,hash")
	choose("model", "ward7")
	tab.expect(options, "tag,numbered,mask,redact,hash,surrogate")
	tab.expect(`document.getElementById("policy").value`, "safe-harbor") // the choice stays
	tab.picture("models")
	tab.accessible("models")
	tab.examine("Oda Lund, 47-year-old, and Oda Lund")
	tab.panel("result")
	for _, choice := range []struct{ id, value, want string }{
		{"replace", "numbered", "[PATIENT_1], 47-year-old, and [PATIENT_1]"},
		{"policy", "all", "[PATIENT_1], [AGE_2]-year-old, and [PATIENT_1]"},
		{"replace", "mask", "********, **-year-old, and ********"},
		{"replace", "redact", ", -year-old, and "},
	} {
		choose(choice.id, choice.value)
		tab.expect(`document.getElementById("result-text").textContent`, choice.want)
	}
	tab.expect(`document.getElementById("policy").title`, "everything")
	if got := f.last(); !strings.Contains(got, `"model":"ward7"`) || !strings.Contains(got, `"spans_given":true`) {
		t.Errorf("the request is %s", got)
	}
}
