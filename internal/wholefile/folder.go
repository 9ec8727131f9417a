package wholefile

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
)

// Folder is a folder that does not have its final name yet.
type Folder struct {
	Path    string // its hidden path
	final   string
	settled bool // renamed or removed
}

// CreateFolder creates a folder next to its final path, under a hidden name. perm are its permissions before the umask.
func CreateFolder(path string, perm fs.FileMode) (*Folder, error) {
	path = filepath.Clean(path)
	if err := os.MkdirAll(filepath.Dir(path), perm); err != nil {
		return nil, err
	}
	for attempt := 0; ; attempt++ {
		hidden := HiddenPrefix(path) + strconv.FormatInt(rand.Int64(), 10)
		err := os.Mkdir(hidden, perm)
		if err == nil {
			return &Folder{Path: hidden, final: path}, nil
		}
		if !errors.Is(err, fs.ErrExist) || attempt == 1000 {
			return nil, err
		}
	}
}

// Publish renames the folder to its final name. An empty folder with that name is replaced.
func (f *Folder) Publish() error {
	if err := os.Remove(f.final); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.Rename(f.Path, f.final); err != nil {
		return err
	}
	f.settled = true
	return nil
}

// Discard removes the folder and its content. It does nothing after Publish.
func (f *Folder) Discard() error {
	if f.settled {
		return nil
	}
	f.settled = true
	return os.RemoveAll(f.Path)
}
