package inception

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/internal/notes"
	"github.com/lethe-deid/lethe/internal/bounded"
)

// Curation is the name under which INCEpTION exports the curation, beside those of the annotators.
const Curation = "CURATION_USER"

// Names in an exported project.
const (
	initialCAS = "INITIAL_CAS"          // the document before anybody has annotated it, as if it were an annotator
	descriptor = "exportedproject.json" // in the folder of an unpacked project
)

// An archive is refused if what is read from it is more than maxRatio times as large as its file, and larger than freeSize. XMI
// becomes about a twentieth.
const (
	maxRatio = 200
	freeSize = 16 << 20
)

// project is the export of a project: a ZIP archive, or the folder of an unpacked one. It contains
//
//	annotation/DOCUMENT/ANNOTATOR.zip
//	curation/DOCUMENT/CURATION_USER.zip
//
// which in turn contain the XMI and its type system. Files of WebAnno TSV are not zipped again.
type project struct {
	path   string
	fsys   fs.FS
	closer io.Closer
	left   int64 // how many bytes may still be read; negative: any number
	// refused is set when more was to be read.
	refused bool
	// documents has the documents of each annotator, sorted.
	documents map[string][]annotated
	all       []string // the names of all documents, sorted
}

// annotated is the file of an annotator.
type annotated struct{ document, file string }

// Project reports whether a path is that of an exported project.
func (f Format) Project(path string) bool {
	p, err := openProject(path)
	if p != nil {
		_ = p.close()
	}
	return p != nil || err != nil
}

// InProject reports whether a path is that of an exported project whose annotations are in this format.
func (f Format) InProject(path string) bool {
	p, err := openProject(path)
	if p == nil || err != nil {
		return false
	}
	defer p.close()
	for _, files := range p.documents {
		for _, a := range files {
			if strings.EqualFold(filepath.Ext(a.file), f.Ext) {
				return true
			}
			if in, err := p.fsys.Open(a.file); err == nil {
				raw, err := p.bytes(in, a.file)
				if err == nil && isArchive(raw) {
					_, err = p.within(f, raw, a.file)
					return err == nil
				}
			}
		}
	}
	return false
}

// openProject opens an exported project, or returns nil if there is none at the path.
func openProject(path string) (p *project, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, nil // as any other path
	}
	p = &project{path: path, left: -1, documents: map[string][]annotated{}}
	if info.IsDir() {
		if _, err := os.Stat(filepath.Join(path, descriptor)); err != nil {
			return nil, nil
		}
		p.fsys = os.DirFS(path)
	} else if info.Mode().IsRegular() {
		file, err := bounded.OpenRegular(path)
		if err != nil {
			return nil, nil
		}
		head := make([]byte, 4)
		if n, _ := io.ReadFull(file, head); !isArchive(head[:n]) {
			return nil, file.Close()
		}
		archive, err := zip.NewReader(file, info.Size())
		if err != nil {
			return nil, errors.Join(notes.Defect(path, 0, -1, "not a ZIP archive, or only a part of one"), file.Close())
		}
		p.fsys, p.closer, p.left = archive, file, max(maxRatio*info.Size(), freeSize)
	} else {
		return nil, nil
	}
	if err := p.list(); err != nil {
		return nil, errors.Join(err, p.close())
	}
	return p, nil
}

// isArchive reports whether a file that begins with these bytes is a ZIP archive.
func isArchive(head []byte) bool {
	return bytes.HasPrefix(head, []byte("PK\x03\x04")) || bytes.HasPrefix(head, []byte("PK\x05\x06"))
}

func (p *project) close() error {
	if p.closer == nil {
		return nil
	}
	return p.closer.Close()
}

// list finds the files of the annotators.
func (p *project) list() error {
	all := map[string]bool{}
	for _, kind := range []string{"annotation", "curation", "source"} {
		documents, err := fs.ReadDir(p.fsys, kind)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		} else if err != nil {
			return notes.Unreadable(p.path, err)
		}
		for _, d := range documents {
			if strings.HasPrefix(d.Name(), ".") {
				continue
			}
			all[d.Name()] = true
			if kind == "source" || !d.IsDir() {
				continue
			}
			files, err := fs.ReadDir(p.fsys, path.Join(kind, d.Name()))
			if err != nil {
				return notes.Unreadable(p.path, err)
			}
			for _, file := range files {
				who := strings.TrimSuffix(file.Name(), path.Ext(file.Name()))
				if kind == "curation" {
					who = Curation
				}
				if !file.IsDir() && who != "" && who != initialCAS {
					p.documents[who] = append(p.documents[who], annotated{d.Name(), path.Join(kind, d.Name(), file.Name())})
				}
			}
		}
	}
	p.all = slices.Sorted(maps.Keys(all))
	return nil
}

