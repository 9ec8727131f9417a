package page_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid"
	"github.com/lethe-deid/lethe/deid/review"
	"github.com/lethe-deid/lethe/deid/service/reviews"
	"github.com/lethe-deid/lethe/deid/service/wire"
)

// reviewed opens a review of three notes as a reader.
func reviewed(t *testing.T, f *fake, l look, reader string) *tab {
	t.Helper()
	tab := open(t, f, l)
	tab.click(`#review-card [data-reader="` + reader + `"]`)
	tab.wait(`document.body.dataset.session === "review" && document.querySelector("#note-text .phi")`)
	return tab
}

// reviewedTexts are the notes of the reviews of the tests, in their order.
var reviewedTexts = []string{sample, "Ida Berg saw Dr. Lund on 12/03/2031.", "Nothing to see."}

// newReview draws a review with two readers.
func newReview(t *testing.T) http.Handler {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "ward-3")
	var names []string
	for _, t := range data.I2B2.Types[:24] {
		names = append(names, t.Name)
	}
	model := review.Model{Name: "fake", Types: data.I2B2, TypeNames: names, Find: func(_ context.Context, notes []deid.Note) ([][]data.Span, []error) {
		found := make([][]data.Span, len(notes))
		for i, n := range notes {
			found[i], _ = find(n.Text)
		}
		return found, make([]error, len(notes))
	}}
	notes := func(yield func(deid.Note, error) bool) {
		for i, text := range reviewedTexts {
			if !yield(deid.Note{Document: &data.Document{ID: fmt.Sprintf("note-%d", i+1), Text: text}, Group: fmt.Sprint(i)}, nil) {
				return
			}
		}
	}
	draw := review.Draw{By: review.ByNote, Notes: len(reviewedTexts), Readers: []string{"anna", "ben"}}
	for draw.Seed = 1; ; draw.Seed++ { // until the notes are in their order
		if _, err := review.Sample(t.Context(), dir, notes, model, draw, nil); err != nil {
			t.Fatal(err)
		}
		r, err := review.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		if r.Notes[0].ID == "note-1" && r.Notes[1].ID == "note-2" {
			mux := http.NewServeMux()
			for pattern, h := range reviews.Handlers(r) {
				mux.Handle(pattern, h)
			}
			return mux
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
	}
}

// stored returns what the server has of a reader and a note.
func (f *fake) stored(t *testing.T, number int, reader string) (spans int, done bool) {
	t.Helper()
	w := httptest.NewRecorder()
	f.review.ServeHTTP(w, httptest.NewRequest(http.MethodGet, fmt.Sprintf("/v1/review/notes/%d?reader=%s", number, reader), nil))
	var note struct {
		Spans []any
		Done  bool
	}
	if err := json.Unmarshal(w.Body.Bytes(), &note); err != nil {
		t.Fatal(err)
	}
	return len(note.Spans), note.Done
}

// finish presses Done for each note, once it is there.
func (t *tab) finish() {
	t.Helper()
	for number := 1; number <= len(reviewedTexts); number++ {
		t.expect(`document.getElementById("note-title").textContent`, fmt.Sprintf("note-%d", number))
		t.wait(`!document.getElementById("done").disabled`)
		t.press("D")
	}
	t.expect(`document.querySelector(".message").textContent`, "You are done with all notes of the review.")
}

func TestReviewFromBeginToEnd(t *testing.T) {
	for _, l := range looks {
		t.Run(l.String(), func(t *testing.T) {
			f := newFake(t)
			f.review = newReview(t)
			tab := open(t, f, l)
			tab.wait(`document.querySelector("#review-card .button")`)
			tab.picture("review-card")
			tab.accessible("review card")
			tab.click(`#review-card [data-reader="anna"]`)
			tab.has("*Springfield: CITY, 44%, not checked")
			tab.picture("review")
			tab.accessible("review")
			tab.press("t")
			tab.expect(`document.querySelectorAll(".type").length`, "24") // the types of the review only
			tab.press(kb.Escape)
			tab.wait(`!document.querySelector("dialog")`)
			tab.press("x")
			tab.wait(`document.getElementById("note-status").textContent === "0 of 10 checked"`) // saved
			tab.click("#done")
			tab.expect(`document.getElementById("note-title").textContent`, "note-2")
			tab.has("*Lund: DOCTOR, 62%, not checked")
			tab.press("D")
			tab.expect(`document.getElementById("note-title").textContent`, "note-3")
			tab.wait(`!document.getElementById("done").disabled`)
			tab.press("D")
			tab.expect(`document.querySelector(".message").textContent`, "You are done with all notes of the review.")
			tab.panel("notes")
			tab.expect(`document.getElementById("notes-count").textContent`, "3 of 3 done")
			tab.picture("review-done")
			tab.accessible("review done")
			for number, want := range map[int]int{1: 10, 2: 3, 3: 0} {
				if spans, done := f.stored(t, number, "anna"); spans != want || !done {
					t.Errorf("note %d: %d spans, %t", number, spans, done)
				}
			}
			tab.click("#leave")
			tab.expect(`document.querySelector("#review-card .button").textContent`, "anna: 3 of 3 done")
			if tab.leaving() {
				t.Error("the page asks although the server has everything")
			}

			// The second reader marks something else, and nobody sees what the first has marked.
			tab = reviewed(t, f, l, "ben")
			tab.has("*Springfield: CITY, 44%, not checked")
			tab.finish()
			tab.panel("notes")
			tab.click("#figures")
			tab.expect(`document.querySelector("dialog tbody td").textContent`, "0.963") // 13 spans of 13 and of 14: 2*13/27
			tab.picture("figures")
			tab.accessible("figures")

			tab = reviewed(t, f, l, "final")
			tab.has("*Springfield: marked by ben only, perhaps CITY")
			tab.panel("differences")
			tab.expect(`document.querySelector("#differences .hint").textContent`, "1 of 1 differences to decide.")
			tab.picture("differences")
			tab.accessible("differences")
			tab.click(`#differences [data-choice="ben"]`)
			tab.expect(`document.querySelector("#differences .hint").textContent`, "All differences are decided.")
			tab.wait(`document.querySelector("#differences [data-choice=ben]").getAttribute("aria-pressed") === "true"`)
			tab.has("*Springfield: CITY, checked")
			tab.click(`#differences [data-choice="anna"]`)
			tab.has("-*Springfield: CITY, checked")
			tab.wait(`document.querySelector("#differences [data-choice=anna]").getAttribute("aria-pressed") === "true"`)
			tab.panel("note")
			tab.press("u")
			tab.has("*Springfield: CITY, checked")
			tab.click("#done")
			tab.wait(`document.querySelector("#done").getAttribute("aria-pressed") === "true"`)
			if spans, done := f.stored(t, 1, "final"); spans != 11 || !done {
				t.Errorf("final: %d spans, %t", spans, done)
			}
		})
	}
}

