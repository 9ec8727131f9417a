package patients

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/internal/bounded"
)

// table is a file of comma-, semicolon- or tab-separated values in UTF-8. If its first line names
// columns (see columnNames), other columns are ignored; otherwise it has two columns, the note and the
// patient. A note is an ID, or a file name with one of the extensions.
type table struct {
	path string
	rows map[string]row // by ID of the note
}

type row struct {
	line    int
	patient string
}

// columnNames lists the names of the two columns, without case, spaces and underscores.
var columnNames = [2][]string{
	{"note", "noteid", "id", "file", "filename", "document", "documentid", "docid"},
	{"patient", "patientid", "subject", "subjectid", "person", "personid", "pid"},
}

// extensions are those of formats with one note per file.
var extensions = []string{".txt", ".ann", ".xml", ".xmi", ".tsv", ".json"}

func readTable(path string) (*table, error) {
	bad := func(line int, reason string) (*table, error) {
		return nil, &data.Error{Path: path, Line: line, Offset: -1, Reason: reason}
	}
	raw, err := bounded.ReadFile(path, bounded.MaxNote)
	if err != nil {
		return nil, fmt.Errorf("the table of patients cannot be read (a rule for the names of files contains %s): %w", group, err)
	}
	raw = bytes.TrimPrefix(raw, []byte("\uFEFF"))
	if !utf8.Valid(raw) {
		return bad(0, "the table of patients is not UTF-8")
	}
	in := csv.NewReader(bytes.NewReader(raw))
	in.Comma, in.TrimLeadingSpace = separator(raw), true
	t := &table{path: path, rows: map[string]row{}}
	note, patient := 0, 1
	for first := true; ; first = false {
		fields, err := in.Read()
		if err == io.EOF {
			break
		}
		if e, ok := errors.AsType[*csv.ParseError](err); ok {
			return bad(e.Line, "not a line of the table: "+e.Err.Error())
		} else if err != nil {
			return nil, err
		}
		line, _ := in.FieldPos(0)
		if first {
			n, p := column(fields, 0), column(fields, 1)
			if n >= 0 && p >= 0 {
				note, patient = n, p
				continue
			}
			if len(fields) != 2 {
				return bad(line, fmt.Sprintf("the table has %d columns: its first line must name two of them note and patient", len(fields)))
			}
		}
		if err := t.add(line, strings.TrimSpace(fields[note]), strings.TrimSpace(fields[patient])); err != nil {
			return bad(line, err.Error())
		}
	}
	if len(t.rows) == 0 {
		return bad(0, "the table of patients contains no note")
	}
	return t, nil
}

// separator returns the separator that the first line contains most of.
func separator(raw []byte) rune {
	head, _, _ := bytes.Cut(raw, []byte("\n"))
	best := ','
	for _, c := range ",\t;" {
		if bytes.Count(head, []byte(string(c))) > bytes.Count(head, []byte(string(best))) {
			best = c
		}
	}
	return best
}

// column returns the index of the first field that is a name of the column, or -1.
func column(fields []string, which int) int {
	return slices.IndexFunc(fields, func(field string) bool {
		plain := strings.NewReplacer(" ", "", "_", "", "-", "").Replace(strings.ToLower(field))
		return slices.Contains(columnNames[which], plain)
	})
}

func (t *table) add(line int, note, patient string) error {
	if ext := filepath.Ext(note); slices.Contains(extensions, strings.ToLower(ext)) {
		note = strings.TrimSuffix(note, ext)
	}
	switch before, ok := t.rows[note]; {
	case note == "":
		return errors.New("the note is empty")
	case patient == "":
		return errors.New("the patient is empty")
	case ok && before.patient != patient:
		return fmt.Errorf("the note has another patient in line %d", before.line)
	case ok:
		return nil
	}
	t.rows[note] = row{line, patient}
	return nil
}

func (t *table) of(id string) (string, error) {
	if r, ok := t.rows[id]; ok {
		return r.patient, nil
	}
	return "", fmt.Errorf("the table of patients %s has no line for the note %s", t.path, id)
}

// checkNotes returns an error that names the first line of a note that has does not report.
func (t *table) checkNotes(has func(string) bool) error {
	unknown, line := 0, 0
	for id, r := range t.rows {
		if !has(id) {
			unknown++
			if line == 0 || r.line < line {
				line = r.line
			}
		}
	}
	if unknown == 0 {
		return nil
	}
	return &data.Error{Path: t.path, Line: line, Offset: -1, Reason: fmt.Sprintf(
		"no split of the corpus has a note with this ID (%d of %d lines of the table name such notes; "+
			"an ID is the path of a file within its folder, without extension, or the ID in the file)", unknown, len(t.rows))}
}
