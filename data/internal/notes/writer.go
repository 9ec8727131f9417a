package notes

import (
	"bufio"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/internal/wholefile"
)

// permissions of the files and folders made, before the umask.
const (
	filePermissions   fs.FileMode = 0o666
	folderPermissions fs.FileMode = 0o777
)

// maxID leaves room in a file name of 255 bytes for an extension and for the
// number that the name has until the file is final.
const maxID = 200

var errClosed = errors.New("the writer is closed")

// gate refuses documents that no format may be given.
type gate struct {
	types *data.TypeSet // nil when the format writes no spans
	seen  map[string]bool
}

func (g gate) check(doc *data.Document) error {
	if doc.ID == "" {
		return errors.New("a document has no id")
	}
	if g.seen[doc.ID] {
		return errors.New("two documents have this id")
	}
	if err := doc.Check(); err != nil {
		return err
	}
	for _, s := range doc.Spans {
		if g.types != nil && !g.types.Has(s.Type) {
			return errors.New(g.types.Lacks(s.Type))
		}
	}
	return nil
}

// checkName keeps an ID that becomes a file name inside its folder, and visible
// there.
func checkName(id string) error {
	switch {
	case strings.HasPrefix(id, "."):
		return errors.New("an id that starts with a dot cannot be a file name")
	case strings.ContainsAny(id, `/\`):
		return errors.New("an id with a path separator cannot be a file name")
	case strings.ContainsFunc(id, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return errors.New("an id with a control character cannot be a file name")
	case len(id) > maxID:
		return errors.New("the id is too long for a file name")
	}
	return nil
}

// Part is one file of a note.
type Part struct {
	Ext     string // with its dot
	Content []byte
}

// Folder writes the files of each note into one folder, as ID.ext.
type Folder struct {
	gate
	dir    string
	encode func(doc *data.Document) ([]Part, error)
	closed bool
}

var _ data.Writer = (*Folder)(nil)

// NewFolder makes the folder if need be. A nil type set allows all types.
func NewFolder(dir string, types *data.TypeSet, encode func(*data.Document) ([]Part, error)) (*Folder, error) {
	if err := os.MkdirAll(dir, folderPermissions); err != nil {
		return nil, unwritable(dir, err)
	}
	return &Folder{gate: gate{types, map[string]bool{}}, dir: dir, encode: encode}, nil
}

// Write makes all files of the note ready before the first gets its name, so
// that a full disk leaves none of them.
func (f *Folder) Write(doc *data.Document) error {
	if f.closed {
		return unwritable(f.dir, errClosed)
	}
	if err := checkName(doc.ID); err != nil {
		return unwritable(f.dir, err) // the ID is no part of a path
	}
	path := filepath.Join(f.dir, doc.ID)
	if err := f.check(doc); err != nil {
		return unwritable(path, err)
	}
	parts, err := f.encode(doc)
	if err != nil {
		return unwritable(path, err)
	}
	var ready []*wholefile.Pending
	defer func() {
		for _, p := range ready {
			_ = p.Discard() // what cannot be removed is hidden, and not the error to tell of
		}
	}()
	for _, part := range parts {
		p, err := wholefile.Create(path+part.Ext, filePermissions)
		if err != nil {
			return unwritable(path+part.Ext, err)
		}
		ready = append(ready, p)
		if _, err = p.Write(part.Content); err == nil {
			err = p.Sync()
		}
		if err != nil {
			return unwritable(path+part.Ext, err)
		}
	}
	for i, p := range ready {
		if err := p.Replace(); err != nil {
			return unwritable(path+parts[i].Ext, err)
		}
	}
	f.seen[doc.ID] = true
	return nil
}

// Close ends writing; all notes written are final already.
func (f *Folder) Close() error { f.closed = true; return nil }

// Abort ends writing; the notes written, each whole, stay.
func (f *Folder) Abort() error { return f.Close() }

// File writes all documents into one file.
type File struct {
	gate
	path    string
	single  bool                   // it holds one document only
	tail    func() ([]byte, error) // returns what follows the last document; nil: nothing does
	encode  func(doc *data.Document) ([]byte, error)
	pending *wholefile.Pending // nil when closed
	buf     *bufio.Writer
	err     error // the first failed write: the file is lost
}

var _ data.Writer = (*File)(nil)

// NewFile makes the folder of path if need be; the file itself appears at
// Close.
func NewFile(path string, types *data.TypeSet, encode func(*data.Document) ([]byte, error)) (*File, error) {
	if err := os.MkdirAll(filepath.Dir(path), folderPermissions); err != nil {
		return nil, unwritable(path, err)
	}
	p, err := wholefile.Create(path, filePermissions)
	if err != nil {
		return nil, unwritable(path, err)
	}
	return &File{gate: gate{types, map[string]bool{}}, path: path, encode: encode, pending: p, buf: bufio.NewWriter(p)}, nil
}

// NewNote is NewFile for a format that has a file a note: a second document is
// refused.
func NewNote(path string, types *data.TypeSet, encode func(*data.Document) ([]byte, error)) (*File, error) {
	f, err := NewFile(path, types, encode)
	if err == nil {
		f.single = true
	}
	return f, err
}

// NewFramed is NewFile for a format that has something before the first document and after the last.
func NewFramed(path, head, tail string, types *data.TypeSet, encode func(*data.Document) ([]byte, error)) (*File, error) {
	f, err := NewFile(path, types, encode)
	if err == nil {
		f.tail = func() ([]byte, error) { return []byte(tail), nil }
		_, f.err = f.buf.WriteString(head)
	}
	return f, err
}

// NewCollected is NewFile for a format that can be written only when all documents are known. add takes a document, and all
// returns the file.
func NewCollected(path string, types *data.TypeSet, add func(*data.Document) error, all func() ([]byte, error)) (*File, error) {
	f, err := NewFile(path, types, func(doc *data.Document) ([]byte, error) { return nil, add(doc) })
	if err == nil {
		f.tail = all
	}
	return f, err
}

// Write appends a document, or all of it is refused.
func (f *File) Write(doc *data.Document) error {
	if f.pending == nil {
		return unwritable(f.path, errClosed)
	}
	if f.err != nil {
		return f.err
	}
	if f.single && len(f.seen) > 0 {
		return unwritable(f.path, errors.New("a file of this format holds one note"))
	}
	if err := f.check(doc); err != nil {
		return unwritable(f.path, err)
	}
	encoded, err := f.encode(doc)
	if err != nil {
		return unwritable(f.path, err)
	}
	if _, err := f.buf.Write(encoded); err != nil {
		f.err = unwritable(f.path, err)
		return f.err
	}
	f.seen[doc.ID] = true
	return nil
}

// Close makes the file visible, unless a write failed before.
func (f *File) Close() error {
	if f.pending == nil {
		return nil
	}
	defer func() { _ = f.Abort() }()
	if f.err == nil {
		if err := f.finish(); err != nil {
			f.err = unwritable(f.path, err)
		}
	}
	return f.err
}

func (f *File) finish() error {
	if f.tail != nil {
		tail, err := f.tail()
		if err != nil {
			return err
		}
		if _, err := f.buf.Write(tail); err != nil {
			return err
		}
	}
	if err := f.buf.Flush(); err != nil {
		return err
	}
	return f.pending.Replace()
}

// Abort removes the file that is not yet visible.
func (f *File) Abort() error {
	if f.pending == nil {
		return nil
	}
	p := f.pending
	f.pending = nil
	return p.Discard()
}
