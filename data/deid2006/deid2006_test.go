package deid2006

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/lethe-deid/lethe/data"
)

// file wraps records as in a file of the challenge, beginning on line 3.
func file(records string) string {
	return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<ROOT>\n" + records + "</ROOT>\n"
}

// record wraps a text; TEXT begins on the second line of the record.
func record(id, text string) string {
	return "<RECORD ID=\"" + id + "\">\n<TEXT>" + text + "</TEXT>\n</RECORD>\n"
}

func span(start, end int, typ string) data.Span {
	return data.Span{Start: start, End: end, Type: typ, Score: 1}
}

// all returns the documents and the errors in a file, as text.
func all(t *testing.T, raw string, types *data.TypeSet) (docs []*data.Document, errs []string) {
	t.Helper()
	for doc, err := range Decode(strings.NewReader(raw), "f.xml", types) {
		if err == nil {
			docs = append(docs, doc)
			continue
		}
		if _, ok := errors.AsType[*data.Error](err); !ok {
			t.Errorf("the error is a %T", err)
		}
		errs = append(errs, err.Error())
	}
	return docs, errs
}

func TestDecode(t *testing.T) {
	for what, tc := range map[string]struct {
		text string // as written
		want string
		span []data.Span
	}{
		"line end after TEXT":     {"\nDr. <PHI TYPE=\"DOCTOR\">Vance</PHI> saw\n", "\nDr. Vance saw\n", []data.Span{span(5, 10, "DOCTOR")}},
		"references":              {"a &amp; <PHI TYPE='HOSPITAL'>Ash &amp; Elm &lt;&#72;&gt;</PHI>.", "a & Ash & Elm <H>.", []data.Span{span(4, 17, "HOSPITAL")}},
		"accents and an emoji":    {"é😀<PHI TYPE=\"PATIENT\">Ödön</PHI>", "é😀Ödön", []data.Span{span(6, 12, "PATIENT")}},
		"CR LF":                   {"\r\na\r<PHI TYPE=\"DATE\">02/\r\n20</PHI>\r\n", "\na\n02/\n20\n", []data.Span{span(3, 9, "DATE")}},
		"marks without a gap":     {"<PHI TYPE=\"DATE\">02/20</PHI><PHI TYPE=\"ID\">8</PHI>", "02/208", []data.Span{span(0, 5, "DATE"), span(5, 6, "ID")}},
		"white space in a tag":    {"<PHI\n TYPE = \"DATE\"\t>02</PHI >", "02", []data.Span{span(0, 2, "DATE")}},
		"another attribute":       {"<PHI ID=\"P1\" TYPE=\"DATE\">02</PHI>", "02", []data.Span{span(0, 2, "DATE")}},
		"CDATA within a mark":     {"<PHI TYPE=\"DATE\">0<![CDATA[2<]]></PHI>", "02<", []data.Span{span(0, 3, "DATE")}},
		"a comment in the text":   {"a<!-- x -->b", "ab", nil},
		"no PHI":                  {"nothing", "nothing", nil},
		"no text":                 {"", "", nil},
		"U+FEFF within the text ": {"\uFEFF<PHI TYPE=\"DATE\">02</PHI>", "\uFEFF02", []data.Span{span(3, 5, "DATE")}},
	} {
		t.Run(what, func(t *testing.T) {
			docs, errs := all(t, file(record("641", tc.text)), data.I2B22006)
			want := []*data.Document{{ID: "641", Text: tc.want, Spans: tc.span}}
			if diff := cmp.Diff(want, docs); diff != "" || errs != nil {
				t.Error(diff, errs)
			}
		})
	}
}

