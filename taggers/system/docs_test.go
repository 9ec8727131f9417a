package system

import (
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lethe-deid/lethe/internal/strictyaml"
	"github.com/lethe-deid/lethe/taggers"
	"github.com/lethe-deid/lethe/taggers/crf"
	"github.com/lethe-deid/lethe/taggers/crf/feature"
)

// The example in docs/systems.md is valid and drawn as on the page. The page names all
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

// The documentation gave defaults that were no longer those of the code, and left out
// keys. The section of each kind in docs/systems.md has a table with a row for each of
// its settings, with the default in the second column.
func TestTheTablesDisagreedWithTheDefaults(t *testing.T) {
	raw, err := os.ReadFile("../../docs/systems.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range taggers.Kinds() {
		_, section, _ := strings.Cut(string(raw), "\n## "+kind+"\n")
		section, _, _ = strings.Cut(section, "\n## ")
		_, table, ok := strings.Cut(section, "\n| key | default | |\n|---|---|---|\n")
		if !ok {
			t.Errorf("%s has no table of settings", kind)
		}
		table, _, _ = strings.Cut(table, "\n\n")
		documented := map[string]string{}
		for row := range strings.Lines(table) {
			cells := strings.Split(row, "|")
			for key := range strings.SplitSeq(cells[1], ",") {
				documented[strings.Trim(key, " `")] = strings.TrimSpace(cells[2])
			}
		}
		want := map[string]string{}
		addDefaults(want, "", reflect.ValueOf(taggers.New(kind)).Elem())
		if diff := cmp.Diff(want, documented); diff != "" {
			t.Errorf("%s: defaults: -code +docs/systems.md\n%s", kind, diff)
		}
	}
}

// The table on the page about models of Hugging Face has the same keys and defaults.
func TestHuggingFacePageHasTheDefaults(t *testing.T) {
	page, err := os.ReadFile("../../docs/hf.md")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{}
	addDefaults(want, "", reflect.ValueOf(taggers.New("hf")).Elem())
	for key, value := range want {
		if row := strings.ReplaceAll(fmt.Sprintf("| `%s` | %s |", key, value), "|  |", "| |"); !strings.Contains(string(page), "\n"+row) {
			t.Errorf("the page lacks the row %s", row)
		}
	}
}

// addDefaults adds the values of a struct's settings by key. Maps, systems and lists are
// empty by default, except for lists that can be written as a single value.
func addDefaults(to map[string]string, prefix string, v reflect.Value) {
	for i := range v.NumField() {
		key, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("yaml"), ",")
		field := v.Field(i)
		if _, series := field.Interface().(strictyaml.Series); series {
			to[prefix+key] = fmt.Sprint(field.Interface())
			continue
		}
		switch field.Kind() {
		case reflect.Struct:
			addDefaults(to, prefix+key+".", field)
		case reflect.Slice, reflect.Map:
			to[prefix+key] = ""
		default:
			to[prefix+key] = fmt.Sprint(field.Interface())
		}
	}
}

// families returns the names in the table of families.
func families(page string) (names []string) {
	_, table, _ := strings.Cut(page, "| family | values |\n|---|---|\n")
	table, _, _ = strings.Cut(table, "\n\n")
	for line := range strings.Lines(table) {
		names = append(names, strings.Split(line, "`")[1])
	}
	return names
}
