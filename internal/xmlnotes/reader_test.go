package xmlnotes

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
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

var wellFormed = map[string]string{
	"nothing":                  "",
	"one tag":                  file("Mr. Ana <&>\n\té \U0001F600", tag),
	"no tag":                   file("", ""),
	"two":                      file("Mr. Ana", tag+tag),
	"CR LF":                    strings.ReplaceAll(file("Mr. Ana\r\n\rx", tag), "\n", "\r\n"),
	"references":               file("&amp;", `<NAME text="&amp;&lt;&gt;&quot;&apos;&#9;&#10;&#13;&#x41;&#x10FFFF;"/>`),
	"half a surrogate pair":    "<x>&#xD83D;</x>",
	"references in text":       "<x>a&amp;b&#13;\r\nc&#65;</x>",
	"the other quote":          file("Mr. Ana", `<NAME start='4' end='"' />`),
	"] and >":                  file("]] > ]>", `<NAME comment="]]>"/>`),
	"blanks":                   "<x \n a = 'b'\t></x\n >\n \t",
	"no blank between":         `<x a="1"b="2"/>`,
	"an attribute twice":       `<x a="1" a="2"/>`,
	"an empty declaration":     "<?xml ?><x/>",
	"standalone":               `<?xml version='1.0' standalone="yes"?><x/>`,
	"instructions":             "<x><?y?><?y <z?><?xml version='2?><?a:b:c ???></x>",
	"comments":                 "<!----><x><!-- - -> <y> & --></x><!-- \n -->",
	"sections":                 "<x>a<![CDATA[b]]>c<![CDATA[]]><![CDATA[<y>]]]]></x>",
	"a document type":          "<!DOCTYPE x [<!ELEMENT y (#PCDATA)> <!-- > ' --> <!ENTITY z '>'>]><x/>",
	"odd document types":       `<!>x><!"'>'><!a "<" <b <c> d>><x/><!<!-->-->>`,
	"namespaces":               "<x xmlns='a' xmlns:b='&lt;c'><y/><b:y xmlns:b='d'><b:z/></b:y><b:w xmlns=''><u/></b:w><:u/><u:/><xml:v/><xmlns:v/><xmlns/><q:r/></x>",
	"names":                    "<_a-b.c1 é='ñ'><É/></_a-b.c1>",
	"text outside of the root": "a<x/>b",
	"two roots":                "<x/><y/>",
	"U+FEFF":                   "\uFEFF<x>\uFEFF</x>",
}

var illFormed = map[string]string{
	"cut off":                   file("Mr. Ana", tag)[:90],
	"cut off behind the tags":   strings.TrimSuffix(file("Mr. Ana", tag), "</deIdi2b2>\n"),
	"another version":           `<?xml version="1.1"?><x/>`,
	"another end":               "<x></y>",
	"a longer end":              "<x></xy>",
	"an end without a start":    "</x>",
	"overlapping":               "<x><y></x></y>",
	"no value":                  "<x a/>",
	"no quotes":                 "<x a=1 />",
	"a quote not closed":        "<x a='1 />",
	"< in a value":              "<x a='<'/>",
	"an unknown reference":      "<x>&Ana;</x>",
	"a reference without end":   "<x>&amp</x>",
	"& alone":                   "<x a='a & b'/>",
	"a reference in capitals":   "<x>&AMP;&#X41;</x>",
	"a reference to NUL":        "<x>&#0;</x>",
	"a reference to no number":  "<x>&#;</x>",
	"a reference to -1":         "<x>&#-1;</x>",
	"a reference too far":       "<x>&#x110000;</x>",
	"]]> in text":               "<x>a]]>b</x>",
	"a name with a digit":       "<1x/>",
	"a name with two colons":    "<a:b:c/>",
	"a name with a symbol":      "<x×/>",
	"a blank before the name":   "< x/>",
	"a blank after the slash":   "<x/ >",
	"-- in a comment":           "<!-- -- --><x/>",
	"a comment not closed":      "<x><!-- a",
	"a section not closed":      "<x><![CDATA[ a",
	"half a section mark":       "<x><![CDAT[ a]]></x>",
	"half a comment mark":       "<x><!- a --></x>",
	"a document type cut off":   "<!DOCTYPE x [<x/>",
	"an instruction cut off":    "<x><? y?></x>",
	"an instruction not closed": "<?y",
	"an element not closed":     "<x",
	"<":                         "<",
	"</":                        "</",
	"<!":                        "<!",
}

