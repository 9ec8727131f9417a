package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/doc"
	"go/doc/comment"
	"go/format"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

const (
	module        = "github.com/lethe-deid/lethe"
	packageFolder = "docs/packages"
	packageIndex  = packageFolder + "/README.md"
)

// packageDirs lists the packages that other programs can import, by folder.
func packageDirs(root string) ([]string, error) {
	var dirs []string
	err := fs.WalkDir(os.DirFS(root), ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || !e.IsDir() {
			return err
		}
		switch base := path.Base(name); {
		case base == "internal" || base == "testdata" || base == "examples" || name == "scripts" || name == "cmd" || name == "docs" || base != "." && strings.HasPrefix(base, "."):
			return fs.SkipDir
		}
		sources, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(name), "*.go"))
		if slices.ContainsFunc(sources, func(s string) bool { return !strings.HasSuffix(s, "_test.go") }) {
			dirs = append(dirs, name)
		}
		return err
	})
	return dirs, err
}

// parseFiles reads the files of a package. A declaration that differs between processors is taken from the first file.
func parseFiles(set *token.FileSet, root, dir string) ([]*ast.File, error) {
	sources, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(dir), "*.go"))
	if err != nil {
		return nil, err
	}
	var files []*ast.File
	for _, name := range sources {
		f, err := parser.ParseFile(set, name, nil, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		if f.Name.Name != "main" {
			files = append(files, f)
		}
	}
	return files, nil
}

// packagePages returns a page for each package, and a list of all in which those that docs/go.md names come first.
func packagePages(root string) (map[string]string, error) {
	guide, err := os.ReadFile(filepath.Join(root, "docs", "go.md"))
	if err != nil {
		return nil, err
	}
	dirs, err := packageDirs(root)
	if err != nil {
		return nil, err
	}
	pages := map[string]string{}
	var first, others strings.Builder
	for _, dir := range dirs {
		set := token.NewFileSet()
		files, err := parseFiles(set, root, dir)
		if err != nil {
			return nil, err
		}
		if len(files) == 0 {
			continue // a program
		}
		p, err := doc.NewFromFiles(set, files, path.Join(module, dir))
		if err != nil {
			return nil, err
		}
		name := packageFile(dir)
		pages[packageFolder+"/"+name] = (&packagePage{Package: p, set: set, dirs: dirs}).text(dir)
		list := &others
		if bytes.Contains(guide, []byte("`"+dir+"`")) {
			list = &first
		}
		fmt.Fprintf(list, "| [%s](%s) | %s |\n", dir, name, cell(p.Synopsis(p.Doc)))
	}
	pages[packageIndex] = "# Go packages\n\nThe import path of a package is `" + module + "/`, followed by its name in these tables. " +
		"[Lethe from Go](../go.md) shows how to use them, and says what is stable.\n\n## Start here\n\n| package | |\n|---|---|\n" + first.String() +
		"\n## The others\n\n| package | |\n|---|---|\n" + others.String()
	return pages, nil
}

func packageFile(dir string) string { return strings.ReplaceAll(dir, "/", "-") + ".md" }

// packagePage writes the page of a package.
type packagePage struct {
	*doc.Package
	set  *token.FileSet
	dirs []string
	strings.Builder
}

func (p *packagePage) text(dir string) string {
	fmt.Fprintf(p, "# Package %s\n\n```go\nimport %q\n```\n\n", dir, path.Join(module, dir))
	p.comment(p.Doc)
	p.values("Constants", "constants", p.Consts)
	p.values("Variables", "variables", p.Vars)
	p.functions(p.Funcs)
	for _, t := range p.Types {
		fmt.Fprintf(p, "## type %s {#%s}\n\n", t.Name, t.Name)
		p.code(t.Decl)
		p.comment(t.Doc)
		for _, values := range [][]*doc.Value{t.Consts, t.Vars} {
			for _, v := range values {
				p.code(v.Decl)
				p.comment(v.Doc)
			}
		}
		p.functions(t.Funcs)
		for _, m := range t.Methods {
			fmt.Fprintf(p, "### func (%s) %s {#%s.%s}\n\n", m.Recv, m.Name, t.Name, m.Name)
			p.code(m.Decl)
			p.comment(m.Doc)
		}
	}
	return p.String()
}

func (p *packagePage) values(title, id string, values []*doc.Value) {
	if len(values) == 0 {
		return
	}
	fmt.Fprintf(p, "## %s {#%s}\n\n", title, id)
	for _, v := range values {
		p.code(v.Decl)
		p.comment(v.Doc)
	}
}

func (p *packagePage) functions(functions []*doc.Func) {
	for _, f := range functions {
		fmt.Fprintf(p, "## func %s {#%s}\n\n", f.Name, f.Name)
		p.code(f.Decl)
		p.comment(f.Doc)
	}
}

// code writes a declaration.
func (p *packagePage) code(decl ast.Decl) {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		short := *d
		short.Body, short.Doc = nil, nil
		decl = &short
	case *ast.GenDecl:
		short := *d
		short.Doc = nil
		decl = &short
	}
	var b bytes.Buffer
	if err := format.Node(&b, p.set, decl); err != nil {
		fmt.Fprint(&b, err) // go/format prints every declaration that go/parser has read
	}
	fmt.Fprintf(p, "```go\n%s\n```\n\n", b.String())
}

var escaped = regexp.MustCompile(`(?m)^(#+ .*?) \{#[^}]*\}$`)

// comment writes a doc comment.
func (p *packagePage) comment(s string) {
	printer := p.Printer()
	printer.HeadingLevel = 3
	printer.DocLinkURL = func(link *comment.DocLink) string {
		id := ""
		if link.Recv != "" {
			id = "#" + link.Recv // the type has its methods and fields below it
		} else if link.Name != "" {
			id = "#" + link.Name
		}
		dir, ours := strings.CutPrefix(link.ImportPath, module+"/")
		switch {
		case link.ImportPath == "":
			return id
		case ours && slices.Contains(p.dirs, dir):
			return packageFile(dir) + id
		}
		return "https://pkg.go.dev/" + link.ImportPath + id
	}
	text := printer.Markdown(p.Parser().Parse(s))
	p.Write(escaped.ReplaceAll(text, []byte("$1"))) // a heading gets the id that all pages give it
	p.WriteByte('\n')
}
