package synth

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"testing"
)

// TestMain makes the tests read the folder, so that they need no new archive after a change of the grammar.
func TestMain(m *testing.M) {
	files = os.DirFS(".")
	os.Exit(m.Run())
}

// The archive has the files of the folder, with the content that they have there. UPDATE_GOLDEN=1 makes it anew.
func TestArchive(t *testing.T) {
	folder := texts(t, os.DirFS("."))
	if os.Getenv("UPDATE_GOLDEN") != "" {
		var out bytes.Buffer
		w := zip.NewWriter(&out)
		w.RegisterCompressor(zip.Deflate, func(out io.Writer) (io.WriteCloser, error) { return flate.NewWriter(out, flate.BestCompression) })
		for _, name := range slices.Sorted(maps.Keys(folder)) {
			f, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate}) // without a time, so that the same files give the same archive
			if err == nil {
				_, err = io.WriteString(f, folder[name])
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile("grammar.zip", out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		archive = out.Bytes()
	}
	if len(folder) < 10 || !maps.Equal(folder, texts(t, unzipped())) {
		t.Error("grammar.zip has other files than the folder (UPDATE_GOLDEN=1 makes it anew)")
	}
}

// texts returns the files of the grammar by their names.
func texts(t *testing.T, from fs.FS) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := fs.WalkDir(from, "grammar", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := fs.ReadFile(from, name)
		all[name] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
