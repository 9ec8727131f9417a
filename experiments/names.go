package experiments

import (
	"path/filepath"
	"slices"
	"strings"
)

// ShortNames returns a short name for each of several files or folders: the last elements of its
// path, as many as tell all of them apart, or the whole path if two paths are the same.
func ShortNames(paths []string) []string {
	var parts [][]string
	longest := 0
	for _, path := range paths {
		if absolute, err := filepath.Abs(path); err == nil {
			path = absolute
		}
		elements := strings.FieldsFunc(filepath.ToSlash(path), func(r rune) bool { return r == '/' })
		parts, longest = append(parts, elements), max(longest, len(elements))
	}
	for n := 1; n <= longest; n++ {
		var names []string
		for _, elements := range parts {
			names = append(names, strings.Join(elements[max(0, len(elements)-n):], "/"))
		}
		if distinct(names) {
			return names
		}
	}
	return paths
}

// Distinguished returns the names of experiments, of which those that occur several times are
// replaced with ShortNames of their files or folders.
func Distinguished(names, paths []string) []string {
	var clashing []string
	for i, name := range names {
		if slices.Contains(names[:i], name) || slices.Contains(names[i+1:], name) {
			clashing = append(clashing, paths[i])
		}
	}
	short := ShortNames(clashing)
	all := slices.Clone(names)
	for i, path := range paths {
		if len(clashing) > 0 && path == clashing[0] {
			all[i] = short[0]
			clashing, short = clashing[1:], short[1:]
		}
	}
	if !distinct(all) {
		return ShortNames(paths)
	}
	return all
}

func distinct(names []string) bool {
	return len(slices.Compact(slices.Sorted(slices.Values(names)))) == len(names)
}
