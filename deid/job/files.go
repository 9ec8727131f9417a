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

// noteFile is an input file of notes with its output.
type noteFile struct {
	in, out string // Stdio, or a path
	marks   string // path of the file with the marks of the note; "" if there is none or if it is not read
	name    string // path relative to the input folder; without a folder, the base name
	folder  bool   // the input is a folder
	done    bool   // an earlier run has written the output; the input is still read, because other notes may have the same patients
}

// fileSet lists the files of a run and describes its output.
type fileSet struct {
	format  *notefile.Format
	all     []noteFile
	whole   int        // number of files that an earlier run has completed
	output  string     // Stdio, or a path
	folder  bool       // output is a folder
	record  *record    // record of the run, which also locks the output; nil for stdout
	made    bool       // claim created the folder
	leftOut *leftFiles // files of the input folder that are not read; nil if the input is not a folder
}

// findFiles finds the files of the input, sorted by name, and decides where the output of each goes.
func findFiles(f *notefile.Format, input, output string, resume bool, events Events) (*fileSet, error) {
	many, err := checkInput(input)
	if err != nil {
		return nil, err
	}
	set := &fileSet{format: f, output: output, folder: output != Stdio && (many || paths.IsFolder(output))}
	switch {
	case many && output == Stdio:
		return nil, errors.New("an --output folder is required for the notes of a folder")
	case (f.Sidecar != nil || f.Seeks) && input == Stdio:
		return nil, fmt.Errorf("%s requires files, and cannot be read from stdin", f.Name)
	case f.Seeks && strings.EqualFold(filepath.Ext(output), ".gz"):
		return nil, fmt.Errorf("%s: %s has a compression of its own and is never gzipped: name an --output without .gz", output, f.Name)
	case f.Sidecar != nil && !set.folder:
		return nil, fmt.Errorf("%s keeps a note in two files: give an --output folder", f.Name)
	case resume && output == Stdio:
		return nil, errors.New("--resume requires an --output: a run that writes to stdout cannot be resumed")
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

// checkInput reports whether the input is a folder. The error says why the input cannot be read.
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

// checkOutput returns an error if the output cannot be written. It changes nothing.
func (s *fileSet) checkOutput(input string, resume bool) error {
	if input != Stdio {
		if err := paths.Apart(input, s.output); err != nil {
			return err
		}
	}
	if !resume {
		err := paths.MustBeNew(s.output)
		if errors.Is(err, paths.ErrNotEmpty) && mustBeEmpty(s.output, recordName) != nil {
			return fmt.Errorf("%w; resume the run in it with --resume, or choose another", err)
		} else if err != nil && !errors.Is(err, paths.ErrNotEmpty) {
			return err
		}
	}
	if info, err := os.Stat(s.output); err == nil && s.folder && !info.IsDir() {
		return fmt.Errorf("%s: is a file, but the notes go to a folder", s.output)
	}
	return nil
}

// checkPlaces returns an error if two files have the same output. On some file systems, names that differ only in case
// are the same.
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
				return fmt.Errorf("%s and %s have the same output %s: rename one of them", other, file.in, place)
			}
			from[key] = file.in
		}
	}
	return nil
}

// todo reports whether there is anything to do.
func (s *fileSet) todo() bool { return s.whole < len(s.all) }

// redo returns a function that reports whether a file is still to be done, given its name in the audit.
func (s *fileSet) redo() func(name string) bool {
	todo := map[string]bool{}
	for _, file := range s.all {
		if !file.done {
			todo[file.auditName()] = true
		}
	}
	return func(name string) bool { return todo[name] }
}

// auditName returns the file's name for the audit, with slashes. Bytes that are not valid UTF-8 are escaped, as in \xff.
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

// leftFiles lists the files and folders in the input folder that are not read, grouped by the reason.
type leftFiles struct {
	dir, exts                      string
	others, hidden, special, links []string
}

// tell warns about the files that are left out.
func (l *leftFiles) tell(events Events) {
	for _, some := range []struct {
		why   string
		names []string
	}{
		{"because only " + l.exts + " files are read", l.others},
		{"because hidden files are not read", l.hidden},
		{"because a FIFO, socket or device is not a file of notes", l.special},
		{"because links to folders are not followed", l.links},
	} {
		if len(some.names) > 0 {
			events.warn(fmt.Errorf("%s: left out, %s (%d): %s", l.dir, some.why, len(some.names), paths.Some(some.names)))
		}
	}
}

// err returns a *LeftOut if any of the files may contain notes, otherwise nil. Hidden folders do not count, nor do hidden
// files without the format's extension, because many programs leave them behind.
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

// walk calls add for each file of notes in a folder and its subfolders, and returns what it leaves out. It adds files
// that cannot be read, too, so that reading them reports the error.
func walk(f *notefile.Format, dir string, add func(in, name string), events Events) (*leftFiles, error) {
	left := &leftFiles{dir: dir, exts: strings.Join(f.Exts, " and ")}
	found := false
	take := func(path, name string) {
		found = true
		add(path, name)
	}
	// The slash makes WalkDir follow a link to a folder.
	err := filepath.WalkDir(strings.TrimRight(dir, string(filepath.Separator))+string(filepath.Separator), func(path string, entry fs.DirEntry, err error) error {
		name, e := filepath.Rel(dir, path)
		hidden := strings.HasPrefix(filepath.Base(path), ".")
		switch {
		case e != nil || err != nil && name == ".":
			return errors.Join(err, e)
		case err != nil: // a subfolder that cannot be read
			take(path, name)
			return nil
		case name != "." && f.Ignores(entry.Name()):
			if entry.IsDir() { // _delta_log, say, which says which of the files are still valid
				left.others = append(left.others, name+"/")
				return fs.SkipDir
			}
			return nil
		case entry.IsDir():
			if name != "." && hidden {
				left.hidden = append(left.hidden, name+"/")
				return fs.SkipDir
			}
			return nil
		}
		info, err := os.Stat(path) // follows links
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
		return nil, fmt.Errorf("%s: the folder contains no %s file", dir, strings.Join(f.Exts, " or "))
	}
	return left, nil
}

// leaveWhole marks the files that an earlier run has completed, and removes the hidden temporary files that it left.
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

// leftovers lists the temporary files that a killed run may have left. It maps each folder to the names of its temporary
// files, without the number at the end of each name.
type leftovers map[string]map[string]bool

// add adds the temporary files of the file at path.
func (l leftovers) add(path string) {
	dir, name := filepath.Split(wholefile.HiddenPrefix(path))
	if l[dir] == nil {
		l[dir] = map[string]bool{}
	}
	l[dir][name] = true
}

// remove removes the files that exist.
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
