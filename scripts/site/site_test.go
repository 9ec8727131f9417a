package main

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
)

const repository = "../.."

// built builds the site of this repository once, in a folder that TestMain removes.
var built = sync.OnceValues(func() (string, error) {
	program, err := buildProgram(repository, folder)
	if err != nil {
		return "", err
	}
	dir := filepath.Join(folder, "site")
	return dir, run(repository, program, dir)
})

var folder string

func TestMain(m *testing.M) {
	var err error
	if folder, err = os.MkdirTemp("", "site"); err != nil {
		panic(err)
	}
	code := m.Run()
	stopBrowser()
	_ = os.RemoveAll(folder)
	os.Exit(code)
}

// pagesOf returns the pages of the site of this repository by their paths. It fails if a link of the documentation leads
// nowhere, or if no page leads to another.
func pagesOf(t *testing.T) map[string]string {
	t.Helper()
	dir, err := built()
	if err != nil {
		t.Fatal(err)
	}
	pages := map[string]string{}
	err = filepath.WalkDir(dir, func(name string, e os.DirEntry, err error) error {
		if err != nil || filepath.Ext(name) != ".html" {
			return err
		}
		raw, err := os.ReadFile(name)
		rel, _ := filepath.Rel(dir, name)
		pages[filepath.ToSlash(rel)] = string(raw)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return pages
}

// Every link of every page leads to a file of the site, and to an id in it.
func TestLinksOfTheDocumentation(t *testing.T) {
	dir, err := built()
	if err != nil {
		t.Fatal(err)
	}
	pages := pagesOf(t)
	if len(pages) < 200 {
		t.Errorf("only %d pages", len(pages))
	}
	links := 0
	for name, page := range pages {
		for _, m := range regexp.MustCompile(`(?:href|src)="([^"]*)"`).FindAllStringSubmatch(page, -1) {
			if elsewhere.MatchString(m[1]) {
				continue
			}
			links++
			to, id, _ := strings.Cut(m[1], "#")
			target := path.Join(path.Dir(name), to)
			if to == "" {
				target = name
			}
			if _, err := os.Stat(filepath.Join(dir, filepath.FromSlash(target))); err != nil {
				t.Errorf("%s: %s leads nowhere", name, m[1])
			}
			if id != "" && !strings.Contains(pages[target], ` id="`+id+`"`) {
				t.Errorf("%s: %s has no heading #%s", name, target, id)
			}
		}
	}
	if links < 5000 {
		t.Errorf("only %d links", links)
	}
}

// Nothing is loaded from elsewhere, so that the site works without a network, and opening it tells nobody.
func TestNothingIsLoadedFromElsewhere(t *testing.T) {
	for name, page := range pagesOf(t) {
		for _, m := range regexp.MustCompile(`<(?:script|img|link|iframe|source|object|embed)[^>]*>`).FindAllString(page, -1) {
			if strings.Contains(m, "//") {
				t.Errorf("%s loads %s", name, m)
			}
		}
	}
	for _, name := range []string{"style.css", "site.js", "icon.svg"} {
		raw, err := static.ReadFile("static/" + name)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(strings.ReplaceAll(string(raw), "http://www.w3.org/2000/svg", ""), "http") || strings.Contains(string(raw), "@import") {
			t.Errorf("%s names another server", name)
		}
	}
}

// The reference has each command, flag, key and exported name.
func TestReferenceIsComplete(t *testing.T) {
	pages := pagesOf(t)
	for name, parts := range map[string][]string{
		"commands/index.html":         {"lethe deidentify", "lethe review sample", "exit", "some notes that could not be examined"},
		"commands/deidentify.html":    {`id="--min-recall"`, `id="--workers"`, "lethe deidentify --config job.yaml"},
		"commands/review-sample.html": {`id="--readers"`},
		"keys/index.html":             {"corpus.fold.number", "corpus.splits", "ablations[].without", "keeps all notes of a patient together"},
		"keys/ann.html":               {"network.token_lstm", "vocabulary.min_documents", "optimizer.learning_rate"},
		"packages/index.html":         {"deid/replace", "taggers/crf"},
		"packages/deid.html":          {`id="Deidentifier"`, "func (*Deidentifier) Notes", "Notes(ctx context.Context"},
	} {
		for _, part := range parts {
			if !strings.Contains(pages[name], part) {
				t.Errorf("%s lacks %s", name, part)
			}
		}
	}
}

func TestSlugsAreThoseOfGitHub(t *testing.T) {
	taken := map[string]int{}
	for _, c := range [][2]string{
		{"What is not promised", "what-is-not-promised"},
		{"HL7 v2: OBX-5 & NTE", "hl7-v2-obx-5--nte"},
		{"`lethe errors`", "lethe-errors"},
		{"Año_2 (ñ)", "año_2-ñ"},
		{"Time", "time"},
		{"Time", "time-1"},
		{"Time", "time-2"},
		{"Time 1", "time-1-1"},
	} {
		title := strings.ReplaceAll(c[0], "`", "")
		if got := unique(slug(title), taken); got != c[1] {
			t.Errorf("%q has the id %q, want %q", c[0], got, c[1])
		}
	}
}

// A site of a small repository: what it shows, and what is an error.
func TestSmallRepository(t *testing.T) {
	start := map[string]string{
		"docs/README.md": "# Pages\n\n## Start\n\n[a.md](a.md), [b](b.md#the-end), [all](more), [code](../run.sh), [top](../README.md)\n",
		"docs/a.md":      "---\nx: 1\n---\n# Apples\n\n| a | b |\n|---|---|\n| *x* | `y` |\n\n![chart](c.png)\n\n    lethe <x>\n",
		"docs/b.md":      "# Pears\n\n## The end\n\nSee [b](https://github.com/lethe-deid/lethe/blob/main/docs/a.md) and [the web](https://example.org/x.md).\n",
		"docs/c.png":     "\x89PNG",
		"docs/more/d.md": "# Plums\n\n[up](../b.md)\n",
		"README.md":      "# Fruit\n",
		"run.sh":         "echo `x`\n",
	}
	for _, c := range []struct{ name, file, text, want string }{
		{"as it is", "", "", ""},
		{"a page that does not exist", "docs/a.md", "# A\n[x](nowhere.md)\n", "docs/a.md: link nowhere.md: no such file or directory"},
		{"a heading that does not exist", "docs/a.md", "# A\n[x](b.md#begin)\n", "docs/a.md: link b.md#begin: docs/b.md has no heading #begin"},
		{"a heading on the page itself", "docs/a.md", "# A\n[x](#begin)\n", "docs/a.md: link #begin: docs/a.md has no heading #begin"},
		{"a page that nothing leads to", "docs/e.md", "# E\n", "docs/e.md: docs/README.md does not list this page"},
		{"a page as an image", "docs/a.md", "# A\n![x](b.md)\n", "docs/b.md is not an image"},
		{"HTML", "docs/a.md", "# A\n\n<table></table>\n", "docs/a.md: HTML in Markdown: <table></table>"},
		{"a page without a heading", "docs/a.md", "A\n", "docs/a.md: the page has no heading"},
		{"a file outside", "docs/a.md", "# A\n[x](../../x.md)\n", "it leaves the repository"},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := t.TempDir()
			files := map[string]string{c.file: c.text}
			for name, text := range start {
				if name != c.file {
					files[name] = text
				}
			}
			delete(files, "")
			for name, text := range files {
				to := filepath.Join(root, filepath.FromSlash(name))
				if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(to, []byte(text), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			s, err := newSite(root, nil)
			if c.want != "" {
				if err == nil || !strings.Contains(err.Error(), c.want) {
					t.Fatalf("error %v, want %s", err, c.want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			made, err := s.files()
			if err != nil {
				t.Fatal(err)
			}
			for name, part := range map[string]string{
				"index.html":      `<a href="a.html">Apples</a>, <a href="b.html#the-end">b</a>, <a href="more/index.html">all</a>, <a href="run.sh.html">code</a>`,
				"a.html":          `<td><em>x</em></td>`,
				"b.html":          `See <a href="a.html">b</a> and <a href="https://example.org/x.md">the web</a>`,
				"more/index.html": `<a href="d.html">Plums</a>`,
				"more/d.html":     `<a href="../b.html">up</a>`,
				"run.sh.html":     "echo `x`",
				"overview.html":   "<h1",
				"c.png":           "PNG",
				"static/index.js": `"Apples"`,
			} {
				if !strings.Contains(string(made[name]), part) {
					t.Errorf("%s lacks %s:\n%s", name, part, made[name])
				}
			}
			if strings.Contains(string(made["a.html"]), "x: 1") || !strings.Contains(string(made["a.html"]), "lethe &lt;x&gt;") {
				t.Errorf("a.html: %s", made["a.html"])
			}
		})
	}
}

// A folder with other files is not overwritten.
func TestOnlySitesAreReplaced(t *testing.T) {
	dir := t.TempDir()
	site := filepath.Join(dir, "site")
	for range 2 {
		if err := write(site, map[string][]byte{"a/b.html": []byte("x")}); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "mine"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := write(dir, map[string][]byte{"b.html": nil}); err == nil {
		t.Error("a folder with other files was overwritten")
	}
	if _, err := os.Stat(filepath.Join(dir, "mine")); err != nil {
		t.Error(err)
	}
}
