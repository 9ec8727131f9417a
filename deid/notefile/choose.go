package notefile

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid/notefile/internal/base"
	"github.com/lethe-deid/lethe/deid/notefile/internal/markup"
)

// The functions of this file choose the format of a file by its extension and, if several formats
// have the same extension, by the beginning of the file.

// choosePeek is the number of bytes, in UTF-8, from which a format is chosen at most.
const choosePeek = 1 << 20

// Choose returns the format of the file with this name, or nil if no format has its extension. It
// never chooses a format with a Sidecar. open opens the file, uncompressed; it is called only if
// several formats have the extension. encoding is that of Options. The error says why the file
// cannot be read, or that its content does not show which of the formats it has.
func Choose(name, encoding string, open func() (io.ReadCloser, error)) (*Format, error) {
	some := candidates(name)
	switch len(some) {
	case 0:
		return nil, nil
	case 1:
		return some[0], nil
	}
	file, err := open()
	if err != nil {
		return nil, err
	}
	defer file.Close()
	enc, err := base.LookupEncoding(encoding)
	if err != nil {
		return nil, err
	}
	in := base.NewSource(file, name, enc)
	for _, n := range []int{1 << 12, 1 << 16, choosePeek} {
		in.In = bufio.NewReaderSize(in.In, n)
		raw, err := in.In.Peek(n)
		if err != nil && err != io.EOF {
			return nil, in.Unreadable(err)
		}
		if f := recognized(some, raw, len(raw) < n); f != nil {
			return f, nil
		}
	}
	return nil, &data.Error{Path: name, Offset: -1, Reason: fmt.Sprintf("the content does not show which of the formats %s it has: give the --format", strings.Join(names(some), ", "))}
}

// recognized returns the format of a file that begins like this, or nil if that is not certain. An empty file has the
// first format.
func recognized(formats []*Format, raw []byte, whole bool) *Format {
	start := bytes.TrimSpace(bytes.TrimPrefix(raw, []byte(markup.BOM)))
	if len(start) == 0 && whole {
		return formats[0]
	}
	for _, f := range formats {
		if len(start) > 0 && f.recognizes != nil && f.recognizes(start, whole) {
			return f
		}
	}
	return nil
}

// Known reports whether Choose may find a format for a file with this name.
func Known(name string) bool { return len(candidates(name)) > 0 }

// Extensions lists the extensions from which Choose finds a format, in the order of the formats.
func Extensions() []string {
	var all []string
	for _, f := range formats {
		for _, ext := range f.Exts {
			if !slices.Contains(all, ext) {
				all = append(all, ext)
			}
		}
	}
	return all
}

// candidates lists the formats that Choose may return for a file with this name.
func candidates(name string) []*Format {
	var some []*Format
	for _, f := range formats {
		if f.Takes(name) && f.Sidecar == nil {
			some = append(some, f)
		}
	}
	return some
}

// Unreadable returns the kind of the file, such as PDF, if its extension belongs to a kind of file
// that no format reads, and otherwise "".
func Unreadable(name string) string {
	if Known(name) {
		return ""
	}
	name = strings.TrimSuffix(strings.ToLower(name), ".gz")
	return otherKinds[filepath.Ext(name)]
}

// Applicable returns the options without those for which the format has no use: those that name columns or a delimiter, and Drop. It is for
// options that apply to some files of a folder, and not to others.
func (f *Format) Applicable(o Options) Options {
	if !f.Columns {
		o.Columns, o.ID, o.Patient = nil, "", ""
	}
	if !f.delimits {
		o.Comma = 0
	}
	if f.Seeks {
		o.Encoding = ""
	}
	o.OMOP = o.OMOP && f.Tables
	o.Drop = o.Drop && f.Parts
	return o
}

