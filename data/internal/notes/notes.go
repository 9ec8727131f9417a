// Package notes is what the readers and writers of all formats share: finding
// the files, conversion of offsets, checks, and files that appear only when
// they are whole.
package notes

import (
	"bytes"
	"errors"
	"fmt"
	"html"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/internal/bounded"
	"github.com/lethe-deid/lethe/internal/paths"
)

// BOM is U+FEFF in UTF-8.
const BOM = "\uFEFF"

// List returns path itself when it is a file. Of a folder it returns, sorted by
// name, the files with one of the extensions (such as ".xml", in any case), or
// with .gz after it; hidden files and subfolders are left out. A folder without such a file is an
// error.
func List(path string, exts ...string) ([]string, error) { return list(path, exts, false) }

// Tree is List for formats with one note per file: it also returns the files of all subfolders
// that are not hidden. It does not follow links to folders, which could lead back.
func Tree(path string, exts ...string) ([]string, error) { return list(path, exts, true) }

func list(path string, exts []string, deep bool) ([]string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, Unreadable(path, err)
	}
	if !info.IsDir() {
		return []string{path}, nil
	}
	taken, left, err := divide(path, "", exts, deep)
	if err != nil {
		return nil, err
	}
	if taken == nil {
		reason := "the folder holds no " + strings.Join(exts, " or ") + " file"
		if deep {
			reason += ", nor do its subfolders"
		}
		if others := extensions(left); others != nil {
			reason += ": it holds files with the extension " + strings.Join(others, ", ")
		}
		return nil, Defect(path, 0, -1, reason)
	}
	for i, name := range taken {
		taken[i] = filepath.Join(path, name)
	}
	return taken, nil
}

// extensions returns the different extensions of visible files, sorted, and at most five. Extensions with other
// characters than letters and digits are left out, because they may be parts of a name.
func extensions(names []string) (exts []string) {
	for _, name := range names {
		ext := Ext(name)
		plain := strings.Trim(ext, ".abcdefghijklmnopqrstuvwxyz0123456789") == ""
		if len(ext) > 1 && plain && !strings.HasPrefix(filepath.Base(name), ".") && !slices.Contains(exts, ext) {
			exts = append(exts, ext)
		}
	}
	slices.Sort(exts)
	return exts[:min(len(exts), 5)]
}

// Yield takes the documents of a data.Documents, one after another, and reports whether it wants more.
type Yield = func(*data.Document, error) bool

// Walk calls read with each file that List finds, until it returns false. It yields the error of List.
func Walk(path string, exts []string, yield Yield, read func(file string) bool) {
	files, err := List(path, exts...)
	if err != nil {
		yield(nil, err)
		return
	}
	for _, file := range files {
		if !read(file) {
			return
		}
	}
}

// Files reads the documents of a format that has many in a file, from the files that List finds. read yields those
// of one stream and reports whether yield wants more. It keeps in seen the IDs of all the files so far.
func Files(path string, exts []string, read func(r io.Reader, name string, seen map[string]bool, yield Yield) bool) data.Documents {
	return func(yield func(*data.Document, error) bool) {
		seen := map[string]bool{}
		Walk(path, exts, yield, func(file string) bool { return readFile(file, seen, yield, read) })
	}
}

func readFile(file string, seen map[string]bool, yield Yield, read func(io.Reader, string, map[string]bool, Yield) bool) bool {
	f, err := Open(file)
	if err != nil {
		return yield(nil, err)
	}
	defer f.Close()
	return read(f, file, seen, yield)
}

// Open opens a file of notes, and decompresses it if it is gzipped, whatever its name.
func Open(path string) (io.ReadCloser, error) {
	f, err := bounded.OpenInput(path)
	if err != nil {
		return nil, Unreadable(path, err)
	}
	content, err := bounded.Gunzip(f)
	if err != nil {
		_ = f.Close()
		return nil, Unreadable(path, err)
	}
	return struct {
		io.Reader
		io.Closer
	}{content, f}, nil
}

