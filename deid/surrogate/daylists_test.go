package surrogate

import (
	"strings"
	"testing"
)

// TestDaysBesideTablets checks lists of days beside the word for tablets, whose last letter was taken for a day, and long runs of days that are no list.
func TestDaysBesideTablets(t *testing.T) {
	for text, want := range map[string]bool{
		"5 mg Sa/Monday,tabs":                true,
		"5 mg Mon 1/2, Tue 1/4, Wed 1/2":     true,
		"seen " + strings.Repeat("Mon ", 50): false,
		"| Mon | 5 mg | Tue | 2.5 mg |":      false,
		"Onset Mon/Tue":                      false,
	} {
		day := "Mon"
		if strings.Contains(text, "Monday") {
			day = "Monday"
		}
		start := strings.Index(text, day)
		if got := maker(t, "en").inDayList(text, start, start+len(day)); got != want {
			t.Errorf("%q is a list of days: %v, want %v", text, got, want)
		}
	}
}
