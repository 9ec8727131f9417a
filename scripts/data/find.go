package main

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/internal/wholefile"
)

// What became of an item.
const (
	missing = "missing"
	placed  = "checked"
	kept    = "taken, though its checksum differs"
	unknown = "taken without a check, since its checksum is not known"
)

// downloads are the files that were found in the folders and archives of the user.
type downloads struct {
	files   []download
	folders map[string][]download // by folder: the XML files in it
	open    []io.Closer
}

// download is a file in a folder or an archive.
type download struct {
	name  string // path for messages, with "/"
	inner fs.FS
	path  string // in inner
}

func (d download) read() ([]byte, error) { return fs.ReadFile(d.inner, d.path) }

func (f *downloads) close() {
	for _, c := range f.open {
		c.Close()
	}
}

// search lists all files of files, folders and .zip archives.
func search(paths []string) (*downloads, error) {
	found := &downloads{folders: map[string][]download{}}
	for _, p := range paths {
		info, err := os.Stat(p)
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			if err := found.add(os.DirFS(filepath.Dir(p)), filepath.Base(p), p); err != nil {
				return nil, err
			}
			continue
		}
		if err := found.walk(os.DirFS(p), p); err != nil {
			return nil, err
		}
	}
	return found, nil
}

func (f *downloads) walk(files fs.FS, root string) error {
	return fs.WalkDir(files, ".", func(file string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		return f.add(files, file, root+"/"+file)
	})
}

// add takes a file, or the files of an archive.
func (f *downloads) add(files fs.FS, file, name string) error {
	if strings.EqualFold(path.Ext(file), ".zip") {
		content, err := files.Open(file)
		if err != nil {
			return err
		}
		f.open = append(f.open, content)
		info, err := content.Stat()
		if err != nil {
			return err
		}
		at, ok := content.(io.ReaderAt)
		if !ok { // an archive in an archive
			raw, err := io.ReadAll(content)
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			at = bytes.NewReader(raw)
		}
		archive, err := zip.NewReader(at, info.Size())
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		return f.walk(archive, name)
	}
	d := download{name: filepath.ToSlash(name), inner: files, path: file}
	f.files = append(f.files, d)
	if path.Ext(file) == ".xml" {
		folder := path.Dir(d.name)
		f.folders[folder] = append(f.folders[folder], d)
	}
	return nil
}

// place finds the item, compares its checksum and copies it into the output folder.
func (it item) place(found *downloads, output string, changed bool) (state string, err error) {
	var candidates [][]download
	if it.files > 0 {
		for folder, files := range found.folders {
			if it.isNamed(folder) {
				slices.SortFunc(files, func(a, b download) int { return strings.Compare(a.path, b.path) })
				candidates = append(candidates, files)
			}
		}
		slices.SortFunc(candidates, func(a, b []download) int { return strings.Compare(a[0].name, b[0].name) })
	} else {
		for _, d := range found.files {
			if it.isNamed(d.name) {
				candidates = append(candidates, []download{d})
			}
		}
	}
	if len(candidates) == 0 {
		return missing, nil
	}
	var differs []error
	for _, files := range candidates {
		contents, err := readAll(files)
		if err != nil {
			return "", err
		}
		sum := it.digest(files, contents)
		switch {
		case it.sum == "":
			state = unknown
		case sum == it.sum:
			state = placed
		default:
			where := files[0].name
			if it.files > 0 {
				where = fmt.Sprintf("%s (%d files, of %d)", path.Dir(where), len(files), it.files)
			}
			differs = append(differs, fmt.Errorf("%s: SHA-256 is %s, but that of the file with which the scores were computed is %s", where, sum, it.sum))
			continue
		}
		return state, it.write(output, files, contents)
	}
	if !changed {
		return "", fmt.Errorf("%w\n(--changed takes it all the same)", errors.Join(differs...))
	}
	contents, err := readAll(candidates[0])
	if err != nil {
		return "", err
	}
	return kept, it.write(output, candidates[0], contents)
}

// isNamed reports whether a path ends as one of the item's names.
func (it item) isNamed(name string) bool {
	name = "/" + strings.ToLower(name)
	return slices.ContainsFunc(it.names, func(end string) bool { return strings.HasSuffix(name, "/"+end) })
}

func readAll(files []download) ([][]byte, error) {
	contents := make([][]byte, len(files))
	for i, d := range files {
		raw, err := d.read()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", d.name, err)
		}
		contents[i] = raw
	}
	return contents, nil
}

func (it item) digest(files []download, contents [][]byte) string {
	switch {
	case it.conll:
		return sha256Of(columns(contents[0]))
	case it.files == 0:
		return sha256Of(contents[0])
	}
	names := make([]string, len(files))
	for i, d := range files {
		names[i] = path.Base(d.path)
	}
	return digest(names, contents)
}

// digest returns the SHA-256 of a folder, whose names are sorted: that of what "sha256sum *.xml" prints in it in the C locale.
func digest(names []string, contents [][]byte) string {
	var lines strings.Builder
	for i, name := range names {
		fmt.Fprintf(&lines, "%s  %s\n", sha256Of(contents[i]), name)
	}
	return sha256Of([]byte(lines.String()))
}

// columns returns the words of a CoNLL file with their labels as IOB2, since the original files have IOB1, and their copies
// differ in the lines of -DOCSTART- as well.
func columns(content []byte) []byte {
	var b bytes.Buffer
	last := "O"
	for line := range strings.Lines(string(content)) {
		fields := strings.Fields(line)
		if len(fields) == 0 || fields[0] == "-DOCSTART-" {
			last = "O"
			b.WriteByte('\n')
			continue
		}
		name := fields[len(fields)-1]
		if begin, kind, ok := strings.Cut(name, "-"); ok && begin == "I" && (last == "O" || last[2:] != kind) {
			name = "B-" + kind
		}
		fmt.Fprintf(&b, "%s %s\n", fields[0], name)
		last = name
	}
	return b.Bytes()
}

func sha256Of(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

func (it item) write(output string, files []download, contents [][]byte) error {
	to := filepath.Join(output, filepath.FromSlash(it.to))
	for i, d := range files {
		file := to
		if it.files > 0 {
			file = filepath.Join(to, path.Base(d.path))
		}
		if err := writeFile(file, contents[i]); err != nil {
			return err
		}
	}
	return nil
}

// writeFile writes a file that appears whole, and makes its folder. A file with another content is not replaced.
func writeFile(file string, content []byte) error {
	old, err := os.ReadFile(file)
	switch {
	case err == nil && bytes.Equal(old, content):
		return nil
	case err == nil:
		return fmt.Errorf("%s already exists with another content", file)
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return wholefile.WriteFile(file, content, 0o644)
}
