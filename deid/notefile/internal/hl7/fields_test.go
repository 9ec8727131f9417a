package hl7

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid/field"
	"github.com/lethe-deid/lethe/deid/notefile/internal/base"
	"github.com/lethe-deid/lethe/deid/notefile/internal/markup"
)

var (
	messagesTo = flag.String("messages", "", "a folder into which TestNoCanaryIsLeftInAnyMessageType writes its messages")
	updateDocs = flag.Bool("update", false, "write the tables of docs/fields-hl7.md")
)

// builtinRules returns the options with the built-in rules and further ones.
func builtinRules(t testing.TB, own ...string) base.Options {
	t.Helper()
	rules, err := field.ParseRules("hl7", own)
	if err != nil {
		t.Fatal(err)
	}
	return base.Options{Types: data.I2B2, Fields: field.With(field.Builtin("hl7"), rules), Pseudonym: field.Pseudonyms([]byte("0123456789abcdef0123456789abcdef"))}
}

// readAll reads messages, which must be without defects.
func readAll(t *testing.T, file string, o base.Options) (records []*base.Record) {
	t.Helper()
	for r, err := range Read(base.NewSource(strings.NewReader(file), "m.hl7", nil), o) {
		if err != nil {
			t.Fatal(err)
		}
		r.ShareValues(o.Types)
		records = append(records, r)
	}
	return records
}

// encode returns the file after the edits of its notes.
func encode(t *testing.T, records []*base.Record, edits func(*base.Note) []markup.Edit) string {
	t.Helper()
	var out []byte
	for _, r := range records {
		var all [][]markup.Edit
		for _, n := range r.Notes {
			all = append(all, edits(n))
		}
		raw, err := r.Encode(all)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, raw...)
	}
	return string(out)
}

func none(*base.Note) []markup.Edit { return nil }

// messages lists the segments of messages by type.
var messages = map[string]string{
	"ADT_A01": "MSH SFT EVN PID PD1 ARV ROL NK1 PV1 PV2 ROL DB1 OBX AL1 DG1 DRG PR1 ROL GT1 IN1 IN2 IN3 ROL ACC UB1 UB2 PDA",
	"ADT_A03": "MSH EVN PID PD1 ROL NK1 PV1 PV2 DB1 AL1 DG1 PR1 OBX GT1 IN1 IN2 IN3 ACC PDA",
	"ADT_A04": "MSH EVN PID PD1 NK1 PV1 PV2 OBX AL1 DG1 GT1 IN1 ACC",
	"ADT_A08": "MSH EVN PID PD1 NK1 PV1 PV2 OBX AL1 DG1 PR1 GT1 IN1 IN2",
	"ADT_A31": "MSH EVN PID PD1 NK1 PV1 PV2 OBX AL1 IAM DG1 PR1 GT1 IN1",
	"ADT_A40": "MSH EVN PID PD1 MRG PV1",
	"ORU_R01": "MSH SFT PID PD1 NTE NK1 PV1 PV2 ORC OBR NTE CTD OBX NTE FT1 CTI SPM OBX DSC0",
	"ORM_O01": "MSH NTE PID PD1 NTE PV1 PV2 IN1 IN2 IN3 GT1 AL1 ORC OBR NTE CTD DG1 OBX NTE FT1 CTI BLG",
	"OML_O21": "MSH NTE PID PD1 NK1 PV1 IN1 GT1 AL1 ORC TQ1 TQ2 OBR TCD NTE CTD DG1 OBX SPM SAC PRT FT1 CTI BLG",
	"MDM_T02": "MSH EVN PID PV1 ORC TQ1 OBR NTE TXA CON OBX NTE",
	"SIU_S12": "MSH SCH TQ1 NTE PID PD1 PV1 PV2 OBX DG1 RGS AIS NTE AIG NTE AIL NTE AIP NTE APR ARQ",
	"DFT_P03": "MSH EVN PID PD1 PV1 PV2 ROL DB1 ORC OBR NTE OBX FT1 NTE PR1 DG1 GT1 IN1 IN2 IN3 ACC",
	"BAR_P01": "MSH EVN PID PD1 ROL PV1 PV2 DB1 OBX AL1 DG1 DRG PR1 GT1 NK1 IN1 IN2 IN3 ACC UB1 UB2 ABS BLC RMI GP1 GP2",
	"VXU_V04": "MSH PID PD1 NK1 PV1 PV2 GT1 IN1 IN2 IN3 ORC TQ1 RXA RXR OBX NTE",
	"RDE_O11": "MSH NTE PID PD1 PV1 IN1 GT1 AL1 ORC TQ1 RXO NTE RXR RXC RXE PRT NTE TQ1 RXR RXC OBX FT1 BLG CTI",
	"RAS_O17": "MSH NTE PID PD1 AL1 PV1 ORC TQ1 RXO RXR RXE RXA RXR RXD RXG OBX NTE CTI",
	"PPR_PC1": "MSH PID PV1 PV2 PRB NTE VAR ROL PTH OBX GOL ORC OBR",
	"MFN_M02": "MSH MFI MFE STF PRA ORG AFF LAN EDU CER NTE LOC LDP LRL",
	"REF_I12": "MSH RF1 AUT CTD PRD CTD PID NK1 GT1 IN1 IN2 IN3 ACC DG1 DRG AL1 PR1 OBR NTE OBX PV1 PV2",
	"RSP_K22": "MSH MSA ERR QAK QPD PID PD1 NK1 QRI QRD QRF RDF RDT DSP",
	"PEX_P07": "MSH EVN PID PD1 PV1 PES PEO PCR RXE RXR PRB OBX NTE NK1 CSR CSP CSS PSH PDC FAC BPX BTX BUI DON INV IIM ITM IPC",
}

