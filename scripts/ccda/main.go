// Command ccda checks "lethe deidentify --format ccda" on C-CDA documents that it makes:
//
//	go build -o lethe ./cmd/lethe && go run ./scripts/ccda -lethe ./lethe -work /tmp/ccda
//
// It writes 30 documents with several sections, tables and entries, and with a name, a number or an address in every place of the header that
// says who somebody is, and checks that
//
//   - a run that keeps everything changes nothing
//   - after a run by the default policy, none of these values is left, the documents are well-formed and have the same elements, the
//     narratives are the same apart from PHI, dates are years, and identifiers that were equal still are
//   - a PDF refuses a document, or is removed
//   - files that are cut off or otherwise broken are refused
//
// Everything in the documents is invented.
package main

import (
	"bytes"
	"encoding/base64"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"html"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

func main() {
	lethe := flag.String("lethe", "./lethe", "the program to check")
	work := flag.String("work", "", "folder for the files; it must not exist")
	flag.Parse()
	c := checker{dir: *work}
	var err error
	if c.lethe, err = filepath.Abs(*lethe); err == nil {
		err = c.run()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "ccda:", err)
		os.Exit(1)
	}
}

const documents = 30

// document is a document with the values that must not be left in the output.
type document struct {
	text     string
	canaries []string
	next     int
}

// canary returns a value that is used once.
func (d *document) canary(form string) string {
	d.next++
	c := fmt.Sprintf(form, d.next)
	d.canaries = append(d.canaries, c)
	return c
}

func (d *document) name() string   { return d.canary("Zqwyx%03den") }
func (d *document) number() string { return d.canary("QZ77%03d51") }
func (d *document) person(prefix string) string {
	return `<name use="L"><prefix>` + prefix + `</prefix><given>` + d.name() + `</given><given qualifier="CL">` + d.name() + `</given><family>` + d.name() + `</family></name>`
}

func (d *document) place() string {
	return `<addr use="HP"><streetAddressLine>` + d.canary("%03d Qwyxen Street") + `</streetAddressLine><city>` + d.name() + `</city><state>MA</state><postalCode>` + d.canary("0217%03d") + `</postalCode><country>US</country></addr>
      <telecom use="HP" value="tel:` + d.canary("+1(555)555-2%03d") + `"/><telecom value="mailto:` + d.canary("zq%03d@example.org") + `"/>`
}

func (d *document) id() string {
	return `<id root="2.16.840.1.113883.19" extension="` + d.number() + `"/>`
}

func (d *document) time() string {
	return fmt.Sprintf("2071%02d%02d1015-0500", 1+d.next%12, 1+d.next%28)
}

func (d *document) organization(element string) string {
	return `<` + element + `>` + d.id() + `<name>` + d.name() + ` Hospital</name>` + d.place() + `</` + element + `>`
}

func (d *document) participation(element, role string) string {
	return `<` + element + `><time value="` + d.time() + `"/><` + role + `>` + d.id() + d.place() + `<assignedPerson>` + d.person("Dr.") + `</assignedPerson>` + d.organization("representedOrganization") + `</` + role + `></` + element + `>` + "\n"
}