// Each defect is one error, and the records after it are read if the file is XML nevertheless.
func TestDecodeErrors(t *testing.T) {
	const name = "<PHI TYPE=\"DOCTOR\">Vance</PHI>"
	for what, tc := range map[string]struct {
		raw, want string
		read      int // number of records
	}{
		"empty file":            {"", "f.xml:1: no XML element: the file is empty", 0},
		"no XML":                {"Dr. Vance\n", "f.xml:1: text outside of TEXT: the file does not begin as XML, and is in another format", 0},
		"another root":          {"<deIdi2b2>\n<TEXT>x</TEXT></deIdi2b2>", "f.xml:1: the root must be one element ROOT: the format i2b2 reads this file", 0},
		"two roots":             {file("") + "<ROOT/>", "f.xml:4: the root must be one element ROOT: the file was probably put together of two", 0},
		"another element":       {file("<NOTE ID=\"1\"><TEXT>Vance</TEXT></NOTE>\n"), "f.xml:3: an element other than RECORD in ROOT", 0},
		"text beside":           {file(record("1", "x") + "Vance\n"), "f.xml:6: text outside of TEXT", 1},
		"no ID":                 {file("<RECORD><TEXT>Vance</TEXT></RECORD>" + record("2", "x")), "f.xml:3: record no. 1: a RECORD without an ID: the attribute ID, in capitals, is required", 1},
		"blank ID":              {file(record(" ", "Vance")), "f.xml:3: record no. 1: a RECORD without an ID: the attribute ID, in capitals, is required", 0},
		"duplicate ID":          {file(record("1", "x") + record("1", "Vance") + record("2", "x")), `f.xml:6: record no. 2: duplicate ID: an earlier record of these files has the same`, 2},
		"no TEXT":               {file("<RECORD ID=\"1\">\n</RECORD>\n" + record("2", "x")), `f.xml:4: record no. 1: no TEXT element: its name is in capitals`, 1},
		"two TEXT":              {file("<RECORD ID=\"1\"><TEXT/>\n<TEXT>Vance</TEXT></RECORD>\n" + record("2", "x")), `f.xml:4: record no. 1: duplicate TEXT: a RECORD has one note`, 1},
		"text beside TEXT":      {file("<RECORD ID=\"1\"><TEXT/>\nVance</RECORD>\n" + record("2", "x")), `f.xml:4: record no. 1: text outside of TEXT`, 1},
		"no TYPE":               {file(record("1", "\n<PHI>Vance</PHI>") + record("2", "x")), `f.xml:5: record no. 1: a PHI without a TYPE: the attribute TYPE, in capitals, is required`, 1},
		"empty TYPE":            {file(record("1", "<PHI TYPE=\"\">Vance</PHI>") + record("2", "x")), `f.xml:4: record no. 1: a PHI without a TYPE: the attribute TYPE, in capitals, is required`, 1},
		"unknown TYPE":          {file(record("1", "<PHI TYPE=\"VANCE\">Vance</PHI>") + record("2", "x")), `f.xml:4: record no. 1: the type VANCE is not in the type set i2b2-2006`, 1},
		"TYPE in lower case":    {file(record("1", "<PHI TYPE=\"doctor\">Vance</PHI>")), `f.xml:4: record no. 1: the type doctor is not in the type set i2b2-2006, which has DOCTOR`, 0},
		"nested":                {file(record("1", "\n<PHI TYPE=\"DOCTOR\">Dr. "+name+"</PHI>") + record("2", name)), `f.xml:5: record no. 1: a PHI within another: keep one of them, because the format has no nested spans`, 1},
		"without text":          {file(record("1", "<PHI TYPE=\"DOCTOR\"></PHI>") + record("2", name)), `f.xml:4: record no. 1: a PHI without text: leave it out`, 1},
		"empty element":         {file(record("1", "<PHI TYPE=\"DOCTOR\"/>Vance") + record("2", name)), `f.xml:4: record no. 1: a PHI without text: leave it out`, 1},
		"empty CDATA":           {file(record("1", "<PHI TYPE=\"DOCTOR\"><![CDATA[]]></PHI>Vance") + record("2", name)), `f.xml:4: record no. 1: a PHI without text: leave it out`, 1},
		"another element, TEXT": {file(record("1", "<b>"+name+"</b>") + record("2", name)), `f.xml:4: record no. 1: an element other than PHI within TEXT: a span is written <PHI TYPE="DOCTOR">, and a < of the note &lt;`, 1},
		"in PHI":                {file(record("1", "<PHI TYPE=\"DOCTOR\"><b>"+name+"</b>Vance</PHI>") + record("2", name)), `f.xml:4: record no. 1: an element other than PHI within TEXT: a span is written <PHI TYPE="DOCTOR">, and a < of the note &lt;`, 1},
		"unclosed":              {file(record("1", "x") + record("2", "\n<PHI TYPE=\"DOCTOR\">Vance\n") + record("3", name)), "f.xml:9: not well-formed XML: an end tag does not match the last tag that is open", 1},
		"closed twice":          {file(record("1", "x") + record("2", name+"\n</PHI>") + record("3", name)), "f.xml:8: not well-formed XML: an end tag does not match the last tag that is open", 1},
		"closed otherwise":      {file(record("1", "<PHI TYPE=\"DOCTOR\">Vance</PIH>")), "f.xml:4: not well-formed XML: an end tag does not match the last tag that is open", 0},
		"ampersand":             {file(record("1", "Vance & Ash\n")), "f.xml:4: not well-formed XML: an & is written &amp;, and a reference of HTML such as &nbsp; by its number, as in &#160;", 0},
		"less than":             {file(record("1", "Vance < 5 mg")), "f.xml:4: not well-formed XML: a < that begins no tag is written &lt;", 0},
		"cut off":               {file(record("1", "x") + record("2", name))[:120], "f.xml:7: not well-formed XML: the file ends too early, and is probably truncated", 1},
		"control character":     {file(record("1", "Vance\n\x0c")), "f.xml:5: XML does not allow the character U+000C (offset 74)", 0},
		"invalid UTF-8":         {file(record("1", "Vance\n\xf1")), "f.xml:5: invalid UTF-8: convert the file to UTF-8, probably from Latin-1 or Windows-1252 (offset 74)", 0},
		"encoding":              {"<?xml version='1.0' encoding='windows-1252'?><ROOT/>", "f.xml:1: the declared encoding is not UTF-8, US-ASCII or ISO-8859-1: convert the file to UTF-8, and declare that", 0},
	} {
		t.Run(what, func(t *testing.T) {
			docs, errs := all(t, tc.raw, data.I2B22006)
			if diff := cmp.Diff([]string{tc.want}, errs); diff != "" || len(docs) != tc.read {
				t.Errorf("read %d records, want %d; errors\n%s", len(docs), tc.read, diff)
			}
		})
	}
}

