package deid

import (
	"context"
	"strings"
	"testing"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid/replace"
)

// Of Spring- at the end of a line and field on the next one, field stayed, and of Octo- and ber both parts were strange to every tagger.
func TestTheRestOfAWordDividedAtALineEndStayed(t *testing.T) {
	for written, want := range map[string]string{
		"in Spring-\nfield with":       "in Springfield with",
		"in Spring- \r\n  field with":  "in Springfield with",
		"in SPRING-\nFIELD with":       "in SPRINGFIELD with",
		"in Pocatel-\nlo today":        "in Pocatello today",
		"in Cork-\ntown, Green-\nwood": "in Corktown, Greenwood",
		"on Tues-\nday":                "on Tuesday",
		"on Octo-\nber 4th":            "on October 4th",
		"el 4 de octu-\nbre":           "el 4 de octubre",
		"el miér-\ncoles":              "el miércoles",
		"en Zara-\ngoza":               "en Zaragoza",
		"Kowal-\nczyk agreed":          "Kowalczyk agreed",
		"by Dr. Vega-\nthe plan":       "by Dr. Vega-\nthe plan",
		"Dr. Xyzzyn-\nhas seen":        "Dr. Xyzzyn-\nhas seen",
		"a Left-\nside weakness":       "a Left-\nside weakness",
		"Well-\nknown patient":         "Well-\nknown patient",
		"the ex-\nhusband called":      "the ex-\nhusband called",
		"Spring-\nField":               "Spring-\nField",
		"Spring-\n\nfield":             "Spring-\n\nfield",
		"Plan -\nfield":                "Plan -\nfield",
		"B12-\nfield":                  "B12-\nfield",
		"Spring-\nfield9":              "Spring-\nfield9",
		"X-\nray, -\nray-\n":           "X-\nray, -\nray-\n",
	} {
		if got, _, _ := reading(written); got != want {
			t.Errorf("%q: %q, want %q", written, got, want)
		}
	}
	checkClean(t, map[string]string{
		"in «CITY|Spring»-\nfield with": "in [CITY] with",
		"on «DATE|Tues»-\nday, seen":    "on [DATE], seen",
		"Mr. «PATIENT|Green»-\nfield":   "Mr. [PATIENT]",
	})
}

// A tagger that finds a part of a word only where it is divided is asked for both.
func TestDividedWordsAreExaminedInBothForms(t *testing.T) {
	for _, finds := range []string{"Philadelphia", "Phila-"} {
		d := &Deidentifier{Replacer: replacer(t, replace.Plan{}), Tagger: onlyTown(finds)}
		r := d.Notes(t.Context(), []Note{{Document: &data.Document{ID: "a", Text: "in Phila-\ndelphia, ok"}}})[0]
		if r.Err != nil || r.Clean.Text != "in [CITY], ok" {
			t.Errorf("%s: error %v", finds, r.Err)
		}
	}
}

// onlyTown is a tagger that finds one town.
type onlyTown string

func (town onlyTown) Tag(_ context.Context, docs []*data.Document) ([][]data.Span, error) {
	all := make([][]data.Span, len(docs))
	for i, doc := range docs {
		if at := strings.Index(doc.Text, string(town)); at >= 0 {
			all[i] = []data.Span{{Start: at, End: at + len(town), Type: "CITY", Score: 1}}
		}
	}
	return all, nil
}
