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
	runPage(t, "../../docs/tutorial.md", 10, nil,
		"exists compared/table.tex compared/tables/scores-strict.csv report.html report-plots/categories-strict.pdf cv/crf/table.md")
}

// TestHuggingFacePage runs all commands of docs/hf.md with a small model.
func TestHuggingFacePage(t *testing.T) {
	runPage(t, "../../docs/hf.md", 13, func(dir string) error {
		return os.CopyFS(filepath.Join(dir, "model"), os.DirFS(bert))
	}, "exists clean runs/student/silver.jsonl")
}

// bert is the folder of a small model of transformers: see scripts/peers/huggingface/tiny.py.
const bert = "../../taggers/hf/testdata/bert"

// runPage runs all commands of a page in their order, with its configurations, and then a check. The page must have this
// many commands.
func runPage(t *testing.T, path string, least int, setup func(dir string) error, check string) {
	page := string(read(t, path))
	var script, files strings.Builder
	files.WriteString(pageFiles(page))
	commands := regexp.MustCompile(`(?m)^    (lethe .*)$`).FindAllStringSubmatch(page, -1)
	for _, m := range commands {
		script.WriteString("exec " + m[1] + "\n")
	}
	script.WriteString(check + "\n")
	if len(commands) < least {
		t.Fatalf("the page has only %d commands", len(commands))
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "page.txtar"), []byte(script.String()+files.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{Dir: dir, Setup: func(env *testscript.Env) error {
		if setup == nil {
			return nil
		}
		return setup(env.WorkDir)
	}})
}

// pageFiles returns the configurations in a page, each with its name in the first line, as the files of a script.
func pageFiles(page string) string {
	var files strings.Builder
	for _, m := range regexp.MustCompile("(?s)```yaml\n# ([a-z]+\\.yaml)\n(.*?)```").FindAllStringSubmatch(page, -1) {
		files.WriteString("-- " + m[1] + " --\n" + m[2])
	}
	return files.String()
}
