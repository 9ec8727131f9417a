package inception

import (
	"bytes"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lethe-deid/lethe/data"
)

func phi(start, end int, typ string) data.Span {
	return data.Span{Start: start, End: end, Type: typ, Score: 1}
}

// The file was written by cassis 0.12, DKPro's library for Python.
func TestFileOfCassis(t *testing.T) {
	const text = "Seen by Dr. Zoë 😀 Vance\non\t02/20/2087 \"x\" <&>.\r\ne\u0301"
	const path = "testdata/cassis.xmi"
	for _, tc := range []struct {
		opt  Options
		want []data.Span
	}{
		{Options{Layer: "webanno.custom.PHI"}, []data.Span{phi(31, 41, "DATE")}},
		{Options{Layer: "webanno.custom.PHI", Feature: "kind"}, []data.Span{phi(31, 41, "DATE")}},
		{Options{Layer: entityLayer}, []data.Span{phi(12, 16, "PATIENT"), phi(22, 27, "PATIENT")}},
		{Options{Layer: "custom.Absent"}, nil},
	} {
		got, err := data.Collect(XMI.Read(path, data.Any, tc.opt))
		if diff := cmp.Diff([]*data.Document{{ID: "cassis", Text: text, Spans: tc.want}}, got); err != nil || diff != "" {
			t.Errorf("%v: %v %s", tc.opt, err, diff)
		}
	}
	for opt, want := range map[Options]string{
		{}: "there are annotations of the layers de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity, webanno.custom.PHI: choose one with the option layer",
		{Layer: entityLayer, Feature: "identifier"}: "",
	} {
		_, err := data.Collect(XMI.Read(path, data.Any, opt))
		if want == "" {
			want = path + ":9: annotation 1 of the layer " + entityLayer + " has no identifier"
		} else {
			want = path + ": " + want
		}
		if err == nil || err.Error() != want {
			t.Errorf("%v: %v", opt, err)
		}
	}
}

var documents = []*data.Document{
	{ID: "110-01", Patient: "110", Text: "\uFEFFDr. Ödön 😀 Vance\r\nsaw Zoë\rVance 😀 on\t02/20/2087 & <\"'>|[\\_*;\n\n", Spans: []data.Span{
		phi(7, 24, "DOCTOR"), phi(19, 24, "DOCTOR"), phi(30, 40, "PATIENT"), phi(41, 45, "ID"), phi(49, 59, "DATE"), phi(49, 59, "X_B-1"),
	}},
	{ID: "empty", Text: ""},
	{ID: "blank", Text: " \n\t ", Spans: []data.Span{phi(1, 2, "A")}},
	{ID: "lead", Text: "  two", Spans: []data.Span{phi(1, 5, "A")}},
	{ID: "lines", Text: "a\n\n  b\n \nc\n", Spans: []data.Span{phi(0, 6, "A"), phi(5, 8, "B"), phi(9, 10, "C")}},
	{ID: "marks", Text: "e\u0301 👩‍⚕️Amundsen's", Spans: []data.Span{phi(17, 25, "DOCTOR")}},
}

