package notefile

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/jsonl"
	"github.com/lethe-deid/lethe/deid/notefile/internal/base"
	"github.com/lethe-deid/lethe/deid/notefile/internal/jsontree"
	"github.com/lethe-deid/lethe/deid/notefile/internal/rtf"
)

// readJSONL reads JSON Lines, one object per line, an array of objects, or one object with line breaks. Notes are the strings under
// the keys of Options.Columns; if there are lists on the way to a key, or under it, the strings of all
// their elements. If the object lists the PHI of a text, the list is updated: spans, which
// data/jsonl reads, gets the new spans; columns, which it reads too, and label, labels, entities and what jsonl.IsOfTool knows, which other tools write, become
// empty, wherever they are in the object. Everything else stays the same, including blank lines.
//
// A key that differs from one of the columns only in case is refused, because some readers treat
// the two as the same key.
func readJSONL(in *base.Source, o Options) Records {
	if isArray(in) {
		return arrayElements(in, func(raw []byte, at, line, offset, number int) (*Record, error) {
			j, err := jsontree.ObjectAt(in, raw, at, line, offset)
			if err != nil {
				return nil, err
			}
			l := &jsonLine{in: in, options: o, columns: noteKeys(o), j: j, line: line + bytes.Count(raw[:at], []byte("\n")), offset: offset, number: number}
			return l.read()
		})
	}
	parse := jsonLineParser(in, o)
	if isLongObject(in) {
		return base.One(in, true, func(raw []byte) (*Record, error) { return parse(raw, 1, 0) })
	}
	return base.Lines(in, parse)
}

// noteKeys returns the keys that contain notes.
func noteKeys(o Options) []string {
	if len(o.Columns) == 0 {
		return []string{"text"}
	}
	return o.Columns
}

// JSONLine reads an object as a line of a file of the format jsonl. The name and the number of the line are for errors, and
// for the ids of notes that have none. The options must have passed Check, and the encoding is UTF-8.
func JSONLine(raw []byte, name string, line int, o Options) (*Record, error) {
	in := &base.Source{Name: name}
	record, err := jsonLineParser(in, o)(raw, line, 0)
	if err == nil {
		err = in.CheckTexts(record, true)
	}
	if err == nil {
		err = readHTML(in, record, o)
	}
	if err != nil {
		return nil, err
	}
	record.ShareValues(o.Types)
	return record, nil
}

// jsonLineParser returns a function that reads a line.
func jsonLineParser(in *base.Source, o Options) func(raw []byte, line, offset int) (*Record, error) {
	columns := noteKeys(o)
	return func(raw []byte, line, offset int) (*Record, error) {
		j, err := jsontree.Object(in, raw, line, offset)
		if err != nil {
			return nil, err
		}
		l := &jsonLine{in: in, options: o, columns: columns, j: j, line: line + bytes.Count(raw[:j.From(0)], []byte("\n")), offset: offset, number: line}
		return l.read()
	}
}

// read returns the record of the object.
func (l *jsonLine) read() (_ *Record, err error) {
	l.record = &Record{Raw: l.j.Raw, Line: l.line}
	for n, column := range l.columns {
		if err := l.column(n, column); err != nil {
			return nil, err
		}
	}
	for _, key := range patientKeys(l.options, l.columns) {
		l.j.Find(0, strings.Split(key, "."), func(i int) {
			l.patients = append(l.patients, i)
			l.learn("", i)
		})
	}
	if err := l.nearPatient(); err != nil {
		return nil, err
	}
	l.setNamed()
	if err := l.addFields(); err != nil {
		return nil, err
	}
	l.setAliases()
	l.record.Beside = l.beside
	if l.options.Marked {
		err = l.readMarks()
	}
	return l.record, err
}

// jsonLine is an object of JSON Lines, or an element of an array.
type jsonLine struct {
	in       *base.Source
	options  Options
	columns  []string
	j        *jsontree.Tree
	line     int // on which the object begins
	offset   int // of j.raw
	number   int // of the line or the element, from 1
	record   *Record
	texts    []int  // the values of the notes
	lists    int    // the number of lists that the current column led to, which may be empty
	patients []int  // values that name the patient of the note
	fixed    []Edit // of fields that change whatever the notes are
}

