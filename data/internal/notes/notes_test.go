package notes

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/lethe-deid/lethe/data"
)

// Both conversions against the definition: the runes before an offset.
func TestOffsets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		unit := rapid.SampledFrom([]string{"a", "é", "\uFEFF", "—", "😀", "\r\n", strings.Repeat("x", 200), strings.Repeat("ñ", 300)})
		text := strings.Join(rapid.SliceOf(unit).Draw(t, "text"), "")
		o := NewOffsets(text)
		starts := []int{}
		for i := range text {
			starts = append(starts, i)
		}
		starts = append(starts, len(text))
		for point, at := range starts {
			if got := o.CodePoint(at); got != point {
				t.Fatalf("CodePoint(%d) = %d, want %d", at, got, point)
			}
			if point == len(starts)-1 {
				break
			}
			from, to, err := o.Bytes(point, len(starts)-1)
			if err != nil || from != at || to != len(text) {
				t.Fatalf("Bytes(%d, end) = %d, %d, %v, want %d, %d", point, from, to, err, at, len(text))
			}
		}
	})
	o := NewOffsets("añb")
	for _, bad := range []struct {
		start, end int
		want       string
	}{{0, 4, "beyond"}, {-1, 2, "beyond"}, {2, 2, "empty"}, {2, 1, "reversed"}, {9, 1, "reversed"}, {3, 3, "empty"}, {4, 4, "beyond"}} {
		if _, _, err := o.Bytes(bad.start, bad.end); err == nil || !strings.Contains(err.Error(), bad.want) {
			t.Errorf("Bytes(%d, %d): error %v, want %q", bad.start, bad.end, err, bad.want)
		}
	}
}

// Both conversions against the definition: the UTF-16 before an offset.
func TestUnits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		unit := rapid.SampledFrom([]string{"a", "é", "\uFEFF", "—", "😀", "👩‍⚕️", "\r\n", strings.Repeat("x", 200), strings.Repeat("😀", 300)})
		text := strings.Join(rapid.SliceOf(unit).Draw(t, "text"), "")
		u := NewUnits(text)
		starts := map[int]int{} // bytes by units
		for i := range text {
			starts[len(utf16.Encode([]rune(text[:i])))] = i
		}
		count := len(utf16.Encode([]rune(text)))
		if u.Count() != count {
			t.Fatalf("Count() = %d, want %d", u.Count(), count)
		}
		for n := range count {
			from, to, err := u.Bytes(n, count)
			at, ok := starts[n]
			if (err == nil) != ok || ok && (from != at || to != len(text) || u.Unit(at) != n) {
				t.Fatalf("Bytes(%d, end) = %d, %d, %v, want %d, %d, %t", n, from, to, err, at, len(text), ok)
			}
		}
	})
	u := NewUnits("a😀b")
	for _, bad := range []struct {
		start, end int
		want       string
	}{{0, 5, "beyond"}, {-1, 2, "beyond"}, {2, 2, "empty"}, {3, 1, "reversed"}, {0, 2, "divides"}, {2, 3, "divides"}} {
		if _, _, err := u.Bytes(bad.start, bad.end); err == nil || !strings.Contains(err.Error(), bad.want) {
			t.Errorf("Bytes(%d, %d): error %v, want %q", bad.start, bad.end, err, bad.want)
		}
	}
}

func TestOffset(t *testing.T) {
	for in, want := range map[string]int{"0": 0, "010": 10, "123456": 123456} {
		if got, err := Offset(in); err != nil || got != want {
			t.Errorf("Offset(%q) = %d, %v, want %d", in, got, err, want)
		}
	}
	for _, in := range []string{"", "-1", "+1", "1.0", " 1", "x", "99999999999999999999999999"} {
		if got, err := Offset(in); err == nil {
			t.Errorf("Offset(%q) = %d, want an error", in, got)
		}
	}
}

func TestCheckUTF8(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		raw := rapid.SliceOf(rapid.SampledFrom([]byte{'a', '\n', 0xc3, 0xa9, 0xff, 0xe2, 0x80})).Draw(t, "raw")
		err := CheckUTF8("f", raw)
		if utf8.Valid(raw) {
			if err != nil {
				t.Fatal(err)
			}
			return
		}
		e, ok := errors.AsType[*data.Error](err)
		if !ok {
			t.Fatalf("a %T", err)
		}
		if !utf8.Valid(raw[:e.Offset]) || utf8.FullRune(raw[e.Offset:]) && utf8.Valid(raw[:e.Offset+1]) {
			t.Fatalf("offset %d is not the first invalid byte", e.Offset)
		}
		if want := 1 + strings.Count(string(raw[:e.Offset]), "\n"); e.Line != want {
			t.Fatalf("line %d, want %d", e.Line, want)
		}
	})
}

