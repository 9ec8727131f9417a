package notefile

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/deid/notefile/internal/markup"
)

// The fuzz targets check three properties. No file makes a reader panic. Unedited records are
// written unchanged. Records with every word replaced can be read again, with the replaced words.

func FuzzText(f *testing.F)  { fuzzFormats(f, "text") }
func FuzzXML(f *testing.F)   { fuzzFormats(f, "i2b2", "meddocan", "i2b2-2006") }
func FuzzJSONL(f *testing.F) { fuzzFormats(f, "jsonl") }
func FuzzCSV(f *testing.F)   { fuzzFormats(f, "csv") }
func FuzzFHIR(f *testing.F)  { fuzzFormats(f, "fhir") }
func FuzzHL7(f *testing.F)   { fuzzFormats(f, "hl7") }
func FuzzRTF(f *testing.F)   { fuzzFormats(f, "rtf") }
func FuzzCCDA(f *testing.F)  { fuzzFormats(f, "ccda") }

// FuzzHTML checks the same with a text that may be HTML, in a value of JSON and in OBX-5.
func FuzzHTML(f *testing.F) {
	for source := range textsOfHTML {
		f.Add(source, false)
	}
	f.Add(`<p title="a &lt; b" id='enc_987654321' class=x12345>Ana]]&gt;<img src=data:a/b,c alt='Gil'></p>`, true)
	f.Fuzz(func(t *testing.T, source string, drop bool) {
		if !utf8.ValidString(source) {
			return
		}
		value, err := json.Marshal(source)
		if err != nil {
			t.Fatal(err)
		}
		roundTrip(t, example{"jsonl", "n", `{"text":` + string(value) + `}`, Options{Drop: drop}})
		roundTrip(t, example{"hl7", "n", "MSH|^~\\&|\rOBX|1|FT|||" + strings.NewReplacer("\r", " ", "\n", "\\.br\\", "\\", "\\E\\", "|", "\\F\\", "^", "\\S\\", "&", "\\T\\", "~", "\\R\\").Replace(source) + "\r", Options{Drop: drop}})
	})
}

// FuzzFieldsOfCCDA checks that documents stay well-formed when their fields are replaced, and can be read again.
func FuzzFieldsOfCCDA(f *testing.F) {
	f.Add(cda1, false)
	f.Add(cdaHead+`<component><nonXMLBody><text mediaType="application/pdf" representation="B64">JVBERi0xLjc=</text></nonXMLBody></component></ClinicalDocument>`, true)
	f.Fuzz(func(t *testing.T, file string, drop bool) {
		format, _ := Lookup("ccda")
		o := cdaOptions()
		o.Drop = drop
		for r, err := range format.Read(strings.NewReader(file), "d.xml", o) {
			if err != nil {
				return
			}
			edits := make([][]Edit, len(r.Notes))
			for i, n := range r.Notes {
				if edits[i] = values(n); !n.IsValue() {
					edits[i] = wordEdits(n.Text)
				}
			}
			raw, err := r.Encode(edits)
			if err != nil {
				t.Fatal(err)
			}
			for _, err := range format.Read(strings.NewReader(string(raw)), "d.xml", o) {
				if err != nil {
					t.Fatalf("%q became %q: %v", file, raw, err)
				}
			}
		}
	})
}

// FuzzFHIRFields checks that the output is JSON, whatever the new values are, and that a file stays the same if all fields stay.
func FuzzFHIRFields(f *testing.F) {
	for _, class := range hostile {
		for _, e := range class {
			if e.format == "fhir" {
				f.Add([]byte(e.file), "2071")
			}
		}
	}
	for _, file := range oddFHIR {
		f.Add([]byte(file), "")
	}
	format, err := Lookup("fhir")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, raw []byte, made string) {
		if !utf8.ValidString(made) {
			return
		}
		edit := func(n *Note) []Edit {
			start := 0
			if n.IsValue() {
				start = n.Spans[0].Start
			}
			return []Edit{{Start: start, End: len(n.Text), New: made, Type: "X"}}
		}
		for r, err := range format.Read(bytes.NewReader(raw), "n", fhirOptions(t)) {
			if err != nil {
				continue
			}
			edits := make([][]Edit, len(r.Notes))
			for i, n := range r.Notes {
				edits[i] = edit(n)
			}
			out, err := r.Encode(edits)
			if err != nil {
				t.Fatal(err)
			}
			if rest := bytes.TrimSpace(bytes.TrimPrefix(out, []byte(markup.BOM))); len(rest) > 0 && !json.Valid(rest) {
				t.Fatalf("%q became %q", r.Raw, out)
			}
		}
		for r, err := range format.Read(bytes.NewReader(raw), "n", fhirOptions(t, "**=keep")) {
			if err != nil {
				continue
			}
			if out, err := r.Encode(make([][]Edit, len(r.Notes))); err != nil || !bytes.Equal(out, r.Raw) {
				t.Fatalf("%q became %q, with the error %v", r.Raw, out, err)
			}
		}
	})
}

