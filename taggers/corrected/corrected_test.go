package corrected

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/taggers/rules"
)

// TestRulesWithoutCorrectionsWereIgnored checks that a tagger that could correct nothing is an error, and so is a tagger of rules that could find nothing.
func TestRulesWithoutCorrectionsWereIgnored(t *testing.T) {
	types := &data.TypeSet{Name: "test", Types: []data.Type{{Name: "AGE"}, {Name: "DATE"}}}
	write := func(name, content string) string {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	only := write("rules.yaml", "rules:\n- name: year\n  type: DATE\n  find: '20\\d\\d'\n  match: ['«2023»']\n  not: ['1999']\n")
	corrections := write("corrections.yaml", "corrections:\n- name: dose\n  on: [AGE]\n  action: remove\n  find: '\\d+ mg'\n  match: ['«5 mg»']\n  not: ['5 ml']\n")
	for _, c := range []struct {
		check func(*data.TypeSet, int) error
		want  string
	}{
		{Config{Rules: rules.Config{File: only}}.Check, "rules: there are no corrections"},
		{Config{Rules: rules.Config{File: corrections}}.Check, ""},
		{rules.Config{File: only}.Check, ""},
		{rules.Config{File: corrections}.Check, "has no rules"},
	} {
		switch err := c.check(types, 1); {
		case c.want == "" && err != nil:
			t.Error(err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("error %v, want %s", err, c.want)
		}
	}
}
