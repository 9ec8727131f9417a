package notefile

import (
	"encoding/xml"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid/field"
	"github.com/lethe-deid/lethe/deid/notefile/internal/base"
)

const cdaHead = `<?xml version="1.0" encoding="UTF-8"?>
<?xml-stylesheet type="text/xsl" href="CDA.xsl"?>
<ClinicalDocument xmlns="urn:hl7-org:v3" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:sdtc="urn:hl7-org:sdtc">
`

// cda1 is a document with people in its header, a section with a table, an entry, and data in base64.
const cda1 = cdaHead + `  <typeId root="2.16.840.1.113883.1.3" extension="POCD_HD000040"/>
  <id root="1.2.3.4" extension="doc7"/>
  <code code="34133-9" codeSystem="2.16.840.1.113883.6.1" displayName="Summary"/>
  <title>Summary of Ana Gil</title>
  <effectiveTime value="20710403101500-0500"/>
  <recordTarget><patientRole><id root="1.2.3" extension="998877"/><addr use="HP"><streetAddressLine>Calle Luna 5</streetAddressLine><city>Soria</city><postalCode>42001</postalCode></addr>
    <telecom value="tel:+1(555)555-0188" use="HP"/><telecom value="mailto:ana@x.org"/>
    <patient><name><given>Ana</given><family>Gil &amp; Roy</family></name><administrativeGenderCode code="F"/><birthTime value="19540312"/>
      <guardian><guardianPerson><name>Eva Gil</name></guardianPerson></guardian></patient></patientRole></recordTarget>
  <author><time value="2071"/><assignedAuthor><id root="aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee"/><assignedPerson><name><prefix>Dr.</prefix><family>Roy</family></name></assignedPerson></assignedAuthor></author>
  <component><structuredBody><component><section><code code="x"/>
    <title>History</title>
    <text><!-- by Roy --><table border="1"><tr><td ID="c1">Ana</td><td>seen <content styleCode="Bold">3/4</content></td></tr></table><paragraph>G&#105;l <![CDATA[<Roy>]]></paragraph></text>
    <entry><observation classCode="OBS" moodCode="EVN"><text><reference value="#c1"/></text><effectiveTime><low value="20710401"/><high nullFlavor="UNK"/></effectiveTime>
      <value xsi:type="PQ" value="120" unit="mm[Hg]"/><value xsi:type="ED" mediaType="text/plain" representation="B64">QW5hIEdpbA==</value><value xsi:type="ST">Ana</value></observation></entry>
  </section></component></structuredBody></component>
</ClinicalDocument>
`

// cdaOptions are the options of a run with the rules of the format.
func cdaOptions(own ...string) Options {
	rules, err := field.ParseRules("ccda", own)
	if err != nil {
		panic(err)
	}
	return Options{Fields: field.With(field.Builtin("ccda"), rules), Pseudonym: field.Pseudonyms([]byte("0123456789abcdef")), Types: data.Any}
}

var isoDay = regexp.MustCompile(`^\d{4}-\d{2}(?:-\d{2})?([T ]\d{2}:?\d{2}.*)?$`)

// values replaces the fields whose whole value is PHI as a policy for safe harbor does, and the word Ana everywhere.
func values(n *Note) []Edit {
	if !n.IsValue() {
		return each("Ana", "[X]")(n)
	}
	s := n.Spans[0]
	made := "[" + s.Type + "]"
	if value := n.Text[s.Start:s.End]; len(value) >= 4 && isoDay.MatchString(value) {
		made = value[:4]
	}
	return []Edit{{Start: s.Start, End: s.End, New: made}}
}

