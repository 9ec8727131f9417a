package tokenize

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// docs/tokenizers.md names all tokenizers and splitters, and its example is right.
func TestPage(t *testing.T) {
	raw, err := os.ReadFile("../../docs/tokenizers.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(raw)
	head := regexp.MustCompile("(?m)^\\| name \\| a token is \\| `(.*)` becomes \\|$").FindStringSubmatch(page)
	if head == nil {
		t.Fatal("the table has no example")
	}
	for _, name := range Names() {
		tokenizer, err := Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		var tokens []string
		for _, token := range tokenizer.Tokens(head[1], nil) {
			tokens = append(tokens, head[1][token.Start:token.End])
		}
		row := regexp.MustCompile("(?m)^\\| `" + name + "` \\|.*\\| (.*) \\|$").FindStringSubmatch(page)
		if want := strings.Join(tokens, " · "); row == nil || row[1] != want {
			t.Errorf("%s: the page has %q, not %s", name, row, want)
		}
	}
	for _, name := range SplitterNames() {
		if !strings.Contains(page, "\n| `"+name+"` |") {
			t.Errorf("the page lacks the splitter %s", name)
		}
	}
}
