package notefile

import (
	"strings"
	"testing"
)

// TestColumnWithAccentAsACharacterWasNotFound: the header of a file from macOS has the accent of Evolución as a character of its own, and the column was not found.
func TestColumnWithAccentAsACharacterWasNotFound(t *testing.T) {
	const composed, decomposed = "Evoluci\u00f3n", "Evolucio\u0301n"
	f, err := Lookup("csv")
	if err != nil {
		t.Fatal(err)
	}
	for header, column := range map[string]string{composed: decomposed, decomposed: composed} {
		read := 0
		for r, err := range f.Read(strings.NewReader("id,"+header+"\n1,Ana Gil\n"), "n.csv", Options{Columns: []string{column}}) {
			if err != nil {
				t.Fatalf("%+q: %v", header, err)
			}
			read += len(r.Notes)
		}
		if read != 1 {
			t.Errorf("%+q: %d notes", header, read)
		}
	}
}
