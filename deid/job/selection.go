package job

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// A pattern of Config.Include or Config.Exclude has the syntax of path.Match. Without a slash, it is compared with the
// names of files; with one, with paths relative to the input folder. A pattern of Exclude can also match a folder, and
// then excludes all files in it.

// checkSelection checks the patterns.
func (c *checked) checkSelection() error {
	for _, pattern := range c.Include {
		if err := checkPattern(pattern); err != nil {
			return fmt.Errorf("--include: %w", err)
		}
	}
	for _, pattern := range c.Exclude {
		if err := checkPattern(pattern); err != nil {
			return fmt.Errorf("--exclude: %w", err)
		}
	}
	return nil
}

// checkPattern returns an error for an invalid pattern, and for ** because it would match the files of one folder only.
func checkPattern(pattern string) error {
	if strings.Contains(pattern, "**") {
		return fmt.Errorf("%q: ** is not supported: give the folder, and --include with a pattern for names of files", pattern)
	}
	if _, err := path.Match(pattern, ""); err != nil {
		return fmt.Errorf("%q: %w", pattern, err)
	}
	return nil
}

// includes reports whether the options include a file, given its path relative to the input folder.
func (c *checked) includes(name string) bool {
	return len(c.Include) == 0 || matchesAny(c.Include, name)
}

// excludes reports whether the options exclude a file or folder.
func (c *checked) excludes(name string) bool { return matchesAny(c.Exclude, name) }

func matchesAny(patterns []string, name string) bool {
	name = filepath.ToSlash(name)
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		compared := name
		if pattern = strings.TrimSuffix(pattern, "/"); !strings.Contains(pattern, "/") {
			compared = path.Base(name)
		}
		ok, err := path.Match(pattern, compared)
		return err == nil && ok
	})
}
