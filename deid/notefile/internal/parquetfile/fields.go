package parquetfile

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/deid/field"
	"github.com/lethe-deid/lethe/deid/notefile/internal/base"
	"github.com/lethe-deid/lethe/deid/notefile/internal/markup"
	"github.com/lethe-deid/lethe/internal/parquet"
)

// column is a column for which Options.Fields has a rule.
type column struct {
	leaf   *parquet.Leaf
	action field.Action
	group  *parquet.Group // what becomes null as a whole if the column is dropped; nil: each value
}

// findFields finds the columns that have rules. The path of a column is its name. A rule that drops a struct, a list or a map is one for all
// columns in it. It is an error if a rule names a column that does not exist, or whose type it does not suit.
func (t *table) findFields() error {
	rules := t.options.Fields
	if rules == nil {
		return nil
	}
	rules = rules.Renamed(t.short)
	t.options.Fields = rules
	var paths [][]string
	actions := map[*parquet.Leaf]field.Action{}
	for _, l := range t.file.Leaves {
		action, ok, err := rules.ActionWithin(l.Names...)
		if err != nil {
			return t.in.Defect(0, -1, err.Error())
		}
		if ok {
			actions[l] = action
		}
		for n := range l.Names {
			path := l.Names[:n+1]
			paths = append(paths, path)
			if near := rules.NearMiss(path...); !ok && near != "" {
				return t.in.Defect(0, -1, base.NearRule(strings.Join(path, "."), near, pathOf(path)))
			}
		}
	}
	for _, l := range t.file.Leaves {
		action, ok := actions[l]
		emptied := l == t.patient && t.options.NoPatient
		if !ok || action == field.Keep && !emptied || action == field.Text && slices.Contains(t.notes, l) {
			continue
		}
		c := column{leaf: l, action: action}
		if action == field.Drop {
			c.group = t.dropped(l, actions)
		}
		if reason := t.unsuited(c); reason != "" {
			return t.in.Defect(0, -1, fmt.Sprintf("the column %q, which contains %s, cannot have the rule %s: %s", l.Short, l.Type(), action, reason))
		}
		t.fields = append(t.fields, c)
	}
	if missing := rules.Missing(paths); len(missing) > 0 {
		hint := ""
		if slices.ContainsFunc(t.file.Leaves, func(l *parquet.Leaf) bool { return l.Short == missing[0] && len(l.Names) == 1 }) {
			hint = "; a name that contains dots is written in double quotes"
		}
		return t.in.Defect(0, -1, fmt.Sprintf("the file has no column %q, for which there is a rule%s", missing[0], hint))
	}
	return nil
}

// short returns the names of the column with a full path, such as notes.list.element.text, or nil if there is none.
func (t *table) short(path []string) []string {
	for _, l := range t.file.Leaves {
		if slices.Equal(l.AllNames, path) {
			return l.Names
		}
	}
	return nil
}

// dropped returns the outermost group around a column that is dropped with all columns in it and can be null, or nil.
func (t *table) dropped(l *parquet.Leaf, actions map[*parquet.Leaf]field.Action) *parquet.Group {
	for _, g := range l.Groups {
		if !g.Optional {
			continue
		}
		if drop, err := t.options.Fields.Drops(g.Names...); err != nil || !drop {
			continue
		}
		kept := func(other *parquet.Leaf) bool {
			return slices.Contains(other.Groups, g) && actions[other] != field.Drop
		}
		if !slices.ContainsFunc(t.file.Leaves, kept) {
			return g
		}
	}
	return nil
}

// unsuited says why a column cannot have a rule; "" if it can.
func (t *table) unsuited(c column) string {
	l, action := c.leaf, c.action
	whole := action.Whole() || action == field.Shift
	switch {
	case slices.Contains(t.notes, l):
		return "it is a column with notes, which only have the rule text"
	case action == field.Keep:
		return "it would be both emptied and kept; give --keep-patient"
	case action == field.Text || action == field.Known:
		return "name it as a column with notes"
	case action == field.Hash && !l.Pseudonyms():
		return "only text, integers, decimals without a fraction and UUIDs can be pseudonyms: export it as one of these, such as BIGINT"
	case whole && !l.Key() && !l.Dated():
		return "only text, integers and dates can be replaced"
	case whole && l.UnknownZone != "":
		return fmt.Sprintf("this machine does not know its time zone %q: install the time zone database (tzdata), or export the column in UTC", l.UnknownZone)
	case (action == field.Drop && c.group == nil || whole && !l.Text() && !t.staysDate(c)) && !l.Optional:
		other := field.Keep
		if l.Pseudonyms() {
			other = field.Hash
		}
		return fmt.Sprintf("the schema requires a value, so it cannot be removed: make the column nullable when you export it, or give it a rule behind the others, such as %s=%s", pathOf(l.Names), other)
	}
	return ""
}

