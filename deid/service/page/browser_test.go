package page_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// look is how a window shows the page.
type look struct {
	width, height int64
	scheme        string
}

func (l look) String() string { return fmt.Sprintf("%d-%s", l.width, l.scheme) }

var (
	wide  = look{1280, 800, "light"}
	looks = []look{wide, {1280, 800, "dark"}, {390, 844, "light"}, {390, 844, "dark"}}
)

// tab is a page in a browser. Errors on the console and violations of the security policy fail the test.
type tab struct {
	testing.TB
	ctx       context.Context
	look      look
	downloads string
	asked     atomic.Bool // whether the browser has shown a dialog of its own
}

// call runs a command of the browser's protocol.
func call[P, R any](t *tab, command cdp.Command[P, R], params P) R {
	t.Helper()
	result, err := chromedp.Call(t.ctx, command, params)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// open opens the page of the fake in a window, and waits until it knows what the server offers.
func open(t testing.TB, f *fake, l look) *tab {
	t.Helper()
	tab := openAt(t, f, l)
	tab.wait(`document.querySelector("#replace option")`)
	// The page asks about a review last. A test that changes the answers of the fake before that would change this one.
	tab.wait(`performance.getEntriesByType("resource").some((r) => r.name.endsWith("/v1/review") && r.responseEnd > 0)`)
	return tab
}

// openAt opens the page of the fake in a window.
func openAt(t testing.TB, f *fake, l look) *tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(startBrowser(t), chromedp.WithNewBrowserContext())
	t.Cleanup(cancel)
	return openIn(t, ctx, f, l)
}

// openIn opens the page of the fake in a tab.
func openIn(t testing.TB, ctx context.Context, f *fake, l look) *tab {
	t.Helper()
	ctx, cancelTime := context.WithTimeout(ctx, 5*time.Minute)
	t.Cleanup(cancelTime)
	tab := &tab{TB: t, ctx: ctx, look: l, downloads: t.TempDir()}
	tab.listen()
	call(tab, runtime.Enable, cdp.Empty{})
	call(tab, log.Enable, cdp.Empty{})
	call(tab, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: l.width, Height: l.height, DeviceScaleFactor: 1, Mobile: l.width < 500})
	call(tab, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: l.scheme}, {Name: "prefers-reduced-motion", Value: "reduce"},
	}})
	own := chromedp.FromContext(ctx).BrowserContextID
	call(tab, browser.SetDownloadBehavior, browser.SetDownloadBehaviorParams{
		Behavior: browser.SetDownloadBehaviorBehaviorAllow, DownloadPath: tab.downloads, BrowserContextID: own,
	})
	for _, name := range []string{"clipboard-read", "clipboard-write"} {
		call(tab, browser.SetPermission, browser.SetPermissionParams{
			Permission: &browser.PermissionDescriptor{Name: name}, Setting: browser.PermissionSettingGranted, BrowserContextID: own,
		})
	}
	tab.run(chromedp.Navigate(f.URL))
	return tab
}

var launch struct {
	sync.Once
	ctx context.Context
	err error
}

// startBrowser starts one browser for all tests. They are skipped if there is none.
func startBrowser(t testing.TB) context.Context {
	t.Helper()
	path := browserPath(t)
	launch.Do(func() {
		launch.ctx = newBrowser(path)
		launch.err = chromedp.Do(launch.ctx)
		stopBrowser = func() { _ = chromedp.Cancel(launch.ctx) }
	})
	if launch.err != nil {
		t.Fatal(launch.err)
	}
	return launch.ctx
}

// newBrowser returns the context of a browser that has not been started.
func newBrowser(path string, options ...chromedp.ExecAllocatorOption) context.Context {
	all := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.Flag("disable-gpu", true))
	ctx, _ := chromedp.NewExecAllocator(context.Background(), append(all, options...)...)
	ctx, _ = chromedp.NewContext(ctx)
	return ctx
}

