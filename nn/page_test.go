package nn_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// The blocks of Go in docs/toolkit.md are parts of example_test.go, and the errors that it quotes are
// in the outputs there.
func TestToolkitPage(t *testing.T) {
	page, err := os.ReadFile("../docs/toolkit.md")
	if err != nil {
		t.Fatal(err)
	}
	code, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```go\n(.*?)```").FindAllStringSubmatch(string(page), -1)
	if len(blocks) < 10 {
		t.Errorf("only %d blocks", len(blocks))
	}
	for _, b := range blocks {
		if !strings.Contains(string(code), "\n"+b[1]) {
			t.Errorf("not in example_test.go:\n%s", b[1])
		}
	}
	errors := regexp.MustCompile("(?m)^\\| .* \\| `(.*)` \\|$").FindAllStringSubmatch(string(page), -1)
	if len(errors) < 5 {
		t.Errorf("only %d errors", len(errors))
	}
	for _, e := range errors {
		if !strings.Contains(string(code), "\t// "+e[1]+"\n") {
			t.Errorf("not an output of example_test.go: %s", e[1])
		}
	}
}