func write(t testing.TB, w data.Writer, err error, docs []*data.Document) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	for _, doc := range docs {
		if err := w.Write(doc); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

func sorted(docs []*data.Document) []*data.Document {
	return slices.SortedFunc(slices.Values(docs), func(a, b *data.Document) int { return strings.Compare(a.ID, b.ID) })
}

func TestXMIRoundTrip(t *testing.T) {
	for _, opt := range []Options{{}, {Layer: "custom.PHI", Feature: "kind"}, {Layer: "PHI"}} {
		dir := t.TempDir()
		w, err := XMI.Create(dir, data.Any, opt)
		write(t, w, err, documents)
		got, err := data.Collect(XMI.Read(dir, data.Any, opt))
		if diff := cmp.Diff(sorted(documents), got); err != nil || diff != "" {
			t.Error(err, diff)
		}
	}
}

func xmi(elements string) string {
	return `<xmi:XMI xmlns:xmi="http://www.omg.org/XMI" xmlns:cas="http:///uima/cas.ecore" xmlns:c="http:///custom.ecore" xmlns:n="http:///de/tudarmstadt/ukp/dkpro/core/api/ner/type.ecore">` +
		"\n" + elements + "\n" + `<cas:Sofa xmi:id="1" sofaID="_InitialView" sofaString="😀 Zebulon"/></xmi:XMI>`
}

func TestXMI(t *testing.T) {
	for what, tc := range map[string]struct {
		elements string
		want     []data.Span
	}{
		"none":         {"", nil},
		"subtype":      {`<n:Person xmi:id="2" sofa="1" begin="3" end="10" value="DATE"/>`, []data.Span{phi(5, 12, "DATE")}},
		"only feature": {`<c:PHI xmi:id="2" sofa="1" begin="3" end="10" kind="DATE"/>`, []data.Span{phi(5, 12, "DATE")}},
		"value":        {`<c:PHI xmi:id="2" sofa="1" begin="3" end="10" kind="x" value="DATE"/>`, []data.Span{phi(5, 12, "DATE")}},
		"relation":     {`<c:R xmi:id="3" sofa="1" begin="3" end="10" Governor="2" Dependent="2"/><c:PHI xmi:id="2" sofa="1" begin="3" end="10" value="DATE"/>`, []data.Span{phi(5, 12, "DATE")}},
		"other layers": {`<o:Token xmlns:o="http:///x.ecore" xmi:id="2" sofa="1" begin="3" end="10"/><c:Link xmi:id="4" role="x"/>`, nil},
		"another sofa": {`<cas:Sofa xmi:id="7" sofaID="other" sofaString="x"/><c:PHI xmi:id="2" sofa="7" begin="0" end="1" value="DATE"/>`, nil},
	} {
		doc, err := XMI.Decode(strings.NewReader(xmi(tc.elements)), "f.xmi", data.I2B2, Options{})
		if err != nil || !cmp.Equal(doc.Spans, tc.want) {
			t.Errorf("%s: %v, %v", what, doc, err)
		}
	}
}

func TestXMIErrors(t *testing.T) {
	mark := func(extent, rest string) string {
		return xmi(`<c:PHI xmi:id="2" sofa="1" ` + extent + ` ` + rest + `/>`)
	}
	for file, want := range map[string]string{
		"":                            ": the document has no text",
		"Zebulon":                     ": the document has no text",
		"<x/>":                        ": not well-formed XMI in XML 1.0 without a DTD",
		"<?xml version=\"1.1\"?><x/>": ":1: the file is in XML 1.1: export it as CAS XMI (XML 1.0)",
		"\xff":                        ":1: invalid UTF-8: convert the file to UTF-8, probably from Latin-1 or Windows-1252 (offset 0)",
		`<xmi:XMI xmlns:xmi="http://www.omg.org/XMI"/>`: ": the document has no text",
		mark(`begin="3" end="11"`, `value="DATE"`):      ":2: annotation 1: the span [3,11) lies beyond the text of 10 UTF-16 units",
		mark(`begin="1" end="3"`, `value="DATE"`):       ":2: annotation 1: the span [1,3) of UTF-16 units divides a character",
		mark(`begin="3" end="3"`, `value="DATE"`):       ":2: annotation 1: the span [3,3) of UTF-16 units is empty",
		mark(`begin="x" end="3"`, `value="DATE"`):       ":2: the begin or end of an annotation of the layer custom.PHI is not a number",
		mark(`begin="3"`, `value="DATE"`):               ":2: the begin or end of an annotation of the layer custom.PHI is not a number",
		mark(`begin="3" end="10"`, `value="Zebulon"`):   ":2: annotation 1: the type Zebulon is not in the type set i2b2-2014",
		mark(`begin="3" end="10"`, ``):                  ": the annotations of the layer custom.PHI have no feature",
		mark(`begin="3" end="10"`, `a="DATE" b="x"`):    ": the annotations of the layer custom.PHI have the features a, b: choose one with the option feature",
		xmi("\n" + `<c:P xmi:id="2" sofa="1" begin="3" end="10" a="DATE"/>` + "\n" + `<c:P xmi:id="2" sofa="1" begin="3" end="10"/>`): ":4: annotation 2 of the layer custom.P has no a",
		xmi(`<n:NamedEntity xmi:id="2" sofa="1" begin="3" end="10"/><c:P xmi:id="2" sofa="1" begin="3" end="10"/>`):                   ": there are annotations of the layers custom.P, " + entityLayer + ": choose one with the option layer",
	} {
		_, err := XMI.Decode(strings.NewReader(file), "f.xmi", data.I2B2, Options{})
		if _, ok := errors.AsType[*data.Error](err); !ok || err.Error() != "f.xmi"+want {
			t.Errorf("%.60s: %v, want %s", file, err, want)
		}
	}
}

func TestXMIRefuses(t *testing.T) {
	w, err := XMI.CreateFile(filepath.Join(t.TempDir(), "x.xmi"), data.Any, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	err = w.Write(&data.Document{ID: "x", Text: "Zebulon\x01"})
	if want := "cannot be written: XML does not allow the character U+0001 at byte 7 of the text"; err == nil || !strings.HasSuffix(err.Error(), want) {
		t.Error(err)
	}
}

func TestOptions(t *testing.T) {
	for _, opt := range []Options{{}, {Layer: "custom.PHI", Feature: "value_2"}, {Layer: "PHI", Feature: "_"}} {
		if err := opt.Check(); err != nil {
			t.Errorf("%v: %v", opt, err)
		}
	}
	for _, opt := range []Options{{Layer: "custom.P HI"}, {Layer: "custom..P"}, {Layer: "a.1b"}, {Feature: "a.b"}, {Feature: `"`}} {
		if err := opt.Check(); err == nil {
			t.Errorf("%v is valid", opt)
		}
	}
}

func FuzzXMI(f *testing.F) {
	f.Add([]byte(xmi(`<c:PHI xmi:id="2" sofa="1" begin="3" end="10" value="DATE"/>`)))
	f.Add([]byte(xmi(`<n:Person xmi:id="2" sofa="1" begin="0" end="2" value="&#10;"/>`)))
	f.Fuzz(func(t *testing.T, raw []byte) { fuzzed(t, raw, XMI) })
}

func TestTSVRoundTrip(t *testing.T) {
	for _, opt := range []Options{{}, {Layer: "custom.PHI", Feature: "kind"}} {
		dir := t.TempDir()
		w, err := TSV.Create(dir, data.Any, opt)
		write(t, w, err, documents)
		got, err := data.Collect(TSV.Read(dir, data.Any, opt))
		if diff := cmp.Diff(sorted(documents), got); err != nil || diff != "" {
			t.Error(err, diff)
		}
	}
}

func fuzzed(t *testing.T, raw []byte, format Format) {
	doc, err := format.Decode(bytes.NewReader(raw), "f.x", data.Any, Options{})
	if err != nil {
		if _, ok := errors.AsType[*data.Error](err); !ok {
			t.Fatalf("the error is a %T", err)
		}
		return
	}
	if err := doc.Check(); err != nil {
		t.Fatal(err)
	}
	encoded, err := format.encode(doc, Options{})
	if err != nil {
		t.Fatal(err)
	}
	again, err := format.Decode(bytes.NewReader(encoded), "f.x", data.Any, Options{})
	if diff := cmp.Diff(doc, again); err != nil || diff != "" {
		t.Fatal(err, diff)
	}
}

func FuzzTSV(f *testing.F) {
	for _, doc := range documents {
		encoded, err := TSV.encode(doc, Options{})
		if err != nil {
			f.Fatal(err)
		}
		f.Add(encoded)
	}
	f.Fuzz(func(t *testing.T, raw []byte) { fuzzed(t, raw, TSV) })
}

// tsv makes a file with a column for the layer custom.PHI, from lines that follow the header.
func tsv(lines string) string { return "#FORMAT=WebAnno TSV 3.3\n#T_SP=custom.PHI|value\n\n\n" + lines }

func TestTSV(t *testing.T) {
	const entity = "de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity"
	for what, tc := range map[string]struct {
		file string
		want data.Document
	}{
		"CR LF and a mark": {"\uFEFF" + strings.ReplaceAll(tsv("#Text=Ada Lund\n1-1\t0-3\tAda\tA[1]\t\n1-2\t4-8\tLund\tA[1]\t\n"), "\n", "\r\n"), data.Document{Text: "Ada Lund", Spans: []data.Span{phi(0, 8, "A")}}},
		"parts of tokens": {tsv("#Sentence.id=7\n#Text=😀Zoë's x\n1-1\t0-7\t😀Zoë's\tE[4]\n1-1.1\t2-5\tZoë\tA[1]|B[2]\n1-1.2\t5-7\t's\tB[2]|C\n1-2\t8-9\tx\tE[4]\n"),
			data.Document{Text: "😀Zoë's x", Spans: []data.Span{phi(0, 12, "E"), phi(4, 10, "B"), phi(4, 8, "A"), phi(8, 10, "C")}}},
		"sentences": {tsv("#Text=a\n1-1\t2-3\ta\tA[1]\n\n#Text=b\n2-1\t3-4\tb\tA[1]\n\n#Text=c\n#Text=\n3-1\t5-6\tc\t_\n\n#Text=d\n4-1\t10-11\td\tB\n"),
			data.Document{Text: "  ab\nc\n\n  d", Spans: []data.Span{phi(2, 4, "A"), phi(10, 11, "B")}}},
		"escapes": {tsv("#Text=a\\tb\\\\n \\\x01[|\n1-1\t0-1\ta\tA\\_1\n1-2\t2-5\tb\\\\n\tA\\_1\n1-3\t7-8\t[\t_\n"),
			data.Document{Text: "a\tb\\n \x01[|", Spans: []data.Span{phi(0, 1, "A_1"), phi(2, 5, "A_1")}}},
		"version 3.1":    {"#FORMAT=WebAnno TSV 3.1\n\n\n#Text=\\u00f1\\ud83d\\ude00\\\"\\ud83d\\u\n1-1\t0-3\tñ😀\n", data.Document{Text: "ñ😀\"\\ud83d\\u"}},
		"no annotations": {"#FORMAT=WebAnno TSV 3.2\n\n\n#Text=a\n1-1\t0-1\ta\t\n", data.Document{Text: "a"}},
		"no sentences":   {"#FORMAT=WebAnno TSV 3.3\n\n", data.Document{}},
		"other layers": {"#FORMAT=WebAnno TSV 3.3\n#T_SP=x.POS|PosValue\n#T_SP=x.Slot|ROLE_x:y_z|x.Target|kind\n#T_SP=" + entity + "|identifier|value\n#T_CH=x.Link|referenceType|referenceRelation\n#T_RL=x.Dep|DependencyType|BT_x.POS\n\n\n" +
			"#Text=a b\n1-1\t0-1\ta\tNN\tr;s\t1-1;1-2\t*\thttp://x[1]|*[2]\tA[1]|B[2]\tpr[1]\tc->1-1\tSBJ\t1-2\t\n1-2\t2-3\tb\t_\t_\t_\t_\t*[2]\tB[2]\t_\t_\t_\t_\t\n",
			data.Document{Text: "a b", Spans: []data.Span{phi(0, 3, "B"), phi(0, 1, "A")}}},
	} {
		tc.want.ID = "f"
		got, err := TSV.Decode(strings.NewReader(tc.file), "f.tsv", data.Any, Options{})
		if diff := cmp.Diff(&tc.want, got); err != nil || diff != "" {
			t.Errorf("%s: %v %s", what, err, diff)
		}
	}
}

func TestTSVErrors(t *testing.T) {
	for file, want := range map[string]string{
		"":                          ":1: not in WebAnno TSV 3",
		"Zebulon\n":                 ":1: not in WebAnno TSV 3",
		"#FORMAT=WebAnno TSV 2.0\n": ":1: not in WebAnno TSV 3",
		tsv("\xff"):                 ":5: invalid UTF-8: convert the file to UTF-8, probably from Latin-1 or Windows-1252 (offset 49)",
		tsv("#Text=Zebulon\n1-1\t0-7\tZebulon\n"):                    ":6: the line has 3 columns instead of 4",
		tsv("#Text=Zebulon\n1-1\t0-x\tZebulon\t_\n"):                 ":6: the second column does not contain two offsets",
		tsv("#Text=Zebulon\n1-1\t7-0\tZebulon\t_\n"):                 ":6: the second column does not contain two offsets",
		tsv("#Text=Zebulon\n1-1\t0-8\tZebulon\t_\n"):                 ":6: the span [0,8) lies beyond the text of 7 UTF-16 units",
		tsv("#Text=Zebulon\n1-1\t0-6\tZebulon\t_\n"):                 ":6: the line does not quote the text at its offsets, in units of UTF-16",
		tsv("#Text=😀x\n1-1\t0-1\t😀\t_\n"):                            ":6: the span [0,1) of UTF-16 units divides a character",
		tsv("#Text=a\n1-1\t0-1\ta\t_\n\n#Text=b\n2-1\t0-1\tb\t_\n"):  ":9: the sentence begins before the end of the one before it",
		tsv("#Text=a\n1-1\t99999999999-99999999999\ta\t_\n"):         ":6: the sentence begins too far behind the one before it",
		tsv("#Text=a\n1-1\t0-1\ta\t_\n#Text=b\n"):                    ":7: the text of a sentence is among its tokens",
		tsv("1-1\t0-1\ta\t_\n"):                                      ":5: the token belongs to no sentence",
		tsv("#Text=a\n\n"):                                           ":6: the sentence before it has no tokens",
		tsv("#Text=a\n"):                                             ":6: the file ends before the tokens of its last sentence",
		tsv("#Text=a\n1-1\t0-1\ta\t*\n"):                             ": the annotations of the layer custom.PHI have no feature",
		tsv("#Text=a b\n1-1\t0-1\ta\t*\n1-2\t2-3\tb\tDATE\n"):        ":6: annotation 1 of the layer custom.PHI has no value",
		tsv("#Text=a b\n1-1\t0-1\ta\tDATE[1]\n1-2\t2-3\tb\tID[1]\n"): ":7: the annotation has another value on an earlier line",
		tsv("#Text=a\n1-1\t0-1\ta\tZebulon\n"):                       ":6: annotation 1: the type Zebulon is not in the type set i2b2-2014",
		tsv("#Text=a\n1-1\t0-1\ta\t_\n1-1.1\t1-1\t\tDATE\n"):         ":7: annotation 1: the span [1,1) of UTF-16 units is empty",
	} {
		_, err := TSV.Decode(strings.NewReader(file), "f.tsv", data.I2B2, Options{})
		if _, ok := errors.AsType[*data.Error](err); !ok || err.Error() != "f.tsv"+want {
			t.Errorf("%q: %v, want %s", file, err, want)
		}
	}
}
