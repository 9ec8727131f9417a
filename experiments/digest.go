package experiments

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// stateFile is of use to training alone.
const stateFile = "state.safetensors"

// Digest names what Open would read from a folder: the SHA-256 of the names and contents
// of a model's files, as "sha256:" and hexadecimal digits.
func Digest(dir string) (string, error) {
	if exists(filepath.Join(dir, modelFolder)) {
		dir = filepath.Join(dir, modelFolder, bestFolder)
	}
	all := sha256.New()
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || entry.Name() == stateFile {
			return err
		}
		f, err := os.Open(path)
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