// staysDate reports whether the new values of a column are usually dates of the same type, so that they need no null.
func (t *table) staysDate(c column) bool {
	if !c.leaf.Dated() {
		return false
	}
	types := t.options.Types
	return c.action == field.Shift || types != nil && t.options.StaysDate != nil && t.options.StaysDate(c.action.Type(types))
}

// pathOf writes the path of a rule.
func pathOf(names []string) string {
	quoted := slices.Clone(names)
	for i, name := range quoted {
		if strings.Contains(name, ".") {
			quoted[i] = `"` + name + `"`
		}
	}
	return strings.Join(quoted, ".")
}

// hasRule reports whether there is a rule for a column.
func (t *table) hasRule(l *parquet.Leaf) bool {
	return slices.ContainsFunc(t.fields, func(f column) bool { return f.leaf == l })
}

// hashes reports whether the values of a column become pseudonyms.
func (t *table) hashes(l *parquet.Leaf) bool {
	return slices.Contains(t.fields, column{leaf: l, action: field.Hash})
}

// addFields adds the slots of the columns with rules to a record.
func (t *table) addFields(r *base.Record, row [][]parquet.Slot, id, patient string) {
	for n, f := range t.fields {
		for k, s := range row[n] {
			t.learn(r, f, s)
			if g := f.group; g != nil {
				if s.Def == f.leaf.MaxDef {
					r.Count(f.action)
				}
				if s.Rep <= g.Rep { // otherwise it is in the same group as the slot before
					r.Raw = append(r.Raw, s.Rep, min(s.Def, g.Def-1))
				}
				continue
			}
			at := len(r.Raw)
			r.Raw = append(r.Raw, s.Rep, s.Def)
			switch {
			case s.Def < f.leaf.MaxDef: // null
			case f.action == field.Drop:
				r.Raw[at+1] = f.leaf.MaxDef - 1
				r.Count(f.action)
			case f.action == field.Hash:
				r.Raw = appendPlain(r.Raw, f.leaf.Pseudonym(f.leaf.KeyText(s.Value), t.options.Pseudonym))
				r.Count(f.action)
			default:
				r.Raw = appendPlain(r.Raw, s.Value)
				t.addValue(r, f, s, at, fmt.Sprintf("%s/%s/%d", id, f.leaf.Short, k+1), patient)
			}
		}
	}
}

// learn remembers a value that becomes a pseudonym or null; see base.Record.Learn.
func (t *table) learn(r *base.Record, f column, s parquet.Slot) {
	switch {
	case s.Def < f.leaf.MaxDef || f.action != field.Hash && f.action != field.Drop:
	case f.leaf.Key():
		r.Learn(f.action, f.leaf.KeyText(s.Value))
	case f.leaf.Dated():
		r.Learn(f.action, f.leaf.Day(s.Value))
	}
}

// addValue adds a field whose whole value is PHI. Its slot begins at a position of the record. A new value that does not fit the type of the
// column becomes null.
func (t *table) addValue(r *base.Record, f column, s parquet.Slot, at int, id, patient string) {
	value, back := "", func(made string) ([]byte, bool) { return f.leaf.FromText(made) }
	if f.leaf.Dated() {
		value, back = f.leaf.Day(s.Value), func(made string) ([]byte, bool) { return dayOf(f.leaf, s.Value, made) }
	} else {
		value = f.leaf.KeyText(s.Value)
		if date, inForm, ok := base.MachineDate(value); ok && f.leaf.Text() {
			value, back = date, func(made string) ([]byte, bool) {
				if fitting, ok := inForm(made); ok {
					made = fitting
				}
				return []byte(made), true
			}
		}
	}
	note, ok := t.options.ValueNote(f.action, id, patient, f.leaf.Short+": ", value)
	if !ok {
		return
	}
	end := at + 2 + 4 + len(s.Value)
	note.Line = r.Line
	if !f.leaf.Optional {
		note.Refuse = func(edits []markup.Edit) error {
			if _, ok := back(note.NewValue(edits)); !ok {
				return fmt.Errorf("the column %q requires a value, but the rule %s removes this one: make the column nullable when you export it, or give it a rule behind the others, such as %s=keep", f.leaf.Short, f.action, pathOf(f.leaf.Names))
			}
			return nil
		}
	}
	note.Below = func(edits []markup.Edit) []markup.Edit {
		made, ok := back(note.NewValue(edits))
		if !ok {
			return []markup.Edit{{Start: at + 1, End: end, New: string([]byte{f.leaf.MaxDef - 1})}}
		}
		return []markup.Edit{{Start: at + 2, End: end, New: string(binary.LittleEndian.AppendUint32(nil, uint32(len(made)))) + string(made)}} //nolint:gosec // at most the size of a page
	}
	r.Notes = append(r.Notes, note)
}

// dayOf returns a date with another day: that of a year is its first.
func dayOf(l *parquet.Leaf, old []byte, made string) ([]byte, bool) {
	if base.OnlyYear.MatchString(made) {
		return l.NewDay(made + "-01-01")
	}
	return l.OnDay(old, made)
}
