package meddocan

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/evaluation"
	"github.com/lethe-deid/lethe/evaluation/internal/tagged"
	"github.com/lethe-deid/lethe/internal/bounded"
)

// NewTag returns a tag as in brat. Offsets are in code points.
func NewTag(typ string, start, end int) Tag {
	return Tag{Type: typ, start: strconv.Itoa(start), end: strconv.Itoa(end), span: span{start, end}}
}

// NewXMLTag returns a tag as in XML. Like the script, it fails if an offset is
// not a number.
func NewXMLTag(element, typ, start, end string) (Tag, error) {
	t := Tag{Element: element, Type: typ, start: start, end: end}
	var err error
	t.from, t.to, err = tagged.Offsets(start, end)
	return t, err
}

// ReadBrat reads one .ann file or those of a folder, each with the .txt file of
// the same name. It reads CR LF and CR as LF in both, as Python reads text, so
// offsets differ from those of brat itself. Lines that start with T are tags: a
// type and two numbers after the first tab. Like the script, it skips lines with
// too few fields and ignores the text that a line quotes. Errors, of type
// *data.Error, are cases that would stop the script: an offset that is not a
// number (as in a span in fragments), a missing text, bytes that are not UTF-8.
func ReadBrat(path string) (Source, error) {
	return read(path, ".ann", func(file string) (*Document, error) {
		d := &Document{}
		var err error
		if d.Text, err = readText(strings.TrimSuffix(file, filepath.Ext(file)) + ".txt"); err != nil {
			return nil, err
		}
		lines, err := readText(file)
		if err != nil {
			return nil, err
		}
		n := 0
		for line := range strings.Lines(lines) {
			n++
			line = strings.TrimFunc(line, space)
			if !strings.HasPrefix(line, "T") {
				continue
			}
			tag, ok, reason := parseLine(line)
			switch {
			case reason != "":
				return nil, &data.Error{Path: file, Line: n, Offset: -1, Reason: reason}
			case ok:
				d.Tags = append(d.Tags, tag)
			default:
				d.Skipped = append(d.Skipped, &data.Error{Path: file, Line: n, Offset: -1, Reason: "too few fields for a tag"})
			}
		}
		return d, nil
	})
}

// parseLine reads a tag. ok is false if the script skips the line. A reason that
// is not empty says why the line would stop the script.
func parseLine(line string) (tag Tag, ok bool, reason string) {
	_, rest, _ := strings.Cut(line, "\t")
	rest, _, _ = strings.Cut(rest, "\t")
	fields := strings.FieldsFunc(rest, space)
	if len(fields) < 2 {
		return Tag{}, false, ""
	}
	start, err := tagged.Int(fields[1])
	if err != nil {
		return Tag{}, false, "start: " + err.Error()
	}
	if len(fields) < 3 {
		return Tag{}, false, ""
	}
	if strings.Contains(fields[2], ";") {
		return Tag{}, false, "the span is in fragments"
	}
	end, err := tagged.Int(fields[2])
	if err != nil {
		return Tag{}, false, "end: " + err.Error()
	}
	return NewTag(fields[0], start, end), true, ""
}

// space reports whether Python treats r as white space.
func space(r rune) bool { return unicode.IsSpace(r) || r >= 0x1c && r <= 0x1f }

// elements lists the elements whose tags the script reads.
var elements = []string{"PHI", "NAME", "PROFESSION", "LOCATION", "AGE", "DATE", "CONTACT", "ID", "OTHER"}

