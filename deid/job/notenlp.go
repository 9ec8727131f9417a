package job

import (
	"bufio"
	"cmp"
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

	"github.com/lethe-deid/lethe/deid/notefile"
	"github.com/lethe-deid/lethe/internal/paths"
	"github.com/lethe-deid/lethe/internal/wholefile"
)

// noteNLP writes the table NOTE_NLP of version 5.4 of the OMOP Common Data Model as CSV, with one row for each replacement
// in a note. It contains nothing of the original text.
type noteNLP struct {
	path   string
	system string // who found the terms
	date   string // "" for null
	file   *wholefile.Pending
	out    *bufio.Writer
	rows   int

	size    int64 // number of bytes written
	settled int64 // number of bytes, and
	before  int   // of rows, that belong to the files before the current one
}

const noteNLPHeader = "note_nlp_id,note_id,section_concept_id,snippet,offset,lexical_variant,note_nlp_concept_id,note_nlp_source_concept_id," +
	"nlp_system,nlp_date,nlp_datetime,term_exists,term_temporal,term_modifiers\n"

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

// createNoteNLP creates the table, or returns nil if the options name none.
func (c *checked) createNoteNLP() (*noteNLP, error) {
	if c.NotesNLP == "" {
		return nil, nil
	}
	file, err := wholefile.Create(c.NotesNLP, 0o666)
	if err != nil {
		return nil, unwritable(c.NotesNLP, err)
	}
	t := &noteNLP{path: c.NotesNLP, system: "lethe " + c.Version, date: c.NLPDate, file: file, out: bufio.NewWriter(file)}
	if err := t.write(noteNLPHeader); err != nil {
		return nil, err
	}
	t.finishFile()
	return t, nil
}

// add adds the replacements in a note. edits are those of its text.
func (t *noteNLP) add(note *notefile.Note, edits []notefile.Edit) error {
	if t == nil || note.Column > 0 { // offsets in note_title would be taken for offsets in note_text
		return nil
	}
	offset, at := 0, 0 // in characters of the clean text, and in bytes of the original
	for _, e := range edits {
		offset += utf8.RuneCountInString(note.Text[at:e.Start])
		at = e.End
		if e.New != note.Text[e.Start:e.End] {
			t.rows++
			term := quoted(shortened(e.New))
			row := []string{
				strconv.Itoa(t.rows), quoted(note.ID), "0", term, quoted(strconv.Itoa(offset)), term, "0", "0", quoted(t.system), t.date, "", "Y", "",
				quoted(fmt.Sprintf("type=%s, score=%.4f", e.Type, e.Score)),
			}
			if err := t.write(strings.Join(row, ",") + "\n"); err != nil {
				return err
			}
		}
		offset += utf8.RuneCountInString(e.New)
	}
	return nil
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
	err := errors.Join(t.out.Flush(), t.file.Truncate(t.settled))
	if _, seek := t.file.Seek(t.settled, io.SeekStart); seek != nil {
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
	if !done {
		_ = t.file.Discard() // if this fails, a hidden file stays
		return nil
	}
	err := errors.Join(t.out.Flush(), t.file.Close())
	if err == nil {
		err = t.file.Publish()
	}
	if errors.Is(err, fs.ErrExist) {
		err = errors.New("another program has created it in the meantime, so it was not overwritten")
	}
	return unwritable(t.path, err)
}

func shortened(s string) string {
	if utf8.RuneCountInString(s) > maxTerm {
		return string([]rune(s)[:maxTerm])
	}
	return s
}

func quoted(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }
