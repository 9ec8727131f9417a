package job

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid/notefile"
	"github.com/lethe-deid/lethe/internal/bounded"
	"github.com/lethe-deid/lethe/internal/paths"
	"github.com/lethe-deid/lethe/internal/wholefile"
)

// noteFile is an input file of notes with its output.
type noteFile struct {
	in, out string           // Stdio, or a path
	format  *notefile.Format // never nil
	err     error            // why the file cannot be read: its format is unknown, or it is a folder that may not be listed; then format is text
	marks   string           // path of the file with the marks of the note; "" if there is none or if it is not read
	name    string           // path relative to the output folder; unique
	many    bool             // the inputs are not a single file or stdin
	done    bool             // an earlier run has written the output; the input is still read, because other notes may have the same patients
}

// shown returns the name of the file in errors.
func (f noteFile) shown() string {
	if f.in == Stdio {
		return "stdin"
	}
	return f.in
}

// fileSet lists the files of a run and describes its output.
type fileSet struct {
	inputs  []string // paths of the files and folders that were given; none for stdin
	all     []noteFile
	whole   int          // number of files that an earlier run has completed
	output  string       // Stdio, or a path
	folder  bool         // output is a folder
	record  *record      // record of the run, which also locks the output; nil for stdout
	made    bool         // claim created the folder
	leftOut []*leftFiles // for each folder, the files in it that are not read
}

// findFiles finds the files of the inputs and decides what format each has and where its output goes. The files of a folder
// are sorted by name.
func (c *checked) findFiles(ctx context.Context, events Events) (*fileSet, error) {
	inputs, several, err := expand(c.Inputs)
	if err != nil {
		return nil, err
	}
	set := &fileSet{inputs: inputs, output: c.Output}
	many, folders := several, map[string]bool{}
	for _, input := range inputs {
		if folders[input], err = checkInput(input); err != nil {
			return nil, err
		}
		many = many || folders[input]
	}
	set.folder = c.Output != Stdio && (many || paths.IsFolder(c.Output))
	if err := c.checkInputs(set, many, slices.Contains(slices.Collect(maps.Values(folders)), true)); err != nil {
		return nil, err
	}
	add := func(in, name string, unlisted error) {
		file := noteFile{in: in, out: c.Output, name: name, many: many, err: unlisted}
		if file.err == nil {
			file.format, file.err = c.formatOf(ctx, in)
		}
		if file.err != nil {
			file.format = cmp.Or(c.format, notefile.Default())
		}
		if in == Stdio && set.folder {
			file.name += file.format.Exts[0]
		}
		if set.folder {
			file.out = filepath.Join(c.Output, file.name)
		}
		if c.Marked {
			file.marks = file.format.Sidecar.Path(in)
		}
		set.all = append(set.all, file)
	}
	if len(inputs) == 0 {
		add(Stdio, "stdin", nil)
	}
	for _, input := range inputs {
		if !folders[input] {
			add(input, filepath.Base(input), nil)
			continue
		}
		under := ""
		if several {
			if under, err = baseOf(input); err != nil {
				return nil, err
			}
		}
		left, err := c.walk(input, func(in, name string, unlisted error) { add(in, filepath.Join(under, name), unlisted) })
		if err != nil {
			return nil, err
		}
		left.tell(events)
		set.leftOut = append(set.leftOut, left)
	}
	if err := set.all[0].err; err != nil && !many {
		return nil, err
	}
	return set, cmp.Or(set.checkTwice(), set.checkPlaces())
}

// expand replaces patterns by the paths that they match. It returns nothing for stdin. several reports whether the
// result may be several files, because there are several inputs or a pattern.
func expand(inputs []string) (paths []string, several bool, err error) {
	if inputs[0] == Stdio && len(inputs) == 1 {
		return nil, false, nil
	}
	several = len(inputs) > 1
	for _, input := range inputs {
		if input == Stdio {
			return nil, false, optionError(errors.New("stdin (-) cannot be combined with other inputs"))
		}
		if _, err := os.Lstat(input); err == nil || !strings.ContainsAny(input, "*?[") {
			paths = append(paths, input)
			continue
		}
		several = true
		found, err := match(input)
		if err != nil {
			return nil, false, err
		}
		paths = append(paths, found...)
	}
	return paths, several, nil
}

// match returns the paths that match a pattern, sorted. As in a shell, hidden files match only a pattern with a dot.
func match(pattern string) ([]string, error) {
	if err := checkPattern(filepath.ToSlash(pattern)); err != nil {
		return nil, optionError(err)
	}
	found, err := filepath.Glob(pattern)
	if err != nil {
		return nil, optionError(fmt.Errorf("%s: %w", pattern, err))
	}
	if !strings.HasPrefix(filepath.Base(pattern), ".") {
		found = slices.DeleteFunc(found, func(path string) bool { return strings.HasPrefix(filepath.Base(path), ".") })
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("%s: no file matches", pattern)
	}
	return found, nil
}

// baseOf returns the name of a folder, also of one such as "..".
func baseOf(dir string) (string, error) {
	full, err := filepath.Abs(dir)
	return filepath.Base(full), err
}

