package notefile

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/lethe-deid/lethe/data"
)

// textsOfHTML contains texts that are HTML, with their text without tags.
var textsOfHTML = map[string]string{
	"<p>Mrs. A<b>n</b>a Gi<i>l</i></p>":                                "\nMrs. Ana Gil\n",
	"<span style=\"font-weight:bold\">Ana</span> <span>Gil</span> was": "Ana Gil was",
	"A<b>n</b>a Gil, K <3.5 & Na >140":                                 "Ana Gil, K <3.5 & Na >140",
	"Ana Gil<br/>MRN 7<BR>":                                            "Ana Gil\nMRN 7\n",
	"<p>Ana<p>Gil":                                                     "\nAna\nGil",
	" \r\n<!DOCTYPE html><body>Ana&nbsp;Gil":                           " \r\n\n\nAna\u00a0Gil",
	"\uFEFF<HTML>Ana":                                                  "\uFEFF\nAna",
	"<ul><li>Ana</li><redacted>Gil</redacted> <Ana@gil.org></ul>":      "\n\nAna\n<redacted>Gil</redacted> <Ana@gil.org>\n",
	"<div data-x=\"1\">Ana <b>Gil</b></div>":                           "<div data-x=\"1\">Ana Gil\n",
	"<p title=\"Ana\" id=\"enc_98765\" class=\"c1\"><font color=\"#098765\">x</font></p>": "\nAna\nenc_98765\nx\n",
	"<table><tr><td>Ana</td> <td>Gil</td></tr></table>":                                   "\n\n\tAna\t\tGil\t\n\n",
	"<!-- <p>Ana</p> -->": "\n \nAna\n -->",
}

// Brackets in plain text are no tags.
var textsWithBrackets = []string{
	"K <3.5, Na >140", "Seen by <redacted> on <date>", "<NAME>Gil</NAME> seen", "Ana <ana@gil.org> </b>", "</p>Ana</p>", "<b>Ana", "a<b and b>c", "<time> by <address>", "Ana<br>Gil", "<p Gil>x</p>",
	"p<p>", "&lt;p&gt;Ana&lt;/p&gt;", "<", "<>", "</>", "<!-- Ana -->", "Ana <html>", "<b", "x <", "<div data-x=\"1\">Ana", "<https://x.org/a> <b@c> <p", "<headache>", "<bodyache>",
}

// carriersOfHTML returns files that contain a text.
func carriersOfHTML(t *testing.T, text string) []example {
	t.Helper()
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(text); err != nil {
		t.Fatal(err)
	}
	quoted := strings.TrimSpace(b.String())
	escaped := strings.NewReplacer("\r\n", "\\.br\\", "\\", "\\E\\", "|", "\\F\\", "^", "\\S\\", "&", "\\T\\", "~", "\\R\\").Replace(text)
	return []example{
		{"text", "a.txt", text, Options{}},
		{"jsonl", "a.jsonl", `{"text":` + quoted + "}\n", Options{}},
		{"csv", "a.csv", "note\n\"" + strings.ReplaceAll(text, `"`, `""`) + "\"\n", Options{Columns: []string{"note"}}},
		{"hl7", "a.hl7", "MSH|^~\\&|||||||ORU|1|P|2.5\rOBX|1|FT|||" + escaped + "\r", Options{}},
		{"fhir", "a.json", `{"resourceType":"Binary","contentType":"text/plain","data":"` + b64(text) + `"}`, Options{}},
		{"fhir", "a.json", `{"resourceType":"Condition","note":[{"text":` + quoted + `}]}`, Options{}},
	}
}

// onlyNote returns the note of a file that has one.
func onlyNote(t *testing.T, e example) *Note {
	t.Helper()
	var all []*Note
	for _, r := range readAll(t, e) {
		all = append(all, r.Notes...)
	}
	if len(all) != 1 {
		t.Fatalf("%s has %d notes", e.format, len(all))
	}
	return all[0]
}

