package experiments

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/lethe-deid/lethe/checkpoints"
	"github.com/lethe-deid/lethe/internal/bounded"
	"github.com/lethe-deid/lethe/taggers/operating"
)

// What decides nothing: the state is of use to training alone, and the card is for people.
const (
	stateFile = "state.safetensors"
	cardFile  = "README.md"
)

// Digest names what Open would read from a folder: the SHA-256 of the names and contents
// of a model's files, and of its operating points, as "sha256:" and hexadecimal digits.
func Digest(dir string) (string, error) {
	if exists(filepath.Join(dir, modelFolder)) {
		dir = bestModel(dir)
	}
	return digest(dir, stateFile, cardFile)
}

// bestModel is where the best model of a run folder stands.
func bestModel(run string) string {
	return checkpoints.Locate(filepath.Join(run, modelFolder, bestFolder))
}

// measured names the model that operating points are of: Digest without them.
func measured(model string) (string, error) {
	return digest(model, stateFile, cardFile, operating.File)
}

// digest leaves out files of some names.
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
