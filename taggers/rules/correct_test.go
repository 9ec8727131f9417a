package rules

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lethe-deid/lethe/data"
)

const corrections = `
corrections:
- {name: whole, action: grow, 'on': [H, E], find: '{capitalized}(?: {capitalized}){0,5} Hospital', match: ['at «Barney Convalescent Hospital»'], not: [Hospital]}
- {name: labs, action: remove, 'on': [DATE], find: '[0-9.]+(?:/[0-9.]+){3,9}', match: ['«140/4.0/107/25.7/32/1»'], not: [1/2/2016]}
- {name: lasts, action: cut, 'on': [S], find: '(?:since )?[0-9]{1,2} weeks', match: ['Elm Street «since 2 weeks»'], not: [Elm Street 2]}
- {name: fax, action: retype, 'on': [PHONE], type: FAX, before: '[Ff]ax:? ?', find: '[0-9]{3}-[0-9]{4}', match: ['Fax: «555-1234»'], not: ['Tel: 555-1234']}
`

// The first and the second example are from Dehghan et al. 2015, section 2 III.
func TestCorrect(t *testing.T) {
	set := mustParse(t, corrections)
	for name, x := range map[string]struct {
		text       string // the spans of the other tagger, with types by order
		types      []string
		want       string
		wantTypes  []string
		wantScores []float64
	}{
		"grows to the cue":             {"at «Barney» Convalescent Hospital.", []string{"H"}, "at «Barney Convalescent Hospital».", []string{"H"}, nil},
		"grows to the left":            {"at Barney Convalescent «Hospital».", []string{"H"}, "at «Barney Convalescent Hospital».", []string{"H"}, nil},
		"two become one":               {"at «Barney» Convalescent «Hospital».", []string{"H", "H"}, "at «Barney Convalescent Hospital».", []string{"H"}, []float64{0.9}},
		"takes in what reaches out":    {"«at Barney» Convalescent Hospital.", []string{"H"}, "«at Barney Convalescent Hospital».", []string{"H"}, nil},
		"not over another type":        {"at «Barney» «Convalescent» Hospital.", []string{"H", "D"}, "at «Barney» «Convalescent» Hospital.", []string{"H", "D"}, nil},
		"not back over another type":   {"at «Barney» Convalescent «Hospital».", []string{"D", "H"}, "at «Barney» Convalescent «Hospital».", []string{"D", "H"}, nil},
		"the first of two types grows": {"at «Barney» Convalescent «Hospital».", []string{"H", "E"}, "at «Barney» Convalescent «Hospital».", []string{"H", "E"}, nil},
		"another type is left alone":   {"at «Barney» Convalescent Hospital.", []string{"D"}, "at «Barney» Convalescent Hospital.", []string{"D"}, nil},
		"no match, no change":          {"at «Barney» clinic.", []string{"H"}, "at «Barney» clinic.", []string{"H"}, nil},
		"removes":                      {"labs 140/«4.0/107/25»/32/1 on «1/2/2016»", []string{"DATE", "DATE"}, "labs 140/4.0/107/25/32/1 on «1/2/2016»", []string{"DATE"}, nil},
		"retypes":                      {"Fax: «555-1234», tel: «555-1235»", []string{"PHONE", "PHONE"}, "Fax: «555-1234», tel: «555-1235»", []string{"FAX", "PHONE"}, nil},
		"cuts the end":                 {"on «Elm Street since 2 weeks».", []string{"S"}, "on «Elm Street» since 2 weeks.", []string{"S"}, nil},
		"cuts the middle":              {"«Elm Street since 2 weeks, 3B».", []string{"S"}, "«Elm Street» since 2 weeks, «3B».", []string{"S", "S"}, []float64{0.9, 0.9}},
		"cuts twice":                   {"«2 weeks Elm 3 weeks» and 4 weeks", []string{"S"}, "2 weeks «Elm» 3 weeks and 4 weeks", []string{"S"}, nil},
		"cuts all words":               {"«, 2 weeks.» after", []string{"S"}, ", 2 weeks. after", nil, nil},
		"cuts more than the span":      {"since «2 weeks»", []string{"S"}, "since 2 weeks", nil, nil},
		"cuts no other type":           {"«Elm Street since 2 weeks».", []string{"D"}, "«Elm Street since 2 weeks».", []string{"D"}, nil},
		"nothing":                      {"Fax: 555-1234", nil, "Fax: 555-1234", nil, nil},
	} {
		text, spans, err := unmark(x.text)
		if err != nil {
			t.Fatal(err)
		}
		for i := range spans {
			spans[i].Type, spans[i].Score = x.types[i], 0.9-float64(i)/10
		}
		before := append([]data.Span(nil), spans...)
		got := set.Correct(text, spans)
		if diff := cmp.Diff(before, spans); diff != "" {
			t.Errorf("%s: the argument changed: %s", name, diff)
		}
		var types []string
		for i, s := range got {
			types = append(types, s.Type)
			if x.wantScores != nil && s.Score != x.wantScores[i] {
				t.Errorf("%s: score %v, want %v", name, s.Score, x.wantScores[i])
			}
		}
		shown := text
		if len(got) > 0 {
			shown = unquote(marked(text, got))
		}
		if shown != x.want || !cmp.Equal(types, x.wantTypes) {
			t.Errorf("%s:\n got %s %v\nwant %s %v", name, shown, types, x.want, x.wantTypes)
		}
	}
}

func unquote(s string) string { return s[1 : len(s)-1] }