// canaries makes values for the places of a message. It contains the rules that decide which value is planted where.
type canaries struct {
	h       *message
	name    string // planted wherever values stay unless they are known
	planted int
}

const (
	canaryName = "Zorniak" // the patient's name
	canaryDate = "19031117"
	canaryID   = "77120931"
)

var canaryWord = regexp.MustCompile(`Zyxwv[a-j]+`)

func (c *canaries) word() string {
	c.planted++
	return "Zyxwv" + strings.Map(func(r rune) rune { return r - '0' + 'a' }, strconv.Itoa(c.planted))
}

// value returns a value for a place.
func (c *canaries) value(at place, typ string) string {
	switch fmt.Sprintf("%s-%d.%d.%d", at.segment, at.field, at.component, at.sub) {
	case "PID-5.1.1":
		return canaryName
	case "OBX-2.1.1":
		return "TX"
	case "MSH-12.1.1":
		return "2.8.2"
	case "MSH-11.1.1":
		return "P"
	case "MSH-18.1.1":
		return "UNICODE UTF-8"
	}
	action, simple := c.h.actionFor(at, typ)
	switch {
	case action == field.Keep && (simple == "DTM" || simple == "DT"):
		return ""
	case action == field.Keep && (simple == "ST" || simple == "ID" || simple == "IS"):
		return "AL"
	case simple == "NM" || simple == "SI":
		if action == field.Keep {
			return "1"
		}
		return canaryID
	case simple == "TM":
		return "1015"
	case simple == "DT":
		return canaryDate
	case simple == "DTM":
		return canaryDate + "101500+0100"
	case action == field.Keep:
		return "1"
	case action == field.Known:
		return c.name
	}
	return c.word()
}

// field returns a value for a field with a canary in each component and subcomponent.
func (c *canaries) field(at place, typ string) string {
	var components []string
	for i := range max(1, len(typeComponents()[typ])) {
		at.component, at.sub = i+1, 1
		sub := []string{c.value(at, typ)}
		if types := typeComponents()[typ]; i < len(types) {
			for s := range typeComponents()[laterType(types[i])] {
				if at.sub = s + 1; s > 0 && c.h.sub != 0 {
					sub = append(sub, c.value(at, typ))
				}
			}
		}
		components = append(components, strings.Join(sub, "&"))
	}
	return strings.Join(components, "^")
}

// segment returns a segment with canaries in all of its fields.
func (c *canaries) segment(name string) string {
	fields := []string{name}
	c.h.fieldRules.seen[name]++
	for n := range segmentFields()[name] {
		fields = append(fields, c.field(c.h.place(name, n+1), typeOf(name, n+1)))
	}
	switch name {
	case "MSH":
		fields = slices.Delete(fields, 1, 2)
		fields[1] = "^~\\&"
	case "OBX":
		fields[5] = "Seen by " + c.name + " and " + c.word()
	}
	return strings.Join(append(fields, c.word()), "|") // and in one more
}