func TestFieldsOfCCDA(t *testing.T) {
	made := cdaOptions().Pseudonym
	want := strings.NewReplacer(
		`extension="doc7"`, `extension="`+made("doc7")+`"`, `Summary of Ana Gil`, `Summary of [X] Gil`, `"20710403101500-0500"`, `"2071"`,
		`extension="998877"`, `extension="`+made("998877")+`"`, `Calle Luna 5`, `[STREET]`, `<city>Soria`, `<city>[CITY]`, `42001`, `[ZIP]`,
		`value="tel:+1(555)555-0188"`, `nullFlavor="MSK"`, `value="mailto:ana@x.org"`, `nullFlavor="MSK"`, `<given>Ana`, `<given>[PATIENT]`, `Gil &amp; Roy`, `[PATIENT]`,
		`"19540312"`, `"1954"`, `Eva Gil`, `[PATIENT]`, `<family>Roy`, `<family>[DOCTOR]`, `<time value="2071"/>`, `<time nullFlavor="MSK"/>`,
		"aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee", base.UUIDOf(made("aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee")), `>Ana<`, `>[X]<`, `"20710401"`, `"2071"`,
		`QW5hIEdpbA==`, b64("[X] Gil")).Replace(cda1)
	e := example{"ccda", "d.xml", cda1, cdaOptions()}
	records := readAll(t, e)
	types := map[string]string{}
	for _, n := range records[0].Notes {
		if n.IsValue() {
			types[n.Text[n.Spans[0].Start:]] = n.Spans[0].Type
		}
	}
	for old, typ := range map[string]string{"[PATIENT]": types["Eva Gil"], "[DOCTOR]": types["Roy"], "[STREET]": types["Calle Luna 5"], "[CITY]": types["Soria"], "[ZIP]": types["42001"]} {
		want = strings.ReplaceAll(want, old, "["+typ+"]")
	}
	got := encode(records, values)
	if got != want {
		for i, line := range strings.Split(got, "\n") {
			if w := strings.Split(want, "\n"); i < len(w) && w[i] != line {
				t.Errorf("got  %s\nwant %s", line, w[i])
			}
		}
	}
	if n := records[0].Fields[field.Hash]; n != 3 {
		t.Errorf("%d hashed fields, want 3", n)
	}
	if n := encode(records, values); n != got {
		t.Error("encoded twice, a record differs")
	}
	if _, err := elementsOf(got); err != nil {
		t.Error(err)
	}
}

