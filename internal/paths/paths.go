// Package paths checks where output may be written: apart from the input, and
// never over anything that exists.
package paths

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// RunRecord is the name of the file in which a run that removes PHI keeps in its output folder what it has done.
const RunRecord = ".lethe-run"

// ErrNotEmpty is the error of MustBeNew for a folder that is not empty.
var ErrNotEmpty = errors.New("the folder is not empty")

// MustBeNew returns an error if a path is a file or a folder that is not empty.
// It protects the input, and the output of other commands, from being
// overwritten.
func MustBeNew(path string) error {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Lstat(path); err == nil {
			return fmt.Errorf("%s: is a broken link", path)
		}
		return nil
	} else if err != nil {
		return err
	}
	if !info.IsDir() {
		return fmt.Errorf("%s: already exists", path)
	}
	entries, err := os.ReadDir(path)
	if err == nil && len(entries) > 0 {
		err = fmt.Errorf("%s: %w", path, ErrNotEmpty)
	}
	return err
}

// IsFolder reports whether an output path denotes a folder: it is one, it ends
// with a separator, or it has no extension.
func IsFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir() || strings.HasSuffix(path, "/") || strings.HasSuffix(path, string(filepath.Separator)) || !hasExtension(path)
}

func hasExtension(path string) bool {
	ext := filepath.Ext(path)
	return len(ext) > 1 && ext != filepath.Base(path) // ".x" is a hidden folder
}

// Resolve returns the absolute path without symbolic links. The last parts of the
// path need not exist.
func Resolve(path string) (string, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	rest := ""
	for dir := absolute; ; dir = filepath.Dir(dir) {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			return filepath.Join(real, rest), nil
		}
		if dir == filepath.Dir(dir) {
			return absolute, nil
		}
		rest = filepath.Join(filepath.Base(dir), rest)
	}
}

// Contains reports whether a path is the file or folder outer, or is inside it.
// Both paths must be resolved. It compares files, not names, because some file
// systems have several names for the same file.
func Contains(outer, path string) bool {
	folder, err := os.Stat(outer)
	if err != nil {
		return false
	}
	for {
		if info, err := os.Stat(path); err == nil && os.SameFile(folder, info) {
			return true
		}
		if path == filepath.Dir(path) {
			return false
		}
		path = filepath.Dir(path)
	}
}

// Apart returns an error if the output is the input, contains it or is inside it.
func Apart(input, output string) error {
	in, err := Resolve(input)
	if err != nil {
		return err
	}
	out, err := Resolve(output)
	if err != nil {
		return err
	}
	switch {
	case Contains(in, out) && Contains(out, in):
		return fmt.Errorf("%s: is the input", output)
	case Contains(in, out):
		return fmt.Errorf("%s: is inside the input folder", output)
	case Contains(out, in):
		return fmt.Errorf("%s: contains the input", output)
	}
	return nil
}

// FoldsCase reports whether the file system of a path, which need not exist,
// treats names that differ only in case as the same name.
func FoldsCase(path string) bool {
	path, err := Resolve(path)
	if err != nil {
		return false
	}
	for {
		if info, err := os.Stat(path); err == nil {
			for _, other := range []string{strings.ToUpper(path), strings.ToLower(path)} {
				if again, err := os.Stat(other); other != path && err == nil && os.SameFile(info, again) {
					return true
				}
			}
			return false
		}
		if path == filepath.Dir(path) {
			return false
		}
		path = filepath.Dir(path)
	}
}

// Some returns the first names of a list as text.
func Some(names []string) string {
	const most = 5
	var shown []string
	for _, name := range names[:min(most, len(names))] {
		shown = append(shown, strconv.Quote(name))
	}
	if len(names) > most {
		shown = append(shown, "...")
	}
	return strings.Join(shown, ", ")
}
