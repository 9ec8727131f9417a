package format_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/format"
)

// invented contains documents that are difficult to convert between formats.
var invented = []*data.Document{
	{ID: "110-01", Patient: "110", Text: ""},
	{ID: "110-02", Patient: "110", Text: "\uFEFFDr. Ödön Vance\r\nsaw Zoë\rVance 😀 on\t02/20/2087]]>\n\n", Spans: []data.Span{
		{Start: 7, End: 19, Type: "DOCTOR", Score: 1},         // after U+FEFF
		{Start: 14, End: 19, Type: "DOCTOR", Score: 1},        // nested
		{Start: 25, End: 35, Type: "PATIENT", Score: 1},       // over a line end
		{Start: 36, End: 40, Type: "IDNUM", Score: 1},         // beyond the BMP
		{Start: 44, End: 54, Type: "DATE", Score: 1},          // after a tab
		{Start: 44, End: 54, Type: "DATE", Score: 1},          // twice
		{Start: 44, End: 54, Type: "MEDICALRECORD", Score: 1}, // of two types
	}},
	{ID: "111-01", Patient: "111", Text: "a <tag> & \"quotes\"\n", Spans: []data.Span{{Start: 2, End: 7, Type: "LOCATION-OTHER", Score: 1}}},
}

// roundTrip writes documents in a format and reads them again.
func roundTrip(t *testing.T, name string, types *data.TypeSet, docs []*data.Document) []*data.Document {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "made", "here")
	w, err := format.Create(name, dir, types)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	for _, doc := range docs {
		if err := w.Write(doc); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	got, err := data.Collect(format.Read(name, dir, format.Options{Types: types}))
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// without returns the documents as written and read in a format that has only file names to
// identify patients, and may not support spans.
func without(docs []*data.Document, spans bool) []*data.Document {
	var out []*data.Document
	for _, doc := range docs {
		d := *doc
		if !strings.HasPrefix(d.ID, d.Patient+"-") {
			d.Patient = ""
		}
		if spans {
			d.Spans = nil
		}
		out = append(out, &d)
	}
	return out
}

func TestRoundTrip(t *testing.T) {
	types := data.I2B2
	for _, doc := range invented {
		if err := doc.Check(); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string][]*data.Document{
		"i2b2": invented, "meddocan": invented, "jsonl": invented, "labelstudio": invented, "spacy": invented,
		"xmi": invented, "brat": without(invented, false), "text": without(invented, true),
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(want, roundTrip(t, name, types, invented)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// The marks of i2b2 2006 are within the text, so its spans cannot overlap.
func TestRoundTripInline(t *testing.T) {
	doc := *invented[1]
	doc.Spans = []data.Span{{Start: 7, End: 19, Type: "DOCTOR", Score: 1}, {Start: 25, End: 35, Type: "PATIENT", Score: 1}, {Start: 36, End: 40, Type: "ID", Score: 1}}
	docs := []*data.Document{invented[0], &doc}
	if diff := cmp.Diff(docs, roundTrip(t, "i2b2-2006", data.I2B22006, docs)); diff != "" {
		t.Error(diff)
	}
}

func TestLookup(t *testing.T) {
	if diff := cmp.Diff([]string{"i2b2", "meddocan", "i2b2-2006", "brat", "conll", "jsonl", "labelstudio", "spacy", "xmi", "text"}, format.Names()); diff != "" {
		t.Error(diff)
	}
	const want = `no format "xml" (have i2b2, meddocan, i2b2-2006, brat, conll, jsonl, labelstudio, spacy, xmi, text)`
	if _, err := format.Lookup("xml"); err == nil || err.Error() != want {
		t.Errorf("Lookup: %v", err)
	}
	if _, err := format.Create("xml", t.TempDir(), nil); err == nil || err.Error() != want {
		t.Errorf("Create: %v", err)
	}
	if _, err := data.Collect(format.Read("xml", t.TempDir(), format.Options{Types: nil})); err == nil || err.Error() != want {
		t.Errorf("Read: %v", err)
	}
}

// Every format reports in a single error that there is nothing to read.
func TestNothingToRead(t *testing.T) {
	types := data.Any
	empty := t.TempDir()
	missing := filepath.Join(empty, "missing")
	for _, name := range format.Names() {
		for path, want := range map[string]string{
			empty:   "the folder holds no .",
			missing: "cannot be read: no such file or directory",
		} {
			var errs []error
			for doc, err := range format.Read(name, path, format.Options{Types: types}) {
				if doc != nil || err == nil {
					t.Errorf("%s: a document", name)
				}
				errs = append(errs, err)
			}
			if len(errs) != 1 || !strings.HasPrefix(errs[0].Error(), path+": "+want) {
				t.Errorf("%s: errors %v, want one: %s", name, errs, want)
			}
			if _, ok := errors.AsType[*data.Error](errs[0]); !ok {
				t.Errorf("%s: the error is a %T", name, errs[0])
			}
		}
	}
}

// All formats except brat read a stream, and stop on request.
func TestDecode(t *testing.T) {
	for name, stream := range map[string]string{
		"i2b2":        "<deIdi2b2><TEXT>x</TEXT></deIdi2b2>",
		"meddocan":    "<MEDDOCAN><TEXT>x</TEXT></MEDDOCAN>",
		"i2b2-2006":   "<ROOT><RECORD ID='stdin'><TEXT>x</TEXT></RECORD><RECORD ID='y'/></ROOT>",
		"conll":       "-DOCSTART- stdin O\nx O\n-DOCSTART- O\ny O\n",
		"jsonl":       `{"id":"stdin","text":"x"}` + "\n" + `{"text":"y"}`,
		"labelstudio": `[{"data":{"text":"x","note_id":"stdin"},"annotations":[{"result":[]}]},{"data":{}}]`,
		"spacy":       `{"id":"stdin","text":"x","ents":[]} {"text":"y"}`,
		"xmi":         `<xmi:XMI xmlns:xmi="http://www.omg.org/XMI" xmlns:cas="http:///uima/cas.ecore"><cas:Sofa xmi:id="1" sofaString="x"/></xmi:XMI>`,
		"text":        "x",
	} {
		f, err := format.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		for doc, err := range f.Decode(strings.NewReader(stream), "stdin", format.Options{Types: data.Any}) {
			if err != nil || doc.ID != "stdin" || doc.Text != "x" {
				t.Errorf("%s: %v, %v", name, doc, err)
			}
			break
		}
	}
	if f, _ := format.Lookup("brat"); f.Decode != nil {
		t.Error("brat decodes a stream")
	}
}

// Formats with one file per note could only be written as a folder, so that clean.txt became
// clean.txt/note.txt.
func TestCreateFileOfOneNote(t *testing.T) {
	types := data.I2B2
	for _, name := range format.Names() {
		f, err := format.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		if f.CreateFile == nil {
			if name != "brat" {
				t.Errorf("%s writes no file", name)
			}
			continue
		}
		path := filepath.Join(t.TempDir(), "made", "one.note")
		w, err := f.CreateFile(path, types)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Write(&data.Document{ID: "a", Text: "first"}); err != nil {
			t.Fatal(err)
		}
		err = w.Write(&data.Document{ID: "b", Text: "second"})
		if want := path + ": cannot be written: a file of this format holds one note"; f.OneNote && (err == nil || err.Error() != want) || !f.OneNote && err != nil {
			t.Errorf("%s: the second note: %v", name, err)
		}
		if _, err := os.Stat(path); err == nil {
			t.Errorf("%s: the file exists before Close", name)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		docs, err := data.Collect(f.Read(path, format.Options{Types: types}))
		if err != nil || docs[0].Text != "first" {
			t.Errorf("%s: %v, %v", name, docs, err)
		}
		if files, err := os.ReadDir(filepath.Dir(path)); err != nil || len(files) != 1 {
			t.Errorf("%s: %v, %v", name, files, err)
		}
	}
}

// A format with one file for all notes uses the file's own name, and leaves nothing after Abort.
func TestCreateFile(t *testing.T) {
	for _, ext := range []string{"conll", "jsonl"} {
		dir := t.TempDir()
		for _, path := range []string{dir, filepath.Join(dir, "named."+ext)} {
			w, err := format.Create(ext, path, data.Any)
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(w.Write(&data.Document{ID: "x", Text: "x"}), w.Close()); err != nil {
				t.Fatal(err)
			}
		}
		w, err := format.Create(ext, filepath.Join(dir, "aborted."+ext), data.Any)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(w.Write(&data.Document{ID: "x", Text: "x"}), w.Abort()); err != nil {
			t.Fatal(err)
		}
		var got []string
		files, _ := os.ReadDir(dir)
		for _, f := range files {
			got = append(got, f.Name())
		}
		if diff := cmp.Diff([]string{"corpus." + ext, "named." + ext}, got); diff != "" {
			t.Error(diff)
		}
	}
}
