package system

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"

	"github.com/lethe-deid/lethe/internal/bounded"
)

// A model that has lost a member, a rule or an entry of a list would find less PHI
// without any error. So systemFile contains the SHA-256 of each of the node's files,
// and ends with a line that contains its own. Nodes below check their files themselves.

const digestKey = "sha256: "

func withDigest(raw []byte) []byte {
	sum := sha256.Sum256(raw)
	return fmt.Appendf(raw, "%s%x\n", digestKey, sum)
}

func checkDigest(raw []byte) error {
	if at := bytes.LastIndex(raw, []byte("\n"+digestKey)) + 1; at == 0 || !bytes.Equal(raw, withDigest(slices.Clone(raw[:at]))) {
		return errors.New("its last line is not the SHA-256 of the other lines: truncated or edited")
	}
	return nil
}

// digests returns the SHA-256 of the files in a folder and below it, by their paths. It
// skips the model card, which people may edit.
func digests(dir string) (map[string]string, error) {
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		switch {
		case err != nil || name == systemFile || name == cardFile:
			return err
		case entry.IsDir() && (name == membersFolder || name == trainedFolder):
			return fs.SkipDir
		case !entry.IsDir():
			all[filepath.ToSlash(name)], err = digest(path)
		}
		return err
	})
	return all, err
}

func digest(path string) (string, error) {
	f, err := bounded.OpenInput(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

func checkFiles(dir string, files map[string]string) error {
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if !filepath.IsLocal(filepath.FromSlash(name)) {
			return fmt.Errorf("%s: files: %s lies outside of the folder", filepath.Join(dir, systemFile), name)
		}
		path := filepath.Join(dir, filepath.FromSlash(name))
		sum, err := digest(path)
		if err != nil {
			return err
		}
		if sum != files[name] {
			return fmt.Errorf("%s: SHA-256 differs from the one in %s: damaged or edited", path, systemFile)
		}
	}
	return nil
}
