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
)

// BOM is U+FEFF in UTF-8.
const BOM = "\uFEFF"

// List returns path itself when it is a file. Of a folder it returns, sorted by
// name, the files with one of the extensions (such as ".xml", in any case);
// hidden files and subfolders are left out. A folder without such a file is an
// error.
func List(path string, exts ...string) ([]string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, Unreadable(path, err)
	}
	if !info.IsDir() {
		return []string{path}, nil
	}
	taken, _, err := divide(path, exts)
	if err != nil {
		return nil, err
	}
	if taken == nil {
		return nil, Defect(path, 0, -1, "the folder holds no "+strings.Join(exts, " or ")+" file")
	}
	var files []string
	for _, name := range taken {
		files = append(files, filepath.Join(path, name))
	}
	return files, nil
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
	f, err := bounded.OpenInput(file)
	if err != nil {
		return yield(nil, Unreadable(file, err))
	}
	defer f.Close()
	return read(f, file, seen, yield)
}

// LeftOut returns, sorted, the names in a folder that List leaves out, those of
// folders with a slash at the end. Of a file it returns none.
func LeftOut(path string, exts ...string) ([]string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, Unreadable(path, err)
	}
	if !info.IsDir() {
		return nil, nil
	}
	_, left, err := divide(path, exts)
	return left, err
}

func divide(dir string, exts []string) (taken, left []string, err error) {
	entries, err := os.ReadDir(dir) // sorted
	if err != nil {
		return nil, nil, Unreadable(dir, err)
	}
	for _, e := range entries {
		switch name := e.Name(); {
		case e.IsDir():
			left = append(left, name+"/")
		case strings.HasPrefix(name, ".") || !slices.Contains(exts, strings.ToLower(filepath.Ext(name))):
			left = append(left, name)
		default:
			taken = append(taken, name)
		}
	}
	return taken, left, nil
}

// Each reads the notes of a format that has one in a file, from the files that List
// finds. A note that cannot be read yields its error, and reading goes on.
func Each(path, ext string, read func(file string) (*data.Document, error)) data.Documents {
	return func(yield func(*data.Document, error) bool) {
		seen := map[string]bool{}
		Walk(path, []string{ext}, yield, func(file string) bool {
			doc, err := read(file)
			if err == nil && seen[doc.ID] {
				doc, err = nil, Defect(file, 0, -1, "another file in this folder has the same name except for the case of its extension")
			}
			if err == nil {
				seen[doc.ID] = true
			}
			return yield(doc, err)
		})
	}
}

// ID is the file's name without folder and extension.
func ID(path string) string {
	base := filepath.Base(path)
	if id := strings.TrimSuffix(base, filepath.Ext(base)); id != "" {
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
	raw, err := bounded.ReadFile(path, bounded.MaxNote)
	if err != nil {
		return nil, Unreadable(path, err)
	}
	return raw, nil
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
			return Defect(path, LineAt(raw, at), at, "invalid UTF-8")
		}
		at += n
	}
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
			return 0, fmt.Errorf("an offset is not a number")
		}
		n = 10*n + int(c-'0')
	}
	if s == "" {
		return 0, fmt.Errorf("an offset is missing")
	}
	return n, nil
}