// checkInputs returns an error if the inputs do not suit the output or the options. It changes nothing.
func (c *checked) checkInputs(set *fileSet, many, folder bool) error {
	sidecar := c.format != nil && c.format.Sidecar != nil
	switch {
	case many && c.Output == Stdio && folder:
		return errors.New("an --output folder is required for the notes of a folder")
	case many && c.Output == Stdio:
		return errors.New("an --output folder is required for several files, or for a pattern")
	case many && !folder && notefile.Known(c.Output):
		if info, err := os.Stat(c.Output); err != nil || !info.IsDir() {
			return fmt.Errorf("%s: is a file, because it has an extension, but there may be several files of notes: give a folder (or %s/)", c.Output, c.Output)
		}
	case (sidecar || c.format != nil && c.format.Seeks) && len(set.inputs) == 0:
		return fmt.Errorf("%s requires files, and cannot be read from stdin", c.format.Name)
	case sidecar && !set.folder:
		return fmt.Errorf("%s keeps a note in two files: give an --output folder", c.format.Name)
	case c.Resume && c.Output == Stdio:
		return errors.New("--resume requires an --output: a run that writes to stdout cannot be resumed")
	}
	switch {
	case c.PatientFolders && !folder:
		return optionError(errors.New("--patient-folders requires a folder as input"))
	case len(c.Include)+len(c.Exclude) > 0 && !folder:
		return optionError(errors.New("--include and --exclude require a folder as input"))
	case c.Output != Stdio:
		return set.checkOutput(c.Resume, c.reads)
	}
	return nil
}

// formatOf returns the format of a file. The error says why it is unknown.
func (c *checked) formatOf(ctx context.Context, path string) (*notefile.Format, error) {
	if c.format != nil {
		return c.format, nil
	}
	if path == Stdio {
		return notefile.Default(), nil
	}
	f, err := notefile.Choose(path, c.Encoding, func() (io.ReadCloser, error) {
		in, _, err := openNotes(ctx, notefile.Default(), path)
		return in, err
	})
	if kind := notefile.Unreadable(path); kind != "" {
		err = &data.Error{Path: path, Offset: -1, Reason: "lethe cannot read " + kind + " files: convert it first"}
	}
	if f == nil && err == nil {
		f = notefile.Default()
	}
	return f, err
}

// takes reports whether files with this name are read from a folder.
func (c *checked) takes(name string) bool {
	if c.format != nil {
		return c.format.Takes(name)
	}
	return notefile.Known(name)
}

// formats lists the formats of the files.
func (s *fileSet) formats() []*notefile.Format {
	var all []*notefile.Format
	for _, file := range s.all {
		if file.err == nil && !slices.Contains(all, file.format) {
			all = append(all, file.format)
		}
	}
	return all
}

// first returns the first file of a format.
func (s *fileSet) first(f *notefile.Format) noteFile {
	return s.all[slices.IndexFunc(s.all, func(file noteFile) bool { return file.format == f && file.err == nil })]
}

// unchanged names the parts of the files that are not examined.
func (c *checked) unchanged(files *fileSet) string {
	formats := files.formats()
	var all []string
	for _, f := range formats {
		parts := f.Unchanged
		if c.ruled[f.Name] {
			parts += ", except where a rule for fields says otherwise"
		}
		if len(formats) > 1 {
			parts = f.Name + ": " + parts
		}
		all = append(all, parts)
	}
	return strings.Join(all, "; ")
}

// checkInput reports whether an input is a folder. The error says why it cannot be read.
func checkInput(input string) (folder bool, err error) {
	info, err := os.Stat(input)
	if err != nil {
		return false, err
	}
	if info.IsDir() {
		return true, nil
	}
	return false, bounded.CheckInput(input, info.Mode())
}

