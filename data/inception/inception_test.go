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
		got, err := data.Collect(ReadXMI(path, data.Any, tc.opt))
		if diff := cmp.Diff([]*data.Document{{ID: "cassis", Text: text, Spans: tc.want}}, got); err != nil || diff != "" {
			t.Errorf("%v: %v %s", tc.opt, err, diff)
		}
	}
	for opt, want := range map[Options]string{
		{}: "there are annotations of the layers de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity, webanno.custom.PHI: choose one with the option layer",
		{Layer: entityLayer, Feature: "identifier"}: "",
	} {
		_, err := data.Collect(ReadXMI(path, data.Any, opt))
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
		w, err := CreateXMI(dir, data.Any, opt)
		write(t, w, err, documents)
		got, err := data.Collect(ReadXMI(dir, data.Any, opt))
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
		doc, err := DecodeXMI(strings.NewReader(xmi(tc.elements)), "f.xmi", data.I2B2, Options{})
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
		"\xff":                        ":1: invalid UTF-8 (offset 0)",
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
		_, err := DecodeXMI(strings.NewReader(file), "f.xmi", data.I2B2, Options{})
		if _, ok := errors.AsType[*data.Error](err); !ok || err.Error() != "f.xmi"+want {
			t.Errorf("%.60s: %v, want %s", file, err, want)
		}
	}
}

func TestXMIRefuses(t *testing.T) {
	w, err := CreateXMIFile(filepath.Join(t.TempDir(), "x.xmi"), data.Any, Options{})
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
	for _, opt := range []Options{{}, {"custom.PHI", "value_2"}, {"PHI", "_"}} {
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
	f.Fuzz(func(t *testing.T, raw []byte) {
		doc, err := DecodeXMI(bytes.NewReader(raw), "f.xmi", data.Any, Options{})
		if err != nil {
			if _, ok := errors.AsType[*data.Error](err); !ok {
				t.Fatalf("the error is a %T", err)
			}
			return
		}
		if err := doc.Check(); err != nil {
			t.Fatal(err)
		}
		encoded, err := encodeXMI(doc, Options{})
		if err != nil {
			t.Fatal(err)
		}
		again, err := DecodeXMI(bytes.NewReader(encoded), "f.xmi", data.Any, Options{})
		if diff := cmp.Diff(doc, again); err != nil || diff != "" {
			t.Fatal(err, diff)
		}
	})
}
