package job

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/lethe-deid/lethe/internal/lockfile"
	"github.com/lethe-deid/lethe/internal/paths"
)

// record is a hidden file in or beside the output. Its first line holds the settings
// of the run. If there is an audit, one says that it was created. One for each file of notes, written before
// the file gets its name, says what it was made from and how many lines the audit has of it.
// Half a line at the end does not count. While a run writes, it has the record locked.
type record struct {
	path string
	of   string // the output, which errors name
	f    *os.File
	size int64 // of whole lines
	// begun is what the run that this one may go on with has said of itself; nil for none.
	begun   *settings
	audited bool              // it has created its audit
	lines   map[string]int    // of the audit, by file of notes
	inputs  map[string]string // what each file of notes was made from: see inputStamp
}

type recordLine struct {
	Settings *settings `json:"run,omitempty"`
	Audited  bool      `json:"audit_created,omitempty"`
	File     string    `json:"file,omitempty"`
	Lines    int       `json:"lines,omitempty"`
	Input    string    `json:"input,omitempty"`
}

const recordName = ".lethe-run"

// recordPath is in the output if this is a folder, and else beside it.
func recordPath(output string, folder bool) string {
	if folder {
		return filepath.Join(output, recordName)
	}
	dir, name := filepath.Split(output)
	return filepath.Join(dir, "."+name+recordName)
}

// openRecord opens and locks the record, or makes an empty one.
func openRecord(path, of string) (*record, error) {
	f, err := lockfile.Open(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	r := &record{path: path, of: of, f: f, lines: map[string]int{}, inputs: map[string]string{}}
	if err := r.read(); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return r, nil
}

func (r *record) read() error {
	in := bufio.NewReader(r.f)
	for number := 1; ; number++ {
		text, err := in.ReadBytes('\n')
		if err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		var l recordLine
		if err := json.Unmarshal(text, &l); err != nil || (number == 1) != (l.Settings != nil) {
			return fmt.Errorf("%s:%d: not the record of a run", r.path, number)
		}
		switch {
		case number == 1:
			r.begun = l.Settings
		case l.Audited:
			r.audited = true
		default:
			r.lines[l.File], r.inputs[l.File] = l.Lines, l.Input
		}
		r.size += int64(len(text))
	}
}

// begin writes the settings of a new run.
func (r *record) begin(s settings) error {
	r.size = 0
	if err := r.f.Truncate(0); err != nil {
		return unwritable(r.of, err)
	}
	return r.add(recordLine{Settings: &s})
}

// audit says that the run has created its audit.
func (r *record) audit() error {
	if r == nil {
		return nil
	}
	r.audited = true
	return r.add(recordLine{Audited: true})
}

// add appends lines. There is no record of a run that writes to stdout.
func (r *record) add(lines ...recordLine) error {
	if r == nil || len(lines) == 0 {
		return nil
	}
	var all []byte
	for _, l := range lines {
		encoded, err := json.Marshal(l)
		if err != nil {
			return err
		}
		all = append(append(all, encoded...), '\n')
	}
	if _, err := r.f.WriteAt(all, r.size); err != nil {
		_ = r.f.Truncate(r.size) // half a line does not count in any case
		return unwritable(r.of, err)
	}
	r.size += int64(len(all))
	return unwritable(r.of, r.f.Sync())
}

// release lets others have the output. A record that says nothing of use is removed.
func (r *record) release(useless bool) {
	if r == nil {
		return
	}
	if useless {
		_ = os.Remove(r.path) // it is still locked, so that it is ours; a hidden file is no harm
	}
	_ = r.f.Close()
}

// claim makes sure of the output, now that the work is about to begin: no other run
// writes to it, and it is new or, if this run goes on with another, holds what a run with
// the same settings has done.
func (s *fileSet) claim(resume bool, settings settings) error {
	if s.output == Stdio {
		return nil
	}
	folder := s.output
	if !s.folder {
		folder = filepath.Dir(s.output)
	}
	_, err := os.Stat(folder)
	s.made = errors.Is(err, fs.ErrNotExist)
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return unwritable(s.output, err)
	}
	if s.record, err = openRecord(recordPath(s.output, s.folder), s.output); err != nil {
		if errors.Is(err, lockfile.ErrLocked) {
			return fmt.Errorf("%s: %w", s.output, lockfile.ErrLocked)
		}
		return unwritable(s.output, err)
	}
	if !resume || s.record.begun == nil {
		err := s.mustBeNew()
		if err != nil && resume {
			return fmt.Errorf("%w, and there is no record (%s) of a run that wrote it: --resume cannot tell whether its options were the same; choose another --output", err, filepath.Base(s.record.path))
		} else if err != nil {
			return err
		}
		return s.record.begin(settings)
	}
	if others := settings.different(*s.record.begun); others != "" {
		return fmt.Errorf("%s: the run in it cannot go on, for it had %s: give the options that it had, or begin anew with another --output", s.output, others)
	}
	if err := s.leaveWhole(); err != nil {
		return err
	}
	for _, file := range s.all {
		if was := s.record.inputs[file.auditName()]; file.done && was != "" && was != inputStamp(file.in) {
			return fmt.Errorf("%s: has changed since its output was written: begin anew with another --output, or remove the output of this file", file.in)
		}
	}
	return nil
}

// inputStamp is the size of a file and when it was written; "" for one that cannot be read. A digest of its content, in
// the output folder, would let guesses be tried.
func inputStamp(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	return fmt.Sprintf("%d bytes, %s", info.Size(), info.ModTime().UTC().Format(time.RFC3339Nano))
}

// mustBeNew is an error if there is anything but the record of a run that has not
// written anything.
func (s *fileSet) mustBeNew() error {
	if !s.folder {
		return paths.MustBeNew(s.output)
	}
	return mustBeEmpty(s.output, recordName)
}

// release lets others have the output, and leaves neither a record nor a folder where
// nothing was done.
func (s *fileSet) release() {
	if s.record != nil {
		s.record.release(!s.record.audited && s.mustBeNew() == nil)
	}
	if s.made {
		folder := s.output
		if !s.folder {
			folder = filepath.Dir(s.output)
		}
		_ = os.Remove(folder) // what holds something stays
	}
}

// mustBeEmpty is an error if a folder holds anything but some names.
func mustBeEmpty(dir string, but ...string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !slices.Contains(but, e.Name()) {
			return fmt.Errorf("%s: %w", dir, paths.ErrNotEmpty)
		}
	}
	return nil
}