// A folder has several files, whose records have different IDs.
func TestFolder(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{
		"a.xml": file(record("1", "a") + record("110-04", "b")),
		"b.xml": file(record("1", "c") + record("2", "d")),
		"c.txt": "skipped",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	var docs []*data.Document
	var errs []string
	for doc, err := range Read(dir, data.I2B22006) {
		if err != nil {
			errs = append(errs, strings.TrimPrefix(err.Error(), dir))
			continue
		}
		docs = append(docs, doc)
	}
	want := []*data.Document{{ID: "1", Text: "a"}, {ID: "110-04", Patient: "110", Text: "b"}, {ID: "2", Text: "d"}}
	if diff := cmp.Diff(want, docs); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{`/b.xml:3: record no. 1: duplicate ID: an earlier record of these files has the same`}, errs); diff != "" {
		t.Error(diff)
	}
}

func TestCreate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "corpus.xml")
	w, err := Create(path, data.I2B22006)
	if err != nil {
		t.Fatal(err)
	}
	for _, doc := range []*data.Document{
		{ID: "641", Text: "\nDr. Vance & Zoë\r\n", Spans: []data.Span{span(13, 17, "PATIENT"), span(5, 10, "DOCTOR")}},
		{ID: "a<b", Text: ""},
	} {
		if err := w.Write(doc); err != nil {
			t.Fatal(err)
		}
	}
	for want, doc := range map[string]*data.Document{
		"two spans overlap, which this format cannot represent":      {ID: "x", Text: "Dr. Vance", Spans: []data.Span{span(4, 9, "DOCTOR"), span(4, 9, "PATIENT")}},
		"XML does not allow the character U+000B at byte 5":          {ID: "y", Text: "Vance\x0b"},
		"the id is blank or has a character that XML does not allow": {ID: "y\x0b", Text: "Vance"},
		"two documents have this id":                                 {ID: "641", Text: "Vance"},
		"the type CITY is not in the type set i2b2-2006":             {ID: "z", Text: "Vance", Spans: []data.Span{span(0, 5, "CITY")}},
		"document v: span 0 [0,9) lies beyond the text of 5 bytes":   {ID: "v", Text: "Vance", Spans: []data.Span{span(0, 9, "DATE")}},
	} {
		if err := w.Write(doc); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "Vance") {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := `<?xml version="1.0" encoding="UTF-8"?>
<ROOT>
<RECORD ID="641">
<TEXT>
Dr. <PHI TYPE="DOCTOR">Vance</PHI> &amp; <PHI TYPE="PATIENT">Zoë</PHI>` + "&#13;" + `
</TEXT>
</RECORD>
<RECORD ID="a&lt;b">
<TEXT></TEXT>
</RECORD>
</ROOT>
`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Error(diff)
	}
}

