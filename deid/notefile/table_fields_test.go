package notefile

import (
	"errors"
	"strings"
	"testing"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid/field"
	"github.com/lethe-deid/lethe/deid/notefile/internal/base"
	"github.com/lethe-deid/lethe/deid/safetynet"
)

// withRules adds rules for the fields of a format to options. The pseudonym of 7 is #7.
func withRules(t *testing.T, format string, o Options, rules ...string) Options {
	t.Helper()
	parsed, err := field.ParseRules(format, rules)
	if err != nil {
		t.Fatal(err)
	}
	o.Types, o.Fields, o.FieldsOnly = data.I2B2, field.With(nil, parsed), true
	o.Pseudonym = func(value string) string { return "#" + value }
	return o
}

// replaceFields writes a file in which fields with dates are replaced by another day or, if year is true, by their year, and other
// fields whose whole value is PHI by their type. Texts stay. It returns the first error, too.
func replaceFields(t *testing.T, format, in string, o Options, year bool) (out string, notes []*Note, err error) {
	t.Helper()
	f, err := Lookup(format)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Check(o); err != nil {
		t.Fatal(err)
	}
	for r, readErr := range f.Read(strings.NewReader(in), "n."+format, o) {
		if readErr != nil {
			err = errors.Join(err, readErr)
			continue
		}
		edits := make([][]Edit, len(r.Notes))
		for i, n := range r.Notes {
			if n.IsValue() {
				edits[i] = []Edit{fieldEdit(n, year)}
			}
		}
		encoded, err := r.Encode(edits)
		if err != nil {
			t.Fatal(err)
		}
		out, notes = out+string(encoded), append(notes, r.Notes...)
	}
	return out, notes, err
}

func fieldEdit(n *Note, year bool) Edit {
	s := n.Spans[0]
	value := n.Text[s.Start:s.End]
	made := "[" + s.Type + "]"
	switch {
	case s.Type != "DATE":
	case len(value) < len("2071") || value[:4] != "2071":
	case year || value == "2071":
		made = value[:4]
	default:
		made = "2072" + value[4:]
	}
	return Edit{Start: s.Start, End: s.End, New: made}
}

func TestFieldsOfCSV(t *testing.T) {
	notes := Options{Columns: []string{"note"}}
	for _, c := range []struct{ name, action, cell, want string }{
		{"text", "person", "Ana Vega", "[PATIENT]"},
		{"quoted", "person", `"Vega, Ana"`, `"[PATIENT]"`},
		{"doubled quotes", "person", `"Ana ""A"" Vega"`, `"[PATIENT]"`},
		{"empty", "person", "", ""},
		{"empty quoted", "person", `""`, `""`},
		{"clinician", "clinician", "Ana Vega", "[DOCTOR]"},
		{"type", "MEDICALRECORD", "0042", "[MEDICALRECORD]"},
		{"keep", "keep", "0042", "0042"},
		{"drop", "drop", "0042", ""},
		{"drop quoted", "drop", `"00,42"`, `""`},
		{"hash", "hash", "0042", "#0042"},
		{"hash quoted", "hash", `"00,42"`, `"#00,42"`},
		{"hash empty", "hash", "", ""},
		{"shift day", "shift", "2071-04-03", "2072-04-03"},
		{"shift quoted day", "shift", `"2071-04-03"`, `"2072-04-03"`},
		{"shift compact day", "shift", "20710403", "20720403"},
		{"shift time", "shift", "2071-04-03 10:15:00", "2072-04-03 10:15:00"},
		{"shift instant", "shift", "2071-04-03T10:15:00Z", "2072-04-03T10:15:00Z"},
		{"shift compact time", "shift", "20710403101500", "20720403101500"},
		{"shift month", "shift", "2071-04", "2072-04"},
		{"shift year", "shift", "2071", "2071"},
		{"shift no date", "shift", "unknown", "[DATE]"},
		{"shift empty", "shift", "", ""},
		{"age", "age", "93", "[AGE]"},
	} {
		in := "id,x,note\n1," + c.cell + ",Seen.\n"
		out, _, err := replaceFields(t, "csv", in, withRules(t, "csv", notes, "x="+c.action), false)
		if want := "id,x,note\n1," + c.want + ",Seen.\n"; out != want || err != nil {
			t.Errorf("%s: %q, want %q, %v", c.name, out, want, err)
		}
	}
	for cell, want := range map[string]string{"2071-04-03": "2071", "20710403": "2071", "2071-04-03 10:15:00": "2071", "20710403101500": "2071", "2071": "2071"} {
		out, _, err := replaceFields(t, "csv", "x\n"+cell+"\n", withRules(t, "csv", Options{}, "x=date"), true)
		if out != "x\n"+want+"\n" || err != nil {
			t.Errorf("%s: %q, %v", cell, out, err)
		}
	}
}

