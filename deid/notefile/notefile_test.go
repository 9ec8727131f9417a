package notefile

import (
	"bytes"
	"encoding/base64"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid/notefile/internal/base"
)

// example is a file of a format, with the options to read it.
type example struct {
	format, name, file string
	options            Options
}

func b64(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }

var examples = map[string]example{
	"text":             {"text", "a.txt", "Ana Gil,\r\nseen 3/4.\n", Options{}},
	"text, empty":      {"text", "a.txt", "", Options{}},
	"text, U+FEFF":     {"text", "a.txt", "\uFEFFAna Gil", Options{}},
	"text, Latin-1":    {"text", "a.txt", "A\xf1a Gil \x85", Options{Encoding: "latin1"}},
	"text, Windows":    {"text", "a.txt", "A\xf1a \x93Gil\x94 \x81", Options{Encoding: "windows-1252"}},
	"i2b2":             {"i2b2", "110-01.xml", "<?xml version=\"1.0\" encoding=\"UTF-8\" ?>\n<deIdi2b2>\n<TEXT><![CDATA[Ana Gil & <b> \u00e9]]></TEXT>\n<TAGS>\n</TAGS>\n</deIdi2b2>\n", Options{}},
	"i2b2, no tags":    {"i2b2", "a.xml", "<deIdi2b2>\r\n<TEXT>Ana &amp; Gil &#233;\r\nx<![CDATA[ y ]]>&lt;z</TEXT>\r\n<TAGS/>\r\n</deIdi2b2>", Options{}},
	"i2b2, Latin-1":    {"i2b2", "a.xml", "<?xml version='1.0' encoding='ISO-8859-1'?><deIdi2b2><TEXT>A\xf1a</TEXT><TAGS></TAGS></deIdi2b2>", Options{}},
	"meddocan":         {"meddocan", "a.xml", "\uFEFF<MEDDOCAN><TEXT><![CDATA[Ana]]]]><![CDATA[> Gil]]></TEXT></MEDDOCAN>", Options{}},
	"i2b2-2006":        {"i2b2-2006", "all.xml", "<?xml version='1.0'?>\r\n<ROOT>\r\n<RECORD ID=\"1\">\n<TEXT>\r\nAna &amp; Gil &#233;\r\n</TEXT></RECORD>\n\n<RECORD ID=\"110-2\"><TEXT>x]<![CDATA[Ana <Gil>]]>&gt;</TEXT></RECORD>\n</ROOT>\n", Options{}},
	"i2b2-2006, none":  {"i2b2-2006", "all.xml", "<ROOT/>", Options{}},
	"jsonl":            {"jsonl", "n.jsonl", "\uFEFF{\"id\": 7, \"text\":\"Ana\\u00f1 \\ud83d\\ude00 \\\"Gil\\\"\\n\\/\", \"patient\" : \"p\"}\r\n\n{\"text\":null}\n{\"x\":[{\"text\":\"no\"}],\"text\":\"\"}", Options{}},
	"jsonl, by path":   {"jsonl", "n.jsonl", `{"note":{"body":"Ana"},"k":1}` + "\n" + `{"k":"2","note":{"body":"Gil"}}`, Options{Columns: []string{"note.body"}, ID: "k"}},
	"jsonl, spans":     {"jsonl", "n.jsonl", `{"text":"Ana","spans":[],"label":[]}` + "\n", Options{}},
	"csv":              {"csv", "n.csv", "id,note,mrn\r\n1,\"Ana \"\"Gil\"\",\r\nx\",7\r\n2,Ana Gil,8\r\n3,,9\r\n\r\n", Options{Columns: []string{"note"}, ID: "id", Patient: "mrn"}},
	"csv, tabs":        {"csv", "n.tsv", "\uFEFFnote\tid\nAna \"Gil\", x\t1\n\"\"\t2", Options{Columns: []string{"note"}, Comma: '\t'}},
	"csv, two columns": {"csv", "n.csv", "a,b\n\"Ana\",\"Gil\nx\"\n", Options{Columns: []string{"b", "a"}}},
	"csv, empty":       {"csv", "n.csv", "", Options{Columns: []string{"a"}}},
	"fhir": {"fhir", "d.json", `{
  "resourceType": "Bundle", "entry": [
    {"resource": {"resourceType": "Patient", "id": "p1", "name": [{"family": "Gil", "given": ["Ana", "Mar\u00eda"]}], "identifier": [{"value": "998877"}]}},
    {"resource": {"resourceType": "DocumentReference", "id": "d1", "subject": {"reference": "Patient/p1"},
      "text": {"status": "generated", "div": "<div xmlns=\"http://www.w3.org/1999/xhtml\"><p>Ana&nbsp;<b>Gil</b></p><!-- Ana --></div>"},
      "content": [{"attachment": {"contentType": "text/plain; charset=utf-8", "data": "` + b64("Ana Gil\r\n3/4") + `", "size": 12, "hash": "x"}}]}},
    {"resource": {"resourceType": "Observation", "note": [{"text": "Ana"}], "valueString": "Gil", "code": {"text": "BP"}}}]}`, Options{}},
	"fhir, lines": {"fhir", "d.ndjson", `{"resourceType":"Binary","id":"b","contentType":"text/plain","data":"` + b64("Ana") + `"}` + "\n\n" + `{"resourceType":"DiagnosticReport","conclusion":"Gil"}` + "\n", Options{}},
	"hl7": {"hl7", "m.hl7", "MSH|^~\\&|LAB|H|||20260101||ORU^R01|M1|P|2.5\rPID|1||998877^^^H~55||Gil^Ana^Mar\\T\\a||19540312|F|||Calle Luna 5^^Soria^^42001\rOBR|1\r" +
		"OBX|1|TX|N^x||Ana Gil~was seen||||||F\rOBX|2|NM|N||7\rOBX|3|FT|N||by \\H\\Dr\\N\\ Roy\\.br\\on 3\\S\\4 \\X41\\\rNTE|1||Gil\rOBR|2\rOBX|1|ED|N||^TEXT^^Base64^" + b64("Ana") + "\r", Options{}},
	"rtf":             {"rtf", "a.rtf", epicRTF, Options{}},
	"rtf, code pages": {"rtf", "a.rtf", `{\rtf1\ansi\ansicpg1251\deff0{\fonttbl{\f0\fcharset204 Arial;}{\f1\fcharset128 Gothic;}{\f2\fcharset0 Arial;}}\'c0\'ed\'ed\'e0 \f1\'8e\'52\'93c\f2 \'c9\u8217\'92s}`, Options{}},
	"rtf, bytes":      {"rtf", "a.rtf", "{\\rtf1\\ansi A\xf1a Gil\\par}\r\n\x00", Options{}},
	"ccda":            {"ccda", "d.xml", cda1, Options{}},
	"hl7, MLLP":       {"hl7", "m.hl7", "\x0bMSH|^~\\&|||||||ORU|M1\r\nOBX|1|TX|||Ana\r\n\x1c\r\n\x0bMSH|^~\\&|||||||ORU|M2\r\nOBX|1|||\r\n\x1c\r\n", Options{}},
	"hl7, batch":      {"hl7", "m.hl7", "FHS|^~\\&|MSH\nBHS|^~\\&\nMSH|^~\\&|||||||ORU|M1\nOBX|1|TX|||Ana\nBTS|1\nFTS|1", Options{}},
}

