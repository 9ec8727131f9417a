package models

import (
	"path/filepath"
	"testing"

	"github.com/lethe-deid/lethe/checkpoints"
)

// The digest of a model that comes with the program is that of its folder, also if the digests of its files are known already.
func TestBuiltinDigest(t *testing.T) {
	for range 2 {
		for _, name := range checkpoints.Builtin() {
			want, err := (&Model{Dir: filepath.Join("..", "checkpoints", name)}).Digest()
			if err != nil {
				t.Fatal(err)
			}
			if got, err := BuiltinDigest(name); err != nil || got != want {
				t.Errorf("%s: %s, want %s, error %v", name, got, want, err)
			}
		}
	}
}

// The operating points of a model that comes with the program are read without comparing their digest, so they must belong to it.
func TestBuiltinOperatingPoints(t *testing.T) {
	for _, name := range checkpoints.Builtin() {
		if _, err := OperatingPoints(filepath.Join("..", "checkpoints", name)); err != nil {
			t.Error(err)
		}
	}
}

// The weights of a model that comes with the program are read without comparing their digest, so they must be intact.
func TestBuiltinWeights(t *testing.T) {
	for _, name := range checkpoints.Builtin() {
		if _, err := Open(filepath.Join("..", "checkpoints", name), 1); err != nil {
			t.Error(err)
		}
	}
}