func TestColumnsWithRules(t *testing.T) {
	o := Options{Columns: []string{"note"}, ID: "id", Patient: "mrn", NoPatient: true}
	in := "id,mrn,a.b,note\n5,7,x,Seen.\n"
	for _, c := range []struct {
		rules []string
		want  string
		err   string
	}{
		{[]string{"mrn=hash"}, "id,mrn,a.b,note\n5,#7,x,Seen.\n", ""},
		{[]string{"id=hash", "a.b=drop"}, "id,mrn,a.b,note\n#5,,,Seen.\n", ""},
		{[]string{"*=drop", "id=keep", "note=text"}, "id,mrn,a.b,note\n5,,,Seen.\n", ""},
		{[]string{"*=drop"}, "", `n.csv:1: the column "note" contains notes, so it cannot have the rule drop, only text`},
		{[]string{"a=drop"}, "", `n.csv:1: the header has no column "a", for which there is a rule`},
		{[]string{"mrn=keep"}, "", `n.csv:1: the column "mrn" cannot be both emptied and kept: give --keep-patient`},
		{[]string{"A.b=drop"}, "", `n.csv:1: the column "a.b" differs only in case from "A.b", for which there is a rule: write --field a.b=ACTION, or a.b=keep if the column may stay`},
		{[]string{"a.b=text"}, "", `n.csv:1: the column "a.b" cannot have the rule text: name it as a column with notes`},
		{[]string{"a.b=known"}, "", `n.csv:1: the column "a.b" cannot have the rule known: name it as a column with notes`},
	} {
		out, _, err := replaceFields(t, "csv", in, withRules(t, "csv", o, c.rules...), false)
		if out != c.want || (err == nil) != (c.err == "") || err != nil && err.Error() != c.err {
			t.Errorf("%v: %q, %v", c.rules, out, err)
		}
	}
	o.NoPatient = false
	if out, _, err := replaceFields(t, "csv", in, withRules(t, "csv", o, "mrn=keep"), false); out != in || err != nil {
		t.Errorf("%q, %v", out, err)
	}
}

func TestFieldsOfJSONLines(t *testing.T) {
	for _, c := range []struct{ name, action, value, want string }{
		{"text", "person", `"Ana Vega"`, `"[PATIENT]"`},
		{"escapes", "person", `"A\u006ea \"A\" Vega"`, `"[PATIENT]"`},
		{"empty", "person", `""`, `""`},
		{"null", "person", `null`, `null`},
		{"list", "person", `["Ana Vega", null, "Vega"]`, `["[PATIENT]", null, "[PATIENT]"]`},
		{"keep", "keep", `"Ana"`, `"Ana"`},
		{"drop", "drop", `"Ana"`, `null`},
		{"drop number", "drop", `7`, `null`},
		{"drop null", "drop", `null`, `null`},
		{"drop list", "drop", `["Ana", {"b": 1}]`, `null`},
		{"drop object", "drop", `{"b": {"c": 1}}`, `null`},
		{"hash", "hash", `"7"`, `"#7"`},
		{"hash number", "hash", `7`, `"#7"`},
		{"hash empty", "hash", `""`, `"#"`},
		{"hash list", "hash", `[7, "8"]`, `["#7", "#8"]`},
		{"number", "MEDICALRECORD", `42`, `"[MEDICALRECORD]"`},
		{"boolean", "person", `true`, `"[PATIENT]"`},
		{"no value", "person", `"NULL"`, `"NULL"`},
		{"no date", "date", `"\\N"`, `"\\N"`},
		{"shift day", "shift", `"2071-04-03"`, `"2072-04-03"`},
		{"shift compact day", "shift", `"20710403"`, `"20720403"`},
		{"shift number", "shift", `20710403`, `20720403`},
		{"shift time", "shift", `"2071-04-03 10:15:00"`, `"2072-04-03 10:15:00"`},
		{"shift compact time", "shift", `"20710403101500"`, `"20720403101500"`},
		{"shift year", "shift", `2071`, `2071`},
		{"shift no date", "shift", `"unknown"`, `"[DATE]"`},
	} {
		in := `{"id": "5", "x": ` + c.value + `, "text": "Seen."}` + "\n"
		out, _, err := replaceFields(t, "jsonl", in, withRules(t, "jsonl", Options{}, "x="+c.action), false)
		if want := `{"id": "5", "x": ` + c.want + `, "text": "Seen."}` + "\n"; out != want || err != nil {
			t.Errorf("%s: %s, want %s, %v", c.name, out, want, err)
		}
	}
}