// tokens returns the tokens of a file, one string each, and whether the file is
// well-formed.
func tokens(content string) (got []string, well bool) {
	r := NewReader(content)
	at := len(content) - len(strings.TrimPrefix(content, "\uFEFF"))
	for {
		t, err := r.Next()
		if err != nil {
			return got, err == io.EOF
		}
		if t.From != at || t.Line != 1+strings.Count(content[:at], "\n") {
			return append(got, fmt.Sprintf("a token at %d and line %d, not at %d", t.From, t.Line, at)), false
		}
		at = t.To
		s := ""
		switch t.Kind {
		case Start:
			s = fmt.Sprintf("<%s %s", t.Space, t.Local)
			for _, a := range t.Attributes {
				s += fmt.Sprintf(" %s=%q", a.Name, Unescape(a.Value))
			}
		case End:
			s = "end"
		case Text, CDATA:
			s = "text " + r.Characters(t)
			pieces := ""
			from, to := t.Content()
			for p := range r.Pieces(t) {
				if pieces += p.Text; p.From != from || p.Verbatim && p.Text != content[p.From:p.To] {
					s += fmt.Sprintf(", with a piece at %d, not at %d", p.From, from)
				}
				from = p.To
			}
			if from != to || "text "+pieces != s {
				s += ", but in pieces " + pieces
			}
		default:
			s = []string{Comment: "comment", Instruction: "instruction", Directive: "directive"}[t.Kind]
		}
		got = append(got, fmt.Sprintf("%s :%d", s, at))
	}
}

// standard does the same with encoding/xml.
func standard(content string) (want []string, well bool) {
	bom := len(content) - len(strings.TrimPrefix(content, "\uFEFF"))
	d := xml.NewDecoder(strings.NewReader(content[bom:]))
	d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
	for {
		t, err := d.Token()
		if err != nil {
			return want, err == io.EOF
		}
		s := ""
		switch t := t.(type) {
		case xml.StartElement:
			s = fmt.Sprintf("<%s %s", t.Name.Space, t.Name.Local)
			raw := content[bom:][:d.InputOffset()]
			written, err := xml.NewDecoder(strings.NewReader(raw[strings.LastIndexByte(raw, '<'):])).RawToken()
			if err != nil {
				return append(want, err.Error()), false
			}
			for _, a := range written.(xml.StartElement).Attr {
				name := a.Name.Local
				if a.Name.Space != "" {
					name = a.Name.Space + ":" + name
				}
				s += fmt.Sprintf(" %s=%q", name, a.Value)
			}
		case xml.EndElement:
			s = "end"
		case xml.CharData:
			s = "text " + string(t)
		case xml.Comment:
			s = "comment"
		case xml.ProcInst:
			s = "instruction"
		case xml.Directive:
			s = "directive"
		}
		want = append(want, fmt.Sprintf("%s :%d", s, bom+int(d.InputOffset())))
	}
}

func compare(t *testing.T, content string) (well bool) {
	t.Helper()
	got, well := tokens(content)
	want, wantWell := standard(content)
	if well != wantWell {
		t.Errorf("%q: well-formed here: %t, to encoding/xml: %t", content, well, wantWell)
	}
	if diff := cmp.Diff(want, got); well && diff != "" {
		t.Errorf("%q (-encoding/xml +here):\n%s", content, diff)
	}
	return well
}

func TestReader(t *testing.T) {
	for name, content := range wellFormed {
		if !compare(t, content) {
			t.Errorf("%s: refused", name)
		}
	}
	for name, content := range illFormed {
		if compare(t, content) {
			t.Errorf("%s: accepted", name)
		}
	}
}

// FuzzReader checks that every file is read in the same way as by encoding/xml.
func FuzzReader(f *testing.F) {
	for _, files := range []map[string]string{wellFormed, illFormed} {
		for _, content := range files {
			f.Add(content)
		}
	}
	f.Fuzz(func(t *testing.T, content string) {
		if _, _, illegal := Illegal(content); illegal || content != strings.ToValidUTF8(content, "") {
			return
		}
		compare(t, content)
	})
}

// All files of MEDDOCAN are read as encoding/xml reads them, and nothing in them
// is ignored.
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
		got, well := tokens(string(raw))
		if want, _ := standard(string(raw)); !well || !slices.Equal(got, want) {
			t.Errorf("%s differs", name)
		}
		if n, err := Read(NewReader(string(raw)), ignore, ignore); err != nil || n.Hidden != nil {
			t.Errorf("%s: %v, %v", name, err, n.Hidden)
		}
	}
	t.Logf("%d files", len(files))
}

func ignore(Token) {}

// Each element without a namespace was compared with all namespaces of the root.
func TestTooManyNamespaces(t *testing.T) {
	root := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, " xmlns:n%d='s'", i)
		}
		return b.String()
	}
	for namespaces, want := range map[int]string{maxBound: "", maxBound + 1: "more than 1024 namespaces are bound at once", 1_000_000: "more than 1024 namespaces are bound at once"} {
		got := ""
		for r := NewReader("<x" + root(namespaces) + ">\n" + strings.Repeat("<y/>", 1000) + strings.Repeat("<y xmlns='s' xmlns:a='b'/>", 1000*(maxBound-min(namespaces, maxBound))) + "</x>"); ; {
			if _, err := r.Next(); err == io.EOF {
				break
			} else if err != nil {
				if e, ok := errors.AsType[*Error](err); ok {
					got = e.Hint
				}
				break
			}
		}
		if got != want {
			t.Errorf("%d namespaces: %q, want %q", namespaces, got, want)
		}
	}
}

