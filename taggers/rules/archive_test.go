package rules

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/lethe-deid/lethe/internal/archived/archivetest"
	"github.com/lethe-deid/lethe/internal/strictyaml"
)

// Of the sets of the safety net, the archive has what Net reads.
func TestArchive(t *testing.T) {
	want := archivetest.Files(t, os.DirFS("."), "sets")
	for name, raw := range want {
		if !strings.HasPrefix(name, "sets/net/") {
			continue
		}
		delete(want, name)
		want[strings.TrimSuffix(name, ".yaml")+".json"] = withoutExamples(t, name, raw)
	}
	archivetest.CheckFiles(t, "sets.zip.br", want)
}

// withoutExamples returns a rule file as JSON, without the examples of its rules.
func withoutExamples(t *testing.T, path, raw string) string {
	t.Helper()
	var content file
	if err := strictyaml.Decode(path, []byte(raw), &content); err != nil {
		t.Fatal(err)
	}
	for i := range content.Rules {
		content.Rules[i].Match, content.Rules[i].Not = nil, nil
	}
	for i := range content.Corrections {
		content.Corrections[i].Match, content.Corrections[i].Not = nil, nil
	}
	short, err := json.Marshal(content)
	if err != nil {
		t.Fatal(err)
	}
	return string(short)
}
