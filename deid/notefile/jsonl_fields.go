package notefile

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/deid/field"
	"github.com/lethe-deid/lethe/deid/notefile/internal/base"
	"github.com/lethe-deid/lethe/deid/notefile/internal/jsontree"
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
		if action, ok := l.options.Fields.Action(at...); ok && action != field.Text {
			return l.unsuited(i, fmt.Sprintf("a key with notes cannot have the rule %s, only %s", action, field.Text))
		}
		return nil
	}
	switch l.j.Kind(i) {
	case '{', '[':
		if done, err := l.dropContainer(i, at); done || err != nil {
			return err
		}
		for k := range l.j.Within(i) {
			below := at
			if l.j.Kind(i) == '{' {
				below = append(slices.Clip(at), l.j.Key(k))
			}
			if err := l.fieldsIn(k, below); err != nil {
				return err
			}
		}
		return nil
	}
	action, ok := l.options.Fields.Action(at...)
	if near := l.options.Fields.NearMiss(at...); !ok && near != "" {
		return l.unsuited(i, fmt.Sprintf("a key that differs only in case from %q, for which there is a rule: write the rule as the key is written, or give the key a rule of its own, such as keep", near))
	}
	if !ok || l.j.Kind(i) == 'n' || l.isMark(i) && action != field.Drop {
		return nil
	}
	switch {
	case action == field.Keep && l.options.NoPatient && slices.Contains(l.patients, i):
		return l.unsuited(i, "the patient cannot be both emptied and kept: give --keep-patient")
	case action == field.Drop:
		l.replaceValue(i, "null", action)
		l.learn(action, i)
	case action == field.Hash:
		l.learn(action, i)
		l.replaceValue(i, `"`+l.options.Pseudonym(l.j.Text(i))+`"`, action)
	case action == field.Text || action == field.Known:
		return l.unsuited(i, fmt.Sprintf("a field cannot have the rule %s in JSON Lines: name it as a key with notes", action))
	case action.Whole() || action == field.Shift:
		l.addValue(i, action, at[len(at)-1])
	}
	return nil
}

// dropContainer drops an object or a list if its rule says so. It reports whether nothing remains to be done in it, because it is
// dropped, or because it lists PHI and is updated after the notes.
func (l *jsonLine) dropContainer(i int, at []string) (done bool, err error) {
	if len(at) == 0 {
		return false, nil
	}
	drop, err := l.options.Fields.Drops(at...)
	switch {
	case err != nil && l.j.Kind(i) == '{':
		return false, l.unsuited(i, err.Error())
	case drop && l.holds(i, l.texts):
		return false, l.unsuited(i, "a value that contains notes cannot be dropped")
	case drop:
		l.replaceValue(i, "null", field.Drop)
		l.learn(field.Drop, i)
		return true, nil
	}
	return l.isMark(i), nil
}

// learn remembers a value that identifies the patient, or all values in it; see base.Record.Learn.
func (l *jsonLine) learn(action field.Action, i int) {
	switch l.j.Kind(i) {
	case '{', '[':
		if l.isMark(i) {
			return
		}
		for k := range l.j.Within(i) {
			l.learn(action, k)
		}
	case 'n', 't', 'f':
	default:
		l.record.Learn(action, l.j.Text(i))
	}
}

// unsuited returns the error for a value whose rule cannot be applied.
func (l *jsonLine) unsuited(i int, reason string) error {
	return l.in.Defect(l.line, l.offset+l.j.From(i), reason)
}

// holds reports whether a value is one of some others, or contains one.
func (l *jsonLine) holds(i int, others []int) bool {
	return slices.ContainsFunc(others, func(k int) bool { return i <= k && k < int(l.j.Values[i].After) })
}

// isFixed reports whether a value is replaced whatever the notes are, alone or with what it is in.
func (l *jsonLine) isFixed(i int) bool {
	return slices.ContainsFunc(l.fixed, func(e Edit) bool { return e.Start <= l.j.From(i) && l.j.To(i) <= e.End })
}

// setAliases gives the notes the pseudonym of their id, if it becomes one.
func (l *jsonLine) setAliases() {
	id, key := l.id()
	if key == "" || l.options.Fields == nil {
		return
	}
	if action, _ := l.options.Fields.Action(strings.Split(key, ".")...); action != field.Hash {
		return
	}
	for _, n := range l.record.Notes {
		n.Alias = l.options.Pseudonym(id) + strings.TrimPrefix(n.ID, id)
	}
}

func (l *jsonLine) replaceValue(i int, raw string, action field.Action) {
	l.fixed = append(l.fixed, Edit{Start: l.j.From(i), End: l.j.To(i), New: raw})
	l.record.Count(action)
}

// addValue adds a field whose whole value is PHI.
func (l *jsonLine) addValue(i int, action field.Action, key string) {
	id, patient := l.whose(0)
	value, back := l.j.Text(i), func(value string) (string, bool) { return value, true }
	if date, inForm, ok := base.MachineDate(value); ok {
		value, back = date, inForm
	}
	note, ok := l.options.ValueNote(action, fmt.Sprintf("%s/%s@%d", id, key, l.j.From(i)), patient, key+": ", value)
	if !ok {
		return
	}
	note.Line = l.line
	note.Below = func(edits []Edit) []Edit {
		if len(edits) == 0 {
			return nil
		}
		made := note.NewValue(edits)
		if value, ok := back(made); ok {
			made = value
		}
		raw := `"` + jsontree.Escape(made) + `"`
		if l.j.Kind(i) != '"' && json.Valid([]byte(made)) {
			raw = made
		}
		return []Edit{{Start: l.j.From(i), End: l.j.To(i), New: raw}}
	}
	l.record.Notes = append(l.record.Notes, note)
}

// hasRule reports whether a field has a rule.
func (l *jsonLine) hasRule(i int) bool {
	if l.options.Fields == nil {
		return false
	}
	var at []string
	for ; i > 0; i = l.j.Parent(i) {
		if l.j.Values[i].Key > 0 {
			at = append([]string{l.j.Key(i)}, at...)
		}
	}
	_, ok := l.options.Fields.Action(at...)
	return ok
}
