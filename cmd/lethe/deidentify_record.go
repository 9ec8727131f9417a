package main

import (
	"bufio"
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/lethe-deid/lethe/deid/replace"
	"github.com/lethe-deid/lethe/experiments"
	"github.com/lethe-deid/lethe/internal/bounded"
	"github.com/lethe-deid/lethe/internal/lockfile"
)

// runSettings are what the output of a run follows from. A run goes on with another
// only if the two are the same.
type runSettings struct {
	// Options are the flags, each by its name: its value or, of a flag that names a
	// file, a digest of the content. "model", "input" and "version" are among them.
	Options map[string]string `json:"options"`
	// Audit is where the audit is, seen from the folder of the record; "" for none.
	Audit string `json:"audit,omitempty"`
}

// withoutEffect are the flags that change nothing of the notes that come out, or that
// the record holds in another way. Any flag that is not among them is recorded.
var withoutEffect = []string{"help", "model", "output", "workers", "map", "map-recipient", "audit", "resume", "quiet", "skip-others"}

// settings of a run that is about to begin.
func (o *deidentifyOptions) settings(cmd *cobra.Command, input, model string, with replace.Options) (runSettings, error) {
	s := runSettings{Options: map[string]string{"model": model, "version": experiments.Version(version), "input": input}}
	if input != stdio {
		path, err := resolved(input)
		if err != nil {
			return s, err
		}
		s.Options["input"] = slowDigest([]byte(path))
	}
	var failed error
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if slices.Contains(withoutEffect, f.Name) || failed != nil {
			return
		}
		s.Options[f.Name], failed = flagValue(f)
	})
	if failed != nil {
		return s, failed
	}
	if o.keyFile != "" {
		s.Options["key-file"] = slowDigest(with.Key)
	}
	if o.surrogates != "" { // it names files of lists
		parsed, err := json.Marshal(map[string]any{"language": with.Language, "sorts": with.Sorts, "lists": with.Lists})
		if err != nil {
			return s, err
		}
		s.Options["surrogates"] = slowDigest(parsed)
	}
	if o.audit == "" || o.output == "" || o.output == stdio {
		return s, nil
	}
	at, err := resolved(o.audit)
	if err != nil {
		return s, err
	}
	folder, err := resolved(o.output)
	if err != nil {
		return s, err
	}
	if s.Audit, err = filepath.Rel(folder, at); err != nil { // on another volume
		s.Audit, err = at, nil
	}
	s.Audit = filepath.ToSlash(s.Audit)
	return s, err
}

// flagValue is what the record says of a flag. One that names files is known by its help,
// which calls its value a FILE or, where that is one of several things, RULES.
func flagValue(f *pflag.Flag) (string, error) {
	values := []string{f.Value.String()}
	if list, ok := f.Value.(pflag.SliceValue); ok {
		values = list.GetSlice()
	}
	if kind, _ := pflag.UnquoteUsage(f); kind == "FILE" || kind == "RULES" {
		for i, path := range values {
			var err error
			if values[i], err = fileDigest(path); err != nil {
				return "", err
			}
		}
	}
	if len(values) == 1 {
		return values[0], nil
	}
	encoded, err := json.Marshal(values)
	return string(encoded), err
}

// fileDigest is a digest of a file's content, or the path itself if there is no such
// file. What comes through a pipe can be read only once, and is never the same.
func fileDigest(path string) (string, error) {
	info, err := os.Stat(path)
	if path == "" || err != nil || info.IsDir() {
		return path, nil
	}
	if !info.Mode().IsRegular() {
		return "pipe " + rand.Text(), nil
	}
	content, err := bounded.ReadFile(path, 1<<30)
	return slowDigest(content), err
}

// slowDigest makes guesses at a short content, as that of a list of one patient, expensive
// for those who get the output and with it the record.
func slowDigest(content []byte) string {
	sum, err := pbkdf2.Key(sha256.New, string(content), []byte("lethe run 1"), 100_000, 16)
	if err != nil {
		panic(err) // the parameters are fixed
	}
	return hex.EncodeToString(sum)
}

// digest is what the lines of an audit say of the options.
func (s runSettings) digest() (string, error) {
	options := maps.Clone(s.Options)
	delete(options, "model") // a line has its own digest of it
	delete(options, "input")
	encoded, err := json.Marshal(options) // sorted
	sum := sha256.Sum256(encoded)
	return "sha256:" + hex.EncodeToString(sum[:]), err
}

// different says in which settings a run differs from the one that it is to go on
// with; "" for none.
func (s runSettings) different(earlier runSettings) string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(s.Options)) {
		before, ok := earlier.Options[name]
		if ok && before == s.Options[name] {
			continue
		}
		switch name {
		case "model", "input", "version":
			name = "another " + name + " (" + map[string]string{"model": "--model", "input": "the file or folder of notes", "version": "of lethe"}[name] + ")"
		default:
			name = "another --" + name
		}
		names = append(names, name)
	}
	for name := range earlier.Options {
		if _, ok := s.Options[name]; !ok {
			names = append(names, "another --"+name)
		}
	}
	switch {
	case s.Audit == earlier.Audit:
	case s.Audit == "":
		names = append(names, "an --audit")
	case earlier.Audit == "":
		names = append(names, "no --audit")
	default:
		names = append(names, "another --audit")
	}
	return strings.Join(names, ", ")
}

// runRecord is a hidden file in or beside the output. Its first line holds the settings
// of the run. If there is an audit, one says that it was created. One for each file of notes, written before
// the file gets its name, says what it was made from and how many lines the audit has of it.
// Half a line at the end does not count. While a run writes, it has the record locked.
type runRecord struct {
	path string
	of   string // the output, which errors name
	f    *os.File
	size int64 // of whole lines
	// begun is what the run that this one may go on with has said of itself; nil for none.
	begun   *runSettings
	audited bool              // it has created its audit
	lines   map[string]int    // of the audit, by file of notes
	inputs  map[string]string // what each file of notes was made from: see inputStamp
}

type recordLine struct {
	Settings *runSettings `json:"run,omitempty"`
	Audited  bool         `json:"audit_created,omitempty"`
	File     string       `json:"file,omitempty"`
	Lines    int          `json:"lines,omitempty"`
	Input    string       `json:"input,omitempty"`
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
func openRecord(path, of string) (*runRecord, error) {
	f, err := lockfile.Open(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	r := &runRecord{path: path, of: of, f: f, lines: map[string]int{}, inputs: map[string]string{}}
	if err := r.read(); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return r, nil
}

func (r *runRecord) read() error {
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
func (r *runRecord) begin(s runSettings) error {
	r.size = 0
	if err := r.f.Truncate(0); err != nil {
		return unwritable(r.of, err)
	}
	return r.add(recordLine{Settings: &s})
}

// audit says that the run has created its audit.
func (r *runRecord) audit() error {
	if r == nil {
		return nil
	}
	r.audited = true
	return r.add(recordLine{Audited: true})
}

// add appends lines. There is no record of a run that writes to stdout.
func (r *runRecord) add(lines ...recordLine) error {
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
func (r *runRecord) release(useless bool) {
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
func (s *fileSet) claim(resume bool, settings runSettings) error {
	if s.output == stdio {
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
		return mustBeNew(s.output)
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
			return fmt.Errorf("%s: %w", dir, errNotEmpty)
		}
	}
	return nil
}
