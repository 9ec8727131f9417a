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
	"strings"
	"time"

	"github.com/lethe-deid/lethe/internal/lockfile"
	"github.com/lethe-deid/lethe/internal/paths"
)

// record is a hidden JSON Lines file in the output folder or beside the output file. A run locks it while it writes.
// It contains:
//
//   - the settings of the run, in the first line
//   - a line that says that the run has created its audit, if it has one
//   - a line for each file of notes, written before the file is published: its name, the stamp of the input
//     that it was made from, and the number of its lines in the audit
//
// An incomplete line at the end is ignored.
type record struct {
	path   string
	output string // for errors
	f      *os.File
	size   int64 // number of bytes in complete lines
	// begun contains the settings of the earlier run that this one may resume, or is nil if there is none.
	begun   *settings
	audited bool              // the audit has been created
	lines   map[string]int    // number of lines in the audit, by file of notes
	inputs  map[string]string // stamp of the input, by file of notes: see noteFile.stamp
}

type recordLine struct {
	Settings *settings `json:"run,omitempty"`
	Audited  bool      `json:"audit_created,omitempty"`
	File     string    `json:"file,omitempty"`
	Lines    int       `json:"lines,omitempty"`
	Input    string    `json:"input,omitempty"`
}

const recordName = paths.RunRecord

// recordPath returns the path of the record: in the output if that is a folder, otherwise beside it.
func recordPath(output string, folder bool) string {
	if folder {
		return filepath.Join(output, recordName)
	}
	dir, name := filepath.Split(output)
	return filepath.Join(dir, "."+name+recordName)
}

// openRecord opens and locks the record, and creates it if there is none.
func openRecord(path, output string) (*record, error) {
	f, err := lockfile.Open(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	r := &record{path: path, output: output, f: f, lines: map[string]int{}, inputs: map[string]string{}}
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

// begin empties the record and writes the settings of a new run.
func (r *record) begin(s settings) error {
	r.size = 0
	if err := r.f.Truncate(0); err != nil {
		return unwritable(r.output, err)
	}
	return r.add(recordLine{Settings: &s})
}

// audit records that the run has created its audit.
func (r *record) audit() error {
	if r == nil {
		return nil
	}
	r.audited = true
	return r.add(recordLine{Audited: true})
}

// add appends lines and syncs the file. It does nothing if r is nil, because a run that writes to
// stdout has no record.
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
		_ = r.f.Truncate(r.size) // if this fails too, the incomplete line is ignored
		return unwritable(r.output, err)
	}
	r.size += int64(len(all))
	return unwritable(r.output, r.f.Sync())
}

// release unlocks the output, and removes the record if it is useless.
func (r *record) release(useless bool) {
	if r == nil {
		return
	}
	if useless {
		_ = os.Remove(r.path) // the lock is still held, so no other run uses it; if it cannot be removed, it does no harm
	}
	_ = r.f.Close()
}

// claim creates the output folder, locks the output and checks it just before the work starts. The output must be new or,
// with resume, belong to an earlier run with the same settings; claim then marks the files which that run has completed.
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
			return fmt.Errorf("%w, and has no record (%s) of the run that wrote it: --resume cannot check that the options are the same; choose another --output", err, filepath.Base(s.record.path))
		} else if err != nil {
			return err
		}
		return s.record.begin(settings)
	}
	if others := settings.different(*s.record.begun); others != "" {
		return fmt.Errorf("%s: cannot resume the run, which had %s: give the same options, or start again with another --output", s.output, others)
	}
	if err := s.leaveWhole(); err != nil {
		return err
	}
	for _, file := range s.all {
		if was := s.record.inputs[file.auditName()]; file.done && was != "" && was != file.stamp() {
			return fmt.Errorf("%s: has changed since its output was written: start again with another --output, or remove the output of this file", file.in)
		}
	}
	return nil
}

// stamp returns the size and the modification time of a file and of the file with its marks, or "" if one cannot be
// read. The stamp is not a digest of the content, because whoever gets the output folder could use a digest to check
// guesses at the content.
func (f noteFile) stamp() string {
	var stamps []string
	for _, path := range []string{f.in, f.marks} {
		if path == "" {
			continue
		}
		info, err := os.Stat(path)
		if err != nil {
			return ""
		}
		stamps = append(stamps, fmt.Sprintf("%d bytes, %s", info.Size(), info.ModTime().UTC().Format(time.RFC3339Nano)))
	}
	return strings.Join(stamps, "; ")
}

// mustBeNew returns an error if the output contains anything except a record.
func (s *fileSet) mustBeNew() error {
	if !s.folder {
		return paths.MustBeNew(s.output)
	}
	return mustBeEmpty(s.output, recordName)
}

// release unlocks the output. If nothing was written, it removes the record and the folder that claim created.
func (s *fileSet) release() {
	if s.record != nil {
		s.record.release(!s.record.audited && s.mustBeNew() == nil)
	}
	if s.made {
		folder := s.output
		if !s.folder {
			folder = filepath.Dir(s.output)
		}
		_ = os.Remove(folder) // fails unless the folder is empty
	}
}

// mustBeEmpty returns paths.ErrNotEmpty if a folder contains anything except the given names.
func mustBeEmpty(dir string, except ...string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !slices.Contains(except, e.Name()) {
			return fmt.Errorf("%s: %w", dir, paths.ErrNotEmpty)
		}
	}
	return nil
}