// BesideTables reports whether a file with this name is one that Spark and other programs put beside the files of a table: a
// checksum, or an empty or technical file such as _SUCCESS. Such files contain no notes.
func BesideTables(name string) bool {
	for _, prefix := range []string{"_committed_", "_started_"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return slices.Contains([]string{"_SUCCESS", "_metadata", "_common_metadata"}, name) || strings.HasPrefix(name, ".") && strings.HasSuffix(name, ".crc")
}

// OfTables reports whether a folder with this name belongs to the table whose files are beside it: the log of Delta Lake, which says
// which of the files are still valid, or the files of a job of Spark that has not ended.
func OfTables(name string) bool { return name == "_delta_log" || name == "_temporary" }

var xmlProlog = regexp.MustCompile(`^(?:\s+|<\?[^>]*>|<!--(?s:.*?)-->|<![A-Z][^>]*>)*<([\w:.-]+)`)

// hasRoot returns a function that reports whether XML begins with this element.
func hasRoot(name string) func(start []byte, whole bool) bool {
	return func(start []byte, _ bool) bool {
		root := xmlProlog.FindSubmatch(start)
		return root != nil && string(root[1][bytes.IndexByte(root[1], ':')+1:]) == name
	}
}

// isResource reports whether JSON begins with an object that has a resourceType.
func isResource(start []byte, _ bool) bool {
	found, _ := topKeys(start, func(key string) bool { return key == "resourceType" })
	return found
}

// isRow reports whether JSON begins with an array, or with an object that has no resourceType. If whole is false, the
// object may go on beyond the start.
func isRow(start []byte, whole bool) bool {
	found, ended := topKeys(start, func(key string) bool { return key == "resourceType" })
	return !found && (ended || whole)
}

// topKeys reports whether see returns true for a key of the object with which JSON begins, and whether all keys of
// the object were seen. An array, or anything that is not JSON, has no keys.
func topKeys(start []byte, see func(key string) bool) (found, ended bool) {
	if start[0] != '{' {
		return false, true
	}
	dec := json.NewDecoder(bytes.NewReader(start))
	depth, isKey := 0, false
	for {
		token, err := dec.Token()
		if err != nil {
			return false, false
		}
		switch t := token.(type) {
		case json.Delim:
			if t == '{' || t == '[' {
				depth++
			} else if depth--; depth == 0 {
				return false, true
			}
			isKey = depth == 1
			continue
		case string:
			if depth == 1 && isKey && see(t) {
				return true, false
			}
		}
		if depth == 1 {
			isKey = !isKey
		}
	}
}

// otherKinds are the kinds of files that no format reads, by their extensions.
var otherKinds = map[string]string{
	".pdf": "PDF", ".doc": "Word", ".docx": "Word", ".odt": "OpenDocument", ".xls": "Excel", ".xlsx": "Excel", ".ods": "OpenDocument",
	".zip": "ZIP", ".bz2": "bzip2", ".xz": "xz", ".zst": "Zstandard", ".7z": "7-Zip", ".gz": "gzip",
}

// corpusExts are the extensions of corpora that other commands read. As text, their labels and markup would be taken for words.
var corpusExts = []string{".conll", ".xmi"}

// checkKind returns an error if the name or the beginning of a file shows that it has another
// format.
func (f *Format) checkKind(in *base.Source) error {
	ext := strings.ToLower(in.Ext())
	if strings.EqualFold(filepath.Ext(in.Name), ".gz") && ext == "" {
		ext = strings.ToLower(filepath.Ext(in.Base()))
	}
	if !slices.Contains(f.Exts, ext) && !slices.Contains(f.alsoExts, ext) {
		var owners []string
		for _, other := range formats {
			if slices.Contains(other.Exts, ext) {
				owners = append(owners, other.Name)
			}
		}
		switch {
		case len(owners) > 0:
			return in.Defect(0, -1, fmt.Sprintf("the name ends in %s, so the file is not of the format %s, but of %s", ext, f.Name, strings.Join(owners, " or ")))
		case slices.Contains(corpusExts, ext):
			return in.Defect(0, -1, fmt.Sprintf("the name ends in %s, so the file is an annotated corpus and not of the format %s: lethe convert writes it in another format", ext, f.Name))
		case otherKinds[ext] != "":
			return in.Defect(0, -1, fmt.Sprintf("the name ends in %s, so the file is not of the format %s: lethe cannot read %s files", ext, f.Name, otherKinds[ext]))
		}
	}
	start, _ := in.In.Peek(markup.ContentPeek) // reading returns the error again
	if kind := markup.ContentKind(string(start)); kind != "" && kind != f.content {
		return in.Defect(1, -1, fmt.Sprintf("the content is %s, so the file is not of the format %s", markup.KindNames[kind], f.Name))
	}
	return nil
}
