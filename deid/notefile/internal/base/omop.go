package base

import (
	"fmt"
	"strings"
)

// OfTable returns the options for a table with these columns: with Options.OMOP, the columns of notes, the id and the patient
// as the table writes them.
func (o Options) OfTable(names []string) (Options, error) {
	if !o.OMOP {
		return o, nil
	}
	var err error
	actual := func(name string) (string, bool) {
		found := ""
		for _, n := range names {
			switch {
			case !strings.EqualFold(n, name):
			case found != "":
				err = fmt.Errorf("the columns %q and %q differ only in case", found, n)
			default:
				found = n
			}
		}
		if found == "" {
			return name, false // the reader returns the error
		}
		return found, true
	}
	o.ID, _ = actual("note_id")
	o.Patient, _ = actual("person_id")
	text, _ := actual("note_text")
	o.Columns = []string{text}
	if title, ok := actual("note_title"); ok {
		o.Columns = append(o.Columns, title)
	}
	return o, err
}
