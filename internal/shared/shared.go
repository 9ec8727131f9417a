// Package shared supports tests that compare with data outside of the repository:
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

// Path returns the path of a file or folder inside the folder named by
// LETHE_SHARED or, by default, inside the folder shared next to the checkout. It
// skips the test if the path does not exist.
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

// checkout returns the folder with go.mod, at or above the folder of the test.
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

// ReadJSON decodes a JSON file. It fails the test on an error.
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

// Numbers compares scores decoded from JSON with those of an official script, and
// returns the number of values compared (an array, such as the counts of a
// document, counts as one). Both must have the same keys. Keys that start with m
// are averages and are compared to 1e-12, all others exactly. null represents the
// script's nan.
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
