package text

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lethe-deid/lethe/data"
)

func TestPieces(t *testing.T) {
	dir := t.TempDir()
	long := strings.Repeat("Ávila y León\n", pieceSize/8) // 14 bytes a line: two pieces, and no blank line
	paragraphs := strings.Repeat("uno dos\ntres\n\n", pieceSize/8)
	words := strings.Repeat("ñandú ", pieceSize/8)
	letters := "x" + strings.Repeat("ñ", pieceSize) // no place to cut but between letters
	for name, content := range map[string]string{"long": long, "paragraphs": paragraphs, "words": words, "letters": letters, "short": "a", "empty": ""} {
		for _, zip := range []bool{false, true} {
			raw := []byte(content)
			if zip {
				raw = gzipped(t, raw)
			}
			file := write(t, filepath.Join(dir, name+".txt"), raw)
			docs, err := data.Collect(Pieces(file))
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			var all strings.Builder
			for i, d := range docs {
				all.WriteString(d.Text)
				if d.ID != file || len(d.Text) > pieceSize || d.Text == "" {
					t.Errorf("%s: piece %d has the id %s and %d bytes", name, i, d.ID, len(d.Text))
				}
				if end := map[string]string{"long": "n\n", "paragraphs": "\n\n", "words": " "}[name]; !strings.HasSuffix(d.Text, end) {
					t.Errorf("%s: piece %d does not end with %q", name, i, end)
				}
			}
			if all.String() != content || len(content) > pieceSize && len(docs) < 2 {
				t.Errorf("%s: %d pieces, of %d bytes for %d", name, len(docs), all.Len(), len(content))
			}
		}
	}
}

func TestPiecesOfAFolder(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "b.txt"), []byte("b"))
	write(t, filepath.Join(dir, "a.txt"), gzipped(t, []byte("a")))
	write(t, filepath.Join(dir, "c.csv"), []byte("c"))
	docs, err := data.Collect(Pieces(dir))
	if err != nil || len(docs) != 2 || docs[0].Text+docs[1].Text != "ab" {
		t.Errorf("%d documents, %v", len(docs), err)
	}
}

// Archives contain hidden files of macOS, folders and links, none of which are text.
func TestPiecesOfAnArchive(t *testing.T) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	add := func(h tar.Header, content string) {
		h.Mode, h.Size = 0o644, int64(len(content))
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	add(tar.Header{Name: "notes/", Typeflag: tar.TypeDir}, "")
	add(tar.Header{Name: "notes/b.txt", Typeflag: tar.TypeReg}, strings.Repeat("uno\n", pieceSize/3))
	add(tar.Header{Name: "notes/._b.txt", Typeflag: tar.TypeReg}, "\x00\xff")
	add(tar.Header{Name: "notes/link.txt", Typeflag: tar.TypeSymlink, Linkname: "b.txt"}, "")
	add(tar.Header{Name: "README.md", Typeflag: tar.TypeReg}, "nothing")
	add(tar.Header{Name: "notes/deep/a.TXT", Typeflag: tar.TypeReg}, "dos")
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, raw := range map[string][]byte{"x.tar": b.Bytes(), "x.tar.gz": gzipped(t, b.Bytes()), "x.tgz": gzipped(t, b.Bytes())} {
		file := write(t, filepath.Join(dir, name), raw)
		docs, err := data.Collect(Pieces(file))
		if err != nil || len(docs) != 3 || docs[1].ID != file+"/notes/b.txt" || docs[2].Text != "dos" {
			t.Errorf("%s: %d documents, %v", name, len(docs), err)
		}
		broken := write(t, filepath.Join(dir, "broken-"+name), raw[:len(raw)/2])
		if _, err := data.Collect(Pieces(broken)); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: half of it: %v", name, err)
		}
	}
	empty := write(t, filepath.Join(dir, "empty.tar"), make([]byte, 1024))
	if _, err := data.Collect(Pieces(empty)); err == nil || !strings.HasSuffix(err.Error(), "empty.tar: cannot be read: the archive contains no .txt file") {
		t.Error(err)
	}
}

func TestPiecesErrors(t *testing.T) {
	dir := t.TempDir()
	bad := strings.Repeat("Zebulon\n", pieceSize/4) + "Zebulon \xff\n" // in the third piece
	whole := gzipped(t, []byte(strings.Repeat("Zebulon", 99)))
	for name, c := range map[string]struct {
		raw  []byte
		want string
	}{
		"encoding":  {[]byte(bad), "encoding.txt:262145: invalid UTF-8: convert the file to UTF-8, probably from Latin-1 or Windows-1252 (offset 2097160)"},
		"truncated": {whole[:len(whole)-9], "truncated.txt: cannot be read: the gzipped file is incomplete"},
		"broken":    {[]byte("\x1f\x8bxxxxxxxxx"), "broken.txt: cannot be read: gzip: invalid header"},
	} {
		file := write(t, filepath.Join(dir, name+".txt"), c.raw)
		_, err := data.Collect(Pieces(file))
		if err == nil || strings.TrimPrefix(err.Error(), dir+"/") != c.want {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
	if _, err := data.Collect(Pieces(filepath.Join(dir, "none.txt"))); err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Error(err)
	}
}

func write(t *testing.T, path string, raw []byte) string {
	t.Helper()
	if err := os.WriteFile(path, raw, 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

func gzipped(t *testing.T, raw []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write(raw); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
