package deid

import (
	"regexp"
	"slices"
	"testing"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid/replace"
)

// A date behind \r\n in letters went with the name before it, and stayed in part.
func TestLineEndsInLettersWereTakenForPartsOfNames(t *testing.T) {
	d := engine(t, replace.Plan{})
	d.Tagger = &allTagger{}
	date := regexp.MustCompile(`\b\d\d/\d\d/\d{4}`)
	d.Rules = func(text string) (spans []data.Span) {
		for _, m := range date.FindAllStringIndex(text, -1) {
			spans = append(spans, data.Span{Start: m[0], End: m[1], Type: "DATE", Score: 1})
		}
		return spans
	}
	for text, want := range map[string]string{
		`Oda\r\n05/01/2071 ok\n05/02/2071\nok\r\n`: `[PATIENT]\r\n[DATE] ok\n[DATE]\nok\r\n`,
		`Bob C:\notes WARD\n48291`:                 `[PATIENT] C:\notes WARD\n48291`,
		`Bob\nseen 05/01/2071\n2071-05-02\nDone`:   `[PATIENT]\nseen [DATE]\n2071-05-02\nDone`,
	} {
		if got := searched(t, d, Note{Document: &data.Document{Text: text}}); !slices.Equal(got, []string{want}) {
			t.Errorf("%q, want %q", got, want)
		}
	}
	n := read([]Note{{Document: &data.Document{Text: `Oda\r\nLund\nBob`}}})[0]
	spans := n.found([]data.Span{{Start: 0, End: 12, Type: "PATIENT"}})
	if n.Text != "Oda\nLund\nBob" || len(spans) != 3 || n.document().Text != `Oda\r\nLund\nBob` {
		t.Errorf("%q, %v", n.Text, spans)
	}
}
