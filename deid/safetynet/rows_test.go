package safetynet

import (
	"strings"
	"testing"

	"github.com/lethe-deid/lethe/data"
)

// TestScoresOfARowWentAsDates: the fractions of a flow sheet whose rows have the labels, such as Pain pre/post, were replaced as dates.
func TestScoresOfARowWentAsDates(t *testing.T) {
	for _, tc := range []struct {
		text string
		want bool // the fractions stay
	}{
		{"Pain pre/post | 7/5 | 6/5 |", true},
		{"| Dolor antes/después | 7/5 | - |", true},
		{"NuStep L/min\t2/6\t2/8", true},
		{"Blades #10/#15   2/1   1/0", true},
		{"Strength L/R   4/5   5/5", true},
		{"Itch pre/post | 7/5 | 3/8", true},
		{"Ánimo antes/después | 7/5 | 3/8", true},
		{"Strength L/R |\t3/5 |\t4/5 |", true},
		{"Mood | 3/8 | 4/9", false},
		{"Symptoms before and after | 3/5 | 9/2", false},
		{"Stress test pre/post | 3/5 | 9/2", false},
		{"Pain pre/post on | 3/8 | 4/9", false},
		{"Fuerza D/I | 4/5 | 5/5", true},
		{"Sets/reps: | 3/10 | 3/12", true},
		{"MMT | 4/5 | 3/5", true},
		{"Item | Visit 1 | Visit 2\nKnee flexion L/R | 90/95 | 95/95", true},
		{"| Joint | Injected |\n| Knee | 3/5 |\n| Shoulder | 5/1 |", false},
		{"| Joint | Injected |\n|---|---|\n| Grip | 3/5 |", false},
		{"Symptom\tBegan\nPain\t3/5\nNausea\t4/2", false},
		{"Article   Traité   Seen\nKnee L/R   3/5   4/2", false},
		{"Knee    3/5    4/2    5/1", false},
		{"Knee L/R    3/5    4/2    5/1", false},
		{"Dolor | 3/5 | 4/2", false},
		{"Series | 3/5 | 4/2", false},
		{"Pain | 3/18 | 4/2", false},
		{"MMT | 3/18 | 4/2", false},
		{"Strength L/R | 03/18 | 04/02", false},
		{"Pain clinic | 3/8 | 4/9", false},
		{"Injection L/R | 3/8 | 4/9", false},
		{"Visit | 3/8 | 4/9", false},
		{"Start/stop | 3/8 | 4/9", false},
		{"Strength L/R | 4/5 | seen 3/8", false},
		{"Pain 3/8 4/9", false},
	} {
		var spans []data.Span
		for at := range tc.text {
			if i := strings.IndexAny(tc.text[at:], "/"); i == 0 && at > 0 && isDigit(tc.text[at-1]) && isDigit(tc.text[at+1]) {
				start, end := at, at+1
				for start > 0 && isDigit(tc.text[start-1]) {
					start--
				}
				for end < len(tc.text) && isDigit(tc.text[end]) {
					end++
				}
				spans = append(spans, data.Span{Start: start, End: end, Type: "DATE", Score: 1})
			}
		}
		left := CorrectCells(tc.text, spans, func(string) bool { return false })
		if got := len(left) == 0; got != tc.want {
			t.Errorf("%q: %d of %d dates are left", tc.text, len(left), len(spans))
		}
	}
}

// TestADateOverScoresWasDropped: a span over a score and a date must keep the date.
func TestADateOverScoresWasDropped(t *testing.T) {
	text := "Grip | 7/5 | 3/5\nGrip | 4/5 | 3/5\n3/8 seen"
	left := CorrectCells(text, []data.Span{{Start: len("Grip | 7/5 | 3/5\nGrip | "), End: len(text) - len(" seen"), Type: "DATE", Score: 1}}, func(string) bool { return false })
	if len(left) != 1 || text[left[0].Start:left[0].End] != "3/8" {
		t.Errorf("%d spans are left", len(left))
	}
}
