package bounded

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// builtinPrefix begins the paths of files that come with the program.
const builtinPrefix = "built-in:"

var builtin fs.FS

// Provide makes the files of a file system readable under paths that begin with
// Builtin(""), for every function of this package. It is called once, when the program
// starts.
func Provide(files fs.FS) { builtin = files }

// Builtin returns the path of a file or folder that comes with the program. The name has
// forward slashes.
func Builtin(name string) string { return builtinPrefix + name }

// isBuiltin returns the name of a file or folder that comes with the program. ok is false for
// any other path.
func isBuiltin(path string) (name string, ok bool) {
	if builtin == nil {
		return "", false
	}
	name, ok = strings.CutPrefix(filepath.ToSlash(path), builtinPrefix)
	return strings.Trim(name, "/"), ok
}

// IsBuiltin reports whether a path is that of a file or folder that comes with the program.
func IsBuiltin(path string) bool {
	_, ok := isBuiltin(path)
	return ok
}

// Rel returns the path of a file or folder within the folder dir, with the separators of the system. Unlike filepath.Rel, it knows
// those that come with the program, whose paths look to Windows as if they began with a drive.
func Rel(dir, path string) (string, error) {
	root, ok := isBuiltin(dir)
	name, inside := isBuiltin(path)
	if !ok || !inside {
		return filepath.Rel(dir, path)
	}
	return filepath.Rel(filepath.FromSlash("/"+root), filepath.FromSlash("/"+name))
}

// Exists reports whether there is a file or folder of this path.
func Exists(path string) bool {
	_, err := Stat(path)
	return err == nil
}

// Stat describes a file or folder. It follows links.
func Stat(path string) (fs.FileInfo, error) {
	if name, ok := isBuiltin(path); ok {
		return fs.Stat(builtin, name)
	}
	return os.Stat(path)
}

// WalkDir calls do for a folder and everything below it, as filepath.WalkDir does. The folder itself may be a link.
func WalkDir(dir string, do fs.WalkDirFunc) error {
	name, ok := isBuiltin(dir)
	if !ok {
		root := dir
		if info, err := os.Stat(dir); err == nil && info.IsDir() && !os.IsPathSeparator(dir[len(dir)-1]) {
			root += string(filepath.Separator) // so that WalkDir follows a link
		}
		return filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if path == root {
				path = dir
			}
			return do(path, entry, err)
		})
	}
	return fs.WalkDir(builtin, name, func(name string, entry fs.DirEntry, err error) error {
		return do(Builtin(name), entry, err)
	})
}
