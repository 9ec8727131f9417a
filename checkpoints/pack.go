package checkpoints

import (
	"errors"
	"io"
	"io/fs"
	"path/filepath"

	"github.com/lethe-deid/lethe/internal/bounded"
	"github.com/lethe-deid/lethe/internal/wholefile"
)

// IsModel reports whether a folder contains a model of this package.
func IsModel(dir string) bool {
	return bounded.Exists(filepath.Join(dir, WeightsFile))
}

// Pack copies a model folder, with the numbers as float16, after change has changed the model.
// to must not exist, or be a model folder, which is then replaced.
func Pack(to, from string, change func(*Model) error) error {
	m, err := Load(from)
	if err != nil {
		return err
	}
	if err := change(m); err != nil {
		return err
	}
	m.Half = true
	m.Extra = func(dir string) error {
		for _, name := range extraFiles {
			if err := copyAll(filepath.Join(dir, name), filepath.Join(Locate(from), name)); err != nil {
				return err
			}
		}
		return nil
	}
	return Save(to, m)
}

// copyAll copies a file, or a folder and everything below it. If it does not exist, there is
// nothing to copy.
func copyAll(to, from string) error {
	return bounded.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case entry == nil && errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil || entry.IsDir():
			return err
		}
		name, err := bounded.Rel(from, path)
		if err != nil {
			return err
		}
		return CopyFile(filepath.Join(to, name), path)
	})
}

// CopyFile copies a file of a model and creates the folders of the copy. If it fails, no partial file remains. to and from
// may be the same file.
func CopyFile(to, from string) error {
	in, err := bounded.OpenInput(from)
	if err != nil {
		return err
	}
	defer in.Close()
	return wholefile.Write(to, 0o666, func(w io.Writer) error {
		_, err := io.Copy(w, in)
		return err
	})
}
