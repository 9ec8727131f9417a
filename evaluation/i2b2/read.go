package i2b2

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/evaluation/internal/tagged"
	"github.com/lethe-deid/lethe/internal/bounded"
	"github.com/lethe-deid/lethe/internal/sorting"
)

// System is the output of one system. ID is the part of the file names after the
// document ID: "" for 110-04.xml, "run2" for 110-04run2.xml.
type System struct {
	ID        string
	Documents Source
}

// Systems finds the documents of one or more systems in an XML file, or in the
// files ending in ".xml" of a folder. Systems are sorted by their ID, and the
// documents of each by theirs.
func Systems(path string) ([]System, error) {
	files, err := list(path)
	if err != nil {
		return nil, err
	}
	bySystem := map[string][]file{}
	for _, f := range files {
		bySystem[f.system] = append(bySystem[f.system], f)
	}
	var systems []System
	for id, files := range bySystem {
		systems = append(systems, System{id, read(files)})
	}
	sorting.By(systems, func(a, b System) int { return strings.Compare(a.ID, b.ID) })
	return systems, nil
}

// Read reads the gold standard from a file or folder as Systems does, but ignores
// the part of the names after the document ID. It returns an error if two files
// have the same ID; the script would use an arbitrary one of them.
func Read(path string) (Source, error) {
	files, err := list(path)
	if err != nil {
		return nil, err
	}
	for i := 1; i < len(files); i++ {
		if a, b := files[i-1], files[i]; a.id == b.id {
			return nil, fmt.Errorf("%s and %s: two documents of the gold standard have the id %s", a.path, b.path, a.id)
		}
	}
	return read(files), nil
}

// file is an XML file, with the IDs from its name.
type file struct{ path, id, system string }

// nameRE has no anchor at the end, as in the script.
var nameRE = regexp.MustCompile(`^(\d+)-(\d+)(.*)\.xml`)

func newFile(path string) file {
	name := filepath.Base(path)
	if m := nameRE.FindStringSubmatch(name); m != nil {
		return file{path, m[1] + "-" + m[2], m[3]}
	}
	return file{path: path, id: strings.TrimSuffix(name, filepath.Ext(name)) + "-"}
}

// list returns the files, sorted by ID and system.
func list(path string) ([]file, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return []file{newFile(path)}, nil
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, err
	}
	var files []file
	for _, e := range entries {
		if !e.IsDir() && strings.HasSuffix(e.Name(), ".xml") {
			files = append(files, newFile(filepath.Join(path, e.Name())))
		}
	}
	if files == nil {
		return nil, fmt.Errorf("%s: the folder holds no .xml file", path)
	}
	sorting.By(files, func(a, b file) int {
		return cmp.Or(strings.Compare(a.id, b.id), strings.Compare(a.system, b.system), strings.Compare(a.path, b.path))
	})
	return files, nil
}

func read(files []file) Source {
	return func(yield func(*Document, error) bool) {
		for _, f := range files {
			d, err := f.read()
			if !yield(d, err) {
				return
			}
		}
	}
}

func (f file) read() (*Document, error) {
	raw, err := bounded.ReadFile(f.path, bounded.MaxNote)
	if err != nil {
		return nil, err
	}
	return decode(raw, f.path, f.id)
}

// decode reads a document as the script and its XML parser (lxml) do; see
// tagged.XML. path is used in errors, which are of type *data.Error. Like the
// script, decode fails on an offset that is not a number, and on tags without
// text.
func decode(raw []byte, path, id string) (*Document, error) {
	read, err := tagged.XML(raw, path, tagged.LXML)
	if err != nil {
		return nil, err
	}
	d := &Document{ID: id, Text: read.Text}
	for _, t := range read.Tags {
		if elementIndex(t.Element) < 0 {
			d.Ignored++
			continue
		}
		tag, err := NewTag(t.Element, t.Type, t.Start, t.End)
		if err != nil {
			return nil, &data.Error{Path: path, Line: t.Line, Offset: -1, Reason: err.Error()}
		}
		d.Tags = append(d.Tags, tag)
	}
	if d.Text == "" && len(d.Tags) > 0 {
		return nil, &data.Error{Path: path, Offset: -1, Reason: "tags, but no text"}
	}
	return d, nil
}
