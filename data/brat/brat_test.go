package brat

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lethe-deid/lethe/data"
)

func span(start, end int, typ string) data.Span {
	return data.Span{Start: start, End: end, Type: typ, Score: 1}
}

// folder returns a folder with the given files.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestParse(t *testing.T) {
	for what, tc := range map[string]struct {
		text, annotations string
		want              []data.Span
	}{
		"none":                       {"Mr. Zebulon", "", nil},
		"one":                        {"Mr. Zebulon", "T1\tPATIENT 4 11\tZebulon\n", []data.Span{span(4, 11, "PATIENT")}},
		"no line end at the end":     {"Mr. Zebulon", "T1\tPATIENT 4 11\tZebulon", []data.Span{span(4, 11, "PATIENT")}},
		"lines with CR LF":           {"Mr. Zebulon", "T1\tPATIENT 4 11\tZebulon\r\n\r\n", []data.Span{span(4, 11, "PATIENT")}},
		"code points":                {"ñ😀\uFEFF Zoë", "T1\tPATIENT 4 7\tZoë\n", []data.Span{span(10, 14, "PATIENT")}},
		"CR LF in the text is two":   {"a\r\nZebulon", "T1\tPATIENT 3 10\tZebulon\n", []data.Span{span(3, 10, "PATIENT")}},
		"U+FEFF of the annotations":  {"Mr. Zebulon", "\uFEFFT1\tPATIENT 4 11\tZebulon\n", []data.Span{span(4, 11, "PATIENT")}},
		"over a line end":            {"Ze\nbulon", "T1\tPATIENT 0 8\tZe bulon\n", []data.Span{span(0, 8, "PATIENT")}},
		"over CR LF":                 {"Ze\r\nbulon", "T1\tPATIENT 0 9\tZe  bulon\n", []data.Span{span(0, 9, "PATIENT")}},
		"over a line end, fragments": {"Ze\n\nbulon", "T1\tPATIENT 0 2;4 9\tZe bulon\n", []data.Span{span(0, 9, "PATIENT")}},
		"a tab in the span":          {"Ze\tbulon", "T1\tPATIENT 0 8\tZe\tbulon\n", []data.Span{span(0, 8, "PATIENT")}},
		"other lines":                {"Mr. Zebulon", "R1\tX Arg1:T1 Arg2:T2\nE1\tX:T1\nA1\tX T1\nM1\tX\nN1\tReference T1 X:1\tx\n#1\tAnnotatorNotes T1\tx\n*\tEquiv T1 T2\nT1\tPATIENT 4 11\tZebulon\n", []data.Span{span(4, 11, "PATIENT")}},
		"nested, overlapping, twice": {"Mr. Zebulon", "T1\tDOCTOR 4 6\tZe\nT2\tPATIENT 4 11\tZebulon\nT3\tDATE 5 11\tebulon\nT4\tDOCTOR 4 6\tZe\n", []data.Span{span(4, 11, "PATIENT"), span(4, 6, "DOCTOR"), span(4, 6, "DOCTOR"), span(5, 11, "DATE")}},
	} {
		t.Run(what, func(t *testing.T) {
			got, err := Decode("f.ann", []byte(tc.annotations), tc.text, data.I2B2)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestParseErrors(t *testing.T) {
	const quote = "f.ann:2: the line does not quote the text at its offsets, in code points (offset %d)"
	fits := func(offset int, cause string) string {
		return strings.Replace(fmt.Sprintf(quote, offset), " (", ": all annotations of the text fit if "+cause+" (", 1)
	}
	for what, tc := range map[string]struct{ text, line, want string }{
		"another text":            {"Mr. Zebulon", "T1\tPATIENT 3 11\tZebulon", strings.Replace(fmt.Sprintf(quote, 3), " (", ": they differ in white space only (", 1)},
		"offsets in bytes":        {"ñ. Zebulon!", "T1\tPATIENT 4 11\tZebulon", fits(4, "offsets count bytes (corpus.offsets: bytes)")},
		"CR LF counted as one":    {"a\r\nZebulon!", "T1\tPATIENT 2 9\tZebulon", fits(2, "CR LF counts as one (corpus.offsets: code-points+lf)")},
		"in fragments":            {"Mr. Zebulon Jr", "T1\tPATIENT 4 7;9 11\tZeb on", "f.ann:2: " + data.ErrFragments.Error()},
		"fragments out of order":  {"Mr.\nZebulon Jr", "T1\tPATIENT 4 11;0 3\tZebulon Mr.", "f.ann:2: the fragments of the span are not in the order of the text"},
		"type":                    {"Mr. Zebulon", "T1\tZebulon 4 11\tZebulon", "f.ann:2: the type Zebulon is not in the type set i2b2-2014"},
		"no text":                 {"Mr. Zebulon", "T1\tPATIENT 4 11", "f.ann:2: not a brat annotation line: the text of the span is missing after the offsets and a tab"},
		"a type with a blank":     {"Mr. Zebulon", "T1\tPatient Name 4 11\tZebulon", "f.ann:2: the type Patient Name contains a blank, which brat does not allow: write Patient_Name"},
		"blanks for tabs":         {"Mr. Zebulon", "T1 PATIENT 4 11 Zebulon", "f.ann:2: not a brat annotation line: its fields must be separated by tabs, as in T1, tab, PATIENT 4 11, tab, text"},
		"an ID twice":             {"Mr. Zebulon", "T1\tPATIENT 4 11\tZebulon\nT1\tPATIENT 4 11\tZebulon", "f.ann:3: duplicate ID T1, which line 2 has, too: the file was probably written twice, or put together of two"},
		"unknown line":            {"Mr. Zebulon", "Zebulon", "f.ann:2: not a brat annotation line, such as T1, tab, PATIENT 4 11, tab, text"},
		"indented line":           {"Mr. Zebulon", " T1\tPATIENT 4 11\tZebulon", "f.ann:2: not a brat annotation line, such as T1, tab, PATIENT 4 11, tab, text"},
		"start is no number":      {"Mr. Zebulon", "T1\tPATIENT Z 11\tZebulon", "f.ann:2: start: an offset is not a whole number"},
		"no end":                  {"Mr. Zebulon", "T1\tPATIENT 4\tZebulon", "f.ann:2: end: an offset is missing"},
		"three numbers":           {"Mr. Zebulon", "T1\tPATIENT 4 11 12\tZebulon", "f.ann:2: end: an offset is not a whole number"},
		"beyond the text":         {"Mr. Zebulon", "T1\tPATIENT 4 12\tZebulon", "f.ann:2: the span [4,12) lies beyond the text of 11 code points (offset 4)"},
		"empty":                   {"Mr. Zebulon", "T1\tPATIENT 4 4\t", "f.ann:2: the span [4,4) of code points is empty (offset 4)"},
		"reversed":                {"Mr. Zebulon", "T1\tPATIENT 4 3\tZ", "f.ann:2: the span [4,3) of code points is reversed (offset 4)"},
		"invalid UTF-8":           {"Mr. Zebulon", "T1\tPATIENT 4 11\tZebul\xf3n", "f.ann:2: invalid UTF-8: convert the file to UTF-8, probably from Latin-1 or Windows-1252 (offset 31)"},
		"white space that is not": {"Mr.\tZebulon", "T1\tPATIENT 0 11\tMr. Zebulon", strings.Replace(fmt.Sprintf(quote, 0), " (", ": they differ in white space only (", 1)},
	} {
		t.Run(what, func(t *testing.T) {
			_, err := Decode("f.ann", []byte("#1\tnote x\n"+tc.line+"\n"), tc.text, data.I2B2)
			if err == nil {
				t.Fatal("no error")
			}
			if got := err.Error(); got != tc.want {
				t.Errorf("error\n%s, want\n%s", got, tc.want)
			}
		})
	}
}

// One span in fragments refused a whole corpus.
func TestFragments(t *testing.T) {
	const annotations = "T1\tPATIENT 0 2;4 11;12 13\tMr Zebulon J\nT2\tDATE 4 11\tZebulon\n"
	date := span(4, 11, "DATE")
	for how, want := range map[data.Fragments][]data.Span{
		data.HullOfFragments: {span(0, 13, "PATIENT"), date},
		data.PartsOfSpan:     {span(0, 2, "PATIENT"), date, span(4, 11, "PATIENT"), span(12, 13, "PATIENT")},
		data.LongestFragment: {date, span(4, 11, "PATIENT")},
	} {
		doc := &data.Document{Text: "Mr. Zebulon J."}
		if err := decode(doc, "f.ann", []byte(annotations), data.ReadOptions{Types: data.I2B2, Fragments: how}); err != nil {
			t.Fatal(how, err)
		}
		if diff := cmp.Diff(want, doc.Spans); diff != "" || doc.Fragmented != 1 {
			t.Error(how, doc.Fragmented, diff)
		}
	}
}

// Files of programs that count otherwise than brat could not be read.
func TestOffsets(t *testing.T) {
	for how, tc := range map[data.Offsets]struct{ text, line string }{
		"utf-16":             {"😀 Zoë", "T1\tPATIENT 3 6\tZoë"},
		"bytes":              {"😀 Zoë", "T1\tPATIENT 5 9\tZoë"},
		"code-points+lf":     {"\r\n\r\nZoë", "T1\tPATIENT 2 5\tZoë"},
		"code-points+crlf":   {"\n\nZoë\n", "T1\tPATIENT 4 7\tZoë"},
		"code-points+no-bom": {"\uFEFF\nZoë", "T1\tPATIENT 1 4\tZoë"},
		"code-points+bom":    {"a Zoë", "T1\tPATIENT 3 6\tZoë"},
		"bytes+lf+no-bom":    {"\uFEFF\r\nZoë", "T1\tPATIENT 1 5\tZoë"},
	} {
		doc := &data.Document{Text: tc.text}
		if err := decode(doc, "f.ann", []byte(tc.line), data.ReadOptions{Types: data.I2B2, Offsets: how}); err != nil {
			t.Error(how, err)
		} else if s := doc.Spans[0]; doc.Text[s.Start:s.End] != "Zoë" {
			t.Error(how, s)
		}
		if err := decode(doc, "f.ann", []byte(tc.line), data.ReadOptions{Types: data.I2B2}); err == nil {
			t.Error(how, "is read as code points")
		}
	}
	for _, bad := range []data.Offsets{"x", "utf16", "+lf", "utf-16+lf+crlf", "bytes+x", "bytes+lf+lf"} {
		if bad.Check() == nil {
			t.Error(bad)
		}
	}
}

// Notes with a defect yield errors that name them, and the others are read.
func TestReadGoesOn(t *testing.T) {
	dir := folder(t, map[string]string{
		"a.txt": "Mr. Zebulon", "a.ann": "T1\tPATIENT 4 11\tZebulon\n",
		"a-1.txt": "second", "a-1.ann": "",
		"b.txt": "no annotations",
		"c.ann": "",
		"d.txt": "\xff", "d.ann": "",
		"e.txt": "last", "e.ann": "",
		"annotation.conf": "", ".hidden.ann": "",
	})
	var got []string
	for doc, err := range Read(dir, data.ReadOptions{Types: data.I2B2}) {
		if err != nil {
			got = append(got, strings.TrimPrefix(err.Error(), dir+"/"))
		} else {
			got = append(got, doc.ID)
		}
	}
	want := []string{"a", "a-1", "b.ann: a note of brat requires its annotations, too, in a file that is empty if there are none: file does not exist", "c.txt: a note of brat requires its text, too: file does not exist", "d.txt:1: invalid UTF-8: convert the file to UTF-8, probably from Latin-1 or Windows-1252 (offset 0)", "e"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for _, file := range []string{"a.txt", "a.ann"} {
		docs, err := data.Collect(Read(filepath.Join(dir, file), data.ReadOptions{Types: data.I2B2}))
		if err != nil || len(docs) != 1 || docs[0].ID != "a" || len(docs[0].Spans) != 1 {
			t.Errorf("%s alone: %d documents, %v", file, len(docs), err)
		}
	}
}

func TestCreate(t *testing.T) {
	dir := t.TempDir()
	w, err := Create(dir, data.I2B2)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(&data.Document{ID: "a", Text: "\uFEFFZoë\r\nX", Spans: []data.Span{span(3, 10, "PATIENT"), span(3, 7, "DOCTOR")}}); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"a.txt": "\uFEFFZoë\r\nX",
		"a.ann": "T1\tPATIENT 1 7\tZoë  X\nT2\tDOCTOR 1 4\tZoë\n",
	} {
		got, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || string(got) != want {
			t.Errorf("%s: %q, %v, want %q", name, got, err, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add("Mr. Zebulon", []byte("T1\tPATIENT 4 11\tZebulon\n"))
	f.Add("\uFEFFZe\r\nbulón", []byte("T1\tPATIENT 1 3;5 10\tZe bulón\r\n#1\tx\n"))
	f.Add("a\tb\rc", []byte("T1\tX 0 5\ta\tb c"))
	types := data.Any
	f.Fuzz(func(t *testing.T, text string, annotations []byte) {
		doc := &data.Document{ID: "f", Text: text}
		if doc.Check() != nil {
			t.Skip("read refuses the text")
		}
		var err error
		if doc.Spans, err = Decode("f.ann", annotations, text, types); err != nil {
			if _, ok := errors.AsType[*data.Error](err); !ok {
				t.Fatalf("the error is a %T", err)
			}
			return
		}
		if err := doc.Check(); err != nil {
			t.Fatal(err)
		}
		got, err := Decode("f.ann", Encode(doc), text, types)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(doc.Spans, got); diff != "" {
			t.Fatal(diff)
		}
	})
}
