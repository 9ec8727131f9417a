package surrogate

import (
	"strings"
	"testing"

	"github.com/lethe-deid/lethe/internal/matching"
)

// The cheap tests never exclude what the expressions match.
func TestCheapTestsExcludeNothing(t *testing.T) {
	for name, lang := range map[string]*profile{"en": &english, "es": &spanish} {
		for i, schedule := range lang.schedules {
			for _, text := range matching.Texts(t, schedule.Regexp, 300) {
				if !schedule.mayMatch(strings.ToLower(text)) {
					t.Fatalf("%s: schedule %d may match %q", name, i, text)
				}
			}
		}
	}
	for _, text := range matching.Texts(t, birthLabel, 3000) {
		if !mayBeBirth(text) {
			t.Fatalf("%q may be before a date of birth", text)
		}
	}
}