func elementsOf(file string) (names []string, err error) {
	for d := xml.NewDecoder(strings.NewReader(file)); ; {
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

// Names are those of people by their place, whatever a model says of them, and those of drugs are not.
func TestNamesOfPeopleInCCDA(t *testing.T) {
	for _, in := range []string{
		`<informationRecipient><intendedRecipient><informationRecipient><name><given>Faith</given><family>Long</family></name></informationRecipient></intendedRecipient></informationRecipient>`,
		`<informationRecipient><intendedRecipient><informationRecipient><name>Faith Long</name></informationRecipient></intendedRecipient></informationRecipient>`,
		`<participant typeCode="HLD"><participantRole><playingEntity><name><given>Faith</given><family>Long</family></name></playingEntity></participantRole></participant>`,
		`<participant typeCode="HLD"><participantRole><playingEntity><name>Long, Faith</name></playingEntity></participantRole></participant>`,
		`<participant typeCode="CST"><participantRole classCode="AGNT"><playingEntity><name>Faith Long</name></playingEntity></participantRole></participant>`,
		`<participant><participantRole><playingEntity classCode="PSN"><name>Faith Long</name></playingEntity></participantRole></participant>`,
		`<asMaintainedEntity><maintainingPerson><name><given>Faith</given><family>Long</family></name></maintainingPerson></asMaintainedEntity>`,
		`<asMaintainedEntity><maintainingPerson><name>Faith Long</name></maintainingPerson></asMaintainedEntity>`,
		`<other><given>Faith</given><family>Long</family></other>`,
	} {
		in = cdaHead + in + `</ClinicalDocument>`
		got := encode(readAll(t, example{"ccda", "d.xml", in, cdaOptions()}), func(n *Note) []Edit {
			if !n.IsValue() {
				return nil
			}
			return []Edit{{Start: n.Spans[0].Start, End: n.Spans[0].End, New: "[X]"}}
		})
		if strings.Contains(got, "Faith") || strings.Contains(got, "Long") {
			t.Errorf("%s\nbecame\n%s", in, got)
		}
	}
	in := cdaHead + `<participant typeCode="CSM"><participantRole classCode="MANU"><playingEntity classCode="MMAT"><name>Aspirin</name></playingEntity></participantRole></participant></ClinicalDocument>`
	for _, n := range readAll(t, example{"ccda", "d.xml", in, cdaOptions()})[0].Notes {
		if n.IsValue() {
			t.Errorf("%q is a value", n.Text)
		}
	}
}

// A rule of one's own did not decide about names of entities, and without rules results were not examined.
func TestRulesDecideAboutNamesAndResultsOfCCDA(t *testing.T) {
	in := cdaHead + `<participant typeCode="HLD"><participantRole><playingEntity><name>Faith Long</name></playingEntity></participantRole></participant></ClinicalDocument>`
	for _, n := range readAll(t, example{"ccda", "d.xml", in, cdaOptions("**.playingEntity.name=text")})[0].Notes {
		if n.IsValue() {
			t.Errorf("%q is a value although a rule says that it is a text", n.Text)
		}
	}
	in = cdaHead + `<component><observation><value xsi:type="ST">1234</value></observation></component></ClinicalDocument>`
	for _, n := range readAll(t, example{"ccda", "d.xml", in, Options{}})[0].Notes {
		if n.Field != "" {
			t.Errorf("%q has the rule %s without rules", n.Text, n.Field)
		}
	}
}

func TestNarrativesOfCCDA(t *testing.T) {
	var section *Note
	records := readAll(t, example{"ccda", "d.xml", cda1, cdaOptions()})
	for _, n := range records[0].Notes {
		if strings.Contains(n.Text, "History") {
			section = n
		}
	}
	if section == nil {
		t.Fatal("no note for the section")
	}
	if got, want := strings.Join(strings.Fields(section.Text), " "), "History Ana seen 3/4 Gil <Roy>"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	var known []string
	for _, v := range section.Known {
		known = append(known, v.Text)
	}
	for _, want := range []string{"998877", "Ana Gil & Roy", "Ana", "Roy", "+1(555)555-0188", "ana@x.org", "Calle Luna 5"} {
		if !slices.Contains(known, want) {
			t.Errorf("%s is not a known value: %q", want, known)
		}
	}
	if section.Patient != "998877" {
		t.Errorf("the patient is %q", section.Patient)
	}
}

func TestRulesForCCDA(t *testing.T) {
	for _, tc := range []struct{ rule, in, want string }{
		{"**.recordTarget=drop", "<recordTarget><patientRole><id extension='7'/></patientRole></recordTarget>", `<recordTarget nullFlavor="MSK"/>`},
		{"**.birthTime.@value=drop", `<birthTime value="19540312"/>`, `<birthTime nullFlavor="MSK"/>`},
		{"**.id.@extension=keep", `<id root="1.2" extension="7b"/>`, `<id root="1.2" extension="7b"/>`},
		{"**.x.@y=drop", `<x y="a" z="5"/>`, `<x  z="5"/>`},
		{"**.time.@value=keep", `<x><time value="20710403"/></x>`, `<x><time value="20710403"/></x>`},
		{"**.x=hash", `<x>a&amp;b</x>`, "<x>" + cdaOptions().Pseudonym("a&b") + "</x>"},
		{"**.x=keep", `<x value="5" a="Ana">Ana</x>`, `<x value="5" a="[X]">Ana</x>`},
		{"**.x=keep", `<id root="1.2.3"/>`, `<id root="` + base.OIDOf(cdaOptions().Pseudonym("1.2.3")) + `"/>`},
		{"**.x=keep", `<value type="PQ" value="93" unit="a"/><value value="93" unit="mg"/>`, `<value type="PQ" nullFlavor="MSK" unit="a"/><value value="93" unit="mg"/>`},
		{"**.x=keep", `<!-- Ana -->`, `<!-- [X] -->`},
	} {
		got := encode(readAll(t, example{"ccda", "d.xml", cdaHead + tc.in + "</ClinicalDocument>", cdaOptions(tc.rule)}), values)
		if want := cdaHead + tc.want + "</ClinicalDocument>"; got != want {
			t.Errorf("%s: %s, want %s", tc.rule, strings.TrimPrefix(got, cdaHead), tc.want)
		}
	}
}

func TestCCDAThatIsRefused(t *testing.T) {
	for in, want := range map[string]string{
		``:                                     "not C-CDA: no XML element",
		`<ClinicalDocument/>`:                  "not C-CDA: the root is not a ClinicalDocument in the namespace urn:hl7-org:v3",
		cdaHead:                                "not well-formed XML",
		cdaHead + `<a></b></ClinicalDocument>`: "not well-formed XML",
		`<!DOCTYPE x>` + cdaHead[39:] + `</ClinicalDocument>`: "a document type, which would go unexamined",
		cdaHead + `<?ana x?></ClinicalDocument>`:              "a processing instruction that is not a stylesheet, which would go unexamined",
		cdaHead + `</ClinicalDocument> Ana`:                   "text outside of the ClinicalDocument",
		cdaHead + strings.Repeat("<a>", 300):                  "elements nested more than 250 deep",
		cdaHead + `<component><nonXMLBody><text mediaType="application/pdf" representation="B64">JVBERi0xLjc=</text></nonXMLBody></component></ClinicalDocument>`: "data that is not text and cannot be examined",
		cdaHead + `<value mediaType="text/plain" representation="B64">%</value></ClinicalDocument>`:                                                               "data that is not base64",
		cdaHead + `<value compression="DF" representation="B64">QW5h</value></ClinicalDocument>`:                                                                  "data that is compressed or has elements, which cannot be examined",
	} {
		o := replaceCanaries(example{"ccda", "d.xml", in, cdaOptions()})
		if len(o.errs) != 1 || !strings.Contains(o.errs[0].Error(), want) {
			t.Errorf("%s: %v, want %s", strings.TrimPrefix(in, cdaHead), o.errs, want)
		}
	}
	e := example{"ccda", "d.xml", cdaHead + `<component><nonXMLBody><text mediaType="application/pdf" representation="B64">JVBERi0xLjc=</text></nonXMLBody></component><value type="ED" mediaType="image/png">AAAA</value></ClinicalDocument>`, cdaOptions()}
	e.options.Drop = true
	records := readAll(t, e)
	if got, want := encode(records, none), cdaHead+`<component><nonXMLBody><text nullFlavor="MSK"/></nonXMLBody></component><value type="ED" nullFlavor="MSK"/></ClinicalDocument>`; got != want || records[0].Dropped != 2 {
		t.Errorf("%d dropped, %s", records[0].Dropped, got)
	}
}

// RTF in a document is examined as RTF.
func TestRTFInCCDA(t *testing.T) {
	wrap := func(rtf string) string {
		return cdaHead + `<component><nonXMLBody><text mediaType="application/rtf" representation="B64">` + b64(rtf) + `</text></nonXMLBody></component></ClinicalDocument>`
	}
	e := example{"ccda", "d.xml", wrap(`{\rtf1{\info{\author Eva}}A{\b n}a}`), cdaOptions()}
	if got, want := encode(readAll(t, e), values), wrap(`{\rtf1{\info}[X]{\b }}`); got != want {
		t.Error(got)
	}
}

// A file with each cell on a line of its own hid the rows of its tables.
func TestRowsOfNarrativesStandInOneLine(t *testing.T) {
	const row = "<tr>\n   <td>Lisinopril</td>\n   <td>3/2</td>\n  </tr>"
	file := strings.Replace(cda1, `<tr><td ID="c1">Ana</td>`, row+`<tr><td ID="c1">Ana</td>`, 1)
	for _, r := range readAll(t, example{"ccda", "a.xml", file, cdaOptions()}) {
		for _, n := range r.Notes {
			if strings.Contains(n.Text, "Lisinopril") {
				if !strings.Contains(n.Text, "\n\tLisinopril\t\t3/2\t\n") {
					t.Errorf("the row reads as %q", n.Text)
				}
				return
			}
		}
	}
	t.Error("no note has the row")
}
