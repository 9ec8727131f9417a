package page_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

const sample = "Elm Hospital, 12/03/2031\n\nOda Lund is a 47-year-old baker from Springfield, seen by Dr. Berg.\n" +
	"MRN 482913, phone 555-0142. She was walking near Parkside when the pain began.\n\nOda Lund was discharged on 14/03/2031. Dr. Berg will see her again.\n"

// by is how a user acts.
type by struct {
	name string
	// act does one of the corrections of the bar.
	act func(t *tab, action string)
	// choose chooses a type in the menu.
	choose func(t *tab, typ string)
	// mark marks a word of the text as the type.
	mark func(t *tab, word, typ string)
	// goTo makes the nth span with this text the current one.
	goTo func(t *tab, quote string)
}

var keys = map[string]string{
	"previous": "p", "next": "n", "doubtful": "d", "accept": "a", "type": "t", "remove": "x", "mark": "m", "same": "s",
	"startLeft": "q", "startRight": "w", "endLeft": "e", "endRight": "r", "undo": "u", "redo": "U",
}

var ways = []by{
	{
		name:   "keyboard",
		act:    func(t *tab, action string) { t.press(keys[action]) },
		choose: chooseByKeyboard,
		mark: func(t *tab, word, typ string) {
			t.press("m")
			for range 100 {
				if t.text(`getSelection().toString()`) == word {
					break
				}
				t.press(kb.ArrowRight)
			}
			t.press(kb.Enter)
			chooseByKeyboard(t, typ)
		},
		goTo: func(t *tab, quote string) {
			for range 50 {
				if t.text(`document.querySelector("#note-text .phi.current").textContent`) == quote {
					return
				}
				t.press("n")
			}
		},
	},
	{
		name:   "mouse",
		act:    func(t *tab, action string) { t.click(fmt.Sprintf("[data-action=%q]", action)) },
		choose: chooseByMouse,
		mark: func(t *tab, word, typ string) {
			t.drag(word)
			t.click(`[data-action="mark"]`)
			chooseByMouse(t, typ)
		},
		goTo: func(t *tab, quote string) {
			t.eval(fmt.Sprintf(`(() => {
				for (const e of document.querySelectorAll("[data-wanted]")) e.removeAttribute("data-wanted");
				[...document.querySelectorAll("#note-text .phi")].find((e) => e.textContent === %q).setAttribute("data-wanted", "");
			})()`, quote), nil)
			t.click("#note-text .phi[data-wanted]")
		},
	},
}

func chooseByKeyboard(t *tab, typ string) {
	t.Helper()
	t.wait(`document.activeElement.id === "type-filter"`)
	t.press(typ)
	t.press(kb.Enter)
}

func chooseByMouse(t *tab, typ string) {
	t.Helper()
	t.wait(`document.querySelector("dialog[open]")`)
	t.eval(fmt.Sprintf(`[...document.querySelectorAll(".type")].find((e) => e.querySelector(".type-name").textContent === %q).setAttribute("data-wanted", "")`, typ), nil)
	t.click(".type[data-wanted]")
}

// drag selects a word of the text with the mouse.
func (t *tab) drag(word string) {
	t.Helper()
	var at struct{ Left, Right, Y float64 }
	t.eval(fmt.Sprintf(`(() => {
		const walker = document.createTreeWalker(document.getElementById("note-text"), NodeFilter.SHOW_TEXT);
		for (let node = walker.nextNode(); node; node = walker.nextNode()) {
			const at = node.data.indexOf(%[1]q);
			if (at < 0) continue;
			const range = document.createRange();
			range.setStart(node, at);
			range.setEnd(node, at + %[1]q.length);
			node.parentElement.scrollIntoView({block: "nearest"});
			const box = range.getBoundingClientRect();
			return {Left: box.left + 1, Right: box.right - 1, Y: box.top + box.height / 2};
		}
	})()`, word), &at)
	t.run(chromedp.MouseEvent(chromedp.MousePressed, at.Left, at.Y, chromedp.ButtonLeft, chromedp.ClickCount(1)),
		chromedp.MouseEvent(chromedp.MouseMoved, at.Right, at.Y, chromedp.ButtonLeft),
		chromedp.MouseEvent(chromedp.MouseReleased, at.Right, at.Y, chromedp.ButtonLeft, chromedp.ClickCount(1)))
	t.expect(`getSelection().toString()`, word)
}

