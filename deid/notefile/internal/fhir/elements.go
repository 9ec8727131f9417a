package fhir

import (
	_ "embed"
	"io/fs"
	"strings"
	"sync"

	"github.com/lethe-deid/lethe/internal/archived"
)

// The program contains elements.txt as an archive, which is a fraction of its size. TestArchive makes it.
//
//go:embed elements.zip.br
var archive []byte

// elements contains facts about the elements of FHIR that the names and values of a record do not show. Names and paths are in lower
// case; a path begins with the type of the resource, or with a type of elements such as Signature.
type elements struct {
	codes, sometimes   map[string]bool // names of elements that are codes: always, or in some places
	instants, required map[string]bool // paths
	dates              map[string]bool // names and paths of elements that are dates or instants and never numbers
}

var allElements = sync.OnceValue(func() *elements {
	text, err := fs.ReadFile(archived.Open(archive), "elements.txt")
	if err != nil {
		panic(err) // the file is embedded
	}
	e := &elements{map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]bool{}}
	sections := map[string]map[string]bool{"[codes]": e.codes, "[sometimes]": e.sometimes, "[instants]": e.instants, "[required]": e.required, "[dates]": e.dates}
	var section map[string]bool
	for line := range strings.Lines(string(text)) {
		line = strings.ToLower(strings.TrimSpace(line))
		if line == "" || line[0] == '#' {
			continue
		}
		if next, ok := sections[line]; ok {
			section = next
			continue
		}
		kind, names, isPath := strings.Cut(line, ": ")
		if !isPath {
			kind, names = "", line
		}
		for _, name := range strings.Fields(names) {
			if isPath {
				name = kind + "." + name
			}
			section[name] = true
		}
	}
	return e
})

// isDate reports whether an element, given by its key and its path, is a date or an instant and cannot be a number.
func (e *elements) isDate(key, path string) bool {
	return e.dates[path] || e.dates[key] && !strings.HasPrefix(path, "molecularsequence.")
}

// typesOfElements are the types of elements, in lower case, with paths of their own in the facts, and the ends of the paths of their elements. These have
// names that end with the type, as in valueSignature, or names of their own.
var typesOfElements = []struct{ end, typ string }{
	{"signature", "signature"}, {"meta", "meta"}, {"usecontext", "usagecontext"}, {"usagecontext", "usagecontext"}, {"annotation", "annotation"}, {".note", "annotation"},
	{".dispenserinstruction", "annotation"}, {".progress", "annotation"}, {".text", "narrative"}, {"sampleddata", "sampleddata"},
	{"relatedartifact", "relatedartifact"}, {".relatesto", "relatedartifact"}, {"expression", "expression"}, {".condition", "expression"},
	{".criteria", "expression"}, {".trigger", "triggerdefinition"}, {"pricecomponent", "monetarycomponent"}, {".contributor", "contributor"},
	{".datarequirement", "datarequirement"}, {".data", "datarequirement"}, {".input", "datarequirement"},
	{".output", "datarequirement"}, {".parameter", "parameterdefinition"}, {".documentation", "relatedartifact"}, {".marketingstatus", "marketingstatus"}, {".shelflifestorage", "productshelflife"},
}

// has reports whether a set of paths contains a path. A path within an element of a type, such as provenance.signature.when, is also found
// by that type, and an element of several types, such as valueDate, by its name without the type, value[x].
func (e *elements) has(paths map[string]bool, path string) bool {
	if paths[path] {
		return true
	}
	last := strings.LastIndexByte(path, '.')
	if last < 0 {
		return false
	}
	above, name := path[:last], path[last+1:]
	for end := last + 2; end < len(path); end++ {
		if paths[path[:end]+"[x]"] {
			return true
		}
	}
	if name == "valueinstant" {
		return paths["extension.valueinstant"]
	}
	for _, t := range typesOfElements {
		if strings.HasSuffix(above, t.end) && len(above) > len(t.end) && e.has(paths, t.typ+"."+name) {
			return true
		}
	}
	return false
}
