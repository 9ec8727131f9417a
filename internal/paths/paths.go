// Package paths says where output may go: nowhere near the input, and over nothing that exists.
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

// ErrNotEmpty is the error of MustBeNew for a folder that holds something.
var ErrNotEmpty = errors.New("the folder is not empty")

// MustBeNew returns an error if a path is a file, or a folder that holds something. It keeps the output of
// two commands apart, and the input from being overwritten.
func MustBeNew(path string) error {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Lstat(path); err == nil {
			return fmt.Errorf("%s: is a link to nothing", path)
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

// IsFolder reports whether an output path means a folder: it is one, it ends with a separator, or it
// has no extension.
func IsFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir() || strings.HasSuffix(path, "/") || strings.HasSuffix(path, string(filepath.Separator)) || !hasExtension(path)
}

func hasExtension(path string) bool {
	ext := filepath.Ext(path)
	return len(ext) > 1 && ext != filepath.Base(path) // ".x" is a hidden folder
}

// Resolve returns the absolute path without links. Its last parts need not exist.
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

// Contains reports whether a path is the outer file or folder, or lies in it. Both are resolved. It compares
// files, not names, since some file systems know several names of one file.
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

// Apart returns an error if the output is, contains or lies in the input.
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
		return fmt.Errorf("%s: lies in the input folder", output)
	case Contains(out, in):
		return fmt.Errorf("%s: holds the input", output)
	}
	return nil
}

// FoldsCase reports whether the file system of a path, which need not exist, takes names that
// differ only in case for the same name.
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

// Some shows the first names of a list.
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