// column adds the notes under a key.
func (l *jsonLine) column(n int, column string) error {
	var found []foundText
	l.lists = 0
	if err := l.find(0, columnPath(column), column, "", &found); err != nil {
		return err
	}
	if len(found) == 0 && l.lists == 0 {
		if l.options.FieldsOnly && len(l.options.Columns) == 0 && !l.options.Marked {
			return nil
		}
		return l.in.Defect(l.line, -1, fmt.Sprintf("the key %q is missing", column))
	}
	whole, patient := l.whose(n)
	for _, f := range found {
		i, id := f.value, whole
		if f.place != "" {
			id, _ = l.whose(0)
			id += "/" + f.place
		}
		from := l.j.From(i)
		switch l.j.Kind(i) {
		case 'n': // null
			continue
		case '"':
		default:
			return l.in.Defect(l.line, l.offset+from, fmt.Sprintf("the key %q has a value of the wrong kind", column))
		}
		v, at, err := l.j.StringView(i)
		if err != nil {
			return l.in.Defect(l.line, l.offset+at, err.Error())
		}
		x, err := rtf.Cell(v.Text.String(), l.options.Drop)
		if err != nil {
			return l.in.Defect(l.line, l.offset+from, err.Error())
		}
		if l.options.Marked && rtf.Is(v.Text.String()) {
			return l.in.Defect(l.line, l.offset+from, "a text in RTF, which has no marks")
		}
		doc := &data.Document{ID: id, Patient: patient, Text: x.Text}
		line := l.line + bytes.Count(l.j.Raw[l.j.From(0):from], []byte("\n")) // an element of an array may have many lines
		note := &Note{Document: doc, Line: line, Known: x.Known, Always: x.Always, Below: func(edits []Edit) []Edit { return v.Below(x.Below(edits)) }}
		l.record.Notes, l.record.Dropped = append(l.record.Notes, note), l.record.Dropped+x.Dropped
		l.texts = append(l.texts, i)
	}
	return nil
}

// readMarks sets the spans of the note of the line.
func (l *jsonLine) readMarks() error {
	if len(l.texts) == 0 { // its text is null
		return nil
	}
	listed := false
	l.j.Find(0, []string{"spans"}, func(i int) { listed = listed || l.j.Kind(i) == '[' })
	if !listed {
		return l.in.Defect(l.line, -1, `the key "spans" is missing or no list, so the PHI of the note is not marked`)
	}
	from := l.j.From(0)
	doc, err := jsonl.DecodeLine(l.j.Raw[from:l.j.To(0)], l.in.Name, l.line, l.offset+from, l.options.Types)
	if err == nil {
		l.record.Notes[0].Spans = doc.Spans
	}
	return err
}

// foundText is a value under the key of a column.
type foundText struct {
	value int
	place string // the path to the value with the numbers of the elements of lists, such as notes[0].body; "" if there are no lists
}

// columnPath returns the keys of a column. The brackets of a list, as in notes[].body, may be omitted.
func columnPath(column string) []string {
	path := strings.Split(column, ".")
	for i, key := range path {
		path[i] = strings.TrimRight(key, "[]")
	}
	return path
}

// find is jsontree.Tree.Find, but also searches the elements of lists, and returns an error if a note might be missed. place is
// that of the value i if it is in a list.
func (l *jsonLine) find(i int, path []string, column, place string, found *[]foundText) error {
	if l.j.Kind(i) == '[' {
		return l.findInList(i, path, column, place, found)
	}
	if len(path) == 0 {
		*found = append(*found, foundText{i, place})
		return nil
	}
	switch l.j.Kind(i) {
	case 'n':
		return nil
	case '{':
	default:
		return l.in.Defect(l.line, l.offset+l.j.From(i), fmt.Sprintf("the key %q does not lead through objects", column))
	}
	for k := range l.j.Within(i) {
		switch {
		case l.j.HasKey(k, path[0]):
			next := place
			if next != "" {
				next += "." + path[0]
			}
			if err := l.find(k, path[1:], column, next, found); err != nil {
				return err
			}
		case l.j.HasKeyFold(k, path[0]) && !l.isColumn(column, len(path), l.j.Key(k)):
			return l.in.Defect(l.line, l.offset+int(l.j.Values[k].Key), fmt.Sprintf("a key that differs from those of %q only in case", column))
		}
	}
	return nil
}

