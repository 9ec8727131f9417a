package lazyregexp

import (
	"regexp"
	"testing"

	"github.com/lethe-deid/lethe/internal/matching"
)

var expressions = []string{
	`(\pL)(\d+)`, `^[0-9]{1,2}/[0-9]{1,2}$`, `^(?:[ \t]{1,4}|, )$`, `(?i)\b(?:seen|visit(?:ed)?|d/?c)\b.{0,9}$`, `(?i)^(?:k|s)x+$`, `^a|b$`, `^(?:a|^bc)d`, `(?:a$|bc$)`, `[^a-z]`, `[^\x00-\x7f]é?$`,
	`(?s)^.\n.$`, `(?m)^a$`, `a*`, `^$`, `(?:x{0,2}y)+$`, `(?:){2}z$`, `\bq\Bu`, `^(?:a?b?)c?`, `[ſK]`, `^[·•]? ?[1-9]\)`,
}

// No text that an expression matches lacks what the expression needs.
func TestMatchesHaveWhatTheyNeed(t *testing.T) {
	for _, expression := range expressions {
		n := needsOf(expression)
		for _, text := range matching.Texts(t, regexp.MustCompile(expression), 300) {
			if !met(n, text) || !met(n, []byte(text)) {
				t.Errorf("%s matches %q", expression, text)
			}
		}
	}
}

func FuzzMatchesHaveWhatTheyNeed(f *testing.F) {
	for i := range expressions {
		f.Add(uint8(i), "seen on 3/4, k\u212a \xff\n")
	}
	f.Fuzz(func(t *testing.T, i uint8, text string) {
		expression := expressions[int(i)%len(expressions)]
		if regexp.MustCompile(expression).MatchString(text) && !met(needsOf(expression), text) {
			t.Errorf("%s matches %q", expression, text)
		}
	})
}

// Texts that cannot match are told without the expression.
func TestTextsThatLackWhatIsNeeded(t *testing.T) {
	for expression, texts := range map[string][]string{
		`(\pL)(\d+)`:              {"", "no number"},
		`^(?:[ \t]{1,4}|, )$`:     {"", "a ", " a"},
		`(?i)\b(?:jan|feb)\b`:     {"mop", "3/4"},
		`(?i)^(?:left|right)`:     {"3 left", "oh"},
		`(?:pdf|docx?)$`:          {"pdfs", ""},
		`[^0-9]\.[0-9]{2}:[0-9]?`: {"12.30", "a:"},
	} {
		for _, text := range texts {
			if met(needsOf(expression), text) {
				t.Errorf("%s may match %q", expression, text)
			}
		}
	}
}
