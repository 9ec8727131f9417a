// Package audit keeps account of de-identified notes: a line of JSON a note for those
// who must show what was done, and a summary that a person reads. Neither holds any text
// of a note.
package audit

import (
	"bufio"
	"bytes"
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

	"github.com/google/renameio/v2"

	"github.com/lethe-deid/lethe/deid/net"
)

// Line is what is said of one note. Its ID and file may be record numbers, as
// those who made them chose.
type Line struct {
	File     string                        `json:"file,omitempty"`     // below the folder that was given
	Line     int                           `json:"line,omitempty"`     // where the note begins in it
	ID       string                        `json:"id,omitempty"`       // of the note, if it could be read
	Replaced map[string]int                `json:"replaced,omitempty"` // spans by type, those of the net among them
	Kept     map[string]int                `json:"kept,omitempty"`     // spans by type that were left as they were, by intent
	Lowest   map[string]float64            `json:"lowest,omitempty"`   // the lowest score of a span that the tagger found, by type
	Net      map[net.Source]map[string]int `json:"net,omitempty"`      // what the safety net found, by why and type
	Error    string                        `json:"error,omitempty"`    // why the note could not be examined; it was not written
	Model    string                        `json:"model,omitempty"`    // digest of the model
	Config   string                        `json:"config,omitempty"`   // digest of what the command was asked for
}

// Summary adds lines up.
type Summary struct {
	Notes, Failed  int // all, and those that could not be examined
	Skipped        int // files that a run that goes on found whole
	Lost           int // notes that are not in those, since they could not be examined
	replaced, kept map[string]int
	net            map[net.Source]map[string]int
	// Unchanged says what of the files was not examined, and stays as it was.
	Unchanged string
	// Expected is the leak to be expected; "" if the model was not calibrated.
	Expected string
}

// Add counts a line.
func (s *Summary) Add(l *Line) {
	s.Notes++
	if l.Error != "" {
		s.Failed++
		return
	}
	if s.replaced == nil {
		s.replaced, s.kept, s.net = map[string]int{}, map[string]int{}, map[net.Source]map[string]int{}
	}
	for t, n := range l.Replaced {
		s.replaced[t] += n
	}
	for t, n := range l.Kept {
		s.kept[t] += n
	}
	for source, types := range l.Net {
		if s.net[source] == nil {
			s.net[source] = map[string]int{}
		}
		for t, n := range types {
			s.net[source][t] += n
		}
	}
}

// WriteText writes the summary in some lines.
func (s *Summary) WriteText(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "notes         %d examined", s.Notes-s.Failed)
	if s.Failed > 0 {
		fmt.Fprintf(&b, ", %d NOT examined and not written", s.Failed)
	}
	if s.Skipped > 0 {
		fmt.Fprintf(&b, "; %d files were whole already", s.Skipped)
	}
	if s.Lost > 0 {
		fmt.Fprintf(&b, " but for %d notes that are NOT examined and not written", s.Lost)
	}
	fmt.Fprintf(&b, "\nPHI replaced  %s\n", counts(s.replaced))
	if len(s.kept) > 0 {
		fmt.Fprintf(&b, "kept          %s\n", counts(s.kept))
	}
	found := 0
	var parts []string
	for _, source := range net.Sources() {
		if types := s.net[source]; len(types) > 0 {
			parts = append(parts, fmt.Sprintf("%s %s", source, counts(types)))
			found += sum(types)
		}
	}
	if found == 0 {
		parts = []string{"nothing more"}
	}
	fmt.Fprintf(&b, "safety net    %s\n", strings.Join(parts, "; "))
	if s.Unchanged != "" {
		fmt.Fprintf(&b, "unchanged     %s\n", s.Unchanged)
	}
	expected := s.Expected
	if expected == "" {
		expected = "not known, for lethe calibrate has not measured it: check a sample"
	}
	fmt.Fprintf(&b, "expected leak %s\n", expected)
	_, err := io.WriteString(w, b.String())
	return err
}

// counts is a total and its parts, the most frequent first.
func counts(types map[string]int) string {
	total := sum(types)
	names := slices.Sorted(maps.Keys(types))
	slices.SortStableFunc(names, func(a, b string) int { return types[b] - types[a] })
	for i, name := range names {
		names[i] = fmt.Sprintf("%s %d", name, types[name])
	}
	if total == 0 {
		return "0"
	}
	return fmt.Sprintf("%d (%s)", total, strings.Join(names, ", "))
}

func sum(types map[string]int) int {
	total := 0
	for _, n := range types {
		total += n
	}
	return total
}

// File is a file of lines.
type File struct {
	path string
	f    *os.File
}

// Create makes a new file, and the folder that it is to be in.
func Create(path string) (*File, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("%s: is there already", path)
	}
	return &File{path, f}, err
}

// Resume opens the file of a run that was stopped, or makes a new one, and adds up what that
// has done. Lines of files that are to be done again are taken out. Lines of another model or
// configuration are an error: the outputs of the two would be mixed.
func Resume(path, model, config string, redo func(file string) bool) (*File, Summary, error) {
	var earlier Summary
	raw, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		f, err := Create(path)
		return f, earlier, err
	} else if err != nil {
		return nil, earlier, err
	}
	defer raw.Close()
	kept, err := renameio.NewPendingFile(path, renameio.WithTempDir(filepath.Dir(path)), renameio.WithExistingPermissions())
	if err != nil {
		return nil, earlier, err
	}
	defer func() { _ = kept.Cleanup() }() // after it has its name it does nothing
	in := bufio.NewReader(raw)
	for number := 1; ; number++ {
		text, end := in.ReadBytes('\n')
		if end == io.EOF {
			break // a line without an end is half of one
		}
		if end != nil {
			return nil, earlier, end
		}
		var l Line
		if json.Unmarshal(text, &l) != nil {
			return nil, earlier, fmt.Errorf("%s:%d: no line of an audit", path, number)
		}
		if l.Model != model || l.Config != config {
			return nil, earlier, fmt.Errorf("%s:%d: the run that is to go on had another model or other options", path, number)
		}
		if !redo(l.File) {
			earlier.Add(&l)
			if _, err := kept.Write(text); err != nil {
				return nil, earlier, err
			}
		}
	}
	if err := kept.CloseAtomicallyReplace(); err != nil {
		return nil, earlier, err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	return &File{path, f}, earlier, err
}

// Write appends lines, and returns when the system has them.
func (f *File) Write(lines []*Line) error {
	if f == nil || len(lines) == 0 {
		return nil
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	for _, l := range lines {
		if err := enc.Encode(l); err != nil {
			return err
		}
	}
	_, err := f.f.Write(b.Bytes())
	return err
}

// Sync returns when the lines are on disk.
func (f *File) Sync() error {
	if f == nil {
		return nil
	}
	return f.f.Sync()
}

// Close syncs and closes the file.
func (f *File) Close() error {
	if f == nil {
		return nil
	}
	return errors.Join(f.f.Sync(), f.f.Close())
}