// browserPath returns the path of a browser, or skips the test.
func browserPath(t testing.TB) string {
	t.Helper()
	for _, name := range []string{os.Getenv("LETHE_BROWSER"), "chromium", "chromium-browser", "google-chrome", "chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("there is no Chromium or Chrome; LETHE_BROWSER can name one")
	return ""
}

var stopBrowser = func() {}

func TestMain(m *testing.M) {
	code := m.Run()
	stopBrowser()
	os.Exit(code)
}

// listen fails the test for what the browser reports.
func (t *tab) listen() {
	err := chromedp.Listen(t.ctx, func(event any) {
		switch e := event.(type) {
		case *runtime.EventExceptionThrown:
			t.Errorf("the page threw: %s %v", e.ExceptionDetails.Text, e.ExceptionDetails.Exception)
		case *runtime.EventConsoleAPICalled:
			if e.Type == runtime.ConsoleAPICalledTypeError || e.Type == runtime.ConsoleAPICalledTypeWarning {
				t.Errorf("the page wrote to the console: %v", e.Args)
			}
		case *log.EventEntryAdded:
			// The browser logs every response that is an error, and some tests ask for such responses.
			if e.Entry.Level == log.EntryLevelError && e.Entry.Source != log.EntrySourceNetwork {
				t.Errorf("the browser logged: %s %s", e.Entry.Source, e.Entry.Text)
			}
		case *page.EventJavascriptDialogOpening:
			t.asked.Store(true)
			go func() {
				_, _ = chromedp.Call(t.ctx, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{Accept: true})
			}()
		}
	})
	if err != nil {
		t.Fatal(err)
	}
}

func (t *tab) run(actions ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	if err := chromedp.Do(t.ctx, actions...); err != nil {
		t.Fatal(err)
	}
}

// eval returns the value of an expression or of a promise.
func (t *tab) eval(expression string, into any) {
	t.Helper()
	wrapped := fmt.Sprintf("(async () => JSON.stringify(await (%s)) ?? 'null')()", expression)
	raw, err := chromedp.Run(t.ctx, chromedp.Evaluate[string](wrapped, chromedp.EvalAwaitPromise))
	if err != nil {
		t.Fatalf("%s: %v", expression, err)
	}
	if into == nil {
		return
	}
	if err := json.Unmarshal([]byte(raw), into); err != nil {
		t.Fatalf("%s: %s: %v", expression, raw, err)
	}
}

func (t *tab) text(expression string) string {
	t.Helper()
	var s string
	t.eval("Promise.resolve().then(() => "+expression+").then(String, (e) => `error: ${e.message}`)", &s)
	return s
}

// wait waits until an expression is true.
func (t *tab) wait(expression string) {
	t.Helper()
	for range 400 {
		// While the page is loaded anew, an expression has no value.
		if ok, err := chromedp.Run(t.ctx, chromedp.Evaluate[bool]("Boolean("+expression+")")); ok && err == nil {
			return
		}
		time.Sleep(25 * time.Millisecond)
	}
	t.picture("failed")
	t.Fatalf("this did not become true: %s", expression)
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
	t.picture("failed")
	t.Fatalf("%s\nis   %q\nwant %q", expression, got, want)
}

// click clicks the middle of an element with the mouse.
func (t *tab) click(selector string) {
	t.Helper()
	at := t.place(selector)
	t.run(chromedp.MouseClickXY(at.X, at.Y))
}

type point struct{ X, Y float64 }

// place scrolls an element into the window and returns its middle.
func (t *tab) place(selector string) point {
	t.Helper()
	t.wait(fmt.Sprintf(`document.querySelector(%q)?.checkVisibility()`, selector))
	var at point
	t.eval(fmt.Sprintf(`(async () => {
		const element = document.querySelector(%q);
		const frame = () => new Promise(requestAnimationFrame);
		element.scrollIntoView({block: "nearest"});
		for (let before = null; ; await frame()) { // until the page no longer moves it
			const [box] = element.getClientRects();
			if (before && before.x === box.x && before.y === box.y) return {X: box.x + box.width / 2, Y: box.y + box.height / 2};
			before = box;
		}
	})()`, selector), &at)
	return at
}

// press presses keys, one after another, as a keyboard does: a key whose default action the page prevents types nothing.
func (t *tab) press(keys string, modifiers ...chromedp.Modifier) {
	t.Helper()
	for _, r := range keys {
		down := *kb.Encode(r)[0]
		for _, m := range modifiers {
			down.Modifiers |= int64(m)
		}
		up := down
		up.Type = kb.KeyUp
		if down.Text = kb.Keys[r].Text; len(modifiers) > 0 || !kb.Keys[r].Print {
			down.Text = ""
		}
		if r == '\r' {
			down.Text = "\r"
		}
		call(t, input.DispatchKeyEvent, down)
		call(t, input.DispatchKeyEvent, up)
	}
}

// drop puts a text into the page as a paste from the clipboard does.
func (t *tab) paste(text string) {
	t.Helper()
	raw, _ := json.Marshal(text)
	t.eval(fmt.Sprintf(`(() => {
		const area = document.getElementById("paste"), data = new DataTransfer();
		data.setData("text/plain", %s);
		area.focus();
		area.dispatchEvent(new ClipboardEvent("paste", {clipboardData: data, bubbles: true, cancelable: true}));
		area.value = %s;
	})()`, raw, raw), nil)
}

// examine pastes a note and waits until it has been examined.
func (t *tab) examine(text string) {
	t.Helper()
	t.paste(text)
	t.click("#paste-form button[type=submit]")
	t.wait(`/checked|No PHI/.test(document.getElementById("note-status").textContent)`)
}

// panel shows a panel as a user does: with the tabs beside the note, or with the bar at the bottom.
func (t *tab) panel(name string) {
	t.Helper()
	if t.look.width < 500 {
		t.click(fmt.Sprintf(`#panels [data-panel=%q]`, name))
	} else if name != "note" && name != "notes" {
		t.click("#tab-" + name)
	}
}

// picture saves a picture of the window, if LETHE_PICTURES names a folder.
func (t *tab) picture(name string) {
	folder := os.Getenv("LETHE_PICTURES")
	if folder == "" {
		return
	}
	png, err := chromedp.Run(t.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		t.Log(err)
		return
	}
	if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("%s-%v.png", name, t.look)), png, 0o600); err != nil {
		t.Error(err)
	}
}

