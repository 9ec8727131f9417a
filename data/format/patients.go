package format

import (
	"io"
	"os"
	"path/filepath"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/internal/notes"
)

// complete makes the formats of a table heed Options.Patients.
func complete(all []*Format) []*Format {
	for _, f := range all {
		read, decode := f.Read, f.Decode
		f.Read = func(path string, opt Options) data.Documents {
			switch {
			case opt.Patients == nil:
				return read(path, opt)
			case f.OneNote || opt.Patients.IsTable():
				return f.withPatients(path, read(path, opt), opt)
			}
			return f.fileByFile(path, read, opt)
		}
		if decode != nil {
			f.Decode = func(r io.Reader, name string, opt Options) data.Documents {
				docs := decode(r, name, opt)
				if opt.Patients != nil {
					docs = f.withPatients(name, docs, opt)
				}
				return docs
			}
		}
	}
	return all
}

// withPatients sets the patients of documents that were read at path: those of a format with one
// note per file or, if the rule needs no paths, of any format.
func (f *Format) withPatients(path string, docs data.Documents, opt Options) data.Documents {
	return func(yield func(*data.Document, error) bool) {
		for doc, err := range docs {
			if err == nil {
				if doc.Patient, err = opt.Patients.Of(doc.ID, doc.ID); err != nil {
					doc, err = nil, notes.Defect(f.place(path, doc.ID), 0, -1, err.Error())
				}
			}
			if !yield(doc, err) {
				return
			}
		}
	}
}

// place returns the file of a note that was read at path, without extension if path is a folder.
func (f *Format) place(path, id string) string {
	if info, err := os.Stat(path); f.OneNote && err == nil && info.IsDir() {
		return filepath.Join(path, filepath.FromSlash(id))
	}
	return path
}

// fileByFile reads the documents of a format with many notes per file, and sets their patients by the
// names of the files.
func (f *Format) fileByFile(path string, read func(string, Options) data.Documents, opt Options) data.Documents {
	return func(yield func(*data.Document, error) bool) {
		files, err := notes.List(path, f.exts(opt)...)
		if err != nil {
			yield(nil, err)
			return
		}
		seen := map[string]bool{}
		for _, file := range files {
			patient, err := opt.Patients.Of("", notes.ID(file))
			if err != nil {
				if !yield(nil, notes.Defect(file, 0, -1, err.Error())) {
					return
				}
				continue
			}
			for doc, err := range read(file, opt) {
				switch {
				case err != nil:
				case seen[doc.ID]:
					doc, err = nil, notes.Defect(file, 0, -1, "it has a note with the same ID as one of a file before it")
				default:
					doc.Patient, seen[doc.ID] = patient, true
				}
				if !yield(doc, err) {
					return
				}
			}
		}
	}
}
