package job

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/deid/field"
	"github.com/lethe-deid/lethe/deid/notefile"
	"github.com/lethe-deid/lethe/internal/parquet"
	"github.com/lethe-deid/lethe/internal/paths"
	"github.com/lethe-deid/lethe/internal/wholefile"
)

// noteNLP writes the table NOTE_NLP of version 5.4 of the OMOP Common Data Model, with one row for each replacement
// in a note. It contains nothing of the original text. The table is CSV or, if the path ends in .parquet, Parquet.
type noteNLP struct {
	path   string
	system string // who found the terms
	date   string // "" for null
	file   *wholefile.Pending
	lines  *os.File // the rows: file for CSV; for Parquet a temporary file, with one JSON array per row
	out    *bufio.Writer
	rows   int
	words  bool // an id of a note is not a number

	size    int64 // number of bytes written
	settled int64 // number of bytes, and
	before  int   // of rows, that belong to the files before the current one
}

// noteNLPColumns are the columns of the table.
var noteNLPColumns = []struct {
	parquet.Column
	quoted bool // in CSV
}{
	{parquet.Column{Name: "note_nlp_id", Type: parquet.Integer}, false},
	{parquet.Column{Name: "note_id", Type: parquet.Integer}, true}, // or text: see noteNLP.words
	{parquet.Column{Name: "section_concept_id", Type: parquet.Integer}, false},
	{parquet.Column{Name: "snippet"}, true},
	{parquet.Column{Name: "offset"}, true},
	{parquet.Column{Name: "lexical_variant"}, true},
	{parquet.Column{Name: "note_nlp_concept_id", Type: parquet.Integer}, false},
	{parquet.Column{Name: "note_nlp_source_concept_id", Type: parquet.Integer}, false},
	{parquet.Column{Name: "nlp_system"}, true},
	{parquet.Column{Name: "nlp_date", Type: parquet.Date, Optional: true}, false},
	{parquet.Column{Name: "nlp_datetime", Type: parquet.Timestamp, Optional: true}, false},
	{parquet.Column{Name: "term_exists"}, false},
	{parquet.Column{Name: "term_temporal", Optional: true}, false},
	{parquet.Column{Name: "term_modifiers"}, true},
}

// maxTerm is the maximum number of characters of a snippet or a lexical variant in OMOP.
const maxTerm = 250

// checkNoteNLP checks the options of the table. It changes nothing.
func (c *checked) checkNoteNLP() error {
	if c.NLPDate != "" {
		if _, err := time.Parse(time.DateOnly, c.NLPDate); err != nil {
			return fmt.Errorf("--nlp-date %q is not a date of the form YYYY-MM-DD", c.NLPDate)
		}
	}
	switch {
	case c.NotesNLP == "" && c.NLPDate != "":
		return errors.New("--nlp-date requires --notes-nlp")
	case c.NotesNLP == "":
		return nil
	case !c.OMOP:
		return errors.New("--notes-nlp requires --omop, because the table NOTE_NLP refers to notes of the table NOTE")
	case c.NotesNLP == Stdio:
		return errors.New("--notes-nlp requires a file: stdout is for notes")
	case c.Resume:
		return errors.New("--notes-nlp cannot be combined with --resume: the table would lack the rows of the earlier run")
	}
	if info, err := os.Stat(c.NotesNLP); err == nil && info.IsDir() {
		return fmt.Errorf("--notes-nlp %s is a folder", c.NotesNLP)
	}
	if err := paths.MustBeNew(c.NotesNLP); err != nil {
		return err
	}
	path, err := paths.Resolve(c.NotesNLP)
	if err != nil {
		return err
	}
	for _, other := range append([]string{c.Output, c.Audit, c.Map}, c.Inputs...) {
		if other == "" || other == Stdio {
			continue
		}
		if at, err := paths.Resolve(other); err != nil || path == at || strings.HasPrefix(path, at+string(filepath.Separator)) {
			return cmp.Or(err, fmt.Errorf("--notes-nlp %s is, or is in, another file or folder of the run (%s)", c.NotesNLP, other))
		}
	}
	return nil
}

// checkNoteIDs returns an error if a rule removes the ids of the notes, because NOTE_NLP refers to the notes by them.
func (c *checked) checkNoteIDs(rules *field.Table) error {
	if c.NotesNLP == "" {
		return nil
	}
	var names []string
	for _, r := range rules.Rules() {
		if strings.EqualFold(r.Path, "note_id") {
			names = append(names, r.Path)
		}
	}
	for _, name := range append(names, "note_id") {
		if action, ok := rules.Action(name); ok && action != field.Keep && action != field.Hash {
			return fmt.Errorf("--notes-nlp requires the ids of the notes: a rule for the column %q can be %s or %s, but not %s", name, field.Keep, field.Hash, action)
		}
	}
	return nil
}

