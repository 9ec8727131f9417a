package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/format"
	"github.com/lethe-deid/lethe/internal/paths"
)

// stdio is stdin as an input, and stdout as an output.
const stdio = "-"

// outputHelp says how openOutput takes a path.
const outputHelp = "`PATH` to write to: a file if it has an extension, as in x.txt; otherwise a folder, which must be new or empty"

// The formats of a corpus, as help texts list them.
var (
	allFormats       = or(format.Names())
	annotatedFormats = or(format.Annotated())
)

// or lists names: "a, b or c".
func or(names []string) string {
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// openOutput opens a writer in a named format: to stdout, which takes text and
// jsonl; to a new file, if the path has an extension; or to a folder that holds
// nothing yet. A path that ends in a slash, or is there as a folder, is a folder.
// oneNote says that there is but one note to write, as some files, and text on
// stdout, want it.
func openOutput(path, formatName string, types *data.TypeSet, oneNote bool) (data.Writer, error) {
	f, err := format.Lookup(formatName)
	if err != nil {
		return nil, err
	}
	if path == stdio {
		switch {
		case f.Encode == nil:
			return nil, fmt.Errorf("stdout takes the formats text and jsonl, not %s: give an --output", f.Name)
		case f.OneNote && !oneNote:
			return nil, errors.New("as text on stdout, notes would run together: give an --output folder")
		}
		return &stdout{encode: f.Encode}, nil
	}
	if err := paths.MustBeNew(path); err != nil {
		return nil, err
	}
	switch {
	case paths.IsFolder(path):
		return f.Create(path, types)
	case f.CreateFile == nil:
		return nil, fmt.Errorf("%s: has an extension, as a file has, but %s keeps a note in two files: give a folder (%s/ if it is one)", path, f.Name, path)
	case f.OneNote && !oneNote:
		return nil, fmt.Errorf("%s: has an extension, as a file has, but %s keeps each note in one of its own: give a folder (%s/ if it is one)", path, f.Name, path)
	}
	return f.CreateFile(path, types)
}

// stdout writes documents to stdout.
type stdout struct {
	encode func(*data.Document) ([]byte, error)
}

var _ data.Writer = (*stdout)(nil)

func (s *stdout) Write(doc *data.Document) error {
	encoded, err := s.encode(doc)
	if err == nil {
		_, err = os.Stdout.Write(encoded)
	}
	return err
}

func (s *stdout) Close() error { return nil }
func (s *stdout) Abort() error { return nil }

// openInput reads a file, a folder, or stdin, and says whether there can be but
// one note. What it leaves out of a folder it names on stderr.
func openInput(path, formatName string, types *data.TypeSet) (docs data.Documents, oneNote bool, err error) {
	f, err := format.Lookup(formatName)
	if err != nil {
		return nil, false, err
	}
	if path == stdio {
		if f.Decode == nil {
			return nil, false, fmt.Errorf("%s needs files, and cannot be read from stdin", formatName)
		}
		return f.Decode(os.Stdin, "stdin", types), f.OneNote, nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, false, err
	}
	if err := tellLeftOut(path, f); err != nil {
		return nil, false, err
	}
	return f.Read(path, types), f.OneNote && !info.IsDir(), nil
}

// tellLeftOut names on stderr what is not read of a folder.
func tellLeftOut(path string, f *format.Format) error {
	left, err := f.LeftOut(path)
	if err == nil && len(left) > 0 {
		complain(leftOut(path, f, left))
	}
	return err
}

// leftOut says that a folder holds more than its notes.
func leftOut(dir string, f *format.Format, names []string) error {
	folders := 0
	for _, name := range names {
		if strings.HasSuffix(name, "/") {
			folders++
		}
	}
	return fmt.Errorf("%s: left out, since only %s files are read (files: %d, folders: %d): %s",
		dir, strings.Join(f.Exts, " and "), len(names)-folders, folders, paths.Some(names))
}

// anyTypes is for input whose own spans are of no interest.
func anyTypes() *data.TypeSet {
	return data.Any
}

// printReport prints a report as text, or as JSON.
func printReport(r interface{ WriteText(io.Writer) error }, asJSON bool) error {
	if asJSON {
		return printJSON(r)
	}
	return r.WriteText(os.Stdout)
}

func printJSON(v any) error {
	enc := json.NewEncoder(os.Stdout)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}
