package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestTutorial runs all commands of docs/tutorial.md in their order, with the configurations of the page.
func TestTutorial(t *testing.T) {
	page := string(read(t, "../../docs/tutorial.md"))
	var script, files strings.Builder
	for _, m := range regexp.MustCompile("(?s)```yaml\n# ([a-z]+\\.yaml)\n(.*?)```").FindAllStringSubmatch(page, -1) {
		files.WriteString("-- " + m[1] + " --\n" + m[2])
	}
	commands := regexp.MustCompile(`(?m)^    (lethe .*)$`).FindAllStringSubmatch(page, -1)
	for _, m := range commands {
		script.WriteString("exec " + m[1] + "\n")
	}
	script.WriteString("exists compared/table.tex compared/tables/scores-strict.csv report.html runs/crf/plots/categories-strict.pdf cv/crf/table.md\n")
	if len(commands) < 10 {
		t.Fatalf("the page has only %d commands", len(commands))
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "tutorial.txtar"), []byte(script.String()+files.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{Dir: dir})
}