func readAll(t testing.TB, e example) []*Record {
	t.Helper()
	f, err := Lookup(e.format)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Check(e.options); err != nil {
		t.Fatal(err)
	}
	var all []*Record
	for r, err := range f.Read(strings.NewReader(e.file), e.name, e.options) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, r)
	}
	return all
}

// encode writes records with the edits that pick gives for each note.
func encode(records []*Record, pick func(*Note) []Edit) string {
	var b bytes.Buffer
	for _, r := range records {
		edits := make([][]Edit, len(r.Notes))
		for i, n := range r.Notes {
			edits[i] = pick(n)
		}
		raw, err := r.Encode(edits)
		if err != nil {
			panic(err)
		}
		b.Write(raw)
	}
	return b.String()
}

func none(*Note) []Edit { return nil }

func TestWithoutEditsNothingChanges(t *testing.T) {
	for name, e := range examples {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(e.file, encode(readAll(t, e), none)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// each returns an edit for every occurrence of the word.
func each(word, with string) func(*Note) []Edit {
	return func(n *Note) []Edit {
		var edits []Edit
		for at := 0; ; {
			i := strings.Index(n.Text[at:], word)
			if i < 0 {
				return edits
			}
			edits = append(edits, Edit{Start: at + i, End: at + i + len(word), New: with, Type: "PATIENT", Score: 1})
			at += i + len(word)
		}
	}
}

func TestNotes(t *testing.T) {
	type note struct {
		ID, Patient, Text string
		Known             int
	}
	for name, want := range map[string][]note{
		"text":             {{"a", "", "Ana Gil,\r\nseen 3/4.\n", 0}},
		"text, empty":      {{"a", "", "", 0}},
		"text, U+FEFF":     {{"a", "", "\uFEFFAna Gil", 0}},
		"text, Latin-1":    {{"a", "", "Aña Gil \u0085", 0}},
		"text, Windows":    {{"a", "", "Aña “Gil” \u0081", 0}},
		"i2b2":             {{"110-01", "110", "Ana Gil & <b> é", 0}},
		"i2b2, no tags":    {{"a", "", "Ana & Gil é\nx y <z", 0}},
		"i2b2, Latin-1":    {{"a", "", "Aña", 0}},
		"meddocan":         {{"a", "", "Ana]]> Gil", 0}},
		"i2b2-2006":        {{"1", "", "\nAna & Gil é\n", 0}, {"110-2", "110", "x]Ana <Gil>>", 0}},
		"i2b2-2006, none":  nil,
		"jsonl":            {{"7", "p", "Anañ 😀 \"Gil\"\n/", 0}, {"n-0004", "", "", 0}},
		"jsonl, by path":   {{"1", "", "Ana", 0}, {"2", "", "Gil", 0}},
		"csv":              {{"1", "7", "Ana \"Gil\",\r\nx", 0}, {"2", "8", "Ana Gil", 0}, {"3", "9", "", 0}},
		"csv, tabs":        {{"n-0002", "", "Ana \"Gil\", x", 0}, {"n-0003", "", "", 0}},
		"csv, two columns": {{"n-0002", "", "Gil\nx", 0}, {"n-0002/a", "", "Ana", 0}},
		"fhir": {
			{"DocumentReference/d1#text.div", "p1", "\n\nAna\u00a0Gil\n\n Ana -->\n", 2},
			{"DocumentReference/d1#content[0].attachment.data", "p1", "Ana Gil\r\n3/4", 2},
			{"d-0001/Bundle/Observation#note[0].text", "p1", "Ana", 2}, {"d-0001/Bundle/Observation#valueString", "p1", "Gil", 2},
		},
		"fhir, lines": {{"Binary/b#data", "", "Ana", 0}, {"d-0003/DiagnosticReport#conclusion", "", "Gil", 0}},
		"hl7":         {{"M1", "998877", "Ana Gil\nwas seen\nby Dr Roy\non 3^4 A\nGil", 6}, {"M1/2", "998877", "Ana", 6}},
		"hl7, MLLP":   {{"M1", "", "Ana", 0}},
		"hl7, batch":  {{"M1", "", "Ana", 0}},
	} {
		t.Run(name, func(t *testing.T) {
			var got []note
			for _, r := range readAll(t, examples[name]) {
				for _, n := range r.Notes {
					got = append(got, note{n.ID, n.Patient, n.Text, len(n.Known)})
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// The output is the file that a person would have written by hand.
func TestEdits(t *testing.T) {
	for name, tc := range map[string]struct {
		word, with string
		replace    []string // in the file
	}{
		"text":          {"Ana", "[P]", []string{"Ana", "[P]"}},
		"text, Latin-1": {"Gil", "Rüe", []string{"Gil", "R\xfce"}},
		"text, Windows": {"Gil", "€", []string{"Gil", "\x80"}},
		"i2b2":          {"Gil &", "<]]>", []string{"Gil &", "<]]]]><![CDATA[>", "<TAGS>\n", "<TAGS>\n<PATIENT id=\"P0\" start=\"4\" end=\"8\" text=\"&lt;]]&gt;\" TYPE=\"PATIENT\" comment=\"\" />\n"}},
		"i2b2, Latin-1": {"Aña", "Ñ", []string{"A\xf1a", "\xd1", "<TAGS></TAGS>", "<TAGS>\n<PATIENT id=\"P0\" start=\"0\" end=\"1\" text=\"\xd1\" TYPE=\"PATIENT\" comment=\"\" />\n</TAGS>"}},
		"meddocan":      {"]]> G", "x", []string{"]]]]><![CDATA[> G", "x]]><![CDATA["}},
		"i2b2-2006": {"Gil", "R&B", []string{"&amp; Gil", "&amp; <PHI TYPE=\"PATIENT\">R&amp;B</PHI>",
			"<Gil>", "<]]><PHI TYPE=\"PATIENT\">R&amp;B</PHI><![CDATA[>"}},
		"jsonl":            {"ñ 😀 \"Gil\"\n", "\"\n€", []string{`\u00f1 \ud83d\ude00 \"Gil\"\n`, `\"\n€`}},
		"jsonl, by path":   {"Ana", "x", []string{"Ana", "x"}},
		"csv":              {"Gil", `a"b,c`, []string{`""Gil""`, `""a""b,c""`, "Ana Gil", `"Ana a""b,c"`}},
		"csv, tabs":        {"Gil", "x,y", []string{"Gil", "x,y"}},
		"csv, two columns": {"Gil\nx", "y", []string{"Gil\nx", "y"}},
		"fhir": {"Gil", `<"`, []string{"<b>Gil", `<b>&lt;\"`, b64("Ana Gil\r\n3/4"), b64("Ana <\"\r\n3/4"), `"size": 12, "hash": "x"`,
			`"size": 11, "hash": "CchNvVYM7LP8P2em+/1wvvv3CNc="`, `"valueString": "Gil"`, `"valueString": "<\""`}},
		"hl7": {"Gil", "a|b^c\\", []string{"Ana Gil~", `Ana a\F\b\S\c\E\~`, "NTE|1||Gil", `NTE|1||a\F\b\S\c\E\`}},
	} {
		t.Run(name, func(t *testing.T) {
			e := examples[name]
			want := strings.NewReplacer(tc.replace...).Replace(e.file)
			got := encode(readAll(t, e), each(tc.word, tc.with))
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// An edit of a span that contains markup keeps the markup.
func TestSpanOverMarkup(t *testing.T) {
	for name, tc := range map[string]struct{ word, from, to string }{
		"fhir": {"Ana\u00a0Gil", "<p>Ana&nbsp;<b>Gil</b></p>", "<p>[P]<b></b></p>"},
		"hl7":  {"Gil\nwas seen\nby Dr Roy\non", "Ana Gil~was seen||||||F\rOBX|2|NM|N||7\rOBX|3|FT|N||by \\H\\Dr\\N\\ Roy\\.br\\on 3", "Ana [P]~||||||F\rOBX|2|NM|N||7\rOBX|3|FT|N||\\H\\\\N\\\\.br\\ 3"},
	} {
		e := examples[name]
		got := encode(readAll(t, e), each(tc.word, "[P]"))
		if want := strings.Replace(e.file, tc.from, tc.to, 1); got != want {
			t.Errorf("%s:\n%s", name, cmp.Diff(want, got))
		}
	}
}

// Edits may split a hexadecimal escape of several characters.
func TestEditWithinAnEscape(t *testing.T) {
	e := example{"hl7", "m.hl7", "MSH|^~\\&|||||||ORU|M1\rOBX|1|TX|||a\\X42434445\\f\r", Options{}}
	pick := func(*Note) []Edit { return []Edit{{Start: 0, End: 2, New: "x"}, {Start: 3, End: 4, New: "|"}} }
	if want, got := "x", encode(readAll(t, e), pick); !strings.HasSuffix(got, "|||"+want+"C\\F\\Ef\r") {
		t.Errorf("%q", got)
	}
}

// Lists of spans and tags contain PHI, and would be wrong after the edits.
func TestMarksAreMadeAnew(t *testing.T) {
	e := example{"jsonl", "n.jsonl", `{"text":"ñ Ana","spans":[{"start":2,"end":5,"type":"X"}],"label":[[2,5,"Ana"]],"entities":[]}`, Options{}}
	if got, want := encode(readAll(t, e), each("Ana", "[PATIENT]")), `{"text":"ñ [PATIENT]","spans":[{"start":2,"end":11,"type":"PATIENT"}],"label":[],"entities":[]}`; got != want {
		t.Errorf("%s", got)
	}
	if got, want := encode(readAll(t, e), none), `{"text":"ñ Ana","spans":[],"label":[],"entities":[]}`; got != want {
		t.Errorf("%s", got)
	}
	for _, tool := range []string{
		`"tokens":[{"text":"ñ","start":0,"end":1,"id":0},{"text":"Ana","start":2,"end":5,"id":1}]`, `"tokens":["ñ","Ana"]`, `"sents":[{"start":0,"end":5}]`,
		`"ents":[{"start":2,"end":5,"label":"PER"}]`, `"annotations":[{"result":[{"value":{"start":2,"end":5,"text":"Ana","labels":["PER"]}}]}]`,
		`"meta":{"predictions":[{"result":[{"value":{"start":2,"end":5,"text":"Ana","labels":["PER"]}}]}]}`,
	} {
		key := tool[:strings.LastIndex(tool[:strings.Index(tool, "[")], ":")+1]
		empty := key + "[]" + strings.Repeat("}", strings.Count(key, "{"))
		e := example{"jsonl", "n.jsonl", `{"text":"ñ Ana",` + tool + `}`, Options{}}
		if got, want := encode(readAll(t, e), each("Ana", "[P]")), `{"text":"ñ [P]",`+empty+`}`; got != want {
			t.Errorf("%s: %s", tool, got)
		}
	}
	for _, other := range []string{`"tokens":2`, `"annotations":["seen on the ward"]`, `"predictions":{"risk":0.2}`, `"results":[{"code":"TSH","value":2,"from":1,"to":4}]`, `"mentions":["flu"]`} {
		line := `{"text":"ñ",` + other + `}`
		if got := encode(readAll(t, example{"jsonl", "n.jsonl", line, Options{}}), none); got != line {
			t.Errorf("%s became %s", line, got)
		}
	}
	const tags = `<NAME id="P0" start="0" end="3" text="Ana" TYPE="PATIENT" comment="" />` + "\n"
	types := data.I2B2
	e = example{"i2b2", "a.xml", "<deIdi2b2><TEXT>Ana, Ana</TEXT><TAGS>\n" + tags + "</TAGS></deIdi2b2>", Options{Types: types}}
	if got, want := encode(readAll(t, e), none), "<deIdi2b2><TEXT>Ana, Ana</TEXT><TAGS>\n</TAGS></deIdi2b2>"; got != want {
		t.Errorf("%s", got)
	}
	want := "<deIdi2b2><TEXT>[P], [P]</TEXT><TAGS>\n" + `<NAME id="P0" start="0" end="3" text="[P]" TYPE="PATIENT" comment="" />` + "\n" +
		`<NAME id="P1" start="5" end="8" text="[P]" TYPE="PATIENT" comment="" />` + "\n</TAGS></deIdi2b2>"
	if got := encode(readAll(t, e), each("Ana", "[P]")); got != want {
		t.Errorf("%s", got)
	}
}

// The marks of i2b2 2006 are within the text. Those in the file go, and each replacement gets one.
func TestMarksWithinTheTextAreMadeAnew(t *testing.T) {
	record := func(text string) example {
		return example{"i2b2-2006", "all.xml", "<ROOT>\n<RECORD ID=\"1\">\n<TEXT>\n" + text + "\n</TEXT>\n</RECORD>\n</ROOT>\n", Options{}}
	}
	for what, tc := range map[string]struct {
		before, after string
		edits         func(*Note) []Edit
	}{
		"without edits":   {"Dr. <PHI TYPE=\"DOCTOR\">Ana</PHI> &amp; Gil", "Dr. Ana &amp; Gil", none},
		"in a mark":       {"Dr. <PHI TYPE=\"DOCTOR\">Ana</PHI>'s", "Dr. <PHI TYPE=\"PATIENT\">Bo</PHI>'s", each("Ana", "Bo")},
		"over two marks":  {"<PHI TYPE=\"DOCTOR\">Ana</PHI> <PHI TYPE=\"DOCTOR\">Gil</PHI>", "<PHI TYPE=\"PATIENT\">Bo</PHI>", each("Ana Gil", "Bo")},
		"part of a mark":  {"<PHI TYPE=\"DOCTOR\">Ana Gil</PHI>.", "Ana <PHI TYPE=\"PATIENT\">Bo</PHI>.", each("Gil", "Bo")},
		"beside a mark":   {"<PHI TYPE=\"DOCTOR\">Ana</PHI>Gil", "Ana<PHI TYPE=\"PATIENT\">Bo</PHI>", each("Gil", "Bo")},
		"over references": {"<PHI TYPE=\"DOCTOR\">Ana &amp; Gil</PHI>", "<PHI TYPE=\"PATIENT\">Bo</PHI>", each("Ana & Gil", "Bo")},
		"removed":         {"<PHI TYPE=\"DOCTOR\">Ana</PHI> x", " x", each("Ana", "")},
		"]]> without it":  {"]<PHI TYPE=\"X\">]</PHI>> <PHI TYPE=\"X\">Ana</PHI>", "]]&gt; <PHI TYPE=\"PATIENT\">Bo</PHI>", each("Ana", "Bo")},
	} {
		t.Run(what, func(t *testing.T) {
			if diff := cmp.Diff(record(tc.after).file, encode(readAll(t, record(tc.before)), tc.edits)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// With Options.Marked, the spans of the notes are the marks of the files.
func TestMarked(t *testing.T) {
	marked := Options{Marked: true, Types: data.I2B22006}
	want := []data.Span{{Start: 4, End: 8, Type: "DOCTOR", Score: 1}}
	for name, e := range map[string]example{
		"i2b2":      {"i2b2", "a.xml", "<deIdi2b2><TEXT>Dr. Añe</TEXT><TAGS><NAME start='4' end='7' TYPE='DOCTOR'/></TAGS></deIdi2b2>", marked},
		"i2b2-2006": {"i2b2-2006", "a.xml", "<ROOT><RECORD ID='1'><TEXT>Dr. <PHI TYPE='DOCTOR'>Añe</PHI></TEXT></RECORD></ROOT>", marked},
		"jsonl":     {"jsonl", "a.jsonl", `{"text":"Dr. Añe","spans":[{"start":4,"end":7,"label":"DOCTOR"}]}`, marked},
	} {
		var got []data.Span
		for _, r := range readAll(t, e) {
			for _, n := range r.Notes {
				got = append(got, n.Spans...)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		e.options = Options{}
		for _, r := range readAll(t, e) {
			for _, n := range r.Notes {
				if n.Spans != nil {
					t.Errorf("%s: spans that nobody asked for", name)
				}
			}
		}
	}
	for want, e := range map[string]example{
		"a.xml:1: a note without TAGS, so its PHI is not marked":                                                        {"i2b2", "a.xml", "<deIdi2b2><TEXT>Zebulon</TEXT></deIdi2b2>", marked},
		"a.xml:1: the type CITY is not in the type set i2b2-2006":                                                       {"i2b2", "a.xml", "<deIdi2b2><TEXT>Zebulon</TEXT><TAGS><X start='0' end='2' TYPE='CITY'/></TAGS></deIdi2b2>", marked},
		"a.xml:1: record no. 1: the type CITY is not in the type set i2b2-2006":                                         {"i2b2-2006", "a.xml", "<ROOT><RECORD ID='1'><TEXT><PHI TYPE='CITY'>Zebulon</PHI></TEXT></RECORD></ROOT>", marked},
		`a.jsonl:1: the key "spans" is missing or no list, so the PHI of the note is not marked`:                        {"jsonl", "a.jsonl", `{"text":"Zebulon"}`, marked},
		"a.jsonl:1: span 0: start or end is missing: a span has the keys start and end, or start_offset and end_offset": {"jsonl", "a.jsonl", `{"text":"Zebulon","spans":[{"start":0}]}`, marked},
	} {
		if got := items(e); got[len(got)-1] != want {
			t.Errorf("%v, want %s", got, want)
		}
	}
	for name, o := range map[string]Options{
		"csv":   {Marked: true, Columns: []string{"note"}},
		"text":  {Marked: true},
		"jsonl": {Marked: true, Columns: []string{"note"}},
	} {
		f, err := Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Check(o); err == nil || !strings.Contains(err.Error(), "marks") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// items reads a possibly invalid file and returns ids and errors.
func items(e example) (got []string) {
	f, err := Lookup(e.format)
	if err != nil {
		panic(err)
	}
	for r, err := range f.Read(strings.NewReader(e.file), e.name, e.options) {
		if err != nil {
			if _, broken := errors.AsType[*Broken](err); broken {
				got = append(got, "broken")
			}
			got = append(got, err.Error())
			continue
		}
		for _, n := range r.Notes {
			got = append(got, n.ID)
		}
	}
	return got
}

func TestErrors(t *testing.T) {
	note := Options{Columns: []string{"note"}}
	msh := "MSH|^~\\&|||||||ORU|M1\r"
	for name, tc := range map[string]struct {
		e    example
		want []string
	}{
		"text, not UTF-8":    {example{"text", "a.txt", "x\nZebulon \xff", Options{}}, []string{"broken", "a.txt:2: invalid UTF-8 (offset 10)"}},
		"XML, not closed":    {example{"i2b2", "a.xml", "<deIdi2b2>\n<TEXT>Zebulon", Options{}}, []string{"broken", "a.xml:2: not well-formed XML"}},
		"XML, a comment":     {example{"i2b2", "a.xml", "<deIdi2b2>\n<!-- Zebulon --><TEXT></TEXT></deIdi2b2>", Options{}}, []string{"broken", "a.xml:2: a comment, which would go unexamined"}},
		"XML, an element":    {example{"i2b2", "a.xml", "<deIdi2b2>\n<WHO>Zebulon</WHO><TEXT></TEXT></deIdi2b2>", Options{}}, []string{"broken", "a.xml:2: an element other than TEXT and TAGS, which would go unexamined"}},
		"XML, no text":       {example{"i2b2", "a.xml", "<deIdi2b2></deIdi2b2>", Options{}}, []string{"broken", "a.xml:1: no TEXT element"}},
		"XML, nothing":       {example{"i2b2", "a.xml", "", Options{}}, []string{"broken", "a.xml:1: no XML element"}},
		"XML, UTF-16":        {example{"i2b2", "a.xml", "<?xml version='1.0' encoding='UTF-16'?>", Options{}}, []string{"broken", "a.xml:1: the declared encoding is not UTF-8, US-ASCII, ISO-8859-1 or windows-1252"}},
		"2006, not closed":   {example{"i2b2-2006", "a.xml", "<ROOT><RECORD ID='1'><TEXT/></RECORD>\n<RECORD ID='2'><TEXT>Zebulon", Options{}}, []string{"broken", "a.xml:2: not well-formed XML"}},
		"2006, another root": {example{"i2b2-2006", "a.xml", "<deIdi2b2><TEXT>Zebulon</TEXT></deIdi2b2>", Options{}}, []string{"broken", "a.xml:1: the root must be one element ROOT"}},
		"2006, text beside":  {example{"i2b2-2006", "a.xml", "<ROOT>\nZebulon</ROOT>", Options{}}, []string{"broken", "a.xml:2: text outside of TEXT"}},
		"2006, a comment":    {example{"i2b2-2006", "a.xml", "<ROOT><!-- Zebulon --></ROOT>", Options{}}, []string{"broken", "a.xml:1: a comment, which would go unexamined"}},
		"2006, one bad record": {example{"i2b2-2006", "a.xml", "<ROOT><RECORD ID='1'><TEXT/></RECORD>\n<RECORD ID='2' DR='Zebulon'><TEXT/></RECORD><RECORD ID='3'><TEXT/></RECORD>\n<RECORD ID='Zebulon'><TEXT><PHI>Z</PHI></TEXT></RECORD></ROOT>", Options{}},
			[]string{"1", "a.xml:2: record no. 2: an attribute of RECORD other than ID, which would go unexamined", "3", "a.xml:3: record no. 4: a PHI without a TYPE"}},
		"a bad line": {example{"jsonl", "n.jsonl", "{\"text\":\"a\"}\n{\"text\":\"Zebulon\n{\"id\":\"c\",\"text\":\"\"}\n{\"txt\":\"Zebulon\"}\n{\"text\":7}\n{\"text\":\"\\ud83d\"}\n[]", Options{}},
			[]string{"n-0001", "n.jsonl:2: not valid JSON (offset 29)", "c", `n.jsonl:4: the key "text" is missing`,
				`n.jsonl:5: the key "text" has a value of the wrong kind (offset 77)`, "n.jsonl:6: half of a surrogate pair (offset 89)", "n.jsonl:7: not a JSON object (offset 98)"}},
		"another format":                        {example{"jsonl", "n.jsonl", strings.Repeat("Zebulon\n", 20), Options{}}, append(repeat(9, "n.jsonl:%d: not valid JSON (offset %d)", 8), "broken", "n.jsonl:10: not valid JSON (offset 72)")},
		"no column":                             {example{"csv", "n.csv", "id,text\n", note}, []string{"broken", `n.csv:1: the header has no column "note"`}},
		"column twice":                          {example{"csv", "n.csv", "note,note\n", note}, []string{"broken", `n.csv:1: duplicate column "note" in the header`}},
		"short row":                             {example{"csv", "n.csv", "id,note\n1,a\n2\n3,b\n", note}, []string{"n-0002", "n.csv:3: a row of 1 fields, but the header has 2", "n-0004"}},
		"open quote":                            {example{"csv", "n.csv", "note\na\n\"Zebulon\nx\n", note}, []string{"n-0002", "broken", "n.csv:3: a quote is never closed"}},
		"after a quote":                         {example{"csv", "n.csv", "note\n\"a\nb\"Zebulon\n", note}, []string{"broken", "n.csv:3: text after a closing quote"}},
		"CSV, not UTF-8":                        {example{"csv", "n.csv", "note\na\nZebulon\xff\n", note}, []string{"n-0002", "n.csv:3: invalid UTF-8 (offset 14)"}},
		"CSV, a row of which is not UTF-8":      {example{"csv", "n.csv", "note,x\na,b\n\"c\xff,\n\",d\ne,\xff\nf,g\n", note}, []string{"n-0002", "n.csv:3: invalid UTF-8 (offset 13)", "n.csv:5: invalid UTF-8 (offset 22)", "n-0006"}},
		"CSV, a header that is not UTF-8":       {example{"csv", "n.csv", "note,\xff\na,b\n", note}, []string{"broken", "n.csv:1: invalid UTF-8 (offset 5)"}},
		"CSV, a line end of a row not in UTF-8": {example{"csv", "n.csv", "note\na\xff\\n\"b\nc\n", note}, []string{"broken", `n.csv:2: an escaped line end followed by a quote, so the end of the row is ambiguous`}},
		"a PDF": {example{"fhir", "d.ndjson", "{\"resourceType\":\"Binary\",\"contentType\":\"application/pdf\",\"data\":\"WmVi\"}\n{\"resourceType\":\"Binary\",\"contentType\":\"text/plain\",\"data\":\"WmVi\"}\n", Options{}},
			[]string{"d.ndjson:1: an attachment that is not text and cannot be examined (offset 64)", "d-0002/Binary#data"}},
		"a charset":    {example{"fhir", "d.json", `{"resourceType":"X","a":{"contentType":"text/plain;charset=utf-16","data":"WmVi"}}`, Options{}}, []string{"broken", "d.json:1: an attachment in a charset other than UTF-8, US-ASCII, ISO-8859-1 and windows-1252 (offset 74)"}},
		"no base64":    {example{"fhir", "d.json", "{\n\"resourceType\":\"X\",\"a\":{\"contentType\":\"text/plain\",\"data\":\"Zebulon!\"}}", Options{}}, []string{"broken", "d.json:2: an attachment that is not base64 (offset 60)"}},
		"FHIR, XML":    {example{"fhir", "d.json", "<Bundle>Zebulon</Bundle>", Options{}}, []string{"broken", "d.json:1: not valid JSON (offset 0)"}},
		"no HL7":       {example{"hl7", "m.hl7", "Zebulon\r", Options{}}, []string{"broken", "m.hl7:1: not HL7: the first segment is not MSH (offset 0)"}},
		"a line end":   {example{"hl7", "m.hl7", msh + "OBX|1|TX|||Ana\nZebulon\r" + msh, Options{}}, []string{"m.hl7:3: a line that is not a segment, so the message cannot be examined"}},
		"no separator": {example{"hl7", "m.hl7", "MSH|^~\\&\r" + msh + "OBX|1|TX|||x", Options{}}, []string{"m.hl7:1: an MSH segment without its separators", "M1"}},
		"ED, a PDF":    {example{"hl7", "m.hl7", msh + "OBX|1|ED|||^application^pdf^Base64^WmVi\r", Options{}}, []string{"m.hl7:2: OBX-5 of type ED that is not text and cannot be examined"}},
	} {
		t.Run(name, func(t *testing.T) {
			got := items(tc.e)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Error(diff)
			}
			if strings.Contains(strings.Join(got, " "), "Zebulon") {
				t.Error("an error quotes the file")
			}
		})
	}
}

func repeat(n int, format string, step int) (all []string) {
	for i := range n {
		all = append(all, fmt.Sprintf(format, i+1, i*step))
	}
	return all
}

func TestTooLong(t *testing.T) {
	before := base.MaxRecord
	base.MaxRecord = 1 << 20
	defer func() { base.MaxRecord = before }()
	long := strings.Repeat("Zebulon ", 1<<18)
	for _, e := range []example{
		{"text", "a.txt", long, Options{}},
		{"jsonl", "n.jsonl", `{"text":"` + long + `"}`, Options{}},
		{"csv", "n.csv", "note\n\"" + long + "\n" + long + "\"", Options{Columns: []string{"note"}}},
		{"hl7", "m.hl7", "MSH|^~\\&|||||||ORU|M1\rOBX|1|TX|||" + long, Options{}},
	} {
		if got := items(e); len(got) != 2 || !strings.Contains(got[1], "longer than 1 MiB") {
			t.Errorf("%s: %v", e.format, got)
		}
	}
}

// drawEdits draws edits of a text.
func drawEdits(t *rapid.T, text string) []Edit {
	var borders []int
	for i := range text {
		borders = append(borders, i)
	}
	borders = append(borders, len(text))
	var edits []Edit
	at := 0
	for at < len(borders)-1 && rapid.IntRange(0, 3).Draw(t, "more") > 0 {
		i := rapid.IntRange(at, len(borders)-2).Draw(t, "start")
		j := rapid.IntRange(i+1, len(borders)-1).Draw(t, "end")
		edits = append(edits, Edit{Start: borders[i], End: borders[j], New: rapid.SampledFrom([]string{"", "[DATE]", "a, \"b\"", "<&>\\|^~", "é\n王"}).Draw(t, "new"), Type: "DATE", Score: 1})
		at = j
	}
	return edits
}

var pieces = rapid.SampledFrom([]string{"a", "Ana ", "é", "\U0001F600", " ", "\n", "\r\n", `"`, `\`, "&", "<", ">", "]]>", ",", "|", "^", "~", "\t", "\\.br\\", "&amp;", "\\u00e9"})

// If another program writes a file and it is edited here, another program reads it as the file with
// the edited text.
func TestOtherProgramsReadTheEdits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(pieces, 0, 12).Draw(t, "text"), "")
		made := func(e example, read func(file string) string) {
			records := readAllRapid(t, e)
			var note *Note
			for _, r := range records {
				if len(r.Notes) > 0 {
					note = r.Notes[0]
				}
			}
			if note == nil && read(e.file) == "" {
				return
			}
			if got := read(e.file); note.Text != got {
				t.Fatalf("%s: the text is %q, and %q to another program", e.format, note.Text, got)
			}
			edits := drawEdits(t, note.Text)
			out := encode(records, func(*Note) []Edit { return edits })
			if got, want := read(out), note.Replaced(edits).Text; got != want {
				t.Fatalf("%s: edited, the text is %q to another program, want %q\n%s", e.format, got, want, out)
			}
		}
		raw, _ := json.Marshal(map[string]any{"a": 1, "text": text})
		made(example{"jsonl", "n.jsonl", string(raw) + "\n", Options{}}, func(file string) string {
			var v struct{ Text string }
			if err := json.Unmarshal([]byte(file), &v); err != nil {
				t.Fatal(err)
			}
			return v.Text
		})
		var b bytes.Buffer
		w := csv.NewWriter(&b)
		_ = w.WriteAll([][]string{{"id", "note", "x"}, {"1", text, "y"}})
		made(example{"csv", "n.csv", b.String(), Options{Columns: []string{"note"}}}, func(file string) string {
			// encoding/csv reads CR LF as LF; readCSV does not.
			rows, err := csv.NewReader(strings.NewReader(strings.ReplaceAll(file, "\r", "\x01"))).ReadAll()
			if err != nil || len(rows) != 2 || rows[1][0] != "1" || rows[1][2] != "y" {
				t.Fatal(rows, err)
			}
			return strings.ReplaceAll(rows[1][1], "\x01", "\r")
		})
		b.Reset()
		b.WriteString("<deIdi2b2><TEXT>")
		_ = xml.EscapeText(&b, []byte(text))
		b.WriteString("</TEXT><TAGS/></deIdi2b2>")
		made(example{"i2b2", "a.xml", b.String(), Options{}}, func(file string) string {
			var v struct {
				Text string `xml:"TEXT"`
			}
			if err := xml.Unmarshal([]byte(file), &v); err != nil {
				t.Fatal(err)
			}
			return v.Text
		})
		raw, _ = json.Marshal(map[string]any{"resourceType": "Binary", "contentType": "text/plain", "data": []byte(text)})
		made(example{"fhir", "b.json", string(raw), Options{}}, func(file string) string {
			var v struct{ Data []byte }
			if err := json.Unmarshal([]byte(file), &v); err != nil {
				t.Fatal(err)
			}
			return string(v.Data)
		})
	})
}

func readAllRapid(t *rapid.T, e example) []*Record {
	f, _ := Lookup(e.format)
	var all []*Record
	for r, err := range f.Read(strings.NewReader(e.file), e.name, e.options) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, r)
	}
	return all
}

// For every example, unedited parts of the text and of the file do not change, and edited parts are
// removed.
func TestEditsOfExamples(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := examples[rapid.SampledFrom(slices.Sorted(maps.Keys(examples))).Draw(t, "example")]
		var want, got []string
		e.file = encode(readAllRapid(t, e), func(n *Note) []Edit {
			edits := drawEdits(t, n.Text)
			for i := range edits {
				edits[i].New = "[X]"
			}
			want = append(want, n.Replaced(edits).Text)
			return edits
		})
		for _, r := range readAllRapid(t, e) {
			for _, n := range r.Notes {
				got = append(got, n.Text)
			}
		}
		if e.format == "hl7" || e.format == "fhir" || e.format == "rtf" || e.format == "ccda" { // markup stays, so line ends may stay as well
			return
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatal(diff)
		}
	})
}

// New text that the encoding lacks was written as question marks.
func TestQuestionMarksForNewTextThatTheEncodingLacks(t *testing.T) {
	for _, encoding := range []string{"latin1", "windows-1252"} {
		r := readAll(t, example{"text", "a.txt", "Ana Gil?", Options{Encoding: encoding}})[0]
		if _, err := r.Encode([][]Edit{each("Gil", "王")(r.Notes[0])}); err == nil || !strings.HasPrefix(err.Error(), "a replacement has a character that the encoding of the file lacks") {
			t.Errorf("%s: error %v", encoding, err)
		}
		if raw, err := r.Encode([][]Edit{each("Gil", "Rüe?")(r.Notes[0])}); err != nil || string(raw) != "Ana R\xfce??" {
			t.Errorf("%s: %q, %v", encoding, raw, err)
		}
	}
}
