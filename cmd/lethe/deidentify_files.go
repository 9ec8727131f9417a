package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

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
	todo   []noteFile
	whole  int      // of those that were found, how many an earlier run has done
	output string   // stdio, or a path
	folder bool     // output is a folder
	lock   *os.File // keeps others out of it
	made   bool     // it was not there
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
			if err := mustBeNew(output); errors.Is(err, errNotEmpty) {
				return nil, fmt.Errorf("%w; go on with the run in it by --resume, or choose another", err)
			} else if err != nil {
				return nil, err
			}
		}
	}
	set := &fileSet{output: output, folder: outFolder}
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
	return set, nil
}

// claim makes sure of the output, now that the work is about to begin: no other run
// writes to it, and it is new or, if this run goes on with another, holds what that has done.
func (s *fileSet) claim(resume bool) error {
	if s.output == stdio {
		return nil
	}
	if s.folder {
		_, err := os.Stat(s.output)
		s.made = errors.Is(err, fs.ErrNotExist)
		if err := os.MkdirAll(s.output, 0o777); err != nil {
			return unwritable(s.output, err)
		}
		if s.lock, err = lockFolder(s.output); err != nil {
			return err
		}
	}
	if resume {
		return s.leaveWhole()
	}
	return mustBeNew(s.output)
}

// release lets others have the output, and leaves no folder with nothing in it.
func (s *fileSet) release() {
	if s.made {
		_ = os.Remove(s.output) // what holds something stays
	}
	_ = s.lock.Close() // nil, too
}

// redo says whether a file, by its name in the audit, is to be done.
func (s *fileSet) redo() func(name string) bool {
	todo := map[string]bool{}
	for _, file := range s.todo {
		todo[file.auditName()] = true
	}
	return func(name string) bool { return todo[name] }
}

// auditName is the name as the audit writes it, in UTF-8: a byte that is none stands
// there as \xff does.
func (f noteFile) auditName() string {
	name := filepath.ToSlash(f.name)
	if utf8.ValidString(name) {
		return name
	}
	var b strings.Builder
	for i, r := range name {
		if _, n := utf8.DecodeRuneInString(name[i:]); r == utf8.RuneError && n == 1 {
			fmt.Fprintf(&b, `\x%02x`, name[i])
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// walk finds the files of a folder and of those in it, and names what it leaves out. What
// cannot be read is found, too: reading it will say so.
func walk(f *carrier.Format, dir string, add func(in, name string)) error {
	var left, links []string
	found := false
	take := func(path, name string) {
		found = true
		add(path, name)
	}
	// The slash has a link to a folder followed.
	err := filepath.WalkDir(strings.TrimRight(dir, string(filepath.Separator))+string(filepath.Separator), func(path string, entry fs.DirEntry, err error) error {
		name, e := filepath.Rel(dir, path)
		switch {
		case e != nil || err != nil && name == ".":
			return errors.Join(err, e)
		case err != nil: // a folder in it
			take(path, name)
			return nil
		case entry.IsDir():
			if name != "." && strings.HasPrefix(entry.Name(), ".") {
				left = append(left, name+"/")
				return fs.SkipDir
			}
			return nil
		}
		info, err := os.Stat(path) // of what a link leads to
		switch {
		case err == nil && info.IsDir():
			links = append(links, name)
		case f.Takes(entry.Name()) && (err != nil || info.Mode().IsRegular()):
			take(path, name)
		case f.Name != "brat" || !strings.EqualFold(filepath.Ext(name), ".ann"):
			left = append(left, name)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if len(left) > 0 {
		complain(fmt.Errorf("%s: left out, since only %s files are read (%d): %s", dir, strings.Join(f.Exts, " and "), len(left), someOf(left)))
	}
	if len(links) > 0 {
		complain(fmt.Errorf("%s: left out, since links to folders are not followed (%d): %s", dir, len(links), someOf(links)))
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
	case holds(in, out) && holds(out, in):
		return fmt.Errorf("%s: is the input", output)
	case holds(in, out):
		return fmt.Errorf("%s: lies in the input folder", output)
	case holds(out, in):
		return fmt.Errorf("%s: holds the input", output)
	}
	return nil
}

// holds says whether a path is a file or folder, or lies in it, by whatever name: some
// file systems know several of one.
func holds(outer, path string) bool {
	folder, err := os.Stat(outer)
	if err != nil {
		return false
	}
	for {
		if info, err := os.Stat(path); err == nil && os.SameFile(folder, info) {
			return true
		}
		if path == filepath.Dir(path) {
			return false
		}
		path = filepath.Dir(path)
	}
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
	left := leftovers{}
	for _, file := range todo {
		left.add(file.out)
		left.add(annotationPath(file.out))
		if info, err := os.Stat(file.out); err == nil && info.Mode().IsRegular() {
			s.whole++
		} else {
			s.todo = append(s.todo, file)
		}
	}
	return left.remove()
}

// leftovers are hidden files that a run which was killed may have left, without the
// number at their end: names by folder.
type leftovers map[string]map[string]bool

// add adds those that were to become a file.
func (l leftovers) add(path string) {
	dir, name := filepath.Split(pendingPath(path))
	if l[dir] == nil {
		l[dir] = map[string]bool{}
	}
	l[dir]["."+name] = true
}

func (l leftovers) remove() error {
	for dir, names := range l {
		entries, err := os.ReadDir(filepath.Clean(dir))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		} else if err != nil {
			return err
		}
		for _, e := range entries {
			for name := e.Name(); strings.HasPrefix(name, ".") && name[len(name)-1] >= '0' && name[len(name)-1] <= '9'; {
				if name = name[:len(name)-1]; names[name] {
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
