package main

import (
	"reflect"
	"strings"
	"testing"

	"github.com/lethe-deid/lethe/deid/job"
)

// TestPathsOfTheConfigurationFile checks that the paths of all options that may be files are relative to the
// configuration file.
func TestPathsOfTheConfigurationFile(t *testing.T) {
	flags := newDeidentify().Flags()
	config := reflect.TypeFor[job.Config]()
	names := []string{"model", "output", "audit", "summary", "map", "map-recipient", "key-file", "surrogates"}
	for i := range config.NumField() {
		if name, kind, _ := strings.Cut(config.Field(i).Tag.Get("option"), ","); kind == "file" {
			names = append(names, name)
		}
	}
	for _, name := range names {
		if f := flags.Lookup(name); f == nil || !isPath(f) {
			t.Errorf("--%s may be a path, but the help does not show it as a FILE, DIR or PATH", name)
		}
	}
	for _, name := range []string{"column", "include", "policy"} {
		if f := flags.Lookup(name); isPath(f) && !isName(f, "safe-harbor") {
			t.Errorf("--%s is a path", name)
		}
	}
}
