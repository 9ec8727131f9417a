package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"reflect"
	"strings"

	"github.com/lethe-deid/lethe/experiments"
	"github.com/lethe-deid/lethe/internal/strictyaml"
	"github.com/lethe-deid/lethe/taggers"
)

const (
	keyFolder = "docs/keys"
	keyIndex  = keyFolder + "/README.md"
)

// keyReader describes the keys of configurations by the structs that they are decoded into.
type keyReader struct {
	root     string
	packages map[string]map[string]structDoc // by package and name
}

// structDoc is a struct and the comment above it.
type structDoc struct {
	*ast.StructType
	about string
}

// keyPages returns a page for the keys of an experiment, and one for each kind of system.
func keyPages(root string) (map[string]string, error) {
	r := &keyReader{root: root, packages: map[string]map[string]structDoc{}}
	pages := map[string]string{}
	var b strings.Builder
	b.WriteString("# Keys of a configuration\n\nThese are all keys of an experiment, with the comments of the structs that they are decoded into. " +
		"[Experiments](../experiments.md) explains how to write one, and [Systems](../systems.md) how systems are combined. " +
		"In the comments, a name such as MinDocuments is the key min_documents. An unknown key is an error.\n\nThe keys below `system` depend on its kind:\n\n")
	for _, kind := range taggers.Kinds() {
		fmt.Fprintf(&b, "- [%s](%s.md)\n", kind, kind)
		var page strings.Builder
		fmt.Fprintf(&page, "# Keys of system %s\n\n[Systems](../systems.md) explains what it does. These are its keys, below `%s`.\n\n", kind, kind)
		if err := r.describe(&page, "", reflect.ValueOf(taggers.New(kind)).Elem()); err != nil {
			return nil, err
		}
		pages[keyFolder+"/"+kind+".md"] = page.String()
	}
	b.WriteByte('\n')
	err := r.describe(&b, "", reflect.ValueOf(experiments.Config{}))
	pages[keyIndex] = b.String()
	return pages, err
}

// describe writes a table of the keys of a struct, and then one for each struct below it.
func (r *keyReader) describe(b *strings.Builder, prefix string, v reflect.Value) error {
	title := "Keys"
	if prefix != "" {
		title = "`" + strings.TrimSuffix(prefix, ".") + "`"
	}
	s, err := r.find(v.Type())
	if err != nil {
		return err
	}
	fmt.Fprintf(b, "## %s\n\n%s\n\n| key | |\n|---|---|\n", title, plain(s.about))
	var below strings.Builder
	for _, f := range reflect.VisibleFields(v.Type()) {
		key, options, tagged := strings.Cut(f.Tag.Get("yaml"), ",")
		if !f.IsExported() || key == "-" || len(f.Index) > 1 || key == "" && !tagged {
			continue
		}
		if strings.Contains(options, "inline") && f.Type.Kind() == reflect.Struct {
			if err := r.describe(&below, prefix, v.FieldByIndex(f.Index)); err != nil {
				return err
			}
			continue
		}
		inner, repeated := f.Type, ""
		switch inner.Kind() {
		case reflect.Slice:
			inner, repeated = inner.Elem(), "[]"
		case reflect.Pointer:
			inner = inner.Elem()
		}
		about := cell(s.comment(f.Name))
		_, series := reflect.Zero(f.Type).Interface().(strictyaml.Series)
		if inner.Kind() == reflect.Struct && !series && hasKeys(inner) && inner != reflect.TypeFor[taggers.System]() {
			if err := r.describe(&below, prefix+key+repeated+".", reflect.New(inner).Elem()); err != nil {
				return err
			}
			about = strings.TrimSpace(about + fmt.Sprintf(" [its keys](#%s)", slug(prefix+key+repeated)))
		}
		fmt.Fprintf(b, "| `%s` | %s |\n", prefix+key, about)
	}
	b.WriteString("\n" + below.String())
	return nil
}

// hasKeys reports whether a struct is decoded from a mapping.
func hasKeys(t reflect.Type) bool {
	for _, f := range reflect.VisibleFields(t) {
		if f.IsExported() && f.Tag.Get("yaml") != "" {
			return true
		}
	}
	return false
}

// find returns the source of a struct.
func (r *keyReader) find(t reflect.Type) (structDoc, error) {
	dir := strings.TrimPrefix(t.PkgPath(), module+"/")
	structs, ok := r.packages[dir]
	if !ok {
		structs = map[string]structDoc{}
		r.packages[dir] = structs
		files, err := parseFiles(token.NewFileSet(), r.root, dir)
		if err != nil {
			return structDoc{}, err
		}
		for _, f := range files {
			for _, d := range f.Decls {
				d, ok := d.(*ast.GenDecl)
				if !ok {
					continue
				}
				for _, spec := range d.Specs {
					if spec, ok := spec.(*ast.TypeSpec); ok {
						if s, ok := spec.Type.(*ast.StructType); ok {
							structs[spec.Name.Name] = structDoc{s, d.Doc.Text() + spec.Doc.Text()}
						}
					}
				}
			}
		}
	}
	s, ok := structs[t.Name()]
	if !ok {
		return s, fmt.Errorf("%s: there is no struct %s", dir, t.Name())
	}
	return s, nil
}

// comment returns the comment of a field, above it or behind it.
func (s structDoc) comment(field string) string {
	for _, f := range s.Fields.List {
		for _, name := range f.Names {
			if name.Name == field {
				return f.Doc.Text() + " " + f.Comment.Text()
			}
		}
	}
	return ""
}
