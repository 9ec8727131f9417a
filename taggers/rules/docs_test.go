package rules

import (
	"os"
	"strings"
	"testing"
)

// Parse accepts the file in docs/rules.md, and the file does what the page says.
func TestDocumentedFile(t *testing.T) {
	raw, err := os.ReadFile("../../docs/rules.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(raw), "```yaml\n")
	file, _, ok := strings.Cut(rest, "```\n")
	if !ok {
		t.Fatal("no file is shown")
	}
	set, err := Parse("docs/rules.md", []byte(file))
	if err != nil {
		t.Fatal(err)
	}
	text := "62 Angora Dr, fax: 555-555-1234 or 555-555-1235"
	if got, want := marked(text, set.Spans(text)), `"«62 Angora Dr», fax: «555-555-1234» or «555-555-1235»"`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	text = "labs 140/4.0/107/25.7/32/1"
	spans := mustParse(t, one("find: '4.0/107'; match: ['«4.0/107»']; not: [x]")).Spans(text)
	spans[0].Type = "DATE"
	if got := set.Correct(text, spans); len(got) != 0 {
		t.Errorf("%d spans, want none", len(got))
	}
}
