package deid

import (
	"strings"
	"testing"

	"github.com/lethe-deid/lethe/data"
)

// Dates such as 9999-12-31 did not stay in lists: of one a part was found, another was taken for a number, and a third was in the span of another date.
func TestDatesWithoutEndInListsWereReplaced(t *testing.T) {
	for in, want := range map[string]string{
		"to 9999-«DATE|12-31», then":                                      "to 9999-12-31, then",
		"to «DATE|9999»-12-31, then":                                      "to 9999-12-31, then",
		"last «DATE|Tuesday, 9999-12-31».":                                "last [DATE], 9999-12-31.",
		"«DATE|9999-12-31, 0001-01-01, 12/31/9999, 5/6/2019»":             "9999-12-31, 0001-01-01, 12/31/9999, 2019",
		"«DATE|9999-12-31T00:00:00Z»":                                     "9999-12-31T00:00:00Z",
		"«MEDICALRECORD|9999-12-31.pdf» and «DATE|12/31/9999.pdf»":        "9999-12-31.pdf and 12/31/9999.pdf",
		"«MEDICALRECORD|9999-12-31, 4471829»":                             "9999-12-31, [MEDICALRECORD]",
		"MRN «MEDICALRECORD|99991231» or «MEDICALRECORD|9999-12-31-4471»": "MRN [MEDICALRECORD] or [MEDICALRECORD]",
		"«PATIENT|Oda 9999-12-31»":                                        "[PATIENT]",
	} {
		d := following(t)
		if got := clean(t, d, nil, in)[0]; got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
	many := strings.Repeat("9999-12-31, ", 40000)
	spans := []data.Span{{Start: 0, End: len(many), Type: "DATE", Score: 1}}
	if got := sentinelsApart(many, spans, func(string) data.Sort { return data.Date }); len(got) != 40000 {
		t.Errorf("%d spans", len(got))
	}
}
