// Package audit documents what was done with notes: a File with one line of JSON per note, as evidence, and a Summary to
// read. Neither contains text of a note.
package audit

import (
	"bufio"
	"bytes"
	"cmp"
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

	"github.com/lethe-deid/lethe/deid/safetynet"
	"github.com/lethe-deid/lethe/internal/counted"
	"github.com/lethe-deid/lethe/internal/lockfile"
	"github.com/lethe-deid/lethe/internal/wholefile"
)

// Line is the line of one note. File names and IDs may identify a patient, for example if they are record numbers.
// Empty fields are omitted from the JSON.
type Line struct {
	File      string                              `json:"file,omitempty"`      // path of the note's file, relative to the input folder
	Line      int                                 `json:"line,omitempty"`      // line of the file on which the note starts, from 1; 0 if unknown
	ID        string                              `json:"id,omitempty"`        // ID of the note, if it could be read
	Replaced  map[string]int                      `json:"replaced,omitempty"`  // number of replaced spans by type, including those of the safety net
	Kept      map[string]int                      `json:"kept,omitempty"`      // number of spans by type that stay as they are, because the policy or the options keep them
	Fields    map[string]int                      `json:"fields,omitempty"`    // number of fields of the record that changed, by type, or drop or hash; in the line of the record's first note
	Lowest    map[string]float64                  `json:"lowest,omitempty"`    // lowest score of the tagger's spans by type, in [0, 1]
	Net       map[safetynet.Source]map[string]int `json:"net,omitempty"`       // number of values that the tagger missed and another source found, by source and type
	Languages []string                            `json:"languages,omitempty"` // languages whose models examined the note, with the model auto
	Unlike    []string                            `json:"unlike,omitempty"`    // in which ways the note is unlike those that the model was calibrated on
	NoText    bool                                `json:"no_text,omitempty"`   // the line is that of a record without a note, of which fields or parts have changed
	Dropped   int                                 `json:"dropped,omitempty"`   // number of parts of the note's record that were removed because they cannot be examined
	Error     string                              `json:"error,omitempty"`     // why the note could not be examined; then it was not written
	Lost      int                                 `json:"lost,omitempty"`      // number of earlier notes of the file that were not written either, because the rest of the file could not be read
	Policy    string                              `json:"policy,omitempty"`    // name of the policy
	// PolicyDigest is the digest of the policy's file.
	PolicyDigest string `json:"policy_digest,omitempty"`
	Model        string `json:"model,omitempty"`  // digest of the model
	Config       string `json:"config,omitempty"` // digest of the options, the same for all shards
	Shard        string `json:"shard,omitempty"`  // shard of the run, as in 3/8; "" means the whole input
}

// Summary is the totals of a run. The zero value is ready to use: see Add.
type Summary struct {
	Notes, Failed     int    // number of lines of notes and of records without one, and of those that could not be examined
	NoText            int    // number of records without a note that have changed
	Skipped           int    // number of files that an earlier run had completed
	Lost              int    // number of notes in the skipped files that could not be examined
	Patients, Without int    // number of patients, and of notes without a known patient
	Dropped           int    // number of parts of records that were removed because they cannot be examined
	Unusual           int    // number of notes unlike those that the model was calibrated on
	Restarted         int    // number of patients whose numbering restarted, because their notes were not adjacent
	NoNet             bool   // whether the run had no safety net
	Unkeyed           bool   // whether pseudonyms follow from a random key, because no other was given
	Unchanged         string // parts of the files that the format leaves unexamined, for the reader; "" means none
	Policy            string // name of the policy; "" means that there was none
	Expected          string // the leak to expect, for the reader; "" if the model was not calibrated

	replaced, kept    map[string]int
	fields            map[string]int
	languages, unlike map[string]int // number of notes, by languages or by way of being unlike others
	net               map[safetynet.Source]map[string]int
}

// Clone returns a deep copy.
func (s *Summary) Clone() Summary {
	c := *s
	c.replaced, c.kept, c.net = maps.Clone(s.replaced), maps.Clone(s.kept), maps.Clone(s.net)
	c.fields = maps.Clone(s.fields)
	c.languages, c.unlike = maps.Clone(s.languages), maps.Clone(s.unlike)
	for source, types := range c.net {
		c.net[source] = maps.Clone(types)
	}
	return c
}