// LeftOut returns, sorted, the names in a folder that List leaves out or, if deep, the paths within
// the folder that Tree leaves out; those of folders have a slash at the end. The record of a run of
// lethe deidentify is not among them. Of a file it returns none.
func LeftOut(path string, deep bool, exts ...string) ([]string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, Unreadable(path, err)
	}
	if !info.IsDir() {
		return nil, nil
	}
	_, left, err := divide(path, "", exts, deep)
	return left, err
}

// divide returns the paths within the folder root of the files in its subfolder below, and in the
// subfolders of that if deep: those to read, and the others.
func divide(root, below string, exts []string, deep bool) (taken, left []string, err error) {
	dir := filepath.Join(root, below)
	entries, err := os.ReadDir(dir) // sorted
	if err != nil {
		return nil, nil, Unreadable(dir, err)
	}
	for _, e := range entries {
		name := filepath.Join(below, e.Name())
		hidden := strings.HasPrefix(e.Name(), ".")
		switch {
		case e.Name() == paths.RunRecord:
		case deep && e.IsDir() && !hidden:
			t, l, err := divide(root, name, exts, deep)
			if err != nil {
				return nil, nil, err
			}
			taken, left = append(taken, t...), append(left, l...)
		case e.IsDir() || isFolder(filepath.Join(root, name), e):
			left = append(left, name+"/")
		case hidden || !slices.Contains(exts, Ext(name)):
			left = append(left, name)
		default:
			taken = append(taken, name)
		}
	}
	return taken, left, nil
}

// isFolder reports whether an entry is a link to a folder.
func isFolder(path string, e fs.DirEntry) bool {
	if e.Type()&fs.ModeSymlink == 0 {
		return false
	}
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// Each reads the notes of a format that has one in a file, from the files that Tree
// finds, and gives them the IDs that IDWithin returns. A note that cannot be read yields
// its error, and reading goes on.
func Each(path, ext string, read func(file string) (*data.Document, error)) data.Documents {
	return func(yield func(*data.Document, error) bool) {
		files, err := Tree(path, ext)
		if err != nil {
			yield(nil, err)
			return
		}
		seen := map[string]bool{}
		for _, file := range files {
			doc, err := read(file)
			if err == nil {
				if doc.ID = IDWithin(path, file); seen[doc.ID] {
					doc, err = nil, Defect(file, 0, -1, "another file in this folder has the same name except for its extension")
				} else {
					seen[doc.ID] = true
				}
			}
			if !yield(doc, err) {
				return
			}
		}
	}
}

// IDWithin returns the ID of the note in a file that was found at path: the file's path within the
// folder, with slashes and without its extension or, if path is the file, ID.
func IDWithin(path, file string) string {
	id := ID(file)
	if below, err := filepath.Rel(path, filepath.Dir(file)); err == nil && filepath.IsLocal(below) && below != "." {
		return filepath.ToSlash(below) + "/" + id
	}
	return id
}

// Zip is the extension of gzipped files, which follows the extension of the format.
const Zip = ".gz"

// Ext is the extension of a file in lower case, without that of gzip: ".xml" of a.XML and of a.xml.gz.
func Ext(path string) string {
	ext := strings.ToLower(filepath.Ext(path))
	if ext == Zip {
		return strings.ToLower(filepath.Ext(path[:len(path)-len(ext)]))
	}
	return ext
}

// Stem is the path of a file without its extension, and without that of gzip.
func Stem(path string) string {
	if strings.EqualFold(filepath.Ext(path), Zip) {
		path = path[:len(path)-len(Zip)]
	}
	return strings.TrimSuffix(path, filepath.Ext(path))
}

// ID is the file's name without folder and extension.
func ID(path string) string {
	base := filepath.Base(path)
	if id := Stem(base); id != "" {
		return id
	}
	return base
}

// Quotes reports whether an annotation's quotation is that of a text, but for
// white space, which tools alter, and for references such as &apos; that one tool
// too many has written.
func Quotes(quotation, text string) bool {
	quotation, text = solid(quotation), solid(text)
	return quotation == text || html.UnescapeString(quotation) == text
}

// solid is a text without white space.
func solid(text string) string { return strings.Join(strings.Fields(text), "") }

// ReadFile reads the file of a note, which is not endless, nor a FIFO to wait for.
func ReadFile(path string) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return ReadAll(f, path)
}

