package main

import (
	"archive/zip"
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/internal/shared"
)

// note builds a document from a text in which [TYPE value] marks a span.
func note(marked string) *data.Document {
	doc := &data.Document{ID: "n"}
	for marked != "" {
		before, rest, ok := strings.Cut(marked, "[")
		doc.Text += before
		if !ok {
			break
		}
		tag, after, _ := strings.Cut(rest, "]")
		kind, value, _ := strings.Cut(tag, " ")
		doc.Spans = append(doc.Spans, data.Span{Start: len(doc.Text), End: len(doc.Text) + len(value), Type: kind, Score: 1})
		doc.Text += value
		marked = after
	}
	return doc
}

// marked is the reverse of note.
func marked(doc *data.Document) string {
	var b strings.Builder
	end := 0
	for _, s := range doc.Spans {
		b.WriteString(doc.Text[end:s.Start] + "[" + s.Type + " " + doc.Text[s.Start:s.End] + "]")
		end = s.End
	}
	return b.String() + doc.Text[end:]
}

func TestWithoutLabels(t *testing.T) {
	long := strings.Repeat("x", longLine)
	for _, c := range []struct{ in, want string }{
		{"Nombre:  [NAME Ana].\nNHC: [ID 12].", "[NAME Ana].\n[ID 12]."},
		{"Edad: [AGE 53 años] Sexo: [SEX H].", "[AGE 53 años] Sexo: [SEX H]."},           // the label overlaps a span
		{"Médico: [NAME Ana Ruiz]  NºCol: [ID 28].", "[NAME Ana Ruiz]  NºCol: [ID 28]."}, // so does this one
		{"Médico:  NºCol: [ID 28].", "[ID 28]."},
		{"A la palpación, Tacto Rectal: normal", "A la palpación,normal"},
		{"• Objetivos: dos", "• Objetivos: dos"},
		{"Exploración física y pruebas complementarias: x", "Exploración física y pruebas complementarias: x"}, // 44 characters
		{"Los hallazgos quirúrgicos son los siguientes:", "Los "},                                              // the last 40 begin with a word
		{"Evolución: b, PSA: 4 " + long, "b, PSA: 4 " + long},
		{"\ufeffNombre: [NAME Ana]", "\ufeffNombre: [NAME Ana]"},
		{"", ""},
	} {
		if got := marked(withoutLabels(note(c.in))); got != c.want {
			t.Errorf("%q: %q, want %q", c.in, got, c.want)
		}
	}
}

func TestSwap(t *testing.T) {
	v := values{names: []string{"Xenon", "Ytria"}, cities: []string{"Zug"}, countries: []string{"Chad"}}
	in := "[NOMBRE_SUJETO_ASISTENCIA Ana de la RUIZ], [CALLE Calle Ruiz 0123], [PAIS España], [TERRITORIO Lugo], [FECHAS 31/12/1999], [FECHAS 3 de enero], " +
		"[EDAD_SUJETO_ASISTENCIA 53 años], [CORREO_ELECTRONICO ana7@ruiz.org], [SEXO_SUJETO_ASISTENCIA varón], [NOMBRE_SUJETO_ASISTENCIA Ruiz]"
	doc := v.swap(note(in))
	got := marked(doc)
	if again := marked(v.swap(note(in))); again != got {
		t.Errorf("two runs differ:\n%s\n%s", got, again)
	}
	for _, gone := range []string{"Ana", "RUIZ", "Ruiz", "123", "España", "Lugo", "1999", "31/", "53", "ana", "ruiz"} {
		if strings.Contains(got, gone) {
			t.Errorf("%s is left in %s", gone, got)
		}
	}
	for _, stays := range []string{" de la ", "[CALLE Calle ", "[PAIS Chad]", "[TERRITORIO Zug]", " años]", ".org]", "[SEXO_SUJETO_ASISTENCIA varón]"} {
		if !strings.Contains(got, stays) {
			t.Errorf("%s is missing in %s", stays, got)
		}
	}
	surname := strings.ToLower(doc.Text[strings.Index(doc.Text, "la ")+3 : strings.Index(doc.Text, ",")])
	last := doc.Spans[len(doc.Spans)-1]
	if again := strings.ToLower(doc.Text[last.Start:last.End]); again != surname {
		t.Errorf("one surname became %s and %s", surname, again)
	}
}