func TestKeysWithRules(t *testing.T) {
	for _, c := range []struct {
		name, in string
		columns  []string
		rules    []string
		want     string
		err      string
	}{
		{"nested", `{"m":{"n":"Ana"},"text":"."}`, nil, []string{"m.n=person"}, `{"m":{"n":"[PATIENT]"},"text":"."}`, ""},
		{"a key that differs in case", `{"N":"Ana","text":"."}`, nil, []string{"n=person"}, "", "n.jsonl:1: a key that differs only in case from \"n\", for which there is a rule: write the rule as the key is written, or give the key a rule of its own, such as keep (offset 5)"},
		{"a key that differs in case, below", `{"m":{"N":"Ana"},"text":"."}`, nil, []string{"M.n=person"}, "", "n.jsonl:1: a key that differs only in case from \"M.n\", for which there is a rule: write the rule as the key is written, or give the key a rule of its own, such as keep (offset 10)"},
		{"a key that differs in case, with a rule", `{"N":"Ana","n":"Eva","text":"."}`, nil, []string{"n=person", "N=keep"}, `{"N":"Ana","n":"[PATIENT]","text":"."}`, ""},
		{"a patient that differs in case", `{"Patient":"7","text":"."}`, nil, []string{"n=person"}, "", `n.jsonl:1: a key that differs only in case from that of the patient, "patient": give it as --patient, or give it a rule of its own, such as --field KEY=keep (offset 1)`},
		{"a patient that differs in case, with a rule", `{"Patient":"7","text":"."}`, nil, []string{"Patient=keep"}, `{"Patient":"7","text":"."}`, ""},
		{"key with a dot", `{"a.b":1,"a":{"b":2},"text":"."}`, nil, []string{`"a.b"=drop`}, `{"a.b":null,"a":{"b":2},"text":"."}`, ""},
		{"everything else", `{"a/b":1,"a":{"b":[2]},"text":"."}`, nil, []string{"**=drop", "text=text"}, `{"a/b":null,"a":null,"text":"."}`, ""},
		{"the patient is emptied", `{"patient":"7","text":"."}`, nil, []string{"x=drop"}, `{"patient":null,"text":"."}`, ""},
		{"the patient has a rule", `{"patient":"7","text":"."}`, nil, []string{"patient=hash"}, `{"patient":"#7","text":"."}`, ""},
		{"the patient in a dropped object", `{"meta":{"patient_id":"7"},"text":"."}`, nil, []string{"meta=drop"}, `{"meta":null,"text":"."}`, ""},
		{"a list of PHI is updated", `{"labels":["Ana"],"text":"."}`, nil, []string{"labels=person"}, `{"labels":[],"text":"."}`, ""},
		{"a list of PHI is dropped", `{"spans":[{"start":0}],"text":"."}`, nil, []string{"spans=drop"}, `{"spans":null,"text":"."}`, ""},
		{"without the key text", `{"a":"7"}`, nil, []string{"a=hash"}, `{"a":"#7"}`, ""},
		{"text beside rules", `{"a":"7","text":null}`, nil, []string{"a=hash"}, `{"a":"#7","text":null}`, ""},
		{"a key that was named is missing", `{"a":"7"}`, []string{"note"}, []string{"a=hash"}, ``, `n.jsonl:1: the key "note" is missing`},
		{"a rule for notes", `{"text":"."}`, nil, []string{"text=drop"}, ``, "n.jsonl:1: a key with notes cannot have the rule drop, only text (offset 8)"},
		{"notes in a dropped object", `{"m":{"t":"."}}`, []string{"m.t"}, []string{"m=drop"}, ``, "n.jsonl:1: a value that contains notes cannot be dropped (offset 5)"},
		{"a rule for an object", `{"m":{"n":1},"text":"."}`, nil, []string{"m=hash"}, ``, "n.jsonl:1: the field m is an object: write m.** for everything in it, or the path of one of its values (offset 5)"},
		{"a rule for a list of objects", `{"m":[{"n":1}],"text":"."}`, nil, []string{"m=hash"}, ``, "n.jsonl:1: the field m is an object: write m.** for everything in it, or the path of one of its values (offset 6)"},
		{"the patient is kept", `{"patient":"7","text":"."}`, nil, []string{"patient=keep"}, ``, "n.jsonl:1: the patient cannot be both emptied and kept: give --keep-patient (offset 11)"},
		{"an examined field", `{"a":"7","text":"."}`, nil, []string{"a=text"}, ``, "n.jsonl:1: a field cannot have the rule text in JSON Lines: name it as a key with notes (offset 5)"},
	} {
		o := withRules(t, "jsonl", Options{Columns: c.columns, NoPatient: true}, c.rules...)
		out, _, err := replaceFields(t, "jsonl", c.in, o, false)
		if out != c.want || (err == nil) != (c.err == "") || err != nil && err.Error() != c.err {
			t.Errorf("%s: %s, %v", c.name, out, err)
		}
	}
}