// Given returns the path of a file that belongs to others of the same name: path itself or, if that does not exist,
// the gzipped file. It is an error if both exist.
func Given(path string) (string, error) {
	_, plain := os.Lstat(path)
	_, zipped := os.Lstat(path + Zip)
	switch {
	case plain == nil && zipped == nil:
		return "", Defect(path, 0, -1, "there are two of this file, one of them gzipped")
	case zipped == nil:
		return path + Zip, nil
	}
	return path, nil
}

// ReadAll reads the stream of a note; name stands for its path.
func ReadAll(r io.Reader, name string) ([]byte, error) {
	raw, err := bounded.ReadAll(r, bounded.MaxNote)
	if err != nil {
		return nil, Unreadable(name, err)
	}
	return raw, nil
}

// ReadText reads a whole file of valid UTF-8.
func ReadText(path string) (string, error) {
	raw, err := ReadFile(path)
	if err != nil {
		return "", err
	}
	return string(raw), CheckUTF8(path, raw)
}

// CheckUTF8 names the line and the byte offset of the first invalid byte.
func CheckUTF8(path string, raw []byte) error {
	if utf8.Valid(raw) {
		return nil
	}
	at := 0
	for {
		r, n := utf8.DecodeRune(raw[at:])
		if r == utf8.RuneError && n == 1 {
			return Defect(path, LineAt(raw, at), at, "invalid UTF-8: convert the file to UTF-8, probably from "+encoding(raw))
		}
		at += n
	}
}

// encoding names what a file that is not UTF-8 probably is.
func encoding(raw []byte) string {
	if bytes.HasPrefix(raw, []byte{0xFF, 0xFE}) || bytes.HasPrefix(raw, []byte{0xFE, 0xFF}) {
		return "UTF-16"
	}
	return "Latin-1 or Windows-1252"
}

// LineAt is the 1-based line of a byte offset.
func LineAt(raw []byte, offset int) int { return 1 + bytes.Count(raw[:offset], []byte("\n")) }

// Defect makes the error of a file. Line 0 and offset -1 are unknown.
func Defect(path string, line, offset int, reason string) *data.Error {
	return &data.Error{Path: path, Line: line, Offset: offset, Reason: reason}
}

// Unreadable makes the error of a file that the system does not give.
func Unreadable(path string, err error) error {
	if reason, ok := strings.CutPrefix(err.Error(), path+": "); ok {
		return Defect(path, 0, -1, reason)
	}
	return &data.Error{Path: path, Offset: -1, Reason: "cannot be read", Err: cause(err)}
}

func unwritable(path string, err error) error {
	return &data.Error{Path: path, Offset: -1, Reason: "cannot be written", Err: cause(err)}
}

// cause takes off the path that the os package puts before an error.
func cause(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) { // no reader of plain files returns it
		return errors.New("the gzipped file is incomplete")
	}
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	return err
}

// Offset parses an offset: decimal digits only, leading zeros allowed.
func Offset(s string) (int, error) {
	n := 0
	for _, c := range []byte(s) {
		if c < '0' || c > '9' || n > 1<<40 {
			return 0, fmt.Errorf("an offset is not a whole number")
		}
		n = 10*n + int(c-'0')
	}
	if s == "" {
		return 0, fmt.Errorf("an offset is missing")
	}
	return n, nil
}
