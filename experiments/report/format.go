package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/lethe-deid/lethe/evaluation"
)

// none is the content of a cell without a value.
const none = "–"

// percent formats a share as a percentage with two decimals and no sign.
func percent(share float64) string { return strconv.FormatFloat(100*share, 'f', 2, 64) }

// of formats a ratio as a percentage; 0/0 is none.
func of(part, whole int) string {
	if whole == 0 {
		return none
	}
	return percent(float64(part) / float64(whole))
}

// scores formats precision, recall and F1, as none where they are undefined.
func scores(c evaluation.Counts) (p, r, f1 string) {
	return of(c.TP, c.TP+c.FP), of(c.TP, c.TP+c.FN), of(2*c.TP, 2*c.TP+c.FP+c.FN)
}

// points formats a difference of shares in percentage points with its sign.
func points(difference float64) string {
	s := fmt.Sprintf("%.2f", math.Abs(100*difference))
	switch {
	case s == "0.00":
		return s
	case difference < 0:
		return "−" + s
	}
	return "+" + s
}

// number groups the digits of large numbers.
func number(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// counted returns a number with its noun: 1 note, 2 notes.
func counted(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return number(n) + " " + noun
}

func duration(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%.1f\u00a0s", d.Seconds())
	case d < time.Hour:
		return fmt.Sprintf("%d\u00a0min %d\u00a0s", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%d\u00a0h %d\u00a0min", int(d.Hours()), int(d.Minutes())%60)
}

// breakable splits a name where a line may break.
func breakable(name string) []string { return strings.SplitAfter(name, "_") }

// sentence is fmt.Sprintf without line breaks before percent signs.
func sentence(format string, args ...any) string {
	return strings.ReplaceAll(fmt.Sprintf(format, args...), " %", "\u00a0%")
}
