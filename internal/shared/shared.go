// Package shared is for tests that compare with what the project cannot hold:
// corpora, recorded outputs of official scripts, a released model.
package shared

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Path is that of something in the folder that LETHE_SHARED names or, by default,
// in the folder shared beside the checkout. The test is skipped when there is no
// such thing.
func Path(t testing.TB, elem ...string) string {
	t.Helper()
	root := os.Getenv("LETHE_SHARED")
	if root == "" {
		root = filepath.Join(checkout(t), "..", "shared")
	}
	path := filepath.Join(root, filepath.Join(elem...))
	if _, err := os.Stat(path); err != nil {
		t.Skipf("no %s (set LETHE_SHARED): %v", path, err)
	}
	return path
}

// checkout is the folder of go.mod, above that of the test.
func checkout(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			t.Fatal("the test runs outside of a module")
		}
		dir = up
	}
}

// ReadJSON decodes a file.
func ReadJSON(t testing.TB, path string, into any) {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, into); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

// Numbers compares scores that were decoded from JSON with those of an official
// script, and returns the number of values compared; an array counts as one. Both
// must have the same keys. Keys that start with m are averages, which must agree to
// 1e-12, and all else exactly. Where the script prints nan, there must be null.
func Numbers(t testing.TB, path string, got, want any) int {
	t.Helper()
	switch want := want.(type) {
	case map[string]any:
		object, n := got.(map[string]any), 0
		if len(object) != len(want) {
			t.Errorf("%s: %d keys, want %d", path, len(object), len(want))
		}
		for key, w := range want {
			n += Numbers(t, path+"/"+key, object[key], w)
		}
		return n
	case []any:
		if got, ok := got.([]any); !ok || !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", path, got, want)
		}
	case float64:
		limit := 0.0
		if strings.HasPrefix(filepath.Base(path), "m") {
			limit = 1e-12
		}
		if got, ok := got.(float64); !ok || math.Abs(got-want) > limit {
			t.Errorf("%s: %v, want %v", path, got, want)
		}
	default:
		if got != want {
			t.Errorf("%s: %v, want %v", path, got, want)
		}
	}
	return 1
}
