package notefile

import (
	"bytes"
	"encoding/json"
	"slices"
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
	"<p title=\"Ana\" id=\"enc_98765\" class=\"c1\"><font color=\"#098765\">x</font></p>": "\nAna\nx\n\nenc_98765\nc1",
	"<table><tr><td>Ana</td> <td>Gil</td></tr></table>":                                   "\n\n\tAna\t\tGil\t\n\n",
	"<!-- <p>Ana</p> -->": "\n \nAna\n -->",
}

// Brackets in plain text are no tags.
var textsWithBrackets = []string{
	"K <3.5, Na >140", "Seen by <redacted> on <date>", "<NAME>Gil</NAME> seen", "Ana <ana@gil.org> </b>", "</p>Ana</p>", "<b>Ana", "a<b and b>c", "<time> by <address>", "Ana<br>Gil", "<p Gil>x</p>",
	"p<p>", "&lt;p&gt;Ana&lt;/p&gt;", "<", "<>", "</>", "<!-- Ana -->", "Ana <html>", "<b", "x <", "<div data-x=\"1\">Ana", "<https://x.org/a> <b@c> <p", "<headache>", "<bodyache>",
}

// Inline tags between words vanished, so that the words ran together and no name was found in them.
func TestInlineTagsOfHTMLInPlainTextsJoinedWords(t *testing.T) {
	for source, want := range map[string]string{
		"<b>Name</b>George Nguyen<b>Age</b>24<b>Sex</b>M":                  "Name George Nguyen Age 24 Sex M",
		"<b>Nombre:</b>Marta Gil<b>Edad:</b>54":                            "Nombre: Marta Gil Edad: 54",
		"Wendy Becker<sup>1</sup> met":                                     "Wendy Becker 1 met",
		"Wendy Becker<sup>*</sup> met":                                     "Wendy Becker * met",
		"<span>Paciente</span><span>Marta Gil</span>":                      "Paciente Marta Gil",
		"<b><i>Ana</i></b> <span><b>Gil</b></span>, <u>MD</u> (<i>DOB</i>": "Ana Gil, MD (DOB",
		"Dr.<b>Gil</b>": "Dr. Gil",
		"<b>Phone</b>617-555-0134<b>DOB</b>03/14/2021<sup>3</sup>":          "Phone 617-555-0134 DOB 03/14/2021 3",
		"<b>A</b>n<i><u></u></i>a Gil, Ragn<b>hild</b> M<b>u&ntilde;</b>oz": "Ana Gil, Ragnhild Muñoz",
		"MRN <b>48213377</b>seen":                                           "MRN 48213377 seen",
		"March 21<sup>st</sup>, 2021":                                       "March 21st, 2021",
		"03.<b>14</b>.2021 at <b>Oslo</b>/<b>Bergen</b>":                    "03.14.2021 at Oslo/Bergen",
		"<b>Ana</b>" + strings.Repeat("<i></i>", 40) + "Gil":                "Ana Gil",
		`Name</b><b class="MsoNormal" id="7"><i>Gil</i>`:                    "Name Gil\n7",
	} {
		for _, e := range carriersOfHTML(t, source) {
			if got := onlyNote(t, e).Text; got != want {
				t.Errorf("%s in %s reads as %q, want %q", source, e.format, got, want)
			}
		}
	}
}

// Attributes for layout were not examined, even if they had names, dates or numbers.
func TestValuesOfLayoutInPlainTextsWereNotExamined(t *testing.T) {
	for _, text := range []string{"ssn-123-45-6789", "617-555-0134", "2071-03-14", "visit-03.14.2071", "HaroldSmith", "Smith, Harold", "MRN 4821", "485 777 3456", "10.12.33.41", "MRN#48213377", "48213377", "Harold"} {
		for name, kind := range map[string]string{"id": "", "class": "", "for": "", "lang": "", "headers": "", "face": "", "target": "", "rel": "", "scope": "", "role": "", "size": "", "style": "", "type": "", "color": "", "width": "", "xmlns": "http://www.w3.org/"} {
			source := "<p " + name + "='" + kind + text + "'>seen</p>"
			if got, want := onlyNote(t, carriersOfHTML(t, source)[0]).Text, "\nseen\n\n"+kind+text; got != want {
				t.Errorf("%s reads as %q, want %q", source, got, want)
			}
		}
	}
	for _, layout := range []string{
		"align=center", "ALIGN=CENTER", "valign='top'", "width='100%'", "height=1024", "colspan=2", "border='0'", "lang=en-US", "class=MsoNormal", "dir=ltr", "color='#098765'", "bgcolor=white", "face=Arial",
		"xmlns='http://www.w3.org/1999/xhtml'", "style='font-family:&quot;Times New Roman&quot;, serif; font-size:11.0pt; color:rgb(51, 51, 51)'", "style='margin:0 0 0 .5in;text-align:center;font-weight:700!important'",
		"style='max-width:600px;border-bottom:1px solid #CCC;line-height:1.5'", "style='mso-fareast-font-family:Calibri'", "type='text/css'", "nowrap",
	} {
		source := "<p " + layout + ">seen</p>"
		if got := onlyNote(t, carriersOfHTML(t, source)[0]).Text; got != "\nseen\n" {
			t.Errorf("%s reads as %q", source, got)
		}
	}
	const source, want = "<p id='Gil' class=Gil>Mrs. Gil</p>", "<p id='A&amp;B' class=A&amp;B>Mrs. A&amp;B</p>"
	for i, e := range carriersOfHTML(t, source) {
		wanted := encode(readAll(t, carriersOfHTML(t, want)[i]), none)
		if got := encode(readAll(t, e), each("Gil", "A&B")); got != wanted {
			t.Errorf("%s:\n%q, want\n%q", e.format, got, wanted)
		}
	}
}

// Spans of a text with its tags are in the same place of the text without them, and divided where tags have a text.
func TestSpansOfHTMLWithItsTags(t *testing.T) {
	const source = `<p id="Gil">A<b>n</b>a<br>Gil&amp;Co <i class=x7>Lund</i>Oslo</p>`
	n := onlyNote(t, carriersOfHTML(t, source)[0])
	if n.Tags != source {
		t.Fatalf("%q", n.Tags)
	}
	var got []string
	for _, s := range n.Without([]data.Span{{Start: 7, End: 12}, {Start: 12, End: 40, Type: "X"}, {Start: 41, End: len(source)}}) {
		got = append(got, n.Text[s.Start:s.End])
	}
	if want := []string{"Ana", "Gil&Co ", "Lund", "Oslo", "Gil", "x7"}; !slices.Equal(got, want) {
		t.Errorf("%q in %q, want %q", got, n.Text, want)
	}
}

// Texts with a tag before what looks like another format were refused.
func TestHTMLThatLooksLikeAnotherFormatWasRefused(t *testing.T) {
	for _, source := range []string{"<p>%PDF-1.4 x</p>", `<b>{\rtf1 Ana}</b>`} {
		for _, e := range carriersOfHTML(t, source)[:3] {
			if got := onlyNote(t, e).Text; got != source {
				t.Errorf("%s in %s reads as %q", source, e.format, got)
			}
		}
	}
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
