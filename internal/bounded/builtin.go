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

// isBuiltin reports whether a path, perhaps joined with others, is that of a file that
// comes with the program, and returns its name.
func isBuiltin(path string) (name string, ok bool) {
	if builtin == nil {
		return "", false
	}
	name, ok = strings.CutPrefix(filepath.ToSlash(path), builtinPrefix)
	return strings.Trim(name, "/"), ok
}

// Stat describes a file or folder. It follows links.
func Stat(path string) (fs.FileInfo, error) {
	if name, ok := isBuiltin(path); ok {
		return fs.Stat(builtin, name)
	}
	return os.Stat(path)
}

// WalkDir calls do for a folder and everything below it, as filepath.WalkDir does.
func WalkDir(dir string, do fs.WalkDirFunc) error {
	name, ok := isBuiltin(dir)
	if !ok {
		return filepath.WalkDir(dir, do)
	}
	return fs.WalkDir(builtin, name, func(name string, entry fs.DirEntry, err error) error {
		return do(Builtin(name), entry, err)
	})
}
