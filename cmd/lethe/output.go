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
	"github.com/lethe-deid/lethe/internal/bounded"
	"github.com/lethe-deid/lethe/internal/paths"
	"github.com/lethe-deid/lethe/internal/wholefile"
)

// stdio means stdin as an input path, and stdout as an output path.
const stdio = "-"

// outputHelp is the usage of flags whose path goes to openOutput.
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

// openOutput opens a writer in a named format:
//
//   - to stdout, which supports the formats text and jsonl
//   - to a new or empty folder, if the path ends in a slash, is a folder, or has no extension; it appears at Close
//   - otherwise to a new file
//
// oneNote reports that there is only one note to write. Some formats of files require this, and so does text on stdout.
func openOutput(path, formatName string, opt format.Options, oneNote bool) (data.Writer, error) {
	f, err := format.Lookup(formatName)
	if err != nil {
		return nil, err
	}
	if path == stdio {
		switch {
		case f.Encode == nil:
			return nil, fmt.Errorf("stdout supports the formats text and jsonl, not %s: give an --output", f.Name)
		case f.OneNote && !oneNote:
			return nil, errors.New("stdout supports only one note of the format text: give an --output folder")
		}
		return &stdout{encode: f.Encode}, nil
	}
	if err := paths.MustBeNew(path); err != nil {
		return nil, err
	}
	switch {
	case paths.IsFolder(path):
		return createFolder(path, f, opt)
	case f.CreateFile == nil:
		return nil, fmt.Errorf("%s: is a file, because it has an extension, but %s requires two files per note: give a folder (or %s/)", path, f.Name, path)
	case f.OneNote && !oneNote:
		return nil, fmt.Errorf("%s: is a file, because it has an extension, but %s requires one file per note: give a folder (or %s/)", path, f.Name, path)
	}
	return f.CreateFile(path, opt)
}

// wholeFolder is a writer into a folder that appears at Close.
type wholeFolder struct {
	data.Writer
	folder *wholefile.Folder
	path   string // as it was given
}

func createFolder(path string, f *format.Format, opt format.Options) (data.Writer, error) {
	resolved, err := paths.Resolve(path)
	if err != nil {
		return nil, err
	}
	folder, err := wholefile.CreateFolder(resolved, 0o777)
	if err != nil {
		return nil, err
	}
	w, err := f.Create(folder.Path, opt)
	if err != nil {
		return nil, errors.Join(err, folder.Discard())
	}
	return &wholeFolder{w, folder, path}, nil
}

// Write implements data.Writer. Errors name the file as it would be called at the end.
func (w *wholeFolder) Write(doc *data.Document) error {
	err := w.Writer.Write(doc)
	if e, ok := errors.AsType[*data.Error](err); ok {
		e.Path = strings.Replace(e.Path, w.folder.Path, w.path, 1)
	}
	return err
}

func (w *wholeFolder) Close() error {
	if err := w.Writer.Close(); err != nil {
		return err
	}
	return w.folder.Publish()
}

func (w *wholeFolder) Abort() error { return errors.Join(w.Writer.Abort(), w.folder.Discard()) }

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

// openInput reads a file, a folder or stdin, and reports whether it contains only one note by its format. It warns about
// the files of a folder that it does not read.
func openInput(path, formatName string, opt format.Options) (docs data.Documents, oneNote bool, err error) {
	f, err := format.Lookup(formatName)
	if err != nil {
		return nil, false, err
	}
	if path == stdio {
		if f.Decode == nil {
			return nil, false, fmt.Errorf("%s requires files, and cannot be read from stdin", formatName)
		}
		in, err := bounded.Gunzip(os.Stdin)
		if err != nil {
			return nil, false, fmt.Errorf("stdin: %w", err)
		}
		return f.Decode(in, "stdin", opt), f.OneNote, nil
	}
	if err := checkNoSyntax(path, f); err != nil {
		return nil, false, err
	}
	if err := tellLeftOut(path, f, opt); err != nil {
		return nil, false, err
	}
	return f.Read(path, opt), f.Single(path), nil
}

// checkNoSyntax returns an error if a file would be read as text although its extension is that of other formats.
func checkNoSyntax(path string, f *format.Format) error {
	info, err := os.Stat(path)
	if ext := format.Ext(path); err == nil && !info.IsDir() && f.TextOnly && anotherFormat(ext, f.Name) {
		err = fmt.Errorf("%s: as text, its syntax would be read as well: give the --format of %s files", path, ext)
	}
	return err
}

// tellLeftOut warns on stderr about the files of a folder that are not read.
func tellLeftOut(path string, f *format.Format, opt format.Options) error {
	left, err := f.LeftOut(path, opt)
	if err == nil && len(left) > 0 {
		complain(leftOut(path, f, left))
	}
	return err
}

// flat returns a format that leaves out subfolders, as official scripts do.
func flat(f *format.Format) *format.Format {
	single := *f
	single.OneNote = false
	return &single
}

// leftOut returns the warning about the files and folders in a folder that are not read.
func leftOut(dir string, f *format.Format, names []string) error {
	if f.Project != nil && f.Project(dir) {
		return fmt.Errorf("%s: left out, because the annotator has not annotated them (documents: %d): %s", dir, len(names), paths.Some(names))
	}
	folders := 0
	for _, name := range names {
		if strings.HasSuffix(name, "/") {
			folders++
		}
	}
	return fmt.Errorf("%s: left out, because only %s files are read (files: %d, folders: %d): %s",
		dir, strings.Join(f.Exts, " and "), len(names)-folders, folders, paths.Some(names))
}

// anyTypes returns the type set that contains every type, for input whose own spans are not used.
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
