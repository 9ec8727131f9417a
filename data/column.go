package data

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
)

// Label is the value of a column for a range of the text, Text[Start:End], such as the part of
// speech of a token or the name of a section. It is not empty, and neither is the value.
type Label struct {
	Start, End int
	Value      string
}

// ColumnAt returns the label of a column for each of the tokens, which must be in their order: the one that
// covers the start of the token, or nil. Of several, it is the one that starts last; of those, the
// shortest; of those with equal ranges, the last in the list.
func (d *Document) ColumnAt(column string, tokens []Token) []*Label {
	labels := slices.Clone(d.Columns[column])
	slices.SortStableFunc(labels, func(a, b Label) int { return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End)) })
	at := make([]*Label, len(tokens))
	var open []*Label // begun so far, without those that ended after their followers
	next := 0
	for i, t := range tokens {
		for ; next < len(labels) && labels[next].Start <= t.Start; next++ {
			open = append(open, &labels[next])
		}
		for len(open) > 0 && open[len(open)-1].End <= t.Start {
			open = open[:len(open)-1]
		}
		if len(open) > 0 {
			at[i] = open[len(open)-1]
		}
	}
	return at
}

// CheckColumn returns an error if the document does not have a column, even one without values.
func (d *Document) CheckColumn(name string) error {
	if _, ok := d.Columns[name]; !ok {
		return &NoColumn{ID: d.ID, Column: name}
	}
	return nil
}

// NoColumn is the error of a document without a column that a tagger requires.
type NoColumn struct {
	ID     string // of the document
	Column string
}

func (e *NoColumn) Error() string {
	return fmt.Sprintf("document %s: has no column %s, which a feature of the tagger reads", e.ID, e.Column)
}

// ColumnNames returns the names of the columns, sorted.
func (d *Document) ColumnNames() []string { return slices.Sorted(maps.Keys(d.Columns)) }

// checkColumns returns an error if a label is not a range of the text with a value.
func (d *Document) checkColumns() error {
	for _, name := range d.ColumnNames() {
		for i, l := range d.Columns[name] {
			switch {
			case l.Start < 0 || l.End > len(d.Text) || l.Start >= l.End || !onRune(d.Text, l.Start) || !onRune(d.Text, l.End):
				return fmt.Errorf("document %s: value %d of the column %s is not of a range of the text: [%d,%d)", d.ID, i, name, l.Start, l.End)
			case l.Value == "":
				return fmt.Errorf("document %s: value %d of the column %s is empty", d.ID, i, name)
			}
		}
	}
	return nil
}