// Add adds a line to the totals.
func (s *Summary) Add(l *Line) {
	s.Notes += 1 + l.Lost
	if l.Error != "" {
		s.Failed += 1 + l.Lost
		return
	}
	if l.NoText {
		s.NoText++
	}
	s.Dropped += l.Dropped
	if s.replaced == nil {
		s.replaced, s.kept, s.net = map[string]int{}, map[string]int{}, map[safetynet.Source]map[string]int{}
		s.languages, s.unlike, s.fields = map[string]int{}, map[string]int{}, map[string]int{}
	}
	if len(l.Languages) > 0 {
		s.languages[strings.Join(l.Languages, "+")]++
	}
	for _, way := range l.Unlike {
		s.unlike[way]++
	}
	if len(l.Unlike) > 0 {
		s.Unusual++
	}
	for t, n := range l.Replaced {
		s.replaced[t] += n
	}
	for t, n := range l.Fields {
		s.fields[t] += n
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

// Types lists the types of what was replaced, sorted.
func (s *Summary) Types() []string { return slices.Sorted(maps.Keys(s.replaced)) }

// WriteText writes the summary as lines of text.
func (s *Summary) WriteText(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "notes         %d examined", s.Notes-s.Failed-s.NoText)
	if s.Failed > 0 {
		fmt.Fprintf(&b, ", %d NOT examined and not written", s.Failed)
	}
	if s.Skipped > 0 {
		fmt.Fprintf(&b, "; %s already complete", counted.Of(s.Skipped, "file"))
	}
	if s.Lost > 0 {
		fmt.Fprintf(&b, " except for %s NOT examined and not written", counted.Of(s.Lost, "note"))
	}
	b.WriteString("\n")
	if s.NoText > 0 {
		fmt.Fprintf(&b, "no text       %s, in which fields have changed or parts were dropped\n", counted.Of(s.NoText, "record"))
	}
	if s.Patients+s.Without > 0 {
		fmt.Fprintf(&b, "patients      %d", s.Patients)
		if s.Without > 0 {
			fmt.Fprintf(&b, "; %s without a known patient", counted.Of(s.Without, "note"))
		}
		b.WriteString("\n")
	}
	if s.Dropped > 0 {
		fmt.Fprintf(&b, "dropped       %s that cannot be examined, such as pictures and PDF\n", counted.Of(s.Dropped, "part"))
	}
	if s.Restarted > 0 {
		fmt.Fprintf(&b, "numbering     restarted for %s whose notes are not adjacent: sort the notes by patient\n", counted.Of(s.Restarted, "patient"))
	}
	if s.Policy != "" {
		fmt.Fprintf(&b, "policy        %s\n", s.Policy)
	}
	if len(s.languages) > 0 {
		fmt.Fprintf(&b, "languages     %s\n", counts(s.languages))
	}
	if s.Unusual > 0 {
		fmt.Fprintf(&b, "unlike        %s unlike those the model was calibrated on (%s): nothing is known about the leak in them\n", counted.Of(s.Unusual, "note"), each(s.unlike))
	}
	fmt.Fprintf(&b, "PHI replaced  %s\n", counts(s.replaced))
	if len(s.fields) > 0 {
		fmt.Fprintf(&b, "fields        %s\n", counts(s.fields))
	}
	if s.Unkeyed && s.fields["hash"] > 0 {
		b.WriteString("pseudonyms    are those of this run only: to join them with others, give a --key-file\n")
	}
	if len(s.kept) > 0 {
		fmt.Fprintf(&b, "kept          %s\n", counts(s.kept))
	}
	found := 0
	var parts []string
	for _, source := range safetynet.Sources() {
		if types := s.net[source]; len(types) > 0 {
			parts = append(parts, fmt.Sprintf("%s %s", source, counts(types)))
			found += sum(types)
		}
	}
	switch {
	case found > 0:
	case s.NoNet:
		parts = []string{"off"}
	default:
		parts = []string{"nothing more"}
	}
	fmt.Fprintf(&b, "safety net    %s\n", strings.Join(parts, "; "))
	if s.Unchanged != "" {
		fmt.Fprintf(&b, "unchanged     %s\n", s.Unchanged)
	}
	fmt.Fprintf(&b, "expected leak %s\n", cmp.Or(s.Expected, uncalibrated))
	_, err := io.WriteString(w, b.String())
	return err
}

// uncalibrated is the expected leak of a model without a calibration.
const uncalibrated = "unknown, because the model was not calibrated (see lethe calibrate): check a sample"

// counts formats the total and the number of each type, the most frequent type first: "3 (DATE 2, PATIENT 1)".
func counts(types map[string]int) string {
	total := sum(types)
	if total == 0 {
		return "0"
	}
	return fmt.Sprintf("%d (%s)", total, each(types))
}

// each formats the number of each type, the most frequent type first: "DATE 2, PATIENT 1".
func each(types map[string]int) string {
	names := slices.Sorted(maps.Keys(types))
	slices.SortStableFunc(names, func(a, b string) int { return types[b] - types[a] })
	for i, name := range names {
		names[i] = fmt.Sprintf("%s %d", name, types[name])
	}
	return strings.Join(names, ", ")
}

func sum(types map[string]int) int {
	total := 0
	for _, n := range types {
		total += n
	}
	return total
}

// File is a file of lines, locked against other processes. The methods of a nil *File do nothing.
type File struct {
	path string
	f    *os.File
	size int64
}

// Create creates a new file, and its folder if necessary. It is an error if the file already exists.
func Create(path string) (*File, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return nil, err
	}
	f, err := lockfile.Open(path, os.O_RDWR|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("%s: already exists", path)
	} else if err != nil {
		return nil, err
	}
	return &File{path: path, f: f}, nil
}

