package notefile

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/jsonl"
)

// readJSONL reads JSON Lines, one object per line, an array of objects, or one object with line breaks. Notes are the strings under
// the keys of Options.Columns; if there are lists on the way to a key, or under it, the strings of all
// their elements. If the object lists the PHI of a text, the list is updated: spans, which
// data/jsonl reads, gets the new spans; label, labels and entities, which other tools write, become
// empty, wherever they are in the object. Everything else stays the same, including blank lines.
//
// A key that differs from one of the columns only in case is refused, because some readers treat
// the two as the same key.
func readJSONL(in *source, o Options) Records {
	if isArray(in) {
		return arrayElements(in, func(raw []byte, at, line, offset, number int) (*Record, error) {
			j, err := objectAt(in, raw, at, line, offset)
			if err != nil {
				return nil, err
			}
			l := &jsonLine{in: in, options: o, columns: noteKeys(o), j: j, line: line + bytes.Count(raw[:at], []byte("\n")), offset: offset, number: number}
			return l.read()
		})
	}
	parse := jsonLineParser(in, o)
	if isLongObject(in) {
		return one(in, true, func(raw []byte) (*Record, error) { return parse(raw, 1, 0) })
	}
	return lines(in, parse)
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
	in := &source{name: name}
	record, err := jsonLineParser(in, o)(raw, line, 0)
	if err == nil {
		err = in.checkTexts(record, true)
	}
	if err != nil {
		return nil, err
	}
	return record, nil
}

// jsonLineParser returns a function that reads a line.
func jsonLineParser(in *source, o Options) func(raw []byte, line, offset int) (*Record, error) {
	columns := noteKeys(o)
	return func(raw []byte, line, offset int) (*Record, error) {
		j, err := object(in, raw, line, offset)
		if err != nil {
			return nil, err
		}
		l := &jsonLine{in: in, options: o, columns: columns, j: j, line: line + bytes.Count(raw[:j.from(0)], []byte("\n")), offset: offset, number: line}
		return l.read()
	}
}

// read returns the record of the object.
func (l *jsonLine) read() (_ *Record, err error) {
	l.record = &Record{Raw: l.j.raw, Line: l.line}
	for n, column := range l.columns {
		if err := l.column(n, column); err != nil {
			return nil, err
		}
	}
	for _, key := range patientKeys(l.options, l.columns) {
		l.j.find(0, strings.Split(key, "."), func(i int) { l.patients = append(l.patients, i) })
	}
	if err := l.addFields(); err != nil {
		return nil, err
	}
	l.setAliases()
	l.record.beside = l.beside
	if l.options.Marked {
		err = l.readMarks()
	}
	return l.record, err
}

