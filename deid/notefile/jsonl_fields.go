package notefile

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/lethe-deid/lethe/deid/field"
)

// addFields applies Options.Fields to the values of a line. The path of a value consists of the keys that lead to it; lists add nothing.
// Drop makes a value null, so that the keys of all lines stay the same.
func (l *jsonLine) addFields() error {
	if l.options.Fields == nil {
		return nil
	}
	return l.fieldsIn(0, nil)
}

func (l *jsonLine) fieldsIn(i int, at []string) error {
	if slices.Contains(l.texts, i) {
		if action, ok := l.options.Fields.Action(at...); ok && len(at) > 0 {
			return l.in.defect(l.line, l.offset+l.j.from(i), fmt.Sprintf("a key with notes cannot have the rule %s", action))
		}
		return nil
	}
	switch l.j.kind(i) {
	case '{', '[':
		if len(at) > 0 {
			drop, err := l.options.Fields.Drops(at...)
			if err != nil {
				return l.in.defect(l.line, l.offset+l.j.from(i), err.Error())
			}
			if drop {
				l.replaceValue(i, "null", field.Drop)
				return nil
			}
		}
		for k := range l.j.within(i) {
			below := at
			if l.j.kind(i) == '{' {
				below = append(slices.Clip(at), l.j.key(k))
			}
			if err := l.fieldsIn(k, below); err != nil {
				return err
			}
		}
		return nil
	}
	action, ok := l.options.Fields.Action(at...)
	if !ok || l.j.kind(i) == 'n' {
		return nil
	}
	switch {
	case action == field.Drop:
		l.replaceValue(i, "null", action)
	case action == field.Hash:
		l.replaceValue(i, `"`+l.options.Pseudonym(l.j.text(i))+`"`, action)
	case action == field.Text || action == field.Known:
		return l.in.defect(l.line, l.offset+l.j.from(i), fmt.Sprintf("a field cannot have the rule %s in JSON Lines: name it as a key with notes", action))
	case action.Whole() || action == field.Shift:
		l.addValue(i, action, at[len(at)-1])
	}
	return nil
}

func (l *jsonLine) replaceValue(i int, raw string, action field.Action) {
	l.fixed = append(l.fixed, Edit{Start: l.j.from(i), End: l.j.to(i), New: raw})
	l.record.count(action)
}

// addValue adds a field whose whole value is PHI.
func (l *jsonLine) addValue(i int, action field.Action, key string) {
	id, patient := l.whose(0)
	value, back := l.j.text(i), func(value string) (string, bool) { return value, true }
	if date, inForm, ok := machineDate(value); ok {
		value, back = date, inForm
	}
	note, ok := l.options.valueNote(action, fmt.Sprintf("%s/%s@%d", id, key, l.j.from(i)), patient, key+": ", value)
	if !ok {
		return
	}
	note.Line = l.line
	note.below = func(edits []Edit) []Edit {
		if len(edits) == 0 {
			return nil
		}
		made := note.newValue(edits)
		if value, ok := back(made); ok {
			made = value
		}
		raw := `"` + jsonString(made) + `"`
		if l.j.kind(i) != '"' && json.Valid([]byte(made)) {
			raw = made
		}
		return []Edit{{Start: l.j.from(i), End: l.j.to(i), New: raw}}
	}
	l.record.Notes = append(l.record.Notes, note)
}

// hasRule reports whether a field has a rule.
func (l *jsonLine) hasRule(i int) bool {
	if l.options.Fields == nil {
		return false
	}
	var at []string
	for ; i > 0; i = l.j.parent(i) {
		if l.j.values[i].key > 0 {
			at = append([]string{l.j.key(i)}, at...)
		}
	}
	_, ok := l.options.Fields.Action(at...)
	return ok
}
