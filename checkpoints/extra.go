package checkpoints

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/internal/bounded"
)

// extraDigests returns the metadata with the digest of each file that Model.Extra wrote.
func extraDigests(dir string) (map[string]string, error) {
	all := map[string]string{}
	for _, name := range extraFiles {
		err := filepath.WalkDir(filepath.Join(dir, name), func(path string, entry fs.DirEntry, err error) error {
			switch {
			case errors.Is(err, fs.ErrNotExist) && entry == nil: // there is no such extra
				return nil
			case err != nil || entry.IsDir():
				return err
			}
			file, err := bounded.Rel(dir, path)
			if err != nil {
				return err
			}
			all[digestOf(filepath.ToSlash(file))], err = fileDigest(path)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// checkExtra verifies the files that Model.Extra wrote, and removes their digests from
// the metadata.
func checkExtra(dir string, metadata map[string]string) error {
	for _, key := range slices.Sorted(maps.Keys(metadata)) {
		name, ok := strings.CutPrefix(key, digestOf(""))
		if !ok {
			continue
		}
		if first, _, _ := strings.Cut(name, "/"); !slices.Contains(extraFiles, first) || !filepath.IsLocal(filepath.FromSlash(name)) {
			return defect(filepath.Join(dir, WeightsFile), fmt.Errorf("%s of %q, which is not a file of a model folder", digestKey, name))
		}
		path := filepath.Join(dir, filepath.FromSlash(name))
		found, err := fileDigest(path)
		if err != nil {
			return err
		}
		if found != metadata[key] {
			return mismatch(path)
		}
		delete(metadata, key)
	}
	return nil
}

// mismatch is the error of a file whose digest is not the one in the weights' header.
func mismatch(path string) error {
	return defect(path, fmt.Errorf("does not match the %s in %s: damaged, edited, or from another model", digestKey, WeightsFile))
}

func fileDigest(path string) (string, error) {
	f, err := bounded.OpenInput(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return sum(h), nil
}