// findInList finds the notes in the elements of a list. Each element must have one, except null.
func (l *jsonLine) findInList(i int, path []string, column, place string, found *[]foundText) error {
	l.lists++
	if place == "" {
		all := columnPath(column)
		place = strings.Join(all[:len(all)-len(path)], ".")
	}
	number := 0
	for k := range l.j.Within(i) {
		before, lists := len(*found), l.lists
		if err := l.find(k, path, column, fmt.Sprintf("%s[%d]", place, number), found); err != nil {
			return err
		}
		if len(*found) == before && l.lists == lists && l.j.Kind(k) == '{' {
			return l.in.Defect(l.line, l.offset+l.j.From(k), fmt.Sprintf("the key %q is missing in an element of a list", column))
		}
		number++
	}
	return nil
}

// isColumn reports whether a key found while searching for one column belongs to another column.
// left is the number of path elements from the key on.
func (l *jsonLine) isColumn(column string, left int, key string) bool {
	path := columnPath(column)
	path = append(path[:len(path)-left], key)
	return slices.ContainsFunc(l.columns, func(other string) bool {
		return strings.HasPrefix(strings.Join(columnPath(other), ".")+".", strings.Join(path, ".")+".")
	})
}

// whose returns the id and the patient of the notes of a column.
func (l *jsonLine) whose(n int) (id, patient string) {
	id, _ = l.id()
	if n > 0 {
		id += "/" + l.columns[n]
	}
	for _, key := range patientKeys(l.options, l.columns) {
		patient = cmp.Or(patient, l.j.First(0, strings.Split(key, ".")...))
	}
	return id, patient
}

// id returns the id of the object, and the key that contains it, or "" if there is none.
func (l *jsonLine) id() (id, key string) {
	keys := []string{"id", "meta.note_id"}
	if l.options.ID != "" {
		keys = []string{l.options.ID}
	}
	for _, key := range keys {
		if id := l.j.First(0, strings.Split(key, ".")...); id != "" {
			return id, key
		}
	}
	return fmt.Sprintf("%s-%04d", l.in.ID(), l.number), ""
}

// patientKeys returns the keys that name the patient of a note, except keys that contain a note.
func patientKeys(o Options, columns []string) []string {
	if o.Patient != "" {
		return []string{o.Patient}
	}
	return slices.DeleteFunc([]string{"patient", "meta.patient_id"}, func(key string) bool {
		return slices.ContainsFunc(columns, func(column string) bool {
			column = strings.Join(columnPath(column), ".")
			return strings.HasPrefix(column+".", key+".") || strings.HasPrefix(key+".", column+".")
		})
	})
}

// setNamed says which of the keys of the options the line has. A key whose value is null is there.
func (l *jsonLine) setNamed() {
	if l.options.ID == "" && l.options.Patient == "" {
		return
	}
	has := func(key string) (found bool) {
		l.j.Find(0, strings.Split(key, "."), func(int) { found = true })
		return found || key == ""
	}
	l.record.Named = &Named{ID: has(l.options.ID), Patient: has(l.options.Patient)}
}

// nearPatient returns an error if the line names no patient but has a key that differs only in case from the one that would, or lacks that of
// the option but has one that usually names the patient: its value would stay. A rule for the key says that this is meant.
func (l *jsonLine) nearPatient() error {
	if len(l.patients) > 0 {
		return nil
	}
	if err := l.usualPatient(); err != nil {
		return err
	}
	for _, key := range patientKeys(l.options, l.columns) {
		for k := range l.j.Within(0) {
			if near := l.j.Key(k); strings.EqualFold(near, key) && !slices.Contains(l.columns, near) && !l.hasRule(k) {
				return l.in.Defect(l.line, l.offset+int(l.j.Values[k].Key), fmt.Sprintf("a key that differs only in case from that of the patient, %q: give it as --patient, or give it a rule of its own, such as --field KEY=keep", key))
			}
		}
	}
	return nil
}

