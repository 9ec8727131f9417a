package notes

import (
	"errors"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/lethe-deid/lethe/data"
)

// A limit on the size of files stands in for a full disk: it needs no mount,
// and the write fails in the same place.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	big := &data.Document{ID: "big", Text: strings.Repeat("Zebulon ", 1<<14)}
	var before syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &before); err != nil {
		t.Skip("no limit on file sizes: ", err)
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 1 << 12, Max: before.Max}); err != nil {
		t.Skip("no limit on file sizes: ", err)
	}
	defer syscall.Setrlimit(syscall.RLIMIT_FSIZE, &before)

	folder, err := NewFolder(dir, nil, textParts)
	if err != nil {
		t.Fatal(err)
	}
	file, err := NewFile(filepath.Join(dir, "all"), nil, textLine)
	if err != nil {
		t.Fatal(err)
	}
	fail := func(what string, err error) {
		t.Helper()
		if !errors.Is(err, syscall.EFBIG) || !strings.Contains(err.Error(), "cannot be written") || strings.Contains(err.Error(), "Zebulon") {
			t.Errorf("%s: error %v", what, err)
		}
	}
	fail("folder", folder.Write(big))
	if err := folder.Write(&data.Document{ID: "small"}); err != nil {
		t.Errorf("a note that fits: %v", err)
	}
	fail("file", file.Write(big))
	fail("file, later", file.Write(&data.Document{ID: "small"}))
	fail("file, at the end", file.Close())
	if got := entries(t, dir); got != "small.ann small.txt " {
		t.Errorf("the folder holds %s", got)
	}
}