// The audit contained the id of a note although it became a pseudonym in the output.
func TestIDsThatBecomePseudonymsHaveAliases(t *testing.T) {
	for _, c := range []struct {
		name, format, in string
		options          Options
		want             string
	}{
		{"csv", "csv", "id,a,b\n5,x,y\n", Options{Columns: []string{"a", "b"}, ID: "id"}, "#5 #5/b"},
		{"jsonl", "jsonl", `{"id":5,"text":"x"}`, Options{}, "#5"},
		{"several keys", "jsonl", `{"id":"5","a":"x","b":"y"}`, Options{Columns: []string{"a", "b"}, ID: "id"}, "#5 #5/b"},
		{"lists", "jsonl", `{"id":"5","a":["x","y"]}`, Options{Columns: []string{"a"}}, "#5/a[0] #5/a[1]"},
		{"without an id", "jsonl", `{"id":"","text":"x"}`, Options{}, ""},
	} {
		_, notes, err := replaceFields(t, c.format, c.in, withRules(t, c.format, c.options, "id=hash"), false)
		var aliases []string
		for _, n := range notes {
			aliases = append(aliases, n.Alias)
		}
		if got := strings.Join(aliases, " "); got != c.want || err != nil {
			t.Errorf("%s: %q, want %q, %v", c.name, got, c.want, err)
		}
	}
}

// The values of fields are known of the patient in the notes of the row.
func TestNotesKnowTheFieldsOfTheirRow(t *testing.T) {
	for format, in := range map[string]string{"csv": "name,state,note\nAna Vega,OH,Seen.\n", "jsonl": `{"name":"Ana Vega","state":"OH","note":"Seen."}`} {
		o := withRules(t, format, Options{Columns: []string{"note"}}, "name=person", "state=state")
		_, notes, err := replaceFields(t, format, in, o, false)
		if err != nil || len(notes) != 3 || len(notes[0].Known) != 1 || notes[0].Known[0].Text != "Ana Vega" || len(notes[1].Known) != 0 {
			t.Errorf("%s: %v, %v", format, notes, err)
		}
	}
}

func TestDatesOfMachines(t *testing.T) {
	for _, c := range []struct{ value, date, made, want string }{
		{"2071-04-03", "2071-04-03", "2072-05-04", "2072-05-04"},
		{"20710403", "2071-04-03", "2072-05-04", "20720504"},
		{"2071-04-03 10:15:00", "2071-04-03", "2072-05-04", "2072-05-04 10:15:00"},
		{"2071-04-03T10:15:00+02:00", "2071-04-03", "2072-05-04", "2072-05-04T10:15:00+02:00"},
		{"20710403101500", "2071-04-03", "2072-05-04", "20720504101500"},
		{"207104031015", "2071-04-03", "2072-05-04", "207205041015"},
		{"20710403101500.123-0500", "2071-04-03", "2072-05-04", "20720504101500.123-0500"},
		{"2071-04", "2071-04", "2072-05", "2072-05"},
		{"99991231235959", "9999-12-31", "9999-12-31", "99991231235959"}, // no end: HL7 lost it
		{"00010101", "0001-01-01", "0001-01-01", "00010101"},
		{"207104", "2071-04", "2072-05", "207205"},
		{"20710403101500", "2071-04-03", "2071", "2071"},
		{"2071-04-03", "2071-04-03", "[DATE]", "none"},
		{"2071-04-03", "2071-04-03", "2072-05", "none"},
	} {
		date, back, ok := base.MachineDate(c.value)
		if !ok || date != c.date {
			t.Errorf("%s: %q, %v", c.value, date, ok)
			continue
		}
		got, ok := back(c.made)
		if !ok {
			got = "none"
		}
		if got != c.want {
			t.Errorf("%s with %s: %q, want %q", c.value, c.made, got, c.want)
		}
	}
	for _, value := range []string{"", "2071", "123456789", "4-3-2071", "20711403", "99991230", "000104", "2071-04-03x", "0042", "May 2071"} {
		if date, _, ok := base.MachineDate(value); ok {
			t.Errorf("%q is read as %s", value, date)
		}
	}
}

