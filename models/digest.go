package models

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"sync"

	"github.com/lethe-deid/lethe/checkpoints"
	"github.com/lethe-deid/lethe/internal/bounded"
	"github.com/lethe-deid/lethe/taggers/operating"
)

// These files do not affect the spans that a model finds: the state is for resuming training, and the card is for people.
const (
	stateFile = "state.safetensors"
)

// Digest identifies the model together with its operating points: "sha256:" and 64 hexadecimal digits, computed from the
// names and contents of all files in its folder that affect the spans it finds.
func (m *Model) Digest() (string, error) { return digest(m.Dir, stateFile, checkpoints.CardFile) }

// BuiltinDigest returns the Digest of a model that comes with the program, without opening it.
func BuiltinDigest(name string) (string, error) {
	return (&Model{Dir: bounded.Builtin(name)}).Digest()
}

// measured returns the digest of a model without its operating points. The operating points contain this digest, so that a
// change of the model is noticed.
func measured(dir string) (string, error) {
	return digest(dir, stateFile, checkpoints.CardFile, operating.File)
}

// digest returns the digest of all files in a folder and its subfolders, except those with the given names.
func digest(dir string, except ...string) (string, error) {
	all := sha256.New()
	err := bounded.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || slices.Contains(except, entry.Name()) {
			return err
		}
		one, err := fileDigest(path)
		if err != nil {
			return err
		}
		name, err := bounded.Rel(dir, path)
		fmt.Fprintf(all, "%s %x\n", filepath.ToSlash(name), one)
		return err
	})
	return "sha256:" + hex.EncodeToString(all.Sum(nil)), err
}

// builtinDigests has the digests of files that come with the program, by path. These cannot change, and at the start of a run
// several digests are needed.
var builtinDigests sync.Map

func fileDigest(path string) ([]byte, error) {
	if known, ok := builtinDigests.Load(path); ok {
		return known.([]byte), nil
	}
	f, err := bounded.OpenInput(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return nil, err
	}
	sum := h.Sum(nil)
	if bounded.IsBuiltin(path) {
		builtinDigests.Store(path, sum)
	}
	return sum, nil
}
