package models

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/lethe-deid/lethe/internal/bounded"
	"github.com/lethe-deid/lethe/taggers/operating"
)

// Files that do not change what a model finds: the state serves training alone, and the card is for people.
const (
	stateFile = "state.safetensors"
	cardFile  = "README.md"
)

// Digest identifies the model: the SHA-256 of the names and contents of its files, and of its operating
// points, as "sha256:" and hexadecimal digits.
func (m *Model) Digest() (string, error) { return digest(m.Dir, stateFile, cardFile) }

// measured identifies the model that operating points were measured on: the Digest without them.
func measured(dir string) (string, error) {
	return digest(dir, stateFile, cardFile, operating.File)
}

// digest leaves out files with some names.
func digest(dir string, except ...string) (string, error) {
	all := sha256.New()
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || slices.Contains(except, entry.Name()) {
			return err
		}
		f, err := bounded.OpenInput(path)
		if err != nil {
			return err
		}
		defer f.Close()
		one := sha256.New()
		if _, err := io.Copy(one, f); err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		fmt.Fprintf(all, "%s %x\n", filepath.ToSlash(name), one.Sum(nil))
		return err
	})
	return "sha256:" + hex.EncodeToString(all.Sum(nil)), err
}
