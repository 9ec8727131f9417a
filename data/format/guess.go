package format

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/data/internal/notes"
)

// headSize is how many bytes of a file Guess looks at.
const headSize = 1 << 16

// Guess returns the format of a file or a folder by the content and the names of files. It returns an error unless exactly one
// format is possible. A text is in the format text only if it is in no other.
func Guess(path string) (*Format, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	samples := []string{path}
	if info.IsDir() {
		if samples, err = samplesOf(path); err != nil {
			return nil, err
		}
	}
	var possible []*Format
	for _, sample := range samples {
		head, err := headOf(sample)
		if err != nil {
			return nil, err
		}
		for _, f := range formats {
			fits := f.Recognize == nil && slices.Contains(f.Exts, Ext(sample)) || f.Recognize != nil && f.Recognize(sample, head)
			if fits && !slices.Contains(possible, f) {
				possible = append(possible, f)
			}
		}
	}
	if len(possible) > 1 {
		possible = slices.DeleteFunc(possible, func(f *Format) bool { return f.TextOnly })
	}
	return theOnly(path, possible)
}

// ByExt returns the only format whose files have the extension of a path.
func ByExt(path string) (*Format, error) {
	var possible []*Format
	for _, f := range formats {
		if slices.Contains(f.Exts, Ext(path)) {
			possible = append(possible, f)
		}
	}
	return theOnly(path, possible)
}

func theOnly(path string, possible []*Format) (*Format, error) {
	if len(possible) == 1 {
		return possible[0], nil
	}
	var names []string
	for _, f := range possible {
		names = append(names, f.Name)
	}
	if names == nil {
		return nil, fmt.Errorf("%s: is in no format that can be recognized", path)
	}
	return nil, fmt.Errorf("%s: may be %s", path, strings.Join(names, " or "))
}

// samplesOf returns the first file with each extension in a folder.
func samplesOf(dir string) (samples []string, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var seen []string
	for _, e := range entries {
		if ext := Ext(e.Name()); !e.IsDir() && !strings.HasPrefix(e.Name(), ".") && !slices.Contains(seen, ext) {
			seen, samples = append(seen, ext), append(samples, filepath.Join(dir, e.Name()))
		}
	}
	return samples, nil
}

func headOf(path string) ([]byte, error) {
	f, err := notes.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	head, err := io.ReadAll(io.LimitReader(f, headSize))
	if err != nil {
		return nil, notes.Unreadable(path, err)
	}
	return head, nil
}

// rooted recognizes XML with a root element.
func rooted(root string) func(string, []byte) bool {
	return func(_ string, head []byte) bool { return notes.Root(head) == root }
}
