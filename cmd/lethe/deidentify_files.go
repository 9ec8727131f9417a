package main

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/google/renameio/v2"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/brat"
	"github.com/lethe-deid/lethe/data/text"
	"github.com/lethe-deid/lethe/deid/carrier"
)

// noteFile is a file of notes, and where it goes.
type noteFile struct {
	in, out string // stdio, or a path
	name    string // below the folder that was given; else the base name
	folder  bool   // it is one of a folder
}

// fileSet is what a command works on.
type fileSet struct {
	todo  []noteFile
	whole []string // names of those that an earlier run has done
}

// findFiles finds the files of the input, in the order of their names, and says where each goes.
func findFiles(f *carrier.Format, input, output string, resume bool) (*fileSet, error) {
	isFolder := func(path string) bool {
		info, err := os.Stat(path)
		return err == nil && info.IsDir()
	}
	many := input != stdio && isFolder(input)
	if input != stdio && !many {
		if _, err := os.Stat(input); err != nil {
			return nil, err
		}
	}
	if output == "" {
		output = stdio
	}
	outFolder := output != stdio && (isFolder(output) || strings.HasSuffix(output, "/") || strings.HasSuffix(output, string(filepath.Separator)) || !hasExtension(output))
	switch {
	case many && output == stdio:
		return nil, errors.New("the notes of a folder want an --output folder")
	case f.Name == "brat" && input == stdio:
		return nil, errors.New("brat needs files, and cannot be read from stdin")
	case f.Name == "brat" && !outFolder:
		return nil, fmt.Errorf("brat keeps a note in two files: give an --output folder")
	case many && !outFolder:
		return nil, fmt.Errorf("%s: has an extension, as a file has, but the files of a folder go to a folder (%s/ if it is one)", output, output)
	case resume && output == stdio:
		return nil, errors.New("--resume wants an --output: nobody knows how far stdout has come")
	}
	if output != stdio {
		if err := apart(input, output); err != nil {
			return nil, err
		}
		if !resume {
			if err := mustBeNew(output); err != nil {
				return nil, err
			}
		}
	}
	set := &fileSet{}
	add := func(in, name string) {
		file := noteFile{in: in, out: output, name: name, folder: many}
		if outFolder {
			file.out = filepath.Join(output, name)
		}
		set.todo = append(set.todo, file)
	}
	switch {
	case many:
		if err := walk(f, input, add); err != nil {
			return nil, err
		}
	case input == stdio:
		name := "stdin"
		if outFolder {
			name += f.Exts[0]
		}
		add(stdio, name)
	default:
		add(input, filepath.Base(input))
	}
	if resume {
		if err := set.leaveWhole(); err != nil {
			return nil, err
		}
	}
	return set, nil
}

// walk finds the files of a folder and of those in it, and names what it leaves out.
func walk(f *carrier.Format, dir string, add func(in, name string)) error {
	var left []string
	found := false
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if name != "." && strings.HasPrefix(entry.Name(), ".") {
				left = append(left, name+"/")
				return fs.SkipDir
			}
			return nil
		}
		info, err := os.Stat(path) // a link may lead to a file
		if err != nil || !info.Mode().IsRegular() || !f.Takes(entry.Name()) {
			if f.Name != "brat" || !strings.EqualFold(filepath.Ext(name), ".ann") {
				left = append(left, name)
			}
			return nil
		}
		found = true
		add(path, name)
		return nil
	})
	if err != nil {
		return err
	}
	if len(left) > 0 {
		const most = 5
		var shown []string
		for _, name := range left[:min(most, len(left))] {
			shown = append(shown, strconv.Quote(name))
		}
		if len(left) > most {
			shown = append(shown, "...")
		}
		complain(fmt.Errorf("%s: left out, since only %s files are read (%d): %s", dir, strings.Join(f.Exts, " and "), len(left), strings.Join(shown, ", ")))
	}
	if !found {
		return fmt.Errorf("%s: the folder holds no %s file", dir, strings.Join(f.Exts, " or "))
	}
	return nil
}

// apart refuses an output that is, holds or lies in the input.
func apart(input, output string) error {
	if input == stdio {
		return nil
	}
	in, err := resolved(input)
	if err != nil {
		return err
	}
	out, err := resolved(output)
	if err != nil {
		return err
	}
	switch {
	case in == out:
		return fmt.Errorf("%s: is the input", output)
	case strings.HasPrefix(out, in+string(filepath.Separator)):
		return fmt.Errorf("%s: lies in the input folder", output)
	case strings.HasPrefix(in, out+string(filepath.Separator)) && hasPrefixFolder(out):
		return fmt.Errorf("%s: holds the input", output)
	}
	return nil
}

// hasPrefixFolder says whether the path is a folder that is there.
func hasPrefixFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// resolved is the absolute path without links, of which the last parts need not be there.
func resolved(path string) (string, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	rest := ""
	for dir := absolute; ; dir = filepath.Dir(dir) {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			return filepath.Join(real, rest), nil
		}
		if dir == filepath.Dir(dir) {
			return absolute, nil
		}
		rest = filepath.Join(filepath.Base(dir), rest)
	}
}

