package usualxml

import (
	"encoding/xml"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lethe-deid/lethe/internal/shared"
)

const head = `<?xml version="1.0" encoding="UTF-8" ?>` + "\n"

func file(text, tags string) string {
	return head + "<deIdi2b2>\n<TEXT><![CDATA[" + text + "]]></TEXT>\n<TAGS>\n" + tags + "</TAGS>\n</deIdi2b2>\n"
}

const tag = `<NAME id="P0" start="4" end="7" text="Ana" TYPE="PATIENT" comment="" />` + "\n"

var usual = map[string]string{
	"one tag":             file("Mr. Ana <&>\n\té \U0001F600", tag),
	"no tag":              file("", ""),
	"two":                 file("Mr. Ana", tag+tag),
	"no declaration":      strings.TrimPrefix(file("Mr. Ana", tag), head),
	"as MEDDOCAN":         `<?xml version='1.0' encoding='utf-8'?>` + strings.ReplaceAll(strings.TrimPrefix(file("Mr. Ana", "  "+tag), head), "deIdi2b2", "MEDDOCAN"),
	"only a version":      `<?xml version="1.0"?><x><TEXT><![CDATA[]]></TEXT><TAGS></TAGS></x>`,
	"references":          file("Mr. Ana", `<NAME text="&amp;&lt;&gt;&quot;&apos;&#9;&#10;&#13;"/>`),
	"references in text":  file("&amp; &Ana;", ""),
	"missing":             file("Mr. Ana", "<NAME/><AGE />"),
	"the other quote":     file("Mr. Ana", `<NAME start='4' end='"'/>`),
	"] and >":             file("]] > ]>", `<NAME comment="]]>"/>`),
	"blanks at the end":   file("Mr. Ana", tag) + "\n \t",
	"a blank in the root": strings.Replace(file("Mr. Ana", tag), "</deIdi2b2>", "</deIdi2b2 >", 1),
}

// Not well-formed, or so unusual that it is left to another.
var unusual = map[string]string{
	"nothing":                 "",
	"CR LF":                   strings.ReplaceAll(file("Mr. Ana", tag), "\n", "\r\n"),
	"U+FEFF":                  "\uFEFF" + file("Mr. Ana", tag),
	"U+FFFE":                  file("Mr. \uFFFE", tag),
	"U+0001":                  file("Mr. \x01", tag),
	"invalid UTF-8":           file("Mr. \xff", tag),
	"half a pair":             file("Mr. \xed\xa0\x80", tag),
	"another encoding":        strings.Replace(file("Mr. Ana", tag), "UTF-8", "ISO-8859-1", 1),
	"a version":               strings.Replace(file("Mr. Ana", tag), "1.0", "1.1", 1),
	"an empty declaration":    "<?xml ?>" + strings.TrimPrefix(file("Mr. Ana", tag), head),
	"standalone":              strings.Replace(file("Mr. Ana", tag), " ?>", ` standalone="yes"?>`, 1),
	"another instruction":     "<?xmlx?>" + file("Mr. Ana", tag),
	"no CDATA":                "<x><TEXT>Mr. Ana</TEXT><TAGS></TAGS></x>",
	"two sections":            file("a]]><![CDATA[b", tag),
	"a comment":               file("Mr. Ana", "<!-- x -->"+tag),
	"in the text":             file("Mr. Ana]]><!-- x --><![CDATA[", tag),
	"no TAGS":                 "<x><TEXT><![CDATA[Mr. Ana]]></TEXT></x>",
	"TAGS first":              "<x><TAGS></TAGS><TEXT><![CDATA[Mr. Ana]]></TEXT></x>",
	"an empty TAGS":           "<x><TEXT><![CDATA[Mr. Ana]]></TEXT><TAGS/></x>",
	"something else":          "<x><META/><TEXT><![CDATA[Mr. Ana]]></TEXT><TAGS></TAGS></x>",
	"an attribute":            "<x a=\"b\"><TEXT><![CDATA[Mr. Ana]]></TEXT><TAGS></TAGS></x>",
	"content":                 file("Mr. Ana", "<NAME></NAME>"),
	"text between":            file("Mr. Ana", "x"+tag),
	"a namespace":             file("Mr. Ana", `<NAME xmlns="y"/>`),
	"a prefix":                file("Mr. Ana", `<x:NAME/>`),
	"an attribute twice":      file("Mr. Ana", `<NAME end="1" end="2"/>`),
	"no blank between":        file("Mr. Ana", `<NAME start="1"end="2"/>`),
	"no value":                file("Mr. Ana", `<NAME start/>`),
	"no quotes":               file("Mr. Ana", `<NAME start=1 />`),
	"a quote not closed":      file("Mr. Ana", `<NAME start="1 />`),
	"< in a value":            file("Mr. Ana", `<NAME start="<"/>`),
	"a reference in start":    file("Mr. Ana", `<NAME start="&#52;"/>`),
	"an unusual reference":    file("Mr. Ana", `<NAME text="&#x41;"/>`),
	"an unknown one":          file("Mr. Ana", `<NAME text="&Ana;"/>`),
	"& alone":                 file("Mr. Ana", `<NAME text="a & b"/>`),
	"on two lines":            file("Mr. Ana", "<NAME start=\"1\"\nend=\"2\"/>"),
	"a name with a digit":     file("Mr. Ana", "<1NAME/>"),
	"another end":             strings.Replace(file("Mr. Ana", tag), "</deIdi2b2>", "</x>", 1),
	"a longer end":            strings.Replace(file("Mr. Ana", tag), "</deIdi2b2>", "</deIdi2b2x>", 1),
	"cut off":                 file("Mr. Ana", tag)[:90],
	"cut off behind the tags": strings.TrimSuffix(file("Mr. Ana", tag), "</deIdi2b2>\n"),
	"a second root":           file("Mr. Ana", tag) + "<x/>",
	"text behind":             file("Mr. Ana", tag) + "x",
}

