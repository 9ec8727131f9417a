package bounded

import (
	"path/filepath"
	"testing"
	"testing/fstest"
)

// On Windows, filepath.Rel found no way from a model that comes with the program to its files, so the digest of the model was
// another one than elsewhere, and its operating points were not used.
func TestRelWithinTheProgram(t *testing.T) {
	before := builtin
	builtin = fstest.MapFS{}
	defer func() { builtin = before }()
	dir := t.TempDir()
	for _, c := range []struct{ dir, path, want string }{
		{Builtin("en"), Builtin("en/members/first/labels.json"), "members/first/labels.json"},
		{Builtin("en"), filepath.Join(Builtin("en"), "members"), "members"},
		{Builtin("en"), Builtin("en"), "."},
		{Builtin("."), Builtin("en"), "en"},
		{dir, filepath.Join(dir, "a", "b"), "a/b"},
	} {
		if got, err := Rel(c.dir, c.path); err != nil || filepath.ToSlash(got) != c.want {
			t.Errorf("Rel(%q, %q) = %q, %v, want %q", c.dir, c.path, got, err, c.want)
		}
	}
}