// of returns the files of the annotator in the options or, by default, of the only one.
func (p *project) of(opt Options) ([]annotated, error) {
	names := slices.Sorted(maps.Keys(p.documents))
	have := strings.Join(names, ", ")
	switch {
	case len(names) == 0:
		return nil, notes.Defect(p.path, 0, -1, "the archive has no annotations: export the project in INCEpTION with a secondary format, UIMA CAS XMI (XML 1.0) or WebAnno TSV")
	case opt.Annotator != "" && p.documents[opt.Annotator] == nil:
		return nil, notes.Defect(p.path, 0, -1, fmt.Sprintf("the project has no annotations of %s (have %s)", opt.Annotator, have))
	case opt.Annotator != "":
		return p.documents[opt.Annotator], nil
	case len(names) > 1:
		return nil, notes.Defect(p.path, 0, -1, fmt.Sprintf("the project has annotations of %s: choose one with the option annotator", have))
	}
	return p.documents[names[0]], nil
}

// leftOut returns the documents without annotations of the annotator.
func (p *project) leftOut(opt Options) ([]string, error) {
	files, err := p.of(opt)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(slices.Clone(p.all), func(name string) bool {
		return slices.ContainsFunc(files, func(a annotated) bool { return a.document == name })
	}), nil
}

// LeftOut returns the documents of an exported project that Read skips, because the annotator has not annotated them.
func (f Format) LeftOut(path string, opt Options) ([]string, error) {
	p, err := openProject(path)
	if p == nil || err != nil {
		return nil, err
	}
	left, err := p.leftOut(opt)
	return left, errors.Join(err, p.close())
}

// read reads the documents of an annotator.
func (p *project) read(f Format, types *data.TypeSet, opt Options) data.Documents {
	return func(yield func(*data.Document, error) bool) {
		files, err := p.of(opt)
		if err != nil {
			yield(nil, err)
			return
		}
		seen := map[string]bool{}
		for _, a := range files {
			doc, err := p.document(f, a, types, opt)
			if err == nil && seen[doc.ID] {
				doc, err = nil, notes.Defect(p.name(a.file), 0, -1, "another document of the project, or another file of the annotator, has the same name except for its extension")
			}
			if err == nil {
				seen[doc.ID] = true
			}
			if !yield(doc, err) || p.refused {
				return
			}
		}
	}
}

// name returns the path of a file in errors.
func (p *project) name(file string) string { return filepath.Join(p.path, filepath.FromSlash(file)) }

// document reads the document in a file.
func (p *project) document(f Format, a annotated, types *data.TypeSet, opt Options) (*data.Document, error) {
	name := p.name(a.file)
	in, err := p.fsys.Open(a.file)
	if err != nil {
		return nil, notes.Unreadable(name, err)
	}
	raw, err := p.bytes(in, name)
	if err != nil {
		return nil, err
	}
	switch ext := strings.ToLower(path.Ext(a.file)); {
	case isArchive(raw):
		if raw, err = p.within(f, raw, name); err != nil {
			return nil, err
		}
	case ext != f.Ext:
		return nil, notes.Defect(name, 0, -1, fmt.Sprintf("not a file of the format, which has the extension %s or .zip: choose the format that the project was exported in", f.Ext))
	}
	doc, err := f.decode(raw, name, types, opt)
	if err != nil {
		return nil, err
	}
	doc.ID = notes.ID(a.document)
	doc.Patient = data.PatientOf(doc.ID)
	return doc, nil
}

// within returns the only file of the format in the archive of a document.
func (p *project) within(f Format, raw []byte, name string) ([]byte, error) {
	archive, err := zip.NewReader(bytes.NewReader(raw), int64(len(raw)))
	if err != nil {
		return nil, notes.Defect(name, 0, -1, "not a ZIP archive, or only a part of one")
	}
	var found []*zip.File
	for _, file := range archive.File {
		if strings.ToLower(path.Ext(file.Name)) == f.Ext {
			found = append(found, file)
		}
	}
	if len(found) != 1 {
		return nil, notes.Defect(name, 0, -1, fmt.Sprintf("the archive has %d files with the extension %s, instead of one: choose the format that the project was exported in", len(found), f.Ext))
	}
	in, err := found[0].Open()
	if err != nil {
		return nil, notes.Unreadable(name, err)
	}
	return p.bytes(in, name)
}

// bytes reads and closes a file. It is an error if the archive turns out to be a bomb.
func (p *project) bytes(in io.ReadCloser, name string) ([]byte, error) {
	defer in.Close()
	if p.left < 0 {
		return notes.ReadAll(in, name)
	}
	raw, err := notes.ReadAll(io.LimitReader(in, p.left+1), name)
	if int64(len(raw)) > p.left {
		p.refused = true
		return nil, notes.Defect(name, 0, -1, fmt.Sprintf("what the archive contains is more than %d times as large as the archive: it is refused, because it was probably made to fill the memory", maxRatio))
	}
	p.left -= int64(len(raw))
	return raw, err
}