func TestList(t *testing.T) {
	dir := t.TempDir()
	for _, f := range []string{"b.xml", "a.XML", ".hidden.xml", ".lethe-run", "c.txt", "sub/d.xml"} {
		write(t, filepath.Join(dir, f), "")
	}
	got, err := List(dir, ".xml")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{filepath.Join(dir, "a.XML"), filepath.Join(dir, "b.xml")}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	left, err := LeftOut(dir, false, ".xml")
	if diff := cmp.Diff([]string{".hidden.xml", "c.txt", "sub/"}, left); diff != "" || err != nil {
		t.Error(diff, err)
	}
	if left, err := LeftOut(filepath.Join(dir, "c.txt"), false, ".xml"); err != nil || left != nil {
		t.Errorf("beside a file named outright: %v, %v", left, err)
	}
	if got, err := List(filepath.Join(dir, "c.txt"), ".xml"); err != nil || len(got) != 1 {
		t.Errorf("a file named outright: %v, %v", got, err)
	}
	for path, want := range map[string]string{
		filepath.Join(dir, "sub"):  "holds no .ann",
		filepath.Join(dir, "none"): "cannot be read: no such file",
	} {
		if _, err := List(path, ".ann"); err == nil || !strings.Contains(err.Error(), want) || strings.Count(err.Error(), path) != 1 {
			t.Errorf("error %v, want %q and the path once", err, want)
		}
	}
}

// Notes in subfolders were left out, with a warning on stderr only.
func TestNotesInSubfoldersWereLeftOut(t *testing.T) {
	dir := t.TempDir()
	for _, f := range []string{"b.txt", "b/a.txt", "b/c/110-04.TXT", "a-1/x.txt", "a/x.txt", "a/x.xml", ".git/x.txt", "a/.x.txt"} {
		write(t, filepath.Join(dir, f), f)
	}
	if err := os.Symlink(dir, filepath.Join(dir, "b", "loop")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(dir, "b.txt"), filepath.Join(dir, "link.txt")); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{dir, dir + "/", link} {
		var ids []string
		out := t.TempDir()
		w, err := NewFolder(out, nil, textParts)
		if err != nil {
			t.Fatal(err)
		}
		for doc, err := range Each(path, ".txt", func(file string) (*data.Document, error) {
			return &data.Document{ID: ID(file), Text: read(t, file)}, nil
		}) {
			if err != nil {
				t.Fatal(err)
			}
			ids = append(ids, doc.ID)
			if err := w.Write(doc); err != nil {
				t.Fatal(err)
			}
		}
		want := []string{"a/x", "a-1/x", "b/a", "b/c/110-04", "b", "link"}
		if diff := cmp.Diff(want, ids); diff != "" {
			t.Error(path, diff)
		}
		if got := read(t, filepath.Join(out, "b", "c", "110-04.txt")); got != "b/c/110-04.TXT" {
			t.Errorf("written into the tree: %q", got)
		}
		left, err := LeftOut(path, true, ".txt")
		if diff := cmp.Diff([]string{".git/", "a/.x.txt", "a/x.xml", "b/loop/"}, left); diff != "" || err != nil {
			t.Error(diff, err)
		}
	}
}

