package job

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lethe-deid/lethe/deid"
	"github.com/lethe-deid/lethe/deid/engine"
	"github.com/lethe-deid/lethe/deid/notefile"
	"github.com/lethe-deid/lethe/internal/parquet"
)

// A rule that no format of a run could have was left out without a message if the run had files of several formats.
func TestRuleThatNoFormatCanHave(t *testing.T) {
	var formats []*notefile.Format
	for _, name := range []string{"text", "fhir", "hl7"} {
		f, err := notefile.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		formats = append(formats, f)
	}
	check := func(rule string) (*checked, error) {
		setup, err := engine.Options{}.Check()
		if err != nil {
			t.Fatal(err)
		}
		c := &checked{Config: Config{Fields: []string{rule}}, setup: setup}
		return c, c.checkFields(formats)
	}
	if _, err := check("Pateint.name.family=keep"); err == nil || !strings.Contains(err.Error(), "Pateint") {
		t.Errorf("error %v for a path that neither FHIR nor HL7 has", err)
	}
	c, err := check("PID-5=keep")
	if err != nil {
		t.Fatalf("a path of HL7: %v", err)
	}
	if own := c.fields["hl7"].Rules(); own[len(own)-1].Path != "PID-5" {
		t.Error("the rule is not among those of HL7")
	}
	if own := c.fields["fhir"].Rules(); own[len(own)-1].Path == "PID-5" {
		t.Error("the rule of HL7 is among those of FHIR")
	}
}

// A table of rules was used by two goroutines, that which reads a file and that which writes the one before, and the program crashed if the files had other columns.
func TestFilesWithOtherColumns(t *testing.T) {
	in, out := t.TempDir(), filepath.Join(t.TempDir(), "clean")
	for i := range 12 {
		columns := []parquet.Column{{Name: "id"}, {Name: "note"}, {Name: "name", Optional: true}}
		row := []string{fmt.Sprint(i), "Seen today.", "Oda Lund"}
		for k := range 50 {
			columns = append(columns, parquet.Column{Name: fmt.Sprintf("c%d_%d", i, k)})
			row = append(row, "")
		}
		f, err := os.Create(filepath.Join(in, fmt.Sprintf("%02d.parquet", i)))
		if err != nil {
			t.Fatal(err)
		}
		table, err := parquet.Create(f, columns)
		if err != nil {
			t.Fatal(err)
		}
		for range 300 { // more than a batch, so that the next file is read while this one is written
			if err := table.Row(row); err != nil {
				t.Fatal(err)
			}
		}
		if err := table.Close(); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	c, err := Config{Options: engine.Options{Model: "none"}, Columns: []string{"note"}, ID: "id", Fields: []string{"name=drop"}, Inputs: []string{in}, Output: out}.check()
	if err != nil {
		t.Fatal(err)
	}
	files, err := c.findFiles(t.Context(), Events{})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.checkFormats(files); err != nil {
		t.Fatal(err)
	}
	r := &run{config: c, engine: &deid.Deidentifier{Tagger: beside{}}}
	r.events.Failed = func(err error) { t.Error(err) }
	if err := r.do(t.Context(), files); err != nil || r.summary.Notes != 12*300 {
		t.Errorf("%d notes, error %v", r.summary.Notes, err)
	}
}
