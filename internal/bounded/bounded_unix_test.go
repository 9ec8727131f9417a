//go:build unix

package bounded

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestNeitherFIFOsNorDevicesAreRead(t *testing.T) {
	dir := t.TempDir()
	fifo := filepath.Join(dir, "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Skip(err)
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink("/dev/zero", link); err != nil {
		t.Fatal(err)
	}
	for path, kind := range map[string]string{fifo: "a FIFO", "/dev/zero": "a device", link: "a device", dir: "a folder"} {
		if _, err := ReadFile(path, MaxConfig); err == nil || !strings.Contains(err.Error(), path+": is "+kind+",") {
			t.Errorf("ReadFile %s: %v", path, err)
		}
		if _, err := OpenRegular(path); err == nil || !strings.Contains(err.Error(), path+": is "+kind+",") {
			t.Errorf("OpenRegular %s: %v", path, err)
		}
	}
}

func TestReadFile(t *testing.T) {
	dir := t.TempDir()
	path, link := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	if err := os.WriteFile(path, []byte("12345678"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	if raw, err := ReadFile(link, 8); string(raw) != "12345678" || err != nil {
		t.Errorf("%q, %v", raw, err)
	}
	if _, err := ReadFile(path, 7); err == nil || !strings.HasSuffix(err.Error(), "is larger than 7 bytes, the limit for this kind of file") {
		t.Errorf("a file over the limit: %v", err)
	}
	if _, err := ReadFile(filepath.Join(dir, "c"), 8); !os.IsNotExist(err) {
		t.Errorf("a missing file: %v", err)
	}
}
