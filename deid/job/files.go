package job

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/lethe-deid/lethe/deid/notefile"
	"github.com/lethe-deid/lethe/internal/bounded"
	"github.com/lethe-deid/lethe/internal/paths"
	"github.com/lethe-deid/lethe/internal/wholefile"
)

// noteFile is a file of notes, and where it goes.
type noteFile struct {
	in, out string // Stdio, or a path
	name    string // below the folder that was given; else the base name
	folder  bool   // it is one of a folder
	done    bool   // an earlier run has written it: it is read for what it says of patients
}

// fileSet is what a command works on.
type fileSet struct {
	format  *notefile.Format
	all     []noteFile
	whole   int        // of those that were found, how many an earlier run has done
	output  string     // Stdio, or a path
	folder  bool       // output is a folder
	record  *record    // of the run, which keeps others out of the output; nil for stdout
	made    bool       // the folder did not exist
	leftOut *leftFiles // of the input
}

// findFiles finds the files of the input, in the order of their names, and says where each goes.
func findFiles(f *notefile.Format, input, output string, resume bool, events Events) (*fileSet, error) {
	many, err := checkInput(input)
	if err != nil {
		return nil, err
	}
	set := &fileSet{format: f, output: output, folder: output != Stdio && (many || paths.IsFolder(output))}
	switch {
	case many && output == Stdio:
		return nil, errors.New("an --output folder is required for the notes of a folder")
	case f.Sidecar != nil && input == Stdio:
		return nil, fmt.Errorf("%s needs files, and cannot be read from stdin", f.Name)
	case f.Sidecar != nil && !set.folder:
		return nil, fmt.Errorf("%s keeps a note in two files: give an --output folder", f.Name)
	case resume && output == Stdio:
		return nil, errors.New("--resume requires an --output: nobody knows how far stdout has come")
	case output != Stdio:
		if err := set.checkOutput(input, resume); err != nil {
			return nil, err
		}
	}
	add := func(in, name string) {
		file := noteFile{in: in, out: output, name: name, folder: many}
		if set.folder {
			file.out = filepath.Join(output, name)
		}
		set.all = append(set.all, file)
	}
	switch {
	case many:
		if set.leftOut, err = walk(f, input, add, events); err != nil {
			return nil, err
		}
	case input == Stdio && set.folder:
		add(Stdio, "stdin"+f.Exts[0])
	case input == Stdio:
		add(Stdio, "stdin")
	default:
		add(input, filepath.Base(input))
	}
	return set, set.checkPlaces(f)
}

// checkInput reports whether the input is a folder of files. The error says why it cannot be read.
func checkInput(input string) (many bool, err error) {
	if input == Stdio {
		return false, nil
	}
	info, err := os.Stat(input)
	if err != nil {
		return false, err
	}
	if info.IsDir() {
		return true, nil
	}
	return false, bounded.CheckInput(input, info.Mode())
}

// checkOutput says why the output cannot be written.
func (s *fileSet) checkOutput(input string, resume bool) error {
	if input != Stdio {
		if err := paths.Apart(input, s.output); err != nil {
			return err
		}
	}
	if !resume {
		err := paths.MustBeNew(s.output)
		if errors.Is(err, paths.ErrNotEmpty) && mustBeEmpty(s.output, recordName) != nil {
			return fmt.Errorf("%w; go on with the run in it by --resume, or choose another", err)
		} else if err != nil && !errors.Is(err, paths.ErrNotEmpty) {
			return err
		}
	}
	if info, err := os.Stat(s.output); err == nil && s.folder && !info.IsDir() {
		return fmt.Errorf("%s: is a file, but the notes go to a folder", s.output)
	}
	return nil
}

// checkPlaces refuses files that would be written to one place. Names that differ only
// in their case are one on some file systems.
func (s *fileSet) checkPlaces(f *notefile.Format) error {
	if !s.folder {
		return nil
	}
	from := map[string]string{}
	folds := false
	for _, fold := range []bool{false, true} {
		if fold {
			if folds = paths.FoldsCase(s.output); !folds {
				break
			}
		}
		clear(from)
		for _, file := range s.all {
			place := file.out
			if f.Sidecar != nil {
				place = f.Sidecar.Path(place)
			}
			key := place
			if fold {
				key = strings.ToLower(norm.NFC.String(place))
			}
			if other, ok := from[key]; ok {
				return fmt.Errorf("%s and %s: both would be written to %s: rename one of them", other, file.in, place)
			}
			from[key] = file.in
		}
	}
	return nil
}