// usualPatient returns an error if the line, which lacks the key of Options.Patient, has a value under one of the keys that name the patient
// by default.
func (l *jsonLine) usualPatient() (err error) {
	if l.options.Patient == "" || !l.options.NoPatient {
		return nil
	}
	for _, key := range patientKeys(Options{}, append([]string{l.options.ID}, l.columns...)) {
		l.j.Find(0, strings.Split(key, "."), func(i int) {
			if err == nil && l.j.Kind(i) != 'n' && !l.hasRule(i) {
				err = l.in.Defect(l.line, l.offset+int(l.j.Values[i].Key), fmt.Sprintf("the key %q of --patient is missing, and the value of %q would stay: give the right key as --patient, or give %[2]s a rule of its own, such as --field %[2]s=keep", l.options.Patient, key))
			}
		})
	}
	return err
}

// beside empties the values that name the patient of the notes, and updates the lists of PHI in
// them.
func (l *jsonLine) beside(edits [][]Edit) []Edit {
	out := slices.Clone(l.fixed)
	if l.options.NoPatient {
		for _, i := range l.patients {
			if !l.hasRule(i) && !l.isFixed(i) {
				out = append(out, Edit{Start: l.j.From(i), End: l.j.To(i), New: "null"})
			}
		}
	}
	for i := 0; i < len(l.j.Values); i++ {
		after := int(l.j.Values[i].After)
		if !l.isMark(i) || l.isFixed(i) {
			continue
		}
		name, _ := l.mark(i)
		filled := l.j.Kind(i) == '"' && l.j.To(i)-l.j.From(i) > len(`""`) || after > i+1 || l.j.Raw[l.j.SkipBlank(l.j.From(i)+1)] != l.j.Raw[l.j.To(i)-1]
		fresh := map[byte]string{'[': "[]", '{': "{}", '"': `""`}[l.j.Kind(i)]
		if name == "spans" && l.j.Kind(i) != '"' {
			fresh = "[]"
			if l.besideText(i) && len(edits[0]) > 0 && l.j.Text(l.texts[0]) == l.record.Notes[0].Text { // neither RTF nor HTML
				filled = true
				if spans, err := jsonl.EncodeSpans(l.record.Notes[0].Replaced(edits[0])); err == nil { // it fails if a score is invalid
					fresh = string(spans)
				}
			}
		}
		if filled {
			out = append(out, Edit{Start: l.j.From(i), End: l.j.To(i), New: fresh})
		}
		i = after - 1
	}
	return out
}

// mark returns the name of a list or an object that says where PHI is, or has values of ranges of a text, or of a string that contains
// one encoded. The case of the key is ignored, because readers differ in whether it matters.
func (l *jsonLine) mark(i int) (string, bool) {
	k := l.j.Kind(i)
	if k != '[' && k != '{' && k != '"' || l.j.Values[i].Key == 0 {
		return "", false
	}
	for _, name := range []string{"spans", "label", "labels", "entities"} {
		if !l.j.HasKeyFold(i, name) {
			continue
		}
		// A label that is a single word does not mark a place in a text.
		return name, k != '"' || name == "spans" || strings.IndexByte("[{(", (strings.TrimSpace(l.j.Text(i)) + " ")[0]) >= 0
	}
	value := l.j.Raw[l.j.From(i):l.j.To(i)]
	if l.j.HasKeyFold(i, "columns") && jsonl.IsColumns(value) {
		return "columns", true
	}
	if k != '"' && jsonl.IsOfTool(l.j.Key(i), value) {
		return "", true
	}
	return "", false
}

// isMark reports whether a value says where PHI is, and so is updated after the notes. A value that contains a note or the patient does not.
func (l *jsonLine) isMark(i int) bool {
	_, ok := l.mark(i)
	return ok && !l.holds(i, l.texts) && (!l.options.NoPatient || !l.holds(i, l.patients))
}

// besideText reports whether a value is a member of the whole, or of the object that contains the
// first note: spans there belong to that note.
func (l *jsonLine) besideText(i int) bool {
	if len(l.texts) == 0 {
		return false
	}
	parent := l.j.Parent(i)
	return parent == 0 || parent == l.j.Parent(l.texts[0])
}
