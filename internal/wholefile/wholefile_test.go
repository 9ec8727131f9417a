package wholefile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func names(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return strings.Join(all, " ")
}

func create(t *testing.T, path, content string) *Pending {
	t.Helper()
	p, err := Create(path, 0o640)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.WriteString(content); err != nil {
		t.Fatal(err)
	}
	return p
}

func TestWriteFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "new", "a")
	for _, content := range []string{"one", "two"} {
		if err := WriteFile(path, []byte(content), 0o640); err != nil {
			t.Fatal(err)
		}
		if raw, err := os.ReadFile(path); string(raw) != content || err != nil {
			t.Errorf("%q, %v", raw, err)
		}
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm()&0o137 != 0 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	failed := errors.New("failed")
	if err := Write(path, 0o640, func(w io.Writer) error {
		_, err := io.WriteString(w, "half")
		return errors.Join(err, failed)
	}); !errors.Is(err, failed) {
		t.Errorf("want the writer's error: %v", err)
	}
	if raw, err := os.ReadFile(path); string(raw) != "two" || err != nil {
		t.Errorf("after a failure: %q, %v", raw, err)
	}
	if got := names(t, filepath.Dir(path)); got != "a" {
		t.Errorf("left: %s", got)
	}
}

func TestWhatCameMeanwhileIsNotReplaced(t *testing.T) {
	for _, link := range []bool{false, true} {
		dir := t.TempDir()
		path := filepath.Join(dir, "a")
		p := create(t, path, "mine")
		if err := os.WriteFile(path, []byte("theirs"), 0o600); err != nil {
			t.Fatal(err)
		}
		rename := renameNew
		if link {
			rename = os.Link
		}
		if err := p.rename(rename); !errors.Is(err, fs.ErrExist) {
			t.Errorf("want ErrExist: %v", err)
		}
		if raw, _ := os.ReadFile(path); string(raw) != "theirs" {
			t.Errorf("written over: %q", raw)
		}
		if err := p.Discard(); err != nil {
			t.Error(err)
		}
		if got := names(t, dir); got != "a" {
			t.Errorf("left: %s", got)
		}
	}
}

func TestPublishAndDiscard(t *testing.T) {
	dir := t.TempDir()
	long := strings.Repeat("ä", 120) + ".txt"
	p := create(t, filepath.Join(dir, long), "x")
	if got := names(t, dir); !strings.HasPrefix(got, ".ä") || len(got) > 255 {
		t.Errorf("hidden name %s", got)
	}
	if err := errors.Join(p.Publish(), p.Discard()); err != nil {
		t.Fatal(err)
	}
	q := create(t, filepath.Join(dir, "b"), "x")
	if err := errors.Join(q.Discard(), q.Discard()); err != nil {
		t.Fatal(err)
	}
	if got := names(t, dir); got != long {
		t.Errorf("left: %s", got)
	}
}