// HTML that no content type declares was read as plain text, so that tags divided names.
func TestHTMLInPlainTexts(t *testing.T) {
	for source, want := range textsOfHTML {
		for _, e := range carriersOfHTML(t, source) {
			if e.format == "text" && strings.Contains(source, "<!DOCTYPE") || strings.Contains(e.file, b64(source)) && strings.Contains(source, "<!DOCTYPE") {
				continue // a file or an attachment that declares itself as another kind is refused
			}
			if got := strings.ReplaceAll(onlyNote(t, e).Text, "\r\n", "\n"); got != strings.ReplaceAll(want, "\r\n", "\n") { // HL7 has one line end
				t.Errorf("%s in %s reads as %q, want %q", source, e.format, got, want)
			}
		}
	}
	for _, source := range textsWithBrackets {
		for _, e := range carriersOfHTML(t, source) {
			if got := onlyNote(t, e).Text; got != source {
				t.Errorf("%s in %s reads as %q", source, e.format, got)
			}
		}
	}
}

// An edit leaves all tags.
func TestEditsOfHTMLInPlainTexts(t *testing.T) {
	replaced := func(n *Note) []Edit { return each("Ana Gil", "[X] & Co")(n) }
	const source, want = `<p title="Ana Gil">Mrs. A<b>n</b>a Gi<i>l</i>, "K" <3.5</p>`, `<p title="[X] &amp; Co">Mrs. [X] &amp; Co<b></b><i></i>, "K" <3.5</p>`
	for i, e := range carriersOfHTML(t, source) {
		wanted := encode(readAll(t, carriersOfHTML(t, want)[i]), none)
		if got := encode(readAll(t, e), replaced); got != wanted {
			t.Errorf("%s:\n%q, want\n%q", e.format, got, wanted)
		}
		if got := encode(readAll(t, e), none); got != e.file {
			t.Errorf("%s: became %q", e.format, got)
		}
	}
}

// Marks count the characters of a text as it is, so it is not read as HTML; new spans would not be those of the text with its tags.
func TestHTMLBesideMarks(t *testing.T) {
	const line = `{"text":"<p>Ana</p>","spans":[{"start":3,"end":6,"type":"PATIENT"}]}`
	r := readAll(t, example{"jsonl", "a.jsonl", line, Options{Marked: true, Types: data.I2B2}})[0]
	if n := r.Notes[0]; n.Text != "<p>Ana</p>" || len(n.Spans) != 1 {
		t.Errorf("%q with the spans %v", n.Text, n.Spans)
	}
	got := encode(readAll(t, example{"jsonl", "a.jsonl", line, Options{}}), each("Ana", "X"))
	if want := `{"text":"<p>X</p>","spans":[]}`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	for _, e := range []example{
		{"brat", "a.txt", "<p>Ana</p>", Options{}},
		{"i2b2", "a.xml", "<deIdi2b2>\n<TEXT><![CDATA[<p>Ana</p>]]></TEXT>\n<TAGS>\n</TAGS>\n</deIdi2b2>\n", Options{}},
	} {
		if got := readAll(t, e)[0].Notes[0].Text; got != "<p>Ana</p>" {
			t.Errorf("%s: %q", e.format, got)
		}
	}
}

// A picture cannot be examined.
func TestPicturesInHTMLInPlainTexts(t *testing.T) {
	const source = `<p>Ana</p><img alt=Gil src="data:image/png;base64,AAAA"><img src=data:,x>`
	for i, e := range carriersOfHTML(t, source) {
		f, err := Lookup(e.format)
		if err != nil {
			t.Fatal(err)
		}
		for r, err := range f.Read(strings.NewReader(e.file), e.name, e.options) {
			if r != nil && r.Frame {
				continue
			}
			if r != nil || err == nil || !strings.HasSuffix(err.Error(), "HTML with a picture or other data in a URL, which cannot be examined") {
				t.Errorf("%s: %v", e.format, err)
			}
		}
		e.options.Drop = true
		records := readAll(t, e)
		if last := records[len(records)-1]; last.Dropped != 2 { // the first may be a header
			t.Errorf("%s: %d parts are dropped", e.format, last.Dropped)
		}
		want := carriersOfHTML(t, `<p>X</p><img alt=Gil src=""><img src="">`)[i].file
		if got := encode(records, each("Ana", "X")); got != want {
			t.Errorf("%s: %s, want %s", e.format, got, want)
		}
	}
}
