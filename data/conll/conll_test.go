package conll

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/internal/sequence"
)

func span(start, end int, typ string) data.Span {
	return data.Span{Start: start, End: end, Type: typ, Score: 1}
}

func TestDecode(t *testing.T) {
	doc := func(id, text string, spans ...data.Span) *data.Document {
		return &data.Document{ID: id, Text: text, Spans: spans}
	}
	for what, tc := range map[string]struct {
		file string
		want []*data.Document
	}{
		"one document":           {"Zoë B-PER\nwent O\n\nHome O\n", []*data.Document{doc("f-0001", "Zoë went\nHome", span(0, 4, "PER"))}},
		"CoNLL-2003":             {"-DOCSTART- -X- -X- O\n\nZoë NNP B-NP B-PER\n\n-DOCSTART- -X- O O\n\nin IN B-PP O\nRome NNP B-NP B-LOC\n", []*data.Document{doc("f-0001", "Zoë", span(0, 4, "PER")), doc("f-0002", "in Rome", span(3, 7, "LOC"))}},
		"NeuroNER":               {"-DOCSTART- -X- O O\n\nZoë note1 0 3 B-PER\nVance note1 4 9 E-PER\n", []*data.Document{doc("f-0001", "Zoë Vance", span(0, 10, "PER"))}},
		"ids":                    {"-DOCSTART- 110-04 O\n\na O\n\n-DOCSTART- (2 EU)\n\nb O\n", []*data.Document{doc("110-04", "a"), doc("(2 EU)", "b")}},
		"tabs":                   {"Zoë\tx y\tB-PER\nwent\t\tO\n", []*data.Document{doc("f-0001", "Zoë went", span(0, 4, "PER"))}},
		"CR LF, BOM, no end":     {"\uFEFFZoë B-PER\r\n\r\n\r\nwent O", []*data.Document{doc("f-0001", "Zoë\nwent", span(0, 4, "PER"))}},
		"trailing space":         {"Zoë  B-PER \n \nwent O\n", []*data.Document{doc("f-0001", "Zoë\nwent", span(0, 4, "PER"))}},
		"IOB1":                   {"a I-PER\nb I-PER\nc B-PER\nd I-LOC\ne O\nf I-LOC\n", []*data.Document{doc("f-0001", "a b c d e f", span(0, 3, "PER"), span(4, 5, "PER"), span(6, 7, "LOC"), span(10, 11, "LOC"))}},
		"BIO":                    {"a B-PER\nb I-PER\nc B-PER\nd O\n", []*data.Document{doc("f-0001", "a b c d", span(0, 3, "PER"), span(4, 5, "PER"))}},
		"BIOES":                  {"a B-PER\nb I-PER\nc E-PER\nd S-PER\ne S-PER\n", []*data.Document{doc("f-0001", "a b c d e", span(0, 5, "PER"), span(6, 7, "PER"), span(8, 9, "PER"))}},
		"a sentence ends a span": {"a B-PER\n\nb I-PER\n", []*data.Document{doc("f-0001", "a\nb", span(0, 1, "PER"), span(2, 3, "PER"))}},
		"an empty document":      {"-DOCSTART- a O\n-DOCSTART- b O\n\nx O\n", []*data.Document{doc("a", ""), doc("b", "x")}},
		"no-break space":         {"a\u00a0b B-PER\n", []*data.Document{doc("f-0001", "a\u00a0b", span(0, 4, "PER"))}},
		"tokens before a start":  {"a O\n\n-DOCSTART- b O\nc O\n", []*data.Document{doc("f-0001", "a"), doc("b", "c")}},
	} {
		t.Run(what, func(t *testing.T) {
			got, err := data.Collect(Decode(strings.NewReader(tc.file), "f.conll", data.CoNLL, Options{}))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A defect invalidates only its own document.
func TestDecodeErrors(t *testing.T) {
	for what, tc := range map[string]struct{ line, want string }{
		"one column":       {"Zebulon", "f.conll:5: the line has only one column: columns are separated by tabs or spaces"},
		"label":            {"Mr. Zebulon", "f.conll:5: the label is neither O nor a type after B-, I-, E-, S-, L- or U-"},
		"no prefix":        {"Zebulon PER", "f.conll:5: the label is neither O nor a type after B-, I-, E-, S-, L- or U-; for labels without B- and I-, set labels to bare"},
		"BMES":             {"Zebulon M-PER", "f.conll:5: the label is neither O nor a type after B-, I-, E-, S-, L- or U-; in labels of the scheme BMEWO, replace M- by I-, and W- by S-"},
		"two prefixes":     {"Zebulon BI-PER", "f.conll:5: the label is neither O nor a type after B-, I-, E-, S-, L- or U-"},
		"type":             {"Mr. B-Zebulon", "f.conll:5: the type Zebulon is not in the type set conll"},
		"empty token":      {"\tO", "f.conll:5: the token is empty or contains white space, which separates tokens"},
		"token with space": {"Zebulon Vance\tO", "f.conll:5: the token is empty or contains white space, which separates tokens"},
		"CR only":          {"Zebulon B-PER\rVance I-PER\r", "f.conll:5: line end other than LF and CR LF inside the line: convert line ends to LF"},
		"NEL":              {"Zebulon B-PER\u0085Vance I-PER", "f.conll:5: line end other than LF and CR LF inside the line: convert line ends to LF"},
		"token with CR":    {"Zebulon\rVance O", "f.conll:5: line end other than LF and CR LF inside the line: convert line ends to LF"},
		"invalid UTF-8":    {"Zebul\xf3n O", "f.conll:5: invalid UTF-8: convert the file to UTF-8, probably from Latin-1 or Windows-1252 (offset 46)"},
		"id twice":         {"-DOCSTART- first O", "f.conll:5: duplicate id: an earlier document of these files has the same"},
	} {
		t.Run(what, func(t *testing.T) {
			file := "\n-DOCSTART- first O\na O\n-DOCSTART- two O\n" + tc.line + "\nb label\n\n-DOCSTART- third O\nc O\n"
			var ids, errs []string
			for doc, err := range Decode(strings.NewReader(file), "f.conll", data.CoNLL, Options{}) {
				if err != nil {
					errs = append(errs, err.Error())
					continue
				}
				ids = append(ids, doc.ID)
			}
			if diff := cmp.Diff([]string{tc.want}, errs); diff != "" {
				t.Error(diff)
			}
			if ids[0] != "first" || ids[len(ids)-1] != "third" {
				t.Errorf("documents %v", ids)
			}
		})
	}
	if _, err := data.Collect(Decode(strings.NewReader("\n\n"), "f.conll", data.CoNLL, Options{})); err == nil || err.Error() != "f.conll: no document in the file: it is empty" {
		t.Errorf("an empty file: %v", err)
	}
}

func TestReadFolder(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{"b.conll": "-DOCSTART- x O\nb O\n", "a.conll": "-DOCSTART- x O\na O\n", "c.conll": "", "notes.txt": "x"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	for doc, err := range Read(dir, data.CoNLL, Options{}) {
		if err != nil {
			got = append(got, strings.TrimPrefix(err.Error(), dir+"/"))
		} else {
			got = append(got, doc.Text)
		}
	}
	want := []string{"a", "b.conll:1: duplicate id: an earlier document of these files has the same", "c.conll: no document in the file: it is empty"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// A span that ended inside a token divided it into two, so that the written text differed
// from the corpus, and the predictions could not be compared with it.
func TestFittedSpansKeepTheText(t *testing.T) {
	corpus := "-DOCSTART- d O\n\nU.S.-based O\nbank O\n\nZoë O\nVance O\n.[x O\n\n"
	for what, tc := range map[string]struct{ spans, want []data.Span }{
		"inside a token":   {[]data.Span{span(0, 4, "LOC")}, []data.Span{span(0, 10, "LOC")}},
		"two in a token":   {[]data.Span{span(0, 2, "LOC"), span(2, 4, "PER")}, []data.Span{span(0, 10, "LOC")}},
		"over a line end":  {[]data.Span{span(13, 18, "PER")}, []data.Span{span(11, 15, "PER"), span(16, 20, "PER")}},
		"white space ends": {[]data.Span{span(15, 27, "PER")}, []data.Span{span(11, 15, "PER"), span(16, 30, "PER")}},
		"whole tokens":     {[]data.Span{span(16, 26, "PER")}, []data.Span{span(16, 26, "PER")}},
	} {
		t.Run(what, func(t *testing.T) {
			var doc *data.Document
			for d, err := range Decode(strings.NewReader(corpus), "x", data.CoNLL, Options{}) {
				if err != nil {
					t.Fatal(err)
				}
				doc = d
			}
			text := doc.Text
			doc.Spans = tc.spans
			Fit(doc)
			written, err := encode(doc, sequence.Writing{})
			if err != nil {
				t.Fatal(err)
			}
			for d, err := range Decode(bytes.NewReader(written), "x", data.CoNLL, Options{}) {
				if err != nil {
					t.Fatal(err)
				}
				if d.Text != text {
					t.Errorf("text %q, want %q", d.Text, text)
				}
				if diff := cmp.Diff(doc.Spans, d.Spans); diff != "" {
					t.Errorf("read back (-written +read):\n%s", diff)
				}
			}
			if diff := cmp.Diff(tc.want, doc.Spans); diff != "" {
				t.Errorf("spans (-want +got):\n%s", diff)
			}
		})
	}
}

func TestEncode(t *testing.T) {
	for what, tc := range map[string]struct {
		text  string
		spans []data.Span
		want  string
	}{
		"sentences":             {"Zoë went\nHome", []data.Span{span(0, 4, "PER")}, "\nZoë B-PER\nwent O\n\nHome O\n\n"},
		"white space":           {"\n\t a \v b\r\n\n\nc\n", nil, "\na O\nb O\n\nc O\n\n"},
		"a span in a token":     {"Dr.Zoë[x", []data.Span{span(3, 7, "PER")}, "\nDr. O\nZoë B-PER\n[x O\n\n"},
		"adjacent spans":        {"abcd", []data.Span{span(2, 4, "PER"), span(0, 2, "PER")}, "\nab B-PER\ncd B-PER\n\n"},
		"a span over a line":    {"x Zoë\n Vance\ny", []data.Span{span(2, 13, "PER")}, "\nx O\nZoë B-PER\nVance I-PER\n\ny O\n\n"},
		"white space at a span": {"x Zoë y", []data.Span{span(1, 7, "PER")}, "\nx O\nZoë B-PER\ny O\n\n"},
		"empty":                 {"", nil, "\n"},
	} {
		t.Run(what, func(t *testing.T) {
			got, err := encode(&data.Document{ID: "d", Text: tc.text, Spans: tc.spans}, sequence.Writing{})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff("-DOCSTART- d O\n"+tc.want, string(got)); diff != "" {
				t.Error(diff)
			}
		})
	}
	for what, tc := range map[string]struct {
		doc  data.Document
		want string
	}{
		"overlap":     {data.Document{ID: "d", Text: "Zebulon", Spans: []data.Span{span(0, 4, "PER"), span(3, 7, "PER")}}, "overlap at byte 3"},
		"white space": {data.Document{ID: "d", Text: "a \n b", Spans: []data.Span{span(1, 4, "PER")}}, "white space only"},
		"boundary":    {data.Document{ID: "d", Text: "Zebulon -DOCSTART- x"}, "token 2"},
		"id O":        {data.Document{ID: "O"}, "-DOCSTART- line"},
		"id -X-":      {data.Document{ID: "-X-"}, "-DOCSTART- line"},
		"id of lines": {data.Document{ID: "a\nb O"}, "-DOCSTART- line"},
		"id padded":   {data.Document{ID: "a "}, "-DOCSTART- line"},
	} {
		if _, err := encode(&tc.doc, sequence.Writing{}); err == nil || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "Zebulon") {
			t.Errorf("%s: error %v, want %q", what, err, tc.want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte("-DOCSTART- -X- O O\n\nZoë B-PER\nVance E-PER\n\n-DOCSTART- a b O\nc\tx\tI-LOC\r\n"))
	f.Add([]byte("\uFEFFa S-X\nb I-X\n \n\xff O\n"))
	types := data.Any
	f.Fuzz(func(t *testing.T, raw []byte) {
		for doc, err := range Decode(bytes.NewReader(raw), "f.conll", types, Options{}) {
			if err != nil {
				if _, ok := errors.AsType[*data.Error](err); !ok {
					t.Fatalf("the error is a %T", err)
				}
				continue
			}
			if err := doc.Check(); err != nil {
				t.Fatal(err)
			}
			again, err := encode(doc, sequence.Writing{})
			if err != nil {
				t.Fatal(err)
			}
			got, err := data.Collect(Decode(bytes.NewReader(again), "g.conll", types, Options{}))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]*data.Document{doc}, got); diff != "" {
				t.Fatal(diff)
			}
		}
	})
}
