package notefile_test

import (
	"errors"
	"log"
	"os"
	"strings"

	"github.com/lethe-deid/lethe/deid/notefile"
)

// This example edits a column of a CSV file. Quotes and all other columns do not change.
func Example() {
	file := strings.NewReader("id,note,ward\n7,\"Seen by Ana Gil, called \"\"Annie\"\".\",3\n8,Stable.,3\n")

	format, err := notefile.Lookup("csv")
	if err != nil {
		log.Fatal(err)
	}
	options := notefile.Options{Columns: []string{"note"}, ID: "id"}
	if err := format.Check(options); err != nil {
		log.Fatal(err)
	}
	for record, err := range format.Read(file, "notes.csv", options) {
		if _, broken := errors.AsType[*notefile.Broken](err); broken {
			log.Fatal(err) // the rest of the file cannot be read
		}
		if err != nil {
			log.Print(err) // only this record is skipped
			continue
		}
		edits := make([][]notefile.Edit, len(record.Notes))
		for i, note := range record.Notes {
			const name = "Ana Gil"
			if at := strings.Index(note.Text, name); at >= 0 {
				edits[i] = append(edits[i], notefile.Edit{Start: at, End: at + len(name), New: "[DOCTOR]", Type: "DOCTOR", Score: 1})
			}
		}
		raw, err := record.Encode(edits)
		if err != nil {
			log.Fatal(err)
		}
		os.Stdout.Write(raw)
	}
	// Output:
	// id,note,ward
	// 7,"Seen by [DOCTOR], called ""Annie"".",3
	// 8,Stable.,3
}
