package unseen

import (
	"slices"
	"strings"
	"testing"
)

// found lists the marked spans as TYPE=text.
func found(t *testing.T, query string) []string {
	t.Helper()
	doc, err := document(7, query, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	if doc == nil {
		return nil
	}
	if doc.ID != "7" || doc.Patient != "7" {
		t.Errorf("query %q of patient %q", doc.ID, doc.Patient)
	}
	spans := []string{}
	for _, s := range doc.Spans {
		spans = append(spans, s.Type+"="+doc.Text[s.Start:s.End])
	}
	return spans
}

func TestDocument(t *testing.T) {
	for name, test := range map[string]struct {
		query string
		want  []string // nil: the query is left out
	}{
		"in the order of the text": {
			"\nSaw Zora Q. on May 3?\n" + tagsMark + "\n" + `{"identifier_type": "DATE", "value": "May 3"}` + "\n\n" + `{"identifier_type": "NAME", "value": "Zora Q."}` + "\n\n",
			[]string{"NAME=Zora Q.", "DATE=May 3"},
		},
		"a value that is also a part of another": {
			"MRN QX-17 at QX?" + tagsMark + `{"identifier_type": "PLACE", "value": "QX"}` + "\n" + `{"identifier_type": "MRN", "value": "QX-17"}`,
			[]string{"MRN=QX-17", "PLACE=QX"},
		},
		"a typographic apostrophe": {
			"At St. Ixby’s" + tagsMark + `{"identifier_type": "PLACE", "value": "St. Ixby's"}`,
			[]string{"PLACE=St. Ixby’s"},
		},
		"a value that occurs twice, in a query that lists it twice": {
			"Ixby, née Ixby" + tagsMark + strings.Repeat(`{"identifier_type": "NAME", "value": "Ixby"}`+"\n", 2),
			[]string{"NAME=Ixby", "NAME=Ixby"},
		},
		"no PHI":                    {"What is the dose?" + tagsMark + "\n", []string{}},
		"a value that is not there": {"Saw Zora" + tagsMark + `{"identifier_type": "NAME", "value": "Ixby"}`, nil},
		"the end of the text":       {"Saw Zor" + tagsMark + `{"identifier_type": "NAME", "value": "Zora"}`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			if got := found(t, test.query); !slices.Equal(got, test.want) || (got == nil) != (test.want == nil) {
				t.Errorf("%q, not %q", got, test.want)
			}
		})
	}
}

func TestDocumentRefuses(t *testing.T) {
	for name, query := range map[string]string{
		"no tags":      "Saw Zora",
		"no JSON":      "Saw Zora" + tagsMark + "Zora",
		"another key":  "Saw Zora" + tagsMark + `{"identifier_type": "NAME", "text": "Zora"}`,
		"a wrong type": "Saw Zora" + tagsMark + `{"identifier_type": 1, "value": "Zora"}`,
	} {
		if _, err := document(1, query, func(string) {}); err == nil {
			t.Errorf("%s: no error", name)
		} else if strings.Contains(err.Error(), "Zora") {
			t.Errorf("%s: the error shows a value: %v", name, err)
		}
	}
}