func TestPlace(t *testing.T) {
	dir, out := t.TempDir(), t.TempDir()
	var raw bytes.Buffer
	z := zip.NewWriter(&raw)
	for name, content := range map[string]string{"c-main/train/xml/a.xml": "<a/>", "c-main/train/xml/b.xml": "<b/>", "c-main/List.csv": "x"} {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(w, content)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	os.WriteFile(filepath.Join(dir, "c.zip"), raw.Bytes(), 0o600)
	found, err := search([]string{filepath.Join(dir, "c.zip")})
	if err != nil {
		t.Fatal(err)
	}
	defer found.close()

	names, contents := []string{"a.xml", "b.xml"}, [][]byte{[]byte("<a/>"), []byte("<b/>")}
	folder := item{to: "c/xml", names: []string{"train/xml"}, files: 2, sum: digest(names, contents)}
	list := item{to: "list.csv", names: []string{"list.csv"}, sum: sha256Of([]byte("y"))}
	none := item{to: "none", names: []string{"none"}}
	if state, err := folder.place(found, out, false); err != nil || state != placed {
		t.Errorf("the folder: %s, %v", state, err)
	}
	if state, err := none.place(found, out, false); err != nil || state != missing {
		t.Errorf("a file that is not there: %s, %v", state, err)
	}
	if _, err := list.place(found, out, false); err == nil || !strings.Contains(err.Error(), "List.csv: SHA-256 is "+sha256Of([]byte("x"))) {
		t.Errorf("a file that differs: %v", err)
	}
	if state, err := list.place(found, out, true); err != nil || state != kept {
		t.Errorf("a file that differs, with --changed: %s, %v", state, err)
	}
	if got, err := os.ReadFile(filepath.Join(out, "c", "xml", "b.xml")); err != nil || string(got) != "<b/>" {
		t.Errorf("b.xml: %q, %v", got, err)
	}
}

func TestColumnsAreThoseOfIOB1AndIOB2(t *testing.T) {
	one := "-DOCSTART- -X- O O\n\na x I-PER\nb x I-PER\nc x B-PER\nd x I-LOC\ne x O\n\nf x I-LOC\n"
	two := "-DOCSTART- -X- -X- O\n\na y B-PER\nb y I-PER\nc y B-PER\nd y B-LOC\ne y O\n\nf y B-LOC\n"
	if a, b := columns([]byte(one)), columns([]byte(two)); !bytes.Equal(a, b) {
		t.Errorf("%q and %q", a, b)
	}
}

// docs/data.md names every source and every checksum.
func TestDocs(t *testing.T) {
	page, err := os.ReadFile("../../docs/data.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range sources {
		for _, want := range []string{s.address, s.licence} {
			if !strings.Contains(string(page), want) {
				t.Errorf("docs/data.md lacks %s of %s", want, s.name)
			}
		}
		for _, it := range s.items {
			if !strings.Contains(string(page), "`"+it.to+"`") {
				t.Errorf("docs/data.md lacks %s", it.to)
			}
			if it.sum != "" && !strings.Contains(string(page), it.sum) {
				t.Errorf("docs/data.md lacks the checksum of %s", it.to)
			}
		}
	}
}

func TestHardIsThatOfTheScores(t *testing.T) {
	dev := shared.Path(t, "corpora", "meddocan", "dev", "xml")
	got, err := makeHard(dev, filepath.Join(t.TempDir(), "hard"))
	if err != nil {
		t.Fatal(err)
	}
	if got != hardDigest {
		t.Errorf("the digest of dev_hard is %s", got)
	}
}
