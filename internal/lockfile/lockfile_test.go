package lockfile

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

func TestTheSecondIsRefused(t *testing.T) {
	if runtime.GOOS == "aix" || runtime.GOOS == "solaris" || runtime.GOOS == "illumos" {
		t.Skip("no locks")
	}
	path := filepath.Join(t.TempDir(), "a")
	open := func() (*os.File, error) { return Open(path, os.O_RDWR|os.O_CREATE, 0o600) }
	first, err := open()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := open(); !errors.Is(err, ErrLocked) {
		t.Errorf("the second: %v", err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	third, err := open()
	if err != nil {
		t.Fatal(err)
	}
	_ = third.Close()
	if _, err := Open(filepath.Dir(path), os.O_RDONLY, 0); err == nil {
		t.Error("a folder was opened")
	}
}
