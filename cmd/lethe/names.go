package main

import (
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/data/format"
)

// alternatives joins names for help texts: "a, b or c".
func alternatives(names []string) string {
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// annotated lists the formats that hold annotations for help texts.
func annotated() string {
	return alternatives(slices.DeleteFunc(format.Names(), func(name string) bool { return name == "text" }))
}