// todo reports whether there is anything to do.
func (s *fileSet) todo() bool { return s.whole < len(s.all) }

// redo says whether a file, by its name in the audit, is to be done.
func (s *fileSet) redo() func(name string) bool {
	todo := map[string]bool{}
	for _, file := range s.all {
		if !file.done {
			todo[file.auditName()] = true
		}
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

// leftFiles is what is not read of a folder, by the reason.
type leftFiles struct {
	dir, exts                      string
	others, hidden, special, links []string
}

// tell warns of it.
func (l *leftFiles) tell(events Events) {
	for _, some := range []struct {
		why   string
		names []string
	}{
		{"since only " + l.exts + " files are read", l.others},
		{"since hidden files are not read", l.hidden},
		{"since a FIFO, socket or device is not a file of notes", l.special},
		{"since links to folders are not followed", l.links},
	} {
		if len(some.names) > 0 {
			events.warn(fmt.Errorf("%s: left out, %s (%d): %s", l.dir, some.why, len(some.names), paths.Some(some.names)))
		}
	}
}

// err is an error if there is anything that may hold notes: everything except hidden
// folders and hidden files with another extension, which many programs leave behind.
func (l *leftFiles) err(f *notefile.Format) error {
	if l == nil {
		return nil
	}
	n := len(l.others) + len(l.special) + len(l.links)
	for _, name := range l.hidden {
		if !strings.HasSuffix(name, "/") && f.Takes(strings.TrimLeft(filepath.Base(name), ".")) {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	return &LeftOut{l.dir, n}
}

// walk finds the files of a folder and of those in it, and names what it leaves out. What
// cannot be read is found, too: reading it will say so.
func walk(f *notefile.Format, dir string, add func(in, name string), events Events) (*leftFiles, error) {
	left := &leftFiles{dir: dir, exts: strings.Join(f.Exts, " and ")}
	found := false
	take := func(path, name string) {
		found = true
		add(path, name)
	}
	// The slash has a link to a folder followed.
	err := filepath.WalkDir(strings.TrimRight(dir, string(filepath.Separator))+string(filepath.Separator), func(path string, entry fs.DirEntry, err error) error {
		name, e := filepath.Rel(dir, path)
		hidden := strings.HasPrefix(filepath.Base(path), ".")
		switch {
		case e != nil || err != nil && name == ".":
			return errors.Join(err, e)
		case err != nil: // a folder in it
			take(path, name)
			return nil
		case entry.IsDir():
			if name != "." && hidden {
				left.hidden = append(left.hidden, name+"/")
				return fs.SkipDir
			}
			return nil
		}
		info, err := os.Stat(path) // of what a link leads to
		switch {
		case hidden:
			left.hidden = append(left.hidden, name)
		case err == nil && info.IsDir():
			left.links = append(left.links, name)
		case err == nil && !info.Mode().IsRegular():
			left.special = append(left.special, name)
		case f.Takes(entry.Name()):
			take(path, name)
		case f.Sidecar == nil || !strings.EqualFold(filepath.Ext(name), f.Sidecar.Ext):
			left.others = append(left.others, name)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	left.tell(events)
	if !found {
		return nil, fmt.Errorf("%s: the folder holds no %s file", dir, strings.Join(f.Exts, " or "))
	}
	return left, nil
}

// leaveWhole marks what an earlier run has done, and removes what it left half
// written: hidden files named as the output and a number.
func (s *fileSet) leaveWhole() error {
	left := leftovers{}
	for i, file := range s.all {
		left.add(file.out)
		if s.format.Sidecar != nil {
			left.add(s.format.Sidecar.Path(file.out))
		}
		if info, err := os.Stat(file.out); err == nil && info.Mode().IsRegular() {
			s.all[i].done = true
			s.whole++
		}
	}
	return left.remove()
}

// leftovers are hidden files that a run which was killed may have left, without the
// number at their end: names by folder.
type leftovers map[string]map[string]bool

// add adds those that were to become a file.
func (l leftovers) add(path string) {
	dir, name := filepath.Split(wholefile.HiddenPrefix(path))
	if l[dir] == nil {
		l[dir] = map[string]bool{}
	}
	l[dir][name] = true
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
