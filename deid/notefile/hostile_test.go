package notefile

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/lethe-deid/lethe/deid/notefile/internal/markup"
)

// canary is a word that must not be left in any text of the tests. Its encodings in base64 and in
// hexadecimal digits are searched for as well.
const canary = "Zqxwvutson"

// outcome is the result for a file whose canaries are replaced wherever a note shows them.
type outcome struct {
	out   []byte
	notes int
	errs  []error
}

func replaceCanaries(e example) (o outcome) {
	f, err := Lookup(e.format)
	if err != nil {
		panic(err)
	}
	if err := f.Check(e.options); err != nil {
		o.errs = append(o.errs, err)
		return o
	}
	for r, err := range f.Read(strings.NewReader(e.file), e.name, e.options) {
		if err != nil {
			o.errs = append(o.errs, err)
			if _, broken := errors.AsType[*Broken](err); broken {
				o.out = nil // such a file is not written
				return o
			}
			continue
		}
		edits := make([][]Edit, len(r.Notes))
		for i, n := range r.Notes {
			edits[i] = canaryEdits(n)
		}
		o.notes += len(r.Notes)
		raw, err := r.Encode(edits)
		if err != nil {
			o.errs = append(o.errs, err)
			continue
		}
		o.out = append(o.out, raw...)
	}
	return o
}

// canaryEdits removes the canary from a note, even if markup separates its letters: line ends of
// HL7, or tags.
func canaryEdits(n *Note) []Edit { return each(canary, "[X]")(n) }

func msg(segments ...string) string {
	return "MSH|^~\\&|A|B|C|D|2071||ORU^R01|M1|P|2.3\rPID|1||77||Doe^Jo\r" + strings.Join(segments, "\r") + "\r"
}

func utf16Bytes(text string, big, mark bool) string {
	var b []byte
	units := utf16.Encode([]rune(text))
	if mark {
		units = append([]uint16{0xfeff}, units...)
	}
	for _, u := range units {
		if big {
			b = append(b, byte(u>>8), byte(u))
		} else {
			b = append(b, byte(u), byte(u>>8))
		}
	}
	return string(b)
}

func fhirAttachment(data, more string) string {
	return fmt.Sprintf(`{"resourceType":"DocumentReference","content":[{"attachment":{"contentType":"text/plain","data":%s%s}}]}`, data, more)
}

func fhirBinary(contentType, text string) string {
	return fmt.Sprintf(`{"resourceType":"Binary","contentType":%q,"data":%q}`, contentType, b64(text))
}

const said = "Seen by Dr. " + canary + " on 03/04/2071."

