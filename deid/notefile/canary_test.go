package notefile

import (
	"bytes"
	"encoding/hex"
	"flag"
	"fmt"
	"html"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid/field"
)

var records = flag.Int("records", 0, "how many generated records TestCanaries draws of each format (0: those of -rapid.checks)")

// exempt names the places that, according to the documentation, are not examined. The generators
// put no canary there:
//
//   - names of files, ids, patients of notes
//   - CSV: the header, columns other than those with notes
//   - JSON Lines: keys other than those with notes, and those that list PHI
//   - FHIR: members other than attachments, narratives, annotations, conclusions, comments and
//     values; class, id, style and other attributes of HTML that are known to be layout, as long as
//     they have that form
//   - HL7: fields other than OBX-5 and NTE-3, also if a field separator within a text was not
//     escaped; codes without a blank in components of ED and CWE, and in OBX-5 of the types ID and IS
//   - XML: nothing
//   - RTF: names of fonts, styles and lists
const exempt = "other"

// TestCanaries generates files that are odd, but that some program writes, with a canary in places
// that may contain the text of a note. Either a note must show the canary, so that it can be
// replaced, or the record must be refused.
func TestCanaries(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(generators)) {
		t.Run(name, func(t *testing.T) {
			accepted, refused := 0, 0
			check := func(t *rapid.T) {
				e := generators[name](t)
				o := replaceCanaries(e)
				if where := leak(o.out); where != "" {
					t.Fatalf("the canary is left: %s\n%q\nbecame\n%q", where, e.file, o.out)
				}
				if len(o.errs) > 0 {
					refused++
				} else {
					accepted++
				}
			}
			if *records == 0 {
				rapid.Check(t, check)
			} else {
				gen := rapid.Custom(func(t *rapid.T) int { check(t); return 0 })
				for i := range *records {
					gen.Example(i)
				}
			}
			t.Logf("%d files accepted, %d refused", accepted, refused)
		})
	}
}

var generators = map[string]func(*rapid.T) example{
	"text": textFile, "csv": csvFile, "jsonl": jsonlFile, "fhir": fhirFile, "fhir with fields": fhirFieldsFile, "hl7": hl7File, "xml": xmlFile,
	"rtf": rtfFile,
}

// draw helpers

func chance(t *rapid.T, n int) bool { return rapid.IntRange(0, n-1).Draw(t, "chance") == 0 }

func pick(t *rapid.T, all ...string) string { return rapid.SampledFrom(all).Draw(t, "pick") }

// repeated joins the results of several calls of make.
func repeated(t *rapid.T, least, most int, with string, make func() string) string {
	var parts []string
	for range rapid.IntRange(least, most).Draw(t, "n") {
		parts = append(parts, make())
	}
	return strings.Join(parts, with)
}

