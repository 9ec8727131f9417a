package i2b2

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data"
)

// System is what one system made of the documents, by the part of the file names
// that follows the ID: "" for 110-04.xml, "run2" for 110-04run2.xml.
type System struct {
	ID        string
	Documents Source
}

// Systems finds the documents of systems: in one XML file, or in a folder, whose
// files that end in ".xml" are read. Systems are sorted by ID, and the documents
// of each by theirs.
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
	slices.SortFunc(systems, func(a, b System) int { return strings.Compare(a.ID, b.ID) })
	return systems, nil
}

// Read reads the gold standard, as Systems does, but for the part of the names
// after the ID, which plays no part. It is an error that two files have one ID:
// the script takes one of them, and which one is chance.
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

// file is an XML file and what its name says.
type file struct{ path, id, system string }

// The script has no anchor at the end.
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
	slices.SortFunc(files, func(a, b file) int {
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
	raw, err := os.ReadFile(f.path)
	if err != nil {
		return nil, err
	}
	return decode(raw, f.path, f.id)
}

// decode reads a document as the script's XML parser (lxml) and the script do;
// path is for errors, which are of the type *data.Error. The text is that of TEXT
// up to the first comment or element in it; CR LF and CR are LF. Tags are the
// children of TAGS. An error is what would stop the script: XML that is not
// well-formed, no TAGS, an offset that is not a number, tags but no text.
//
// The script decodes every file as UTF-8, whatever it declares, and the parser
// decodes the outcome as declared: so in a file that says ISO-8859-1 each
// character that is not ASCII is two or more.
func decode(raw []byte, path, id string) (*Document, error) {
	if line := invalidLine(raw); line > 0 {
		return nil, &data.Error{Path: path, Line: line, Offset: -1, Reason: "invalid UTF-8"}
	}
	p := &parser{xml: xml.NewDecoder(bytes.NewReader(bytes.TrimPrefix(raw, []byte("\uFEFF"))))}
	p.xml.CharsetReader = charset
	d := &Document{ID: id}
	if err := p.document(d); err != nil {
		if err.Path = path; err.Line == 0 {
			err.Line, _ = p.xml.InputPos()
		}
		return nil, err
	}
	return d, nil
}

// invalidLine is the line of the first byte that is not UTF-8, or 0.
func invalidLine(raw []byte) int {
	if utf8.Valid(raw) {
		return 0
	}
	number := 0
	for line := range bytes.Lines(raw) {
		if number++; !utf8.Valid(line) {
			break
		}
	}
	return number
}

// parser walks the tokens of a file.
type parser struct{ xml *xml.Decoder }

func stop(reason string) *data.Error { return &data.Error{Offset: -1, Reason: reason} }

// next returns io.EOF as a nil token. The parser's own messages quote the file and
// are not passed on.
func (p *parser) next() (xml.Token, *data.Error) {
	t, err := p.xml.Token()
	switch e, syntax := errors.AsType[*xml.SyntaxError](err); {
	case err == io.EOF:
		return nil, nil
	case errors.Is(err, errCharset):
		return nil, stop(errCharset.Error())
	case syntax:
		return nil, &data.Error{Line: e.Line, Offset: -1, Reason: "not well-formed XML"}
	case err != nil:
		return nil, stop("not well-formed XML")
	}
	return t, nil
}

// document reads the whole file: one root with a TEXT and a TAGS.
func (p *parser) document(d *Document) *data.Error {
	depth, roots, texts, tags := 0, 0, 0, 0
	for {
		t, err := p.next()
		if err != nil {
			return err
		}
		switch t := t.(type) {
		case nil:
			switch {
			case roots == 0:
				return stop("the file holds no XML element")
			case tags == 0:
				return stop("there is no TAGS")
			case d.Text == "" && len(d.Tags) > 0:
				return stop("there are tags, but no text")
			}
			return nil
		case xml.StartElement:
			if depth++; depth == 1 {
				if roots++; roots > 1 {
					return stop("not well-formed XML: a second root")
				}
			}
			if depth != 2 {
				continue
			}
			switch t.Name {
			case xml.Name{Local: "TEXT"}:
				if texts++; texts == 1 {
					d.Text, err = p.text()
					depth--
				}
			case xml.Name{Local: "TAGS"}:
				if tags++; tags == 1 {
					err = p.tags(d)
					depth--
				}
			}
			if err != nil {
				return err
			}
		case xml.EndElement:
			depth--
		case xml.CharData:
			if depth == 0 && len(bytes.TrimSpace(t)) > 0 {
				return stop("not well-formed XML: text outside of the root")
			}
		}
	}
}

// text reads up to the end of an element, and returns its text up to the first
// other thing in it.
func (p *parser) text() (string, *data.Error) {
	var text strings.Builder
	whole := false
	for depth := 1; depth > 0; {
		t, err := p.next()
		if err != nil {
			return "", err
		}
		switch t := t.(type) {
		case xml.CharData:
			if !whole {
				text.Write(t)
			}
			continue
		case xml.StartElement:
			depth++
		case xml.EndElement:
			depth--
		}
		whole = true
	}
	return text.String(), nil
}

// tags reads the children of TAGS.
func (p *parser) tags(d *Document) *data.Error {
	for {
		t, err := p.next()
		if err != nil {
			return err
		}
		switch t := t.(type) {
		case xml.StartElement:
			if err := p.tag(d, t); err != nil {
				return err
			}
			if _, err := p.text(); err != nil {
				return err
			}
		case xml.EndElement:
			return nil
		}
	}
}

func (p *parser) tag(d *Document, e xml.StartElement) *data.Error {
	if e.Name.Space != "" || elementIndex(e.Name.Local) < 0 {
		d.Ignored++
		return nil
	}
	var typ, start, end string
	for i, a := range e.Attr {
		for _, earlier := range e.Attr[:i] {
			if earlier.Name == a.Name {
				return stop("not well-formed XML: a tag has an attribute twice")
			}
		}
		switch a.Name {
		case xml.Name{Local: "TYPE"}:
			typ = a.Value
		case xml.Name{Local: "start"}:
			start = a.Value
		case xml.Name{Local: "end"}:
			end = a.Value
		}
	}
	t, err := NewTag(e.Name.Local, typ, start, end)
	if err != nil {
		return stop(err.Error())
	}
	d.Tags = append(d.Tags, t)
	return nil
}

var errCharset = errors.New("the declared encoding is none of UTF-8, US-ASCII and ISO-8859-1")

func charset(label string, r io.Reader) (io.Reader, error) {
	switch strings.ToLower(label) {
	case "us-ascii", "ascii", "utf8":
		return r, nil
	case "iso-8859-1", "latin1", "latin-1":
		return &widened{from: r}, nil
	}
	return nil, errCharset
}

// widened reads each byte as the code point of its number.
type widened struct {
	from io.Reader
	left []byte
}

func (w *widened) Read(b []byte) (int, error) {
	if len(w.left) == 0 {
		raw := make([]byte, 512)
		n, err := w.from.Read(raw)
		if n == 0 {
			return 0, err
		}
		for _, c := range raw[:n] {
			w.left = append(w.left, string(rune(c))...)
		}
	}
	n := copy(b, w.left)
	w.left = w.left[n:]
	return n, nil
}

var errNumber = errors.New("not a whole number")

// number is Python's int: blanks around, a sign, and single underscores between
// digits are allowed.
func number(s string) (int, error) {
	digits := strings.TrimSpace(s)
	if unsigned := strings.TrimLeft(digits, "+-"); strings.HasPrefix(unsigned, "_") || strings.HasSuffix(digits, "_") || strings.Contains(digits, "__") {
		return 0, errNumber
	}
	n, err := strconv.ParseInt(strings.ReplaceAll(digits, "_", ""), 10, 48)
	if err != nil {
		return 0, errNumber
	}
	return int(n), nil
}