// newDocument returns the n-th document.
func newDocument(n int) *document {
	d := &document{next: n}
	var b strings.Builder
	b.WriteString(`<?xml version="1.0" encoding="UTF-8"?>
<?xml-stylesheet type="text/xsl" href="CDA.xsl"?>
<ClinicalDocument xmlns="urn:hl7-org:v3" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:sdtc="urn:hl7-org:sdtc">
  <realmCode code="US"/><typeId root="2.16.840.1.113883.1.3" extension="POCD_HD000040"/><templateId root="2.16.840.1.113883.10.20.22.1.1" extension="2015-08-01"/>
  ` + d.id() + `<code code="34133-9" codeSystem="2.16.840.1.113883.6.1" displayName="Summarization of Episode Note"/>
`)
	given, family, mrn := d.name(), d.name(), d.number()
	fmt.Fprintf(&b, "  <title>Summary of %s %s</title><effectiveTime value=\"%s\"/><confidentialityCode code=\"N\"/><languageCode code=\"en-US\"/><setId root=\"1.2.840\" extension=\"%s\"/><versionNumber value=\"3\"/>\n", given, family, d.time(), d.number())
	b.WriteString(`  <recordTarget><patientRole><id root="2.16.840.1.113883.19.5" extension="` + mrn + `"/>` + d.place() + `<patient><name use="L"><given>` + given + `</given><family>` + family + `</family></name>
    <administrativeGenderCode code="F" codeSystem="2.16.840.1.113883.5.1" displayName="Female"/><birthTime value="19540312"/><sdtc:deceasedInd value="false"/><maritalStatusCode code="M" displayName="Married"/>
    <religiousAffiliationCode code="1013" displayName="Christian"/><raceCode code="2106-3" displayName="White"/>
    <guardian><code code="POWATT"/>` + d.place() + `<guardianPerson>` + d.person("Mrs.") + `</guardianPerson></guardian><birthplace><place><name>` + d.name() + `</name></place></birthplace></patient>` + d.organization("providerOrganization") + "</patientRole></recordTarget>\n")
	b.WriteString(d.participation("author", "assignedAuthor"))
	b.WriteString(d.participation("dataEnterer", "assignedEntity"))
	b.WriteString(`<informant><relatedEntity classCode="PRS"><code code="SPS" displayName="spouse"/>` + d.place() + `<relatedPerson>` + d.person("Mr.") + `</relatedPerson></relatedEntity></informant>
<custodian><assignedCustodian>` + d.organization("representedCustodianOrganization") + "</assignedCustodian></custodian>\n")
	b.WriteString(d.participation("legalAuthenticator", "assignedEntity") + d.participation("authenticator", "assignedEntity"))
	b.WriteString(`<participant typeCode="IND"><time value="` + d.time() + `"/><associatedEntity classCode="NOK"><code code="DAU"/>` + d.place() + `<associatedPerson>` + d.person("Ms.") + `</associatedPerson></associatedEntity></participant>
<documentationOf><serviceEvent classCode="PCPR"><effectiveTime><low value="` + d.time() + `"/><high value="` + d.time() + `"/></effectiveTime>` + d.participation("performer", "assignedEntity") + `</serviceEvent></documentationOf>
<componentOf><encompassingEncounter>` + d.id() + `<effectiveTime value="` + d.time() + `"/><location><healthCareFacility>` + d.id() + `<location><name>` + d.name() + ` Clinic</name></location></healthCareFacility></location></encompassingEncounter></componentOf>
<component><structuredBody>
`)
	for s := range 3 + n%4 {
		fmt.Fprintf(&b, `<component><section><templateId root="2.16.840.1.113883.10.20.22.2.5.1"/><code code="11450-4" codeSystem="2.16.840.1.113883.6.1" displayName="Problem list"/>
  <title>Section %d</title>
  <text><!-- written by %s --><table border="1" width="100%%"><thead><tr><th>Problem</th><th>Noted</th></tr></thead><tbody>
    <tr><td><content ID="p%d">Hypertension &amp; café, 5 &lt; 7</content></td><td>by Dr. %s</td></tr></tbody></table>
    <list listType="ordered"><item>Rest at home.</item><item>Patient %s %s, MRN %s, was <content styleCode="Bold">stable</content>.</item></list>
    <paragraph>Call <linkHtml href="mailto:%s">us</linkHtml> or <![CDATA[wait & see <soon>]]>.</paragraph></text>
  <entry typeCode="DRIV"><act classCode="ACT" moodCode="EVN"><id root="%08x-0000-4000-8000-%012x"/><code code="CONC" codeSystem="2.16.840.1.113883.5.6"/><statusCode code="active"/><effectiveTime><low value="%s"/><high nullFlavor="UNK"/></effectiveTime>
    <entryRelationship typeCode="SUBJ"><observation classCode="OBS" moodCode="EVN">%s<code code="64572001" displayName="Condition"><originalText>As told by Dr. %s<reference value="#p%d"/></originalText></code><text><reference value="#p%d"/></text>
      <value xsi:type="CD" code="59621000" codeSystem="2.16.840.1.113883.6.96" displayName="Essential hypertension"/><value xsi:type="PQ" value="12.5" unit="mg/dL"/><value xsi:type="ST">Seen by Dr. %s</value>
      <value xsi:type="ED" mediaType="text/plain" representation="B64">%s</value>%s</observation></entryRelationship></act></entry>
</section></component>
`, s, d.name(), s, d.name(), given, family, mrn, d.canary("zl%03d@example.org"), n*100+s, n, d.time(), d.id(), d.name(), s, s, d.name(),
			base64.StdEncoding.EncodeToString([]byte("Told by Dr. "+d.name()+" on call.")), d.participation("performer", "assignedEntity"))
	}
	b.WriteString("</structuredBody></component>\n</ClinicalDocument>\n")
	d.text = b.String()
	return d
}