// prose returns the text of a note, with or without a canary.
func prose(t *rapid.T) string {
	return repeated(t, 1, 6, "", func() string {
		return pick(t, canary, canary, "Dr. ", " ", "seen ", "é", "😀", "\n", "\r\n", "\t", `"`, `\`, "'", "&", "<", ">", "]]>", "]>", "]", "^", "~", "=", "--", "#", "5.5", "&amp;", "&#90", `\u00e9`, "<b>")
	})
}

var lineEnds = []string{"\n", "\n", "\n", "\r\n", "\r\n", "\r", "\r", "\u0085", "\f", "\v", "\u2028", "\x1e", `\n`, `\r\n`, "\n\n"}

// encoded encodes a file, with or without naming the encoding in the options.
func encoded(t *rapid.T, e example) example {
	switch rapid.IntRange(0, 15).Draw(t, "encoding") {
	case 0:
		e.file = "\uFEFF" + e.file
	case 1:
		if strings.ContainsFunc(e.file, func(r rune) bool { return r > 255 }) {
			break
		}
		e.options.Encoding = "latin1"
		var b []byte
		for _, r := range e.file {
			b = append(b, byte(r))
		}
		e.file = string(b)
	case 2:
		e.options.Encoding = pick(t, "", "latin1", "windows-1252")
		e.file = utf16Bytes(e.file, rapid.Bool().Draw(t, "big"), rapid.Bool().Draw(t, "mark"))
	}
	return e
}

func textFile(t *rapid.T) example {
	return encoded(t, example{"text", "stdin", pick(t, "", "", "", `{\rtf1 `, "%PDF-1.4\n", "MSH|^~\\&|") + prose(t), Options{}})
}

func csvFile(t *rapid.T) example {
	comma := pick(t, ",", ",", ";", "\t", "|")
	names := []string{"note", "a", "b", "c"}[:rapid.IntRange(1, 4).Draw(t, "columns")]
	names = rapid.Permutation(names).Draw(t, "names")
	end := rapid.SampledFrom(lineEnds).Draw(t, "end")
	file := strings.Join(names, comma) + pick(t, end, end, "\n")
	file += repeated(t, 0, 4, "", func() string {
		var row []string
		for _, name := range names {
			if name != "note" {
				row = append(row, pick(t, "", "1", exempt, `"x, y"`, `"x""y"`, "5\" x", "\"\"", "\"a\n\""))
				continue
			}
			text := prose(t)
			switch pick(t, "quoted", "quoted", "plain", "plain", "after a blank", "with a delimiter") {
			case "quoted":
				text = `"` + strings.ReplaceAll(text, `"`, `""`) + `"`
			case "plain": // without line ends, because they would begin another row
				text = strings.NewReplacer("\n", " ", "\r", " ").Replace(text)
				if strings.Contains(text, comma) { // a quote after it begins another field, which may continue on the next lines and be legal
					text = strings.ReplaceAll(text, `"`, "")
				}
			case "after a blank":
				text = pick(t, " ", "\t", "  ") + `"` + strings.NewReplacer("\n", " ", "\r", " ", `"`, `""`).Replace(text) + `"`
			case "with a delimiter":
				text = strings.NewReplacer("\n", " ", "\r", " ", `"`, "").Replace(text) + comma + " " + canary
			}
			row = append(row, text)
		}
		if chance(t, 10) {
			row = append(row, pick(t, "", canary, `"`+canary+`"`))
		}
		if end != `\n` && end != `\r\n` && chance(t, 20) {
			row = []string{canary}
		}
		return strings.Join(row, comma) + end
	})
	return encoded(t, example{"csv", "stdin", file, Options{Columns: []string{"note"}, Comma: comma[0], NoPatient: true}})
}