func TestScan(t *testing.T) {
	for name, content := range usual {
		note, ok := Scan([]byte(content))
		if !ok {
			t.Errorf("%s: not read", name)
			continue
		}
		if diff := cmp.Diff(standard(t, []byte(content)), note); diff != "" {
			t.Errorf("%s (-encoding/xml +here):\n%s", name, diff)
		}
	}
	for name, content := range unusual {
		if _, ok := Scan([]byte(content)); ok {
			t.Errorf("%s: read", name)
		}
	}
}

// standard reads with encoding/xml what is well-formed and has one TEXT and one
// TAGS.
func standard(t testing.TB, raw []byte) *Note {
	t.Helper()
	var read struct {
		XMLName xml.Name
		Text    []string `xml:"TEXT"`
		Tags    []struct {
			All []struct {
				XMLName xml.Name
				Attrs   []xml.Attr `xml:",any,attr"`
			} `xml:",any"`
		} `xml:"TAGS"`
	}
	if err := xml.Unmarshal(raw, &read); err != nil {
		t.Fatalf("not well-formed: %v", err)
	}
	if len(read.Text) != 1 || len(read.Tags) != 1 {
		t.Fatalf("%d TEXT, %d TAGS", len(read.Text), len(read.Tags))
	}
	note := &Note{Root: read.XMLName.Local, Text: read.Text[0]}
	// No tag is usual that has a line end in it, so they are counted in order.
	rest, line := string(raw), 1
	skip := func(mark string) {
		_, after, _ := strings.Cut(rest, mark)
		line += strings.Count(rest[:len(rest)-len(after)], "\n")
		rest = after
	}
	skip("]]></TEXT>")
	skip("<TAGS>")
	for _, e := range read.Tags[0].All {
		skip("<" + e.XMLName.Local)
		tag := Tag{Line: line, Element: e.XMLName.Local}
		for _, a := range e.Attrs {
			switch a.Name {
			case xml.Name{Local: "TYPE"}:
				tag.Type = a.Value
			case xml.Name{Local: "start"}:
				tag.Start = a.Value
			case xml.Name{Local: "end"}:
				tag.End = a.Value
			case xml.Name{Local: "text"}:
				tag.Text = &a.Value
			}
		}
		note.Tags = append(note.Tags, tag)
	}
	return note
}

// What is read, encoding/xml reads as well, and the same.
func FuzzScan(f *testing.F) {
	for _, files := range []map[string]string{usual, unusual} {
		for _, content := range files {
			f.Add([]byte(content))
		}
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		if note, ok := Scan(raw); ok {
			if diff := cmp.Diff(standard(t, raw), note); diff != "" {
				t.Errorf("(-encoding/xml +here):\n%s", diff)
			}
		}
	})
}

// All files of MEDDOCAN look as they should.
func TestCorpus(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(shared.Path(t, "corpora/meddocan"), "*", "xml", "*.xml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, name := range files {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		note, ok := Scan(raw)
		if !ok {
			t.Errorf("%s: not read", name)
			continue
		}
		if diff := cmp.Diff(standard(t, raw), note); diff != "" {
			t.Errorf("%s differs", name)
		}
	}
	t.Logf("%d files", len(files))
}

func BenchmarkScan(b *testing.B) {
	content := []byte(file(strings.Repeat("Seen by Dr. Ana again.\n", 80), strings.Repeat(tag, 25)))
	b.SetBytes(int64(len(content)))
	for b.Loop() {
		if _, ok := Scan(content); !ok {
			b.Fatal("not read")
		}
	}
}
