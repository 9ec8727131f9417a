package feature

import (
	"slices"

	"github.com/lethe-deid/lethe/data"
)

// columnFamily is the family whose values are those of a column of the notes.
const columnFamily = "column"

// columnValues makes the family.
func columnValues() family {
	return family{about: "the value of the column `name` of the notes at the start of the token, such as a part of speech of the corpus (ours)",
		own: true, columns: func(s Spec, _ *Resources) ([]column, error) {
			return []column{{name: s.String(), lo: -s.Window, hi: s.Window, values: func(x *Text, put func(int, string)) {
				for t, label := range x.Doc.ColumnAt(s.Name, x.Tokens) {
					if label != nil {
						put(t, label.Value)
					}
				}
			}}}, nil
		}}
}

// Columns returns the sorted names of the columns that notes must have for these families.
func Columns(specs []Spec) []string {
	var names []string
	for _, s := range specs {
		if s.Family == columnFamily {
			names = append(names, s.Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// CheckColumns returns a *data.NoColumn for the first document without a column that the families require.
func CheckColumns(specs []Spec, docs []*data.Document) error {
	for _, name := range Columns(specs) {
		for _, d := range docs {
			if err := d.CheckColumn(name); err != nil {
				return err
			}
		}
	}
	return nil
}
