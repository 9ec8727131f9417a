package page_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/performance"
)

// large returns a note of a megabyte with some thousand spans, and a note of 5,000 spans in little text.
func large() map[string]string {
	var long, dense strings.Builder
	for i := 0; long.Len() < 1<<20; i++ {
		fmt.Fprintf(&long, "%d. The patient walked %d metres without pain, and the wound at the left shin has closed; the dressing was changed, no new complaints.\n", i, i%900)
		if i%5 == 0 {
			fmt.Fprintf(&long, "Seen by Dr. Berg on %02d/03/2031, phone 555-%04d.\n", i%28+1, i%10000)
		}
	}
	for i := range 2500 {
		fmt.Fprintf(&dense, "Dr. Berg %02d/03/2031 ", i%28+1)
		if i%8 == 0 {
			dense.WriteString("\n")
		}
	}
	oneLine := strings.ReplaceAll(long.String(), "\n", " ")
	return map[string]string{"1MB": long.String(), "5000spans": dense.String(), "1MBoneLine": oneLine}
}

// probe acts, and waits until the next frame has been painted.
const probe = `(() => {
	const frame = () => new Promise((done) => requestAnimationFrame(() => { const c = new MessageChannel(); c.port1.onmessage = done; c.port2.postMessage(0); }));
	window.settle = async () => { await frame(); await frame(); };
	window.act = async (f) => { const start = performance.now(); f(); await frame(); return performance.now() - start; };
	window.key = (key) => document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true, cancelable: true}));
})()`

// lags are the times that the page took for an action, in milliseconds: of the clock until the next frame was painted, and of
// the processor in the thread of the page, which other programs on the machine do not lengthen.
type lags struct{ clock, processor []float64 }

func (l *lags) String() string {
	slices.Sort(l.clock)
	slices.Sort(l.processor)
	n := len(l.clock)
	return fmt.Sprintf("processor: median %6.1f ms, longest %6.1f ms; clock: median %6.1f ms, longest %6.1f ms", l.processor[n/2], l.processor[n-1], l.clock[n/2], l.clock[n-1])
}

// measure acts some times, and measures each time.
func (t *tab) measure(times int, script string) *lags {
	t.Helper()
	l := &lags{}
	for range times {
		t.eval("settle()", nil)
		before := t.processorTime()
		var clock float64
		t.eval(fmt.Sprintf("act(() => { %s; })", script), &clock)
		l.clock, l.processor = append(l.clock, clock), append(l.processor, 1000*(t.processorTime()-before))
	}
	return l
}

// processorTime returns the seconds of the processor that tasks of the page have taken.
func (t *tab) processorTime() float64 {
	t.Helper()
	for _, m := range call(t, performance.GetMetrics, cdp.Empty{}).Metrics {
		if m.Name == "TaskDuration" {
			return m.Value
		}
	}
	t.Fatal("the browser has no metric TaskDuration")
	return 0
}

// BenchmarkLag reports how long the page takes for each action on large notes. Run it with -benchtime 1x.
func BenchmarkLag(b *testing.B) {
	for name, text := range large() {
		b.Run(name, func(b *testing.B) {
			tab := open(b, newFake(b), wide)
			call(tab, performance.Enable, performance.EnableParams{TimeDomain: performance.EnableTimeDomainThreadTicks})
			tab.eval(probe, nil)
			tab.paste(text)
			spans, _ := find(text)
			fmt.Printf("%s: %d bytes, %d spans\n", name, len(text), len(spans))
			report := func(action string, l *lags) { fmt.Printf("  %-14s %v\n", action, l) }
			report("examine", tab.measure(1, `document.getElementById("find").click()`))
			tab.wait(`/checked/.test(document.getElementById("note-status").textContent)`)
			for _, action := range []struct{ name, script string }{
				{"next", `key("n")`}, {"accept", `key("a")`}, {"next doubtful", `key("d")`}, {"undo", `key("u")`}, {"boundary", `key("e")`}, {"remove", `key("x")`},
				{"scroll", `document.getElementById("note-text").scrollBy(0, 700)`},
				{"jump", `{ const v = document.getElementById("note-text"); v.scrollTop = Math.random() * v.scrollHeight; }`},
				{"scroll list", `document.getElementById("findings-list").scrollBy(0, 900)`},
				{"select words", `key("m"), key("ArrowRight"), key("Escape")`},
			} {
				report(action.name, tab.measure(20, action.script))
			}
			types, retype := &lags{}, &lags{}
			for range 5 {
				one := tab.measure(1, `key("t")`)
				two := tab.measure(1, `document.querySelector("dialog .type:nth-child(5)").click()`)
				tab.wait(`!document.querySelector("dialog")`)
				types.clock, types.processor = append(types.clock, one.clock...), append(types.processor, one.processor...)
				retype.clock, retype.processor = append(retype.clock, two.clock...), append(retype.processor, two.processor...)
			}
			report("open types", types)
			report("retype", retype)
			report("same", tab.measure(1, `key("s")`))
			report("undo of same", tab.measure(1, `key("u")`))
			tab.panel("result")
			tab.wait(`!document.getElementById("copy").disabled`)
			report("with result", tab.measure(20, `key("a")`))
			before := tab.processorTime()
			tab.press("x")
			tab.wait(`!document.getElementById("copy").disabled`)
			tab.eval("settle()", nil)
			fmt.Printf("  a correction and its result: %.1f ms of the processor\n", 1000*(tab.processorTime()-before))
		})
	}
}
