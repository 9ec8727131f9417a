package notefile

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/lethe-deid/lethe/deid/notefile/internal/jsontree"
)

// htmlNote returns the text of an attachment in HTML.
func htmlNote(t *testing.T, source string) string {
	t.Helper()
	return readAll(t, example{"fhir", "d.json", fhirBinary("text/html", source), Options{}})[0].Notes[0].Text
}

// Tags of blocks were once removed without a replacement, so the words before and after them were
// joined.
func TestWordsOnBothSidesOfATagAreNotJoined(t *testing.T) {
	lines := strings.FieldsFunc(htmlNote(t, "<html><head><title>SSN 987-65-4320</title><body>1 visit"), func(r rune) bool { return r == '\n' })
	if !slices.Equal(lines, []string{"SSN 987-65-4320", "1 visit"}) {
		t.Errorf("%q", lines)
	}
	for _, name := range strings.Fields(`html head title body summary details legend fieldset figcaption figure center nav main article aside header footer rt rp ruby
		script style option select button label textarea caption object form dialog menu template noscript iframe canvas svg p div li td th tr
		h1 h6 hr br link meta base input output col colgroup map area audio video picture source embed param frame frameset noframes hgroup search slot
		datalist optgroup meter progress track dd dt dl ol ul pre blockquote address section table tbody thead tfoot math xmp listing`) {
		for _, tag := range []string{"<" + name + ">", "</" + name + ">", "<" + strings.ToUpper(name) + " class=x >", "<" + name + "/>"} {
			if text := htmlNote(t, "<p>987-65-4320"+tag+"1 visit</p>"); !slices.Contains(strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\t' }), "987-65-4320") {
				t.Errorf("%s: %q", tag, text)
			}
		}
	}
	for _, name := range strings.Fields("a b i u em strong span font small big sub sup mark s del ins code tt abbr acronym cite q kbd samp var bdi bdo wbr time data") {
		if text := htmlNote(t, "A<"+name+">n</"+name+">a"); text != "Ana" {
			t.Errorf("%s: %q", name, text)
		}
	}
}

