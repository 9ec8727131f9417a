package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/lethe-deid/lethe/data"
)

// docs/types.md shows each built-in set as it is, all sorts, and an example that is valid.
func TestTypeSetsWereWrittenNowhere(t *testing.T) {
	raw, err := os.ReadFile("../../docs/types.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(raw)
	mark := map[bool]string{true: "yes"}
	for _, set := range data.TypeSets() {
		if len(set.Types) == 0 {
			continue
		}
		table := "### " + set.Name + "\n\n| type | category | sort | HIPAA | clinician |\n|---|---|---|---|---|\n"
		for _, typ := range set.Types {
			table += fmt.Sprintf("| `%s` | %s | %s | %s | %s |\n", typ.Name, typ.Category, typ.Sort, mark[typ.HIPAA], mark[typ.Clinician])
		}
		if !strings.Contains(page+"\n", table+"\n") {
			t.Errorf("the page should contain\n%s", table)
		}
	}
	for _, sort := range data.Sorts() {
		if !strings.Contains(page, "`"+string(sort)+"`") {
			t.Errorf("the page lacks the sort %s", sort)
		}
	}
	_, rest, _ := strings.Cut(page, "```yaml\n")
	example, _, _ := strings.Cut(rest, "```")
	path := t.TempDir() + "/ward.yaml"
	if err := os.WriteFile(path, []byte(example), 0o666); err != nil {
		t.Fatal(err)
	}
	if set, err := data.OpenTypeSet(path); err != nil || len(set.Types) != 5 {
		t.Errorf("the example: %+v, %v", set, err)
	}
}