// spans returns what the page shows in the text, as screen readers read it. Current spans start with a star.
func (t *tab) spans() []string {
	t.Helper()
	return strings.Split(t.text(`[...document.querySelectorAll("#note-text .phi")].map((e) => (e.classList.contains("current") ? "*" : "") + e.getAttribute("aria-label")).join("\n")`), "\n")
}

// has waits until the text has spans, or, with a "-" before them, no such spans.
func (t *tab) has(wanted ...string) {
	t.Helper()
	var all, missing string
	for range 80 {
		all, missing = "\n"+strings.Join(t.spans(), "\n")+"\n", ""
		for _, w := range wanted {
			not := strings.HasPrefix(w, "-")
			if strings.Contains(all, "\n"+strings.TrimPrefix(w, "-")+"\n") == not {
				missing = w
			}
		}
		if missing == "" {
			return
		}
		time.Sleep(25 * time.Millisecond)
	}
	t.picture("failed")
	t.Fatalf("%q in%s", missing, all)
}

func TestEveryCorrectionByKeyboardAndByMouse(t *testing.T) {
	f := newFake(t)
	for _, l := range looks {
		for _, way := range ways {
			t.Run(l.String()+" "+way.name, func(t *testing.T) { correct(open(t, f, l), way) })
		}
	}
}

func correct(t *tab, user by) {
	t.examine(sample)
	t.has("*Springfield: CITY, 44%, not checked")

	user.act(t, "accept")
	t.has("Springfield: CITY, 44%, checked", "*Berg: DOCTOR, 62%, not checked")
	user.act(t, "undo")
	t.has("*Springfield: CITY, 44%, not checked")
	user.act(t, "redo")
	t.has("*Springfield: CITY, 44%, checked")

	user.act(t, "doubtful")
	t.has("*Berg: DOCTOR, 62%, not checked")
	user.act(t, "type")
	user.choose(t, "USERNAME")
	t.has("*Berg: USERNAME, 62%, checked", "Berg: DOCTOR, 62%, not checked")
	user.act(t, "same")
	t.has("*Berg: USERNAME, 62%, checked", "Berg: USERNAME, 62%, checked", "-Berg: DOCTOR, 62%, not checked")

	user.act(t, "next")
	t.has("*482913: MEDICALRECORD, 93%, not checked")
	user.act(t, "previous")
	t.has("*Berg: USERNAME, 62%, checked")

	user.goTo(t, "Oda Lund")
	for _, step := range []struct{ action, quote string }{
		{"endLeft", "Oda"}, {"endRight", "Oda Lund"}, {"startRight", "Lund"}, {"startLeft", "Oda Lund"}, {"startLeft", "Elm Hospital, 12/03/2031\n\nOda Lund"},
	} {
		if step.action == "startLeft" && strings.Contains(step.quote, "\n") {
			break
		}
		user.act(t, step.action)
		t.has("*" + step.quote + ": PATIENT, 97%, checked")
	}

	user.goTo(t, "Parkside")
	t.has("*Parkside: left by the model, perhaps LOCATION-OTHER, 21%")
	user.act(t, "accept")
	t.has("Parkside: LOCATION-OTHER, 21%, checked")
	user.goTo(t, "baker")
	user.act(t, "remove")
	t.has("-baker: left by the model, perhaps PROFESSION, 12%")
	user.goTo(t, "555-0142")
	user.act(t, "remove")
	t.has("-555-0142: PHONE, 95%, not checked")

	user.mark(t, "walking", "PROFESSION")
	t.has("*walking: PROFESSION, checked")
	user.act(t, "undo")
	t.has("-*walking: PROFESSION, checked")
	user.act(t, "redo")
	t.has("*walking: PROFESSION, checked")

	t.panel("result")
	t.expect(`document.getElementById("result-text").textContent`, "[HOSPITAL], [DATE]\n\n[PATIENT] is a 47-year-old baker from [CITY], seen by Dr. [USERNAME].\n"+
		"MRN [MEDICALRECORD], phone 555-0142. She was [PROFESSION] near [LOCATION-OTHER] when the pain began.\n\n[PATIENT] was discharged on [DATE]. Dr. [USERNAME] will see her again.\n")
	t.accessible("corrected")
}