// A corpus without notes is a valid file, too.
func TestCreateEmpty(t *testing.T) {
	path := filepath.Join(t.TempDir(), "corpus.xml")
	w, err := Create(path, data.I2B22006)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	docs, err := data.Collect(Read(path, data.I2B22006))
	if err != nil || len(docs) != 0 {
		t.Error(docs, err)
	}
}

// The conversions of an XML parser must not change the text of a note.
func TestRoundTrip(t *testing.T) {
	types := data.I2B22006
	rapid.Check(t, func(t *rapid.T) {
		unit := rapid.SampledFrom([]string{"a", "Zoë", " ", "\n", "\r", "\r\n", "\t", "]]>", ">", "<", "&amp;", "&", `"`, "\uFEFF", "\u2028", "😀", "<![CDATA[", "</PHI>"})
		doc := &data.Document{ID: rapid.SampledFrom([]string{"641", "7-1", "a \"b\"\n&"}).Draw(t, "id")}
		doc.Patient = data.PatientOf(doc.ID)
		for range rapid.IntRange(0, 6).Draw(t, "parts") {
			part := strings.Join(rapid.SliceOf(unit).Draw(t, "text"), "")
			if part != "" && rapid.Bool().Draw(t, "marked") {
				at := len(doc.Text)
				doc.Spans = append(doc.Spans, span(at, at+len(part), rapid.SampledFrom(types.Types).Draw(t, "type").Name))
			}
			doc.Text += part
		}
		raw, err := encode(doc)
		if err != nil {
			t.Fatal(err)
		}
		got, err := data.Collect(Decode(strings.NewReader(head+string(raw)+tail), "f.xml", types))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]*data.Document{doc}, got); diff != "" {
			t.Fatal(diff)
		}
	})
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(file(record("1", "\nDr. <PHI TYPE=\"DOCTOR\">Vance &amp; Ash</PHI>\n") + record("2", "x"))))
	f.Add([]byte("\uFEFF<?xml version='1.0' encoding='ISO-8859-1'?><ROOT><RECORD ID='\xf1'><TEXT>\xf1&#13;\r\n<PHI TYPE='X'>a<![CDATA[]]]]><![CDATA[>]]></PHI></TEXT></RECORD></ROOT>"))
	f.Add([]byte(file("<RECORD ID='1'><TEXT><PHI TYPE='X'><PHI>a</PHI><b>c</b></PHI></TEXT><META/></RECORD>")))
	types := data.Any
	f.Fuzz(func(t *testing.T, raw []byte) {
		written := head
		var docs []*data.Document
		for doc, err := range Decode(strings.NewReader(string(raw)), "f.xml", types) {
			if err != nil {
				if _, ok := errors.AsType[*data.Error](err); !ok {
					t.Fatalf("the error is a %T", err)
				}
				continue
			}
			if err := doc.Check(); err != nil {
				t.Fatal(err)
			}
			encoded, err := encode(doc)
			if err != nil {
				t.Fatal(err)
			}
			docs, written = append(docs, doc), written+string(encoded)
		}
		got, err := data.Collect(Decode(strings.NewReader(written+tail), "f.xml", types))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(docs, got); diff != "" {
			t.Fatal(diff)
		}
	})
}