// jsonLine is an object of JSON Lines, or an element of an array.
type jsonLine struct {
	in       *source
	options  Options
	columns  []string
	j        *jsonTree
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
		return l.in.defect(l.line, -1, fmt.Sprintf("the key %q is missing", column))
	}
	whole, patient := l.whose(n)
	for _, f := range found {
		i, id := f.value, whole
		if f.place != "" {
			id, _ = l.whose(0)
			id += "/" + f.place
		}
		from := l.j.from(i)
		switch l.j.kind(i) {
		case 'n': // null
			continue
		case '"':
		default:
			return l.in.defect(l.line, l.offset+from, fmt.Sprintf("the key %q has a value of the wrong kind", column))
		}
		v, at, err := l.j.stringView(i)
		if err != nil {
			return l.in.defect(l.line, l.offset+at, err.Error())
		}
		x, err := cell(v.text.String(), l.options)
		if err != nil {
			return l.in.defect(l.line, l.offset+from, err.Error())
		}
		if l.options.Marked && isRTF(v.text.String()) {
			return l.in.defect(l.line, l.offset+from, "a text in RTF, which has no marks")
		}
		doc := &data.Document{ID: id, Patient: patient, Text: x.text}
		line := l.line + bytes.Count(l.j.raw[l.j.from(0):from], []byte("\n")) // an element of an array may have many lines
		note := &Note{Document: doc, Line: line, Known: x.known, always: x.always, below: func(edits []Edit) []Edit { return v.below(x.below(edits)) }}
		l.record.Notes, l.record.Dropped = append(l.record.Notes, note), l.record.Dropped+x.dropped
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
	l.j.find(0, []string{"spans"}, func(i int) { listed = listed || l.j.kind(i) == '[' })
	if !listed {
		return l.in.defect(l.line, -1, `the key "spans" is missing or no list, so the PHI of the note is not marked`)
	}
	from := l.j.from(0)
	doc, err := jsonl.DecodeLine(l.j.raw[from:l.j.to(0)], l.in.name, l.line, l.offset+from, l.options.Types)
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

// find is jsonTree.find, but also searches the elements of lists, and returns an error if a note might be missed. place is
// that of the value i if it is in a list.
func (l *jsonLine) find(i int, path []string, column, place string, found *[]foundText) error {
	if l.j.kind(i) == '[' {
		return l.findInList(i, path, column, place, found)
	}
	if len(path) == 0 {
		*found = append(*found, foundText{i, place})
		return nil
	}
	switch l.j.kind(i) {
	case 'n':
		return nil
	case '{':
	default:
		return l.in.defect(l.line, l.offset+l.j.from(i), fmt.Sprintf("the key %q does not lead through objects", column))
	}
	for k := range l.j.within(i) {
		switch {
		case l.j.hasKey(k, path[0]):
			next := place
			if next != "" {
				next += "." + path[0]
			}
			if err := l.find(k, path[1:], column, next, found); err != nil {
				return err
			}
		case l.j.hasKeyFold(k, path[0]) && !l.isColumn(column, len(path), l.j.key(k)):
			return l.in.defect(l.line, l.offset+int(l.j.values[k].key), fmt.Sprintf("a key that differs from those of %q only in case", column))
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
	for k := range l.j.within(i) {
		before, lists := len(*found), l.lists
		if err := l.find(k, path, column, fmt.Sprintf("%s[%d]", place, number), found); err != nil {
			return err
		}
		if len(*found) == before && l.lists == lists && l.j.kind(k) == '{' {
			return l.in.defect(l.line, l.offset+l.j.from(k), fmt.Sprintf("the key %q is missing in an element of a list", column))
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
		patient = cmp.Or(patient, l.j.first(0, strings.Split(key, ".")...))
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
		if id := l.j.first(0, strings.Split(key, ".")...); id != "" {
			return id, key
		}
	}
	return fmt.Sprintf("%s-%04d", l.in.id(), l.number), ""
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

// beside empties the values that name the patient of the notes, and updates the lists of PHI in
// them.
func (l *jsonLine) beside(edits [][]Edit) []Edit {
	out := slices.Clone(l.fixed)
	if l.options.NoPatient {
		for _, i := range l.patients {
			if !l.hasRule(i) && !l.isFixed(i) {
				out = append(out, Edit{Start: l.j.from(i), End: l.j.to(i), New: "null"})
			}
		}
	}
	for i := 0; i < len(l.j.values); i++ {
		after := int(l.j.values[i].after)
		if !l.isMark(i) || l.isFixed(i) {
			continue
		}
		name, _ := l.mark(i)
		filled := l.j.kind(i) == '"' && l.j.to(i)-l.j.from(i) > len(`""`) || after > i+1 || l.j.raw[l.j.skipBlank(l.j.from(i)+1)] != l.j.raw[l.j.to(i)-1]
		fresh := map[byte]string{'[': "[]", '{': "{}", '"': `""`}[l.j.kind(i)]
		if name == "spans" && l.j.kind(i) != '"' {
			fresh = "[]"
			if l.besideText(i) && len(edits[0]) > 0 && !isRTF(l.j.text(l.texts[0])) {
				filled = true
				if spans, err := jsonl.EncodeSpans(l.record.Notes[0].Replaced(edits[0])); err == nil { // it fails if a score is invalid
					fresh = string(spans)
				}
			}
		}
		if filled {
			out = append(out, Edit{Start: l.j.from(i), End: l.j.to(i), New: fresh})
		}
		i = after - 1
	}
	return out
}

// mark returns the name of a list or an object that says where PHI is, or of a string that contains
// one encoded. The case of the key is ignored, because readers differ in whether it matters.
func (l *jsonLine) mark(i int) (string, bool) {
	k := l.j.kind(i)
	if k != '[' && k != '{' && k != '"' || l.j.values[i].key == 0 {
		return "", false
	}
	for _, name := range []string{"spans", "label", "labels", "entities"} {
		if !l.j.hasKeyFold(i, name) {
			continue
		}
		// A label that is a single word does not mark a place in a text.
		return name, k != '"' || name == "spans" || strings.IndexByte("[{(", (strings.TrimSpace(l.j.text(i)) + " ")[0]) >= 0
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
	parent := l.j.parent(i)
	return parent == 0 || parent == l.j.parent(l.texts[0])
}

// object parses the JSON object of a record.
func object(in *source, raw []byte, line, offset int) (*jsonTree, error) {
	skip := 0
	if line == 1 && bytes.HasPrefix(raw, []byte(utf8BOM)) {
		skip = len(utf8BOM)
	}
	return objectAt(in, raw, skip, line, offset)
}

// objectAt parses the JSON object that begins at a position of a record.
func objectAt(in *source, raw []byte, skip, line, offset int) (*jsonTree, error) {
	if err := in.checkUTF8(raw, line, offset); err != nil {
		return nil, err
	}
	if at, ok := validJSON(raw[skip:]); !ok {
		return nil, in.defect(line+bytes.Count(raw[:skip+at], []byte("\n")), offset+skip+at, "not valid JSON")
	}
	j := parseJSON(raw, skip)
	if j.kind(0) != '{' {
		return nil, in.defect(line+bytes.Count(raw[:j.from(0)], []byte("\n")), offset+j.from(0), "not a JSON object")
	}
	return j, nil
}

// hopeless is the maximum number of bad lines at the start of a file that are reported one by one.
// After these, the file is treated as one of another format.
const hopeless = 10

// lines reads one record per line. parse gets the number and the offset of the line. Blank lines
// are records without notes.
func lines(in *source, parse func(raw []byte, line, offset int) (*Record, error)) Records {
	return func(yield func(*Record, error) bool) {
		good, bad := 0, 0
		for {
			line, offset := in.line, in.offset
			raw, end := in.readLine()
			if end != nil && end != io.EOF {
				yield(nil, &Broken{end})
				return
			}
			if len(raw) > 0 {
				record, err := &Record{Raw: raw, Line: line}, error(nil)
				if text := bytes.TrimSpace(raw); len(text) > 0 && (line > 1 || string(text) != utf8BOM) {
					if record, err = parse(raw, line, offset); err == nil {
						err = in.checkTexts(record, true)
					}
					if err != nil {
						record = nil
					}
					if err == nil {
						good++
					} else if bad++; good == 0 && bad == hopeless {
						err = &Broken{err}
					}
				}
				if !yield(record, err) || err != nil && good == 0 && bad == hopeless {
					return
				}
			}
			if end == io.EOF {
				return
			}
		}
	}
}
