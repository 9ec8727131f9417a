package i2b2

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

// note wraps text and tags as in a file, beginning on line 1.
func note(text, tags string) string {
	return `<?xml version="1.0" encoding="UTF-8" ?><deIdi2b2><TEXT>` + text + "</TEXT>\n<TAGS>\n" + tags + "\n</TAGS></deIdi2b2>"
}

func span(start, end int, typ string) data.Span {
	return data.Span{Start: start, End: end, Type: typ, Score: 1}
}

func TestDecode(t *testing.T) {
	const name = `<NAME id="P0" start="4" end="11" TYPE="PATIENT" comment="" />`
	for what, tc := range map[string]struct {
		file string
		text string
		want []data.Span
	}{
		"CDATA":                        {note("<![CDATA[Mr. Zebulon]]>", name), "Mr. Zebulon", []data.Span{span(4, 11, "PATIENT")}},
		"escaped":                      {note("Mr. &lt;ebul&#111;n", name), "Mr. <ebulon", []data.Span{span(4, 11, "PATIENT")}},
		"]]> over two sections":        {note("<![CDATA[Mr. ]]]]><![CDATA[>buló]]>", name), "Mr. ]]>buló", []data.Span{span(4, 12, "PATIENT")}},
		"comment in the text":          {note("Mr. Ze<!-- not text -->bulon", name), "Mr. Zebulon", []data.Span{span(4, 11, "PATIENT")}},
		"CR LF, CR":                    {note("<![CDATA[a\r\nb\rZebulon]]>", name), "a\nb\nZebulon", []data.Span{span(4, 11, "PATIENT")}},
		"CR by reference":              {note("a&#13;\nbZebulon", name), "a\r\nbZebulon", []data.Span{span(4, 11, "PATIENT")}},
		"U+FEFF in the text counts":    {note("<![CDATA[\uFEFFMr.Zebulon]]>", name), "\uFEFFMr.Zebulon", []data.Span{span(6, 13, "PATIENT")}},
		"U+FEFF of the file does not":  {"\uFEFF" + note("Mr. Zebulon", name), "Mr. Zebulon", []data.Span{span(4, 11, "PATIENT")}},
		"beyond the BMP":               {note("Mr.😀Zebulon", name), "Mr.😀Zebulon", []data.Span{span(7, 14, "PATIENT")}},
		"leading zeros":                {note("Mr. Zebulon", strings.Replace(name, `"4"`, `"0004"`, 1)), "Mr. Zebulon", []data.Span{span(4, 11, "PATIENT")}},
		"element PHI":                  {note("Mr. Zebulon", strings.Replace(name, "NAME", "PHI", 1)), "Mr. Zebulon", []data.Span{span(4, 11, "PATIENT")}},
		"nested, overlapping, twice":   {note("Mr. Zebulon", name+name+`<NAME start="0" end="6" TYPE="DOCTOR"></NAME><DATE start="5" end="7" TYPE="DATE"/>`), "Mr. Zebulon", []data.Span{span(0, 6, "DOCTOR"), span(4, 11, "PATIENT"), span(4, 11, "PATIENT"), span(5, 7, "DATE")}},
		"no TAGS":                      {"<MEDDOCAN><TEXT>Mr. Zebulon</TEXT></MEDDOCAN>", "Mr. Zebulon", nil},
		"other children of the root":   {"<MEDDOCAN><META><x/>y</META><TEXT>Mr. Zebulon</TEXT></MEDDOCAN>", "Mr. Zebulon", nil},
		"ISO-8859-1":                   {"<?xml version='1.0' encoding='ISO-8859-1'?><deIdi2b2><TEXT>\xf1 \xe9 Zebulon</TEXT><TAGS>" + name + "</TAGS></deIdi2b2>", "ñ é Zebulon", []data.Span{span(6, 13, "PATIENT")}},
		"empty text":                   {note("", ""), "", nil},
		"tags before the text":         {"<deIdi2b2><TAGS>" + name + "</TAGS><TEXT>Mr. Zebulon</TEXT></deIdi2b2>", "Mr. Zebulon", []data.Span{span(4, 11, "PATIENT")}},
		"white space around the text":  {note("\n  Zebulon\n\n", name), "\n  Zebulon\n\n", []data.Span{span(4, 11, "PATIENT")}},
		"text with other white space":  {note("Mr. Ze\n  bulon", `<NAME start="4" end="14" text="Ze bulon" TYPE="PATIENT"/>`), "Mr. Ze\n  bulon", []data.Span{span(4, 14, "PATIENT")}},
		"text escaped twice":           {note("Mr. O'Z&amp;bulon", `<NAME start="4" end="13" text="O&amp;apos;Z&amp;amp;bulon" TYPE="PATIENT"/>`), "Mr. O'Z&bulon", []data.Span{span(4, 13, "PATIENT")}},
		"a character reference as tab": {note("Mr.&#9;Zebulon", name), "Mr.\tZebulon", []data.Span{span(4, 11, "PATIENT")}},
	} {
		t.Run(what, func(t *testing.T) {
			doc, err := Decode(strings.NewReader(tc.file), "notes/110-04.xml", data.ReadOptions{Types: data.I2B2})
			if err != nil {
				t.Fatal(err)
			}
			want := &data.Document{ID: "110-04", Patient: "110", Text: tc.text, Spans: tc.want}
			if diff := cmp.Diff(want, doc); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestDecodeErrors(t *testing.T) {
	tag := func(element, start, end, typ string) string {
		return note("<![CDATA[Mr. Zebulon]]>", "<"+element+` start="`+start+`" end="`+end+`" text="Zebulon" TYPE="`+typ+`"/>`)
	}
	for what, tc := range map[string]struct{ file, want string }{
		"empty file":           {"", "f.xml:1: no XML element: the file is empty"},
		"no XML":               {"Mr. Zebulon\n", "f.xml:1: text outside of TEXT: the file does not begin as XML, and is in another format"},
		"broken":               {note("Mr.\n<Zebulon", ""), "f.xml:2: not well-formed XML"},
		"unknown entity":       {note("Mr.\n&Zebulon;", ""), "f.xml:2: not well-formed XML: an & is written &amp;, and a reference of HTML such as &nbsp; by its number, as in &#160;"},
		"cut off":              {note("Mr. Zebulon", "")[:75], "f.xml:2: not well-formed XML: the file ends too early, and is probably truncated"},
		"CDATA cut off":        {"<deIdi2b2><TEXT><![CDATA[Mr.\nZebulon", "f.xml:2: not well-formed XML: the file ends too early, and is probably truncated"},
		"root":                 {"<Zebulon/>", "f.xml:1: the root must be one element deIdi2b2 or MEDDOCAN: the file is in another format"},
		"two roots":            {note("", "") + note("", ""), "f.xml:4: the root must be one element deIdi2b2 or MEDDOCAN: the file was probably put together of two"},
		"text after the root":  {note("", "") + "Zebulon", "f.xml:4: text outside of TEXT"},
		"text in the root":     {"<deIdi2b2><TEXT/>\nZebulon</deIdi2b2>", "f.xml:2: text outside of TEXT"},
		"text in TAGS":         {note("", "Zebulon"), "f.xml:3: text outside of TEXT"},
		"no TEXT":              {"<deIdi2b2>\n<TAGS/></deIdi2b2>", "f.xml:2: no TEXT element: its name is in capitals"},
		"two TEXT":             {"<deIdi2b2><TEXT/>\n<TEXT/></deIdi2b2>", "f.xml:2: duplicate TEXT"},
		"tag in the text":      {note("Mr. <PHI>Zebulon</PHI>", ""), "f.xml:1: an element within TEXT: spans are in TAGS, and a < of the note is written &lt; (the format i2b2-2006 has PHI within TEXT)"},
		"invalid UTF-8":        {note("Mr.\n\xf1 Zebulon", ""), "f.xml:2: invalid UTF-8: convert the file to UTF-8, probably from Latin-1 or Windows-1252 (offset 59)"},
		"control character":    {note("Mr.\n\x0b Zebulon", ""), "f.xml:2: XML does not allow the character U+000B (offset 59)"},
		"referred control":     {note("Mr.\n&#0; Zebulon", ""), "f.xml:2: not well-formed XML: an & is written &amp;, and a reference of HTML such as &nbsp; by its number, as in &#160;"},
		"encoding":             {"<?xml version='1.0' encoding='windows-1252'?><deIdi2b2/>", "f.xml:1: the declared encoding is not UTF-8, US-ASCII or ISO-8859-1: convert the file to UTF-8, and declare that"},
		"TYPE":                 {tag("NAME", "4", "11", "Zebulon"), "f.xml:3: the type Zebulon is not in the type set i2b2-2014"},
		"no TYPE":              {note("Zebulon", "<NAME start='0' end='1'/>"), "f.xml:3: a tag without a TYPE: the attribute TYPE, in capitals, is required"},
		"element":              {tag("DATE", "4", "11", "PATIENT"), "f.xml:3: a tag's element is not NAME, the category of its TYPE PATIENT"},
		"start is no number":   {tag("NAME", "Zebulon", "11", "PATIENT"), "f.xml:3: start: an offset is not a whole number"},
		"negative":             {tag("NAME", "-4", "11", "PATIENT"), "f.xml:3: start: an offset is not a whole number"},
		"end missing":          {tag("NAME", "4", "", "PATIENT"), "f.xml:3: end: an offset is missing"},
		"beyond the text":      {tag("NAME", "4", "12", "PATIENT"), "f.xml:3: the span [4,12) lies beyond the text of 11 code points (offset 4)"},
		"empty":                {tag("NAME", "4", "4", "PATIENT"), "f.xml:3: the span [4,4) of code points is empty (offset 4)"},
		"reversed":             {tag("NAME", "4", "3", "PATIENT"), "f.xml:3: the span [4,3) of code points is reversed (offset 4)"},
		"more than an int":     {tag("NAME", "4", "99999999999999999999", "PATIENT"), "f.xml:3: end: an offset is not a whole number"},
		"another text":         {note("Mr. Zebulon", `<NAME start="4" end="11" text="Zebulo" TYPE="PATIENT"/>`), "f.xml:3: a tag's text differs from the note at its offsets, in code points (offset 4)"},
		"another text, CR LF":  {note("Mr.\r\nZebulon", `<NAME start="3" end="11" text="Zebulo" TYPE="PATIENT"/>`), "f.xml:4: a tag's text differs from the note at its offsets, in code points (offset 3)"},
		"a text with nothing":  {note("Mr. Zebulon", `<NAME start="4" end="11" text="" TYPE="PATIENT"/>`), "f.xml:3: a tag's text differs from the note at its offsets, in code points (offset 4)"},
		"UTF-16 without a BOM": {"<\x00d\x00", "f.xml:1: XML does not allow the character U+0000 (offset 1)"},
	} {
		t.Run(what, func(t *testing.T) {
			doc, err := Decode(strings.NewReader(tc.file), "f.xml", data.ReadOptions{Types: data.I2B2})
			if err == nil {
				t.Fatalf("read %d bytes of text and %d spans, want an error", len(doc.Text), len(doc.Spans))
			}
			if got := err.Error(); got != tc.want {
				t.Errorf("error\n%s, want\n%s", got, tc.want)
			}
			if _, ok := errors.AsType[*data.Error](err); !ok {
				t.Errorf("the error is a %T", err)
			}
		})
	}
}

// The conversions of an XML parser must not change the text of a note.
func TestRoundTrip(t *testing.T) {
	types := data.I2B2
	rapid.Check(t, func(t *rapid.T) {
		unit := rapid.SampledFrom([]string{"a", "Zoë", " ", "\n", "\r", "\r\n", "\t", "]]>", "]]", ">", "<", "&amp;", "&", `"`, "\uFEFF", "\u0085", "\u2028", "😀", "<![CDATA[", "<!--"})
		doc := &data.Document{ID: "7-1", Patient: "7", Text: strings.Join(rapid.SliceOf(unit).Draw(t, "text"), "")}
		var at []int
		for i := range doc.Text {
			at = append(at, i)
		}
		at = append(at, len(doc.Text))
		for range rapid.IntRange(0, 4).Draw(t, "spans") {
			if len(at) < 2 {
				break
			}
			i := rapid.IntRange(0, len(at)-2).Draw(t, "start")
			j := rapid.IntRange(i+1, len(at)-1).Draw(t, "end")
			typ := rapid.SampledFrom(types.Types).Draw(t, "type").Name
			doc.Spans = append(doc.Spans, span(at[i], at[j], typ))
		}
		data.SortSpans(doc.Spans)
		for _, dialect := range []Dialect{I2B2, MEDDOCAN} {
			raw, err := encode(doc, dialect, types)
			if err != nil {
				t.Fatal(err)
			}
			got, err := decode("7-1.xml", raw, data.ReadOptions{Types: types})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(doc, got); diff != "" {
				t.Fatal(diff)
			}
		}
	})
}

func TestCreate(t *testing.T) {
	dir := t.TempDir()
	w, err := Create(dir, I2B2, data.I2B2)
	if err != nil {
		t.Fatal(err)
	}
	doc := &data.Document{ID: "110-04", Text: "Dr. Añejo\nJr", Spans: []data.Span{span(9, 13, "DOCTOR"), span(4, 13, "PATIENT")}}
	if err := w.Write(doc); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(dir, "110-04.xml"))
	if err != nil {
		t.Fatal(err)
	}
	want := `<?xml version="1.0" encoding="UTF-8" ?>
<deIdi2b2>
<TEXT><![CDATA[Dr. Añejo
Jr]]></TEXT>
<TAGS>
<NAME id="P0" start="4" end="12" text="Añejo&#10;Jr" TYPE="PATIENT" comment="" />
<NAME id="P1" start="8" end="12" text="o&#10;Jr" TYPE="DOCTOR" comment="" />
</TAGS>
</deIdi2b2>
`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Error(diff)
	}
	if doc.Spans[0].Type != "DOCTOR" {
		t.Error("the document was changed")
	}
	err = w.Write(&data.Document{ID: "x", Text: "Zebulon\x0b"})
	if err == nil || !strings.Contains(err.Error(), "U+000B at byte 7") || strings.Contains(err.Error(), "Zebulon") {
		t.Errorf("a character that XML cannot hold: %v", err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(note("<![CDATA[Mr. Zebulon]]>", `<NAME id="P0" start="4" end="11" text="" TYPE="PATIENT" comment="" />`)))
	f.Add([]byte("\uFEFF<?xml version='1.0' encoding='ISO-8859-1'?><MEDDOCAN><TEXT>\xf1&#13;\r\n]]&gt;</TEXT><TAGS><X start='0' end='01' TYPE='X'/></TAGS></MEDDOCAN>"))
	f.Add([]byte("<deIdi2b2><TEXT><!-- --><![CDATA[]]]]><![CDATA[>]]></TEXT></deIdi2b2>"))
	types := data.Any
	f.Fuzz(func(t *testing.T, raw []byte) {
		doc, err := decode("f.xml", raw, data.ReadOptions{Types: types})
		if err != nil {
			if _, ok := errors.AsType[*data.Error](err); !ok {
				t.Fatalf("the error is a %T", err)
			}
			return
		}
		if err := doc.Check(); err != nil {
			t.Fatal(err)
		}
		again, err := encode(doc, I2B2, types)
		if err != nil {
			t.Fatal(err)
		}
		got, err := decode("f.xml", again, data.ReadOptions{Types: types})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(doc, got); diff != "" {
			t.Fatal(diff)
		}
	})
}
