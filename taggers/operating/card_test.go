package operating

import (
	"strings"
	"testing"
)

// A calibration on two notes gave a table without a warning.
func TestTooFewNotesToCalibrate(t *testing.T) {
	points := []Point{{}, {Target: 0.98}, {Target: 0.99}, {Target: 0.999}}
	for tokens, want := range map[int]string{60: "a recall of 0.98 or more", 300: "a recall of 0.99 or more", 600: "a recall of 0.999 or more", 13105: ""} {
		got := (&Curve{Documents: 2, Tokens: tokens, Points: points}).TooFew()
		if want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%d tokens: %q", tokens, got)
		}
	}
}