func TestReviewIsResumed(t *testing.T) {
	f := newFake(t)
	f.review = newReview(t)
	tab := reviewed(t, f, wide, "anna")
	tab.press("D")
	tab.expect(`document.getElementById("note-title").textContent`, "note-2")
	tab.has("*Lund: DOCTOR, 62%, not checked")
	tab.press("x")
	tab.has("-*Lund: DOCTOR, 62%, not checked")
	tab.wait(`!document.getElementById("note-status").textContent.endsWith("saving")`)
	tab = reviewed(t, f, wide, "anna")
	tab.expect(`document.getElementById("note-title").textContent`, "note-2")
	tab.has("*Ida Berg: PATIENT, 97%, not checked", "-Lund: DOCTOR, 62%, not checked")
	tab.keepsNothing("Ida", "Lund")
}

func TestReviewedNoteThatWasChangedElsewhere(t *testing.T) {
	for _, choice := range []string{"Load the other", "Keep mine"} {
		f := newFake(t)
		f.review = newReview(t)
		tab, other := reviewed(t, f, wide, "anna"), reviewed(t, f, wide, "anna")
		other.press("x") // Springfield
		other.wait(`document.getElementById("note-status").textContent === "0 of 10 checked"`)
		tab.press("dx") // Dr. Berg
		tab.wait(`document.querySelector("#warnings .button")`)
		tab.accessible("conflict")
		tab.eval(`[...document.querySelectorAll("#warnings .button")].find((e) => e.textContent === "`+choice+`").click()`, nil)
		if choice == "Keep mine" {
			tab.expect(`document.querySelector("#messages p").textContent`, "Your version has been saved.")
			tab.has("Springfield: CITY, 44%, not checked")
		} else {
			tab.has("-Springfield: CITY, 44%, not checked", "-*Springfield: CITY, 44%, not checked", "*Berg: DOCTOR, 62%, not checked")
		}
		if spans, _ := f.stored(t, 1, "anna"); spans != 10 {
			t.Errorf("%s: the server has %d spans", choice, spans)
		}
	}
}

func TestReviewIsSavedOnceTheServerIsBack(t *testing.T) {
	f := newFake(t)
	f.review = newReview(t)
	tab := reviewed(t, f, wide, "anna")
	f.refusing(func(w http.ResponseWriter, _ *http.Request) bool {
		wire.Fail(w, &wire.Error{Status: http.StatusInternalServerError, Code: "failed", Message: "The folder cannot be written."})
		return true
	})
	tab.press("x")
	tab.expect(`document.querySelector("#warnings p").textContent`, "Your corrections of note-1 have not been saved yet. The folder cannot be written.")
	if !tab.unsaved() {
		t.Error("the page does not ask although corrections are not saved")
	}
	f.refusing(nil)
	tab.click("#warnings .button")
	tab.wait(`!document.getElementById("note-status").textContent.endsWith("saving")`)
	if tab.unsaved() {
		t.Error("the page asks although the corrections are saved")
	}
}

// unsaved reports whether the page would ask before it is left.
func (t *tab) unsaved() bool {
	t.Helper()
	var asks bool
	t.eval(`(() => { const e = new Event("beforeunload", {cancelable: true}); dispatchEvent(e); return e.defaultPrevented; })()`, &asks)
	return asks
}

func TestNoteWithWhichBothReadersAreDoneCannotBeChanged(t *testing.T) {
	f := newFake(t)
	f.review = newReview(t)
	reviewed(t, f, wide, "ben").finish()
	tab := reviewed(t, f, wide, "anna")
	tab.finish()
	tab = reviewed(t, f, wide, "anna")
	tab.expect(`document.getElementById("note-alert").textContent`,
		"Both readers are done with this note, so it can no longer be changed here. Who decides the differences has the last word.")
	tab.accessible("closed")
	tab.press("nx")
	tab.has("*Elm Hospital: HOSPITAL, 88%, checked")
	tab.wait(`document.getElementById("done").disabled && document.querySelector("[data-action=remove]").disabled`)
}
