package job

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"filippo.io/age"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid"
	"github.com/lethe-deid/lethe/deid/engine"
	"github.com/lethe-deid/lethe/deid/mapping"
	"github.com/lethe-deid/lethe/deid/replace"
	"github.com/lethe-deid/lethe/models"
)

func write(t *testing.T, path, content string) string {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestTheRecordHasEveryOption checks that the settings differ if any option has another value, or if a file that an
// option names has another content.
func TestTheRecordHasEveryOption(t *testing.T) {
	file := write(t, filepath.Join(t.TempDir(), "a"), "one")
	settingsOf := func(c Config) settings {
		s, err := (&checked{Config: c}).settings("model", replace.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	plain := settingsOf(Config{Inputs: []string{Stdio}, Output: Stdio})
	for _, field := range reflect.VisibleFields(reflect.TypeFor[Config]()) {
		name, kind, _ := strings.Cut(field.Tag.Get("option"), ",")
		if name == "" {
			continue
		}
		c := Config{Inputs: []string{Stdio}, Output: Stdio}
		switch v := reflect.ValueOf(&c).Elem().FieldByIndex(field.Index).Addr().Interface().(type) {
		case *bool:
			*v = true
		case *float64:
			*v = 0.5
		case *string:
			*v = file
		case *[]string:
			*v = []string{file}
		}
		one := settingsOf(c)
		if got := one.different(plain); got != "another --"+name {
			t.Errorf("--%s: different settings are %q", name, got)
		}
		if kind == "file" {
			write(t, file, "two")
			if settingsOf(c).different(one) == "" {
				t.Errorf("--%s: another content of the file does not change the settings", name)
			}
			write(t, file, "one")
		}
	}
}

// With an audit, a run whose predecessor was interrupted before it finished a file said only that the audit exists, and not
// that --resume continues.
func TestAnAuditOfAnInterruptedRunAdvisesToResume(t *testing.T) {
	dir := t.TempDir()
	in, out, audit := filepath.Join(dir, "in.txt"), filepath.Join(dir, "out"), filepath.Join(dir, "audit")
	write(t, in, "Seen on 3/4/2019.")
	write(t, audit, "")
	check := func(want string) {
		t.Helper()
		c, err := Config{Options: engine.Options{Model: "none"}, Inputs: []string{in}, Output: out, Audit: audit}.check()
		if err != nil {
			t.Fatal(err)
		}
		files, err := c.findFiles(t.Context(), Events{})
		if err != nil {
			t.Fatal(err)
		}
		if err := c.checkReports(files); err == nil || err.Error() != want {
			t.Errorf("the error is %v, want %s", err, want)
		}
	}
	check(audit + ": already exists")
	if err := os.Mkdir(out, 0o777); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(out, recordName), "")
	check(audit + ": already exists; if a run to " + out + " was interrupted, resume it with --resume, or choose another")
}

// TestMapFails checks that a map that cannot be written is an error and leaves no file.
func TestMapFails(t *testing.T) {
	me, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "map.age")
	c := &checked{Config: Config{Map: path, MapRecipients: []string{me.Recipient().String()}, Output: Stdio}}
	to, err := c.recipients()
	if err != nil {
		t.Fatal(err)
	}
	m, err := mapping.Create(path, to...)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Add(mapping.Entry{Type: "PATIENT", Original: "Oda", Replacement: "Ida"}); err != nil {
		t.Fatal(err)
	}
	if err := m.Discard(); err != nil { // has the same effect as a disk that fails
		t.Fatal(err)
	}
	for range 2 { // the second time together with another error
		err = c.closeMap(m, true, err, Events{})
		if err == nil || !strings.Contains(err.Error(), "map.age: cannot be written") {
			t.Errorf("error %v", err)
		}
	}
	failed := errors.New("the disk is full")
	if err := c.closeMap(m, false, failed, Events{}); !errors.Is(err, failed) || !strings.Contains(err.Error(), "map.age: not written, because the run failed") {
		t.Errorf("error %v", err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 0 {
		t.Errorf("%d files are left, error %v", len(entries), err)
	}
}

// beside is a tagger whose spans reach beyond the end of the text.
type beside struct{}

func (beside) Tag(_ context.Context, docs []*data.Document) ([][]data.Span, error) {
	found := make([][]data.Span, len(docs))
	for i, doc := range docs {
		if strings.HasPrefix(doc.Text, "bad") {
			found[i] = []data.Span{{Start: len(doc.Text) - 1, End: len(doc.Text) + 1, Type: "DATE"}}
		}
	}
	return found, nil
}

// TestSpanBesideTheText checks that a span outside of the text fails its own note and no other.
func TestSpanBesideTheText(t *testing.T) {
	in, out := t.TempDir(), filepath.Join(t.TempDir(), "clean")
	write(t, filepath.Join(in, "a.jsonl"), "{\"text\":\"good\"}\n{\"text\":\"bad Zebulon\"}\n{\"text\":\"good\"}\n")
	c, err := Config{Options: engine.Options{Model: "none"}, Format: "jsonl", Inputs: []string{in}, Output: out}.check()
	if err != nil {
		t.Fatal(err)
	}
	files, err := c.findFiles(t.Context(), Events{})
	if err != nil {
		t.Fatal(err)
	}
	r := &run{config: c, engine: &deid.Deidentifier{Tagger: beside{}}}
	err = r.do(t.Context(), files)
	if u, ok := errors.AsType[*models.Unexamined](err); !ok || u.Failed != 1 || u.Notes != 3 {
		t.Errorf("error %v", err)
	}
	got, err := os.ReadFile(filepath.Join(out, "a.jsonl"))
	if err != nil || string(got) != "{\"text\":\"good\"}\n{\"text\":\"good\"}\n" {
		t.Errorf("%q came out, error %v", got, err)
	}
}

// TestNothingIsWrittenOver checks that a file which appears under the output's name during the run stays.
func TestNothingIsWrittenOver(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "clean.txt")
	s, err := openSink(path, false)
	if err != nil {
		t.Fatal(err)
	}
	write(t, path, "mine")
	err = errors.Join(s.write([]byte("clean")), s.close(), s.wait(), s.commit())
	if err == nil || !strings.HasSuffix(err.Error(), "clean.txt: another program has created it in the meantime, so it was not overwritten") {
		t.Errorf("error %v", err)
	}
	s.abort()
	got, err := os.ReadFile(path)
	if err != nil || string(got) != "mine" {
		t.Errorf("clean.txt contains %q, error %v", got, err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("the folder contains %d files, error %v", len(entries), err)
	}
}