func TestShortcutsOfTheWholeNote(t *testing.T) {
	tab := open(t, newFake(t), wide)
	tab.examine(sample)
	tab.press("dX") // the doctor, everywhere
	tab.has("-Berg: DOCTOR, 62%, not checked")
	tab.press("z", chromedp.ModifierCtrl)
	tab.has("*Berg: DOCTOR, 62%, not checked", "Berg: DOCTOR, 62%, not checked")
	tab.press("y", chromedp.ModifierCtrl)
	tab.has("-*Berg: DOCTOR, 62%, not checked")
	tab.press("z", chromedp.ModifierCtrl)

	ways[0].goTo(tab, "Oda Lund")
	tab.press("E")
	tab.has("*Oda Lun: PATIENT, 97%, checked")
	tab.press("RW")
	tab.has("*da Lund: PATIENT, 97%, checked")
	tab.press("Q")
	tab.has("*Oda Lund: PATIENT, 97%, checked")

	tab.press(kb.Delete)
	tab.has("-*Oda Lund: PATIENT, 97%, checked")
	tab.has("*12/03/2031: DATE, 99%, not checked")
	tab.press("b") // the one before in the order of doubt
	tab.has("*Oda Lund: PATIENT, 97%, not checked")

	tab.click("#fixed")
	tab.wait(`getComputedStyle(document.querySelector("#note-text .block")).fontFamily.includes("monospace")`)
	tab.picture("fixed-width")
	tab.accessible("fixed width")
	tab.press("f")
	tab.wait(`!getComputedStyle(document.querySelector("#note-text .block")).fontFamily.includes("monospace")`)

	tab.press("?")
	tab.click("#keys-enabled")
	tab.press(kb.Escape)
	tab.press("x") // one-key shortcuts are off
	tab.has("*Oda Lund: PATIENT, 97%, not checked")
	tab.press("z", chromedp.ModifierCtrl)
	tab.has("*Oda Lund: PATIENT, 97%, checked", "Oda Lund: PATIENT, 97%, not checked")
}

func TestWordsAreSelectedByKeyboard(t *testing.T) {
	tab := open(t, newFake(t), wide)
	tab.examine("one two three\nfour five\n\nsix")
	selected := `getSelection().toString()`
	tab.press("m")
	for _, step := range []struct {
		key  string
		mods []chromedp.Modifier
		want string
	}{
		{"", nil, "one"},
		{kb.ArrowRight, nil, "two"},
		{kb.ArrowRight, []chromedp.Modifier{chromedp.ModifierShift}, "two three"},
		{kb.ArrowRight, []chromedp.Modifier{chromedp.ModifierShift}, "two three\nfour"},
		{kb.ArrowLeft, []chromedp.Modifier{chromedp.ModifierShift}, "two three"},
		{kb.ArrowDown, nil, "four"},
		{kb.ArrowDown, nil, "six"},
		{kb.ArrowUp, nil, "four"},
		{kb.ArrowUp, nil, "one"},
		{kb.ArrowLeft, nil, "one"},
		{kb.Escape, nil, ""},
	} {
		if step.key != "" {
			tab.press(step.key, step.mods...)
		}
		tab.expect(selected, step.want)
	}
}

func TestTheListOfFindings(t *testing.T) {
	f := newFake(t)
	for _, l := range looks {
		tab := open(t, f, l)
		tab.examine(sample)
		tab.panel("findings")
		first := `document.querySelector("#findings-list .row .row-quote").textContent`
		tab.expect(first, "Springfield")
		tab.eval(`document.getElementById("findings-list").focus()`, nil)
		tab.press(kb.ArrowDown)
		tab.expect(`document.querySelector("#findings-list .row.current").dataset.index`, "1")
		tab.press("a") // in the list, too
		tab.expect(`document.querySelector("#findings-list .row.current").dataset.index`, "2")
		tab.expect(`document.activeElement.id`, "findings-list")
		tab.click("#findings-list .row:nth-child(4)")
		tab.expect(`document.querySelector("#findings-list .row.current .row-quote").textContent`, "47")
		tab.click("#only-open")
		tab.expect(`document.querySelectorAll("#findings-list .row.checked").length`, "0")
		tab.eval(`(() => { const o = document.getElementById("order"); o.value = "text"; o.dispatchEvent(new Event("change")); })()`, nil)
		tab.expect(first, "Elm Hospital")
		tab.accessible("findings")
		for range 20 {
			tab.press("a")
		}
		tab.expect(`document.getElementById("findings-empty").textContent`, "Everything in this note has been checked.")
		tab.picture("all-checked")
		tab.accessible("all checked")
	}
}