// hostile contains files, by class and then by defect, of which every text must be examined or
// which must be refused.
var hostile = map[string]map[string]example{
	"rows that are not those of the header": {
		"too many fields":        {"csv", "n.csv", "id,note\n1,Seen in clinic, by Dr. " + canary + "\n", Options{Columns: []string{"note"}}},
		"a comma in the note":    {"csv", "n.csv", "id,note,ward\n1,\"ok\",w\n2,Mother, " + canary + ", was called,w\n", Options{Columns: []string{"note"}}},
		"too few fields":         {"csv", "n.csv", "id,note,ward\n1,\"ok\",w\n" + canary + ",Mother\n", Options{Columns: []string{"note"}}},
		"quoted after a blank":   {"csv", "n.csv", "id,note,x\n1, \"Seen, by " + canary + "\"\n", Options{Columns: []string{"note"}}},
		"quoted after a tab":     {"csv", "n.csv", "id,note,x\n1,\t\"Seen, by " + canary + "\"\n", Options{Columns: []string{"note"}}},
		"a line end in the note": {"csv", "n.csv", "id,note,ward\n1,Mother\n" + canary + " was called,w\n", Options{Columns: []string{"note"}}},
	},
	"line ends of other programs": {
		"CSV, lone CR":                {"csv", "n.csv", "id,note,x\r1," + said + ",a\r2,again,b\r", Options{Columns: []string{"note"}}},
		"CSV, lone CR in rows":        {"csv", "n.csv", "id,note,x\r\n1,fine,a\r2,Dr. " + canary + " came,b\r", Options{Columns: []string{"note"}}},
		"CSV, written out":            {"csv", "n.csv", `id,note,x\n1,` + said + `,y\n`, Options{Columns: []string{"note"}}},
		"CSV, written out, CR":        {"csv", "n.csv", `id,note\r\n1,` + said + `\r\n`, Options{Columns: []string{"note"}}},
		"CSV, NEL":                    {"csv", "n.csv", "id,note,x\u00851," + said + ",y\u0085", Options{Columns: []string{"note"}}},
		"CSV, form feed":              {"csv", "n.csv", "id,note,x\f1," + said + ",y\f", Options{Columns: []string{"note"}}},
		"CSV, U+2028":                 {"csv", "n.csv", "id,note,x\u20281," + said + ",y\u2028", Options{Columns: []string{"note"}}},
		"CSV, NEL in Latin-1":         {"csv", "n.csv", "id,note,x\x851," + said + ",y\x85", Options{Columns: []string{"note"}, Encoding: "latin1"}},
		"JSON Lines, lone CR":         {"jsonl", "n.jsonl", `{"text":"ok"}` + "\r" + `{"text":"` + said + `"}`, Options{}},
		"HL7, NEL":                    {"hl7", "m.hl7", strings.ReplaceAll(msg("OBX|1|TX|||"+said), "\r", "\u0085"), Options{}},
		"HL7, form feed":              {"hl7", "m.hl7", strings.ReplaceAll(msg("OBX|1|TX|||"+said), "\r", "\f"), Options{}},
		"HL7, record separator":       {"hl7", "m.hl7", strings.ReplaceAll(msg("OBX|1|TX|||"+said), "\r", "\x1e"), Options{}},
		"HL7, U+2028":                 {"hl7", "m.hl7", strings.ReplaceAll(msg("NTE|1||"+said), "\r", "\u2028"), Options{}},
		`HL7, \r`:                     {"hl7", "m.hl7", strings.ReplaceAll(msg("OBX|1|TX|||"+said), "\r", `\r`), Options{}},
		`HL7, \n`:                     {"hl7", "m.hl7", strings.ReplaceAll(msg("OBX|1|TX|||"+said), "\r", `\n`), Options{}},
		`HL7, \x0d`:                   {"hl7", "m.hl7", strings.ReplaceAll(msg("OBX|1|TX|||"+said), "\r", `\x0d`), Options{}},
		"HL7, <CR>":                   {"hl7", "m.hl7", strings.ReplaceAll(msg("OBX|1|TX|||"+said), "\r", "<CR>"), Options{}},
		"HL7, &#13;":                  {"hl7", "m.hl7", strings.ReplaceAll(msg("OBX|1|TX|||"+said), "\r", "&#13;"), Options{}},
		"HL7, a blank":                {"hl7", "m.hl7", strings.ReplaceAll(msg("OBX|1|TX|||"+said), "\r", " "), Options{}},
		"HL7, in a text":              {"hl7", "m.hl7", msg("OBX|1|TX|||ok\fOBX|2|TX|||" + said), Options{}},
		"HL7, in a text, a blank":     {"hl7", "m.hl7", msg("OBX|1|TX|||ok OBX|2|TX|||" + said), Options{}},
		"HL7, in a batch header":      {"hl7", "m.hl7", "BHS|^~\\&|x\f" + strings.ReplaceAll(msg("OBX|1|TX|||"+said), "\r", "\f") + "\r" + msg(), Options{}},
		"HL7, segment in the trailer": {"hl7", "m.hl7", msg() + "BTS|1\fOBX|1|TX|||" + said + "\r", Options{}},
	},
	"HL7 outside of messages": {
		"after a trailer":            {"hl7", "m.hl7", msg("OBX|1|TX|||ok", "BTS|1", "OBX|2|TX|||"+said), Options{}},
		"text after the trailer":     {"hl7", "m.hl7", "FHS|^~\\&|x\r" + msg("OBX|1|TX|||ok", "FTS|1", said), Options{}},
		"before the first message":   {"hl7", "m.hl7", "FHS|^~\\&|x\rBHS|^~\\&|x\rPID|1||77\rOBX|1|TX|||" + said + "\rBTS|1\rFTS|1\r", Options{}},
		"between header and MSH":     {"hl7", "m.hl7", "BHS|^~\\&|x\r" + said + "\r" + msg("OBX|1|TX|||ok"), Options{}},
		"a line BTS":                 {"hl7", "m.hl7", msg("OBX|1|TX|||Seen by\nBTS of " + canary), Options{}},
		"a line TS":                  {"hl7", "m.hl7", msg("OBX|1|TX|||Seen by\nTS " + canary), Options{}},
		"a line HS":                  {"hl7", "m.hl7", msg("OBX|1|TX|||Seen by\nHS " + canary), Options{}},
		"a line S B":                 {"hl7", "m.hl7", msg("OBX|1|TX|||Seen by\nS Barker " + canary), Options{}},
		"a line MSH":                 {"hl7", "m.hl7", msg("OBX|1|TX|||Seen by\nMSHxABCDx Dr. " + canary), Options{}},
		"a line MSH and a mark":      {"hl7", "m.hl7", msg("OBX|1|TX|||Seen by\nMSH-" + canary), Options{}},
		"a line of three letters":    {"hl7", "m.hl7", msg("OBX|1|TX|||Seen by\nZOE\n" + canary), Options{}},
		"a line with a separator":    {"hl7", "m.hl7", msg("OBX|1|TX|||Seen by\nDR. | " + canary), Options{}},
		"a line in capitals":         {"hl7", "m.hl7", msg("OBX|1|TX|||Seen by\nDRX|" + canary), Options{}},
		"a segment in small letters": {"hl7", "m.hl7", msg("obx|1|TX|||" + said), Options{}},
		"a blank before a segment":   {"hl7", "m.hl7", msg(" OBX|1|TX|||" + said), Options{}},
		"a continuation":             {"hl7", "m.hl7", msg("OBX|1|TX|||Seen by", "ADD| Dr. "+canary), Options{}},
	},
	"HL7 separators": {
		"digits":            {"hl7", "m.hl7", "MSH1ABCD1x1y\rOBX111TX1111" + said + "\r", Options{}},
		"letters":           {"hl7", "m.hl7", "MSHx^~\\&xAxB\rOBXx1xTXxxx" + said + "\r", Options{}},
		"a blank":           {"hl7", "m.hl7", "MSH ^~\\& A B\rOBX 1 TX   " + said + "\r", Options{}},
		"two bytes":         {"hl7", "m.hl7", "MSHé^~\\&éAéB\rOBXé1éTXééé" + said + "\r", Options{}},
		"twice the same":    {"hl7", "m.hl7", strings.Replace(msg("OBX|1|TX|||ok^"+said), "^~\\&", "^^\\&", 1), Options{}},
		"a letter in MSH-2": {"hl7", "m.hl7", strings.Replace(msg("OBX|1|TX|||ok"+said), "^~\\&", "^~n&", 1), Options{}},
		"other than usual":  {"hl7", "m.hl7", strings.NewReplacer("|", "!", "^", "*", "~", "%", "\\", "$", "&", "@").Replace(msg("OBX|1|TX|||\\.br\\" + said + "\\T\\")), Options{}},
	},
	"HL7 types": {
		"in small letters":       {"hl7", "m.hl7", msg("OBX|1|tx|||" + said), Options{}},
		"with a blank":           {"hl7", "m.hl7", msg("OBX|1|TX |||" + said), Options{}},
		"not known":              {"hl7", "m.hl7", msg("OBX|1|QQ|||" + said), Options{}},
		"a number":               {"hl7", "m.hl7", msg("OBX|1|NM|||" + said), Options{}},
		"a date":                 {"hl7", "m.hl7", msg("OBX|1|DT|||" + said), Options{}},
		"a code with a name":     {"hl7", "m.hl7", msg("OBX|1|IS|||" + said), Options{}},
		"CE, text":               {"hl7", "m.hl7", msg("OBX|1|CE|||1^" + said + "^L"), Options{}},
		"CWE, original":          {"hl7", "m.hl7", msg("OBX|1|cwe|||1^a^L^2^b^L^1^1^" + said), Options{}},
		"CWE, for a code":        {"hl7", "m.hl7", msg("OBX|1|CWE|||" + said), Options{}},
		"CWE, repeated":          {"hl7", "m.hl7", msg("OBX|1|CWE|||1^a^L~2^" + said), Options{}},
		"a name":                 {"hl7", "m.hl7", msg("OBX|1|XPN|||" + canary + "^Jo"), Options{}},
		"a structure of numbers": {"hl7", "m.hl7", msg("OBX|1|SN|||>^5^" + said), Options{}},
		"two types":              {"hl7", "m.hl7", msg("OBX|1|NM~TX|||5~" + said), Options{}},
	},
	"HL7 encapsulated data": {
		"four components":  {"hl7", "m.hl7", msg("OBX|1|ED|||TEXT^^A^" + said), Options{}},
		"one component":    {"hl7", "m.hl7", msg("OBX|1|ED|||" + said), Options{}},
		"a source":         {"hl7", "m.hl7", msg("OBX|1|ED|||" + said + "^TEXT^^A^ok"), Options{}},
		"a subtype":        {"hl7", "m.hl7", msg("OBX|1|ED|||a^TEXT^" + said + "^A^ok"), Options{}},
		"six components":   {"hl7", "m.hl7", msg("OBX|1|ED|||a^TEXT^^A^ok^" + said), Options{}},
		"in small letters": {"hl7", "m.hl7", msg("OBX|1|ed|||a^text^^a^" + said), Options{}},
		"UTF-16":           {"hl7", "m.hl7", msg("OBX|1|ED|||a^TEXT^^Base64^" + b64(utf16Bytes(said, false, false))), Options{}},
		"UTF-16, a mark":   {"hl7", "m.hl7", msg("OBX|1|ED|||a^TEXT^^Base64^" + b64(utf16Bytes(said, true, true))), Options{}},
		"RTF":              {"hl7", "m.hl7", msg("OBX|1|ED|||a^TEXT^^Base64^" + b64(`{\rtf1 `+said+`}`)), Options{}},
		"CDA":              {"hl7", "m.hl7", msg("OBX|1|ED|||a^TEXT^XML^Base64^" + b64("<ClinicalDocument>"+said)), Options{}},
		"CDA, plain":       {"hl7", "m.hl7", msg("OBX|1|ED|||a^TEXT^^Base64^" + b64("<?xml version='1.0'?><ClinicalDocument>"+said)), Options{}},
		"HTML":             {"hl7", "m.hl7", msg("OBX|1|ED|||a^TEXT^HTML^Base64^" + b64("<p>&#90;"+canary[1:]+"</p>")), Options{}},
	},
	"HL7 escapes": {
		"hexadecimal":          {"hl7", "m.hl7", msg(fmt.Sprintf(`OBX|1|FT|||Dr. \X%X\`, canary)), Options{}},
		"hexadecimal, one":     {"hl7", "m.hl7", msg(`OBX|1|FT|||Dr. \X5A\` + canary[1:]), Options{}},
		"hexadecimal, UTF-16":  {"hl7", "m.hl7", msg(fmt.Sprintf(`OBX|1|FT|||Dr. \X%X\`, utf16Bytes(said, true, false))), Options{}},
		"local":                {"hl7", "m.hl7", msg(`OBX|1|FT|||Dr. \` + canary + `\ came`), Options{}},
		"local, with a number": {"hl7", "m.hl7", msg(`OBX|1|FT|||Dr. \Z01\` + canary + `\Z02\ came`), Options{}},
		"format":               {"hl7", "m.hl7", msg(`OBX|1|FT|||Dr. \.in` + canary + `\ came`), Options{}},
		"space":                {"hl7", "m.hl7", msg(`OBX|1|FT|||Dr. \.sp` + canary + `\ came`), Options{}},
		"between lone ones":    {"hl7", "m.hl7", msg(`OBX|1|FT|||C:\ Dr. ` + canary + ` \ came`), Options{}},
	},
	"FHIR data": {
		"in a list":        {"fhir", "d.json", fhirAttachment(`["`+b64(said)+`"]`, ""), Options{}},
		"in two lists":     {"fhir", "d.json", fhirAttachment(`[[["`+b64(said)+`"]]]`, ""), Options{}},
		"with dimensions":  {"fhir", "d.json", fhirAttachment(`"`+b64(said)+`"`, `,"dimensions":1`), Options{}},
		"only dimensions":  {"fhir", "d.json", `{"resourceType":"Basic","valueSampledData":{"dimensions":1,"data":"` + b64(said) + `"}}`, Options{}},
		"with who":         {"fhir", "d.json", fhirAttachment(`"`+b64(said)+`"`, `,"who":{}`), Options{}},
		"with sigFormat":   {"fhir", "d.json", `{"resourceType":"Provenance","signature":[{"sigFormat":"x","who":{},"data":"` + b64(said) + `"}]}`, Options{}},
		"the first empty":  {"fhir", "d.json", fhirAttachment(`"","data":"`+b64(said)+`"`, ""), Options{}},
		"the second empty": {"fhir", "d.json", fhirAttachment(`"`+b64(said)+`","data":""`, ""), Options{}},
		"in capitals":      {"fhir", "d.json", strings.Replace(fhirBinary("text/plain", said), `"data"`, `"DATA"`, 1), Options{}},
		"an escaped key":   {"fhir", "d.json", strings.Replace(fhirBinary("text/plain", said), `"data"`, `"d\u0061ta"`, 1), Options{}},
		"without a type":   {"fhir", "d.json", strings.Replace(fhirBinary("text/plain", said), `"contentType":"text/plain",`, ``, 1), Options{}},
		"two types":        {"fhir", "d.json", strings.Replace(fhirBinary("text/plain", said), `"contentType"`, `"contentType":"text/html","contentType"`, 1), Options{}},
		"UTF-16":           {"fhir", "d.json", fhirBinary("text/plain", utf16Bytes(said, false, false)), Options{}},
		"UTF-16, big":      {"fhir", "d.json", fhirBinary("text/plain", utf16Bytes(said, true, false)), Options{}},
		"UTF-16, a mark":   {"fhir", "d.json", fhirBinary("text/plain", utf16Bytes(said, false, true)), Options{}},
		"UTF-16, Latin-1":  {"fhir", "d.json", fhirBinary("text/plain;charset=iso-8859-1", utf16Bytes(said, false, true)), Options{}},
		"CDA as XML":       {"fhir", "d.json", fhirBinary("text/xml", "<ClinicalDocument><id extension='"+canary+"'/></ClinicalDocument>"), Options{}},
		"CDA as XHTML":     {"fhir", "d.json", fhirBinary("application/xhtml+xml", "<ClinicalDocument><id extension='"+canary+"'/></ClinicalDocument>"), Options{}},
		"CDA as HTML":      {"fhir", "d.json", fhirBinary("text/html", "<ClinicalDocument><id extension='"+canary+"'/></ClinicalDocument>"), Options{}},
		"CDA as text":      {"fhir", "d.json", fhirBinary("text/plain", "<ClinicalDocument><id extension='"+canary+"'/></ClinicalDocument>"), Options{}},
		"RTF as text":      {"fhir", "d.json", fhirBinary("text/plain", `{\rtf1 `+said), Options{}},
		"in a URL":         {"fhir", "d.json", `{"resourceType":"DocumentReference","content":[{"attachment":{"url":"data:text/plain,` + canary + `"}}]}`, Options{}},
		"base64 in a URL":  {"fhir", "d.json", `{"resourceType":"DocumentReference","content":[{"attachment":{"url":" DATA:;base64,` + b64(said) + `"}}]}`, Options{}},
		"contained":        {"fhir", "d.json", `{"resourceType":"Basic","contained":[` + fhirBinary("text/plain", said) + `]}`, Options{}},
	},
	"FHIR text": {
		"note.text in a list":     {"fhir", "d.json", `{"resourceType":"Observation","note":[{"text":["` + said + `"]}]}`, Options{}},
		"note as a string":        {"fhir", "d.json", `{"resourceType":"Observation","note":"` + said + `"}`, Options{}},
		"note as an object":       {"fhir", "d.json", `{"resourceType":"Observation","note":{"text":"` + said + `"}}`, Options{}},
		"valueAnnotation":         {"fhir", "d.json", `{"resourceType":"Basic","extension":[{"url":"x","valueAnnotation":{"text":"` + said + `"}}]}`, Options{}},
		"an Annotation elsewhere": {"fhir", "d.json", `{"resourceType":"Basic","remark":{"authorString":"x","text":"` + said + `"}}`, Options{}},
		"valueString in a list":   {"fhir", "d.json", `{"resourceType":"Observation","valueString":["` + said + `"]}`, Options{}},
		"valueString twice":       {"fhir", "d.json", `{"resourceType":"Observation","valueString":"","valueString":"` + said + `"}`, Options{}},
		"of a primitive":          {"fhir", "d.json", `{"resourceType":"Patient","_birthDate":{"extension":[{"valueString":"` + said + `"}]}}`, Options{}},
		"in capitals":             {"fhir", "d.json", `{"resourceType":"DiagnosticReport","CONCLUSION":"` + said + `"}`, Options{}},
		"UTF-16 in escapes":       {"fhir", "d.json", `{"resourceType":"DiagnosticReport","conclusion":` + string(asJSON(utf16Bytes(said, true, false))) + `}`, Options{}},
		"no FHIR":                 {"fhir", "d.json", `{"text":"` + said + `"}`, Options{}},
		"no FHIR, a list":         {"fhir", "d.json", `[{"resourceType":"Basic","valueString":"` + said + `"}]`, Options{}},
		"div in a list":           {"fhir", "d.json", `{"resourceType":"Basic","text":{"div":["<p>` + said + `</p>"]}}`, Options{}},
	},
	"HTML": {
		"an address":                 {"fhir", "d.json", fhirBinary("text/html", "<p>From <"+canary+".x@hospital.example></p>"), Options{}},
		"a quote in a tag":           {"fhir", "d.json", fhirBinary("text/html", `<p x'y>Dr. `+canary+` isn't here</p>`), Options{}},
		"a quote too many":           {"fhir", "d.json", fhirBinary("text/html", `<p class="a"">Dr. `+canary+`, "here"</p>`), Options{}},
		"a title":                    {"fhir", "d.json", fhirBinary("text/html", `<p title="`+canary+`">x</p>`), Options{}},
		"alt, in single quotes":      {"fhir", "d.json", fhirBinary("text/html", `<img src='a' alt='`+canary+`'/>`), Options{}},
		"a link":                     {"fhir", "d.json", fhirBinary("text/html", `<a href=mailto:`+canary+`@x.example>x</a>`), Options{}},
		"a reference in a link":      {"fhir", "d.json", fhirBinary("text/html", `<a href="&#90;`+canary[1:]+`">x</a>`), Options{}},
		"an attribute nobody knows":  {"fhir", "d.json", fhirBinary("text/html", `<p data-x="`+canary+`">x</p>`), Options{}},
		"an attribute without value": {"fhir", "d.json", fhirBinary("text/html", `<p `+canary+`>x</p>`), Options{}},
		"an element nobody knows":    {"fhir", "d.json", fhirBinary("text/html", `<given>`+canary+`</given><`+canary+`>`), Options{}},
		"an end tag":                 {"fhir", "d.json", fhirBinary("text/html", `<p>x</p `+canary+`>`), Options{}},
		"a comment":                  {"fhir", "d.json", fhirBinary("text/html", `<!-- `+canary+` -->`), Options{}},
		"a script":                   {"fhir", "d.json", fhirBinary("text/html", `<script>if (a<b) alert("`+canary+`")</script>`), Options{}},
		"a style":                    {"fhir", "d.json", fhirBinary("text/html", `<style>p:after { content: "`+canary+`" }</style>`), Options{}},
		"a style of an element":      {"fhir", "d.json", fhirBinary("text/html", `<p style="content: '`+canary+`'">`), Options{}},
		"a doctype":                  {"fhir", "d.json", fhirBinary("text/html", `<!DOCTYPE `+canary+`><p>x`), Options{}},
		"a number without end":       {"fhir", "d.json", fhirBinary("text/html", `Dr. &#90`+canary[1:]), Options{}},
		"a number with zeros":        {"fhir", "d.json", fhirBinary("text/html", `Dr. &#x00000000000000000000000000000000005A;`+canary[1:]), Options{}},
		"a picture":                  {"fhir", "d.json", fhirBinary("text/html", `<img src="data:image/svg+xml,`+canary+`"/>`), Options{}},
		"CDATA":                      {"fhir", "d.json", fhirBinary("text/html", `<p><![CDATA[`+canary+`]]></p>`), Options{}},
		"an instruction":             {"fhir", "d.json", fhirBinary("text/html", `<p><?x `+canary+`?></p>`), Options{}},
	},
	"XML": {
		"an instruction":               {"i2b2", "a.xml", "<?note " + canary + "?><deIdi2b2><TEXT>fine</TEXT></deIdi2b2>", Options{}},
		"an instruction in a text":     {"i2b2", "a.xml", "<deIdi2b2><TEXT>a<?x " + canary + "?></TEXT></deIdi2b2>", Options{}},
		"a second declaration":         {"i2b2", "a.xml", "<deIdi2b2><TEXT>a<?xml version='1.0' x='" + canary + "'?></TEXT></deIdi2b2>", Options{}},
		"a declaration that says more": {"i2b2", "a.xml", "<?xml version='1.0' by='" + canary + "'?><deIdi2b2><TEXT>a</TEXT></deIdi2b2>", Options{}},
		"a doctype":                    {"i2b2", "a.xml", "<!DOCTYPE deIdi2b2 [<!ENTITY a \"" + canary + "\">]><deIdi2b2><TEXT>a</TEXT></deIdi2b2>", Options{}},
		"an attribute of the root":     {"i2b2", "a.xml", "<deIdi2b2 author='" + canary + "'><TEXT>a</TEXT></deIdi2b2>", Options{}},
		"an attribute of TEXT":         {"meddocan", "a.xml", "<MEDDOCAN><TEXT author='" + canary + "'>a</TEXT></MEDDOCAN>", Options{}},
		"an attribute of TAGS":         {"i2b2", "a.xml", "<deIdi2b2><TEXT>a</TEXT><TAGS by='" + canary + "'></TAGS></deIdi2b2>", Options{}},
		"a namespace":                  {"i2b2", "a.xml", "<deIdi2b2><" + canary + ":TEXT>a</" + canary + ":TEXT></deIdi2b2>", Options{}},
		"tags":                         {"i2b2", "a.xml", "<deIdi2b2><TEXT>a</TEXT><TAGS><NAME text='" + canary + "'/></TAGS></deIdi2b2>", Options{}},
		"references":                   {"i2b2", "a.xml", "<deIdi2b2><TEXT>&#90;" + canary[1:] + "</TEXT></deIdi2b2>", Options{}},
	},
	"JSON Lines": {
		"marks below":          {"jsonl", "n.jsonl", `{"data":{"text":"` + said + `","label":[[12,22,"` + canary + `"]],"entities":[{"text":"` + canary + `"}]}}`, Options{Columns: []string{"data.text"}}},
		"marks further down":   {"jsonl", "n.jsonl", `{"text":"` + said + `","meta":{"a":[{"entities":{"0":"` + canary + `"}}]}}`, Options{}},
		"spans as an object":   {"jsonl", "n.jsonl", `{"text":"` + said + `","spans":{"0":{"text":"` + canary + `"}}}`, Options{}},
		"spans below":          {"jsonl", "n.jsonl", `{"data":{"text":"a","spans":[{"text":"` + canary + `"}]}}`, Options{Columns: []string{"data.text"}}},
		"an escaped key":       {"jsonl", "n.jsonl", `{"t\u0065xt":"` + said + `","l\u0061bel":["` + canary + `"]}`, Options{}},
		"the key twice":        {"jsonl", "n.jsonl", `{"text":"a","text":"` + said + `"}`, Options{}},
		"another case":         {"jsonl", "n.jsonl", `{"text":"a","Text":"` + said + `"}`, Options{}},
		"another kind":         {"jsonl", "n.jsonl", `{"text":"a","text":["` + said + `"]}`, Options{}},
		"a path and a text":    {"jsonl", "n.jsonl", `{"a":{"b":"x"},"a":"` + said + `"}`, Options{Columns: []string{"a.b"}}},
		"UTF-16 in escapes":    {"jsonl", "n.jsonl", `{"text":` + string(asJSON(utf16Bytes(said, true, false))) + `}`, Options{}},
		"RTF":                  {"jsonl", "n.jsonl", `{"text":` + string(asJSON(`{\rtf1 `+said+`}`)) + `}`, Options{}},
		"a mark in the middle": {"jsonl", "n.jsonl", `{"text":"a"}` + "\n\uFEFF" + `{"text":"` + said + `"}`, Options{}},
	},
	"UTF-16": {
		"a mark":             {"text", "a.txt", utf16Bytes(said, false, true), Options{}},
		"no mark, big":       {"text", "a.txt", utf16Bytes(said, true, false), Options{}},
		"Latin-1, a mark":    {"text", "a.txt", utf16Bytes(said, false, true), Options{Encoding: "latin1"}},
		"Latin-1, no mark":   {"text", "a.txt", utf16Bytes(said, false, false), Options{Encoding: "latin1"}},
		"Cyrillic, big":      {"text", "a.txt", utf16Bytes("Пациент Иванов был здесь "+canary, true, false), Options{}},
		"Cyrillic, little":   {"text", "a.txt", utf16Bytes("Пациент Иванов был здесь "+canary, false, false), Options{Encoding: "windows-1252"}},
		"Chinese and a name": {"text", "a.txt", utf16Bytes(strings.Repeat("病人今天来到医院", 40)+canary, true, false), Options{Encoding: "latin1"}},
		"CSV":                {"csv", "n.csv", utf16Bytes("note\n"+said+"\n", false, false), Options{Columns: []string{"note"}}},
		"CSV, a field":       {"csv", "n.csv", "note\n" + strings.Repeat("a", 300) + utf16Bytes(said, true, false) + "\n", Options{Columns: []string{"note"}}},
		"HL7":                {"hl7", "m.hl7", utf16Bytes(msg("OBX|1|TX|||"+said), false, true), Options{}},
		"XML":                {"i2b2", "a.xml", utf16Bytes("<deIdi2b2><TEXT>"+said+"</TEXT></deIdi2b2>", false, true), Options{}},
		"UTF-32":             {"text", "a.txt", "\x00\x00\x00Z\x00\x00\x00q", Options{}},
	},
	"files of another format": {
		"CSV as text":        {"text", "notes.csv", "id,note\n1," + canary, Options{}},
		"TSV as text":        {"text", "notes.TSV.gz", "id\tnote\n1\t" + canary, Options{}},
		"JSON Lines as text": {"text", "stdin", `{"text": "` + canary + `"}`, Options{}},
		"an export as text":  {"text", "stdin", "[\n {\"resourceType\": \"Patient\", \"id\": \"" + canary + "\"}]", Options{}},
		"HL7 as text":        {"text", "stdin", msg("OBX|1|TX|||" + canary), Options{}},
		"framed HL7 as text": {"text", "stdin", "\x0b" + msg("OBX|1|TX|||"+canary), Options{}},
		"XML as text":        {"text", "stdin", "<?xml version='1.0'?><a>" + canary + "</a>", Options{}},
		"CDA as text":        {"text", "stdin", "\uFEFF <ClinicalDocument xmlns='urn:hl7-org:v3'>" + canary, Options{}},
		"RTF as text":        {"text", "stdin", `{\rtf1\ansi ` + canary + "}", Options{}},
		"PDF as text":        {"text", "stdin", "%PDF-1.7 " + canary, Options{}},
		"ZIP as text":        {"text", "stdin", "PK\x03\x04 " + canary, Options{}},
		"gzip in gzip":       {"text", "a.txt.gz", "\x1f\x8b\x08" + canary, Options{Encoding: "latin1"}},
		"two extensions":     {"text", "a.txt.gz.gz", canary, Options{}},
		"Word as text":       {"brat", "a.docx", canary, Options{}},
		"JSON as CSV":        {"csv", "stdin", "{\"note\": 1,\"x\": \"" + canary + "\"}\n", Options{Columns: []string{`{"note": 1`}}},
		"HL7 as CSV":         {"csv", "a.hl7", "note\n" + canary, Options{Columns: []string{"note"}}},
		"CSV as JSON Lines":  {"jsonl", "a.csv", `{"text":"` + canary + `"}`, Options{}},
		"XML as HL7":         {"hl7", "a.xml", msg("OBX|1|TX|||" + canary), Options{}},
		"HL7 as FHIR":        {"fhir", "a.hl7", `{"resourceType":"Basic"}`, Options{}},
		"JSON as i2b2":       {"i2b2", "stdin", `{"resourceType":"Basic"}`, Options{}},
	},
	"columns in each other": {
		"CSV, twice":              {"csv", "n.csv", "note\n" + said + "\n", Options{Columns: []string{"note", "note"}}},
		"CSV, the patient":        {"csv", "n.csv", "note\n" + said + "\n", Options{Columns: []string{"note"}, Patient: "note", NoPatient: true}},
		"CSV, the id":             {"csv", "n.csv", "note\n" + said + "\n", Options{Columns: []string{"note"}, ID: "note"}},
		"JSON Lines, twice":       {"jsonl", "n.jsonl", `{"text":"` + said + `"}`, Options{Columns: []string{"text", "text"}}},
		"JSON Lines, the patient": {"jsonl", "n.jsonl", `{"text":"` + said + `"}`, Options{Columns: []string{"text"}, Patient: "text", NoPatient: true}},
		"the patient by default":  {"jsonl", "n.jsonl", `{"patient":"` + said + `"}`, Options{Columns: []string{"patient"}, NoPatient: true}},
		"within the patient":      {"jsonl", "n.jsonl", `{"p":{"b":"` + said + `"}}`, Options{Columns: []string{"p.b"}, Patient: "p", NoPatient: true}},
		"within each other":       {"jsonl", "n.jsonl", `{"p":{"b":"` + said + `"}}`, Options{Columns: []string{"p.b", "p"}}},
		"size is an object":       {"fhir", "d.json", fhirAttachment(`"`+b64(said)+`"`, `,"size":{"valueString":"`+said+`"}`), Options{}},
		"hash is an object":       {"fhir", "d.json", fhirAttachment(`"`+b64(said)+`"`, `,"hash":{"valueString":"`+said+`"}`), Options{}},
	},
}

func asJSON(v any) []byte {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return raw
}

func TestEveryTextIsExaminedOrTheRecordRefused(t *testing.T) {
	for class, files := range hostile {
		for name, e := range files {
			t.Run(class+"/"+name, func(t *testing.T) {
				o := replaceCanaries(e)
				if where := leak(o.out); where != "" {
					t.Errorf("the canary is left: %s\n%q", where, o.out)
				}
				if len(o.errs) == 0 && o.notes == 0 && !strings.Contains(class+name, "tags") {
					t.Errorf("nothing is examined and nothing refused")
				}
				if len(o.errs) == 0 && class == "files of another format" {
					t.Errorf("the file is not refused")
				}
				for _, err := range o.errs {
					if strings.Contains(err.Error(), canary) {
						t.Errorf("an error quotes the file: %v", err)
					}
				}
			})
		}
	}
}

// leak names the encoding in which a file still contains the canary, or returns "". It decodes
// every part in every supported way, also nested: escapes, references, base64 and UTF-16.
func leak(raw []byte) string {
	return leakIn(raw, "as it stands", 3)
}

func leakIn(raw []byte, how string, depth int) string {
	if bytes.Contains(raw, []byte(canary)) {
		return how
	}
	if depth == 0 {
		return ""
	}
	for _, d := range decoders {
		for _, decoded := range d.decode(raw) {
			if where := leakIn(decoded, how+", "+d.name, depth-1); where != "" {
				return where
			}
		}
	}
	return ""
}

func TestOtherFormatsAreNotTakenForTextThatMerelyLooksLikeThem(t *testing.T) {
	for _, text := range []string{
		"[PATIENT] was seen.", "{note} a", "<b> Seen by", "<3 he said", "{ }", "[x] checked\n[ ] not", "MSH is a gene.", "%5 PDF", "PK was measured", "<Name> Jo", "[{a}]", "{\"quoted\"} text",
		"MSH6|MSH2 repair", "Fund. <e@mail.example>",
	} {
		e := example{"text", "stdin", text, Options{}}
		if got := encode(readAll(t, e), none); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

func TestHarmlessValuesStay(t *testing.T) {
	for name, e := range map[string]example{
		"HL7 values": {"hl7", "m.hl7", msg("OBX|1|NM|||-7.5", "OBX|2|SN|||>=^5^:^7", "OBX|3|DT|||20260203", "OBX|4|TS|||20260203101500.12+0100^S", "OBX|5|TM|||1015", "OBX|6|nm |||7~8",
			"OBX|7|DR|||20260203^20260204", "OBX|8|ID|||N", "OBX|9|IS|||POS-1", "OBX|10|NM|||\"\"", "OBX|11|CE|||N^^L"), Options{}},
		"SampledData": {"fhir", "d.json", `{"resourceType":"Observation","valueSampledData":{"dimensions":1,"data":"2 -4.5 E U 1e3"}}`, Options{}},
		"signature":   {"fhir", "d.json", `{"resourceType":"Provenance","signature":[{"who":{},"sigFormat":"application/jose","data":"` + b64("eyJhbGciOiJ9..abcdefghijklmnopqrstuv") + `"}]}`, Options{}},
		"Consent":     {"fhir", "d.json", `{"resourceType":"Consent","provision":{"data":[{"meaning":"instance","reference":{"reference":"Task/1"}}]}}`, Options{}},
		"link":        {"fhir", "d.json", `{"resourceType":"DocumentReference","content":[{"attachment":{"contentType":"application/pdf","url":"Binary/1","title":"database: a, b"}}]}`, Options{}},
	} {
		records := readAll(t, e)
		for _, r := range records {
			for _, n := range r.Notes {
				t.Errorf("%s: a note %q", name, n.Text)
			}
		}
		if got := encode(records, none); got != e.file {
			t.Errorf("%s: became %q", name, got)
		}
	}
}

func TestLayoutOfHTMLIsNoText(t *testing.T) {
	e := example{"fhir", "d.json", `{"resourceType":"Basic","text":{"div":` + string(asJSON(`<div xmlns="http://www.w3.org/1999/xhtml" lang="en"><p class="a b" style="color: red; margin: 0 auto">Ana <b id="x">Gil</b><a href="#"/></p><TD colspan=2 nowrap>1&nbsp</TD></div>`)) + `}}`, Options{}}
	records := readAll(t, e)
	if got, want := records[0].Notes[0].Text, "\n\nAna Gil\n\t1\u00a0\t\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := encode(records, each("Ana Gil", "[P]")), strings.Replace(strings.Replace(e.file, "Ana ", "[P]", 1), "Gil", "", 1); got != want {
		t.Errorf("%s", got)
	}
}

// The type of a script was examined as text, and a name of an input was not.
func TestTypesOfHTMLBecameTagsAndNamesStayed(t *testing.T) {
	const html = `<meta name="viewport"><script type="application/json">x</script><a name="Gil"></a><input type="text" name=Ana>`
	e := example{"fhir", "d.json", `{"resourceType":"Basic","text":{"div":` + string(asJSON(html)) + `}}`, Options{}}
	text := readAll(t, e)[0].Notes[0].Text
	if strings.Contains(text, "application") || strings.Contains(text, "viewport") || !strings.Contains(text, "\nGil\n") || !strings.Contains(text, "\nAna\n") {
		t.Errorf("%q", text)
	}
}

// New text in an attribute does not end the attribute.
func TestEditsInAttributes(t *testing.T) {
	for in, want := range map[string]string{
		`<p title="a Gil'">x</p>`:  `<p title="a &quot;&#39; &gt;'">x</p>`,
		`<p title='a Gil'>x</p>`:   `<p title='a &quot;&#39; &gt;'>x</p>`,
		`<p title=a&amp;Gil>x</p>`: `<p title=a&amp;&quot;&#39;&#32;&gt;>x</p>`,
	} {
		e := example{"fhir", "d.json", `{"resourceType":"Basic","text":{"div":` + string(asJSON(in)) + `}}`, Options{}}
		var v struct{ Text struct{ Div string } }
		out := encode(readAll(t, e), each("Gil", `"' >`))
		if err := json.Unmarshal([]byte(out), &v); err != nil || v.Text.Div != want {
			t.Errorf("%s: %s (%v)", in, v.Text.Div, err)
		}
	}
}

func TestEscapesOfHL7StayEscapes(t *testing.T) {
	for in, want := range map[string]string{
		`Seen by \Z01\Dr. Gil\Z02\ on \.in+4\ and \C2842\ ok`: `Seen by \Z01\Dr. [X]\Z02\ on \.in+4\ and \C2842\ ok`,
		`\M244D2A\Gil\M2842\`: `\M244D2A\[X]\M2842\`,
		`C:\ Gil \ D:`:        `C:\E\ [X] \E\ D:`,
		`a \ b`:               `a \ b`,
		`\Gil\ x`:             `\E\[X]\E\ x`,
		`\xyzw\ Gil`:          `\xyzw\ [X]`,
		`\X47696C\ x`:         `[X] x`,
		`\XE9\ Gil`:           `\XE9\ [X]`,
		`Gil\P\`:              `[X]\P\`,
	} {
		e := example{"hl7", "m.hl7", msg("OBX|1|FT|||" + in), Options{}}
		if got := encode(readAll(t, e), each("Gil", "[X]")); got != msg("OBX|1|FT|||"+want) {
			t.Errorf("%s: %q", in, got)
		}
	}
}

// A surrogate for a name with a line end in it has the line end, too, which was written beside the escape or the repetition that stands for it.
func TestLineEndsWithinNewTextWereWrittenTwice(t *testing.T) {
	for _, c := range []struct{ in, old, made, want string }{
		{`Gil\.br\Vega was seen`, "Gil\nVega", "Ann\nLee", `Ann\.br\Lee was seen`},
		{`per Gil\.sp\Vega\.br\Lima`, "Gil\nVega", "Ann\nLee", `per Ann\.sp\Lee\.br\Lima`},
		{`Pt is Gil~Vega~line 3`, "Gil\nVega", "Ann\nLee", `Pt is Ann~Lee~line 3`},
		{`Gil\.br\\.br\Vega`, "Gil\n\nVega", "Ann\n\nLee", `Ann\.br\\.br\Lee`},
		{`Gil\.br\\.br\Vega`, "Gil\n\nVega", "[X]", `[X]\.br\\.br\`},
	} {
		e := example{"hl7", "m.hl7", msg("OBX|1|FT|||" + c.in), Options{}}
		if got := encode(readAll(t, e), each(c.old, c.made)); got != msg("OBX|1|FT|||"+c.want) {
			t.Errorf("%s: %q", c.in, got)
		}
	}
}

// New text must not, together with its neighbours, end a CDATA section, or form the end of a
// section outside of one.
func TestBracketsOfNewTextEndNoCDATA(t *testing.T) {
	for in, want := range map[string]string{
		`<![CDATA[per Gil]> 5 mg]]>`:  `<![CDATA[per [X]]]]><![CDATA[> 5 mg]]>`,
		`<![CDATA[per Gil]]>`:         `<![CDATA[per [X]]]>`,
		`<![CDATA[per ]Gil]> x]]>`:    `<![CDATA[per ][X]]]]><![CDATA[> x]]>`,
		`per Gil]> 5 mg`:              `per [X]]&gt; 5 mg`,
		`Gil]]&gt;`:                   `[X]]]&gt;`,
		`a<![CDATA[Gil]]>b Gil]>&lt;`: `a<![CDATA[[X]]]>b [X]]&gt;&lt;`,
	} {
		e := example{"i2b2", "a.xml", "<deIdi2b2><TEXT>" + in + "</TEXT></deIdi2b2>", Options{}}
		got := encode(readAll(t, e), each("Gil", "[X]"))
		if got != "<deIdi2b2><TEXT>"+want+"</TEXT></deIdi2b2>" {
			t.Errorf("%s: %s", in, got)
		}
		before, after := readAll(t, e)[0].Notes[0], readAll(t, example{"i2b2", "a.xml", got, Options{}})[0].Notes[0]
		if want := before.Replaced(each("Gil", "[X]")(before)).Text; after.Text != want {
			t.Errorf("%s: the text is %q, want %q", in, after.Text, want)
		}
	}
	// Taking a name out may join the two as well.
	e := example{"i2b2", "a.xml", "<deIdi2b2><TEXT>]Gil]></TEXT></deIdi2b2>", Options{}}
	if got, want := encode(readAll(t, e), each("Gil", "")), "<deIdi2b2><TEXT>]]&gt;</TEXT></deIdi2b2>"; got != want {
		t.Error(got)
	}
	e = example{"i2b2", "a.xml", "<deIdi2b2><TEXT><![CDATA[<]]>a & b</TEXT></deIdi2b2>", Options{}}
	e.file = strings.Replace(e.file, "a & b", "a &amp; b", 1)
	if got, want := encode(readAll(t, e), each("b", "<")), "<deIdi2b2><TEXT><![CDATA[<]]>a &amp; &lt;</TEXT></deIdi2b2>"; got != want {
		t.Error(got)
	}
}

// Removing a name does not change rows and columns.
func TestRowsStayRowsWhenNamesAreTakenOut(t *testing.T) {
	for in, want := range map[string]string{
		"id,note\n1,Gil\"s note\n2,b\n":   "id,note\n1,\"\"\"s note\"\n2,b\n",
		"id,note\n1,Gil \"a\" b\n2,b\n":   "id,note\n1,\" \"\"a\"\" b\"\n2,b\n",
		"note\nGil\nb\n":                  "note\n\"\"\nb\n",
		"id,note\n1,a Gil b\n2,\"Gil\"\n": "id,note\n1,a  b\n2,\"\"\n",
	} {
		e := example{"csv", "n.csv", in, Options{Columns: []string{"note"}}}
		if got := encode(readAll(t, e), each("Gil", "")); got != want {
			t.Errorf("%q: %q", in, got)
		}
	}
}

// Overlapping edits are an error, wherever they come from.
func TestOverlapsAreErrors(t *testing.T) {
	for name, e := range examples {
		for _, r := range readAll(t, e) {
			edits := make([][]Edit, len(r.Notes))
			any := false
			for i, n := range r.Notes {
				if len(n.Text) > 2 {
					any = true
					edits[i] = []Edit{{Start: 0, End: 2, New: "a"}, {Start: 1, End: 3, New: "b"}}
				}
			}
			if _, err := r.Encode(edits); any && err == nil {
				t.Errorf("%s: overlapping edits are written", name)
			}
			for i, n := range r.Notes {
				edits[i] = []Edit{{Start: 0, End: len(n.Text) + 1}}
			}
			if _, err := r.Encode(edits); len(r.Notes) > 0 && err == nil {
				t.Errorf("%s: an edit behind the text is written", name)
			}
		}
	}
	note := readAll(t, examples["text"])[0]
	note.Notes = append(note.Notes, note.Notes[0])
	edit := []Edit{{Start: 0, End: 2, New: "a"}}
	if _, err := note.Encode([][]Edit{edit, edit}); err == nil {
		t.Error("two notes of one place are written")
	}
}

// These files once took time quadratic in their size. None of them takes a second now.
func TestHostileSizes(t *testing.T) {
	const n = 10000
	for name, tc := range map[string]struct {
		e     example
		notes int
		errs  int
	}{
		"equal keys":      {example{"jsonl", "n.jsonl", "{" + strings.Repeat(`"text":"Ana Gil",`, n) + `"id":1}`, Options{}}, n, 0},
		"equal spans":     {example{"jsonl", "n.jsonl", "{" + strings.Repeat(`"spans":[1],`, n) + `"text":"Gil"}`, Options{}}, 1, 0},
		"deep extensions": {example{"fhir", "d.json", `{"resourceType":"Basic","a":` + strings.Repeat(`{"extension":[`, 4000) + `{"valueString":"Gil"}` + strings.Repeat("]}", 4000) + "}", Options{}}, 0, 1},
		"deep, allowed":   {example{"fhir", "d.json", `{"resourceType":"Basic","a":` + strings.Repeat(`{"a":`, 200) + "[" + strings.Repeat(`{"valueString":"Gil"},`, n) + "0]" + strings.Repeat("}", 200) + "}", Options{}}, n, 0},
		"many places":     {example{"fhir", "d.json", `{"resourceType":"Basic","extension":[` + strings.Repeat(`{"url":"http://x/a","valueUrl":"#place"},`, n) + `{}]}`, fhirOptions(t)}, 0, 0},
		"many tags":       {example{"fhir", "d.json", `{"resourceType":"Basic","text":{"div":"` + strings.Repeat("<p title='", n) + strings.Repeat("&", n) + `"}}`, Options{}}, 1, 0},
		"lone escapes":    {example{"hl7", "m.hl7", msg("OBX|1|TX|||" + strings.Repeat("Gil \\ x", n)), Options{}}, 1, 0},
		"many fields":     {example{"csv", "n.csv", "note" + strings.Repeat(",x", n) + "\nGil" + strings.Repeat(",y", n) + "\n", Options{Columns: []string{"note"}}}, 1, 0},
		"many sections":   {example{"i2b2", "a.xml", "<deIdi2b2><TEXT>" + strings.Repeat("<![CDATA[Gil]]>", n) + "</TEXT></deIdi2b2>", Options{}}, 1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			f, _ := Lookup(tc.e.format)
			notes, errs := 0, 0
			for r, err := range f.Read(strings.NewReader(tc.e.file), tc.e.name, tc.e.options) {
				if err != nil {
					errs++
					continue
				}
				notes += len(r.Notes)
				edits := make([][]Edit, len(r.Notes))
				for i, note := range r.Notes {
					edits[i] = each("Gil", "[X]")(note)
				}
				if _, err := r.Encode(edits); err != nil {
					t.Error(err)
				}
			}
			if notes != tc.notes || errs != tc.errs {
				t.Errorf("%d notes and %d errors, want %d and %d", notes, errs, tc.notes, tc.errs)
			}
		})
	}
}

// decoder takes bytes apart.
type decoderOf struct {
	name   string
	decode func([]byte) [][]byte
}

var decoders = []decoderOf{
	{"in base64", func(raw []byte) (all [][]byte) {
		for _, word := range bytes.FieldsFunc(raw, func(r rune) bool {
			return r >= 0x80 || !markup.IsAlphanumeric(byte(r)) && !strings.ContainsRune("+/=_-", r)
		}) {
			if len(word) < 12 {
				continue
			}
			for _, enc := range []*base64.Encoding{base64.StdEncoding, base64.RawStdEncoding, base64.RawURLEncoding} {
				if decoded, err := enc.DecodeString(string(word)); err == nil {
					all = append(all, decoded)
					break
				}
			}
		}
		return all
	}},
	{"in escapes of JSON", func(raw []byte) [][]byte {
		if !bytes.ContainsRune(raw, '\\') {
			return nil
		}
		return [][]byte{jsonEscapes(raw)}
	}},
	{"in character references", func(raw []byte) [][]byte {
		if !bytes.ContainsRune(raw, '&') {
			return nil
		}
		return [][]byte{[]byte(unescapeHTML(string(raw)))}
	}},
	{"in escapes of HL7", func(raw []byte) [][]byte {
		if !bytes.ContainsAny(raw, `\$`) {
			return nil
		}
		return hexEscapes(raw)
	}},
	{"in RTF", func(raw []byte) [][]byte {
		if !bytes.Contains(raw, []byte(`{\rtf`)) {
			return nil
		}
		return [][]byte{rtfEscapes(raw)}
	}},
	{"in a URL", func(raw []byte) [][]byte {
		if !bytes.ContainsRune(raw, '%') {
			return nil
		}
		s, err := url.PathUnescape(string(raw))
		if err != nil {
			return nil
		}
		return [][]byte{[]byte(s)}
	}},
	{"between NULs", func(raw []byte) [][]byte {
		if !bytes.Contains(raw, []byte{0}) {
			return nil
		}
		return [][]byte{bytes.ReplaceAll(raw, []byte{0}, nil)}
	}},
}

// The first part of a gzipped text of which the end is missing was taken for the whole note.
func TestATruncatedGzipFileIsNotTheWholeNote(t *testing.T) {
	var file bytes.Buffer
	zip := gzip.NewWriter(&file)
	for i := range 2000 {
		fmt.Fprintf(zip, "Visit %d: Lasix %d mg.\n", i, i*7919%97)
	}
	if err := zip.Close(); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"text", "rtf", "ccda", "meddocan", "i2b2", "fhir", "brat"} {
		format, err := Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, size := range []int{file.Len() / 2, file.Len() - 8} {
			unzipped, err := gzip.NewReader(bytes.NewReader(file.Bytes()[:size]))
			if err != nil {
				t.Fatal(err)
			}
			var last error
			for _, err := range format.Read(unzipped, "n"+format.Exts[0]+".gz", Options{}) {
				last = err
			}
			if !errors.Is(last, io.ErrUnexpectedEOF) {
				t.Errorf("%s, %d bytes: error %v", name, size, last)
			}
		}
	}
}
