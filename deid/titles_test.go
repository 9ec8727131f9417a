package deid

import (
	"testing"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid/replace"
)

// "Seen by Dr. Vega" became "Seen by [DOCTOR] [DOCTOR]".
func TestATitleWasTakenForAnotherName(t *testing.T) {
	for noted, want := range map[string]string{
		"by «DOCTOR|Dr.» «DOCTOR|Vega» at":                           "by Dr. [DOCTOR] at",
		"by «DOCTOR|Dr.» «PATIENT|Vega»":                             "by Dr. [PATIENT]",
		"by Dr. «DOCTOR|Vega»":                                       "by Dr. [DOCTOR]",
		"by «DOCTOR|Dr.» Vega":                                       "by [DOCTOR] Vega",
		"«DOCTOR|DR» / «DOCTOR|MS»":                                  "[DOCTOR] / [DOCTOR]",
		"«DOCTOR|Drummond» «DOCTOR|Vega»":                            "[DOCTOR] [DOCTOR]",
		"«DOCTOR|Dr» «HOSPITAL|Vega Clinic»":                         "[DOCTOR] [HOSPITAL]",
		"«DOCTOR|Dr.» «DATE|03/04» with «DOCTOR|Mr» \n«DOCTOR|Vega»": "[DOCTOR] [DATE] with [DOCTOR] \n[DOCTOR]",
	} {
		text, spans := marked(t, noted)
		d := &Deidentifier{Replacer: replacer(t, replace.Plan{})}
		results := d.Notes(t.Context(), []Note{{Document: &data.Document{ID: "a", Text: text, Spans: spans}}})
		if results[0].Err != nil || results[0].Clean.Text != want {
			t.Errorf("%q became %q, want %q, error %v", noted, results[0].Clean.Text, want, results[0].Err)
		}
	}
}
