package main

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// invented returns notes whose sections differ in their words, except that those of two headings have
// the same words in another order, which a bag of words cannot tell apart.
func invented(notes int) string {
	var b strings.Builder
	for i := range notes {
		fmt.Fprintf(&b, "ALLERGIES: none to drug %d.\n", i%3)
		fmt.Fprintf(&b, "CHIEF COMPLAINT:\nThe pain came before the fall %d.\n", i%2)
		fmt.Fprintf(&b, "PLAN:\nThe fall came before the pain %d.\n", i%2)
		b.WriteString("OTHER: Not a class.\n\n")
	}
	return b.String()
}

func TestLearns(t *testing.T) {
	var out strings.Builder
	if err := run(strings.NewReader(invented(100)), &out, 20); err != nil {
		t.Fatal(err)
	}
	var right []float64
	for _, m := range regexp.MustCompile(`([0-9.]+) % right`).FindAllStringSubmatch(out.String(), -1) {
		x, _ := strconv.ParseFloat(m[1], 64)
		right = append(right, x)
	}
	if len(right) != 3 || right[0] > 40 || right[1] > 80 || right[2] < 100 {
		t.Errorf("expected a third, two thirds and all right, got\n%s", out.String())
	}
}

func TestSections(t *testing.T) {
	got := fmt.Sprint(sections("Dictated.\nALLERGIES: None.\nPLAN:\n\tRest, 2 days.\nNot a heading: yes.\nOTHER: x\nHEENT:\nFINDINGS:"))
	if want := "[{ALLERGIES [none]} {PLAN [rest 2 days not a heading yes]}]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestNoSections(t *testing.T) {
	if err := run(strings.NewReader("Nothing here."), &strings.Builder{}, 1); err == nil {
		t.Error("no error")
	}
}
