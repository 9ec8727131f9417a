package safetynet

import (
	"fmt"
	"strings"
	"testing"

	"github.com/lethe-deid/lethe/data"
)

// One known name of 30,000 words took gigabytes for its logins, already when it was checked.
func TestLongNamesTookAllMemory(t *testing.T) {
	name := strings.Repeat("Haugstad Trevanion Lindqvist ", 300_000)
	values := []Value{{Kind: Name, Text: name}, {Kind: ID, Text: strings.Repeat("7", 5000)}, {Kind: Name, Text: "Oda Lund"}, {Kind: ID, Text: "12"}}
	if n := TooShort(values); n != 3 {
		t.Errorf("%d values are not searched for, want 3", n)
	}
	n := &Net{Types: types(t)}
	if got := show("Haugstad, 77777, Lund, olund", n.Known(values).Find("Haugstad, 77777, Lund, olund", nil)); got != "Haugstad, 77777, [PATIENT|Lund], [USERNAME|olund]" {
		t.Error(got)
	}
	p := n.Originals([]Removed{{strings.Repeat("Ab Cdefg ", 100), "PATIENT"}})
	if len(p.logins) > 0 || len(p.parts) == 0 {
		t.Errorf("%d logins and %d parts of a name of 200 words", len(p.logins), len(p.parts))
	}
}

// An entry of thousands of words was compared anew at each place where its first word stands.
func TestLongEntriesAreRefused(t *testing.T) {
	if _, err := (*Phrases)(nil).With([]string{strings.Repeat("a b ", 33)}, data.I2B2, "OTHER"); err == nil || !strings.Contains(err.Error(), "at most 64 words") {
		t.Errorf("error %v", err)
	}
	p, err := (*Phrases)(nil).With([]string{strings.TrimSpace(strings.Repeat("a b ", 32)), "a", "a b a"}, data.I2B2, "OTHER")
	if err != nil {
		t.Fatal(err)
	}
	if found := p.Find("x a b a c a " + strings.Repeat("a b ", 32)); len(found) != 3 || found[0].End-found[0].Start != 5 || found[2].End-found[2].Start != 127 {
		t.Errorf("found %v", found)
	}
}

// Each word and each number of a note was compared with all known ones.
func TestManyKnownValuesAreComparedFast(t *testing.T) {
	var values []Value
	var text strings.Builder
	for i := range 50_000 {
		values = append(values, Value{Kind: ID, Text: fmt.Sprintf("55%08d", i*7)})
		fmt.Fprintf(&text, "88%08d ", i*7)
	}
	if found := (&Net{Types: types(t)}).Known(values).Find(text.String()+"5500000701", nil); len(found) != 1 {
		t.Errorf("found %d numbers, want 1", len(found))
	}
}

// Lengths were counted in bytes, so that names of three letters in other scripts matched with one of them wrong.
func TestLengthsAreLetters(t *testing.T) {
	p := (&Net{Types: types(t)}).Known([]Value{{Kind: Name, Text: "Лев Орлов"}})
	for text, want := range map[string]string{
		"Лет":    "Лет",
		"Орлав":  "[PATIENT|Орлав]",
		"Арлов":  "Арлов",
		"Лев":    "[PATIENT|Лев]",
		"Орловв": "[PATIENT|Орловв]",
	} {
		if got := show(text, p.Find(text, nil)); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// The words before a question were looked for without an end, so that a long text of one word took quadratic time.
func TestLongTextsOfOneWordTookQuadraticTime(t *testing.T) {
	finders := []func(string) []data.Span{AskedNames, PlainNames, Handles, ShiftRows}
	words := []string{"Como ", "Desde ", "con Con ", "que Que ", "¿Por qué ", "¿", "Lund ", "Oda ", "oda lund ", "Oda de la ", "Lund's ", "A. ", "Lund-", "O'", "Miller GIB; ", "Check Lund ", "School District ", "dm ", "instagram id ", "211 Oda\n", "12 Oda de la "}
	for _, find := range finders {
		for _, word := range words {
			find(strings.Repeat(word, 1<<18/len(word)))
		}
	}
}

// Behind sixteen words that begin questions, other words were taken for them.
func TestQuestionsOfManyWords(t *testing.T) {
	checkFound(t, AskedNames, []string{strings.Repeat("como ", 40) + "tiene Quispe", "¿" + strings.Repeat("como ", 40) + "tiene Quispe", "¿por qué y desde cuándo tiene «Quispe»"})
}
