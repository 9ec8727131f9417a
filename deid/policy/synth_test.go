package policy

import (
	"regexp"
	"strings"
	"testing"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/synth"
	"github.com/lethe-deid/lethe/deid/replace"
)

// TestSafeHarborOnGeneratedNotes checks every replacement in generated notes of patients with several notes each: what may stay has the form that
// Safe Harbor allows, and everything else is the tag.
func TestSafeHarborOnGeneratedNotes(t *testing.T) {
	notes := map[string][]*data.Document{}
	for d, err := range synth.Notes(300, 5, synth.Dev) {
		if err != nil {
			t.Fatal(err)
		}
		notes[d.Group()] = append(notes[d.Group()], d)
	}
	r := replacer(t, SafeHarbor, synth.TypeSet, replace.Tag)
	allowed := map[data.Sort]*regexp.Regexp{
		data.Date:    regexp.MustCompile(strings.ReplaceAll(`^(?i)(?:[0-9]{4}s?|'?[0-9]0'?s)(?:(?: ?[-/,] ?| to | and )[0-9]{4}s?)*$|^(?:DAYs?(?:(?:[-/]|, | and |, and )DAYs?)*|MWF|TTS|T/Th/Sat|M/W/F)$`, "DAY", `(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)(?:s|nes|rs|ur)?(?:day)?`)), // or days of the week in a schedule
		data.Age:     regexp.MustCompile(`(?i)^(?:90\+|[1-8]?[0-9]|(?:twen|thir|for|fif|six|seven|eigh)ty(?:[- ][a-z]+)?|[a-z]+teen)(?:s|'s)?$`),
		data.Zip:     regexp.MustCompile(`^[0-9]{3}$`),
		data.State:   regexp.MustCompile(`^[A-Za-z. ]+$`),
		data.Country: regexp.MustCompile(`^[A-Za-z. ]+$`),
	}
	kept := 0
	for group, docs := range notes {
		patient := r.Patient(group, docs)
		for _, d := range docs {
			clean, changes, err := patient.Replace(d, d.Spans)
			if err != nil {
				t.Fatal(err)
			}
			before, after := 0, 0
			for _, c := range changes {
				made := clean.Text[c.New.Start:c.New.End]
				if d.Text[before:c.Old.Start] != clean.Text[after:c.New.Start] {
					t.Fatal("text outside of the spans has changed")
				}
				before, after = c.Old.End, c.New.End
				if made == "["+c.Old.Type+"]" {
					continue
				}
				kept++
				sort := r.SortOf(c.Old.Type)
				if allowed[sort] == nil || !allowed[sort].MatchString(made) {
					t.Errorf("%s: %q becomes %q", c.Old.Type, d.Text[c.Old.Start:c.Old.End], made)
				}
			}
		}
	}
	if kept < 1000 {
		t.Errorf("only %d values are kept or shortened", kept)
	}
}
