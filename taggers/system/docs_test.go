package system

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lethe-deid/lethe/internal/strictyaml"
	"github.com/lethe-deid/lethe/taggers"
	"github.com/lethe-deid/lethe/taggers/crf"
	"github.com/lethe-deid/lethe/taggers/crf/feature"
)

// The example of docs/systems.md is valid and drawn as it says, and the page names all
// families and presets.
func TestDocumentation(t *testing.T) {
	raw, err := os.ReadFile("../../docs/systems.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(raw)
	_, rest, _ := strings.Cut(page, "```yaml\n")
	example, rest, _ := strings.Cut(rest, "```\n")
	_, rest, _ = strings.Cut(rest, "```\n")
	drawn, _, ok := strings.Cut(rest, "```\n")
	if !ok {
		t.Fatal("no example is shown")
	}
	c := taggers.System{}
	if err := strictyaml.Decode("docs/systems.md", []byte(example), &c); err != nil {
		t.Fatal(err)
	}
	if err := c.Validate(typeSet(t)); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff(drawn, c.Tree()); diff != "" {
		t.Errorf("-drawn +tree\n%s", diff)
	}
	for name, about := range feature.Families() {
		if !strings.Contains(page, "| `"+name+"` | "+about+" |\n") {
			t.Errorf("the page lacks the line\n| `%s` | %s |", name, about)
		}
	}
	for _, name := range crf.Presets() {
		if last := name[strings.LastIndex(name, "-")+1:]; !strings.Contains(page, last+"`") {
			t.Errorf("preset %s is not there", name)
		}
	}
	if !slices.IsSorted(families(page)) {
		t.Error("the families are not sorted")
	}
}

// families are the names in the table of families.
func families(page string) (names []string) {
	_, table, _ := strings.Cut(page, "| family | values |\n|---|---|\n")
	table, _, _ = strings.Cut(table, "\n\n")
	for line := range strings.Lines(table) {
		names = append(names, strings.Split(line, "`")[1])
	}
	return names
}