// What hash and drop took out of the fields of a table, and the key of the patient, stayed in the notes of the same row.
func TestNotesKnowWhatLeavesTheFieldsOfTheirRow(t *testing.T) {
	rules := []string{"patient=hash", "acct=hash", "phone=drop", "born=drop", "rest=drop"}
	want := "A-5512 BR55T 555-0142 1957-04-03"
	check := func(format string, notes []*Note, err error) {
		t.Helper()
		var known []string
		if err == nil && len(notes) == 1 {
			for _, v := range notes[0].Known {
				if known = append(known, v.Text); !v.Guessed || (v.Kind == safetynet.Date) != (v.Text == "1957-04-03") {
					t.Errorf("%s: %+v", format, v)
				}
			}
		}
		if got := strings.Join(known, " "); got != want || err != nil {
			t.Errorf("%s: %q, want %q, %v", format, got, want, err)
		}
	}
	o := Options{Columns: []string{"note"}, Patient: "patient", NoPatient: true}
	_, notes, err := replaceFields(t, "csv", "patient,acct,phone,born,rest,note\nA-5512,BR55T,555-0142,1957-04-03 00:00,HbA1c,Seen.\n", withRules(t, "csv", o, rules...), false)
	check("csv", notes, err)
	_, notes, err = replaceFields(t, "jsonl", `{"patient":"A-5512","acct":"BR55T","phone":"555-0142","born":"1957-04-03","rest":{"a":["HbA1c",1234]},"note":"Seen."}`, withRules(t, "jsonl", o, rules...), false)
	check("jsonl", notes, err)
	want = "A-5512"
	for format, in := range map[string]string{"csv": "patient,note\nA-5512,Seen.\n", "jsonl": `{"patient":"A-5512","note":"Seen."}`} {
		_, notes, err := replaceFields(t, format, in, o, false)
		check(format+" without rules", notes, err)
	}
	record, err := JSONLine([]byte(`{"patient":"A-5512","note":"Seen."}`), "n.jsonl", 1, o)
	if err != nil {
		t.Fatal(err)
	}
	check("worker", record.Notes, err)
}

// Dates that went, in other forms than 2071-03-04, were searched for as identifiers, so that they were replaced where dates stay.
func TestDatesThatGoAreNoIdentifiers(t *testing.T) {
	o := Options{Columns: []string{"note"}, Patient: "patient", NoPatient: true}
	for _, action := range []string{"hash", "drop"} {
		for value, kind := range map[string]safetynet.Kind{
			"2071-03-04": safetynet.Date, "2071-03-04 10:15": safetynet.Date, "03/04/2071": "", "3/14/71": "", "3.4.2071": "", "2071/03/04": "", "03-04-2071": "", "20710304": "", "207103041015": "",
			"03-MAR-2071": "", "4 March 2071": "", "03/04/2071 10:15": "", "482913": safetynet.ID, "12-34-5678": safetynet.ID, "555-0142": safetynet.ID, "20719999": safetynet.ID,
		} {
			_, notes, err := replaceFields(t, "csv", "patient,a,note\nA-5512,"+value+",Seen.\n", withRules(t, "csv", o, "a="+action), false)
			if err != nil {
				t.Fatal(err)
			}
			got := safetynet.Kind("")
			for _, v := range notes[0].Known {
				if v.Text != "A-5512" {
					got = v.Kind
				}
			}
			if got != kind {
				t.Errorf("%s=%s: the kind is %q, want %q", value, action, got, kind)
			}
		}
	}
}

// The key of the patient stayed in the notes if a rule dropped it and it has letters.
func TestTheKeyOfThePatientIsSearchedForIfItIsDropped(t *testing.T) {
	o := Options{Columns: []string{"note"}, Patient: "patient", NoPatient: true}
	for format, in := range map[string]string{"csv": "patient,note\nBR55T,Seen.\n", "jsonl": `{"patient":"BR55T","note":"Seen."}`} {
		_, notes, err := replaceFields(t, format, in, withRules(t, format, o, "patient=drop"), false)
		if err != nil || len(notes) != 1 || len(notes[0].Known) != 1 || notes[0].Known[0].Text != "BR55T" {
			t.Errorf("%s: %+v, %v", format, notes, err)
		}
	}
}
