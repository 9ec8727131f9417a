package experiments

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// The documentation did not list the keys of a corpus. docs/experiments.md names each of them, and
// its example is valid.
func TestKeysWereWrittenNowhere(t *testing.T) {
	raw, err := os.ReadFile("../docs/experiments.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(raw)
	row := func(key string) string {
		_, after, ok := strings.Cut(page, "\n| `"+key+"` | ")
		if !ok {
			t.Errorf("the page has no row for %s", key)
		}
		line, _, _ := strings.Cut(after, "\n")
		return line
	}
	for key, part := range keys(reflect.ValueOf(Corpus{})) {
		line := row(key)
		if part.Kind() == reflect.Struct {
			for below := range keys(part) {
				if !strings.Contains(line, "`"+below+"`") {
					t.Errorf("the row of %s lacks %s", key, below)
				}
			}
		}
	}
	_, besides, _ := strings.Cut(page, "Besides `corpus`")
	besides, _, _ = strings.Cut("`corpus`"+besides, "\n\n")
	for key := range keys(reflect.ValueOf(Config{})) {
		if key != "" && !strings.Contains(besides, "`"+key+"`") {
			t.Errorf("the page does not name the key %s of an experiment", key)
		}
	}
	if line := row("clean.patients"); !strings.Contains(line, fmt.Sprintf("`clean: {patients: %d}`", cleanPatients)) {
		t.Error("the page has another number of patients for clean: true")
	}
	_, rest, _ := strings.Cut(page, "```yaml\n")
	example, _, ok := strings.Cut(rest, "```\n")
	if !ok {
		t.Fatal("no example is shown")
	}
	t.Setenv("NOTES", t.TempDir())
	path := filepath.Join(t.TempDir(), "ward.yaml")
	if err := os.WriteFile(path, []byte(example), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(path, nil); err != nil {
		t.Error(err)
	}
}

// keys returns the keys of a struct and their values.
func keys(v reflect.Value) map[string]reflect.Value {
	m := map[string]reflect.Value{}
	for i := range v.NumField() {
		name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("yaml"), ",")
		m[name] = v.Field(i)
	}
	return m
}