type checker struct {
	dir, lethe string
	failed     int
}

func (c *checker) path(parts ...string) string {
	return filepath.Join(append([]string{c.dir}, parts...)...)
}

func (c *checker) report(ok bool, format string, args ...any) {
	result := "ok    "
	if !ok {
		result = "FAILED"
		c.failed++
	}
	fmt.Println(result, fmt.Sprintf(format, args...))
}

// deidentify runs the program and returns its exit code.
func (c *checker) deidentify(from, to string, more ...string) int {
	args := append([]string{"deidentify", "--format", "ccda", "--quiet", "--key-file", c.path("key"), "--output", c.path(to)}, more...)
	cmd := exec.Command(c.lethe, append(args, c.path(from))...) //nolint:gosec // the program to check
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	_ = cmd.Run()
	_ = os.WriteFile(c.path(filepath.Base(to)+".log"), stderr.Bytes(), 0o644)
	return cmd.ProcessState.ExitCode()
}

func (c *checker) read(parts ...string) string {
	raw, err := os.ReadFile(c.path(parts...))
	if err != nil {
		return err.Error()
	}
	return string(raw)
}

func (c *checker) run() error {
	if err := errors.Join(os.Mkdir(c.dir, 0o755), os.Mkdir(c.path("in"), 0o755), os.WriteFile(c.path("key"), []byte("0123456789abcdef0123456789abcdef"), 0o600)); err != nil {
		return err
	}
	all := make([]*document, documents)
	deny := ""
	for n := range all {
		all[n] = newDocument(n)
		if err := os.WriteFile(c.path("in", fmt.Sprintf("d%02d.xml", n)), []byte(all[n].text), 0o644); err != nil {
			return err
		}
		for _, value := range all[n].canaries {
			deny += value + "\n"
		}
	}
	code := c.deidentify("in", "keep", "--policy", "all", "--replace", "keep", "--field", "**=keep", "--safety-net", "none")
	same := 0
	for n, d := range all {
		if c.read("keep", fmt.Sprintf("d%02d.xml", n)) == d.text {
			same++
		}
	}
	c.report(code == 0 && same == documents, "a run that keeps everything (exit code %d): %d of %d are identical", code, same, documents)
	if err := os.WriteFile(c.path("deny.txt"), []byte(deny), 0o644); err != nil {
		return err
	}
	code = c.deidentify("in", "clean", "--deny", c.path("deny.txt"))
	c.report(code == 0, "a run by the default policy (exit code %d)", code)
	c.checkClean(all)
	code = c.deidentify("in", "fields", "--safety-net", "none")
	c.report(code == 0 && c.headers(all) == documents, "without the list of values, none is left in the header: %d of %d", c.headers(all), documents)
	code = c.deidentify("in", "tagged", "--policy", "all")
	c.report(code == 0, "a run by the policy all (exit code %d)", code)
	for n := range all {
		if _, err := elements(c.read("tagged", fmt.Sprintf("d%02d.xml", n))); err != nil {
			c.report(false, "d%02d.xml, by the policy all: %v", n, err)
		}
	}
	c.checkParts(all[0].text)
	c.checkBroken(all)
	if c.failed > 0 {
		return fmt.Errorf("%d checks failed", c.failed)
	}
	return nil
}

