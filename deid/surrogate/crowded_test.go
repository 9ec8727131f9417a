package surrogate

import (
	"fmt"
	"strings"
	"testing"
)

// Each of these tests took minutes or hours when the time grew with the square of the input, or faster.

// word returns a different word for each number.
func word(n int) string {
	letters := []byte("Q")
	for range 5 {
		letters, n = append(letters, "bcdfghjklmnpqrtvwz"[n%18]), n/18
		letters = append(letters, 'a')
	}
	return string(letters)
}

func TestLoginsOfRepeatedLettersWereCutInEveryWay(t *testing.T) {
	var parts []piece
	for i := range maxPieces {
		name := strings.Repeat("a", 30-i)
		parts = append(parts, piece{name: name, bare: name})
	}
	login := strings.Repeat("a", maxLogin-1)
	for range 20 {
		if cut(login+"b", parts) != nil || len(cut(login, parts)) != 2 {
			t.Fatal("the login is cut in another way")
		}
	}
}

func TestDaysWereComparedWithAllDates(t *testing.T) {
	var all []Mention
	for i := range 60_000 {
		date := fmt.Sprintf("%d/%d/%d", 1+i%12, 11+i/12%18, 1900+i/216)
		all = append(all, Mention{Note: "a", Sort: Date, Text: date}, Mention{Note: "a", Sort: Number, Text: fmt.Sprint(1 + i%31), Before: "Bed ", After: " and 4 mg"})
	}
	all = append(all, Mention{Note: "a", Sort: Date, Text: "3", After: " and 9 Feb 2071"}, Mention{Note: "a", Sort: Date, Text: "9 Feb 2071"})
	p := in(English).Dates("p", all)
	if made, ok := p.Replace("a", Date, "3"); !ok || made == "3" {
		t.Errorf("the 3rd of February became %q", made)
	}
}

func TestNamesWereComparedWithAllNames(t *testing.T) {
	var all []Mention
	for i := range 10_000 {
		surname := word(i)
		all = append(all, mentions(Person, surname+", Maria", strings.ToUpper(surname)+" MARIA", "Mrs. "+surname)...)
		all = append(all, mentions(Hospital, surname+" Hospital")...)
	}
	p := patient(t, Options{}, all)
	if n := len(p.names.persons); n != 10_000 {
		t.Errorf("%d persons", n)
	}
	if a, b := p.Identity(Person, word(7)+", Maria"), p.Identity(Person, "Maria "+word(7)); a != b {
		t.Errorf("%q is not %q", a, b)
	}
}

func TestExhaustedListWasSearchedForEachValue(t *testing.T) {
	var all []Mention
	for i := range 40_000 {
		all = append(all, mentions(Person, "Dr. "+word(i))...)
	}
	p := patient(t, Options{}, all)
	made := map[string]bool{}
	for _, m := range all {
		got, ok := p.Replace("a", Person, m.Text)
		if !ok || made[got] {
			t.Fatalf("understood %v, made twice %v", ok, made[got])
		}
		made[got] = true
	}
}