func TestIllegal(t *testing.T) {
	for char, want := range map[rune]bool{0: true, '\t': false, '\n': false, 0xb: true, '\r': false, 0x1f: true, ' ': false, 0x7f: false, 0x85: false, 0xEFFF: false, 0xFEFF: false, 0xFFFD: false, 0xFFFE: true, 0xFFFF: true, 0x1FFFF: false} {
		text := "né" + string(char)
		at, got, found := Illegal(text)
		if found != want || found && (at != 3 || got != char) {
			t.Errorf("%U: %d, %U, %t", char, at, got, found)
		}
		if legal := Legal(text); (legal == text) == want || want && legal != "né\uFFFD" {
			t.Errorf("%U becomes %q", char, legal)
		}
	}
}

// Items in a file besides text and tags are reported with their position.
func TestHidden(t *testing.T) {
	const rest = "<TEXT>a</TEXT><TAGS> <NAME/> </TAGS></deIdi2b2>"
	for content, want := range map[string]string{
		head + "<deIdi2b2>" + rest:                                              "",
		"\uFEFF" + head + "<MEDDOCAN><TEXT/>\n</MEDDOCAN>":                      "",
		"\n<!-- a --><deIdi2b2>" + rest:                                         "2: a comment",
		"<deIdi2b2>" + rest + "\n<!-- a -->":                                    "2: a comment",
		"<deIdi2b2><TEXT>\n<!-- a --></TEXT></deIdi2b2>":                        "2: a comment",
		"<deIdi2b2><TEXT/><TAGS><A>\n<!-- a --></A></TAGS></deIdi2b2>":          "2: a comment",
		"\n<?xml version='1.0'?><deIdi2b2>" + rest:                              "2: a processing instruction",
		"<?xml version='1.0' encoding='Ana'?><deIdi2b2>" + rest:                 "1: a processing instruction",
		"<?a?><deIdi2b2>" + rest:                                                "1: a processing instruction",
		"<!DOCTYPE a><!-- b --><deIdi2b2>" + rest:                               "1: a document type",
		"<deIdi2b2 a='b'>" + rest:                                               "1: an attribute of the root, TEXT or TAGS",
		"<deIdi2b2><TEXT a='b'/></deIdi2b2>":                                    "1: an attribute of the root, TEXT or TAGS",
		"<deIdi2b2><TEXT/>\n<TAGS a='b'/></deIdi2b2>":                           "2: an attribute of the root, TEXT or TAGS",
		"<deIdi2b2 xmlns='a'>" + rest:                                           "1: an element with a namespace",
		"<deIdi2b2><TEXT/><TAGS>\n<a:NAME/></TAGS></deIdi2b2>":                  "2: an element with a namespace",
		"<deIdi2b2>\n<META>Ana</META>" + rest:                                   "2: an element other than TEXT and TAGS",
		"<deIdi2b2><TEXT/><TAGS><NAME>\n \nAna</NAME></TAGS></deIdi2b2>":        "3: text outside of TEXT",
		"<deIdi2b2><TEXT/><TAGS><NAME><A>\nAna</A></NAME></TAGS></deIdi2b2>":    "2: text outside of TEXT",
		"<deIdi2b2><TEXT/><TAGS><NAME> <A a='b'> </A></NAME></TAGS></deIdi2b2>": "",
	} {
		n, err := Read(NewReader(content), ignore, ignore)
		if err != nil {
			t.Errorf("%q: %v", content, err)
			continue
		}
		got := ""
		if n.Hidden != nil {
			got, _, _ = strings.Cut(fmt.Sprintf("%d: %s", n.Hidden.Line, n.Hidden.Reason), ", which")
		}
		if got != want {
			t.Errorf("%q: %q, want %q", content, got, want)
		}
	}
}

func BenchmarkRead(b *testing.B) {
	content := file(strings.Repeat("Seen by Dr. Ana again.\n", 80), strings.Repeat(tag, 25))
	b.Run("here", func(b *testing.B) {
		b.SetBytes(int64(len(content)))
		for b.Loop() {
			if _, err := Read(NewReader(content), ignore, ignore); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("encoding/xml", func(b *testing.B) { // the tokens only
		b.SetBytes(int64(len(content)))
		for b.Loop() {
			d := xml.NewDecoder(strings.NewReader(content))
			for {
				if _, err := d.Token(); err == io.EOF {
					break
				} else if err != nil {
					b.Fatal(err)
				}
			}
		}
	})
}