// leaveWhole takes out what an earlier run has done, and removes what it left half
// written: hidden files named as the output and a number.
func (s *fileSet) leaveWhole() error {
	todo := s.todo
	s.todo = nil
	bases := map[string]map[string]bool{} // by folder
	for _, file := range todo {
		dir, base := filepath.Split(file.out)
		if bases[dir] == nil {
			bases[dir] = map[string]bool{}
		}
		bases[dir][base] = true
		if filepath.Ext(base) == ".txt" {
			bases[dir][strings.TrimSuffix(base, ".txt")+".ann"] = true
		}
		if info, err := os.Stat(file.out); err == nil && info.Mode().IsRegular() {
			s.whole = append(s.whole, file.name)
		} else {
			s.todo = append(s.todo, file)
		}
	}
	slices.Sort(s.whole)
	for dir, names := range bases {
		entries, err := os.ReadDir(filepath.Clean(dir))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		} else if err != nil {
			return err
		}
		for _, e := range entries {
			hidden, ok := strings.CutPrefix(e.Name(), ".")
			for ok && hidden != "" && hidden[len(hidden)-1] >= '0' && hidden[len(hidden)-1] <= '9' {
				if hidden = hidden[:len(hidden)-1]; names[hidden] {
					if err := os.Remove(filepath.Join(dir, e.Name())); err != nil {
						return err
					}
					break
				}
			}
		}
	}
	return nil
}

// openNotes opens a file, gunzipped if need be, and says whether it was.
func openNotes(path string) (io.ReadCloser, bool, error) {
	f := os.Stdin
	if path != stdio {
		var err error
		if f, err = os.Open(path); err != nil {
			return nil, false, err
		}
	}
	in := bufio.NewReaderSize(f, 1<<16)
	magic, _ := in.Peek(2) // an error comes again when reading
	unzipped, err := text.Gunzip(in)
	if err != nil {
		_ = f.Close()
		return nil, false, &data.Error{Path: path, Offset: -1, Reason: "cannot be read", Err: err}
	}
	return struct {
		io.Reader
		io.Closer
	}{unzipped, f}, string(magic) == "\x1f\x8b", nil
}

// sink writes one file, which gets its name when it is whole.
type sink struct {
	path    string
	pending *renameio.PendingFile // nil for stdout
	buf     *bufio.Writer
	zip     *gzip.Writer // nil for a file that is not gzipped
}

func openSink(path string, zipped bool) (*sink, error) {
	s := &sink{path: path}
	if path == stdio {
		s.buf = bufio.NewWriterSize(os.Stdout, 1<<16)
	} else {
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return nil, unwritable(path, err)
		}
		var err error
		if s.pending, err = renameio.NewPendingFile(path, renameio.WithTempDir(filepath.Dir(path)), renameio.WithPermissions(0o666)); err != nil {
			return nil, unwritable(path, err)
		}
		s.buf = bufio.NewWriterSize(s.pending, 1<<16)
		zipped = strings.EqualFold(filepath.Ext(path), ".gz")
	}
	if zipped {
		s.zip = gzip.NewWriter(s.buf)
	}
	return s, nil
}

func (s *sink) write(raw []byte) error {
	var err error
	if s.zip != nil {
		_, err = s.zip.Write(raw)
	} else {
		_, err = s.buf.Write(raw)
	}
	return unwritable(s.path, err)
}

// flush hands on to stdout what is written so far.
func (s *sink) flush() error {
	if s.pending != nil {
		return nil
	}
	if s.zip != nil {
		if err := s.zip.Flush(); err != nil {
			return unwritable(s.path, err)
		}
	}
	return unwritable(s.path, s.buf.Flush())
}

// commit gives the file its name. In brat's case the annotations come first, so that a
// text is never without.
func (s *sink) commit(annotated *data.Document) error {
	if s.zip != nil {
		if err := s.zip.Close(); err != nil {
			return unwritable(s.path, err)
		}
	}
	if err := s.buf.Flush(); err != nil || s.pending == nil {
		return unwritable(s.path, err)
	}
	if annotated != nil {
		path := strings.TrimSuffix(s.path, filepath.Ext(s.path)) + ".ann"
		if err := renameio.WriteFile(path, brat.Encode(annotated), 0o666, renameio.WithTempDir(filepath.Dir(path))); err != nil {
			return unwritable(path, err)
		}
	}
	return unwritable(s.path, s.pending.CloseAtomicallyReplace())
}

// unwritable names the file of an error rather than the hidden one in its place.
func unwritable(path string, err error) error {
	if err == nil {
		return nil
	}
	if path == stdio {
		path = "stdout"
	}
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		err = e.Err
	}
	return &data.Error{Path: path, Offset: -1, Reason: "cannot be written", Err: err}
}

// abort removes a file that has no name yet.
func (s *sink) abort() {
	if s != nil && s.pending != nil {
		_ = s.pending.Cleanup() // after commit it does nothing; what cannot be removed is hidden
	}
}
