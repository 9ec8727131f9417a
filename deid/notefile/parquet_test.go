package notefile

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
)

// tableOfNotes writes a Parquet file whose rows are a list of notes each, in JSON.
func tableOfNotes(t *testing.T, rows string) string {
	t.Helper()
	typ := arrow.ListOf(arrow.StructOf(arrow.Field{Name: "text", Type: arrow.BinaryTypes.String, Nullable: true}))
	a, _, err := array.FromJSON(memory.DefaultAllocator, typ, strings.NewReader(rows))
	if err != nil {
		t.Fatal(err)
	}
	schema := arrow.NewSchema([]arrow.Field{{Name: "notes", Type: typ, Nullable: true}}, nil)
	return saveArrow(t, schema, []arrow.Array{a}, parquet.NewWriterProperties())
}

// saveArrow writes a table with Arrow's library, and returns the path of the file.
func saveArrow(t *testing.T, schema *arrow.Schema, columns []arrow.Array, properties *parquet.WriterProperties, settings ...pqarrow.WriterOption) string {
	t.Helper()
	var out bytes.Buffer
	w, err := pqarrow.NewFileWriter(schema, &out, properties, pqarrow.NewArrowWriterProperties(append(settings, pqarrow.WithStoreSchema())...))
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(array.NewRecordBatch(schema, columns, int64(columns[0].Len()))); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "n.parquet")
	if err := os.WriteFile(path, out.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// openParquet returns the format, and a file that is closed at the end of the test.
func openParquet(t *testing.T, path string) (*Format, *os.File) {
	t.Helper()
	f, err := Lookup("parquet")
	if err != nil {
		t.Fatal(err)
	}
	in, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close() })
	return f, in
}

// notesOf returns the ids and texts of a file, and writes it again with each word replaced.
func notesOf(t *testing.T, path string, o Options, change func([]byte)) (notes []string, written []byte, err error) {
	t.Helper()
	f, in := openParquet(t, path)
	var out bytes.Buffer
	var w Writer
	for r, err := range f.Read(in, path, o) {
		if err != nil {
			return nil, nil, err
		}
		if change != nil {
			raw, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			change(raw)
			if err := os.WriteFile(path, raw, 0o666); err != nil {
				t.Fatal(err)
			}
			change = nil
		}
		edits := make([][]Edit, len(r.Notes))
		for i, n := range r.Notes {
			notes = append(notes, n.ID+": "+n.Text)
			edits[i] = wordEdits(n.Text)
		}
		encoded, err := r.Encode(edits)
		if err != nil {
			t.Fatal(err)
		}
		if w == nil {
			if w, err = f.Writer(&out, path, o); err != nil {
				return nil, nil, err
			}
			defer w.Discard()
		}
		if err := w.Write(r, encoded); err != nil {
			return nil, nil, err
		}
	}
	err = w.Close()
	return notes, out.Bytes(), err
}

func TestParquetListsOfNotes(t *testing.T) {
	path := tableOfNotes(t, `[[{"text": "Ana Gil"}, {"text": null}, null, {"text": "é Vance"}], null, [], [{"text": "{\\rtf1 Ana\\b0 Gil}"}]]`)
	for _, column := range []string{"notes.text", "notes.list.element.text"} {
		notes, written, err := notesOf(t, path, Options{Columns: []string{column}}, nil)
		if got, want := strings.Join(notes, "; "), "n-0001/1: Ana Gil; n-0001/4: é Vance; n-0004/1: AnaGil"; err != nil || got != want {
			t.Fatalf("%q, want %q, %v", got, want, err)
		}
		again := filepath.Join(t.TempDir(), "n.parquet")
		if err := os.WriteFile(again, written, 0o666); err != nil {
			t.Fatal(err)
		}
		notes, _, err = notesOf(t, again, Options{Columns: []string{column}}, nil)
		if got, want := strings.Join(notes, "; "), "n-0001/1: Qjqjq Qjqjq; n-0001/4: é Qjqjq; n-0004/1: Qjqjqq"; err != nil || got != want {
			t.Errorf("%q, want %q, %v", got, want, err)
		}
	}
}

// The writer reads the file again. If it is another one by then, its rows are not those of the notes.
func TestAParquetFileThatChangesIsNotWritten(t *testing.T) {
	path := tableOfNotes(t, `[[{"text": "Ana Gil"}]]`)
	_, _, err := notesOf(t, path, Options{Columns: []string{"notes.text"}}, func(raw []byte) {
		at := bytes.LastIndex(raw, []byte("parquet-go")) // created_by
		raw[at] = 'P'
	})
	if err == nil || err.Error() != "the input has changed while it was read" {
		t.Errorf("%v", err)
	}
}

func TestParquetIsNotReadFromAStream(t *testing.T) {
	f, err := Lookup("parquet")
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range f.Read(strings.NewReader("PAR1\x15"), "stdin", Options{Columns: []string{"text"}}) {
		if err == nil || !strings.Contains(err.Error(), "must be read from a file") {
			t.Errorf("%v", err)
		}
	}
}