// Resume opens the file of a run that was stopped, to append to it, and returns the totals of the lines in it.
//
// It removes the lines of files for which redo reports true, and an incomplete line at the end. want is the number of
// lines that must remain for each file of notes; any other number is an error. So is a line with another model or
// config, because the outputs of two configurations would be mixed.
func Resume(path, model, config string, redo func(file string) bool, want map[string]int) (*File, Summary, error) {
	var earlier Summary
	f, err := lockfile.Open(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return nil, earlier, err
	}
	got := map[string]int{}
	kept, size, err := keepLines(f, path, model, config, func(l *Line) bool {
		if redo(l.File) {
			return false
		}
		got[l.File]++
		earlier.Add(l)
		return true
	})
	if kept != nil {
		defer func() { _ = kept.Discard() }() // after Replace this does nothing
	}
	for file, n := range want {
		if err == nil && got[file] != n {
			err = fmt.Errorf("%s: lines of the earlier run are missing: restore the complete audit, or start again with another output", path)
		}
	}
	if kept == nil || err != nil {
		if err != nil {
			_ = f.Close()
			return nil, earlier, err
		}
		return &File{path, f, size}, earlier, nil
	}
	info, err := f.Stat()
	if err == nil {
		err = kept.Chmod(info.Mode().Perm())
	}
	if err == nil {
		err = kept.Replace()
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return nil, earlier, err
	}
	f, err = lockfile.Open(path, os.O_RDWR|os.O_APPEND, 0)
	return &File{path, f, size}, earlier, err
}

// keepLines copies the lines for which keep reports true to a new file, and returns the file and its size in bytes. If all
// lines stay, the file is nil.
func keepLines(f *os.File, path, model, config string, keep func(*Line) bool) (*wholefile.Pending, int64, error) {
	kept, err := wholefile.Create(path, 0o666)
	if err != nil {
		return nil, 0, err
	}
	out := bufio.NewWriter(kept)
	size, all := int64(0), true
	in := bufio.NewReader(f)
	for number := 1; err == nil; number++ {
		var text []byte
		if text, err = in.ReadBytes('\n'); err == io.EOF {
			all = all && len(text) == 0
		}
		if err != nil {
			break
		}
		var l Line
		switch {
		case json.Unmarshal(text, &l) != nil:
			err = fmt.Errorf("%s:%d: not a line of an audit", path, number)
		case l.Model != model || l.Config != config:
			err = fmt.Errorf("%s:%d: the earlier run had another model or other options", path, number)
		case !keep(&l):
			all = false
		default:
			size += int64(len(text))
			_, err = out.Write(text)
		}
	}
	if err == io.EOF {
		err = out.Flush()
	}
	if err != nil || all {
		return nil, size, errors.Join(err, kept.Discard())
	}
	return kept, size, nil
}

// Write appends lines. If they cannot be written completely, for example because the disk is full, it removes the part
// that was written.
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
	if _, err := f.f.Write(b.Bytes()); err != nil {
		return errors.Join(err, f.Truncate(f.size))
	}
	f.size += int64(b.Len())
	return nil
}

// Size returns the number of bytes in the file.
func (f *File) Size() int64 {
	if f == nil {
		return 0
	}
	return f.size
}

// Truncate cuts the file to size bytes.
func (f *File) Truncate(size int64) error {
	if f == nil {
		return nil
	}
	f.size = size
	return f.f.Truncate(size)
}

// Sync waits until the lines are on disk.
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