// headers counts the documents in whose header no value is left, only because of the rules for its elements.
func (c *checker) headers(all []*document) int {
	clean := 0
	for n, d := range all {
		header, _, _ := strings.Cut(c.read("fields", fmt.Sprintf("d%02d.xml", n)), "<structuredBody>")
		title := regexp.MustCompile(`<title>.*?</title>`).FindString(header) // a text
		left := 0
		for _, value := range d.canaries {
			if strings.Contains(strings.Replace(header, title, "", 1), value) {
				left++
				c.report(false, "d%02d.xml: %s is left in the header", n, value)
			}
		}
		if left == 0 {
			clean++
		}
	}
	return clean
}

// checkClean checks the documents after a run.
func (c *checker) checkClean(all []*document) {
	clean, structure, text, valid := 0, 0, 0, 0
	values := 0
	for n, d := range all {
		name := fmt.Sprintf("d%02d.xml", n)
		out := c.read("clean", name)
		left := 0
		for _, value := range d.canaries {
			values++
			if plain := decoded(out); strings.Contains(plain, value) {
				left++
				c.report(false, "%s: %s is left", name, value)
			}
		}
		if left == 0 {
			clean++
		}
		before, err1 := elements(d.text)
		after, err2 := elements(out)
		if err := errors.Join(err1, err2); err != nil {
			c.report(false, "%s: %v", name, err)
		} else if strings.Join(before, " ") == strings.Join(after, " ") {
			structure++
		}
		if unchanged(narratives(d.text), narratives(out)) {
			text++
		} else {
			c.report(false, "%s: the narratives have changed", name)
		}
		if defect := defects(out); defect == "" && sameIDs(d.text, out) {
			valid++
		} else {
			c.report(false, "%s: not valid: %s", name, defect)
		}
	}
	c.report(clean == documents, "none of %d values is left in %d of %d", values, clean, documents)
	c.report(structure == documents, "well-formed, with the same elements: %d of %d", structure, documents)
	c.report(text == documents, "the same narratives apart from PHI: %d of %d", text, documents)
	c.report(valid == documents, "dates, roots and identifiers are valid, and equal identifiers still equal: %d of %d", valid, documents)
}

// decoded returns a document with character references resolved, followed by its data in base64.
func decoded(doc string) string {
	out := html.UnescapeString(doc)
	for _, m := range inBase64.FindAllStringSubmatch(doc, -1) {
		raw, _ := base64.StdEncoding.DecodeString(m[1])
		out += "\n" + string(raw)
	}
	return out
}

var (
	inBase64 = regexp.MustCompile(`representation="B64">([^<]*)<`)
	tags     = regexp.MustCompile(`<[^>]*>`)
	text     = regexp.MustCompile(`(?s)<title>.*?</title>\s*<text>.*?</text>`)
	made     = regexp.MustCompile(`\[[A-Z_]+\]`)
	aDate    = regexp.MustCompile(`(?:[tT]ime|low|high) value="([^"]*)"`)
	date     = regexp.MustCompile(`^\d{4}$`)
	root     = regexp.MustCompile(` root="([^"]*)"`)
	isRoot   = regexp.MustCompile(`^(?:[0-2](?:\.(?:0|[1-9]\d*))+|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$`)
	anID     = regexp.MustCompile(`<id root="([^"]*)"(?: extension="([^"]*)")?/>`)
)

func narratives(doc string) string {
	return html.UnescapeString(tags.ReplaceAllString(strings.ReplaceAll(strings.Join(text.FindAllString(doc, -1), "\n"), "<![CDATA[wait & see <soon>]]>", "wait and see"), "|"))
}

