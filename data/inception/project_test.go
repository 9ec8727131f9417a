package inception

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lethe-deid/lethe/data"
)

// zipped returns an archive of files by name.
func zipped(t testing.TB, files map[string]string) string {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		f, err := w.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte(files[name])); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// exported returns the files of an exported project in XMI, in which ben has not annotated the second document.
func exported(t testing.TB) map[string]string {
	cas := func(kind string) string {
		return zipped(t, map[string]string{"anything.xmi": xmi(`<c:PHI xmi:id="2" sofa="1" begin="3" end="10" value="` + kind + `"/>`), "TypeSystem.xml": "<typeSystemDescription/>"})
	}
	return map[string]string{
		"exportedproject.json":                    "{}",
		"source/110-01.txt":                       "😀 Zebulon",
		"source/110-02.a.txt":                     "😀 Zebulon",
		"annotation/110-01.txt/anna.zip":          cas("DATE"),
		"annotation/110-01.txt/ben.zip":           cas("CITY"),
		"annotation/110-01.txt/INITIAL_CAS.zip":   cas("NONE"),
		"annotation/110-02.a.txt/anna.zip":        cas("PATIENT"),
		"annotation_ser/110-01.txt/anna.ser":      "x",
		"curation/110-01.txt/CURATION_USER.zip":   cas("DOCTOR"),
		"curation/110-02.a.txt/CURATION_USER.zip": cas("DOCTOR"),
		"log/project-1.log":                       "",
	}
}

func save(t testing.TB, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "project.zip")
	if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestExportedProject(t *testing.T) {
	files := exported(t)
	folder := t.TempDir()
	absolute := map[string]string{} // as some versions name them
	for name, content := range files {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
		absolute["/"+name] = content
	}
	doc := func(id, typ string) *data.Document {
		return &data.Document{ID: id, Patient: "110", Text: "😀 Zebulon", Spans: []data.Span{phi(5, 12, typ)}}
	}
	for _, path := range []string{save(t, zipped(t, files)), save(t, zipped(t, absolute)), folder} {
		for who, want := range map[string][]*data.Document{
			"anna":   {doc("110-01", "DATE"), doc("110-02.a", "PATIENT")},
			"ben":    {doc("110-01", "CITY")},
			Curation: {doc("110-01", "DOCTOR"), doc("110-02.a", "DOCTOR")},
		} {
			got, err := data.Collect(XMI.Read(path, data.Any, Options{Annotator: who}))
			if diff := cmp.Diff(want, got); err != nil || diff != "" {
				t.Errorf("%s: %v %s", who, err, diff)
			}
		}
		if left, err := XMI.LeftOut(path, Options{Annotator: "ben"}); err != nil || !slices.Equal(left, []string{"110-02.a.txt"}) {
			t.Errorf("%q, %v", left, err)
		}
		if !XMI.InProject(path) || TSV.InProject(path) || !XMI.Project(path) {
			t.Error("the format is not recognised")
		}
		for opt, want := range map[Options]string{
			{}:                   ": the project has annotations of CURATION_USER, anna, ben: choose one with the option annotator",
			{Annotator: "Anna"}:  ": the project has no annotations of Anna (have CURATION_USER, anna, ben)",
			{Annotator: "ben\n"}: ": the project has no annotations of ben\n (have CURATION_USER, anna, ben)",
		} {
			if _, err := data.Collect(XMI.Read(path, data.Any, opt)); err == nil || err.Error() != path+want {
				t.Errorf("%q: %v", opt.Annotator, err)
			}
		}
		if _, err := data.Collect(TSV.Read(path, data.Any, Options{Annotator: "ben"})); err == nil ||
			err.Error() != filepath.Join(path, "annotation/110-01.txt/ben.zip")+": the archive has 0 files with the extension .tsv, instead of one: choose the format that the project was exported in" {
			t.Error(err)
		}
	}

	// Files in WebAnno TSV are not zipped again. There is only one annotator.
	tsv := "#FORMAT=WebAnno TSV 3.3\n#T_SP=" + entityLayer + "|value\n\n\n#Text=Ada\n1-1\t0-3\tAda\tDOCTOR\n"
	path := save(t, zipped(t, map[string]string{"annotation/a.txt/anna.tsv": tsv, "source/a.txt": "Ada"}))
	got, err := data.Collect(TSV.Read(path, data.Any, Options{}))
	if diff := cmp.Diff([]*data.Document{{ID: "a", Text: "Ada", Spans: []data.Span{phi(0, 3, "DOCTOR")}}}, got); err != nil || diff != "" {
		t.Error(err, diff)
	}
	if _, err := data.Collect(XMI.Read(path, data.Any, Options{})); err == nil || !strings.Contains(err.Error(), "anna.tsv: not a file of the format, which has the extension .xmi or .zip") {
		t.Error(err)
	}
}

