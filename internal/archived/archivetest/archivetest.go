// Package archivetest makes the archives that package archived opens.
package archivetest

import (
	"archive/zip"
	"bytes"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"testing"

	"github.com/andybalholm/brotli"

	"github.com/lethe-deid/lethe/internal/archived"
)

// Check checks that an archive in the working directory has the files of a folder there, with the content that they have in the folder.
// With UPDATE_GOLDEN=1, it makes the archive anew.
func Check(t *testing.T, path, folder string) {
	t.Helper()
	CheckFiles(t, path, Files(t, os.DirFS("."), folder))
}

// CheckFiles is Check for files with this content, by their names.
func CheckFiles(t *testing.T, path string, want map[string]string) {
	t.Helper()
	if os.Getenv("UPDATE_GOLDEN") != "" {
		var out bytes.Buffer
		w := zip.NewWriter(&out)
		for _, name := range slices.Sorted(maps.Keys(want)) {
			f, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store}) // without a time, so that the same files give the same archive
			if err == nil {
				_, err = io.WriteString(f, want[name])
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		var archive bytes.Buffer
		encoder := brotli.NewWriterLevel(&archive, brotli.BestCompression)
		if _, err := encoder.Write(out.Bytes()); err != nil {
			t.Fatal(err)
		}
		if err := encoder.Close(); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, archive.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	archive, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(want) == 0 || !maps.Equal(want, Files(t, archived.Open(archive), ".")) {
		t.Errorf("%s has other files than the folder (UPDATE_GOLDEN=1 makes it anew)", path)
	}
}

// Files returns the content of the files of a folder by their names.
func Files(t *testing.T, from fs.FS, folder string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := fs.WalkDir(from, folder, func(name string, entry fs.DirEntry, err error) error {
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