// checkOutput returns an error if the output cannot be written. It changes nothing. If the notes are only read, the output is the
// caller's, who checks what is in it.
func (s *fileSet) checkOutput(resume, reads bool) error {
	for _, input := range s.inputs {
		if err := paths.Apart(input, s.output); err != nil {
			return err
		}
	}
	if reads {
		return nil
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

// checkTwice returns an error if two inputs name the same file.
func (s *fileSet) checkTwice() error {
	if len(s.inputs) < 2 {
		return nil
	}
	seen := map[string]string{}
	for _, file := range s.all {
		full, err := filepath.Abs(file.in)
		if err != nil {
			return err
		}
		if seen[full] != "" {
			return fmt.Errorf("%s: is given twice", file.in)
		}
		seen[full] = file.in
	}
	return nil
}

// checkPlaces returns an error if two files have the same output. On some file systems, names that differ only in case
// are the same.
func (s *fileSet) checkPlaces() error {
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
			if sidecar := file.format.Sidecar; sidecar != nil {
				place = sidecar.Path(place)
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

// leftFiles lists the files and folders in an input folder that are not read, grouped by the reason.
type leftFiles struct {
	config                         *checked
	dir                            string
	others, hidden, special, links []string
	alone                          []string            // second files of notes that are not there
	unreadable                     map[string][]string // by kind
}

// tell warns about the files that are left out.
func (l *leftFiles) tell(events Events) {
	exts := notefile.Extensions()
	if l.config.format != nil {
		exts = l.config.format.Exts
	}
	say := func(why string, names []string) {
		if len(names) > 0 {
			events.warn(fmt.Errorf("%s: left out, because %s (%d): %s", l.dir, why, len(names), paths.Some(names)))
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(l.unreadable)) {
		say("lethe cannot read "+kind+" files", l.unreadable[kind])
	}
	say("only "+listed(exts)+" files are read", l.others)
	say("the notes to which these files belong are missing", l.alone)
	say("hidden files are not read", l.hidden)
	say("a FIFO, socket or device is not a file of notes", l.special)
	say("links to folders are not followed", l.links)
}

// listed lists words: "a, b and c".
func listed(words []string) string {
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + strings.Repeat(" and ", min(last, 1)) + words[last]
}

// err returns a *LeftOut if any of the files may contain notes, otherwise nil.
func (l *leftFiles) err() error {
	if n := l.count(); n > 0 {
		return &LeftOut{l.dir, n}
	}
	return nil
}

// count returns the number of files that may contain notes. Hidden folders do not count, nor do hidden files without the
// extension of a format, because many programs leave them behind.
func (l *leftFiles) count() int {
	n := len(l.others) + len(l.alone) + len(l.special) + len(l.links)
	for _, names := range l.unreadable {
		n += len(names)
	}
	for _, name := range l.hidden {
		if !strings.HasSuffix(name, "/") && l.config.takes(strings.TrimLeft(filepath.Base(name), ".")) {
			n++
		}
	}
	return n
}

// walk calls add for each file of notes in a folder and its subfolders, and returns what it leaves out. It adds files
// that cannot be read, too, so that reading them reports the error, and subfolders that may not be listed, with the error.
func (c *checked) walk(dir string, add func(in, name string, unlisted error)) (*leftFiles, error) {
	left := &leftFiles{config: c, dir: dir, unreadable: map[string][]string{}}
	found := false
	take := func(path, name string, unlisted error) {
		found = true
		add(path, name, unlisted)
	}
	// The slash makes WalkDir follow a link to a folder.
	err := filepath.WalkDir(strings.TrimRight(dir, string(filepath.Separator))+string(filepath.Separator), func(path string, entry fs.DirEntry, err error) error {
		name, e := filepath.Rel(dir, path)
		hidden := strings.HasPrefix(filepath.Base(path), ".")
		switch {
		case e != nil || err != nil && name == ".":
			return errors.Join(err, e)
		case name != "." && c.excludes(name):
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		case err != nil:
			take(path, name, unreadable(path, err))
			return nil
		case !entry.IsDir() && notefile.BesideTables(entry.Name()):
			return nil
		case entry.IsDir() && notefile.OfTables(entry.Name()):
			left.others = append(left.others, name+"/")
			return fs.SkipDir
		case entry.IsDir():
			if name != "." && hidden {
				left.hidden = append(left.hidden, name+"/")
				return fs.SkipDir
			}
			return nil
		case !c.includes(name):
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
		case c.takes(entry.Name()):
			take(path, name, nil)
		case c.format != nil && c.format.Sidecar != nil && strings.EqualFold(filepath.Ext(name), c.format.Sidecar.Ext):
			if !c.hasNote(path) {
				left.alone = append(left.alone, name)
			}
		default:
			if kind := notefile.Unreadable(name); kind != "" {
				left.unreadable[kind] = append(left.unreadable[kind], name)
			} else {
				left.others = append(left.others, name)
			}
		}
		return nil
	})
	switch {
	case err != nil:
		return nil, err
	case found:
	case len(c.Include)+len(c.Exclude) > 0:
		return nil, fmt.Errorf("%s: the folder contains no file of notes that --include and --exclude select", dir)
	case c.format != nil:
		return nil, fmt.Errorf("%s: the folder contains no %s file", dir, strings.Join(c.format.Exts, " or "))
	default:
		return nil, fmt.Errorf("%s: the folder contains no file of notes (with one of the extensions %s)", dir, strings.Join(notefile.Extensions(), ", "))
	}
	return left, nil
}

// hasNote reports whether the note is there to which a second file belongs.
func (c *checked) hasNote(sidecar string) bool {
	for _, ext := range c.format.Exts {
		for _, ext := range []string{ext, strings.ToUpper(ext), ext + ".gz"} {
			if _, err := os.Stat(strings.TrimSuffix(sidecar, filepath.Ext(sidecar)) + ext); err == nil {
				return true
			}
		}
	}
	return false
}

// leaveWhole marks the files that an earlier run has completed, and removes the hidden temporary files that it left.
func (s *fileSet) leaveWhole() error {
	left := leftovers{}
	for i, file := range s.all {
		left.add(file.out)
		if file.format.Sidecar != nil {
			left.add(file.format.Sidecar.Path(file.out))
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