// unchanged reports whether two texts are the same except for the tags in the second.
func unchanged(before, after string) bool {
	parts := made.Split(after, -1)
	for i := range parts {
		parts[i] = regexp.QuoteMeta(parts[i])
	}
	pattern, err := regexp.Compile("(?s)^" + strings.Join(parts, ".+?") + "$")
	return err == nil && len(after) > 200 && pattern.MatchString(before)
}

// defects returns a value that is not valid for its data type.
func defects(doc string) string {
	for _, m := range aDate.FindAllStringSubmatch(doc, -1) {
		if !date.MatchString(m[1]) {
			return "the date " + m[1]
		}
	}
	for _, m := range root.FindAllStringSubmatch(doc, -1) {
		if !isRoot.MatchString(m[1]) {
			return "the root " + m[1]
		}
	}
	return ""
}

// sameIDs reports whether identifiers of the output are equal exactly if those of the input are.
func sameIDs(before, after string) bool {
	a, b := anID.FindAllString(before, -1), anID.FindAllString(after, -1)
	if len(a) != len(b) || len(a) == 0 {
		return false
	}
	to, from := map[string]string{}, map[string]string{}
	for i := range a {
		if x, ok := to[a[i]]; ok && x != b[i] {
			return false
		}
		if x, ok := from[b[i]]; ok && x != a[i] {
			return false
		}
		to[a[i]], from[b[i]] = b[i], a[i]
	}
	return true
}

// elements returns the names of the elements of a document, read by encoding/xml.
func elements(doc string) (names []string, err error) {
	for d := xml.NewDecoder(strings.NewReader(doc)); ; {
		t, err := d.Token()
		if err == io.EOF {
			return names, nil
		} else if err != nil {
			return nil, err
		}
		if s, ok := t.(xml.StartElement); ok {
			names = append(names, s.Name.Local)
		}
	}
}

// checkParts checks what happens to a PDF.
func (c *checker) checkParts(doc string) {
	at, end := strings.Index(doc, "<structuredBody>"), strings.Index(doc, "</structuredBody>")
	doc = doc[:at] + `<nonXMLBody><text mediaType="application/pdf" representation="B64">` + base64.StdEncoding.EncodeToString([]byte("%PDF-1.7 Zqwyxen")) + `</text></nonXMLBody>` + doc[end+len("</structuredBody>"):]
	if err := os.WriteFile(c.path("pdf.xml"), []byte(doc), 0o644); err != nil {
		c.report(false, "%v", err)
	}
	code := c.deidentify("pdf.xml", "refused.xml")
	c.report(code == 2, "a PDF refuses the document (exit code %d)", code)
	code = c.deidentify("pdf.xml", "dropped.xml", "--unexamined", "drop")
	c.report(code == 0 && strings.Contains(c.read("dropped.xml"), `<nonXMLBody><text nullFlavor="MSK"/></nonXMLBody>`), "a PDF is removed (exit code %d)", code)
}

// checkBroken damages documents in five ways, all of which must be refused.
func (c *checker) checkBroken(all []*document) {
	refused, tried := 0, 0
	for n, d := range all[:5] {
		for how, broken := range map[string]string{
			"half": d.text[:len(d.text)/2], "end": strings.TrimSuffix(d.text, "</ClinicalDocument>\n"), "doctype": strings.Replace(d.text, "<ClinicalDocument", "<!DOCTYPE x><ClinicalDocument", 1),
			"entity": strings.Replace(d.text, "<title>", "<title>&nbsp;", 1), "space": strings.Replace(d.text, "urn:hl7-org:v3", "urn:hl7-org:v2", 1),
		} {
			file := fmt.Sprintf("broken-%d-%s.xml", n, how)
			if err := os.WriteFile(c.path(file), []byte(broken), 0o644); err != nil {
				c.report(false, "%v", err)
			}
			code := c.deidentify(file, "out-"+file)
			_, err := os.Stat(c.path("out-" + file))
			if tried++; code == 2 && err != nil {
				refused++
			} else {
				c.report(false, "%s: exit code %d", file, code)
			}
		}
	}
	c.report(refused == tried, "broken documents refused: %d of %d", refused, tried)
}