// A line of text that merely begins like a batch header or trailer was accepted as one.
func TestLinesThatBeginLikeBatchSegmentsAreRefused(t *testing.T) {
	const head, text = "FHS|^~\\&|x\rBHS|^~\\&|y\r", "OBX|1|TX|||Seen"
	for _, line := range []string{"BTS, by X", "BTS: X", "FTS- X", "FHS' X", "BHS-X", "BHS|by X", "FHS|X|", "FHS||X", "BTS by", "BTS^X", "FTS!1", "BTS|by X", "FTS|X", "BHS|^~\\&by X", "FHS.,:; X", "BTS,1", "MSH, by X", "MSH|by X|"} {
		line += canary
		for name, file := range map[string]string{
			"in a message":    head + msg(text, line, "OBX|2|TX|||more") + "BTS|1\rFTS|1\r",
			"without headers": msg(text, line),
			"before MSH":      head + line + "\r" + msg(text) + "BTS|1\rFTS|1\r",
			"at the start":    line + "\r" + msg(text),
			"after FTS":       head + msg(text) + "BTS|1\rFTS|1\r" + line,
			"after BTS":       head + msg(text) + "BTS|1\r" + line + "\rFTS|1\r",
		} {
			if o := replaceCanaries(example{"hl7", "m.hl7", file, Options{}}); len(o.errs) == 0 || leak(o.out) != "" {
				t.Errorf("%s, %s: %d errors, %q", name, line, len(o.errs), o.out)
			}
		}
	}
	for name, file := range map[string]string{
		"FTS twice":         head + msg(text) + "BTS|1\rFTS|1\rFTS|1\r",
		"BTS twice":         head + msg(text) + "BTS|1\rBTS|1\rFTS|1\r",
		"BTS after FTS":     head + msg(text) + "BTS|1\rFTS|1\rBTS\r",
		"BTS without a BHS": "FHS|^~\\&|x\rBTS|1\r" + msg(text),
	} {
		if o := replaceCanaries(example{"hl7", "m.hl7", file, Options{}}); len(o.errs) == 0 {
			t.Errorf("%s is not refused", name)
		}
	}
	for name, file := range map[string]string{
		"a batch":               head + msg(text) + msg(text) + "BTS|2\rFTS|1\r",
		"two batches":           head + msg(text) + "BTS|1|x\rBHS|^~\\&\r" + msg(text) + "BTS\rFTS\r",
		"without headers":       msg(text) + "BTS|1\rFTS|1\r",
		"without trailers":      head + msg(text) + head + msg(text),
		"an empty batch":        head + "BTS|0\rFTS|1\r",
		"two files":             head + msg(text) + "BTS|1\rFTS|1\r" + head + msg(text) + "BTS|1\rFTS|1\r",
		"a batch of its own":    "BHS|^~\\&#|y\r" + msg(text) + "BTS|1\r",
		"separators of its own": "BHS!*%$@!y\r" + msg(text) + "BTS!1!x\r",
	} {
		records := readAll(t, example{"hl7", "m.hl7", file, Options{}})
		if got := encode(records, none); got != file {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func basic(member string) example {
	return example{"fhir", "d.json", `{"resourceType":"Basic",` + member + `}`, Options{}}
}

// Only strings were examined in places where FHIR has a text; other values were ignored.
func TestOtherValuesInThePlaceOfATextAreRefused(t *testing.T) {
	for _, value := range []string{`{"value":"` + canary + `"}`, `[{"value":"` + canary + `"}]`, `[[{"x":["` + canary + `"]}]]`, `987654320`, `["ok",987654320]`} {
		for _, member := range []string{`"conclusion":%`, `"comment":%`, `"valueString":%`, `"valueMarkdown":%`, `"contentString":%`, `"contentMarkdown":%`, `"CONCLUSION":%`,
			`"text":{"div":%}`, `"note":[{"text":%}]`, `"note":{"text":%}`, `"valueAnnotation":{"text":%}`, `"valueBase64Binary":%`, `"extension":[{"defaultValueBase64Binary":%}]`,
			`"contained":[{"resourceType":"Binary","data":%}]`, `"content":{"attachment":{"data":%}}`, `"x":{"contentType":"text/plain","data":%}`, `"valueSampledData":{"data":%}`} {
			if o := replaceCanaries(basic(strings.Replace(member, "%", value, 1))); len(o.errs) == 0 {
				t.Errorf("%s with %s is not refused", member, value)
			}
		}
	}
	if o := replaceCanaries(basic(`"note":[{"value":"` + canary + `"}]`)); len(o.errs) == 0 {
		t.Error("an Annotation with a string that is not its text is not refused")
	}
	for _, member := range []string{`"conclusion":null`, `"text":{"status":"empty"}`, `"note":[{"text":"a","authorReference":{"reference":"x"}}]`, `"provision":{"data":[{"meaning":"related","reference":{"reference":"Task/1"}}]}`,
		`"authorString":"x","text":{"div":"<div>a</div>"}`, `"code":{"text":"a"}`, `"_valueString":{"extension":[{"url":"x","valueCode":"y"}]}`, `"trigger":[{"type":"data-added","data":[{"type":"Patient"}]}]`} {
		readAll(t, basic(member))
	}
}

// Base64 was only searched for under the key data.
func TestBinaryValuesAreExaminedOrRefused(t *testing.T) {
	for _, key := range []string{"valueBase64Binary", "defaultValueBase64Binary", "contentBase64", "fixedBase64Binary", "VALUEBASE64BINARY"} {
		e := basic(`"extension":[{"` + key + `":"` + b64(said) + `"}]`)
		o := replaceCanaries(e)
		if want := strings.Replace(e.file, b64(said), b64(strings.Replace(said, canary, "[X]", 1)), 1); len(o.errs) > 0 || string(o.out) != want {
			t.Errorf("%s: %q %v", key, o.out, o.errs)
		}
		for _, blob := range []string{"\x00\x01" + canary, "\xff\xfe\xfa", utf16Bytes(said, true, false), "%PDF-1.7", `{\rtf1 `, "<ClinicalDocument>"} {
			if o := replaceCanaries(basic(`"` + key + `":"` + b64(blob) + `"`)); len(o.errs) == 0 {
				t.Errorf("%s: %q is not refused", key, blob)
			}
		}
		if o := replaceCanaries(basic(`"` + key + `":"not base64"`)); len(o.errs) == 0 {
			t.Errorf("%s: what is not base64 is not refused", key)
		}
		readAll(t, basic(`"`+key+`":""`))
	}
}

// A Bundle with a signature in PKCS #7 was refused.
func TestSignaturesThatAreNoTextStay(t *testing.T) {
	der := "\x30\x82\x03\x1f\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07\x02\xa0\x82\x03\x10\x30\x82\x03\x0c\x02\x01\x01"
	for _, more := range []string{`"sigFormat":"application/pkcs7-signature"`, `"sigFormat":"application/jose"`, `"type":[{"code":"1"}],"when":"2071-01-01","who":{}`, `"type":[]`} {
		for data, stays := range map[string]bool{der: true, "eyJhbGciOiJ9..abcdefghijklmnop": true, said: false, "eyJhbGciOiJ9.eyJhIjoi.abc": false, utf16Bytes(said, false, true): false, said + " Jos\xe9\x00": false} {
			e := basic(`"signature":[{` + more + `,"data":"` + b64(data) + `"}]`)
			if o := replaceCanaries(e); stays && (len(o.errs) > 0 || string(o.out) != e.file) || !stays && len(o.errs) == 0 {
				t.Errorf("%s: %q: %v", more, data, o.errs)
			}
		}
	}
}

// An empty name, or an empty part of the name of a key, was looked up like any other.
func TestEmptyNamesAreRefused(t *testing.T) {
	jsonl, _ := Lookup("jsonl")
	csv, _ := Lookup("csv")
	for _, name := range []string{"", ".", "..", ".a", "a.", "a..b"} {
		if jsonl.Check(Options{Columns: []string{"text", name}}) == nil {
			t.Errorf("the column %q passes", name)
		}
		if name != "" && (jsonl.Check(Options{ID: name}) == nil || jsonl.Check(Options{Patient: name}) == nil) {
			t.Errorf("the id or patient %q passes", name)
		}
		if name != "" && csv.Check(Options{Columns: []string{name}, ID: name + "i"}) != nil {
			t.Errorf("the column %q of CSV is refused", name)
		}
	}
	if csv.Check(Options{Columns: []string{""}}) == nil {
		t.Error("an empty column of CSV passes")
	}
	j := jsontree.Parse([]byte(`{"":1,"a":2}`), 0)
	if !j.HasKeyFold(1, "") || j.HasKeyFold(2, "") {
		t.Error("the empty key is not told from others")
	}
}

// Lists of PHI with keys in capitals, or encoded in a string, kept the names that had been removed
// from the text.
func TestMarksInOtherCasesAndInStringsAreEmptied(t *testing.T) {
	for _, key := range []string{"spans", "SPANS", "Spans", "LABEL", "Labels", "ENTITIES", "Entities", "LABE\\u004c"} {
		for _, value := range []string{`[[0,3,"` + canary + `"]]`, `{"a":"` + canary + `"}`, `"[[0,3,'` + canary + `']]"`, `" {\"a\":\"` + canary + `\"}"`} {
			o := replaceCanaries(example{"jsonl", "n.jsonl", `{"text":"` + said + `","m":{"` + key + `":` + value + `},"` + key + `":` + value + `}`, Options{}})
			if len(o.errs) > 0 || leak(o.out) != "" || !json.Valid(o.out) {
				t.Errorf("%s: %s: %q %v", key, value, o.out, o.errs)
			}
		}
	}
	for in, want := range map[string]string{
		`{"text":"` + canary + `","Spans":"0-3 ` + canary + `"}`: `{"text":"[X]","Spans":""}`,
		`{"text":"a","spans":"","Label":"positive"}`:             `{"text":"a","spans":"","Label":"positive"}`,
	} {
		if o := replaceCanaries(example{"jsonl", "n.jsonl", in, Options{}}); string(o.out) != want {
			t.Errorf("%q, want %q", o.out, want)
		}
	}
}

// An escape of a known kind that contains a number hid the number in one word with its name.
func TestNumbersInIllFormedEscapesAreWords(t *testing.T) {
	const ssn = "987-65-4320"
	for in, want := range map[string]string{
		`a \Z` + ssn + `\ b`:          `a \E\Z[X]\E\ b`,
		`a \C` + ssn + `\ b`:          `a \E\C[X]\E\ b`,
		`a \M` + ssn + `\ b`:          `a \E\M[X]\E\ b`,
		`a \X` + ssn + `\ b`:          `a \E\X[X]\E\ b`,
		`a \Zx` + ssn + `\ b`:         `a \E\Zx[X]\E\ b`,
		`a \.in` + ssn + `\ b`:        `a \E\.in[X]\E\ b`,
		`a \.sp+` + ssn + `\ b`:       `a \E\.sp+[X]\E\ b`,
		`a \Z` + ssn + ` b`:           `a \E\Z[X] b`,
		`\Z1234\ ` + ssn:              `\Z1234\ [X]`,
		`\` + ssn + `\Jo5 ` + ssn:     `\E\[X]\E\Jo5 [X]`,
		`C:\D1 ` + ssn:                `C:\E\D1 [X]`,
		`\H\x\Z` + ssn + `\H\ \.sp2\`: `\H\x\E\Z[X]\H\ \.sp2\`,
		`\E\ \Z12345\ \ ` + ssn:       `\E\ \Z12345\ \E\ [X]`,
		ssn + ` \ \Z12345\ b`:         `[X] \E\ \Z12345\ b`,
	} {
		e := example{"hl7", "m.hl7", msg("OBX|1|FT|||" + in), Options{}}
		for _, n := range readAll(t, e)[0].Notes {
			if !slices.Contains(strings.FieldsFunc(n.Text, func(r rune) bool { return strings.ContainsRune(" \\+\n", r) }), ssn) {
				t.Errorf("%s: the text is %q", in, n.Text)
			}
		}
		if got := encode(readAll(t, e), each(ssn, "[X]")); got != msg("OBX|1|FT|||"+want) {
			t.Errorf("%s: %q", in, got)
		}
		if got := encode(readAll(t, e), none); got != e.file {
			t.Errorf("%s: became %q", in, got)
		}
	}
}

// A blank within a formatting command turned the command into text.
func TestFormattingWithBlanksStays(t *testing.T) {
	for _, code := range []string{`\.sp 2\`, `\.in +4\`, `\.sk 3\`, `\.br \`, `\.ti -2\`, `\.sp + 2 \`, `\.ce \`} {
		e := example{"hl7", "m.hl7", msg("OBX|1|FT|||Gil" + code + "Gil"), Options{}}
		if got, want := encode(readAll(t, e), each("Gil", "[X]")), msg("OBX|1|FT|||[X]"+code+"[X]"); got != want {
			t.Errorf("%s: %q", code, got)
		}
	}
}

// Text in base64 under the encoding A was mistaken for words.
func TestBase64UnderAnotherEncodingIsRefused(t *testing.T) {
	for _, encoding := range []string{"A", "a", ""} {
		data := b64(said)
		for _, value := range []string{data, data[:20] + `\.br\` + data[20:], data[:20] + " " + data[20:], strings.TrimRight(data, "=")} {
			if o := replaceCanaries(example{"hl7", "m.hl7", msg("OBX|1|ED|||app^TEXT^^" + encoding + "^" + value), Options{}}); len(o.errs) == 0 {
				t.Errorf("%s under %q is not refused", value, encoding)
			}
		}
		for _, value := range []string{"Hypercholesterolemia", "Seen in clinic today", "None", "text", "12345678901234567890", "0000000000000000", "CHOLECYSTOLITHIASIS"} {
			readAll(t, example{"hl7", "m.hl7", msg("OBX|1|ED|||app^TEXT^^" + encoding + "^" + value), Options{}})
		}
	}
}

// A name of two letters after a lone escape character is replaced, although it might be the name of
// an escape.
func TestNamesAtTheStartOfIllFormedEscapesAreReplaced(t *testing.T) {
	for in, want := range map[string]string{`\Jo12345\`: `\E\[X]12345\E\`, `\Jo12345`: `\E\[X]12345`} {
		e := example{"hl7", "m.hl7", msg("OBX|1|FT|||" + in), Options{}}
		if got := encode(readAll(t, e), each("Jo", "[X]")); got != msg("OBX|1|FT|||"+want) {
			t.Errorf("%s: %q", in, got)
		}
	}
}

// A file whose rows end in NEL was read as one whose rows end in LF, so that a note became a part
// of a quoted field in another column.
func TestQuotedFieldsWithOddLineEndsAreRefused(t *testing.T) {
	csv := func(field string) example {
		return example{"csv", "stdin", "a,note\n" + field + ",seen\n", Options{Columns: []string{"note"}, NoPatient: true}}
	}
	for _, end := range []string{"\u0085", "\v", "\f", "\u2028", "\r"} {
		if o := replaceCanaries(csv(`"x,` + canary + end + `,"`)); len(o.errs) == 0 {
			t.Errorf("a quoted field with a delimiter and %q is not refused", end)
		}
	}
	for _, field := range []string{`"x, y"`, "\"x, y\nz\"", "\"x, y\r\nz\"", "\"x\vy\""} {
		readAll(t, csv(field))
	}
}