// TestNoCanaryIsLeftInAnyMessageType plants a canary in every component of every field of messages of all types. Where codes and displays
// stay, the canary is the name of the patient.
func TestNoCanaryIsLeftInAnyMessageType(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(messages)) {
		t.Run(name, func(t *testing.T) {
			o := builtinRules(t)
			c := &canaries{h: newMessage(nil, o, newTypeRules(o), nil, 1), name: canaryName}
			if !strings.Contains(messages[name], "PID") {
				c.name = "AL" // nothing is known
			}
			c.h.separate('|', []byte(`^~\&`))
			var segments []string
			for s := range strings.FieldsSeq(messages[name]) {
				if segmentFields()[s] != nil {
					segments = append(segments, c.segment(s))
				}
			}
			kind, event, _ := strings.Cut(name, "_")
			segments[0] = regexp.MustCompile(`\|AL\^AL\^AL\|`).ReplaceAllString(segments[0], "|"+kind+"^"+event+"^"+name+"|")
			segments = append(segments, "ZPD|"+c.word()+"^"+canaryName+"|"+canaryID+"|"+canaryDate, "NTE|9|L|called "+c.name+" and "+c.word())
			file := strings.Join(segments, "\r") + "\r"
			if *messagesTo != "" {
				if err := os.WriteFile(filepath.Join(*messagesTo, name+".hl7"), []byte(file), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			records := readAll(t, file, o)
			out := encode(t, records, replaceCanary)
			for _, planted := range []string{canaryName, canaryDate, canaryID} {
				if at := strings.Index(out, planted); at >= 0 {
					t.Errorf("left: %.80s", out[max(0, at-40):])
				}
			}
			if at := canaryWord.FindStringIndex(out); at != nil {
				t.Errorf("left: %.80s", out[max(0, at[0]-40):])
			}
			if c.planted < 100 {
				t.Errorf("only %d canaries were planted", c.planted)
			}
			sameStructure(t, file, out)
		})
	}
}

// replaceCanary replaces values, what is known of the patient, and, in texts that the tagger examines, all canaries.
func replaceCanary(n *base.Note) []markup.Edit {
	if n.IsValue() {
		s, made := n.Spans[0], "[X]"
		if n.Field == "date" {
			made = "2071"
		}
		return []markup.Edit{{Start: s.Start, End: s.End, New: made}}
	}
	find := canaryWord.FindAllStringIndex(n.Text, -1)
	if n.Field == field.Known {
		find = nil
	}
	for _, k := range n.Known {
		if k.Text == canaryName {
			find = append(find, regexp.MustCompile(canaryName).FindAllStringIndex(n.Text, -1)...)
			break
		}
	}
	slices.SortFunc(find, func(a, b []int) int { return a[0] - b[0] })
	var edits []markup.Edit
	for _, at := range find {
		edits = append(edits, markup.Edit{Start: at[0], End: at[1], New: "[X]"})
	}
	return edits
}

// sameStructure compares the numbers of segments, fields, repetitions, components and subcomponents.
func sameStructure(t interface{ Errorf(string, ...any) }, before, after string) {
	marks := regexp.MustCompile(`[\r\n|^~&]`)
	if a, b := strings.Join(marks.FindAllString(before, -1), ""), strings.Join(marks.FindAllString(after, -1), ""); a != b {
		t.Errorf("the structure became another:\n%q\n%q", before, after)
	}
}

func TestFieldsOfHL7(t *testing.T) {
	const head = "MSH|^~\\&|||||||ORU|M1\rPID|1||998877||Gil&van^Ana\\T\\a||1954\r"
	for name, c := range map[string]struct{ own, in, want string }{
		"a name":                      {"", "PID|||||Lund^Oda^M^Jr^Mrs", "PID|||||<person>^<person>^<person>^^Mrs"},
		"escapes":                     {"", `PID|||||Lu\T\nd^O\.br\da`, "PID|||||<person>^<person>"},
		"repetitions":                 {"", "PID|||77^^^H~88||Lund~Ode", "PID|||#77^^^#H~#88||<person>~<person>"},
		"null":                        {"", `PID|||||""|""|""|||||""`, `PID|||||""|""|""|||||""`},
		"dates":                       {"", "EVN|A01|20710403101500.12+0100|20710403|||207104", "EVN|A01|20720403101500.12+0100|20720403|||207204"},
		"a year":                      {"", "EVN|A01|2071", "EVN|A01|2072"},
		"a date in another form":      {"", "EVN|A01|4/3/71", "EVN|A01|"},
		"a date and time zone":        {"", "EVN|A01|20710403+0100", "EVN|A01|20720403+0100"},
		"a clinician":                 {"", "PV1||I|||||4711^Roy^Ina^^^Dr^MD", "PV1||I|||||#4711^<clinician>^<clinician>^^^Dr^MD"},
		"a location":                  {"", "PV1||I|4W^12^A^MERCY", "PV1||I|<department>^<room>^<room>^#MERCY"},
		"a facility with an OID":      {"", "PV1||I|^^^A&1.2.3&ISO", "PV1||I|^^^#A&oid&ISO"},
		"an address":                  {"", "PID|||||||||||Road 5&Road&5^^Soria^MA^02139^USA^H^^County", "PID|||||||||||<street>&<street>&<street>^^<city>^<state>^<zip>^<country>^H^^"},
		"a phone":                     {"", "PID|||||||||||||(617) 555-0143^PRN^PH^a@example.org^1^617^5550143", "PID|||||||||||||<phone>^PRN^PH^<email>^1^^"},
		"a coded display":             {"", "OBR||||1-8^Panel^LN", "OBR||||1-8^{Panel}^LN"},
		"a display without a code":    {"", "PV2|||^Fell at home", "PV2|||^(Fell at home)"},
		"a code that is a text":       {"", "PV2|||Fell at home", "PV2|||(Fell at home)"},
		"original text":               {"", "AL1|1||70^Nuts^L^^^^^^said Ana", "AL1|1||70^{Nuts}^L^^^^^^(said Ana)"},
		"a number that is a text":     {"", "PV1||||||||||||||||||||||||||see Ana", "PV1||||||||||||||||||||||||||(see Ana)"},
		"observed date":               {"", "OBX|1|DT|a||20710403", "OBX|1|DT|a||20720403"},
		"observed name":               {"", "OBX|1|XPN|a||Lund^Oda", "OBX|1|XPN|a||<person>^<person>"},
		"observed text":               {"", "OBX|1|TX|a||Lund^Oda", "OBX|1|TX|a||(Lund\\S\\Oda)"},
		"observed number":             {"", "OBX|1|NM|2-3^Iron^LN||5.3", "OBX|1|NM|2-3^{Iron}^LN||5.3"},
		"observed structure":          {"", "OBX|1|SN|a||>=^5^:^7", "OBX|1|SN|a||>=^5^:^7"},
		"observed age":                {"", "OBX|1|NM|30525-0^Patient age^LN||93", "OBX|1|NM|30525-0^{Patient age}^LN||"},
		"observed local code":         {"", "OBX|1|CE|a||1^Seen by Ana^L", "OBX|1|CE|a||1^(Seen by Ana)^L"},
		"observed code":               {"", "OBX|1|CE|a||1^Iron^SCT", "OBX|1|CE|a||1^{Iron}^SCT"},
		"a pointer":                   {"", "OBX|1|RP|a||//h/1^H^TX", "OBX|1|RP|a||^#H^TX"},
		"the id as a code":            {"", "OBR||||998877^Panel^L", "OBR||||#998877^{Panel}^L"},
		"a Z segment":                 {"", "ZPD|1|Lund^Oda", "ZPD||^"},
		"a Z segment like a trailer":  {"", "ZTS|Oda Lund", "ZTS|"},
		"a Z segment like a header":   {"", "ZHS|1|2|3|4|5|6|7|Oda|Lund||7|8", "ZHS||||||||||||"},
		"a field of no version":       {"", "EVN|A01|||||||||x^y", "EVN|A01|||||||||^"},
		"a component too many":        {"", "PID|||77^^^^^^^^^^^^^x", "PID|||#77^^^^^^^^^^^^^"},
		"own rule for a field":        {"PID-5=keep", "PID|||||Lund^Oda", "PID|||||Lund^Oda"},
		"own rule for a component":    {"PID.5.1=drop", "PID|||||Lund&van^Oda", "PID|||||&^<person>"},
		"own rule for a Z field":      {"ZPD-2=text", "ZPD|1|Lund^Odile", "ZPD||(Lund)^(Odile)"},
		"own rule for a segment":      {"PID=drop", "PID|1||77", "PID|||"},
		"own rule for a column":       {"*-2=drop", "PV1|1|I", "PV1|1|"},
		"rule to shift":               {"EVN-2=shift", "EVN|A01|20710403", "EVN|A01|20720403"},
		"a note cannot be kept":       {"**=keep", "OBX|1|TX|a||Seen by Ana", "OBX|1|TX|a||(Seen by Ana)"},
		"a coded note cannot be kept": {"**=keep", "OBX|1|CE|a||1^Seen by Ana^LN", "OBX|1|CE|a||1^(Seen by Ana)^LN"},
		"a note can be dropped":       {"OBX-5=drop", "OBX|1|TX|a||Seen^Ana~Gil", "OBX|1|TX|a||^~"},
		"a note can be hashed":        {"OBX-5=hash", "OBX|1|ST|a||998877", "OBX|1|ST|a||#998877"},
		"NTE dropped":                 {"NTE-3=drop", "NTE|1|L|Seen^Ana", "NTE|1|L|^"},
	} {
		t.Run(name, func(t *testing.T) {
			var own []string
			if c.own != "" {
				own = []string{c.own}
			}
			o := builtinRules(t, own...)
			o.Pseudonym = func(value string) string {
				if base.OID.MatchString(value) {
					return "0f"
				}
				return "#" + value
			}
			out := encode(t, readAll(t, head+c.in+"\r", o), showFields)
			got := strings.Split(out, "\r")[2]
			if got = strings.ReplaceAll(got, "2.25.15", "oid"); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// showFields marks values as <value or sort>, terms as {term} and texts as (text).
func showFields(n *base.Note) []markup.Edit {
	switch {
	case n.IsValue():
		s := n.Spans[0]
		value := string(n.Field)
		if n.Field == "date" || n.Field == field.Shift {
			return []markup.Edit{{Start: s.Start, End: s.End, New: strings.Replace(n.Text[s.Start:s.End], "2071", "2072", 1)}}
		}
		return []markup.Edit{{Start: s.Start, End: s.End, New: "<" + value + ">"}}
	case n.Field == field.Known:
		return around(n.Text, "{", "}")
	}
	return around(n.Text, "(", ")")
}

// around puts marks around each line that is longer than a code.
func around(text, before, after string) []markup.Edit {
	var edits []markup.Edit
	at := 0
	for line := range strings.SplitSeq(text, "\n") {
		if line := strings.TrimSuffix(line, ";"); len(line) > 3 {
			edits = append(edits, markup.Edit{Start: at, End: at + len(line), New: before + line + after})
		}
		at += len(line) + 1
	}
	return edits
}

func TestKeptFieldsOfHL7StayByteForByte(t *testing.T) {
	for name := range messages {
		c := &canaries{h: newMessage(nil, builtinRules(t), newTypeRules(builtinRules(t)), nil, 1), name: canaryName}
		c.h.separate('|', []byte(`^~\&`))
		var segments []string
		for s := range strings.FieldsSeq(messages[name]) {
			if segmentFields()[s] != nil {
				segments = append(segments, c.segment(s))
			}
		}
		file := "FHS|^~\\&|A|" + canaryName + "\r\n" + strings.Join(segments, "\r\n") + "\r\nZPD|a \\X41\\ \\|~~^&\r\nFTS|1|x\r\n"
		for _, r := range readAll(t, file, builtinRules(t, "**=keep")) {
			if len(r.Fields) > 0 {
				t.Errorf("%s: fields changed: %v", name, r.Fields)
			}
		}
		if out := encode(t, readAll(t, file, builtinRules(t, "**=keep")), none); out != file {
			t.Errorf("%s: became\n%q", name, out)
		}
	}
}

func TestPatientsOfOneMessageStayApart(t *testing.T) {
	file := "MSH|^~\\&|||||||RSP|M1\rPID|||77||Gil^Ana\rNTE|1||Ana\rPID|||88||Roy^Ina\rNTE|1||Ina\r"
	patients := map[string][]string{}
	for _, n := range readAll(t, file, builtinRules(t))[0].Notes {
		patients[n.Patient] = append(patients[n.Patient], n.Text)
		for _, k := range n.Known {
			if n.Patient == "77" && strings.Contains(k.Text, "Ina") || n.Patient == "88" && strings.Contains(k.Text, "Ana") {
				t.Errorf("%q of patient %s knows %q", n.Text, n.Patient, k.Text)
			}
		}
	}
	if !slices.Contains(patients["77"], "Ana") || !slices.Contains(patients["88"], "Ina") || len(patients) != 2 {
		t.Errorf("%v", patients)
	}
}

// A patient without PID-3 had the name of the message, as if that were known.
func TestPatientsWithoutPID3AreUnknown(t *testing.T) {
	file := "MSH|^~\\&|||||||RSP|M1\rPID|||||Gil^Ana\rNTE|1||Ana\rPID|||||Roy^Ina\rNTE|1||Ina\r"
	resources := map[string]int{}
	for _, n := range readAll(t, file, builtinRules(t))[0].Notes {
		if n.Patient != "" {
			t.Errorf("%q has the patient %q", n.Text, n.Patient)
		}
		resources[n.Resource]++
	}
	if len(resources) != 2 || resources["message M1"] < 2 || resources["message M1, patient 2"] < 2 {
		t.Error(resources)
	}
}

// The counts in trailers are those of the messages and batches that are written.
func TestCountsInTrailersAreOfWrittenMessages(t *testing.T) {
	message := func(id string) string { return "MSH|^~\\&|||||||ADT^A40|" + id + "|P|2.5\r" }
	for _, tc := range []struct {
		in   string
		lost []int // records that are not written
		want string
	}{
		{"FHS|^~\\&\rBHS|^~\\&\r" + message("1") + message("2") + "BTS|2|all\rFTS|1\r", nil, "BTS|2 FTS|1"},
		{"FHS|^~\\&\rBHS|^~\\&\r" + message("1") + message("2") + "BTS|2|all\rFTS|1\r", []int{2}, "BTS|1 FTS|1"},
		{"FHS|^~\\&\rBHS|^~\\&\r" + message("1") + message("2") + "BTS|2|all\rFTS|1\r", []int{2, 3}, "BTS|0 FTS|1"},
		{"BHS|^~\\&\r" + message("1") + "BTS|1\rBHS|^~\\&\r" + message("2") + message("3") + "BTS|2\rFTS|2\r", []int{4}, "BTS|1 BTS|1 FTS|2"},
		{"BHS|^~\\&\r" + message("1") + "BTS|1\rBHS|^~\\&\r" + message("2") + message("3") + "BTS|2\rFTS|3\r", []int{4}, "BTS|1 BTS|1 FTS|2"},
		{message("1") + message("2") + "FTS|2\r", []int{0}, "FTS|1"},
		{message("1") + message("2") + "BTS\rFTS||x\r", []int{0}, "BTS FTS|"},
	} {
		records := readAll(t, tc.in, builtinRules(t))
		for range 2 { // also if they are encoded again
			var got []string
			for i, r := range records {
				if slices.Contains(tc.lost, i) {
					continue
				}
				raw, err := r.Encode(make([][]markup.Edit, len(r.Notes)))
				if err != nil {
					t.Fatal(err)
				}
				if fields := strings.Split(strings.TrimSpace(string(raw)), "|"); strings.HasSuffix(fields[0], "TS") {
					got = append(got, strings.Join(fields[:min(2, len(fields))], "|"))
				}
			}
			if strings.Join(got, " ") != tc.want {
				t.Errorf("%q without %v: %q, want %q", tc.in, tc.lost, got, tc.want)
			}
		}
	}
}

func TestPseudonymsOfHL7JoinMessages(t *testing.T) {
	file := "BHS|^~\\&|A|H|||||F1||B1\rMSH|^~\\&|A|H|||||ADT^A40|M1|P|2.5\rPID|||77^^^H\rMRG|77^^^H\rMSH|^~\\&|A|H|||||ACK|M2|P|2.5\rMSA|AA|M1\rOBR|1|77\rBTS|2\r"
	records := readAll(t, file, builtinRules(t))
	out := encode(t, records, none)
	made := field.Pseudonyms([]byte("0123456789abcdef0123456789abcdef"))
	want := strings.NewReplacer("|A|H|", "|"+made("A")[:20]+"|"+made("H")[:20]+"|", "^H", "^"+made("H")[:20], "|77", "|"+made("77"), "|M1", "|"+made("M1")[:20], "|M2", "|"+made("M2")[:20],
		"|F1", "|"+made("F1")[:20], "|B1", "|"+made("B1")[:20]).Replace(file)
	if out != want {
		t.Errorf("%q, want\n%q", out, want)
	}
	if id := records[1].ID; id != made("M1")[:20] {
		t.Errorf("the id of the record is %s", id)
	}
	for _, n := range records[1].Notes {
		if !strings.HasPrefix(n.Alias, made("M1")[:20]) {
			t.Errorf("the note %s has the alias %q", n.ID, n.Alias)
		}
	}
}

// docPage is the documentation with the tables.
const docPage = "../../../../docs/fields-hl7.md"

// TestTablesOfHL7InTheDocumentation compares the tables of the page with what happens. With -update, it writes them.
func TestTablesOfHL7InTheDocumentation(t *testing.T) {
	page, err := os.ReadFile(docPage)
	if err != nil {
		t.Fatal(err)
	}
	made := page
	for name, table := range map[string]string{"types": typeTable(t), "segments": segmentTable(t)} {
		begin, end := "<!-- "+name+" -->\n", "<!-- end of "+name+" -->\n"
		from, to := bytes.Index(made, []byte(begin)), bytes.Index(made, []byte(end))
		if from < 0 || to < from {
			t.Fatalf("%s has no table of %s", docPage, name)
		}
		made = slices.Concat(made[:from+len(begin)], []byte(table), made[to:])
	}
	if *updateDocs {
		if err := os.WriteFile(docPage, made, 0o644); err != nil {
			t.Fatal(err)
		}
	} else if !bytes.Equal(page, made) {
		t.Errorf("%s is not up to date: run this test with -update", docPage)
	}
}

// actionsOf describes what happens to a field, component by component if they differ.
func actionsOf(h *message, at place, typ string) string {
	var parts []string
	components := max(1, len(typeComponents()[typ]))
	var last string
	for c := range components {
		at.component, at.sub = c+1, 1
		action, _ := h.actionFor(at, typ)
		if last != "" && last != string(action) {
			last = ""
			break
		}
		last = string(action)
	}
	if last != "" {
		return last
	}
	for c := range components {
		at.component, at.sub = c+1, 1
		action, _ := h.actionFor(at, typ)
		if action != field.Known && action != field.Keep {
			parts = append(parts, fmt.Sprintf("%d %s", c+1, action))
		}
	}
	return strings.Join(parts, ", ")
}

// typeTable returns the table of the data types.
func typeTable(t *testing.T) string {
	h := newMessage(nil, builtinRules(t), newTypeRules(builtinRules(t)), nil, 1)
	b := &strings.Builder{}
	b.WriteString("| type | components |\n|---|---|\n")
	for _, typ := range slices.Sorted(maps.Keys(typeComponents())) {
		if line := actionsOf(h, place{segment: "none"}, typ); laterType(typ) == typ && line != "" && line != string(field.Known) && line != string(field.Keep) {
			fmt.Fprintf(b, "| %s | %s |\n", typ, line)
		}
	}
	return b.String()
}

// segmentTable returns the table of the fields: by segment, those whose actions are not the ones of their type, and the others by type.
func segmentTable(t *testing.T) string {
	o := builtinRules(t)
	h := newMessage(nil, o, newTypeRules(o), nil, 1)
	b := &strings.Builder{}
	b.WriteString("| segment | fields with rules of their own | fields by data type |\n|---|---|---|\n")
	for _, segment := range slices.Sorted(maps.Keys(segmentFields())) {
		own, byType := []string{}, map[string][]string{}
		for i, typ := range segmentFields()[segment] {
			typ = laterType(typ)
			at := place{segment: segment, field: i + 1, component: 1, sub: 1}
			_, ruled := o.Fields.Action(at.path()...)
			switch {
			case typ == "-" || (segment == "MSH" || segment == "BHS" || segment == "FHS") && i < 2:
			case ruled:
				own = append(own, fmt.Sprintf("%d %s", i+1, actionsOf(h, at, typ)))
			case segment == "NTE" && i == 2 || segment == "OBX" && i == 4:
				own = append(own, fmt.Sprintf("%d note", i+1))
			default:
				byType[typ] = append(byType[typ], strconv.Itoa(i+1))
			}
		}
		var types []string
		for _, typ := range slices.Sorted(maps.Keys(byType)) {
			types = append(types, typ+" "+strings.Join(byType[typ], " "))
		}
		fmt.Fprintf(b, "| %s | %s | %s |\n", segment, strings.Join(own, "; "), strings.Join(types, "; "))
	}
	return b.String()
}
