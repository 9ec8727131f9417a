package notefile

import (
	"fmt"
	"slices"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid/field"
	"github.com/lethe-deid/lethe/deid/notefile/internal/base"
)

// readActions finds out what happens to the fields of each column, from Options.Fields. The path of a column is its name. It is an error
// if a rule names a column that does not exist, or one that contains notes.
func (t *csvTable) readActions(in *base.Source, names []string, o Options) error {
	t.header, t.options = names, o
	if o.Fields == nil {
		return nil
	}
	t.actions = map[int]field.Action{}
	paths := make([][]string, len(names))
	for i, name := range names {
		paths[i] = []string{name}
		action, ok := o.Fields.Action(name)
		switch {
		case !ok && o.Fields.NearMiss(name) != "":
			return in.Defect(1, -1, base.NearRule(name, o.Fields.NearMiss(name), name))
		case !ok:
		case slices.Contains(t.notes, i):
			if action != field.Text {
				return in.Defect(1, -1, fmt.Sprintf("the column %q contains notes, so it cannot have the rule %s, only %s", name, action, field.Text))
			}
		case action == field.Keep && i == t.patient && t.noPatient:
			return in.Defect(1, -1, fmt.Sprintf("the column %q cannot be both emptied and kept: give --keep-patient", name))
		case action == field.Text || action == field.Known:
			return in.Defect(1, -1, fmt.Sprintf("the column %q cannot have the rule %s: name it as a column with notes", name, action))
		default:
			t.actions[i] = action
		}
	}
	if missing := o.Fields.Missing(paths); len(missing) > 0 {
		return in.Defect(1, -1, fmt.Sprintf("the header has no column %q, for which there is a rule", missing[0]))
	}
	return nil
}

// beside returns the edits of the fields that do not depend on the notes.
func (t *csvTable) beside(r *Record, row csvRow) func([][]Edit) []Edit {
	var out []Edit
	for i, c := range row.cells {
		action, ok := t.actions[i]
		if i == t.patient {
			r.Learn("", row.field(i))
		}
		if action == field.Drop || action == field.Hash {
			r.Learn(action, row.field(i))
		}
		switch {
		case i == t.patient && t.noPatient && !ok:
			out = append(out, Edit{Start: c.from, End: c.to})
		case c.from == c.to:
		case action == field.Drop:
			out = append(out, Edit{Start: c.from, End: c.to})
			r.Count(action)
		case action == field.Hash:
			out = append(out, Edit{Start: c.from, End: c.to, New: t.options.Pseudonym(row.field(i))})
			r.Count(action)
		}
	}
	return func([][]Edit) []Edit { return out }
}

// alias returns the id of a note after the ids have been replaced, or "" if they stay.
func (t *csvTable) alias(id string, n int) string {
	if t.id < 0 || t.actions[t.id] != field.Hash {
		return ""
	}
	alias := t.options.Pseudonym(id)
	if n > 0 {
		alias += "/" + t.names[n]
	}
	return alias
}

// addFields adds the fields of a row whose whole value is PHI.
func (t *csvTable) addFields(r *Record, row csvRow, line int) {
	patient := ""
	if t.patient >= 0 {
		patient = row.field(t.patient)
	}
	id := fmt.Sprintf("row %d", line)
	if len(r.Notes) > 0 {
		id = r.Notes[0].ID
	}
	for i, name := range t.header {
		action := t.actions[i]
		if action != field.Shift && (action == "" || !action.Whole()) {
			continue
		}
		value, back := row.field(i), func(value string) (string, bool) { return value, true }
		if date, inForm, ok := base.MachineDate(value); ok {
			value, back = date, inForm
		}
		note, ok := t.options.ValueNote(action, id+"/"+name, patient, name+": ", value)
		if !ok {
			continue
		}
		note.Line, note.Below = line, t.belowValue(row, i, note, back)
		r.Notes = append(r.Notes, note)
	}
}

// belowValue replaces the value of a field.
func (t *csvTable) belowValue(row csvRow, i int, note *Note, back func(string) (string, bool)) func([]Edit) []Edit {
	return func(edits []Edit) []Edit {
		old := row.field(i)
		made := note.NewValue(edits)
		if value, ok := back(made); ok {
			made = value
		}
		whole := &data.Document{Text: old}
		return t.below(row, row.cells[i], whole)([]Edit{{Start: 0, End: len(old), New: made}})
	}
}