func TestBadProjects(t *testing.T) {
	whole := zipped(t, exported(t))
	for what, tc := range map[string]struct {
		content string
		want    string
	}{
		"truncated":      {whole[:len(whole)/2], ": not a ZIP archive, or only a part of one"},
		"empty":          {zipped(t, nil), ": the archive has no annotations: export the project in INCEpTION with a secondary format"},
		"another":        {zipped(t, map[string]string{"a/b.xmi": "x"}), ": the archive has no annotations"},
		"nobody":         {zipped(t, map[string]string{"annotation/a.txt/INITIAL_CAS.zip": "x", "source/a.txt": ""}), ": the archive has no annotations"},
		"inner":          {zipped(t, map[string]string{"annotation/a.txt/anna.zip": "PK\x03\x04"}), "annotation/a.txt/anna.zip: not a ZIP archive, or only a part of one"},
		"not an archive": {zipped(t, map[string]string{"annotation/a.txt/anna.zip": "x"}), "annotation/a.txt/anna.zip: not a file of the format"},
		"two":            {zipped(t, map[string]string{"annotation/a.txt/anna.zip": zipped(t, map[string]string{"a.xmi": "", "b.xmi": ""})}), "anna.zip: the archive has 2 files with the extension .xmi, instead of one"},
		"one name":       {zipped(t, map[string]string{"annotation/a.txt/a.xmi": xmi(""), "annotation/a.xml/a.xmi": xmi("")}), "a.xml/a.xmi: another document of the project, or another file of the annotator, has the same name except for its extension"},
		"not XMI":        {zipped(t, map[string]string{"annotation/a.txt/a.xmi": "<x/>"}), "annotation/a.txt/a.xmi: not well-formed XMI"},
	} {
		path := save(t, tc.content)
		_, err := data.Collect(XMI.Read(path, data.Any, Options{}))
		if err == nil || !strings.Contains(filepath.ToSlash(err.Error()), tc.want) {
			t.Errorf("%s: %v", what, err)
		}
	}
	file := filepath.Join(t.TempDir(), "a.xmi")
	if err := os.WriteFile(file, []byte(xmi("")), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := data.Collect(XMI.Read(file, data.Any, Options{Annotator: "anna"})); err == nil || err.Error() != file+": not an exported project, of which the option annotator would choose an annotator" {
		t.Error(err)
	}
	if _, err := XMI.Decode(strings.NewReader(whole), "stdin", data.Any, Options{}); err == nil || !strings.Contains(err.Error(), "stdin: a ZIP archive, which cannot be read from a stream") {
		t.Error(err)
	}
}

// A small archive that becomes gigabytes would fill the memory or take hours.
func TestZipBomb(t *testing.T) {
	text := strings.Repeat("a", 60<<20)
	bomb := func(files map[string]string, documents int) string {
		inner := zipped(t, files)
		all := map[string]string{}
		for i := range documents {
			all[fmt.Sprintf("annotation/%d.txt/anna.zip", i)] = inner
		}
		return save(t, zipped(t, all))
	}
	for what, path := range map[string]string{
		"a large document": bomb(map[string]string{"a.xmi": text}, 1),
		"many documents":   bomb(map[string]string{"a.xmi": text[:6<<20]}, 5),
	} {
		n := 0
		for _, err := range XMI.Read(path, data.Any, Options{}) {
			if n++; err != nil && strings.Contains(err.Error(), "more than 200 times as large as the archive: it is refused") {
				n = -1000
			}
		}
		if n > 0 {
			t.Errorf("%s: read %d documents", what, n)
		}
	}
}

func FuzzProject(f *testing.F) {
	f.Add([]byte(zipped(f, exported(f))))
	f.Fuzz(func(t *testing.T, raw []byte) {
		path := filepath.Join(t.TempDir(), "p.zip")
		if err := os.WriteFile(path, raw, 0o666); err != nil {
			t.Fatal(err)
		}
		for doc, err := range XMI.Read(path, data.Any, Options{Annotator: "anna"}) {
			if err == nil && (doc.ID == "" || !fs.ValidPath(doc.ID)) {
				t.Errorf("ID %q", doc.ID)
			}
		}
		_ = TSV.InProject(path)
	})
}

// TestProjectThatUsesItsLimitExactly is that of a project whose first file left nothing of the limit: the others were not read, without an error.
func TestProjectThatUsesItsLimitExactly(t *testing.T) {
	p := &project{left: 5}
	read := func(text string) error {
		_, err := p.bytes(io.NopCloser(strings.NewReader(text)), "a.tsv")
		return err
	}
	if err := read("12345"); err != nil || p.refused {
		t.Fatalf("a file of exactly the limit: error %v, refused %v", err, p.refused)
	}
	if err := read(""); err != nil || p.refused {
		t.Fatalf("an empty file after it: error %v, refused %v", err, p.refused)
	}
	if err := read("6"); err == nil || !p.refused {
		t.Fatalf("a file beyond the limit: error %v, refused %v", err, p.refused)
	}
}