// createNoteNLP creates the table, or returns nil if the options name none.
func (c *checked) createNoteNLP() (*noteNLP, error) {
	if c.NotesNLP == "" {
		return nil, nil
	}
	file, err := wholefile.Create(c.NotesNLP, 0o666)
	if err != nil {
		return nil, unwritable(c.NotesNLP, err)
	}
	t := &noteNLP{path: c.NotesNLP, system: "lethe " + c.Version, date: c.NLPDate, file: file, lines: file.File}
	if strings.EqualFold(filepath.Ext(t.path), ".parquet") {
		if t.lines, err = os.CreateTemp("", "lethe-note-nlp-"); err != nil {
			return nil, errors.Join(err, file.Discard())
		}
	}
	t.out = bufio.NewWriter(t.lines)
	if t.lines == file.File {
		var names []string
		for _, column := range noteNLPColumns {
			names = append(names, column.Name)
		}
		if err := t.write(strings.Join(names, ",") + "\n"); err != nil {
			return nil, err
		}
	}
	t.finishFile()
	return t, nil
}

// add adds the replacements in a note. edits are those of its text.
func (t *noteNLP) add(note *notefile.Note, edits []notefile.Edit) error {
	if t == nil || note.Column > 0 || note.Field != "" { // offsets in note_title would be taken for offsets in note_text
		return nil
	}
	id := cmp.Or(note.Alias, note.ID)
	if _, err := strconv.ParseInt(id, 10, 64); err != nil {
		t.words = true
	}
	offset, at := 0, 0 // in characters of the clean text, and in bytes of the original
	for _, e := range edits {
		offset += utf8.RuneCountInString(note.Text[at:e.Start])
		at = e.End
		if e.New != note.Text[e.Start:e.End] {
			t.rows++
			term := shortened(e.New)
			row := []string{
				strconv.Itoa(t.rows), id, "0", term, strconv.Itoa(offset), term, "0", "0", t.system, t.date, "", "Y", "", fmt.Sprintf("type=%s, score=%.4f", e.Type, e.Score),
			}
			if err := t.write(t.line(row)); err != nil {
				return err
			}
		}
		offset += utf8.RuneCountInString(e.New)
	}
	return nil
}

// line returns a row as it is in lines.
func (t *noteNLP) line(row []string) string {
	if t.lines != t.file.File {
		encoded, _ := json.Marshal(row) // encoding texts never fails
		return string(encoded) + "\n"
	}
	for i, column := range noteNLPColumns {
		if column.quoted {
			row[i] = `"` + strings.ReplaceAll(row[i], `"`, `""`) + `"`
		}
	}
	return strings.Join(row, ",") + "\n"
}

func (t *noteNLP) write(s string) error {
	n, err := t.out.WriteString(s)
	t.size += int64(n)
	return unwritable(t.path, err)
}

// finishFile keeps the rows of the current file of notes.
func (t *noteNLP) finishFile() {
	if t != nil {
		t.settled, t.before = t.size, t.rows
	}
}

// takeBack removes the rows of the current file of notes.
func (t *noteNLP) takeBack() error {
	if t == nil {
		return nil
	}
	err := errors.Join(t.out.Flush(), t.lines.Truncate(t.settled))
	if _, seek := t.lines.Seek(t.settled, io.SeekStart); seek != nil {
		err = errors.Join(err, seek)
	}
	t.size, t.rows = t.settled, t.before
	return unwritable(t.path, err)
}

// close publishes the table if the run is done, and otherwise removes it.
func (t *noteNLP) close(done bool) error {
	if t == nil {
		return nil
	}
	if t.lines != t.file.File {
		defer func() { _ = errors.Join(t.lines.Close(), os.Remove(t.lines.Name())) }() // what stays is de-identified
	}
	if !done {
		_ = t.file.Discard() // if this fails, a hidden file stays
		return nil
	}
	err := t.out.Flush()
	if err == nil && t.lines != t.file.File {
		err = t.writeParquet()
	}
	err = errors.Join(err, t.file.Close())
	if err == nil {
		err = t.file.Publish()
	}
	if errors.Is(err, fs.ErrExist) {
		err = errors.New("another program has created it in the meantime, so it was not overwritten")
	}
	return unwritable(t.path, err)
}

// writeParquet writes the rows in lines to the file.
func (t *noteNLP) writeParquet() error {
	if _, err := t.lines.Seek(0, io.SeekStart); err != nil {
		return err
	}
	var columns []parquet.Column
	for _, column := range noteNLPColumns {
		if column.Name == "note_id" && t.words {
			column.Type = parquet.Text
		}
		columns = append(columns, column.Column)
	}
	out := bufio.NewWriter(t.file)
	table, err := parquet.Create(out, columns)
	if err != nil {
		return err
	}
	defer table.Discard()
	for in := json.NewDecoder(bufio.NewReader(t.lines)); ; {
		var row []string
		if err := in.Decode(&row); errors.Is(err, io.EOF) {
			return errors.Join(table.Close(), out.Flush())
		} else if err != nil {
			return err
		}
		if err := table.Row(row); err != nil {
			return err
		}
	}
}

func shortened(s string) string {
	if utf8.RuneCountInString(s) > maxTerm {
		return string([]rune(s)[:maxTerm])
	}
	return s
}
