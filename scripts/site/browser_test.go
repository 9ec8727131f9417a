package main

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

var stopBrowser = func() {}

// browser starts one browser for all tests. They are skipped if there is none.
var browser = sync.OnceValues(func() (context.Context, error) {
	for _, name := range []string{os.Getenv("LETHE_BROWSER"), "chromium", "chromium-browser", "google-chrome", "chrome"} {
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.Flag("disable-gpu", true))
		ctx, _ := chromedp.NewExecAllocator(context.Background(), options...)
		ctx, _ = chromedp.NewContext(ctx)
		stopBrowser = func() { _ = chromedp.Cancel(ctx) }
		return ctx, chromedp.Do(ctx)
	}
	return nil, nil
})

// tab is a page of the site, opened from the disk. Errors on its console, and requests to anything but files, fail the test.
type tab struct {
	*testing.T
	ctx context.Context
	dir string
}

func call[P, R any](t *tab, command cdp.Command[P, R], params P) {
	t.Helper()
	if _, err := chromedp.Call(t.ctx, command, params); err != nil {
		t.Fatal(err)
	}
}

func open(t *testing.T, page string, width, height int64, scheme string) *tab {
	t.Helper()
	parent, err := browser()
	if err != nil {
		t.Fatal(err)
	}
	if parent == nil {
		t.Skip("there is no Chromium or Chrome; LETHE_BROWSER can name one")
	}
	dir, err := built()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := chromedp.NewContext(parent, chromedp.WithNewBrowserContext())
	t.Cleanup(cancel)
	ctx, cancelTime := context.WithTimeout(ctx, 5*time.Minute)
	t.Cleanup(cancelTime)
	tab := &tab{T: t, ctx: ctx, dir: dir}
	if err := chromedp.Listen(ctx, func(event any) {
		switch e := event.(type) {
		case *runtime.EventExceptionThrown:
			t.Errorf("the page threw: %s %v", e.ExceptionDetails.Text, e.ExceptionDetails.Exception)
		case *log.EventEntryAdded:
			t.Errorf("the browser logged: %s %s", e.Entry.Source, e.Entry.Text)
		case *network.EventRequestWillBeSent:
			if !strings.HasPrefix(e.Request.URL, "file:") {
				t.Errorf("the page asked for %s", e.Request.URL)
			}
		}
	}); err != nil {
		t.Fatal(err)
	}
	call(tab, runtime.Enable, cdp.Empty{})
	call(tab, log.Enable, cdp.Empty{})
	call(tab, network.Enable, network.EnableParams{})
	call(tab, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: width, Height: height, DeviceScaleFactor: 1, Mobile: width < 500})
	call(tab, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
	tab.visit(page)
	return tab
}

// visit opens a page of the site.
func (t *tab) visit(page string) {
	t.Helper()
	path := filepath.ToSlash(filepath.Join(t.dir, filepath.FromSlash(page)))
	address := url.URL{Scheme: "file", Path: "/" + strings.TrimPrefix(path, "/")}
	if err := chromedp.Do(t.ctx, chromedp.Navigate(address.String())); err != nil {
		t.Fatal(err)
	}
}

func (t *tab) text(expression string) string {
	t.Helper()
	s, err := chromedp.Run(t.ctx, chromedp.Evaluate[string]("String("+expression+")"))
	if err != nil {
		t.Fatalf("%s: %v", expression, err)
	}
	return s
}

// expect waits until an expression has a value, as text.
func (t *tab) expect(expression, want string) {
	t.Helper()
	got := ""
	for range 200 {
		if got = t.text(expression); got == want {
			return
		}
		time.Sleep(25 * time.Millisecond)
	}
	t.Fatalf("%s\nis   %q\nwant %q", expression, got, want)
}

// press presses keys, one after another, as a keyboard does.
func (t *tab) press(keys string) {
	t.Helper()
	for _, r := range keys {
		down := *kb.Encode(r)[0]
		if down.Text = kb.Keys[r].Text; !kb.Keys[r].Print {
			down.Text = ""
		}
		if r == '\r' {
			down.Text = "\r"
		}
		up := down
		up.Type, up.Text = kb.KeyUp, ""
		call(t, input.DispatchKeyEvent, down)
		call(t, input.DispatchKeyEvent, up)
	}
}

// picture saves a picture of the window, if LETHE_PICTURES names a folder.
func (t *tab) picture(name string) {
	t.Helper()
	to := os.Getenv("LETHE_PICTURES")
	if to == "" {
		return
	}
	png, err := chromedp.Run(t.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(to, name+".png"), png, 0o666); err != nil {
		t.Fatal(err)
	}
}

// search types words into the search of the page that is shown.
func (t *tab) search(words string) {
	t.Helper()
	t.expect(`document.readyState`, "complete")
	t.press("/")
	t.expect(`document.activeElement.id`, "search")
	t.press(words)
	t.expect(`document.querySelector("#results").hidden`, "false")
}

func TestSearchFromTheDisk(t *testing.T) {
	tab := open(t, "index.html", 1280, 900, "light")
	tab.search("--min-recall")
	tab.expect(`[...document.querySelectorAll("#results strong")].slice(0, 6).some((e) => e.textContent === "--min-recall SHARE")`, "true")
	tab.expect(`document.querySelectorAll("#results mark").length > 5`, "true")
	tab.picture("search")

	// The keys lead through the results, and back.
	tab.press(kb.ArrowDown)
	tab.expect(`document.activeElement === document.querySelector("#results a")`, "true")
	tab.press(kb.ArrowUp)
	tab.expect(`document.activeElement.id`, "search")
	tab.press(kb.Escape)
	tab.expect(`document.querySelector("#results").hidden`, "true")

	// Forms of a word, and words that say nothing. Enter opens the best section.
	tab.visit("decisions/0020-policies.html")
	tab.search("how do I shift the dates of surrogates")
	tab.expect(`document.querySelector("#results a") !== null`, "true")
	tab.press("\r")
	tab.expect(`location.pathname.endsWith("/surrogates.html")`, "true")

	// Words that no section has together.
	tab.search("zebra pseudonym")
	tab.expect(`document.querySelector("#count").textContent`, "No section has all of these words. These have some:")
	tab.visit("index.html")
	tab.search("zzzz")
	tab.expect(`document.querySelector("#count").textContent`, "Nothing was found.")
}

// No page is wider than a phone, and all of them can be read in the dark.
func TestPagesFitEveryWindow(t *testing.T) {
	pages := []string{"index.html", "overview.html", "deidentification.html", "results/curve.html", "commands/deidentify.html", "packages/deid.html", "keys/ann.html", "CHANGELOG.html"}
	for _, width := range []int64{1280, 390} {
		for _, scheme := range []string{"light", "dark"} {
			tab := open(t, pages[0], width, 900, scheme)
			for _, page := range pages {
				tab.visit(page)
				tab.expect(`document.documentElement.scrollWidth <= innerWidth`, "true")
				tab.expect(`getComputedStyle(document.documentElement).backgroundColor === "rgb(255, 255, 255)"`, fmt.Sprint(scheme == "light"))
				tab.picture(fmt.Sprintf("%s-%d-%s", strings.ReplaceAll(strings.TrimSuffix(page, ".html"), "/", "-"), width, scheme))
			}
		}
	}
}