// jsonText encodes a string with some unnecessary escapes.
func jsonText(t *rapid.T, text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range text {
		switch {
		case r < ' ' || r == '"' || r == '\\' || chance(t, 8):
			if utf16.RuneLen(r) == 2 {
				high, low := utf16.EncodeRune(r)
				fmt.Fprintf(&b, `\u%04x\u%04X`, high, low)
			} else {
				fmt.Fprintf(&b, `\u%04x`, r)
			}
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// oddKey changes the case of a key, or writes it with an escape.
func oddKey(t *rapid.T, key string) string {
	switch rapid.IntRange(0, 15).Draw(t, "key") {
	case 0:
		return `"` + strings.ToUpper(key) + `"`
	case 1:
		return `"` + strings.ToUpper(key[:1]) + key[1:] + `"`
	case 2:
		return fmt.Sprintf(`"\u%04x%s"`, key[0], key[1:])
	}
	return `"` + key + `"`
}

func wideOr(t *rapid.T, text string) string {
	if chance(t, 12) {
		return utf16Bytes(text, rapid.Bool().Draw(t, "big"), false)
	}
	return text
}

func jsonObject(t *rapid.T, members ...string) string {
	return "{" + strings.Join(rapid.Permutation(members).Draw(t, "members"), pick(t, ",", " , ", ",\t")) + "}"
}

func jsonlFile(t *rapid.T) example {
	nested := rapid.Bool().Draw(t, "nested")
	text := func() string {
		value := jsonText(t, toValid(wideOr(t, prose(t))))
		if chance(t, 15) {
			value = pick(t, "null", "7", "["+value+"]", `{"a":`+value+"}")
		}
		return oddKey(t, "text") + ":" + value
	}
	marks := func() string {
		inner := pick(t, `[[1,2,"`+canary+`"]]`, `{"0":{"text":"`+canary+`"}}`, `["`+canary+`"]`, "[]", "{}", `[{"a":[{"b":"`+canary+`"}]}]`)
		return escapedKey(t, pick(t, "spans", "label", "labels", "entities")) + ":" + inner
	}
	other := func() string {
		return pick(t, `"id":1`, `"x":"other"`, `"meta":{"note_id":2}`, `"y":[1,{"text":"other"}]`, `"patient":"p"`)
	}
	line := func() string {
		members := []string{text()}
		for range rapid.IntRange(0, 3).Draw(t, "more") {
			members = append(members, []func() string{text, marks, other, func() string { return `"z":{` + marks() + "}" }}[rapid.IntRange(0, 3).Draw(t, "member")]())
		}
		if nested {
			return jsonObject(t, append([]string{`"data":` + jsonObject(t, members...)}, marks(), other())...)
		}
		return jsonObject(t, members...)
	}
	o := Options{NoPatient: rapid.Bool().Draw(t, "patient")}
	if nested {
		o.Columns = []string{"data.text"}
	}
	file := repeated(t, 1, 3, "", func() string { return line() + rapid.SampledFrom(lineEnds).Draw(t, "end") })
	return encoded(t, example{"jsonl", "stdin", file, o})
}

// escapedKey writes a key with an escape, without changing its case, because other tools use the
// other case.
func escapedKey(t *rapid.T, key string) string {
	if chance(t, 8) {
		return fmt.Sprintf(`"\u%04x%s"`, key[0], key[1:])
	}
	return `"` + key + `"`
}

func toValid(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for i := range len(s) {
		b.WriteRune(rune(s[i]))
	}
	return b.String()
}

func markedUp(t *rapid.T) string {
	return repeated(t, 1, 6, "", func() string {
		text := html.EscapeString(prose(t))
		switch rapid.IntRange(0, 11).Draw(t, "html") {
		case 0, 1, 2:
			return "<p>" + text + "</p>"
		case 3:
			return "<b class='a b'>" + text + "</b>"
		case 4:
			return fmt.Sprintf(`<%s %s=%s>`, pick(t, "a", "img", "p", "td"), pick(t, "title", "alt", "href", "data-x", "src", "onclick", canary), pick(t, `"`+text+`"`, "'"+strings.ReplaceAll(text, "'", "&#39;")+"'", canary, `"`+canary))
		case 5:
			return pick(t, "<!-- "+canary+" -->", "<"+canary+"@x.example>", "<"+canary+">", "<!DOCTYPE "+canary+">", "<?"+canary+"?>", "<![CDATA["+canary+"]]>", "</p "+canary+">", "<p "+canary+">", "<br/"+canary+">")
		case 6:
			return pick(t, "<script>", "<style>", "<title>", "<p style=\"content:'"+canary+"'\">", "<p class='a\" ", `<p x'>`, `<p class="a"">`, "<p class=a'b>", "<p\n>")
		case 7:
			return pick(t, "&#90;", "&#x5A;", "&#90", "&#x5a", "&#0000000000000000000000000000000000090;") + canary[1:]
		case 8:
			return canary[:3] + "<i>" + canary[3:] + "</i>"
		}
		return text
	})
}

func fhirFile(t *rapid.T) example {
	file := fhirResource(t, 0)
	if chance(t, 4) {
		file += "\n" + fhirResource(t, 0)
	}
	return encoded(t, example{"fhir", pick(t, "stdin", "a.ndjson"), file, Options{}})
}

func fhirFieldsFile(t *rapid.T) example {
	e := fhirFile(t)
	e.options.Types, e.options.Fields, e.options.Pseudonym = data.I2B2, field.NewTable(field.Builtin("fhir")), field.Pseudonyms([]byte("a key of at least sixteen bytes"))
	return e
}

func fhirResource(t *rapid.T, depth int) string {
	members := []string{`"resourceType":"Observation"`}
	if depth == 0 && chance(t, 20) {
		members = nil
	}
	for range rapid.IntRange(1, 4).Draw(t, "members") {
		members = append(members, fhirMember(t, depth))
	}
	return jsonObject(t, members...)
}

// listed wraps a value in lists, or returns it unchanged.
func listed(t *rapid.T, value string) string {
	switch rapid.IntRange(0, 7).Draw(t, "list") {
	case 0:
		return "[" + value + "]"
	case 1:
		return `["x",[` + value + `,null]]`
	}
	return value
}

func fhirMember(t *rapid.T, depth int) string {
	text := func() string { return listed(t, jsonText(t, toValid(wideOr(t, prose(t))))) }
	switch rapid.IntRange(0, 9).Draw(t, "fhir") {
	case 0, 1:
		return oddKey(t, pick(t, "conclusion", "comment", "valueString", "contentString", "valueMarkdown", "contentMarkdown")) + ":" + text()
	case 2:
		return oddKey(t, pick(t, "note", "valueAnnotation")) + ":" + listed(t, jsonObject(t, oddKey(t, "text")+":"+text(), `"time":"2026"`))
	case 3:
		return `"text":{"status":"generated",` + oddKey(t, "div") + ":" + listed(t, jsonText(t, markedUp(t))) + "}"
	case 4, 5, 6:
		return pick(t, `"content"`, `"valueAttachment"`, `"signature"`, `"valueSampledData"`) + ":" + listed(t, fhirBlob(t))
	case 7:
		if depth < 4 {
			return pick(t, `"contained":[`, `"entry":[`, `"_birthDate":[`, `"extension":[`) + fhirResource(t, depth+1) + "]"
		}
	case 8:
		return `"url":` + pick(t, `"http://x.example"`, `"data:text/plain,`+canary+`"`, `" Data:;base64,`+b64(canary)+`"`)
	}
	return pick(t, `"id":"other"`, `"code":{"text":"other"}`, `"subject":{"reference":"Patient/1"}`)
}

func fhirBlob(t *rapid.T) string {
	kind := pick(t, "text/plain", "text/plain", "text/plain; charset=utf-8", "text/html", "text/html", "application/xhtml+xml", "text/plain;charset=iso-8859-1", "text/xml", "application/pdf", "text/x-other", "text/rtf", "")
	text := wideOr(t, prose(t))
	if strings.Contains(kind, "html") {
		text = markedUp(t)
	}
	if chance(t, 10) {
		text = pick(t, "<?xml version='1.0'?>", "<ClinicalDocument>", `{\rtf1 `, "<cda:ClinicalDocument ") + text
	}
	data := `"` + b64(text) + `"`
	members := []string{oddKey(t, "data") + ":" + listed(t, data)}
	if kind != "" {
		members = append(members, oddKey(t, "contentType")+":"+strconv.Quote(kind))
	}
	for range rapid.IntRange(0, 2).Draw(t, "more") {
		members = append(members, pick(t, `"size":1`, `"hash":"x"`, `"dimensions":1`, `"who":{}`, `"sigFormat":"x"`, `"data":""`, `"data":`+data, `"contentType":"text/html"`, `"size":{"valueString":"`+canary+`"}`, `"title":"other"`))
	}
	return jsonObject(t, members...)
}

func hl7File(t *rapid.T) example {
	marks := pick(t, "|^~\\&", "|^~\\&", "|^~\\&", "|^~\\&#", "!*%$@", "|^~\\", "|^~", "|^^\\&", "|^~n&", "x^~\\&", " ^~\\&")
	field, comp, esc := marks[:1], "^", `\`
	if len(marks) > 1 {
		comp = marks[1:2]
	}
	if len(marks) > 3 {
		esc = marks[3:4]
	}
	end := rapid.SampledFrom(append([]string{"\r", "\r", "\r", "\r", "\n", "\r\n", "<CR>", " "}, lineEnds...)).Draw(t, "end")
	if end == "\n\n" {
		end = "\r"
	}
	stray := "" // a line of its own, if line ends separate lines
	if end == "\r" || end == "\n" || end == "\r\n" {
		stray = "Dr. " + canary
	}
	// text returns the text of a field. It escapes the field separator and line ends, because they
	// would begin another field or segment.
	text := func() string {
		s := repeated(t, 1, 4, "", func() string {
			switch rapid.IntRange(0, 6).Draw(t, "hl7") {
			case 0:
				return esc + "X" + hex.EncodeToString([]byte(prose(t))) + esc
			case 1:
				return esc + pick(t, "H", "N", ".br", ".sp", ".sp+3", ".in+4", ".ti-2", ".sk2", "Z01", "ZAB", "C2842", "M244D", "F", "S", "T", "R", "E", "P", "X4", "XE9", "Q", canary, "Z"+canary, ".in"+canary, "."+canary, "X"+canary) + esc
			case 2:
				return esc
			}
			return strings.NewReplacer("\n", esc+".br"+esc, "\r", "").Replace(prose(t))
		})
		return strings.ReplaceAll(s, field, esc+"F"+esc)
	}
	coded := func() string {
		return repeated(t, 1, 9, comp, func() string {
			return pick(t, "", "N", "L", "Dr. "+strings.NewReplacer(comp, "", marks[2:3], "").Replace(text()))
		})
	}
	segment := func() string {
		f := func(fields ...string) string { return strings.Join(fields, field) }
		switch rapid.IntRange(0, 11).Draw(t, "segment") {
		case 0, 1, 2:
			return f("OBX", "1", pick(t, "TX", "FT", "ST", "", "tx", "TX ", " ft", "QQ", "NM", "DT", "TS", "SN", "SI", "XPN", "TX~NM", "RP"), "", "", "Dr. "+text(), "", "", "F")
		case 3:
			return f("OBX", "1", pick(t, "CE", "CWE", "cwe", "CNE", "CF ", "ID", "IS"), "", "", "Dr. "+coded())
		case 4:
			return f("NTE", "1", "", text())
		case 5:
			encoding, data := pick(t, "A", "a", "", "Hex"), text()
			if rapid.Bool().Draw(t, "base64") {
				encoding = pick(t, "Base64", "BASE64")
				data = b64(pick(t, "ok", prose(t), utf16Bytes("Dr. "+canary, rapid.Bool().Draw(t, "big"), false)))
			}
			subtype := pick(t, "", "PLAIN", "HTML", "RTF", "XML", "Dr. "+canary)
			if subtype == "HTML" {
				data = b64(markedUp(t))
			}
			ed := []string{pick(t, "", "a"), pick(t, "TEXT", "text", "TX", "application", ""), subtype, encoding, data, "x " + canary}
			ed = ed[:rapid.SampledFrom([]int{5, 5, 5, 5, 4, 3, 6}).Draw(t, "components")]
			if chance(t, 8) {
				ed = []string{"TEXT", "", encoding, data}
			}
			return f("OBX", "1", pick(t, "ED", "ed", "ED "), "", "", strings.Join(ed, comp))
		case 6:
			if stray == "" {
				return ""
			}
			return pick(t, "ADD"+field+" "+canary, "Dr. "+canary, "TS "+canary, "S B"+canary, "HS "+canary, "MSH"+canary, "BTS of "+canary, "MSH-"+canary, "obx"+field+"1"+field+"TX"+field+field+field+canary, " OBX"+field+canary, "DRX"+field+canary)
		}
		return pick(t, f("PID", "1", "", "77", "", "Doe^Jo"), f("OBR", "1"), f("ZAB", "other"), "", f("PV1", "1", "I"), "BTS"+field+"1", "\x1c", f("NM1"))
	}
	file := pick(t, "", "", "\x0b", "FHS"+marks+field+"x"+end+"BHS"+marks+field+"x"+end, "BHS"+marks+end+stray+end)
	file += repeated(t, 1, 2, "", func() string {
		return "MSH" + marks + field + "A" + field + "B" + end + repeated(t, 0, 5, "", func() string { return segment() + end })
	})
	file += pick(t, "", "", "\x1c\r", "BTS"+field+"1"+end, "FTS"+end+stray, "BTS"+field+"1"+end+"OBX"+field+"1"+field+"TX"+field+field+field+canary+end)
	return encoded(t, example{"hl7", "stdin", file, Options{}})
}

func xmlFile(t *rapid.T) example {
	odd := func() string {
		if chance(t, 12) {
			return pick(t, "<!-- "+canary+" -->", "<?x "+canary+"?>", "<?xml x='"+canary+"'?>", canary, "<x>"+canary+"</x>", "<!DOCTYPE "+canary+">", "<!x "+canary+">")
		}
		return pick(t, "", "\n", "\r\n", " ")
	}
	attribute := func() string {
		if chance(t, 15) {
			return " " + pick(t, "by", "xmlns", "xmlns:a", "xml:lang") + "='" + canary + "'"
		}
		return pick(t, "", "", " ")
	}
	text := repeated(t, 0, 5, "", func() string {
		s := prose(t)
		switch rapid.IntRange(0, 3).Draw(t, "xml") {
		case 0, 1:
			return "<![CDATA[" + strings.ReplaceAll(s, "]]>", "]]]]><![CDATA[>") + "]]>"
		case 2:
			return pick(t, "&#90;", "&#x5A;") + canary[1:] + odd()
		}
		return strings.NewReplacer("&", "&amp;", "<", "&lt;", "]]>", "]]&gt;").Replace(s)
	})
	prefix := pick(t, "", "", "", "", "", canary+":")
	tags := pick(t, "", "<TAGS"+attribute()+"/>", "<TAGS"+attribute()+"></TAGS>", "<TAGS><NAME text='"+canary+"'/>"+odd()+"</TAGS>")
	body := odd() + "<" + prefix + "TEXT" + attribute() + ">" + text + "</" + prefix + "TEXT>" + odd() + tags + odd()
	file := pick(t, "", "<?xml version='1.0'?>", "<?xml version=\"1.0\" encoding=\"UTF-8\" ?>", "<?xml version='1.0' by='"+canary+"'?>", "<?xml version='1.0' encoding='"+canary+"'?>")
	file += odd() + "<deIdi2b2" + attribute() + ">" + body + "</deIdi2b2>" + odd()
	return encoded(t, example{"i2b2", "stdin", file, Options{}})
}

// rtfFile returns RTF with canaries in many destinations, written in many ways.
func rtfFile(t *rapid.T) example {
	e := example{"rtf", "a.rtf", pick(t, `{\rtf1`, `{\rtf1\ansi\ansicpg1252\uc1\deff0{\fonttbl{\f0\fcharset0 Arial;}{\f1\fcharset128 x;}}{\colortbl;}`, `{\rtf1\mac `) + " " + rtfBody(t, 3) + "}", Options{}}
	e.options.Drop = chance(t, 3)
	if chance(t, 12) {
		e.file = pick(t, e.file[:len(e.file)-1], e.file+"}", e.file+" "+canary, strings.Replace(e.file, `\par`, `\bin9`, 1))
	}
	return e
}

func rtfBody(t *rapid.T, depth int) string {
	return repeated(t, 1, 5, "", func() string {
		if depth == 0 || chance(t, 2) {
			return rtfRun(t)
		}
		inner := rtfBody(t, depth-1)
		start := pick(t, "{", `{\b `, `{\*\unknown `, `{\header\pard `, `{\footnote\ftnalt `, `{\*\annotation `, `{\*\shpinst{\sp{\sn wzName}{\sv 1}}{\shptxt `, `{\sp{\sn x}{\sv `,
			`{\field{\*\fldinst{HYPERLINK "`, `{\field{\fldrslt `, `{\info{\title `, `{\info{\author `, `{\*\atnauthor `, `{\*\revtbl{Unknown;}{`, `{\*\bkmkstart `, `{\upr{a}{\*\ud `, `{\listtext `, `{\object{\result `,
			`{\*\userprops{\propname `, `{\*\docvar{x}{`, `{\v `, `{\deleted `, `{\stylesheet{\*\annotation `, `{\f1 `, `{\uc2 `, `{\*\datafield `, `{\*\shppict{\pict `, `{\pict\wmetafile8 `)
		return start + inner + strings.Repeat("}", strings.Count(start, "{")-strings.Count(start, "}"))
	})
}

func rtfRun(t *rapid.T) string {
	if chance(t, 2) {
		return pick(t, " seen ", `\par `, "\\\n", `\tab`, `\cell `, `\'e9`, `\u233?`, `\u-10179?\u-8704?`, `\emdash `, "5.5", `\{`, `\\`, "\r\n", `\~`, `\revdttm12 `, `C:\Users\x `, `\plain`, `\f1\'93\'fa\f0 `)
	}
	if chance(t, 8) {
		return `\` + canary + " "
	}
	var b strings.Builder
	b.WriteString(" ")
	way := pick(t, "plain", "plain", "hex", "unicode", "mixed", "mixed")
	for _, c := range canary {
		switch w := way; {
		case w == "hex" || w == "mixed" && chance(t, 6):
			fmt.Fprintf(&b, `\'%02x`, c)
		case w == "unicode" || w == "mixed" && chance(t, 6):
			fmt.Fprintf(&b, `{\uc1\u%d?}`, c)
		case w == "mixed" && chance(t, 4):
			b.WriteString(pick(t, `\b `, "{}", "\n", `\-`, `\fs20 `, `{\i0}`, `\lang1033 `) + string(c))
		default:
			b.WriteRune(c)
		}
	}
	return b.String() + " "
}

// decoders for leak

var jsonEscapeRE = regexp.MustCompile(`\\u[0-9a-fA-F]{4}|\\.`)

func jsonEscapes(raw []byte) []byte {
	return jsonEscapeRE.ReplaceAllFunc(raw, func(m []byte) []byte {
		if m[1] == 'u' && len(m) == 6 {
			unit, _ := strconv.ParseUint(string(m[2:]), 16, 16)
			return []byte(string(rune(unit)))
		}
		return m[1:]
	})
}

var numberRE = regexp.MustCompile(`&#(?:[xX]0*([0-9a-fA-F]{1,6})|0*([0-9]{1,7}));?`)

func unescapeHTML(s string) string {
	s = numberRE.ReplaceAllStringFunc(s, func(m string) string {
		g := numberRE.FindStringSubmatch(m)
		n, _ := strconv.ParseUint(g[1], 16, 32)
		if g[2] != "" {
			n, _ = strconv.ParseUint(g[2], 10, 32)
		}
		return string(rune(n))
	})
	return html.UnescapeString(s)
}

var hl7Code = regexp.MustCompile(`^(?:X[0-9A-Fa-f]+|[\w.+-]{1,16})$`)

// hexEscapes decodes a file from left to right, as a receiver does, once for each possible escape
// character.
func hexEscapes(raw []byte) (all [][]byte) {
	for _, mark := range []byte(`\$`) {
		var out []byte
		for rest := raw; len(rest) > 0; {
			n := bytes.IndexByte(rest, mark)
			if n < 0 {
				out = append(out, rest...)
				break
			}
			out, rest = append(out, rest[:n]...), rest[n+1:]
			n = max(bytes.IndexByte(rest, mark), 0)
			code := rest[:n]
			if !hl7Code.Match(code) {
				out = append(out, mark)
				continue
			}
			if text, err := hex.DecodeString(string(code[1:])); err == nil && code[0] == 'X' {
				out = append(out, text...)
			}
			rest = rest[n+1:]
		}
		all = append(all, out)
	}
	return all
}

var rtfTokens = regexp.MustCompile("(?s)\\\\'([0-9a-fA-F]{2})|\\\\u(-?[0-9]+) ?[?]?|\\\\[a-zA-Z]+-?[0-9]* ?|[{}\r\n]|\\\\(.)")

// rtfEscapes returns the text of RTF, of all places in the order of the file.
func rtfEscapes(raw []byte) []byte {
	return rtfTokens.ReplaceAllFunc(raw, func(m []byte) []byte {
		g := rtfTokens.FindSubmatch(m)
		if g[1] != nil {
			c, _ := hex.DecodeString(string(g[1]))
			return c
		}
		if g[2] != nil {
			n, _ := strconv.Atoi(string(g[2]))
			return []byte(string(rune(n)))
		}
		if len(g[3]) > 0 && bytes.Contains([]byte(`\{}`), g[3]) {
			return g[3]
		}
		return nil
	})
}

func TestFieldsKeepTheStructureOfOddMessages(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		e := hl7File(rt)
		e.options.Types, e.options.Fields, e.options.Pseudonym = data.I2B2, field.With(field.Builtin("hl7"), nil), field.Pseudonyms([]byte("0123456789abcdef0123456789abcdef"))
		o := replaceCanaries(e)
		if where := leak(o.out); where != "" {
			rt.Fatalf("the canary is left: %s\n%q\nbecame\n%q", where, e.file, o.out)
		}
	})
}