func TestEachGoesOn(t *testing.T) {
	dir := t.TempDir()
	for _, f := range []string{"a.txt", "b.TXT", "b.txt", "bad.txt", "c.txt"} {
		write(t, filepath.Join(dir, f), "")
	}
	var got []string
	for doc, err := range Each(dir, ".txt", func(file string) (*data.Document, error) {
		if ID(file) == "bad" {
			return nil, Defect(file, 3, 7, "broken")
		}
		return &data.Document{ID: ID(file)}, nil
	}) {
		if err != nil {
			got = append(got, strings.TrimPrefix(err.Error(), dir+"/"))
		} else {
			got = append(got, doc.ID)
		}
	}
	want := []string{"a", "b", "b.txt: another file in this folder has the same name except for its extension", "bad.txt:3: broken (offset 7)", "c"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func textParts(doc *data.Document) ([]Part, error) {
	return []Part{{".ann", nil}, {".txt", []byte(doc.Text)}}, nil
}

func textLine(doc *data.Document) ([]byte, error) { return []byte(doc.Text + "\n"), nil }

func TestWritersRefuse(t *testing.T) {
	types := data.I2B2
	span := func(start, end int, typ string) []data.Span {
		return []data.Span{{Start: start, End: end, Type: typ, Score: 1}}
	}
	for name, tc := range map[string]struct {
		doc  data.Document
		want string
	}{
		"no id":           {data.Document{}, "no id"},
		"twice":           {data.Document{ID: "good"}, "two documents have this id"},
		"not UTF-8":       {data.Document{ID: "x", Text: "\xff"}, "invalid UTF-8 at byte 0"},
		"beyond the text": {data.Document{ID: "x", Text: "Zebulon", Spans: span(0, 8, "PATIENT")}, "beyond the text"},
		"cut":             {data.Document{ID: "x", Text: "é", Spans: span(0, 1, "PATIENT")}, "cuts a code point"},
		"type":            {data.Document{ID: "x", Text: "Zebulon", Spans: span(0, 1, "CALLE")}, "not in the type set i2b2-2014"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			folder, err := NewFolder(dir, types, textParts)
			if err != nil {
				t.Fatal(err)
			}
			file, err := NewFile(filepath.Join(dir, "all"), types, textLine)
			if err != nil {
				t.Fatal(err)
			}
			for _, w := range []data.Writer{folder, file} {
				if err := w.Write(&data.Document{ID: "good", Text: "first"}); err != nil {
					t.Fatal(err)
				}
				err := w.Write(&tc.doc)
				if err == nil || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "Zebulon") {
					t.Errorf("%T: error %v, want %q and no content", w, err, tc.want)
				}
				if err := w.Write(&data.Document{ID: "next", Text: "second"}); err != nil {
					t.Errorf("%T is not usable after a refusal: %v", w, err)
				}
				if err := w.Close(); err != nil {
					t.Error(err)
				}
			}
			if got := read(t, filepath.Join(dir, "all")); got != "first\nsecond\n" {
				t.Errorf("the file holds %q", got)
			}
			if got := read(t, filepath.Join(dir, "good.txt")); got != "first" {
				t.Errorf("the first note was overwritten: %q", got)
			}
		})
	}
}

func TestFolderRefusesNames(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, "a", "b")
	w, err := NewFolder(dir, nil, textParts)
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{".", "..", "../x", "/x", "x/", "x//y", "x/../../y", "x/.y", `x\y`, ".x", "x\x00", "x\ny", strings.Repeat("x", 201)} {
		err := w.Write(&data.Document{ID: id})
		if err == nil || !strings.Contains(err.Error(), dir+": cannot be written: ") {
			t.Errorf("id %q: error %v", id, err)
		}
	}
	if err := w.Write(&data.Document{ID: strings.Repeat("x", 200)}); err != nil {
		t.Error(err)
	}
	if got := entries(t, root) + entries(t, filepath.Join(root, "a")); got != "a b " {
		t.Errorf("files outside of the folder: %s", got)
	}
}

func TestNothingBeforeItIsWhole(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "all")
	write(t, path, "of an earlier run")
	w, err := NewFile(path, nil, textLine)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(&data.Document{ID: "x", Text: strings.Repeat("long", 1<<16)}); err != nil {
		t.Fatal(err)
	}
	if got := read(t, path); got != "of an earlier run" {
		t.Error("the file changed before Close")
	}
	if err := w.Abort(); err != nil {
		t.Error(err)
	}
	if err := w.Write(&data.Document{ID: "y"}); !errors.Is(err, errClosed) {
		t.Errorf("Write after Abort: %v", err)
	}
	if got := entries(t, dir); got != "all " || read(t, path) != "of an earlier run" {
		t.Errorf("after Abort the folder holds %s", got)
	}

	w, _ = NewFile(path, nil, textLine)
	if err := errors.Join(w.Write(&data.Document{ID: "x", Text: "new"}), w.Close(), w.Abort(), w.Close()); err != nil {
		t.Error(err)
	}
	if got := entries(t, dir); got != "all " || read(t, path) != "new\n" {
		t.Errorf("after Close the folder holds %s", got)
	}
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte(content), 0o666)); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func entries(t *testing.T, dir string) string {
	t.Helper()
	all, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	s := ""
	for _, e := range all {
		s += e.Name() + " "
	}
	return s
}