func fuzzFormats(f *testing.F, formats ...string) {
	add := func(e example) {
		for i, name := range formats {
			if name == e.format {
				f.Add(uint8(i), []byte(e.file), e.options.Encoding, e.options.Comma) //nolint:gosec // there are three at most
			}
		}
	}
	for _, e := range examples {
		add(e)
	}
	for _, class := range hostile {
		for _, e := range class {
			add(e)
		}
	}
	add(example{"hl7", "m.hl7", "MSH|^~\\&|\r\rOBX|1|ED|||^TEXT^^A^x\\X4\\\\\r\x1c", Options{}})
	add(example{"csv", "n.csv", "note\n\"a\"\"\n\"\n", Options{Encoding: "latin1"}})
	for _, rtf := range []string{
		`{\rtf1\ansi\ansicpg932{\fonttbl{\f0\fcharset0 A;}{\f1\cpg65001 B;}}\'93\'fa\'83A\'81\f1\'c3\'a9\f0\u8217\'92\u-10179?\u-8704?\uc0\u233 x\uc2\u233\'3f\'3fAna}`,
		`{\rtf1{\*\revtbl {Ana;}{\'41\u225?;}}{\info{\author Ana}{\creatim\yr1}}{\*\bkmkstart Ana}a{\*\bkmkend Ana}\revdttm12{\header H}{\*\x\y Ana}C:\Ana\Gil\b\'41na7\fs2-3}`,
		`{\rtf1{\field{\*\fldinst{HYPERLINK "Ana"}}{\fldrslt{Gil}}}{\shp{\sp{\sn wzName}{\sv Ana}}{\shptxt Gil\par}}{\*\shppict{\pict\bin3 {}}}}{\nonshppict{\pict 00}}{\b\pict 0a}x}`,
	} {
		add(example{"rtf", "a.rtf", rtf, Options{Comma: 1}})
	}
	f.Fuzz(func(t *testing.T, format uint8, raw []byte, encoding string, comma byte) {
		e := example{formats[int(format)%len(formats)], "n", string(raw), Options{Encoding: encoding}}
		if e.format == "csv" {
			e.options.Columns, e.options.Comma = []string{"note"}, comma
		}
		e.options.Drop = e.format == "rtf" && comma == 1
		roundTrip(t, e)
	})
}

func roundTrip(t *testing.T, e example) {
	f, err := Lookup(e.format)
	if err != nil || f.Check(e.options) != nil {
		return
	}
	var unedited, edited bytes.Buffer
	var want []string
	whole, marks := true, false
	for r, err := range f.Read(strings.NewReader(e.file), e.name, e.options) {
		if err != nil {
			whole = false
			continue
		}
		none, all := make([][]Edit, len(r.Notes)), make([][]Edit, len(r.Notes))
		for i, n := range r.Notes {
			if !utf8.ValidString(n.Text) {
				t.Fatal("a text that is not UTF-8")
			}
			all[i] = wordEdits(n.Text)
			want = append(want, n.Replaced(all[i]).Text)
		}
		marks = marks || r.Beside != nil && r.Beside(none) != nil || len(r.Fixed) > 0 || slices.ContainsFunc(r.Notes, func(n *Note) bool { return n.Always })
		out, err := r.Encode(none)
		if err != nil {
			t.Fatal(err)
		}
		unedited.Write(out)
		if out, err = r.Encode(all); err != nil {
			t.Fatal(err)
		}
		edited.Write(out)
	}
	if whole && !marks && unedited.String() != e.file {
		t.Fatalf("%q became %q", e.file, unedited.Bytes())
	}
	if !whole {
		return // the missing record may have been the header of later ones
	}
	var got []string
	for r, err := range f.Read(bytes.NewReader(edited.Bytes()), e.name, e.options) {
		if err != nil {
			if strings.Contains(err.Error(), "UTF-16") { // the remaining text may be mainly control characters
				return
			}
			t.Fatalf("%q became %q: %v", e.file, edited.Bytes(), err)
		}
		for _, n := range r.Notes {
			got = append(got, n.Text)
		}
	}
	joined := func(texts []string) string {
		if e.format == "hl7" { // in the text only, a blank may separate the name of an ill-formed escape from a number
			return strings.ReplaceAll(strings.Join(texts, "\x00"), " ", "")
		}
		return strings.Join(texts, "\x00")
	}
	if joined(got) != joined(want) {
		t.Fatalf("%q became %q, with the texts %q, want %q", e.file, edited.Bytes(), got, want)
	}
}

// wordEdits replaces each word of two letters or more by one that is not shorter. A shorter text might
// have the form of a code of HL7, which has at most 20 characters and is not a note.
func wordEdits(text string) (edits []Edit) {
	for at := 0; at < len(text); at++ {
		start := at
		for at < len(text) && text[at]|0x20 >= 'a' && text[at]|0x20 <= 'z' {
			at++
		}
		if at-start > 1 {
			edits = append(edits, Edit{Start: start, End: at, New: "Qjqjq" + strings.Repeat("q", max(0, at-start-5)), Type: "X", Score: 1})
		}
	}
	return edits
}