// accessible runs axe on the page as it is, if LETHE_AXE names its file.
func (t *tab) accessible(state string) {
	t.Helper()
	path := os.Getenv("LETHE_AXE")
	if path == "" {
		return
	}
	source, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := chromedp.Run(t.ctx, chromedp.Evaluate[bool](string(source)+";true")); err != nil {
		t.Fatal(err)
	}
	var found []struct {
		ID, Help string
		Nodes    []struct{ HTML, FailureSummary string }
	}
	t.eval(`axe.run(document, {resultTypes: ["violations"]}).then((r) => r.violations)`, &found)
	for _, v := range found {
		for _, n := range v.Nodes {
			t.Errorf("%s, %v: axe: %s: %s\n%s\n%s", state, t.look, v.ID, v.Help, n.HTML, n.FailureSummary)
		}
	}
}

func TestEveryStateIsAccessible(t *testing.T) {
	f := newFake(t)
	for _, l := range looks {
		t.Run(l.String(), func(t *testing.T) {
			tab := open(t, f, l)
			tab.picture("intake")
			tab.accessible("intake")
			tab.examine(sample)
			tab.picture("note")
			tab.accessible("note")
			tab.panel("findings")
			tab.picture("findings")
			tab.accessible("findings")
			tab.panel("result")
			tab.wait(`!document.getElementById("copy").disabled`)
			tab.picture("result")
			tab.accessible("result")
			tab.panel("note")
			tab.press("t")
			tab.picture("types")
			tab.accessible("types")
			tab.press(kb.Escape)
			tab.press("?")
			tab.picture("help")
			tab.accessible("help")
			tab.press(kb.Escape)
		})
	}
}