// ReadXML reads one .xml file or those of a folder. Tags are the children of TAGS
// whose element is PHI or one of the categories. Errors, of type *data.Error, are
// cases that would stop the script: a file that is not XML in UTF-8, no TAGS, an
// offset that is not a number.
func ReadXML(path string) (Source, error) {
	return read(path, ".xml", func(file string) (*Document, error) {
		raw, err := bounded.ReadFile(file, bounded.MaxNote)
		if err != nil {
			return nil, err
		}
		x, err := tagged.XML(raw, file, tagged.ElementTree)
		if err != nil {
			return nil, err
		}
		d := &Document{Text: x.Text}
		for _, t := range x.Tags {
			if !slices.Contains(elements, t.Element) {
				d.Ignored++
				continue
			}
			tag, err := NewXMLTag(t.Element, t.Type, t.Start, t.End)
			if err != nil {
				return nil, &data.Error{Path: file, Line: t.Line, Offset: -1, Reason: err.Error()}
			}
			d.Tags = append(d.Tags, tag)
		}
		return d, nil
	})
}

// read lists the files of a folder, and yields their documents one by one. The ID
// of a document is the file's name without its extension.
func read(path, ext string, one func(file string) (*Document, error)) (Source, error) {
	files := []string{path}
	if info, err := os.Stat(path); err != nil {
		return nil, err
	} else if info.IsDir() {
		entries, err := os.ReadDir(path)
		if err != nil {
			return nil, err
		}
		files = nil
		for _, e := range entries {
			if !e.IsDir() && strings.HasSuffix(e.Name(), ext) {
				files = append(files, filepath.Join(path, e.Name()))
			}
		}
		if files == nil {
			return nil, fmt.Errorf("%s: the folder holds no %s file", path, ext)
		}
	}
	return func(yield func(*Document, error) bool) {
		for _, file := range files {
			d, err := one(file)
			if err == nil {
				name := filepath.Base(file)
				d.ID = strings.TrimSuffix(name, filepath.Ext(name))
			}
			if !yield(d, err) {
				return
			}
		}
	}, nil
}

// readText reads a file as Python reads text: with CR LF and CR as LF.
func readText(path string) (string, error) {
	raw, err := bounded.ReadFile(path, bounded.MaxNote)
	if err != nil {
		return "", err
	}
	if !utf8.Valid(raw) {
		return "", &data.Error{Path: path, Offset: -1, Reason: "invalid UTF-8"}
	}
	return newlines.Replace(string(raw)), nil
}

var newlines = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// Sentences returns a function for Options.Sentences that counts the lines of
// dir/ID.ann, as the script does with the files of its folder sentence_splitted.
// The number is unknown for a document without such a file.
func Sentences(dir string) func(id string) (int, bool, error) {
	return func(id string) (int, bool, error) {
		text, err := readText(filepath.Join(dir, id+".ann"))
		if os.IsNotExist(err) {
			return 0, false, nil
		}
		n := strings.Count(text, "\n")
		if text != "" && !strings.HasSuffix(text, "\n") {
			n++
		}
		return n, err == nil, err
	}
}

// FromDocuments converts documents from any reader. They are compared as brat
// documents are.
func FromDocuments(docs data.Documents) Source { return tagged.Convert(docs, fromDocument) }

func fromDocument(doc *data.Document) *Document {
	d := &Document{ID: doc.ID, Text: doc.Text, Tags: make([]Tag, len(doc.Spans))}
	point := tagged.CodePoints(doc.Text)
	for i, s := range doc.Spans {
		d.Tags[i] = NewTag(s.Type, point(s.Start), point(s.End))
	}
	return d
}

// Metrics returns the three evaluations as metrics over documents, which are
// compared as brat documents are: meddocan/ner, meddocan/strict and
// meddocan/merged.
func Metrics() []evaluation.Metric {
	metric := func(name string, of func(counts) evaluation.Counts) evaluation.Metric {
		return evaluation.Metric{Name: "meddocan/" + name, Score: prf, Tally: func(gold, system *data.Document) []float64 {
			c := of(count(fromDocument(gold), fromDocument(system), false))
			return []float64{float64(c.TP), float64(c.FP), float64(c.FN)}
		}}
	}
	return []evaluation.Metric{
		metric("ner", func(c counts) evaluation.Counts { return c.ner }),
		metric("strict", func(c counts) evaluation.Counts { return c.strict }),
		metric("merged", func(c counts) evaluation.Counts { return c.merged }),
	}
}
